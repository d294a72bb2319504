"""A judge's answer: one schema, whoever fills it. Every string in it is untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llmwiki.models.schema import output_schema

Kind = Literal["overclaim", "contradiction", "stale", "missing"]
_TOLD_PROBLEMS = 5


class JudgeFinding(BaseModel):
    """One thing that the judge found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    claims: list[str] = Field(description="Ids of claims that were shown, copied exactly")
    why: str = Field(description="One sentence")
    words: str | None = Field(
        default=None, description="overclaim: the words of the claim that no quote supports"
    )
    page: str | None = Field(default=None, description="missing: the path of the page that lacks")


class Judgement(BaseModel):
    """The answer of a model; `end` is last, so that a cut answer lacks it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    findings: list[JudgeFinding]
    end: Literal[True]


class FindingsFile(BaseModel):
    """The answer of an agent, as `wiki apply` takes it. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal["llmwiki.findings/1"] = Field(alias="schema")
    part: str
    findings: list[JudgeFinding]


def judgement_schema() -> dict[str, object]:
    """The JSON schema of a model's answer, as structured outputs accept it."""
    return output_schema(Judgement.model_json_schema())


def read_judgement(data: Mapping[str, Any]) -> Judgement:
    """The data as an answer. Raises ValueError, saying what is wrong."""
    try:
        return Judgement.model_validate(data)
    except ValidationError as failure:
        raise ValueError(_problems(failure)) from None


def read_file(data: Mapping[str, Any]) -> FindingsFile:
    """The data of a file as an answer. Raises ValueError, saying what is wrong."""
    try:
        return FindingsFile.model_validate(data)
    except ValidationError as failure:
        raise ValueError(_problems(failure)) from None


def _problems(failure: ValidationError) -> str:
    errors = failure.errors(include_url=False, include_input=False, include_context=False)
    told = [
        f"{'.'.join(str(part) for part in error['loc']) or 'the object'}: {error['msg']}"
        for error in errors[:_TOLD_PROBLEMS]
    ]
    more = len(errors) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")
