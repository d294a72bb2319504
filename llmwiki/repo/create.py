"""A git repository where there is none yet."""

from __future__ import annotations

from pathlib import Path

from llmwiki.repo.git import Git


def make_repository(place: Path) -> None:
    """Makes the folder, and a repository in it unless it lies in a work tree already.

    Raises StateError where git is missing or refuses.
    """
    place.mkdir(parents=True, exist_ok=True)
    git = Git(place)
    inside = git.run("rev-parse", "--is-inside-work-tree", ok=(0, 128))
    if inside.returncode != 0:
        git.run("init", "--quiet")
