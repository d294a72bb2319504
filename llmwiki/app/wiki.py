"""`Wiki`: every use case of a wiki as a method, values in and values out."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.app.callbacks import Callbacks, ignore
from llmwiki.app.open_wiki import opened
from llmwiki.app.page_folders import layout_at
from llmwiki.core.errors import InputError, StateError
from llmwiki.repo.layout import Layout, NoWiki

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from llmwiki.app.apply import AgentAnswer, ApplyOptions, ApplyReport
    from llmwiki.app.context import ContextResult
    from llmwiki.app.cost import CostReport
    from llmwiki.app.estimate import IngestEstimate, SourceEstimate
    from llmwiki.app.export import ExportOptions, ExportResult
    from llmwiki.app.graph import GraphOptions, Neighbourhood, PagePath, WikiGraph
    from llmwiki.app.graph_edges import EdgesRead
    from llmwiki.app.import_ import ImportOptions, ImportResult
    from llmwiki.app.index import IndexReport
    from llmwiki.app.ingest_types import IngestOptions, IngestReport
    from llmwiki.app.judgement import JudgementForecast, JudgementJobs
    from llmwiki.app.lint import LintOptions, LintResult
    from llmwiki.app.lint_fix import FixResult
    from llmwiki.app.log import OperationLog
    from llmwiki.app.memory import WikiMemory
    from llmwiki.app.named_sources import SourceStream
    from llmwiki.app.open_files import OpenFiles
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.app.operation_report import OperationReport
    from llmwiki.app.query import QueryOptions, QueryResult
    from llmwiki.app.reading import PageListing, ReaderPage, ReaderSource, WikiFront
    from llmwiki.app.reading_jobs import PreparedJob
    from llmwiki.app.recall import Recall
    from llmwiki.app.recall_log import RecallRecord
    from llmwiki.app.search import SearchResult
    from llmwiki.app.show import ShownPage
    from llmwiki.app.skill_doctor import TrialJob, TrialOptions, TrialReport
    from llmwiki.app.skills import CheckedSkill, ShownSkill
    from llmwiki.app.tidy import TidyJobs, TidyOptions, TidyReport
    from llmwiki.app.watch import WatchOptions, WatchReport
    from llmwiki.app.why import WhyResult
    from llmwiki.core.config import Config
    from llmwiki.edit.merging import ResolveResult
    from llmwiki.edit.page_moves import PageMoveResult
    from llmwiki.edit.prose import EditedPage
    from llmwiki.edit.skills.change import ChangedSkill, SkillEdit
    from llmwiki.edit.skills.find import FoundSkill
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.history.digest import MemoryDigest
    from llmwiki.history.page_log import PageStep
    from llmwiki.history.retract import RetractResult
    from llmwiki.history.review import ReviewOutcome
    from llmwiki.history.review_branch import Review
    from llmwiki.history.supersede import SupersedeResult
    from llmwiki.history.taint import TaintReport
    from llmwiki.history.undo import UndoResult
    from llmwiki.ingest.status import WikiStatus
    from llmwiki.memory.land import OperationOutcome
    from llmwiki.pages.catalogue import Entry
    from llmwiki.query.ask import QueryEvent
    from llmwiki.repo.log import Commit
    from llmwiki.store.recover import Recovery


class Wiki:
    """A wiki in a git work tree.

    Each method is one use case, and a value comes back. Failures are exceptions of
    `llmwiki.WikiError` and its subclasses. Nothing is printed; messages for a person go to
    the `Callbacks` that the wiki was opened with.

    Nothing is kept open or cached between calls, but in a `session`. Every call sees each new
    commit and each edit of the work tree, and a `Wiki` may be used from many threads at once:
    those that write take turns, with other processes too.
    """

    def __init__(
        self, layout: Layout, here: Path, tell: Callbacks, files: OpenFiles | None = None
    ) -> None:
        """Use `open`, or `init` for a new one."""
        self._files = files
        self._layout = layout
        self._here = here
        self._tell = tell
        self._is_closed = False

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] = ".",
        callbacks: Callbacks | None = None,
        *,
        root: str | os.PathLike[str] | None = None,
    ) -> Wiki:
        """The wiki around the folder `path`, from which files are named in all calls.

        Where there is none, the Markdown of the work tree is read as one, and `root` names the
        folder whose Markdown is; methods that write raise StateError then. Raises StateError
        where there is no git work tree, or no Markdown in it.
        """
        here = Path(path).absolute()
        told = callbacks or Callbacks()
        place = None if root is None else here / root
        return cls(layout_at(here, place, told.notice), here, told)

    @classmethod
    def init(
        cls,
        path: str | os.PathLike[str] = ".",
        callbacks: Callbacks | None = None,
        *,
        allow_detached: bool = False,
        nested: bool = False,
    ) -> Wiki:
        """The wiki in the folder `path`, made in one commit, with a git repository where none is.

        A wiki that is there is completed. Raises InputError for a place that is no folder, and
        StateError for one inside another wiki of the same repository, unless `nested`.
        """
        from llmwiki.app.init import init

        told = callbacks or Callbacks()
        init(Path(path).absolute(), told, allow_detached=allow_detached, nested=nested)
        return cls.open(path, callbacks)

    @property
    def is_written(self) -> bool:
        """Whether this is a wiki of this program, and not Markdown that it only reads."""
        return self._layout.is_wiki

    @property
    def root(self) -> Path:
        """The folder of the wiki: that of raw/ and wiki/."""
        return self._layout.root

    def session(self) -> Wiki:
        """The same wiki for many calls, which are quicker: the index stays open between them.

        Use it as a context manager, or close it. Its calls see and do the same as those of any
        other `Wiki`, from many threads at once too. Memory: some 40 MB for 10,000 pages.
        """
        from llmwiki.app.open_files import OpenFiles

        return Wiki(self._layout, self._here, self._tell, OpenFiles(self._layout))

    @property
    def top(self) -> Path:
        """The top of the git work tree, which holds the wiki's folder, or is it."""
        return self._layout.top

    def aside(self) -> Wiki:
        """The same wiki, of which calls that only read write nothing, not even an index.

        An index that is behind is copied into a temporary folder and brought up to date there;
        `close` removes it. Use it as a context manager, or close it.
        """
        from llmwiki.index.file import unused_folder

        layout = self._layout._replace(aside=unused_folder())
        return Wiki(layout, self._here, self._tell)

    def close(self) -> None:
        """Ends the use of this object: later calls raise StateError. Idempotent."""
        self._is_closed = True
        if self._files is not None:
            self._files.close()
        if self._layout.aside is not None:
            from llmwiki.index.file import remove_folder

            remove_folder(self._layout.aside)

    def __enter__(self) -> Wiki:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Wiki({str(self.root)!r})"

    def _reading(self) -> AbstractContextManager[OpenWiki]:
        return self._opened(reads_only=True)

    def _opened(self, *, reads_only: bool = False) -> AbstractContextManager[OpenWiki]:
        if self._is_closed:
            raise StateError("this wiki was closed", where=str(self.root), fix="Open it again.")
        layout = self._layout
        if not reads_only:
            if not layout.is_wiki:
                fix = "Run `wiki init`; until then the Markdown here is only read."
                raise NoWiki("no wiki found here", where=str(self.root), fix=fix)
            # Pages of other tools are not so much as seen by what writes.
            layout = layout._replace(notes=None, aside=None)
        return opened(layout, self._here, self._tell, reads_only=reads_only, pool=self._files)

    # --- asking --------------------------------------------------------------------------

    def search(
        self,
        words: str,
        *,
        limit: int = 10,
        kinds: Collection[str] = (),
        at: str | None = None,
        fresh: bool = False,
        as_of: str | None = None,
    ) -> SearchResult:
        """The pages that words, names or a question lead to, best first; no model is called.

        At most `limit` pages, of these `kinds` (`entity`, `concept` …; none: all), in the commit
        `at`, or as the day `as_of` (`2026-11-01`, UTC) left the wiki; None: as it is. `fresh` looks
        for edits in the work tree of a large wiki too. Raises InputError where there are no words,
        for no such commit, and for what is no day, or one before the first commit.
        """
        from llmwiki.app.search import search

        with self._reading() as wiki:
            return search(wiki, words, limit=limit, kinds=kinds, at=at, fresh=fresh, day=as_of)

    def context(
        self,
        question: str,
        *,
        budget: int | None = None,
        quotes: bool = False,
        more: bool = False,
        without: Collection[str] = (),
        at: str | None = None,
        fresh: bool = False,
        as_of: str | None = None,
    ) -> ContextResult:
        """The passages most relevant to a question, within `budget` tokens, as shown to a model.

        `quotes` shows each claim's evidence, `more` also passages that score far below the best;
        `without` names passages to leave out, by handle or id. Raises as `search` does.
        """
        from llmwiki.app.context import BUDGET, look
        from llmwiki.retrieval.context import ContextShape

        with self._reading() as wiki:
            tokens = BUDGET if budget is None else budget
            shape = ContextShape(tokens, quotes, more, frozenset(without))
            return look(wiki, question, shape, at=at, fresh=fresh, day=as_of)

    def query(
        self,
        question: str,
        options: QueryOptions | None = None,
        *,
        on: Callable[[QueryEvent], None] = ignore,
        found: Callable[[ContextResult], None] = ignore,
    ) -> QueryResult:
        """An answer from the wiki and nothing else, every citation checked.

        `on` takes each statement as soon as it is complete and checked, or that the answer begins
        again; `found` the context before anybody is asked. Raises InputError for no question or a
        model that cannot be called, ProviderError, ModelOutputError, PolicyError for what a call
        may cost.
        """
        from llmwiki.app.query import QueryOptions, query

        chosen = options or QueryOptions()
        with self._opened(reads_only=not chosen.save) as wiki:
            return query(wiki, question, chosen, on=on, found=found)

    def recall(self, message: str, *, session: str = "") -> Recall | None:
        """The passages that surely bear on what was typed to a coding agent, 800 tokens at most.

        None where none does. What this `session` of the agent was shown since it began, or since
        its last compaction, is left out; what is shown is noted in the git directory.
        """
        from llmwiki.app.recall import recall

        with self._reading() as wiki:
            return recall(wiki, message, session)

    def briefing(self, *, session: str = "", is_compacted: bool = False) -> str:
        """What an agent is told of the wiki as a session begins, 400 tokens at most.

        Where the session `is_compacted`, instead what is remembered, if anything is, decisions
        first.
        """
        from llmwiki.app.briefing import briefing

        with self._reading() as wiki:
            return briefing(wiki, session, is_compacted=is_compacted)

    def recalls(self) -> tuple[RecallRecord, ...]:
        """What `recall` and `briefing` gave in this work tree, newest first; older ones go."""
        from llmwiki.app.recall_log import RecallLog

        with self._reading() as wiki:
            return RecallLog(wiki.repo).records()[::-1]

    # --- sources and answers -------------------------------------------------------------

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

    # --- looking after the wiki ----------------------------------------------------------

    def lint(self, options: LintOptions | None = None) -> LintResult:
        """What is wrong in the wiki, and how to mend it. Raises InputError, StateError."""
        from llmwiki.app.lint import LintOptions, lint

        with self._reading() as wiki:
            return lint(wiki, options or LintOptions())

    def fix(
        self,
        options: LintOptions | None = None,
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> FixResult:
        """Mends what it can, beyond doubt, of what `lint` would report, in one commit."""
        from llmwiki.app.lint import LintOptions
        from llmwiki.app.lint_fix import fix

        with self._opened(reads_only=dry_run) as wiki:
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

    def prepare_judgement(
        self, options: LintOptions | None = None, part: str | None = None
    ) -> JudgementJobs:
        """The claims for an agent to judge, as Markdown; only part `K` or `K/N` where one is named.

        `options` say which pages of which commit. Raises InputError for no such part.
        """
        from llmwiki.app.judgement import prepare_judgement
        from llmwiki.app.lint import LintOptions, scope_of

        chosen = options or LintOptions()
        with self._reading() as wiki:
            scope = scope_of(wiki, chosen)
            return prepare_judgement(
                wiki, part, at=scope.commit, fresh=chosen.fresh, chosen=scope.holds_path
            )

    def estimate_judgement(self, options: LintOptions | None = None) -> JudgementForecast:
        """What judging the claims by the model of `options.judge` would take; none is called."""
        from llmwiki.app.judgement import estimate_judgement
        from llmwiki.app.lint import LintOptions, scope_of

        chosen = options or LintOptions()
        with self._reading() as wiki:
            scope = scope_of(wiki, chosen)
            return estimate_judgement(
                wiki, chosen.judge, at=scope.commit, fresh=chosen.fresh, chosen=scope.holds_path
            )

    def index(self, *, check: bool = False, rebuild: bool = False) -> IndexReport:
        """What the search index holds, brought up to date; every call that needs it does so.

        `check` compares it with one made anew, `rebuild` makes it anew.
        """
        from llmwiki.app.index import IndexReport
        from llmwiki.index import verify
        from llmwiki.index.open_index import open_corpus

        with self._reading() as wiki:
            if rebuild:
                verify.rebuild(wiki.repo)
            wrong = tuple(verify.differences(wiki.repo)[1]) if check else None
            with open_corpus(wiki.repo, fresh=True, notice=wiki.tell.notice) as held:
                return IndexReport(held.pages, held.words, held.commit, len(held.strays), wrong)

    def recover(self) -> Recovery:
        """Finishes or drops an operation that was cut off; every call that writes does so first."""
        from llmwiki.store.transaction import recover

        with self._opened() as wiki:
            return recover(wiki.repo, wiki.config.number("lock.wait"))

    def resolve(
        self, about: Collection[str] = (), *, take: str | None = None, dry_run: bool = False
    ) -> ResolveResult:
        """Merges, claim by claim, the pages that a stopped merge of git left.

        Where both sides worded one thing differently, both stand between marks until `take`,
        `ours` or `theirs`, decides: for all, or for what `about` names (claim ids, paths).
        Raises InputError for `about` without `take`, and for a name of nothing undecided.
        """
        from llmwiki.edit.merging import SideChoice, resolve

        if about and take is None:
            raise InputError(
                "say which side's wording shall stand", fix="Add --take ours or theirs."
            )
        choice = SideChoice(take == "theirs", frozenset(about)) if take else None
        with self._opened() as wiki:
            wait = wiki.config.number("lock.wait")
            return resolve(wiki.repo, wait=wait, dry_run=dry_run, choice=choice)

    def prepare_tidying(self) -> TidyJobs:
        """Writes jobs for an agent that reads the wiki a second time, and gives their files.

        They ask about pages that may be one, claims in conflict, leads that do not fit and pages
        that nothing links, as lint and graph find them; `apply` takes the answers.
        """
        from llmwiki.app.tidy import prepare_tidying

        with self._opened() as wiki:
            return prepare_tidying(wiki)

    def tidy(self, options: TidyOptions | None = None) -> TidyReport:
        """Lets a model answer the same questions; each part lands as one commit.

        Raises InputError where there is no model, PolicyError for what a call may cost.
        """
        from llmwiki.app.tidy import TidyOptions, tidy

        with self._opened() as wiki:
            return tidy(wiki, options or TidyOptions())

    # --- skills ---------------------------------------------------------------------------

    def skills(self) -> tuple[FoundSkill, ...]:
        """The skills of this repository, by name; of one name, the one that counts first."""
        from llmwiki.app.skills import list_skills

        with self._opened(reads_only=True) as wiki:
            return list_skills(wiki)

    def skill(self, name: str, file: str = "") -> ShownSkill:
        """One skill, or one of its files. Raises InputError where there is none."""
        from llmwiki.app.skills import show_skill

        with self._opened(reads_only=True) as wiki:
            return show_skill(wiki, name, file)

    def check_skills(self, names: Sequence[str] = ()) -> tuple[CheckedSkill, ...]:
        """What is wrong with skills, by the rules of lint: those of these names or in these
        folders, which may lie anywhere; of none, all of the repository.

        Raises InputError where there is none.
        """
        from llmwiki.app.skills import check_skills

        with self._opened(reads_only=True) as wiki:
            return check_skills(wiki, names)

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

    def skill_trial(self, name: str) -> TrialReport:
        """What trials have shown of a skill so far. Raises InputError where there is none."""
        from llmwiki.app.skill_doctor import trial_so_far

        with self._opened(reads_only=True) as wiki:
            return trial_so_far(wiki, name)

    def try_skill(self, name: str, options: TrialOptions | None = None) -> TrialReport:
        """Lets a model do tasks as a skill says, round after round, each time as if it had never
        seen it, and says what was unclear; changes the skill only where `apply` says so.

        Raises InputError where there is no such skill or no model, PolicyError for what a call may
        cost, and where a skill of people would be changed.
        """
        from llmwiki.app.skill_doctor import TrialOptions, try_skill

        with self._opened() as wiki:
            return try_skill(wiki, name, options or TrialOptions())

    def prepare_skill_trial(self, name: str, options: TrialOptions | None = None) -> TrialJob:
        """Writes the next round as a job for an agent, which `apply` takes back."""
        from llmwiki.app.skill_doctor import TrialOptions, prepare_trial

        with self._opened() as wiki:
            return prepare_trial(wiki, name, options or TrialOptions())

    # --- the graph -----------------------------------------------------------------------

    def graph(self, options: GraphOptions | None = None) -> WikiGraph:
        """The graph of pages and the links and names between them."""
        from llmwiki.app.graph import GraphOptions, graph

        with self._reading() as wiki:
            return graph(wiki, options or GraphOptions())

    def write_graph(self, drawn: WikiGraph) -> tuple[tuple[str, int], ...]:
        """Writes graph/graph.json and graph/graph.html; their paths and sizes in bytes.

        Nothing where there is no wiki, but Markdown that is only read.
        """
        from llmwiki.app.graph import write_files

        if not self.is_written:
            return ()
        if not self._layout.is_wiki:
            return ()
        with self._reading() as wiki:
            return write_files(wiki, drawn)

    def export_graph(self, drawn: WikiGraph, form: str, output: str) -> None:
        """Writes the graph into the file `output`: `html`, `json`, `graphml`, `gexf`, `dot` or
        `mermaid`.

        Raises PolicyError for a place that only operations write, StateError where it cannot be
        written.
        """
        from llmwiki.app.graph import export

        with self._reading() as wiki:
            export(wiki, drawn, form, output)

    def path(self, start: str, goal: str, options: GraphOptions | None = None) -> PagePath:
        """A shortest way between two pages, edges walked whichever way they point.

        Pages are named by title, alias or path. Raises InputError for no such page.
        """
        from llmwiki.app.graph import GraphOptions, path

        with self._reading() as wiki:
            return path(wiki, start, goal, options or GraphOptions())

    def neighbours(
        self, name: str, depth: int = 1, options: GraphOptions | None = None
    ) -> Neighbourhood:
        """The pages around one, by their distance up to `depth` edges. Raises InputError."""
        from llmwiki.app.graph import GraphOptions, neighbours

        with self._reading() as wiki:
            return neighbours(wiki, name, depth, options or GraphOptions())

    def infer_edges(
        self,
        *,
        model: str | None = None,
        max_cost: float | None = None,
        limit: int | None = None,
        fresh: bool = False,
    ) -> EdgesRead:
        """Lets a model read new and changed pages, at most `limit` by rank, for further edges.

        Raises InputError where there is no model, PolicyError for what a call may cost,
        ProviderError, ModelOutputError.
        """
        from llmwiki.app.graph_edges import infer

        with self._reading() as wiki:
            return infer(wiki, model=model, max_cost=max_cost, limit=limit, fresh=fresh)

    def prepare_edges(self, limit: int = 20, *, at: str | None = None, fresh: bool = False) -> str:
        """The same as a job for an agent, of `limit` pages at most: Markdown; empty: none waits."""
        from llmwiki.app.graph_edges import edges_job

        with self._reading() as wiki:
            return edges_job(wiki, limit, at=at, fresh=fresh)

    # --- history and direct edits --------------------------------------------------------

    def status(self) -> WikiStatus:
        """What the wiki holds, which sources wait, and what is unfinished."""
        from llmwiki.ingest.status import survey

        with self._reading() as wiki:
            # Who asks how things stand should hear of settings that are ignored.
            _ = wiki.config
            return survey(wiki.repo)

    def show(self, name: str, *, at: str | None = None) -> ShownPage:
        """One page as it was committed, by title, alias or path; a claim, by its id, with the
        lines around its quotes; lines of a source, `SOURCE#L12-L20`.

        Raises InputError where there is no such page, source or line, or no commit `at`.
        """
        from llmwiki.app.show import show

        with self._reading() as wiki:
            return show(wiki, name, at=at)

    def commit_at(self, at: str | None = None) -> str:
        """The commit that a revision names; None: HEAD. Raises InputError for none."""
        from llmwiki.app.reading import commit_at

        with self._reading() as wiki:
            return commit_at(wiki, at)

    def front(self, at: str | None = None) -> WikiFront:
        """How many pages and claims the wiki holds, and its latest operations."""
        from llmwiki.app.reading import front

        with self._reading() as wiki:
            return front(wiki, at)

    def listing(
        self, kind: str, *, start: int = 0, limit: int = 200, at: str | None = None
    ) -> PageListing:
        """Pages of a type (`entity`, `source` …), by path: `limit` of them from `start` on."""
        from llmwiki.app.reading import listing

        with self._reading() as wiki:
            return listing(wiki, kind, start, limit, at)

    def nearest_pages(self, name: str, *, most: int = 6) -> tuple[Entry, ...]:
        """The pages whose titles are most like a name that no page has; reads all titles."""
        from llmwiki.app.reading import nearest_pages

        with self._reading() as wiki:
            return nearest_pages(wiki, name, most)

    def read_page(self, name: str, *, at: str | None = None) -> ReaderPage:
        """A page as it was committed, by title, alias, path or claim id, with what its links lead
        to, the pages that link to it, and its sources. Raises InputError as `show` does."""
        from llmwiki.app.reading import read_page

        with self._reading() as wiki:
            return read_page(wiki, name, at)

    def read_source(self, name: str, *, at: str | None = None) -> ReaderSource:
        """The numbered text of a source, by id, title or file, with every quote from it.

        Raises InputError where there is no such source, or its bytes are not those that were read.
        """
        from llmwiki.app.reading import read_source

        with self._reading() as wiki:
            return read_source(wiki, name, at)

    def source_bytes(self, name: str, *, at: str | None = None) -> tuple[str, bytes]:
        """The file name and the bytes of a source, named as for `read_source`."""
        from llmwiki.app.reading import source_bytes

        with self._reading() as wiki:
            return source_bytes(wiki, name, at)

    def change(self, revision: str) -> tuple[Commit, MemoryDiff]:
        """A commit, and what it changed in memory against its first parent. Raises InputError."""
        from llmwiki.app.diff import change

        with self._reading() as wiki:
            return change(wiki, revision)

    def log(
        self,
        *,
        limit: int = 20,
        kind: str | None = None,
        page: str | None = None,
        since: str | None = None,
    ) -> OperationLog:
        """Operations, newest first: of one `kind` (`ingest`, `undo` …), that changed the file
        `page`, or since a day (`yesterday`, `7d`, `2026-11-01`, UTC), where these are named."""
        from llmwiki.app.log import log

        with self._reading() as wiki:
            return log(wiki, limit=limit, kind=kind, page=page, since=since)

    def digest(self, since: str = "yesterday") -> MemoryDigest:
        """What memory learned since that day (UTC) began: `today`, `yesterday`, `7d` or a date.

        Raises InputError for what is no day.
        """
        from llmwiki.app.log import digest

        with self._reading() as wiki:
            return digest(wiki, since)

    def page_history(self, name: str, *, limit: int = 20) -> tuple[PageStep, ...]:
        """The commits that changed a page, newest first, through renames, each with what it did.

        Pages are named by title, alias or path, also one that is gone. Raises InputError.
        """
        from llmwiki.app.log import page_history

        with self._reading() as wiki:
            return page_history(wiki, name, limit)

    def diff(self, revision: str = "") -> MemoryDiff:
        """What changed in memory: `A..B` between two commits, `A...B` from where they parted to B,
        `REV` from a commit to the work tree; empty: from HEAD to the work tree.

        Raises InputError for what names no commit.
        """
        from llmwiki.app.diff import diff

        with self._reading() as wiki:
            return diff(wiki, revision)

    def why(self, asked: str) -> WhyResult:
        """Where a claim comes from and what became of it: `asked` is its id, words of it or of its
        quotes, or a page, of which all claims are told.

        Raises InputError where nothing is found.
        """
        from llmwiki.app.why import why

        with self._reading() as wiki:
            return why(wiki, asked)

    def cost(self, since: str | None = None) -> CostReport:
        """What models took, by the commits that they had a part in: by day, model and source.

        `since` is the first day that counts, `2026-11-01`. Raises InputError for what is no day.
        """
        from llmwiki.app.cost import cost

        with self._reading() as wiki:
            return cost(wiki, since)

    def undo(
        self, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
    ) -> UndoResult:
        """Takes an operation or a batch back, in a commit of its own; None: the last operation.

        `name` is an operation's or a batch's id, or a commit. Raises InputError where there is
        none, StateError where it may lie beyond what this clone holds.
        """
        from llmwiki.history.undo import targets, undo

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            operations = targets(wiki.repo, name)
            return undo(wiki.repo, wiki.state, operations, terms=terms, dry_run=dry_run)

    def rename(
        self, page: str, title: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> PageMoveResult:
        """Gives a page another title and file name, and leads every link to it; one commit.

        The old title stays as an alias. Raises InputError where there is no such page or the title
        is another page's, PolicyError for pages that keep their name.
        """
        from llmwiki.app.page_moves import rename

        with self._opened() as wiki:
            return rename(wiki, page, title, dry_run=dry_run, allow_detached=allow_detached)

    def merge(
        self, page: str, into: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> PageMoveResult:
        """Makes one page of two: what stands on `page` comes to `into`, and every link leads
        there; one commit. Raises as `rename`."""
        from llmwiki.app.page_moves import merge

        with self._opened() as wiki:
            return merge(wiki, page, into, dry_run=dry_run, allow_detached=allow_detached)

    def split(
        self,
        page: str,
        title: str,
        claims: Sequence[str],
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> PageMoveResult:
        """Moves the claims of these ids from `page` to the page `title`, which is made where there
        is none; one commit. Raises as `rename`, and InputError for a claim that is not there."""
        from llmwiki.app.page_moves import split

        with self._opened() as wiki:
            return split(wiki, page, title, claims, dry_run=dry_run, allow_detached=allow_detached)

    # --- exchange ------------------------------------------------------------------------

    def export(
        self, form: str, place: str | os.PathLike[str], options: ExportOptions | None = None
    ) -> ExportResult:
        """Writes the pages of HEAD into the folder `place`, in a format of other programs (`okf`).

        Raises PolicyError for a folder that holds something else than an earlier export, InputError
        for no such format.
        """
        from llmwiki.app.export import ExportOptions, export

        with self._reading() as wiki:
            return export(wiki, form, self._named(place), options or ExportOptions())

    def import_(
        self, form: str, place: str | os.PathLike[str], options: ImportOptions | None = None
    ) -> ImportResult:
        """Takes the pages in the folder `place` into the wiki, in one commit.

        `form` says whose they are: `okf`, `llm-wiki-agent`, `obsidian`. What was imported before
        is left as it is. Raises InputError for no such format or a folder without pages,
        PolicyError for one that is a link or too large, and what a landing raises.
        """
        from llmwiki.app.import_ import ImportOptions, import_folder

        with self._opened() as wiki:
            return import_folder(wiki, form, self._named(place), options or ImportOptions())

    def _named(self, place: str | os.PathLike[str]) -> Path:
        return Path(os.path.normpath(self._here / place))

    # --- reviews -------------------------------------------------------------------------

    def reviews(self) -> tuple[Review, ...]:
        """The branches that wait for review, and what of each is left to decide."""
        from llmwiki.app.review import reviews

        with self._reading() as wiki:
            return reviews(wiki)

    def review(self, name: str = "") -> Review:
        """One branch that waits for review: by its id, or the only one. Raises InputError."""
        from llmwiki.app.review import review

        with self._reading() as wiki:
            return review(wiki, name)

    def accept_review(
        self,
        name: str = "",
        items: Sequence[str] = (),
        *,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> ReviewOutcome:
        """Lands items of a review in one commit; none named: all that is left.

        `items` are ids of claims and of other items, pages and sources. Whether a person has agreed
        is the caller's to know: see `is_reviewed_always`. Raises InputError for a name of nothing,
        StateError where one of them cannot land.
        """
        from llmwiki.app.review import accept_review

        with self._opened() as wiki:
            return accept_review(
                wiki, name, tuple(items), dry_run=dry_run, allow_detached=allow_detached
            )

    def reject_review(self, name: str = "", items: Sequence[str] = ()) -> ReviewOutcome:
        """Takes items out of a branch, in a commit on it; none named: the branch goes, and files
        that it had taken over lie in raw/ again. Raises as `accept_review` does."""
        from llmwiki.app.review import reject_review

        with self._opened() as wiki:
            return reject_review(wiki, name, tuple(items))

    @property
    def is_reviewed_always(self) -> bool:
        """Whether the team's setting `review` has all that changes pages wait for a person."""
        with self._opened() as wiki:
            return wiki.reviews_always

    def retract(
        self, source: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> RetractResult:
        """Takes a source out of the wiki, with all that rests on it alone, in one commit.

        `source` is its file, its page or its title. Raises InputError for none or several.
        """
        from llmwiki.history.retract import retract
        from llmwiki.version import __version__

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            by = f"llmwiki/{__version__}"
            return retract(wiki.repo, wiki.state, source, by=by, terms=terms, dry_run=dry_run)

    def taint(self, name: str) -> TaintReport:
        """What rests on a source, an operation or a model, directly and through other things.

        Raises InputError for what is none of them.
        """
        from llmwiki.history.taint import taint

        with self._reading() as wiki:
            return taint(wiki.repo, wiki.state, name)

    def supersede(
        self, old: str, new: str, *, dry_run: bool = False, allow_detached: bool = False
    ) -> SupersedeResult:
        """Strikes the claim with the id `old` for the one with the id `new`, in one commit.

        Raises InputError for no such claim, StateError where one of them was struck before.
        """
        from llmwiki.history.supersede import supersede

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached)
            return supersede(wiki.repo, wiki.state, old, new, terms=terms, dry_run=dry_run)

    def upgrade(self, *, dry_run: bool = False, allow_detached: bool = False) -> OperationOutcome:
        """Brings the pages of an earlier format into this one, in one commit; a second run
        changes nothing. Raises StateError where a merge is not decided yet."""
        from llmwiki.edit.upgrade import upgrade

        with self._opened() as wiki:
            terms = wiki.landing(allow_detached, any_format=True)
            return upgrade(wiki.repo, wiki.state, terms, dry_run=dry_run).outcome

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
        allow_secret: Iterable[str] = (),
        allow_detached: bool = False,
        review: bool = False,
    ) -> OperationOutcome:
        """Adds a note to wiki/memory.md, in one commit; the same words again change nothing.

        `kind` is one of `core.note_kinds.NOTE_KINDS`; `told_by` is `person`
        or `agent`; a `session` stands in the note, and with a `turn` (from 1) both stand in the
        trailers of the commit. With a `key`, what was noted of it before, of that kind, is struck
        and leads to this note, whose `value` counts now. With `review` it waits on a branch, as all
        does where the wiki says so. Raises PolicyError for what looks like a secret.
        """
        from llmwiki.app.remember import remember

        with self._opened() as wiki:
            return remember(
                wiki,
                text,
                kind=kind,
                told_by=told_by,
                session=session,
                turn=turn,
                key=key,
                value=value,
                allow_secret=allow_secret,
                allow_detached=allow_detached,
                review=review,
            )

    @property
    def memory(self) -> WikiMemory:
        """What was learned from conversations: to observe, list, explain, promote, forget."""
        from llmwiki.app.memory import WikiMemory

        return WikiMemory(self._opened, self._reading)

    def overview_text(self) -> str:
        """The opening of an overview as it is made from counts and links: Markdown, not written."""
        from llmwiki.app.overview import overview_text

        with self._reading() as wiki:
            return overview_text(wiki)

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
        there is a secret, and what `change` raises.
        """
        from llmwiki.app.edit_page import edit_page

        with self._opened(reads_only=dry_run) as wiki:
            return edit_page(
                wiki,
                name,
                change,
                session=session,
                turn=turn,
                dry_run=dry_run,
                allow_detached=allow_detached,
            )

    def overview(
        self,
        text: str | None = None,
        *,
        model: str | None = None,
        max_cost: float | None = None,
        allow_detached: bool = False,
    ) -> OperationOutcome:
        """Rewrites the opening of wiki/overview.md, in one commit: with `text`, or by a model, or
        without one from counts. Under it stand the themes of the wiki, each with its main pages."""
        from llmwiki.app.overview import overview

        with self._opened() as wiki:
            return overview(
                wiki, text, model=model, max_cost=max_cost, allow_detached=allow_detached
            )

    def model_at_hand(self) -> str:
        """The model that a question would be asked; empty: none, and claims are quoted instead.

        Raises InputError for a model that cannot be called.
        """
        from llmwiki.app.models import model_at_hand

        with self._reading() as wiki:
            return model_at_hand(wiki.config)

    def config(self) -> Config:
        """The settings in force, and where each comes from. Raises InputError."""
        with self._opened() as wiki:
            return wiki.config
