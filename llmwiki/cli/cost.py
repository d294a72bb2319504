"""wiki log --cost: what models took, in tokens and money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llmwiki.cli.context import say, say_json, tell

if TYPE_CHECKING:
    from llmwiki import ModelCost, Wiki

SHOWN = 20
"""Rows of one table."""


def tell_costs(wiki: Wiki, since: str | None, *, as_json: bool) -> int:
    """Prints what models took, by day, model and source."""
    found = wiki.cost(since)
    if as_json:
        from llmwiki.app.shapes.operations import CostJson

        say_json(CostJson.of(found))
        return 0
    if not found.total.operations:
        say("No commit tells of a model that was paid.")
    else:
        tables = (("day", found.days), ("model", found.models), ("source", found.sources))
        for title, rows in tables:
            say(_table(title, rows) + "\n")
        say(_sum(found.total))
    if found.lacking:
        tell(f"wiki: these are the newest only. {found.lacking}")
    return 0


def _table(title: str, rows: Sequence[ModelCost]) -> str:
    shown = rows[:SHOWN]
    cells = [
        ["USD", "tokens in", "out", "operations", title],
        *(
            [_money(r), f"{r.input_tokens:,}", f"{r.output_tokens:,}", str(r.operations), r.name]
            for r in shown
        ),
    ]
    widths = [max(len(row[place]) for row in cells) for place in range(4)]
    lines = ["  ".join([*map(str.rjust, row[:4], widths), row[4]]) for row in cells]
    if len(rows) > len(shown):
        lines.append(f"and {len(rows) - len(shown)} more (see --json)")
    return "\n".join(lines)


def _money(row: ModelCost) -> str:
    if row.unpriced == row.operations:
        return "not known"
    return f"{'≥ ' if row.unpriced else ''}{row.usd:.4f}"


def _sum(total: ModelCost) -> str:
    said = f"All: USD {_money(total)}" if total.unpriced < total.operations else "All: not known"
    told = f"{said} (estimate), {total.input_tokens:,} tokens in, {total.output_tokens:,} out"
    if not total.unpriced:
        return f"{told}."
    return (
        f"{told}. Of {total.unpriced} of {total.operations} operations the price is not known:"
        " docs/configuration.md, Prices and limits."
    )
