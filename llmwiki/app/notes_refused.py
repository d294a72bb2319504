"""Notes of an adopted vault, of which a command is given one that changes pages and sees none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki


@contextmanager
def notes_refused(reading: Callable[[], AbstractContextManager[OpenWiki]]) -> Iterator[None]:
    """Says of a page that no command could find that it is a person's note, where it is one.

    Raises PolicyError then, and else what is raised within.
    """
    try:
        yield
    except InputError as error:
        from llmwiki.app.show import find_page
        from llmwiki.edit.named_page import NoSuchPage

        if not isinstance(error, NoSuchPage):
            raise
        with reading() as wiki:
            wiki.state.follow()
            path = find_page(wiki.state, error.where)
        if path is None or path.startswith("wiki/"):
            raise
        raise PolicyError(
            "a note of yours: only pages below wiki/ are renamed, merged or split here",
            where=path,
            fix="Rename it where you write it (Obsidian leads links along), and commit that.",
        ) from error
