"""Opens the search index, brought up to date first.

A missing, damaged or outdated file is made anew or refreshed before it is read, so that a caller
always reads an index of HEAD, up to 20,000 pages also of uncommitted edits. Where the file cannot
be written, a temporary one is used. Raises InputError for an unknown revision, and IndexDamaged
when damage shows while the index is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Literal

from llmwiki.core.errors import StateError
from llmwiki.index import file, schema
from llmwiki.index.corpus import Card, Corpus
from llmwiki.index.worktree_scan import WorkTreeScan, glance, look_around
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import read_file
from llmwiki.repo.worktree import Folders

SWEPT_BELOW = 20_000
"""Pages up to which every file is looked at for uncommitted edits: 2.5 µs each. Of a larger wiki
a glance has to do."""

NEAR = 300
"""Pages in which a commit may differ to be shown over the index of now, of some 2 ms each; of one
further off a file is made."""
KEPT = 2
"""Indexes of earlier commits that are kept."""
COMMITTED = "committed"
"""Begins the name of the index of HEAD's pages, where the work tree has others."""

Notice = Callable[[str], None]


class IndexDamaged(StateError):
    """The index turned out to be damaged while it was read; it is gone, and made anew next time."""


class Index(Corpus):
    """An open index of a wiki, with the texts of its pages."""

    def __init__(self, db: sqlite3.Connection, repo: Repository, *, committed: bool) -> None:
        super().__init__(db)
        self._repo = repo
        self._committed = committed
        self.swept = True
        """Whether every file was looked at for uncommitted edits."""
        self.on_close: Callable[[], None] | None = None
        self._folders: Folders | None = None

    def close(self) -> None:
        """Close the file."""
        super().close()
        if self._folders is not None:
            self._folders.close()
            self._folders = None
        if self.on_close is not None:
            todo, self.on_close = self.on_close, None
            todo()

    def shows_commit(self) -> None:
        """What is in the transaction that this connection has begun are the pages of a commit."""
        self._committed = True
        self.forget()
        self.look_again()

    def is_at(self, path: Path) -> bool:
        """Whether it is the file at `path`, and not one that another question makes anew."""
        listed = self.db.execute("PRAGMA database_list").fetchone()
        return Path(listed[2]) == path.resolve()

    def read(self, card: Card) -> str:
        """The text of a page as it is indexed.

        Raises StateError where it was changed on the disk since and never committed.
        """
        data = None if self._committed else self._from_disk(card)
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
        known = self.db.execute("SELECT mtime, size, inode FROM page WHERE id = ?", (card.doc,))
        if known.fetchone() == (found.mtime, found.size, found.inode):
            return found.data
        from llmwiki.repo.trees import object_id

        same = object_id("blob", found.data, self._repo.object_format) == card.oid
        return found.data if same else None


@contextmanager
def open_corpus(
    repo: Repository,
    *,
    at: str | None = None,
    look: Look = "usual",
    near: bool = False,
    notice: Notice | None = None,
) -> Iterator[Index]:
    """The index of the wiki as it is now, or as it was at a revision.

    Uncommitted edits count as far as `look` sees them. `near`: it is for one quick question, so
    that a revision in which few pages differ may be shown over the index of now, which nobody
    writes meanwhile. `notice` is told in a line why an index is made anew, or why a temporary one
    is used. Raises InputError for a revision that does not exist, IndexDamaged where the file
    proves damaged while it is used.
    """
    say = notice or _quiet
    with ExitStack() as stack, telling_damage(repo, stack.close):
        yield _opened(repo, at, look, say, stack, near=near)


