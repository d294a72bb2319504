"""The libraries that only reading pictures needs."""

from __future__ import annotations

from llmwiki.core.errors import InputError


def missing() -> InputError:
    """The refusal of a picture where Pillow or pypdfium2 is not installed."""
    return InputError(
        "reading pictures needs Pillow and pypdfium2, which are not installed",
        fix="Install them: pip install 'git-llmwiki[documents]'",
    )
