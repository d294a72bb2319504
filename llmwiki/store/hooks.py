"""The user's commit hooks, run on the future: a scratch work tree with an index of its own.

In the user's work tree a hook that stashes (the pre-commit framework does) and is killed would
take the user's edits with it; and it would see the state before the operation.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.failpoints import reach
from llmwiki.repo.git import NOT_FOR_HOOKS, clean_environment
from llmwiki.repo.repository import Repository
from llmwiki.store.guard import only_guard

NAMES = ("pre-commit", "commit-msg", "post-commit")
TIMEOUT = 120.0
"""Seconds one hook may take."""
_SHOWN_LINES = 12
_SHOWN_BYTES = 65_536
"""Of what a hook says, from its end; it may say more than there is memory for."""
_SCRATCH = "llmwiki-future-"
"""What the folder of a scratch work tree begins with. It lies with the temporary files: inside a
git directory the pre-commit framework refuses to run."""
_PLACE = "scratch-place."
"""Beginning of the file that says where it lies, for whoever sweeps up after a crash."""


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


@dataclass(frozen=True, slots=True)
class Future:
    """The tree and message of the commit that is about to be made."""

    tree: str
    message: bytes


def run_before_commit(
    repo: Repository,
    future: Future,
    hooks: frozenset[str],
    check: Callable[[], None],
    timeout: float = TIMEOUT,
) -> Future:
    """Run pre-commit and commit-msg; what they leave in index and message is the new future.

    `check` is called often and may raise to abort. Raises StateError when a hook refuses or takes
    longer than `timeout` seconds; nothing has changed then.
    """
    base = repo.git_dir / "llmwiki"
    scratch = Path(tempfile.gettempdir()) / f"{_SCRATCH}{secrets.token_hex(8)}"
    (base / f"{_PLACE}{os.getpid()}").write_text(str(scratch))
    index = base / f"scratch-index.{os.getpid()}"
    message = base / f"scratch-message.{os.getpid()}"
    env = {
        "GIT_DIR": str(repo.git_dir),
        "GIT_WORK_TREE": str(scratch),
        "GIT_INDEX_FILE": str(index),
        # For a hook that runs `wiki lint --staged`: from the scratch tree it finds no wiki, and the
        # log has a line of the operation whose commit is still to come.
        "LLMWIKI_ROOT": str(repo.root),
        "LLMWIKI_MESSAGE": str(message),
    }
    try:
        tree = future.tree
        if "pre-commit" in hooks:
            scratch.mkdir(mode=0o700)
            message.write_bytes(future.message)
            repo.git.run("read-tree", tree, env=env)
            repo.git.run("checkout-index", "--all", "--quiet", "-u", env=env)
            reach("hooks.scratch")
            _run(repo, _Hook("pre-commit", (), scratch, env), check, timeout)
            tree = repo.git.run("write-tree", env=env).stdout.decode().strip()
        elif "commit-msg" in hooks:
            scratch.mkdir(mode=0o700)
            repo.git.run("read-tree", tree, env=env)
        reach("hooks.pre-commit")
        text = future.message
        if "commit-msg" in hooks:
            message.write_bytes(text)
            _run(repo, _Hook("commit-msg", (str(message),), scratch, env), check, timeout)
            text = message.read_bytes()
            if not text.strip():
                raise StateError("the commit-msg hook emptied the commit message")
        reach("hooks.commit-msg")
        return Future(tree, text)
    finally:
        sweep_scratch(repo)
        reach("hooks.swept")


def run_post_commit(repo: Repository) -> None:
    """Run post-commit in the user's work tree; its failure changes nothing and is not reported."""
    try:
        _run(repo, _Hook("post-commit", (), repo.top, {}), lambda: None, TIMEOUT)
    except StateError:
        # git, too, ignores what post-commit answers.
        return


@dataclass(frozen=True, slots=True)
class _Hook:
    name: str
    args: tuple[str, ...]
    directory: Path
    env: Mapping[str, str]


def _run(repo: Repository, hook: _Hook, check: Callable[[], None], timeout: float) -> None:
    name = hook.name
    own = clean_environment()
    for key in NOT_FOR_HOOKS:
        own.pop(key, None)
        if key in os.environ:
            own[key] = os.environ[key]
    own.update(hook.env)
    own["GIT_EDITOR"] = ":"
    hooks = repo.settings.hooks_directory()
    output = repo.git_dir / "llmwiki" / f"scratch-output.{os.getpid()}"
    with output.open("w+b") as sink:
        process = subprocess.Popen(
            [
                *("git", "-c", f"core.hooksPath={hooks}"),
                *(
                    "hook",
                    "run",
                    "--ignore-missing",
                    name,
                    *(["--", *hook.args] if hook.args else []),
                ),
            ],
            cwd=hook.directory,
            env=own,
            stdin=subprocess.DEVNULL,
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
            output.unlink(missing_ok=True)
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
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def sweep_scratch(repo: Repository) -> None:
    """Remove scratch files. Only under the lock: then they are ours or a dead process's."""
    base = repo.git_dir / "llmwiki"
    if not base.is_dir():
        return
    for path in list(base.iterdir()):
        if path.name.startswith(("scratch", "landing-", ".llmwiki-journal.")):
            if path.name.startswith(_PLACE) and path.is_file():
                _remove_scratch(path)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _remove_scratch(place: Path) -> None:
    scratch = Path(place.read_text(errors="replace"))
    if scratch.name.startswith(_SCRATCH) and scratch.is_dir() and not scratch.is_symlink():
        shutil.rmtree(scratch, ignore_errors=True)
