"""Reports of a lint in their formats; baselines, which are files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError, reason_of
from llmwiki.landing.settings_files import read_bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.git.repository import Repository
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.findings import Finding, LintReport

_OURS = ("wiki", "raw", "graph")
"""Folders of the wiki's root that only operations write."""

FORMATS = ("text", "json", "sarif", "github", "gitlab")


def read_baseline(wiki: OpenWiki, named: str | None) -> frozenset[str]:
    """The fingerprints of the baseline in use: `named` from the working folder, or the settings'
    from the wiki's root; none where neither is given.

    Raises PolicyError for a file outside of the root, InputError for one that is none.
    """
    from llmwiki.lint import baseline

    repo, configured = wiki.repo, wiki.config.text("lint.baseline")
    if named is not None:
        place = inside_root(repo, wiki.here / named, named)
    elif configured:
        place = inside_root(repo, repo.root / configured, configured)
    else:
        return frozenset()
    shown = place.relative_to(repo.root).as_posix()
    try:
        data = read_bounded(place, baseline.MAX_BYTES)
    except OSError as error:
        raise InputError(
            f"cannot be read: {reason_of(error)}",
            where=shown,
            fix=f"Make it: wiki lint --write-baseline {shown}",
        ) from error
    if len(data) > baseline.MAX_BYTES:
        raise PolicyError(f"a baseline of more than {baseline.MAX_BYTES} bytes", where=shown)
    return baseline.read(data, shown)


def write_baseline(wiki: OpenWiki, name: str, found: Sequence[Finding]) -> None:
    """Writes all that a lint `found`, as known findings, into the file `name`.

    Raises PolicyError for a file outside of the wiki's root or one of the wiki's own, InputError
    where it cannot be written.
    """
    from llmwiki.lint import baseline

    inside_root(wiki.repo, wiki.here / name, name)
    place = wiki.output_place(name, _OURS, "a baseline is not written into the wiki")
    try:
        place.write_text(baseline.write(found), "utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {reason_of(error)}", where=name) from error


def inside_root(repo: Repository, place: Path, name: str) -> Path:
    """A place without links. Raises PolicyError for one outside of the root."""
    if any(character < " " for character in name):
        raise InputError("is not the name of a file", where=name)
    resolved = Path(os.path.realpath(place))
    if not resolved.is_relative_to(repo.root):
        raise PolicyError("a baseline lies inside the wiki's root", where=name)
    return resolved


def render(
    report: LintReport,
    form: str,
    *,
    exit_code: int,
    coloured: bool = False,
    brief: bool = False,
    whole: bool = False,
) -> str:
    """The report in one of `FORMATS`; `coloured`, `brief` and `whole` are of text alone."""
    if form == "json":
        from llmwiki.app.json_output.make_json import json_of
        from llmwiki.lint.text_report import as_json

        return as_json(json_of("lint", report, exit_code=exit_code))
    if form == "text":
        from llmwiki.lint.text_report import as_text

        return as_text(report, colour=coloured, brief=brief, whole=whole)
    from llmwiki.lint import sarif_github_gitlab

    return {
        "sarif": sarif_github_gitlab.sarif,
        "github": sarif_github_gitlab.github,
        "gitlab": sarif_github_gitlab.gitlab,
    }[form](report)
