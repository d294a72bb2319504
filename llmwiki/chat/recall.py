"""What the wiki says of what was typed, found before a model is called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.app.recall import unasked
from llmwiki.chat.fit import fitting, tokens_in
from llmwiki.chat.transcript import session_time
from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import DAILY, MEMORY
from llmwiki.core.text import fence
from llmwiki.language.support import names_in
from llmwiki.learn.talk import local_date
from llmwiki.pages.ids import ITEM_ID, NOTE_ID
from llmwiki.pages.links import scan
from llmwiki.query.citations import written
from llmwiki.query.question import MAX_BYTES
from llmwiki.retrieval.blend import rank_to_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.entries import Message
    from llmwiki.chat.session_search import FoundTurn
    from llmwiki.retrieval.context import Context
    from llmwiki.retrieval.passage import Passage

BUDGET = 1_500
"""Tokens of one recall."""
SESSIONS_SHARE = 0.3
"""Of these, for turns of earlier conversations."""
LEAST_COVERAGE = 300_000
"""Millionths: a passage must hold more than this share of what is asked, or nothing is recalled."""
LEAST_SHARE, LEAST_SCORE = 0.6, 0.25
"""Of what the best passage holds of what is asked, half of it at most, and of its score: what has
less beside it is chance."""
SAID_TWICE = 0.6
"""Lines of a source are left out where claims beside them rest on this share of their words."""
_SHORT = re.compile(rf"\[\[#\^{ITEM_ID}\]\]")
_ADDRESS = re.compile(r"https?://\S+")
"""Its words are no words of a question."""
_ABOVE = ("page: ", "source: ")
"""How the line above the passages of one page begins."""
_NOTE = re.compile(rf"\[\[[^\[\]#|]+#\^{NOTE_ID}\]\]")
_TOLD_BY = re.compile(r"\(told by: (\w+);(?: on: ([\d-]+);)?[^\n]*\)$")
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|both"
    r"|others?|ones?|former|latter)\b|それ|これ|あれ|そこ|ほか|他の|彼",
    re.IGNORECASE,
)
"""Words that stand for a name."""
MOST_NAMES = 8
_SHOWN = re.compile(rf"(?<=#\^){ITEM_ID}(?=\]\])|\[\[[^\[\]#|]+#L\d+(?:-L\d+)?\]\]")
"""Ids of the claims and notes in a text that was shown, and handles of lines of sources."""


@dataclass(frozen=True, slots=True)
class RecalledPassages:
    """Passages of the wiki for one message."""

    text: str
    """Fenced as data."""
    handles: tuple[str, ...]
    """What they are cited by, best first."""
    coverage: int = 0
    """How much of what was asked they hold, in millionths."""


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """The citations of an answer."""

    known: tuple[str, ...]
    """Those that were shown, each once, in the order of first use."""
    unknown: tuple[str, ...]
    """Those that were not."""


def recall(
    wiki: Wiki, typed: str, seen: str, said: Sequence[FoundTurn] = ()
) -> RecalledPassages | None:
    """The passages that bear on what was typed; None where none does, or all are claims that
    stand in `seen`, the text that is visible already.

    Turns of earlier conversations that were `said` take a part of the room.
    """
    earlier = _earlier([turn for turn in said if turn.text not in seen])
    room = BUDGET - int(BUDGET * SESSIONS_SHARE) if earlier else BUDGET
    found = _of_the_wiki(wiki, typed, seen, room)
    if not earlier:
        return found
    text = "\n\n".join(filter(None, [found.text if found else "", fence("sessions", earlier)]))
    return RecalledPassages(text, found.handles if found else (), found.coverage if found else 0)


def named_before(typed: str, messages: Sequence[Message]) -> str:
    """The names that stand for what a message only points to ("it", "the others"): those of the
    pages that the last two answers cite, and those that were typed since. Empty for a message that
    names what it asks of."""
    if not _POINTING.search(typed):
        return ""
    turns = sorted({message.turn for message in messages if message.role == "assistant"})[-2:]
    names: dict[str, None] = {}
    for message in reversed([each for each in messages if each.turn in turns]):
        text = "\n".join(b.text for b in message.blocks if b.origin in ("typed", "agent"))
        if message.role == "assistant":
            names |= dict.fromkeys(link.target for link in scan(text) if not _is_day(link.target))
        names |= dict.fromkeys(names_in(text))
    held = typed.casefold()
    return " ".join([name for name in names if name.casefold() not in held][:MOST_NAMES])


def _is_day(target: str) -> bool:
    return target == "memory" or target[:1].isdigit()


def aged(said: Sequence[FoundTurn], now: float) -> list[FoundTurn]:
    """Turns of earlier conversations, best first: what was said longer ago counts for less."""
    from llmwiki.learn.use import HALF_LIFE, halved

    def worth(place: int) -> float:
        age = (now - session_time(said[place].session)) / 86_400
        return halved(rank_to_score(place), age, HALF_LIFE)

    order = sorted(range(len(said)), key=lambda place: (-worth(place), place))
    return [said[place] for place in order]


def _earlier(said: Sequence[FoundTurn]) -> str:
    """The best turns that find room, one a line."""
    rows = [
        f"{local_date(session_time(each.session), 0)}, {each.speaker}: {each.text}" for each in said
    ]
    items = [(row, -n, tokens_in([row])) for n, row in enumerate(rows)]
    return "\n".join(fitting(items, int(BUDGET * SESSIONS_SHARE)))


def _of_the_wiki(wiki: Wiki, typed: str, seen: str, budget: int) -> RecalledPassages | None:
    asked = _ADDRESS.sub(" ", typed).encode("utf-8", "replace")
    question = asked[:MAX_BYTES].decode("utf-8", "ignore")
    try:
        found = unasked(
            lambda without: wiki.context(question, budget=budget, without=without),
            frozenset(_SHOWN.findall(seen)),
        )
    except InputError:
        # Nothing but signs was typed.
        return None
    if not found.shown or not is_relevant(found.coverage):
        return None
    kept = _bearing(found, seen)
    handles = dict.fromkeys(each.handle for each in kept)
    return RecalledPassages(_told(found, kept), tuple(handles), found.coverage)


def _bearing(found: Context, seen: str) -> list[Passage]:
    """The passages of a context that say something of what is asked and is not `seen`, each thing
    once."""
    from llmwiki.retrieval.question_words import weights

    told = weights(found.question, found.terms, 0, found.wiki_pages)
    # A number of a day or an hour stands anywhere.
    every = {term: told[term] for term in told if not (term.isdigit() and len(term) < 3)}
    least = LEAST_SHARE * min(found.coverage / 1_000_000, 0.5) * sum(every.values())
    best = max(each.score for each in found.shown)
    near = [
        each.passage
        for each in found.shown
        if sum(every.get(term, 0) for term in each.terms) >= least
        and each.score >= LEAST_SCORE * best
        and not _is_heading(each.passage)
    ]
    held: dict[str, set[int]] = {}
    for passage in near:
        if len(passage.footnotes) == 1:
            lines = held.setdefault(passage.footnotes[0][1], set())
            lines.update(n for first, last in passage.spans for n in range(first, last + 1))
    return [each for each in near if not _is_said(each, held, found.texts, seen)]


def _is_heading(passage: Passage) -> bool:
    """Whether it only says what a page of notes is."""
    return not passage.id and passage.path.startswith((MEMORY, DAILY))


def _is_said(
    passage: Passage,
    held: Mapping[str, set[int]],
    texts: Mapping[str, Sequence[str]],
    seen: str,
) -> bool:
    """Whether lines of a source are for the most part those that claims rest on, or `seen`."""
    lines, own = texts.get(passage.title, ()), held.get(passage.title, ())
    if passage.kind != "source":
        return False
    rows = [
        (n, lines[n - 1].strip()) for n in range(passage.line, min(passage.last, len(lines)) + 1)
    ]
    shared = sum(len(row) for n, row in rows if n in own or (row and row in seen))
    return shared >= SAID_TWICE * max(sum(len(row) for _, row in rows), 1)


def _told(found: Context, kept: Sequence[Passage]) -> str:
    """Passages as a message has them: each with a handle that works wherever it is written."""
    _, _, text = found.text.partition("<<<")
    lines = text.rstrip("\n").split("\n")[1:-1]
    whole = {f"[[#^{p.id}]]": p.handle for p in (each.passage for each in found.shown) if p.id}
    gone = {each.passage.handle for each in found.shown} - {each.handle for each in kept}
    groups: list[list[str]] = []
    for line in lines:
        if not groups or line.startswith(_ABOVE):
            groups.append([])
        shown = _SHORT.sub(lambda short: whole.get(short[0], short[0]), line)
        if not shown.startswith(tuple(gone)):
            groups[-1].append(_TOLD_BY.sub(_teller, shown))
    groups = [group for group in groups if not all(line.startswith(_ABOVE) for line in group)]
    # What a person told goes before what a document says, for it was told later.
    groups.sort(key=lambda group: not any(_NOTE.match(line) for line in group))
    body = "\n".join(line for group in groups for line in group)
    return f"Passages of the wiki, best first:\n{fence('wiki', body)}"


def _teller(found: re.Match[str]) -> str:
    """Who told a note, and when, without what else is kept of it."""
    return f"(told by {', '.join(filter(None, found.groups()))})"


def is_relevant(coverage: int) -> bool:
    """Whether a coverage, in millionths, is enough."""
    return coverage > LEAST_COVERAGE


def check_citations(answer: str, shown: Iterable[str]) -> CitationCheck:
    """Looks up what an answer cites in the texts that were shown."""
    there = "\n".join(shown)
    cited = {written(link): link for link in scan(answer)}
    known = {
        name: name in there or bool(link.block and f"^{link.block}" in there)
        for name, link in cited.items()
    }
    return CitationCheck(
        tuple(name for name, is_known in known.items() if is_known),
        tuple(name for name, is_known in known.items() if not is_known),
    )
