"""Merging pages: git's three versions of a page in, one page out.

The merge driver does so where git asks it. git asks for no file that one side took out, and asks
nobody in a clone that has no driver; `resolve` takes what such a merge left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.errors import PolicyError
from llmwiki.git.repository import Repository
from llmwiki.git.staged import UnmergedPath, stopped_step, unmerged
from llmwiki.git.store.stopped_merge import put_merged
from llmwiki.index.page_facts_record import is_catalogue, is_page
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.log_page import LOG_FILE, merge_lines
from llmwiki.pages.merge.page_sets import merge_states
from llmwiki.pages.merge.three_way import merge_page
from llmwiki.pages.page import Page
from llmwiki.pages.page_tree import Conflict


@dataclass(frozen=True, slots=True)
class UnresolvedPath:
    """A path that a person must look at."""

    path: str
    """Relative to the wiki's root."""
    why: str


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """What `resolve` did, or would do; paths are relative to the wiki's root."""

    merged: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[UnresolvedPath, ...]
    worded: tuple[tuple[str, Conflict], ...]
    """(path, what both sides worded): one wording stands on the page, and the other beside it."""
    in_progress: str
    """What git was doing, such as `a merge`; empty where it is doing nothing."""
    way_on: str
    """The git command that goes on with it."""


def merge_texts(
    path: str, base: str | None, ours: str | None, theirs: str | None
) -> tuple[str | None, tuple[Conflict, ...]]:
    """The merged text of the file at `path`, and what both sides worded, each in another way: one
    wording stands, and the other beside it.

    None: that side has no such file. Catalogue files keep our side: the next operation renders
    them anew. Raises PageError where the frontmatter of a side cannot be read.
    """
    if LOG_FILE.fullmatch(path):
        return merge_lines(base or "", ours or "", theirs or ""), ()
    if is_catalogue(path):
        return ours if ours is not None else theirs, ()
    sides = [None if text is None else Page.parse(path, text) for text in (base, ours, theirs)]
    for page in sides:
        if page is not None:
            page.values  # noqa: B018  (raises PageError)
    merged, conflicts = merge_page(*sides)
    return (None if merged is None else merged.text), conflicts


def resolve(wiki: OpenWiki, *, dry_run: bool = False) -> ResolveResult:
    """Merges, claim by claim, the pages that a stopped merge of git left, and marks them as merged.

    Where both sides worded one thing differently, one wording stands, and the other beside it.

    All pages that the sides changed are merged together: where a side has moved claims or renamed
    pages, those that git took for merged are put right as well.
    Left alone: files that are no pages, and pages that somebody has begun to mend by hand. Raises
    LockTimeout.
    """
    repo, wait = wiki.repo, wiki.config.number("lock.wait")
    texts: dict[str, bytes | None] = {}
    found: dict[str, bytes | None] = {}
    left: list[UnresolvedPath] = []
    worded: list[tuple[str, Conflict]] = []
    stages = {item.path: _sides(repo, item) for item in unmerged(repo)}
    files = _merged_files(repo, stages)
    known = {row for file in files.values() if file.is_moved for row in file.rows}
    for path, file in sorted(files.items()):
        try:
            here = _on_disk(repo, path)
        except PolicyError as error:
            left.append(UnresolvedPath(path, error.what))
            continue
        if file.fault:
            left.append(UnresolvedPath(path, file.fault))
            continue
        data = _maybe_bytes(file.text)
        if path not in stages and data == here:
            continue
        if _is_mended(path, file, here, data, known):
            left.append(UnresolvedPath(path, "somebody has begun to mend it by hand"))
            continue
        texts[path], found[path] = data, here
        worded += [(path, conflict) for conflict in file.conflicts]
    if texts and not dry_run:
        kept = put_merged(repo, texts, found, frozenset(texts), wait)
        left += [
            UnresolvedPath(path, "its file changed meanwhile, or cannot be written")
            for path in kept
        ]
    done = [path for path in sorted(texts) if path not in {item.path for item in left}]
    state = repo.state()
    return ResolveResult(
        merged=tuple(path for path in done if texts[path] is not None),
        removed=tuple(path for path in done if texts[path] is None),
        left=tuple(left),
        worded=tuple(worded),
        in_progress=state.in_progress or "",
        way_on=state.way_out.partition("`")[0],
    )


# --- the sides of all pages ------------------------------------------------------------------

Sides = tuple[bytes | None, bytes | None, bytes | None]
"""A file's bytes in base, ours and theirs; None: it is not there."""


