"""Pages of one title, and what tells them apart where their titles stand beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from llmwiki.core.text import fold
from llmwiki.pages.names import stem_of


def namesakes(pages: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each page, given as path and title, whose title others have too, what tells it apart.

    Its folder where no other of them lies in one of that name, else the name of its file, else the
    whole path below wiki/; case does not count in titles.
    """
    titled: dict[str, list[str]] = {}
    for path, title in pages:
        titled.setdefault(fold(title), []).append(path)
    marks: dict[str, str] = {}
    for folded, paths in titled.items():
        if len(paths) < 2:
            continue
        known = {path: _marks(path, folded) for path in paths}
        counts = Counter(mark for found in known.values() for mark in found)
        marks |= {
            path: next((mark for mark in found if counts[mark] == 1), found[-1])
            for path, found in known.items()
        }
    return marks


def told_apart(title: str, mark: str | None) -> str:
    """A title with what `namesakes` says of its page, `Notes (club)`; None: nobody shares it."""
    return f"{title} ({mark})" if mark else title


def _marks(path: str, title: str) -> list[str]:
    """What may tell a page apart, the shortest first."""
    whole = path.removeprefix("wiki/").removesuffix(".md")
    folder = whole.rpartition("/")[0].rpartition("/")[2]
    stem = stem_of(path)
    return [mark for mark in (folder, stem) if mark and fold(mark) != title] + [whole]
