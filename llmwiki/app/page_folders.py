"""Which folders hold the pages: `wiki/`, and those of a vault."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.git.find_repository import (
    MARKER,
    WIKI,
    Layout,
    NoRepository,
    NoWiki,
    layout_of,
    vault_of,
    wiki_below,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.core.settings_precedence import Setting


_VARIABLE = "LLMWIKI_LAYOUT_WIKI"


def layout_at(here: Path, root: Path | None, notice: Callable[[str], None]) -> Layout:
    """The layout around the folder `here`, or of the vault at `root`, which is only read.

    Where there is no wiki, but Markdown, that is the vault. Raises StateError where there is
    neither, InputError where the setting `layout.wiki` names no folder below the root.
    """
    if root is not None:
        if not root.is_dir():
            raise InputError("there is no such folder", where=str(root), fix="Check --root.")
        try:
            return layout_of(root, as_root=True)._replace(notes="", is_wiki=False)
        except NoRepository:
            from llmwiki.git.init_repository import layout_apart
            from llmwiki.landing.settings_files import user_cache

            layout = layout_apart(root, user_cache())
            notice(
                f"no git in {layout.root}: its files are read;"
                " status, show, why, serve, log, diff and --at need git"
            )
            return layout
    try:
        layout = layout_of(here)
    except NoWiki as error:
        vault = vault_of(here)
        if vault is None:
            error.fix = way_to_wiki(here) or error.fix
            raise
        below = f". {way}" if (way := way_to_wiki(vault.root)) else ""
        notice(
            f"the Markdown in {vault.root} is read as notes of another tool;"
            f" nothing is written{below}"
        )
        return vault
    return _as_set(layout) if _may_set_folder(layout.root) else layout


def way_to_wiki(folder: Path) -> str:
    """How to name the wiki that lies below a folder; empty: none does."""
    below = wiki_below(folder)
    if not below:
        return ""
    import shlex

    return f"There is a wiki in {below}/: wiki -C {shlex.quote(str(folder / below))} …"


def _may_set_folder(root: Path) -> bool:
    """Whether `layout.wiki` may be set: cheaper than reading all settings, which few need."""
    from llmwiki.landing.settings_files import MAX_CONFIG, read_bounded

    if os.environ.get(_VARIABLE):
        return True
    try:
        return b"layout" in read_bounded(root / MARKER, MAX_CONFIG)
    except OSError:
        return False


def _as_set(layout: Layout) -> Layout:
    from llmwiki.landing.settings_files import load_config

    config = load_config(layout.root, lambda _sentence: None)
    return layout._replace(notes=_notes(layout.root, config.settings["layout.wiki"]))


def _notes(root: Path, setting: Setting) -> str | None:
    """The folder that `layout.wiki` names, from the root; None where it is `wiki` itself."""
    named = str(setting.value)
    plain = posixpath.normpath(named.replace("\\", "/") or ".")
    place = root / plain
    if plain.startswith(("/", "..")) or os.path.realpath(place) != os.path.normpath(place):
        raise InputError(
            f"layout.wiki is {named}: it must be a folder below the wiki's root",
            where=setting.origin,
        )
    if plain == WIKI or plain.startswith(f"{WIKI}/"):
        return None
    return "" if plain == "." else plain
