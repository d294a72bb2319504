"""What a difference brings, as items that a person can accept or reject one by one: the rows of one
claim or note, or all other rows of a page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.core.page_and_note_kinds import PARTIAL
from llmwiki.pages.difference.change_words import qualified, spoken
from llmwiki.pages.difference.row_changes import ITEMS, RowChange, compare
from llmwiki.pages.difference.rows import MUTUAL, TO
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.page_file_names import stem_of

ItemKind = Literal[
    "claim", "evidence", "reworded", "struck", "taken out", "attributes", "moved",
    "page", "page removed", "page renamed",
]  # fmt: skip
"""What an item is: a claim or note that is new, that gains or loses evidence, whose words or
attributes change, that is struck, goes or comes to another page; what changes on a page and is no
claim (lead, description, names, relations, lines of a person); or a page that goes or gets another
name."""
_OF_CLAIM: tuple[tuple[str, ItemKind], ...] = (
    ("evidence", "evidence"), ("claim", "reworded"), ("note", "reworded"), ("strike", "struck"),
    ("attribute", "attributes"), ("slot", "attributes"), ("tie", "attributes"),
    ("words", "attributes"),
)  # fmt: skip
"""By what of a standing claim changes, what its item is; the first counts."""
Pages = Mapping[str, Page]


@dataclass(frozen=True, slots=True)
class ItemEffect:
    """What a new claim does to another one, which lands with it."""

    what: str
    """`strikes`, `updates`, `disagrees with`, `contradicts` or `supports`."""
    claim: str
    """Id of the other claim."""
    path: str
    """The page the other one stands on."""
    text: str
    """What the other one says; empty for one that is new too."""


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One thing that a person may accept or reject."""

    id: str
    """Of the claim or note; else `w-` and 8 hexadecimal digits of what it is."""
    kind: ItemKind
    path: str
    """The page it stands on."""
    text: str
    """What it says, as it is read; of a new wording the new one."""
    sources: frozenset[str] = frozenset()
    """Ids of the sources whose evidence it brings or takes."""
    claim: Claim | None = None
    """The claim as it shall be; where it goes, as it was. None for what is no claim."""
    before: Claim | None = None
    """The claim as it stands; None for one that is new."""
    effects: tuple[ItemEffect, ...] = ()
    page_before: str = ""
    """Of a claim that moves: the page it stands on."""
    hindrance: str = ""
    """Why it cannot be accepted as things stand; empty where it can be."""

    @property
    def said(self) -> str:
        """What it says with all that changes what a claim means: stance, speaker, scope, values."""
        return spoken(qualified(self.claim)) if self.claim else self.text

    @property
    def said_before(self) -> str:
        """The same of the claim as it stands; empty for what is new or no claim."""
        return spoken(qualified(self.before)) if self.before else ""


def items_of(before: Pages, after: Pages) -> tuple[ChangeItem, ...]:
    """What a difference brings that can be accepted by itself, by page.

    What only follows from claims (lines of records, footnotes, links) is no item.
    """
    return ReviewedDifference(before, after).items