@contextmanager
def telling_damage(repo: Repository, close: Callable[[], None]) -> Iterator[None]:
    """While it lasts, damage of the file is raised as IndexDamaged, after `close`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not file.is_damage(error):
            raise StateError(f"the index cannot be read: {error}") from error
        close()
        file.discard(_own_folder(repo))
        raise IndexDamaged(
            "the index is damaged", fix="It was removed. Run the command again."
        ) from error


def _own_folder(repo: Repository) -> Path:
    """The folder of the index files that may be written."""
    return repo.layout.aside or file.folder_of(repo.git_dir)


Look = Literal["whole", "usual", "glance", "never"]
"""Which files are looked at for uncommitted edits: every one; every one where the wiki is not too
large for it, else as a glance does; those that a glance sees (`worktree_scan`); none."""


def open_now(repo: Repository, look: Look, say: Notice, stack: ExitStack) -> Index:
    """The index of the wiki as it is now; `stack` closes it.

    Raises sqlite3.DatabaseError where the file proves damaged while it is used.
    """
    return _opened(repo, None, look, say, stack)


def _opened(
    repo: Repository,
    at: str | None,
    look: Look,
    say: Notice,
    stack: ExitStack,
    *,
    near: bool = False,
) -> Index:
    def once() -> Index:
        if at:
            commit = repo.commit(at)
            index = _open_near(repo, commit, say, stack) if near else None
            return index or _open_at(repo, commit, say, stack)
        return _open_now(repo, look, say, stack)

    return _mended(repo, once, say, stack)


def _mended(repo: Repository, once: Callable[[], Index], say: Notice, stack: ExitStack) -> Index:
    """What `once` opens, after it was made anew where it proves damaged."""
    try:
        return once()
    except sqlite3.DatabaseError as error:
        if not file.is_damage(error):
            raise
        stack.close()
        file.discard(_own_folder(repo))
        say("the index is damaged; making it anew")
        return once()


def _connected(path: Path, repo: Repository, stack: ExitStack, *, committed: bool = False) -> Index:
    index = Index(file.connect(path), repo, committed=committed)
    stack.callback(index.close)
    return index


def open_committed(repo: Repository, commit: str, *, notice: Notice | None = None) -> Index:
    """The index of the pages of a commit, for whoever closes it; files are not looked at.

    That of the work tree, where it holds the same; else a copy with the difference. Raises
    sqlite3.DatabaseError where the file proves damaged while it is used.
    """
    say, stack = notice or _quiet, ExitStack()

    def once() -> Index:
        index = _open_now(repo, "never", say, stack) if commit == repo.head() else None
        if index is not None and index.commit == commit and not index.strays:
            return index
        stack.close()
        return _open_at(repo, commit, say, stack)

    try:
        index = _mended(repo, once, say, stack)
    except BaseException:
        stack.close()
        raise
    index.on_close = stack.close
    return index


def empty_index(repo: Repository) -> Index:
    """An index without pages, in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    schema.create(db)
    index = Index(db, repo, committed=True)
    index.hold()
    return index


def _quiet(_line: str) -> None:
    pass


# --- now ---------------------------------------------------------------------------------


def _open_now(repo: Repository, look: Look, say: Notice, stack: ExitStack) -> Index:
    path = file.folder_of(repo.git_dir) / file.name_of(repo.layout.key)
    if repo.layout.aside is not None:
        index = _open_current(path, repo, look, stack)
        if index is not None:
            return index
        try:
            path = file.copied(path, repo.layout.aside)
        except OSError as error:
            return _temporary(repo, f"the index cannot be copied ({why(error)})", say, stack)
    return _open_file(path, repo, look, say, stack)


def _open_current(path: Path, repo: Repository, look: Look, stack: ExitStack) -> Index | None:
    """The index as it lies, if it is up to date; nothing is written, no damage raised."""
    try:
        index = _connected(path, repo, stack)
        seen = looked(index, repo, look)
    except (FileNotFoundError, file.IndexUnfit, sqlite3.DatabaseError):
        return None
    if index.commit == repo.head() and (seen is None or seen.clean):
        return index
    index.close()
    return None


def _open_file(path: Path, repo: Repository, look: Look, say: Notice, stack: ExitStack) -> Index:
    """The index in the file `path`, brought up to date, or made anew, where that is needed."""
    try:
        index = _connected(path, repo, stack)
    except (FileNotFoundError, file.IndexUnfit) as error:
        if isinstance(error, file.IndexUnfit):
            say("the index is damaged or of another version; making it anew")
    except sqlite3.OperationalError as error:
        return _temporary(repo, f"the index cannot be opened ({error})", say, stack)
    else:
        seen = looked(index, repo, look)
        if index.commit == repo.head() and (seen is None or seen.clean):
            return index
        try:
            with file.turn(path.parent):
                bring_up_to_date(index, repo, seen)
                return index
        except (OSError, sqlite3.OperationalError) as error:
            index.close()
            return _temporary(repo, f"the index cannot be written ({why(error)})", say, stack)
    try:
        with file.turn(path.parent):
            return _replace(repo, path, stack)
    except (OSError, sqlite3.OperationalError) as error:
        return _temporary(repo, f"the index cannot be written ({why(error)})", say, stack)


