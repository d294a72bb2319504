"""Two sides of a page brought together as git has it done: through `wiki merge-driver`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from page_strategies import PATH
from wikikit import called

from llmwiki.pages.disputes import BEGINS, Dispute, decided, undecided
from llmwiki.pages.page import Page


class Unreadable(Exception):
    """The driver refuses: the frontmatter of a side cannot be read. Its file stays as it is."""


class Merge(NamedTuple):
    """What the driver left."""

    page: Page
    disputes: tuple[Dispute, ...]
    """What both sides worded, each in another way; it stands twice in the page."""

    def taken(self, *, theirs: bool) -> str:
        """The page's text with what one side says wherever the two clash."""
        return decided(self.page.text, lambda each: each.theirs if theirs else each.ours)


def merged(base: Page | str | None, one: Page | str, other: Page | str) -> Merge:
    """The merge of two sides of a page, which is the same whichever of them is called ours.

    A base of None: both sides made the page. Raises Unreadable.
    """
    path = next((side.path for side in (base, one, other) if isinstance(side, Page)), PATH)
    texts = [side.text if isinstance(side, Page) else side or "" for side in (base, one, other)]
    here = _driven(path, texts)
    turned = _driven(path, [texts[0], texts[2], texts[1]])
    assert bool(here.disputes) == bool(turned.disputes)
    # Marks inside of code that nothing closes are text.
    assert BEGINS in here.page.text or here.page.text == turned.page.text
    return here


def _driven(path: str, texts: list[str]) -> Merge:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("base", "ours", "theirs")]
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
        done = called(["merge-driver", *map(str, files), path], {})
        text = files[1].read_bytes().decode("utf-8", "surrogateescape")
    if done.code > 1:
        assert done.code == 3 and text == texts[1], done
        raise Unreadable(done.err)
    found = undecided(text)
    assert done.code == bool(found)
    return Merge(Page.parse(path, text), found)
