"""Retract: a source is taken out of the wiki, with all that rests on it alone.

It is worked out from the pages as they are, wherever claims of the source have gone since and
whatever was undone in between: what a dry run tells is what the run does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field, replace

from llmwiki.changes.claims_without_evidence import (
    DroppedClaim,
    drop_claims,
    drop_evidence,
    without_dropped,
    words_brought,
)
from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import SUBJECTS
from llmwiki.core.text import counted, digest32, fold, normalise
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.earlier_pages import page_at, pages_of
from llmwiki.landing.land import land
from llmwiki.landing.links_to_moved_pages import deleted_by_hand
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import Made, Operation
from llmwiki.landing.page_by_typed_name import source_named
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write
from llmwiki.pages.escape import escape, unescape
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.merge.repair_assembled_page import read_back, with_footnotes_of
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.page_file_names import name_key
from llmwiki.pages.page_syntax import render_node
from llmwiki.pages.page_tree import PageNode
from llmwiki.pages.tombstones import (
    RETRACTED,
    bury,
    claim_refs,
    is_retracted,
    ledger_path,
    retracted,
    retracted_hashes,
)
from llmwiki.version import SIGNED

MARK = "Rests on a retracted source"
"""The title of the callout on a page whose prose or notes a person has written on."""
_ALIAS = re.compile(r"- (?P<alias>.+) → \[\[(?P<page>[^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
_FROM = "from: "


@dataclass(frozen=True, slots=True)
class RetractResult:
    """What retracting a source did, or would do."""

    source: str
    """The file below raw/."""
    page: str
    """The source's own page."""
    outcome: Outcome = field(default_factory=lambda: Outcome(None))
    quotes: int = 0
    """Pieces of evidence that go."""
    gone: tuple[DroppedClaim, ...] = ()
    """Claims that rested on it alone."""
    kept: tuple[tuple[str, Claim], ...] = ()
    """(page, claim) of those that other sources support as well; their words stay as they are."""
    revived: tuple[str, ...] = ()
    """Ids of claims that stand again, as what they were struck for is gone."""
    relations: int = 0
    """Lines under `Related` that no other source tells."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(page, alias) that no other source gives."""
    renewed: tuple[tuple[str, str], ...] = ()
    """(page, `lead` or `description`) that the source had brought, and that has other words now."""
    left: tuple[tuple[str, str], ...] = ()
    """(page, `lead` or `description`) of people, which stay."""
    answers: tuple[tuple[str, str], ...] = ()
    """(page, id) of notes that are taken out, for they rested on a claim that goes."""
    marked: tuple[str, ...] = ()
    """Pages with a callout now: what a person wrote there rests on a claim that goes."""
    emptied: tuple[str, ...] = ()
    """Pages on which nothing stands any more; they stay, with `status: deprecated`."""


def retract(
    wiki: OpenWiki, source: str, *, dry_run: bool = False, allow_detached: bool = False
) -> RetractResult:
    """Takes a source out of the wiki, with all that rests on it alone, in one commit. Its file in
    raw/ stays where it is.

    `source` is its file, its page or its title. Raises InputError for none or several, StateError
    where this clone lacks the commits that tell what a person deleted or reworded, and what `land`
    raises.
    """
    state, terms = wiki.state, wiki.landing(allow_detached)
    state.follow()
    ident = source_named(state, source).stem

    def make(current: WikiState) -> Made[RetractResult]:
        return _Retraction(current, ident).made()

    done = land(state, "retract", make, terms=terms, dry_run=dry_run)
    return replace(done.extra, outcome=done.outcome)


