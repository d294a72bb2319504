"""A difference of memory as lines for people, page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from llmwiki.changes.diff import MemoryDiff
from llmwiki.core.claim_attributes import ABOUT, CONTRADICTS
from llmwiki.core.page_and_note_kinds import PAGE_KINDS
from llmwiki.core.text import counted, fold
from llmwiki.pages.difference.change_words import (
    DENIED,
    Said,
    Whole,
    Words,
    qualified,
    spoken,
    wholes,
)
from llmwiki.pages.difference.row_changes import ITEMS, RowChange
from llmwiki.pages.difference.rows import TO
from llmwiki.pages.page import Claim, Evidence
from llmwiki.sources.quotes import QuotePlace


class QuoteLine(NamedTuple):
    """A quote below a line."""

    quote: str
    """Empty where it says what the claim says."""
    place: QuotePlace

    @property
    def words(self) -> Words:
        """It as a sentence."""
        where: Words = (Said(self.place.path), f" {self.place.span}".rstrip())
        if not self.quote:
            # Without lines it was not found there, or the source is not at hand.
            return ("word for word in " if self.place.span else "rests on ", *where)
        return ("“", Said(self.quote), "” — ", *where)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One thing that happened, as a line."""

    mark: str
    """`+` came, `-` went, `~` changed, `→` a relation that came, `!` wants a look."""
    words: Words
    claim: str = ""
    """The id of the claim it concerns."""
    rewording: tuple[str, str] | None = None
    """Text before and after, to be shown word by word."""
    quotes: tuple[QuoteLine, ...] = ()
    """Lines below it: the evidence."""
    details: tuple[Words, ...] = ()
    """Lines below it: what a new claim does to others."""
    change: RowChange | None = None
    """What it tells, or the first of it."""

    @property
    def spoken(self) -> str:
        """The sentence as plain text on one line."""
        return spoken(self.words)

    @property
    def told(self) -> str:
        """The sentence with the texts before and after, where it tells of a rewording."""
        if self.rewording is None:
            return self.spoken
        before, after = (spoken((Said(text),)) for text in self.rewording)
        return f"{self.spoken}: “{before}” → “{after}”"

    @property
    def spoken_below(self) -> tuple[str, ...]:
        """The lines below it in the same way."""
        return tuple(map(spoken, (*(quote.words for quote in self.quotes), *self.details)))


class PageLines(NamedTuple):
    """What happened on one page."""

    path: str
    title: str
    lines: tuple[DiffLine, ...]


def lines_by_page(told: MemoryDiff) -> Iterator[PageLines]:
    """The lines of a difference, page by page."""
    pages: dict[str, list[DiffLine]] = {}
    teller = _Teller(told)
    for change in teller.changes:
        found = teller.line(change)
        if found is not None:
            pages.setdefault(change.page, []).append(found)
    for path, lines in pages.items():
        yield PageLines(path, told.titles.get(path, path), tuple(lines))


def plain_lines(told: MemoryDiff) -> Iterator[str]:
    """All of a difference as lines of plain text."""
    for page in lines_by_page(told):
        for line in page.lines:
            yield f"{line.mark} {line.told}"
            yield from (f"  {spoken(words)}" for words in line.details)


def quote_line(evidence: Evidence, told: MemoryDiff, text: str = "") -> QuoteLine:
    """A quote with its place; of one that says the claim's own `text`, only that."""
    place = told.places.get(evidence.identity) or QuotePlace(
        told.sources.get(evidence.source, evidence.source), evidence.span, ""
    )
    return QuoteLine("" if fold(evidence.quote) == fold(text) else evidence.quote, place)


