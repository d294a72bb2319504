"""Lines under collection, counted while they come and not once they are a huge text."""

from __future__ import annotations

from llmwiki.core.errors import PolicyError


class Gathered:
    """The lines of one text, of at most `cap` characters together, line ends included."""

    def __init__(self, cap: int) -> None:
        self._lines: list[str] = []
        self._cap = cap
        self._size = 0

    def add(self, text: str) -> None:
        """One line, or several parted by LF. Raises PolicyError past the cap."""
        self.expect(len(text) + 1)
        self._size += len(text) + 1
        self._lines.append(text)

    def expect(self, size: int) -> None:
        """Raise PolicyError if so many characters more would pass the cap.

        For texts that would be huge before they could be added.
        """
        if self._size + size > self._cap:
            raise PolicyError(
                f"it gives more than {self._cap:,} characters of text",
                fix="Split it into smaller files.",
            )

    def part(self) -> None:
        """An empty line, unless one stands there or nothing does."""
        if self._lines and self._lines[-1]:
            self.add("")

    def text(self) -> str:
        """All of it, lines parted by LF."""
        return "\n".join(self._lines)
