"""Which page, or which source, is meant by what somebody typed: one answer for every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.text import fold, nearest, normalise
from llmwiki.pages.page_file_names import several_pages
from llmwiki.pages.tombstones import ledger_path

if TYPE_CHECKING:
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.page import Page


class NoSuchPage(InputError):
    """No page of the wiki has that name."""


def find_page(state: WikiState, name: str) -> str | None:
    """The path of the page of that path, claim, file name, title or alias; None: there is none.

    The page of a source is meant only where no other page has the name: often it has its subject's
    title. Raises InputError where several pages have it.
    """
    wanted = name.removeprefix("[[").removesuffix("]]").split("|")[0]
    claim = wanted.rpartition("#^")[2] if "#^" in wanted else wanted.lstrip("^")
    home = state.claim_page(claim)
    if home is not None:
        return home
    for path in (wanted, f"{wanted}.md", f"wiki/{wanted}", f"wiki/{wanted}.md"):
        if state.fact(path) is not None:
            return path
    if wanted in ("index", "log", "overview"):
        return f"wiki/{wanted}.md"
    for named in (*state.bearing(wanted), state.names.by_title(wanted)):
        found = sorted(p for p in named if not p.startswith("wiki/sources/")) or sorted(named)
        if len(found) > 1:
            raise several_pages(name, found)
        if found:
            return found[0]
    return None


def page_named(state: WikiState, name: str) -> Page:
    """The page that `find_page` finds. Raises NoSuchPage where there is none."""
    path = find_page(state, name)
    page = state.page(path) if path else None
    if page is None:
        raise no_such_page(state, name)
    return page


def no_such_page(state: WikiState, name: str) -> NoSuchPage:
    """What is raised for a name that no page has; it tells names that are like it."""
    plain = name.rpartition("/")[2].removesuffix(".md")
    titles = [entry.title for entry in state.entries()]
    wanted = f" {fold(plain)} "
    near = [title for title in titles if wanted in f" {fold(title)} "][:3]
    near = near or nearest(plain, titles, 3)
    hint = f"Perhaps: {', '.join(near)}." if near else "wiki/index.md lists the pages."
    return NoSuchPage("there is no such page", where=name, fix=hint)


def source_named(state: WikiState, name: str) -> PageFacts:
    """The page of a source, by its file, its id, its page or its title.

    Raises InputError where there is none, or more than one.
    """
    plain = normalise(name).removeprefix("./")
    for path in (plain, f"raw/{plain}"):
        if (found := state.ledger_of(path)) is not None:
            return found
    stem = plain.rpartition("/")[2].removesuffix(".md")
    for ident in (plain, stem, plain.strip("[]").rpartition("/")[2]):
        found = state.fact(ledger_path(ident))
        if found is not None and found.type == "source":
            return found
    ledgers = state.ledgers()
    titled = [each for each in ledgers if fold(each.title) == fold(plain)]
    if len(titled) == 1:
        return titled[0]
    if titled:
        several = ", ".join(each.stem for each in titled[:10])
        raise InputError("several sources have this title", where=name, fix=f"Name one: {several}")
    known = [each.stem for each in ledgers]
    near = nearest(stem, known)
    hint = f"Did you mean {near[0]}?" if near else "`wiki status --json` lists the sources."
    raise InputError("there is no such source", where=name, fix=hint)
