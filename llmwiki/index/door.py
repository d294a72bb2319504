"""The door to the index: opened, it is right, whatever the file was like before."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.index import file, schema
from llmwiki.index.build import build
from llmwiki.index.corpus import Card
from llmwiki.index.reader import Reader
from llmwiki.index.refresh import (
    REBUILD_SHARE,
    Sweep,
    committed_changes,
    look,
    refresh,
    store_state,
)
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import read_file, sweep
from llmwiki.repo.trees import object_id

SWEPT_BELOW = 20_000
"""Pages up to which every file is looked at for uncommitted edits: 2.5 µs each."""

KEPT = 2
"""Indexes of earlier commits that are kept."""

Notice = Callable[[str], None]


class IndexDamaged(StateError):
    """The index turned out to be damaged while it was read; it is gone, and made anew next time."""


class Index(Reader):
    """An open index of a wiki, with the texts of its pages."""

    def __init__(self, db: sqlite3.Connection, repo: Repository, *, committed: bool) -> None:
        super().__init__(db)
        self._repo = repo
        self._committed = committed
        self.swept = True
        """Whether uncommitted edits are seen."""
        self.on_close: Callable[[], None] | None = None

    def close(self) -> None:
        """See Reader."""
        super().close()
        if self.on_close is not None:
            todo, self.on_close = self.on_close, None
            todo()

    def read(self, card: Card) -> str:
        """The text of a page as it is indexed.

        Raises StateError where it was changed on the disk since and never committed.
        """
        if not self._committed:
            with self._repo.folders() as folders:
                data = read_file(folders, card.path)
            if data is not None and object_id("blob", data, self._repo.object_format) == card.oid:
                return data.decode("utf-8", "ignore")
        stored = self._repo.objects.get(card.oid)
        if stored is None:
            raise StateError(
                "was changed while it was read", where=card.path, fix="Run the command again."
            )
        return stored.data.decode("utf-8", "ignore")


@contextmanager
def open_corpus(
    repo: Repository, *, at: str | None = None, fresh: bool = False, notice: Notice | None = None
) -> Iterator[Index]:
    """The index of the wiki as it is now, or as it was at a revision.

    Uncommitted edits count, up to SWEPT_BELOW pages or with `fresh`. `notice` is told in a line
    why an index is made anew, or why a temporary one is used. Raises StateError for a revision
    that does not exist, IndexDamaged where the file proves damaged while it is used.
    """
    say = notice or _quiet
    with ExitStack() as stack:
        try:
            yield _opened(repo, at, fresh, say, stack)
        except sqlite3.DatabaseError as error:
            if not file.is_damage(error):
                raise StateError(f"the index cannot be read: {error}") from error
            stack.close()
            _discard(repo)
            raise IndexDamaged(
                "the index is damaged", fix="It was removed. Run the command again."
            ) from error


Fresh = bool | None
"""True: look at every file; False: where the wiki is not too large for it; None: never."""


def _opened(repo: Repository, at: str | None, fresh: Fresh, say: Notice, stack: ExitStack) -> Index:
    def once() -> Index:
        return _open_at(repo, at, say, stack) if at else _open_now(repo, fresh, say, stack)

    try:
        return once()
    except sqlite3.DatabaseError as error:
        if not file.is_damage(error):
            raise
        stack.close()
        _discard(repo)
        say("the index is damaged; making it anew")
        return once()


def _connected(path: Path, repo: Repository, stack: ExitStack, *, committed: bool = False) -> Index:
    index = Index(file.connect(path), repo, committed=committed)
    stack.callback(index.close)
    return index


def open_base(repo: Repository, *, notice: Notice | None = None) -> Index:
    """The index for whoever asks for committed pages, and closes it.

    It stands at HEAD as it is now; pages with uncommitted edits are its `strays`. Files are not
    looked at. Raises sqlite3.DatabaseError where the file proves damaged while it is used.
    """
    stack = ExitStack()
    try:
        index = _opened(repo, None, None, notice or _quiet, stack)
    except BaseException:
        stack.close()
        raise
    index.on_close = stack.close
    return index


def _quiet(_line: str) -> None:
    pass


def _discard(repo: Repository) -> None:
    folder = file.folder_of(repo.git_dir)
    with file.turn(folder):
        for path in folder.glob("*.db*"):
            path.unlink(missing_ok=True)


# --- now ---------------------------------------------------------------------------------


def _open_now(repo: Repository, fresh: Fresh, say: Notice, stack: ExitStack) -> Index:
    path = file.folder_of(repo.git_dir) / file.NAME
    try:
        index = _connected(path, repo, stack)
    except (FileNotFoundError, file.Unfit) as error:
        if isinstance(error, file.Unfit):
            say("the index is damaged or of another version; making it anew")
    except sqlite3.OperationalError as error:
        return _temporary(repo, f"the index cannot be opened ({error})", say, stack)
    else:
        if _is_current(index, repo, fresh):
            return index
        index.release()
        try:
            with file.turn(path.parent):
                if not _bring_up_to_date(index, repo, fresh):
                    make_anew(repo, path)
                    index.hold()
                return index
        except (OSError, sqlite3.OperationalError) as error:
            index.close()
            return _temporary(repo, f"the index cannot be written ({_why(error)})", say, stack)
    try:
        with file.turn(path.parent):
            return _replace(repo, path, stack)
    except (OSError, sqlite3.OperationalError) as error:
        return _temporary(repo, f"the index cannot be written ({_why(error)})", say, stack)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _is_current(index: Index, repo: Repository, fresh: Fresh) -> bool:
    """Whether nothing changed; the index then holds the moment it was asked at."""
    index.hold()
    if index.commit != repo.head():
        return False
    index.swept = _sweeps(index, fresh)
    return not index.swept or _swept(index.db, repo).clean


def _sweeps(index: Index, fresh: Fresh) -> bool:
    return index.pages <= SWEPT_BELOW if fresh is False else bool(fresh)


def _swept(db: sqlite3.Connection, repo: Repository) -> Sweep:
    now = time.time_ns()
    return look(db, sweep(repo.root, "wiki"), now)


def _bring_up_to_date(index: Index, repo: Repository, fresh: Fresh) -> bool:
    """Index what changed; False where a new index is the quicker way."""
    db = index.db
    index.release()
    db.execute("BEGIN IMMEDIATE")
    try:
        head, old = repo.head(), schema.get(db, "commit") or None
        if old is not None and old != head and repo.objects.get(old) is None:
            return False
        changes = committed_changes(repo, old, head)
        index.swept = _sweeps(index, fresh)
        seen = _swept(db, repo) if index.swept else Sweep()
        moved = len(changes) + seen.resized + len(seen.gone)
        if moved > REBUILD_SHARE * index.pages + 50:
            return False
        with repo.folders() as folders:
            refresh(db, repo, head, seen, changes, lambda path: read_file(folders, path))
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    index.hold()
    return True


def _replace(repo: Repository, path: Path, stack: ExitStack) -> Index:
    """A new index in place of what is there; the caller has the turn."""
    try:
        # Somebody else may have made it while we waited for the turn.
        index = _connected(path, repo, stack)
    except (FileNotFoundError, file.Unfit):
        pass
    else:
        if _is_current(index, repo, True) or _bring_up_to_date(index, repo, True):
            return index
    make_anew(repo, path)
    index = _connected(path, repo, stack)
    index.hold()
    return index


def make_anew(repo: Repository, path: Path) -> None:
    """Index every page, and put the result at `path`; the caller has the turn."""
    new = path.with_name(f"{path.name}.new")
    for left in new.parent.glob(f"{new.name}*"):
        left.unlink()
    db = _built(repo, new)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        try:
            target = file.connect(path)
        except (FileNotFoundError, file.Unfit, sqlite3.OperationalError):
            db.close()
            file.put_in_place(new, path)
        else:
            # Others may have the file open: it is written over through SQLite, not replaced.
            with _closing(target):
                db.backup(target)
    finally:
        db.close()
        for left in new.parent.glob(f"{new.name}*"):
            left.unlink()


@contextmanager
def _closing(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    finally:
        db.close()


def _built(repo: Repository, new: Path) -> sqlite3.Connection:
    head, now = repo.head(), time.time_ns()
    empty = sqlite3.connect(":memory:", isolation_level=None)
    with _closing(empty):
        schema.create(empty)
        seen = look(empty, sweep(repo.root, "wiki"), now)
    found = [seen.touched[path] for path in sorted(seen.touched)]
    db = build(new, repo.root, found, repo.object_format)
    held = dict(db.execute("SELECT path, oid FROM page"))
    committed = {path: oid for path, oid in committed_changes(repo, None, head).items() if oid}
    drift = {
        path: committed.get(path)
        for path in held.keys() | committed.keys()
        if held.get(path) != committed.get(path) and _is_text(path)
    }
    db.execute("BEGIN")
    db.executemany("INSERT INTO drift VALUES (?, ?)", sorted(drift.items()))
    store_state(db, head, seen.folders)
    db.execute("COMMIT")
    return db


def _is_text(path: str) -> bool:
    return path.encode("utf-8", "replace").decode() == path


def _temporary(repo: Repository, why: str, say: Notice, stack: ExitStack) -> Index:
    say(f"{why}: using a temporary one")
    folder = stack.enter_context(file.temporary_folder())
    make_anew(repo, folder / file.NAME)
    index = _connected(folder / file.NAME, repo, stack)
    index.hold()
    return index


# --- then --------------------------------------------------------------------------------


def _open_at(repo: Repository, revision: str, say: Notice, stack: ExitStack) -> Index:
    commit = repo.resolve(revision)
    if commit is None:
        raise StateError(f"there is no revision `{revision}`")
    folder = file.folder_of(repo.git_dir)
    path = folder / f"at-{commit[:16]}.db"
    try:
        index = _connected(path, repo, stack, committed=True)
        index.hold()
        if index.commit == commit:
            return index
        index.close()
    except (FileNotFoundError, file.Unfit, sqlite3.OperationalError):
        pass
    now = _open_now(repo, False, say, stack)
    try:
        with file.turn(folder):
            _go_back(repo, now, commit, path)
            _forget_old(folder, path)
    except (OSError, sqlite3.OperationalError) as error:
        say(f"the index cannot be written ({_why(error)}): using a temporary one")
        path = stack.enter_context(file.temporary_folder()) / path.name
        _go_back(repo, now, commit, path)
    finally:
        now.close()
    index = _connected(path, repo, stack, committed=True)
    index.hold()
    return index


def _go_back(repo: Repository, now: Index, commit: str, path: Path) -> None:
    """A copy of the index of now, with the difference to `commit` applied."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    db = sqlite3.connect(new, isolation_level=None)
    with _closing(db):
        now.db.backup(db)
        db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        changes = committed_changes(repo, now.commit, commit)
        wanted = {**dict(now.strays), **changes}
        db.execute("BEGIN")
        refresh(db, repo, commit, Sweep(), changes, lambda path: _blob(repo, wanted.get(path)))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
    file.put_in_place(new, path)


