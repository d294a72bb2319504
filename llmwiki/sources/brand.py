"""raw/brand/: voice, persona and rules that people write and a model reads before it writes."""

from __future__ import annotations

import os

from llmwiki.core.secrets import redacted
from llmwiki.git.repository import Repository

_BRAND = "raw/brand"

ORDER = ("IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md")
"""Read in this order, then the others by name."""

MAX_BYTES = 20_000
"""Of one file; what is beyond is left out and said so."""

MAX_TOTAL = 100_000
"""Of all; no further file is read."""

MAX_SHOWN = 24_000
"""Bytes of all that a model or an agent is shown."""


def read_brand(repo: Repository, at: str | None = None) -> str:
    """The texts of raw/brand/ as one; see `brand_files`."""
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in brand_files(repo, at).items())


def brand_files(repo: Repository, at: str | None = None) -> dict[str, str]:
    """The texts of raw/brand/ by name, in their order; as the commit `at` has them, if one is
    named. Links are not followed, and what a sparse checkout leaves out is read from git.
    """
    found: dict[str, str] = {}
    total = 0
    with repo.folders() as folders:
        for name in _names(repo, at):
            path = f"{_BRAND}/{name}"
            data = repo.read(at, path) if at else folders.read(repo.prefix + path)
            data = repo.read_left_out(path) if data is None and not at else data
            text = (data or b"")[:MAX_BYTES].decode("utf-8", "replace").strip()
            if data and len(data) > MAX_BYTES:
                text += "\n\n[the rest is left out]"
            if text and total <= MAX_TOTAL:
                total += len(data or b"")
                found[name] = text
    return found


def _names(repo: Repository, at: str | None) -> list[str]:
    names = set(repo.names(at, _BRAND)) if at else set()
    folder = repo.root / _BRAND
    if not at:
        names |= {path.rpartition("/")[2] for path in repo.left_out(_BRAND) if path.count("/") == 2}
        if folder.is_dir() and not folder.is_symlink():
            entries = os.scandir(folder)
            names |= {each.name for each in entries if each.is_file(follow_symlinks=False)}
    return sorted(
        (name for name in names if name.endswith(".md")),
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )


def shown_brand(brand: str) -> str:
    """The texts as they are shown: without secrets, cut at a whole character and saying so."""
    data = redacted(brand).strip().encode("utf-8", "replace")
    text = data[:MAX_SHOWN].decode("utf-8", "ignore")
    rest = len(data) - len(text.encode("utf-8"))
    return text + (f"\n[{rest} more bytes are left out]" if rest else "")
