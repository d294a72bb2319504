"""How a use case reports to its caller while it runs, and the signals that ask a process to end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from llmwiki.core.quick_to_load import NamedTuple


def ignore(*_told: object) -> None:
    """Takes anything and does nothing."""


def _decline(_question: str) -> bool:
    return False


class Callbacks(NamedTuple):
    """Functions that a use case calls while it runs; each may be left out."""

    notice: Callable[[str], None] = ignore
    """Takes a sentence that a person should read, such as: a setting was ignored."""
    step: Callable[[str, int, int], None] = ignore
    """Takes what is being done, how many of it are done, and of how many (0: that is not known);
    often, and from one thread. To be shown while somebody waits, until another is told or an
    empty text."""
    agree: Callable[[str], bool] = _decline
    """Whether to call a model at the user's cost that only the repository's settings name. Takes
    the sentence to be agreed to."""
    landed: Callable[[Any], None] = ignore
    """Takes the `Outcome` of each commit right after the branch has moved, when its files are still
    pending, and again once the work tree has them."""


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those of a person, of a supervisor, and of a terminal that was closed."""
IMPATIENCE = 1.0
"""Seconds after which a signal that comes again is meant: timeout(1) sends one to the process and
one to its group, and a shell may do the same."""
