"""wiki log, wiki diff: operations, newest first; what changed in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from llmwiki.core.text import counted, cut, normalise
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.command_options import AS_JSON, option
from llmwiki.interfaces.cli.safe_text import wrapped
from llmwiki.pages.difference.change_words import count_words, word_diff

if TYPE_CHECKING:
    from llmwiki import DiffLine, MemoryDiff, OperationLog


@click.command()
@click.argument("name", required=False, metavar="[PAGE]")
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most."
)
@option(
    "--since",
    metavar="DAY",
    excludes=("PAGE",),
    help="Only from that day on (UTC): yesterday, today, 7d, 2026-11-01.",
)
@option(
    "--digest",
    is_flag=True,
    excludes=("PAGE",),
    help="What memory learned since then, in short, as Markdown.",
)
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    limit: int,
    since: str | None,
    digest: bool,
    as_json: bool,
) -> int:
    """Operations from git, newest first: id, commit, date (UTC), kind, title.

    An operation is what one command changed. Its id, or its commit, is what `wiki undo` takes.

    Of PAGE, a title, alias or path, all commits that changed it are told, those of people too, each
    with what it did there; renames are followed.

    With --digest, not the operations but what they came to: contradictions, what changed, what was
    learned on which page, the sources; since yesterday where no --since is given.

    A shallow clone does not hold all of them; where its list ends, that is said, and `complete` in
    the JSON is false.

    \b
    Examples:
      wiki log -n 5
      wiki log "Green tea"
      wiki log --since yesterday --digest
    """
    if digest:
        return _digest(ctx, since or "yesterday", as_json=as_json)
    if name is not None:
        return _of_page(ctx, name, limit, as_json=as_json)
    return _operations(
        open_wiki(ctx).log(limit=limit, since=since),
        as_json=as_json,
        is_all=not since,
    )


def _operations(found: OperationLog, *, as_json: bool, is_all: bool) -> int:
    if as_json:
        return say_as("log", found)
    rows = found.operations
    if not rows and not found.lacking:
        say("No operations yet." if is_all else "No such operations.")
    for c in rows:
        batch = f"  (batch {c.batch})" if c.batch else ""
        say(f"{c.operation}  {c.oid[:10]}  {c.date:%Y-%m-%d %H:%M}  {c.subject}{batch}")
    if found.lacking:
        say_err(
            f"wiki: {'these are the newest only' if rows else 'none was found'}. {found.lacking}"
        )
    return 0


def _of_page(ctx: click.Context, name: str, limit: int, *, as_json: bool) -> int:
    steps = open_wiki(ctx).page_history(name, limit=limit)
    if as_json:
        return say_as("page-log", commits=steps)
    path = ""
    for step in steps:
        if step.path != path:
            path = step.path
            say(path)
        c = step.commit
        unnamed = "git merge" if len(c.parents.all()) > 1 else "by hand"
        who = f"{c.kind} {c.operation}" if c.operation else unnamed
        say(f"  {c.date:%Y-%m-%d %H:%M}  {c.oid[:10]}  {who}, {c.author}")
        say(f"      {step.summary}")
    return 0


def _digest(ctx: click.Context, since: str, *, as_json: bool) -> int:
    told = open_wiki(ctx).digest(since)
    if as_json:
        return say_as("digest", told)
    from llmwiki.changes.digest import digest_markdown

    say(digest_markdown(told).rstrip("\n"))
    if told.lacking:
        say_err(f"wiki: earlier memory counts as learned. {told.lacking}")
    return 0


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV|A..B|A...B]")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown")),
    default="text",
    help="`markdown` is the comment of a pull request.",
)
@AS_JSON
@click.pass_context
def diff(ctx: click.Context, revisions: tuple[str, ...], form: str, as_json: bool) -> int:
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
    if as_json:
        say_as("diff", told)
    elif form == "markdown":
        from llmwiki.changes.diff_markdown import diff_markdown

        say(diff_markdown(told).rstrip("\n"))
    else:
        say(diff_text(told))
    return 0


_INDENT = "    "
_BELOW = "        "
_LONGEST = 1_200
"""Characters of one text that are shown."""


def diff_text(told: MemoryDiff) -> str:
    """What changed: counts, then page by page."""
    from llmwiki.changes.diff import WORK_TREE
    from llmwiki.changes.diff_lines import lines_by_page

    if not told.pages:
        same = f"{told.before} → {told.after}: memory is the same"
        last = "\nwhat the last commit changed: wiki diff HEAD~1..HEAD"
        return same + last if told.after == WORK_TREE else same
    head = f"{told.before} → {told.after}: {counted(told.pages, 'page')} changed"
    rows = [
        head,
        ", ".join(count_words(told.changes)) or "nothing is said otherwise: links, marks or order",
    ]
    for page in lines_by_page(told):
        heading = f"{normalise(page.title)}  {normalise(page.path)}".rstrip()
        rows += ["", heading, *(row for line in page.lines for row in _line(line))]
    return "\n".join(rows)


def _line(line: DiffLine) -> Iterator[str]:
    said = line.spoken
    if line.rewording is not None:
        said = _rewording(line) if line.claim else f"{said}: {_rewording(line)}"
    yield from wrapped(
        said + (f"  ^{line.claim}" if line.claim else ""), f"  {line.mark} ", _INDENT
    )
    for quote in line.spoken_below:
        yield from wrapped(quote, _BELOW, _BELOW)


def _rewording(line: DiffLine) -> str:
    before, after = (cut(normalise(text), _LONGEST) for text in line.rewording or ("", ""))
    shown = []
    for piece in word_diff(before, after):
        edge = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}[piece.mark]
        shown.append(edge.format(piece.text))
    return "".join(shown)
