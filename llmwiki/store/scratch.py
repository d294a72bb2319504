"""The scratch work tree in which hooks see the future commit: linked, as `git worktree` makes it.

git counts what the index of a linked work tree holds as in use, and so it does what the person has
staged in theirs; a hook that runs `git gc --prune=now` or a prune elsewhere takes neither. With an
index that only GIT_INDEX_FILE named, git would know of that one alone.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from llmwiki.repo.repository import Repository

_NAME = "llmwiki-future-"
"""What the folder of a scratch work tree begins with. It lies with the temporary files: inside a
git directory the pre-commit framework refuses to run."""
_OURS = re.compile(rf"{_NAME}[0-9a-f]{{16}}")
_PLACE = "scratch-place."
"""Beginning of the file that says where it lies, for whoever sweeps up after a crash."""
_COPIED = ("config.worktree", "info/sparse-checkout")
"""Settings of one work tree that git commands of a hook see as elsewhere."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch work tree."""

    folder: Path
    git_dir: Path
    index: Path

    @property
    def env(self) -> dict[str, str]:
        """What tells git to work in it."""
        return {
            "GIT_DIR": str(self.git_dir),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_INDEX_FILE": str(self.index),
        }


def make_scratch(repo: Repository) -> Scratch:
    """An empty scratch work tree on the branch that HEAD is on. Only under the lock.

    Raises OSError. `sweep_scratch` removes it.
    """
    base = repo.git_dir / "llmwiki"
    name = f"{_NAME}{secrets.token_hex(8)}"
    folder = Path(tempfile.gettempdir()) / name
    (base / f"{_PLACE}{os.getpid()}").write_text(str(folder))
    folder.mkdir(mode=0o700)
    if not repo.layout.ref_files:
        # HEAD is in no file that we could write; git itself protects the rest of what it needs.
        return Scratch(folder, repo.git_dir, base / f"scratch-index.{os.getpid()}")
    linked = repo.common_dir / "worktrees" / name
    (folder / ".git").write_text(f"gitdir: {linked}\n")
    made = base / f"scratch-linked.{os.getpid()}"
    made.mkdir()
    branch, oid = repo.where()
    head = oid if branch is None else f"ref: {branch}"
    for file, text in (("commondir", "../.."), ("gitdir", str(folder / ".git")), ("HEAD", head)):
        (made / file).write_text(f"{text}\n", "utf-8", "surrogateescape")
    for file in _COPIED:
        with suppress(FileNotFoundError):
            data = (repo.git_dir / file).read_bytes()
            (made / file).parent.mkdir(exist_ok=True)
            (made / file).write_bytes(data)
    linked.parent.mkdir(exist_ok=True)
    # At once: `git worktree prune` removes one that is half made.
    made.rename(linked)
    return Scratch(folder, linked, linked / "index")


def sweep_scratch(repo: Repository) -> None:
    """Remove scratch files. Only under the lock: then they are ours or a dead process's."""
    _sweep_linked(repo.common_dir / "worktrees")
    base = repo.git_dir / "llmwiki"
    if not base.is_dir():
        return
    for path in list(base.iterdir()):
        if path.name.startswith(("scratch", "landing-", ".llmwiki-journal.")):
            if path.name.startswith(_PLACE) and path.is_file():
                _remove(Path(path.read_text(errors="replace")))
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _sweep_linked(worktrees: Path) -> None:
    try:
        ours = [name for name in os.listdir(worktrees) if _OURS.fullmatch(name)]  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in ours:
        with suppress(OSError):
            _remove(Path((worktrees / name / "gitdir").read_text(errors="replace").strip()).parent)
        shutil.rmtree(worktrees / name, ignore_errors=True)
    if ours:
        # git, too, removes the folder with the last of them.
        with suppress(OSError):
            worktrees.rmdir()


def _remove(folder: Path) -> None:
    if _OURS.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
