"""wiki mcp --http: the same server for programs that call an address."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from llmwiki.cli.addresses import is_everywhere, is_loopback
from llmwiki.cli.context import say, tell
from llmwiki.core.errors import InputError, PolicyError

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
    if importlib.util.find_spec("mcp") is None:
        raise InputError(
            "serving over HTTP needs a package that is not installed: mcp",
            fix="Run `pip install 'git-llmwiki[mcp]'`.",
        )
    if not is_loopback(bind) and limit != "off" and not allow_writes:
        raise PolicyError(
            "other machines can reach this address, and could write",
            where=f"--bind {bind}",
            fix="Add --read-only, or --allow-writes if that is meant; see docs/mcp.md.",
        )
    from llmwiki.mcp.http import PATH, HttpPlace
    from llmwiki.mcp.http import serve as serve_http

    chosen = _chosen_token()
    place = HttpPlace(bind, port, hosts, **({"token": chosen} if chosen else {}))
    name = "127.0.0.1" if is_everywhere(bind) else bind.strip("[]")
    shown = f"[{name}]" if ":" in name else name

    def started(port: int) -> None:
        say(f"http://{shown}:{port}{PATH}")
        if not chosen:
            say(f"Authorization: Bearer {place.token}")
        sys.stdout.flush()
        tell("wiki: serving; Ctrl-C ends it" + (", read only" if limit == "off" else ""))

    def ended(number: int) -> NoReturn:
        # Threads that still make answers would hold up an ordinary end.
        ctx.close()
        sys.stdout.flush()
        os._exit(0 if number == 2 else 128 + number)

    serve_http(opener, limit, place, started, ended)


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
