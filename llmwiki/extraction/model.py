"""The task of reading a segment, and a model that reads all segments of a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from llmwiki.core.candidate import PageCandidate
from llmwiki.core.document import Document, Segment
from llmwiki.extraction.prompt import build_prompt
from llmwiki.models.run import run_tasks
from llmwiki.models.schema import output_schema
from llmwiki.models.task import Task, validated

if TYPE_CHECKING:
    from llmwiki.extraction.jobs import PaidAnswers
    from llmwiki.extraction.schema import Extraction
    from llmwiki.models.client import Client

CandidatesFor = Callable[[Segment], Sequence[PageCandidate]]
"""The pages that a segment may be about, best first. Called in the caller's thread."""


def segment_tasks(
    document: Document, segments: Sequence[Segment], candidates_for: CandidatesFor, brand: str
) -> Iterator[Task[Extraction]]:
    """One task a segment; each is made when it is asked for."""
    for each in segments:
        yield Task(
            "extraction",
            build_prompt(document, each, candidates_for(each), brand),
            extraction_schema(),
            partial(read_extraction, document=document, segment=each),
        )


def fill(
    document: Document,
    segments: Sequence[Segment],
    candidates_for: CandidatesFor,
    brand: str,
    client: Client,
    *,
    parallel: int = 4,
    paid: PaidAnswers | None = None,
) -> list[Extraction]:
    """One extraction a segment, in the order of the segments, whatever order the answers come in.

    The first failure ends the reading. What was answered until then is kept in `paid`, where there
    is one, and taken from there the next time the same is asked of the same model. Tokens of every
    attempt, also of failed ones, are in `client.usage`.

    Raises ModelOutputError when an answer is refused, cut or malformed also after one repair,
    ProviderError when a call fails, PolicyError when the budget does not allow it.
    """
    found: dict[int, Extraction] = {}

    def unread() -> Iterator[tuple[tuple[int, str], Task[Extraction]]]:
        for number, task in enumerate(segment_tasks(document, segments, candidates_for, brand)):
            key = task.key(client.settings.model)
            known = None if paid is None else paid.read(key, task.check)
            if known is None:
                yield (number, key), task
            else:
                found[number] = known

    def take(place: tuple[int, str], extraction: Extraction) -> None:
        found[place[0]] = extraction
        if paid is not None:
            paid.keep(place[1], extraction)

    run_tasks(unread(), client, take, parallel=parallel, together=True).demand()
    if paid is not None:
        paid.forget()
    return [found[number] for number in sorted(found)]


@cache
def extraction_schema() -> Mapping[str, object]:
    """The JSON schema of an extraction, as structured outputs accept it."""
    from llmwiki.extraction.schema import Extraction

    return output_schema(Extraction.model_json_schema())


def read_extraction(
    data: Mapping[str, object], *, document: Document, segment: Segment
) -> Extraction:
    """The data as an extraction of this very segment. Raises ValueError, saying what is wrong."""
    from llmwiki.extraction.answer_limits import excess
    from llmwiki.extraction.schema import Extraction

    extraction = validated(Extraction, data)
    too_much = excess(extraction)
    if too_much:
        raise ValueError(too_much)
    source = extraction.source
    if source.sha256 != document.sha256:
        raise ValueError(f"source.sha256 must be {document.sha256}")
    if source.segment != [segment.number, segment.of]:
        raise ValueError(f"source.segment must be [{segment.number}, {segment.of}]")
    if source.lines is not None and source.lines != [segment.first, segment.last]:
        raise ValueError(f"source.lines must be [{segment.first}, {segment.last}]")
    return extraction
