"""wiki why: where a claim comes from, and what became of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from llmwiki.app.why_text import why_lines
from llmwiki.cli.asking import NO_MATCH
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON, PAGE
from llmwiki.core.text import counted, cut

if TYPE_CHECKING:
    from llmwiki import TaintReport


@click.command()
@click.argument("asked", nargs=-1, required=True, metavar="CLAIM|PAGE|TEXT", type=PAGE)
@click.option("--rests", is_flag=True, help="Say what rests on a source instead.")
@AS_JSON
@click.pass_context
def command(ctx: click.Context, asked: tuple[str, ...], rests: bool, as_json: bool) -> int:
    """Say why the wiki holds something: quotes, lines, bytes, and who did what to it since.

    CLAIM is an id (c-…), TEXT some words of a claim or of a quote (eight nearly always name one),
    PAGE a title, alias or path, whose claims are told one by one, the first twenty. The story
    follows a claim through renamed and merged pages. Exit code 1: the words stand in several
    claims, which are listed.

    With --rests the name is a source, and all that rests on it is told: claims that quote it (1),
    then notes that cite those and claims that were struck for them (2), and so on, each with the
    ids by which it rests on it; `+`: it has other evidence too. `wiki retract` takes out what is
    told.

    \b
    Examples:
      wiki why c-9f3a1c22k7
      wiki why "replaces recurrence by self-attention in every layer of"
      wiki why --rests raw/rumour.md
    """
    wiki, name = open_wiki(ctx), " ".join(asked)
    if rests:
        return _rests(wiki.taint(name), as_json=as_json)
    found = wiki.why(name)
    if as_json:
        from llmwiki.app.shapes.history import WhyJson

        say_json(WhyJson.of(found))
    else:
        say("\n".join(why_lines(found, _wrapped, WIDTH)))
    return NO_MATCH if found.candidates else 0


def _rests(report: TaintReport, *, as_json: bool) -> int:
    if as_json:
        from llmwiki.app.shapes.retraction import TaintJson

        say_json(TaintJson.of(report))
    else:
        say("\n".join(_rests_lines(report)))
    return 0


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=first + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _rests_lines(report: TaintReport) -> list[str]:
    """Claims and notes, each with how far it is from what it rests on, and by which ids."""
    if not report.items:
        return [f"{report.name}: nothing in the wiki rests on it"]
    claims = sum(item.id.startswith("c-") for item in report.items)
    notes = len(report.items) - claims
    counts = counted(claims, "claim") + (f", {counted(notes, 'note')}" if notes else "")
    lines = [f"{report.name}: {counts} on {counted(len(report.pages), 'page')}"]
    lines.append("(1: quotes it; 2: rests on something of 1; and so on; +: has other evidence too)")
    for item in report.items:
        mark = " " if item.is_alone else "+"
        lines.append(f"{item.depth} {mark} ^{item.id}  {item.page}: {cut(item.text, 70)}")
        if item.via:
            lines.append(f"      {item.how} {' ← '.join('^' + each for each in item.via[::-1])}")
    return lines
