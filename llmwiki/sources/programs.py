"""Finding a program to run, outside of folders that hold documents or a repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def find_program(name: str, shunned: Iterable[Path]) -> str | None:
    """The first program of that name in PATH that stands apart from folders of others' files."""
    outside = [folder.resolve() for folder in shunned if folder.resolve() != Path("/")]
    for entry in os.get_exec_path():
        # A name without a folder, or a relative one, would be looked for where the user works.
        found = shutil.which(name, path=entry) if Path(entry).is_absolute() else None
        if found and not any(Path(found).resolve().is_relative_to(each) for each in outside):
            return found
    return None
