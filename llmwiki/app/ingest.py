"""Sources in, one commit each; or the jobs for an agent, or what a model would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from llmwiki.app.ingest_types import IngestOptions, IngestReport, left_out_text
from llmwiki.app.named_sources import is_document, known_hash, named_sources
from llmwiki.core.callbacks import ignore
from llmwiki.core.config import OFFLINE
from llmwiki.core.errors import InputError
from llmwiki.ingest.report import NOT_READ, OperationReport
from llmwiki.sources.formats import ending_of

if TYPE_CHECKING:
    from llmwiki.app.estimate import IngestEstimate, SourceEstimate
    from llmwiki.app.ingest_jobs import PreparedJob
    from llmwiki.app.named_sources import NamedSource, SourceStream
    from llmwiki.landing.open_wiki import OpenWiki


def ingest(
    wiki: OpenWiki,
    paths: Sequence[str] = (),
    options: IngestOptions | None = None,
    *,
    stream: SourceStream | None = None,
    started: Callable[[int, int], None] = ignore,
    on: Callable[[OperationReport], None] = ignore,
) -> IngestReport:
    """Reads sources into the wiki, one commit each.

    `paths` are files, folders and addresses; `stream` is a source that lies in no file.
    `started` takes how many sources are new and how many were named; `on` what became of each
    new one.
    Of several sources what fails is reported and does not stop the rest; the failure of a
    source that is the only one is raised, unless `options.collect`.
    """
    options = options or IngestOptions()
    named, left_out = _named(wiki, paths, options, stream)
    reports: list[OperationReport] = []
    fresh = []
    # Told before anything heavy is loaded.
    from llmwiki.app.models import has_model
    from llmwiki.ingest.known import UNCHANGED, UNREADABLE, refused_files

    wiki.state.follow()
    # What a rule refused, such as a secret, is told each time.
    broken = {
        path for path, held in refused_files(wiki.repo).items() if held.code == InputError.exit_code
    }
    for number, item in enumerate(named, start=1):
        wiki.tell.step("looking for what is new", number, len(named))
        sha256, settled = known_hash(wiki.repo, wiki.state, item, again=options.again)
        if not item.is_named and item.found and str(item.found.file) in broken:
            settled = settled or UNREADABLE
        if settled:
            reports.append(OperationReport.skipped(item.path, sha256, settled))
        else:
            fresh.append(item)
    code = pictures = 0
    if fresh:
        from llmwiki.app.batch import run_batch

        started(len(fresh), len(named))
        done, code = run_batch(wiki, fresh, options, is_alone=len(named) == 1, on=on)
        reports += (report for report in done if report.note != NOT_READ)
        unread = [ending_of(report.source) for report in done if report.note == NOT_READ]
        left_out.update(unread)
        pictures = len(unread)
        if pictures and not reports:
            raise _nothing_read(paths, left_out)
    reports.sort(key=lambda report: report.source)
    same = {report.source for report in reports if report.note == UNCHANGED}
    waits = same and options.model != OFFLINE and has_model(wiki.config)
    offline = _read_offline(wiki, same) if waits else ()
    return IngestReport(tuple(reports), len(named) - pictures, code, tuple(offline), left_out)


def prepare(
    wiki: OpenWiki,
    paths: Sequence[str] = (),
    options: IngestOptions | None = None,
    *,
    stream: SourceStream | None = None,
    which: str | None = None,
) -> tuple[PreparedJob, ...]:
    """The jobs for an agent that reads sources, one a segment, written to files; no commit.

    Only segment `which`, `K` or `K/N`, where one is named: without a file.
    """
    options = options or IngestOptions()
    named = _told(wiki, *_named(wiki, paths, options, stream))
    from llmwiki.app.batch import inputs, settings_of
    from llmwiki.app.ingest_jobs import prepare_jobs

    settings = settings_of(wiki, options)
    return tuple(prepare_jobs(wiki, inputs(named, settings), settings, which))


def estimate(
    wiki: OpenWiki,
    paths: Sequence[str] = (),
    options: IngestOptions | None = None,
    *,
    stream: SourceStream | None = None,
    on: Callable[[SourceEstimate], None] = ignore,
) -> IngestEstimate:
    """What reading sources by a model would take; none is called.

    `on` takes the estimate of each source as it is made.
    """
    options = options or IngestOptions()
    named = _told(wiki, *_named(wiki, paths, options, stream))
    from llmwiki.app.batch import inputs, settings_of
    from llmwiki.app.estimate import estimate_sources

    settings = settings_of(wiki, options)
    return estimate_sources(wiki, inputs(named, settings), settings, options.model, on)


def _named(
    wiki: OpenWiki, paths: Sequence[str], options: IngestOptions, stream: SourceStream | None
) -> tuple[list[NamedSource], Counter[str]]:
    """The sources, and how many files of which ending were met beside them that are not read.
    Raises InputError where there is nothing but these."""
    limit = options.or_setting("max_size", wiki.config)
    if not paths and stream is None:
        paths = [str(wiki.repo.root / path) for path in _read_offline(wiki)]
        if not paths:
            raise InputError(
                "no source was read without a model",
                fix="Name the sources that are to be read again.",
            )
    addresses = [path for path in paths if "://" in path]
    files = [path for path in paths if "://" not in path]
    named = named_sources(wiki, files, stream, limit, options.below)
    if addresses:
        from llmwiki.app.named_sources import web_sources

        named += web_sources(
            wiki,
            addresses,
            limit,
            is_allowed=options.or_setting("allow_network", wiki.config),
            allowed_secrets=options.allow_secret,
        )
    beside = [item for item in named if not item.is_named and not is_document(item)]
    left_out = Counter(ending_of(item.path) for item in beside)
    named = [item for item in named if item.is_named or is_document(item)]
    if left_out and not named:
        raise _nothing_read(paths, left_out)
    return named, left_out


def _nothing_read(paths: Sequence[str], left_out: Mapping[str, int]) -> InputError:
    return InputError(left_out_text(left_out), where=paths[0], fix="Name a file that is read.")


def _told(
    wiki: OpenWiki, named: list[NamedSource], left_out: Mapping[str, int]
) -> list[NamedSource]:
    if left_out:
        wiki.tell.notice(left_out_text(left_out))
    return named


def _read_offline(wiki: OpenWiki, among: Collection[str] | None = None) -> list[str]:
    """The sources that were read without a model alone, where their files are there."""
    from llmwiki.ingest.known import read_offline

    wiki.state.follow()
    rows = [row for row in wiki.state.ledgers() if among is None or row.resource in among]
    found = read_offline(wiki.repo, rows)
    return [path for path in found if wiki.repo.has_file(path)]
