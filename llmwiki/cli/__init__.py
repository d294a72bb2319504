"""The command line: arguments in, one call, text out. The only printing and the only exit codes."""

from __future__ import annotations


def main() -> None:
    """Entry point of `wiki` and `llmwiki`."""
    from llmwiki.cli.app import run

    run()
