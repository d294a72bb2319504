"""The answer to a part: one schema for models and agents. Every string in it is untrusted."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

_CLAIMS = "Ids of claims that were shown, copied exactly"


class NewLead(BaseModel, extra="forbid", frozen=True):
    """A lead written anew."""

    page: str = Field(description="The page's path, copied exactly")
    lead: str = Field(description="One paragraph of at most 100 words, from the page's claims only")


class OnePage(BaseModel, extra="forbid", frozen=True):
    """Two pages that are about one thing."""

    page: str = Field(description="The path of the page that goes")
    into: str = Field(description="The path of the page that stays")
    claims: list[str] = Field(
        description=f"{_CLAIMS}: at least one of each page, which show that both mean one thing"
    )
    why: str = Field(description="One sentence")


class MovedClaim(BaseModel, extra="forbid", frozen=True):
    """A claim that is about another page's subject."""

    claim: str = Field(description="The claim's id, copied exactly")
    to: str = Field(description="The path of the page whose subject it is about")
    why: str = Field(description="One sentence")


class TiedPair(BaseModel, extra="forbid", frozen=True):
    """Two claims that belong together."""

    claim: str = Field(description="The claim's id; for `updates`, of the newer one")
    other: str = Field(description="The other claim's id")
    how: Literal["contradicts", "disagrees", "updates", "supports"]
    why: str = Field(description="One sentence")


class PageTie(BaseModel, extra="forbid", frozen=True):
    """A relation between the subjects of two pages."""

    page: str = Field(description="The path of the page whose subject does something")
    to: str = Field(description="The path of the other page")
    label: str = Field(description="A verb phrase that reads between the two titles")
    claim: str = Field(description="The id of the claim that says so, copied exactly")


class Tidying(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    leads: list[NewLead] = Field(default_factory=list)
    merges: list[OnePage] = Field(default_factory=list)
    moves: list[MovedClaim] = Field(default_factory=list)
    pairs: list[TiedPair] = Field(default_factory=list)
    relations: list[PageTie] = Field(default_factory=list)
