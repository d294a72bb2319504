"""The structured reading of a source: one schema, whoever fills it.

A model, an agent or the reader without a model fills this; code verifies it. Every string is
untrusted. Unknown keys are refused, so that a misspelt field is an error and not a loss.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from llmwiki.core.claim_attributes import ClaimTie, DocumentStance, Part, Stance
from llmwiki.sources.quotes import MAX_WORDS

Lines = Annotated[list[int], Field(min_length=2, max_length=2)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEcho(_Strict):
    """Echo of the job: which bytes and which part of them were read."""

    sha256: str
    segment: Lines = Field(default=[1, 1], description="[k, n]: this is segment k of n")
    lines: Lines | None = Field(default=None, description="[first, last] line of the segment")


class DocumentFacts(_Strict):
    """What the document says of itself."""

    title: str
    summary: str = Field(description="Two to four sentences: what this document adds")
    authors: list[str] = []
    date: str | None = Field(default=None, description="Of the version read: YYYY[-MM[-DD]]")
    url: str | None = None
    status: str | None = Field(default=None, description="draft, published, rejected …")
    stance: DocumentStance | None = Field(
        default=None, description="How the whole is meant; the default of its claims' stance"
    )


class Subject(_Strict):
    """A thing or an idea that claims are about."""

    name: str
    kind: Literal["entity", "concept"]
    description: str = Field(
        default="", description="One sentence: what it is; needed where it has no page yet"
    )
    lead: str | None = Field(default=None, description="One or two paragraphs: what it is")
    add_to_lead: str | None = Field(
        default=None, description="Sentences that go behind the lead that stands"
    )
    tags: list[str] = []
    aliases: list[str] = Field(
        default=[], description="Exact synonyms only: a spelling, a short form, or the text says so"
    )
    same_as: str | None = Field(
        default=None, description="Path or title of the page it is; counts where a name agrees"
    )


class ExtractedQuote(_Strict):
    """Words of the numbered text, and where they stand."""

    quote: str = Field(
        description=f"Contiguous words of the text, markup kept, at most {MAX_WORDS} words"
    )
    lines: Lines | None = Field(
        default=None, description="[first, last] line, where the words stand more than once"
    )


DOCUMENT = "$document"
"""The subject of what is claimed about the document itself."""


class ClaimLink(_Strict):
    """How this claim bears on another one."""

    to: str = Field(
        description="A claim id of this extraction, of an earlier segment (1:k3), or a c-… id"
    )
    how: ClaimTie
    why: str = ""


class ExtractedClaim(_Strict):
    """One statement about one subject, with the quotes that carry it."""

    id: str = Field(description="Local to this extraction: k1, k2 …")
    subject: str = Field(description=f"The name of one of the subjects, or `{DOCUMENT}`")
    also: list[str] = Field(default=[], description="Other subjects whose pages shall point here")
    text: str = Field(description="Self-contained: understood without the source")
    evidence: Annotated[list[ExtractedQuote], Field(min_length=1, max_length=3)]
    part: Part | None = Field(default=None, description="Heading of its page that it belongs under")
    stance: Stance | None = None
    speaker: str | None = None
    as_of: str | None = None
    until: str | None = None
    scope: str | None = None
    key: str | None = Field(default=None, description="The slot this fills, such as `price`")
    value: str | None = None
    asked: str | None = Field(
        default=None, description="Other, everyday words by which somebody would ask for it"
    )
    links: list[ClaimLink] = []


class ExtractedRelation(_Strict):
    """A relation between two subjects; its evidence is the named claim's."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    label: str
    claim: str = Field(description="Local id of the claim that says so")
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SourceQuestion(_Strict):
    """Something the document leaves open."""

    text: str
    about: str | None = None
    lines: Lines | None = None


class Extraction(_Strict):
    """The whole reading of one segment; `end` is last, so that a cut answer lacks it."""

    source: SourceEcho
    document: DocumentFacts
    subjects: list[Subject] = []
    claims: list[ExtractedClaim] = []
    relations: list[ExtractedRelation] = []
    questions: list[SourceQuestion] = []
    end: Literal[True]
