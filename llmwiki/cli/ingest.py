"""wiki ingest: sources in, one commit each."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from llmwiki.cli.context import (
    clock,
    here,
    is_terminal,
    load_config,
    opened,
    say,
    say_json,
    user_table,
)
from llmwiki.cli.results import OperationJson, failed, show_plan, summary_line, told
from llmwiki.core.errors import InputError, PolicyError, WikiError
from llmwiki.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class _Named:
    """A source that was named and not read yet."""

    path: str
    file: Path | None
    inside: bool


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--name", help="File name below raw/ for what comes by standard input (PATH `-`).")
@click.option("--model", help="Model to read with; `offline` for the embedded extractor.")
@click.option("--prepare", is_flag=True, help="Print the job for an agent to fill; write nothing.")
@click.option("--segment", "which", metavar="K", help="With --prepare: only segment K, or K/N.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--review", is_flag=True, help="Land on a branch wiki/ID for review.")
@click.option("--estimate", is_flag=True, help="Say tokens and cost before any call, and stop.")
@click.option("--max-cost", type=float, metavar="USD", help="Stop before a call would pass this.")
@click.option("--max-size", type=int, metavar="BYTES", help="Largest source that is read.")
@click.option(
    "--allow-secret", multiple=True, metavar="HASH", help="Accept this finding of the secret scan."
)
@click.option("--allow-detached", is_flag=True, help="Write although HEAD is on no branch.")
@click.option("--json", "as_json", is_flag=True, help="Say the result as JSON.")
@click.pass_context
def command(  # noqa: C901, PLR0912, PLR0915  (argv in, one call, text out: a straight line of options)
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
    max_size: int | None,
    allow_secret: tuple[str, ...],
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Read sources into the wiki: files, folders, globs, or `-` for standard input.

    Each source becomes claims with verbatim quotes, merged into the pages they are about, in one
    commit. A source whose bytes are known already costs nothing. Files from outside raw/ are
    copied there. Without a key the embedded extractor reads; with ANTHROPIC_API_KEY, or
    ANTHROPIC_BASE_URL for a local server, a model does.

    \b
    Examples:
      wiki ingest raw/paper.md
      wiki ingest raw/ --model offline
      wiki ingest ~/Downloads/report.pdf --dry-run
      pandoc notes.org -t markdown | wiki ingest - --name notes.md
    """
    from llmwiki.cli import fillers
    from llmwiki.ingest.run import Input, Settings, ingest, read_input, unchanged
    from llmwiki.memory.state import State
    from llmwiki.sources import Found, Limits, sha256_file

    with opened(ctx) as repo:
        config = load_config(repo)
        limits = Limits(max_bytes=max_size or config.whole("ingest.max_size"))
        named, piped = _named(repo, paths, name, here(ctx), limits.max_bytes)
        state = State(repo)
        settings = Settings(
            now=clock,
            limits=limits,
            segment_bytes=config.whole("ingest.segment_bytes"),
            allowed_secrets=frozenset(allow_secret),
            wait=config.number("lock.wait"),
            allow_detached=allow_detached,
            dry_run=dry_run,
            review=review,
            batch=_batch_id(repo, named) if len(named) > 1 else "",
        )

        def read(item: _Named) -> Input:
            if item.file is None:
                return Input(item.path, piped, inside=False)
            size = item.file.stat().st_size
            return read_input(Found(item.path, item.file, item.inside, size), limits)

        if prepare:
            return fillers.prepare(repo, state, [read(n) for n in named], settings, config, which)
        chosen = model or config.text("ingest.model")
        if estimate:
            return fillers.estimate(
                repo, state, [read(n) for n in named], settings, config, chosen, user_table()
            )
        results: list[OperationJson] = []
        filler = None
        code = 0
        with _progress(len(named)) as advance:
            for item in named:
                try:
                    if item.file is not None and item.inside and not dry_run:
                        sha = sha256_file(item.file)
                        settled = unchanged(repo, item.path, sha)
                        if settled:
                            results.append(OperationJson.skipped(item.path, sha, settled))
                            continue
                    if filler is None:
                        filler = fillers.choose(repo, config, chosen, max_cost, user_table())
                    result = ingest(repo, state, read(item), filler, settings)
                    results.append(told(result))
                    if dry_run and result.plan and not as_json:
                        say(show_plan(repo, result))
                except WikiError as error:
                    results.append(failed(item.path, error))
                    code = code or error.exit_code
                    if len(named) == 1 and not as_json:
                        raise
                    if _ends_batch(error):
                        break
                finally:
                    advance()
        if filler is not None:
            fillers.close(filler)
    if as_json:
        say_json(
            {"schema": "llmwiki.ingest/1", "operations": [result.to_json() for result in results]}
        )
    else:
        for result in results:
            say(summary_line(result))
        if len(results) > 1:
            say(_batch_line(results, len(named)))
    return code


def _ends_batch(error: WikiError) -> bool:
    """Whether the same would befall every source after this one."""
    return error.exit_code in (3, 6) or (isinstance(error, PolicyError) and "cost" in error.what)


def _batch_line(results: Sequence[OperationJson], total: int) -> str:
    counts = {
        status: sum(1 for r in results if r.status == status)
        for status in ("ingested", "planned", "skipped", "failed")
    }
    parts = [f"{count} {status}" for status, count in counts.items() if count]
    left = total - len(results)
    if left:
        parts.append(f"{left} not tried")
    return f"{total} sources: " + ", ".join(parts)


def _named(
    repo: Repository, paths: Sequence[str], name: str | None, cwd: Path, limit: int
) -> tuple[list[_Named], bytes]:
    from llmwiki.sources import expand, is_source

    piped = b""
    named: list[_Named] = []
    if "-" in paths:
        if not name:
            raise InputError(
                "standard input needs a file name", where="-", fix="Say one: --name notes.md"
            )
        path = f"raw/{name}"
        if "/" in name or not is_source(path):
            raise InputError("not a name for a source", where=name, fix="Such as notes.md")
        piped = sys.stdin.buffer.read(limit + 1)
        named.append(_Named(_free_name(repo, path, piped), None, False))
    elif name:
        raise InputError("--name goes with PATH `-` only", where=name)
    files = [path for path in paths if path != "-"]
    if files:
        named += [_Named(f.path, f.file, f.inside) for f in expand(repo.root, files, cwd)]
    return named, piped


def _free_name(repo: Repository, path: str, data: bytes) -> str:
    """The path, or one beside it where other bytes lie there already."""
    place = repo.root / path
    if not place.exists() or place.read_bytes() == data:
        return path
    stem, dot, ending = path.rpartition(".")
    mark = hashlib.sha256(data).hexdigest()[:4]
    return f"{stem}-{mark}.{ending}" if dot else f"{path}-{mark}"


def _batch_id(repo: Repository, named: Sequence[_Named]) -> str:
    text = "\0".join([repo.head() or "", *(n.path for n in named)])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; nothing elsewhere. The callable counts one source."""
    if total < 2 or not is_terminal():
        yield lambda: None
        return
    with click.progressbar(length=total, label="ingest", file=sys.stderr) as bar:
        yield lambda: bar.update(1)
