"""The kinds of questions that this program asks, each opened for one wiki."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.desk import AskOptions, DeskJobs, DeskRun, Forecast, ask, measure, prepare

if TYPE_CHECKING:
    from llmwiki.app.graph import GraphOptions
    from llmwiki.app.lint import LintOptions
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.landing.land import LandingOptions
    from llmwiki.models.question import Question

QuestionName = Literal["judgement", "tidy", "memory-tidy", "edges", "learned"]

KIND_OF: Mapping[str, QuestionName] = {
    "llmwiki.findings/1": "judgement",
    "llmwiki.tidying/1": "tidy",
    "llmwiki.notes/1": "memory-tidy",
    "llmwiki.edges/1": "edges",
    "llmwiki.learned/1": "learned",
}
"""The kind of question that an answer of an agent belongs to, by its `schema`."""


@contextmanager
def opened(
    wiki: OpenWiki,
    kind: QuestionName,
    about: LintOptions | GraphOptions | None = None,
    *,
    terms: LandingOptions | None = None,
    dry_run: bool = False,
    limit: int | None = None,
) -> Iterator[Question[Any, Any, Any]]:
    """A question of one kind, open as long as its parts are asked and land.

    `about` says which pages are judged or read for edges, of which commit; `limit` how many pages
    are read for edges at most.
    """
    if kind == "judgement":
        from llmwiki.app.lint import LintOptions, scope_of
        from llmwiki.lint.judge.asking import ClaimJudging

        chosen = about if isinstance(about, LintOptions) else LintOptions()
        scope = scope_of(wiki, chosen)
        with wiki.index(scope.commit) as index:
            yield ClaimJudging(wiki.repo, index, scope.holds_path, dry_run=dry_run)
    elif kind == "edges":
        from llmwiki.app.graph import GraphOptions
        from llmwiki.graph.infer import EdgeReading

        seen = about if isinstance(about, GraphOptions) else GraphOptions()
        with wiki.index(seen.at) as index:
            yield EdgeReading(wiki.repo, index, limit, dry_run=dry_run)
    elif kind == "tidy":
        from llmwiki.app.tidying import tidy_questions
        from llmwiki.changes.tidy.asking import WikiTidying

        wiki.state.follow()
        yield WikiTidying(
            wiki.repo,
            wiki.state,
            lambda: tidy_questions(wiki),
            terms or wiki.landing(),
            dry_run=dry_run,
        )
    elif kind == "memory-tidy":
        from llmwiki.memory.tidy import MemoryTidying

        wiki.state.follow()
        yield MemoryTidying(wiki.repo, wiki.state, terms or wiki.landing(), dry_run=dry_run)
    else:
        from llmwiki.app.learned_talk import Learning

        yield Learning(wiki, dry_run=dry_run)


def ask_parts(
    wiki: OpenWiki,
    kind: QuestionName,
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
    chosen = options or AskOptions()
    terms = None if kind in ("judgement", "edges") else wiki.landing(chosen.allow_detached)
    with opened(wiki, kind, about, terms=terms, dry_run=chosen.dry_run, limit=limit) as question:
        return ask(wiki, question, chosen)


def prepare_parts(
    wiki: OpenWiki,
    kind: QuestionName,
    which: str | None = None,
    about: LintOptions | GraphOptions | None = None,
    *,
    limit: int | None = None,
) -> DeskJobs:
    """Writes the parts of the same question as files for an agent; or gives the text of part
    `which`, `K` or `K/N`. `apply` takes the answers. Raises InputError for no such part."""
    with opened(wiki, kind, about, limit=limit) as question:
        return prepare(wiki, question, which)


def measure_parts(
    wiki: OpenWiki,
    kind: QuestionName,
    options: AskOptions | None = None,
    about: LintOptions | GraphOptions | None = None,
    *,
    limit: int | None = None,
) -> Forecast:
    """What a model would take for the same question; none is called."""
    with opened(wiki, kind, about, limit=limit) as question:
        return measure(wiki, question, options or AskOptions())
