"""The `land` writer: brings the work tree to what has been committed, page by page.

Runs after the commit point, and again in recovery; so it is idempotent and never fails: it says
which paths it kept for the user's sake and which it could not write.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError, WikiError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import MOST_OPEN, sync_all, write_all
from llmwiki.git.repository import Repository
from llmwiki.git.trees import EXECUTABLE, Entry, empty_tree, lookup, object_id
from llmwiki.git.worktree_files import Folders

_SOURCES, _TEXTS = "raw/", "raw/.text/"


@dataclass(frozen=True, slots=True)
class Step:
    """One path's change."""

    path: str
    """Relative to the work tree's top."""
    old: Entry | None
    new: Entry | None
    adopted: bool = False
    """The person's own file: the work tree is not to be touched."""


def steps_left(repo: Repository, commit: str) -> list[Step]:
    """The steps of a landing that was cut short after its commit point: what the commit changes
    against its first parent, where HEAD still has it. What a later commit has changed again is
    that commit's business.

    A file below raw/ that is not what the landing replaced is taken for a person's.
    """
    base = next(iter(repo.listed_parents(commit)), empty_tree(repo.object_format))
    tree = repo.root_tree(repo.head())
    with repo.folders() as folders:
        return [
            Step(path, old, new, adopted=_is_persons(repo, folders, path, old))
            for path, old, new in repo.changes(base, commit)
            if lookup(repo.directory, tree, path) == new
        ]


def _is_persons(repo: Repository, folders: Folders, path: str, old: Entry | None) -> bool:
    name = path.removeprefix(repo.prefix)
    if not name.startswith(_SOURCES) or name.startswith(_TEXTS):
        return False
    try:
        data = folders.read(path)
    except (OSError, PolicyError):
        return True
    if data is None or old is None:
        return (data is None) != (old is None)
    return old[1] != object_id("blob", data, repo.object_format)


_TEMPORARY = re.compile(r"\.llmwiki-[0-9]+-[0-9]+\.tmp\Z")

Blobs = Callable[[Entry | None], bytes | None]
"""The bytes that a step puts in place; None for None."""


@dataclass(frozen=True, slots=True)
class WorkTreeOutcome:
    """What became of work tree and index; paths are relative to the wiki's root, sorted."""

    kept: tuple[str, ...] = ()
    """The file was no longer what the landing replaced: the user's bytes stay."""
    failed: tuple[str, ...] = ()
    """The disk refused."""
    is_index_done: bool = True

    @property
    def is_complete(self) -> bool:
        """Whether the landing ref may go."""
        return self.is_index_done and not self.failed


@dataclass(slots=True)
class _Ready:
    step: Step
    temporary: str | None
    fd: int | None


def materialise(repo: Repository, steps: Sequence[Step], blobs: Blobs) -> WorkTreeOutcome:
    """Give each path of `steps` its new bytes where it still has its old ones.

    All temporary files are written and synced first, many together, then renamed one by one, each
    right after a last look at what it replaces. A new file is linked, not renamed, into place:
    a file that somebody creates there in that moment is not overwritten.
    """
    ours = [step for step in steps if not step.adopted]
    _respell_all(repo, [step.path for step in steps if step.adopted and step.new is not None])
    if not ours:
        return WorkTreeOutcome()
    reach("tree.begin")
    failed: list[str] = []
    ready: list[_Ready] = []
    with repo.folders() as folders:
        try:
            for number, step in enumerate(ours):
                try:
                    ready.append(_prepare(folders, step, blobs, number))
                except (OSError, PolicyError):
                    failed.append(step.path)
                if number % MOST_OPEN == MOST_OPEN - 1:
                    _sync(ready[-MOST_OPEN:], failed)
            _sync(ready[-MOST_OPEN:], failed)
            reach("tree.synced")
            kept = _place_all(repo, folders, ready, blobs, failed)
        finally:
            for item in ready:
                _discard(folders, item)
        for step in ours:
            if step.new is None:
                _remove_empty(folders, step.path, repo.prefix)
        _sync_folders(folders, [step.path for step in ours])
    reach("tree.done")
    return WorkTreeOutcome(names(repo, kept), names(repo, failed))


