"""The command line: arguments in, one call, text out. The only printing and the only exit codes."""

from __future__ import annotations

import gc
import os
import sys

_FIRST_OF_SIGNALS = 129
"""Exit codes from here on are those of commands that a signal ended."""


def main() -> None:
    """Entry point of `wiki` and `llmwiki`."""
    from llmwiki.interfaces.cli import stopping

    stopping.listen()
    # Loading a program makes no cycles worth looking for; a command that lives longer than a
    # search turns the collector on again.
    gc.disable()
    from llmwiki.interfaces.cli.quick_search import answered

    code = 0
    try:
        if not answered(sys.argv[1:]):
            from llmwiki.interfaces.cli.command_table import run

            code = run()
    except (KeyboardInterrupt, stopping.Terminated) as stop:
        from llmwiki.interfaces.cli.command_table import cut_off

        code = cut_off(stop)
    stopping.let_go()
    _leave(code)


def _leave(code: int) -> None:
    """Ends the process at once, where nothing is left to wait for or to report.

    Taking the interpreter down costs 5 to 13 ms, more than a search in a small wiki; and after a
    signal nobody waits for calls to a model that stalls.
    """
    import threading

    waits = code < _FIRST_OF_SIGNALS
    if waits and threading.active_count() > 1:
        sys.exit(code)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        if waits:
            sys.exit(code)
    os._exit(code)
