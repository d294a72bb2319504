"""wiki tidy: a second reading of the wiki itself; --overview: its opening rewritten."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llmwiki.core.errors import InputError, PolicyError, reason_of
from llmwiki.interfaces.cli.context import here, open_wiki, say, say_as
from llmwiki.interfaces.cli.options import option
from llmwiki.interfaces.cli.questions import ASKING, run

if TYPE_CHECKING:
    from llmwiki import Wiki


@click.command()
@option(
    "--overview",
    is_flag=True,
    excludes=("--prepare", "--estimate", "--parts", "--dry-run"),
    help="Rewrite the opening of wiki/overview.md instead.",
)
@option(
    "--text",
    metavar="FILE",
    needs=("--overview",),
    help="With --overview: take the words from a file, or `-` for standard input.",
)
@ASKING
def command(ctx: click.Context, /, overview: bool, text: str | None, **given: Any) -> int:
    """Read the wiki a second time, and mend what only a reader sees.

    Pages are written one source after another; what lies between them is found here: pages that
    may be one, claims that cannot both hold, leads that no longer fit their claims, pages that
    belong together and that nothing links. Lint and graph raise the questions, a model or an agent
    answers, and each answer is checked: pages are merged only on claims of both, claims move only
    to a page that they name, a lead holds no number that no claim has. What does not count is told
    with the reason; the rest of a part lands as one commit, which `wiki undo` takes back.

    --overview rewrites the opening of wiki/overview.md, which tells a newcomer what the wiki is
    about, in one commit: a model writes two paragraphs from its themes; with --text the words are
    yours or your agent's; with `--model offline` they are made from counts. Before `wiki init` or
    `wiki adopt` it is printed, and nothing is written.

    \b
    Examples:
      wiki tidy --prepare
      wiki tidy --model claude-sonnet-5 --max-cost 0.50
      wiki tidy --overview --text opening.md
    """
    if overview:
        asked = {name: given[name] for name in ("model", "max_cost", "allow_detached", "as_json")}
        return print_overview(open_wiki(ctx, yes=given["yes"]), text, here(ctx), **asked)
    return run(ctx, "tidy", **given)


MAX_TEXT = 100_000
"""Bytes of the longest opening: two or three paragraphs are meant."""


def print_overview(
    wiki: Wiki,
    text: str | None,
    place: Path,
    *,
    model: str | None,
    max_cost: float | None,
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Writes the opening of the overview: `text`, a file named from `place`, or a model's words."""
    if not wiki.is_written:
        say(wiki.overview_text())
        return 0
    told = _read(place, text) if text else None
    outcome = wiki.overview(told, model=model, max_cost=max_cost, allow_detached=allow_detached)
    if as_json:
        say_as("overview", outcome)
    elif outcome.commit:
        say(f"{outcome.commit[:10]}  wiki/overview.md has a new opening")
    else:
        say("The overview says that already.")
    return 0


def _read(cwd: Path, name: str) -> str:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_TEXT + 1)
        else:
            with (cwd / name).open("rb") as file:
                data = file.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            raise PolicyError(f"an opening of more than {MAX_TEXT} bytes", where=name)
        return data.decode()
    except OSError as error:
        raise InputError(
            f"cannot be read: {reason_of(error)}",
            where=name,
            fix="Name a file that holds the text; `-` reads it from standard input.",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", where=name, fix="Save it as UTF-8.") from error
