"""A tool that a model may call: one annotated function, and what a call does to the world.

The declaration, the check of what is given and the words of a refusal all come from the function:
its name and docstring, its parameters with their types, defaults and `Annotated` descriptions.
Whoever serves tools, over a protocol or in a conversation, reads the same declarations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from llmwiki.core.errors import InputError

Effect = Literal[
    "read",
    "told",
    "write",
    "note",
    "rule",
    "send",
    "sandbox",
    "web",
    "visit",
    "exec",
    "hardware",
]
"""`read`: nothing leaves and nothing changes. `told`: a note that rests on words that the person
typed. `write`: a commit in the wiki. `note`: one that rests on no such words. `rule`: one of what
later conversations follow, skills among it. `send`: a commit of what a model may be asked for.
`sandbox`: a program is run that can neither send nor change anything. `web`: words go to a search
server, or an address that the person typed is asked; `visit`: any other address is. `exec`: a
program is run that can do both. `hardware`: a bus is written to."""
WRITING: frozenset[Effect] = frozenset(("told", "write", "note", "rule", "send"))
"""Effects that end in a commit."""
LEAVING: frozenset[Effect] = frozenset(("send", "web", "visit", "exec"))
"""Effects that reach beyond the repository and this machine."""

MOST_OUTPUT = 16_000
"""Characters of one answer of a tool in a conversation."""
MOST_INPUT = 2_000_000
"""Characters of the input of one call."""

_SAME: tuple[frozenset[str], ...] = (
    frozenset(("words", "query", "question", "q", "keywords", "search", "what")),
    frozenset(("name", "page", "title", "path", "file", "file_path")),
    frozenset(("text", "content", "message", "body")),
    frozenset(("old", "old_text", "old_string")),
    frozenset(("new", "new_text", "new_string")),
    frozenset(("limit", "max_results", "count", "top_k", "k", "n")),
    frozenset(("url", "address", "link", "uri")),
)
"""Names under which models give one thing."""
_TYPES: Mapping[type, str] = {str: "string", int: "integer", bool: "boolean"}
_OF_TYPE: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}


Declared = tuple[Mapping[str, Mapping[str, Any]], tuple[str, ...]]
"""Parameters by name, and the names of those that are required."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call gave."""

    text: str
    brief: str = ""
    """One line for the person."""
    commit: str = ""
    """That it made."""
    is_error: bool = False
    is_fenced: bool = False
    """Whether `text` is fenced: what is data in it was redacted before."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` and what stands beside it are called with the caller, then the parameters by
    name; they raise WikiError for what cannot be done."""

    name: str
    run: Callable[..., ToolAnswer]
    declares: Callable[[], Declared]
    """Its parameters; asked when they are needed, for they are read from a function."""
    description: str
    title: str = ""
    effect: Effect = "read"
    serves: tuple[Literal["mcp", "chat"], ...] = ("mcp", "chat")
    """Whom it is offered: hosts of the protocol, conversations."""
    origin: str = "tool"
    """Of what it gives, as a transcript names the origin of a block."""
    preview: Callable[..., str] | None = None
    """What a person is shown before they are asked; None: the input. Raises WikiError for what
    cannot be done, so that nobody is asked about it."""
    effect_of: Callable[..., Effect] | None = None
    """The effect of a checked input, where it depends on that."""
    check: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """Checks the input in place of the schema; raises InputError."""
    undeclared: frozenset[str] = frozenset()
    """Parameters that are taken, and not told of."""
    most: int = MOST_OUTPUT
    """Characters of one answer in a conversation."""

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """By name: JSON schemas of type string, integer, boolean or array."""
        return self.declares()[0]

    @property
    def required(self) -> tuple[str, ...]:
        """The parameters that a call must give."""
        return self.declares()[1]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its input."""
        return {
            "type": "object",
            "properties": {
                name: dict(each)
                for name, each in self.parameters.items()
                if name not in self.undeclared
            },
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def writes(self) -> bool:
        """Whether a call may end in a commit."""
        return self.effect in WRITING

    def with_usual(self, **given: Any) -> Tool:
        """The same tool with other defaults for those parameters that it has, which are taken but
        not declared."""
        usual = {name: value for name, value in given.items() if name in self.parameters}
        return replace(self, run=partial(self.run, **usual), undeclared=frozenset(usual))

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What is given to a call, as its parameters want it.

        What is clear is forgiven: a number or a truth value as text, one word for a list, and
        another usual name of a parameter that is not given. Raises InputError, in words for a
        model.
        """
        if self.check is not None:
            return self.check(given)
        taken = self._named(given)
        missing = [name for name in self.required if name not in taken]
        if missing:
            raise InputError(f"{missing[0]} is required")
        if len(json.dumps(taken, ensure_ascii=False)) > MOST_INPUT:
            raise InputError(f"the input of {self.name} has more than {MOST_INPUT:,} characters")
        return {name: _value(name, each, self.parameters[name]) for name, each in taken.items()}

    def _named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What is given, by the names that this tool has for it."""
        taken = {name: each for name, each in given.items() if name in self.parameters}
        for name in sorted(set(given) - set(taken)):
            group = next((each for each in _SAME if name in each), frozenset())
            meant = [each for each in self.parameters if each in group and each not in taken]
            if len(meant) != 1:
                there = [each for each in self.parameters if each not in self.undeclared]
                raise InputError(
                    f"{self.name} has no parameter {name!r}", fix=f"It has: {', '.join(there)}."
                )
            taken[meant[0]] = given[name]
        return taken


def _value(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """A value as its schema wants it. Raises InputError."""
    wanted = schema["type"]
    if isinstance(value, str):
        plain = value.strip().casefold()
        if wanted == "integer" and plain.removeprefix("-").isdecimal() and len(plain) < 10:
            value = int(plain)
        elif wanted == "boolean" and plain in ("true", "false"):
            value = plain == "true"
        elif wanted == "array" and plain:
            value = [value]
    is_odd_bool = isinstance(value, bool) and wanted != "boolean"
    if not isinstance(value, _OF_TYPE[wanted]) or is_odd_bool:
        raise InputError(f"{name} must be of type {wanted}")
    if isinstance(value, int):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            raise InputError(f"{name} must be from {low} to {high}")
    if "enum" in schema and value not in schema["enum"]:
        raise InputError(f"{name} must be one of: {', '.join(schema['enum'])}")
    if isinstance(value, list):
        return [_value(name, each, schema["items"]) for each in value]
    return value


def tool(
    name: str,
    title: str = "",
    effect: Effect = "read",
    *,
    about: str = "",
    needs: Collection[str] | None = None,
    **more: Any,
) -> Callable[[Callable[..., ToolAnswer]], Tool]:
    """Makes a `Tool` of a function whose first parameter is the caller.

    `about` is the description where it is not the docstring; `needs` names what is required where
    it is not what has no default. `more` are fields of `Tool`.
    """

    def made(run: Callable[..., ToolAnswer]) -> Tool:
        told = about or " ".join((run.__doc__ or "").split())
        declares = cache(partial(_declared, run, needs))
        return Tool(name, run, declares, told, title, effect, **more)

    return made


def _declared(run: Callable[..., Any], needs: Collection[str] | None) -> Declared:
    """The parameters of a function as JSON schemas, and those that `needs` names, or that have no
    default."""
    import inspect

    hints = get_type_hints(run, include_extras=True)
    _caller, *taken = inspect.signature(run).parameters.values()
    parameters: dict[str, dict[str, Any]] = {}
    for each in taken:
        parameters[each.name] = _node(hints[each.name])
        # What is empty is what nobody gave.
        if each.default is not each.empty and each.default not in (None, "", 0, False, ()):
            parameters[each.name]["default"] = each.default
    plain = tuple(each.name for each in taken if each.default is each.empty)
    return parameters, plain if needs is None else tuple(needs)


def _node(hint: Any) -> dict[str, Any]:
    """The JSON schema of a type; `Annotated` adds a description or further facts to one."""
    if get_origin(hint) is Annotated:
        plain, *told = get_args(hint)
        node = _node(plain)
        for each in told:
            node |= {"description": each} if isinstance(each, str) else each
        return node
    if get_origin(hint) is Literal:
        return {"type": "string", "enum": list(get_args(hint))}
    if get_origin(hint) is UnionType:
        return _node(get_args(hint)[0])
    if get_origin(hint) in (list, tuple):
        return {"type": "array", "items": _node(get_args(hint)[0])}
    return {"type": _TYPES[hint]}
