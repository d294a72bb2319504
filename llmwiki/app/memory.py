"""The memory: what it holds and why, what is swept, struck and forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llmwiki.app.memory_consent import CommitRule, commit_rule, is_reviewed, private_memory
from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import LOG, MEMORY, SAID
from llmwiki.core.text import counted, sha256_hex
from llmwiki.landing.clock_and_typed_days import clock, local_offset

if TYPE_CHECKING:
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.memory.memory_pages import MemoryPages
    from llmwiki.memory.sweep import MemoryStep
    from llmwiki.pages.memory_notes import MemoryNote


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
class MemoryChange:
    """What a sweep would do, or did."""

    steps: tuple[MemoryStep, ...]
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


@dataclass(frozen=True, slots=True)
class NoteStory:
    """Why the memory holds a note."""

    note: MemoryNote
    sentences: tuple[MemoryNote, ...]
    heard: tuple[bool | None, ...]
    """For each sentence whether this clone's transcript has it; None: it has no transcript."""
    sealed: tuple[bool, ...]
    """For each sentence whether its id is that of its words."""
    earlier: tuple[MemoryNote, ...]
    """What it replaced, the newest first."""
    now: MemoryNote | None
    """What holds in its place; None: the note itself, or nothing."""
    commits: tuple[str, ...]
    """Ids and subjects of the last commits that brought it to its page, the newest first."""


def status(wiki: OpenWiki) -> MemoryStatus:
    """How the memory stands."""
    from llmwiki.memory.note_use_and_resident_page import MAX_RESIDENT, resident_tokens

    memory = _memory(wiki)
    notes = tuple(memory.notes())
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
        resident_tokens(memory),
        MAX_RESIDENT,
    )


def notes(wiki: OpenWiki, *, words: str = "", everything: bool = False) -> tuple[MemoryNote, ...]:
    """The notes that stand, the newest last; `everything`: replaced ones and sentences too.

    With `words` only those that have all of them, as a search takes them.
    """
    memory = _memory(wiki)
    found = [
        note
        for note in (memory.holding(words) if words.strip() else memory.notes())
        if everything or (note.successor is None and note.kind != SAID)
    ]
    return tuple(sorted(found, key=lambda n: (n.day, n.path, n.id)))


def why(wiki: OpenWiki, asked: str) -> tuple[NoteStory, ...]:
    """The stories of the notes that an id, or words, lead to; those that stand first.

    Raises InputError where there is none.
    """
    memory = _memory(wiki)
    named = memory.find(asked.strip().removeprefix("[[").removesuffix("]]").rpartition("^")[2])
    found = [named] if named else [n for n in memory.holding(asked) if n.kind != SAID]
    found.sort(key=lambda n: (n.successor is not None, n.day, n.id))
    if not found:
        raise InputError(
            "no note of the memory says this",
            where=asked[:80],
            fix="`wiki memory list --all` shows them; claims of documents: `wiki why`.",
        )
    return tuple(_story_of(wiki, note, memory) for note in found[:10])


def _story_of(wiki: OpenWiki, note: MemoryNote, memory: MemoryPages) -> NoteStory:
    from llmwiki.git.store.private_files import common_files
    from llmwiki.memory.redact_sessions import is_held
    from llmwiki.pages.memory_notes import is_sealed

    files = common_files(wiki.repo)
    said = tuple(each for _, s in note.sources if (each := memory.find(s)) is not None)
    earlier, later = memory.earlier(note), memory.later(note)
    return NoteStory(
        note,
        said,
        tuple(is_held(files, s.session, s.text) for s in said),
        tuple(is_sealed(s) for s in said),
        tuple(sorted(earlier, key=lambda n: (n.day, n.id), reverse=True)),
        later[-1] if later and not later[-1].successor_id else None,
        _commits(wiki, note),
    )


def _commits(wiki: OpenWiki, note: MemoryNote) -> tuple[str, ...]:
    """The commits that brought a note, or a link to it, to its page, the newest first."""
    from llmwiki.git.file_history import commits_that_changed

    found = commits_that_changed(wiki.repo, f"^{note.id}", note.path)
    return tuple(f"{c.oid[:10]} {c.subject}" for c in wiki.repo.commits(found[:5]))


def sweep(wiki: OpenWiki, *, apply: bool = False) -> MemoryChange:
    """What can go from the memory, what belongs together, and which notes use brings to the page
    that every conversation begins with; `apply` does it, in one commit."""
    from llmwiki.memory.land_memory import land_memory
    from llmwiki.memory.note_use_and_resident_page import promoted, promotions
    from llmwiki.memory.sweep import sweep_steps, swept

    uses = private_memory(wiki).uses()
    steps: list[MemoryStep] = []

    def change(memory: MemoryPages) -> tuple[dict[str, Any], None]:
        gone = sweep_steps(memory, _today())
        swept(memory, gone)
        moved = promotions(memory, uses, _today())
        promoted(memory, moved)
        steps[:] = [*gone, *moved]
        told = tuple(f"^{step.note.id}: {step.why}." for step in steps[:50])
        return {"title": f"swept {counted(len(steps), 'note')}", "notes": told}, None

    outcome = land_memory(wiki, change, dry_run=not apply).outcome
    return MemoryChange(tuple(steps), outcome if apply else None)


