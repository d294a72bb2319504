"""Events of memory as sentences, in which what documents and people say is kept apart from ours.

Who prints a sentence decides how such words are made safe: cleaned on a terminal, in code in
Markdown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.text import counted, cut, fold, normalise
from llmwiki.history.diff import MemoryDiff
from llmwiki.pages.events import EventKind, MemoryEvent
from llmwiki.pages.page import Evidence


class Said(NamedTuple):
    """Words that are not ours."""

    text: str


Words = tuple["str | Said", ...]
_LONGEST = 1_200
"""Characters of one text of others that are shown."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event as a line."""

    mark: str
    """`+` came, `-` went, `~` changed, `!` wants a look."""
    words: Words
    claim: str = ""
    """The id of the claim it concerns."""
    rewording: tuple[str, str] | None = None
    """Text before and after, to be shown word by word."""
    quotes: tuple[Words, ...] = ()
    """Lines below it: the evidence."""

    @property
    def spoken(self) -> str:
        """The sentence as plain text on one line."""
        return spoken(self.words)

    @property
    def spoken_quotes(self) -> tuple[str, ...]:
        """The lines below it in the same way."""
        return tuple(spoken(words) for words in self.quotes)


def spoken(words: Words) -> str:
    """A sentence as plain text on one line; each text of others is cut where it is very long."""
    return "".join(
        word if isinstance(word, str) else cut(normalise(word.text), _LONGEST) for word in words
    )


def event_line(event: MemoryEvent, told: MemoryDiff) -> EventLine:
    """The line of one event."""
    mark, words = _SENTENCES[event.kind](event, told)
    rewording = (event.before, event.after) if event.kind in _REWORDINGS else None
    evidence: tuple[Evidence, ...] = ()
    if event.kind == "claim-added" and event.facts is not None:
        evidence = event.facts.evidence
    elif event.evidence is not None:
        evidence = (event.evidence,)
    quotes = tuple(quote_words(each, told.sources, event.text) for each in evidence)
    return EventLine(mark, words, event.claim, rewording, quotes)


def quote_words(evidence: Evidence, sources: Mapping[str, str], text: str = "") -> Words:
    """A quote and where it stands; of one that says the claim's own `text`, only where."""
    where = sources.get(evidence.source, evidence.source)
    if fold(evidence.quote) == fold(text):
        return ("word for word in ", Said(where), f" {evidence.span}")
    return ("“", Said(evidence.quote), "” — ", Said(where), f" {evidence.span}")


_REWORDINGS = frozenset({"claim-reworded", "lead-changed", "description-changed", "prose-changed"})
Sentence = Callable[[MemoryEvent, MemoryDiff], tuple[str, Words]]


def _claim(ident: str, told: MemoryDiff) -> Words:
    """A claim by its words, where they are at hand, and its id."""
    text = told.claims.get(ident, "")
    return (Said(text), f" ^{ident}") if text else (f"^{ident}",)


def _says(mark: str, before: str = "", after: str = "") -> Sentence:
    return lambda event, _told: (mark, (before, Said(event.text), after))


def _named(mark: str, before: str, after: str = "") -> Sentence:
    return lambda event, _told: (mark, (before, Said(event.name), after))


def _plain(mark: str, words: str) -> Sentence:
    return lambda _event, _told: (mark, (words,))


def _led(mark: str, between: str) -> Sentence:
    def sentence(event: MemoryEvent, told: MemoryDiff) -> tuple[str, Words]:
        return mark, (Said(event.text), between, *_claim(event.after, told))

    return sentence


def _attribute(event: MemoryEvent, told: MemoryDiff) -> tuple[str, Words]:
    shown = [
        _claim(value, told) if value.startswith("c-") else (Said(value),)
        for value in (event.before, event.after)
        if value
    ]
    mark = "~" if event.before and event.after else "+" if event.after else "-"
    arrow: Words = (" → ",) if len(shown) == 2 else ()
    values = (*shown[0], *arrow, *(shown[1] if len(shown) == 2 else ()))
    op = " = " if event.op == "=" else ": "
    off: Words = () if event.after else (" taken off",)
    return mark, (Said(event.text), " · ", Said(event.name), op, *values, *off)


