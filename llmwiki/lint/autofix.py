"""`--fix`: what can be mended beyond doubt, as one operation.

Each fix is a pure function from the text of a page to its text. It adds or rewrites, and never
takes anything away: no claim, no evidence, no line of a person's but the one it mends. Of claims
that say the same on one page one stays, with the evidence of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from llmwiki.core.text import counted
from llmwiki.landing.after_merge import join, on_two_pages, unite
from llmwiki.landing.operation import Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.lint.findings import Finding
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import FixContext, Rule, WikiFix
from llmwiki.lint.rules import RULES
from llmwiki.pages.body_blocks import has_conflict_marks
from llmwiki.pages.merge.join_claims import join_equals
from llmwiki.pages.page import Page


class MendedPage(NamedTuple):
    """One page before and after."""

    before: str
    after: str
    codes: tuple[str, ...]
    """The rules whose findings were mended, sorted."""


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What `--fix` would do."""

    pages: Mapping[str, MendedPage] = field(default_factory=dict)
    joins: tuple[str, ...] = ()
    """Pages on which equal claims become one, sorted."""
    unites: tuple[str, ...] = ()
    """Pages with claims that stand on another page too, sorted."""
    catches_up: bool = False
    """Whether catalogue and log are brought in step."""
    left: tuple[str, ...] = ()
    """Pages that have uncommitted edits and are not touched."""

    def __bool__(self) -> bool:
        return bool(self.pages or self.joins or self.unites) or self.catches_up

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules whose findings are mended, sorted."""
        on_pages = {code for page in self.pages.values() for code in page.codes}
        kinds = {WikiFix.JOIN: self.joins, WikiFix.UNITE: self.unites}
        others = {
            rule.code for rule in RULES if isinstance(rule.fix, WikiFix) and kinds.get(rule.fix)
        }
        return tuple(sorted(on_pages | others))


def plan(findings: Iterable[Finding], ground: FixContext, dirty: Callable[[str], bool]) -> FixPlan:
    """What of the findings can be mended; `dirty` says whether a page has uncommitted edits."""
    by_code = {rule.code: rule for rule in RULES}
    on_page: dict[str, list[Finding]] = {}
    whole: dict[WikiFix, set[str]] = {each: set() for each in WikiFix}
    for finding in findings:
        fix = by_code[finding.code].fix
        if isinstance(fix, WikiFix):
            whole[fix].add(finding.path)
        elif fix is not None:
            on_page.setdefault(finding.path, []).append(finding)
    pages: dict[str, MendedPage] = {}
    left = []
    for path in sorted(on_page):
        view = ground.wiki.page(path)
        # Of two sides of a merge a finding of its own tells: nothing is written there before.
        if view is None or has_conflict_marks(view.text):
            continue
        if dirty(path):
            left.append(path)
        elif mended := _mended(view, on_page[path], by_code, ground):
            pages[path] = mended
    equal = sorted(whole[WikiFix.JOIN] | whole[WikiFix.UNITE])
    views = (view for path in equal if not dirty(path) and (view := ground.wiki.page(path)))
    joins = tuple(view.path for view in views if join_equals(view.page)[0] is not view.page)
    unites = tuple(path for path in sorted(whole[WikiFix.UNITE]) if not dirty(path))
    return FixPlan(pages, joins, unites, bool(whole[WikiFix.RENDER]), tuple(left))


def _mended(
    view: PageView, findings: Sequence[Finding], rules: Mapping[str, Rule], ground: FixContext
) -> MendedPage | None:
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    now, codes = view, []
    for code in sorted(by_code):
        rule = rules[code]
        if rule.fix is None or isinstance(rule.fix, WikiFix):
            continue
        then = PageView(view.path, rule.fix(now, by_code[code], ground), view.vaults)
        if then.text != now.text and _is_better(rule, now, then, ground):
            now = then
            codes.append(code)
    return MendedPage(view.text, now.text, tuple(codes)) if codes else None


def _is_better(rule: Rule, now: PageView, then: PageView, ground: FixContext) -> bool:
    """Whether a rule finds less on a page as it would be; what only all pages show is believed."""

    def found(view: PageView) -> Counter[tuple[str, str]]:
        subject = (view, ground.texts) if rule.of == "sources" else (view,)
        return Counter((hit.about, hit.message) for hit in rule.check(*subject))

    return rule.of == "wiki" or bool(found(now) - found(then))


def operation(mending: FixPlan, state: WikiState) -> Operation | None:
    """The operation against HEAD as it is now; a page that changed since is left alone."""
    pages: dict[str, Page | None] = {}
    codes: set[str] = set()
    for path, mended in mending.pages.items():
        page = state.page(path)
        if page is not None and page.text == mended.before:
            pages[path] = Page.parse(path, mended.after)
            codes.update(mended.codes)
    doubled = on_two_pages(state, mending.unites) if mending.unites else {}
    # What another fix has mended here is looked at by the next run.
    doubled = {ident: paths for ident, paths in doubled.items() if not {*paths} & pages.keys()}
    pages |= unite(state, doubled)
    joined = join(state, mending.joins, pages)
    pages |= joined.pages
    if not pages and not mending.catches_up:
        return None
    return Operation(
        title=_title(len(pages)),
        pages=pages,
        joins=joined.joins,
        notes=tuple(_notes(mending, codes)),
        catches_up=mending.catches_up,
    )


def _title(pages: int) -> str:
    if not pages:
        return "catalogue and log brought in step"
    return f"{counted(pages, 'page')} mended"


def _notes(mending: FixPlan, codes: Iterable[str]) -> Iterator[str]:
    names = {rule.code: rule.name for rule in RULES}
    for code in sorted(codes):
        count = sum(code in mended.codes for mended in mending.pages.values())
        yield f"{code} {names[code]}: {counted(count, 'page')}"
