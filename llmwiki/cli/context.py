"""What every command needs: the repository, the settings, a clock, and a way to print JSON."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli import landings
from llmwiki.cli.cleaning import UNSAFE, clean
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.core.config import Config
    from llmwiki.memory.land import LandingOptions

CONFIG_FILE = ".llmwiki.toml"
JOURNAL = "llmwiki/journal"
"""Where `store.journal` keeps it, below the git directory."""
MAX_CONFIG = 100_000
"""Bytes of the largest settings file that is read: a clone's may be a link to /dev/zero."""
MAX_CONFIG_LINE = 2_000
"""Bytes of its longest line. To read a key of n parts takes Python's parser n² steps, 4 s for one
of 10,000; a key stands on one line."""


_END_OF_DATES = 253_402_300_800
"""Seconds since the epoch at which the year 10000 begins: beyond what dates can hold."""


CLEAR_LINE = "\r\x1b[2K"
"""What a terminal takes for: begin this line anew."""


def say(text: str) -> None:
    """Data, on stdout; untrusted characters are cleaned."""
    click.echo(clean(text))


def tell(text: str) -> None:
    """Talk, on stderr."""
    click.echo(clean(text), err=True)


def notice_once() -> Callable[[str], None]:
    """Who tells each sentence once, on a line of its own also where a bar is shown."""
    said: set[str] = set()

    def notice(sentence: str) -> None:
        if sentence not in said:
            said.add(sentence)
            if is_terminal():
                click.echo(CLEAR_LINE, err=True, nl=False)
            tell(f"wiki: {sentence}")

    return notice


def say_json(value: Mapping[str, object]) -> None:
    """One JSON object on stdout, keys sorted."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
    # Quotes of a model and names of files may hold what a terminal obeys, or what UTF-8 cannot.
    click.echo(re.sub(UNSAFE, lambda found: f"\\u{ord(found[0]):04x}", text))


def here(ctx: click.Context) -> Path:
    """The folder the command works in: `-C DIR`, else where it was started."""
    root = ctx.find_root().obj
    return Path(root).absolute() if root else Path.cwd()


def output_place(ctx: click.Context, repo: Repository, name: str) -> Path:
    """The file `name` that a command is told to write.

    Raises PolicyError where a link below the wiki's root leads out of it: the repository, not the
    caller, would say which file is overwritten.
    """
    named = Path(os.path.normpath(os.path.realpath(here(ctx)) / Path(name)))
    is_inside = Path(os.path.realpath(named)).is_relative_to(repo.root)
    if named.is_relative_to(repo.root) and not is_inside:
        raise PolicyError("a link leads out of the wiki's root", where=name)
    return here(ctx) / name


@contextlib.contextmanager
def opened(ctx: click.Context, *, reads_only: bool = False) -> Iterator[Repository]:
    """The repository and wiki around the working folder.

    A reading command says so when an operation was left unfinished; a writing one recovers it. The
    first writing one in a clone without the merge driver says so, and no other: a clone that only
    reads, as most jobs of CI are, merges nothing.
    Raises StateError where there is no repository or no wiki.
    """
    with Repository.discover(here(ctx)) as repo:
        # Loading the store costs more than a search; mostly there is no journal to read.
        if reads_only and (repo.git_dir / JOURNAL).exists():
            from llmwiki.store.transaction import unfinished

            if unfinished(repo):
                tell("wiki: an operation was cut off; `wiki recover` finishes it")
        if not reads_only:
            from llmwiki.store.merge_driver import tells_of_merge_driver

            if tells_of_merge_driver(repo):
                tell("wiki: git merges pages line by line in this clone: it lacks the merge driver;"
                     " `wiki init` sets it")  # fmt: skip
        yield repo


def clock() -> float:
    """Seconds since the epoch; LLMWIKI_NOW fixes them, for reproducible runs."""
    fixed = os.environ.get("LLMWIKI_NOW")
    if not fixed:
        return time.time()
    try:
        seconds = float(fixed)
    except ValueError as error:
        raise InputError("LLMWIKI_NOW is not a number of seconds") from error
    if not 0 <= seconds < _END_OF_DATES:
        raise InputError("LLMWIKI_NOW is no time between the years 1970 and 9999")
    return seconds


def user_file() -> Path:
    """The user's own settings."""
    base = os.environ.get("XDG_CONFIG_HOME")
    if base:
        return Path(base) / "llmwiki" / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("llmwiki")) / "config.toml"


def user_table() -> dict[str, object]:
    """The user's own settings, parsed; empty where there are none."""
    return _toml(user_file())


def load_config(repo: Repository | None, *, quiet: bool = False) -> Config:
    """The settings in force. Says which were ignored."""
    from llmwiki.core.config import merge

    place = repo.root / CONFIG_FILE if repo else None
    table = _toml(place) if place else {}
    config = merge(os.environ, (CONFIG_FILE, table), (user_file().as_posix(), user_table()))
    if not quiet:
        for sentence in config.ignored:
            tell(f"wiki: {' '.join(sentence.splitlines())}")
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
    import tomllib

    try:
        data = read_bounded(place, MAX_CONFIG)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(place)) from error
    if len(data) > MAX_CONFIG:
        raise InputError(f"holds more than {MAX_CONFIG} bytes", where=str(place))
    if any(len(line) > MAX_CONFIG_LINE for line in data.splitlines()):
        raise InputError(f"has a line of more than {MAX_CONFIG_LINE} bytes", where=str(place))
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not TOML: {error}", where=str(place)) from error


def is_terminal() -> bool:
    """Whether a person sees stderr."""
    return sys.stderr.isatty()


def landing_options(config: Config, allow_detached: bool) -> LandingOptions:
    """On what terms a command's operation lands."""
    from llmwiki.memory.land import LandingOptions

    return LandingOptions(clock, config.number("lock.wait"), allow_detached, landings.note)
