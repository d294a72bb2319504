"""wiki ingest: sources in, one commit each."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import here, load_config, opened, say, say_json
from llmwiki.cli.models import COST, accepting
from llmwiki.cli.results import IngestOptions, NamedSource, OperationJson, summary_line, tell_notes
from llmwiki.cli.sizes import read_size
from llmwiki.core.errors import InputError, StateError
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.sources import SourceFile


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--name", help="File name below raw/ for standard input (PATH `-`).")
@click.option("--model", help="Model to read with; `offline` for the embedded extractor.")
@click.option("--prepare", is_flag=True, help="Print the job for an agent to answer; no commit.")
@click.option("--segment", "which", metavar="K", help="With --prepare: only segment K, or K/N.")
@click.option("--dry-run", is_flag=True, help="Say what would land, of one source with its diff.")
@click.option(
    "--review", is_flag=True, help="Commit to a new branch wiki/ID, to be merged by hand."
)
@click.option("--estimate", is_flag=True, help="Print tokens and cost; call no model.")
@click.option(
    "--max-cost",
    type=COST,
    metavar="USD",
    help="Stop before a call could pass this sum; needs prices.",
)
@accepting
@click.option(
    "--max-size",
    callback=read_size,
    metavar="SIZE",
    help="Refuse sources larger than this, such as 50MB.",
)
@click.option(
    "--allow-secret",
    multiple=True,
    metavar="HASH",
    help="Accept a finding of the secret scan; the refusal prints its hash.",
)
@click.option("--allow-detached", is_flag=True, help="Commit although no branch is checked out.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    name: str | None,
    model: str | None,
    prepare: bool,
    which: str | None,
    dry_run: bool,
    review: bool,
    estimate: bool,
    max_cost: float | None,
    yes: bool,
    max_size: int | None,
    allow_secret: tuple[str, ...],
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Read sources into the wiki: files, folders, globs, or `-` for standard input.

    Each source becomes claims with verbatim quotes, merged into the pages they are about, in one
    commit. A source that has not changed since it was read is skipped. Files from outside raw/
    are copied there. Formats: Markdown, plain text, HTML, PDF, Word, PowerPoint, Excel,
    OpenDocument, EPUB, CSV, TSV, JSON, JSON lines, YAML, reStructuredText, Org, notebooks,
    subtitles, e-mail and mailboxes (each message a source); PNG, JPEG, WebP, GIF and
    scans, which a model, an agent or tesseract reads. See docs/sources.md.

    Who reads: without a key the embedded extractor, which calls no model; with
    ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, a model; with --prepare and
    `wiki apply`, the coding agent you work with.

    \b
    Examples:
      wiki ingest raw/paper.md
      wiki ingest raw/ --model offline
      wiki ingest ~/Downloads/report.pdf --dry-run
      pandoc notes.org -t markdown | wiki ingest - --name notes.md
    """
    options = IngestOptions(
        model=model,
        which=which,
        dry_run=dry_run,
        review=review,
        max_cost=max_cost,
        yes=yes,
        max_size=max_size,
        allow_secret=allow_secret,
        allow_detached=allow_detached,
        as_json=as_json,
    )
    with opened(ctx) as repo:
        config = load_config(repo)
        limit = max_size or config.whole("ingest.max_size")
        named, piped = _named(repo, paths, name, here(ctx), limit)
        if prepare or estimate:
            from llmwiki.cli.batch import estimate_all, prepare_all

            return (prepare_all if prepare else estimate_all)(repo, config, named, piped, options)
        known = _known(repo, named)
        fresh = [item for item in named if item.path not in known]
        results = list(known.values())
        code = 0
        if fresh:
            from llmwiki.cli.batch import run_batch

            done, code = run_batch(repo, config, fresh, piped, options, whole=len(named))
            results += done
        elif not as_json and len(named) == 1:
            say(summary_line(results[0]))
    results.sort(key=lambda result: result.source)
    if as_json:
        tell_notes(results)
        say_json({"schema": "llmwiki.ingest/1", "operations": [r.to_json() for r in results]})
    elif len(named) > 1:
        from llmwiki.cli.batch_summary import summary

        say(summary(results, len(named)))
    return code


