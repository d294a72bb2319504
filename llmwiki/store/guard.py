"""The pre-commit guard: no plain `git commit` over an operation that a crash left unfinished.

Between a crash and its recovery the work tree still shows the state before the operation; a
`git commit -a` in that moment would quietly undo it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.repository import Repository

_START = "# llmwiki:start"
_END = "# llmwiki:end"
_BLOCK = f"""{_START} (managed by `wiki init`)
if [ -e "$(git rev-parse --git-dir)/llmwiki/journal" ]; then
  echo "wiki: an operation was cut short and is not finished: run 'wiki recover' first." >&2
  exit 1
fi
{_END}
"""
_MANAGED = re.compile(
    rf"^{re.escape(_START)}.{{0,2000}}?^{re.escape(_END)}\n?", re.DOTALL | re.MULTILINE
)
_SHELL = re.compile(r"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:sh|bash|dash|ash|ksh|zsh)\b.*\n")


@dataclass(frozen=True, slots=True)
class GuardReport:
    """What `install_guard` did."""

    path: str
    """The hook file."""
    installed: bool
    """Whether the guard is there now."""
    note: str = ""
    """What the user should know or do."""


def only_guard(path: Path) -> bool:
    """Whether this pre-commit hook is our guard and nothing else."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    rest, found = _MANAGED.subn("", text)
    lines = (line.strip() for line in rest.splitlines())
    return found > 0 and all(not line or line.startswith("#") for line in lines)


def install_guard(repo: Repository) -> GuardReport:
    """Put the guard into the pre-commit hook; an existing shell hook keeps its lines.

    A hook in another language, a hook that is a link, and a `core.hooksPath` outside of the git
    directory are left alone, and the report says what to add. Idempotent. Raises StateError when
    the file cannot be written.
    """
    directory = repo.settings.hooks_directory()
    path = directory / "pre-commit"
    advice = f"Add this to your pre-commit hook:\n{_BLOCK}"
    if repo.common_dir not in (directory, *directory.parents):
        return GuardReport(str(path), False, f"`core.hooksPath` is {directory}. {advice}")
    try:
        text = path.read_text("utf-8") if path.exists() else "#!/bin/sh\n"
    except (OSError, UnicodeDecodeError):
        return GuardReport(str(path), False, f"The hook cannot be read as text. {advice}")
    shebang = _SHELL.match(text)
    if path.is_symlink() or shebang is None:
        return GuardReport(str(path), False, f"The hook is not a plain shell script. {advice}")
    rest = _MANAGED.sub("", text[shebang.end() :])
    wanted = shebang[0] + _BLOCK + rest
    try:
        if not path.exists() or wanted != text:
            directory.mkdir(exist_ok=True)
            temporary = path.with_name("pre-commit.llmwiki")
            temporary.write_text(wanted, "utf-8")
            temporary.chmod(0o755 if not path.exists() else path.stat().st_mode & 0o777)
            temporary.replace(path)
    except OSError as error:
        raise StateError(f"cannot write the hook: {error.strerror}", where=str(path)) from error
    return GuardReport(str(path), True)
