"""The task of reading a segment, and a model that reads all segments of a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from llmwiki.core.document import Document, Segment, ShownPages
from llmwiki.core.settings_table import default_of
from llmwiki.ingest.extraction.extractor import Answers, Extractor
from llmwiki.ingest.extraction.jobs import PaidAnswers
from llmwiki.ingest.extraction.prompt import build_prompt
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.extraction.shown_pages import pages_for
from llmwiki.models.ask_and_validate import Task, run_tasks, validated
from llmwiki.models.json_answers import output_schema
from llmwiki.sources.segments import SEGMENT_BYTES, segment

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.extraction.jobs import Transcripts
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.models.client import Client
    from llmwiki.models.messages import Prompt
    from llmwiki.models.tokens_and_cost import Usage
    from llmwiki.sources.pictures import PictureReader

CandidatesFor = Callable[[Segment], ShownPages]
"""The pages that a segment may be about, best first. Called in the caller's thread."""


def segment_tasks(
    document: Document,
    segments: Sequence[Segment],
    candidates_for: CandidatesFor,
    brand: str,
    earlier: Sequence[Extraction] = (),
) -> Iterator[Task[Extraction]]:
    """One task a segment; each is made when it is asked for. `earlier` are readings of segments
    before all of them."""
    for each in segments:
        shown = candidates_for(each)
        prompt = build_prompt(
            document, each, shown.pages, brand, titles=shown.titles, earlier=earlier
        )
        yield _task(document, each, prompt)


def _task(document: Document, segment: Segment, prompt: Prompt) -> Task[Extraction]:
    check = partial(read_extraction, document=document, segment=segment)
    return Task("extraction", prompt, extraction_schema(), check)


class ModelExtractor(Extractor):
    """A model behind the Messages API; one call a segment, several at once."""

    def __init__(
        self,
        client: Client,
        brand: str = "",
        *,
        parallel: int = int(default_of("ingest.parallel")),
        max_candidates: int = int(default_of("ingest.candidates")),
        segment_bytes: int = SEGMENT_BYTES,
        picture_reader: Callable[[Transcripts], PictureReader] | None = None,
    ) -> None:
        """`brand` is the text of raw/brand/; `max_candidates` pages are shown with a segment."""
        self._client = client
        self._brand = brand
        self._parallel = parallel
        self._max_candidates = max_candidates
        self._segment_bytes = segment_bytes
        self.picture_reader = picture_reader

    @property
    def usage(self) -> Usage:
        """Of every call of its client, whatever it was for."""
        return self._client.usage

    def fill(self, document: Document, state: WikiState, before: Usage) -> Answers:
        """Calls the model for each segment."""
        extractions = self.read_segments(
            document,
            segment(document, max_bytes=self._segment_bytes),
            partial(pages_for, document, state=state, limit=self._max_candidates),
            PaidAnswers(state.repo, document.sha256),
        )
        usage, model = self.usage - before, self._client.settings.model
        return Answers(extractions, model, usage=usage, cost=self._client.cost(usage))

    def read_segments(
        self,
        document: Document,
        segments: Sequence[Segment],
        candidates_for: CandidatesFor,
        paid: PaidAnswers | None = None,
    ) -> list[Extraction]:
        """One extraction a segment, in the order of the segments, whatever order the answers come
        in.

        The first and the last segment are read alone, the others as many at once as are allowed;
        each is told what those said that were read before it. The first failure ends the reading.
        Each answer is kept in `paid`, where there is one, until they are forgotten, and taken from
        there when the same text is to be read by the same model; what it took is counted then.
        Tokens of every attempt, also of failed ones, are in `usage`.

        Raises ModelOutputError when an answer is refused, cut or malformed also after one repair,
        ProviderError when a call fails, PolicyError when the budget does not allow it.
        """
        client, found = self._client, dict[int, Extraction]()
        counted = client.usage

        keys = {part.number: self._key(document, part) for part in segments if paid is not None}

        def take(part: Segment, extraction: Extraction) -> None:
            nonlocal counted
            found[part.number] = extraction
            now = client.usage
            if paid is not None:
                # What calls at the same time took so far is counted with it: the sum is right.
                paid.keep(keys[part.number], extraction, now - counted)
            counted = now

        for wave in _waves(segments, self._parallel):
            unread = []
            for each in wave:
                check = partial(read_extraction, document=document, segment=each)
                known = None if paid is None else paid.read(keys[each.number], check)
                if known is None:
                    unread.append(each)
                else:
                    found[each.number], took = known
                    client.credit(took)
                    counted += took
            earlier = [found[number] for number in sorted(found) if number < wave[0].number]
            tasks = segment_tasks(document, unread, candidates_for, self._brand, earlier)
            pairs = zip(unread, tasks, strict=False)
            run_tasks(pairs, client, take, parallel=self._parallel, together=True).demand()
        return [found[number] for number in sorted(found)]

    def _key(self, document: Document, part: Segment) -> str:
        """What a paid answer to a segment is kept under."""
        # Pages that are born and segments that are read meanwhile make it no other text.
        alone = build_prompt(document, part, (), self._brand)
        return _task(document, part, alone).key(self._client.settings.model)

    def forget(self, repo: Repository, sha256: str) -> None:
        """Drops the answers that were paid for."""
        PaidAnswers(repo, sha256).forget()


def _waves(segments: Sequence[Segment], parallel: int) -> Iterator[Sequence[Segment]]:
    """The segments that are read at the same time: the first and the last one alone, for the last
    sums up the whole; those between as many as may be."""
    step = max(parallel, 1)
    yield from (segments[:1],) if segments else ()
    for start in range(1, len(segments) - 1, step):
        yield segments[start : min(start + step, len(segments) - 1)]
    yield from (segments[-1:],) if len(segments) > 1 else ()


@cache
def extraction_schema() -> Mapping[str, object]:
    """The JSON schema of an extraction, as structured outputs accept it."""
    return output_schema(Extraction.model_json_schema())


def read_extraction(
    data: Mapping[str, object], *, document: Document, segment: Segment
) -> Extraction:
    """The data as an extraction of this very segment. Raises ValueError, saying what is wrong."""
    extraction = validated(Extraction, data)
    source = extraction.source
    if source.sha256 != document.sha256:
        raise ValueError(f"source.sha256 must be {document.sha256}")
    if source.segment != [segment.number, segment.of]:
        raise ValueError(f"source.segment must be [{segment.number}, {segment.of}]")
    if source.lines is not None and source.lines != [segment.first, segment.last]:
        raise ValueError(f"source.lines must be [{segment.first}, {segment.last}]")
    return extraction
