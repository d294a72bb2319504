"""wiki adopt: the settings that make a wiki of a vault, and of a wiki of another tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.edit.starting import settings_text, wanted_constants
from llmwiki.memory.land import LandingOptions, Made, Operation, land
from llmwiki.repo.layout import MARKER
from llmwiki.store.outcome import Outcome

if TYPE_CHECKING:
    from llmwiki.memory.state import WikiState
    from llmwiki.repo.repository import Repository


def wanted_files(
    repo: Repository, folder: str, *, catalogue: bool, attributes: bool
) -> dict[str, bytes]:
    """The files to write: settings with the layout, and the attributes that merges need.

    `folder` is where their pages lie, from the root; `catalogue` says whether index, overview and
    log are ours to write, `attributes` whether .gitattributes may be written.
    """
    files = wanted_constants(repo, agents=False)
    if not attributes:
        files.pop(".gitattributes", None)
    if not catalogue:
        files[MARKER] = settings_text("").encode()
    if folder != "wiki":
        files[MARKER] += f'\n[layout]\nwiki = "{folder or "."}"\n'.encode()
    return files


def adopt_vault(
    repo: Repository, state: WikiState, files: dict[str, bytes], *, terms: LandingOptions
) -> Outcome:
    """Writes the files in one commit; nothing else changes."""

    def make(_current: WikiState) -> Made[None]:
        operation = Operation(
            kind="init",
            title=repo.root.name,
            constants=files,
            notes=("Took over what was here; no page was changed.",),
        )
        return Made(operation, None)

    return land(repo, state, make, operation="init", terms=terms).outcome
