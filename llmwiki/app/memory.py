"""What was learned from conversations, as use cases: observed, explained, promoted, forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from llmwiki.app.settings import clock, user_table
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.note_kinds import SAID
from llmwiki.core.page_kinds import LOG
from llmwiki.core.text import counted, fold, normalise, sha256_hex
from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.learn.book import MemoryBook
    from llmwiki.learn.gate import CheckedItem
    from llmwiki.learn.item import LearnedItem, RefusedItem
    from llmwiki.learn.land import LearnedTurn
    from llmwiki.learn.private_memory import PendingItem, PrivateMemory
    from llmwiki.learn.promote import Promotion
    from llmwiki.learn.sweep import SweepStep
    from llmwiki.learn.talk import Statement, Talk
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.models.client import Client
    from llmwiki.pages.memory_notes import MemoryNote
    from llmwiki.store.records import RecordFolder

CommitRule = Literal["ask", "always", "never"]
_BY = f"llmwiki/{__version__}"
_JOBS = "memory/jobs"
_TEXTS = "memory/texts"


@dataclass(frozen=True, slots=True)
class LearnReport:
    """What a conversation taught."""

    session: str
    host: str
    turns: int
    """Turns of the conversation."""
    statements: int
    """What of it an extractor was shown."""
    rule: CommitRule
    """Whether what is learned is committed: `ask` lets it wait."""
    extractor: str
    """`explicit`, `agent`, or the model."""
    learned: tuple[LearnedTurn, ...] = ()
    """What landed."""
    pending: tuple[PendingItem, ...] = ()
    """What waits for a person's yes."""
    refused: tuple[RefusedItem, ...] = ()
    skipped: int = 0
    """Lines of the transcript that could not be read."""

    @property
    def commits(self) -> tuple[tuple[int, str], ...]:
        """(turn, commit) of what landed."""
        return tuple((t.turn, t.outcome.commit) for t in self.learned if t.outcome.commit)


