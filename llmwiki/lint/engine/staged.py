"""What staged pages bring against the rules of evidence and safety: what the hook of git asks.

Only the pages that differ are read, as they are staged and as HEAD has them, and those that they
are about, so that it takes time with the change and not with the wiki.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from llmwiki.index.facts import is_page
from llmwiki.index.keys import CLAIM, NOTE, SOURCE
from llmwiki.index.open_index import open_corpus
from llmwiki.lint.claims import CLAIMS, STANDS
from llmwiki.lint.engine import evaluation
from llmwiki.lint.engine.suppressions import IGNORES, by_page, split
from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.outcome import Coverage, Report
from llmwiki.lint.relation import Group, GroupRow, Relation
from llmwiki.lint.rule import OverPage, OverSources, Rule, RuleSummary
from llmwiki.lint.rules import RULES
from llmwiki.lint.rules.ledgers import is_ledger
from llmwiki.lint.texts import Texts, recorded_on
from llmwiki.lint.thresholds import LintLimits
from llmwiki.lint.view import PageView
from llmwiki.repo.repository import Repository

_DOUBLE = "WK010"
_ERRORS = ("WK023", "WK024", "WK2", "WK6")
"""Beginnings of the codes whose errors count, as far as a page and its sources tell of them."""
_UNCOMPARED = frozenset(("WK205", "WK904"))
"""By which a false quote would pass because it is not compared."""


def guarding(codes: frozenset[str] | None) -> frozenset[str]:
    """The codes of the rules that count, as far as they are among `codes`; None: all are."""
    local = (rule for rule in RULES if isinstance(rule.over, OverPage | OverSources))
    errors = {rule.code for rule in local if rule.severity is Severity.ERROR}
    counted = {_DOUBLE, *_UNCOMPARED, *(code for code in errors if code.startswith(_ERRORS))}
    return frozenset(counted if codes is None else counted & codes)


def lint_staged(
    repo: Repository, new: str, codes: frozenset[str] | None, limits: LintLimits
) -> Report:
    """What the pages below wiki/ in the commit `new` bring that HEAD's pages had not.

    Both are compared with raw/ as `new` has it: that a source was changed is no fault of a page.
    """
    asked = guarding(codes)
    rules = [rule for rule in RULES if rule.code in asked]
    changes = [c for c in repo.diff_trees(repo.head(), new, "wiki") if is_page(c.path)]
    was = _views(repo, {c.path: c.old for c in changes}, limits)
    now = _views(repo, {c.path: c.new for c in changes}, limits)
    beside = _beside(repo, new, was, now, limits)
    known = Counter(map(_mark, _found(repo, repo.head(), new, (*was, *beside), rules)))
    found = []
    for finding in _found(repo, new, new, (*now, *beside), rules):
        known[_mark(finding)] -= 1
        if known[_mark(finding)] < 0:
            found.append(finding)
    silencing = by_page(Group("", tuple(_rows(IGNORES, now).get("", ())), limits))
    standing, ignored = split(found, silencing)
    claims = [placed for view in now for placed in view.claims]
    quotes = sum(len(placed.evidence) for placed in claims)
    summaries = {
        r.code: RuleSummary(r.code, r.name, r.severity, r.mending, r.fixable) for r in rules
    }
    coverage = Coverage(len(now), len(claims), quotes, quotes)
    return Report(tuple(sorted(standing)), coverage, ignored, summaries)


def _mark(finding: Finding) -> tuple[str, str]:
    """By what it is known again, on a page of another name too."""
    return finding.code, finding.about or finding.message


def _views(
    repo: Repository, entries: Mapping[str, tuple[str, str] | None], limits: LintLimits
) -> tuple[PageView, ...]:
    """The pages among the entries of a tree."""
    files = {path: entry[1] for path, entry in entries.items() if entry and entry[0] in _PLAIN}
    texts = repo.read_many(list(files.values()))
    return tuple(
        PageView(path, data.decode("utf-8", "ignore"), limits)
        for path, data in zip(files, texts, strict=True)
    )


_PLAIN = ("100644", "100755")


def _found(
    repo: Repository, commit: str | None, raw: str, views: Iterable[PageView], rules: list[Rule]
) -> Iterator[Finding]:
    """What rules find on pages of a commit, compared with raw/ of another."""

    def page(path: str) -> PageView | None:
        data = repo.read(commit, path)
        return None if data is None else PageView(path, data.decode("utf-8", "ignore"))

    texts = Texts(repo, raw, recorded_on(page))
    views = sorted(views, key=lambda view: view.path)
    for view in views:
        yield from evaluation.read(view, rules, ()).findings
        yield from evaluation.compare(view, rules, texts)
    for key, rows in _ids(views).items():
        yield from evaluation.judge(rules, Group(key, tuple(rows)))


def _ids(views: Iterable[PageView]) -> dict[str, list[GroupRow]]:
    """Each id that stands on a page to where it does, with the sign of its key before it."""
    said = _rows(CLAIMS, views)
    stand = {key: [row for row in rows if row.value[0] == STANDS] for key, rows in said.items()}
    return {key: rows for key, rows in stand.items() if rows}


def _rows(relation: Relation, views: Iterable[PageView]) -> dict[str, list[GroupRow]]:
    said: dict[str, list[GroupRow]] = {}
    for view in views:
        for key, value in relation.emit(view):
            said.setdefault(key, []).append(GroupRow(view.path, value))
    return said


def _beside(
    repo: Repository,
    commit: str,
    was: Iterable[PageView],
    now: Iterable[PageView],
    limits: LintLimits,
) -> tuple[PageView, ...]:
    """The pages that did not change and that the change is about: those on which an id stands that
    it brings, and those that quote a source whose own page says another thing of it."""
    ids = _ids(now).keys() - _ids(was).keys()
    keys = [prefix + ident[1:] for ident in sorted(ids) for prefix in (CLAIM, NOTE)]
    told, tells = ({v.stem: v.head.own_source for v in each if _records(v)} for each in (was, now))
    keys += [SOURCE + source for source in sorted(told) if tells.get(source) != told[source]]
    if not keys:
        return ()
    with open_corpus(repo) as index:
        paths = {path for held in index.paths(keys).values() for path in held}
    others = sorted(paths - {view.path for view in (*was, *now)})
    return _views(repo, {path: repo.entry(commit, path) for path in others}, limits)


def _records(view: PageView) -> bool:
    return is_ledger(view) and not view.broken
