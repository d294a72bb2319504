"""Earlier conversations, found by the index and the ranking that find passages of sources.

Their index is a file of its own beside the transcripts, which only their owner can read: what was
said changes no answer about the wiki. It can be deleted at any time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from llmwiki.chat import transcript
from llmwiki.chat.visible_history import Messages
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.prompt_injection import addresses_model
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold, normalise, sha256_hex

if TYPE_CHECKING:
    from llmwiki.git.store.private_files import PrivateFiles
    from llmwiki.index.source_index import KeptTexts, SourceIndex, SourceRow

_Key = TypeVar("_Key")

NAME = f"{transcript.FOLDER}/search.db"
_FORM = 2
"""Raised whenever the same transcript may give other lines."""
_HEADING = "turn "
_SAID = ("typed", "agent")
"""Origins of what is found: recalled text and what tools gave is not told as said again."""
TAINTED = "agent, below text of others"
_SPEAKERS = {"p": "person", "a": "agent", "t": TAINTED}
"""As a heading names them."""
_ASKED = 300
"""Characters of what was typed by whose words the answer to it is found, too."""
_ACTING = lazy_pattern(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}+[ -/]{0,8}+[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,2000}+(?:\x07|\x1b\\|\x9c)?|[\u061c\u200e\u200f]"
)
_LINKS = lazy_pattern(
    r"!?\[(?P<words>[^\[\]]{0,500}+)\](?:\([^()]{0,1000}+(?:\([^()]{0,300}+\)[^()]{0,300}+)?\)"
    r"|\[[^\[\]]{0,300}+\])"
    r"|!?\[\[(?:[^\[\]|]{1,300}+\|)?(?P<title>[^\[\]|]{0,300}+)\]\]"
)
_ADDRESSES = lazy_pattern(
    r"\]\([^()]{0,1000}+\)|</?[A-Za-z][^<>]{0,1000}+>"
    r"|\b(?:[A-Za-z][A-Za-z0-9+.-]{1,15}+://|www\.|mailto:)\S++"
)
"""What is left of links, elements of HTML, `<https://…>` among them, and bare addresses."""


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn of a conversation that words lead to."""

    session: str
    turn: int
    text: str
    """The passage that fits best, in one line, without links."""
    speaker: str = "person"
    """`person`, `agent`, or `TAINTED`: an agent, when text of others was visible to it."""


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
        self, words: str, *, limit: int, shown: Collection[int] = (), unasked: bool = False
    ) -> list[FoundTurn]:
        """The turns that hold more than half of the words, best first, each speaker of one once.

        `shown` are the turns of the current session that are visible. Where nobody asked for them
        (`unasked`), that session is looked for as it was at first, for it grows with every message,
        and what others had a part in, what addresses a model and what only asks is left out.
        """
        from llmwiki.query.retrieval.source_passages import source_passages
        from llmwiki.query.retrieval.word_scores import Term, question_terms

        asked = question_terms(words)
        with self._opened(fresh=not unasked) as index:
            if index is None or not asked:
                return []
            passages = source_passages(index, [Term(term, 0, 0, True) for term in asked])
        found: dict[tuple[str, int, str], FoundTurn] = {}
        for passage in passages:
            heading, _, text = passage.text.partition(": ")
            _turn, number, key, *words_asked = heading.split(" ")
            turn, speaker = int(number), _SPEAKERS[key]
            is_barred = unasked and (
                speaker == TAINTED or addresses_model(text) or _tells_nothing(text, words)
            )
            is_shown = passage.path == self._current and turn in shown
            if not is_shown and not is_barred and _holds(" ".join([*words_asked, text]), asked):
                row = FoundTurn(passage.path, turn, text, speaker)
                found.setdefault((passage.path, turn, speaker), row)
        return list(found.values())[:limit]

    def _sizes(self) -> dict[str, int]:
        """The bytes of each transcript."""
        prefix = f"{transcript.FOLDER}/"
        return {
            name.removeprefix(prefix).removesuffix(".jsonl"): self._files.path(name).stat().st_size
            for name in self._files.names(transcript.FOLDER)
            if name.endswith(".jsonl")
        }

    def _opened(self, *, fresh: bool) -> AbstractContextManager[SourceIndex | None]:
        from llmwiki.index.source_index import KeptTexts, SourceRow

        sizes = self._sizes()
        if fresh:
            self._size = sizes.get(self._current, 0)
        elif self._current in sizes:
            sizes[self._current] = self._size
        # Nothing in a transcript is ever changed: of the same size it is the same.
        rows = [SourceRow(name, name, f"{_FORM} {size}") for name, size in sorted(sizes.items())]
        state = sha256_hex(json.dumps(rows).encode())
        if not rows:
            return nullcontext()
        self._texts = self._texts or KeptTexts()
        return self._texts.opened(self._files.path(NAME), state, lambda: rows, self._lines)

    def _lines(self, row: SourceRow) -> Sequence[str] | None:
        try:
            return told_lines(transcript.SessionFile.read(self._files, row.page).messages)
        except (InputError, StateError):
            return None


