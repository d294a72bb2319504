"""raw/brand/: voice, persona and rules that people write and a model reads before it writes."""

from __future__ import annotations

import os

from llmwiki.core.secrets import redacted
from llmwiki.repo.lfs import is_pointer
from llmwiki.repo.repository import Repository
from llmwiki.sources.files import not_pulled

ORDER = ("IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md")
"""Read in this order, then the others by name."""

MAX_BYTES = 20_000
"""Of one file; what is beyond is left out and said so."""

MAX_TOTAL = 100_000
"""Of all; no further file is read."""

MAX_SHOWN = 24_000
"""Bytes of all that a model or an agent is shown."""


def read_brand(repo: Repository) -> str:
    """The texts of raw/brand/ as one; see `brand_files`."""
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in brand_files(repo).items())


def brand_files(repo: Repository) -> dict[str, str]:
    """The texts of raw/brand/ by name, in their order. Links are not followed, and what a sparse
    checkout leaves out is read from git.

    Raises InputError where one is a pointer of Git LFS: texts must not be written without it.
    """
    folder = repo.root / "raw" / "brand"
    if folder.is_symlink():
        return {}
    there = {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()
    left_out = {
        path.rpartition("/")[2] for path in repo.left_out("raw/brand") if path.count("/") == 2
    }
    names = sorted(
        (name for name in there | left_out if name.endswith(".md")),
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )
    found: dict[str, str] = {}
    total = 0
    for name in names:
        if total > MAX_TOTAL:
            break
        place = folder / name
        if place.is_symlink() or (name in there and not place.is_file()):
            continue
        data = repo.read_left_out(f"raw/brand/{name}") if name not in there else None
        if data is None:
            with place.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        if is_pointer(data):
            raise not_pulled(f"raw/brand/{name}")
        text = data[:MAX_BYTES].decode("utf-8", "replace").strip()
        if len(data) > MAX_BYTES:
            text += "\n\n[the rest is left out]"
        if text:
            total += len(data)
            found[name] = text
    return found


def shown_brand(brand: str) -> str:
    """The texts as they are shown: without secrets, cut at a whole character and saying so."""
    data = redacted(brand).strip().encode("utf-8", "replace")
    text = data[:MAX_SHOWN].decode("utf-8", "ignore")
    rest = len(data) - len(text.encode("utf-8"))
    return text + (f"\n[{rest} more bytes are left out]" if rest else "")
