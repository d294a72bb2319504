"""What kind of folder is linted, and which rules tell of it as what: the one place that says so."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from llmwiki.core.settings_table import BY_KEY


class VaultKind(Enum):
    """Who keeps the pages of a folder, and so what a link in them means."""

    OWN = "own"
    """This program: the pages below wiki/ of a wiki with settings."""
    OBSIDIAN = "obsidian"
    """A link finds a file by its name, in whatever folder, and by no title or alias."""
    LOGSEQ = "logseq"
    """Each name in double brackets is a page, written or not."""
    GOLLUM = "gollum"
    """A wiki of GitHub's or Gollum's: `[[words|page]]`, addresses in double brackets, a hyphen in a
    file's name for a blank."""
    SITE = "site"
    """The source of a site (MkDocs, Docusaurus, Hugo, Jekyll, Quartz, …)."""
    DOCS = "docs"
    """The documents of a software project: they show how things are done, to everybody."""
    NOTES = "notes"
    """Notes of which nothing more is known."""


@dataclass(frozen=True, slots=True)
class VaultKinds:
    """Who keeps the pages of a repository: what rules know before they look at them."""

    vault: VaultKind = VaultKind.OWN
    """What kind of folder wiki/ is."""
    notes: VaultKind = VaultKind.NOTES
    """What kind the pages elsewhere are."""
    branch: str = str(BY_KEY["branch"].default)
    """The branch on which index, overview and log are written; empty: none."""

    @property
    def is_foreign(self) -> bool:
        """Whether all pages are another tool's: folders called `daily` or `sources` then mean what
        their author meant."""
        return self.vault is not VaultKind.OWN

    def kind_at(self, path: str) -> VaultKind:
        """Who keeps a page; with no path the wiki as a whole."""
        return self.vault if not path or path.startswith("wiki/") else self.notes

    def foreign(self, path: str) -> bool:
        """Whether a page is another tool's."""
        return self.kind_at(path) is not VaultKind.OWN


_FOLDERS = {
    "logseq": VaultKind.LOGSEQ,
    ".logseq": VaultKind.LOGSEQ,
    ".obsidian": VaultKind.OBSIDIAN,
}
_FILES = {
    **dict.fromkeys(("Home.md", "_Sidebar.md", "_Footer.md"), VaultKind.GOLLUM),
    **dict.fromkeys(
        ("mkdocs.yml", "mkdocs.yaml", "docusaurus.config.js", "docusaurus.config.ts", "hugo.toml",
         "hugo.yaml", "_config.yml", "quartz.config.ts", "book.toml", "antora.yml", "_quarto.yml",
         "netlify.toml"),
        VaultKind.SITE,
    ),
    **dict.fromkeys(
        ("CHANGELOG.md", "CONTRIBUTING.md", "package.json", "pyproject.toml", "composer.json",
         "Cargo.toml", "go.mod"),
        VaultKind.DOCS,
    ),
}  # fmt: skip
"""What lies at the top of a folder of each kind, the surest first."""


def vault_of(folders: Collection[str], files: Collection[str]) -> VaultKind:
    """The kind of a folder of another tool, by the names at its top."""
    found = [kind for name, kind in _FOLDERS.items() if name in folders]
    found += [kind for name, kind in _FILES.items() if name in files]
    return found[0] if found else VaultKind.NOTES


_TABLE = """
        obsidian  logseq  gollum  site  docs  notes
WK002   rule      not     rule    rule  rule  rule
WK011   not       not     not     not   not   not
WK017   note      not     note    note  note  note
WK031   note      note    note    note  note  note
WK102   rule      not     rule    rule  rule  rule
WK105   rule      not     not     not   not   not
WK107   not       not     not     not   not   not
WK115   not       not     not     not   not   not
WK304   not       not     not     not   not   not
WK313   rule      rule    not     not   not   rule
WK318   not       not     not     not   not   not
WK601   rule      rule    rule    note  note  rule
WK605   note      note    note    note  note  note
WK607   note      note    note    note  note  note
WK610   not       not     not     not   not   not
WK612   not       not     not     not   not   not
"""
"""How rules tell of folders of other tools: as the rule says, as a note, or not at all. Rules that
are not named tell the same everywhere."""
_HEAD, *_ROWS = (line.split() for line in _TABLE.strip().splitlines())
_TOLD = {
    (code, VaultKind(kind)): said
    for code, *row in _ROWS
    for kind, said in zip(_HEAD, row, strict=True)
}


def told(code: str, kind: VaultKind, path: str = "") -> str:
    """How a finding of a rule on a page in a folder of that kind is told: `rule`, `note` or `not`.
    What another tool's notes have put away is not kept up: all but safety is a note there."""
    if kind is VaultKind.OWN:
        return "rule"
    if kind is VaultKind.LOGSEQ and path.startswith("logseq/") and code != "WK601":
        # It holds settings and backups.
        return "not"
    said = _TOLD.get((code, kind), "rule")
    return "note" if said == "rule" and code < "WK6" and is_put_away(path) else said


# --- what the name of a folder says --------------------------------------------------------------

_TEMPLATES = ("template", "templates", "templater", "fixture", "fixtures", "testdata")
_KEPT = (
    "archive", "archives", "archived", "attic", "deprecated", "graveyard", "holdingpen", "legacy",
    "obsolete", "old", "trash",
)  # fmt: skip


def lies_among_templates(path: str) -> bool:
    """Whether a page lies in a folder of templates, or is called one."""
    return _lies_in(f"{path.removesuffix('.md')}/", _TEMPLATES)


def is_put_away(path: str) -> bool:
    """Whether a page lies in a folder of what is kept and not kept up."""
    return _lies_in(path, _KEPT)


def _lies_in(path: str, names: tuple[str, ...]) -> bool:
    """Whether the name of one of its folders ends in such a word, or begins with `archive`:
    `_templates`, `99 - Archive`, `Archive 2025`."""
    lower = path.lower()
    if not any(name in lower for name in names):
        return False
    for folder in lower.split("/")[:-1]:
        words = re.split(r"[\W_]+", f"_{folder}")
        if words[-1] in names or (words[1].startswith("archive") and words[1] in names):
            return True
    return False
