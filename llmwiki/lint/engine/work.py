"""The work of a lint: what changed is read, judged and kept, and all that stands is gathered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from llmwiki.core.text import sha256_hex
from llmwiki.index.lint_cache import Judge, LintCache, QuoteCheck, RelationRow
from llmwiki.index.open_index import Index
from llmwiki.lint.cache_codec import SEPARATOR, as_group, read_back, written
from llmwiki.lint.engine import evaluation
from llmwiki.lint.engine.steps import Step, counted, no_step
from llmwiki.lint.engine.suppressions import IGNORES, by_page, needless, split
from llmwiki.lint.engine.workers import Workers
from llmwiki.lint.finding import Finding, RuleHit
from llmwiki.lint.foreign import leaves_alone
from llmwiki.lint.outcome import Coverage, Report
from llmwiki.lint.page_links import OUTGOING
from llmwiki.lint.rule import OverGroup, OverSources, OverWiki, Rule, RuleSummary
from llmwiki.lint.rules import RULES
from llmwiki.lint.rules.ledgers import RESOURCES
from llmwiki.lint.select import chosen
from llmwiki.lint.texts import Texts
from llmwiki.lint.wiki import WikiView
from llmwiki.pages.page import SourceRef

_BATCH = 2_000
"""Pages looked up in the index at once."""
_RESOURCES = RESOURCES.name + SEPARATOR
"""What the keys of the rows begin with that say which bytes sources have."""
_LINKS = OUTGOING.name + SEPARATOR
"""What the keys of the rows begin with that the graph is made of."""


class Lint:
    """One run."""

    def __init__(
        self,
        index: Index,
        memory: LintCache,
        wiki: WikiView,
        codes: frozenset[str] | None,
        step: Step = no_step,
    ) -> None:
        self._index = index
        self._memory = memory
        self._wiki = wiki
        self._step = step
        usual = chosen(RULES)
        self._rules = [r for r in RULES if r.code in (usual if codes is None else codes)]
        self._is_whole = usual <= {rule.code for rule in self._rules}
        self._codes = {rule.code: rule for rule in self._rules}

    def report(self, further: Iterable[Finding] = ()) -> Report:
        """All that is found, and what was looked at."""
        self._read_pages()
        self._compare_quotes()
        found = [*filter(self._is_wanted, [*self._kept(), *self._over_wiki()]), *further]
        if self._wiki.to_remember:
            with self._memory.writing():
                self._memory.remember(self._wiki.to_remember)
        standing, silenced = self._without_ignored(found)
        pages, claims, quotes = self._memory.sums()
        coverage = Coverage(pages, claims, quotes, self._memory.quotes_compared())
        rules = {
            rule.code: RuleSummary(rule.code, rule.name, rule.severity, rule.mending, rule.fixable)
            for rule in self._rules
        }
        return Report(tuple(sorted(standing)), coverage, silenced, rules)

    # --- pages -----------------------------------------------------------------------------

    def _read_pages(self) -> None:
        gone, unknown = self._memory.gone(), self._memory.unknown()
        if not gone and not unknown and self._memory.fits:
            return
        with Workers(self._wiki.limits, len(unknown)) as crew:
            read = crew.read(self._texts(unknown))
            pages = list(counted(read, self._step, "reading pages", len(unknown)))
        self._step("comparing pages", 0, 0)
        with self._memory.writing():
            self._memory.put(gone, pages, self._judge(), (_LINKS, _RESOURCES))

    def _judge(self) -> Judge:
        over: dict[str, list[Rule]] = {}
        least: dict[str, int] = {}
        for rule in RULES:
            if isinstance(rule.over, OverGroup):
                name = rule.over.relation.name
                over.setdefault(name, []).append(rule)
                least[name] = min(rule.over.least, least.get(name, rule.over.least))

        def judge(key: str, told: Sequence[RelationRow]) -> str:
            name, _, bare = key.partition(SEPARATOR)
            if len(told) < least.get(name, len(told) + 1):
                return ""
            group = as_group(bare, told, self._wiki.limits)
            return written(evaluation.judge(over[name], group))

        return judge

    def _texts(self, pages: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
        for start in range(0, len(pages), _BATCH):
            wanted = [doc for doc, _path in pages[start : start + _BATCH]]
            cards = self._index.cards(wanted)
            for doc in wanted:
                yield doc, cards[doc].path, self._index.read(cards[doc])

    # --- quotes ----------------------------------------------------------------------------

    def _compare_quotes(self) -> None:
        wiki, memory = self._wiki, self._memory
        rules = [rule for rule in RULES if isinstance(rule.over, OverSources)]
        texts = Texts(wiki.repo, wiki.commit, wiki.recorded)
        told = self._memory.clock_of(_RESOURCES)
        token = f"{texts.token(swept=self._index.swept)} {told}"
        pending = [doc for doc, _path in memory.uncompared()]
        if wiki.recall("texts") != token:
            pending += [
                doc for doc, refs, was in memory.compared() if _like(texts, json.loads(refs)) != was
            ]
            wiki.remember("texts", token)
        done: list[QuoteCheck] = []
        for doc in counted(pending, self._step, "looking for quotes, page", len(pending)):
            view = wiki.view(doc)
            own = () if view.broken else view.head.sources
            listed = json.dumps([(ref.id, ref.resource, ref.sha256) for ref in own])
            found = written(evaluation.compare(view, rules, texts))
            like = _like(texts, json.loads(listed))
            done.append(QuoteCheck(doc, listed, like, found, texts.compared(view)))
        if done:
            with memory.writing():
                memory.put_quoted(done)

    # --- findings --------------------------------------------------------------------------

    def _kept(self) -> Iterator[Finding]:
        """What was found in pages, groups and quotes, by the rules that are asked for."""
        for kept in self._memory.found():
            for finding in read_back(kept):
                rule = self._codes.get(finding.code)
                if rule is None:
                    continue
                over = rule.over
                if isinstance(over, OverGroup) and over.settle is not None:
                    settled = over.settle(_as_hit(finding), self._wiki)
                    if settled is not None:
                        yield from evaluation.findings(rule, [settled], "")
                else:
                    yield finding

    def _is_wanted(self, finding: Finding) -> bool:
        rule = self._codes.get(finding.code)
        return rule is None or not leaves_alone(finding, rule, self._wiki)

    def _over_wiki(self) -> Iterator[Finding]:
        stamps = _Stamps(self._wiki, self._memory)
        rules = [rule for rule in self._rules if isinstance(rule.over, OverWiki)]
        for rule in counted(rules, self._step, "looking at the whole wiki, rule", len(rules)):
            if not isinstance(rule.over, OverWiki):
                continue
            stamp = stamps.of(rule.over.depends)
            kept = self._wiki.recall(f"rule {rule.code}")
            was, _, told = (kept or "").partition("\n")
            if was == stamp:
                yield from read_back(told)
                continue
            found = sorted(evaluation.findings(rule, rule.over.check(self._wiki), ""))
            self._wiki.remember(f"rule {rule.code}", f"{stamp}\n{written(found)}")
            yield from found

    def _without_ignored(self, found: list[Finding]) -> tuple[list[Finding], int]:
        silencing = by_page(self._wiki.group(IGNORES, ""))
        if not silencing:
            return found, 0
        if self._is_whole:
            found += needless(found, silencing)
        return split(found, silencing)


class _Stamps:
    """A text that changes with what a rule depends on."""

    def __init__(self, wiki: WikiView, memory: LintCache) -> None:
        self._wiki = wiki
        self._memory = memory
        self._known: dict[str, str] = {}

    def of(self, depends: Iterable[str]) -> str:
        """One line for all of them."""
        return sha256_hex("\n\n".join(self._one(name) for name in sorted(depends)).encode())[:32]

    def _one(self, name: str) -> str:
        if name not in self._known:
            ask: Mapping[str, Callable[[], str]] = {
                "pages": lambda: self._memory.clock,
                "links": lambda: self._memory.clock_of(_LINKS),
                "files": self._wiki.stamp_of_files,
                "raw": lambda: self._wiki.recall("texts") or "",
                "history": lambda: self._wiki.history.stamp,
                "day": self._wiki.today.isoformat,
            }
            self._known[name] = f"{name} {ask[name]()}"
        return self._known[name]


def _like(texts: Texts, refs: Iterable[Sequence[str]]) -> str:
    """What the texts of these sources, as (id, resource, sha256) or their own pages', are like."""
    known = (texts.recorded(ref[0], SourceRef(*ref)) for ref in refs)
    return "\n".join(f"{ref.id} {texts.identity(ref)}" for ref in known)


def _as_hit(finding: Finding) -> RuleHit:
    return RuleHit(
        finding.line,
        finding.message,
        finding.path,
        finding.column,
        finding.mend,
        finding.about,
        finding.claims,
    )
