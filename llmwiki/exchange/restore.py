"""A bundle that this program wrote, as pages again: claims whose quotes stand in the documents.

Nothing is believed but bytes. A claim comes back with the evidence that stands in a document of the
bundle or of the wiki; what has none is given back as a statement of the bundle's page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property

from llmwiki.core.errors import WikiError
from llmwiki.core.page_kinds import KIND_OF_FOLDER, KINDS, MEMORY
from llmwiki.core.secrets import refuse
from llmwiki.core.text import digest32, fold
from llmwiki.exchange.bundle_places import BundlePage, BundlePlaces, BundleSource, RestoredBundle
from llmwiki.exchange.folder import ForeignFolder
from llmwiki.exchange.okf import read_concept
from llmwiki.exchange.okf_page import page_text
from llmwiki.exchange.readings import ReadingTerms
from llmwiki.exchange.statements import ForeignStatement, quotes_of
from llmwiki.memory.state import WikiState
from llmwiki.pages import write, write_claims
from llmwiki.pages.assembled import settle, settled
from llmwiki.pages.front import PageError, source_named
from llmwiki.pages.ids import CLAIM_ID, ID_AT_END
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.page_of_both import page_of_both
from llmwiki.pages.retraction import RETRACTED
from llmwiki.pages.taken_out import without_claims
from llmwiki.pages.tombstones import claim_refs, enrol, ledger_path, strike_off
from llmwiki.repo.repository import Repository
from llmwiki.retrieval.identity import owners

_PRIVATE = frozenset({"memory", "daily", "skill"})
_ID = re.compile(CLAIM_ID)


def restore(
    repo: Repository,
    state: WikiState,
    folder: ForeignFolder,
    pages: tuple[str, ...],
    terms: ReadingTerms,
    *,
    memory: bool,
) -> RestoredBundle:
    """The pages of a bundle on top of those of the state, which is left as it is."""
    return _Restoring(repo, state, folder, terms).run(pages, memory=memory)


class _Restoring:
    def __init__(
        self, repo: Repository, state: WikiState, folder: ForeignFolder, terms: ReadingTerms
    ) -> None:
        self._repo, self._state, self._folder, self._terms = repo, state, folder, terms
        self._done = RestoredBundle()
        self._places = BundlePlaces(repo, state, folder, terms, self._done)
        self._gone: set[str] = set()
        """Ids of claims that do not come back."""

    def run(self, paths: tuple[str, ...], *, memory: bool) -> RestoredBundle:
        own = self._own(paths, memory=memory)
        ledgers = [each for each in own if each.type == "source"]
        for each in ledgers:
            self._places.take_source(each)
        for each in own:
            if each.type != "source":
                self._places.take_name(each)
        parsed = self._parsed(own)
        if not memory:
            parsed = {path: self._without_told(path, page) for path, page in parsed.items()}
        checked = {path: self._check(path, page) for path, page in parsed.items()}
        for path, page in checked.items():
            self._land(path, page)
        self._enrol(ledgers)
        self._drop_unchanged()
        return self._done

    # --- what the folder holds -------------------------------------------------------------

    def _own(self, paths: tuple[str, ...], *, memory: bool) -> list[BundlePage]:
        own, others = [], []
        for path in paths:
            kind = KIND_OF_FOLDER.get(path.partition("/")[0], "") if "/" in path else ""
            kind = "memory" if f"wiki/{path}" == MEMORY else kind
            try:
                text = self._folder.files[path].decode("utf-8")
                plain = ID_AT_END.sub("", text)
                refuse([plain], allowed=self._terms.allowed_secrets, what="it", where=path)
                values, body, _ = read_concept(text)
            except UnicodeDecodeError:
                self._done.leave_out(path, "it is not UTF-8")
                continue
            except WikiError as error:
                self._done.leave_out(path, error.what)
                continue
            is_private = kind in _PRIVATE
            if is_private and not memory:
                self._done.leave_out(path, "memory is taken over with --memory only")
            elif kind and values.get("type") == kind and kind in KINDS:
                tags = values.get("tags")
                if kind == "source" and isinstance(tags, list) and RETRACTED in tags:
                    self._done.leave_out(path, "retractions stay with the wiki that made them")
                else:
                    own.append(BundlePage(path, dict(values), body, text))
            else:
                others.append(path)
        self._done.others = tuple(others)
        return own

    # --- claims ----------------------------------------------------------------------------

    def _parsed(self, own: list[BundlePage]) -> dict[str, Page]:
        """The pages as they would stand here; no claim has the id of another one here."""
        ids = {old: new.id for old, new in self._places.sources.items() if old != new.id}
        texts = {
            each.path: page_text(self._moved(each), each.body, self._places.stems, ids)
            for each in own
            if each.path in self._places.targets or self._is_uncarried(each)
        }
        pages = {path: self._page(path, text) for path, text in texts.items()}
        renamed: dict[str, str] = {}
        seen: set[str] = set()
        for page in pages.values():
            for claim in page.claims:
                seen.add(claim.id)
                where = self._state.claim_page(claim.id)
                held = self._state.page(where) if where else None
                other = held.claim(claim.id) if held else None
                if other is not None and fold(other.text) != fold(claim.text):
                    renamed[claim.id] = self._new_id(claim, seen | set(renamed.values()))
        if not renamed:
            return pages
        self._done.notes.append(f"{len(renamed)} claims have other ids: theirs are others' here")
        return {
            path: self._page(path, _ID.sub(lambda found: renamed.get(found[0], found[0]), text))
            for path, text in texts.items()
        }

    def _moved(self, each: BundlePage) -> Mapping[str, object]:
        source = self._places.sources.get(each.stem) if each.type == "source" else None
        if source is None:
            return each.values
        place = source.document.text_path
        listed = each.values.get("sources")
        others = [
            item for item in (listed if isinstance(listed, list) else ())
            if source_named(item) != each.stem
        ]  # fmt: skip
        moved = {**each.values, "source": source.document.path, "sources": others}
        return {**moved, "text": place} if place else moved

    def _is_uncarried(self, each: BundlePage) -> bool:
        return each.type == "source" and each.stem not in self._places.retracted

    def _page(self, path: str, text: str) -> Page:
        target = self._places.targets.get(path) or f"wiki/{path}"
        return Page.parse(target, text)

    def _new_id(self, claim: Claim, taken: set[str]) -> str:
        first = claim.evidence[0] if claim.evidence else None
        parts = (first.source if first else "", fold(first.quote) if first else "",
                 fold(claim.text))  # fmt: skip
        for length in range(10, 51):
            ident = "c-" + digest32(parts, length)
            if ident not in taken and self._state.claim_page(ident) is None:
                return ident
        return "c-" + digest32((*parts, claim.id), 50)

    def _without_told(self, path: str, page: Page) -> Page:
        """The page without notes of memory: anybody can write that a person told something."""
        before = page
        for node in page.body:
            if node.kind == "n" and any(
                name == "told by" for name, _, _ in read_claim(node).attributes
            ):
                page = write.remove_node(page, node.key)
                self._done.leave_out(
                    path, f"^{node.key[1]}: memory is taken over with --memory only"
                )
        return settle(before, page)

    def _check(self, path: str, page: Page) -> Page:
        """The page with those claims alone whose quotes stand in a document."""
        before = page
        sources = {source.id: source for source in self._places.sources.values()}
        unverified: list[Claim] = []
        seen: set[str] = set()
        for claim in page.claims:
            where = self._state.claim_page(claim.id)
            if claim.id in seen or claim.id in self._met:
                self._done.leave_out(path, f"^{claim.id} stands twice")
                page = write.remove_node(page, ("c", claim.id))
                continue
            seen.add(claim.id)
            if where is not None and where != page.path:
                page = write.remove_node(page, ("c", claim.id))
                continue
            page = _with_good_evidence(page, claim, sources)
            left = page.claim(claim.id)
            is_dead = claim.id in self._places.buried
            if is_dead or left is None or not left.evidence:
                page = write.remove_node(page, ("c", claim.id))
                if where is not None:
                    # It stands here with its own evidence, and what came proves nothing more.
                    continue
                self._gone.add(claim.id)
                rests = {each.source for each in claim.evidence}
                if is_dead or (rests and rests <= self._places.retracted):
                    self._done.leave_out(path, f"^{claim.id}: it was taken out here")
                elif claim.successor is not None:
                    self._done.leave_out(path, f"^{claim.id}: it is struck and nothing carries it")
                else:
                    unverified.append(claim)
        self._met |= seen
        self._done.verified[path] = len(page.claims)
        self._tell_unverified(path, unverified)
        for node in page.body:
            page = _without_relation(page, node.key, sources.keys())
        return settle(before, page)

    @cached_property
    def _met(self) -> set[str]:
        return set()

    def _tell_unverified(self, path: str, claims: list[Claim]) -> None:
        """Gives claims that nothing carries back as what the bundle's page says."""
        claimed = {claim.id: claim for claim in claims}
        wanted = {claim.id: claim.text for claim in claims}
        found: list[ForeignStatement] = []
        text = self._folder.files[path].decode("utf-8")
        for number, line in enumerate(text.split("\n"), start=1):
            words, _, ident = line.strip().rpartition(" ^")
            claim = claimed.get(ident)
            if claim is None or words[:1] not in "-*+":
                continue
            quotes = quotes_of(words[1:].strip(), number, number)
            if quotes:
                found.append(ForeignStatement(claim.text, quotes, ()))
                wanted.pop(ident, None)
        for words in wanted.values():
            self._done.leave_out(path, f"it is too long to quote: {words[:60]}")
        if found:
            self._done.unverified[path] = tuple(found)

    # --- pages -----------------------------------------------------------------------------

    def _land(self, path: str, page: Page) -> None:
        """Puts a page where it belongs, on top of the one that is there."""
        if path not in self._places.targets:
            return
        target = self._places.targets[path]
        try:
            page = without_claims(self._with_own_aliases(page), self._gone)
            present = self._done.pages.get(target) or self._state.page(target)
            if page.type == "source":
                page = strike_off(page, self._gone)
            if present is not None:
                page = page_of_both(present, page).page
        except PageError as error:
            self._done.leave_out(path, error.what)
            return
        self._done.pages[target] = settled(page)
        self._done.status[path] = "restored"

    def _with_own_aliases(self, page: Page) -> Page:
        kept = []
        for alias in page.aliases:
            others = [p for p in owners(alias, self._state.names) if p != page.path]
            if others:
                told = f"no other name of {page.title}: {alias} (it is a name of {others[0]})"
                self._done.notes.append(told)
            else:
                kept.append(alias)
        return page if len(kept) == len(page.aliases) else write.set_words(page, "aliases", kept)

    def _enrol(self, ledgers: list[BundlePage]) -> None:
        """Brings the pages of sources that were here before in step with what came."""
        for each in ledgers:
            source = self._places.sources.get(each.stem)
            path = ledger_path(source.id) if source else ""
            page = self._done.pages.get(path)
            if source is None or page is None or not source.is_known:
                continue
            came = {
                claim.id
                for other in self._done.pages.values()
                if other is not None
                for claim in other.claims
                if any(e.source == source.id for e in claim.evidence)
            }
            roster = {*claim_refs(page), *came}
            homes = {p for ident in roster if (p := self._state.claim_page(ident))}
            homes |= {p for p, other in self._done.pages.items()
                      if other and any(c.id in came for c in other.claims)}  # fmt: skip
            held = {p: found for p in homes if (found := self._find(p)) is not None}
            for _, home in sorted(held.items()):
                page = enrol(page, [claim for claim in home.claims if claim.id in roster])
            self._done.pages[path] = settled(page)

    def _find(self, path: str) -> Page | None:
        return self._done.pages.get(path) or self._state.page(path)

    def _drop_unchanged(self) -> None:
        for path, target in self._places.targets.items():
            page, held = self._done.pages.get(target), self._state.page(target)
            if page is not None and held is not None and page.text == held.text:
                self._done.status[path] = "unchanged"
        for target in [p for p, page in self._done.pages.items()
                       if page and (h := self._state.page(p)) and h.text == page.text]:  # fmt: skip
            del self._done.pages[target]


def _with_good_evidence(page: Page, claim: Claim, sources: Mapping[str, BundleSource]) -> Page:
    """The page with the evidence of a claim that stands in its document; a struck claim keeps what
    its source said in an earlier version."""
    for each in claim.evidence:
        source = sources.get(each.source)
        stands = source is not None and source.finder.find_nth(each.quote) is not None
        if not stands and (source is None or claim.successor is None):
            page = write_claims.drop_evidence(page, claim.id, each)
    return page


def _without_relation(page: Page, key: tuple[str, ...], ids: Collection[str]) -> Page:
    """The page without the word of sources that nobody has for a relation."""
    node = next((n for n in page.body if n.key == key and n.kind == "rel"), None)
    if node is None:
        return page
    parts = tuple(p for p in node.parts if p.kind != "by" or p.key[1] in ids)
    if len(parts) == len(node.parts):
        return page
    if not any(part.kind == "by" for part in parts):
        return write.remove_node(page, key)
    return write.replace_node(page, replace(node, parts=parts))
