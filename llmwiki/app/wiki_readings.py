"""What is asked of a wiki, a method a use case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.app.callbacks import ignore
from llmwiki.app.wiki_place import WikiPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from llmwiki.app.context import ContextResult
    from llmwiki.app.cost import CostReport
    from llmwiki.app.graph import GraphOptions, Neighbourhood, PagePath, WikiGraph
    from llmwiki.app.index import IndexReport
    from llmwiki.app.lint import LintOptions, LintResult
    from llmwiki.app.log import OperationLog
    from llmwiki.app.query import QueryOptions, QueryResult
    from llmwiki.app.reading import PageListing, ReaderPage, ReaderSource, ReaderText, WikiFront
    from llmwiki.app.recall import Recall
    from llmwiki.app.recall_log import RecallRecord
    from llmwiki.app.search import SearchResult
    from llmwiki.app.show import ShownPage
    from llmwiki.app.skills import CheckedSkill, ShownSkill
    from llmwiki.app.why import WhyResult
    from llmwiki.core.config import Config
    from llmwiki.edit.skills.find import FoundSkill
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.history.digest import MemoryDigest
    from llmwiki.history.page_log import PageStep
    from llmwiki.history.review_branch import Review
    from llmwiki.history.taint import TaintReport
    from llmwiki.ingest.status import WikiStatus
    from llmwiki.pages.catalogue import Entry
    from llmwiki.query.ask import QueryEvent
    from llmwiki.repo.log import Commit


class WikiReadings(WikiPlace):
    """What is asked of a wiki: pages, answers, findings, the graph, its history."""

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
        also: str = "",
        at: str | None = None,
        fresh: bool = False,
        as_of: str | None = None,
    ) -> ContextResult:
        """The passages most relevant to a question, within `budget` tokens, as shown to a model.

        `quotes` shows each claim's evidence, `more` also passages that score far below the best;
        `without` names passages to leave out, by handle or id; `also` are words that an answer may
        use where the question has others. Raises as `search` does.
        """
        from llmwiki.app.context import BUDGET, look
        from llmwiki.retrieval.context import ContextShape

        with self._reading() as wiki:
            tokens = BUDGET if budget is None else budget
            shape = ContextShape(tokens, quotes, more, frozenset(without))
            return look(wiki, question, shape, at=at, fresh=fresh, day=as_of, also=also)

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

    def lint(self, options: LintOptions | None = None) -> LintResult:
        """What is wrong in the wiki, and how to mend it. Raises InputError, StateError."""
        from llmwiki.app.lint import LintOptions, lint

        with self._reading() as wiki:
            return lint(wiki, options or LintOptions())

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
            with open_corpus(wiki.repo, look="whole", notice=wiki.tell.notice) as held:
                return IndexReport(held.pages, held.words, held.commit, len(held.strays), wrong)

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

    def status(self) -> WikiStatus:
        """What the wiki holds, which sources wait, and what is unfinished."""
        from llmwiki.app.models import has_model
        from llmwiki.ingest.status import survey

        with self._recorded() as wiki:
            # Who asks how things stand should hear of settings that are ignored.
            return survey(wiki.repo, has_model=has_model(wiki.config))

    def show(self, name: str, *, at: str | None = None) -> ShownPage:
        """One page as it was committed, by title, alias or path; a claim, by its id, with the
        lines around its quotes; lines of a source, `SOURCE#L12-L20`.

        Raises InputError where there is no such page, source or line, or no commit `at`.
        """
        from llmwiki.app.show import show

        with self._recorded() as wiki:
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

    def read_text(self, text: str) -> ReaderText:
        """A text that cites the wiki, such as an answer, with the pages and the claims that its
        links lead to, as they are now."""
        from llmwiki.app.reading import read_text

        with self._reading() as wiki:
            return read_text(wiki, text)

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

    def picture(self, path: str, *, at: str | None = None) -> tuple[str, bytes]:
        """The media type and the bytes of a PNG, JPEG, GIF or WebP of the repository, by its path
        from the root. Raises InputError where there is none, PolicyError for one too large."""
        from llmwiki.app.vault import picture

        with self._reading() as wiki:
            return picture(wiki, path, at)

    def change(self, revision: str, *, most: int | None = None) -> tuple[Commit, MemoryDiff]:
        """A commit, and what it changed in memory against its first parent, as far as `most` bytes
        of pages suffice to find that out. Raises InputError."""
        from llmwiki.history.diff import DiffLimit, between

        with self._recorded() as wiki:
            commit = next(iter(wiki.repo.log(wiki.repo.commit(revision), limit=1)))
            room = None if most is None else DiffLimit(most)
            return commit, between(wiki.repo, commit.parents.first(), commit, room)

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

        with self._recorded() as wiki:
            return log(wiki, limit=limit, kind=kind, page=page, since=since)

    def digest(self, since: str = "yesterday") -> MemoryDigest:
        """What memory learned since that day (UTC) began: `today`, `yesterday`, `7d` or a date.

        Raises InputError for what is no day.
        """
        from llmwiki.app.log import digest

        with self._recorded() as wiki:
            return digest(wiki, since)

    def page_history(
        self, name: str, *, limit: int = 20, most: int | None = None
    ) -> tuple[PageStep, ...]:
        """The commits that changed a page, newest first, through renames, each with what it did:
        as far as `most` bytes of pages suffice to find that out.

        Pages are named by title, alias or path, also one that is gone. Raises InputError.
        """
        from llmwiki.app.log import page_history

        with self._recorded() as wiki:
            return page_history(wiki, name, limit, most)

    def diff(self, revision: str = "") -> MemoryDiff:
        """What changed in memory: `A..B` between two commits, `A...B` from where they parted to B,
        `REV` from a commit to the work tree; empty: from HEAD to the work tree.

        Raises InputError for what names no commit.
        """
        from llmwiki.history.diff import memory_diff

        with self._recorded() as wiki:
            return memory_diff(wiki.repo, revision)

    def why(self, asked: str, *, is_quick: bool = False) -> WhyResult:
        """Where a claim comes from and what became of it: `asked` is its id, words of it or of its
        quotes, or a page, of which the first claims are told.

        Raises InputError where nothing is found, and where it must be quick PolicyError for a page
        that takes seconds.
        """
        from llmwiki.app.why import why

        with self._recorded() as wiki:
            return why(wiki, asked, is_quick)

    def cost(self, since: str | None = None) -> CostReport:
        """What models took, by the commits that they had a part in: by day, model and source.

        `since` is the first day that counts, `2026-11-01`. Raises InputError for what is no day.
        """
        from llmwiki.app.cost import cost

        with self._recorded() as wiki:
            return cost(wiki, since)

    def reviews(self) -> tuple[Review, ...]:
        """The branches that wait for review, and what of each is left to decide."""
        from llmwiki.history.review_branch import read_review
        from llmwiki.repo.survey import review_branches

        with self._recorded() as wiki:
            wiki.state.follow()
            branches = review_branches(wiki.repo)
            return tuple(read_review(wiki.repo, wiki.state, branch) for branch in branches)

    def landed_reviews(self) -> tuple[str, ...]:
        """The branches for review that have landed whole, and are still there."""
        from llmwiki.repo.survey import landed_branches

        with self._reading() as wiki:
            return landed_branches(wiki.repo)

    def review(self, name: str = "") -> Review:
        """One branch that waits for review: by its id, or the only one. Raises InputError."""
        from llmwiki.history.review_branch import find_branch, read_review

        with self._recorded() as wiki:
            wiki.state.follow()
            return read_review(wiki.repo, wiki.state, find_branch(wiki.repo, name))

    def taint(self, name: str) -> TaintReport:
        """What rests on a source, directly and through other things.

        Raises InputError where there is none of that name.
        """
        from llmwiki.history.taint import taint

        with self._recorded() as wiki:
            return taint(wiki.state, name)

    def overview_text(self) -> str:
        """The opening of an overview as it is made from counts and links: Markdown, not written."""
        from llmwiki.app.overview import overview_text

        with self._reading() as wiki:
            return overview_text(wiki)

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
