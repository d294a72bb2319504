"""What was learned from conversations, as use cases: observed, explained, promoted, forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.learning import (
    LearnJob,
    LearnReport,
    learn_told,
    note_item,
    observed_talk,
)
from llmwiki.app.memory_consent import CommitRule, commit_rule, is_reviewed, private_memory
from llmwiki.app.memory_story import NoteStory, story_of
from llmwiki.app.settings import clock, local_offset
from llmwiki.core.errors import InputError
from llmwiki.core.note_kinds import SAID
from llmwiki.core.page_kinds import LOG, MEMORY
from llmwiki.core.text import counted, sha256_hex

if TYPE_CHECKING:
    from llmwiki.app.desk import Forecast
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.learn.book import MemoryBook
    from llmwiki.learn.item import LearnedItem
    from llmwiki.learn.land import LearnedTurn
    from llmwiki.learn.private_memory import PendingItem
    from llmwiki.learn.promote import Promotion
    from llmwiki.learn.sweep import SweepStep
    from llmwiki.learn.talk import Talk
    from llmwiki.models.client import Client
    from llmwiki.pages.memory_notes import MemoryNote
    from llmwiki.store.outcome import Outcome


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """How the memory of a clone stands."""

    rule: CommitRule
    origin: str
    """What says so."""
    is_reviewed: bool
    """Whether what is learned waits until a person has seen it."""
    kinds: Mapping[str, int]
    """Notes that stand, by kind; those without a kind under ``."""
    sentences: int
    days: int
    """Pages of days."""
    replaced: int
    pending: int
    counted: int
    """Notes whose use was counted in this clone."""
    resident_tokens: int
    resident_cap: int


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep would do, or did."""

    steps: tuple[SweepStep, ...]
    outcome: Outcome | None
    """None: it was only shown."""


