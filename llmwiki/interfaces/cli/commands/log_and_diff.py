"""wiki log, wiki diff: operations, newest first; what changed in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from llmwiki.core.text import counted, cut, normalise
from llmwiki.interfaces.cli.command_context import open_wiki, say_err, told, wants_json
from llmwiki.interfaces.cli.command_options import AS_JSON, option
from llmwiki.interfaces.cli.safe_text import wrapped
from llmwiki.pages.difference.change_words import count_words, word_diff

if TYPE_CHECKING:
    from llmwiki import DiffLine, MemoryDiff, OperationLog, PageStep


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
def command(name: str | None, limit: int, since: str | None, digest: bool) -> int:
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
        return _digest(since or "yesterday")
    if name is not None:
        steps = open_wiki().page_history(name, limit=limit)
        return told("page-log", None, _step_lines(steps), commits=steps)
    found = open_wiki().log(limit=limit, since=since)
    told("log", found, _operation_lines(found, is_all=not since))
    if found.lacking and not wants_json():
        which = "these are the newest only" if found.operations else "none was found"
        say_err(f"wiki: {which}. {found.lacking}")
    return 0


def _operation_lines(found: OperationLog, *, is_all: bool) -> Iterator[str]:
    if not found.operations and not found.lacking:
        yield "No operations yet." if is_all else "No such operations."
    for c in found.operations:
        batch = f"  (batch {c.batch})" if c.batch else ""
        yield f"{c.operation}  {c.oid[:10]}  {c.date:%Y-%m-%d %H:%M}  {c.subject}{batch}"


def _step_lines(steps: Iterable[PageStep]) -> Iterator[str]:
    path = ""
    for step in steps:
        if step.path != path:
            path = step.path
            yield path
        c = step.commit
        unnamed = "git merge" if len(c.parents.all()) > 1 else "by hand"
        who = f"{c.kind} {c.operation}" if c.operation else unnamed
        yield f"  {c.date:%Y-%m-%d %H:%M}  {c.oid[:10]}  {who}, {c.author}"
        yield f"      {step.summary}"


def _digest(since: str) -> int:
    from llmwiki.changes.digest import digest_markdown

    found = open_wiki().digest(since)
    told("digest", found, [digest_markdown(found).rstrip("\n")])
    if found.lacking and not wants_json():
        say_err(f"wiki: earlier memory counts as learned. {found.lacking}")
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
def diff(revisions: tuple[str, ...], form: str) -> int:
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
        raise click.UsageError(f"Two commits are one word: {'..'.join(revisions[:2])}")
    found = open_wiki().diff("".join(revisions))
    return told("diff", found, _diff_lines(found, form))


_INDENT = "    "
_BELOW = "        "
_LONGEST = 1_200
"""Characters of one text that are shown."""


def _diff_lines(found: MemoryDiff, form: str) -> Iterator[str]:
    """What changed: counts, then page by page; or all of it as Markdown."""
    from llmwiki.changes.diff import WORK_TREE
    from llmwiki.changes.diff_lines import lines_by_page

    if form == "markdown":
        from llmwiki.changes.diff_markdown import diff_markdown

        yield diff_markdown(found).rstrip("\n")
        return
    if not found.pages:
        yield f"{found.before} → {found.after}: memory is the same"
        if found.after == WORK_TREE:
            yield "what the last commit changed: wiki diff HEAD~1..HEAD"
        return
    yield f"{found.before} → {found.after}: {counted(found.pages, 'page')} changed"
    yield (
        ", ".join(count_words(found.changes)) or "nothing is said otherwise: links, marks or order"
    )
    for page in lines_by_page(found):
        yield ""
        yield f"{normalise(page.title)}  {normalise(page.path)}".rstrip()
        for line in page.lines:
            yield from _line(line)


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
