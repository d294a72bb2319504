"""A git repository where there is none yet."""

from __future__ import annotations

import os
from pathlib import Path

from llmwiki.core.errors import StateError, reason_of
from llmwiki.core.text import digest32
from llmwiki.git.find_repository import Layout
from llmwiki.git.git_config import told_ident
from llmwiki.git.runner import Git


def make_repository(place: Path) -> None:
    """Makes the folder, and a repository in it unless it lies in a work tree already.

    Raises StateError where git is missing or refuses, and, before anything is made, where it does
    not know who commits.
    """
    git = Git(next(each for each in (place, *place.absolute().parents) if each.is_dir()))
    inside = git.run("rev-parse", "--is-inside-work-tree", ok=(0, 128))
    if inside.returncode != 0:
        for who in ("AUTHOR", "COMMITTER"):
            told_ident(git, who)
    place.mkdir(parents=True, exist_ok=True)
    if inside.returncode != 0:
        Git(place).run("init", "--quiet")


def layout_apart(folder: Path, cache: Path) -> Layout:
    """The layout of a folder that no repository holds, to be read only: an empty repository below
    `cache` stands for one, where the index lies. It is made where it is missing.

    Raises StateError where it cannot be made, or git is missing.
    """
    root = Path(os.path.realpath(folder))
    git_dir = cache / "vaults" / digest32((str(root),)) / ".git"
    if not (git_dir / "HEAD").exists():
        try:
            git_dir.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StateError(
                f"a folder without git is read by an index in {git_dir.parent}, which cannot be"
                f" made: {reason_of(error)}",
                fix="Run `git init` in the folder of the notes.",
            ) from error
        Git(git_dir.parent).run("init", "--quiet")
    return Layout(
        top=root,
        root=root,
        prefix="",
        git_dir=git_dir,
        common_dir=git_dir,
        object_format="sha1",
        ref_files=True,
        notes="",
        is_wiki=False,
        is_apart=True,
    )
