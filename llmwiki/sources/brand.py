"""raw/brand/: voice, persona and rules that people write and a model reads before it writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from llmwiki.core.secrets import redacted
from llmwiki.git.repository import Repository
from llmwiki.git.trees import EXECUTABLE, FILE

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
    for name, data in _committed(repo, at) if at else _in_work_tree(repo):
        if total > MAX_TOTAL:
            break
        text = data[:MAX_BYTES].decode("utf-8", "replace").strip()
        if len(data) > MAX_BYTES:
            text += "\n\n[the rest is left out]"
        if text:
            total += len(data)
            found[name] = text
    return found


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(
        (name for name in names if name.endswith(".md")),
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )


def _committed(repo: Repository, at: str) -> Iterator[tuple[str, bytes]]:
    for name in _in_order(repo.names(at, _BRAND)):
        entry = repo.entry(at, f"{_BRAND}/{name}")
        if entry is not None and entry[0] in (FILE, EXECUTABLE):
            yield name, repo.read_many([entry[1]])[0][: MAX_BYTES + 1]


def _in_work_tree(repo: Repository) -> Iterator[tuple[str, bytes]]:
    folder = repo.root / _BRAND
    if folder.is_symlink():
        return
    there = {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()
    left_out = {path.rpartition("/")[2] for path in repo.left_out(_BRAND) if path.count("/") == 2}
    for name in _in_order(there | left_out):
        place = folder / name
        if place.is_symlink() or (name in there and not place.is_file()):
            continue
        data = repo.read_left_out(f"{_BRAND}/{name}") if name not in there else None
        if data is None:
            with place.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        yield name, data


def shown_brand(brand: str) -> str:
    """The texts as they are shown: without secrets, cut at a whole character and saying so."""
    data = redacted(brand).strip().encode("utf-8", "replace")
    text = data[:MAX_SHOWN].decode("utf-8", "ignore")
    rest = len(data) - len(text.encode("utf-8"))
    return text + (f"\n[{rest} more bytes are left out]" if rest else "")
