"""Where a repository's parts lie, found by reading files: no git is started but for a bare one.

Following gitrepository-layout(5): `.git` is a directory, or a file `gitdir: PATH` (linked work
trees, submodules); a linked work tree's git directory names the common one in `commondir`.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import StateError
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKER = ".llmwiki.toml"
_LEVELS, _FOLDERS = 2, 200
"""How far below a folder a wiki is looked for, and in how many folders of a level."""
WIKI = "wiki"
"""The folder in which pages are written."""
ASIDE = frozenset({"raw", "graph", "node_modules"})
"""Folders of a root that hold no pages, whatever Markdown lies there."""
_SECTION = lazy_pattern(r'^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$')
_SETTING = lazy_pattern(r"^\s*+([A-Za-z][A-Za-z0-9-]*+)\s*+(?:=\s*+(.*\S|))?\s*+$")


_VAULTS = (".obsidian", ".logseq", "logseq", ".foam", ".vscode/foam", ".dendron")
"""Folders by which other tools know the root of their vault."""


class NoRepository(StateError):
    """There is no repository around a folder."""


class NoWiki(StateError):
    """There is a repository, and no wiki in it."""


class Layout(NamedTuple):
    """The directories of one work tree and the wiki in it."""

    top: Path
    """The work tree's top."""
    root: Path
    """The wiki's root: the top, or a directory below it."""
    prefix: str
    """The root relative to the top, POSIX, with a final slash; '' when they are one."""
    git_dir: Path
    """This work tree's own git directory."""
    common_dir: Path
    """The git directory that all work trees share."""
    object_format: str
    """`sha1` or `sha256`."""
    ref_files: bool
    """Whether refs are plain files (git's `files` backend), which we may read ourselves."""
    notes: str | None = None
    """The folder with pages of other tools, which are read and never written: relative to the
    root, '' for the root itself. None: there are pages below `wiki/` only."""
    is_wiki: bool = True
    """Whether operations may be written here: not where there is no `.llmwiki.toml`."""
    is_apart: bool = False
    """Whether no repository holds the folder, and `git_dir` only stands for one, elsewhere."""
    reads_only: bool = False
    """Whether nothing is written, not even an index: one that is behind is copied."""
    is_bare: bool = False
    """Whether there is no work tree: the files are those of HEAD, and `top` and `root`, in which
    there are none, are the git directory."""

    @property
    def page_folders(self) -> tuple[str, ...]:
        """The folders in which pages are looked for, none of them below another."""
        if self.notes is None:
            return (WIKI,)
        return (WIKI, self.notes) if self.notes else ("",)

    @property
    def key(self) -> str:
        """A word that differs for each choice of pages in one work tree; empty for the usual."""
        if self.notes is None:
            return ""
        from llmwiki.core.text import digest32

        return digest32((self.prefix, self.notes))


def read_simple_config(path: Path) -> dict[str, str]:
    """Settings of one git config file, `section.key` in lower case; no includes, no subsections.

    Enough for what git itself reads before it trusts a repository (`core.*`, `extensions.*`).
    """
    settings: dict[str, str] = {}
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return settings
    section: str | None = None
    for line in text.splitlines():
        head = _SECTION.match(line)
        if head:
            section = None if head[2] is not None else head[1].lower()
        rest = head[3] if head else line
        setting = _SETTING.match(re.sub(r"\s[#;].*$", "", rest))
        if section and setting:
            value = "true" if setting[2] is None else setting[2].strip().strip('"')
            settings[f"{section}.{setting[1].lower()}"] = value
    return settings


def _git_dir_of(dot_git: Path) -> Path | None:
    """The git directory that `.git` is or names; None when it is neither."""
    if dot_git.is_dir():
        return dot_git if (dot_git / "HEAD").exists() else None
    try:
        text = dot_git.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return Path(os.path.realpath(dot_git.parent / text[len("gitdir:") :].strip()))


def _common_dir_of(git_dir: Path) -> Path:
    try:
        text = (git_dir / "commondir").read_text("utf-8", "surrogateescape")
    except OSError:
        return git_dir
    return Path(os.path.realpath(git_dir / text.strip()))


def _looks_bare(directory: Path) -> bool:
    return (directory / "HEAD").is_file() and (directory / "objects").is_dir()


def _is_bare(git_dir: Path) -> bool:
    return read_simple_config(git_dir / "config").get("core.bare", "").lower() == "true"


def find_work_tree(start: Path) -> tuple[Path, Path]:
    """The top of the work tree around `start`, and its git directory; they are one where a
    repository is bare.

    Raises StateError where there is no repository, and inside of `.git`.
    """
    for directory in (start, *start.parents):
        dot_git = directory / ".git"
        if os.path.lexists(dot_git):
            git_dir = _git_dir_of(dot_git)
            if git_dir is None:
                raise StateError("`.git` is not a repository", where=str(directory))
            is_bare = git_dir == _common_dir_of(git_dir) and _is_bare(git_dir)
            return (git_dir if is_bare else directory), git_dir
        if _looks_bare(directory):
            if _is_bare(directory):
                return directory, directory
            raise StateError(
                "this is the inside of `.git`: there is no work tree",
                where=str(directory),
                fix="Run the command in the work tree.",
            )
    fix = "`wiki init` makes one here, and a wiki in it."
    if _holds_markdown(start):
        fix = "`wiki --root DIR …` reads the Markdown; `git init` and `wiki adopt` make it a wiki."
    raise NoRepository("not inside a git repository", where=str(start), fix=fix)