def _contradiction(mark: str, verb: str) -> Sentence:
    def sentence(event: MemoryEvent, told: MemoryDiff) -> tuple[str, Words]:
        both = (*_claim(event.claim, told), verb, *_claim(event.after, told))
        return mark, both

    return sentence


def _relation(mark: str, before: str) -> Sentence:
    return lambda event, _told: (mark, (before, Said(event.name), " ", Said(event.after)))


def _from_path(mark: str, before: str) -> Sentence:
    return lambda event, _told: (mark, (before, Said(event.before)))


def _created(event: MemoryEvent, _told: MemoryDiff) -> tuple[str, Words]:
    about: Words = (": ", Said(event.after)) if event.after else ()
    return "+", (f"new {event.page_type or 'page'}", *about)


def _version(event: MemoryEvent, _told: MemoryDiff) -> tuple[str, Words]:
    if not event.after:
        return "~", ("its bytes are no longer recorded: ", Said(event.name))
    return "~", ("read in a new version: ", Said(event.name), f" (SHA-256 {event.after[:12]}…)")


def _merged(event: MemoryEvent, _told: MemoryDiff) -> tuple[str, Words]:
    return "-", ("merged into ", Said(event.after))


_SENTENCES: Mapping[EventKind, Sentence] = {
    "page-created": _created,
    "page-renamed": _from_path("~", "renamed from "),
    "page-merged": _merged,
    "page-split": _from_path("+", "split off from "),
    "page-retired": lambda event, _told: ("-", (event.name or "the page is gone",)),
    "claim-added": _says("+"),
    "claim-reworded": _plain("~", "reworded"),
    "claim-moved": lambda event, _told: (
        "~",
        (Said(event.text), " moved here from ", Said(event.before)),
    ),
    "claim-superseded": _led("-", " is superseded by "),
    "claim-struck": lambda event, _told: (
        "-",
        (Said(event.text), " is struck: ", Said(event.after)),
    ),
    "claim-revived": _says("+", after=" stands again"),
    "claim-updated": _led("~", " is updated by "),
    "claim-reattributed": _attribute,
    "claim-reidentified": lambda event, _told: (
        "~",
        (f"has another id; it was ^{event.before}",),
    ),
    "claim-joined": _led("~", " is joined to "),
    "claim-retracted": _says("-", before="retracted: "),
    "claim-taken-out": _says("-"),
    "claim-contradicted": _contradiction("!", " contradicts "),
    "claim-reconciled": _contradiction("~", " is no longer said to contradict "),
    "evidence-gained": _says("+", before="evidence for: "),
    "evidence-lost": _says("-", before="evidence lost: "),
    "evidence-relocated": lambda event, _told: (
        "~",
        ("evidence of: ", Said(event.text), f" ({event.before} → {event.after})"),
    ),
    "source-read": _named("+", "source read: "),
    "source-version": _version,
    "source-retracted": _named("-", "source retracted: "),
    "title-changed": lambda event, _told: (
        "~",
        ("title: ", Said(event.before), " → ", Said(event.after)),
    ),
    "description-changed": _plain("~", "description"),
    "lead-changed": _plain("~", "lead"),
    "alias-gained": _named("+", "also called "),
    "alias-lost": _named("-", "no longer called "),
    "tag-gained": _named("+", "tag "),
    "tag-lost": _named("-", "tag ", " taken off"),
    "relation-gained": _relation("+", "relation: "),
    "relation-lost": _relation("-", "relation gone: "),
    "link-gained": _named("+", "link to "),
    "link-lost": _named("-", "link to ", " gone"),
    "prose-changed": _plain("~", "prose"),
}


# --- in the story of one claim -----------------------------------------------------------------


