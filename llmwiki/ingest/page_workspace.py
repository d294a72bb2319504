"""The pages one operation works on: read on demand from a state, changed here, written later."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from llmwiki.landing.state import WikiState
from llmwiki.pages.front import PageError
from llmwiki.pages.names import name_key
from llmwiki.pages.page import Page


class PageWorkspace:
    """Pages by path; what was put here hides what the state holds."""

    def __init__(self, state: WikiState) -> None:
        self.state = state
        self.pages: dict[str, Page] = {}

    def find(self, path: str) -> Page | None:
        """The page as this operation has it so far; None where there is none."""
        return self.pages.get(path) or self.state.page(path)

    def page(self, path: str) -> Page:
        """The page that is known to be there. Raises KeyError."""
        page = self.find(path)
        if page is None:
            raise KeyError(path)
        return page

    def put(self, page: Page) -> None:
        """The page as it shall be."""
        self.pages[page.path] = page

    def type_of(self, path: str) -> str:
        """The page's type, without reading the page where the state knows it."""
        facts = self.state.fact(path)
        return facts.type if facts else self.page(path).type

    def file_of(self, key: str) -> str | None:
        """The page whose file has that folded name, in the wiki or in this workspace."""
        own = (path for path, page in self.pages.items() if name_key(page.stem) == key)
        return next(own, None) or self.state.file_named(key)

    def taken(self, key: str) -> bool:
        """Whether a file of that folded name stands in the wiki or in this workspace."""
        return self.file_of(key) is not None


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Says which page it is whose frontmatter cannot be edited."""
    try:
        yield
    except PageError as error:
        error.where = error.where or path
        raise
