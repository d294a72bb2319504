"""The tools of a conversation: those that are always there, and those that settings turn on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.wiki_tools import TOOLS
from llmwiki.chat.tools import files, skills, wiki_and_memory
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.core.callbacks import Callbacks
    from llmwiki.core.settings_precedence import Config
    from llmwiki.core.tool_declaration import Tool

BUDGET = 4_000
"""Tokens of what a tool reads of the wiki; a conversation does not choose it by the call."""

_OWN: tuple[Tool, ...] = (
    wiki_and_memory.remember,
    wiki_and_memory.forget,
    wiki_and_memory.edit_page,
    wiki_and_memory.append_page,
    wiki_and_memory.rename_page,
    files.read_file,
    files.list_dir,
    wiki_and_memory.read_session,
    skills.read_skill,
    skills.change_skill,
)
"""Those of conversations alone."""


def usual_tools() -> tuple[Tool, ...]:
    """Those that are always there; where there is no room for all, the last ones are left out."""
    shared = (tool.with_usual(budget=BUDGET) for tool in TOOLS if "chat" in tool.serves)
    return (*shared, *_OWN)


def further_tools(config: Config, root: Path, tell: Callbacks) -> tuple[Tool, ...]:
    """What the user's own settings turn on. Raises InputError for a value that there is not."""
    return (*_programs(config, root, tell), *_hardware(config), *_web(config))


def _programs(config: Config, root: Path, tell: Callbacks) -> tuple[Tool, ...]:
    """The tool that runs programs, where the user's own settings allow it and, for a sandbox, the
    machine has one. Raises InputError for a value that there is not."""
    named = config.text("chat.exec")
    if named == "off":
        return ()
    if named not in ("sandbox", "unsandboxed"):
        raise InputError(
            f"chat.exec is {named[:40]!r}; it may be off, sandbox, unsandboxed",
            where=config.settings["chat.exec"].origin,
        )
    from llmwiki.chat.tools.shell import exec_tool, why_no_sandbox

    wrong = why_no_sandbox(root) if named == "sandbox" else ""
    if wrong:
        tell.notice(f"no program can be run: {wrong}")
        return ()
    return (exec_tool(in_sandbox=named == "sandbox"),)


def _hardware(config: Config) -> Iterator[Tool]:
    """The tools for the buses of which the user's own settings name something."""
    for name in ("i2c", "spi"):
        if named := [each for each in config.text(f"chat.{name}").split(",") if each.strip()]:
            from llmwiki.chat.tools.hardware import bus_tool

            yield bus_tool(name, named)


def _web(config: Config) -> tuple[Tool, ...]:
    """The tools for the web that the user's own settings turn on."""
    tools: list[Tool] = []
    named = config.text("chat.web_search")
    if named or config.flag("chat.web_fetch"):
        from llmwiki.chat.tools.web import fetch_page, search_tool

        if config.flag("chat.web_fetch"):
            tools.append(fetch_page)
        if named:
            tools.append(search_tool(named, config.text("chat.web_search_url"), os.environ))
    return tuple(tools)
