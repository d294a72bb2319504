"""The work of a lint: what changed is read and kept, pages are compared, what stands is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from llmwiki.core.text import sha256_hex
from llmwiki.index.open_index import Index
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.index.tables_for_lint import LintFile, Rows
from llmwiki.lint.findings import (
    Coverage,
    Finding,
    LintReport,
    Severity,
    Step,
    no_step,
    others,
    read_back,
    written,
)
from llmwiki.lint.ignore_comments import Ignore, needless, split
from llmwiki.lint.page_rows import rows_of
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import Texts, UncomparedQuotes
from llmwiki.lint.rules import NAMES, RULES
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.lint.wiki_files import raw_token
from llmwiki.pages.page import SourceRef

if TYPE_CHECKING:
    from llmwiki.lint.rule import Rule, Subject

_BATCH = 500
"""Pages whose rows are held in memory: some 20 kB each."""
_MANY = 500
"""New pages from which on what rows are looked for by is made once, behind them; measured."""


class Lint:
    """One run; `codes` are the rules that are asked for, None: all."""

    def __init__(
        self,
        index: Index,
        kept: LintFile,
        wiki: LintedWiki,
        codes: frozenset[str] | None,
        step: Step = no_step,
    ) -> None:
        self._index = index
        self._kept = kept
        self._wiki = wiki
        self._step = step
        self._texts = Texts(wiki.contents, wiki.recorded)
        self._is_whole = codes is None
        self._rules = {r.code: r for r in RULES if codes is None or r.code in codes}

    def report(self, further: Iterable[Finding] = ()) -> LintReport:
        """All that is found, and what was looked at."""
        self._read_pages()
        self._compare_quotes()
        found = [*self._of_pages(), *self._over_pages(), *further]
        if self._wiki.to_remember:
            with self._kept.writing():
                texts = {f"memo {key}": text for key, text in self._wiki.to_remember.items()}
                self._kept.remember(texts)
        silencing = ignores_in(self._wiki)
        if silencing and self._is_whole:
            found += needless(found, silencing)
        standing, silenced = split(found, silencing)
        sums = "count(*), coalesce(sum(claims), 0), coalesce(sum(quotes), 0)"
        pages, claims, quotes = self._kept.rows(f"SELECT {sums} FROM lint.head")[0]
        compared = self._kept.rows("SELECT coalesce(sum(quotes), 0) FROM lint.quoted")[0][0]
        coverage = Coverage(pages, claims, quotes, compared, tuple(self._left_out()))
        told = _told_once(standing, self._wiki)
        return LintReport(tuple(sorted(told)), coverage, self._rules, silenced)

    # --- pages -----------------------------------------------------------------------------

    def _read_pages(self) -> None:
        """Reads the pages that nothing is known of, each once: its rows, its findings, its quotes
        beside the texts they are taken from."""
        kept, gone, unknown = self._kept, self._kept.gone(), self._kept.unknown()
        if not (gone or unknown or not kept.fits):
            return
        for start in range(0, max(1, len(unknown)), _BATCH):
            # Nobody waits while pages are read.
            pages = list(self._read(unknown, start))
            with kept.writing():
                if len(unknown) > _MANY:
                    kept.drop_indexes()
                kept.put(gone if start == 0 else (), pages)
        with kept.writing():
            kept.make_indexes()

    def _read(self, unknown: Sequence[tuple[int, str]], start: int) -> Iterator[tuple[int, Rows]]:
        wanted = [doc for doc, _path in unknown[start : start + _BATCH]]
        cards = self._index.cards(wanted)
        for number, doc in enumerate(wanted, start=start + 1):
            self._step("reading pages", number, len(unknown))
            view = self._wiki.of_card(cards[doc])
            rows = rows_of(view, written(of_page(view, RULES)), NAMES)
            yield doc, {**rows, "quoted": self._quoted(view)}

    # --- quotes ----------------------------------------------------------------------------

    def _quoted(self, view: PageView) -> list[tuple[str, str, str, int, str]]:
        """A page beside the texts it quotes; nothing of one that rests on no source."""
        own = view.sources
        if not own and not any(placed.evidence for placed in view.claims):
            return []
        texts = self._texts
        listed = [(ref.id, ref.resource, ref.sha256) for ref in own]
        found = written(of_sources(view, RULES, texts))
        like, told = _like(texts, listed), texts.compared(view)
        return [(json.dumps(listed), like, found, told.compared, json.dumps(told.lacking))]

    def _compare_quotes(self) -> None:
        """Where anything below raw/, or what pages of sources say of it, is another, the pages
        whose texts are others now are laid beside them once more."""
        wiki, kept = self._wiki, self._kept
        raw = raw_token(wiki.repo, wiki.commit, swept=self._index.swept)
        token = f"{raw} {self._recorded()}"
        if wiki.recall("texts") == token:
            return
        wiki.remember("texts", token)
        pending = [
            page
            for page, refs, was in kept.rows("SELECT page, refs, texts FROM lint.quoted")
            if _like(self._texts, json.loads(refs)) != was
        ]
        done = []
        for number, page in enumerate(pending, start=1):
            self._step("looking for quotes, page", number, len(pending))
            done += [(page, *row) for row in self._quoted(wiki.view(page))]
        if done:
            with kept.writing():
                kept.replace("quoted", done)

    def _recorded(self) -> str:
        """What changes when a page says that a source is of other bytes."""
        rows = self._kept.rows(
            "SELECT resource, sha256, page FROM lint.resource ORDER BY resource, page"
        )
        return sha256_hex(repr(rows).encode("utf-8", "surrogatepass"))[:32]

    # --- findings --------------------------------------------------------------------------

    def _of_pages(self) -> Iterator[Finding]:
        """What was found on single pages, by the rules that are asked for."""
        for table in ("head", "quoted"):
            for (kept,) in self._kept.rows(f"SELECT found FROM lint.{table} WHERE found != ''"):
                yield from (each for each in read_back(kept) if each.code in self._rules)

    def _over_pages(self) -> Iterator[Finding]:
        yield from of_catalogue(self._wiki, self._rules.values())
        rules = [rule for rule in self._rules.values() if rule.of == "wiki"]
        for number, rule in enumerate(rules, start=1):
            self._step("looking at the whole wiki, rule", number, len(rules))
            yield from rule.findings(self._wiki)

    def _left_out(self) -> Iterator[str]:
        """What could not be looked at, as far as the rules that are asked for would have."""
        history = self._wiki.history
        is_ours = not self._wiki.vaults.is_foreign
        skipped = [rule.name for rule in self._rules.values() if rule.of_history and is_ours]
        if skipped and history.lacks:
            mend = "`git fetch --unshallow` brings the rest" if "clone" in history.lacks else ""
            why = f"since {history.lacks}{mend and '; ' + mend}"
            yield f"Nothing was looked for in the history, {why}: {', '.join(skipped)} did not run"
        elif skipped and history.unread_logs:
            yield f"The oldest {history.unread_logs} changes of the log were not compared"
        counted: dict[str, UncomparedQuotes] = {}
        for (lacking,) in self._kept.rows("SELECT lacking FROM lint.quoted WHERE lacking != '[]'"):
            for source, count, line, why in json.loads(lacking):
                before = counted[why].quotes if why in counted else 0
                counted[why] = UncomparedQuotes(source, before + count, line, why)
        yield from (counted[why].message for why in sorted(counted))


def ignores_in(wiki: LintedWiki) -> dict[str, list[Ignore]]:
    """What each page silences."""
    found: dict[str, list[Ignore]] = {}
    for path, line, at, column, codes in wiki.rows(
        "SELECT path, line, at, column, codes FROM lint.silence AS silence "
        "JOIN lint.page AS page ON page.id = silence.page ORDER BY path, at, column"
    ):
        ignore = Ignore(line, at, column, frozenset(codes.split()), ())
        found.setdefault(path, []).append(ignore)
    return found


def _like(texts: Texts, refs: Iterable[Sequence[str]]) -> str:
    """What the texts of these sources, as (id, resource, sha256) or their own pages', are like."""
    known = (texts.recorded(ref[0], SourceRef(*ref)) for ref in refs)
    return "\n".join(f"{ref.id} {texts.identity(ref)}" for ref in known)


