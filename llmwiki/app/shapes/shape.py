"""How a class says what a JSON object holds, and where a value has it.

The annotated names of a `Shape` are the keys, and their types what JSON Schema says of them. `of`
makes the object of a value: each key is its attribute of the same name, but for those that say by
`at` where else it is found.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin
from typing import get_type_hints as types_of

_Finder = Callable[[Any], Any]
_T = TypeVar("_T")
_LACKING, _EMPTY = object(), object()
MayLack = Annotated[_T, _LACKING]
"""A key that is left out where the value has no such attribute; in a `sparse` shape, where that is
empty."""
NullIfEmpty = Annotated[_T | None, _EMPTY]
"""Null in the place of an empty value."""


class _At(NamedTuple):
    find: _Finder


def at(place: str | _Finder) -> Any:
    """Where a value has what a key shows: a path of attributes, or a function of the value."""
    return _At(place if callable(place) else _walk(place))


def _walk(path: str) -> _Finder:
    """What gives the attribute of this path; None as soon as one on the way is."""
    first, *others = path.split(".")

    def find(value: Any) -> Any:
        value = getattr(value, first)
        for name in others:
            value = None if value is None else getattr(value, name)
        return value

    return find


class ShapeKey(NamedTuple):
    """One key of an object."""

    name: str
    kind: Any
    """Its type, without what tells when it lacks."""
    may_lack: bool
    find: _Finder
    show: _Finder


class Shape:
    """A JSON object; a name that Python keeps to itself has an underscore behind it."""

    is_sparse = False

    def __init_subclass__(cls, *, sparse: bool = False) -> None:
        cls.is_sparse = sparse

    @classmethod
    def of(cls, value: object = None, /, **given: Any) -> dict[str, Any]:
        """The object of a value, or of a tuple in the order of the keys; `given` is what the value
        does not tell. A dictionary is such an object already."""
        if isinstance(value, dict):
            return value
        keys = cls.keys()
        if type(value) is tuple:
            given = dict(zip((key.name for key in keys), value, strict=True))
        made = {}
        for key in keys:
            try:
                found = given.pop(key.name) if key.name in given else key.find(value)
            except AttributeError:
                if cls.is_sparse or not key.may_lack:
                    raise
                continue
            if found or not (key.may_lack and cls.is_sparse):
                made[key.name] = key.show(found)
        if given:
            raise TypeError(f"{cls.__name__} has no key {next(iter(given))}")
        return made

    @classmethod
    @functools.cache
    def keys(cls) -> tuple[ShapeKey, ...]:
        """Its keys: those of its bases, and then its own."""
        hints = types_of(cls, include_extras=True)
        return tuple(_key(cls, name, hint) for name, hint in hints.items())


def _key(shape: type[Shape], name: str, hint: Any) -> ShapeKey:
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    show = _shown(kind)
    if _EMPTY in marks:
        show = _or_null(show)
    if get_origin(kind) is Literal and len(get_args(kind)) == 1:
        return ShapeKey(name, kind, False, lambda _: get_args(kind)[0], show)
    held = getattr(shape, name, _LACKING)
    if isinstance(held, _At):
        find = held.find
    elif held is not _LACKING:
        find = lambda _: held  # noqa: E731
    else:
        find = _walk(name)
    return ShapeKey(name.rstrip("_"), kind, _LACKING in marks, find, show)


def _or_null(show: _Finder) -> _Finder:
    return lambda found: show(found) if found else None


def _shown(kind: Any) -> _Finder:
    """What makes JSON of a value of a type."""
    parts = get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Shape):
        return kind.of
    if get_origin(kind) is list:
        each = _shown(parts[0])
        return lambda found: [each(one) for one in found]
    if get_origin(kind) is dict:
        return dict
    if NoneType in parts:
        some = _shown(parts[0])
        return lambda found: None if found is None else some(found)
    return lambda found: found


def _of_outcome(name: str) -> Any:
    """From the outcome that a value holds, or is; empty where there is none."""
    return at(lambda done: getattr(getattr(done, "outcome", done), name, ()))


def changed_paths(done: Any) -> list[str]:
    """The pages that an operation writes, or would."""
    return [each.path for each in getattr(done, "outcome", done).differences]


class LandedJson(Shape):
    """What became of an operation."""

    id: NullIfEmpty[str] = _of_outcome("id")
    """Of the operation; null: there was nothing to change."""
    commit: NullIfEmpty[str] = _of_outcome("commit")
    pending: list[str] = _of_outcome("pending")
    """Paths committed but not yet in the work tree."""
    kept: list[str] = _of_outcome("kept")
    """Paths that somebody changed meanwhile: the work tree has their bytes."""
