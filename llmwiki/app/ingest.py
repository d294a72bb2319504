"""Sources in, one commit each; or the jobs for an agent, or what a model would take."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.app.ingest_types import IngestOptions, IngestReport, left_out_text
from llmwiki.app.named_sources import is_document, known_hash, named_sources
from llmwiki.core.agent_files import is_agent_file, is_renamed
from llmwiki.core.callbacks import ignore
from llmwiki.core.config import OFFLINE
from llmwiki.core.errors import InputError, PolicyError, ProviderError, WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.ingest.report import NOT_READ, OperationReport, diff_of
from llmwiki.sources.formats import ending_of, is_image

if TYPE_CHECKING:
    from llmwiki.app.estimate import IngestEstimate, SourceEstimate
    from llmwiki.app.ingest_jobs import PreparedJob
    from llmwiki.app.named_sources import NamedSource, SourceStream
    from llmwiki.ingest.extractors import Extractor
    from llmwiki.ingest.source_text import IngestSettings, SourceInput
    from llmwiki.landing.open_wiki import OpenWiki


ENDS = (3, 6)
"""Exit codes of failures that would befall every other source too."""
_BESIDE = (
    "{path} has other bytes, so this lies beside it; if it is a new version of that file, copy it"
    " over it and ingest that"
)

_RENAMED = "it has another name here: coding agents obey a file of its own name, wherever it lies"
_OBEYED = "coding agents obey a file of this name, wherever it lies; rename it unless they shall"


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
    Of several sources what fails is reported and does not stop the rest, unless the same would
    befall it (`ENDS`, a limit on cost); the failure of a source that is the only one is raised,
    unless `options.collect`.
    """
    options = options or IngestOptions()
    named, left_out = _named(wiki, paths, options, stream)
    # Told before anything heavy is loaded.
    from llmwiki.app.models import has_model
    from llmwiki.ingest.known import UNCHANGED

    reports, fresh = _settled(wiki, named, options)
    done: list[OperationReport] = []
    with ExitStack() as stack:
        reader: Extractor | None = None
        if fresh:
            started(len(fresh), len(named))
            settings = settings_of(wiki, options, _batch_id(wiki, fresh, len(named)))
        for number, item in enumerate(fresh, start=1):
            wiki.tell.step(f"reading {item.place}", number, len(fresh) if len(named) > 1 else 0)
            try:
                reader = reader or stack.enter_context(_extractor(wiki, options))
                done.append(_read(wiki, item, reader, settings, is_alone=len(named) == 1))
            except WikiError as error:
                raises = len(named) == 1 and not options.collect
                done.append(_failed(wiki, item, error, options, raises=raises))
            on(done[-1])
            if done[-1].exit_code in ENDS or done[-1].over_limit:
                break
    if len(done) > 1:
        wiki.repo.maintain()
    codes = [report.exit_code for report in done if report.exit_code]
    # What a rule refused, such as a secret, is not to be missed behind an earlier failure.
    code = PolicyError.exit_code if PolicyError.exit_code in codes else next(iter(codes), 0)
    unread = [ending_of(report.source) for report in done if report.note == NOT_READ]
    left_out.update(unread)
    reports += (report for report in done if report.note != NOT_READ)
    if unread and not reports:
        raise _nothing_read(paths, left_out)
    reports.sort(key=lambda report: report.source)
    same = {report.source for report in reports if report.note == UNCHANGED}
    waits = same and options.model != OFFLINE and has_model(wiki.config)
    offline = _read_offline(wiki, same) if waits else ()
    return IngestReport(tuple(reports), len(named) - len(unread), code, tuple(offline), left_out)


def _settled(
    wiki: OpenWiki, named: Sequence[NamedSource], options: IngestOptions
) -> tuple[list[OperationReport], list[NamedSource]]:
    """What is to be said of the sources that need nothing, and the others."""
    from llmwiki.ingest.known import UNREADABLE, refused_files

    wiki.state.follow()
    reports: list[OperationReport] = []
    fresh: list[NamedSource] = []
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
    return reports, fresh


