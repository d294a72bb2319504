"""git's configuration and the identity commits are made under, read once and kept while valid; and
attributes that make the work tree's bytes differ from the blobs in git."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import Layout
from llmwiki.git.objects import ObjectPermissions
from llmwiki.git.runner import Git, GitError
from llmwiki.git.worktree_files import stamp_of

_TRUE = {"true", "yes", "on", "1"}
_FILTERS = ("filter", "working-tree-encoding", "ident")
"""Attributes by which the bytes of a file in git are not those on disk."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Author and committer as commit objects carry them: `Name <mail> seconds zone`."""

    author: str
    committer: str


def told_ident(git: Git, who: str) -> str:
    """What git says an `AUTHOR` or a `COMMITTER` is called. Raises StateError where it cannot."""
    try:
        return git.text("var", f"GIT_{who}_IDENT")
    except GitError as error:
        raise StateError(
            "git does not know who you are",
            fix='Run `git config --global user.name "…"` and `git config --global user.email "…"`.',
        ) from error


class GitSettings:
    """The configuration git sees in one work tree.

    Kept until one of the files it usually comes from has changed; an included file that changes
    in the middle of a process is not noticed.
    """

    def __init__(self, layout: Layout, git: Git) -> None:
        self._layout = layout
        self._git = git
        self._stamp: object = None
        self._values: dict[str, str] = {}
        self._identity: Identity | None = None
        self._hooks: Path | None = None

    def _now_stamp(self) -> object:
        home = os.environ.get("HOME", "")
        xdg = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        files = (
            str(self._layout.common_dir / "config"),
            str(self._layout.git_dir / "config.worktree"),
            os.environ.get("GIT_CONFIG_GLOBAL", f"{home}/.gitconfig"),
            f"{xdg}/git/config",
        )
        env = tuple(sorted(item for item in os.environ.items() if item[0].startswith("GIT_")))
        return [stamp_of(Path(name)) for name in files], env

    def refresh(self) -> None:
        """Read the configuration again if its files, or git's environment, have changed."""
        stamp = self._now_stamp()
        if stamp != self._stamp:
            values: dict[str, str] = {}
            for item in self._git.records("config", "--list", "-z"):
                key, separator, value = item.partition("\n")
                values[key] = value if separator else "true"
            self._values, self._stamp = values, stamp
            self._identity = self._hooks = None

    def _load(self) -> dict[str, str]:
        if self._stamp is None:
            self.refresh()
        return self._values

    def get(self, key: str) -> str | None:
        """A setting's last value; section and name in lower case. None when it is not set."""
        return self._load().get(key)

    def flag(self, key: str, default: bool = False) -> bool:
        """A setting as a boolean."""
        value = self.get(key)
        return default if value is None else value.lower() in _TRUE

    def any_under(self, prefix: str) -> bool:
        """Whether a setting's name begins with `prefix`."""
        return any(key.startswith(prefix) for key in self._load())

    def hooks_directory(self) -> Path:
        """Where hooks live: `core.hooksPath` (relative ones from the top), else `hooks`."""
        if self.get("core.hookspath") is None:
            return self._layout.common_dir / "hooks"
        if self._hooks is None:
            value = self._git.text("config", "--type=path", "--get", "core.hooksPath")
            self._hooks = self._layout.top / value
        return self._hooks

    def object_permissions(self) -> ObjectPermissions:
        """Modes of new objects under `core.sharedRepository`."""
        shared = (self.get("core.sharedrepository") or "umask").lower()
        if shared in {"group", "true", "1", "0660"}:
            return ObjectPermissions(0o440, 0o2770)
        if shared in {"all", "world", "everybody", "2", "0664", "0666"}:
            return ObjectPermissions(0o444, 0o2775)
        return ObjectPermissions()

    def identity(self, now: float | None = None) -> Identity:
        """Who commits, at the time `now` (seconds since the epoch; None: the clock).

        Raises StateError when git does not know the user's name and address: nothing is invented.
        GIT_AUTHOR_DATE and GIT_COMMITTER_DATE win over `now`, as they do in git.
        """
        self._load()
        if self._identity is None:
            told = [_in_utf8(told_ident(self._git, who)) for who in ("AUTHOR", "COMMITTER")]
            self._identity = Identity(*told)
        known = self._identity
        moment = time.time() if now is None else now
        return Identity(
            _dated(known.author, moment, "GIT_AUTHOR_DATE"),
            _dated(known.committer, moment, "GIT_COMMITTER_DATE"),
        )

    def refuse_filtered(self, paths: Sequence[str]) -> None:
        """Refuses what git would filter, re-encode or expand, of paths relative to the wiki's root:
        StateError naming the path and its attribute."""
        if not paths:
            return
        told = (f"{self._layout.prefix}{path}" for path in paths)
        # The files of the work tree count. Without an index to read, it is as quick in a large one.
        env = {"GIT_INDEX_FILE": str(self._layout.git_dir / "llmwiki" / "none")}
        words = self._git.records("check-attr", "-z", "--stdin", *_FILTERS, told=told, env=env)
        for path, name, value in zip(words[0::3], words[1::3], words[2::3], strict=True):
            if value not in ("unspecified", "unset"):
                raise StateError(
                    f"`.gitattributes` gives it {name}={value}: its bytes in git would not be "
                    "those on disk",
                    where=path,
                    fix="Remove that attribute for the wiki's files"
                    f" (`{path.rpartition('/')[0] or '.'}/** -{name}`).",
                )


def _in_utf8(ident: str) -> str:
    """The identity in UTF-8, in which our commits are written; what is none is taken for Latin-1,
    as git takes it."""
    data = ident.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _dated(ident: str, moment: float, variable: str) -> str:
    """The identity with the time `moment`, unless the environment fixes its date."""
    if os.environ.get(variable):
        return ident
    name = ident.rsplit(" ", 2)[0]
    offset = time.localtime(moment).tm_gmtoff // 60
    sign = "-" if offset < 0 else "+"
    hours, minutes = divmod(abs(offset), 60)
    return f"{name} {int(moment)} {sign}{hours:02}{minutes:02}"
