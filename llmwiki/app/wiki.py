"""`Wiki`: every use case of a wiki as a method, values in and values out.

What a method takes, gives and raises stands at the function that it is, in a module of this room;
`help(Wiki.search)` shows it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from llmwiki.app.method_of_wiki import Later, asks_git, reads, writes
from llmwiki.app.page_folders import layout_at, way_to_wiki
from llmwiki.core.callbacks import Callbacks, ignore
from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import MARKER, Layout, NoRepository, NoWiki
from llmwiki.git.repository import Repository
from llmwiki.landing.open_wiki import KeptFiles, OpenWiki

if TYPE_CHECKING:
    import llmwiki.app.apply
    import llmwiki.app.export
    import llmwiki.app.for_agents.briefing
    import llmwiki.app.for_agents.edits
    import llmwiki.app.for_agents.recall
    import llmwiki.app.graph
    import llmwiki.app.ingest.ingest
    import llmwiki.app.learn
    import llmwiki.app.lint
    import llmwiki.app.lint_reports
    import llmwiki.app.log_and_digest
    import llmwiki.app.memory
    import llmwiki.app.memory_consent
    import llmwiki.app.observe_sessions
    import llmwiki.app.query
    import llmwiki.app.questions.desk
    import llmwiki.app.show.page_views
    import llmwiki.app.show.show
    import llmwiki.app.show.vault_tree_and_embeds
    import llmwiki.app.skills
    import llmwiki.app.status_and_recovery
    import llmwiki.app.which_model
    import llmwiki.app.why
    import llmwiki.changes.accept_and_reject
    import llmwiki.changes.diff
    import llmwiki.changes.edit_and_supersede
    import llmwiki.changes.git_conflicts
    import llmwiki.changes.open_reviews
    import llmwiki.changes.rename_and_merge_pages
    import llmwiki.changes.retract
    import llmwiki.changes.undo
    import llmwiki.memory.land_memory
    import llmwiki.query.passages_for_prompt
    import llmwiki.query.search
    from llmwiki.app.ingest.watch import WatchOptions, WatchReport
    from llmwiki.core.settings_precedence import Config
    from llmwiki.ingest.report import OperationReport
else:
    llmwiki = Later("llmwiki")

MOST_IDLE = 4
"""Sets of open files of a session that wait for the next use case at most."""


def _is_kept(kind: str, *_given: object, **_named: object) -> bool:
    """Whether the answers to a kind of question change no page: it may be asked of any Markdown."""
    from llmwiki.app.questions import QUESTIONS

    return kind in QUESTIONS and not QUESTIONS[kind].lands


def _is_dry(*_given: object, dry_run: bool = False, **_named: object) -> bool:
    return dry_run


def _is_not_saved(_question: str, options: Any = None, **_named: object) -> bool:
    return not (options and options.save)


def _has_index(repo: Repository) -> bool:
    from llmwiki.index.open_index import place_of

    return place_of(repo).exists()


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
        self, layout: Layout, here: Path, tell: Callbacks, *, is_session: bool = False
    ) -> None:
        """Use `Wiki.open`, or `Wiki.init` for a new one."""
        self._layout = layout
        self._here = here
        self._tell = tell
        self._is_session = is_session
        self._idle: list[KeptFiles] = []
        self._lock = threading.Lock()
        self._is_closed = False

    # --- open and close ------------------------------------------------------------------

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
        from llmwiki.app.init_and_adopt import init

        told = callbacks or Callbacks()
        init(Path(path).absolute(), told, allow_detached=allow_detached, nested=nested)
        return cls.open(path, callbacks)

    def session(self) -> Wiki:
        """The same wiki for many calls, which are quicker: the index stays open between them.

        Use it as a context manager, or close it. Its calls see and do the same as those of any
        other `Wiki`, from many threads at once too. Memory: some 80 MB for 10,000 pages.
        """
        return Wiki(self._layout, self._here, self._tell, is_session=True)

    def aside(self) -> Wiki:
        """The same wiki, of which calls that only read write nothing, not even an index.

        An index that is behind is copied for each call and brought up to date there; in a session
        the copy is kept.
        """
        return Wiki(self._layout._replace(reads_only=True), self._here, self._tell)

    @property
    def is_written(self) -> bool:
        """Whether this is a wiki of this program, and not Markdown that it only reads."""
        return self._layout.is_wiki

    @property
    def root(self) -> Path:
        """The folder of the wiki: that of raw/ and wiki/."""
        return self._layout.root

    @property
    def top(self) -> Path:
        """The top of the git work tree, which holds the wiki's folder, or is it."""
        return self._layout.top

    def close(self) -> None:
        """Ends the use of this object: later calls raise StateError. Idempotent.

        Files of a session that are in use are closed as soon as their call ends.
        """
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Wiki({str(self.root)!r})"

    @contextmanager
    def opened(self, *, reads_only: bool = False, of_git: bool = False) -> Iterator[OpenWiki]:
        """The wiki, open for one call; closed with all its files and processes at the end, but for
        those that a session keeps.

        A call that only reads notices when an operation was left unfinished; one that writes
        recovers it. The first one that writes in a clone without the merge driver notices that, and
        no other: a clone that only reads, as most jobs of CI are, merges nothing.
        Raises StateError where this object was closed, NoWiki for a call that writes where there is
        only Markdown, NoRepository where one needs git and the folder has none.
        """
        layout, tell, kept = self._layout_for(reads_only, of_git), self._tell, None
        with ExitStack() as stack:
            if self._is_session and reads_only:
                kept = self._taken()
                stack.callback(self._give_back, kept)
            repo = kept.repo if kept else stack.enter_context(Repository(layout))
            if reads_only:
                if repo.landing() is not None:
                    tell.notice("an operation was cut off; `wiki recover` finishes it")
            else:
                from llmwiki.git.store.clone_setup import tells_of_merge_driver

                if tells_of_merge_driver(repo):
                    tell.notice(
                        "git merges pages line by line in this clone: it lacks the merge driver;"
                        " `wiki init` sets it"
                    )
            if tell.step is not ignore and not _has_index(repo):
                tell.step("reading all pages for the index", 0, 0)
                stack.callback(tell.step, "", 0, 0)
            has_notes = kept is None and self._layout.notes is not None
            vault = self._layout if has_notes else None
            yield OpenWiki(repo, self._here, tell, kept=kept, vault=vault)

    def _layout_for(self, reads_only: bool, of_git: bool) -> Layout:
        """The layout that a call sees. Raises as `opened` does."""
        if self._is_closed:
            raise StateError("this wiki was closed", where=str(self.root), fix="Open it again.")
        layout = self._layout
        if of_git and layout.is_apart:
            raise NoRepository(
                "this needs git, and the folder is in no git repository",
                where=str(self.root),
                fix="Run `git init` there and commit the notes.",
            )
        if reads_only:
            return layout
        if not layout.is_wiki:
            fix = "Run `wiki adopt`; until then the Markdown here is only read."
            fix = way_to_wiki(self.root) or fix
            if os.path.lexists(self.root / MARKER):
                fix = "Leave --root out: what it names is only read."
            raise NoWiki("no wiki found here", where=str(self.root), fix=fix)
        # Pages of other tools are not so much as seen by what writes.
        return layout._replace(notes=None, reads_only=False)

    def _taken(self) -> KeptFiles:
        """One set of open files of the session, which nobody else has until it is given back."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return KeptFiles(self._layout)

    def _give_back(self, kept: KeptFiles) -> None:
        kept.repo.forget()
        with self._lock:
            is_wanted = not self._is_closed and len(self._idle) < MOST_IDLE
            if is_wanted:
                self._idle.append(kept)
        if not is_wanted:
            kept.close()

    # --- read in -------------------------------------------------------------------------

    ingest = writes(llmwiki.app.ingest.ingest.ingest)
    prepare = writes(llmwiki.app.ingest.ingest.prepare)
    estimate = writes(llmwiki.app.ingest.ingest.estimate)
    apply = writes(llmwiki.app.apply.apply)

    def watch(
        self,
        options: WatchOptions | None = None,
        *,
        on: Callable[[OperationReport], None] = ignore,
        landed: Callable[[], None] = ignore,
    ) -> WatchReport:
        """Ingests what arrives in raw/ or a named folder, as soon as it is whole.

        It runs until an exception, such as KeyboardInterrupt, ends it, or its money is spent; with
        `options.once` it ends when all is read. `on` takes what became of each source, `landed` is
        called after each batch. Raises InputError for no such folder, LockTimeout where another
        process does the same.
        """
        from llmwiki.app.ingest.watch import WatchOptions, watch

        return watch(self.opened, options or WatchOptions(), on, landed)

    # --- ask -----------------------------------------------------------------------------

    search = reads(llmwiki.query.search.search)
    context = reads(llmwiki.query.passages_for_prompt.context)
    query = writes(llmwiki.app.query.query, unless=_is_not_saved)
    recall = reads(llmwiki.app.for_agents.recall.recall)
    briefing = reads(llmwiki.app.for_agents.briefing.briefing)
    model_at_hand = reads(llmwiki.app.which_model.model_at_hand)

    # --- look ----------------------------------------------------------------------------

    show = asks_git(llmwiki.app.show.show.show)
    status = asks_git(llmwiki.app.status_and_recovery.status)
    front = reads(llmwiki.app.show.page_views.front)
    listing = reads(llmwiki.app.show.page_views.listing)
    nearest_pages = reads(llmwiki.app.show.page_views.nearest_pages)
    read_page = reads(llmwiki.app.show.page_views.read_page)
    read_source = reads(llmwiki.app.show.page_views.read_source)
    source_bytes = reads(llmwiki.app.show.page_views.source_bytes)
    picture = reads(llmwiki.app.show.vault_tree_and_embeds.picture)
    commit_at = reads(llmwiki.app.show.page_views.commit_at)
    graph = reads(llmwiki.app.graph.graph)
    write_graph = reads(llmwiki.app.graph.write_files)
    export_graph = reads(llmwiki.app.graph.export)
    path = reads(llmwiki.app.graph.path)
    neighbours = reads(llmwiki.app.graph.neighbours)
    skills = reads(llmwiki.app.skills.list_skills)
    skill = reads(llmwiki.app.skills.show_skill)
    check_skills = reads(llmwiki.app.skills.check_skills)
    export = reads(llmwiki.app.export.export)

    # --- what happened -------------------------------------------------------------------

    log = asks_git(llmwiki.app.log_and_digest.log)
    digest = asks_git(llmwiki.app.log_and_digest.digest)
    page_history = asks_git(llmwiki.app.log_and_digest.page_history)
    change = asks_git(llmwiki.app.log_and_digest.change)
    diff = asks_git(llmwiki.changes.diff.diff)
    taint = asks_git(llmwiki.changes.why_and_taint.taint)
    why = asks_git(llmwiki.app.why.why)

    # --- mend ----------------------------------------------------------------------------

    lint = reads(llmwiki.app.lint.lint)
    fix = writes(llmwiki.app.lint.fix)
    write_baseline = reads(llmwiki.app.lint_reports.write_baseline)
    ask_parts = writes(llmwiki.app.questions.desk.ask_parts, unless=_is_kept)
    prepare_parts = writes(llmwiki.app.questions.desk.prepare_parts, unless=_is_kept)

    # --- write ---------------------------------------------------------------------------

    remember = writes(llmwiki.memory.land_memory.remember)
    edit_page = writes(llmwiki.app.for_agents.edits.edit_page, unless=_is_dry)
    rename = writes(llmwiki.changes.rename_and_merge_pages.rename)
    merge = writes(llmwiki.changes.rename_and_merge_pages.merge)
    change_skill = writes(llmwiki.app.for_agents.edits.change_skill, unless=_is_dry)

    @property
    def memory(self) -> WikiMemory:
        """What was learned from conversations: to observe, list, explain, sweep, forget."""
        return WikiMemory(self)

    # --- decide --------------------------------------------------------------------------

    reviews = asks_git(llmwiki.changes.open_reviews.reviews)
    landed_reviews = reads(llmwiki.changes.open_reviews.landed_reviews)
    review = asks_git(llmwiki.changes.open_reviews.review)
    accept_review = writes(llmwiki.changes.accept_and_reject.accept_review)
    reject_review = writes(llmwiki.changes.accept_and_reject.reject_review)
    undo = writes(llmwiki.changes.undo.undo)
    retract = writes(llmwiki.changes.retract.retract)
    supersede = writes(llmwiki.changes.edit_and_supersede.supersede)

    @property
    def is_reviewed_always(self) -> bool:
        """Whether the team's setting `review` has all that changes pages wait for a person."""
        with self.opened() as wiki:
            return wiki.reviews_always

    # --- keep ----------------------------------------------------------------------------

    index = reads(llmwiki.app.status_and_recovery.index)
    recover = writes(llmwiki.app.status_and_recovery.recover)
    resolve = writes(llmwiki.changes.git_conflicts.resolve)

    def config(self) -> Config:
        """The settings in force, and where each comes from. Raises InputError."""
        with self.opened() as wiki:
            return wiki.config


