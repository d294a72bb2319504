"""The commit message of an operation: a body that reads as a history of memory, and trailers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from llmwiki.core.forge_safe_line import plain_line
from llmwiki.git.store.outcome import Difference
from llmwiki.models.tokens_and_cost import Usage
from llmwiki.pages.difference.change_words import count_words
from llmwiki.pages.difference.row_changes import ITEMS, Pages, RowChange, compare
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import stem_of

SUBJECT_WIDTH = 72


def differences(before: Pages, after: Pages) -> tuple[Difference, ...]:
    """What the rows say that changed, by page."""
    held: dict[str, list[RowChange]] = {}
    for each in compare(before, after):
        held.setdefault(each.page, []).append(each)
    found = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if (old and old.node) != (new and new.node):
            page = new or old
            assert page is not None
            changes = tuple(held.get(path, ()))
            found.append(Difference(path, *_named(page), old is None, new is None, changes))
    return tuple(found)


def _named(page: Page) -> tuple[str, str]:
    try:
        return page.title, page.type
    except PageError:
        return page.stem, ""


def _tell(d: Difference) -> str:
    name = plain_line(d.title, 60)
    moved = next((each.before for each in d.changes if each.is_rename), "")
    counts = count_words(d.changes, but=("page", "source"))
    kind = f"new {d.type or 'page'}" if d.created and not moved else ""
    if d.removed:
        into = next((each.other for each in d.changes if each.kind == "page"), "")
        kind = f"merged into {stem_of(into)}" if into else "page removed"
    if moved:
        kind = f"renamed from {plain_line(stem_of(moved), 60)}"
    said = [part for part in (kind, *counts) if part]
    return f"- {name}: " + (", ".join(said) or "changed")


def body(differences: list[Difference], notes: tuple[str, ...]) -> str:
    """What changed in memory, a line a page; at most 40 of them.

    A source's page is told where claims that stand on it changed, a page where what it says did.
    """
    pages = [d for d in differences if d.changes and (d.type != "source" or _has_claims(d))]
    lines = [_tell(d) for d in sorted(pages, key=lambda d: (not d.created, d.title, d.path))]
    if len(lines) > 40:
        lines = [*lines[:40], f"- and {len(lines) - 40} more pages"]
    wrapped = [
        part
        for note in notes
        for part in textwrap.wrap(plain_line(note, 400), 72, subsequent_indent="  ")
    ]
    return "\n".join([*wrapped, *([""] if wrapped and lines else []), *lines])


def _has_claims(d: Difference) -> bool:
    return any(each.kind in (*ITEMS, "strike", "place") for each in d.changes)


def spending(usage: Usage, cost: float | None) -> dict[str, str]:
    """The trailers that say what a model took; none where no model was called.

    `cost` is in US dollars; None: the price is not known.
    """
    if not usage.total:
        return {}
    out = usage.output_tokens
    told = {"Wiki-Tokens": f"in={usage.total - out} out={out}"}
    return told if cost is None else {**told, "Wiki-Cost": f"USD {cost:.4f} (estimate)"}


def message(kind: str, title: str, text: str, trailers: Mapping[str, str | tuple[str, ...]]) -> str:
    """Subject, body and trailers; a value of several makes a trailer each."""
    subject = f"wiki {kind}: "
    subject += plain_line(title, SUBJECT_WIDTH - len(subject)) or "untitled"
    rows = []
    for name, value in trailers.items():
        for item in (value,) if isinstance(value, str) else value:
            if item:
                rows.append(f"{name}: {item}")
    return "\n\n".join(part for part in (subject, text, "\n".join(rows)) if part) + "\n"
