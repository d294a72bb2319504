"""The user's commit hooks, run in a scratch work tree that holds the commit to be made.

In the user's work tree a hook that stashes (the pre-commit framework does) and is killed would
take the user's edits with it; and it would see the state before the operation. The scratch work
tree is linked, made by `git worktree`: git counts what the index of a linked work tree holds as in
use, and so it does what the person has staged in theirs; a hook that runs `git gc --prune=now` or a
prune elsewhere takes neither. With an index that only GIT_INDEX_FILE named, git would know of that
one alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from llmwiki.core.errors import StateError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import NewObjects
from llmwiki.git.repository import Repository
from llmwiki.git.runner import NOT_FOR_HOOKS, clean_environment
from llmwiki.git.store.clone_setup import only_guard
from llmwiki.git.trees import empty_tree

NAMES = ("pre-commit", "commit-msg", "post-commit")
TIMEOUT = 120.0
"""Seconds one hook may take."""
_SHOWN_LINES = 12
_SHOWN_BYTES = 65_536
"""Of what a hook says, from its end; it may say more than there is memory for."""
_KEEPER = """\
exec 3<&0 </dev/null
(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &
"$@" 3<&-
code=$?
{ kill -KILL $! && wait $!; } 2>/dev/null
exit $code
"""
"""Runs a program with nothing to read, and ends it with all it started when the end of standard
input says that this process, which holds the other end, is gone: a hook has a session of its own,
and must not go on for a landing that was killed."""


def find_hooks(repo: Repository) -> frozenset[str]:
    """Which of the three hooks would run, our own guard alone excepted. Starts no git."""
    directory = repo.settings.hooks_directory()
    found = set()
    for name in NAMES:
        path = directory / name
        runs = os.access(path, os.X_OK) and path.is_file()
        if runs and not (name == "pre-commit" and only_guard(path)):
            found.add(name)
    if repo.settings.any_under("hook."):
        found.update(NAMES)
    return frozenset(found)


def run_before_commit(
    repo: Repository,
    tree: str,
    message: bytes,
    objects: NewObjects,
    hooks: frozenset[str],
    check: Callable[[], None],
    timeout: float = TIMEOUT,
) -> bytes:
    """Run pre-commit and commit-msg on a commit of that tree; the message as they leave it.

    `check` is called often and may raise to abort. Raises StateError when a hook refuses, takes
    longer than `timeout` seconds, or changes what is to be committed; nothing has changed then.
    """
    try:
        scratch = make_scratch(repo)
        # Where git itself keeps it for hooks.
        place = scratch.git_dir / "COMMIT_EDITMSG"
        env = {
            **scratch.env,
            # For a hook that runs `wiki lint --staged`: the log has a line of the operation whose
            # commit is still to come.
            "LLMWIKI_ROOT": str(repo.root),
            "LLMWIKI_MESSAGE": str(place),
        }
        place.write_bytes(message)
        objects.used_by(lambda: repo.git.run("read-tree", tree, env=env))
        if "pre-commit" in hooks:
            checkout = ("checkout-index", "--all", "--force", "--quiet", "-u")
            objects.used_by(lambda: repo.git.run(*checkout, env=env))
            reach("hooks.scratch")
            _run(repo, "pre-commit", scratch.folder, env, check, timeout)
            written = objects.used_by(lambda: repo.git.run("write-tree", env=env))
            reach("hooks.tree")
            _refuse_changes(repo, tree, written.stdout.decode().strip())
        reach("hooks.pre-commit")
        if "commit-msg" in hooks:
            place.write_bytes(message)
            _run(repo, "commit-msg", scratch.folder, env, check, timeout, str(place))
            message = place.read_bytes()
            if not message.strip():
                raise StateError("the commit-msg hook emptied the commit message")
        reach("hooks.commit-msg")
        return message
    finally:
        sweep_scratch(repo)
        reach("hooks.swept")


def _refuse_changes(repo: Repository, tree: str, left: str) -> None:
    """Refuse what a hook has staged: nobody has checked it."""
    if left != tree:
        paths = ", ".join(change.path for change in repo.changes(tree, left)[:5])
        raise StateError(
            f"the pre-commit hook changed what is to be committed: {paths}",
            fix="Let it leave the files of the wiki as they are. Nothing was changed.",
        )


def run_post_commit(repo: Repository) -> None:
    """Run post-commit in the user's work tree; its failure changes nothing and is not reported."""
    try:
        _run(repo, "post-commit", repo.top, {}, lambda: None, TIMEOUT)
    except StateError:
        # git, too, ignores what post-commit answers.
        return


def _run(
    repo: Repository,
    name: str,
    folder: Path,
    env: Mapping[str, str],
    check: Callable[[], None],
    timeout: float,
    *args: str,
) -> None:
    own = clean_environment()
    for key in NOT_FOR_HOOKS:
        own.pop(key, None)
        if key in os.environ:
            own[key] = os.environ[key]
    own.update(env)
    own["GIT_EDITOR"] = ":"
    hooks = repo.settings.hooks_directory()
    run_hook = ["git", "-c", f"core.hooksPath={hooks}", "hook", "run", "--ignore-missing", name]
    run_hook += ["--", *args] if args else []
    with tempfile.TemporaryFile() as sink:
        process = subprocess.Popen(
            ["sh", "-c", _KEEPER, "hook", *run_hook],
            cwd=folder,
            env=own,
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = _wait(process, check, timeout)
        finally:
            _end_group(process)
            sink.seek(max(0, sink.seek(0, os.SEEK_END) - _SHOWN_BYTES))
            said = sink.read(_SHOWN_BYTES).decode(errors="replace")
    shown = "\n  ".join(said.strip().splitlines()[-_SHOWN_LINES:])
    if code is None:
        raise StateError(
            f"the {name} hook took longer than {timeout:.0f} s and was ended", where=str(hooks)
        )
    if code:
        raise StateError(
            f"the {name} hook refused (exit {code})" + (f":\n  {shown}" if shown else ""),
            where=str(hooks / name),
            fix="Nothing was changed.",
        )


def _wait(
    process: subprocess.Popen[bytes], check: Callable[[], None], timeout: float
) -> int | None:
    """The exit code; None after the time limit."""
    deadline, pause = time.monotonic() + timeout, 0.001
    while True:
        check()
        code = process.poll()
        if code is not None:
            return code
        if time.monotonic() >= deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a hook with everything it started, when it has not ended by itself."""
    assert process.stdin is not None
    process.stdin.close()
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
