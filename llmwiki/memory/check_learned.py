"""Whether something that was learned stands in the words it rests on. Pure.

An extractor may be a model that was lied to, or an agent that misremembers. So each quote must be
in one statement, word for word; numbers, names, negations and the value must stand in the quotes; a
rule or a preference must rest on typed words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from llmwiki.core.language.figures_and_names import Support, names_in, unsupported
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.page_and_note_kinds import NOTE_KINDS, RULES
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.secrets import MARKER
from llmwiki.core.text import fold, fold_quote, normalise
from llmwiki.memory.conversation import (
    CheckedItem,
    HeardQuote,
    LearnedItem,
    RefusedItem,
    Statement,
    local_date,
)
from llmwiki.memory.told_or_only_asked import why_not_told
from llmwiki.pages.memory_notes import topic_key

MAX_TEXT = 500
"""Characters of one note."""
MAX_QUOTES = 4
LEAST_WORDS = 0.5
"""Of the longer words of a note, how many must begin as words of its quotes do."""
MAX_TURN_ITEMS = 8
"""Things that one turn may teach."""
MAX_TURN_BYTES = 2_000
"""UTF-8 of the quotes that one turn may give."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|without|cannot|nothing|nobody|neither|nor)\b|n['’]t\b"
    r"|ない|ません|なかった|禁止|不要",
    re.IGNORECASE,
)
_CORRECTING = re.compile(r"(?:^|… ) ?(?:correction[:,] )?no[,.:;!] ", re.IGNORECASE)
"""How a sentence begins that says no to what was said before, and not to what it says."""
_NUMBER = re.compile(r"\d[\d.:,/-]*")
_YEAR = re.compile(
    r"(\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?: \d{1,2})?),?"
    r" (\d{4})\b",
    re.IGNORECASE,
)
_RELATIVE = (
    (re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今日", re.I), 0),
    (re.compile(r"\btomorrow\b|明日", re.IGNORECASE), 1),
    (re.compile(r"\byesterday\b|昨日", re.IGNORECASE), -1),
)
"""Words for a day, and how many days it is behind the one they are said on."""
REFERRED = 2
"""Turns before one that only points, in which what it points to may stand."""
_ADDRESS = re.compile(r"(?<![\w@/:.-])\w[\w-]{0,80}+(?:[.@/_:]++[\w-]{1,80}+){1,20}")
_MARK = lazy_pattern(r"[.,:;!?。、，：；！？]")
_TURNED = "it says yes where its quotes say no, or no where they say yes"
_WORD = re.compile(r"[^\W\d_]+")
NAMES_NOTHING = "it names nothing that it is about: say what “it” is"
_POINTING = lazy_pattern(
    r"(?:(?:no|yes|well|and|but|so)\b[,:;.!]?\s+)?(?:(?:it|he|she|they)\b"
    r"|(?:this|that|these|those)\s+(?:is|are|was|were|will|has|have|had|must|should|can|may|does"
    r"|do|did|means?)\b)|(?:no|yes)[,:;.!]\s+(?!(?:the|our|my|an?)\s)|(?:いいえ[、。]?)?(?:それ|これ|あれ)(?:は|が|を|も)",
    re.IGNORECASE,
)
_OPENING = lazy_pattern(
    r"(?:^|[.!?]\s++)(?P<name>(?!\w{1,40}(?:ing|ment|ness|ship|tion)\b)[A-Z][\w-]*+)"
    r"(?=['’]s\b|\s{1,3}+(?:[A-Z]|(?:is|was|has|does)\b"
    r"|(?!always|less|perhaps|sometimes|unless)[a-z]{1,30}+(?<=s)\b)"
    r"|(?<!s)\s{1,3}+(?:will|would|can|may|must|should)\b)"
)
"""A word that begins a sentence and stands as names do: before a capital letter, or as a subject
without an article; `Payment is due` names nobody."""
_NO_NAMES = word_set("""
    a all also an and another any anybody anyone anything as at because before both but by each
    either every everybody everyone everything for from he her here his how if in it its many most
    my neither never no nobody none nor not nothing now of on one only or other our please she since
    so some somebody someone something such that the their then there these they this those through
    to today tomorrow tonight until upon we what whatever when where which while who whoever whose
    why with within without yes yesterday yet you your
""")
"""Words that begin sentences so and are none."""
CALENDAR = frozenset(
    (
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january"),
        *("february", "march", "april", "may", "june", "july", "august", "september", "october"),
        *("november", "december"),
    )
)
"""English names of days and months: what a pronoun stands for is none of them."""
_BLANKLESS = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_INSTRUCTS = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )?(?:previous|prior|above|earlier)\b",
    re.IGNORECASE,
)


