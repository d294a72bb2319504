"""The one runner of git: argument lists, a fixed environment, time limits, typed errors."""

from __future__ import annotations

import os
import signal
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from llmwiki.core.errors import StateError

if TYPE_CHECKING:
    import subprocess

_DROPPED = (
    # What `git rev-parse --local-env-vars` lists and a hook inherits: it would point our git at
    # another repository, index or object store than the one we found by looking at the disk.
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    # What changes how paths and output are read.
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
)
_FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    # A replaced object must not leak into the trees we splice.
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_SHOWN = 300
"""Characters of a line of git's in a message: a path of a clone may be as long as git allows."""
_OFFLINE = {
    # A partial clone would fetch what is missing, object by object, without being asked.
    "GIT_NO_LAZY_FETCH": "1",
    # The same for versions of git before 2.45 that do not know that name.
    "GIT_ALLOW_PROTOCOL": "none",
}
NOT_FOR_HOOKS = ("LC_ALL", "GIT_LITERAL_PATHSPECS", "GIT_OPTIONAL_LOCKS", *_OFFLINE)
"""What is set for our own git and must be as the user has it where a program of theirs runs."""
_NOT_FETCHED = ("from promisor remote", "lazy fetching disabled")
"""What git says where an object is missing that a partial clone has left at its remote."""
_SETTINGS = (
    "protocol.ext.allow=never",
    "core.quotePath=false",
    # Messages are read and written as UTF-8, whatever they are for a person's git.
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    # What a person sets for their own eyes would change what `git log` tells us.
    "log.follow=false",
    "log.showSignature=false",
    # It refuses our files for their line ends, which are the same on every machine.
    "core.safecrlf=false",
)
_OPTIONS = tuple(word for setting in _SETTINGS for word in ("-c", setting))
DEFAULT_TIMEOUT = 120.0
"""Seconds a git command may take before it is ended and reported."""
OWN_GROUP = 0
"""A process group of its own, for Popen: a signal to ours, as ^C sends it, must not end a git in
the middle of its work. No session of its own: where Linux shares out its time by sessions
(sched_autogroup), making one for each git took a tenth of a landing's time."""
_PATIENCE = 2.0
"""Seconds a git that is told to end has for it."""


class GitError(StateError):
    """A git command failed; `returncode` and `stderr` say how."""

    def __init__(self, args: Sequence[str], returncode: int, stderr: str) -> None:
        self.returncode = returncode
        self.stderr = stderr
        lines = [line for line in stderr.strip().splitlines() if line.strip()]
        shown = " ".join(line[:_SHOWN] for line in lines[:3]) or f"exit code {returncode}"
        super().__init__(f"git {' '.join(args[:3])} failed: {shown}")


class NotFetched(GitError):
    """A partial clone has left at its remote what was asked for, and nothing is fetched unasked."""

    def __init__(self, args: Sequence[str], returncode: int, stderr: str) -> None:
        super().__init__(args, returncode, stderr)
        self.what = "this partial clone has left at its remote what is needed here"
        self.fix = NOT_FETCHED_FIX


NOT_FETCHED_FIX = (
    "`git fetch --refetch --no-filter` fetches everything; with GIT_NO_LAZY_FETCH=0 in the"
    " environment git fetches what is asked for."
)
"""What to do where a partial clone lacks an object."""


def git_error(args: Sequence[str], returncode: int, stderr: str) -> GitError:
    """The error that a failed git command is."""
    kind = NotFetched if any(words in stderr for words in _NOT_FETCHED) else GitError
    return kind(args, returncode, stderr)


def fetches_lazily() -> bool:
    """Whether the user has allowed git to fetch objects that a partial clone lacks."""
    return os.environ.get("GIT_NO_LAZY_FETCH", "").lower() in ("0", "false", "no", "off")


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment git runs in: the caller's, without what would misdirect us."""
    env = {key: value for key, value in os.environ.items() if key not in _DROPPED}
    env.update(_FIXED)
    if not fetches_lazily():
        env.update(_OFFLINE)
    if extra:
        env.update(extra)
    return env