def _holds_markdown(directory: Path) -> bool:
    """Whether `directory` holds Markdown, itself or one level below."""
    try:
        with os.scandir(directory) as entries:
            below = []
            for entry in entries:
                if entry.name.endswith(".md"):
                    return True
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        for path in below:
            with os.scandir(path) as entries:
                if any(entry.name.endswith(".md") for entry in entries):
                    return True
    except OSError:
        return False
    return False


def vault_of(start: Path) -> Layout | None:
    """The Markdown around `start` that is no wiki of this program, to be read only.

    Its root is the nearest parent that another tool marks as a vault, else the work tree's top.
    None where the root holds no Markdown, and in a bare repository. Raises StateError where there
    is no repository.
    """
    where = Path(os.path.realpath(start))
    top, git_dir = find_work_tree(where)
    if top == git_dir:
        return None
    inside = [path for path in (where, *where.parents) if path == top or top in path.parents]
    marked = (path for path in inside if any((path / name).is_dir() for name in _VAULTS))
    root = next(marked, top)
    if not _holds_markdown(root):
        return None
    return layout_of(root, as_root=True)._replace(notes="", is_wiki=False)


def find_root(start: Path, top: Path) -> Path | None:
    """The wiki's root: the nearest parent with `.llmwiki.toml`, else with Markdown in `wiki/`."""
    inside = [path for path in (start, *start.parents) if path == top or top in path.parents]
    for directory in inside:
        # Whatever stands there: what is no file is refused where it is read.
        if os.path.lexists(directory / MARKER):
            return directory
    for directory in inside:
        if _holds_markdown(directory / "wiki"):
            return directory
    return None


def wiki_below(folder: Path) -> str:
    """The nearest folder with a wiki, at most two levels below; empty: there is none."""
    level = [folder]
    for _ in range(_LEVELS):
        inner = []
        for each in level:
            with contextlib.suppress(OSError), os.scandir(each) as entries:
                inner += [
                    Path(entry.path) for entry in entries
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                ]  # fmt: skip
        level = sorted(inner)[:_FOLDERS]
        found = next((each for each in level if os.path.lexists(each / MARKER)), None)
        if found is not None:
            return found.relative_to(folder).as_posix()
    return ""


def layout_of(start: Path, *, as_root: bool = False) -> Layout:
    """The layout around `start` (a file or a directory); with `as_root` it is the wiki's root.

    Raises StateError where there is no repository, no wiki (`NoWiki`), or a repository
    whose `core.worktree` points elsewhere.
    """
    where = Path(os.path.realpath(start))
    if not where.is_dir():
        where = where.parent
    top, git_dir = find_work_tree(where)
    if top == git_dir:
        return _bare_layout(git_dir, as_root=as_root)
    common = _common_dir_of(git_dir)
    config = read_simple_config(common / "config")
    elsewhere = config.get("core.worktree")
    if elsewhere and Path(os.path.realpath(git_dir / elsewhere)) != top:
        raise StateError(f"`core.worktree` points to {elsewhere}", where=str(top))
    root = where if as_root else find_root(where, top)
    if root is None:
        raise NoWiki("no wiki found here", where=str(where), fix="Run `wiki init`.")
    relative = root.relative_to(top).as_posix()
    return Layout(
        top=top,
        root=root,
        prefix="" if relative == "." else f"{relative}/",
        git_dir=git_dir,
        common_dir=common,
        object_format=_object_format(config),
        ref_files=_has_ref_files(config),
        is_wiki=as_root or os.path.lexists(root / MARKER),
    )


def _object_format(config: Mapping[str, str]) -> str:
    return config.get("extensions.objectformat", "sha1").lower()


def _has_ref_files(config: Mapping[str, str]) -> bool:
    return config.get("extensions.refstorage", "files").lower() == "files"


def _bare_layout(git_dir: Path, *, as_root: bool) -> Layout:
    """The layout of a bare repository, whose wiki is the one nearest to the top of HEAD's tree."""
    from llmwiki.git.runner import Git

    git = Git(git_dir, git_dir, is_bare=True)

    def listed(*args: str) -> list[str]:
        out = git.run("ls-tree", "-z", "--name-only", *args, ok=(0, 128)).stdout
        return os.fsdecode(out).split("\0")[:-1]

    at_top = listed("HEAD", "--", MARKER, WIKI)
    marker = MARKER if MARKER in at_top or as_root else ""
    if not marker and WIKI not in at_top:
        found = [path for path in listed("-r", "HEAD") if path.endswith(f"/{MARKER}")]
        if not found:
            raise NoWiki(
                "this is a bare repository, and no wiki found in what is committed",
                where=str(git_dir),
                fix="`wiki --root . …` reads the Markdown in it.",
            )
        marker = min(found, key=lambda path: (path.count("/"), path))
    config = read_simple_config(git_dir / "config")
    return Layout(
        top=git_dir,
        root=git_dir,
        prefix=marker.removesuffix(MARKER),
        git_dir=git_dir,
        common_dir=git_dir,
        object_format=_object_format(config),
        ref_files=_has_ref_files(config),
        is_wiki=bool(marker),
        is_bare=True,
    )
