"""raw/brand/: voice, persona and rules that people write and a model reads before it writes."""

from __future__ import annotations

import os
from pathlib import Path

from llmwiki.repo.lfs import is_pointer
from llmwiki.sources.files import not_pulled

ORDER = ("IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md")
"""Read in this order, then the others by name."""

MAX_BYTES = 20_000
"""Of one file; what is beyond is left out and said so."""


def read_brand(root: Path) -> str:
    """The texts of raw/brand/ as one; empty where there are none. Links are not followed.

    Raises InputError where one is a pointer of Git LFS: nobody writes in a voice that is missing.
    """
    folder = root / "raw" / "brand"
    if folder.is_symlink() or not folder.is_dir():
        return ""
    names = sorted(
        (entry.name for entry in os.scandir(folder) if entry.name.endswith(".md")),
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )
    parts = []
    for name in names:
        place = folder / name
        if place.is_symlink() or not place.is_file():
            continue
        data = place.read_bytes()
        if is_pointer(data):
            raise not_pulled(f"raw/brand/{name}")
        text = data[:MAX_BYTES].decode("utf-8", "replace").strip()
        if len(data) > MAX_BYTES:
            text += "\n\n[the rest is left out]"
        if text:
            parts.append(f"## {name}\n\n{text}")
    return "\n\n".join(parts)
