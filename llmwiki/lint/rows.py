"""What a page says, as rows of `index.lint_tables`: a function of its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.text import fold
from llmwiki.index.lint_tables import Rows
from llmwiki.lint.claim_rows import citations, claims, disputes, quoted, records, slots
from llmwiki.lint.ignores import read as read_ignores
from llmwiki.lint.kinds import (
    is_ledger,
    is_recorded,
    kind_of,
    own_line,
    thin,
)
from llmwiki.lint.links_and_anchors import anchors, links
from llmwiki.lint.spellings import spellings
from llmwiki.lint.vault import VaultKind
from llmwiki.lint.view import PageView
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.names import name_key
from llmwiki.pages.tombstones import RETRACTED


def rows_of(view: PageView, found: str, names: dict[str, str]) -> Rows:
    """All rows of a page; `found` is what rules over single pages found, as text, `names` the names
    of rules as `select.names_of` has them."""
    quotes = sum(len(placed.evidence) for placed in view.claims)
    listed = len(view.sources)
    stem, kind = name_key(view.stem), "deprecated" if view.is_deprecated else kind_of(view)
    head = (
        stem,
        kind,
        thin(view),
        len(view.claims),
        quotes,
        listed,
        found,
    )
    rows: dict[str, list[tuple[Any, ...]]] = {"head": [head]}
    for table, say in _SAY.items():
        rows[table] = list(say(view))
    rows["silence"] = [
        (each.line, each.at, each.column, " ".join(sorted(each.codes)))
        for each in read_ignores(view, names)
    ]
    return rows


def _names(view: PageView) -> Iterator[tuple[Any, ...]]:
    is_subject = kind_of(view) in SUBJECTS and not view.broken

    def row(line: int, which: str, text: str) -> tuple[Any, ...]:
        key = link_key(text)
        return line, which, text[:200], key, name_in(key), fold(text) if is_subject else ""

    if is_subject:
        yield row(1, "file", view.stem)
    if not view.broken:
        if not view.is_foreign or view.is_headed:
            yield row(view.front_line("title"), "title", view.title)
        if view.vault in (VaultKind.SITE, VaultKind.DOCS) and (ident := view.head.value("id")):
            yield row(view.front_line("id"), "id", ident)
        for alias in dict.fromkeys(view.head.aliases):
            yield row(view.front_line("aliases"), "alias", alias)


def _sources(view: PageView) -> Iterator[tuple[Any, ...]]:
    if view.broken:
        return
    is_own_page = is_ledger(view)
    own = view.own_source
    if is_own_page and own is None:
        yield 1, view.stem, "", "", "own"
    refs = view.sources
    lines = {p.node.key[1]: p.line for p in view.body if p.node.kind == "fn"} if refs else {}
    for ref in refs:
        is_own = is_own_page and ref.id == view.stem
        is_known = is_recorded(ref) if is_own else bool(ref.resource)
        role = ("own" if is_own else "lists") if is_known else ""
        line = own_line(view) if is_own else lines.get(ref.id) or view.front_line("read")
        yield line, ref.id, ref.resource, ref.sha256.lower(), role


def _resources(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The file below raw/ that a ledger tells of; without SHA-256: it was retracted."""
    # One of which a review has landed a part may lack the line `generated`.
    has_place = view.type == "source" and view.path == f"wiki/sources/{view.stem}.md"
    own = None if view.broken or not has_place else view.own_source
    if own is not None and (is_recorded(own) or RETRACTED in view.head.tags):
        yield own_line(view), own.resource.removeprefix("/"), own.sha256.lower()


_SAY: dict[str, Callable[[PageView], Iterable[tuple[Any, ...]]]] = {
    "name": _names,
    "link": links,
    "anchor": anchors,
    "spelling": spellings,
    "claim": claims,
    "slot": slots,
    "citation": citations,
    "dispute": disputes,
    "evidence": quoted,
    "record": records,
    "source": _sources,
    "resource": _resources,
}
