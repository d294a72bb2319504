"""Merging pages: git's three versions of a page in, one page out.

The merge driver does so where git asks it. git asks for no file that one side took out, and asks
nobody in a clone that has no driver; `resolve` takes what such a merge left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.edit.stopped_pages import MovedPage, Sides, moved_pages
from llmwiki.index.facts import is_catalogue, is_page
from llmwiki.pages.assembled import settle as in_step
from llmwiki.pages.disputes import Dispute, decided, disputes, has_own_marks, is_whole, undecided
from llmwiki.pages.log import LOG_FILE, merge_lines
from llmwiki.pages.merge_page import merge_marked
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
    dispute: Dispute | None = None
    """What two sides worded differently, and how each."""


@dataclass(frozen=True, slots=True)
class SideChoice:
    """Which side's wording shall stand."""

    theirs: bool
    """False: ours, as git calls the sides: in a rebase, ours is the branch rebased onto."""
    about: frozenset[str] = frozenset()
    """Pages, by path, and disputes, by name; none: all there are."""


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
) -> tuple[str | None, tuple[Dispute, ...]]:
    """The merged text of the file at `path`, and what a person must decide.

    None: that side has no such file. Catalogue files keep our side: the next operation renders
    them anew. What both sides worded, each in another way, stands twice, between conflict marks.
    Raises PageError where the frontmatter of a side cannot be read.
    """
    if LOG_FILE.fullmatch(path):
        return merge_lines(base or "", ours or "", theirs or ""), ()
    if is_catalogue(path):
        return ours if ours is not None else theirs, ()
    if base is not None:
        # Two merges met before: what was disputed there is nothing both sides began from.
        base = decided(base, lambda _dispute: "")
    sides = [None if text is None else Page.parse(path, text) for text in (base, ours, theirs)]
    for page in sides:
        if page is not None:
            page.values  # noqa: B018  (raises PageError)
    merged = merge_marked(*sides)[0]
    return (None, ()) if merged is None else (merged.text, undecided(merged.text))


def resolve(
    repo: Repository, *, wait: float, dry_run: bool = False, choice: SideChoice | None = None
) -> ResolveResult:
    """Merges claim by claim the pages that git left unmerged, and marks them as merged.

    Where a side has moved claims or renamed pages, all pages that the sides changed are merged
    together, and those that git took for merged are put right as well.
    Left alone: files that are no pages, pages that somebody has begun to mend by hand, and those
    where both sides worded one thing differently and nobody has chosen. Raises LockTimeout, and
    InputError where the choice is about nothing that is here.
    """
    texts: dict[str, bytes | None] = {}
    found: dict[str, bytes | None] = {}
    left: list[UnresolvedPath] = []
    chosen: set[str] = set()
    moved = moved_pages(repo)
    stages = {item.path: _sides(repo, item) for item in unmerged(repo)}
    for path in sorted({*stages, *moved}):
        here = _on_disk(repo, path)
        sides = moved[path].sides if path in moved else stages[path]
        try:
            merged = _merged(path, sides, here, moved.get(path))
        except (PageError, PolicyError) as error:
            left.append(UnresolvedPath(path, error.what))
            continue
        text = merged if merged is None or choice is None else _chosen(path, merged, choice)
        data = None if text is None else _bytes(text)
        if path not in stages and data == here:
            continue
        ours = (data, _maybe_bytes(merged))
        if path in moved:
            hindrance = _moved_hindrance(path, here, moved, stages.get(path), ours)
        else:
            hindrance = _hindrance(path, sides, here, ours)
        if hindrance:
            left.append(UnresolvedPath(path, hindrance))
            continue
        if choice is not None:
            chosen |= _names(path, merged) & choice.about
        texts[path], found[path] = data, here
        left += [_undecided(path, dispute) for dispute in undecided(text or "")]
    _check_choice(choice, chosen)
    if texts and not dry_run:
        disputed = {item.path for item in left}
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


def _undecided(path: str, dispute: Dispute) -> UnresolvedPath:
    return UnresolvedPath(path, f"both sides worded it: {dispute.name}", dispute)


def _merged(path: str, sides: Sides, here: bytes | None, moved: MovedPage | None) -> str | None:
    """The page as it stands with marks of ours in it, some perhaps decided; else the merge."""
    text = _text(here)
    # A page on which things have moved was merged by itself, if at all, and is merged anew.
    is_anew = moved is not None and not undecided(moved.text or "")
    if (
        text is not None
        and is_page(path)
        and has_own_marks(text)
        and is_whole(text)
        and not is_anew
    ):
        return text
    return moved.text if moved is not None else merge_texts(path, *map(_text, sides))[0]


def _chosen(path: str, text: str, choice: SideChoice) -> str:
    def decide(dispute: Dispute) -> str | None:
        if choice.about and not choice.about & {path, dispute.name}:
            return None
        return dispute.theirs if choice.theirs else dispute.ours

    page = Page.parse(path, decided(text, decide))
    # What only the other wording cited goes with it.
    return page.text if page.text == text else in_step(Page.parse(path, text), page).text


def _names(path: str, text: str | None) -> set[str]:
    found = disputes(text or "")
    return {path, *(dispute.name for dispute in found)} if found else set()


def _check_choice(choice: SideChoice | None, found: set[str]) -> None:
    missing = sorted(choice.about - found) if choice is not None else []
    if missing:
        raise InputError(
            "nothing of that name is disputed here",
            where=missing[0],
            fix="`wiki resolve` lists what is.",
        )


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


def _hindrance(
    path: str,
    sides: tuple[bytes | None, ...],
    here: bytes | None,
    ours: tuple[bytes | None, bytes | None],
) -> str:
    """Why the file is left to a person; empty where it is not. `ours`: what we would write."""
    if not (is_page(path) or is_catalogue(path)):
        return "it is no page"
    if here in ours or here in sides:
        return ""
    known = {row for side in sides if side for row in side.splitlines()}
    rows = (here or b"").splitlines()
    own = [row for row in rows if row not in known]
    is_gits = any(row.startswith(_MARKERS[0]) for row in own)
    if not is_gits or not all(row.startswith(_MARKERS) for row in own) or _is_ours(here):
        return _MENDED
    return ""


_MENDED = "somebody has begun to mend it by hand"


def _moved_hindrance(
    path: str,
    here: bytes | None,
    moved: Mapping[str, MovedPage],
    stages: Sides | None,
    ours: tuple[bytes | None, ...],
) -> str:
    """As `_hindrance`, of a page on which things have moved: git may have merged it by itself, or
    with the page of another name."""
    known: set[bytes] = set()
    for sides in (*(page.sides for page in moved.values()), *([stages] if stages else [])):
        known.update(row for side in sides if side for row in side.splitlines())
    if here is None or here in ours:
        return ""
    own = [row for row in here.splitlines() if row not in known]
    if all(row.startswith(_MARKERS) for row in own) and not _is_ours(here):
        return ""
    for sides in (moved[path].sides, *([stages] if stages else [])):
        if here == _maybe_bytes(merge_texts(path, *map(_text, sides))[0]):
            return ""
    return _MENDED


def _is_ours(here: bytes | None) -> bool:
    return has_own_marks(_text(here) or "")


def _maybe_bytes(text: str | None) -> bytes | None:
    return None if text is None else _bytes(text)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