class WikiMemory:
    """What was learned from conversations; of a `Wiki`."""

    def __init__(self, wiki: Wiki) -> None:
        self.opened = wiki.opened

    # --- learn ---------------------------------------------------------------------------

    observe = writes(llmwiki.app.observe_sessions.observe)
    prepare = writes(llmwiki.app.observe_sessions.prepare)
    learn = writes(llmwiki.app.observe_sessions.learn)
    note = writes(llmwiki.app.learn.note)

    # --- permission ----------------------------------------------------------------------

    rule = reads(llmwiki.app.memory_consent.commit_rule)
    set_rule = writes(llmwiki.app.memory_consent.set_rule)
    is_reviewed = reads(llmwiki.app.memory_consent.is_reviewed)
    pending = reads(llmwiki.app.memory_consent.pending)
    decide = writes(llmwiki.app.memory_consent.decide)

    # --- look and change -----------------------------------------------------------------

    status = reads(llmwiki.app.memory.status)
    notes = reads(llmwiki.app.memory.notes)
    note_of = reads(llmwiki.app.memory.note_of)
    note_use = reads(llmwiki.app.memory.note_use)
    why = reads(llmwiki.app.memory.why)
    sweep = writes(llmwiki.app.memory.sweep)
    strike = writes(llmwiki.app.memory.strike)
    forget = writes(llmwiki.app.memory.forget)