class _Teller:
    """Makes the line of a change; what is told with another one has none."""

    def __init__(self, told: MemoryDiff) -> None:
        self.told = told
        self.changes = told.changes
        self.whole: Whole = wholes(self.changes)
        self._ties = [each for each in self.changes if each.kind == "tie" and each.verb == "added"]
        self._moved = Counter(
            (each.page, each.before) for each in self.changes if each.kind == "place"
            if each.verb == "moved"
        )  # fmt: skip
        self._renamed = {
            (each.page, each.before) for each in self.changes if each.kind == "page"
            if each.verb == "moved"
        }  # fmt: skip
        self._said: set[tuple[str, str]] = set()

    def line(self, change: RowChange) -> DiffLine | None:
        if self.whole.covers(change):
            return None
        found = (_Teller._item if change.kind in ITEMS else _LINES[change.kind])(self, change)
        return None if found is None else replace(found, change=change)

    # --- claims ----------------------------------------------------------------------------

    def claim(self, ident: str) -> Words:
        """A claim by its words, where they are at hand, and its id."""
        held = self.told.claims.get(ident)
        return ("“", *qualified(held), f"” ^{ident}") if held else (f"^{ident}",)

    def _held(self, ident: str) -> Claim:
        return self.told.claims[ident]

    def _words(self, ident: str) -> Words:
        """A claim with what changes its meaning; a line of its own tells what else it is about."""
        held = self._held(ident)
        others = tuple(each for each in held.attributes if each[0] != ABOUT)
        return qualified(replace(held, attributes=others))

    def _item(self, change: RowChange) -> DiffLine:
        if change.verb == "added":
            return self._new(change.id, self._words(change.id))
        if change.verb == "gone":
            words = self._words(change.id)
            if change.other:
                words = (*self.claim(change.id), " is joined to ", *self.claim(change.other))
                return DiffLine("~", words)
            return DiffLine("-", words, change.id)
        return DiffLine("~", ("reworded",), change.id, (change.before, change.after))

    def _new(self, ident: str, words: Words, mark: str = "+") -> DiffLine:
        claim = self._held(ident)
        is_denied = claim.attribute("stance") == DENIED
        quotes = tuple(quote_line(each, self.told, claim.text) for each in claim.evidence)
        details = [_tied(tie.name, self) for tie in self._ties if tie.id == ident]
        if claim.successor is not None:
            details.append(("struck since",))
        return DiffLine(
            "!" if is_denied else mark, words, ident, quotes=quotes, details=tuple(details)
        )

    def slot(self, change: RowChange) -> DiffLine:
        held = self._held(change.id)
        others = tuple(each for each in held.attributes if each[:2] != (change.name, "="))
        words: Words = (Said(change.name), ": ", *_arrow(change), " · ")
        words = (*words, *qualified(replace(held, attributes=others)))
        if change.other:
            return self._new(change.id, words, "~")
        return DiffLine("~", words, change.id)

    def attribute(self, change: RowChange) -> DiffLine:
        text = Said(self._held(change.id).text)
        return DiffLine("!", (text, " · ", Said(change.name), ": ", *_arrow(change)), change.id)

    def strike(self, change: RowChange) -> DiffLine:
        own: Words = self._words(change.id)
        if change.verb == "gone":
            return DiffLine("+", (*own, " stands again"), change.id)
        if change.after.startswith(("c-", "n-")):
            other = self.claim(change.after)
            return DiffLine("-", (*self.claim(change.id), " is superseded by ", *other))
        return DiffLine("-", (*own, " is struck: ", *self._gone_in(change.after)), change.id)

    def _gone_in(self, successor: str) -> Words:
        """The file in whose new version the words of a claim are no more."""
        digest = successor.removeprefix("gone in ")
        for each in self.changes:
            if each.name == "sha256" and each.after.startswith(digest) and digest != successor:
                stem = each.page.rpartition("/")[2].removesuffix(".md")
                return ("it is gone from ", Said(self.told.sources.get(stem, stem)))
        if digest != successor:
            return ("it is gone from its source",)
        return (Said(successor),)

    def evidence(self, change: RowChange) -> DiffLine:
        held = self._held(change.id)
        name = change.name
        own = [each for each in held.evidence if " ".join(each.identity) == name]
        if change.verb == "gone" or not own:
            where = self.told.sources.get(name.partition(" ")[0], name.partition(" ")[0])
            lost: Words = ("“", Said(change.before), "” — ", Said(where))
            return DiffLine(
                "-", ("evidence lost: ", *self._words(change.id)), change.id, details=(lost,)
            )
        quotes = (quote_line(own[0], self.told, held.text),)
        return DiffLine("+", ("evidence for: ", *self._words(change.id)), change.id, quotes=quotes)

    def tie(self, change: RowChange) -> DiffLine:
        how = change.name.partition(" ")[0]
        is_clash = how in (CONTRADICTS, "disagrees")
        if change.verb == "gone":
            words: Words = (*self.claim(change.id), " no longer ", *_tied(change.name, self))
            return DiffLine("~", words)
        why: Words = (": ", Said(change.after)) if change.after else ()
        words = (*self.claim(change.id), " ", *_tied(change.name, self), *why)
        return DiffLine("!" if is_clash else "~", words)

    def place(self, change: RowChange) -> DiffLine | None:
        move = (change.page, change.before)
        if change.verb != "moved" or move in self._renamed or move in self._said:
            return None
        self._said.add(move)
        count, title = self._moved[move], self.told.titles.get(change.before, change.before)
        noun = "note" if change.id.startswith("n-") else "claim"
        if count == 1:
            words = (*self._words(change.id), " moved here from ", Said(title))
            return DiffLine("~", words, change.id)
        return DiffLine("~", (f"{counted(count, noun)} moved here from ", Said(title)))

    # --- pages -----------------------------------------------------------------------------

    def page(self, change: RowChange) -> DiffLine:
        if change.verb == "moved":
            moved = self._moved[change.page, change.before]
            more = f", with {counted(moved, 'claim')}" if moved else ""
            return DiffLine("~", ("renamed from ", Said(change.before), more))
        if change.verb == "gone":
            into: Words = ("merged into ", Said(self.told.titles.get(change.other, change.other)))
            return DiffLine("-", into if change.other else ("the page is gone",))
        if change.verb == "changed":
            return DiffLine("~", ("type: ", *_arrow(change)))
        if change.after == "source":
            stem = change.page.rpartition("/")[2].removesuffix(".md")
            return DiffLine("+", ("source read: ", Said(self.told.sources.get(stem, stem))))
        about = (each.after for each in self.changes if each.page == change.page
                 if each.name == "description")  # fmt: skip
        said = next(about, "")
        kind = f"new {change.after if change.after in _TYPES else 'page'}"
        return DiffLine("+", (kind, *((": ", Said(said)) if said else ())))

    def front(self, change: RowChange) -> DiffLine:
        if change.name == "status" and change.after == "retracted":
            return DiffLine("-", ("the source is retracted",))
        if change.name == "sha256":
            stem = change.page.rpartition("/")[2].removesuffix(".md")
            source = Said(self.told.sources.get(stem, stem))
            if not change.after:
                return DiffLine("~", ("its bytes are no longer recorded: ", source))
            version = f" (SHA-256 {change.after[:12]}…)"
            return DiffLine("~", ("read in a new version: ", source, version))
        if change.name == "description" and change.verb == "changed":
            return DiffLine("~", ("description",), "", (change.before, change.after))
        return DiffLine(_mark(change), (Said(change.name or "frontmatter"), ": ", *_arrow(change)))

    def item(self, change: RowChange) -> DiffLine:
        key, _, word = change.name.partition(":")
        is_alias = key == "aliases"
        if change.verb == "gone":
            words: Words = ("no longer called ",) if is_alias else (f"{_LISTED[key]} gone: ",)
        else:
            words = ("also called ",) if is_alias else (f"{_LISTED[key]}: ",)
        return DiffLine(_mark(change), (*words, Said(word)))

    def prose(self, change: RowChange) -> DiffLine:
        name: Words = ("lead",) if change.kind == "lead" else ("passage",)
        if change.kind == "words" and change.name:
            name = (*name, " under ", Said(change.name))
        return DiffLine(_mark(change), name, change.id if change.id[1:2] == "-" else "",
                        (change.before, change.after))  # fmt: skip

    def record(self, change: RowChange) -> DiffLine:
        is_buried = change.name.startswith("c-")
        words: Words = (f"^{change.name} shall not come back",)
        if not is_buried:
            words = (Said(change.name), *_value(change.after or change.before))
        return DiffLine(_mark(change) if not is_buried else "~", words)

    def said(self, change: RowChange) -> DiffLine:
        return DiffLine(_mark(change), (f"{change.after or change.before}: ", Said(change.name)))

    def relation(self, change: RowChange) -> DiffLine | None:
        label, _, other = change.name.rpartition(TO)
        ends = [Said(self.told.titles.get(stem, stem)) for stem in (change.id, other)]
        words: Words = (ends[0], " ", Said(label), " ", ends[1])
        if change.verb != "changed":
            files = [self.told.sources.get(s, s) for s in (change.after or change.before).split()]
            behind: Words = (" — ", Said(", ".join(files))) if files else ()
            return DiffLine("→" if change.verb == "added" else "-", (*words, *behind))
        was, now = (set(value.split()) for value in (change.before, change.after))
        files = [self.told.sources.get(s, s) for s in sorted(was ^ now)]
        verb = " is said by " if now > was else " is said otherwise by "
        return DiffLine("~", (*words, verb, Said(", ".join(files))))


