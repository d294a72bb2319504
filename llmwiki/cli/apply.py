"""wiki apply: what an agent read or answered becomes a commit."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import (
    here,
    landing_options,
    load_config,
    notice_once,
    opened,
    say,
    say_json,
)
from llmwiki.cli.results import OperationJson, failed, summary_line, tell_notes, told
from llmwiki.core.errors import InputError, ModelOutputError, PolicyError, WikiError
from llmwiki.models.agent import (
    ANSWER_SCHEMA,
    EDGES_SCHEMA,
    FINDINGS_SCHEMA,
    TRANSCRIPTION_SCHEMA,
    AgentAnswer,
)
from llmwiki.models.bounds import is_deep

if TYPE_CHECKING:
    from llmwiki.cli.judged_file import AcceptedAnswer
    from llmwiki.ingest.types import IngestSettings
    from llmwiki.memory.state import WikiState
    from llmwiki.repo.repository import Repository

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
    """Check what an agent has written, and commit it.

    FILE holds it as JSON; `-` reads one from standard input.

    The answer to a job that `wiki ingest PATH --prepare` printed: the source is found by its
    hash, every quote is looked for in its text, and a claim without a quote that stands there is
    refused and named. An answer to one of several segments is kept until the others have come;
    then all land as one commit.

    The texts of the pictures of a source, where `wiki ingest PATH --prepare` asked for them
    first (llmwiki.transcription/1): they are kept, and the command for the next job is printed.

    The answer to a question (llmwiki.answer/1): every citation is looked up in the wiki, and the
    sentences whose citations stand are filed as a synthesis.

    The findings of a part that `wiki lint --prepare` printed (llmwiki.findings/1): each is checked
    against the claims, and what counts is kept for `wiki lint --llm`. Nothing is committed.

    The edges that `wiki graph --prepare` asked for (llmwiki.edges/1): those between pages that
    exist are kept for `wiki graph`. Nothing is committed.
    """
    from llmwiki.ingest.types import IngestSettings
    from llmwiki.memory.state import WikiState
    from llmwiki.sources import SourceLimits

    answers = [(name, _read(here(ctx), name)) for name in files]
    with opened(ctx) as repo:
        config = load_config(repo)
        settings = IngestSettings(
            terms=landing_options(config, allow_detached),
            limits=SourceLimits(max_bytes=config.whole("ingest.max_size")),
            segment_bytes=config.whole("ingest.segment_bytes"),
            allowed_secrets=frozenset(allow_secret),
            review=review,
            dry_run=dry_run,
            notice=notice_once(),
        )
        results: list[OperationJson] = []
        judged: list[AcceptedAnswer] = []
        code = 0
        state = WikiState(repo)
        for name, data in answers:
            try:
                if data.get("schema") == FINDINGS_SCHEMA:
                    from llmwiki.cli.judged_file import take_file

                    judged.append(take_file(repo, name, data, model, dry_run=dry_run))
                    continue
                results.append(_applied(repo, state, name, data, settings, model))
                if data.get("schema") == ANSWER_SCHEMA and name != "-" and not dry_run:
                    from llmwiki.query.markdown import forget

                    forget(repo, here(ctx) / name)
            except WikiError as error:
                error.where = error.where or name
                if len(answers) == 1 and not as_json:
                    raise
                results.append(failed(error.where, error))
                code = code or error.exit_code
    if as_json:
        tell_notes(results)
        whole: dict[str, object] = {
            "schema": "llmwiki.ingest/1",
            "operations": [r.to_json() for r in results],
        }
        if judged:
            whole["judged"] = [each.to_json() for each in judged]
        say_json(whole)
    else:
        for each in judged:
            say(each.lines())
        for result in results:
            say(summary_line(result, with_pages=True))
    return code


def _applied(
    repo: Repository,
    state: WikiState,
    name: str,
    data: Mapping[str, object],
    settings: IngestSettings,
    model: str,
) -> OperationJson:
    """One file, by its schema. Raises what checking and landing raise."""
    if data.get("schema") == ANSWER_SCHEMA:
        from llmwiki.cli.results import told_answer
        from llmwiki.core.message import plain_line
        from llmwiki.query.answer_file import read_answer
        from llmwiki.query.note import file_answer

        filing = read_answer(
            AgentAnswer(name, data),
            model=plain_line(model, 80),
            allowed=settings.allowed_secrets,
        )
        filed = file_answer(
            repo,
            state,
            filing,
            terms=settings.terms,
            review=settings.review,
            dry_run=settings.dry_run,
        )
        return told_answer(name, filed, dry_run=settings.dry_run)
    if data.get("schema") == EDGES_SCHEMA:
        return _kept(repo, name, data, model, dry_run=settings.dry_run)
    from llmwiki.ingest.apply import apply_answers
    from llmwiki.ingest.transcription import take_transcription

    if data.get("schema") == TRANSCRIPTION_SCHEMA:
        return told(take_transcription(repo, AgentAnswer(name, data), settings))
    (item,) = apply_answers(repo, state, [AgentAnswer(name, data)], settings, model)
    if isinstance(item, WikiError):
        raise item
    return told(item)


def _kept(
    repo: Repository, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> OperationJson:
    from llmwiki.cli.asking import notice
    from llmwiki.cli.results import told_edges
    from llmwiki.core.message import plain_line
    from llmwiki.graph.edges_file import apply_edges
    from llmwiki.index.open_index import open_corpus

    by = plain_line(model, 80) or "agent"
    with open_corpus(repo, notice=notice) as index:
        applied = apply_edges(repo, index, AgentAnswer(name, data), by=by, dry_run=dry_run)
    return told_edges(name, applied, dry_run=dry_run)


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
    if is_deep(value):
        raise ModelOutputError("is nested too deeply", where=name)
    if not isinstance(value, dict):
        raise ModelOutputError("is not a JSON object", where=name)
    return value
