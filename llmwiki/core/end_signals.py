"""The signals that ask a process to end."""

from __future__ import annotations

import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those of a person, of a supervisor, and of a terminal that was closed."""
IMPATIENCE = 1.0
"""Seconds after which a signal that comes again is meant: timeout(1) sends one to the process and
one to its group, and a shell may do the same."""
