"""wiki recover: finish what a crash left unfinished."""

from __future__ import annotations

import click

from llmwiki.app.shapes.upkeep import RecoverJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON


@click.command()
@AS_JSON
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int:
    """Finish or drop an operation that was cut off by a crash or a kill.

    An operation that had reached its commit is brought into the work tree; one that had not is
    dropped without trace. Every writing command does this first. Files that you have changed
    since keep your bytes.

    \b
    Example:
      wiki recover
    """
    done = open_wiki(ctx).recover()
    if as_json:
        say_json(RecoverJson.of(done))
    elif done.outcome == "clean":
        say("Nothing to recover.")
    else:
        what = done.operation or "an operation"
        say(
            {
                "finished": f"Finished {what}: commit {done.commit}.",
                "dropped": f"Dropped {what}: it had not reached its commit; nothing of it is left.",
                "unfinished": f"{what} cannot be finished yet: {', '.join(done.failed)}.",
            }[done.outcome]
        )
        for path in done.kept:
            say(f"  kept as you have it: {path}")
    return 3 if done.outcome == "unfinished" else 0
