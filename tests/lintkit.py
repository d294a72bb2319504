"""Rules on pages held in memory: no git, no index, no files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from llmwiki.core.text import sha256_hex
from llmwiki.index.facts import is_catalogue, is_page
from llmwiki.index.keys import entry_of
from llmwiki.index.lookup import Lookup
from llmwiki.index.page_facts import facts_of
from llmwiki.lint.engine import evaluation
from llmwiki.lint.finding import Finding
from llmwiki.lint.relation import Group, GroupRow, Relation
from llmwiki.lint.rule import OverGroup, OverWiki, Rule
from llmwiki.lint.texts import Texts, recorded_on
from llmwiki.lint.thresholds import LintLimits
from llmwiki.lint.view import PageView
from llmwiki.pages.catalogue import Entry

TODAY = date(2026, 6, 1)


class NoHistory:
    """Of pages that lie in no repository."""

    lacks = "there are no commits yet"


class MemoryWiki:
    """A `WikiView` of texts by path; what is no page is a file."""

    def __init__(
        self,
        texts: Mapping[str, str | bytes],
        *,
        today: date = TODAY,
        limits: LintLimits | None = None,
        history: Any = None,
    ) -> None:
        self._files = {
            path: data.encode() if isinstance(data, str) else data for path, data in texts.items()
        }
        self._views = {
            path: PageView(path, self._files[path].decode("utf-8", "ignore"), limits)
            for path in sorted(self._files)
            if is_page(path)
        }
        self._facts = {path: facts_of(path, view.text) for path, view in self._views.items()}
        self.today = today
        self.limits = limits or LintLimits()
        self.history = history or NoHistory()
        self.keeps_catalogue = bool(self.limits.branch)
        self.memory: dict[str, str] = {}
        self._groups: dict[object, tuple[Group, ...]] = {}

    @property
    def names(self) -> Lookup:
        subjects = [f for f in self._facts.values() if f.type != "source"]
        return Lookup(None, ((f.path, f.title, f.aliases) for f in subjects))

    @property
    def paths(self) -> Sequence[str]:
        return tuple(self._views)

    def page(self, path: str) -> PageView | None:
        return self._views.get(path)

    def entries(self) -> Iterator[Entry]:
        return (entry_of(self._facts[path]) for path in self._views)

    def groups(self, relation: Relation) -> Iterator[Group]:
        if relation.emit not in self._groups:
            self._groups[relation.emit] = tuple(self._grouped(relation))
        return iter(self._groups[relation.emit])

    def _grouped(self, relation: Relation) -> Iterator[Group]:
        said: dict[str, list[GroupRow]] = {}
        for path, view in self._views.items():
            for key, value in relation.emit(view):
                said.setdefault(key, []).append(GroupRow(path, value))
        for key in sorted(said):
            yield Group(key, tuple(said[key]), self.limits)

    def group(self, relation: Relation, key: str) -> Group:
        return next((g for g in self.groups(relation) if g.key == key), Group(key, (), self.limits))

    def file(self, path: str) -> bytes | None:
        return self._files.get(path)

    @property
    def files(self) -> frozenset[str]:
        return frozenset(path for path in self._files if not is_page(path) or is_catalogue(path))

    def recall(self, key: str) -> str | None:
        return self.memory.get(key)

    def remember(self, key: str, value: str) -> None:
        self.memory[key] = value


class HeldRaw:
    """The files below raw/ of a wiki in memory, as `Texts` reads them."""

    def __init__(self, wiki: MemoryWiki) -> None:
        self._wiki = wiki

    def stamp(self, path: str) -> str:
        data = self._wiki.file(path)
        return "" if data is None else sha256_hex(data)

    def read(self, path: str) -> bytes | None:
        return self._wiki.file(path)

    def token(self, swept: bool) -> str:
        return "".join(self.stamp(path) for path in sorted(self._wiki.files))


def lint_wiki(wiki: MemoryWiki, rules: Iterable[Rule]) -> list[Finding]:
    """Everything the rules find, sorted."""
    rules = list(rules)
    texts = Texts.on(HeldRaw(wiki), recorded_on(wiki.page))
    found: list[Finding] = []
    for path in wiki.paths:
        view = wiki.page(path)
        assert view is not None
        found += evaluation.read(view, rules, ()).findings
        found += evaluation.compare(view, rules, texts)
    for rule in rules:
        over = rule.over
        if isinstance(over, OverWiki):
            found += evaluation.findings(rule, over.check(wiki), "")
        elif isinstance(over, OverGroup):
            for group in wiki.groups(over.relation):
                for hit in over.check(group):
                    settled = over.settle(hit, wiki) if over.settle else hit
                    if settled is not None:
                        found += evaluation.findings(rule, [settled], "")
    return sorted(found)


def lint_texts(
    texts: str | Mapping[str, str | bytes],
    rules: Iterable[Rule],
    *,
    now: date = TODAY,
    limits: LintLimits | None = None,
    history: Any = None,
) -> list[Finding]:
    """What rules find in pages and files by path; one text is `wiki/concepts/Example.md`."""
    held = {"wiki/concepts/Example.md": texts} if isinstance(texts, str) else texts
    return lint_wiki(MemoryWiki(held, today=now, limits=limits, history=history), rules)
