"""The structured reading of a source: one schema, whoever fills it.

A model, an agent or the reader without a model fills this; code verifies it. What a field means,
the rules in `prompt.py` say. Every string is untrusted. Unknown keys are refused, so that a
misspelt field is an error and not a loss; and a hostile or broken model must not flood the wiki: of
too many items the answer is refused, a name or a passage that is too long is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from llmwiki.core.claim_attributes import (
    ClaimTie,
    DocumentStance,
    Part,
    Stance,
)
from llmwiki.core.text import cut
from llmwiki.ingest.report import ReadingRemark
from llmwiki.pages.claim_head import LONGEST

MAX_ITEMS, MAX_QUESTIONS = 400, 100
"""Subjects, claims and relations each, and questions, of one segment of some 24 kB; a careful
reading of that much text gives below 100 claims."""
MAX_ALIASES = 1000
"""Aliases of all subjects of one segment; each is a line of the ledger."""
MAX_LINKS = 20
"""Links of one claim to others."""
MAX_DISPUTES = 20
"""Links by which one operation may strike claims of others or call them contradicted."""
MAX_CLAIM = 2000
"""Characters of a claim; a longer one is a passage and not a statement, and is refused."""
MAX_TITLE = 200
_MAX_WORDS = 30
"""Entries of a list of names: aliases, tags, authors, `also`."""


class CutText(str):
    """A text of an answer that was longer than it may be, or the last of too many names."""

    __slots__ = ()


def _cut(text: str, characters: int) -> str:
    return CutText(cut(text, characters)) if len(text) > characters else text


def _few(names: list[str], characters: int) -> list[str]:
    kept = [_cut(name, characters) for name in names[:_MAX_WORDS]]
    return [*kept[:-1], CutText(kept[-1])] if len(names) > _MAX_WORDS else kept


def _at_most(characters: int) -> AfterValidator:
    return AfterValidator(lambda text: _cut(text, characters))


def _few_of(characters: int) -> AfterValidator:
    return AfterValidator(lambda names: _few(names, characters))


Name = Annotated[str, _at_most(MAX_TITLE)]
Names = Annotated[list[str], _few_of(MAX_TITLE)]
Sentence = Annotated[str, _at_most(500)]
Passage = Annotated[str, _at_most(4000)]
Date = Annotated[str, _at_most(40)]
Lines = Annotated[list[int], Field(min_length=2, max_length=2)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceEcho(_Strict):
    """Echo of the job: which bytes and which part of them were read."""

    sha256: str
    segment: Lines = [1, 1]
    lines: Lines | None = None


class DocumentFacts(_Strict):
    """What the document says of itself."""

    title: Name
    summary: Passage
    authors: Names = []
    date: Date | None = None
    url: Sentence | None = None
    status: Name | None = None
    stance: DocumentStance | None = None


class Subject(_Strict):
    """A thing or an idea that claims are about."""

    name: Name
    kind: Literal["entity", "concept"]
    description: Sentence = ""
    lead: Passage | None = None
    add_to_lead: Passage | None = None
    tags: Annotated[list[str], _few_of(60)] = []
    aliases: Names = []
    same_as: str | None = None


class ExtractedQuote(_Strict):
    """Words of the numbered text, and where they stand."""

    quote: str
    lines: Lines | None = None


DOCUMENT = "$document"
"""The subject of what is claimed about the document itself."""


class ClaimLink(_Strict):
    """How this claim bears on another one."""

    to: str
    how: ClaimTie
    why: str = ""


class ExtractedClaim(_Strict):
    """One statement about one subject, with the quotes that carry it."""

    id: str
    subject: Name
    also: Names = []
    text: str
    evidence: Annotated[list[ExtractedQuote], Field(min_length=1, max_length=3)]
    part: Part | None = None
    stance: Stance | None = None
    speaker: Name | None = None
    as_of: Date | None = None
    until: Date | None = None
    scope: Sentence | None = None
    key: Annotated[str, _at_most(100)] | None = None
    value: Sentence | None = None
    asked: Annotated[str, _at_most(LONGEST)] | None = None
    links: list[ClaimLink] = Field(default=[], max_length=MAX_LINKS)


class ExtractedRelation(_Strict):
    """A relation between two subjects; its evidence is the named claim's."""

    source: Name = Field(alias="from")
    target: Name = Field(alias="to")
    label: Name
    claim: str
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SourceQuestion(_Strict):
    """Something the document leaves open."""

    text: Sentence
    about: Name | None = None
    lines: Lines | None = None


class Extraction(_Strict):
    """The whole reading of one segment; `end` is last, so that a cut answer lacks it."""

    source: SourceEcho
    document: DocumentFacts
    subjects: list[Subject] = Field(default=[], max_length=MAX_ITEMS)
    claims: list[ExtractedClaim] = Field(default=[], max_length=MAX_ITEMS)
    relations: list[ExtractedRelation] = Field(default=[], max_length=MAX_ITEMS)
    questions: list[SourceQuestion] = Field(default=[], max_length=MAX_QUESTIONS)
    end: Literal[True]

    @model_validator(mode="after")
    def _few_aliases(self) -> Extraction:
        count = sum(len(subject.aliases) for subject in self.subjects)
        if count > MAX_ALIASES:
            raise ValueError(f"{count} aliases, and one segment takes at most {MAX_ALIASES}")
        return self


# --- what was longer than it may be --------------------------------------------------------------

_NAMED = ("text", "name", "label")
"""Fields that say which part of an answer is meant."""


def cut_off(extractions: Sequence[Extraction]) -> Iterator[ReadingRemark]:
    """What of the answers was longer than it may be."""
    for extraction in extractions:
        for name in ("subjects", "claims", "relations", "questions"):
            for item in filter(_is_cut, getattr(extraction, name)):
                said = next((text for n in _NAMED if (text := getattr(item, n, ""))), "")
                became = "a name, a passage or a list in it was longer than may be, and is cut"
                yield ReadingRemark(getattr(item, "id", ""), f"{name}: {said[:100]}", became)


def _is_cut(item: Iterable[tuple[str, object]]) -> bool:
    values = (value if isinstance(value, list) else [value] for _name, value in item)
    return any(isinstance(each, CutText) for value in values for each in value)