def _known(repo: Repository, named: Sequence[NamedSource]) -> dict[str, OperationJson]:
    """The sources whose bytes the wiki knows, told before anything heavy is loaded."""
    from llmwiki.core.errors import InputError, PolicyError
    from llmwiki.ingest.known import ExpectedLedgers, known_source

    found: dict[str, OperationJson] = {}
    ledgers = ExpectedLedgers(repo)
    for item in named:
        if item.found is None:
            continue
        try:
            sha256 = item.found.sha256()
        except (InputError, PolicyError):
            continue
        known = known_source(repo, ledgers, item.path, sha256)
        if known.reason:
            found[item.path] = OperationJson.skipped(item.path, sha256, known.reason)
    return found


def _named(
    repo: Repository, paths: Sequence[str], name: str | None, cwd: Path, limit: int
) -> tuple[list[NamedSource], bytes]:
    from llmwiki.sources import is_source

    piped = b""
    named: list[NamedSource] = []
    if "-" in paths:
        if not name:
            raise InputError(
                "standard input needs a file name", where="-", fix="Say one: --name notes.md"
            )
        path = f"raw/{name}"
        if "/" in name or not is_source(path):
            raise InputError("not a name for a source", where=name, fix="Such as notes.md")
        piped = sys.stdin.buffer.read(limit + 1)
        named.append(NamedSource(_free_name(repo, path, piped), None))
    elif name:
        raise InputError("--name goes with PATH `-` only", where=name)
    files = [path for path in paths if path != "-"]
    if files:
        named += [NamedSource(found.path, found) for found in _found(repo, files, cwd)]
    return named, piped


def _found(repo: Repository, files: Sequence[str], cwd: Path) -> list[SourceFile]:
    """The sources that are named. Raises what `expand` does, and says so where a sparse checkout
    leaves out what was named."""
    from llmwiki.sources import expand

    left_out = repo.left_out("raw")
    for name in files:
        place = Path(os.path.normpath(cwd / name))
        path = place.relative_to(repo.root).as_posix() if place.is_relative_to(repo.root) else ""
        hidden = [each for each in left_out if path and f"{each}/".startswith(f"{path}/")]
        if hidden and not os.path.lexists(place):
            raise StateError(
                "the sparse checkout leaves it out",
                where=name,
                fix=f"Run `git sparse-checkout add {shlex.quote(path)}`, or name other sources.",
            )
    return [_refused(repo, each) for each in expand(repo.root, files, cwd, taken=left_out)]


def _refused(repo: Repository, found: SourceFile) -> SourceFile:
    """The source, refused where a commit holds it under a name in another normal form."""
    if found.path.isascii() or not found.inside or found.refused:
        return found
    spelled = found.file.relative_to(repo.root).as_posix()
    if spelled == found.path or repo.entry(repo.head(), spelled) is None:
        return found
    error = InputError(
        "is committed under a name that is not in Unicode's normal form C",
        where=found.path,
        fix=f"Rename it: git mv {shlex.quote(spelled)} {shlex.quote(found.path)}",
    )
    return replace(found, refused=error)


def _free_name(repo: Repository, path: str, data: bytes) -> str:
    """The path, or one beside it where other bytes lie there already."""
    from llmwiki.sources import sha256_file

    place = repo.root / path
    digest = hashlib.sha256(data).hexdigest()
    held = repo.read_left_out(path)
    there = hashlib.sha256(held).hexdigest() if held is not None else ""
    if place.exists():
        there = sha256_file(place)
    if there in ("", digest):
        return path
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{digest[:4]}.{ending}" if dot else f"{path}-{digest[:4]}"
