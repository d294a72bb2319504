"""Opens the search index, brought up to date first.

A missing, damaged or outdated file is made anew or refreshed before it is read, so that a caller
always reads an index of HEAD and, as far as the files were looked at, of uncommitted edits. Where
the file may not or cannot be written, and for the pages of another commit, a copy is brought up to
date that nobody else sees.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from llmwiki.core.callbacks import ignore
from llmwiki.core.errors import StateError
from llmwiki.git.markdown_files import read_file
from llmwiki.git.repository import Repository
from llmwiki.git.worktree_files import Folders
from llmwiki.index import index_file, tables
from llmwiki.index.lookups import KEPT_KIB, Card, Corpus
from llmwiki.index.worktree_scan import NEWEST, RECENT, WorkTreeScan, glance, look_around

SWEPT_BELOW = 20_000
"""Pages up to which every file is looked at for uncommitted edits: 2.5 µs each. Of a larger wiki
a glance has to do."""

Notice = Callable[[str], None]
Look = Literal["whole", "usual", "glance", "again", "never"]
"""Which files are looked at for uncommitted edits: every one; every one where the wiki is not too
large for it, else as a glance does; those that a glance sees (`worktree_scan`); those that it sees
a few seconds after another look; none."""


class Index(Corpus):
    """An open index of a wiki, with the texts of its pages."""

    def __init__(self, db: sqlite3.Connection, repo: Repository, place: Path | None = None) -> None:
        super().__init__(db)
        self._repo = repo
        self._identity = _identity(place) if place else None
        self._place = place
        self._shows_commit = False
        self.swept = True
        """Whether every file was looked at for uncommitted edits."""
        self._folders: Folders | None = None

    @property
    def is_private(self) -> bool:
        """Whether nobody else sees it."""
        return self._place is None

    @property
    def is_in_place(self) -> bool:
        """Whether the file that was opened still is the index."""
        return self._place is None or _identity(self._place) == self._identity

    def close(self) -> None:
        """Close the file."""
        super().close()
        if self._folders is not None:
            self._folders.close()
            self._folders = None

    def holds(self, commit: str | None) -> bool:
        """Whether it has the pages of a commit, and no others."""
        return self.commit == commit and not self.strays

    def of_commit(self) -> Index:
        """The same, whose texts are those of its commit, whatever the work tree has."""
        self._shows_commit = True
        return self

    def read(self, card: Card) -> str:
        """The text of a page as it is indexed.

        Raises StateError where it was changed on the disk since and never committed.
        """
        data = None if self._shows_commit else self._from_disk(card)
        if data is None:
            stored = self._repo.objects.get(card.oid)
            if stored is None:
                raise StateError(
                    "was changed while it was read", where=card.path, fix="Run the command again."
                )
            data = stored.data
        return data.decode("utf-8", "ignore")

    def _from_disk(self, card: Card) -> bytes | None:
        """The file's bytes, if they are still those that were indexed."""
        if self._folders is None:
            self._folders = self._repo.folders()
        found = read_file(self._folders, self._repo.prefix + card.path)
        if found is None:
            return None
        if card.stamp == (found.mtime, found.size, found.inode):
            return found.data
        from llmwiki.git.trees import object_id

        same = object_id("blob", found.data, self._repo.object_format) == card.oid
        return found.data if same else None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def place_of(repo: Repository) -> Path:
    """Where the index of a wiki lies."""
    return index_file.folder_of(repo.git_dir) / index_file.name_of(repo.layout.key)


@contextmanager
def open_corpus(
    repo: Repository,
    *,
    at: str | None = None,
    look: Look = "usual",
    notice: Notice = ignore,
) -> Iterator[Index]:
    """The index of the wiki as it is now, or as it was at a revision.

    Uncommitted edits count as far as `look` sees them. `notice` is told in a line why an index is
    made anew, or why a temporary one is used. Raises InputError for a revision that does not exist,
    IndexDamaged where the file proves damaged while it is used.
    """
    commit = repo.commit(at) if at else None
    index = open_committed(repo, commit, notice) if commit else open_index(repo, look, notice)
    try:
        yield index
    except sqlite3.DatabaseError as error:
        raise index_file.damaged(index.db, error) from error
    finally:
        index.close()


def open_index(repo: Repository, look: Look, say: Notice, held: Index | None = None) -> Index:
    """The index of the wiki as it is now, for whoever closes it; that which is `held` since the
    last question, if any. Raises StateError."""
    try:
        return _opened(repo, look, say, held)
    except sqlite3.DatabaseError as error:
        if not index_file.is_damage(error):
            raise StateError(f"the index cannot be read: {error}") from error
    say("the index is damaged; making it anew")
    if repo.layout.reads_only:
        return private(repo, None)
    index_file.discard(place_of(repo).parent)
    return _opened(repo, look, say, None)


