"""Two sides of a page brought together as git has it done: through `wiki merge-driver`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from page_strategies import PATH
from wikikit import called

from llmwiki.pages.page import Page


class Unreadable(Exception):
    """The driver refuses: the frontmatter of a side cannot be read. Its file stays as it is."""


class Merge(NamedTuple):
    """What the driver left."""

    page: Page
    worded: tuple[str, ...]
    """What both sides worded, each in another way: ids of claims, `lead`, keys …"""


def merged(base: Page | str | None, one: Page | str, other: Page | str) -> Merge:
    """The merge of two sides of a page, which is the same whichever of them is called ours.

    A base of None: both sides made the page. Raises Unreadable.
    """
    path = next((side.path for side in (base, one, other) if isinstance(side, Page)), PATH)
    texts = [side.text if isinstance(side, Page) else side or "" for side in (base, one, other)]
    here = _driven(path, texts)
    turned = _driven(path, [texts[0], texts[2], texts[1]])
    assert (here.page.text, here.worded) == (turned.page.text, turned.worded)
    return here


def _driven(path: str, texts: list[str]) -> Merge:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("base", "ours", "theirs")]
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
        done = called(["merge-driver", *map(str, files), path], {})
        text = files[1].read_bytes().decode("utf-8", "surrogateescape")
    if done.code:
        assert done.code == 3 and text == texts[1], done
        raise Unreadable(done.err)
    told = (line.partition("both stand: ")[2] for line in done.err.split("\n"))
    return Merge(Page.parse(path, text), tuple(filter(None, told)))
