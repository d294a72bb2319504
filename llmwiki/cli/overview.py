"""wiki overview: rewrite the lead of the overview."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from llmwiki.app.shapes.operations import OverviewJson
from llmwiki.cli.context import here, open_wiki, say, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, YES, max_cost
from llmwiki.core.errors import InputError, PolicyError, reason_of

MAX_TEXT = 100_000
"""Bytes of the longest opening: two or three paragraphs are meant."""


@click.command()
@click.option("--model", help="Model to write with; `offline` for none.")
@click.option(
    "--text", metavar="FILE", help="Take the text from a file, or `-` for standard input."
)
@max_cost()
@YES
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context, /, text: str | None, yes: bool, as_json: bool, **options: Any
) -> int:
    """Rewrite the opening of wiki/overview.md, in one commit.

    It tells a newcomer what the wiki is about. A model writes two paragraphs from the themes of the
    wiki, which are the groups of pages that hold together in its graph; with --text they are yours
    or your agent's; without a model they are made from counts. Under them stand the themes, each
    with its main pages and what they say. The counts below are always current. Before `wiki init`
    or `wiki adopt` it is printed, and nothing is written.

    \b
    Examples:
      wiki overview --model offline
      wiki overview --text opening.md
    """
    wiki = open_wiki(ctx, yes=yes)
    if not wiki.is_written:
        say(wiki.overview_text())
        return 0
    told = _read(here(ctx), text) if text else None
    outcome = wiki.overview(told, **options)
    if as_json:
        say_json(OverviewJson.of(outcome))
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
