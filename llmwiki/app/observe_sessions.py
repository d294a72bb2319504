"""What an agent has said with a person elsewhere, read to learn from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.learn import LearnJob, LearnReport, kept
from llmwiki.app.memory_consent import commit_rule, private_memory
from llmwiki.core.declared_options import CheckedOptions, max_cost, opt
from llmwiki.core.errors import PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.landing.clock_and_typed_days import clock, local_offset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.memory.conversation import LearnedItem, Talk
    from llmwiki.models.client import Client


@dataclass(frozen=True, slots=True)
class ObserveOptions(CheckedOptions):
    """What is learned from, and by whom it is read."""

    host: str | None = opt(
        None,
        "Whose transcript it is; else its lines tell.",
        choices=("claude", "codex", "gemini"),
    )
    any_project: bool = opt(False, "Also one that was held in another folder.")
    model: str | None = opt(None, "Model that reads what was said.")
    """None: only what was plainly asked to be kept is learned."""
    max_cost: float | None = max_cost()
    dry_run: bool = opt(False, "Check everything and keep nothing.")


def observe(wiki: OpenWiki, transcript: Path, options: ObserveOptions | None = None) -> LearnReport:
    """Learns from the transcript of another agent; the same one again adds nothing.

    With a model it reads what was said; else only what was plainly asked to be kept counts.
    Raises InputError for a file that is no transcript, PolicyError for one of another project.
    """
    from llmwiki.app.which_model import client_for, model_to_call

    chosen = options or ObserveOptions()
    talk = talk_in(wiki, transcript, chosen)
    settings = model_to_call(wiki, chosen.model) if chosen.model else None
    if settings is None:
        return learn(wiki, talk, dry_run=chosen.dry_run)
    with client_for(wiki.config, settings, chosen.max_cost) as client:
        return learn(wiki, talk, client, dry_run=chosen.dry_run)


def learn(
    wiki: OpenWiki, talk: Talk, client: Client | None = None, *, dry_run: bool = False
) -> LearnReport:
    """Learns from a conversation: what a model finds in it, which sees each turn once; without one,
    what was plainly asked to be kept. What landed before a failure stays."""
    from llmwiki.app.questions.learn_from_talk import found_by_model
    from llmwiki.memory.remember_phrases import explicit_items

    shown, name = talk.evidence(), "explicit"
    if client is None:
        return kept(wiki, talk, shown, explicit_items(shown), name, dry_run=dry_run)
    private = private_memory(wiki)
    items: Sequence[LearnedItem] = ()
    fresh = tuple(s for s in shown if s.turn > private.read_to(talk.session))
    is_worth_it = any(s.origin == "typed" for s in fresh)
    if is_worth_it and commit_rule(wiki)[0] != "never":
        name = client.settings.model
        items = found_by_model(wiki, talk, fresh, client)
    report = kept(wiki, talk, shown, items, name, dry_run=dry_run)
    if not dry_run and report.rule != "never" and shown:
        private.note_read(talk.session, max(s.turn for s in shown))
    return report


def prepare(wiki: OpenWiki, transcript: Path, options: ObserveOptions | None = None) -> LearnJob:
    """Writes a job for an agent that reads a transcript; it lies below the git directory."""
    from llmwiki.app.questions.learn_from_talk import prepared

    return prepared(wiki, talk_in(wiki, transcript, options or ObserveOptions()))


def talk_in(wiki: OpenWiki, transcript: Path, options: ObserveOptions) -> Talk:
    """The conversation of a transcript. Raises InputError for a file that is none, PolicyError for
    one of another project."""
    from llmwiki.memory.transcripts_of_coding_agents import observe

    path = transcript if transcript.is_absolute() else wiki.here / transcript
    talk = observe(path, options.host or "", local_offset(clock()))
    top = wiki.repo.top.resolve()
    # A transcript may name what no path can be.
    folder = talk.folder.replace("\0", "").encode("utf-8", "replace").decode()
    place = Path(folder).resolve() if folder else top
    if folder.startswith("sha256:"):
        named = [hashed for hashed in (top, wiki.repo.root) if folder == f"sha256:{_hash(hashed)}"]
        place = named[0] if named else Path(folder)
    if not options.any_project and not place.is_relative_to(top):
        raise PolicyError(
            f"it is of another project: {talk.folder[:200]}",
            where=transcript.name,
            fix="Say --any-project where what was said there may come into this wiki.",
        )
    return talk


def _hash(folder: Path) -> str:
    return sha256_hex(folder.as_posix().encode())
