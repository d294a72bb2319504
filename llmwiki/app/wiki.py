"""`Wiki`: every use case of a wiki as a method, values in and values out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.callbacks import Callbacks
from llmwiki.app.page_folders import layout_at
from llmwiki.app.wiki_changes import WikiChanges
from llmwiki.app.wiki_decisions import WikiDecisions
from llmwiki.app.wiki_readings import WikiReadings

if TYPE_CHECKING:
    from llmwiki.app.memory import WikiMemory


class Wiki(WikiReadings, WikiChanges, WikiDecisions):
    """A wiki in a git work tree.

    Each method is one use case, and a value comes back. Failures are exceptions of
    `llmwiki.WikiError` and its subclasses. Nothing is printed; messages for a person go to
    the `Callbacks` that the wiki was opened with.

    Nothing is kept open or cached between calls, but in a `session`. Every call sees each new
    commit and each edit of the work tree, and a `Wiki` may be used from many threads at once:
    those that write take turns, with other processes too.
    """

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] = ".",
        callbacks: Callbacks | None = None,
        *,
        root: str | os.PathLike[str] | None = None,
    ) -> Wiki:
        """The wiki around the folder `path`, from which files are named in all calls.

        Where there is none, the Markdown of the work tree is read as one, and `root` names the
        folder whose Markdown is; methods that write raise StateError then. Raises StateError
        where there is no git work tree, or no Markdown in it.
        """
        here = Path(path).absolute()
        told = callbacks or Callbacks()
        place = None if root is None else here / root
        return cls(layout_at(here, place, told.notice), here, told)

    @classmethod
    def init(
        cls,
        path: str | os.PathLike[str] = ".",
        callbacks: Callbacks | None = None,
        *,
        allow_detached: bool = False,
        nested: bool = False,
    ) -> Wiki:
        """The wiki in the folder `path`, made in one commit, with a git repository where none is.

        A wiki that is there is completed. Raises InputError for a place that is no folder, and
        StateError for one inside another wiki of the same repository, unless `nested`.
        """
        from llmwiki.app.init import init

        told = callbacks or Callbacks()
        init(Path(path).absolute(), told, allow_detached=allow_detached, nested=nested)
        return cls.open(path, callbacks)

    def session(self) -> Wiki:
        """The same wiki for many calls, which are quicker: the index stays open between them.

        Use it as a context manager, or close it. Its calls see and do the same as those of any
        other `Wiki`, from many threads at once too. Memory: some 80 MB for 10,000 pages.
        """
        from llmwiki.app.open_files import OpenFiles

        return Wiki(self._layout, self._here, self._tell, OpenFiles(self._layout))

    def aside(self) -> Wiki:
        """The same wiki, of which calls that only read write nothing, not even an index.

        An index that is behind is copied for each call and brought up to date there; in a session
        the copy is kept.
        """
        return Wiki(self._layout._replace(reads_only=True), self._here, self._tell)

    @property
    def memory(self) -> WikiMemory:
        """What was learned from conversations: to observe, list, explain, promote, forget."""
        from llmwiki.app.memory import WikiMemory

        return WikiMemory(self._opened, self._reading)
