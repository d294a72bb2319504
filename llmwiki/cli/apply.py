"""wiki apply: the answer to a prepared job becomes a commit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from llmwiki.cli.context import here, load_config, opened, say, say_json, terms
from llmwiki.cli.results import OperationJson, failed, summary_line, tell_notes, told
from llmwiki.core.errors import InputError, ModelOutputError, PolicyError, WikiError

MAX_ANSWER = 20_000_000
"""Bytes of the largest answer that is read."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--allow-secret",
    multiple=True,
    metavar="HASH",
    help="Accept a finding of the secret scan; the refusal prints its hash.",
)
@click.option("--allow-detached", is_flag=True, help="Commit although no branch is checked out.")
@click.option(
    "--review", is_flag=True, help="Commit to a new branch wiki/ID, to be merged by hand."
)
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@click.option("--model", default="", help="Who filled the job, for the commit's Wiki-Model.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    allow_secret: tuple[str, ...],
    allow_detached: bool,
    review: bool,
    dry_run: bool,
    model: str,
    as_json: bool,
) -> int:
    """Check the answer to a job that `wiki ingest PATH --prepare` printed, and commit it.

    FILE holds the answer as JSON; `-` reads one from standard input. The source is found by its
    hash. Every quote is looked for in its text; a claim without a quote that stands there is
    refused and named. An answer to one of several segments is kept until the others have come;
    then all land as one commit.
    """
    from llmwiki.ingest.apply import Answer, apply_answers
    from llmwiki.ingest.run import Settings
    from llmwiki.memory.state import State
    from llmwiki.sources import Limits

    answers = [Answer(name, _read(here(ctx), name)) for name in files]
    with opened(ctx) as repo:
        config = load_config(repo)
        settings = Settings(
            terms=terms(config, allow_detached),
            limits=Limits(max_bytes=config.whole("ingest.max_size")),
            segment_bytes=config.whole("ingest.segment_bytes"),
            allowed_secrets=frozenset(allow_secret),
            review=review,
            dry_run=dry_run,
        )
        results: list[OperationJson] = []
        code = 0
        for item in apply_answers(repo, State(repo), answers, settings, model):
            if isinstance(item, WikiError):
                if len(answers) == 1 and not as_json:
                    raise item
                results.append(failed(item.where, item))
                code = code or item.exit_code
            else:
                results.append(told(item))
    if as_json:
        tell_notes(results)
        say_json({"schema": "llmwiki.ingest/1", "operations": [r.to_json() for r in results]})
    else:
        for result in results:
            say(summary_line(result, with_pages=True))
    return code


def _read(cwd: Path, name: str) -> dict[str, object]:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_ANSWER + 1)
        else:
            with (cwd / name).open("rb") as file:
                data = file.read(MAX_ANSWER + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=name) from error
    if len(data) > MAX_ANSWER:
        raise PolicyError(f"an answer of more than {MAX_ANSWER} bytes", where=name)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ModelOutputError(
            f"is not JSON: {error}", where=name, fix="Write the object the job describes, alone."
        ) from error
    if not isinstance(value, dict):
        raise ModelOutputError("is not a JSON object", where=name)
    return value