def names_nothing(text: str) -> bool:
    """Whether a note points to what it is about and names nothing, as `No, it is Thursday.`"""
    is_pointing = _POINTING.match(text) is not None
    return is_pointing and all(name.casefold() in CALENDAR for name in names_in(text))


def says_nothing(text: str) -> bool:
    """Whether an answer is the sentence that there is nothing to save."""
    return text.strip().rstrip(".").casefold() == "nothing to save"


def checked(
    items: Iterable[LearnedItem],
    statements: Sequence[Statement],
    known: Mapping[str, str] = MappingProxyType({}),
    offset: int = 0,
) -> tuple[tuple[CheckedItem, ...], tuple[RefusedItem, ...]]:
    """The items whose words stand in the statements, and the others with the reason. One that says
    that there is nothing to save is none.

    `known` are the texts of notes by id: what corrects one of them may name what that names. Of
    dates, what follows from the day a quote was said need not be in it; `offset` are the seconds
    that clocks were ahead of UTC there.
    """
    said: dict[int, list[Statement]] = {}
    for each in statements:
        said.setdefault(each.turn, []).append(each)
    taken: list[CheckedItem] = []
    refused: list[RefusedItem] = []
    taught: dict[int, list[CheckedItem]] = {}
    for item in items:
        if says_nothing(item.text):
            continue
        try:
            found = _checked(item, said, known.get(item.replaces, ""), offset)
            _refuse_flood(found, taught.get(found.turn, ()))
        except ValueError as wrong:
            refused.append(RefusedItem(item.text, str(wrong)))
        else:
            taken.append(found)
            taught.setdefault(found.turn, []).append(found)
    return tuple(taken), tuple(refused)


def _checked(
    item: LearnedItem, said: Mapping[int, Sequence[Statement]], corrected: str, offset: int
) -> CheckedItem:
    text = normalise(item.text)
    if not fold(text) or len(text) > MAX_TEXT:
        raise ValueError(f"a note has 1 to {MAX_TEXT} characters")
    if item.kind not in NOTE_KINDS:
        raise ValueError(f"`{item.kind[:40]}` is no kind of note: {', '.join(NOTE_KINDS)}")
    if not 1 <= len(item.quotes) <= MAX_QUOTES:
        raise ValueError(f"a note rests on 1 to {MAX_QUOTES} quotes")
    if bool(item.key) != bool(item.value) or (item.key and not topic_key(item.key)):
        raise ValueError("a key needs a value, and a value a key")
    quotes = tuple(
        _heard(quote.turn, quote.words, said.get(quote.turn, ())) for quote in item.quotes
    )
    if item.kind in RULES and any(quote.said.origin != "typed" for quote in quotes):
        raise ValueError(f"a {item.kind} rests on words that a person typed, and on nothing else")
    if not any(quote.said.origin == "typed" for quote in quotes) and item.kind == "task":
        raise ValueError("a task rests on words that a person typed")
    _refuse_untold(item.kind, quotes)
    if MARKER in item.value:
        raise ValueError("its value is a secret, which was taken out")
    if item.replaces and not corrected:
        raise ValueError(f"no note that stands has the id {item.replaces[:40]}")
    more = [*_before(quotes, said), *_days(quotes, offset)]
    plain = _without_years(text, quotes, offset)
    value = _without_years(item.value, quotes, offset)
    refuse_more(plain, value, [quote.words for quote in quotes], corrected, more)
    _refuse_cut(text, quotes)
    key = topic_key(item.key)
    kept = item._replace(text=text, key=key, value=normalise(item.value))
    return CheckedItem(kept, quotes)


def _refuse_untold(kind: str, quotes: Iterable[HeardQuote]) -> None:
    """Raises ValueError for typed words that ask, order, or say that they are not to be kept."""
    for quote in quotes:
        is_typed = quote.said.origin == "typed"
        if is_typed and (reason := why_not_told(quote.said.text, quote.words, kind)):
            raise ValueError(reason)


def _heard(turn: int, words: str, statements: Sequence[Statement]) -> HeardQuote:
    wanted = fold_quote(words)
    if len(wanted) < 3:
        raise ValueError("a quote of less than three characters says nothing")
    for said in statements:
        if wanted in fold_quote(said.text):
            return HeardQuote(said, normalise(words))
    raise ValueError(f"“{words[:60]}” was not said in turn {turn} by a person or an agent")


def _before(quotes: Sequence[HeardQuote], said: Mapping[int, Sequence[Statement]]) -> Iterable[str]:
    """What a person typed in the turn of a quote that only points, as “no, it is Thursday”, and in
    those before it: there stands what “it” is."""
    for quote in quotes:
        if names_nothing(_clauses(quote).strip()):
            turns = [turn for turn in sorted(said) if turn <= quote.said.turn][-REFERRED - 1 :]
            yield from (each.text for t in turns for each in said[t] if each.origin == "typed")


