"""The options of a use case, declared once: what `--help` says, what a call takes, what is refused.

A field of a dataclass says its default, its meaning, its range and with which others it goes, or
the setting that counts where it is not given, whose range it has then. The command makes its option
from it (`command_options.options`), and whoever makes the object, the library too, is refused what
the command would refuse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import Field, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.core.settings_table import BY_KEY, Range

if TYPE_CHECKING:
    from llmwiki.core.settings_precedence import Config

_KEY = "declared"


class DeclaredOption(NamedTuple):
    """How one option is shown, and what it takes."""

    help: str
    """One sentence, as `--help` prints it."""
    names: tuple[str, ...] = ()
    """As they are typed; none: `--` and the field's name."""
    metavar: str | None = None
    range: Range | None = None
    """The numbers it takes."""
    choices: tuple[str, ...] = ()
    """The words it takes; none: any."""
    needs: tuple[str, ...] = ()
    """Options one of which has to be given with it."""
    excludes: tuple[str, ...] = ()
    """Options that may not be given with it."""
    shows_default: bool = False
    setting: str = ""
    """The key of the setting that counts where it is not given."""

    def flag(self, name: str) -> str:
        """The option of the field `name` as it is named in messages."""
        return self.names[-1] if self.names else "--" + name.replace("_", "-")


def opt(default: Any, help: str, *, setting: str = "", **shown: Any) -> Any:
    """A field of a dataclass of options; `shown` are fields of `DeclaredOption`. With a `setting`
    it has its range, and `or_setting` gives its value."""
    if setting:
        shown |= {"setting": setting, "range": BY_KEY[setting].range}
    return field(default=default, metadata={_KEY: DeclaredOption(help, **shown)})


def declared(each: Field[Any]) -> DeclaredOption | None:
    """How a field is shown; None for one that only the library sets."""
    found: DeclaredOption | None = each.metadata.get(_KEY)
    return found


class CheckedOptions:
    """A dataclass of options. Raises InputError where it is made with what it does not take."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Looks at each value that was given."""
        given: dict[str, DeclaredOption] = {}
        for each in fields(self):  # type: ignore[arg-type]
            shown, value = declared(each), getattr(self, each.name)
            if shown is not None and value is not None and value != each.default:
                given[shown.flag(each.name)] = shown
                _check(shown, shown.flag(each.name), value)
        ours = {
            shown.flag(each.name)
            for each in fields(self)  # type: ignore[arg-type]
            if (shown := declared(each)) is not None
        }
        for flag, shown in given.items():
            needs = shown.needs if ours.issuperset(shown.needs) else ()
            refused = refusal(flag, given, needs, shown.excludes)
            if refused:
                raise InputError(refused)

    def or_setting(self, name: str, config: Config) -> Any:
        """The value of the field `name`; where it was not given, that of its setting."""
        found = next(each for each in fields(self) if each.name == name)  # type: ignore[arg-type]
        shown, value = declared(found), getattr(self, name)
        assert shown is not None and shown.setting
        return value if value != found.default else config.settings[shown.setting].value


def refusal(flag: str, given: Any, needs: Sequence[str], excludes: Sequence[str]) -> str:
    """Why `flag` does not go with what else is `given`; empty: it does."""
    if needs and not any(each in given for each in needs):
        return f"{flag} goes with {' or '.join(needs)}"
    for other in excludes:
        if other in given:
            return f"{flag} and {other} exclude each other"
    return ""


def _check(shown: DeclaredOption, flag: str, value: Any) -> None:
    if shown.range is not None and (value not in shown.range or math.isnan(value)):
        raise InputError(f"{flag} is {shown.range}", where=str(value))
    if shown.choices:
        for word in (value,) if isinstance(value, str) else value:
            if word not in shown.choices:
                raise InputError(f"{flag} is one of {', '.join(shown.choices)}", where=str(word))


# --- options that several use cases have -------------------------------------------------


def allow_detached(help: str = "Commit although no branch is checked out.", **shown: Any) -> Any:
    """Whether a commit may land although no branch is checked out."""
    return opt(False, help, **shown)


def allow_secret() -> Any:
    """Hashes of findings of the secret scan that are accepted."""
    return opt(
        (), "Accept a finding of the secret scan; the refusal prints its hash.", metavar="HASH"
    )


def review(**shown: Any) -> Any:
    """Whether all lands on a new branch `wiki-review/ID`, which waits for review."""
    return opt(False, "Commit to a branch wiki-review/ID, for `wiki review`.", **shown)


def max_cost(
    help: str = "Stop before a call could pass this sum; needs prices.", **shown: Any
) -> Any:
    """US dollars; no call is made that could pass them. None: as the settings say."""
    return opt(None, help, metavar="USD", **{"setting": "ingest.max_cost", **shown})


def at(help: str = "The wiki as it was in this commit.", **shown: Any) -> Any:
    """The commit to look at; None: the wiki as it is."""
    return opt(None, help, metavar="REV", **shown)


def as_of() -> Any:
    """The last day (UTC) that counts; None: all."""
    return opt(
        None,
        "The wiki as that day (UTC) left it: yesterday, 7d, 2026-11-01.",
        metavar="DAY",
    )
