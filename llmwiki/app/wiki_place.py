"""Where a wiki lies, how it is opened for one call, and how it is closed."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from llmwiki.app.callbacks import Callbacks
from llmwiki.app.open_wiki import opened
from llmwiki.app.page_folders import way_to_wiki
from llmwiki.core.errors import StateError
from llmwiki.repo.layout import Layout, NoRepository, NoWiki

if TYPE_CHECKING:
    from llmwiki.app.open_files import OpenFiles
    from llmwiki.app.open_wiki import OpenWiki


class WikiPlace:
    """Where a wiki lies, and the way into it that every method takes."""

    def __init__(
        self, layout: Layout, here: Path, tell: Callbacks, files: OpenFiles | None = None
    ) -> None:
        """Use `Wiki.open`, or `Wiki.init` for a new one."""
        self._files = files
        self._layout = layout
        self._here = here
        self._tell = tell
        self._is_closed = False

    @property
    def is_written(self) -> bool:
        """Whether this is a wiki of this program, and not Markdown that it only reads."""
        return self._layout.is_wiki

    @property
    def root(self) -> Path:
        """The folder of the wiki: that of raw/ and wiki/."""
        return self._layout.root

    @property
    def top(self) -> Path:
        """The top of the git work tree, which holds the wiki's folder, or is it."""
        return self._layout.top

    def close(self) -> None:
        """Ends the use of this object: later calls raise StateError. Idempotent."""
        self._is_closed = True
        if self._files is not None:
            self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Wiki({str(self.root)!r})"

    def _reading(self) -> AbstractContextManager[OpenWiki]:
        return self._opened(reads_only=True)

    def _recorded(self) -> AbstractContextManager[OpenWiki]:
        """As `_reading`, for what git is asked of. Raises NoRepository for a folder without it."""
        if self._layout.is_apart:
            raise NoRepository(
                "this needs git, and the folder is in no git repository",
                where=str(self.root),
                fix="Run `git init` there and commit the notes.",
            )
        return self._reading()

    def _opened(self, *, reads_only: bool = False) -> AbstractContextManager[OpenWiki]:
        if self._is_closed:
            raise StateError("this wiki was closed", where=str(self.root), fix="Open it again.")
        layout = self._layout
        if not reads_only:
            if not layout.is_wiki:
                fix = "Run `wiki adopt`; until then the Markdown here is only read."
                fix = way_to_wiki(self.root) or fix
                raise NoWiki("no wiki found here", where=str(self.root), fix=fix)
            # Pages of other tools are not so much as seen by what writes.
            layout = layout._replace(notes=None, reads_only=False)
        return opened(layout, self._here, self._tell, reads_only=reads_only, pool=self._files)

    def _named(self, place: str | os.PathLike[str]) -> Path:
        return Path(os.path.normpath(self._here / place))
