"""One page, found by any of its names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.memory.state import WikiState
    from llmwiki.pages.page import Page


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A file of the wiki as a commit has it."""

    text: str
    page: Page | None
    """Its claims and evidence; None of a file that holds none: catalogue and log."""


def show(wiki: OpenWiki, name: str, *, at: str | None = None) -> ShownPage:
    """One page; see `Wiki.show`."""
    state = wiki.state
    commit = wiki.repo.head() if at is None else wiki.repo.resolve(at)
    if at is not None and commit is None:
        raise InputError("there is no such commit", where=at, fix=wiki.repo.beyond)
    state.advance(commit)
    path = find_page(state, name)
    page = state.page(path) if path else None
    text = page.text if page else state.text(path or name)
    if not text:
        raise no_such_page(state, name)
    return ShownPage(text, page)


def no_such_page(state: WikiState, name: str) -> InputError:
    """What is raised for a name that no page has; it tells names that are like it."""
    plain = name.rpartition("/")[2].removesuffix(".md")
    near = nearest(plain, (entry.title for entry in state.entries()), 3)
    hint = f"Perhaps: {', '.join(near)}." if near else "wiki/index.md lists the pages."
    return InputError("there is no such page", where=name, fix=hint)


def find_page(state: WikiState, name: str) -> str | None:
    """The path of the page of that title, alias, path or claim; None where there is none."""
    from llmwiki.pages.names import name_key

    wanted = name.removeprefix("[[").removesuffix("]]").split("|")[0]
    claim = wanted.rpartition("#^")[2] if "#^" in wanted else wanted.lstrip("^")
    home = state.claim_page.get(claim)
    if home is not None:
        return home
    for path in (wanted, f"wiki/{wanted}", f"wiki/{wanted}.md"):
        if state.fact(path) is not None:
            return path
    if wanted in ("index", "log", "overview"):
        return f"wiki/{wanted}.md"
    found = state.file_names.get(name_key(wanted))
    if found:
        return found
    titled = state.names.by_title(wanted)
    return sorted(titled)[0] if titled else None
