"""What changes a wiki, a method a use case."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from llmwiki.app.callbacks import ignore
from llmwiki.app.notes_refused import notes_refused
from llmwiki.app.wiki_place import WikiPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from llmwiki.app.apply import AgentAnswer, ApplyOptions, ApplyReport
    from llmwiki.app.desk import AskOptions, DeskJobs, DeskRun, Forecast
    from llmwiki.app.estimate import IngestEstimate, SourceEstimate
    from llmwiki.app.export import ExportOptions, ExportResult
    from llmwiki.app.graph import GraphOptions
    from llmwiki.app.import_ import ImportOptions, ImportResult
    from llmwiki.app.ingest_types import IngestOptions, IngestReport
    from llmwiki.app.lint import LintOptions, LintResult
    from llmwiki.app.lint_fix import FixResult
    from llmwiki.app.named_sources import SourceStream
    from llmwiki.app.questions import QuestionKind
    from llmwiki.app.reading_jobs import PreparedJob
    from llmwiki.app.watch import WatchOptions, WatchReport
    from llmwiki.edit.page_moves import PageMoveResult
    from llmwiki.edit.prose import EditedPage
    from llmwiki.edit.skills.change import ChangedSkill, SkillEdit
    from llmwiki.ingest.report import OperationReport
    from llmwiki.store.outcome import Outcome

READING = ("judgement", "edges")
"""Kinds of questions whose answers change no page: they may be asked of any Markdown."""


class WikiChanges(WikiPlace):
    """What changes a wiki, and what prepares it: each that changes pages makes one commit an
    operation, or nothing."""

    def ingest(
        self,
        paths: Sequence[str] = (),
        options: IngestOptions | None = None,
        *,
        stream: SourceStream | None = None,
        started: Callable[[int, int], None] = ignore,
        on: Callable[[OperationReport], None] = ignore,
    ) -> IngestReport:
        """Reads sources into the wiki, one commit each.

        `paths` are files, folders, globs and addresses; `stream` is a source that lies in no file.
        `started` takes how many sources are new and how many were named; `on` what became of each
        new one.
        Of several sources what fails is reported and does not stop the rest; the failure of a
        source that is the only one is raised, unless `options.collect`.
        """
        from llmwiki.app.ingest import ingest
        from llmwiki.app.ingest_types import IngestOptions

        with self._opened() as wiki:
            return ingest(wiki, paths, options or IngestOptions(), stream, started=started, on=on)

    def prepare(
        self,
        paths: Sequence[str] = (),
        options: IngestOptions | None = None,
        *,
        stream: SourceStream | None = None,
        which: str | None = None,
        on: Callable[[PreparedJob], None] = ignore,
    ) -> tuple[PreparedJob, ...]:
        """The jobs for an agent that reads sources, one a segment, written to files; no commit.

        Only segment `which`, `K` or `K/N`, where one is named: without a file. `on` takes each job
        as it is made.
        """
        from llmwiki.app.ingest import prepare
        from llmwiki.app.ingest_types import IngestOptions

        with self._opened() as wiki:
            return prepare(wiki, paths, options or IngestOptions(), stream, which=which, on=on)

    def estimate(
        self,
        paths: Sequence[str] = (),
        options: IngestOptions | None = None,
        *,
        stream: SourceStream | None = None,
        on: Callable[[SourceEstimate], None] = ignore,
    ) -> IngestEstimate:
        """What reading sources by a model would take; none is called.

        `on` takes the estimate of each source as it is made.
        """
        from llmwiki.app.ingest import estimate
        from llmwiki.app.ingest_types import IngestOptions

        with self._opened() as wiki:
            return estimate(wiki, paths, options or IngestOptions(), stream, on=on)

    def watch(
        self,
        options: WatchOptions | None = None,
        *,
        on: Callable[[OperationReport], None] = ignore,
        landed: Callable[[], None] = ignore,
    ) -> WatchReport:
        """Ingests what arrives in raw/ or a named folder, as soon as it is whole.

        It runs until an exception, such as KeyboardInterrupt, ends it; with `options.once` it ends
        when all is read. `on` takes what became of each source, `landed` is called after each
        batch. Raises InputError for no such folder, LockTimeout where another process does the
        same, CostError where a limit is set and the model has no price.
        """
        from llmwiki.app.watch import WatchOptions, watch

        return watch(self._opened, options or WatchOptions(), on, landed)

    def apply(
        self, answers: Sequence[str | AgentAnswer], options: ApplyOptions | None = None
    ) -> ApplyReport:
        """Checks what an agent has written, and commits or keeps it.

        `answers` are files that hold JSON, or the JSON itself. Of several what fails is reported;
        the failure of one alone is raised, unless `options.collect`.
        """
        from llmwiki.app.apply import ApplyOptions, answer_in, apply

        read = [answer_in(self._here, a) if isinstance(a, str) else a for a in answers]
        with self._opened() as wiki:
            return apply(wiki, read, options or ApplyOptions())

    def fix(
        self,
        options: LintOptions | None = None,
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> tuple[FixResult, ...]:
        """Mends what it can, beyond doubt, of what `lint` would report, in one commit; where that
        shows more that can be, in further ones, until nothing is left. A dry run plans the first.
        """
        from llmwiki.app.lint import LintOptions
        from llmwiki.app.lint_fix import fix

        with self._opened() as wiki:
            return fix(
                wiki, options or LintOptions(), dry_run=dry_run, allow_detached=allow_detached
            )

    def write_baseline(self, name: str, result: LintResult) -> None:
        """Writes all that a lint found, as known findings, into the file `name`.

        Raises PolicyError for a file outside of the wiki's root or one of the wiki's own.
        """
        from llmwiki.app.lint_reports import write_baseline

        with self._reading() as wiki:
            write_baseline(wiki, name, result.found)

    def write_report(self, name: str, text: str) -> None:
        """Writes the text of a report into the file `name`, which is none of the wiki's own.

        Raises PolicyError for one that is, InputError where it cannot be written.
        """
        from llmwiki.app.lint_reports import write_report

        with self._reading() as wiki:
            write_report(wiki, name, text)

    def ask_parts(
        self,
        kind: QuestionKind,
        options: AskOptions | None = None,
        about: LintOptions | GraphOptions | None = None,
        *,
        limit: int | None = None,
    ) -> DeskRun[Any]:
        """Lets a model answer one kind of question, part after part.

        `tidy` asks about pages that may be one, claims in conflict, leads that do not fit and pages
        that nothing links, as lint and graph find them; `memory-tidy` about notes that say the same
        or no longer hold; `judgement` about claims beside their quotes; `edges` about pages that
        are related and not linked. Each part of the first two lands as one commit, what the others
        give is kept. `about` says which pages, of which commit; `limit` how many pages are read for
        edges. Raises InputError where there is no model, PolicyError for what a call may cost.
        """
        from llmwiki.app.desk import AskOptions, ask
        from llmwiki.app.questions import opened

        chosen = options or AskOptions()
        with self._opened(reads_only=kind in READING) as wiki:
            terms = None if kind in READING else wiki.landing(chosen.allow_detached)
            with opened(
                wiki, kind, about, terms=terms, dry_run=chosen.dry_run, limit=limit
            ) as question:
                return ask(wiki, question, chosen)

    def prepare_parts(
        self,
        kind: QuestionKind,
        which: str | None = None,
        about: LintOptions | GraphOptions | None = None,
        *,
        limit: int | None = None,
    ) -> DeskJobs:
        """Writes the parts of the same question as files for an agent; or gives the text of part
        `which`, `K` or `K/N`. `apply` takes the answers. Raises InputError for no such part."""
        from llmwiki.app.desk import prepare
        from llmwiki.app.questions import opened

        with (
            self._opened(reads_only=kind in READING) as wiki,
            opened(wiki, kind, about, limit=limit) as question,
        ):
            return prepare(wiki, question, which)

    def measure_parts(
        self,
        kind: QuestionKind,
        options: AskOptions | None = None,
        about: LintOptions | GraphOptions | None = None,
        *,
        limit: int | None = None,
    ) -> Forecast:
        """What a model would take for the same question; none is called."""
        from llmwiki.app.desk import AskOptions, measure
        from llmwiki.app.questions import opened

        with (
            self._opened(reads_only=kind in READING) as wiki,
            opened(wiki, kind, about, limit=limit) as question,
        ):
            return measure(wiki, question, options or AskOptions())

    def change_skill(
        self, edit: SkillEdit, *, dry_run: bool = False, allow_detached: bool = False
    ) -> ChangedSkill:
        """Makes, changes or deletes a skill of the agent, in one commit; with `dry_run` nothing is
        written.

        Raises InputError for what it may not hold, PolicyError for a skill of people, a secret, or
        words by which texts take over the models that read them.
        """
        from llmwiki.app.skills import change_skill

        with self._opened(reads_only=dry_run) as wiki:
            return change_skill(wiki, edit, dry_run=dry_run, allow_detached=allow_detached)

    def rename(
        self,
        page: str,
        title: str,
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
        review: bool = False,
    ) -> PageMoveResult:
        """Gives a page another title and file name, and leads every link to it; one commit.

        The old title stays as an alias; with `review` the commit waits on a
        branch. Raises InputError where there is no such page or the title is another page's,
        PolicyError for pages that keep their name.
        """
        from llmwiki.edit.page_moves import rename

        with notes_refused(self._reading), self._opened() as wiki:
            terms = wiki.landing(allow_detached, review=review)
            return rename(wiki.repo, wiki.state, page, title, terms=terms, dry_run=dry_run)

    def merge(
        self,
        page: str,
        into: str,
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
        review: bool = False,
    ) -> PageMoveResult:
        """Makes one page of two: what stands on `page` comes to `into`, and every link leads
        there; one commit. Raises as `rename`."""
        from llmwiki.edit.page_moves import merge

        with notes_refused(self._reading), self._opened() as wiki:
            terms = wiki.landing(allow_detached, review=review)
            return merge(wiki.repo, wiki.state, page, into, terms=terms, dry_run=dry_run)

    def split(
        self,
        page: str,
        title: str,
        claims: Sequence[str],
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
        review: bool = False,
    ) -> PageMoveResult:
        """Moves the claims of these ids from `page` to the page `title`, which is made where there
        is none; one commit. Raises as `rename`, and InputError for a claim that is not there."""
        from llmwiki.edit.page_moves import split

        with notes_refused(self._reading), self._opened() as wiki:
            terms = wiki.landing(allow_detached, review=review)
            return split(wiki.repo, wiki.state, page, title, claims, terms=terms, dry_run=dry_run)

    def export(
        self, form: str, place: str | os.PathLike[str], options: ExportOptions | None = None
    ) -> ExportResult:
        """Writes the pages of HEAD into the folder `place`, in a format of other programs (`okf`).

        Raises PolicyError for a folder that holds something else than an earlier export, and where
        a secret would leave; InputError for no such format.
        """
        from llmwiki.app.export import ExportOptions, export

        with self._reading() as wiki:
            return export(wiki, form, self._named(place), options or ExportOptions())

    def import_(
        self, form: str, place: str | os.PathLike[str], options: ImportOptions | None = None
    ) -> ImportResult:
        """Takes the pages in the folder `place` into the wiki, in one commit.

        `form` says whose they are: `okf` or `obsidian`. What was imported before
        is left as it is. Raises InputError for no such format or a folder without pages,
        PolicyError for one that is a link or too large, and what a landing raises.
        """
        from llmwiki.app.import_ import ImportOptions, import_folder

        with self._opened() as wiki:
            return import_folder(wiki, form, self._named(place), options or ImportOptions())

    def remember(
        self,
        text: str,
        *,
        kind: str = "fact",
        told_by: str = "person",
        session: str = "",
        turn: int = 0,
        key: str = "",
        value: str = "",
        replaces: str = "",
        allow_secret: Iterable[str] = (),
        allow_detached: bool = False,
        review: bool = False,
    ) -> Outcome:
        """Adds a note, in one commit; the same words again change nothing.

        A person's preferences and procedures stand on wiki/memory.md, all else on the page of its
        day. `kind` is one of `core.note_kinds.NOTE_KINDS`; `told_by` is `person`
        or `agent`; a `session` stands in the note, and with a `turn` (from 1) both stand in the
        trailers of the commit. With a `key`, what was noted of it before, of that kind, is struck
        and leads to this note, whose `value` counts now; so is the note of the id `replaces`. With
        `review` it waits on a branch, as all does where the wiki says so. Raises PolicyError for
        what looks like a secret.
        """
        from llmwiki.learn.remember import remember

        with self._opened() as wiki:
            return remember(
                wiki.repo,
                wiki.state,
                text,
                kind=kind,
                told_by=told_by,
                session=session,
                turn=turn,
                key=key,
                value=value,
                replaces=replaces,
                terms=wiki.landing(allow_detached, review=review),
                allowed_secrets=frozenset(allow_secret),
            )

    def edit_page(
        self,
        name: str,
        change: Callable[[str], str],
        *,
        session: str = "",
        turn: int = 0,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> EditedPage:
        """Rewrites the prose of a page, in one commit; with `dry_run` nothing is written.

        `change` takes the whole text of the page and gives the new one; it may be called again.
        Raises InputError for no such page, PolicyError where more than prose would change or where
        there would be a secret or another error of safety (WK601 to WK611) that was not there
        before, and what `change` raises.
        """
        from llmwiki.edit.prose import edit_page
        from llmwiki.lint.rules.safety import demand_no_new_error

        with self._opened(reads_only=dry_run) as wiki:
            return edit_page(
                wiki.repo,
                wiki.state,
                name,
                change,
                session=session,
                turn=turn,
                dry_run=dry_run,
                terms=wiki.landing(allow_detached),
                demand_safe=demand_no_new_error,
            )

    def overview(
        self,
        text: str | None = None,
        *,
        model: str | None = None,
        max_cost: float | None = None,
        allow_detached: bool = False,
    ) -> Outcome:
        """Rewrites the opening of wiki/overview.md, in one commit: with `text`, or by a model, or
        without one from counts. Under it stand the themes of the wiki, each with its main pages."""
        from llmwiki.app.overview import overview

        with self._opened() as wiki:
            return overview(
                wiki, text, model=model, max_cost=max_cost, allow_detached=allow_detached
            )
