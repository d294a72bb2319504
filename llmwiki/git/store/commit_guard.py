"""The pre-commit guard: what no plain `git commit` takes into the history unseen.

Between a crash and its recovery the work tree still shows the state before the operation; a
`git commit -a` in that moment would quietly undo it. And a page that is staged may hold a quote
that its source does not: `wiki lint --staged --guard` says so. A merge is let through, since what
it brings is the work of both sides; so is what `wiki` itself commits, which is checked as it lands.
Where `wiki` does not run, a line says so.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.git.refs import LANDINGS
from llmwiki.git.repository import Repository

_START = "# llmwiki:start"
_END = "# llmwiki:end"
_BLOCK = f"""{_START} (managed by `wiki init`)
llmwiki_dir=$(git rev-parse --absolute-git-dir)
llmwiki_ref=main
if [ -e "$llmwiki_dir/commondir" ]; then
  llmwiki_ref=tree/${{llmwiki_dir##*/}}
fi
if git rev-parse -q --verify "{LANDINGS}/$llmwiki_ref" >/dev/null; then
  echo "wiki: an operation was cut short and is not finished: run 'wiki recover' first." >&2
  exit 1
fi
if [ -z "${{LLMWIKI_ROOT-}}" ] && [ ! -e "$llmwiki_dir/MERGE_HEAD" ] &&
  ! git diff --cached --quiet -- @WIKI@; then
  llmwiki_code=0
  llmwiki_found=$(wiki -C @ROOT@ lint --staged --guard -q 2>/dev/null) || llmwiki_code=$?
  if [ $llmwiki_code -eq 1 ] && [ -n "$llmwiki_found" ]; then
    printf '%s\\n' "$llmwiki_found" >&2
    echo "wiki: nothing was committed. Mend this, or: git commit --no-verify" >&2
    exit 1
  elif [ $llmwiki_code -ne 0 ]; then
    echo "wiki: not checked what is staged: 'wiki lint --staged --guard' does not run here." >&2
  fi
fi
{_END}
"""
_MANAGED = re.compile(
    rf"^{re.escape(_START)}.{{0,8000}}?^{re.escape(_END)}\n?", re.DOTALL | re.MULTILINE
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
    root = repo.prefix or "./"
    block = _BLOCK.replace("@ROOT@", shlex.quote(root))
    block = block.replace("@WIKI@", shlex.quote(f"{root}wiki"))
    advice = f"Add this to your pre-commit hook:\n{block}"
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
    wanted = shebang[0] + block + rest
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