def names(repo: Repository, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths of the work tree as paths below the wiki's root, sorted."""
    return tuple(sorted(path.removeprefix(repo.prefix) for path in paths))


def _respell_all(repo: Repository, paths: Sequence[str]) -> None:
    """Give files that were taken over, and the folders above them, the names they are committed
    under, where the disk spells those in another normal form of Unicode."""
    with repo.folders() as folders:
        for path in paths:
            if not path.isascii():
                # A name that stays as it is shows in `git status`; nothing is lost by it.
                with suppress(OSError, PolicyError):
                    _respell(folders, path)


def _respell(folders: Folders, path: str) -> None:
    folder = ""
    for name in path.split("/"):
        here = f"{folder}/{name}" if folder else name
        if folders.status(here) is None:
            directory = folders.descriptor(folder)
            names = os.listdir(directory)  # noqa: PTH208 - by descriptor, not by name
            twins = [each for each in names if unicodedata.normalize("NFC", each) == name]
            if len(twins) != 1:
                return
            os.rename(twins[0], name, src_dir_fd=directory, dst_dir_fd=directory)
        folder = here


def _place_all(
    repo: Repository, folders: Folders, ready: Sequence[_Ready], blobs: Blobs, failed: list[str]
) -> list[str]:
    """Put all files in place; the paths kept for the user's sake. Adds to `failed`."""
    kept: list[str] = []
    # Deletions first: where case does not count, a page that only changes the case of its name
    # must be gone before it comes.
    for item in sorted(ready, key=lambda item: item.step.new is not None):
        if item.step.path in failed:
            continue
        try:
            if not _place(repo, folders, item, blobs):
                kept.append(item.step.path)
        except PolicyError:
            kept.append(item.step.path)
        except (OSError, WikiError):
            failed.append(item.step.path)
    return kept


def _prepare(folders: Folders, step: Step, blobs: Blobs, number: int) -> _Ready:
    folder, _, _name = step.path.rpartition("/")
    if step.new is None:
        return _Ready(step, None, None)
    directory, made = folders.made(folder)
    if made:
        reach("tree.directory")
    if folders.status(step.path) is not None:
        data = folders.read(step.path)
        if data == blobs(step.new):
            return _Ready(step, None, None)
    temporary = f".llmwiki-{os.getpid()}-{number}.tmp"
    mode = 0o777 if step.new[0] == EXECUTABLE else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=directory)
    fd = os.open(temporary, flags, mode, dir_fd=directory)
    item = _Ready(step, temporary, fd)
    try:
        write_all(fd, blobs(step.new) or b"")
        reach("tree.temporary")
    except OSError:
        _discard(folders, item)
        raise
    return item


def _sync(ready: Sequence[_Ready], failed: list[str]) -> None:
    """Wait until the temporary files that are still open are on the disk, and close them."""
    written = [item for item in ready if item.fd is not None]
    try:
        sync_all([item.fd for item in written if item.fd is not None])
    except OSError:
        failed += [item.step.path for item in written]
    for item in written:
        _close(item)


def _sync_folders(folders: Folders, paths: Sequence[str]) -> None:
    """Wait until the names in the folders of these paths, and in those above, are on the disk."""
    parts = (path.split("/")[:-1] for path in paths)
    above = sorted({"/".join(part[:end]) for part in parts for end in range(len(part) + 1)})
    for start in range(0, len(above), MOST_OPEN):
        there: list[int] = []
        for folder in above[start : start + MOST_OPEN]:
            # One that was emptied is gone.
            with suppress(OSError, PolicyError):
                there.append(os.dup(folders.descriptor(folder)))
        with suppress(OSError):
            sync_all(there)
        for descriptor in there:
            os.close(descriptor)


def _place(repo: Repository, folders: Folders, item: _Ready, blobs: Blobs) -> bool:
    """Put the new file in place of the old one; False when the old one is not there any more."""
    step = item.step
    folder, _, name = step.path.rpartition("/")
    try:
        data = folders.read(step.path)
    except NotADirectoryError:
        return False
    if data == blobs(step.new):
        return True
    if not _is_old(repo, step, data):
        return False
    directory = folders.descriptor(folder)
    if item.temporary is None:
        os.unlink(name, dir_fd=directory)
        reach("tree.deleted")
    elif step.old is None:
        try:
            os.link(item.temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except FileExistsError:
            return False
        except PermissionError:
            # A file system without hard links.
            os.rename(item.temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
            item.temporary = None
        reach("tree.renamed")
    else:
        os.rename(item.temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        item.temporary = None
        reach("tree.renamed")
    return True


def _is_old(repo: Repository, step: Step, data: bytes | None) -> bool:
    """Whether the file is the old blob, also as git checked it out with other line ends."""
    if data is None or step.old is None:
        return data is None and step.old is None
    if object_id("blob", data, repo.object_format) == step.old[1]:
        return True
    unix = data.replace(b"\r\n", b"\n")
    if object_id("blob", unix, repo.object_format) != step.old[1]:
        return False
    done = repo.git.run("hash-object", "--", step.path)
    return done.stdout.decode().strip() == step.old[1]


def _discard(folders: Folders, item: _Ready) -> None:
    folder = item.step.path.rpartition("/")[0]
    _close(item)
    if item.temporary is not None:
        with suppress(FileNotFoundError):
            os.unlink(item.temporary, dir_fd=folders.descriptor(folder))
        item.temporary = None


def _close(item: _Ready) -> None:
    if item.fd is not None:
        os.close(item.fd)
        item.fd = None


def _remove_empty(folders: Folders, path: str, prefix: str) -> None:
    """Remove folders that a deletion has emptied, as git does; `wiki/` and `raw/` stay."""
    folder = path.rpartition("/")[0]
    while folder and folder.removeprefix(prefix).count("/") >= 1:
        parent, _, name = folder.rpartition("/")
        folders.forget(folder)
        try:
            os.rmdir(name, dir_fd=folders.descriptor(parent))
        except (OSError, PolicyError):
            return
        folder = parent


def sweep_work_tree(repo: Repository, steps: Sequence[Step]) -> None:
    """Remove temporary files that a killed landing of these steps left. Only under the lock."""
    with repo.folders() as folders:
        for folder in sorted({step.path.rpartition("/")[0] for step in steps}):
            try:
                directory = folders.descriptor(folder)
            except (OSError, PolicyError):
                continue
            for name in os.listdir(directory):  # noqa: PTH208 - by descriptor, not by name
                if _TEMPORARY.match(name):
                    os.unlink(name, dir_fd=directory)
