"""wiki serve: the wiki in a browser."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import sys
from typing import TYPE_CHECKING

import click

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_err
from llmwiki.interfaces.cli.command_options import option

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

_NEEDED = ("starlette", "uvicorn", "jinja2")


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=4242,
    show_default=True,
    metavar="N",
    help="The port to listen on; 0 takes one that is free.",
)
@click.option(
    "--bind",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on; 0.0.0.0 and :: are all of this machine.",
)
@click.option("--read-only", is_flag=True, help="Offer nothing that writes, and call no model.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Answer by this name too, as behind a proxy. May be given again.",
)
@option(
    "--no-token",
    is_flag=True,
    needs=("--read-only",),
    help="With --read-only: whoever reaches the port may read; a proxy says who does.",
)
@click.pass_context
def command(
    ctx: click.Context,
    port: int,
    bind: str,
    read_only: bool,
    hosts: tuple[str, ...],
    no_token: bool,
) -> int:
    """Show the wiki in a browser: pages, sources beside their quotes, history, graph, review.

    Everything is rendered from the repository when it is asked for; nothing is built, and nothing
    is fetched from elsewhere. The address that is printed holds a token: who has it may read, and
    decide what waits for review. Ctrl-C ends the server at once. Needs the extra `web`.

    On an address that other machines reach it demands --read-only.

    \b
    Examples:
      wiki serve
      wiki serve --port 0
      wiki serve --read-only --no-token --host wiki.example.org
    """
    _demand_packages()
    if not (read_only or _is_loopback(bind)):
        raise PolicyError(
            "other machines can reach this address, and could decide reviews",
            where=f"--bind {bind}",
            fix="Add --read-only; see docs/web.md.",
        )
    # Each form that calls a model names it and says at whose cost: to send it is to agree.
    wiki = open_wiki(yes=True)
    wiki = (wiki.aside() if read_only else wiki).session()
    ctx.call_on_close(wiki.close)
    _serve(wiki, bind, port, read_only, hosts, no_token)
    return 0


def _serve(
    wiki: Wiki,
    bind: str,
    port: int,
    read_only: bool,
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
        any_address=_is_everywhere(bind),
        read_only=read_only,
        **({"token": ""} if no_token else {}),
    )
    query = f"?token={admission.token}" if admission.token else ""
    address = f"http://{_shown_host(bind)}:{port}/{query}"

    def started() -> None:
        say(address)
        sys.stdout.flush()
        say_err("wiki: serving; Ctrl-C ends it" + (", read only" if read_only else ""))

    def ended(number: int) -> None:
        wiki.close()
        sys.stdout.flush()
        # Threads that still make answers would hold up an ordinary end.
        os._exit(0 if number == 2 else 128 + number)

    has_person = sys.stdin.isatty()
    serve(Site(wiki, admission, has_person=has_person), sock, started, ended)


def _demand_packages() -> None:
    """Raises InputError where the packages of the extra `web` are not installed."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"the web view needs packages that are not installed: {', '.join(missing)}",
            fix="Run `pip install 'git-llmwiki[web]'`.",
        )


def _is_loopback(bind: str) -> bool:
    """Whether only this machine reaches an address."""
    if bind.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(bind.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_everywhere(bind: str) -> bool:
    """Whether an address stands for all addresses of this machine."""
    return bind.strip("[]") in ("0.0.0.0", "::", "")


def _shown_host(bind: str) -> str:
    """How this machine's browser names the address."""
    name = "127.0.0.1" if _is_everywhere(bind) else bind.strip("[]")
    return f"[{name}]" if ":" in name else name