class Git:
    """Runs git in one directory."""

    def __init__(
        self, directory: Path, git_dir: Path | None = None, *, is_bare: bool = False
    ) -> None:
        """`git_dir`: a bare repository's; else, of a folder that no repository holds, what stands
        for one elsewhere."""
        self.directory = directory
        tree = () if is_bare else (f"--work-tree={directory}",)
        self._apart = (f"--git-dir={git_dir}", *tree) if git_dir else ()

    def argv(self, args: Sequence[str]) -> list[str]:
        """The full argument list for a git command."""
        return ["git", *self._apart, *_OPTIONS, *args]

    def run(
        self,
        *args: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        ok: tuple[int, ...] = (0,),
        timeout: float = DEFAULT_TIMEOUT,
        asks: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git to its end, or with all it has started to ours.

        `asks`: it may have to ask the person at the terminal, and then a ^C is for it, too. Raises
        GitError when the exit code is not in `ok`, StateError when git is missing or takes longer
        than `timeout` seconds.
        """
        import subprocess

        group = None if asks else OWN_GROUP
        popen = self._popen(
            args, env, stdin=subprocess.PIPE, stderr=subprocess.PIPE, process_group=group
        )
        try:
            # An empty input, not the caller's terminal.
            out, err = popen.communicate(stdin or b"", timeout)
        except subprocess.TimeoutExpired as error:
            _stop(popen, in_our_group=asks)
            raise StateError(f"git {args[0]} took longer than {timeout:.0f} s") from error
        except BaseException:
            _stop(popen, in_our_group=asks)
            raise
        if popen.returncode not in ok:
            raise git_error(args, popen.returncode, err.decode(errors="replace"))
        return subprocess.CompletedProcess(popen.args, popen.returncode, out, err)

    def text(self, *args: str, ok: tuple[int, ...] = (0,)) -> str:
        """Standard output of a git command as text, the last line end removed."""
        return self.run(*args, ok=ok).stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def records(
        self,
        *args: str,
        told: Iterable[str] = (),
        env: Mapping[str, str] | None = None,
        ok: tuple[int, ...] = (0,),
    ) -> list[str]:
        """The output of a git command that ends each record with a NUL (`-z`), and is `told` some
        in the same form. Raises as `run` does."""
        stdin = "".join(f"{each}\0" for each in told).encode("utf-8", "surrogateescape")
        out = self.run(*args, stdin=stdin, env=env, ok=ok).stdout
        return out.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def start(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        stdin: bool = True,
        stderr: bool = True,
        pass_fds: Sequence[int] = (),
        reads_only: bool = True,
    ) -> Process:
        """Start git and talk to it; the caller closes it. `reads_only`: it may be killed."""
        import subprocess

        popen = self._popen(
            args,
            env,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
            pass_fds=tuple(pass_fds),
            process_group=OWN_GROUP,
        )
        return Process(popen, args, reads_only)

    def _popen(
        self, args: Sequence[str], env: Mapping[str, str] | None, **how: Any
    ) -> subprocess.Popen[bytes]:
        import subprocess

        environment, out = clean_environment(env), subprocess.PIPE
        try:
            return subprocess.Popen(
                self.argv(args), cwd=self.directory, env=environment, stdout=out, **how
            )
        except OSError as error:
            raise StateError(
                f"git cannot be run: {error.strerror or error}",
                fix="Install git 2.36 or newer and make sure that it is on PATH.",
            ) from error


def _stop(popen: subprocess.Popen[bytes], *, in_our_group: bool) -> None:
    """End a git that is not waited for any more, and what it has started if that is in a group of
    its own: by SIGTERM, at which git removes its locks and temporary files."""
    import subprocess

    for number, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError, PermissionError):
            if in_our_group:
                popen.send_signal(number)
            else:
                os.killpg(popen.pid, number)
        with suppress(subprocess.TimeoutExpired):
            popen.wait(patience)
            break
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _end(popen: subprocess.Popen[bytes], reads_only: bool) -> None:
    """Close the pipes of a process and wait for it: no zombie, no ResourceWarning."""
    if reads_only:
        # Nothing is lost, and a poll for its orderly end costs a millisecond or two.
        popen.kill()
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            # A process that is gone did not read all we wrote: nothing is owed to it.
            with suppress(OSError):
                pipe.close()
    popen.wait()


class Process:
    """A running git with pipes; closed by `close`, by `with`, or when it is forgotten."""

    def __init__(
        self, popen: subprocess.Popen[bytes], args: Sequence[str], reads_only: bool
    ) -> None:
        self.popen = popen
        self.args = tuple(args)
        self.stdout = cast(BufferedReader, popen.stdout)
        self._finalizer = weakref.finalize(self, _end, popen, reads_only)

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input. Raises BrokenPipeError when it is gone."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def end_input(self) -> None:
        """Say that nothing more will be written."""
        assert self.popen.stdin is not None
        self.popen.stdin.close()

    def finish(self) -> bytes:
        """Close its input, read the rest of its output, check its exit code."""
        import subprocess

        try:
            out, err = self.popen.communicate(timeout=DEFAULT_TIMEOUT)
        except subprocess.TimeoutExpired as error:
            self.popen.kill()
            self.close()
            raise StateError(
                f"git {self.args[0]} took longer than {DEFAULT_TIMEOUT:.0f} s"
            ) from error
        self.close()
        if self.popen.returncode:
            said = (err or b"").decode(errors="replace")
            raise git_error(self.args, self.popen.returncode, said)
        return out

    def records(self, mark: str, *shown: str) -> Iterator[bytes]:
        """Its output, cut where `mark` stands, each piece as soon as it has come whole.

        Raises GitError, which shows the arguments `shown`, where it ends with a failure.
        """
        rest = b""
        for block in iter(lambda: self.stdout.read1(1 << 16), b""):
            *whole, rest = (rest + block).split(mark.encode())
            yield from filter(None, whole)
        if rest:
            yield rest
        error = self.popen.stderr.read() if self.popen.stderr else b""
        if self.popen.wait():
            said = error.decode(errors="replace")
            raise git_error(shown or self.args, self.popen.returncode, said)

    def close(self) -> None:
        """End it in an orderly way. Idempotent."""
        self._finalizer()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
