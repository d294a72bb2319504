"""What a model or an agent answers of the notes. Every string in it is untrusted."""

from __future__ import annotations

from pydantic import BaseModel, Field


class SameNote(BaseModel, extra="forbid", frozen=True):
    """A note that another one says as well."""

    note: str = Field(description="The id of the note that goes, copied exactly")
    into: str = Field(description="The id of the note that stays, and says all that the other says")
    why: str = Field(description="One sentence")


class OutdatedNote(BaseModel, extra="forbid", frozen=True):
    """A note that no longer holds."""

    note: str = Field(description="The id of the note that no longer holds, copied exactly")
    by: str = Field(description="The id of the later note that says how it is now")
    why: str = Field(description="One sentence")


class TidiedSteps(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    same: list[SameNote] = Field(default_factory=list)
    outdated: list[OutdatedNote] = Field(default_factory=list)
