"""Which pages follow the formats of this program, and which are the pages of sources."""

from __future__ import annotations

import re

from llmwiki.core.page_kinds import KIND_OF_FOLDER, KINDS, MEMORY
from llmwiki.lint.view import PageView
from llmwiki.pages.page import SourceRef, read_generated
from llmwiki.sources.paths import is_source

LEDGERS = "wiki/sources/"
_SHA = re.compile(r"[0-9a-fA-F]{64}")


def home_type(view: PageView) -> str:
    """The type of the pages of this page's folder; empty where a person chose the place.

    In a foreign vault only pages that have one of our types belong into our folders.
    """
    if view.is_foreign and view.type not in KINDS:
        return ""
    return "memory" if view.path == MEMORY else KIND_OF_FOLDER.get(view.folder, "")


def kind_of(view: PageView) -> str:
    """What kind of page it is: its type where that is one of ours, else by its folder."""
    return view.type if view.type in KINDS else home_type(view)


def is_signed(view: PageView) -> bool:
    """Whether its frontmatter has what only this program writes."""
    marks = read_generated(view.values.get("generated"))
    is_marked = bool(marks.prose or marks.about) or marks.by.startswith("llmwiki")
    return is_marked or bool(view.head.sources)


def is_ours(view: PageView) -> bool:
    """Whether a page is meant to follow our formats: by its place, or by what signs it.

    The files of a skill follow another standard.
    """
    if view.is_foreign:
        return _may_be_signed(view)
    return view.folder != "skills" and (bool(home_type(view)) or _may_be_signed(view))


def _may_be_signed(view: PageView) -> bool:
    keys = view.front_lines
    return ("sources" in keys or "generated" in keys) and not view.broken and is_signed(view)


def is_ledger(view: PageView) -> bool:
    """Whether a page is the ledger of a source, as this program writes them."""
    return (
        view.path == f"{LEDGERS}{view.stem}.md"
        and view.type == "source"
        and bool(view.values.get("generated"))
    )


def is_recorded(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a file below raw/ and its bytes."""
    return is_source(ref.resource.removeprefix("/")) and bool(_SHA.fullmatch(ref.sha256))


def is_listed(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a source of ours: by a link, or with file and bytes."""
    return is_recorded(ref) if ref.sha256 else is_source(ref.resource.removeprefix("/"))


def is_taken_back(view: PageView, ref: SourceRef) -> bool:
    """Whether a ledger's own entry names its file and no bytes, as an undo leaves it."""
    own = is_ledger(view) and ref.id == view.stem
    return own and not ref.sha256 and is_source(ref.resource.removeprefix("/"))


def own_source(view: PageView) -> SourceRef | None:
    """The source that a ledger tells of."""
    return None if view.broken else view.head.own_source


def own_line(view: PageView) -> int:
    """The line of a ledger that names its source's file."""
    return view.front_line("source" if "source" in view.front_lines else "sources")