def _days(quotes: Sequence[HeardQuote], offset: int) -> Iterable[str]:
    """The dates that `today`, `tomorrow` and `yesterday` of the quotes are."""
    for quote in quotes:
        for word, days in _RELATIVE:
            if word.search(quote.words):
                yield local_date(quote.said.ts + 86_400 * days, offset)


def _without_years(text: str, quotes: Sequence[HeardQuote], offset: int) -> str:
    """The text without the years of its dates that are next to the year in which a quote was said:
    people leave them out, and a note that is read later needs them."""
    years = {int(local_date(quote.said.ts, offset)[:4]) for quote in quotes}
    near = {str(year + more) for year in years for more in (-1, 0, 1)}
    return _YEAR.sub(lambda found: found[1] if found[2] in near else found[0], text)


def refuse_more(
    text: str,
    value: str,
    quotes: Sequence[str],
    corrected: str = "",
    more: Sequence[str] = (),
) -> None:
    """Raises ValueError where a note says what neither its quotes nor the note that it corrects
    say; whether it says yes or no is in the quotes alone. Its other words may be of `more`."""
    heard = fold(" … ".join(quotes))
    if value and fold(value) not in heard:
        raise ValueError(f"its value “{value[:40]}” stands in no quote")
    if reason := unsupported(text, [*quotes, *filter(None, [corrected]), *more]):
        raise ValueError(reason)
    heard_of = Support(" … ".join([*quotes, corrected, *more]))
    for found in _OPENING.finditer(text):
        if fold(found["name"]) not in _NO_NAMES and not heard_of.names(found["name"]):
            raise ValueError(f"the name {found['name']} stands in no quote")
    if names_nothing(text):
        raise ValueError(NAMES_NOTHING)
    _refuse_words(text, fold(" … ".join([heard, corrected, *more])))
    if corrected:
        _refuse_same(text, heard, fold(corrected))
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(_CORRECTING.sub("", heard))):
        raise ValueError(_TURNED)
    if _INSTRUCTS.search(text):
        raise ValueError("it speaks to a model, not of something that was said")


def _refuse_cut(text: str, quotes: Iterable[HeardQuote]) -> None:
    """Raises ValueError for quotes in front of or behind which a "not" was left out."""
    whole = _CORRECTING.sub("", " … ".join(_clauses(quote) for quote in quotes))
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(whole)):
        raise ValueError(f"{_TURNED}: quote the whole of a sentence")


def _clauses(quote: HeardQuote) -> str:
    """The words of a quote, with what stands around them up to the next mark."""
    before, words, behind = fold_quote(quote.said.text).partition(fold_quote(quote.words))
    return _MARK.split(before)[-1] + words + _MARK.split(behind, maxsplit=1)[0]


def _refuse_same(text: str, heard: str, corrected: str) -> None:
    """Raises ValueError where a correction holds nothing of its own that was said."""
    new = [word for word in _content(text) if word not in corrected]
    numbers = [number for number in _NUMBER.findall(fold(text)) if number not in corrected]
    if not any(each in heard for each in (*new, *numbers)):
        raise ValueError("it says nothing that the note it corrects does not say")


def _refuse_words(text: str, heard: str) -> None:
    """Raises ValueError for addresses and words that were not said."""
    for address in _ADDRESS.findall(fold(text)):
        if address not in heard:
            raise ValueError(f"“{address[:60]}” stands in no quote")
    words = _content(text)
    found = sum(word in heard for word in words)
    if found < LEAST_WORDS * len(words):
        raise ValueError("most of its words stand in no quote: keep to the words that were said")


def _content(text: str) -> list[str]:
    """The beginnings of the longer words of a text, where it has any, and the pairs of signs of
    scripts that put no blanks between words."""
    found = []
    for word in _WORD.findall(fold(text)):
        if word.isascii() or not _BLANKLESS.search(word):
            found += [word[:4]] if len(word) > 3 else []
        else:
            found += [word[n : n + 2] for n in range(len(word) - 1)]
    return found or _WORD.findall(fold(text))


def _refuse_flood(item: CheckedItem, same: Sequence[CheckedItem]) -> None:
    """Raises ValueError for one more than the others of `same`, of its turn, leave room for."""
    if len(same) >= MAX_TURN_ITEMS:
        raise ValueError(f"one turn teaches at most {MAX_TURN_ITEMS} things")
    words = {quote.words for each in (*same, item) for quote in each.quotes}
    if sum(len(each.encode()) for each in words) > MAX_TURN_BYTES:
        raise ValueError(f"the quotes of one turn hold at most {MAX_TURN_BYTES} bytes")
