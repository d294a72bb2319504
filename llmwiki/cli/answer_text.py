"""An answer as a person reads it: wrapped to 80 columns, citations numbered and listed below."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.app.query import Restarted, cut
from llmwiki.cli.context import WIDTH
from llmwiki.core.text import normalise

if TYPE_CHECKING:
    from llmwiki import CheckedAnswer, CheckedStatement, CitedPassage, QueryEvent

_ENDS = ".!?。！？"


@dataclass(slots=True)
class Printer:
    """Writes checked statements as they come; what cites only unknown things is kept back."""

    write: Callable[[str], None]
    """Takes text as it is to be printed, line breaks included."""
    streams: bool
    """Whether to write while the answer comes; else it is written once it is whole."""
    is_mute: bool = False
    """Whether nothing is to be written at all."""
    cited: dict[tuple[str, str, int], CitedPassage] = field(default_factory=dict)
    """By place, in the order of first use."""
    _column: int = 0
    _is_fresh: bool = True
    """Whether nothing but a marker stands on the line."""
    _owes_opening: bool = False
    """Whether the first sentence of a block was kept back, so that the next one begins it."""
    _indent: str = ""
    _before: str = ""
    """Marker of the block before, or `text`; empty at the beginning."""

    def hear(self, event: QueryEvent) -> None:
        """Takes a statement of an answer that is being written, or that it begins again."""
        if self.is_mute or not self.streams:
            return
        if isinstance(event, Restarted):
            self._break(gap=False)
            self.write(f"[{event.reason}: the answer begins again]\n\n")
            self.cited.clear()
            self._before = ""
        else:
            self.put(event)

    def finish(self, answered: CheckedAnswer) -> None:
        """Writes what was not written yet, and ends the last line."""
        if self.is_mute:
            return
        if not self._before and not self._column:
            for checked in answered.statements:
                self.put(checked)
        self._break(gap=False)

    def put(self, checked: CheckedStatement) -> None:
        """Writes one statement, unless nothing that it cites is known."""
        said = checked.statement
        if checked.status == "unsupported":
            self._owes_opening |= said.opens
            return
        if said.kind == "code":
            self._break(gap=bool(self._before))
            self.write(f"{said.text}\n[uncited]\n")
            self._before, self._column = "code", 0
            return
        if said.opens or self._owes_opening or not self._column:
            self._open(said.marker, said.kind)
        self._words(self._with_numbers(checked))

    def _with_numbers(self, checked: CheckedStatement) -> str:
        marks = []
        for cited in checked.cited:
            self.cited.setdefault(cited.place, cited)
            struck = " superseded" if cited.successor else " updated" if cited.updated_by else ""
            marks.append(f"[{list(self.cited).index(cited.place) + 1}{struck}]")
        if checked.unknown:
            marks.append("[?]")
        if checked.status == "uncited":
            marks.append("[uncited]")
        text = checked.statement.text
        if not marks:
            return text
        end = text[-1:] if text[-1:] in _ENDS else ""
        return f"{text.removesuffix(end)} {''.join(marks)}{end}"

    def _open(self, marker: str, kind: str) -> None:
        is_item = bool(marker) and kind != "heading"
        was_item = self._before == "item"
        self._break(gap=bool(self._before) and not (is_item and was_item))
        self._before = "item" if is_item else "text"
        self._indent = " " * len(marker) if is_item else ""
        self.write(marker)
        self._column = len(marker)
        self._is_fresh, self._owes_opening = True, False

    def _words(self, text: str) -> None:
        for word in text.split(" "):
            at_start, self._is_fresh = self._is_fresh, False
            if not at_start and self._column + 1 + len(word) > WIDTH:
                self.write("\n" + self._indent)
                self._column = len(self._indent)
            elif not at_start:
                self.write(" ")
                self._column += 1
            self.write(word)
            self._column += len(word)

    def _break(self, *, gap: bool) -> None:
        if self._column:
            self.write("\n")
        if gap:
            self.write("\n")
        self._column = 0


def citation_list(cited: Sequence[CitedPassage], first: int = 1) -> str:
    """The citations under their numbers, from `first` on, with quote, source and lines."""
    lines: list[str] = []
    for number, each in enumerate(cited, start=first):
        head = f"[{number}] "
        # A document's page is named after its file, which may say little.
        title = "" if each.title in each.handle else f"  {each.title}"
        lines.append(f"{head}{each.handle}{title}")
        if each.successor:
            lines.append(f"    superseded: {each.successor}")
        if each.updated_by:
            lines.append(f"    updated by: {' and '.join(each.updated_by)}")
        for evidence, resource in list(zip(each.evidence, each.resources, strict=True))[:2]:
            lines += _wrapped(f"“{evidence.quote}”")
            lines.append(f"    {resource} {evidence.span}".rstrip())
        if not each.evidence:
            lines += _wrapped(each.text)
            lines.append(f"    {normalise(each.path)}:{each.line}")
        if each.rests_on:
            lines.append(f"    from {'; '.join(each.rests_on)}")
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(cut(text, 400), WIDTH, initial_indent="    ", subsequent_indent="    ")
