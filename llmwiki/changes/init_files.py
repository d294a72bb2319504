"""wiki init and wiki adopt: the constants that make a repository a wiki. Only managed blocks in
people's files."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from llmwiki.changes.find_skills import SKILLS, constant
from llmwiki.core.agent_file_names import ROOT_FILES
from llmwiki.core.errors import StateError
from llmwiki.core.page_and_note_kinds import INDEX
from llmwiki.git.find_repository import MARKER
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome
from llmwiki.git.store.private_files import GRAPH_IGNORE
from llmwiki.landing.land import land
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState

START, END = "<!-- llmwiki:start -->", "<!-- llmwiki:end -->"
HASH_START, HASH_END = "# llmwiki:start", "# llmwiki:end"

_SKILL_FOLDERS = (".claude/skills", ".agents/skills")
"""Where coding agents look for skills: Claude Code in the first, others in the second."""


def checked_out(repo: Repository) -> str | None:
    """The name of the branch that HEAD is on; None: it is on none, or on one whose name is no
    UTF-8, as every setting is."""
    name = (repo.branch() or "").removeprefix("refs/heads/")
    return name if name and not re.search("[\ud800-\udfff]", name) else None


def settings_text(branch: str | None) -> str:
    """The settings of a new wiki; `branch` is the one with index, overview and log, see
    `core.settings_table`."""
    text = constant("llmwiki.toml")
    # A string of JSON is one of TOML as well.
    return text if branch is None else f"{text}branch = {json.dumps(branch, ensure_ascii=False)}\n"


def with_block(text: str, block: str, start: str, end: str) -> str:
    """`text` with the managed block in it: in its place, or at the end; the rest as it is.

    Raises StateError where the marks do not pair up.
    """
    whole = f"{start}\n{block.strip()}\n{end}\n"
    if max(text.count(start), text.count(end)) > 1 or (
        (start in text or end in text) and not 0 <= text.find(start) < text.find(end)
    ):
        raise StateError(
            f"the marks {start} and {end} do not pair up", fix="Mend or remove them, and run again."
        )
    if start in text:
        before, _, rest = text.partition(start)
        return before + whole + rest.partition(end)[2].removeprefix("\n")
    if not text:
        return whole
    return text + ("\n" if text.endswith("\n") else "\n\n") + whole


def wanted_constants(repo: Repository, *, agents: bool = True) -> dict[str, bytes]:
    """The files that init would write, as they would be; those that are so already left out.

    Without `agents` only what a wiki cannot do without: its settings, and the attributes.
    A person's file is read from the work tree. Raises StateError for one that is not text.
    """
    files: dict[str, str] = {}
    names = ROOT_FILES if agents else ()
    held = {name: _held(repo, name) for name in (*names, ".gitattributes")}
    for name in names:
        files[name] = _in_place(name, held[name], constant("agents.md"), START, END)
    files[".gitattributes"] = _in_place(
        ".gitattributes", held[".gitattributes"], constant("gitattributes"), HASH_START, HASH_END
    )
    for name in SKILLS if agents else ():
        for folder in _SKILL_FOLDERS:
            files[f"{folder}/{name}/SKILL.md"] = constant(f"{name}.md")
    if _held(repo, MARKER) is None:
        files[MARKER] = settings_text(checked_out(repo))
    if agents and _held(repo, "graph/.gitignore") is None:
        files["graph/.gitignore"] = GRAPH_IGNORE
    if agents and not (repo.root / "raw").is_dir():
        files["raw/.gitkeep"] = ""
    head = repo.head()
    return {
        path: data
        for path, text in files.items()
        if (data := text.encode()) != repo.read(head, path)
    }


def _in_place(name: str, held: str | None, block: str, start: str, end: str) -> str:
    try:
        return with_block(held or "", block, start, end)
    except StateError as error:
        raise StateError(error.what, where=name, fix=error.fix) from error


def _held(repo: Repository, name: str) -> str | None:
    place = repo.root / name
    if place.is_symlink():
        raise StateError("is a link; init writes only regular files", where=name)
    if not place.is_file():
        return None
    try:
        return place.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise StateError("is not UTF-8 text", where=name) from error


def start(state: WikiState, *, terms: LandingOptions) -> tuple[Outcome, tuple[str, ...]]:
    """Makes or completes the wiki in one commit; again, it changes nothing.

    Index, overview and log of a new one belong to the branch that is checked out. Returns the
    outcome and the paths that were written.
    """
    repo = state.repo
    is_new = _held(repo, MARKER) is None
    if is_new:
        terms = replace(terms, branch=checked_out(repo) or terms.branch)

    def make(current: WikiState) -> Made[tuple[str, ...]]:
        files = wanted_constants(repo)
        operation = Operation(
            title=repo.root.name,
            constants=files,
            notes=("Made the wiki." if is_new else "Completed the wiki.",),
        )
        lacks_index = not current.text(INDEX) and terms.keep_catalogue(repo.branch())
        is_whole = not files and not lacks_index
        return Made(None if is_whole else operation, tuple(sorted(files)))

    done = land(state, "init", make, terms=terms)
    return done.outcome, done.extra


# --- a vault of another tool ---------------------------------------------------------------------


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


def adopt_vault(state: WikiState, files: dict[str, bytes], *, terms: LandingOptions) -> Outcome:
    """Writes the files in one commit; nothing else changes."""

    def make(_current: WikiState) -> Made[None]:
        operation = Operation(
            title=state.repo.root.name,
            constants=files,
            notes=("Took over what was here; no page was changed.",),
        )
        return Made(operation, None)

    return land(state, "init", make, terms=terms).outcome