def _blob(repo: Repository, oid: str | None) -> bytes | None:
    return repo.read_many([oid])[0] if oid else None


def _forget_old(folder: Path, newest: Path) -> None:
    kept = sorted(folder.glob("at-*.db"), key=lambda p: (p.stat().st_mtime_ns, p.name))
    for path in [p for p in kept if p != newest][: -(KEPT - 1) or None]:
        for ending in ("", "-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)


# --- for `wiki index` --------------------------------------------------------------------


def rebuild(repo: Repository) -> int:
    """Make the index anew; returns how many pages it holds. Raises StateError, LockTimeout."""
    path = file.folder_of(repo.git_dir) / file.NAME
    try:
        with file.turn(path.parent):
            make_anew(repo, path)
        with open_corpus(repo) as index:
            return index.pages
    except OSError as error:
        raise StateError(f"cannot write the index: {_why(error)}", where=str(path)) from error


def differences(repo: Repository) -> tuple[int, list[str]]:
    """Compare the index, brought up to date, with one made anew.

    Returns how many pages were compared, and a line for each table that differs.
    """
    with open_corpus(repo, fresh=True) as index, file.temporary_folder() as folder:
        make_anew(repo, folder / file.NAME)
        other = Index(file.connect(folder / file.NAME), repo, committed=False)
        with _closing(other.db):
            other.hold()
            return index.pages, _compared(index, other)


def _compared(index: Index, other: Index) -> list[str]:
    found = []
    for name, told in (
        ("pages", _pages),
        ("postings", _postings),
        ("counts", lambda i: list(i.db.execute("SELECT * FROM tally ORDER BY kind, key"))),
        ("uncommitted pages", lambda i: list(i.strays.items())),
        ("commit", lambda i: i.commit),
    ):
        if told(index) != told(other):
            found.append(f"{name} differ")
    return found


def _pages(index: Index) -> list[tuple[object, ...]]:
    columns = "path, oid, type, title, description, rest, runs, doc"
    return [
        (*row, index.lengths[doc], index.title_lengths[doc])
        for *row, doc in index.db.execute(f"SELECT {columns} FROM page ORDER BY path")
    ]


def _postings(index: Index) -> Mapping[str, bytes]:
    """A digest of the postings of each key, pages by their paths."""
    from hashlib import blake2b

    keys = [key for (key,) in index.db.execute("SELECT DISTINCT key FROM posting ORDER BY key")]
    paths = dict(index.db.execute("SELECT doc, path FROM page"))
    digests = {}
    for start in range(0, len(keys), 400):
        for key, held in index.postings(keys[start : start + 400]).items():
            told = sorted(zip((paths[doc] for doc in held.docs), held.codes, strict=True))
            digests[key] = blake2b(repr(told).encode(), digest_size=16).digest()
    return digests
