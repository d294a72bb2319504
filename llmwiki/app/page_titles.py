"""The titles of pages, for completion in a shell: quick before all else."""

from __future__ import annotations

from pathlib import Path

from llmwiki.app.callbacks import ignore
from llmwiki.core.errors import WikiError

MOST = 1_000
"""Titles at most: a shell asks whether to show as many."""


def page_titles(here: Path, root: Path | None, beginning: str) -> list[tuple[str, str]]:
    """Title and kind of pages around the folder `here` whose title begins so.

    They are those of the index as it lies; where there is no wiki or no index, there are none.
    """
    from llmwiki.app.page_folders import layout_at
    from llmwiki.index.titles import titles_in

    try:
        layout = layout_at(here, root, ignore)
    except WikiError:
        return []
    name = f"index-{layout.key}.db" if layout.key else "index.db"
    found = titles_in(layout.git_dir / "llmwiki" / name, beginning)
    # A shell reads what is offered by lines, and cuts off what is said of it by a tab.
    return [row for row in found if row[0].isprintable()][:MOST]
