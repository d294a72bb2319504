"""The JSON of `wiki export` and `wiki import`."""

from __future__ import annotations

from typing import Literal

from llmwiki.app.shapes.shape import Shape, at


class OmittedFileJson(Shape):
    """A file that is not taken along, or not as it is."""

    path: str
    reason: str


class ExportJson(Shape):
    """What was exported."""

    schema: Literal["llmwiki.export/1"]
    place: str = at(lambda done: str(done.place))
    commit: str
    """The commit whose pages were exported."""
    pages: int
    claims: int
    documents: int
    """Sources that were taken along."""
    files: int
    written: int
    """Files that were not there with these bytes."""
    removed: list[str]
    left_out: list[OmittedFileJson]


class ImportedPageJson(Shape):
    """What became of one page of the folder, or of a document of a bundle."""

    path: str
    """In the folder."""
    status: str
    """`read`, `unchanged`, `left out`."""
    verified: int
    """Claims all of whose quotes stand in that document."""
    second_hand: int
    """Claims that rest on the imported page alone."""


class ImportJson(Shape):
    """What an import changed."""

    schema: Literal["llmwiki.import/1"]
    form: str
    name: str
    """By which the folder is known: its files stand below raw/imports/NAME/."""
    commit: str = at(lambda done: done.outcome.commit or "")
    """Empty where nothing was new, and of a dry run."""
    id: str = at("outcome.id")
    dry_run: bool
    branch: str = at("outcome.branch")
    """The branch on which it waits for review; empty: none."""
    pages_created: list[str] = at("outcome.pages_created")
    pages_changed: list[str] = at("outcome.pages_changed")
    verified: int
    second_hand: int
    documents: list[str]
    """Sources that were copied into raw/ because claims rest on them."""
    pages: list[ImportedPageJson]
    notes: list[str]
    left_out: list[OmittedFileJson]
