"""What commands that serve over HTTP share: their options, who can reach them, how they end."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.interfaces.cli.options import Option, option, together


def place(port: int, needs: Sequence[str] = ()) -> Option[Any]:
    """The options `--port`, which is `port` where nobody says, and `--bind`."""
    return together(
        option(
            "--port",
            needs=needs,
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            metavar="N",
            help=_help(needs, "the port to listen on; 0 takes one that is free."),
        ),
        option(
            "--bind",
            needs=needs,
            default="127.0.0.1",
            show_default=True,
            metavar="ADDRESS",
            help=_help(needs, "the address to listen on; 0.0.0.0 and :: are all of this machine."),
        ),
    )


def names(needs: Sequence[str] = ()) -> Option[Any]:
    """The option `--host`."""
    said = _help(needs, "answer by this name too, as behind a proxy. May be given again.")
    return option("--host", "hosts", multiple=True, needs=needs, metavar="NAME", help=said)


def _help(needs: Sequence[str], what: str) -> str:
    said = "".join(f"with {each}: " for each in needs) + what
    return said[0].upper() + said[1:]


def demand_packages(needed: tuple[str, ...], what: str, extra: str) -> None:
    """Raises InputError where the packages of an extra are not installed, which `what` needs."""
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"{what} needs packages that are not installed: {', '.join(missing)}",
            fix=f"Run `pip install 'git-llmwiki[{extra}]'`.",
        )


def demand_guard(bind: str, *, is_guarded: bool, could: str, guide: str) -> None:
    """Raises PolicyError where other machines reach the server and could do what nobody agreed
    to."""
    if not is_loopback(bind) and not is_guarded:
        raise PolicyError(
            f"other machines can reach this address, and could {could}",
            where=f"--bind {bind}",
            fix=f"Add --read-only, or --allow-writes if that is meant; see {guide}.",
        )


def is_loopback(bind: str) -> bool:
    """Whether only this machine reaches an address."""
    import ipaddress

    if bind.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(bind.strip("[]")).is_loopback
    except ValueError:
        return False


def is_everywhere(bind: str) -> bool:
    """Whether an address stands for all addresses of this machine."""
    return bind.strip("[]") in ("0.0.0.0", "::", "")


def shown_host(bind: str) -> str:
    """How this machine's browser names the address."""
    name = "127.0.0.1" if is_everywhere(bind) else bind.strip("[]")
    return f"[{name}]" if ":" in name else name


def leave(number: int) -> NoReturn:
    """Ends the process after a signal: threads that still make answers would hold up an ordinary
    end."""
    sys.stdout.flush()
    os._exit(0 if number == 2 else 128 + number)