class _Retraction:
    """One source's retraction, against one state."""

    def __init__(self, state: WikiState, ident: str) -> None:
        self._state = state
        self._ident = ident
        self._path = ledger_path(ident)
        self._pages: dict[str, Page] = {}
        """Pages as they shall be."""
        self._quotes: list[str] = []
        self._kept: list[tuple[str, Claim]] = []
        self._relations = 0

    def made(self) -> Made[RetractResult]:
        """The operation and what it does; none where the source is retracted already."""
        ledger = self._state.page(self._path)
        if ledger is None:
            raise InputError("there is no such source in the wiki", where=self._ident)
        own = ledger.own_source
        raw = own.resource.removeprefix("/") if own else ""
        result = RetractResult(raw, self._path)
        unproven = self._take_evidence(ledger)
        if is_retracted(ledger) and not self._quotes and not self._relations:
            return Made(None, result)
        readings = SourceReadings(self._state.repo, self._path, raw)
        dropped = drop_claims(self._state.repo, self._pages, unproven, readings.worded)
        gone = {each.claim.id for each in dropped}
        answers, marked = self._take_answers(gone)
        aliases = self._take_aliases(ledger)
        renewed, left = self._renew(readings)
        self._close(ledger, readings.hashes | ({own.sha256} if own else set()))
        told, revived = without_dropped(self._state, self._pages, gone)
        self._pages = {path: page for path, page in told.items() if page is not None}
        emptied = self._deprecate()
        self._pages = {path: read_back(page) for path, page in self._pages.items()}
        result = replace(
            result,
            quotes=len(self._quotes),
            gone=tuple(dropped),
            kept=tuple(self._kept),
            revived=tuple(sorted(revived)),
            relations=self._relations,
            aliases=tuple(aliases),
            renewed=tuple(renewed),
            left=tuple(left),
            answers=tuple(answers),
            marked=tuple(marked),
            emptied=tuple(emptied),
        )
        operation = Operation(
            title=ledger.title,
            pages=self._pages,
            notes=_notes(result),
            trailers={"Wiki-Retracts": raw or self._ident},
            takes_out=True,
        )
        return Made(operation, result)

    # --- what the source gave ------------------------------------------------------------

    def _take_evidence(self, ledger: Page) -> dict[str, Claim]:
        """Takes every quote and relation of the source off its page; claims left without any."""
        state = self._state
        homes = state.claim_pages(claim_refs(ledger)).values()
        paths = {*state.citing(self._ident), *state.linking(self._path), *homes, self._path}
        held = {path: page for path in paths if (page := state.page(path)) is not None}
        pages, unproven = drop_evidence(state, held, lambda _claim, e: e.source == self._ident)
        for path, page in sorted(held.items()):
            for claim in page.claims:
                mine = [piece.quote for piece in claim.evidence if piece.source == self._ident]
                self._quotes += mine
                if mine and claim.id not in unproven:
                    self._kept.append((path, claim))
            self._pages[path] = self._without_relations(pages[path])
        return unproven

    def _without_relations(self, page: Page) -> Page:
        for node in page.body:
            if node.kind == "rel" and node.part(("by", self._ident)) is not None:
                parts = tuple(part for part in node.parts if part.key != ("by", self._ident))
                if parts:
                    page = write.replace_node(page, replace(node, parts=parts))
                else:
                    page = write.remove_node(page, node.key)
                    self._relations += 1
        return page

    def _take_aliases(self, ledger: Page) -> list[tuple[str, str]]:
        """Takes aliases off pages to which no other source's page gives them."""
        taken = []
        for alias, stem in _names(ledger):
            path = self._state.file_named(name_key(stem))
            page = self._page(path) if path else None
            if path is None or page is None or path == self._path:
                continue
            others = (self._state.page(p) for p in self._state.linking(path) if p != self._path)
            given = {
                fold(name)
                for other in others
                if other is not None and other.type == "source"
                for name, target in _names(other)
                if name_key(target) == name_key(stem)
            }
            kept = [each for each in page.aliases if fold(each) != fold(alias)]
            if fold(alias) not in given and len(kept) < len(page.aliases):
                self._pages[path] = write.set_words(page, "aliases", kept)
                taken.append((path, alias))
        return taken

    # --- what rests on it ----------------------------------------------------------------

    def _take_answers(self, gone: Set[str]) -> tuple[list[tuple[str, str]], list[str]]:
        """Takes out notes of the tool that rest on claims that go; marks what people wrote."""
        taken: list[tuple[str, str]] = []
        marked: list[str] = []
        for path in self._state.naming(gone) if gone else ():
            page = self._page(path)
            if page is None:
                continue
            is_marked = False
            for node in page.body:
                if not gone & set(CLAIM_IN_LINK.findall(render_node(node))):
                    continue
                if node.kind == "n" and _rests(node, gone):
                    if _is_tools_note(page, node):
                        page = write.remove_node(page, node.key)
                        taken.append((path, node.key[1]))
                    else:
                        is_marked = True
                elif node.kind == "lead" or (node.kind == "x" and not node.raw.startswith("> [!")):
                    is_marked = True
            if is_marked:
                page = _marked(page, self._ident, self._title)
                marked.append(path)
            self._pages[path] = page
        return taken, marked

    @property
    def _title(self) -> str:
        held = self._state.fact(self._path)
        return held.title if held else ""

    def _page(self, path: str) -> Page | None:
        return self._pages.get(path) or self._state.page(path)

    # --- words ---------------------------------------------------------------------------

    def _renew(
        self, readings: SourceReadings
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Other words for leads and descriptions that the source brought."""
        renewed: list[tuple[str, str]] = []
        left: list[tuple[str, str]] = []
        for path in sorted({*self._pages, *readings.pages} - {self._path}):
            held, page = self._state.page(path), self._page(path)
            if held is None or page is None or held.type not in SUBJECTS:
                continue
            new, changed = readings.renewed(held, page, self._stands)
            if changed:
                self._pages[path] = new
            renewed += [(path, name) for name in changed]
            left += [(path, n) for n in PROSE if prose_of(held, n) and not is_tools(held, n)]
        return renewed, left

    def _stands(self, page: Page) -> bool:
        """Whether every source that a page of before cites is in the wiki."""
        cited = self._state.facts(map(ledger_path, page.cited() - {self._ident}))
        return len(cited) == len(page.cited() - {self._ident}) and not any(
            RETRACTED in each.tags for each in cited.values()
        )

    def _close(self, ledger: Page, hashes: Set[str]) -> None:
        page = bury(self._pages[self._path], deleted_by_hand(self._state, ledger))
        known = hashes | retracted_hashes(ledger)
        self._pages[self._path] = retracted(page, known, SIGNED)
        for path in sorted(self._pages):
            before = self._state.page(path)
            if before is not None and path != self._path:
                self._pages[path] = self._without_source(
                    with_footnotes_of(self._pages[path], before)
                )

    def _without_source(self, page: Page) -> Page:
        """The page without the source in its lists, where nothing on it cites that any more."""
        read = [each for each in page.words("read") if each.split(" ")[0] != self._ident]
        if len(read) < len(page.words("read")):
            page = write.set_words(page, "read", read)
        return page if self._ident in page.cited() else write.drop_footnotes(page, (self._ident,))

    def _deprecate(self) -> list[str]:
        """Marks the pages that this has left without anything that somebody says."""
        emptied = []
        for path, page in sorted(self._pages.items()):
            before = self._state.page(path)
            if path != self._path and before and _is_empty(page) and not _is_empty(before):
                bare = write.set_lead(page, "", page.marks.by)
                bare = write.set_description(bare, NOTHING_LEFT, page.marks.by)
                self._pages[path] = write.set_value(bare, "status", "deprecated")
                emptied.append(path)
        return emptied


def _names(ledger: Page) -> Iterator[tuple[str, str]]:
    """(alias, file name of a page) that a source gives."""
    for node in ledger.section("Names"):
        if found := _ALIAS.fullmatch(node.raw):
            yield normalise(unescape(found["alias"])), found["page"]


def _rests(node: PageNode, gone: Set[str]) -> bool:
    said = (part.raw.strip().removeprefix("- ") for part in node.parts if part.kind == "a")
    return any(
        text.startswith(_FROM) and gone & set(CLAIM_IN_LINK.findall(text)) for text in said
    ) or bool(gone & set(CLAIM_IN_LINK.findall(node.raw)))


def _is_tools_note(page: Page, node: PageNode) -> bool:
    """Whether a note is as it was filed: its id follows from its text, nothing stands under it."""
    if any(part.kind == "x" and part.raw.strip() for part in node.parts):
        return False
    text = read_claim(node).text
    return node.key[1] == "n-" + digest32((page.type, fold(page.title), fold(text)))


def _marked(page: Page, ident: str, title: str) -> Page:
    where = write.wikilink(f"sources/{ident}", title)
    section = "Notes" if page.section("Notes") else "Contradictions"
    return write.add_callout(page, section, (MARK, f"Some of this page rested on {where}."))


def _is_empty(page: Page) -> bool:
    """Whether nothing that a source or a person says stands on a page of a subject or an answer."""
    if page.type not in (*SUBJECTS, "synthesis"):
        return False
    front = page.front.parts[:-1] if page.front else ()
    known = {*write.PAGE_KEYS, "status"}
    if any(part.kind == "front" and part.key[1] not in known for part in front):
        return False
    if page.lead and not page.lead_is_tools:
        return False
    return not any(node.kind in ("c", "n") or _is_prose(node) for node in page.body)


def _is_prose(node: PageNode) -> bool:
    return node.kind == "x" and bool(node.raw.strip()) and not node.raw.startswith("> [!warning]")


def _notes(result: RetractResult) -> tuple[str, ...]:
    """What the commit's message tells; no word of the source."""
    told = [f"Retracted {result.source or result.page}: {counted(result.quotes, 'quote')} out."]
    if result.kept:
        told.append(
            f"{counted(len(result.kept), 'claim')} of other sources as well lost its quotes."
        )
    if result.revived:
        told.append(f"Standing again: {', '.join('^' + each for each in result.revived[:20])}.")
    notes = Counter(each.is_note for each in result.gone)[True]
    if notes:
        told.append(f"{counted(notes, 'claim')} that a person had worked on became notes.")
    if result.answers:
        told.append(f"{counted(len(result.answers), 'note')} that rested on it taken out.")
    return tuple(told)


# --- the operations that read the source ----------------------------------------------------------

NOTHING_LEFT = "Nothing in the wiki tells of it: what did was retracted."
PROSE = ("lead", "description")


class SourceReadings:
    """The operations of HEAD's history that read a source, whatever its file was called."""

    def __init__(self, repo: Repository, ledger: str, raw: str) -> None:
        """`ledger` is the path of the source's page, `raw` its file."""
        head = repo.head()
        paths, hashes = {raw}, set[str]()
        for commit in repo.log(head, paths=[ledger]) if head else ():
            page = page_at(repo, commit.oid, ledger)
            own = page.own_source if page is not None else None
            if own is not None:
                paths.add(own.resource.removeprefix("/"))
                hashes.add(own.sha256)
        self.hashes = frozenset(hashes - {""})
        """SHA-256 of each version that was read."""
        self.worded: dict[str, str] = {}
        """How the claims on the pages that they changed were worded first, by id."""
        self.pages: dict[str, list[tuple[Page | None, Page | None]]] = {}
        """The pages that they changed: as each of them found and left it, the newest first."""
        for commit in repo.log(head) if head else ():
            named = {value.rpartition(" sha256:")[0] for value in commit.sources}
            if named.isdisjoint(paths) or not commit.parents.known:
                continue
            before, after = pages_of(repo, commit)
            self.worded |= words_brought(after)
            for path in before.keys() | after.keys():
                self.pages.setdefault(path, []).append((before.get(path), after.get(path)))

    def renewed(
        self, held: Page, page: Page, stands: Callable[[Page], bool]
    ) -> tuple[Page, tuple[str, ...]]:
        """A page with another lead and description where the program wrote them and a reading
        brought them, and which of both those are.

        `held` is the page as it is at HEAD, `page` as it shall be. What stood there before the
        source was read stands there again if that page `stands`; else the first claim that does;
        else none.
        """
        changed = []
        for name in PROSE:
            words, before = prose_of(held, name), held
            if not words or not is_tools(held, name):
                continue
            for found, left in self.pages.get(page.path, ()):
                if prose_of(left, name) == words and prose_of(found, name) != words:
                    words, before = prose_of(found, name), found or held
            if words == prose_of(held, name):
                continue
            is_good = words and is_tools(before, name) and stands(before)
            page = _with(page, name, words if is_good else "")
            changed.append(name)
        return page, tuple(changed)


def prose_of(page: Page | None, name: str) -> str:
    """The lead or the description of a page."""
    if page is None:
        return ""
    return page.lead if name == "lead" else page.description


def is_tools(page: Page, name: str) -> bool:
    """Whether the program wrote them."""
    return page.lead_is_tools if name == "lead" else page.description_is_tools


def _with(page: Page, name: str, earlier: str) -> Page:
    by = page.marks.by
    standing = next((claim.text for claim in page.claims if claim.successor is None), "")
    if name == "lead":
        return write.set_lead(page, earlier or escape(standing), by)
    return write.set_description(page, earlier or standing or NOTHING_LEFT, by)
