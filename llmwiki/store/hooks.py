"""The user's commit hooks, run in a scratch work tree that holds the commit to be made.

In the user's work tree a hook that stashes (the pre-commit framework does) and is killed would
take the user's edits with it; and it would see the state before the operation.
"""

from __future__ import annotations

import contextlib
import os
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
from llmwiki.repo.new_objects import NewObjects
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import GITLINK
from llmwiki.store.guard import only_guard
from llmwiki.store.scratch import make_scratch, sweep_scratch

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


@dataclass(frozen=True, slots=True)
class Future:
    """The tree and message of the commit that is about to be made."""

    tree: str
    message: bytes


def run_before_commit(
    repo: Repository,
    future: Future,
    objects: NewObjects,
    hooks: frozenset[str],
    check: Callable[[], None],
    timeout: float = TIMEOUT,
) -> Future:
    """Run pre-commit and commit-msg; what they leave in index and message is the new future.

    `check` is called often and may raise to abort. `objects` holds what they make. Raises
    StateError when a hook refuses or takes longer than `timeout` seconds; nothing has changed then.
    """
    try:
        scratch = make_scratch(repo)
        # Where git itself keeps it for hooks.
        message = scratch.git_dir / "COMMIT_EDITMSG"
        env = {
            **scratch.env,
            # For a hook that runs `wiki lint --staged`: the log has a line of the operation whose
            # commit is still to come.
            "LLMWIKI_ROOT": str(repo.root),
            "LLMWIKI_MESSAGE": str(message),
        }
        message.write_bytes(future.message)
        objects.used_by(lambda: repo.git.run("read-tree", future.tree, env=env))
        tree, text = future.tree, future.message
        if "pre-commit" in hooks:
            checkout = ("checkout-index", "--all", "--force", "--quiet", "-u")
            objects.used_by(lambda: repo.git.run(*checkout, env=env))
            reach("hooks.scratch")
            _run(repo, _Hook("pre-commit", (), scratch.folder, env), check, timeout)
            written = objects.used_by(lambda: repo.git.run("write-tree", env=env))
            tree = written.stdout.decode().strip()
            reach("hooks.tree")
            _hold(repo, objects, future.tree, tree)
        reach("hooks.pre-commit")
        if "commit-msg" in hooks:
            hook = _Hook("commit-msg", (str(message),), scratch.folder, env)
            message.write_bytes(text)
            _run(repo, hook, check, timeout)
            text = message.read_bytes()
            if not text.strip():
                raise StateError("the commit-msg hook emptied the commit message")
        reach("hooks.commit-msg")
        return Future(tree, text)
    finally:
        sweep_scratch(repo)
        reach("hooks.swept")


def _hold(repo: Repository, objects: NewObjects, before: str, after: str) -> None:
    """Hold the objects that the tree `after` has and `before` has not."""
    if before != after:
        new = [change.new for change in repo.changes(before, after, trees=True)]
        made = {entry[1] for entry in new if entry is not None and entry[0] != GITLINK}
        objects.hold([after, *sorted(made)], repo.objects)


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
    run_hook = ["git", "-c", f"core.hooksPath={hooks}", "hook", "run", "--ignore-missing", name]
    if hook.args:
        run_hook += ["--", *hook.args]
    with tempfile.TemporaryFile() as sink:
        process = subprocess.Popen(
            ["sh", "-c", _KEEPER, "hook", *run_hook],
            cwd=hook.directory,
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
