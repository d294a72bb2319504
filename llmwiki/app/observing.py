"""What an agent has said with a person elsewhere, or a program recorded, read to learn from it.

Nobody vouches for a word of an observation channel: of a screen, a shell or a mailbox. So it
teaches facts and events at most, or what the settings say, never a preference, a procedure or a
task, and each note waits until a person has agreed to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.learning import LearnJob, LearnReport, kinds_of, learn_told
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt
from llmwiki.core.errors import InputError, PolicyError, reason_of
from llmwiki.core.text import sha256_hex
from llmwiki.landing.settings import clock, local_offset, read_bounded

if TYPE_CHECKING:
    from llmwiki.app.questions.desk import Forecast
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.memory.talk import Talk
    from llmwiki.models.client import Client


MAX_FILE = 1_000_000
"""Bytes of one file of a channel."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d)-(\d\d)-(\d\d))?(?!\d)")


@dataclass(frozen=True, slots=True)
class ObserveOptions(CheckedOptions):
    """What is learned from, and by whom it is read."""

    host: str | None = opt(
        None,
        "Whose transcript it is; else its lines tell.",
        choices=("claude", "codex", "gemini"),
    )
    any_project: bool = opt(False, "Also one that was held in another folder.")
    channel: str = opt(
        "",
        "The file is what a program recorded: text of nobody who vouches for it.",
        metavar="NAME",
        excludes=("--host", "--any-project"),
    )
    model: str | None = opt(None, "Model that reads what was said.")
    """None: only what was plainly asked to be kept is learned."""
    max_cost: float | None = max_cost()
    dry_run: bool = opt(False, "Check everything and keep nothing.")


def observe(wiki: OpenWiki, transcript: Path, options: ObserveOptions | None = None) -> LearnReport:
    """Learns from the transcript of another agent; the same one again adds nothing.

    With a model it reads what was said; else only what was plainly asked to be kept counts.
    With a channel the file is what a program recorded, and all of it waits for a yes.
    Raises InputError for a file that is no transcript, PolicyError for one of another project.
    """
    from llmwiki.app.models import client_for, model_to_call

    chosen = options or ObserveOptions()
    talk = talk_in(wiki, transcript, chosen)
    settings = model_to_call(wiki, chosen.model) if chosen.model else None
    if settings is None and chosen.channel:
        raise InputError(
            "a channel is read by a model or an agent",
            where=transcript.name,
            fix="Say --model NAME, or --prepare.",
        )
    if settings is None:
        return learn_told(wiki, talk, dry_run=chosen.dry_run)
    from llmwiki.app.questions.talk import learn_from

    with client_for(wiki.config, settings, chosen.max_cost) as client:
        return learn_from(wiki, talk, client, dry_run=chosen.dry_run)


def learn(wiki: OpenWiki, talk: Talk, client: Client | None = None) -> LearnReport:
    """Learns from a conversation. What landed before a failure stays."""
    if client is None:
        return learn_told(wiki, talk)
    from llmwiki.app.questions.talk import learn_from

    return learn_from(wiki, talk, client)


def prepare(wiki: OpenWiki, transcript: Path, options: ObserveOptions | None = None) -> LearnJob:
    """Writes a job for an agent that reads a transcript; it lies below the git directory."""
    from llmwiki.app.questions.talk import prepared

    return prepared(wiki, talk_in(wiki, transcript, options or ObserveOptions()))


def estimate(wiki: OpenWiki, transcript: Path, options: ObserveOptions | None = None) -> Forecast:
    """What a model would take that reads a transcript; none is called."""
    from llmwiki.app.questions.desk import AskOptions, measure
    from llmwiki.app.questions.talk import Learning

    chosen = options or ObserveOptions()
    talk = talk_in(wiki, transcript, chosen)
    return measure(wiki, Learning(wiki, talk), AskOptions(chosen.model))


def talk_in(wiki: OpenWiki, path: Path, options: ObserveOptions) -> Talk:
    """What a transcript, or the file of a channel, holds. Raises as the two below."""
    if options.channel:
        return channel_talk(wiki, path, options.channel)
    return observed_talk(wiki, path, options.host or "", any_project=options.any_project)


def observed_talk(wiki: OpenWiki, transcript: Path, host: str, *, any_project: bool) -> Talk:
    """The conversation of a transcript. Raises InputError for a file that is none, PolicyError for
    one of another project."""
    from llmwiki.memory.transcripts.hosts import observe

    path = transcript if transcript.is_absolute() else wiki.here / transcript
    talk = observe(path, host, local_offset(clock()))
    top = wiki.repo.top.resolve()
    # A transcript may name what no path can be.
    folder = talk.folder.replace("\0", "").encode("utf-8", "replace").decode()
    place = Path(folder).resolve() if folder else top
    if folder.startswith("sha256:"):
        named = [hashed for hashed in (top, wiki.repo.root) if folder == f"sha256:{_hash(hashed)}"]
        place = named[0] if named else Path(folder)
    if not any_project and not place.is_relative_to(top):
        raise PolicyError(
            f"it is of another project: {talk.folder[:200]}",
            where=transcript.name,
            fix="Say --any-project where what was said there may come into this wiki.",
        )
    return talk


def _hash(folder: Path) -> str:
    return sha256_hex(folder.as_posix().encode())


def channel_talk(wiki: OpenWiki, path: Path, channel: str) -> Talk:
    """The paragraphs of a file, each told by nobody who could be asked; its day is that which its
    name begins with (`2026-11-23T10-00-00-mail.md`), else that of its last change.

    Raises InputError for what is no text or no channel, PolicyError for one that becomes nothing.
    """
    from llmwiki.memory.talk import recorded

    if not _NAME.fullmatch(channel):
        raise InputError(
            f"{channel[:40]!r} is no name of a channel",
            fix="Small letters, digits and hyphens, such as: screen, shell, mail",
        )
    if not kinds_of(wiki, channel):
        raise PolicyError(
            f"memory.channels says that the channel {channel} becomes nothing",
            where=wiki.config.settings["memory.channels"].origin,
        )
    place = wiki.here / path
    try:
        data, changed = read_bounded(place, MAX_FILE), place.stat().st_mtime
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of(error)}", where=path.name) from error
    if len(data) > MAX_FILE or b"\0" in data:
        raise InputError(
            "is no text" if b"\0" in data else f"has more than {MAX_FILE} bytes",
            where=path.name,
            fix="Split it, or make text of it.",
        )
    # What is told tomorrow would count as the last word for ever.
    ts = min(_stamped(path.name) or changed, clock())
    return recorded(channel, data.decode("utf-8", "replace"), ts, local_offset(ts))


def _stamped(name: str) -> float:
    """The moment that the name of a file begins with, in seconds; 0: none, or none since 1970."""
    found = _STAMP.match(name)
    if found is None:
        return 0
    hours = ":".join(found.groups(default="00")[1:])
    try:
        moment = datetime.fromisoformat(f"{found[1]}T{hours}").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return max(moment.timestamp(), 0)
