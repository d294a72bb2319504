"""A function of an open wiki as a method of an object that opens one, loaded when it is called."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from llmwiki.landing.open_wiki import OpenWiki

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Function = Callable[Concatenate[OpenWiki, _P], _R]


def load() -> None:
    """Imports what a search or a question needs: the first takes half as long then. Reads no
    wiki."""
    for name in (
        "llmwiki.index.open_index",
        "llmwiki.query.passages_for_prompt",
        "llmwiki.query.search",
    ):
        importlib.import_module(name)


class Opener(Protocol):
    """What opens a wiki for one call."""

    def opened(self, *, reads_only: bool, of_git: bool = False) -> AbstractContextManager[OpenWiki]:
        """The wiki, open; `of_git`: git is asked of, which a folder without it refuses."""


class Later:
    """A function by the names of its package, its module and its own: loaded when it is needed.

    To mypy it is the function itself.
    """

    def __init__(self, path: str) -> None:
        self._place = path

    def __getattr__(self, name: str) -> Later:
        return Later(f"{self._place}.{name}")

    def load(self) -> Any:
        """The function."""
        module, _, name = self._place.rpartition(".")
        return getattr(importlib.import_module(module), name)


class UseCase(Generic[_P, _R]):
    """A method: it opens the wiki, calls the function with it, and closes it."""

    def __init__(
        self, function: _Function[_P, _R], reads: Callable[..., bool], *, of_git: bool = False
    ) -> None:
        """`reads` takes what the method is given, and says whether it only reads."""
        self._function: Any = function
        self._reads, self._of_git = reads, of_git

    @overload
    def __get__(self, opener: None, kind: type) -> Callable[Concatenate[Any, _P], _R]: ...
    @overload
    def __get__(self, opener: Opener, kind: type) -> Callable[_P, _R]: ...
    def __get__(self, opener: Opener | None, kind: type) -> Callable[..., _R]:
        function: Callable[..., _R] = self._function.load()
        if opener is None:
            return function

        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> _R:
            reads_only = self._reads(*given, **named)
            with opener.opened(reads_only=reads_only, of_git=self._of_git) as wiki:
                return function(wiki, *given, **named)

        return call


def reads(function: _Function[_P, _R]) -> UseCase[_P, _R]:
    """A method that only reads."""
    return UseCase(function, lambda *_given, **_named: True)


def asks_git(function: _Function[_P, _R]) -> UseCase[_P, _R]:
    """One that reads what git has recorded."""
    return UseCase(function, lambda *_given, **_named: True, of_git=True)


def writes(
    function: _Function[_P, _R], unless: Callable[..., bool] = lambda *_given, **_named: False
) -> UseCase[_P, _R]:
    """One that writes, `unless` what it is given says otherwise."""
    return UseCase(function, unless)
