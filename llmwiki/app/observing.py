"""What an agent has said with a person elsewhere, or a program recorded, read to learn from it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.learning import LearnJob, LearnReport, learn_told
from llmwiki.app.talks import talk_in
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.desk import Forecast
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.learn.talk import Talk
    from llmwiki.models.client import Client


def observe(
    wiki: OpenWiki,
    transcript: Path,
    *,
    host: str = "",
    any_project: bool = False,
    channel: str = "",
    model: str | None = None,
    max_cost: float | None = None,
    dry_run: bool = False,
) -> LearnReport:
    """Learns from the transcript of another agent; the same one again adds nothing.

    With a `model` it reads what was said; else only what was plainly asked to be kept counts.
    With a `channel` the file is what a program recorded, and all of it waits for a yes.
    Raises InputError for a file that is no transcript, PolicyError for one of another project.
    """
    from llmwiki.app.models import client_for, model_to_call

    talk = talk_in(wiki, transcript, host, channel, any_project=any_project)
    settings = model_to_call(wiki, model) if model else None
    if settings is None and channel:
        raise InputError(
            "a channel is read by a model or an agent",
            where=transcript.name,
            fix="Say --model NAME, or --prepare.",
        )
    if settings is None:
        return learn_told(wiki, talk, dry_run=dry_run)
    from llmwiki.app.learned_talk import learn_from

    with client_for(wiki.config, settings, max_cost) as client:
        return learn_from(wiki, talk, client, dry_run=dry_run)


def learn(wiki: OpenWiki, talk: Talk, client: Client | None = None) -> LearnReport:
    """Learns from a conversation. What landed before a failure stays."""
    if client is None:
        return learn_told(wiki, talk)
    from llmwiki.app.learned_talk import learn_from

    return learn_from(wiki, talk, client)


def prepare(
    wiki: OpenWiki,
    transcript: Path,
    *,
    host: str = "",
    any_project: bool = False,
    channel: str = "",
) -> LearnJob:
    """Writes a job for an agent that reads a transcript; it lies below the git directory."""
    from llmwiki.app.learned_talk import prepared

    return prepared(wiki, talk_in(wiki, transcript, host, channel, any_project=any_project))


def estimate(
    wiki: OpenWiki,
    transcript: Path,
    *,
    host: str = "",
    any_project: bool = False,
    channel: str = "",
    model: str | None = None,
) -> Forecast:
    """What a model would take that reads a transcript; none is called."""
    from llmwiki.app.desk import AskOptions, measure
    from llmwiki.app.learned_talk import Learning

    talk = talk_in(wiki, transcript, host, channel, any_project=any_project)
    return measure(wiki, Learning(wiki, talk), AskOptions(model))
