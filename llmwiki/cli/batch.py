"""The sources of one `wiki ingest` that are not known yet: prepared, estimated or read."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import click

from llmwiki.cli import fillers
from llmwiki.cli.context import (
    CLEAR_LINE,
    is_terminal,
    landing_options,
    notice_once,
    say,
    tell,
    user_table,
)
from llmwiki.cli.estimate import estimate
from llmwiki.cli.results import (
    IngestOptions,
    NamedSource,
    OperationJson,
    failed,
    show_plan,
    summary_line,
    told,
)
from llmwiki.cli.stopping import Terminated
from llmwiki.core.config import Config
from llmwiki.core.errors import WikiError
from llmwiki.extraction.types import Extractor
from llmwiki.ingest.run import ingest, read_input
from llmwiki.ingest.types import IngestSettings, SourceInput
from llmwiki.memory.state import WikiState
from llmwiki.models.usage import CostError
from llmwiki.repo.repository import Repository
from llmwiki.sources import SourceLimits

_BESIDE = (
    "{path} has other bytes, so this lies beside it; if it is a new version of that file, copy it"
    " over it and ingest that"
)


def prepare_all(
    repo: Repository,
    config: Config,
    named: Sequence[NamedSource],
    piped: bytes,
    options: IngestOptions,
) -> int:
    """Prints a job for each segment of each source."""
    settings = _settings(config, options, "")
    items = (_read(item, piped, settings.limits) for item in named)
    return fillers.prepare(repo, WikiState(repo), items, settings, config, options.which)


def estimate_all(
    repo: Repository,
    config: Config,
    named: Sequence[NamedSource],
    piped: bytes,
    options: IngestOptions,
) -> int:
    """Says what reading the sources would take."""
    settings = _settings(config, options, "")
    items = (_read(item, piped, settings.limits) for item in named)
    return estimate(repo, WikiState(repo), items, settings, config, options.model, user_table())


def run_batch(
    repo: Repository,
    config: Config,
    named: Sequence[NamedSource],
    piped: bytes,
    options: IngestOptions,
    *,
    whole: int,
) -> tuple[list[OperationJson], int]:
    """One commit a source; what fails is listed and does not stop the rest.

    Unless JSON is asked for, each source is told when it is done. `whole` is how many sources were
    named in all. Returns the results and the exit code of the first failure. Raises the failure of
    a source that was named alone, unless JSON is asked for.
    """
    batch = _batch_id(repo, named) if whole > 1 else ""
    settings = _settings(config, options, batch)
    state = WikiState(repo)
    results: list[OperationJson] = []
    code = 0
    with contextlib.ExitStack() as stack:
        if whole > 1:
            stack.enter_context(_saying_how_far(results, len(named)))
        done = stack.enter_context(_progress(len(named)))
        filler: Extractor | None = None
        for item in named:
            shown, ended = "", False
            try:
                if filler is None:
                    filler = stack.enter_context(_filler(repo, config, options))
                result = ingest(repo, state, _read(item, piped, settings.limits), filler, settings)
                one = told(result)
                if item.found and item.found.beside and one.status in ("ingested", "planned"):
                    one = replace(one, note=_BESIDE.format(path=item.found.beside))
                if whole == 1 and not options.as_json:
                    shown = show_plan(repo, result)
            except WikiError as error:
                _name_the_file(error, item)
                if whole == 1 and not options.as_json:
                    raise
                one, ended = failed(item.place, error), _ends_batch(error)
                code = code or error.exit_code
            results.append(one)
            is_news = whole == 1 or one.note != "unchanged"
            is_told = is_news and not options.as_json
            done(shown + summary_line(one, with_pages=whole == 1) if is_told else "")
            if ended:
                break
    if len(results) > 1:
        repo.maintain()
    return results, code


@contextlib.contextmanager
def _saying_how_far(results: Sequence[OperationJson], total: int) -> Iterator[None]:
    """Where the user stops a batch, says what is done."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        tell(f"wiki: {len(results)} of {total} done; the same command goes on")
        raise


@contextlib.contextmanager
def _filler(repo: Repository, config: Config, options: IngestOptions) -> Iterator[Extractor]:
    filler = fillers.choose(
        repo, config, options.model, options.max_cost, user_table(), yes=options.yes
    )
    try:
        yield filler
    finally:
        fillers.close(filler)


def _name_the_file(error: WikiError, item: NamedSource) -> None:
    """Where an error names a copy below raw/ that was not made, the file that a person knows."""
    if error.where == item.path or error.where.startswith(f"{item.path}:"):
        error.where = item.place + error.where.removeprefix(item.path)


def _read(item: NamedSource, piped: bytes, limits: SourceLimits) -> SourceInput:
    if item.found is None:
        return SourceInput(item.path, piped, inside=False)
    return read_input(item.found, limits)


def _settings(config: Config, options: IngestOptions, batch: str) -> IngestSettings:
    return IngestSettings(
        terms=landing_options(config, options.allow_detached),
        limits=SourceLimits(max_bytes=options.max_size or config.whole("ingest.max_size")),
        segment_bytes=config.whole("ingest.segment_bytes"),
        allowed_secrets=frozenset(options.allow_secret),
        dry_run=options.dry_run,
        review=options.review,
        batch=batch,
        notice=notice_once(),
    )


def _ends_batch(error: WikiError) -> bool:
    """Whether the same would befall every source after this one."""
    return error.exit_code in (3, 6) or isinstance(error, CostError)


def _batch_id(repo: Repository, named: Sequence[NamedSource]) -> str:
    text = "\0".join([repo.head() or "", *(n.path for n in named)])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """Counts one source with each call and says what it is given: above a bar on a terminal."""
    if total < 2 or not is_terminal():
        yield lambda text: say(text) if text else None
        return
    with click.progressbar(length=total, label="ingest", file=sys.stderr) as bar:

        def done(text: str) -> None:
            if text:
                click.echo(CLEAR_LINE, err=True, nl=False)
                say(text)
            bar.update(1)
            bar.render_progress()

        yield done
