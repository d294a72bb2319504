"""wiki serve: the wiki in a browser."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.interfaces.cli.context import open_wiki, say, say_err
from llmwiki.interfaces.cli.listening import (
    demand_guard,
    demand_packages,
    is_everywhere,
    leave,
    names,
    place,
    shown_host,
)
from llmwiki.interfaces.cli.options import option

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

_NEEDED = ("starlette", "uvicorn", "jinja2")


@click.command()
@place(4242)
@click.option("--read-only", is_flag=True, help="Offer nothing that writes, and call no model.")
@click.option("--open", "opens", is_flag=True, help="Open the address in your browser.")
@names()
@option(
    "--no-token",
    is_flag=True,
    needs=("--read-only",),
    help="With --read-only: whoever reaches the port may read; a proxy says who does.",
)
@click.option(
    "--allow-writes",
    is_flag=True,
    help="Let machines other than this one decide reviews, talk, and call the model.",
)
@click.pass_context
def command(
    ctx: click.Context,
    port: int,
    bind: str,
    read_only: bool,
    opens: bool,
    hosts: tuple[str, ...],
    no_token: bool,
    allow_writes: bool,
) -> int:
    """Show the wiki in a browser: pages, sources beside their quotes, history, graph, chat, review.

    Everything is rendered from the repository when it is asked for; nothing is built, and nothing
    is fetched from elsewhere. The address that is printed holds a token: who has it may read, and
    decide what waits for review. Ctrl-C ends the server at once. Needs the extra `web`.

    On an address that other machines reach it demands --read-only, or --allow-writes.

    \b
    Examples:
      wiki serve
      wiki serve --port 0 --open
      wiki serve --read-only --no-token --host wiki.example.org
    """
    demand_packages(_NEEDED, "the web view", "web")
    is_guarded = read_only or allow_writes
    demand_guard(bind, is_guarded=is_guarded, could="decide reviews", guide="docs/web.md")
    # Each form that calls a model names it and says at whose cost: to send it is to agree.
    wiki = open_wiki(ctx, yes=True)
    wiki = (wiki.aside() if read_only else wiki).session()
    ctx.call_on_close(wiki.close)
    _serve(wiki, bind, port, read_only, opens, hosts, no_token)
    return 0


def _serve(
    wiki: Wiki,
    bind: str,
    port: int,
    read_only: bool,
    opens: bool,
    hosts: tuple[str, ...],
    no_token: bool,
) -> None:
    from llmwiki.interfaces.web.request_checks import Admission, local_names
    from llmwiki.interfaces.web.server import listening, serve
    from llmwiki.interfaces.web.site import Site

    sock = listening(bind, port)
    port = int(sock.getsockname()[1])
    admission = Admission(
        port,
        local_names(bind) | {name.lower() for name in hosts},
        any_address=is_everywhere(bind),
        read_only=read_only,
        **({"token": ""} if no_token else {}),
    )
    query = f"?token={admission.token}" if admission.token else ""
    address = f"http://{shown_host(bind)}:{port}/{query}"
    leading = _page_to(address) if opens else None

    def started() -> None:
        say(address)
        sys.stdout.flush()
        say_err("wiki: serving; Ctrl-C ends it" + (", read only" if read_only else ""))
        if leading:
            import threading
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(leading.as_uri(),), daemon=True).start()

    def ended(number: int) -> None:
        if leading:
            leading.unlink(missing_ok=True)
        wiki.close()
        leave(number)

    has_person = sys.stdin.isatty()
    serve(Site(wiki, admission, has_person=has_person), sock, started, ended)


def _page_to(address: str) -> Path:
    """A file of this user alone that leads to an address: every user of the machine sees what a
    program, the browser too, has for its arguments."""
    descriptor, name = tempfile.mkstemp(prefix="wiki-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">\n')
    return Path(name)