def told_lines(messages: Messages) -> list[str]:
    """What was said, below a heading for each message; what was taken back is left out.

    A heading names the turn and who speaks, over an answer also what was asked.
    """
    taken_back = {message.act for message in messages if message.kind == "hide"}
    lines: list[str] = []
    asked: dict[int, str] = {}
    for message in messages:
        said = [b.text for b in message.blocks if b.kind == "text" and b.origin in _SAID]
        if message.kind or not said or taken_back.intersection(message.hidden):
            continue
        is_agents = message.role == "assistant"
        speaker = ("t" if message.is_tainted else "a") if is_agents else "p"
        told = [_plain(line, is_agents=is_agents) for line in "\n".join(said).split("\n")]
        above = asked.get(message.turn, "") if is_agents else ""
        lines.append(f"# {_HEADING}{message.turn} {speaker} {above}".rstrip())
        # Behind a blank no line is a heading, nor underlines one: those above say who speaks.
        lines += [*(f" {line}" for line in told), ""]
        if not is_agents:
            asked[message.turn] = " ".join(told).replace(":", " ")[:_ASKED]
    return lines


def _plain(line: str, *, is_agents: bool) -> str:
    """A line without what acts on a terminal and without links, their words kept; of an agent's
    line bare addresses go, too."""
    line = normalise(_ACTING.sub("", line))
    # A picture may stand within a link.
    for _ in range(2):
        line = _LINKS.sub(lambda found: found["words"] or found["title"] or "", line)
    return normalise(_ADDRESSES.sub("", line)) if is_agents else line


def _tells_nothing(text: str, words: str) -> bool:
    """Whether a passage only asks, or only says the words again."""
    return text.rstrip().endswith(("?", "？")) or fold(text) in fold(words)


def _holds(text: str, asked: Sequence[str]) -> bool:
    """Whether a passage holds more than half of the terms that tell anything."""
    from llmwiki.core.language.search_terms import terms
    from llmwiki.core.language.word_forms import base
    from llmwiki.query.retrieval.question_words import asking_among

    wanted = {base(term) for term in asked} - asking_among(asked)
    held = {base(term) for term in terms(text)}
    return bool(wanted) and 2 * len(wanted & held) > len(wanted)


# --- two ranked lists as one ---------------------------------------------------------------------


def rank_to_score(rank: float) -> float:
    """The score of a place in a list, from 0 for the first: 1, 1/2, 1/3 …"""
    return 1 / (1 + max(rank, 0))


def blend(
    first: Sequence[tuple[_Key, float]],
    second: Sequence[tuple[_Key, float]],
    weight: float,
    other: float,
) -> list[tuple[_Key, float]]:
    """The things of both lists with their scores, best first; those that tie in the order in which
    they were given. `weight` counts for the first list, `other` for the second."""
    scores: dict[_Key, float] = {}
    for listed, share in ((first, weight), (second, other)):
        for key, score in listed:
            scores[key] = scores.get(key, 0.0) + share * score
    return sorted(scores.items(), key=lambda row: -row[1])
