"""Rules on pages that are held in memory: no file, no git, no index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from llmwiki.lint.finding import Finding
from llmwiki.lint.foreign import leaves_alone
from llmwiki.lint.rows import rows_of

if TYPE_CHECKING:
    from llmwiki.lint.rule import Rule
    from llmwiki.lint.texts import Texts
    from llmwiki.lint.view import PageView
    from llmwiki.lint.wiki import HeldWiki


def of_page(view: PageView, rules: Iterable[Rule]) -> list[Finding]:
    """What the rules of single pages find on one, sorted."""
    return sorted(
        hit.finding(rule.code, view.path)
        for rule in rules
        if rule.of_page is not None
        for hit in rule.of_page(view)
    )


def of_sources(view: PageView, rules: Iterable[Rule], texts: Texts) -> list[Finding]:
    """What the rules of sources find on a page, sorted."""
    return sorted(
        hit.finding(rule.code, view.path)
        for rule in rules
        if rule.of_sources is not None
        for hit in rule.of_sources(view, texts)
    )


def lint_held(wiki: HeldWiki, rules: Sequence[Rule], texts: Texts) -> list[Finding]:
    """Everything the rules find, sorted; nothing is silenced."""
    found: list[Finding] = []
    names: dict[str, str] = {}
    for number, view in enumerate(wiki.views, start=1):
        found += of_page(view, rules)
        found += of_sources(view, rules, texts)
        if not wiki.is_filled:
            wiki.tables.insert(number, view.path, "", rows_of(view, "", names))
    wiki.is_filled = True
    for rule in rules:
        if rule.of_wiki is not None:
            found += [hit.finding(rule.code) for hit in rule.of_wiki(wiki)]
    return sorted(each for each in found if not leaves_alone(each, wiki))
