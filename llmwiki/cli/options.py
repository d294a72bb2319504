"""Options that several commands have, and how they become the options of a use case."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Words = click.ParamType[str]
else:
    # In older releases of click it takes no arguments.
    _Words = click.ParamType

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Options = TypeVar("_Options")

Option = Callable[[_Function], _Function]
"""What `click.option` gives: it adds an option to a command."""


def together(*options: Option[Any]) -> Option[Any]:
    """Several options as one; in the help they stand in this order."""

    def add(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def filled(kind: type[_Options], given: dict[str, Any], **more: Any) -> _Options:
    """An object of the dataclass `kind`, from the options of a command and `more`.

    Takes those options out of `given` that are named as fields of the class.
    """
    from dataclasses import fields

    names = [each.name for each in fields(kind) if each.name in given]  # type: ignore[arg-type]
    return kind(**{name: given.pop(name) for name in names}, **more)


class _Cost(click.FloatRange):
    """A sum in US dollars. `nan` would compare as no limit at all."""

    name = "usd"

    def __init__(self) -> None:
        from llmwiki.core.options import BY_KEY

        limits = BY_KEY["ingest.max_cost"].range
        assert limits is not None
        super().__init__(min=limits.floor, max=limits.cap)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Fails for what is no number, or beyond the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"`{value}` is no sum of money.", param, ctx)
        return number


def max_cost(meaning: str = "Stop before a call could pass this sum; needs prices.") -> Option[Any]:
    """The option `--max-cost` of a command that may call a model."""
    return click.option("--max-cost", type=_Cost(), metavar="USD", help=meaning)


def budget(size: int, meaning: str) -> Option[Any]:
    """The option `--budget`: how many tokens a context may have, `size` where nobody says."""
    kind = click.IntRange(min=0)
    return click.option(
        "--budget", type=kind, default=size, show_default=True, metavar="TOKENS", help=meaning
    )


class _Page(_Words):
    """A page, which a shell completes by its title."""

    name = "text"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The pages whose title begins so."""
        from click.shell_completion import CompletionItem

        from llmwiki.app.page_titles import page_titles

        given = ctx.find_root().params
        here, root = Path(given["directory"] or "."), given["root"]
        place = None if root is None else here / root
        found = page_titles(here.absolute(), place, incomplete)
        return [CompletionItem(title, help=kind) for title, kind in found]


PAGE = _Page()
"""The type of arguments and options that name a page."""

YES = click.option(
    "--yes", is_flag=True, help="Call the model that .llmwiki.toml names, without asking."
)
QUIET = click.option("-q", "--quiet", is_flag=True, help="Say only what failed.")
"""Of the commands that say a line a source."""
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
AT = click.option("--at", metavar="REV", help="The wiki as it was in this commit.")
AS_OF = click.option(
    "--as-of", metavar="DAY", help="The wiki as that day (UTC) left it: yesterday, 7d, 2026-11-01."
)
FRESH = click.option(
    "--fresh", is_flag=True, help="Look at every file for edits, not at the newest ones only."
)
REVIEW = click.option(
    "--review",
    is_flag=True,
    help="Commit to a branch wiki-review/ID, for `wiki review`.",
)
ALLOW_DETACHED = click.option(
    "--allow-detached", is_flag=True, help="Commit although no branch is checked out."
)
ALLOW_SECRET = click.option(
    "--allow-secret",
    multiple=True,
    metavar="HASH",
    help="Accept a finding of the secret scan; the refusal prints its hash.",
)
