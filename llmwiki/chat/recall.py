"""What the wiki says of what was typed, found before a model is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.app.for_agents.recall import Recall, recalled
from llmwiki.chat.session_search import rank_to_score
from llmwiki.chat.token_budgets import fitting, tokens_in
from llmwiki.chat.transcript import session_time
from llmwiki.core.language.search_terms import STOP_WORDS, words
from llmwiki.core.question_text import MAX_BYTES
from llmwiki.core.text import fence
from llmwiki.memory.conversation import local_date
from llmwiki.pages.find_links import scan
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.query.retrieval.question_parts import parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.messages import Message
    from llmwiki.chat.session_search import FoundTurn

BUDGET = 1_500
"""Tokens of one recall."""
SESSIONS_SHARE = 0.3
"""Of these, for turns of earlier conversations."""
HALF_LIFE = 30
"""Days in which what was said on a day loses half of its weight."""
LEAST_COVERAGE = 300_000
"""Millionths: a passage must hold more than this share of what is asked, or nothing is recalled."""
_ADDRESS = re.compile(r"https?://\S+")
"""Its words are no words of a question."""
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|both"
    r"|others?|ones?|former|latter)\b|それ|これ|あれ|そこ|ほか|他の|彼",
    re.IGNORECASE,
)
"""Words that stand for a name."""
NAMED_ITSELF = 3
"""Words that tell something, in front of a word that points: so many and it points to them."""
MOST_NAMES = 8
_ASKING = frozenset("how what when where which who whom whose why".split())  # noqa: SIM905
_INSTRUCTING = frozenset(
    """
    add agreed alright bye cheers continue correct delete do done exactly fine forget go good great
    hello hey hi keep leave longer memory nice no noted note nope okay ok page perfect please record
    redo remember remove right save shorter sorry stop store sure thank thanks try undo understood
    wait well wiki write yes
    """.split()  # noqa: SIM905
)
"""Words that say what to do with what was said, or only answer it."""
_SHOWN = re.compile(rf"(?<=#\^){ITEM_ID}(?=\]\])|\[\[[^\[\]#|]+#L\d+(?:-L\d+)?\]\]")
"""Ids of the claims and notes in a text that was shown, and handles of lines of sources."""


def recall(wiki: Wiki, typed: str, seen: str, said: Sequence[FoundTurn] = ()) -> Recall | None:
    """The passages that bear on what was typed; None where none does, or all of them stand in
    `seen`, the text that is visible already.

    Turns of earlier conversations that were `said` take a part of the room.
    """
    earlier = _earlier([turn for turn in said if turn.text not in seen])
    room = BUDGET - int(BUDGET * SESSIONS_SHARE) if earlier else BUDGET
    question = _ADDRESS.sub(" ", typed).encode("utf-8", "replace")[:MAX_BYTES]
    asked = question.decode("utf-8", "ignore")

    def look(part: str) -> Recall | None:
        return recalled(
            lambda without: wiki.context(part, budget=room, without=without),
            frozenset(_SHOWN.findall(seen)),
            lambda context: is_relevant(context.coverage),
            "Passages of the wiki, best first:\n",
            seen=seen,
            whole=True,
        )

    # Where one part of a question is unknown, the other may be known; of a part that only points,
    # nobody knows what it asks of.
    parts = [part for part in parts_of(asked) if not _POINTING.search(part)]
    found = next(filter(None, map(look, (asked, *parts))), None)
    if not earlier:
        return found
    found = found or Recall("", ())
    text = "\n\n".join(filter(None, [found.text, fence("sessions", earlier)]))
    return found._replace(text=text)


def names_nothing(typed: str) -> bool:
    """Whether a message only says what to do with what was said, such as `thanks` or `write that
    down`: nothing of the wiki bears on it."""
    held = set(words(typed))
    is_asked = bool(held & _ASKING) or "?" in typed or "？" in typed
    return bool(held & _INSTRUCTING) and not is_asked and held <= _INSTRUCTING | STOP_WORDS


def named_before(typed: str, messages: Sequence[Message]) -> str:
    """The names that stand for what a message only points to ("it", "the others"): those of the
    pages that the last two answers cite, and those that were typed since. Empty for a message that
    names what it asks of."""
    if not _points_back(typed):
        return ""
    from llmwiki.core.language.figures_and_names import names_in
    from llmwiki.memory.check_learned import CALENDAR

    turns = sorted({message.turn for message in messages if message.role == "assistant"})[-2:]
    names: dict[str, None] = {}
    for message in reversed([each for each in messages if each.turn in turns]):
        text = "\n".join(b.text for b in message.blocks if b.origin in ("typed", "agent"))
        links = scan(text)
        if message.role == "assistant":
            names |= dict.fromkeys(filter(None, (_spoken(link.target) for link in links)))
        for link in reversed(links):
            # What stands in a handle is no name.
            text = f"{text[: link.start]} . {text[link.end :]}"
        found = (name for name in names_in(text) if name.casefold() not in CALENDAR)
        names |= dict.fromkeys(found)
    held = typed.casefold()
    return " ".join([name for name in names if name.casefold() not in held][:MOST_NAMES])


def _points_back(typed: str) -> bool:
    """Whether a message points to what was said before it: one of its own things may be what "it"
    stands for where several are named in front of that."""
    found = _POINTING.search(typed)
    if found is None:
        return False
    named = [word for word in words(typed[: found.start()]) if word not in STOP_WORDS]
    return len(named) < NAMED_ITSELF


def _spoken(target: str) -> str:
    """A page's name in words, without the numbers and the ending in that of a source's page. Empty
    for a page of the memory."""
    if target == "memory" or target[:1].isdigit():
        return ""
    if " " in target or target != target.lower():
        return target
    return " ".join(part for part in target.split("-") if part.isalpha() and len(part) > 2)


def aged(said: Sequence[FoundTurn], now: float) -> list[FoundTurn]:
    """Turns of earlier conversations, best first: what was said longer ago counts for less."""
    from llmwiki.memory.note_use_and_resident_page import halved

    def worth(place: int) -> float:
        age = (now - session_time(said[place].session)) / 86_400
        return halved(rank_to_score(place), age, HALF_LIFE)

    order = sorted(range(len(said)), key=lambda place: (-worth(place), place))
    return [said[place] for place in order]


def _earlier(said: Sequence[FoundTurn]) -> str:
    """The best turns that find room, one a line; what was said twice on a day stands once."""
    told = (
        f"{local_date(session_time(each.session), 0)}, {each.speaker}: {each.text}" for each in said
    )
    rows = dict.fromkeys(told)
    items = [(row, -n, tokens_in([row])) for n, row in enumerate(rows)]
    return "\n".join(fitting(items, int(BUDGET * SESSIONS_SHARE)))


def is_relevant(coverage: int) -> bool:
    """Whether a coverage, in millionths, is enough."""
    return coverage > LEAST_COVERAGE
