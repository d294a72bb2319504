"""A wiki made where there is none, of nothing or of the Markdown that lies there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.page_folders import layout_at
from llmwiki.changes.init_files import adopt_vault, start, wanted_files
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.page_and_note_kinds import INDEX, LOG, OVERVIEW
from llmwiki.git.find_repository import MARKER, NoWiki, find_work_tree
from llmwiki.git.init_repository import make_repository
from llmwiki.git.repository import Repository
from llmwiki.git.store.clone_setup import install_guard, install_merge_driver, install_page_diff
from llmwiki.graph.read_edges import links_of
from llmwiki.landing.open_wiki import OpenWiki

if TYPE_CHECKING:
    from llmwiki.core.callbacks import Callbacks
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.index.open_index import Index


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
    if place.exists() and not place.is_dir():
        raise InputError("is not a folder", where=str(place))
    if ".git" in place.absolute().parts:
        raise InputError("lies inside a git directory", where=str(place))
    if not nested:
        _refuse_nested(place)
    make_repository(place)
    with Repository.at(place) as repo:
        wiki = OpenWiki(repo, place, tell)
        outcome, written = start(wiki.state, terms=wiki.landing(allow_detached, is_memory=False))
        return InitResult(outcome, written, _prepare_clone(repo, tell))


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


def _prepare_clone(repo: Repository, tell: Callbacks) -> bool:
    """What each clone needs once, beside the commit: whether the merge driver was set now. What
    could not be done is noticed."""
    is_set = False
    try:
        is_set = install_merge_driver(repo)
        install_page_diff(repo)
        to_add = install_guard(repo)
    except StateError as error:
        to_add = str(error)
    if to_add:
        tell.notice(f"the commit guard was not installed. {to_add}")
    return is_set


_MAKERS = (
    ("raw", "wiki", "an LLM wiki (raw/ and wiki/)"),
    (".obsidian", "", "an Obsidian vault"),
    ("logseq", "pages", "a Logseq graph"),
    (".foam", "", "a Foam workspace"),
    ("mkdocs.yml", "", "a site of MkDocs"),
    ("_Sidebar.md", "", "a GitHub wiki"),
    ("wiki", "", "a wiki (wiki/)"),
)
"""What lies at a root, what lies there as well, and what it is by that: the first that fits."""


@dataclass(frozen=True, slots=True)
class VaultSurvey:
    """What was found."""

    form: str
    """Whose form it has, in words."""
    folder: str
    """Where its pages lie, from the root; empty: everywhere."""
    pages: int
    links: int
    """Links from page to page."""
    nowhere: int
    """Names that links give and no page has."""
    untyped: int
    """Pages without a type."""
    undescribed: int
    """Pages without a description."""
    kept: tuple[str, ...]
    """Its own index, overview and log, which no operation writes."""
    has_carriage_returns: bool
    """Whether a page below wiki/ has the line ends of Windows."""


def survey(repo: Repository, index: Index) -> VaultSurvey:
    """What the index of a vault says, and the names at its root."""
    pages = index.all_cards()
    links = links_of(pages)
    names = {entry.name for entry in repo.root.iterdir()}
    forms = (form for one, other, form in _MAKERS if one in names and (other or one) in names)
    in_wiki = [page for page in pages if page.path.startswith("wiki/")]
    return VaultSurvey(
        form=next(forms, "a folder of Markdown"),
        folder="wiki" if repo.layout.notes is None else repo.layout.notes,
        pages=len(pages),
        links=sum(map(len, links.leads)),
        nowhere=len(links.missing),
        untyped=sum(not page.type for page in pages),
        undescribed=sum(not page.description for page in pages),
        kept=tuple(path for path in (INDEX, OVERVIEW, LOG) if repo.has_file(path)),
        has_carriage_returns=any(
            b"\r\n" in (repo.root / page.path).read_bytes() for page in in_wiki
        ),
    )


@dataclass(frozen=True, slots=True)
class AdoptResult:
    """What was found, and what became of it."""

    root: Path
    """The wiki's root from now on."""
    survey: VaultSurvey
    files: tuple[str, ...]
    """The files that are written, or would be."""
    outcome: Outcome | None
    """Its commit; None of a dry run."""
    sets_driver: bool = False
    """Whether the merge driver of this clone was set now."""


def adopt(
    place: Path, tell: Callbacks, *, dry_run: bool = False, allow_detached: bool = False
) -> AdoptResult:
    """Makes the Markdown around a folder a wiki, in one commit that changes none of its pages.

    With `dry_run` nothing is written. Raises StateError where it is a wiki already, InputError
    where there is no Markdown or no repository.
    """
    try:
        find_work_tree(place.resolve())
    except StateError as error:
        if "not inside a git repository" not in error.what:
            raise
        fix = "Run `git init`, `git add .` and `git commit` there first."
        raise InputError(error.what, where=str(place), fix=fix) from error
    try:
        layout = layout_at(place, None, lambda _sentence: None)
    except NoWiki as error:
        raise InputError(
            "there is no Markdown here", where=str(place), fix="`wiki init` makes a wiki."
        ) from error
    if layout.is_wiki:
        raise StateError("this is a wiki already", where=str(layout.root / MARKER))
    with Repository(layout) as repo:
        reading = OpenWiki(repo, place, tell)
        with reading.index() as index:
            found = survey(repo, index)
    with Repository(layout._replace(notes=None, is_wiki=True)) as repo:
        files = wanted_files(
            repo,
            found.folder,
            catalogue=not found.kept,
            attributes=not found.has_carriage_returns,
        )
        if dry_run:
            return AdoptResult(layout.root, found, tuple(sorted(files)), None)
        wiki = OpenWiki(repo, place, tell)
        terms = replace(wiki.landing(allow_detached, is_memory=False), branch="")
        outcome = adopt_vault(wiki.state, files, terms=terms)
        is_set = _prepare_clone(repo, tell)
    return AdoptResult(layout.root, found, tuple(sorted(files)), outcome, is_set)
