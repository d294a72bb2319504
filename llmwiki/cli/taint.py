"""wiki taint: what rests on a source, an operation or a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.app.shapes.retraction import TaintJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON, PAGE
from llmwiki.core.text import counted, cut

if TYPE_CHECKING:
    from llmwiki import TaintReport


@click.command()
@click.argument("name", metavar="SOURCE|OP|MODEL", type=PAGE)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, name: str, as_json: bool) -> int:
    """Print all that rests on a source, an operation or a model.

    Claims that quote it come first; then notes of filed answers that cite those, claims that were
    struck for them, claims that quote such a page, and so on, each with the ids by which it rests
    on it. The number before each says how far away it is: 1 quotes it, 2 rests on something of 1,
    and so on. `+` marks what has other evidence as well. Of a model, claims that others have
    confirmed since are left out. Nothing is written; `wiki retract` and `wiki undo` take out.

    \b
    Examples:
      wiki taint raw/rumour.md
      wiki taint 3f9c2a71b0d4
      wiki taint claude-opus-4 --json
    """
    report = open_wiki(ctx).taint(name)
    if as_json:
        say_json(TaintJson.of(report))
    else:
        say("\n".join(_lines(report)))
    return 0


def _lines(report: TaintReport) -> list[str]:
    of = f"{counted(len(report.operations), 'operation')} of " if report.kind == "model" else ""
    what = f"{of}{report.kind if report.kind != 'source' else ''} {report.name}".strip()
    if not report.items:
        return [f"{what}: nothing in the wiki rests on it"]
    claims = sum(item.id.startswith("c-") for item in report.items)
    notes = len(report.items) - claims
    counts = counted(claims, "claim") + (f", {counted(notes, 'note')}" if notes else "")
    lines = [f"{what}: {counts} on {counted(len(report.pages), 'page')}"]
    lines.append("(1: quotes it; 2: rests on something of 1; and so on; +: has other evidence too)")
    for item in report.items:
        mark = " " if item.is_alone else "+"
        lines.append(f"{item.depth} {mark} ^{item.id}  {item.page}: {cut(item.text, 70)}")
        if item.via:
            lines.append(f"      {item.how} {' ← '.join('^' + each for each in item.via[::-1])}")
    return lines
