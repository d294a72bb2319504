"""A new wiki, or one completed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.open_wiki import OpenWiki
from llmwiki.core.errors import InputError, StateError
from llmwiki.repo.layout import MARKER

if TYPE_CHECKING:
    from llmwiki.app.callbacks import Callbacks
    from llmwiki.repo.repository import Repository
    from llmwiki.store.outcome import Outcome


@dataclass(frozen=True, slots=True)
class InitResult:
    """What making a wiki did."""

    outcome: Outcome
    """Its commit; None there: the wiki was complete."""
    written: tuple[str, ...]
    """Files besides wiki/ that were written."""
    sets_driver: bool = False
    """Whether the merge driver of this clone was set now."""


def init(
    place: Path, tell: Callbacks, *, allow_detached: bool = False, nested: bool = False
) -> InitResult:
    """Makes a wiki in a folder, or completes it; see `Wiki.init`."""
    from llmwiki.edit.starting import start
    from llmwiki.repo.create import make_repository
    from llmwiki.repo.repository import Repository

    if place.exists() and not place.is_dir():
        raise InputError("is not a folder", where=str(place))
    if ".git" in place.absolute().parts:
        raise InputError("lies inside a git directory", where=str(place))
    if not nested:
        _refuse_nested(place)
    make_repository(place)
    with Repository.at(place) as repo:
        wiki = OpenWiki(repo, place, tell)
        outcome, written = start(
            repo, wiki.state, terms=wiki.landing(allow_detached, is_memory=False)
        )
        is_set, note = prepare_clone(repo)
    if note:
        tell.notice(note)
    return InitResult(outcome, written, is_set)


def _refuse_nested(place: Path) -> None:
    """Raises StateError for a folder of another wiki of the same repository."""
    real = place.resolve()
    if (real / MARKER).is_file() or (real / ".git").exists():
        return
    for folder in real.parents:
        if (folder / MARKER).is_file():
            raise StateError(
                f"lies in the wiki {folder} already",
                where=str(place),
                fix="Commands work in every folder of that wiki. --nested makes another one here.",
            )
        if (folder / ".git").exists():
            return


def prepare_clone(repo: Repository) -> tuple[bool, str]:
    """What each clone needs once, beside the commit: whether the merge driver was set now, and what
    could not be done, in words."""
    from llmwiki.store.guard import install_guard
    from llmwiki.store.merge_driver import install_merge_driver, install_page_diff

    is_set = False
    try:
        is_set = install_merge_driver(repo)
        install_page_diff(repo)
        report = install_guard(repo)
    except StateError as error:
        return is_set, f"the commit guard was not installed. {error}"
    return is_set, "" if report.installed else f"the commit guard was not installed. {report.note}"