def story_words(event: MemoryEvent) -> str:
    """What happened to a claim, in a sentence of which it is the subject."""
    quote = f"“{cut(normalise(event.evidence.quote), _LONGEST)}”" if event.evidence else ""
    before, after = (cut(normalise(text), _LONGEST) for text in (event.before, event.after))
    if event.kind == "claim-added":
        return f"brought: {cut(normalise(event.text), _LONGEST)}"
    if event.kind == "claim-reattributed":
        changed = " → ".join(filter(None, (before, after)))
        return f"{normalise(event.name)} {event.op} {changed}{'' if after else ' taken off'}"
    words = _STORY.get(event.kind, "{kind}")
    return words.format(kind=event.kind, before=before, after=after, quote=quote)


_STORY: Mapping[EventKind, str] = {
    "claim-reworded": "reworded: it said “{before}”, and says “{after}”",
    "claim-moved": "moved from {before}",
    "claim-superseded": "superseded by ^{after}",
    "claim-struck": "struck: {after}",
    "claim-revived": "stands again; it was struck: {before}",
    "claim-updated": "updated by ^{after}",
    "claim-joined": "joined to ^{after}, which says the same",
    "claim-retracted": "retracted",
    "claim-taken-out": "taken out",
    "claim-contradicted": "said to contradict ^{after}",
    "claim-reconciled": "no longer said to contradict ^{after}",
    "evidence-gained": "evidence gained: {quote}",
    "evidence-lost": "evidence lost: {quote}",
    "evidence-relocated": "evidence found in other lines: {before} → {after}",
}


def shown_events(told: MemoryDiff) -> tuple[MemoryEvent, ...]:
    """The events that people are told: where a page is renamed, its claims go with it unsaid."""
    renamed = {(event.path, event.before) for event in told.found.of("page-renamed")}
    return tuple(
        event
        for event in told.found.events
        if event.kind != "claim-moved" or (event.path, event.before) not in renamed
    )


# --- counts ----------------------------------------------------------------------------------

_COUNTED: tuple[tuple[tuple[EventKind, ...], str, str], ...] = (
    (("source-retracted",), "source", "retracted"),
    (("claim-retracted",), "claim", "retracted"),
    (("claim-contradicted",), "contradiction", ""),
    (("claim-superseded", "claim-struck"), "claim", "struck"),
    (("claim-taken-out",), "claim", "taken out"),
    (("evidence-lost",), "quote", "lost"),
    (("claim-reworded",), "claim", "reworded"),
    (("claim-moved",), "claim", "moved"),
    (("claim-added",), "claim", "added"),
    (("evidence-gained",), "quote", "gained"),
    (("page-created", "page-split"), "page", "created"),
    (("page-renamed",), "page", "renamed"),
    (("page-merged",), "page", "merged"),
    (("page-retired",), "page", "gone"),
    (("source-read", "source-version"), "source", "read"),
)


def count_words(told: MemoryDiff) -> list[str]:
    """What happened, counted, the most serious first: `1 claim struck`, `3 claims added`."""
    found = []
    shown = shown_events(told)
    for kinds, noun, verb in _COUNTED:
        events = [event for event in shown if event.kind in kinds]
        notes = sum(event.claim.startswith("n-") for event in events) if noun == "claim" else 0
        for number, name in ((len(events) - notes, noun), (notes, "note")):
            if number:
                found.append(f"{counted(number, name)} {verb}".strip())
    return found


def quiet_words(told: MemoryDiff) -> str:
    """What else changed, counted: `3 records, 1 footnote`; empty: nothing."""
    return ", ".join(counted(number, name) for name, number in told.found.quiet)


class PageEvents(NamedTuple):
    """The events of one page."""

    path: str
    title: str
    page_type: str
    events: tuple[MemoryEvent, ...]


def by_page(events: Sequence[MemoryEvent]) -> Iterator[PageEvents]:
    """The events page by page, in their order."""
    pages: dict[str, list[MemoryEvent]] = {}
    for event in events:
        pages.setdefault(event.path, []).append(event)
    for path, held in pages.items():
        yield PageEvents(path, held[0].title, held[0].page_type, tuple(held))
