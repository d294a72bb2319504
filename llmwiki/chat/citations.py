"""The citations of an answer, numbered as a person reads them, and what each of them leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.app.show.vault_tree_and_embeds import part_of
from llmwiki.pages.find_links import Link, scan
from llmwiki.pages.markdown_blocks import body_start
from llmwiki.query.check_citations import written

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

MOST_LINES = 40
"""Of a page, or of a part of one, that is shown for a citation of it."""


WRONG = "[?]"
"""In place of a citation of what was not shown."""


@dataclass
class NumberedCitations:
    """Numbers for the citations of one answer: from 1, each citation once, by first use."""

    shown: Callable[[], str]
    """The text that the one who answers was shown."""
    handles: list[str] = field(default_factory=list)
    """The citations in the order of their numbers, as they were written."""
    unknown: list[str] = field(default_factory=list)
    """Those of what was not shown, each once."""

    def numbered(self, text: str) -> str:
        """The next piece of the answer, each citation in it as its number: `[1]`, or `WRONG`."""
        pieces: list[str] = []
        end = 0
        for link in scan(text):
            pieces += [text[end : link.start], self._number(link)]
            end = link.end
        return "".join([*pieces, text[end:]])

    def _number(self, link: Link) -> str:
        handle = written(link)
        if handle not in (*self.handles, *self.unknown):
            there = self.shown()
            is_known = handle in there or (link.block and f"^{link.block}" in there)
            (self.handles if is_known else self.unknown).append(handle)
        return f"[{self.handles.index(handle) + 1}]" if handle in self.handles else WRONG


def opened(wiki: Wiki, handle: str) -> str:
    """What a citation leads to: a claim with the lines around its quotes, lines of a source, or the
    part of a page. Its first line says what it is. Raises InputError where it leads to nothing."""
    (link,) = scan(handle)
    is_lines = link.heading.startswith("L") and link.heading[1:2].isdigit()
    if is_lines or link.block:
        return wiki.show(link.block or f"{link.target}#{link.heading}").text
    text = wiki.show(link.target).text
    part = part_of(text, link.heading, "") if link.heading else ""
    shown = f"## {link.heading}\n\n{part}" if part else text[body_start(text) :].lstrip("\n")
    return "\n".join(shown.split("\n")[:MOST_LINES])
