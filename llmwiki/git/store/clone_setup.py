"""What each clone needs once: a guard before commits, the merge driver, a filter for differences.
git runs what its own configuration names, never what a repository says.

The guard keeps out of the history what nobody has seen. Between a crash and its recovery the work
tree still shows the state before the operation; a `git commit -a` in that moment would quietly undo
it. And a page that is staged may hold a quote that its source does not: `wiki lint --staged
--guard` says so. A merge is let through, since what it brings is the work of both sides; so is what
`wiki` itself commits, which is checked as it lands. Where `wiki` does not run, a line says so.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.git.refs import LANDINGS
from llmwiki.git.repository import Repository
from llmwiki.git.store.private_files import tells_once

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
_MANAGED = lazy_pattern(
    rf"^{re.escape(_START)}.{{0,8000}}?^{re.escape(_END)}\n?", re.DOTALL | re.MULTILINE
)
_SHELL = lazy_pattern(r"#!\s*(?:/usr)?/bin/(?:env\s+)?(?:sh|bash|dash|ash|ksh|zsh)\b.*\n")


def only_guard(path: Path) -> bool:
    """Whether this pre-commit hook is our guard and nothing else."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    rest, found = _MANAGED.subn("", text)
    lines = (line.strip() for line in rest.splitlines())
    return found > 0 and all(not line or line.startswith("#") for line in lines)


def install_guard(repo: Repository) -> str:
    """Put the guard into the pre-commit hook; an existing shell hook keeps its lines.

    A hook in another language, a hook that is a link, and a `core.hooksPath` outside of the git
    directory are left alone: then what to add, in words; else empty. Idempotent. Raises StateError
    when the file cannot be written.
    """
    directory = repo.settings.hooks_directory()
    path = directory / "pre-commit"
    root = repo.prefix or "./"
    block = _BLOCK.replace("@ROOT@", shlex.quote(root))
    block = block.replace("@WIKI@", shlex.quote(f"{root}wiki"))
    advice = f"Add this to your pre-commit hook:\n{block}"
    if repo.common_dir not in (directory, *directory.parents):
        return f"`core.hooksPath` is {directory}. {advice}"
    try:
        text = path.read_text("utf-8") if path.exists() else "#!/bin/sh\n"
    except (OSError, UnicodeDecodeError):
        return f"The hook cannot be read as text. {advice}"
    shebang = _SHELL.match(text)
    if path.is_symlink() or shebang is None:
        return f"The hook is not a plain shell script. {advice}"
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
    return ""


# Without the command git's own merge of lines stands in: it marks what conflicts.
_DRIVER = (
    "if command -v wiki >/dev/null; then wiki merge-driver %O %A %B %P;"
    " else git merge-file %A %O %B; fi"
)
_NAME = "merges pages claim by claim"
_ATTRIBUTE = b"merge=llmwiki"
_MAX_ATTRIBUTES = 100_000
"""Bytes of `.gitattributes` that are looked at."""


def install_merge_driver(repo: Repository) -> bool:
    """Sets `merge.llmwiki` in this repository's configuration; True when that changed it."""
    held = (
        repo.git.run("config", "--get", "merge.llmwiki.driver", ok=(0, 1)).stdout.decode().strip()
    )
    if held:
        return False
    repo.git.run("config", "merge.llmwiki.name", _NAME)
    repo.git.run("config", "merge.llmwiki.driver", _DRIVER)
    return True


def lacks_merge_driver(repo: Repository) -> bool:
    """Whether this clone has no merge driver for the pages of a wiki that asks for one."""
    place = repo.root / ".gitattributes"
    if repo.settings.get("merge.llmwiki.driver") or not place.is_file():
        return False
    with suppress(OSError), place.open("rb") as file:
        return _ATTRIBUTE in file.read(_MAX_ATTRIBUTES)
    return False


def tells_of_merge_driver(repo: Repository) -> bool:
    """Whether to say that the clone lacks the driver."""
    return lacks_merge_driver(repo) and tells_once(repo, "driver-told")


_SHOWN_BY = "diff.llmwiki.textconv"
_DERIVED = (
    "/^generated: /d",
    r"/^\[\^[^]]*\]: \[\[sources\//d",
    r"/^> - c-[0-9a-z]* q-[0-9a-f]*$/d",
)
"""Commands of sed: git starts the filter for each version of a page, and nothing starts as fast."""


def install_page_diff(repo: Repository) -> None:
    """Sets the filter in this repository's configuration, where there is none."""
    if not repo.settings.get(_SHOWN_BY):
        script = " ".join(f"-e '{command}'" for command in _DERIVED)
        repo.git.run("config", _SHOWN_BY, f"sed {script}")
