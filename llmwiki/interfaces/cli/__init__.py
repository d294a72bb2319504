"""The command line: arguments in, one call, text out. The only printing and the only exit codes."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Entry point of `wiki` and `llmwiki`."""
    from llmwiki.interfaces.cli import stopping

    stopping.listen()
    # Loading a program makes no cycles worth looking for; a command that lives longer than a
    # search turns the collector on again.
    gc.disable()
    from llmwiki.interfaces.cli.quick_search import answered

    try:
        if answered(sys.argv[1:]):
            sys.exit(0)
        from llmwiki.interfaces.cli.command_table import run

        run()
    except SystemExit as stop:
        stopping.let_go()
        _leave(stop)


def _leave(stop: SystemExit) -> None:
    """Ends the process at once, where nothing is left to wait for or to report.

    Taking the interpreter down costs 5 to 13 ms, more than a search in a small wiki.
    """
    import threading

    if threading.active_count() > 1 or not isinstance(stop.code, int):
        raise stop
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        raise stop from None
    os._exit(stop.code)