@dataclass(frozen=True, slots=True)
class LearnJob:
    """What an agent is to read."""

    id: str
    session: str
    statements: int
    file: str
    """Absolute; empty where there is nothing to read."""


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


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep would do, or did."""

    steps: tuple[SweepStep, ...]
    outcome: OperationOutcome | None
    """None: it was only shown."""


@dataclass(frozen=True, slots=True)
class PromotionReport:
    """What use has promoted, or would."""

    promotions: tuple[Promotion, ...]
    outcome: OperationOutcome | None
    """None: it was only shown."""


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was forgotten, and where its words still are."""

    ids: tuple[str, ...]
    outcome: OperationOutcome
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
        model: str | None = None,
        max_cost: float | None = None,
        dry_run: bool = False,
    ) -> LearnReport:
        """Learns from the transcript of another agent; the same one again adds nothing.

        With a `model` it reads what was said; else only what was plainly asked to be kept counts.
        Raises InputError for a file that is no transcript, PolicyError for one of another project.
        """
        from llmwiki.app.models import client_for, model_to_call

        with self._opened() as wiki:
            talk = _observed(wiki, transcript, host, any_project)
            settings = model_to_call(wiki, model) if model else None
            if settings is None:
                return _learned(wiki, talk, None, dry_run=dry_run)
            with client_for(wiki.config, settings, max_cost) as client:
                return _learned(wiki, talk, client, dry_run=dry_run)

    def learn(self, talk: Talk, client: Client | None = None) -> LearnReport:
        """Learns from a conversation. What landed before a failure stays."""
        with self._opened() as wiki:
            return _learned(wiki, talk, client)

    def prepare(self, transcript: Path, *, host: str = "", any_project: bool = False) -> LearnJob:
        """Writes a job for an agent that reads a transcript; it lies below the git directory."""
        from llmwiki.learn.prompt import newest, render_job
        from llmwiki.store.private import common_files

        with self._opened() as wiki:
            talk = _observed(wiki, transcript, host, any_project)
            shown = newest(talk.evidence())
            job = sha256_hex(f"{talk.session} {[(s.turn, s.text) for s in shown]}".encode())[:16]
            if not shown:
                return LearnJob("", talk.session, 0, "")
            _jobs(wiki).put(job, _job_record(talk, shown))
            name = f"{_TEXTS}/{job}.md"
            files = common_files(wiki.repo)
            files.write(name, render_job(job, shown).encode("utf-8", "replace"))
            return LearnJob(job, talk.session, len(shown), files.path(name).absolute().as_posix())

    # --- permission ----------------------------------------------------------------------

    def rule(self) -> tuple[CommitRule, str]:
        """Whether what is learned is committed in this clone, and what says so."""
        with self._reading() as wiki:
            return _rule(wiki)

    def set_rule(self, rule: str) -> None:
        """Keeps the person's answer for this clone; `ask` forgets it."""
        with self._opened() as wiki:
            _private(wiki).answer = "" if rule == "ask" else rule

    def is_reviewed(self) -> bool:
        """Whether what is learned waits until a person has seen it."""
        with self._reading() as wiki:
            return _is_reviewed(wiki)

    def pending(self) -> tuple[PendingItem, ...]:
        """What waits, in the order it was said."""
        with self._reading() as wiki:
            return _private(wiki).pending()

    def decide(
        self, *, accept: Sequence[str] = (), drop: Sequence[str] = ()
    ) -> tuple[LearnedTurn, ...]:
        """Lands and drops items that wait, by their ids; `all` names all of them.

        Raises InputError for an id that nothing has.
        """
        from llmwiki.learn.land import land_learned

        with self._opened() as wiki:
            private = _private(wiki)
            waiting = {each.id: each for each in private.pending()}
            done: list[LearnedTurn] = []
            for ident in _named(drop, waiting):
                private.drop(ident)
            for ident in _named(accept, waiting):
                each = waiting[ident]
                done += land_learned(
                    wiki.repo,
                    wiki.state,
                    each.talk,
                    [each.item],
                    by=_BY,
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
            rule, origin = _rule(wiki)
            private = _private(wiki)
            return MemoryStatus(
                rule,
                origin,
                _is_reviewed(wiki),
                {kind: kinds.count(kind) for kind in sorted(set(kinds))},
                len(notes) - len(held),
                len(book.paths()) - 1,
                sum(n.successor is not None for n in held),
                len(private.pending()),
                len(private.uses()),
                resident_tokens(book),
                MAX_RESIDENT,
            )

    def notes(self, *, words: str = "", everything: bool = False) -> tuple[MemoryNote, ...]:
        """The notes that stand, the newest last; `everything`: replaced ones and sentences too.

        With `words` only those that hold all of them.
        """
        wanted = fold(words).split()
        with self._reading() as wiki:
            found = [
                note
                for note in _book(wiki).notes()
                if (everything or (note.successor is None and note.kind != SAID))
                and all(word in fold(f"{note.text} {note.key} {note.value}") for word in wanted)
            ]
        return tuple(sorted(found, key=lambda n: (n.day, n.path, n.id)))

    def why(self, asked: str) -> tuple[NoteStory, ...]:
        """The stories of the notes that an id, or words, lead to; those that stand first.

        Raises InputError where there is none.
        """
        with self._reading() as wiki:
            notes = {note.id: note for note in _book(wiki).notes()}
            ident = asked.strip().removeprefix("[[").removesuffix("]]").rpartition("^")[2]
            found = [notes[ident]] if ident in notes else _holding(notes, asked)
            if not found:
                raise InputError(
                    "no note of the memory says this",
                    where=asked[:80],
                    fix="`wiki memory list --all` shows them; claims of documents: `wiki why`.",
                )
            return tuple(_story(wiki, note, notes) for note in found[:10])

    # --- changing ------------------------------------------------------------------------

    def promote(self, *, dry_run: bool = False) -> PromotionReport:
        """Brings notes that proved useful to the page that every conversation begins with."""
        from llmwiki.learn.promote import promoted, promotions

        with self._opened() as wiki:
            uses = _private(wiki).uses()
            moved: list[Promotion] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                moved[:] = promotions(book, uses, _today())
                promoted(book, moved)
                told = tuple(f"Promoted ^{p.note.id}: {p.numbers}." for p in moved)
                return f"promoted {counted(len(moved), 'note')}", told

            outcome = _change(wiki, change, dry_run=dry_run)
            return PromotionReport(tuple(moved), None if dry_run else outcome)

    def sweep(self, *, apply: bool = False) -> SweepReport:
        """What can go from the memory and what belongs together; `apply` does it, in one commit.

        Raises PolicyError where too little would stay.
        """
        from llmwiki.learn.sweep import sweep_steps, swept

        with self._opened() as wiki:
            steps: list[SweepStep] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                steps[:] = sweep_steps(book, _today())
                try:
                    swept(book, steps)
                except ValueError as wrong:
                    raise PolicyError(f"the sweep is too large: {wrong}") from None
                told = tuple(f"^{step.note.id}: {step.why}." for step in steps[:50])
                return f"swept {counted(len(steps), 'note')}", told

            outcome = _change(wiki, change, dry_run=not apply)
            return SweepReport(tuple(steps), outcome if apply else None)

    def forget(self, ident: str) -> ForgetReport:
        """Takes a note's words away, and the sentences that only it rests on: from the pages, from
        this clone's transcripts, from what waits. The history keeps them.

        Raises InputError for an id that no note has.
        """
        from llmwiki.learn.forget import redact_sessions
        from llmwiki.store.private import common_files

        with self._opened() as wiki:
            gone: list[MemoryNote] = []

            def change(book: MemoryBook) -> tuple[str, tuple[str, ...]]:
                notes = {note.id: note for note in book.notes()}
                gone[:] = _to_forget(notes, ident.strip().lstrip("^"))
                mark = sha256_hex(ident.encode())[:8]
                for note in gone:
                    book.forget(note, mark)
                return f"forgot {counted(len(gone), 'note')}", ()

            outcome = _change(wiki, change)
            words = {note.text for note in gone}
            sessions = redact_sessions(common_files(wiki.repo), words)
            _private(wiki).forget([note.id for note in gone], words)
            _forget_jobs(wiki, words)
            log = wiki.state.text(LOG)
            ids = tuple(note.id for note in gone)
            return ForgetReport(ids, outcome, sessions, any(text in log for text in words))

    def note_use(self, handles: Sequence[str], question: str, coverage: int) -> None:
        """Counts that notes were shown for what a person asked; private, and only ever lifts."""
        ids = [h.rpartition("#^")[2].removesuffix("]]") for h in handles if "#^n-" in h]
        if ids:
            with self._reading() as wiki:
                _private(wiki).count(ids, question=question, score=coverage, day=_today())


def take_learned(
    wiki: OpenWiki, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> LearnReport:
    """Checks what an agent learned (llmwiki.learned/1), and lands it or lets it wait.

    Raises ModelOutputError for what is no such answer, InputError for a job that nobody prepared.
    """
    from functools import partial

    from llmwiki.learn.answer import LearnedFile
    from llmwiki.models.agent import ParsedAnswer
    from llmwiki.models.task import validated

    answer = ParsedAnswer(name, data).read(partial(validated, LearnedFile))
    is_id = len(answer.job) == 16 and answer.job.isalnum() and answer.job.isascii()
    talk = _jobs(wiki).get(answer.job, _talk_of) if is_id else None
    if talk is None:
        raise InputError(
            "no job of this name was prepared here",
            where=name,
            fix="Run: wiki memory observe --transcript FILE --prepare",
        )
    items = [each.item for each in answer.items]
    return _kept(wiki, talk, talk.statements, items, model or "agent", dry_run=dry_run)


# --- learning ------------------------------------------------------------------------------


def local_offset(ts: float) -> int:
    """Seconds that this machine's clock is ahead of UTC at a moment."""
    return time.localtime(ts).tm_gmtoff


def _observed(wiki: OpenWiki, transcript: Path, host: str, any_project: bool) -> Talk:
    from llmwiki.learn.observe import observe

    path = transcript if transcript.is_absolute() else wiki.here / transcript
    talk = observe(path, host, local_offset(clock()))
    top = wiki.repo.top.resolve()
    # A transcript may name what no path can be.
    folder = talk.folder.replace("\0", "").encode("utf-8", "replace").decode()
    place = Path(folder).resolve() if folder else top
    if not any_project and not place.is_relative_to(top):
        raise PolicyError(
            f"it is of another project: {talk.folder[:200]}",
            where=transcript.name,
            fix="Say --any-project where what was said there may come into this wiki.",
        )
    return talk


def _learned(
    wiki: OpenWiki, talk: Talk, client: Client | None, *, dry_run: bool = False
) -> LearnReport:
    """What a conversation taught, landed or waiting. A model sees each turn once."""
    from llmwiki.learn.explicit import explicit_items

    shown = talk.evidence()
    private = _private(wiki)
    items: Sequence[LearnedItem] = explicit_items(shown)
    name = "explicit"
    fresh = tuple(s for s in shown if s.turn > private.read_to(talk.session))
    may_learn = _rule(wiki)[0] != "never"
    if client is not None and may_learn and any(s.origin == "typed" for s in fresh):
        from llmwiki.learn.prompt import learn_task, newest

        name = client.settings.model
        answer = learn_task(newest(fresh)).ask(client)
        items = (*items, *(each.item for each in answer.items))
    report = _kept(wiki, talk, shown, items, name, dry_run=dry_run)
    if client is not None and not dry_run and report.rule != "never" and shown:
        private.note_read(talk.session, max(s.turn for s in shown))
    return report


def _kept(
    wiki: OpenWiki,
    talk: Talk,
    shown: Sequence[Statement],
    items: Sequence[LearnedItem],
    extractor: str,
    *,
    dry_run: bool,
) -> LearnReport:
    from llmwiki.learn.gate import checked
    from llmwiki.learn.land import land_learned

    taken, refused = checked(items, shown)
    rule, _ = _rule(wiki)
    learned: tuple[LearnedTurn, ...] = ()
    pending: tuple[PendingItem, ...] = ()
    if taken and rule != "never":
        wiki.state.follow()
        new = _news(wiki, talk, taken)
        if rule == "always" and not _is_reviewed(wiki):
            learned = land_learned(
                wiki.repo,
                wiki.state,
                talk,
                new,
                by=_BY,
                model=extractor if extractor not in ("explicit", "agent") else "",
                terms=wiki.landing(),
                dry_run=dry_run,
            )
            refused = (*refused, *(row for turn in learned for row in turn.refused))
            if not dry_run:
                full = {row.text for turn in learned for row in turn.refused}
                _private(wiki).settle(talk, [t for t in taken if t.item.text not in full])
            learned = tuple(turn for turn in learned if turn.items)
        elif not dry_run:
            pending = _private(wiki).keep(talk, new)
    turns = max((s.turn for s in talk.statements), default=0)
    return LearnReport(
        talk.session,
        talk.host,
        turns,
        len(shown),
        rule,
        extractor,
        learned,
        pending,
        refused,
        talk.skipped,
    )


def _news(wiki: OpenWiki, talk: Talk, taken: Sequence[CheckedItem]) -> list[CheckedItem]:
    """The items that would change the memory, and that nobody has let go."""
    from llmwiki.learn.book import MemoryBook

    dropped = _private(wiki).dropped(talk, taken)
    book = MemoryBook(wiki.state, _BY)
    found = []
    for each in taken:
        # Each for itself, and the pages of the state are read once.
        book.changed.clear()
        if each not in dropped and book.learn(each, talk):
            found.append(each)
    return found


# --- permission ----------------------------------------------------------------------------


def _rule(wiki: OpenWiki) -> tuple[CommitRule, str]:
    """A repository may only forbid; the user's own setting and the answer of this clone agree."""
    setting = wiki.config.settings["memory.commit"]
    value = wiki.config.text("memory.commit")
    if value not in ("ask", "always", "never"):
        raise InputError(
            f"memory.commit is {value[:40]!r}; it may be ask, always, never", where=setting.origin
        )
    users = user_table().get("memory")
    if isinstance(users, Mapping) and users.get("commit") == "never":
        return "never", "your own settings"
    if value == "never":
        return "never", setting.origin
    if value == "always" and setting.is_users:
        return "always", setting.origin
    answer = _private(wiki).answer
    if answer == "never":
        return "never", "the answer for this clone"
    return ("always", "the answer for this clone") if answer else ("ask", "nobody has answered yet")


def _is_reviewed(wiki: OpenWiki) -> bool:
    users = user_table().get("memory")
    is_users = isinstance(users, Mapping) and users.get("review") == "ask"
    # A repository may ask for it, and cannot take it back.
    return is_users or wiki.config.text("memory.review") == "ask"


def _private(wiki: OpenWiki) -> PrivateMemory:
    from llmwiki.learn.private_memory import PrivateMemory
    from llmwiki.store.private import common_files

    return PrivateMemory(common_files(wiki.repo))


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
    return MemoryBook(wiki.state, _BY)


def _change(
    wiki: OpenWiki,
    change: Callable[[MemoryBook], tuple[str, tuple[str, ...]]],
    *,
    dry_run: bool = False,
) -> OperationOutcome:
    """One commit of what `change` does to the memory; it returns title and sentences."""
    from llmwiki.learn.book import MemoryBook
    from llmwiki.memory.land import Made, Operation, land
    from llmwiki.memory.state import WikiState

    def make(current: WikiState) -> Made[None]:
        book = MemoryBook(current, _BY)
        title, told = change(book)
        if not book.changed:
            return Made(None, None)
        return Made(Operation(kind="memory", title=title, pages=book.changed, notes=told), None)

    return land(
        wiki.repo, wiki.state, make, operation="memory", terms=wiki.landing(), dry_run=dry_run
    ).outcome


def _holding(notes: Mapping[str, MemoryNote], words: str) -> list[MemoryNote]:
    wanted = fold(words).split()
    found = [
        note
        for note in notes.values()
        if note.kind != SAID
        and wanted
        and all(word in fold(f"{note.text} {note.key} {note.value}") for word in wanted)
    ]
    return sorted(found, key=lambda n: (n.successor is not None, n.day, n.id))


def _story(wiki: OpenWiki, note: MemoryNote, notes: Mapping[str, MemoryNote]) -> NoteStory:
    from llmwiki.learn.forget import is_held
    from llmwiki.learn.sweep import resolved
    from llmwiki.pages.memory_notes import is_sealed
    from llmwiki.store.private import common_files

    files = common_files(wiki.repo)
    said = tuple(notes[s] for _, s in note.sources if s in notes)
    head, steps = resolved(notes, note.id)
    earlier = [n for n in notes.values() if n.id != note.id and _leads_to(notes, n.id, note.id)]
    return NoteStory(
        note,
        said,
        tuple(is_held(files, s.session, s.text) for s in said),
        tuple(is_sealed(s) for s in said),
        tuple(sorted(earlier, key=lambda n: (n.day, n.id), reverse=True)),
        notes.get(head) if steps else None,
        _commits(wiki, note),
    )


def _leads_to(notes: Mapping[str, MemoryNote], ident: str, goal: str) -> bool:
    seen = set()
    while ident in notes and ident not in seen:
        seen.add(ident)
        ident = notes[ident].successor_id
        if ident == goal:
            return True
    return False


def _commits(wiki: OpenWiki, note: MemoryNote) -> tuple[str, ...]:
    """The commits that brought a note, or a link to it, to its page, the newest first."""
    from llmwiki.repo.pickaxe import commits_that_changed

    found = commits_that_changed(wiki.repo, f"^{note.id}", note.path)
    return tuple(f"{c.oid[:10]} {c.subject}" for c in wiki.repo.commits(found[:5]))


def _to_forget(notes: Mapping[str, MemoryNote], ident: str) -> list[MemoryNote]:
    if ident not in notes:
        raise InputError(
            "no note of the memory has this id",
            where=ident[:40],
            fix="`wiki memory list` shows them with their ids.",
        )
    note = notes[ident]
    users = [n for n in notes.values() if any(s == ident for _, s in n.sources)]
    first = [note, *users] if note.kind == SAID else [note]
    ids = {n.id for n in first}
    mine = {s for n in first for _, s in n.sources}
    others = {s for n in notes.values() if n.id not in ids for _, s in n.sources}
    return [*first, *(notes[s] for s in sorted(mine - others - ids) if s in notes)]


# --- jobs ----------------------------------------------------------------------------------


def _jobs(wiki: OpenWiki) -> RecordFolder:
    from llmwiki.store.private import common_files
    from llmwiki.store.records import RecordFolder

    return RecordFolder(common_files(wiki.repo), _JOBS, "llmwiki.learn-job/1")


def _forget_jobs(wiki: OpenWiki, words: Iterable[str]) -> None:
    """Drops the jobs that hold any of these words, and those that nobody can read."""
    from llmwiki.store.private import common_files

    gone = tuple(map(normalise, words))
    jobs, files = _jobs(wiki), common_files(wiki.repo)
    for name in jobs.names():
        talk = jobs.get(name, _talk_of)
        held = [normalise(said.text) for said in talk.statements] if talk else []
        if talk is None or any(word in text for word in gone for text in held):
            files.delete(f"{_TEXTS}/{name}.md")
            jobs.delete(name)


def _job_record(talk: Talk, shown: Sequence[Statement]) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "session": talk.session,
        "host": talk.host,
        "offset": talk.offset,
        "statements": [asdict(said) for said in shown],
    }


def _talk_of(data: Mapping[str, object]) -> Talk:
    from llmwiki.learn.talk import Statement, Talk

    rows = data["statements"]
    assert isinstance(rows, list)
    said = tuple(Statement(**row) for row in rows)
    return Talk(str(data["session"]), said, str(data["host"]), int(str(data["offset"])))
