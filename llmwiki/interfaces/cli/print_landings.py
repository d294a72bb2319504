"""What this command has committed, and what of it the work tree does not have.

Said in one place for every command that lands, at its end; so it is also where the command was
stopped before it came to tell.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki import Outcome

_SHOWN = 10
"""Paths that are named."""
_landings: dict[str, Outcome] = {}


def begin() -> None:
    """Nothing was committed yet."""
    _landings.clear()


def note(landed: Outcome) -> None:
    """Takes a commit down; what is said of it later takes the place of what was said before."""
    if landed.commit is None:
        return
    from dataclasses import replace

    for earlier in _landings.keys() - {landed.commit}:
        # Nothing lands before what landed earlier is in the work tree.
        _landings[earlier] = replace(_landings[earlier], pending=())
    _landings[landed.commit] = landed


def print_end(word: str = "") -> None:
    """Says on stderr which files are not as they were committed; `word`: how the command was cut
    off, and then also what it had committed last."""
    last = next(reversed(_landings), "")
    if word:
        committed = f"; committed {last[:10]}" if last else ""
        _print(f"wiki: {word}{committed}")
    for branch in dict.fromkeys(landed.branch for landed in _landings.values() if landed.branch):
        ident = branch.partition("/")[2]
        _print(
            f"wiki: waits for review on {branch}: `wiki review show {ident}`, then accept or reject"
        )
    for commit, landed in _landings.items():
        if landed.pending:
            _print(
                f"wiki: committed {commit[:10]}, but not yet in the work tree:"
                f" {_listed(landed.pending)}; run `wiki recover`"
            )
        if landed.kept:
            _print(
                f"wiki: committed {commit[:10]}, but changed meanwhile and kept as they are in the"
                f" work tree: {_listed(landed.kept)}; `git diff` shows how they differ"
            )
    begin()


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _print(text: str) -> None:
    from llmwiki.interfaces.cli.safe_text import clean

    # A terminal that was closed takes nothing any more.
    with suppress(OSError):
        click.echo(clean(text), err=True)
