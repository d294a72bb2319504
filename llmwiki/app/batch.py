"""The sources of one ingest that are not known yet, read one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, model_to_call, was_asked_for
from llmwiki.core.agent_files import is_agent_file, is_renamed
from llmwiki.core.errors import PolicyError, ProviderError, WikiError
from llmwiki.git.store.transaction import preflight
from llmwiki.ingest.extraction.extractors import ModelExtractor, ReaderWithoutModel
from llmwiki.ingest.known import keep_refused
from llmwiki.ingest.report import NOT_READ, OperationReport, diff_of
from llmwiki.ingest.run import ingest
from llmwiki.ingest.types import IngestSettings, SourceInput
from llmwiki.models.usage import CostError
from llmwiki.sources.brand import read_brand
from llmwiki.sources.converted import SourceLimits
from llmwiki.sources.formats import is_image
from llmwiki.sources.pictures import PicturesError

if TYPE_CHECKING:
    from llmwiki.app.ingest_types import IngestOptions
    from llmwiki.app.named_sources import NamedSource
    from llmwiki.ingest.extraction.types import Extractor
    from llmwiki.landing.open_wiki import OpenWiki

ENDS = (3, 6)
"""Exit codes of failures that would befall every other source too."""
_BESIDE = (
    "{path} has other bytes, so this lies beside it; if it is a new version of that file, copy it"
    " over it and ingest that"
)

_RENAMED = "it has another name here: coding agents obey a file of its own name, wherever it lies"
_OBEYED = "coding agents obey a file of this name, wherever it lies; rename it unless they shall"


def run_batch(
    wiki: OpenWiki,
    named: Sequence[NamedSource],
    options: IngestOptions,
    *,
    is_alone: bool,
    on: Callable[[OperationReport], None],
) -> tuple[list[OperationReport], int]:
    """One commit a source; what fails is reported and does not stop the rest.

    `on` takes each report as soon as it is there. Returns the reports, in the order of `named`, and
    the exit code of the first failure, or of a rule that refused one; after one of `ENDS`, or of a
    limit on cost, the rest is not tried. Raises the failure of a source that `is_alone`, unless
    `options.collect`.
    """
    settings = settings_of(wiki, options, "" if is_alone else _batch_id(wiki, named))
    reports: list[OperationReport] = []
    code = 0
    with ExitStack() as stack:
        reader: Extractor | None = None
        for number, item in enumerate(named, start=1):
            ended = False
            wiki.tell.step(f"reading {item.place}", number, 0 if is_alone else len(named))
            try:
                if reader is None:
                    reader = stack.enter_context(_extractor(wiki, options))
                report = ingest(wiki.repo, wiki.state, _input(item, settings), reader, settings)
                if report.status in ("ingested", "planned"):
                    report = replace(report, note=_note(item) or report.note)
                if is_alone:
                    report = replace(report, diff=diff_of(wiki.repo, report.plan))
                _keep_refused(wiki, item, None, options)
            except WikiError as error:
                _name_the_file(error, item)
                _keep_refused(wiki, item, error, options)
                if isinstance(error, PicturesError) and not item.is_named and is_image(item.path):
                    report = OperationReport.skipped(item.path, "", NOT_READ)
                elif is_alone and not options.collect:
                    raise
                else:
                    report, ended = (
                        OperationReport.failed(item.place, error),
                        _ends_batch(error),
                    )
                    code = _worse(code, error.exit_code)
            reports.append(report)
            on(report)
            if ended:
                break
    if len(reports) > 1:
        wiki.repo.maintain()
    return reports, code


def _note(item: NamedSource) -> str:
    """What is to be said of a source's name."""
    if is_agent_file(item.path):
        return _OBEYED
    if is_renamed(item.path) and not (item.found and item.found.inside):
        return _RENAMED
    beside = item.found.beside if item.found else ""
    return _BESIDE.format(path=beside) if beside else ""


def inputs(named: Sequence[NamedSource], settings: IngestSettings) -> Iterator[SourceInput]:
    """The sources with their bytes, read one after the other."""
    return (_input(item, settings) for item in named)


def _input(item: NamedSource, settings: IngestSettings) -> SourceInput:
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
    config = wiki.config
    return IngestSettings(
        terms=wiki.landing(options.allow_detached, review=options.review, batch=batch),
        limits=SourceLimits(max_bytes=options.or_setting("max_size", config)),
        segment_bytes=config.whole("ingest.segment_bytes"),
        allowed_secrets=frozenset(options.allow_secret),
        dry_run=options.dry_run,
        again=options.again,
        anew=options.again,
        notice=wiki.tell.notice,
    )


def _keep_refused(
    wiki: OpenWiki, item: NamedSource, error: WikiError | None, options: IngestOptions
) -> None:
    """Keeps for `wiki status` why a file of its own cannot be read, and that it could be."""
    if options.dry_run or item.found is None:
        return
    if error is None:
        keep_refused(wiki.repo, item.found.file, "")
    elif not (_ends_batch(error) or isinstance(error, ProviderError)):
        why = OperationReport.failed(item.place, error).error
        # A picture may find its reader without having changed.
        code = 0 if isinstance(error, PicturesError) else error.exit_code
        keep_refused(wiki.repo, item.found.file, why, code)


def _name_the_file(error: WikiError, item: NamedSource) -> None:
    """Where an error names a copy below raw/ that was not made, the file that a person knows."""
    if error.where == item.path or error.where.startswith(f"{item.path}:"):
        error.where = item.place + error.where.removeprefix(item.path)


def _worse(code: int, next_code: int) -> int:
    """What a rule refused, such as a secret, is not to be missed behind an earlier failure."""
    return next_code if next_code == PolicyError.exit_code else code or next_code


def _ends_batch(error: WikiError) -> bool:
    """Whether the same would befall every source after this one."""
    return error.exit_code in ENDS or isinstance(error, CostError)


def _batch_id(wiki: OpenWiki, named: Sequence[NamedSource]) -> str:
    text = "\0".join([wiki.repo.head() or "", *(n.path for n in named)])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


@contextmanager
def _extractor(wiki: OpenWiki, options: IngestOptions) -> Iterator[Extractor]:
    """A model or the reader without a model; its connections are closed at the end.

    Refuses what landing would refuse, before anything is paid.
    """
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
        )
