"""The one way tests reach a rule: files and rules in, findings out; no git, no index, no files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from llmwiki.core.text import sha256_hex
from llmwiki.index.keys_of_names import entry_of
from llmwiki.index.page_facts_record import is_catalogue, is_page
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.index.tables_for_lint import LintTables
from llmwiki.lint.changed_pages import of_catalogue, of_page, of_sources
from llmwiki.lint.commits_and_log import History
from llmwiki.lint.findings import Finding
from llmwiki.lint.page_rows import rows_of
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import Texts, recorded_on
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES
from llmwiki.lint.vault_and_archive_folders import VaultKinds
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.catalogue import Entry


class HeldWiki(LintedWiki):
    """A wiki of texts by path; what is no page is a file."""

    def __init__(
        self,
        texts: Mapping[str, str | bytes],
        *,
        vaults: VaultKinds | None = None,
        history: History | None = None,
    ) -> None:
        self._held = {
            path: data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            for path, data in texts.items()
        }
        self.views = {
            path: PageView(path, self._held[path].decode("utf-8", "ignore"), vaults)
            for path in sorted(self._held)
            if is_page(path)
        }
        self.commit = None
        self.vaults = vaults or VaultKinds()
        self.tables = LintTables()
        self.keeps_catalogue = bool(self.vaults.branch)
        self._history = history or History.none()
        self.to_remember = {}
        for number, view in enumerate(self.views.values(), start=1):
            self.tables.insert(number, view.path, "", rows_of(view, "", {}))

    @cached_property
    def paths(self) -> Sequence[str]:
        return tuple(self.views)

    @cached_property
    def history(self) -> History:
        return self._history

    def page(self, path: str) -> PageView | None:
        return self.views.get(path)

    def entries(self) -> Iterator[Entry]:
        return (entry_of(facts_of(path, view.text)) for path, view in self.views.items())

    def file(self, path: str) -> bytes | None:
        return self._held.get(path)

    @cached_property
    def files(self) -> frozenset[str]:
        return frozenset(path for path in self._held if not is_page(path) or is_catalogue(path))

    def ignored(self, paths: Collection[str]) -> frozenset[str]:
        return frozenset()

    @cached_property
    def symlinks(self) -> Mapping[str, str]:
        return {}

    def recall(self, key: str) -> str | None:
        return self.to_remember.get(key)


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
    asked = list({rule.code: rule for rule in rules}.values())
    found: list[Finding] = []
    texts = held_texts(wiki)
    for view in wiki.views.values():
        found += [*of_page(view, asked), *of_sources(view, asked, texts)]
    found += of_catalogue(wiki, asked)
    for rule in asked:
        if rule.of == "wiki":
            found += rule.findings(wiki)
    return sorted(found)


def beginning(*codes: str) -> tuple[Rule, ...]:
    """The rules whose codes begin so."""
    return tuple(rule for rule in RULES if rule.code.startswith(codes))


def lint_texts(
    texts: str | Mapping[str, str | bytes],
    rules: Iterable[Rule | str] = RULES,
    *,
    vaults: VaultKinds | None = None,
    history: Any = None,
) -> list[Finding]:
    """What rules, by themselves or by code, find in pages and files by path; one text is
    `wiki/concepts/Example.md`."""
    held = {"wiki/concepts/Example.md": texts} if isinstance(texts, str) else texts
    wiki = HeldWiki(held, vaults=vaults, history=history)
    return lint_held_wiki(wiki, [NAMED[e] if isinstance(e, str) else e for e in rules])
