"""wiki cost: what models took, in tokens and money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.options import AS_JSON

if TYPE_CHECKING:
    from llmwiki import ModelCost

SHOWN = 20
"""Rows of one table."""


@click.command()
@click.option(
    "--since", metavar="DAY", help="Only from that day on (UTC): yesterday, 7d, 2026-11-01."
)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, since: str | None, as_json: bool) -> int:
    """Tokens and money that models took, by day, model and source.

    The sums come from the commits: each says what its model took, and what that cost at the prices
    in your own configuration at the time. Calls that led to no commit are not among them. Before an
    ingest, `wiki ingest PATH --estimate` says what it may cost.

    \b
    Examples:
      wiki cost
      wiki cost --since 2026-11-01 --json
    """
    found = open_wiki(ctx).cost(since)
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
