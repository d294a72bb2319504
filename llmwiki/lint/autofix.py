"""`--fix`: what can be mended beyond doubt, as one operation.

Each fix is a pure function from the text of a page to its text. It adds or rewrites, and never
takes anything away: no claim, no evidence, no line of a person's but the one it mends. Of claims
that say the same on one page one stays, with the evidence of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.text import counted
from llmwiki.lint.finding import Finding, RuleHit
from llmwiki.lint.fixes import FIXES, IN_STEP, JOINED, TWICE, FixContext
from llmwiki.lint.relation import GroupRow
from llmwiki.lint.rule import OverGroup, OverPage, OverSources, OverWiki
from llmwiki.lint.view import PageView
from llmwiki.memory.join_merged import join
from llmwiki.memory.land import Landing, LandingOptions, Made, Operation, land
from llmwiki.memory.state import WikiState
from llmwiki.memory.unite_claims import on_two_pages, unite
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.join_claims import join_equals
from llmwiki.pages.page import Page
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView


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
    settles: bool = False
    """Whether catalogue and log are brought in step."""
    left: tuple[str, ...] = ()
    """Pages that have uncommitted edits and are not touched."""

    def __bool__(self) -> bool:
        return bool(self.pages or self.joins or self.unites) or self.settles

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules whose findings are mended, sorted."""
        on_pages = {code for page in self.pages.values() for code in page.codes}
        others = {code for code, of in ((JOINED, self.joins), (TWICE, self.unites)) if of}
        return tuple(sorted(on_pages | others))


def plan(findings: Iterable[Finding], ground: FixContext, dirty: Callable[[str], bool]) -> FixPlan:
    """What of the findings can be mended; `dirty` says whether a page has uncommitted edits."""
    on_page: dict[str, list[Finding]] = {}
    settles = False
    claims: dict[str, set[str]] = {JOINED: set(), TWICE: set()}
    for finding in findings:
        if finding.code in IN_STEP:
            settles = True
        elif finding.code in claims:
            claims[finding.code].add(finding.path)
        elif finding.code in FIXES:
            on_page.setdefault(finding.path, []).append(finding)
    pages: dict[str, MendedPage] = {}
    left = []
    for path in sorted(on_page):
        view = ground.wiki.page(path)
        if view is None:
            continue
        if is_disputed(view.text):
            # A finding of its own says so: nothing is written there until somebody has chosen.
            continue
        if dirty(path):
            left.append(path)
        elif mended := _mended(view, on_page[path], ground):
            pages[path] = mended
    equal = sorted(claims[JOINED] | claims[TWICE])
    views = (view for path in equal if not dirty(path) and (view := ground.wiki.page(path)))
    joins = tuple(view.path for view in views if join_equals(view.page)[0] is not view.page)
    unites = tuple(path for path in sorted(claims[TWICE]) if not dirty(path))
    return FixPlan(pages, joins, unites, settles, tuple(left))


def _mended(view: PageView, findings: Sequence[Finding], ground: FixContext) -> MendedPage | None:
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    now, codes = view, []
    for code in sorted(by_code):
        text = FIXES[code](now, by_code[code], ground)
        if text != now.text:
            then = PageView(view.path, text, view.limits)
            if _is_over_wiki(code) or _found(code, now, ground) - _found(code, then, ground):
                now = then
                codes.append(code)
    return MendedPage(view.text, now.text, tuple(codes)) if codes else None


def _is_over_wiki(code: str) -> bool:
    """Whether only the whole wiki shows what a rule finds: its fix looks at one page alone."""
    from llmwiki.lint.rules import RULES

    return any(rule.code == code and isinstance(rule.over, OverWiki) for rule in RULES)


def _found(code: str, view: PageView, ground: FixContext) -> Counter[tuple[str, str]]:
    """What a rule finds on a page as it would be, the other pages as they are: (about, message)."""
    from llmwiki.lint.rules import RULES

    over = next(rule.over for rule in RULES if rule.code == code)
    hits: Iterable[RuleHit] = ()
    if isinstance(over, OverPage):
        hits = over.check(view)
    elif isinstance(over, OverSources):
        hits = over.check(view, ground.texts)
    elif isinstance(over, OverGroup):
        hits = _in_groups(over, view, ground.wiki)
    return Counter((hit.about, hit.message) for hit in hits)


def _in_groups(over: OverGroup, view: PageView, wiki: WikiView) -> Iterator[RuleHit]:
    said: dict[str, list[GroupRow]] = {}
    for key, value in over.relation.emit(view):
        said.setdefault(key, []).append(GroupRow(view.path, value))
    for key, own in said.items():
        group = wiki.group(over.relation, key)
        rows = sorted(
            [*(row for row in group.rows if row.path != view.path), *own], key=lambda row: row.path
        )
        for hit in over.check(group._replace(rows=tuple(rows))) if len(rows) >= over.least else ():
            settled = over.settle(hit, wiki) if over.settle else hit
            if settled is not None and settled.path == view.path:
                yield settled


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
    if not pages and not mending.settles:
        return None
    return Operation(
        kind="lint",
        title=_title(len(pages)),
        pages=pages,
        joins=joined.joins,
        notes=tuple(_notes(mending, codes)),
        settles=mending.settles,
    )


def _title(pages: int) -> str:
    if not pages:
        return "catalogue and log brought in step"
    return f"{counted(pages, 'page')} mended"


def _notes(mending: FixPlan, codes: Iterable[str]) -> Iterator[str]:
    from llmwiki.lint.rules import RULES

    names = {rule.code: rule.name for rule in RULES}
    for code in sorted(codes):
        count = sum(code in mended.codes for mended in mending.pages.values())
        yield f"{code} {names[code]}: {counted(count, 'page')}"


def mend(
    repo: Repository,
    state: WikiState,
    mending: FixPlan,
    terms: LandingOptions,
    *,
    dry_run: bool = False,
) -> Landing[None]:
    """Lands it as one commit, or plans that. Raises what `memory.land` raises."""

    def make(now: WikiState) -> Made[None]:
        return Made(operation(mending, now), None)

    return land(repo, state, make, operation="lint", terms=terms, dry_run=dry_run)
