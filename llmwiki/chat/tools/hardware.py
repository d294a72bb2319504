"""What the tools for buses have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llmwiki.core.errors import InputError, StateError


def action_of(given: Mapping[str, Any], actions: Sequence[str], asks: str, confirm: str) -> str:
    """The action of a call; `asks` is the one that needs `confirm: true`. Raises InputError."""
    action = given.get("action")
    if not isinstance(action, str) or not action:
        raise InputError("action is required")
    if action not in actions:
        raise InputError(f"unknown action: {action} (valid: {', '.join(actions)})")
    if action == asks and given.get("confirm") is not True:
        raise InputError(confirm)
    return action


def devices_like(pattern: str) -> tuple[str, ...]:
    """The device files `/dev/PATTERN`, sorted."""
    return tuple(sorted(path.as_posix() for path in Path("/dev").glob(pattern)))


def whole(value: object) -> int | None:
    """A whole number; None for anything else, also for `true`."""
    return value if type(value) is int else None


def bytes_of(value: object, action: str, most: int, too_long: str) -> list[int]:
    """A list of byte values. Raises InputError."""
    if not isinstance(value, list) or not value:
        raise InputError(f"data is required for {action} (array of byte values 0-255)")
    if len(value) > most:
        raise InputError(too_long)
    for place, each in enumerate(value):
        number = whole(each)
        if number is None:
            raise InputError(f"data[{place}] is not a valid byte value")
        if not 0 <= number <= 255:
            raise InputError(f"data[{place}] = {number} is out of byte range (0-255)")
    return value


def hexadecimal(data: Sequence[int]) -> list[str]:
    """`0x1c` for each byte."""
    return [f"{byte:#04x}" for byte in data]


def loaded(name: str) -> Any:
    """A module of the extra `hardware`. Raises StateError where it is not installed."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StateError(
            f"{name} is not installed", fix='Install it: pip install "git-llmwiki[hardware]"'
        ) from error
