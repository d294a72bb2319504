"""The results of one page and of one group of rows: pure functions, kept between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from llmwiki.lint.finding import Finding, RuleHit
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, OverPage, OverSources, Rule
from llmwiki.lint.texts import Texts
from llmwiki.lint.view import PageView


class EmittedRow(NamedTuple):
    """What a page says under one key of a relation."""

    relation: str
    key: str
    value: Value


class PageEvaluation(NamedTuple):
    """The results of one page alone."""

    findings: tuple[Finding, ...]
    """Of the rules over pages."""
    said: tuple[EmittedRow, ...]
    """What its relations emit."""
    claims: int
    quotes: int
    """Pieces of evidence on it."""
    sources: int
    """Entries of its `sources`."""


def read(view: PageView, rules: Iterable[Rule], relations: Iterable[Relation]) -> PageEvaluation:
    """Every rule over pages, and every relation, on one page."""
    found: list[Finding] = []
    for rule in rules:
        if isinstance(rule.over, OverPage):
            for hit in rule.over.check(view):
                found.append(_as_finding(rule, hit, view.path))
    said = [
        EmittedRow(relation.name, key, value)
        for relation in relations
        for key, value in relation.emit(view)
    ]
    quotes = sum(len(placed.evidence) for placed in view.claims)
    sources = 0 if view.broken else len(view.head.sources)
    return PageEvaluation(tuple(sorted(found)), tuple(said), len(view.claims), quotes, sources)


def judge(rules: Iterable[Rule], group: Group) -> Iterator[Finding]:
    """The findings of the rules over one relation in a group."""
    for rule in rules:
        if isinstance(rule.over, OverGroup) and len(group.rows) >= rule.over.least:
            yield from findings(rule, rule.over.check(group), "")


def compare(view: PageView, rules: Iterable[Rule], texts: Texts) -> tuple[Finding, ...]:
    """The findings of the rules over sources on a page."""
    found: list[Finding] = []
    for rule in rules:
        if isinstance(rule.over, OverSources):
            found += findings(rule, rule.over.check(view, texts), view.path)
    return tuple(sorted(found))


def findings(rule: Rule, hits: Iterable[RuleHit], path: str) -> Iterator[Finding]:
    """Hits of a rule as findings."""
    return (_as_finding(rule, hit, path) for hit in hits)


def _as_finding(rule: Rule, hit: RuleHit, path: str) -> Finding:
    return Finding(
        hit.path or path,
        hit.line,
        hit.column,
        rule.code,
        hit.message,
        hit.mend,
        hit.about,
        hit.claims,
    )


def relations_of(rules: Iterable[Rule]) -> Sequence[Relation]:
    """The relations that rules are over, each once, by name.

    Raises ValueError where two share a name: what is kept of one would be taken for the other's.
    """
    named: dict[str, Relation] = {}
    for rule in rules:
        if isinstance(rule.over, OverGroup):
            relation = rule.over.relation
            if named.setdefault(relation.name, relation) is not relation:
                raise ValueError(f"two relations are named {relation.name!r}")
    return [named[name] for name in sorted(named)]
