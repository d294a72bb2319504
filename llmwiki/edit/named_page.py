"""The page that somebody names."""

from __future__ import annotations

from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import is_of_subject
from llmwiki.core.text import nearest
from llmwiki.memory.state import WikiState
from llmwiki.pages.names import name_key
from llmwiki.pages.page import Page


class NoSuchPage(InputError):
    """No page of the wiki has that name."""


def page_named(state: WikiState, name: str) -> Page:
    """The page of a title, an alias, a file name or a path, perhaps within `[[…]]`.

    Raises NoSuchPage where there is none.
    """
    wanted = name.removeprefix("[[").removesuffix("]]").split("|")[0].partition("#")[0]
    paths = [wanted, f"wiki/{wanted}", f"wiki/{wanted}.md", state.file_named(name_key(wanted))]
    titled: list[str] = sorted(state.names.by_title(wanted), key=is_of_subject, reverse=True)
    for path in [*paths, *titled]:
        page = state.page(path) if path and state.fact(path) is not None else None
        if page is not None:
            return page
    near = nearest(wanted, [entry.title for entry in state.entries()], 3)
    hint = f"Perhaps: {', '.join(near)}." if near else "wiki/index.md lists the pages."
    raise NoSuchPage("there is no such page", where=name, fix=hint)