_TYPES = frozenset(kind.name for kind in PAGE_KINDS)
_LISTED = {"tags": "tag", "authors": "author", "read": "answered from"}


def _mark(change: RowChange) -> str:
    return {"added": "+", "gone": "-"}.get(change.verb, "~")


def _value(value: str) -> Words:
    return (" → ", Said(value)) if value else ()


def _arrow(change: RowChange) -> Words:
    """A value before and after."""
    was: Words = (Said(change.before),) if change.before else ("none",)
    now: Words = (Said(change.after),) if change.after else ("none",)
    return (*was, " → ", *now) if change.verb != "added" or change.before else now


def _tied(name: str, teller: _Teller) -> Words:
    """What a claim does to another one: the name of a tie in words."""
    how, _, other = name.rpartition(" ")
    if other[:2] in ("c-", "n-"):
        shown = {"updated by": "is updated by", "from": "rests on"}.get(how, how)
        return (f"{shown} ", *teller.claim(other))
    how, _, other = name.partition(" ")
    return (f"{how} ", Said(other))


_LINES: Mapping[str, Callable[[_Teller, RowChange], DiffLine | None]] = {
    "page": _Teller.page,
    "front": _Teller.front,
    "item": _Teller.item,
    "lead": _Teller.prose,
    "place": _Teller.place,
    "strike": _Teller.strike,
    "evidence": _Teller.evidence,
    "attribute": _Teller.attribute,
    "slot": _Teller.slot,
    "tie": _Teller.tie,
    "relation": _Teller.relation,
    "words": _Teller.prose,
    "record": _Teller.record,
    "said": _Teller.said,
}