def _opened(repo: Repository, look: Look, say: Notice, index: Index | None) -> Index:
    path, trouble = place_of(repo), ""
    seen = None
    try:
        index = index or _found(path, repo, say)
        seen = looked(index, repo, look) if index is not None else None
        # It holds HEAD, and what a look at the files has seen.
        if index is not None and index.commit == repo.head() and (seen is None or seen.clean):
            return index
    except sqlite3.OperationalError as error:
        index, trouble = None, f"the index cannot be opened ({error})"
    if not trouble and index is not None and index.is_private:
        _bring_up_to_date(index, repo, seen)
        return index
    if not trouble and not repo.layout.reads_only:
        try:
            with index_file.turn(path.parent):
                return _brought(index, repo, seen, path)
        except (OSError, sqlite3.OperationalError) as error:
            trouble = f"the index cannot be written ({why(error)})"
    if trouble:
        say(f"{trouble}: using a temporary one")
    return private(repo, index, seen)


def _found(path: Path, repo: Repository, say: Notice) -> Index | None:
    """The index that is there, if it fits."""
    try:
        return Index(index_file.connect(path, reads_only=repo.layout.reads_only), repo, path)
    except FileNotFoundError:
        return None
    except index_file.IndexUnfit:
        say("the index is damaged or of another version; making it anew")
        return None


def open_committed(repo: Repository, commit: str, say: Notice = ignore) -> Index:
    """The index of the pages of a commit, for whoever closes it; files are not looked at.

    That of the work tree, where it holds the same; else a copy with the difference.
    """
    index = open_index(repo, "never", say)
    return (index if index.holds(commit) else private(repo, index, commit=commit)).of_commit()


def private(
    repo: Repository,
    of: Index | None,
    seen: WorkTreeScan | None = None,
    *,
    commit: str | None = None,
) -> Index:
    """A copy of an index, which is closed, or one made from nothing: brought to the wiki as it is
    now, or to a commit."""
    from llmwiki.index import refresh

    if of is None:
        db = refresh.all_pages(repo)
    else:
        db = index_file.private()
        of.db.backup(db)
        of.close()
    index = Index(db, repo)
    if commit is not None:
        refresh.show_commit(db, repo, commit)
        index.of_commit()
    elif of is not None:
        refresh.bring_up_to_date(db, repo, seen or WorkTreeScan())
    index.hold()
    return index


def empty_index(repo: Repository) -> Index:
    """An index without pages."""
    db = index_file.private()
    tables.create(db)
    index = Index(db, repo).of_commit()
    index.hold()
    return index


def why(error: Exception) -> str:
    """What the disk or SQLite said, in a few words."""
    return getattr(error, "strerror", None) or str(error)


def looked(index: Index, repo: Repository, look: Look) -> WorkTreeScan | None:
    """What the files look like; None where they are not looked at.

    From here on the index holds the moment it was asked at; where it proves damaged it is closed.
    """
    try:
        index.hold()
        index.swept = look == "whole" or (look == "usual" and index.pages <= SWEPT_BELOW)
        if index.swept:
            return look_around(index.db, repo)
        if look == "never":
            return None
        return glance(index.db, repo, RECENT if look == "again" else NEWEST)
    except sqlite3.DatabaseError:
        index.close()
        raise


def _bring_up_to_date(index: Index, repo: Repository, seen: WorkTreeScan | None) -> None:
    """Takes in HEAD and what a look at the files has seen; the caller has the turn."""
    from llmwiki.index import refresh

    index.release()
    # Whole tables may be put in place, which SQLite counts as no change of a row.
    index.forget()
    refresh.bring_up_to_date(index.db, repo, seen or WorkTreeScan())
    index.hold()


def _brought(index: Index | None, repo: Repository, seen: WorkTreeScan | None, path: Path) -> Index:
    """The index of now, in its place; the caller has the turn."""
    from llmwiki.index import refresh

    if index is None:
        try:
            # Somebody else may have made it while we waited for the turn.
            index = Index(index_file.connect(path), repo, path)
        except (FileNotFoundError, index_file.IndexUnfit):
            refresh.make_anew(repo, path)
            index = Index(index_file.connect(path), repo, path)
            index.hold()
            return index
        seen = looked(index, repo, "whole")
    _bring_up_to_date(index, repo, seen)
    return index


GLANCES = 10.0
"""Seconds for which a glance at the files is enough."""


class KeptIndex:
    """An index for one thread at a time. Close it."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._index: Index | None = None
        self._is_used = False
        self._glances_until = 0.0

    @property
    def is_used(self) -> bool:
        """Whether a question is being answered: it answers one at a time."""
        return self._is_used

    @contextmanager
    def opened(self, *, notice: Notice) -> Iterator[Index]:
        """The index as it is now, for one question. Raises as `open_corpus` does."""
        self._is_used = True
        try:
            index = self._current(notice)
            yield index
            index.release()
        except sqlite3.DatabaseError as error:
            assert self._index is not None
            told = index_file.damaged(self._index.db, error)
            self.close()
            raise told from error
        except BaseException:
            self.close()
            raise
        finally:
            self._is_used = False

    def close(self) -> None:
        """Closes the file; the next question opens it again. Idempotent."""
        self._glances_until = 0.0
        if self._index is not None:
            self._index.close()
            self._index = None

    def _current(self, say: Notice) -> Index:
        if self._index is not None and not self._index.is_in_place:
            self.close()
        glances = time.monotonic() < self._glances_until
        held = self._index
        self._index = index = open_index(self._repo, "again" if glances else "usual", say, held)
        if index is not held:
            index.db.execute(f"PRAGMA cache_size = {-KEPT_KIB}")
        if not glances:
            self._glances_until = time.monotonic() + GLANCES
        return index
