"""What must hold before a folder is looked after, and before anything of it is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, StateError

if TYPE_CHECKING:
    from llmwiki.app.ingest_types import IngestOptions
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.repo.repository import Repository


def watched_folder(wiki: OpenWiki, inbox: str | None) -> Path:
    """The folder that is looked after, without links. Raises InputError."""
    root = wiki.repo.root
    folder = root / "raw" if inbox is None else wiki.here / inbox
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "no such folder"
        raise InputError(what, where=inbox or "raw", fix="Make it, or name another.")
    folder = folder.resolve()
    closed = (root / "wiki", root / "graph", wiki.repo.git_dir, wiki.repo.common_dir)
    if root.is_relative_to(folder) or any(folder.is_relative_to(each) for each in closed):
        raise InputError(
            "holds the wiki's own files",
            where=inbox or "raw",
            fix="Name a folder for documents, or leave --inbox out: raw/ is looked after then.",
        )
    return folder


def agreed_options(wiki: OpenWiki, options: IngestOptions, limit: float) -> IngestOptions:
    """The options of every batch, after a model was agreed to once.

    Raises CostError where nobody agrees, or where a limit is set and the model has no price.
    """
    from llmwiki.app.models import model_to_call
    from llmwiki.models.usage import CostError

    settings = model_to_call(wiki, options.model)
    if settings is not None and limit and settings.price is None:
        raise CostError(
            f"a limit for the day is set, and the price of {settings.model} is not known",
            fix="Set prices for the model in your configuration (docs/configuration.md, Prices and"
            " limits), or drop the limit: --max-cost 0.",
        )
    model = options.model if settings is None else settings.model
    return replace(options, model=model, collect=True, dry_run=False, max_cost=None)


def in_the_way(repo: Repository, options: IngestOptions) -> StateError | None:
    """Why nothing can land now: git is at work, a merge is not ended, HEAD is detached."""
    from llmwiki.store.transaction import preflight

    lock = repo.git_dir / "index.lock"
    if lock.exists():
        return StateError("git is at work in this work tree", where=str(lock))
    try:
        preflight(repo, allow_detached=options.allow_detached)
    except StateError as error:
        return error
    return None
