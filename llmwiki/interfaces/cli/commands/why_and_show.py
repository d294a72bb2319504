"""wiki why, wiki show: where a claim comes from; a page, a claim, lines of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from llmwiki.core.text import counted, cut
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, told, wants_json
from llmwiki.interfaces.cli.command_options import AS_JSON, as_json
from llmwiki.interfaces.cli.commands.search_and_context import NO_MATCH
from llmwiki.interfaces.cli.safe_text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki import TaintReport, WhyResult


@click.command()
@click.argument("asked", nargs=-1, required=True, metavar="CLAIM|PAGE|TEXT")
@click.option("--rests", is_flag=True, help="Say what rests on a source instead.")
@AS_JSON
def command(asked: tuple[str, ...], rests: bool) -> int:
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
    wiki, name = open_wiki(), " ".join(asked)
    if rests:
        report = wiki.taint(name)
        return told("taint", report, _rests_lines(report))
    found = wiki.why(name)
    told("why", found, _why_lines(found))
    return NO_MATCH if found.candidates else 0


def _why_lines(found: WhyResult) -> Iterator[str]:
    from llmwiki.app.why import why_lines

    for line in why_lines(found):
        text = line.lstrip()
        indent = line.removesuffix(text)
        yield from wrapped(text, indent, f"{indent}  ")


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


_LINKING = 20
"""Pages that link to one that are named."""


@click.command()
@click.argument("name", metavar="PAGE")
@click.option("--at", "revision", metavar="REV", help="The page as it was in this commit.")
@as_json("Print claims and evidence as JSON.")
def show(name: str, revision: str | None) -> int:
    """Print one page as it was committed, and what other pages say of it; or the words that
    something rests on.

    Its frontmatter is left out; the file and --json have it.
    PAGE is its title, an alias or its path; case does not count. Of a claim (c-…) the lines of its
    sources are printed around what it quotes, of a note (n-…) what it rests on; of SOURCE#L12
    or SOURCE#L12-L20 those lines of a source, by its id, title or file.

    \b
    Examples:
      wiki show "Green tea"
      wiki show c-9f3a1c22k7
      wiki show raw/tea.md#L12
      wiki show "green tea" --at HEAD~20
    """
    shown = open_wiki().show(name, at=revision)
    if wants_json() and shown.page is not None:
        return say_as("show", shown.page, claims=shown.claims)
    text = shown.text
    if text.startswith("---\n"):
        # The frontmatter is for programs.
        text = text.partition("\n---\n")[2].lstrip("\n")
    say(text.rstrip("\n"))
    if shown.elsewhere:
        say(f"\n{shown.elsewhere.rstrip()}")
    if shown.asked:
        say(f"\nasked as: {shown.asked}")
    if shown.linking:
        names = [f"[[{name}]]" for name in shown.linking[:_LINKING]]
        more = len(shown.linking) - len(names)
        say(f"\nlinked from: {', '.join(names)}" + (f" and {more} more" if more else ""))
    return 0
