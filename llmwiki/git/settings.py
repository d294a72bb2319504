"""git's configuration and the identity commits are made under, read once and kept while valid; and
attributes that make the work tree's bytes differ from the blobs in git."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.git.layout import Layout
from llmwiki.git.objects import ObjectPermissions
from llmwiki.git.runner import Git, GitError

_PLAIN_NAME = re.compile(
    r"[^\s.,:;<>\"\\'\x00-\x1f](?:[^<>\n\x00-\x1f]*[^\s.,:;<>\"\\'\x00-\x1f])?\Z"
)
_PLAIN_MAIL = re.compile(r"[^\s.,:;<>\"\\'\x00-\x1f]+@[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]\Z")
_PLAIN_DATE = re.compile(r"[1-9][0-9]{8,9} \+(?:0[0-9]|1[0-4])[0-5][0-9]\Z")
"""Seconds since the epoch and an offset, which git takes for nothing else (git's `date.c`: a number
of nine digits and more)."""
_TRUE = {"true", "yes", "on", "1"}


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
        stats: list[tuple[int, int, int] | None] = []
        for name in files:
            try:
                stat = Path(name).stat()
                stats.append((stat.st_ino, stat.st_mtime_ns, stat.st_size))
            except OSError:
                stats.append(None)
        env = tuple(sorted(item for item in os.environ.items() if item[0].startswith("GIT_")))
        return tuple(stats), env

    def refresh(self) -> None:
        """Read the configuration again if its files, or git's environment, have changed."""
        stamp = self._now_stamp()
        if stamp != self._stamp:
            values: dict[str, str] = {}
            listing = self._git.run("config", "--list", "-z").stdout
            for item in listing.decode("utf-8", "surrogateescape").split("\0"):
                key, separator, value = item.partition("\n")
                if key:
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

    def _ident(self, who: str) -> str:
        """git's own answer, or the same worked out from what is plainly configured."""
        low = who.lower()
        name = os.environ.get(f"GIT_{who}_NAME") or self.get(f"{low}.name") or self.get("user.name")
        mail = (
            os.environ.get(f"GIT_{who}_EMAIL") or self.get(f"{low}.email") or self.get("user.email")
        )
        dated = os.environ.get(f"GIT_{who}_DATE") or "100000000 +0000"
        plain = _PLAIN_DATE.match(dated)
        if name and mail and plain and _PLAIN_NAME.match(name) and _PLAIN_MAIL.match(mail):
            return f"{name} <{mail}> {dated}"
        return told_ident(self._git, who)

    def identity(self, now: float | None = None) -> Identity:
        """Who commits, at the time `now` (seconds since the epoch; None: the clock).

        Raises StateError when git does not know the user's name and address: nothing is invented.
        GIT_AUTHOR_DATE and GIT_COMMITTER_DATE win over `now`, as they do in git.
        """
        self._load()
        if self._identity is None:
            told = [_in_utf8(self._ident(who)) for who in ("AUTHOR", "COMMITTER")]
            self._identity = Identity(*told)
        known = self._identity
        moment = time.time() if now is None else now
        return Identity(
            _dated(known.author, moment, "GIT_AUTHOR_DATE"),
            _dated(known.committer, moment, "GIT_COMMITTER_DATE"),
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


_NAMES = ("filter", "working-tree-encoding", "ident")
_MOST = 1_000_000
"""Bytes of a file that are looked at; of a larger one git is asked."""


def _suspicious(path: Path) -> bool:
    try:
        # Devices and pipes that a clone's link leads to have no end.
        if not path.is_file():
            return False
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except OSError:
        return False
    return len(data) > _MOST or any(name.encode() in data for name in _NAMES)


def _files(layout: Layout, settings: GitSettings, paths: Sequence[str]) -> set[Path]:
    """Every file that gitattributes(5) says may give `paths` attributes (relative to the top)."""
    folders = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[: n + 1]) for n in range(len(parts)))
    home = os.environ.get("HOME", "")
    configured = settings.get("core.attributesfile")
    xdg = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    own = Path(configured.replace("~", home, 1)) if configured else Path(xdg) / "git/attributes"
    return {
        *(layout.top / folder / ".gitattributes" for folder in folders),
        layout.common_dir / "info" / "attributes",
        Path("/etc/gitattributes"),
        own,
    }


def refuse_filtered(layout: Layout, git: Git, settings: GitSettings, paths: Sequence[str]) -> None:
    """Refuses what git would filter, re-encode or expand, of paths relative to the top: StateError
    naming the path and its attribute.

    git is asked only when a file that could say so contains one of the words: the usual cost is a
    few small reads.
    """
    if not paths or not any(map(_suspicious, _files(layout, settings, paths))):
        return
    listing = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    answer = git.run("check-attr", "-z", "--stdin", *_NAMES, stdin=listing).stdout
    words = answer.decode("utf-8", "surrogateescape").split("\0")
    for path, name, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
        if value not in ("unspecified", "unset"):
            raise StateError(
                f"`.gitattributes` gives it {name}={value}: its bytes in git would not be those "
                "on disk",
                where=path,
                fix="Remove that attribute for the wiki's files"
                f" (`{path.rpartition('/')[0] or '.'}/** -{name}`).",
            )
