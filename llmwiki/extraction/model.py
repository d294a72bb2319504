"""The model fills the extraction: one call a segment, several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from llmwiki.core.candidate import PageCandidate
from llmwiki.core.document import Document, Segment
from llmwiki.extraction.prompt import build_prompt
from llmwiki.models.messages import Prompt, estimate_request
from llmwiki.models.pool import in_order
from llmwiki.models.schema import output_schema

if TYPE_CHECKING:
    import threading

    from llmwiki.extraction.schema import Extraction
    from llmwiki.models.client import Client
    from llmwiki.models.settings import ModelSettings

CandidatesFor = Callable[[Segment], Sequence[PageCandidate]]
"""The pages that may be what a segment speaks of, best first. Called in the caller's thread."""

_TOLD_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ExtractionEstimate:
    """What an extraction would take. An estimate: the provider's tokeniser is not known here."""

    calls: int
    input_tokens: int
    max_output_tokens: int
    """The limit of all calls together; a usual answer is much shorter."""
    max_cost: float | None
    """US dollars at that limit; None when the price of the model is unknown."""


def fill(
    document: Document,
    segments: Sequence[Segment],
    candidates_for: CandidatesFor,
    brand: str,
    client: Client,
    *,
    parallel: int = 4,
) -> list[Extraction]:
    """One extraction a segment, in the order of the segments, whatever order the answers come in.

    The first failure ends the other calls at once. Tokens of every attempt, also of failed ones,
    are in `client.usage`.

    Raises ModelOutputError when an answer is refused, cut or malformed also after one repair,
    ProviderError when a call fails, PolicyError when the budget does not allow it.
    """
    prompts = [build_prompt(document, each, candidates_for(each), brand) for each in segments]
    schema = extraction_schema()

    def call(job: tuple[Segment, Prompt], stop: threading.Event) -> Extraction:
        segment, prompt = job
        read = partial(read_extraction, document=document, segment=segment)
        reply = client.structured(
            prompt.system, prompt.user, schema, "extraction", check=read, stop=stop
        )
        return read(reply.data)

    return in_order(call, zip(segments, prompts, strict=True), parallel)


def estimate(
    document: Document,
    segments: Sequence[Segment],
    candidates_for: CandidatesFor,
    brand: str,
    settings: ModelSettings,
) -> ExtractionEstimate:
    """What `fill` would take, before any call is made."""
    schema = extraction_schema()
    tokens = 0
    for segment in segments:
        prompt = build_prompt(document, segment, candidates_for(segment), brand)
        tokens += estimate_request(prompt, schema)
    output = settings.max_output_tokens * len(segments)
    price = settings.price
    cost = None if price is None else price.ceiling(tokens, output)
    return ExtractionEstimate(len(segments), tokens, output, cost)


def extraction_schema() -> dict[str, object]:
    """The JSON schema of an extraction, as structured outputs accept it."""
    from llmwiki.extraction.schema import Extraction

    return output_schema(Extraction.model_json_schema())


def read_extraction(data: dict[str, Any], *, document: Document, segment: Segment) -> Extraction:
    """The data as an extraction of this very segment. Raises ValueError, saying what is wrong."""
    from pydantic import ValidationError

    from llmwiki.extraction.bounds import excess
    from llmwiki.extraction.schema import Extraction

    try:
        extraction = Extraction.model_validate(data)
    except ValidationError as failure:
        raise ValueError(_problems(failure)) from None
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


def _problems(failure: Any) -> str:
    """The first problems of a validation, by field, without the values."""
    errors = failure.errors(include_url=False, include_input=False, include_context=False)
    told = [
        f"{'.'.join(str(part) for part in error['loc']) or 'the object'}: {error['msg']}"
        for error in errors[:_TOLD_PROBLEMS]
    ]
    more = len(errors) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")