def forget(wiki: OpenWiki, ident: str) -> ForgetReport:
    """Takes a note's words away, and the sentences that only it rests on: from the pages, from
    this clone's transcripts, from what waits. The history keeps them.

    One that waits for a yes is let go, and its words with it. Raises InputError for an id that no
    note has.
    """
    from llmwiki.app.questions import QUESTIONS, desk
    from llmwiki.git.store.outcome import Outcome
    from llmwiki.git.store.private_files import common_files
    from llmwiki.index.index_file import discard, folder_of
    from llmwiki.memory.land_memory import land_memory
    from llmwiki.memory.redact_sessions import redact_sessions

    gone: list[MemoryNote] = []
    private, files = private_memory(wiki), common_files(wiki.repo)
    waiting = next((each for each in private.pending() if each.id == ident.strip()), None)
    if waiting is not None:
        private.drop(waiting.id)
        words = {waiting.item.item.text, *(quote.words for quote in waiting.item.quotes)}
        return ForgetReport((waiting.id,), Outcome(None), redact_sessions(files, words))

    def change(memory: MemoryPages) -> tuple[dict[str, Any], None]:
        gone[:] = _to_forget(memory, ident.strip().lstrip("^"))
        mark = sha256_hex(ident.encode())[:8]
        for note in gone:
            memory.forget(note, mark)
        return {"title": f"forgot {counted(len(gone), 'note')}"}, None

    outcome = land_memory(wiki, change).outcome
    words = {note.text for note in gone}
    sessions = redact_sessions(files, words)
    private.forget([note.id for note in gone], words)
    for name, row in QUESTIONS.items():
        if row.shows_notes:
            desk.forget(wiki.repo, name)
    # It holds the words until pages that have changed are written over in it.
    discard(folder_of(wiki.repo.git_dir))
    log = wiki.state.text(LOG)
    ids = tuple(note.id for note in gone)
    return ForgetReport(ids, outcome, sessions, any(text in log for text in words))


def note_of(wiki: OpenWiki, handle: str) -> tuple[str, str]:
    """Id and text of a note that stands, by its id or its handle, or of one that waits for a
    person's yes, by its id. Raises InputError where there is none."""
    ident = handle.strip().removesuffix("]]").rpartition("^")[2]
    for each in private_memory(wiki).pending():
        if each.id == ident:
            return ident, each.item.item.text
    found = _memory(wiki).find(ident)
    if found is None or found.kind == SAID or found.successor is not None:
        raise InputError(
            "no note of the memory that stands has this id",
            where=ident[:40],
            fix="Copy the handle of a note, such as [[memory#^n-0123456789]].",
        )
    return ident, found.text


def strike(wiki: OpenWiki, ident: str) -> Outcome:
    """Strikes a note, in one commit; its words stay readable, and nothing takes its place.

    Raises InputError for an id that no note has.
    """
    from llmwiki.memory.land_memory import land_memory

    def change(memory: MemoryPages) -> tuple[dict[str, Any], None]:
        (note, *_) = _to_forget(memory, ident)
        if note.successor is None:
            memory.strike(note, sha256_hex(ident.encode())[:8])
        return {"title": f"struck: {note.text}"}, None

    return land_memory(wiki, change).outcome


def note_use(wiki: OpenWiki, handles: Sequence[str], question: str, coverage: int) -> None:
    """Counts that notes were shown for what a person asked; private, and only ever lifts."""
    ids = [h.rpartition("#^")[2].removesuffix("]]") for h in handles if "#^n-" in h]
    if ids:
        private_memory(wiki).count(ids, question=question, score=coverage, day=_today())


def _today() -> str:
    from llmwiki.memory.conversation import local_date

    return local_date(clock(), local_offset(clock()))


def _memory(wiki: OpenWiki) -> MemoryPages:
    from llmwiki.memory.memory_pages import MemoryPages

    wiki.state.follow()
    return MemoryPages(wiki.state)


def _to_forget(memory: MemoryPages, ident: str) -> list[MemoryNote]:
    """A note and the sentences on which nothing else rests; a sentence and the notes on it."""
    note = memory.find(ident)
    if note is None:
        raise InputError(
            "no note of the memory has this id",
            where=ident[:40],
            fix="`wiki memory list` shows them with their ids.",
        )
    first = [note, *(memory.resting_on(ident) if note.kind == SAID else ())]
    ids = {n.id for n in first}
    mine = sorted({s for n in first for _, s in n.sources} - ids)
    alone = [s for s in mine if ids.issuperset(n.id for n in memory.resting_on(s))]
    return [*first, *(said for s in alone if (said := memory.find(s)) is not None)]