class _MergedFile(NamedTuple):
    """A file that a merge concerns."""

    text: str | None
    """What it shall be; None: it shall be no more."""
    versions: tuple[Sides, ...]
    """Of the commits, and as git has them in its index."""
    is_moved: bool = False
    """Whether a side has moved claims to or from it, or renamed it."""
    fault: str = ""
    """Why a person must look at it."""
    conflicts: tuple[Conflict, ...] = ()
    """What both sides worded."""

    @property
    def rows(self) -> set[bytes]:
        """The lines of all its versions."""
        return {
            row for sides in self.versions for side in sides if side for row in side.split(b"\n")
        }


def _merged_files(repo: Repository, stages: Mapping[str, Sides]) -> dict[str, _MergedFile]:
    files: dict[str, _MergedFile] = {}
    for path, sides in stages.items():
        if is_page(path) and not is_catalogue(path):
            continue
        is_ours = is_catalogue(path) or LOG_FILE.fullmatch(path)
        text = merge_texts(path, *map(_text, sides))[0] if is_ours else None
        files[path] = _MergedFile(text, (sides,), fault="" if is_ours else "it is no page")
    versions = _versions(repo) or stages
    states: tuple[dict[str, Page], ...] = ({}, {}, {})
    for path, sides in versions.items():
        if not is_page(path) or is_catalogue(path):
            continue
        pages = [None if side is None else Page.parse(path, _text(side) or "") for side in sides]
        if fault := _fault(pages):
            files |= {path: _MergedFile(None, (sides,), fault=fault)} if path in stages else {}
            continue
        for state, page in zip(states, pages, strict=True):
            state.update({} if page is None else {path: page})
    merged = merge_states(*states)
    for path in sorted({*merged.moved, *stages} & merged.pages.keys()):
        page = merged.pages[path]
        held = [each[path] for each in (versions, stages) if path in each]
        conflicts = tuple(each for there, each in merged.conflicts if there == path)
        text = page.text if page else None
        files[path] = _MergedFile(text, tuple(held), path in merged.moved, conflicts=conflicts)
    return files


def _fault(pages: Iterable[Page | None]) -> str:
    """Why pages cannot be merged; empty where they can."""
    try:
        for page in pages:
            if page is not None:
                page.values  # noqa: B018  (raises PageError)
    except PageError as error:
        return error.what
    return ""


def _versions(repo: Repository) -> dict[str, Sides]:
    """All pages that the sides of a stopped step have changed, as its commits have them; empty
    where git does not tell by commits."""
    step = stopped_step(repo)
    if step is None or not step.bases:
        return {}
    # Of several commits that both began from the newest: what came before is in it.
    base = max(step.bases, key=lambda oid: (next(repo.log(oid, limit=1)).time, oid))
    sides = (step.ours, step.theirs)
    paths = {each.path for side in sides for each in repo.diff_trees(base, side, "wiki")}
    return {
        path: (repo.read(base, path), repo.read(step.ours, path), repo.read(step.theirs, path))
        for path in sorted(paths)
    }


# --- what a person has done ---------------------------------------------------------------------

_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def _sides(repo: Repository, item: UnmergedPath) -> Sides:
    """(base, ours, theirs)."""
    entries = (item.base, item.ours, item.theirs)
    blobs = iter(repo.read_many([entry[1] for entry in entries if entry is not None]))
    base, ours, theirs = (None if entry is None else next(blobs) for entry in entries)
    return base, ours, theirs


def _on_disk(repo: Repository, path: str) -> bytes | None:
    with repo.folders() as folders:
        return folders.read(repo.prefix + path)


def _is_mended(
    path: str,
    file: _MergedFile,
    here: bytes | None,
    ours: bytes | None,
    known: Set[bytes],
) -> bool:
    """Whether somebody has begun to mend the file by hand. `ours`: what we would write; `known`:
    the lines of pages on which things have moved, for git may have merged one with another."""
    if here == ours or any(here in sides for sides in file.versions):
        return False
    if here is None:
        return not file.is_moved
    rows = file.rows | known if file.is_moved else file.rows
    own = [row for row in here.split(b"\n") if row not in rows]
    is_gits = file.is_moved or any(row.startswith(_MARKERS[0]) for row in own)
    if is_gits and all(row.startswith(_MARKERS) for row in own):
        return False
    alone = (merge_texts(path, *map(_text, sides))[0] for sides in file.versions)
    return not (file.is_moved and any(here == _maybe_bytes(text) for text in alone))


def _maybe_bytes(text: str | None) -> bytes | None:
    return None if text is None else _bytes(text)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
