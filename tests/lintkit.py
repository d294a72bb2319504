"""The one way tests reach a rule: files and rules in, findings out; no git, no index, no files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from llmwiki.core.text import sha256_hex
from llmwiki.lint.finding import Finding, LintLimits
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES
from llmwiki.lint.texts import Texts, recorded_on
from llmwiki.lint.wiki import HeldWiki
from llmwiki.lint.work import lint_held

TODAY = date(2026, 6, 1)


class HeldRaw:
    """The files below raw/ of a wiki in memory, as `Texts` reads them."""

    def __init__(self, wiki: HeldWiki) -> None:
        self._wiki = wiki

    def stamp(self, path: str) -> str:
        data = self._wiki.file(path)
        return "" if data is None else sha256_hex(data)

    def read(self, path: str) -> bytes | None:
        return self._wiki.file(path)


def held_texts(wiki: HeldWiki) -> Texts:
    """The texts of the sources of a wiki in memory."""
    return Texts(HeldRaw(wiki), recorded_on(wiki.page))


NAMED = {name: rule for rule in RULES for name in (rule.code, rule.name, *rule.was)}
"""All rules by code and by name, also of what is part of a rule now."""


def lint_held_wiki(wiki: HeldWiki, rules: Iterable[Rule] = RULES) -> list[Finding]:
    """What rules find in a wiki that a test goes on to ask."""
    asked = {rule.code: rule for rule in rules}
    return lint_held(wiki, list(asked.values()), held_texts(wiki))


def beginning(*codes: str) -> tuple[Rule, ...]:
    """The rules whose codes begin so."""
    return tuple(rule for rule in RULES if rule.code.startswith(codes))


def lint_texts(
    texts: str | Mapping[str, str | bytes],
    rules: Iterable[Rule | str] = RULES,
    *,
    now: date = TODAY,
    limits: LintLimits | None = None,
    history: Any = None,
) -> list[Finding]:
    """What rules, by themselves or by code, find in pages and files by path; one text is
    `wiki/concepts/Example.md`."""
    held = {"wiki/concepts/Example.md": texts} if isinstance(texts, str) else texts
    wiki = HeldWiki(held, today=now, limits=limits, history=history)
    return lint_held_wiki(wiki, [NAMED[e] if isinstance(e, str) else e for e in rules])
