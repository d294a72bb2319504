"""wiki mcp --http: the same server for programs that call an address."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from llmwiki.cli.context import say, tell
from llmwiki.cli.listening import demand_guard, demand_packages, leave, shown_host
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.app.wiki import Wiki

TOKEN = "WIKI_MCP_TOKEN"
"""The variable of the environment that may hold the token."""
LEAST_TOKEN = 16
"""Characters of a token that somebody chose."""


def serve(
    ctx: click.Context,
    opener: Callable[[], Wiki],
    limit: str,
    *,
    bind: str,
    port: int,
    hosts: tuple[str, ...],
    allow_writes: bool,
) -> None:
    """Serves until Ctrl-C.

    Raises InputError without the extra, PolicyError where others than this machine could write.
    """
    demand_packages(("uvicorn",), "serving over HTTP", "mcp")
    is_guarded = limit == "off" or allow_writes
    demand_guard(bind, is_guarded=is_guarded, could="write", guide="docs/mcp.md")
    from llmwiki.mcp.dispatch import Dispatcher
    from llmwiki.mcp.http import PATH, HttpPlace
    from llmwiki.mcp.http import serve as serve_http

    chosen = _chosen_token()
    place = HttpPlace(bind, port, hosts, **({"token": chosen} if chosen else {}))

    def started(port: int) -> None:
        say(f"http://{shown_host(bind)}:{port}{PATH}")
        if not chosen:
            say(f"Authorization: Bearer {place.token}")
        sys.stdout.flush()
        tell("wiki: serving; Ctrl-C ends it" + (", read only" if limit == "off" else ""))

    def ended(number: int) -> NoReturn:
        ctx.close()
        leave(number)

    serve_http(Dispatcher(opener, limit), place, started, ended)


def _chosen_token() -> str:
    """The token that the environment names; empty: none. Raises InputError for a weak one."""
    chosen = os.environ.get(TOKEN, "").strip()
    if chosen and (len(chosen) < LEAST_TOKEN or not chosen.isascii() or not chosen.isprintable()):
        raise InputError(
            f"must be {LEAST_TOKEN} or more printable ASCII characters",
            where=TOKEN,
            fix="Unset it, and a token is made and printed.",
        )
    return chosen
