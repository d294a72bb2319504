"""Sentences in which the words of documents and people are kept apart from ours.

Who prints a sentence decides how such words are made safe: cleaned on a terminal, in code in
Markdown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from llmwiki.core.claim_attributes import BY_NAME, CONTRADICTS, DISAGREES, UPDATED_BY
from llmwiki.core.text import counted, cut, normalise
from llmwiki.pages.difference.row_changes import ITEMS, RowChange
from llmwiki.pages.page import Claim

LONGEST = 1_200
"""Characters of one text of others that are shown."""


class Said(NamedTuple):
    """Words that are not ours."""

    text: str


Words = tuple["str | Said", ...]
_STANCES = {
    each: each for each in BY_NAME["stance"].values
} | {"rejected": "denied"}  # fmt: skip
_BEFORE = frozenset({"stance", "speaker"})
_OF_NOTES = frozenset({"kind", "on", "session", "turn"})
"""Attributes of a note that say how it came to memory."""


def spoken(words: Words) -> str:
    """A sentence as plain text on one line; each text of others is cut where it is very long."""
    return "".join(
        word if isinstance(word, str) else cut(normalise(word.text), LONGEST) for word in words
    )


def qualified(claim: Claim) -> Words:
    """A claim with all that changes what it means: `denied (Bob): The crane fails (scope: in
    frost; load = 80 t)`."""
    text: Words = (*_before(claim), Said(claim.text))
    behind = list(_behind(claim))
    if not behind:
        return text
    joined = [word for words in behind for word in ("; ", *words)][1:]
    return (*text, " (", *joined, ")")


def _before(claim: Claim) -> Words:
    stance, speaker = (claim.attribute(name) or "" for name in ("stance", "speaker"))
    held: Words = (_STANCES.get(stance, Said(stance)),) if stance else ()
    if not speaker:
        return (*held, ": ") if held else ()
    return (*held, " (", Said(speaker), "): ") if held else (Said(speaker), ": ")


def _behind(claim: Claim) -> Iterator[Words]:
    is_note = claim.id.startswith("n-")
    for name, op, value in claim.attributes:
        if op == "=":
            yield Said(name), " = ", Said(value)
        elif name in _BEFORE or "#^" in value or (is_note and name in _OF_NOTES):
            continue
        elif (name, value) != ("told by", "person"):
            yield name if name in BY_NAME else Said(name), ": ", Said(value)


# --- changes of rows, counted --------------------------------------------------------------------

DENIED = "rejected"
"""The stance of a claim that its source says is not so."""
_NOUNS = {"stance": "stance", "speaker": "speaker", "scope": "scope", "as of": "date",
          "until": "date"}  # fmt: skip
_OF_CLAIM = frozenset({"strike", "evidence", "attribute", "slot", "tie", "words", "place"})
_ORDER = (
    "source retracted", "contradiction", "contradiction settled", "value changed",
    "stance changed", "scope changed", "speaker changed", "date changed", "attribute changed",
    "claim struck", "claim updated", "claim gone", "quote lost", "claim reworded", "claim joined",
    "claim moved", "claim standing again", "claim added", "claim denied", "quote gained",
    "relation gone", "relation added", "tie changed", "page created", "page renamed", "page merged",
    "page gone", "source read", "lead changed", "description changed", "name changed",
    "passage changed", "record changed", "detail changed",
)  # fmt: skip
"""What is counted, the most serious first."""


class Whole(NamedTuple):
    """What came or went as a whole: the other rows of it are told with it."""

    items: frozenset[tuple[str, str]]
    """(page, id) of claims and notes."""
    pages: frozenset[str]
    overtaken: dict[str, str]
    """Id of a claim that gave way to a new value to that of the claim that has it."""
    renamed: dict[str, str]
    """Path of a renamed page to the title it had."""

    def covers(self, change: RowChange) -> bool:
        """Whether a change only belongs to a claim or page that came or went."""
        if change.kind in _OF_CLAIM and (change.page, change.id) in self.items:
            return not (change.kind == "slot" and change.other)
        if change.kind in ("page", *ITEMS):
            return change.id in self.overtaken or (
                change.verb == "added" and change.id in self.overtaken.values()
            )
        if change.kind in ("strike", "tie") and change.verb == "added":
            by = self.overtaken.get(change.id)
            return by is not None and (change.kind == "strike" or change.name.endswith(by))
        if change.page in self.renamed and change.kind in ("front", "item"):
            return change.name in ("title", f"aliases:{self.renamed[change.page]}")
        return change.kind in ("front", "item", "lead", "said") and change.page in self.pages


def wholes(changes: Iterable[RowChange]) -> Whole:
    """The claims and pages that came or went, and the values that took the place of others."""
    listed = list(changes)
    ends = [each for each in listed if each.verb in ("added", "gone")]
    titles = {each.page: each.before for each in listed if each.name == "title"}
    return Whole(
        frozenset((each.page, each.id) for each in ends if each.kind in ITEMS),
        frozenset(each.page for each in ends if each.kind == "page"),
        {each.other: each.id for each in listed if each.kind == "slot" and each.other},
        {each.page: titles.get(each.page, "") for each in listed if each.is_rename},
    )


def count_words(changes: Sequence[RowChange], but: Collection[str] = ()) -> list[str]:
    """What happened, counted, the most serious first: `2 claims added`; not what the nouns in `but`
    name. What belongs to a claim or a page that came or went is counted with it, and a value that
    took the place of another one once."""
    whole = wholes(changes)
    denied = {
        (each.page, each.id)
        for each in changes
        if each.kind == "attribute" and each.name == "stance" and each.after == DENIED
    }
    found: Counter[str] = Counter()
    for each in changes:
        if not whole.covers(each) and (what := _what(each, denied)):
            found[what.replace("claim", "note") if each.id.startswith("n-") else what] += 1
    order = {what: number for number, what in enumerate(_ORDER)}
    ranked = sorted(found, key=lambda what: (order[what.replace("note", "claim")], what))
    told = ((found[what], *what.partition(" ")[::2]) for what in ranked)
    return [f"{counted(n, noun)} {verb}".strip() for n, noun, verb in told if noun not in but]


def _what(change: RowChange, denied: set[tuple[str, str]]) -> str:
    """What a change counts as; empty: it is told and not counted."""
    if change.kind in ITEMS:
        if change.verb == "added":
            is_denied = (change.page, change.id) in denied
            return "claim denied" if is_denied else "claim added"
        if change.verb == "gone":
            return "claim joined" if change.other else "claim gone"
        return "claim reworded"
    tell = _BY_KIND.get(change.kind)
    return tell(change) if tell else "detail changed"


def _page(change: RowChange) -> str:
    if change.verb == "added":
        return "source read" if change.after == "source" else "page created"
    if change.verb == "gone":
        return "page merged" if change.other else "page gone"
    return "page renamed" if change.verb == "moved" else "detail changed"


def _front(change: RowChange) -> str:
    if change.name == "status" and change.after == "retracted":
        return "source retracted"
    if change.name in ("title", "description"):
        return "name changed" if change.name == "title" else "description changed"
    return "source read" if change.name == "sha256" and change.after else "detail changed"


def _tie(change: RowChange) -> str:
    if change.name.startswith((CONTRADICTS, DISAGREES)):
        return "contradiction settled" if change.verb == "gone" else "contradiction"
    is_update = change.name.startswith(UPDATED_BY) and change.verb == "added"
    return "claim updated" if is_update else "tie changed"


_BY_KIND: dict[str, Callable[[RowChange], str]] = {
    "page": _page,
    "front": _front,
    "item": lambda c: "name changed" if c.name.startswith("aliases:") else "detail changed",
    "lead": lambda c: "lead changed",
    "place": lambda c: "claim moved",
    "strike": lambda c: "claim standing again" if c.verb == "gone" else "claim struck",
    "evidence": lambda c: {"gone": "quote lost", "added": "quote gained"}.get(c.verb, ""),
    "attribute": lambda c: f"{_NOUNS.get(c.name, 'attribute')} changed",
    "slot": lambda c: "value changed",
    "tie": _tie,
    "relation": lambda c: {"gone": "relation gone", "added": "relation added"}.get(c.verb, ""),
    "words": lambda c: "passage changed",
    "record": lambda c: "record changed",
}


# --- two texts, word by word ---------------------------------------------------------------------

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST = 1_500
"""Words of both texts together up to which they are compared; the time grows with their product."""


class DiffPiece(NamedTuple):
    """A run of words that both texts have, or one of them."""

    mark: Literal["=", "-", "+"]
    text: str


def word_diff(before: str, after: str) -> list[DiffPiece]:
    """The pieces in which two texts agree and differ; of long texts the whole of each."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > _MOST:
        return [piece for piece in (DiffPiece("-", before), DiffPiece("+", after)) if piece.text]
    found: list[DiffPiece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(DiffPiece("=", "".join(old[a:b])))
            continue
        for piece in (DiffPiece("-", "".join(old[a:b])), DiffPiece("+", "".join(new[c:d]))):
            if piece.text:
                found.append(piece)
    return found
