"""What staged pages bring against the rules of evidence and safety: what the hook of git asks.

Only the pages that differ are read, as they are staged and as HEAD has them, and those that they
are about, so that it takes time with the change and not with the wiki.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from llmwiki.git.repository import Repository
from llmwiki.index.lookups import CLAIM, NOTE, SOURCE
from llmwiki.index.open_index import open_corpus
from llmwiki.index.page_facts_record import is_page
from llmwiki.lint.changed_pages import of_page, of_sources
from llmwiki.lint.findings import Coverage, Finding, LintReport, Severity
from llmwiki.lint.ignore_comments import read as read_ignores
from llmwiki.lint.ignore_comments import split
from llmwiki.lint.own_and_foreign_pages import is_ledger
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import Texts, recorded_on
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import NAMES, RULES
from llmwiki.lint.rules.file_names import duplicate_id, one_id
from llmwiki.lint.vault_and_archive_folders import VaultKinds
from llmwiki.lint.wiki_files import WikiFiles

_ERRORS = ("WK023", "WK2", "WK6")
"""Beginnings of the codes whose errors count, as far as a page and its sources tell of them."""
_CHANGED, _QUOTE, _NOTE = "WK205", "WK201", Severity.NOTE
"""By a source that has changed a false quote would pass because it is not compared."""


def guarding(codes: frozenset[str] | None) -> frozenset[str]:
    """The codes of the rules that count, as far as they are among `codes`; None: all are."""
    local = (rule for rule in RULES if rule.of in ("page", "sources"))
    errors = {rule.code for rule in local if rule.severity is Severity.ERROR}
    counted = {duplicate_id.code, _CHANGED, *(code for code in errors if code.startswith(_ERRORS))}
    return frozenset(counted if codes is None else counted & codes)


def lint_staged(
    repo: Repository, new: str, codes: frozenset[str] | None, vaults: VaultKinds
) -> LintReport:
    """What the pages below wiki/ in the commit `new` bring that HEAD's pages had not.

    Both are compared with raw/ as `new` has it: that a source was changed is no fault of a page.
    """
    asked = guarding(codes)
    rules = [rule for rule in RULES if rule.code in asked]
    changes = [c for c in repo.diff_trees(repo.head(), new, "wiki") if is_page(c.path)]
    was = _views(repo, {c.path: c.old for c in changes}, vaults)
    now = _views(repo, {c.path: c.new for c in changes}, vaults)
    beside = _beside(repo, new, was, now, vaults)
    known = Counter(map(_mark, _found(repo, repo.head(), new, {**beside, **was}, rules)))
    found = []
    for finding in _found(repo, new, new, {**beside, **now}, rules):
        known[_mark(finding)] -= 1
        if known[_mark(finding)] < 0:
            found.append(finding)
    silencing = {path: read_ignores(view, NAMES) for path, view in now.items()}
    standing, ignored = split(found, silencing)
    claims = [placed for view in now.values() for placed in view.claims]
    quotes = sum(len(placed.evidence) for placed in claims)
    coverage = Coverage(len(now), len(claims), quotes, quotes)
    return LintReport(tuple(sorted(standing)), coverage, {r.code: r for r in rules}, ignored)


def _mark(finding: Finding) -> tuple[str, str]:
    """By what it is known again, on a page of another name too."""
    return finding.code, finding.about or finding.message


Views = Mapping[str, PageView]
"""Pages by path."""


def _views(
    repo: Repository, entries: Mapping[str, tuple[str, str] | None], vaults: VaultKinds
) -> Views:
    """The pages among the entries of a tree."""
    files = {path: entry[1] for path, entry in entries.items() if entry and entry[0] in _PLAIN}
    texts = zip(files, repo.read_many(list(files.values())), strict=True)
    return {path: PageView(path, data.decode("utf-8", "ignore"), vaults) for path, data in texts}


_PLAIN = ("100644", "100755")


def _found(
    repo: Repository, commit: str | None, raw: str, views: Views, rules: list[Rule]
) -> list[Finding]:
    """What rules find on pages of a commit, compared with raw/ of another."""

    def page(path: str) -> PageView | None:
        data = repo.read(commit, path)
        return None if data is None else PageView(path, data.decode("utf-8", "ignore"))

    texts = Texts(WikiFiles(repo, raw), recorded_on(page))
    found: list[Finding] = []
    for view in views.values():
        found += [*of_page(view, rules), *of_sources(view, rules, texts)]
        # A false quote would pass because it is not compared.
        if any(rule.code == _QUOTE for rule in rules):
            found += [
                Finding(view.path, each.line, 0, _QUOTE, each.message, "", each.source, (), _NOTE)
                for each in texts.compared(view).lacking
            ]
    if any(rule.code == duplicate_id.code for rule in rules):
        at: dict[str, list[tuple[str, int]]] = {}
        for path, view in sorted(views.items()):
            for placed in (*view.claims, *view.notes):
                at.setdefault(placed.claim.id, []).append((path, placed.line))
        doubled = (hit for i, places in at.items() if len(places) > 1 for hit in one_id(i, places))
        found += [hit._replace(code=duplicate_id.code) for hit in doubled]
    return sorted(found)


def _beside(repo: Repository, commit: str, was: Views, now: Views, vaults: VaultKinds) -> Views:
    """The pages that did not change and that the change is about: those on which an id stands that
    it brings, and those that quote a source whose own page says another thing of it."""
    ids = _ids(now) - _ids(was)
    keys = [prefix + ident for ident in sorted(ids) for prefix in (CLAIM, NOTE)]
    told, tells = (
        {v.stem: v.own_source for v in each.values() if is_ledger(v) and not v.broken}
        for each in (was, now)
    )
    keys += [SOURCE + source for source in sorted(told) if tells.get(source) != told[source]]
    if not keys:
        return {}
    with open_corpus(repo) as index:
        paths = {path for held in index.paths(keys).values() for path in held}
    others = sorted(paths - was.keys() - now.keys())
    return _views(repo, {path: repo.entry(commit, path) for path in others}, vaults)


def _ids(views: Views) -> set[str]:
    """The ids of the claims and notes that stand on pages."""
    return {p.claim.id for view in views.values() for p in (*view.claims, *view.notes)}
