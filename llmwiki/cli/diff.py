"""wiki diff: what changed in memory."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.app.log import counts, pages, word_pieces
from llmwiki.cli.cleaning import WIDTH
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON
from llmwiki.core.text import counted, cut, normalise

if TYPE_CHECKING:
    from llmwiki import DiffLine, MemoryDiff


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV|A..B|A...B]")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    help="`markdown` is the comment of a pull request.",
)
@AS_JSON
@click.pass_context
def command(ctx: click.Context, revisions: tuple[str, ...], form: str, as_json: bool) -> int:
    """Say what changed in memory: facts, not lines.

    Without a revision, what the work tree has and the last commit has not. REV compares a commit
    with the work tree, A..B two commits, A...B what B did since it parted from A. Only commits,
    and files below wiki/ and raw/, are read. Marks: + came, - went, ~ changed, → a relation that
    came, ! wants a look. What follows from other lines is not told: links, footnotes, order.

    \b
    Examples:
      wiki diff
      wiki diff HEAD~1..HEAD
      wiki diff main...topic --format markdown
    """
    if len(revisions) > 1:
        raise click.UsageError(f"Two commits are one word: {'..'.join(revisions[:2])}", ctx)
    told = open_wiki(ctx).diff("".join(revisions))
    if as_json or form == "json":
        from llmwiki.app.shapes.history import DiffJson

        say_json(DiffJson.of(told))
    elif form == "markdown":
        from llmwiki.app.log import diff_text as as_markdown

        say(as_markdown(told).rstrip("\n"))
    else:
        say(diff_text(told))
    return 0


_INDENT = "    "
_BELOW = "        "
_LONGEST = 1_200
"""Characters of one text that are shown."""


def diff_text(told: MemoryDiff) -> str:
    """What changed: counts, then page by page."""
    if not told.pages:
        return f"{told.before} → {told.after}: memory is the same"
    head = f"{told.before} → {told.after}: {counted(told.pages, 'page')} changed"
    rows = [head, counts(told) or "nothing is said otherwise: links, marks or order"]
    for page in pages(told):
        heading = f"{normalise(page.title)}  {normalise(page.path)}".rstrip()
        rows += ["", heading, *(row for line in page.lines for row in _line(line))]
    return "\n".join(rows)


def _line(line: DiffLine) -> Iterator[str]:
    if line.rewording is not None and not line.claim:
        yield from _wrapped(f"  {line.mark} ", f"{line.spoken}: {_rewording(line)}")
    elif line.rewording is not None:
        yield from _wrapped(f"  {line.mark} ", f"{_rewording(line)}  ^{line.claim}")
    else:
        ident = f"  ^{line.claim}" if line.claim else ""
        yield from _wrapped(f"  {line.mark} ", f"{line.spoken}{ident}")
    for quote in line.spoken_below:
        yield from _wrapped(_BELOW, quote)


def _rewording(line: DiffLine) -> str:
    before, after = (cut(normalise(text), _LONGEST) for text in line.rewording or ("", ""))
    shown = []
    for piece in word_pieces(before, after):
        edge = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}[piece.mark]
        shown.append(edge.format(piece.text))
    return "".join(shown)


def _wrapped(first: str, text: str) -> Sequence[str]:
    below = _BELOW if first == _BELOW else _INDENT
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=below,
        break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
    ) or [first.rstrip()]  # fmt: skip
