"""A question that a person answers before a call is made."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

import click

from llmwiki.chat.events import AskedCall, Consent
from llmwiki.cli.cleaning import clean

MAX_LINES = 200
"""Of what is shown before a question."""


def ask_person(keep: Callable[[str], None]) -> Callable[[AskedCall], int]:
    """Who asks on the terminal: only the whole word `yes` agrees, or `always`, where a permission
    may last.

    What was typed before the question was seen does not answer it; `keep` takes that.
    """

    def ask(call: AskedCall) -> int:
        lines = clean(call.shown).splitlines()
        shown = lines[:MAX_LINES]
        if len(lines) > MAX_LINES:
            shown.append(f"… and {len(lines) - MAX_LINES} more lines")
        click.echo(f"{call.name}:\n" + "\n".join(f"  {line}" for line in shown), err=True)
        keep(typed_ahead())
        lasts = ", or always (for this tool in this session)" if call.may_last else ""
        told = f"({call.why}) Do this? Type yes{lasts}, or press Enter for no: "
        click.echo(told, err=True, nl=False)
        with suppress(EOFError, KeyboardInterrupt):
            said = _line()
            if said == "always" and call.may_last:
                return Consent.ALWAYS
            return Consent.YES if said == "yes" else Consent.NO
        return Consent.NO

    return ask


def _line() -> str:
    from llmwiki.cli.chat.quiet_terminal import with_echo

    with with_echo():
        return sys.stdin.readline().strip().lower()


def typed_ahead() -> str:
    """What waits to be read on the terminal; it is taken away."""
    import os
    import select
    import termios

    found = b""
    fd = sys.stdin.fileno()
    with suppress(termios.error, OSError, ValueError):
        before = termios.tcgetattr(fd)
        raw = list(before)
        raw[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(fd, termios.TCSANOW, raw)
        try:
            while select.select([fd], [], [], 0)[0]:
                piece = os.read(fd, 4096)
                if not piece:
                    break
                found += piece
        finally:
            termios.tcsetattr(fd, termios.TCSANOW, before)
    return found.decode("utf-8", "replace")
