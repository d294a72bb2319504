"""The jobs for an agent that reads sources: files that it opens one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.document import Segment
from llmwiki.ingest.extraction.jobs import Jobs, with_text
from llmwiki.ingest.extraction.prompt import render_job, render_rules
from llmwiki.ingest.extraction.shown_pages import pages_for
from llmwiki.ingest.known import READ_AGAIN, UNCHANGED, known_source
from llmwiki.ingest.report import NOT_READ
from llmwiki.ingest.source_text import job_of, job_source, open_document
from llmwiki.sources.brand import read_brand
from llmwiki.sources.formats import is_image
from llmwiki.sources.pictures import PicturesError
from llmwiki.sources.read_source import numbered
from llmwiki.sources.segments import segment

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.sources.source_file import NamedSource

MOST = 25_000
"""Characters of one job: what the tools of agents show of a file at once."""
SEGMENT_BYTES, SEGMENT_CHARACTERS = 17_000, 18_000
"""UTF-8 of the text in one job, and its characters with the numbers of lines: with what is shown of
the wiki it is no longer than a job may be."""
WHOLE = 18_000
"""Characters of a numbered text up to which it is one job."""


@dataclass(frozen=True, slots=True)
class PreparedJob:
    """One job for an agent."""

    source: str
    """Below raw/."""
    text: str
    """The job, as Markdown; empty where it is answered."""
    file: str = ""
    """Where it was written, absolute; empty where it was not."""
    rules: str = ""
    """The file with the rules, which are the same for all jobs; empty where they stand in it."""
    number: int = 1
    of: int = 1
    """How many segments the source has."""
    lines: tuple[int, int] = (0, 0)
    """The first and the last line of the segment; (0, 0) for a job about pictures."""
    is_answered: bool = False


def prepare_jobs(
    wiki: OpenWiki, items: Iterable[NamedSource], settings: IngestSettings
) -> Iterator[PreparedJob]:
    """Makes the jobs for an agent to fill and records them.

    Each is written to a file in the git directory; nothing else is written.
    """
    from llmwiki.ingest.pictures import prepare_pictures

    repo = wiki.repo
    wiki.state.follow()
    maker = _JobMaker(wiki)
    for named in items:
        again, anew = settings.again, settings.anew
        known = known_source(wiki.state, named, named.sha256(), again=again, anew=anew)
        if known.reason:
            way = f"; {READ_AGAIN}" if known.reason == UNCHANGED else ""
            wiki.tell.notice(f"{named.path}: {known.reason}{way}")
            continue
        item = named.read(settings.limits)
        looks = wiki.config.flag("ingest.pictures")
        first = prepare_pictures(repo, item, settings) if looks else ""
        if first:
            yield PreparedJob(item.path, first)
            continue
        try:
            document = open_document(repo, item, settings, head=wiki.state.commit)
        except PicturesError:
            if item.is_named or not is_image(item.path):
                raise
            wiki.tell.notice(f"{item.path}: {NOT_READ}")
            continue
        segments = _segments(document, settings)
        Jobs(repo).save(with_text(job_of(item), document, segments))
        yield from maker.written(document, segments)


def renewed(wiki: OpenWiki, sha256: str, settings: IngestSettings) -> PreparedJob | None:
    """Writes the jobs of a source that are not answered yet anew, with what the answered ones say;
    the first of them. None: there is none."""
    repo = wiki.repo
    job = Jobs(repo).load(sha256)
    if job is None:
        return None
    wiki.state.follow()
    item = job_source(repo, job, settings.limits)
    document = open_document(repo, item, settings, head=wiki.state.commit)
    of = len(job.segments)
    parts = [Segment(n, of, *lines) for n, lines in enumerate(job.segments, start=1)]
    waiting = [made for made in _JobMaker(wiki).written(document, parts) if not made.is_answered]
    return waiting[0] if waiting else None


class _JobMaker:
    """Makes the jobs of one wiki as it is at HEAD."""

    def __init__(self, wiki: OpenWiki) -> None:
        self._wiki = wiki
        self._jobs = Jobs(wiki.repo)
        self._brand = read_brand(wiki.repo)
        self._limit = wiki.config.whole("ingest.candidates")

    def written(self, document: Document, segments: Sequence[Segment]) -> Iterator[PreparedJob]:
        """The jobs of a source, in files; those that are answered are not written again."""
        rules = self._jobs.write_rules(render_rules(self._brand))
        answered = self._jobs.answers(document.sha256)
        for part in segments:
            done = part.number in answered
            text = "" if done else self._text(document, part, rules)
            file = "" if done else self._jobs.write_job(document.sha256, part.number, text)
            lines = (part.first, part.last)
            yield PreparedJob(document.path, text, file, rules, part.number, part.of, lines, done)

    def _text(self, document: Document, part: Segment, rules: str) -> str:
        shown = pages_for(document, part, self._wiki.state, self._limit)
        answers = self._jobs.answers(document.sha256)
        return render_job(
            document,
            part,
            shown.pages,
            self._brand,
            titles=shown.titles,
            earlier=[answers[number] for number in sorted(answers) if number < part.number],
            rules=rules,
            most=MOST,
        )


def _segments(document: Document, settings: IngestSettings) -> tuple[Segment, ...]:
    whole = segment(document, max_bytes=settings.segment_bytes)
    shown = sum(len(numbered(document, part.first, part.last)) for part in whole)
    if len(whole) == 1 and shown <= WHOLE:
        return whole
    held = sum(len(line.encode("utf-8", "replace")) + 1 for line in document.lines)
    fitting = max(1, held * SEGMENT_CHARACTERS // max(shown, 1))
    return segment(document, max_bytes=min(settings.segment_bytes, SEGMENT_BYTES, fitting))
