"""What the tools for buses have in common."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llmwiki.chat.tools.registry import ToolContext
from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.tool import Effect, Tool, ToolAnswer


@dataclass(frozen=True, slots=True)
class BusKind:
    """A kind of bus, and how its tool treats a call."""

    name: str
    """Of the tool; the user's setting `chat.NAME` lists what it may reach."""
    description: str
    actions: tuple[str, ...]
    """The first one lists what the machine has, and opens nothing."""
    writes: str
    """The action that changes a device: a person is asked each time."""
    parameters: Mapping[str, str]
    """Name to type, beside the parameters that every bus has."""
    place: str
    """How the paths of its device files begin, behind /dev/."""
    key: str
    """What a device file is called in the list of them."""
    found: str
    """What there are so many of, as in `2 I2C bus(es)`."""
    nothing: str
    """Said where the machine has none."""
    module: str
    """Of the extra `hardware`."""
    check: Callable[[Mapping[str, Any]], dict[str, Any]]
    """The input of a call, checked. Raises InputError."""
    wanted: Callable[[Mapping[str, Any]], str]
    """What a call reaches, as the user's setting names it."""
    act: Callable[[Any, Mapping[str, Any]], ToolAnswer]
    """Makes a call, with the module. Raises StateError."""

    @property
    def only_linux(self) -> str:
        """Said on other systems."""
        needs = f"This tool requires /dev/{self.place}* device files."
        return f"{self.name.upper()} is only supported on Linux. {needs}"


def bus_tool(
    kind: BusKind,
    allowed: Collection[str],
    load: Callable[[], Any] | None = None,
    find: Callable[[], Sequence[str]] | None = None,
    system: str = sys.platform,
) -> Tool:
    """The tool for a kind of bus.

    `allowed` is what the user's settings name; `load` gives the module, `find` the device files.
    """
    module = load or (lambda: _loaded(kind.module))
    files = find or (lambda: _devices_like(f"{kind.place}*"))

    def run(_by: ToolContext, **given: Any) -> ToolAnswer:
        found = reached(given)
        return kind.act(found, given) if found else _listed(kind, files())

    def preview(_by: ToolContext, **given: Any) -> str:
        reached(given)
        return json.dumps(given, ensure_ascii=False, indent=2)

    def reached(given: Mapping[str, Any]) -> Any:
        """The module by which a device is reached; None for the list of what there is."""
        if not system.startswith("linux"):
            raise StateError(kind.only_linux)
        if given["action"] == kind.actions[0]:
            return None
        wanted = kind.wanted(given)
        if wanted not in allowed:
            raise PolicyError(
                f"the user's settings do not name {wanted}",
                fix=f"chat.{kind.name} in the user's own configuration lists what may be reached.",
            )
        return module()

    types: Mapping[str, dict[str, Any]] = {
        "action": {"type": "string", "enum": list(kind.actions)},
        **{name: {"type": type_} for name, type_ in kind.parameters.items()},
        "data": {"type": "array", "items": {"type": "integer"}},
        "length": {"type": "integer"},
        "confirm": {"type": "boolean"},
    }

    def effect(_by: ToolContext, action: str, **_given: Any) -> Effect:
        return "hardware" if action == kind.writes else "read"

    return Tool(
        kind.name,
        run,
        lambda: (types, ("action",)),
        kind.description,
        check=kind.check,
        preview=preview,
        effect_of=effect,
    )


@contextmanager
def failing_as(what: str, hint: str = "") -> Iterator[None]:
    """While it lasts, what the system refuses is raised as a StateError that says `what`."""
    try:
        yield
    except OSError as error:
        raise StateError(f"{what}: {error}{hint}") from error


def _listed(kind: BusKind, paths: Sequence[str]) -> ToolAnswer:
    rows = [{"path": path, kind.key: path.removeprefix(f"/dev/{kind.place}")} for path in paths]
    if not rows:
        return ToolAnswer(kind.nothing, "nothing found")
    said = f"Found {len(rows)} {kind.found}"
    return ToolAnswer(f"{said}:\n{json.dumps(rows, indent=2)}", said)


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


def _devices_like(pattern: str) -> tuple[str, ...]:
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


def _loaded(name: str) -> Any:
    """A module of the extra `hardware`. Raises StateError where it is not installed."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StateError(
            f"{name} is not installed", fix='Install it: pip install "git-llmwiki[hardware]"'
        ) from error
