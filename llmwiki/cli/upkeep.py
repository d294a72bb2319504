"""wiki index, recover, schema, completion: what is seldom needed to keep a wiki going."""

from __future__ import annotations

import click

from llmwiki.app.shapes.upkeep import IndexJson, RecoverJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import AS_JSON, option


@click.command()
@option(
    "--check",
    is_flag=True,
    excludes=("--rebuild",),
    help="Compare it with one made anew; exit 1 if it differs.",
)
@click.option("--rebuild", "anew", is_flag=True, help="Make it anew.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def index(ctx: click.Context, check: bool, anew: bool, as_json: bool) -> int:
    """Bring the search index up to date.

    Every command does so when it needs to; nothing is lost if the file is deleted. It lies in the
    git directory, one for each work tree, and is never committed.

    \b
    Examples:
      wiki index
      wiki index --check
    """
    held = open_wiki(ctx).index(check=check, rebuild=anew)
    if as_json:
        say_json(IndexJson.of(held))
    else:
        edits = f", {held.uncommitted} with uncommitted edits" if held.uncommitted else ""
        commit = held.commit[:12] if held.commit else "no commit"
        say(f"{held.pages} pages, {held.words} words{edits}, at {commit}")
        for line in held.differences or ():
            say(f"{line}: run `wiki index --rebuild`")
        if held.differences == ():
            say("The index equals one made anew.")
    return 1 if held.differences else 0


@click.command()
@AS_JSON
@click.pass_context
def recover(ctx: click.Context, as_json: bool) -> int:
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


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
def schemas(name: str | None) -> int:
    """Print the JSON Schema of what a command prints with --json; without a NAME, list them.

    NAME is what stands in `"schema": "llmwiki.NAME/1"`. Within a version no key goes or changes
    its meaning.

    \b
    Example:
      wiki schema status
    """
    from llmwiki.app.schemas import COMMANDS, schema

    if name is not None:
        say_json(schema(name))
        return 0
    for each, printed_by in COMMANDS.items():
        say(f"{each:<12} {printed_by}")
    return 0


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="SHELL")
def completion(shell: str) -> int:
    """Print the script by which bash, zsh or fish completes commands, options and page titles.

    Titles come from the index as it lies, so they are there at once in a large wiki too. See
    docs/install.md.

    \b
    Examples:
      eval "$(wiki completion bash)"                        # in ~/.bashrc
      eval "$(wiki completion zsh)"                         # in ~/.zshrc, after compinit
      wiki completion fish > ~/.config/fish/completions/wiki.fish
    """
    from llmwiki.cli.completion_script import script

    click.echo(script(shell), nl=False)
    return 0
