"""wiki log: operations, newest first."""

from __future__ import annotations

import itertools

import click

from llmwiki.cli.context import opened, say, say_json, tell


@click.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many at most.",
)
@click.option("--kind", help="Only operations of this kind: ingest, undo, memory …")
@click.option("--page", help="Only operations that changed this file, such as wiki/concepts/A.md.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.pass_context
def command(
    ctx: click.Context, limit: int, kind: str | None, page: str | None, as_json: bool
) -> int:
    """Operations from git, newest first: id, commit, date (UTC), kind, title.

    An operation is what one command changed. Its id, or its commit, is what `wiki undo` takes.

    A shallow clone does not hold all of them; where its list ends, that is said, and `complete` in
    the JSON is false.
    """
    with opened(ctx, reads_only=True) as repo:
        head = repo.head()
        commits = repo.log(head, paths=[page] if page else ()) if head else iter(())
        found = (c for c in commits if c.operation and c.kind and (kind is None or c.kind == kind))
        # Of a commit at the border it is not known which files it changed.
        told = (c for c in found if page is None or c.parents.known)
        rows = list(itertools.islice(told, limit))
        lacking = repo.beyond if len(rows) < limit else ""
    if as_json:
        say_json(
            {
                "schema": "llmwiki.log/1",
                "complete": not lacking,
                "operations": [
                    {
                        "id": c.operation,
                        "commit": c.oid,
                        "kind": c.kind,
                        "title": c.subject.partition(": ")[2],
                        "date": c.date.isoformat(),
                        "author": c.author,
                        "batch": c.batch,
                        "source": c.value("Wiki-Source"),
                        "model": c.value("Wiki-Model"),
                        "undoes": list(c.values("Wiki-Undoes")),
                    }
                    for c in rows
                ],
            }
        )
        return 0
    if not rows and not lacking:
        say("No operations yet." if not (kind or page) else "No such operations.")
    for c in rows:
        batch = f"  (batch {c.batch})" if c.batch else ""
        say(f"{c.operation}  {c.oid[:10]}  {c.date:%Y-%m-%d %H:%M}  {c.subject}{batch}")
    if lacking:
        tell(f"wiki: {'these are the newest only' if rows else 'none was found'}. {lacking}")
    return 0
