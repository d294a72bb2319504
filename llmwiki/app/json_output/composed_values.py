"""Parts of JSON objects that are put together of several values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from llmwiki.app.graph import Neighbourhood, PagePath, WikiGraph
    from llmwiki.app.learn import LearnReport
    from llmwiki.app.query import QueryResult
    from llmwiki.changes.diff import MemoryDiff
    from llmwiki.git.commits_and_trailers import Commit
    from llmwiki.graph.hubs_and_gaps import GraphSurvey
    from llmwiki.graph.nodes_and_edges import GraphEdge
    from llmwiki.graph.read_edges import GraphInput
    from llmwiki.lint.findings import Finding, LintReport
    from llmwiki.memory.private_memory import PendingItem
    from llmwiki.pages.difference.review_items import ChangeItem
    from llmwiki.query.answer_by_model import CheckedAnswer
    from llmwiki.query.check_citations import CitedPassage
    from llmwiki.query.retrieval.passage import Passage
    from llmwiki.query.retrieval.search_result import SearchResult, SearchRow

TOLD = 1000
"""Rows of a list of the graph at most."""
SHOWN = 10
"""Pages of a community that are named."""


class Told(NamedTuple):
    """A value, and what of its object the value does not tell."""

    value: Any
    given: Mapping[str, Any]


def told(value: Any, /, **given: Any) -> Told:
    """A value, with what is `given` besides."""
    return Told(value, given)


def along(value: Any, path: str) -> Any:
    """What a path of attributes leads to; None as soon as one on the way is."""
    first, *others = path.split(".")
    value = getattr(value, first)
    for name in others:
        value = None if value is None else getattr(value, name)
    return value


def one_line(error: Exception | None) -> str | None:
    """What went wrong, in one line."""
    return " ".join(str(error).split()) if error else None


def changed_paths(done: Any) -> list[str]:
    """The pages that an operation writes, or would."""
    return [each.path for each in getattr(done, "outcome", done).differences]


# --- asking ------------------------------------------------------------------------------


def without_secrets(passage: Passage | SearchRow) -> str:
    """The text of a passage."""
    from llmwiki.core.secrets import redacted

    return redacted(passage.text)


def cited_evidence(cited: CitedPassage) -> Iterator[Told]:
    """The evidence of a cited claim, with the files."""
    for each, resource in zip(cited.evidence, cited.resources, strict=True):
        yield told(each, resource=resource)


def markdown_of(answered: CheckedAnswer) -> str:
    """An answer without the statements that cite only what they may not."""
    from llmwiki.query.answer_file import markdown

    return markdown(answered)


def explained(ranking: Any) -> dict[str, Any]:
    """The question as it was understood."""
    return {"terms": ranking.terms, "titles": ranking.titles}


def explained_rows(found: SearchResult) -> list[Told]:
    """The rows of a search, with what their scores are made of."""
    return [told(row, parts=row.parts, reasons=row.reasons) for row in found.rows]


def answer_parts(result: QueryResult, exit_code: int) -> dict[str, Any]:
    """What is told of a question beside its answer."""
    return {"saved": result.filed, "error": one_line(result.failure), "exit_code": exit_code}


def no_answer(question: str, exit_code: int, error: str | None = None) -> dict[str, Any]:
    """What is said where nothing was found, or asking failed."""
    lists = ("statements", "citations", "left_out", "nearest", "looks")
    return {
        **dict.fromkeys(lists, ()),
        "question": question,
        "answer": "",
        "model": None,
        "tokens": 0,
        "cost_usd": 0.0,
        "saved": None,
        "error": error,
        "exit_code": exit_code,
    }


# --- what happened -----------------------------------------------------------------------


def rows(found: MemoryDiff) -> Iterator[Told]:
    """The rows that differ; of evidence with its quote."""
    quotes = {
        " ".join(each.identity): each for claim in found.claims.values() for each in claim.evidence
    }
    for change in found.changes:
        shown, held = [], found.claims.get(change.id)
        if change.kind == "evidence" and change.verb != "gone" and change.name in quotes:
            evidence = quotes[change.name]
            file = found.sources.get(evidence.source, "")
            place = found.places.get(evidence.identity)
            path, lines, url = place or (file, evidence.span, "")
            shown = [told(evidence, path=path, lines=lines, url=url)]
        yield told(change, quotes=shown, text=held.text if held else "")


def row_counts(found: MemoryDiff) -> Counter[str]:
    """Rows by kind and verb."""
    return Counter(f"{each.kind} {each.verb}" for each in found.changes)


# --- reviews, lint, skills, memory -------------------------------------------------------


def day(commit: Commit) -> str:
    """The date of a commit."""
    return commit.date.strftime("%Y-%m-%d")


def review_quotes(item: ChangeItem) -> Iterator[Told]:
    """The evidence of an item."""
    had = {e.identity for e in item.before.evidence} if item.before else set()
    for each in item.claim.evidence if item.claim else ():
        yield told(each, is_new=each.identity not in had)


def lint_findings(report: LintReport) -> Iterator[Told]:
    """What a lint found, each with its rule."""
    from llmwiki.lint.text_report import mending_of, plain

    for finding, mark in report.marked():
        rule = report.rules[finding.code]
        yield told(
            finding,
            name=rule.name,
            severity=report.severity(finding).word,
            message=plain(finding.message),
            mend=mending_of(finding, rule),
            fingerprint=mark,
            fixable=rule.fixable and not finding.by_hand,
        )


def skill_severity(finding: Finding) -> str:
    """How bad something that is wrong with a skill is."""
    from llmwiki.lint.rules.skills import severity_of_skill

    return severity_of_skill(finding).word


def sentences(story: Any) -> Iterator[Told]:
    """The sentences that a note rests on."""
    for said, sealed, heard in zip(story.sentences, story.sealed, story.heard, strict=True):
        yield told(said, sealed=sealed, heard=heard)


def learned_items(report: LearnReport) -> list[Told]:
    """What a conversation taught, landed or waiting."""
    landed = [(item, turn.outcome.commit) for turn in report.learned for item in turn.items]
    return [*(told(item, commit=commit) for item, commit in landed), *waiting(report.pending)]


def waiting(items: Iterable[PendingItem]) -> list[Told]:
    """What was learned and waits for a yes."""
    return [told(each.item, pending=each.id) for each in items]


# --- the graph ---------------------------------------------------------------------------


def _edge(ground: GraphInput, edge: GraphEdge) -> Told:
    ends = {"from": ground.pages[edge.source].path, "to": ground.pages[edge.target].path}
    return told(edge, **ends)


def path_steps(way: PagePath) -> Iterator[Told]:
    """The pages of a way, with the edges that lead to them."""
    for step in way.steps:
        edge = _edge(way.ground, step.edge) if step.edge else None
        yield told(way.ground.pages[step.place], edge=edge)


def rings(around: Neighbourhood) -> Iterator[list[Told]]:
    """The pages around one, by their distance."""
    pages = around.ground.pages
    for ring in around.rings:
        yield [
            told(
                pages[near.place],
                distance=near.distance,
                via=pages[near.via].path,
                edge=_edge(around.ground, near.edge),
            )
            for near in ring
        ]


def graph_parts(
    drawn: WikiGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """What the graph shows; pages by their paths."""
    built = drawn.built
    nodes, near = built.graph.nodes, built.net.near

    def paths(places: Sequence[int]) -> list[str]:
        return [nodes[place].path for place in places[:TOLD]]

    return {
        "pages": len(nodes),
        "edges": len(built.graph.edges),
        "hubs": [told(nodes[place], edges=len(near[place])) for place in seen.hubs],
        "communities": [
            (each.name, len(each.members), paths(each.members[:SHOWN]))
            for each in built.graph.communities[:TOLD]
        ],
        "bridges": [(nodes[page.node].path, page.parted) for page in seen.parts.pages[:TOLD]],
        "isolated": (
            [paths(part) for part in seen.parts.parts[1:TOLD] if len(part) > 1],
            paths(seen.unlinked),
            len(seen.unlinked),
        ),
        "missing": [
            (
                nodes[each.source].path,
                nodes[each.target].path,
                paths(each.shared),
                each.is_named,
                each.score,
            )
            for each in seen.missing
        ],
        "health": (seen.in_largest, len(seen.unlinked), built.broken, seen.remarks),
        "files": files,
    }
