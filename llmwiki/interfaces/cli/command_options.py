"""Options that several commands have, and how they become the options of a use case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from llmwiki.core import declared_options
from llmwiki.core.declared_options import DeclaredOption, declared, refusal
from llmwiki.core.settings_table import Range
from llmwiki.interfaces.cli.command_context import JSON

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

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
    names = [each.name for each in dataclass_fields(kind) if each.name in given]  # type: ignore[arg-type]
    return kind(**{name: given.pop(name) for name in names}, **more)


class RuledOption(click.Option):
    """An option that names those it goes with; click refuses it beside others."""

    def __init__(
        self, *names: Any, needs: Sequence[str] = (), excludes: Sequence[str] = (), **shown: Any
    ) -> None:
        super().__init__(*names, **shown)
        self.needs, self.excludes = needs, excludes

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Raises UsageError where one is given that excludes it, or none that it needs."""
        if self.name in opts and not ctx.resilient_parsing:
            given = {
                flag
                for each in ctx.command.params
                if _is_given(opts.get(each.name or ""))
                for flag in _flags(each)
            }
            refused = refusal(self.opts[-1], given, self.needs, self.excludes)
            if refused:
                raise click.UsageError(f"{refused}.", ctx)
        return super().handle_parse_result(ctx, opts, args)


def _is_given(value: Any) -> bool:
    """Whether the line holds it: click has a mark of its own for an argument that is not there."""
    return isinstance(value, (bool, str, list, tuple)) and bool(value)


def _flags(param: click.Parameter) -> Sequence[str]:
    """The names of an option; the name in capitals that the help has for an argument."""
    if isinstance(param, click.Argument):
        return (param.human_readable_name.strip("[]….").upper(),)
    return (*param.opts, *param.secondary_opts)


option = partial(click.option, cls=RuledOption)


class _Number(click.FloatRange):
    """A number within a range. `nan` would compare as within any."""

    def __init__(self, limits: Range) -> None:
        self.name = "usd"
        super().__init__(min=limits.floor, max=None if limits.cap == math.inf else limits.cap)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Fails for what is no number, or beyond the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"`{value}` is no number.", param, ctx)
        return number


def options(kind: type[Any], *names: str, **behind: Option[Any]) -> Option[Any]:
    """The options that the fields of the dataclass `kind` declare, in their order; of `names`, only
    those. Behind the field of a name in `behind` stands what it leads to."""
    found = []
    for each in dataclass_fields(kind):
        shown = declared(each)
        if shown is not None and (not names or each.name in names):
            found.append(_of(each.name, each.default, str(each.type), shown))
        if each.name in behind:
            found.append(behind[each.name])
    return together(*found)


def of_field(name: str, field: Any) -> Option[Any]:
    """The option that a field declares which no dataclass has."""
    shown = declared(field)
    assert shown is not None
    return _of(name, field.default, "", shown)


def _of(name: str, default: Any, annotation: str, shown: DeclaredOption) -> Option[Any]:
    more: dict[str, Any] = {"help": shown.help, "needs": shown.needs, "excludes": shown.excludes}
    if shown.shows_default:
        more["show_default"] = True
    if isinstance(default, bool):
        more |= {"flag_value": False, "default": True} if default else {"is_flag": True}
    elif isinstance(default, tuple):
        more["multiple"] = True
    else:
        more["default"] = default
    if shown.choices:
        more["type"] = click.Choice(shown.choices)
    elif shown.range is not None:
        whole = isinstance(default, int) or annotation.startswith("int")
        floor, cap = shown.range
        top = None if cap == math.inf else int(cap)
        more["type"] = click.IntRange(int(floor), top) if whole else _Number(shown.range)
    if shown.metavar is not None:
        more["metavar"] = shown.metavar
    return option(*(shown.names or (shown.flag(name),)), name, **more)


def files_here(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Has a shell offer files for an argument."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


YES = click.option(
    "--yes", is_flag=True, help="Call the model that .llmwiki.toml names, without asking."
)
QUIET = click.option("-q", "--quiet", is_flag=True, help="Say only what failed.")
"""Of the commands that say a line a source."""


def as_json(meaning: str) -> Option[Any]:
    """The option `--json`, which `context.wants_json` tells of."""

    def note(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        ctx.meta[JSON] = value

    return click.option("--json", is_flag=True, expose_value=False, callback=note, help=meaning)


AS_JSON = as_json("Print the result as JSON.")
AT = of_field("at", declared_options.at())
AS_OF = of_field("as_of", declared_options.as_of())
ALLOW_DETACHED = of_field("allow_detached", declared_options.allow_detached())
ALLOW_SECRET = of_field("allow_secret", declared_options.allow_secret())


def max_cost(*meaning: str, **shown: Any) -> Option[Any]:
    """The option `--max-cost` of a command that may call a model."""
    return of_field("max_cost", declared_options.max_cost(*meaning, **shown))
