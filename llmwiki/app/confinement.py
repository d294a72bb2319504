"""What confines the processes that read documents."""

from __future__ import annotations

from collections.abc import Sequence


def walls_in_force() -> Sequence[str]:
    """What confines them on this machine, the first the outermost."""
    from llmwiki.sources.sandbox import in_force

    return in_force()
