"""Which paths an operation may write: allow-lists, and checks on the text of a path.

The checks are on the string; `git.trees.splice` repeats them against what HEAD holds (links,
submodules, twins by case) and `worktree_files.Folders` against what the disk holds.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from llmwiki.core.agent_file_names import ROOT_FILES, is_agent_file
from llmwiki.core.errors import PolicyError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.git.find_repository import MARKER

_CONTROL = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_HFS_IGNORED = lazy_pattern("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff\u00ad]")
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\Z")
_MAX_COMPONENT = 255
_MAX_PATH = 4000
_MAX_DEPTH = 100
"""Folders inside one another; the splicing of a tree takes a few calls for each."""


@dataclass(frozen=True, slots=True)
class AllowList:
    """Files beyond the ordinary ones that an operation may write."""

    exact: frozenset[str] = frozenset()
    below: tuple[str, ...] = ()
    """Folders, each with its final slash."""

    def holds(self, path: str) -> bool:
        """Whether this list names `path`."""
        return path in self.exact or path.startswith(self.below or ("\0",))


ORDINARY = AllowList()
"""Pages, texts of converted sources, new sources: what every operation may write."""

INIT = AllowList(
    exact=frozenset(
        {
            MARKER,
            ".gitattributes",
            ".gitignore",
            *ROOT_FILES,
            "graph/.gitignore",
            "raw/.gitkeep",
            "wiki/.gitkeep",
        }
    ),
    below=(".claude/skills/", ".agents/skills/"),
)
"""The constants that `wiki init` writes."""


def _is_git(component: str) -> bool:
    """Whether some file system takes this name for `.git` (HFS+, NTFS short names, streams)."""
    name = _HFS_IGNORED.sub("", unicodedata.normalize("NFKC", component)).casefold()
    name = name.partition(":")[0].rstrip(" .")
    return name == ".git" or re.fullmatch(r"\.?git~[0-9]+", name) is not None


def check_text(path: str, *, written: bool = True) -> None:
    """Refuse a path whose text alone is wrong or hostile.

    `written`: we would create it, so that names other systems cannot hold (backslash, colon) are
    refused too; a person's own file may have them. Raises PolicyError.
    """

    def refuse(why: str) -> PolicyError:
        return PolicyError(f"path refused: {why}", where=ascii(path)[1:-1][:200])

    if not path or path.startswith("/") or len(path.encode("utf-8", "replace")) > _MAX_PATH:
        raise refuse("empty, absolute or too long")
    if path.count("/") > _MAX_DEPTH:
        raise refuse(f"it lies more than {_MAX_DEPTH} folders deep")
    if _CONTROL.search(path):
        raise refuse("it holds a control character")
    if unicodedata.normalize("NFC", path) != path:
        raise refuse("it is not in Unicode normal form C (accents in two characters): rename it")
    if written and re.search(r"[\\:]", path):
        raise refuse("it holds a backslash or a colon")
    for component in path.split("/"):
        why = _why_not(component)
        if why:
            raise refuse(why)


def _why_not(component: str) -> str | None:
    """What is wrong with one component of a path."""
    if component in ("", ".", ".."):
        return "it holds an empty component, `.` or `..`"
    if len(component.encode()) > _MAX_COMPONENT:
        return "a component is longer than 255 bytes"
    if _is_git(component):
        return "a component names the git directory"
    if component[-1] in " .":
        return "a component ends in a blank or a dot"
    if _RESERVED.match(component.partition(".")[0].rstrip(" ").casefold()):
        return "a component is a name that Windows reserves"
    return None


def check_written(
    path: str,
    *,
    exists: bool,
    deletes: bool,
    renews: bool = False,
    allow: AllowList = ORDINARY,
) -> None:
    """Refuse to write `path` unless an allow-list names it.

    `exists` says whether HEAD holds it: an existing source is never written, nor deleted, by us,
    unless it `renews`: a copy that is made again, what was reviewed. Raises PolicyError.
    """
    check_text(path)
    if allow.holds(path):
        return
    if path.startswith("wiki/") and path.endswith(".md") and not path.endswith("/.md"):
        return
    if path.startswith("raw/.text/"):
        if path.endswith(".txt") and path.count("/") == 2:
            return
    elif path.startswith("raw/") and not path.startswith(("raw/brand/", "raw/skills/")):
        if not deletes and is_agent_file(path):
            raise PolicyError("coding agents would obey it", where=path)
        if renews or not (deletes or exists):
            return
        raise PolicyError("sources are never changed, only added", where=path)
    raise PolicyError("nothing may be written there", where=path)


def check_adopted(path: str) -> None:
    """Refuse to adopt a file that is not below raw/. Raises PolicyError."""
    check_text(path, written=False)
    if not path.startswith("raw/"):
        raise PolicyError("only files below raw/ are taken over as they are", where=path)
