"""Sources in, one commit each; or the jobs for an agent, or what a model would take."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.app.ingest.named_sources import is_document, named_sources
from llmwiki.app.ingest.options_and_report import IngestOptions, IngestReport, left_out_text
from llmwiki.core.callbacks import ignore
from llmwiki.core.errors import InputError, PolicyError, ProviderError, WikiError
from llmwiki.core.settings_precedence import OFFLINE
from llmwiki.ingest.report import NOT_READ, OperationReport, diff_of
from llmwiki.sources.formats import ending_of, is_image

if TYPE_CHECKING:
    from llmwiki.app.ingest.estimate import IngestEstimate, SourceEstimate
    from llmwiki.app.ingest.jobs_for_agents import PreparedJob
    from llmwiki.app.ingest.named_sources import SourceStream
    from llmwiki.ingest.extraction.extractor import Extractor
    from llmwiki.ingest.known import RefusedFile
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.sources.source_file import NamedSource


ENDS = (3, 6)
"""Exit codes of failures that would befall every other source too."""


def ingest(
    wiki: OpenWiki,
    paths: Sequence[str] = (),
    options: IngestOptions | None = None,
    *,
    stream: SourceStream | None = None,
    started: Callable[[int], None] = ignore,
    on: Callable[[OperationReport], None] = ignore,
) -> IngestReport:
    """Reads sources into the wiki, one commit each.

    `paths` are files, folders and addresses; `stream` is a source that lies in no file.
    `started` takes how many sources were named; `on` what became of each.
    Of several sources what fails is reported and does not stop the rest, unless the same would
    befall it (`ENDS`, a limit on cost); the failure of a source that is the only one is raised,
    unless `options.collect`.
    """
    options = options or IngestOptions()
    named, left_out = _named(wiki, paths, options, stream)
    started(len(named))
    # Told before anything heavy is loaded.
    from llmwiki.ingest.known import keep_refused, refused_files

    refused, is_alone = refused_files(wiki.repo), len(named) == 1
    batch = "" if is_alone else _batch_id(wiki, named)
    reports: list[OperationReport] = []
    settings: IngestSettings | None = None
    extractor: Extractor | None = None
    if options.review or wiki.reviews_always:
        settings = settings_of(wiki, options, batch)
    with ExitStack() as opened:
        for number, item in enumerate(named, start=1):
            wiki.tell.step(f"reading {item.place}", number, 0 if is_alone else len(named))
            report = _settled(wiki, item, options, settings, refused)
            if report is None:
                from llmwiki.ingest.run import read_source

                settings = settings or settings_of(wiki, options, batch)
                try:
                    extractor = extractor or _extractor(wiki, options, opened)
                    report = read_source(wiki.state, item, extractor, settings)
                    if item.file is not None and not options.dry_run:
                        keep_refused(wiki.repo, item.file, "")
                except WikiError as error:
                    raises = is_alone and not options.collect
                    report = _failed(wiki, item, error, options, raises=raises)
            if is_alone:
                report = replace(report, diff=diff_of(wiki.repo, report.plan))
            reports.append(report)
            on(report)
            if report.exit_code in ENDS or report.over_limit:
                break
    if sum(report.commit is not None for report in reports) > 1:
        wiki.repo.maintain()
    unread = [ending_of(report.source) for report in reports if report.note == NOT_READ]
    left_out.update(unread)
    if unread and len(unread) == len(reports):
        raise _nothing_read(paths, left_out)
    return _report(wiki, options, reports, len(named) - len(unread), left_out)


def _report(
    wiki: OpenWiki,
    options: IngestOptions,
    reports: Sequence[OperationReport],
    named: int,
    left_out: Mapping[str, int],
) -> IngestReport:
    """What became of all sources, those left out that were pictures nobody reads."""
    from llmwiki.app.which_model import has_model
    from llmwiki.ingest.known import UNCHANGED

    codes = [report.exit_code for report in reports if report.exit_code]
    # What a rule refused, such as a secret, is not to be missed behind an earlier failure.
    code = PolicyError.exit_code if PolicyError.exit_code in codes else next(iter(codes), 0)
    read = (report for report in reports if report.note != NOT_READ)
    operations = tuple(sorted(read, key=lambda report: report.source))
    same = {report.source for report in operations if report.note == UNCHANGED}
    waits = same and options.model != OFFLINE and has_model(wiki.config)
    offline = tuple(_read_offline(wiki, same)) if waits else ()
    return IngestReport(operations, named, code, offline, left_out)


def _settled(
    wiki: OpenWiki,
    item: NamedSource,
    options: IngestOptions,
    settings: IngestSettings | None,
    refused: Mapping[str, RefusedFile],
) -> OperationReport | None:
    """What is to be said of a source that needs nothing; None: it is to be read.

    `settings` are there where what is read waits for review, on a branch that may have it already.
    """
    from llmwiki.ingest.known import UNREADABLE, known_source

    if settings is not None and settings.terms.review:
        from llmwiki.landing.land import review_base

        review_base(wiki.state, settings.terms, "ingest")
    else:
        wiki.state.follow()
    sha256, reason, again = "", "", options.again
    # Of what cannot be read its reader says why.
    with suppress(WikiError):
        sha256 = item.sha256()
        known = known_source(wiki.state, item, sha256, again=again, anew=again)
        reason = known.reason
    held = refused.get(str(item.file)) if item.file and not item.is_named else None
    # What a rule refused, such as a secret, is told each time.
    if not reason and held is not None and held.code == InputError.exit_code:
        sha256, reason = "", UNREADABLE
    return OperationReport.skipped(item.path, sha256, reason) if reason else None


def _failed(
    wiki: OpenWiki, item: NamedSource, error: WikiError, options: IngestOptions, *, raises: bool
) -> OperationReport:
    """What is to be said of a source that could not be read; `wiki status` keeps why."""
    from llmwiki.ingest.known import keep_refused
    from llmwiki.sources.pictures import PicturesError

    # Of a copy below raw/ that was not made, a person knows the file.
    if error.where == item.path or error.where.startswith(f"{item.path}:"):
        error.where = item.place + error.where.removeprefix(item.path)
    report = OperationReport.failed(item.place, error)
    is_unseen = isinstance(error, PicturesError)
    ends = error.exit_code in ENDS or report.over_limit or isinstance(error, ProviderError)
    if item.file is not None and not (options.dry_run or ends):
        # A picture may find its reader without having changed.
        code = 0 if is_unseen else error.exit_code
        keep_refused(wiki.repo, item.file, report.error, code)
    if is_unseen and not item.is_named and is_image(item.path):
        return OperationReport.skipped(item.path, "", NOT_READ)
    if raises:
        raise error
    return report


def prepare(
    wiki: OpenWiki,
    paths: Sequence[str] = (),
    options: IngestOptions | None = None,
    *,
    stream: SourceStream | None = None,
) -> tuple[PreparedJob, ...]:
    """The jobs for an agent that reads sources, one a segment, written to files; no commit."""
    options = options or IngestOptions()
    named = _told(wiki, *_named(wiki, paths, options, stream))
    from llmwiki.app.ingest.jobs_for_agents import prepare_jobs

    settings = settings_of(wiki, options)
    return tuple(prepare_jobs(wiki, named, settings))


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
    from llmwiki.app.ingest.estimate import estimate_sources

    settings = settings_of(wiki, options)
    return estimate_sources(wiki, named, settings, options.model, on)


def _named(
    wiki: OpenWiki, paths: Sequence[str], options: IngestOptions, stream: SourceStream | None
) -> tuple[list[NamedSource], Counter[str]]:
    """The sources, and how many files of which ending were met beside them that are not read.
    Raises InputError where there is nothing but these."""
    limit = wiki.config.whole("ingest.max_size")
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
        from llmwiki.app.ingest.named_sources import web_sources

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


# --- how they are read ----------------------------------------------------------------------------


def settings_of(wiki: OpenWiki, options: IngestOptions, batch: str = "") -> IngestSettings:
    """What an ingest is allowed, by its options and the settings in force."""
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.sources.conversion_limits import SourceLimits

    config = wiki.config
    return IngestSettings(
        terms=wiki.landing(options.allow_detached, review=options.review, batch=batch),
        limits=SourceLimits(max_bytes=config.whole("ingest.max_size")),
        segment_bytes=config.whole("ingest.segment_bytes"),
        allowed_secrets=frozenset(options.allow_secret),
        dry_run=options.dry_run,
        again=options.again,
        anew=options.again,
        notice=wiki.tell.notice,
    )


def _batch_id(wiki: OpenWiki, named: Sequence[NamedSource]) -> str:
    """The name of what is reviewed as one."""
    text = "\0".join([wiki.repo.head() or "", *(item.path for item in named)])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _extractor(wiki: OpenWiki, options: IngestOptions, opened: ExitStack) -> Extractor:
    """A model or the reader without a model; its connections are closed at the end of `opened`.

    Refuses what landing would refuse, before anything is paid.
    """
    from llmwiki.app.which_model import client_for, model_to_call, was_asked_for
    from llmwiki.git.store.transaction import preflight
    from llmwiki.sources.brand import read_brand

    model = options.model
    settings = model_to_call(wiki, model)
    if settings is None:
        if not was_asked_for(wiki.config, model):
            wiki.tell.notice("no key for a model; documents are read without one (--model offline)")
        from llmwiki.ingest.extraction.without_model import ReaderWithoutModel

        return ReaderWithoutModel()
    from llmwiki.ingest.extraction.model import ModelExtractor
    from llmwiki.ingest.pictures import ModelReader

    preflight(wiki.repo)
    parallel = wiki.config.whole("ingest.parallel")
    looks = wiki.config.flag("ingest.pictures")
    client = opened.enter_context(
        client_for(wiki.config, settings, options.max_cost, budget=options.budget)
    )
    return ModelExtractor(
        client,
        read_brand(wiki.repo),
        parallel=parallel,
        max_candidates=wiki.config.whole("ingest.candidates"),
        segment_bytes=wiki.config.whole("ingest.segment_bytes"),
        picture_reader=partial(ModelReader, client, parallel=parallel) if looks else None,
    )
