"""The lines of a document while it is read: what is running text, and what was taken out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.extraction.embedded.records import Table, pipe_rows


@dataclass(slots=True)
class SourceLines:
    """A document as it is read: what is left of each line, and what was taken out."""

    lines: list[str]
    """The lines of the document; empty where they are no running text."""
    ends: dict[int, bool] = field(default_factory=dict)
    """Lines before which all that is open ends; True: the section too."""
    tables: list[Table] = field(default_factory=list)
    codes: dict[int, str] | None = None
    """The code of a text that is no Markdown, by its first line; None for Markdown."""
    facts: dict[str, list[str]] = field(default_factory=dict)
    """What the document says of itself, as the fields of a header."""
    titled: bool = True
    """Whether its headings name the document; those of messages do not."""
    data: bool = False
    """Whether tables are what it is made of, not what illustrates it."""
    _speakers: list[tuple[int, str, str]] = field(default_factory=list)

    def speaker_at(self, line: int) -> tuple[str, str]:
        """The speaker of a line, and the date (YYYY-MM-DD); empty where nobody is named."""
        at = bisect_right(self._speakers, (line + 1,)) - 1
        return self._speakers[at][1:] if at >= 0 else ("", "")

    def add_rows(self, numbered: Sequence[tuple[int, str]]) -> None:
        """Takes the rows of a Markdown table, where its first row names the columns."""
        if found := pipe_rows(numbered):
            self.tables.append(Table("|", records=found))

    def blank_line(self, number: int, *, section: bool = False) -> None:
        """Blanks out line `number` (from 1), so that it is not read as prose.

        The sentence open before it ends; with `section`, the section too.
        """
        self.lines[number - 1] = ""
        self.ends[number] = self.ends.get(number, False) or section

    def set_speaker(self, number: int, who: str, when: str) -> None:
        """Records the speaker from line `number` on, and the date (YYYY-MM-DD or empty)."""
        self._speakers.append((number, who, when))