def why(error: Exception) -> str:
    """What the disk or SQLite said, in a few words."""
    return getattr(error, "strerror", None) or str(error)


def looked(index: Index, repo: Repository, look: Look) -> WorkTreeScan | None:
    """What the files look like; None where they are not looked at.

    From here on the index holds the moment it was asked at.
    """
    index.hold()
    index.swept = look == "whole" or (look == "usual" and index.pages <= SWEPT_BELOW)
    if index.swept:
        return look_around(index.db, repo)
    return None if look == "never" else glance(index.db, repo)


def bring_up_to_date(index: Index, repo: Repository, seen: WorkTreeScan | None) -> None:
    """Takes in HEAD and what a look at the files has seen; the caller has the turn."""
    from llmwiki.index import build_file

    index.release()
    # Whole tables may be put in place, which SQLite counts as no change of a row.
    index.forget()
    build_file.bring_up_to_date(index.db, repo, seen or WorkTreeScan())
    index.hold()


def _replace(repo: Repository, path: Path, stack: ExitStack) -> Index:
    """A new index in place of what is there; the caller has the turn."""
    from llmwiki.index import build_file

    try:
        # Somebody else may have made it while we waited for the turn.
        index = _connected(path, repo, stack)
    except (FileNotFoundError, file.IndexUnfit):
        pass
    else:
        bring_up_to_date(index, repo, looked(index, repo, "whole"))
        return index
    build_file.make_anew(repo, path)
    index = _connected(path, repo, stack)
    index.hold()
    return index


def _temporary(repo: Repository, why: str, say: Notice, stack: ExitStack) -> Index:
    from llmwiki.index import build_file

    say(f"{why}: using a temporary one")
    folder = stack.enter_context(file.temporary_folder())
    build_file.make_anew(repo, folder / file.NAME)
    index = _connected(folder / file.NAME, repo, stack)
    index.hold()
    return index


# --- then --------------------------------------------------------------------------------


def _open_near(repo: Repository, commit: str, say: Notice, stack: ExitStack) -> Index | None:
    """The index of now with the pages of a commit put in, in a transaction that is never ended
    but taken back; None where that commit is too far, or somebody else writes."""
    from llmwiki.index.build_file import show_commit

    if repo.layout.aside is not None:
        return None
    index = _open_now(repo, "never", say, stack)
    index.release()
    try:
        index.db.execute("PRAGMA busy_timeout = 0")
        index.db.execute("BEGIN IMMEDIATE")
        is_near = show_commit(index.db, repo, commit, NEAR)
    except sqlite3.OperationalError:
        is_near = False
    if not is_near:
        index.close()
        return None
    index.shows_commit()
    return index


def _open_at(repo: Repository, commit: str, say: Notice, stack: ExitStack) -> Index:
    folder = _own_folder(repo)
    is_head = commit == repo.head()
    path = folder / (f"{COMMITTED if is_head else f'at-{commit[:16]}'}{repo.layout.key}.db")
    try:
        index = _connected(path, repo, stack, committed=True)
        index.hold()
        if index.commit == commit and not index.strays:
            return index
        index.close()
    except (FileNotFoundError, file.IndexUnfit, sqlite3.OperationalError):
        pass
    from llmwiki.index.build_file import bring_to, go_back

    now = _open_now(repo, "never", say, stack)
    try:
        with file.turn(folder):
            try:
                db = file.connect(path)
            except (FileNotFoundError, file.IndexUnfit):
                go_back(repo, now, commit, path)
            else:
                with closing(db):
                    bring_to(db, repo, commit)
            _forget_old(folder, path)
    except (OSError, sqlite3.OperationalError) as error:
        say(f"the index cannot be written ({why(error)}): using a temporary one")
        path = stack.enter_context(file.temporary_folder()) / path.name
        go_back(repo, now, commit, path)
    finally:
        now.close()
    index = _connected(path, repo, stack, committed=True)
    index.hold()
    return index


def _forget_old(folder: Path, newest: Path) -> None:
    kept = sorted(folder.glob("at-*.db"), key=lambda p: (p.stat().st_mtime_ns, p.name))
    for path in [p for p in kept if p != newest][: -(KEPT - 1) or None]:
        for beside in folder.glob(f"*{path.name}*"):
            beside.unlink(missing_ok=True)
