"""Whether a command's output is coloured: the flag, then the environment, then the terminal."""

from __future__ import annotations

import os
import sys

AUTO, ALWAYS, NEVER = "auto", "always", "never"


def wanted(flag: str) -> bool:
    """`flag` is `auto`, `always` or `never`; for `auto` NO_COLOR and FORCE_COLOR count if not empty
    (no-color.org, force-color.org), and else whether a terminal that knows colours is there."""
    if flag != AUTO:
        return flag == ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
