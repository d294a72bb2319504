"""wiki merge-driver: called by git for each page that two branches changed."""

from __future__ import annotations

from pathlib import Path

import click

from llmwiki.cli.context import tell


@click.command(hidden=True)
@click.argument("base", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("ours", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("path")
def command(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge three versions of a page; the result replaces OURS. Exit 1 where a person must look.

    `wiki init` puts it into this clone's git configuration as the driver `llmwiki`.
    """
    from llmwiki.app.upkeep import merge_files

    undecided = merge_files(base, ours, theirs, path)
    for dispute in undecided:
        tell(f"wiki: {path}: both sides worded it, and both stand between marks: {dispute.name}")
    return 1 if undecided else 0
