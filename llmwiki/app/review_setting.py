"""The setting `review = "always"` of a team, read where an agent at work cannot change it."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.repo.layout import MARKER
from llmwiki.repo.survey import default_branches

if TYPE_CHECKING:
    from llmwiki.core.config import Config
    from llmwiki.repo.repository import Repository

_ALWAYS = "always"


def reviews_always(repo: Repository, config: Config) -> bool:
    """Whether all that changes pages waits for review.

    Asked for by the settings in force, or by `.llmwiki.toml` as it is committed on the default
    branch: the file in the work tree can ask for it, and cannot take it back. Raises InputError
    for a value that is neither empty nor `always`.
    """
    asked = config.text("review")
    if asked not in ("", _ALWAYS):
        raise InputError(
            f"review is `{asked}`",
            where=config.settings["review"].origin,
            fix='It is "always", or not set.',
        )
    return asked == _ALWAYS or any(
        _asks(repo.read(commit, MARKER)) for commit in default_branches(repo)
    )


def _asks(committed: bytes | None) -> bool:
    try:
        table = tomllib.loads((committed or b"").decode())
    except (ValueError, RecursionError):
        # Not readable as settings: whoever opens the wiki with that file is told so.
        return False
    return table.get("review") == _ALWAYS
