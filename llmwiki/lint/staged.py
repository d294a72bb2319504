"""What staged pages bring against the rules of evidence and safety: what the hook of git asks.

Only the pages that differ are read, as they are staged and as HEAD has them, and those that they
are about, so that it takes time with the change and not with the wiki.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from llmwiki.git.repository import Repository
from llmwiki.index.corpus import CLAIM, NOTE, SOURCE
from llmwiki.index.facts import is_page
from llmwiki.index.open_index import open_corpus
from llmwiki.lint.finding import Coverage, Finding, LintLimits, Report, Severity
from llmwiki.lint.ignores import split
from llmwiki.lint.kinds import is_ledger
from llmwiki.lint.raw_files import RawFiles
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES
from llmwiki.lint.texts import Texts, recorded_on
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import HeldWiki
from llmwiki.lint.work import ignores_in, lint_held

_DOUBLE = "WK010"
_ERRORS = ("WK023", "WK2", "WK6")
"""Beginnings of the codes whose errors count, as far as a page and its sources tell of them."""
_CHANGED, _QUOTE = "WK205", "WK201"
"""By a source that has changed a false quote would pass because it is not compared."""


def guarding(codes: frozenset[str] | None) -> frozenset[str]:
    """The codes of the rules that count, as far as they are among `codes`; None: all are."""
    local = (rule for rule in RULES if rule.of in ("page", "sources"))
    errors = {rule.code for rule in local if rule.severity is Severity.ERROR}
    counted = {_DOUBLE, _CHANGED, *(code for code in errors if code.startswith(_ERRORS))}
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
    was = _texts(repo, {c.path: c.old for c in changes})
    now = _texts(repo, {c.path: c.new for c in changes})
    beside = _beside(repo, new, was, now)
    before, after = (HeldWiki({**beside, **texts}, limits=limits) for texts in (was, now))
    known = Counter(map(_mark, _found(repo, repo.head(), new, before, rules)))
    found = []
    for finding in _found(repo, new, new, after, rules):
        known[_mark(finding)] -= 1
        if known[_mark(finding)] < 0:
            found.append(finding)
    silencing = {path: told for path, told in ignores_in(after).items() if path in now}
    standing, ignored = split(found, silencing)
    claims = [placed for view in after.views if view.path in now for placed in view.claims]
    quotes = sum(len(placed.evidence) for placed in claims)
    coverage = Coverage(len(now), len(claims), quotes, quotes)
    return Report(tuple(sorted(standing)), coverage, ignored, {r.code: r.summary for r in rules})


def _mark(finding: Finding) -> tuple[str, str]:
    """By what it is known again, on a page of another name too."""
    return finding.code, finding.about or finding.message


def _texts(repo: Repository, entries: Mapping[str, tuple[str, str] | None]) -> dict[str, bytes]:
    """The pages among the entries of a tree."""
    files = {path: entry[1] for path, entry in entries.items() if entry and entry[0] in _PLAIN}
    return dict(zip(files, repo.read_many(list(files.values())), strict=True))


_PLAIN = ("100644", "100755")


def _found(
    repo: Repository, commit: str | None, raw: str, wiki: HeldWiki, rules: list[Rule]
) -> list[Finding]:
    """What rules find on pages of a commit, compared with raw/ of another."""

    def page(path: str) -> PageView | None:
        data = repo.read(commit, path)
        return None if data is None else PageView(path, data.decode("utf-8", "ignore"))

    texts = Texts(RawFiles(repo, raw), recorded_on(page))
    found = lint_held(wiki, rules, texts)
    # A false quote would pass because it is not compared.
    return found + [
        Finding(
            view.path, each.line, 0, _QUOTE, each.message, about=each.source, severity=Severity.NOTE
        )
        for view in wiki.views
        if any(rule.code == _QUOTE for rule in rules)
        for each in texts.lacking(view)
    ]


def _beside(
    repo: Repository, commit: str, was: Mapping[str, bytes], now: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The pages that did not change and that the change is about: those on which an id stands that
    it brings, and those that quote a source whose own page says another thing of it."""
    before, after = _views(was), _views(now)
    ids = _ids(after) - _ids(before)
    keys = [prefix + ident for ident in sorted(ids) for prefix in (CLAIM, NOTE)]
    told, tells = (
        {v.stem: v.head.own_source for v in each if is_ledger(v) and not v.broken}
        for each in (before, after)
    )
    keys += [SOURCE + source for source in sorted(told) if tells.get(source) != told[source]]
    if not keys:
        return {}
    with open_corpus(repo) as index:
        paths = {path for held in index.paths(keys).values() for path in held}
    others = sorted(paths - was.keys() - now.keys())
    return _texts(repo, {path: repo.entry(commit, path) for path in others})


def _views(texts: Mapping[str, bytes]) -> list[PageView]:
    return [PageView(path, data.decode("utf-8", "ignore")) for path, data in texts.items()]


def _ids(views: Iterable[PageView]) -> set[str]:
    """The ids of the claims and notes that stand on pages."""
    return {placed.claim.id for view in views for placed in (*view.claims, *view.notes)}