def of_catalogue(wiki: LintedWiki, rules: Iterable[Rule]) -> Iterator[Finding]:
    """The secrets in overview, index and log, which are no pages."""
    secrets = [rule for rule in rules if rule.name == "secret"]
    for path in sorted(filter(is_catalogue, wiki.files)) if secrets else ():
        text = (wiki.file(path) or b"").decode("utf-8", "replace")
        yield from of_page(PageView(path, text, wiki.vaults), secrets)


def of_page(view: PageView, rules: Iterable[Rule]) -> list[Finding]:
    """What the rules of single pages find on one, sorted."""
    return _all(rules, "page", view, view)


def of_sources(view: PageView, rules: Iterable[Rule], texts: Texts) -> list[Finding]:
    """What the rules of sources find on a page, sorted."""
    return _all(rules, "sources", view, view, texts)


def _all(rules: Iterable[Rule], of: Subject, view: PageView, *subject: object) -> list[Finding]:
    found: list[Finding] = []
    for rule in rules:
        if rule.of == of:
            found.extend(rule.findings(*subject, path=view.path))
    return sorted(found)


_PAGES = 5
"""Pages of another tool that need one mending, from which on they are told as one."""


def _told_once(found: Sequence[Finding], wiki: LintedWiki) -> list[Finding]:
    """The findings, those that are notes on many pages of another tool and are mended alike as one:
    one cause, such as a program that saved all of them, is told once."""
    told: list[Finding] = []
    alike: dict[tuple[str, str], list[Finding]] = {}
    for each in found:
        is_mild = each.severity is Severity.NOTE and each.by_hand
        if each.mend and is_mild and wiki.vaults.foreign(each.path):
            alike.setdefault((each.code, each.mend), []).append(each)
        else:
            told.append(each)
    for hits in alike.values():
        paths = sorted({hit.path for hit in hits})
        if len(paths) < _PAGES:
            told += hits
            continue
        first = min(hits)
        also = f"; also on {len(paths) - 1} other pages: {others(paths, first.path)}"
        told.append(first._replace(message=first.message + also))
    return told
