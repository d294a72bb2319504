"""What every command needs: the wiki around the working folder, and ways to print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llmwiki.core.callbacks import Callbacks, ignore
from llmwiki.interfaces.cli import print_landings, progress
from llmwiki.interfaces.cli.safe_text import clean

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


def say(text: str) -> None:
    """Data, on stdout; untrusted characters are cleaned."""
    progress.clear()
    click.echo(clean(text))


def say_err(text: str) -> None:
    """Talk, on stderr."""
    progress.clear()
    click.echo(clean(text), err=True)


def say_json(value: Mapping[str, object], *, on_one_line: bool = False) -> None:
    """One JSON object on stdout, keys sorted."""
    from llmwiki.core.text import UNSAFE

    indent = None if on_one_line else 2
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent)
    progress.clear()
    # Quotes of a model and names of files may hold what a terminal obeys, or what UTF-8 cannot.
    click.echo(UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say_as(name: str, value: object = None, *, on_one_line: bool = False, **given: Any) -> int:
    """The object `llmwiki.NAME/1` of a value, and what is `given` besides, on stdout; 0."""
    from llmwiki.app.json_output.make_json import json_of

    say_json(json_of(name, value, **given), on_one_line=on_one_line)
    return 0


JSON = "llmwiki.json"
"""Of a context: whether its command was given `--json`."""


def wants_json() -> bool:
    """Whether the command that runs is to print JSON."""
    return bool(click.get_current_context().meta.get(JSON))


def told(name: str, value: object, lines: Iterable[str] = (), **given: Any) -> int:
    """Prints what a command came to: the object `llmwiki.NAME/1` of a value, with what is `given`
    besides, where `--json` asks for it, else the lines, which are made as they are printed; 0."""
    if wants_json():
        return say_as(name, value, **given)
    for line in lines:
        say(line)
    return 0


def here() -> Path:
    """The folder the command works in: `-C DIR`, else where it was started."""
    root = click.get_current_context().find_root().obj
    return Path(root).absolute() if root else Path.cwd()


def open_wiki(*, yes: bool = False, quiet: bool = False) -> Wiki:
    """The wiki around the working folder, which prints its messages on stderr.

    `yes` agrees to call the model that the repository names; `quiet` leaves out notices. Raises
    StateError where there is no repository or no wiki.
    """
    # Completion of a word loads a command, and needs no wiki.
    from llmwiki.app.wiki import Wiki

    root = click.get_current_context().find_root().params.get("root")
    return Wiki.open(here(), callbacks(yes=yes, quiet=quiet), root=root)


def callbacks(*, yes: bool = False, quiet: bool = False) -> Callbacks:
    """Callbacks that print on the terminal what happens while a command runs."""
    return Callbacks(
        notice=ignore if quiet else notice_once(),
        step=_step if is_terminal() and not quiet else ignore,
        agree=lambda said: _agreed(said, yes=yes),
        landed=print_landings.note,
    )


def notice_once() -> Callable[[str], None]:
    """Who tells each sentence once."""
    said: set[str] = set()

    def notice(sentence: str) -> None:
        if sentence not in said:
            said.add(sentence)
            with progress.aside():
                say_err(f"wiki: {sentence}")

    return notice


def _step(doing: str, done: int, total: int) -> None:
    progress.step(clean(doing), done, total)


def _agreed(said: str, *, yes: bool) -> bool:
    """Whether a model may be called at the user's cost: asked on a terminal only."""
    if yes:
        say_err(f"wiki: {said}")
        return True
    progress.clear()
    return can_ask() and click.confirm(clean(f"wiki: {said}. Call it?"), err=True)


def can_ask() -> bool:
    """Whether a person sees a question, and can answer it."""
    return is_terminal() and sys.stdin.isatty()


def demand_yes(what: str) -> None:
    """Asks whether to do it. Raises Abort for a no."""
    if not click.confirm(clean(f"wiki: {what}?"), err=True):
        raise click.Abort


def is_terminal() -> bool:
    """Whether a person sees stderr."""
    return sys.stderr.isatty()
