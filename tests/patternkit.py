"""Every pattern of the package, and how each is used: found in values and in the source text."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import llmwiki
from llmwiki.core.quick_to_load import LazyPattern

USES = ("fullmatch", "match", "search", "finditer")
"""How a pattern is driven; `sub`, `split` and `findall` go over a text as `finditer` does."""
_AS = {
    **dict.fromkeys(("sub", "subn", "split", "findall"), "finditer"),
    **{use: use for use in USES},
}
_FLAGS_AT = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
_Origin = tuple[str, str]
"""Module and name of a global; the name is empty for a module itself."""


@dataclass
class Found:
    """One pattern and where it stands."""

    pattern: str | bytes
    flags: int
    places: list[str] = field(default_factory=list)
    uses: set[str] = field(default_factory=set)


class Discovery:
    """All patterns of the package.

    `made` gives, by function, values of the local names that its patterns are made from; a
    function with such a pattern that it does not name stands in `unknown`. `driven` says how
    those are used that a function hands out, by function and by what it compiles as it is
    written; where it does not say, in every way.
    """

    def __init__(
        self,
        made: Mapping[str, Sequence[Mapping[str, object]]],
        driven: Mapping[tuple[str, str], Sequence[str]],
    ) -> None:
        self.found: dict[tuple[str | bytes, int], Found] = {}
        self.unknown: set[str] = set()
        self._made = made
        self._driven = driven
        modules = _modules()
        sources = [_Source(module) for module in modules]
        used: dict[_Origin, set[str]] = {}
        for source in sources:
            source.gather(used)
        for source in sources:
            self._values(source, used)
            for scope, call in source.calls:
                self._call(source.module, scope, call)

    def _add(self, pattern: re.Pattern[Any], place: str, uses: Sequence[str]) -> None:
        key = (pattern.pattern, pattern.flags)
        found = self.found.setdefault(key, Found(*key))
        if place not in found.places:
            found.places.append(place)
        found.uses.update(uses)

    def _values(self, source: _Source, used: Mapping[_Origin, set[str]]) -> None:
        module = source.module
        seen: set[int] = set()
        for name, value in sorted(vars(module).items()):
            if name in source.origin:
                continue  # Found where it comes from.
            uses = used.get((module.__name__, name), set())
            for pattern in _patterns_in(value, module.__name__, seen):
                # What is handed on, or held by a thing with a name of its own, may go anywhere.
                sure = uses and "?" not in uses
                self._add(pattern, f"{module.__name__}.{name}", sorted(uses) if sure else USES)

    def _call(self, module: ModuleType, scope: str, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        use = call.func.attr
        if use == "compile" and not scope:
            return  # A value of the module, found there.
        place = f"{module.__name__}.{scope}" if scope else module.__name__
        written = ast.unparse(call.args[0])
        uses = (_AS[use],) if use in _AS else self._driven.get((place, written), USES)
        for names in self._made.get(place, [{}]):
            try:
                pattern = _evaluated(call, use, {**vars(module), **names})
            except NameError:
                self.unknown.add(place)
            else:
                self._add(pattern, f"{place}:{call.lineno}", uses)


def _modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(llmwiki.__path__, "llmwiki.")]
    own = sorted(name for name in names if not name.endswith("__main__"))
    return [llmwiki, *map(importlib.import_module, own)]


def _patterns_in(
    value: object, owner: str, seen: set[int], depth: int = 0
) -> Iterator[re.Pattern[Any]]:
    """The patterns of a value: it is one, or has them in tables, attributes, closures."""
    if isinstance(value, LazyPattern):
        value = re.compile(value.pattern, value.flags)
    if isinstance(value, re.Pattern):
        yield value
        return
    if depth > 6 or id(value) in seen or isinstance(value, str | bytes | int | float | ModuleType):
        return
    held: list[object] = []
    if isinstance(value, Mapping):
        held = [*value, *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        held = list(value)
    elif isinstance(value, type):
        held = list(vars(value).values()) if value.__module__ == owner else []
    elif callable(value) and hasattr(value, "__defaults__"):
        closed = [cell.cell_contents for cell in (getattr(value, "__closure__", None) or ())]
        held = [*(value.__defaults__ or ()), *closed]
    elif type(value).__module__.startswith("llmwiki"):
        names = [*getattr(type(value), "__slots__", ()), *getattr(value, "__dict__", {})]
        held = [getattr(value, name) for name in names if hasattr(value, name)]
    seen.add(id(value))
    for item in held:
        yield from _patterns_in(item, owner, seen, depth + 1)


def _evaluated(call: ast.Call, use: str, names: dict[str, Any]) -> re.Pattern[Any]:
    at = _FLAGS_AT.get(use, 2)
    parts = [call.args[0], *call.args[at : at + 1]]
    parts += [word.value for word in call.keywords if word.arg == "flags"]
    source, *flags = (eval(compile(ast.Expression(p), "<pattern>", "eval"), names) for p in parts)
    return source if isinstance(source, re.Pattern) else re.compile(source, sum(map(int, flags)))


class _Source:
    """The text of one module: the calls of `re` in it, and how it uses names."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.calls: list[tuple[str, ast.Call]] = []
        self._nodes: list[ast.AST] = []
        self.origin: dict[str, _Origin] = {}
        text = inspect.getsource(module)
        # Nothing else can name a pattern: it makes one, or takes one from where it is made.
        if re.search(r"^\s*import re$|^from llmwiki|^\s+from llmwiki", text, re.MULTILINE):
            self._walk(ast.parse(text), "")

    def _walk(self, tree: ast.AST, scope: str) -> None:
        for node in ast.iter_child_nodes(tree):
            inner = scope
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                inner = f"{scope}.{node.name}" if scope else node.name
            elif isinstance(node, ast.ImportFrom):
                self._note_import(node)
            elif isinstance(node, ast.Call) and node.args and _is_re(node.func):
                self.calls.append((scope, node))
            if isinstance(node, _NOTED):
                self._nodes.append(node)
            if not isinstance(node, _LEAVES):
                self._walk(node, inner)

    def _note_import(self, node: ast.ImportFrom) -> None:
        if node.module and node.module.startswith("llmwiki"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                origin = (whole, "") if whole in sys.modules else (node.module, alias.name)
                self.origin[alias.asname or alias.name] = origin

    def gather(self, used: dict[_Origin, set[str]]) -> None:
        """Note how each global name is used; `?` where it is handed on."""
        settled: set[int] = set()
        for node in self._nodes:
            for part, uses in self._driven(node):
                settled.add(id(part))
                if name := self._name_of(part):
                    used.setdefault(name, set()).update(uses)
        for node in self._nodes:
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = self._name_of(node)
                if name and id(node) not in settled:
                    used.setdefault(name, set()).add("?")

    def _driven(self, node: ast.AST) -> Iterator[tuple[ast.expr, set[str]]]:
        """Expressions of which this node says how they are used."""
        if isinstance(node, ast.Compare):
            # `pattern in (_ONE, _TWO)` drives none of them.
            yield from ((p, set()) for p in ast.walk(node) if isinstance(p, ast.Name))
        elif isinstance(node, ast.Attribute) and node.attr in {*_AS, "pattern", "flags"}:
            held = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            yield held, {_AS[node.attr]} if node.attr in _AS else set()
        elif isinstance(node, ast.For):
            yield from _looped(node, [(node.target, node.iter)])
        elif isinstance(node, _COMPREHENSIONS):
            yield from _looped(node, [(head.target, head.iter) for head in node.generators])

    def _name_of(self, node: ast.expr) -> _Origin | None:
        if isinstance(node, ast.Name):
            found = self.origin.get(node.id)
            return found if found and found[1] else (self.module.__name__, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = self.origin.get(node.value.id)
            return (found[0], node.attr) if found and not found[1] else None
        return None


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.alias)
_NOTED = (ast.Compare, ast.Attribute, ast.Name, ast.For, *_COMPREHENSIONS)


def _looped(
    loop: ast.AST, heads: list[tuple[ast.expr, ast.expr]]
) -> Iterator[tuple[ast.expr, set[str]]]:
    """What a loop goes over, and how what comes of it is used inside."""
    for target, over in heads:
        ours = {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        parts = list(ast.walk(loop))
        driven = {
            (_root(part), _AS[part.attr])
            for part in parts
            if isinstance(part, ast.Attribute) and part.attr in _AS and _root(part) in ours
        }
        ours = {name for name, _use in driven}
        uses = {use for _name, use in driven}
        handed = any(
            isinstance(given, ast.Name) and given.id in ours
            for part in parts
            if isinstance(part, ast.Call)
            for given in (*part.args, *(word.value for word in part.keywords))
        )
        if uses and not handed:
            named = (p for p in ast.walk(over) if isinstance(p, ast.Name | ast.Attribute))
            yield from ((part, uses) for part in named)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_re(func: ast.expr) -> bool:
    return (
        isinstance(func, ast.Attribute)
        and isinstance(func.value, ast.Name)
        and func.value.id == "re"
        and func.attr in {*_AS, "compile"}
    )
