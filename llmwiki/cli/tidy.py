"""wiki tidy: a second reading of the wiki itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.shapes.tidy import TidyJson
from llmwiki.cli.questions import ASKING, outcome_word, run

if TYPE_CHECKING:
    from llmwiki import TidyResult


@click.command()
@ASKING
def command(ctx: click.Context, /, **options: Any) -> int:
    """Read the wiki a second time, and mend what only a reader sees.

    Pages are written one source after another; what lies between them is found here: pages that
    may be one, claims that cannot both hold, leads that no longer fit their claims, pages that
    belong together and that nothing links. Lint and graph raise the questions, a model or an agent
    answers, and each answer is checked: pages are merged only on claims of both, claims move only
    to a page that they name, a lead holds no number that no claim has. What does not count is told
    with the reason; the rest of a part lands as one commit, which `wiki undo` takes back.

    \b
    Examples:
      wiki tidy --prepare
      wiki tidy --model claude-sonnet-5 --max-cost 0.50
    """
    return run(ctx, "tidy", TidyJson, _lines, **options)


def _lines(result: TidyResult) -> list[str]:
    lines = [f"{outcome_word(result.outcome)}  {result.title or 'no answer changes the wiki'}"]
    lines += [f"            changed  {path}" for path in result.outcome.pages_changed]
    lines += [f"            refused  {e.what}: {e.reason}" for e in result.left_out]
    return lines
