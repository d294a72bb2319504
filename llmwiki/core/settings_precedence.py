"""Settings, where each may come from, and which of several values counts.

Order: flag > environment (`LLMWIKI_…`) > the repository's .llmwiki.toml > the user's own file >
default. What touches security or money never comes from a repository, or only within a range: a
clone must not be able to redirect a key, to raise a limit or to multiply a cost. `settings_table`
holds the table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from llmwiki.core.errors import InputError, StateError
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.settings_table import (
    BY_KEY,
    FORMAT,
    MAX_WORDS,
    OPTIONS,
    PRIVATE,
    Option,
    Range,
    Value,
)
from llmwiki.core.text import cut, nearest

MAX_DEPTH = 8
"""Tables within tables of a settings file; the table of prices, the deepest, has three."""
OFFLINE = "offline"
"""The model that is none: the reader without a model, which costs nothing."""
_HUGE = 10**18
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_TOLD = 10
"""Lines that were ignored, named one by one."""
_SHOWN = 60
"""Characters of a key or value in a message."""
_NAMES = {str: "words", int: "a whole number", float: "a number", bool: "true or false"}


class Setting(NamedTuple):
    """The value in force and where it came from."""

    option: Option
    value: Value
    origin: str
    """`default`, `environment`, or the path of a file."""
    is_users: bool = True
    """Whether it is the user's own or the default, and not the repository's."""


class Config(NamedTuple):
    """All settings in force, and what was ignored."""

    settings: Mapping[str, Setting]
    ignored: tuple[str, ...] = ()
    """Sentences: a key that the repository may not set, or that does not exist."""

    def text(self, key: str) -> str:
        """A setting of words."""
        return str(self.settings[key].value)

    def flag(self, key: str) -> bool:
        """A setting that is true or false."""
        return bool(self.settings[key].value)

    def number(self, key: str) -> float:
        """A setting that is a number."""
        return float(self.settings[key].value)

    def whole(self, key: str) -> int:
        """A setting that is a whole number."""
        return int(self.settings[key].value)


def merge(
    environment: Mapping[str, str],
    repository: tuple[str, Mapping[str, object]],
    user: tuple[str, Mapping[str, object]],
) -> Config:
    """The settings in force; files are given as (origin, their parsed TOML).

    A number beyond its range is refused where the user set it. Where the repository did, the
    nearest that it may name counts, and `ignored` says so: what somebody cloned must not keep
    them from reading it. A model that the repository names gives way to one of the user's file.

    Raises InputError for a value of the wrong type or beyond its range, naming where it stands,
    and StateError for a `format` that is not this version's.
    """
    ignored: list[str] = []
    settings = {o.key: Setting(o, o.default, "default") for o in OPTIONS}
    _take_users(*user, settings, ignored)
    _take_repositorys(*repository, settings, ignored)
    for option in OPTIONS:
        held = environment.get(option.variable)
        if held:
            value = _typed(option, _from_text(option, held), option.variable)
            settings[option.key] = Setting(option, value, "environment")
    known = settings["format"]
    number = int(known.value)
    if number != FORMAT:
        made = "an unpublished" if number < FORMAT else "a later"
        raise StateError(
            f"this wiki has format {_short(known.value)}, made by {made} version;"
            f" this version reads format {FORMAT}",
            where=known.origin,
            fix="Use the version of llmwiki that made it.",
        )
    if len(ignored) > _TOLD:
        ignored[_TOLD:] = [f"{len(ignored) - _TOLD} more settings do not count"]
    return Config(settings, tuple(ignored))


def _take_users(
    origin: str, table: Mapping[str, object], settings: dict[str, Setting], ignored: list[str]
) -> None:
    for key, raw in _flat(table):
        option = BY_KEY.get(key)
        if option is not None:
            settings[key] = Setting(option, _typed(option, raw, origin), origin)
        elif not _is_private(key):
            ignored.append(_unknown(origin, key))


def _take_repositorys(
    origin: str, table: Mapping[str, object], settings: dict[str, Setting], ignored: list[str]
) -> None:
    for key, raw in _flat(table):
        option = BY_KEY.get(key)
        if option is None:
            ignored.append(_unknown(origin, key))
        elif not option.from_repository:
            ignored.append(f"{origin}: {key} is not taken from a repository")
        else:
            settings[key] = _of_repository(option, raw, origin, settings[key], ignored)


def _unknown(origin: str, key: str) -> str:
    near = nearest(key[:_SHOWN], BY_KEY)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{origin}: there is no setting {_short(key)}{hint}"


def _of_repository(
    option: Option, raw: object, origin: str, users: Setting, ignored: list[str]
) -> Setting:
    """What comes of a setting that the repository names; `users` is what counts without it."""
    allowed = option.of_repository or option.range
    value = _of_type(option, raw, origin)
    if option.key == "model.id" and value != OFFLINE and users.value:
        ignored.append(
            f"{origin}: model.id {_short(value)} does not count: {users.origin} names"
            f" {_short(users.value)}"
        )
        return users
    if allowed is None or isinstance(value, str) or value in allowed:
        return Setting(option, value, origin, is_users=False)
    if value <= 0:
        raise _beyond(option, value, allowed, origin)
    nearest = type(value)(allowed.nearest(value))
    ignored.append(
        f"{origin}: {option.key} is {_short(value)}; {nearest} counts, for a repository may say"
        f" {allowed}"
    )
    return Setting(option, nearest, origin, is_users=False)


def _flat(table: Mapping[str, object]) -> list[tuple[str, object]]:
    """The values of a table and of the tables in it, with dotted keys, in order.

    What lies deeper than any setting is given as it is, under the key of its table.
    """
    rows: list[tuple[str, object]] = []
    waiting: list[tuple[str, object, int]] = [("", table, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            below = [(f"{key}.{name}" if key else name, each) for name, each in value.items()]
            waiting += [(name, each, depth + 1) for name, each in reversed(below)]
        else:
            rows.append((key, value))
    return rows


def _is_private(key: str) -> bool:
    return any(key == name or key.startswith(f"{name}.") for name in PRIVATE)


def setting_from_text(key: str, text: str) -> Value:
    """The value that a person means by `text`. Raises InputError for no such setting, and for what
    it does not take."""
    option = BY_KEY.get(key)
    if option is None or key == "format":
        near = nearest(key, BY_KEY)
        hint = f"Did you mean {near[0]}?" if near else "`wiki config` lists all."
        raise InputError("there is no such setting", where=key[:_SHOWN], fix=hint)
    if any(unicodedata.category(each) in ("Cc", "Zl", "Zp") for each in text):
        raise InputError(f"{key} takes no control characters and no line ends", where=_short(text))
    if isinstance(option.default, bool) and text.lower() not in _TRUE | _FALSE:
        raise InputError(f"{key} must be true or false", where=_short(text))
    return _typed(option, _from_text(option, text), _short(text))


def _from_text(option: Option, text: str) -> object:
    kind = type(option.default)
    if kind is bool:
        return text.lower() in _TRUE
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _typed(option: Option, raw: object, origin: str) -> Value:
    """The value that a user set. Raises InputError for a wrong type or one beyond the range."""
    value = _of_type(option, raw, origin)
    if option.range is not None and not isinstance(value, str) and value not in option.range:
        raise _beyond(option, value, option.range, origin)
    return value


def _of_type(option: Option, raw: object, origin: str) -> Value:
    wanted = type(option.default)
    if option.many and isinstance(raw, list) and all(isinstance(word, str) for word in raw):
        raw = ",".join(raw)
    if wanted is float and isinstance(raw, int) and not isinstance(raw, bool):
        # No range goes as far, and a float does not hold it.
        raw = float(min(max(raw, -_HUGE), _HUGE))
    if type(raw) is not wanted or not isinstance(raw, str | int | float | bool):
        raise InputError(f"{option.key} must be {_NAMES[wanted]}", where=origin)
    if isinstance(raw, str) and len(raw) > MAX_WORDS:
        raise InputError(f"{option.key} has more than {MAX_WORDS} characters", where=origin)
    return raw


def _beyond(option: Option, value: Value, allowed: Range, origin: str) -> InputError:
    return InputError(
        f"{option.key} is {_short(value)}; it may be {allowed}",
        where=origin,
        fix=f"Without it, {option.default} counts.",
    )


def _short(value: object) -> str:
    """A value as a message shows it; a whole number may have more digits than Python writes."""
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a huge number"
    text = str(value)
    return cut(text, _SHOWN)
