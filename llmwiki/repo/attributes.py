"""Attributes that would make the work tree's bytes differ from the blobs we write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from llmwiki.core.errors import StateError
from llmwiki.repo.git import Git
from llmwiki.repo.layout import Layout
from llmwiki.repo.settings import Settings

_WORDS = (b"filter", b"working-tree-encoding", b"ident")


def _suspicious(path: Path) -> bool:
    try:
        # Devices and pipes that a clone's link leads to have no end.
        data = path.read_bytes() if path.is_file() else b""
    except OSError:
        return False
    return any(word in data for word in _WORDS)


def _files(layout: Layout, settings: Settings, paths: Sequence[str]) -> set[Path]:
    """Every file that gitattributes(5) says may speak about `paths` (relative to the top)."""
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


def refuse_filters(
    layout: Layout, git: Git, settings: Settings, paths: Sequence[str], *, certain: bool = False
) -> None:
    """Refuse paths (relative to the top) that git would filter, re-encode or expand.

    git is asked only when a file that could say so contains one of the words, or when `certain`:
    the usual cost is a few small reads. Raises StateError naming the path and its attribute.
    """
    if not paths:
        return
    if not certain and not any(map(_suspicious, _files(layout, settings, paths))):
        return
    names = ("filter", "working-tree-encoding", "ident")
    listing = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    answer = git.run("check-attr", "-z", "--stdin", *names, stdin=listing).stdout
    words = answer.decode("utf-8", "surrogateescape").split("\0")
    for path, name, value in zip(words[0::3], words[1::3], words[2::3], strict=False):
        if value not in ("unspecified", "unset"):
            raise StateError(
                f"`.gitattributes` gives it {name}={value}: its bytes in git would not be those "
                "on disk",
                where=path,
                fix=f"Remove that attribute for the wiki's files (`wiki/** -{name}`).",
            )
