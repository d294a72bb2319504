"""The files of `wiki lint` beside the wiki: baselines, reports, the summary of a GitHub job."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import here, output_place, read_bounded, tell
from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from llmwiki.repo.repository import Repository

_OURS = ("wiki", "raw", "graph")
"""Folders of the wiki's root that only operations write."""


def read_baseline(
    ctx: click.Context, repo: Repository, named: str | None, configured: str
) -> frozenset[str]:
    """The fingerprints of the baseline in use: `named` from the working folder, or `configured`
    from the wiki's root; none where neither is given.

    Raises PolicyError for a file outside of the root, InputError for one that is none.
    """
    from llmwiki.lint import baseline

    if named is not None:
        place = _inside(repo, here(ctx) / named, named)
    elif configured:
        place = _inside(repo, repo.root / configured, configured)
    else:
        return frozenset()
    shown = place.relative_to(repo.root).as_posix()
    try:
        data = read_bounded(place, baseline.MAX_BYTES)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=shown,
            fix=f"Make it: wiki lint --write-baseline {shown}",
        ) from error
    if len(data) > baseline.MAX_BYTES:
        raise PolicyError(f"a baseline of more than {baseline.MAX_BYTES} bytes", where=shown)
    return baseline.read(data, shown)


def write_inside(ctx: click.Context, repo: Repository, name: str, text: str) -> None:
    """Writes a file below the wiki's root, beside the wiki. Raises PolicyError, InputError."""
    _inside(repo, here(ctx) / name, name)
    write_report(ctx, repo, name, text)


def write_report(ctx: click.Context, repo: Repository, name: str, text: str) -> None:
    """Writes a file that is none of the wiki's.

    Raises PolicyError for one that is, InputError where it cannot be written.
    """
    place = output_place(ctx, repo, name)
    real = Path(os.path.realpath(place))
    kept = [repo.root / folder for folder in _OURS] + [repo.git_dir, repo.common_dir]
    if any(real.is_relative_to(os.path.realpath(folder)) for folder in kept):
        raise PolicyError("a report is not written into the wiki", where=name)
    try:
        place.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=name) from error


def append_summary(name: str, make: Callable[[int], str]) -> None:
    """Appends to the summary of a GitHub job what `make` gives for the bytes that are left.

    A summary that cannot be written is said and changes nothing else.
    """
    from llmwiki.lint.report.github import SUMMARY_BYTES

    try:
        with Path(name).open("ab") as file:
            file.write(make(SUMMARY_BYTES - file.tell()).encode())
    except OSError as error:
        tell(f"wiki: the job's summary cannot be written: {error.strerror}")


def _inside(repo: Repository, place: Path, name: str) -> Path:
    if any(character < " " for character in name):
        raise InputError("is not the name of a file", where=name)
    resolved = Path(os.path.realpath(place))
    if not resolved.is_relative_to(repo.root):
        raise PolicyError("a baseline lies inside the wiki's root", where=name)
    return resolved
