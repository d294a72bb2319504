"""Who reads: choosing the filler, preparing jobs for agents, estimating costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from llmwiki.cli.context import say, tell
from llmwiki.cli.models import client_for, model_settings, was_asked_for
from llmwiki.core.candidate import Candidate
from llmwiki.core.config import Config
from llmwiki.core.document import Segment
from llmwiki.core.errors import InputError
from llmwiki.ingest.fillers import ModelFiller, OfflineFiller, shown_candidates
from llmwiki.ingest.jobs import Jobs, job_of
from llmwiki.ingest.run import Filler, Input, Settings, open_document
from llmwiki.memory.state import State
from llmwiki.repo.repository import Repository
from llmwiki.sources import segment
from llmwiki.sources.brand import read_brand
from llmwiki.store.transaction import preflight


def choose(
    repo: Repository,
    config: Config,
    flag: str | None,
    max_cost: float | None,
    user: Mapping[str, object],
) -> Filler:
    """The filler for this command. Refuses what landing would refuse, before anything is paid."""
    settings = model_settings(config, flag, user)
    if settings is None:
        if not was_asked_for(config, flag):
            tell("wiki: no key for a model; the embedded extractor reads (--model offline)")
        return OfflineFiller()
    preflight(repo)
    return ModelFiller(
        client=client_for(config, settings, max_cost),
        brand=read_brand(repo.root),
        parallel=config.whole("ingest.parallel"),
        max_candidates=config.whole("ingest.candidates"),
    )


def close(filler: Filler) -> None:
    """Ends the filler's connections."""
    if isinstance(filler, ModelFiller):
        filler.client.close()


def prepare(
    repo: Repository,
    state: State,
    items: Sequence[Input],
    settings: Settings,
    config: Config,
    which: str | None,
) -> int:
    """Prints the jobs for an agent to fill and records them; writes nothing else."""
    from llmwiki.ingest.anthropic_prompt import render_job

    jobs = Jobs(repo)
    state.advance(repo.head())
    brand = read_brand(repo.root)
    limit = config.whole("ingest.candidates")
    for item in items:
        document = open_document(repo, item, settings)
        segments = segment(document, max_bytes=settings.segment_bytes)
        wanted = _segment_number(which, len(segments))
        kept = item.data if not item.file else None
        jobs.save(job_of(document, segments, "" if item.inside else item.file, kept))
        for part in segments:
            if wanted in (None, part.number):
                shown = shown_candidates(document, part, state, limit)
                say(render_job(document, part, shown, brand))
    return 0


def _segment_number(which: str | None, count: int) -> int | None:
    if which is None:
        return None
    number, _, of = which.partition("/")
    if not number.isdigit() or (of and of != str(count)) or not 1 <= int(number) <= count:
        raise InputError(
            f"there is no segment {which}", fix=f"The source has {count}: --segment 1 … {count}."
        )
    return int(number)


def estimate(
    repo: Repository,
    state: State,
    items: Sequence[Input],
    settings: Settings,
    config: Config,
    flag: str | None,
    user: Mapping[str, object],
) -> int:
    """Says what reading would take, before any call."""
    from llmwiki.ingest.fill_model import estimate as estimated

    model = model_settings(config, flag, user)
    if model is None:
        say("The embedded extractor reads: no tokens, no cost.")
        return 0
    state.advance(repo.head())
    brand = read_brand(repo.root)
    limit = config.whole("ingest.candidates")
    tokens_in = tokens_out = 0
    total: float | None = 0.0
    for item in items:
        document = open_document(repo, item, settings)
        segments = segment(document, max_bytes=settings.segment_bytes)
        shown = {s.number: shown_candidates(document, s, state, limit) for s in segments}
        one = estimated(document, segments, _shown(shown), brand, model)
        tokens_in += one.input_tokens
        tokens_out += one.max_output_tokens
        total = None if total is None or one.max_cost is None else total + one.max_cost
        cost = "price not known" if one.max_cost is None else f"at most USD {one.max_cost:.4f}"
        say(
            f"{item.path}: {len(segments)} calls, about {one.input_tokens} tokens in,"
            f" at most {one.max_output_tokens} out, {cost} (estimate)"
        )
    money = "price not known" if total is None else f"at most USD {total:.4f}"
    tokens = f"about {tokens_in} in, at most {tokens_out} out"
    say(f"Total for {model.model}: {tokens}, {money} (estimate)")
    return 0


def _shown(
    candidates: Mapping[int, tuple[Candidate, ...]],
) -> Callable[[Segment], tuple[Candidate, ...]]:
    return lambda segment: candidates[segment.number]
