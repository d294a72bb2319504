"""Merging pages: git's three versions of a page in, one page out.

The merge driver does so where git asks it. git asks for no file that one side took out, and asks
nobody in a clone that has no driver; `resolve` takes what such a merge left.
"""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.core.errors import PolicyError
from llmwiki.index.facts import is_catalogue, is_page
from llmwiki.pages.changes import merge_page
from llmwiki.pages.log import LOG_FILE, merge_lines
from llmwiki.pages.nodes import Conflict
from llmwiki.pages.page import Page
from llmwiki.pages.syntax import PageError
from llmwiki.repo.conflicts import UnmergedPath, unmerged
from llmwiki.repo.repository import Repository
from llmwiki.store.settling import settle


@dataclass(frozen=True, slots=True)
class UnresolvedPath:
    """A path that a person must look at."""

    path: str
    """Relative to the wiki's root."""
    why: str
    dropped: str = ""
    """The wording that does not stand, where two sides worded one thing."""


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """What `resolve` did, or would do; paths are relative to the wiki's root."""

    merged: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[UnresolvedPath, ...]
    in_progress: str
    """What git was doing, such as `a merge`; empty where it is doing nothing."""
    way_on: str
    """The git command that goes on with it."""


def merge_texts(
    path: str, base: str | None, ours: str | None, theirs: str | None
) -> tuple[str | None, tuple[Conflict, ...]]:
    """The merged text of the file at `path`, and the conflicts a person must look at.

    None: that side has no such file. Catalogue files keep our side: the next operation renders
    them anew. A lead that two persons wrote stands twice, between conflict marks; of two versions
    of a paragraph both stand. Raises PageError where the frontmatter of a side cannot be read.
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
    if merged is None:
        return None, conflicts
    text = merged.text
    for conflict in conflicts:
        if conflict.key == ("lead",):
            marked = (
                f"<<<<<<< one side\n{conflict.kept}",
                f"{conflict.dropped}\n>>>>>>> other side",
            )
            text = text.replace(conflict.kept, "\n=======\n".join(marked), 1)
    return text, conflicts


def resolve(repo: Repository, *, wait: float, dry_run: bool = False) -> ResolveResult:
    """Merges claim by claim the pages that git left unmerged, and marks them as merged.

    Left alone: files that are no pages, pages that somebody has begun to mend by hand, and those
    where both sides worded one thing differently. Raises LockTimeout.
    """
    texts: dict[str, bytes | None] = {}
    found: dict[str, bytes | None] = {}
    left: list[UnresolvedPath] = []
    disputed: set[str] = set()
    for item in unmerged(repo):
        sides = _sides(repo, item)
        try:
            here = _on_disk(repo, item.path)
            merged, conflicts = merge_texts(item.path, *map(_text, sides))
        except (PageError, PolicyError) as error:
            left.append(UnresolvedPath(item.path, error.what))
            continue
        data = None if merged is None else _bytes(merged)
        hindrance = _hindrance(item.path, sides, here, data)
        if hindrance:
            left.append(UnresolvedPath(item.path, hindrance))
            continue
        texts[item.path], found[item.path] = data, here
        for conflict in conflicts:
            disputed.add(item.path)
            what = f"both sides worded it: {' '.join(conflict.key)[:80]}"
            left.append(UnresolvedPath(item.path, what, conflict.dropped))
    if texts and not dry_run:
        kept = settle(repo, texts, found, frozenset(texts.keys() - disputed), wait)
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
        in_progress=state.in_progress or "",
        way_on=state.way_out.partition("`")[0],
    )


_Sides = tuple[bytes | None, bytes | None, bytes | None]
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def _sides(repo: Repository, item: UnmergedPath) -> _Sides:
    """(base, ours, theirs)."""
    entries = (item.base, item.ours, item.theirs)
    blobs = iter(repo.read_many([entry[1] for entry in entries if entry is not None]))
    base, ours, theirs = (None if entry is None else next(blobs) for entry in entries)
    return base, ours, theirs


def _on_disk(repo: Repository, path: str) -> bytes | None:
    with repo.folders() as folders:
        return folders.read(repo.prefix + path)


def _hindrance(path: str, sides: _Sides, here: bytes | None, merged: bytes | None) -> str:
    """Why the file is left to a person; empty where it is not."""
    if not (is_page(path) or is_catalogue(path)):
        return "it is no page"
    known = {row for side in sides if side for row in side.splitlines()}
    own = [row for row in (here or b"").splitlines() if row not in known]
    if here != merged and not all(row.startswith(_MARKERS) for row in own):
        return "somebody has begun to mend it by hand"
    return ""


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
