"""Attributes that make the work tree's bytes differ from the blobs in git."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.git import Git
from llmwiki.repo.layout import Layout
from llmwiki.repo.settings import GitSettings

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