def _read(
    wiki: OpenWiki,
    named: NamedSource,
    reader: Extractor,
    settings: IngestSettings,
    *,
    is_alone: bool,
) -> OperationReport:
    """One source in, one verified commit out.

    Raises the errors of reading, filling and landing; then nothing has changed.
    """
    from llmwiki.ingest.extraction.jobs import Jobs
    from llmwiki.ingest.known import keep_refused
    from llmwiki.ingest.run import known_as, land_reading
    from llmwiki.ingest.source_text import open_document, picture_reader, weigh
    from llmwiki.landing.land import review_base

    repo, state, item = wiki.repo, wiki.state, _input(named, settings)
    sha256 = sha256_hex(item.data)
    if settings.terms.review:
        review_base(state, settings.terms, "ingest")
    else:
        state.follow()
    known = known_as(repo, state, item, sha256, settings)
    if known.reason:
        if named.found is not None and not settings.dry_run:
            keep_refused(repo, named.found.file, "")
        return OperationReport.skipped(item.path, sha256, known.reason)
    before = reader.usage
    document = open_document(repo, item, settings, reader.picture_reader, head=state.commit)
    weigh(repo, item, settings.notice)
    report = land_reading(repo, state, item, document, reader, settings, before)
    if picture_reader(document) and not (settings.dry_run or settings.terms.review):
        Jobs(repo).done(sha256)
    if report.status in ("ingested", "planned"):
        report = replace(report, note=_note(named) or report.note)
    if named.found is not None and not settings.dry_run:
        keep_refused(repo, named.found.file, "")
    return replace(report, diff=diff_of(repo, report.plan)) if is_alone else report


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
    if item.found is not None and not (options.dry_run or ends):
        # A picture may find its reader without having changed.
        code = 0 if is_unseen else error.exit_code
        keep_refused(wiki.repo, item.found.file, report.error, code)
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
    from llmwiki.app.ingest_jobs import prepare_jobs

    settings = settings_of(wiki, options)
    return tuple(prepare_jobs(wiki, (_input(item, settings) for item in named), settings))


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
    from llmwiki.app.estimate import estimate_sources

    settings = settings_of(wiki, options)
    return estimate_sources(
        wiki, (_input(item, settings) for item in named), settings, options.model, on
    )


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


# --- how they are read ----------------------------------------------------------------------------


def _note(item: NamedSource) -> str:
    """What is to be said of a source's name."""
    if is_agent_file(item.path):
        return _OBEYED
    if is_renamed(item.path) and not (item.found and item.found.inside):
        return _RENAMED
    beside = item.found.beside if item.found else ""
    return _BESIDE.format(path=beside) if beside else ""


def _input(item: NamedSource, settings: IngestSettings) -> SourceInput:
    """The source with its bytes."""
    from llmwiki.ingest.source_text import SourceInput

    if item.refused is not None:
        raise item.refused
    if item.found is None:
        return SourceInput(item.path, item.piped, inside=False, origin=item.origin)
    found = item.found
    data = found.read(settings.limits)
    return SourceInput(
        found.path, data, found.inside, found.file.as_posix(), item.origin, item.is_named
    )


def settings_of(wiki: OpenWiki, options: IngestOptions, batch: str = "") -> IngestSettings:
    """What an ingest is allowed, by its options and the settings in force."""
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.sources.converted import SourceLimits

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


def _batch_id(wiki: OpenWiki, fresh: Sequence[NamedSource], named: int) -> str:
    """The name of what is reviewed as one; of a source that was named alone it has none."""
    text = "\0".join([wiki.repo.head() or "", *(n.path for n in fresh)])
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return "" if named == 1 else digest


@contextmanager
def _extractor(wiki: OpenWiki, options: IngestOptions) -> Iterator[Extractor]:
    """A model or the reader without a model; its connections are closed at the end.

    Refuses what landing would refuse, before anything is paid.
    """
    from llmwiki.app.models import client_for, model_to_call, was_asked_for
    from llmwiki.git.store.transaction import preflight
    from llmwiki.ingest.extractors import ModelExtractor, ReaderWithoutModel
    from llmwiki.sources.brand import read_brand

    model = options.model
    settings = model_to_call(wiki, model)
    if settings is None:
        if not was_asked_for(wiki.config, model):
            wiki.tell.notice("no key for a model; documents are read without one (--model offline)")
        yield ReaderWithoutModel()
        return
    preflight(wiki.repo)
    with client_for(wiki.config, settings, options.max_cost, budget=options.budget) as client:
        yield ModelExtractor(
            client=client,
            looks=wiki.config.flag("ingest.pictures"),
            brand=read_brand(wiki.repo),
            parallel=wiki.config.whole("ingest.parallel"),
            max_candidates=wiki.config.whole("ingest.candidates"),
            segment_bytes=wiki.config.whole("ingest.segment_bytes"),
        )
