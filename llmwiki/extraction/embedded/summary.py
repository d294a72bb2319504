"""The document's summary and the descriptions of its subjects, in the document's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from llmwiki.core.text import normalise
from llmwiki.extraction.embedded.facts import DocumentMetadata
from llmwiki.extraction.embedded.judging import score
from llmwiki.extraction.embedded.names import fold_name
from llmwiki.extraction.embedded.selection import SelectedStatement
from llmwiki.extraction.embedded.shape import weight_of
from llmwiki.extraction.embedded.statements import DocumentStatement
from llmwiki.extraction.embedded.tables import TableCoverage

MOST_SENTENCES = 3
MOST_CHARACTERS = 600
MOST_NAMED = 8
"""Columns of a table, and tables, that a summary mentions."""
_DIVIDER = re.compile(r"\s*+(?:[(（][^()（）]{0,120}[)）]\s*+)?(?:[:：—–]|--?\s)\s*+")


def summarise(
    found: Sequence[DocumentStatement],
    facts: DocumentMetadata,
    chosen: Sequence[SelectedStatement],
    told: Sequence[TableCoverage],
) -> str:
    """What the document says, and the size of the tables that were not taken whole.

    The header's description, else the first sentences that say something, else what the tables
    hold that were read, else the best claims.
    """
    said = _said_first(found, facts)
    read = [one for one in told if one.rows]
    best = sorted(chosen, key=lambda one: (-one.value, one.statement.order))[:MOST_SENTENCES]
    best.sort(key=lambda one: one.statement.order)
    if not said and not read:
        said = _joined([one.statement.written or one.statement.text for one in best])
    return f"{said} {_told_of(told, parts_only=bool(said))}".strip()


def _said_first(found: Sequence[DocumentStatement], facts: DocumentMetadata) -> str:
    if weight_of(facts.description) >= 4:
        return normalise(facts.description)
    first = next((one for one in found if one.kind == "sentence" and _introduces(one)), None)
    if first is None:
        return ""
    behind = [one for one in found if first.order <= one.order < first.order + MOST_SENTENCES]
    return _joined([_said(one) for one in behind if one.kind == "sentence" and _introduces(one)])


def _introduces(one: DocumentStatement) -> bool:
    # What a message says first tells what it is about, also where it decides nothing.
    plain = replace(one, spoken=False)
    return one.text == one.own and score(plain) >= 0.0 and weight_of(one.own) >= 5


def _joined(sentences: Sequence[str]) -> str:
    kept: list[str] = []
    for sentence in sentences[:MOST_SENTENCES]:
        if kept and sum(map(len, kept)) + len(sentence) > MOST_CHARACTERS:
            break
        kept.append(sentence)
    return " ".join(kept)[: 2 * MOST_CHARACTERS]


def describe(claims: Sequence[SelectedStatement]) -> str:
    """What a subject is: its definition among the claims, else the claim that says most of it."""
    one = min(claims, key=_rank)
    text, label = one.statement.own, one.statement.label
    if label and _names(one, label):
        at = text.casefold().find(label.casefold())
        divider = _DIVIDER.match(text, at + len(label)) if 0 <= at <= 4 else None
        if divider and weight_of(text[divider.end() :]) >= 3:
            return text[divider.end() :]
    item = one.statement.kind == "item"
    return one.statement.written or one.statement.text if item else _said(one.statement)


def _said(one: DocumentStatement) -> str:
    """The words of a statement itself, with inline code as code."""
    return one.written or one.own if one.text == one.own else one.own


def _rank(one: SelectedStatement) -> tuple[float, int]:
    definition = one.statement.definition
    value = one.value + (2.0 if one.direct else 0.0) - (1.0 if one.statement.kind == "row" else 0.0)
    if definition is not None and _names(one, definition.name):
        value += 3.0 * definition.strength
    return -value, one.statement.order


def _names(one: SelectedStatement, name: str) -> bool:
    return fold_name(name) in {one.owner.key, *map(fold_name, one.owner.aliases)}


def _told_of(told: Sequence[TableCoverage], *, parts_only: bool) -> str:
    """What the tables hold, and how many of their rows became claims.

    With `parts_only` only of tables of which some rows did not.
    """
    said: list[str] = []
    for one in told:
        count = len(one.table.records)
        illustrates = parts_only and one.table.label == "|"
        if not one.table.listed or illustrates or (parts_only and one.rows == count):
            continue
        columns = ", ".join(name for name in one.table.columns()[:MOST_NAMED])
        where = f"{one.table.sheet}: " if one.table.sheet else ""
        of = f" of {columns}" if columns else ""
        left = f"; {one.rows:,} became claims" if one.rows < count else ""
        named = f": {', '.join(one.names)}" if one.names and not left else ""
        said.append(f"{where}{count:,} row{'s' * (count != 1)}{of}{left}{named}.")
    return " ".join(said[:MOST_NAMED])
