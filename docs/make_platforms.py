"""Writes the tables of docs/platforms.md: what the code calls that a system does not have.

usage: python docs/make_platforms.py

The code is read, not run: imports, attributes of `os`, `signal` and `select`, and arguments of
calls that a system refuses. What the systems lack is as the documentation of Python's modules has
it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PLACE = Path(__file__).with_name("platforms.md")
CODE = Path(__file__).parent.parent / "llmwiki"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODULES = _words(
    "crypt fcntl grp nis ossaudiodev posix pty pwd readline resource spwd syslog termios tty"
)
_OS = _words("""
O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC WNOHANG chown
chroot ctermid fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs getegid geteuid
getgid getgroups getloadavg getpgid getpgrp getpriority getuid initgroups killpg lchown major
makedev minor mkfifo mknod nice openpty pathconf pread preadv pwrite pwritev register_at_fork
sendfile setegid seteuid setgid setgroups setpgid setpriority setsid setuid statvfs sync
sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid
""")
_SIGNAL = _words("""
ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT
SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH SIGXCPU SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm
getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait
sigwait sigwaitinfo
""")
_ARGUMENTS = _words("dir_fd dst_dir_fd src_dir_fd pass_fds preexec_fn")
_LINUX_ONLY = _words("""
O_PATH O_TMPFILE eventfd fdatasync getrandom memfd_create pidfd_open pipe2 posix_fadvise
posix_fallocate sched_getaffinity sched_setaffinity setns splice unshare
""")

WINDOWS = {
    "import": _MODULES,
    "os": _OS | _LINUX_ONLY,
    "signal": _SIGNAL,
    "select": frozenset({"poll", "epoll", "kqueue"}),
}
MACOS = {"import": frozenset({"ossaudiodev"}), "os": _LINUX_ONLY, "select": frozenset({"epoll"})}
_BEGIN, _END = "<!-- {} -->\n", "<!-- end -->\n"


def uses(lacking: dict[str, frozenset[str]], arguments: frozenset[str]) -> dict[str, list[str]]:
    """What a system lacks and the code names, to the files that do, both sorted."""
    found: dict[str, set[str]] = {}
    words = "|".join(sorted({*arguments, *(name for held in lacking.values() for name in held)}))
    is_near = re.compile(rf"\b({words})\b")
    for place in sorted(CODE.rglob("*.py")):
        text = place.read_text("utf-8")
        tree = ast.parse(text if is_near.search(text) else "")
        for name in _names(tree, lacking, arguments):
            found.setdefault(name, set()).add(place.relative_to(CODE).as_posix())
    return {name: sorted(found[name]) for name in sorted(found)}


def _names(
    tree: ast.AST, lacking: dict[str, frozenset[str]], arguments: frozenset[str]
) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (f"import {a.name}" for a in node.names if a.name in lacking["import"])
        elif isinstance(node, ast.ImportFrom) and node.module in lacking["import"]:
            yield f"import {node.module}"
        elif isinstance(node, ast.ImportFrom) and node.module in lacking:
            held = lacking[node.module]
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name in held)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in lacking.get(node.value.id, ()):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg in arguments:
            yield f"argument {node.arg}"


def on_windows() -> dict[str, list[str]]:
    """What fails on Windows: name to files below llmwiki/."""
    return uses(WINDOWS, _ARGUMENTS)


def on_macos() -> dict[str, list[str]]:
    """What macOS lacks."""
    return uses(MACOS, frozenset())


def render(text: str) -> str:
    """The document with its tables made anew."""
    for mark, rows in (("windows", on_windows()), ("macos", on_macos())):
        begin = _BEGIN.format(mark)
        head, _, rest = text.partition(begin)
        _old, _, tail = rest.partition(_END)
        text = f"{head}{begin}{_table(rows)}{_END}{tail}"
    return text


def _table(rows: dict[str, list[str]]) -> str:
    lines = [f"| `{name}` | {', '.join(f'`{file}`' for file in rows[name])} |" for name in rows]
    return "\n".join(["| what | where, below `llmwiki/` |", "| --- | --- |", *lines, ""])


if __name__ == "__main__":
    PLACE.write_text(render(PLACE.read_text("utf-8")), "utf-8")
