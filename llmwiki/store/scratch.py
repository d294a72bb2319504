"""The scratch work tree in which hooks see the future commit: linked, made by `git worktree`.

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
from pathlib import Path
from typing import NamedTuple

from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import empty_tree

_NAME = "llmwiki-future-"
"""What the folder of a scratch work tree begins with. It lies with the temporary files: inside a
git directory the pre-commit framework refuses to run."""
_OURS = re.compile(rf"{_NAME}[0-9a-f]{{16}}")


class Scratch(NamedTuple):
    """A scratch work tree."""

    folder: Path
    git_dir: Path

    @property
    def env(self) -> dict[str, str]:
        """What tells git to work in it."""
        return {
            "GIT_DIR": str(self.git_dir),
            "GIT_WORK_TREE": str(self.folder),
            "GIT_INDEX_FILE": str(self.git_dir / "index"),
        }


def make_scratch(repo: Repository) -> Scratch:
    """An empty scratch work tree on the branch that HEAD is on. Only under the lock.

    Raises OSError and GitError. `sweep_scratch` removes it.
    """
    name = f"{_NAME}{secrets.token_hex(8)}"
    made = Scratch(Path(tempfile.gettempdir()) / name, repo.common_dir / "worktrees" / name)
    branch, oid = repo.where()
    # git makes a work tree on a commit only, and an unborn branch has none.
    start = oid or repo.git.text("commit-tree", "-m", name, empty_tree(repo.object_format))
    made.folder.mkdir(mode=0o700)
    repo.git.run("worktree", "add", "--detach", "--no-checkout", str(made.folder), start)
    if branch is not None:
        # Whoever asks for the branch is told; that it is checked out elsewhere does not matter.
        repo.git.run("symbolic-ref", "HEAD", branch, env={"GIT_DIR": str(made.git_dir)})
    return made


def sweep_scratch(repo: Repository) -> None:
    """Remove scratch work trees. Only under the lock: then they are ours or a dead process's."""
    worktrees = repo.common_dir / "worktrees"
    try:
        ours = [name for name in os.listdir(worktrees) if _OURS.fullmatch(name)]  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in ours:
        with suppress(OSError):
            told = (worktrees / name / "gitdir").read_text(errors="replace").strip()
            folder = Path(told).parent
            if folder.name == name and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(worktrees / name, ignore_errors=True)
    if ours:
        # git, too, removes the folder with the last of them.
        with suppress(OSError):
            worktrees.rmdir()
