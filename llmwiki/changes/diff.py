"""The semantic difference between two states of memory: a commit and another, or the work tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from llmwiki.core.errors import InputError
from llmwiki.git.changed_files_and_branches import differing_files
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.file_history import page_commits, renamed_from
from llmwiki.git.repository import Repository
from llmwiki.git.trees import empty_tree
from llmwiki.index.page_facts_record import is_page
from llmwiki.landing.earlier_pages import page_of
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.pages.difference.change_words import count_words
from llmwiki.pages.difference.row_changes import RowChange, compare
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.page import Claim, Page, read_claim, title_of
from llmwiki.pages.page_tree import PageNode
from llmwiki.sources.quotes import QuotePlace, QuotePlaces

WORK_TREE = "work tree"
_BATCH = 200
"""Pages whose bytes are read together."""
Pages = dict[str, Page]


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """What differs between two states."""

    before: str
    """The older state as it was named: a revision."""
    after: str
    """The newer one: a revision, or `work tree`."""
    before_commit: str | None
    """None: an empty wiki."""
    after_commit: str | None
    """None: the work tree."""
    changes: tuple[RowChange, ...]
    """By page, and on a page in the order of its rows."""
    pages: int
    """How many pages differ in anything."""
    sources: Mapping[str, str]
    """Id of a source that is quoted to its file below raw/, as far as the pages say."""
    claims: Mapping[str, Claim]
    """The claims and notes of these pages by id, as they are after, or were where they are gone."""
    titles: Mapping[str, str]
    """Path and file name of each of these pages to its title."""
    places: Mapping[tuple[str, str], QuotePlace]
    """Source and folded quote of evidence that was added to where it stands, if asked for."""
    left_out: tuple[str, ...] = ()
    """Pages that found no room in the limit that was asked for: nothing is told of them."""

    def only(self, path: str) -> MemoryDiff:
        """The same with the changes of one page only."""
        changes = tuple(each for each in self.changes if each.page == path)
        return replace(self, changes=changes, pages=1)


def diff(wiki: OpenWiki, revision: str = "") -> MemoryDiff:
    """What changed in memory: `A..B` two commits, `A...B` from where they parted to B, `REV`
    against the work tree; empty: HEAD against the work tree. A side that is left out is HEAD, and
    so is the work tree of a bare repository.

    Only objects and files below wiki/ are read. Raises InputError for what names no commit, and
    where two commits have no ancestor in common; StateError where a clone may lack them.
    """
    repo = wiki.repo
    one, other, old, new = _range(repo, revision)
    if new is None:
        before, after = _against_work_tree(repo, old)
    else:
        before, after, _none = _between(repo, old, new)
    told = difference(before, after)
    added = [each for each in told.changes if each.kind == "evidence" and each.verb != "gone"]
    wanted = {each.name for each in added}
    quotes = [e for c in told.claims.values() for e in c.evidence if " ".join(e.identity) in wanted]
    places = QuotePlaces(repo, new, lambda source: told.sources.get(source, ""))
    return replace(
        told,
        before=one,
        after=other,
        before_commit=old,
        after_commit=new,
        places=places.of_all(quotes),
    )


def between(
    repo: Repository, old: str | None, commit: Commit, most: int | None = None
) -> MemoryDiff:
    """What a commit changed against one that came before it, in `most` bytes of pages."""
    before, after, left_out = _between(repo, old, commit.oid, most)
    return _of_commit(difference(before, after, left_out), old, commit)


def of_page(
    repo: Repository,
    old: str | None,
    commit: Commit,
    path: str,
    most: int | None = None,
    was: str = "",
) -> MemoryDiff:
    """What a commit changed on one page, which lay at `was` before, if not where it lies; of one
    with more than `most` bytes on both sides nothing is told."""
    places = (was or path, path)
    held = [repo.read(*side) for side in zip((old, commit.oid), places, strict=True)]
    if most is not None and _size(held) > most:
        return _of_commit(difference({}, {}, (path,)), old, commit)
    before, after = (
        {} if data is None else {place: page_of(place, data)}
        for place, data in zip(places, held, strict=True)
    )
    return _of_commit(difference(before, after), old, commit)


def _of_commit(told: MemoryDiff, old: str | None, commit: Commit) -> MemoryDiff:
    after = commit.oid
    return replace(told, before=old or "", after=after, before_commit=old, after_commit=after)


def difference(
    before: Mapping[str, Page], after: Mapping[str, Page], left_out: tuple[str, ...] = ()
) -> MemoryDiff:
    """What differs between two states of some pages, which have no names here."""
    differing = {p for p in {*before, *after} if _text(before, p) != _text(after, p)}
    sides = (before, after)
    claims = {"#".join(n.key[1:]): read_claim(n) for side in sides for n in _item_nodes(side)}
    titles = {key: title_of(page) for side in sides for page in side.values()
              for key in (page.path, page.stem)}  # fmt: skip
    return MemoryDiff(
        before="",
        after="",
        before_commit=None,
        after_commit=None,
        changes=compare(before, after),
        pages=len(differing) + len(left_out),
        sources=_source_files(sides),
        claims=claims,
        titles=titles,
        places={},
        left_out=left_out,
    )


def _item_nodes(pages: Mapping[str, Page]) -> Iterator[PageNode]:
    return (node for page in pages.values() for node in page.body if node.kind in ("c", "n"))


def _text(pages: Mapping[str, Page], path: str) -> str | None:
    return pages[path].text if path in pages else None


def _range(repo: Repository, revision: str) -> tuple[str, str, str | None, str | None]:
    """The names of the two states, and their commits."""
    for dots in ("...", ".."):
        if dots in revision:
            one, _, other = revision.partition(dots)
            before, after = one or "HEAD", other or "HEAD"
            old, new = repo.commit(before), repo.commit(after)
            if dots == "...":
                old = _parted(repo, old, new, revision)
            return before, after, old, new
    base = repo.commit(revision) if revision else repo.head()
    if repo.layout.is_bare:
        return revision or "HEAD", "HEAD", base, repo.head()
    return revision or "HEAD", WORK_TREE, base, None


def _parted(repo: Repository, one: str, other: str, revision: str) -> str:
    done = repo.git.run("merge-base", one, other, ok=(0, 1))
    found = done.stdout.decode().split()
    if not found:
        fix = repo.beyond or "Name them with two dots to compare them as they are."
        raise InputError("the two have no commit in common", where=revision, fix=fix)
    return found[0]


def _between(
    repo: Repository, old: str | None, new: str, most: int | None = None
) -> tuple[Pages, Pages, tuple[str, ...]]:
    """The pages that differ, of both sides, and the paths of those from the first on that finds no
    room in `most` bytes."""
    sides: tuple[Pages, Pages] = ({}, {})
    left_out: list[str] = []
    changed = [c for c in repo.diff_trees(old, new, "wiki") if is_page(c.path)]
    for start in range(0, len(changed), _BATCH):
        some = changed[start : start + _BATCH]
        if left_out:
            left_out += [c.path for c in some]
            continue
        blobs = iter(repo.read_many([e[1] for c in some for e in (c.old, c.new) if e is not None]))
        for c in some:
            held = [None if entry is None else next(blobs) for entry in (c.old, c.new)]
            most = None if most is None else most - _size(held)
            if left_out or (most is not None and most < 0):
                left_out.append(c.path)
                continue
            for side, data in zip(sides, held, strict=True):
                if data is not None:
                    side[c.path] = page_of(c.path, data)
    return *sides, tuple(left_out)


def _size(versions: Iterable[bytes | None]) -> int:
    return sum(len(data) for data in versions if data is not None)


def _against_work_tree(repo: Repository, old: str | None) -> tuple[Pages, Pages]:
    paths = differing_files(repo, old or empty_tree(repo.object_format))
    before: Pages = {}
    after: Pages = {}
    with repo.folders() as folders:
        for path in sorted(filter(is_page, paths)):
            held = repo.read(old, path)
            data = folders.read(repo.prefix + path)
            if held is not None:
                before[path] = page_of(path, held)
            if data is not None:
                after[path] = page_of(path, data)
    return before, after


def _source_files(sides: Iterable[Mapping[str, Page]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pages in sides:
        for page in pages.values():
            found |= {ident: note.path for ident, note in page.footnotes.items()}
            try:
                own = page.own_source
            except PageError:
                continue
            if own is not None:
                found[own.id] = own.resource.removeprefix("/")
    return found


# --- the history of one page ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageStep:
    """What one commit did to a page."""

    commit: Commit
    path: str
    """Of the page after it, or before where it went."""
    told: MemoryDiff

    @property
    def summary(self) -> str:
        """What happened, counted."""
        if self.told.left_out:
            return "not compared: too large"
        return ", ".join(count_words(self.told.changes)) or "only links, marks or order"


def page_log(repo: Repository, path: str, most: int | None = None) -> Iterator[PageStep]:
    """The commits that changed a page, newest first, through renames; each is compared in `most`
    bytes of pages. Of a commit at the end of a shallow clone it is not known what it changed: it is
    left out."""
    revision = repo.head()
    while revision is not None:
        here, revision = revision, None
        for commit in page_commits(repo, here, path):
            if not commit.parents.known:
                continue
            parent = commit.parents.first()
            told = of_page(repo, parent, commit, path, most)
            is_new = parent is None or repo.entry(parent, path) is None
            if is_new and parent is not None:
                whole = between(repo, parent, commit, most)
                renamed = [e for e in whole.changes if e.is_rename and e.page == path]
                if renamed:
                    yield PageStep(commit, path, whole.only(path))
                    path, revision = renamed[0].before, parent
                    break
                if was := "" if is_page(path) else renamed_from(repo, parent, commit.oid, path):
                    told = of_page(repo, parent, commit, path, most, was)
                    yield PageStep(commit, path, told.only(path))
                    path, revision = was, parent
                    break
            yield PageStep(commit, path, told)
