"""The files of settings, and the settings in force."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, fault_of, reason_of
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.git.find_repository import MARKER

if TYPE_CHECKING:
    from llmwiki.core.settings_precedence import Config


MAX_CONFIG = 100_000
"""Bytes of the largest settings file that is read: a clone's may be a link to /dev/zero."""
MAX_CONFIG_LINE = 2_000
"""Bytes of its longest line. To read a key of n parts takes Python's parser n² steps, 4 s for one
of 10,000; a key stands on one line."""
_PLAIN = lazy_pattern(r'([A-Za-z_]+) = (?:([1-9]\d{0,8})|"([ -!#-\[\]-~]*)")')
"""A line of settings that gives a number or a plain text."""


def user_file() -> Path:
    """The user's own settings."""
    base = os.environ.get("XDG_CONFIG_HOME")
    if not base and sys.platform == "linux":
        base = os.path.expanduser("~/.config")  # noqa: PTH111 that of Path raises
    if base:
        return Path(base) / "llmwiki" / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("llmwiki")) / "config.toml"


def user_cache() -> Path:
    """The folder for what can be made again at any time."""
    base = os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "llmwiki"
    import platformdirs

    return Path(platformdirs.user_cache_dir("llmwiki"))


def user_table() -> dict[str, object]:
    """The user's own settings, parsed; empty where there are none."""
    return _toml(user_file())


def load_config(root: Path | None, notice: Callable[[str], None]) -> Config:
    """The settings in force for the wiki at `root`, or without one.

    `notice` takes a sentence for each setting that is ignored. Raises InputError for a file that
    cannot be read.
    """
    return config_of(_toml(root / MARKER) if root else {}, notice)


def config_of(table: dict[str, object], notice: Callable[[str], None]) -> Config:
    """The settings in force where the wiki's own are `table`; see `load_config`."""
    from llmwiki.core.settings_precedence import merge

    config = merge(os.environ, (MARKER, table), (user_file().as_posix(), user_table()))
    for sentence in config.ignored:
        notice(" ".join(sentence.splitlines()))
    return config


def read_bounded(place: Path, most: int) -> bytes:
    """The bytes of a file, at most one more than `most`.

    Raises OSError, also for a pipe or a device: to wait for what it may give, a clone need only
    hold a link to a terminal.
    """
    with os.fdopen(os.open(place, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        return file.read(most + 1)


def _toml(place: Path) -> dict[str, object]:
    try:
        data = read_bounded(place, MAX_CONFIG)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of(error)}", where=str(place)) from error
    return parsed(data, str(place))


def parsed(data: bytes, place: str) -> dict[str, object]:
    """The table in a settings file's bytes. Raises InputError for what is none, or too large."""
    if len(data) > MAX_CONFIG:
        raise InputError(f"holds more than {MAX_CONFIG} bytes", where=place)
    if any(len(line) > MAX_CONFIG_LINE for line in data.splitlines()):
        raise InputError(f"has a line of more than {MAX_CONFIG_LINE} bytes", where=place)
    try:
        text = data.decode()
        lines = [line for line in text.split("\n") if line and not line.startswith("#")]
        found = list(filter(None, map(_PLAIN.fullmatch, lines)))
        if len(found) == len(lines) == len({each[1] for each in found}):
            # As `wiki init` writes them: to load a parser takes a twentieth of a search.
            return {each[1]: int(each[2]) if each[2] else each[3] for each in found}
        import tomllib

        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not TOML: {fault_of(error)}", where=place) from error
