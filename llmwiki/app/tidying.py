"""What a second reading of the wiki asks about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.changes.tidying import TidyQuestion
from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.text import fold
from llmwiki.lint.run import lint
from llmwiki.pages.linked_text import read
from llmwiki.pages.links import targets
from llmwiki.pages.names import name_key
from llmwiki.query.retrieval.rank import rank

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.finding import Finding
    from llmwiki.pages.page import Page


DUPLICATE = ("WK303", "WK313")
"""Findings that two pages may be one: claims that say the same, names that are alike."""
CONFLICT = ("WK302",)
LEAD = ("WK316",)
DEFAULT_LEAD = 3
"""Claims from which on a page deserves a lead that is more than one of them."""
LOOKED_AT = 300
"""Pages of the highest rank that are compared by what they say."""
ALIKE = 0.8
"""How well another page must answer to what a page says, by its own score, to be asked about."""


def tidy_questions(wiki: OpenWiki) -> list[TidyQuestion]:
    """All questions, those that matter most first: pages that may be one, claims in conflict,
    leads; each once."""
    with wiki.index(wiki.state.commit) as index:
        found = lint(
            wiki.repo,
            at=wiki.state.commit,
            codes=frozenset((*DUPLICATE, *CONFLICT, *LEAD)),
            notice=wiki.tell.notice,
            step=wiki.tell.step,
        ).findings
        asked = [*_of_findings(wiki, found), *_alike(wiki, index)]
        asked += _default_leads(wiki)
    order = {"one": 0, "conflict": 1, "lead": 2}
    once: dict[tuple[str, ...], TidyQuestion] = {}
    for question in sorted(asked, key=lambda each: (order[each.kind], each)):
        about = question.claims if question.kind == "conflict" else question.pages
        once.setdefault((question.kind, *sorted(about)), question)
    return list(once.values())


def _of_findings(wiki: OpenWiki, found: tuple[Finding, ...]) -> Iterator[TidyQuestion]:
    state = wiki.state
    for finding in found:
        homes = {state.claim_page(ident) for ident in finding.claims} - {None}
        named = {state.file_named(name_key(n)) for n in targets(finding.message)}
        pages = tuple(sorted({finding.path, *filter(None, homes), *filter(None, named)}))
        why = finding.message
        if finding.code in LEAD:
            yield TidyQuestion("lead", (finding.path,), finding.claims, why)
        elif finding.code in CONFLICT:
            yield TidyQuestion("conflict", pages, finding.claims, why)
        elif len(pages) > 1 and all(_is_subject(wiki, path) for path in pages):
            yield TidyQuestion("one", pages[:2], finding.claims, why)


def _is_subject(wiki: OpenWiki, path: str) -> bool:
    facts = wiki.state.fact(path)
    return facts is not None and facts.type in SUBJECTS


def _alike(wiki: OpenWiki, index: Index) -> Iterator[TidyQuestion]:
    """Pages of subjects that say nearly the same: what one says leads to the other too."""
    subjects = [facts.path for facts in wiki.state.subjects(LOOKED_AT)]
    for path in subjects:
        page = wiki.state.page(path)
        if page is None:
            continue
        said = " ".join([page.description, *(claim.text for claim in page.claims[:5])])
        hits = [hit for hit in rank(index, said, limit=6).hits if hit.card.type in SUBJECTS]
        own = next((hit.score for hit in hits if hit.card.path == path), 0)
        for hit in hits:
            other = wiki.state.page(hit.card.path)
            if other is None or other.path == path or hit.score < ALIKE * own or not own:
                continue
            # Pages that name each other are two things to whoever wrote them.
            if other.path not in _naming(wiki, page) and path not in _naming(wiki, other):
                why = f"what {page.title} says leads to {hit.card.title} as well"
                yield TidyQuestion("one", tuple(sorted((path, other.path))), (), why)


def _naming(wiki: OpenWiki, page: Page) -> set[str]:
    """The pages that link to a page or hold its words."""
    said = wiki.state.with_words((page.title, *page.aliases))
    return {*wiki.state.linking(page.path), *said}


def _default_leads(wiki: OpenWiki) -> Iterator[TidyQuestion]:
    """Pages whose lead, of the tool, is but their description or one of their claims."""
    for entry in wiki.state.entries():
        if entry.type not in SUBJECTS:
            continue
        page = wiki.state.page(entry.path)
        if page is not None and (why := _default(page)):
            yield TidyQuestion("lead", (entry.path,), (), why)


def _default(page: Page) -> str:
    """What is wanting in a lead that nobody wrote; empty where nothing is."""
    standing = [claim.text for claim in page.claims if claim.successor is None]
    if len(standing) < DEFAULT_LEAD or not page.lead_is_tools:
        return ""
    lead = fold(read(page.lead))
    if not lead:
        return "the page has no lead"
    if lead == fold(page.description):
        return "the lead is the page's description, and tells nothing of its claims"
    return "the lead says no more than one claim does" if lead in map(fold, standing) else ""
