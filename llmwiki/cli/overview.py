"""wiki tidy --overview: rewrite the opening of the overview."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.shapes.operations import OverviewJson
from llmwiki.cli.context import say, say_json
from llmwiki.core.errors import InputError, PolicyError, reason_of

if TYPE_CHECKING:
    from llmwiki import Wiki

MAX_TEXT = 100_000
"""Bytes of the longest opening: two or three paragraphs are meant."""


def tell_overview(
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