@dataclass(frozen=True, slots=True)
class PromotionReport:
    """What use has promoted, or would."""

    promotions: tuple[Promotion, ...]
    outcome: Outcome | None
    """None: it was only shown."""


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was forgotten, and where its words still are."""

    ids: tuple[str, ...]
    outcome: Outcome
    sessions: tuple[str, ...]
    """Transcripts in which words were overwritten."""
    is_in_log: bool = False
    """Whether wiki/log.md has the words, in a line that nothing may rewrite."""


class WikiMemory:
    """What was learned from conversations; of a `Wiki`."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[OpenWiki]],
        reading: Callable[[], AbstractContextManager[OpenWiki]],
    ) -> None:
        self._opened = opened
        self._reading = reading

    # --- learning ------------------------------------------------------------------------

    def observe(
        self,
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

        with self._opened() as wiki:
            talk = _talk(wiki, transcript, host, channel, any_project=any_project)
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

    def learn(self, talk: Talk, client: Client | None = None) -> LearnReport:
        """Learns from a conversation. What landed before a failure stays."""
        with self._opened() as wiki:
            if client is None:
                return learn_told(wiki, talk)
            from llmwiki.app.learned_talk import learn_from

            return learn_from(wiki, talk, client)

    def note(self, talk: Talk, item: LearnedItem, *, agreed: bool) -> LearnReport:
        """Takes in one item that an agent notes while a conversation lasts; it rests on the
        statements of the talk. `agreed`: the person has agreed to commits beforehand."""
        with self._opened() as wiki:
            return note_item(wiki, talk, item, agreed=agreed)

    def prepare(
        self, transcript: Path, *, host: str = "", any_project: bool = False, channel: str = ""
    ) -> LearnJob:
        """Writes a job for an agent that reads a transcript; it lies below the git directory."""
        from llmwiki.app.learned_talk import prepared

        with self._opened() as wiki:
            return prepared(wiki, _talk(wiki, transcript, host, channel, any_project=any_project))

    def estimate(
        self,
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

        with self._opened() as wiki:
            talk = _talk(wiki, transcript, host, channel, any_project=any_project)
            return measure(wiki, Learning(wiki, talk), AskOptions(model))

    # --- permission ----------------------------------------------------------------------

    def rule(self) -> tuple[CommitRule, str]:
        """Whether what is learned is committed in this clone, and what says so."""
        with self._reading() as wiki:
            return commit_rule(wiki)

    def is_reviewed(self) -> bool:
        """Whether what is learned waits until a person has seen it."""
        with self._reading() as wiki:
            return is_reviewed(wiki)

    def set_rule(self, rule: str) -> None:
        """Keeps the person's answer for this clone; `ask` forgets it."""
        with self._opened() as wiki:
            private_memory(wiki).answer = "" if rule == "ask" else rule

    def pending(self) -> tuple[PendingItem, ...]:
        """What waits, in the order it was said."""
        with self._reading() as wiki:
            return private_memory(wiki).pending()

    def decide(
        self, *, accept: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> tuple[LearnedTurn, ...]:
        """Lands and drops items that wait, by their ids; `all` names all of them, but no channel's
        for landing: what nobody vouches for is agreed to one by one.

        Raises InputError for an id that nothing has.
        """
        from llmwiki.learn.land import land_learned

        with self._opened() as wiki:
            private = private_memory(wiki)
            waiting = {each.id: each for each in private.pending()}
            done: list[LearnedTurn] = []
            for ident in _named(drop, waiting):
                private.drop(ident)
            heard = {name: each for name, each in waiting.items() if not each.talk.is_untrusted}
            for ident in _named(accept, heard if "all" in accept else waiting):
                each = waiting[ident]
                done += land_learned(
                    wiki.repo,
                    wiki.state,
                    each.talk,
                    [each.item],
                    model="",
                    terms=wiki.landing(),
                )
                if not any(turn.refused for turn in done[-1:]):
                    private.settle(each.talk, [each.item])
            return tuple(done)

    # --- looking -------------------------------------------------------------------------

    def status(self) -> MemoryStatus:
        """How the memory stands."""
        from llmwiki.learn.promote import MAX_RESIDENT, resident_tokens

        with self._reading() as wiki:
            book = _book(wiki)
            notes = tuple(book.notes())
            held = [n for n in notes if n.kind != SAID]
            kinds = [n.kind for n in held if n.successor is None]
            rule, origin = commit_rule(wiki)
            private = private_memory(wiki)
            return MemoryStatus(
                rule,
                origin,
                is_reviewed(wiki),
                {kind: kinds.count(kind) for kind in sorted(set(kinds))},
                len(notes) - len(held),
                len({n.path for n in notes} - {MEMORY}),
                sum(n.successor is not None for n in held),
                len(private.pending()),
                len(private.uses()),
                resident_tokens(book),
                MAX_RESIDENT,
            )

    def notes(self, *, words: str = "", everything: bool = False) -> tuple[MemoryNote, ...]:
        """The notes that stand, the newest last; `everything`: replaced ones and sentences too.

        With `words` only those that have all of them, as a search takes them.
        """
        with self._reading() as wiki:
            book = _book(wiki)
            found = [
                note
                for note in (book.holding(words) if words.strip() else book.notes())
                if everything or (note.successor is None and note.kind != SAID)
            ]
        return tuple(sorted(found, key=lambda n: (n.day, n.path, n.id)))

    def why(self, asked: str) -> tuple[NoteStory, ...]:
        """The stories of the notes that an id, or words, lead to; those that stand first.

        Raises InputError where there is none.
        """
        with self._reading() as wiki:
            book = _book(wiki)
            named = book.find(
                asked.strip().removeprefix("[[").removesuffix("]]").rpartition("^")[2]
            )
            found = [named] if named else [n for n in book.holding(asked) if n.kind != SAID]
            found.sort(key=lambda n: (n.successor is not None, n.day, n.id))
            if not found:
                raise InputError(
                    "no note of the memory says this",
                    where=asked[:80],
                    fix="`wiki memory list --all` shows them; claims of documents: `wiki why`.",
                )
            return tuple(story_of(wiki, note, book.related(note)) for note in found[:10])

    # --- changing ------------------------------------------------------------------------

    def promote(self, *, dry_run: bool = False) -> PromotionReport:
        """Brings notes that proved useful to the page that every conversation begins with."""
        from llmwiki.learn.promote import promoted, promotions

        with self._opened() as wiki:
            uses = private_memory(wiki).uses()
            moved: list[Promotion] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                moved[:] = promotions(book, uses, _today())
                promoted(book, moved)
                told = tuple(f"Promoted ^{p.note.id}: {p.numbers}." for p in moved)
                return f"promoted {counted(len(moved), 'note')}", told

            outcome = _change(wiki, change, dry_run=dry_run)
            return PromotionReport(tuple(moved), None if dry_run else outcome)

    def sweep(self, *, apply: bool = False) -> SweepReport:
        """What can go from the memory and what belongs together; `apply` does it, in one
        commit."""
        from llmwiki.learn.sweep import sweep_steps, swept

        with self._opened() as wiki:
            steps: list[SweepStep] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                steps[:] = sweep_steps(book, _today())
                swept(book, steps)
                told = tuple(f"^{step.note.id}: {step.why}." for step in steps[:50])
                return f"swept {counted(len(steps), 'note')}", told

            outcome = _change(wiki, change, dry_run=not apply)
            return SweepReport(tuple(steps), outcome if apply else None)

    def forget(self, ident: str) -> ForgetReport:
        """Takes a note's words away, and the sentences that only it rests on: from the pages, from
        this clone's transcripts, from what waits. The history keeps them.

        Raises InputError for an id that no note has.
        """
        from llmwiki.app.desk import forget
        from llmwiki.index.file import discard, folder_of
        from llmwiki.learn.forget import redact_sessions
        from llmwiki.store.private import common_files

        with self._opened() as wiki:
            gone: list[MemoryNote] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                gone[:] = _to_forget(book, ident.strip().lstrip("^"))
                mark = sha256_hex(ident.encode())[:8]
                for note in gone:
                    book.forget(note, mark)
                return f"forgot {counted(len(gone), 'note')}", ()

            outcome = _change(wiki, change)
            words = {note.text for note in gone}
            sessions = redact_sessions(common_files(wiki.repo), words)
            private_memory(wiki).forget([note.id for note in gone], words)
            for name in ("learned", "memory-tidy"):
                forget(wiki.repo, name)
            # It holds the words until pages that have changed are written over in it.
            discard(folder_of(wiki.repo.git_dir))
            log = wiki.state.text(LOG)
            ids = tuple(note.id for note in gone)
            return ForgetReport(ids, outcome, sessions, any(text in log for text in words))

    def note_of(self, handle: str) -> MemoryNote:
        """A note that stands, by its id or its handle. Raises InputError where there is none."""
        ident = handle.strip().removesuffix("]]").rpartition("^")[2]
        with self._reading() as wiki:
            found = _book(wiki).find(ident)
        if found is None or found.kind == SAID or found.successor is not None:
            raise InputError(
                "no note of the memory that stands has this id",
                where=ident[:40],
                fix="Copy the handle of a note, such as [[memory#^n-0123456789]].",
            )
        return found

    def strike(self, ident: str) -> Outcome:
        """Strikes a note, in one commit; its words stay readable, and nothing takes its place.

        Raises InputError for an id that no note has.
        """
        with self._opened() as wiki:

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                (note, *_) = _to_forget(book, ident)
                if note.successor is None:
                    book.strike(note, sha256_hex(ident.encode())[:8])
                return f"struck: {note.text}", ()

            return _change(wiki, change)

    def note_use(self, handles: Sequence[str], question: str, coverage: int) -> None:
        """Counts that notes were shown for what a person asked; private, and only ever lifts."""
        ids = [h.rpartition("#^")[2].removesuffix("]]") for h in handles if "#^n-" in h]
        if ids:
            with self._reading() as wiki:
                private_memory(wiki).count(ids, question=question, score=coverage, day=_today())


def _talk(wiki: OpenWiki, path: Path, host: str, channel: str, *, any_project: bool) -> Talk:
    if channel:
        from llmwiki.app.channel import channel_talk

        return channel_talk(wiki, path, channel)
    return observed_talk(wiki, path, host, any_project=any_project)


def _named(ids: Sequence[str], waiting: Mapping[str, object]) -> list[str]:
    if "all" in ids:
        return list(waiting)
    missing = [ident for ident in ids if ident not in waiting]
    if missing:
        raise InputError(
            "nothing of this id waits", where=missing[0][:40], fix="`wiki memory review` lists."
        )
    return list(dict.fromkeys(ids))


# --- looking and changing ------------------------------------------------------------------


def _today() -> str:
    from llmwiki.learn.talk import local_date

    return local_date(clock(), local_offset(clock()))


def _book(wiki: OpenWiki) -> MemoryBook:
    from llmwiki.learn.book import MemoryBook

    wiki.state.follow()
    return MemoryBook(wiki.state)


def _change(
    wiki: OpenWiki,
    change: Callable[[MemoryBook], tuple[str, tuple[str, ...]]],
    *,
    dry_run: bool = False,
) -> Outcome:
    """One commit of what `change` does to the memory; it returns title and sentences."""
    from llmwiki.learn.book import MemoryBook
    from llmwiki.memory.land import Made, Operation, land
    from llmwiki.memory.state import WikiState

    def make(current: WikiState) -> Made[None]:
        book = MemoryBook(current)
        title, told = change(book)
        if not book.changed:
            return Made(None, None)
        return Made(Operation(kind="memory", title=title, pages=book.changed, notes=told), None)

    return land(
        wiki.repo, wiki.state, make, operation="memory", terms=wiki.landing(), dry_run=dry_run
    ).outcome


def _to_forget(book: MemoryBook, ident: str) -> list[MemoryNote]:
    """A note and the sentences on which nothing else rests; a sentence and the notes on it."""
    note = book.find(ident)
    if note is None:
        raise InputError(
            "no note of the memory has this id",
            where=ident[:40],
            fix="`wiki memory list` shows them with their ids.",
        )
    first = [note, *(book.resting_on(ident) if note.kind == SAID else ())]
    ids = {n.id for n in first}
    mine = sorted({s for n in first for _, s in n.sources} - ids)
    alone = [s for s in mine if ids.issuperset(n.id for n in book.resting_on(s))]
    return [*first, *(said for s in alone if (said := book.find(s)) is not None)]
