"""What `wiki rename`, `wiki merge` and `wiki split` print as JSON."""

from __future__ import annotations

from typing import Literal

from llmwiki.app.shapes.landed import LandedJson
from llmwiki.app.shapes.shape import Shape, at


class JoinedClaimJson(Shape):
    """A claim that is no more, for another one says the same and has its evidence."""

    gone: str
    """Its id."""
    stays: str
    """The id of the other one."""


class UnledLinkJson(Shape):
    """A link that was left as it is."""

    path: str
    line: int
    why: str


class PageMoveJson(LandedJson):
    """What became of a page and its claims."""

    source: str
    """Path of the page that was named first."""
    page: str
    """Path of the page that has the claims now."""
    pages_created: list[str] = at("outcome.pages_created")
    pages_changed: list[str] = at("outcome.pages_changed")
    claims_moved: list[str] = at("claims")
    """Ids of the claims that stand on another page now."""
    claims_joined: list[JoinedClaimJson] = at(lambda done: sorted(done.joins.items()))
    links_left: list[UnledLinkJson] = at("left")
    notes: list[str]
    """What a person may want to look at."""
    dry_run: bool


class RenameJson(PageMoveJson):
    """A page that got another title."""

    schema: Literal["llmwiki.rename/1"]


class MergeJson(PageMoveJson):
    """Two pages that became one."""

    schema: Literal["llmwiki.merge/1"]


class SplitJson(PageMoveJson):
    """Claims that got a page of their own."""

    schema: Literal["llmwiki.split/1"]


SHAPES = {"rename": RenameJson, "merge": MergeJson, "split": SplitJson}
"""By the kind of the operation."""