class ReviewedDifference:
    """Two states of pages, and the items that lie between them."""

    def __init__(self, before: Pages, after: Pages) -> None:
        self.before = before
        self.after = after
        self.changes = compare(before, after)
        self.new = frozenset(
            each.id for each in self.changes if each.kind in ITEMS and each.verb == "added"
        )
        """Ids of claims and notes that come."""

    @cached_property
    def items(self) -> tuple[ChangeItem, ...]:
        """See `items_of`."""
        by_page: dict[str, list[RowChange]] = {}
        for each in self.changes:
            by_page.setdefault(each.page, []).append(each)
        found: dict[str, ChangeItem] = {}
        for path, changes in by_page.items():
            claims = list(self._claims(path, changes))
            rest = list(self._rest(path, changes)) if path in self.after or not claims else []
            for item in (*claims, *rest):
                found.setdefault(item.id, item)
        return tuple(found.values())

    @cached_property
    def ids(self) -> frozenset[str]:
        """Of the items."""
        return frozenset(item.id for item in self.items)

    def stands(self, ident: str, wanted: frozenset[str]) -> bool:
        """Whether a claim stands once the wanted items have landed, or is not new."""
        return ident not in self.new or ident in wanted

    # --- claims --------------------------------------------------------------------------

    def _claims(self, path: str, changes: list[RowChange]) -> Iterator[ChangeItem]:
        own: dict[str, list[RowChange]] = {}
        for each in changes:
            if each.id[:2] in ("c-", "n-") and not self.is_effect(each):
                own.setdefault(each.id, []).append(each)
        for ident, rows in own.items():
            old, new = (_claim(pages, path, ident) for pages in (self.before, self.after))
            claim = new or old
            if claim is None:
                continue
            kinds = {(each.kind, each.verb) for each in rows}
            sources = frozenset(e.name.partition(" ")[0] for e in rows if e.kind == "evidence")
            if old is None:
                effects = self._effects.get(ident, ())
                yield ChangeItem(ident, "claim", path, claim.text, sources, new, None, effects)
            elif new is None:
                if ident not in self.new and ("place", "gone") in kinds:
                    yield ChangeItem(ident, "taken out", path, claim.text, sources, old, old)
            else:
                what = {kind for kind, _verb in kinds}
                kind = next((item for row, item in _OF_CLAIM if row in what), None)
                if kind is not None:
                    yield ChangeItem(ident, kind, path, claim.text, sources, new, old)

    def is_effect(self, change: RowChange) -> bool:
        """Whether a change of a standing claim is only what a new one does to it."""
        if change.id in self.new:
            return False
        if change.kind == "strike":
            return change.after in self.new
        if change.kind != "tie":
            return False
        return change.name.startswith(MUTUAL) or change.name.rpartition(" ")[2] in self.new

    @cached_property
    def _effects(self) -> Mapping[str, tuple[ItemEffect, ...]]:
        found: dict[str, dict[ItemEffect, None]] = {}
        for each in self.changes:
            if each.verb == "gone" or each.kind not in ("strike", "tie"):
                continue
            how, _, other = each.name.rpartition(" ")
            if each.kind == "strike":
                pairs = [(each.after, "strikes", each.id)]
            elif how in MUTUAL:
                pairs = [(each.id, how, other), (other, how, each.id)]
            elif each.id in self.new:
                continue
            else:
                pairs = [(other, "updates" if how == UPDATED_BY else how, each.id)]
            for new, what, old in pairs:
                if new in self.new:
                    path, text = self._standing(old, each.page)
                    found.setdefault(new, {})[ItemEffect(what, old, path, text)] = None
        return {ident: tuple(effects) for ident, effects in found.items()}

    def _standing(self, ident: str, path: str) -> tuple[str, str]:
        """The page and the words of a claim before; no words for one that is new."""
        for here in (path, *self.before):
            claim = _claim(self.before, here, ident)
            if claim is not None:
                return here, claim.text
        return path, ""

    # --- what is no claim ------------------------------------------------------------------

    def _rest(self, path: str, changes: list[RowChange]) -> Iterator[ChangeItem]:
        """What of a page is no claim."""
        if path not in self.after:
            yield page_item(path, stem_of(path), "page removed")
            return
        said = list(dict.fromkeys(filter(None, map(_words, changes))))
        if said:
            yield page_item(path, "\n".join(said))


def _words(change: RowChange) -> str:
    """What a row of a page says, where it is nothing that follows from others."""
    now, (key, _, word) = change.after, change.name.partition(":")
    if change.kind == "lead" or change.name == "description":
        return now
    if change.kind == "relation":
        return " ".join((change.id, change.name.replace(TO, " ")))
    if change.kind == "words":
        return read(now or change.before) if change.id == change.page else ""
    if change.kind == "said":
        return change.name
    if change.kind == "record":
        return change.name.removeprefix("name ") if change.name.startswith("name ") else ""
    if change.kind == "item":
        return f"{key}: {word}" if key == "aliases" or (key == "tags" and word != PARTIAL) else ""
    return now if change.name == "title" and change.verb == "changed" else ""


def _claim(pages: Pages, path: str, ident: str) -> Claim | None:
    body = pages[path].body if path in pages else ()
    found = (n for n in body if n.kind in ("c", "n") and "#".join(n.key[1:]) == ident)
    return next(map(read_claim, found), None)


def page_item(path: str, text: str, kind: ItemKind = "page") -> ChangeItem:
    """The item of what no claim brings to a page."""
    return ChangeItem(page_item_id(path, kind), kind, path, text)


def page_item_id(path: str, kind: ItemKind = "page") -> str:
    """The id of such an item: the same as long as it is of that page and kind."""
    data = "\0".join((path, kind, "")).encode("utf-8", "surrogatepass")
    return "w-" + hashlib.sha256(data).hexdigest()[:8]
