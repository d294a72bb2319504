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

MAX_TOTAL = 100_000
"""Of all; no further file is read. Prompts show a fourth of that."""


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
    total = 0
    for name in names:
        if total > MAX_TOTAL:
            break
        place = folder / name
        if place.is_symlink() or not place.is_file():
            continue
        with place.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if is_pointer(data):
            raise not_pulled(f"raw/brand/{name}")
        text = data[:MAX_BYTES].decode("utf-8", "replace").strip()
        if len(data) > MAX_BYTES:
            text += "\n\n[the rest is left out]"
        if text:
            total += len(data)
            parts.append(f"## {name}\n\n{text}")
    return "\n\n".join(parts)
