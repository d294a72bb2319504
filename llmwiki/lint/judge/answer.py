"""A judge's answer: one schema for models and agents. Every string in it is untrusted."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

Kind = Literal["overclaim", "contradiction", "stale", "missing"]


class JudgeFinding(BaseModel, extra="forbid", frozen=True):
    """One thing that the judge found."""

    kind: Kind
    claims: list[str] = Field(description="Ids of claims that were shown, copied exactly")
    why: str = Field(description="One sentence")
    words: str | None = Field(
        default=None, description="overclaim: the words of the claim that no quote supports"
    )
    page: str | None = Field(default=None, description="missing: the path of the page that lacks")


class Judgement(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    findings: list[JudgeFinding]
