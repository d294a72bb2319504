"""The story of a claim: who brought it, and everything that happened to it since; and what rests
on a source, directly and through other things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, NamedTuple

from llmwiki.changes.diff import MemoryDiff, PageStep, difference
from llmwiki.git.commits_and_trailers import Commit, shallow_commits
from llmwiki.git.file_history import FileChange, steps
from llmwiki.git.repository import Repository
from llmwiki.index.page_facts_record import is_page
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.page_by_typed_name import source_named
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.difference.row_changes import RowChange
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.page import Page, read_claim
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_syntax import render_node
from llmwiki.pages.tombstones import claim_refs, ledger_path


class PageHistory:
    """What the commits behind a tip did to pages, as git tells it: of a large history quick where
    its commit graph says which paths commits changed (`Repository.maintain` writes that)."""

    def __init__(self, repo: Repository, tip: str) -> None:
        self.tip = tip
        self._repo = repo
        self._data: dict[str, bytes] = {}
        self._commits: dict[str, Commit] = {}
        self.lacking = repo.beyond

    def data(self, blob: str) -> bytes:
        """A version of a page. Raises StateError where a partial clone lacks it."""
        if blob not in self._data:
            self._data[blob] = self._repo.read_many([blob])[0]
        return self._data[blob]

    def commits(self, oids: Sequence[str]) -> Mapping[str, Commit]:
        """Commits by their ids."""
        new = [oid for oid in oids if oid not in self._commits]
        self._commits |= {commit.oid: commit for commit in self._repo.commits(new)}
        return self._commits

    def touches(self, path: str, tip: str) -> Iterator[tuple[str, list[FileChange]]]:
        """What the commits behind `tip`, itself included, did to a page: for each the differences
        from those of its parents that it differs from. Children before parents; nothing beyond
        the commits at which the clone ends."""
        beyond = shallow_commits(self._repo.common_dir)
        for commit, of_commit in groupby(steps(self._repo, tip, [path]), lambda step: step.commit):
            if commit not in beyond:
                yield commit, [change for step in of_commit for change in step.changes]

    def parents(self, commit: str) -> Sequence[str]:
        """The parents of a commit."""
        return self._repo.parents(commit).all()

    def beside(self, commit: str, path: str) -> Iterator[FileChange]:
        """What a commit did to other pages."""
        for parent in self.parents(commit) or (None,):
            for change in self._repo.diff_trees(parent, commit, "wiki"):
                if change.path != path and is_page(change.path):
                    yield FileChange(change.path, *(e[1] if e else "" for e in change[1:]))


def claim_story(
    history: PageHistory, path: str, claim: str, sources: Mapping[str, str]
) -> tuple[tuple[PageStep, ...], str]:
    """What commits did to the claim that stands, or last stood, on the page at `path`, oldest
    first: with the trailers of the operation that did it where a commit holds several; and why
    the beginning may be missing, if it is.

    `sources` gives the file of a source's id. Raises StateError where a partial clone lacks blobs.
    """
    found: list[tuple[str, str, MemoryDiff]] = []
    has_begun = _walk(_Reader(history, claim), history, path, found)
    commits = history.commits([oid for oid, _, _ in found])
    steps = []
    for oid, place, differing in reversed(found):
        about = tuple(each for each in differing.changes if _is_about(each, claim))
        told = replace(differing, changes=about, sources=sources)
        steps.append(PageStep(_operation_of(commits[oid], about, sources), place, told))
    return tuple(steps), "" if has_begun else history.lacking


def _is_about(change: RowChange, claim: str) -> bool:
    return claim in (change.id, change.name.rpartition(" ")[2])


class _Reader:
    """Reads the lines of one claim from versions of pages, each once."""

    def __init__(self, history: PageHistory, claim: str) -> None:
        self._history = history
        self._claim = claim
        self._held: dict[str, str | None] = {"": None}

    def lines(self, blob: str) -> str | None:
        """The lines of the claim in a version of a page; None where it does not stand there."""
        if blob not in self._held:
            data = self._history.data(blob)
            is_named = f" ^{self._claim}".encode() in data
            body = Page.parse("", data.decode("utf-8", "surrogateescape")).body if is_named else ()
            found = (n for n in body if n.kind in ("c", "n") and n.key[1] == self._claim)
            self._held[blob] = next(map(render_node, found), None)
        return self._held[blob]

    def is_minted(self, oid: str) -> bool:
        """Whether nothing came before a commit that brought the claim: an operation mints it, but
        an undo, or a person, may bring back one that stood before."""
        commit = self._history.commits([oid])[oid]
        return commit.kind is not None and commit.kind not in _BRING_BACK


def _page_of(path: str, lines: str | None) -> dict[str, Page]:
    """A page that holds nothing but those lines; no page for None."""
    text = f"# {stem_of(path)}\n\n## Claims\n\n{lines}\n"
    return {} if lines is None else {path: Page.parse(path, text)}


_BRING_BACK = frozenset({"undo", "merge", "edit", "lint", "review"})


def _walk(
    reader: _Reader, history: PageHistory, path: str, found: list[tuple[str, str, MemoryDiff]]
) -> bool:
    """Fills in the steps, newest first; whether the step that brought the claim is among them."""
    has_begun = False
    has_merged = False
    on: str | None = path
    tip, moved_by = history.tip, ""
    while on is not None:
        here, on = on, None
        for commit, rows in history.touches(here, tip):
            if commit == moved_by:
                continue
            parents = len(history.parents(commit))
            has_merged = has_merged or parents > 1
            new = reader.lines(rows[0].new)
            olds = [reader.lines(row.old) for row in rows]
            # What a merge brings from one side is that side's; its own is unlike all parents.
            if len(rows) < parents or new in olds:
                continue
            after, elsewhere = _page_of(here, new), None
            if new is not None and None in olds:
                others = history.beside(commit, here)
                elsewhere = next((other for other in others if reader.lines(other.old)), None)
            if elsewhere is not None and not reader.lines(elsewhere.new):
                before = _page_of(elsewhere.path, reader.lines(elsewhere.old))
                found.append((commit, here, difference(before, after)))
                on, tip, moved_by = elsewhere.path, commit, commit
                break
            was = next((old for old in olds if old is not None), None)
            found.append((commit, here, difference(_page_of(here, was), after)))
            has_begun = has_begun or (was is None and new is not None)
            if was is None and not has_merged and reader.is_minted(commit):
                return True
    return has_begun


def _operation_of(
    commit: Commit, changes: Sequence[RowChange], sources: Mapping[str, str]
) -> Commit:
    """The one operation of a squash that did it: the one that names the source of the evidence."""
    parts = commit.by_operation()
    if len(parts) < 2:
        return commit
    named = (each.name.partition(" ")[0] for each in changes if each.kind == "evidence")
    files = {sources.get(source, "") for source in named} - {""}
    for part in parts:
        if any(source.partition(" sha256:")[0] in files for source in part.sources):
            return part
    return commit


# --- what rests on a source -----------------------------------------------------------------------

How = Literal["quotes it", "cites", "was struck for"]
_MOST_DEPTH = 50


class TaintedItem(NamedTuple):
    """A claim or a note that rests on it."""

    depth: int
    """1: it quotes it; 2: it rests on something of depth 1 …"""
    id: str
    page: str
    text: str
    how: How
    """How it rests on the last of `via`, or on the source."""
    is_alone: bool
    """Whether it has no evidence of anything else."""
    via: tuple[str, ...]
    """The ids by which it rests on it, from what quotes it on; empty at depth 1."""


@dataclass(frozen=True, slots=True)
class TaintReport:
    """What rests on one source."""

    name: str
    """The file of the source."""
    items: tuple[TaintedItem, ...]
    """By depth, page and id."""

    @property
    def pages(self) -> tuple[str, ...]:
        """The pages they stand on, sorted."""
        return tuple(sorted({item.page for item in self.items}))


def taint(wiki: OpenWiki, name: str) -> TaintReport:
    """What rests on a source, directly and through other things, as the wiki is at HEAD.

    Raises InputError where there is none of that name.
    """
    state = wiki.state
    state.follow()
    ledger = source_named(state, name)
    page = state.page(ledger.path)
    own = page.own_source if page else None
    resource = own.resource.removeprefix("/") if own else ledger.stem
    return TaintReport(resource, _spread(state, _of_source(state, ledger.stem)))


def _of_source(state: WikiState, ident: str) -> Iterator[TaintedItem]:
    """The claims with evidence of a source."""
    path = ledger_path(ident)
    ledger = state.page(path)
    homes = state.claim_pages(claim_refs(ledger)).values() if ledger else ()
    for home in sorted({*state.citing(ident), *homes, *([path] if ledger else [])}):
        page = state.page(home)
        for claim in page.claims if page else ():
            mine = [piece for piece in claim.evidence if piece.source == ident]
            if mine:
                alone = len(mine) == len(claim.evidence)
                yield TaintedItem(1, claim.id, home, claim.text, "quotes it", alone, ())


def _spread(state: WikiState, direct: Iterable[TaintedItem]) -> tuple[TaintedItem, ...]:
    """The items, and all that rests on them."""
    found = {item.id: item for item in sorted(direct, key=lambda item: (item.page, item.id))}
    front = list(found.values())
    for _ in range(_MOST_DEPTH):
        reached = [item for item in _citing(state, front) if item.id not in found]
        if not reached:
            break
        front = []
        for item in sorted(reached, key=lambda item: (item.page, item.id, item.via)):
            if item.id not in found:
                found[item.id] = item
                front.append(item)
    return tuple(sorted(found.values(), key=lambda item: (item.depth, item.page, item.id)))


def _citing(state: WikiState, front: Iterable[TaintedItem]) -> Iterator[TaintedItem]:
    """Notes that cite claims, and claims that were struck for them."""
    by_id = {item.id: item for item in front if item.id.startswith("c-")}
    for path in state.naming(by_id) if by_id else ():
        page = state.page(path)
        for node in page.body if page else ():
            if node.kind not in ("c", "n"):
                continue
            claim = read_claim(node)
            said = claim.successor or "" if node.kind == "c" else render_node(node)
            how: How = "was struck for" if node.kind == "c" else "cites"
            named = list(dict.fromkeys(CLAIM_IN_LINK.findall(said)))
            through = next((by_id[ident] for ident in named if ident in by_id), None)
            if through is not None:
                alone = all(ident in by_id for ident in named)
                yield TaintedItem(
                    *(through.depth + 1, node.key[1], path, claim.text, how, alone),
                    via=(*through.via, through.id),
                )
