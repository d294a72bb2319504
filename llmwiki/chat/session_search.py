"""Earlier conversations, found by the index and the ranking that find passages of sources.

Their index is a file of its own beside the transcripts, which only their owner can read: what was
said changes no answer about the wiki. It can be deleted at any time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.chat import transcript
from llmwiki.chat.history import Messages
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.text import sha256_hex

if TYPE_CHECKING:
    from llmwiki.index.source_index import KeptTexts, SourceIndex, SourceRow
    from llmwiki.store.private import PrivateFiles

NAME = f"{transcript.FOLDER}/search.db"
_HEADING = "turn "
_SAID = ("typed", "agent")
"""Origins of what is found: recalled text and what tools gave is not told as said again."""


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn of a conversation that words lead to."""

    session: str
    turn: int
    text: str
    """The passage that fits best, in one line."""


class SessionSearch:
    """Looks for words in the conversations of a wiki."""

    def __init__(self, files: PrivateFiles, current: str) -> None:
        """`current` is the session that goes on: what is visible of it need not be found."""
        self._files = files
        self._current = current
        self._size = self._sizes().get(current, 0)
        self._texts: KeptTexts | None = None

    def close(self) -> None:
        """Closes the index; the next question opens it again. Idempotent."""
        if self._texts is not None:
            self._texts.close()

    def find(
        self, words: str, *, limit: int, shown: Collection[int] = (), fresh: bool = True
    ) -> list[FoundTurn]:
        """The turns that hold more than half of the words, best first, each once.

        `shown` are the turns of the current session that are visible. Without `fresh` that session
        is looked for as it was at first: it grows with every message.
        """
        from llmwiki.retrieval.score import Term, question_terms
        from llmwiki.retrieval.source_passages import source_passages

        asked = question_terms(words)
        index = self._opened(fresh)
        if index is None or not asked:
            return []
        passages = source_passages(index, [Term(term, 0, 0, True) for term in asked])
        found: dict[tuple[str, int], FoundTurn] = {}
        for passage in passages:
            heading, _, text = passage.text.partition(": ")
            turn = int(heading.removeprefix(_HEADING))
            is_shown = passage.path == self._current and turn in shown
            if not is_shown and _holds(text, asked):
                found.setdefault((passage.path, turn), FoundTurn(passage.path, turn, text))
        return list(found.values())[:limit]

    def _sizes(self) -> dict[str, int]:
        """The bytes of each transcript."""
        prefix = f"{transcript.FOLDER}/"
        return {
            name.removeprefix(prefix).removesuffix(".jsonl"): self._files.path(name).stat().st_size
            for name in self._files.names(transcript.FOLDER)
            if name.endswith(".jsonl")
        }

    def _opened(self, fresh: bool) -> SourceIndex | None:
        from llmwiki.index.source_index import KeptTexts, SourceRow

        sizes = self._sizes()
        if fresh:
            self._size = sizes.get(self._current, 0)
        elif self._current in sizes:
            sizes[self._current] = self._size
        # Nothing in a transcript is ever changed: of the same size it is the same.
        rows = [SourceRow(name, name, str(size)) for name, size in sorted(sizes.items())]
        state = sha256_hex(json.dumps(rows).encode())
        if not rows:
            return None
        self._texts = self._texts or KeptTexts()
        return self._texts.opened(self._files.path(NAME), state, lambda: rows, self._lines)

    def _lines(self, row: SourceRow) -> Sequence[str] | None:
        try:
            return told_lines(transcript.SessionFile.read(self._files, row.page).messages)
        except (InputError, StateError):
            return None


def told_lines(messages: Messages) -> list[str]:
    """What was said, a heading for each turn; what was taken back is left out."""
    taken_back = {message.act for message in messages if message.kind == "hide"}
    lines: list[str] = []
    turn = 0
    for message in messages:
        said = [b.text for b in message.blocks if b.kind == "text" and b.origin in _SAID]
        if message.kind or not said or taken_back.intersection(message.hidden):
            continue
        if message.turn != turn:
            turn = message.turn
            lines.append(f"# {_HEADING}{turn}")
        # A line that begins as a heading would hide in which turn it stands.
        lines += [f" {line}" if line.startswith("#") else line for line in _split(said)]
        lines.append("")
    return lines


def _split(said: Sequence[str]) -> list[str]:
    return "\n".join(said).split("\n")


def _holds(text: str, asked: Sequence[str]) -> bool:
    """Whether a passage holds more than half of the terms that tell anything."""
    from llmwiki.language.inflections import base
    from llmwiki.language.tokens import terms
    from llmwiki.retrieval.question_words import asking_terms

    wanted = {base(term) for term in asked} - asking_terms()
    held = {base(term) for term in terms(text)}
    return bool(wanted) and 2 * len(wanted & held) > len(wanted)
