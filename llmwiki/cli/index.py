"""wiki index: the index that search reads, looked at, checked and made anew."""

from __future__ import annotations

import click

from llmwiki.cli.context import opened, say, say_json, tell


@click.command()
@click.option("--check", is_flag=True, help="Compare it with one made anew; exit 1 if it differs.")
@click.option("--rebuild", "anew", is_flag=True, help="Make it anew.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, check: bool, anew: bool, as_json: bool) -> int:
    """Bring the search index up to date.

    Every command does so when it needs to; nothing is lost if the file is deleted. It lies in the
    git directory, one for each work tree, and is never committed.
    """
    if check and anew:
        raise click.UsageError("--check and --rebuild exclude each other.", ctx)
    from llmwiki.index.open_index import open_corpus
    from llmwiki.index.verify import differences, rebuild

    with opened(ctx, reads_only=True) as repo:
        if anew:
            rebuild(repo)
        wrong = differences(repo)[1] if check else []
        with open_corpus(repo, fresh=True, notice=tell) as index:
            pages, words, commit = index.pages, index.words, index.commit
            strays = len(index.strays)
    if as_json:
        say_json(
            {
                "schema": "llmwiki.index/1",
                "pages": pages,
                "words": words,
                "commit": commit,
                "uncommitted": strays,
                "differences": wrong if check else None,
            }
        )
    else:
        edits = f", {strays} with uncommitted edits" if strays else ""
        say(f"{pages} pages, {words} words{edits}, at {commit[:12] if commit else 'no commit'}")
        for line in wrong:
            say(f"{line}: run `wiki index --rebuild`")
        if check and not wrong:
            say("The index equals one made anew.")
    return 1 if wrong else 0
