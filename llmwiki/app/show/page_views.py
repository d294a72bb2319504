"""What a reader sees of the wiki: a page with what its links lead to, a source with its quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from llmwiki.app.log_and_digest import operations
from llmwiki.app.show.page_html import PageText, body_of
from llmwiki.app.show.said_on_other_pages import elsewhere
from llmwiki.app.show.show import text_of
from llmwiki.app.show.vault_tree_and_embeds import (
    LONGEST_EMBED,
    MOST_EMBEDS,
    PICTURE,
    part_of,
    pictures_of,
    vault_notes,
)
from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import INDEX, LOG, OVERVIEW
from llmwiki.core.text import fold, nearest
from llmwiki.index.keys_of_names import entry_of
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.landing.page_by_typed_name import find_page, no_such_page, page_named, source_named
from llmwiki.pages.escape import escape
from llmwiki.pages.find_links import scan
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import ledger_path
from llmwiki.query.retrieval.rank_pages import rank
from llmwiki.query.sources_beside_pages import linking_to
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.raw_paths import is_source

if TYPE_CHECKING:
    from llmwiki.app.show.vault_tree_and_embeds import VaultNotes
    from llmwiki.core.document import Document
    from llmwiki.git.commits_and_trailers import Commit
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.catalogue import Entry
    from llmwiki.pages.page import Claim, Evidence

LONGEST = 150_000
"""Characters of a page's body that a reading holds."""
LINKS = 3_000
"""Different targets of links that are looked up of one page."""
LINKING = 200
"""Pages with a link to a page that are listed."""
RELATED = 8
"""Pages that rest on the same sources that are listed."""
_SOURCES = 12
"""Sources of a page of which the other pages are counted, and how many pages of each."""
_OF_SOURCE = 60
_LATEST = 12
"""Operations of the front page."""
_CATALOGUE = re.compile(r"wiki/(?:[^/]+/)?(?:index|overview|log)(?:-[a-z0-9]+)?\.md")


@dataclass(frozen=True, slots=True)
class ReaderPage:
    """A page as a commit has it, and the pages around it."""

    page: Page
    facts: PageFacts
    """Its names, tags and sources, and why its frontmatter cannot be read, if so."""
    shown: PageText
    """Its body; its beginning, where it has more than `LONGEST` characters."""
    is_cut: bool
    """Whether that is only the beginning."""
    elsewhere: PageText
    """What other pages say that belongs to it."""
    linking: tuple[Entry, ...]
    """Pages that link to it, and those whose sources link to its own or name it, by title:
    `LINKING` at most."""
    linking_count: int
    related: tuple[Entry, ...]
    """Pages that rest on the same sources, those with most in common first."""

    @property
    def entry(self) -> Entry:
        """Its path, kind, title and description."""
        return entry_of(self.facts)


@dataclass(frozen=True, slots=True)
class SourceQuote:
    """A quote from a source, and the claim that rests on it."""

    claim: Claim
    evidence: Evidence
    entry: Entry
    """The page on which the claim stands."""


@dataclass(frozen=True, slots=True)
class ReaderSource:
    """A source as numbered text, with everything that is quoted from it."""

    entry: Entry
    """The page of the source."""
    id: str
    document: Document
    commit: str
    quotes: tuple[SourceQuote, ...]
    """By line."""


@dataclass(frozen=True, slots=True)
class WikiFront:
    """What the wiki holds and what happened to it last."""

    name: str
    """Of the wiki's folder."""
    commit: str
    types: Mapping[str, int]
    """How many pages there are of each type."""
    claims: int
    struck: int
    latest: tuple[Commit, ...]
    """Operations, newest first."""
    notes: VaultNotes | None = None
    """Those of other tools; None: there are none."""


@dataclass(frozen=True, slots=True)
class PageListing:
    """Pages of one type, a part of them at a time."""

    entries: tuple[Entry, ...]
    start: int
    """The place of the first of them among all, from 0."""
    total: int


def commit_at(wiki: OpenWiki, at: str | None = None) -> str:
    """The commit that a revision names; None: HEAD. Raises InputError for none."""
    if at is not None:
        return wiki.repo.commit(at)
    head = wiki.repo.head()
    if head is None:
        raise InputError("there are no commits yet", fix="Run `wiki init`, then `wiki ingest`.")
    return head


def front(wiki: OpenWiki, at: str | None = None) -> WikiFront:
    """How many pages and claims the wiki holds, and its latest operations."""
    commit = commit_at(wiki, at)
    state = wiki.state
    state.advance(commit)
    latest = tuple(islice(operations(wiki, None, None, commit), _LATEST))
    sums = state.sums
    notes = vault_notes(wiki, state)
    name = wiki.repo.root.name
    return WikiFront(name, commit, state.types(), sums.claims, sums.struck, latest, notes)


def listing(
    wiki: OpenWiki, kind: str, *, start: int = 0, limit: int = 200, at: str | None = None
) -> PageListing:
    """Pages of a type (`entity`, `source` …), by path: `limit` of them from `start` on."""
    wiki.state.advance(commit_at(wiki, at))
    paths = wiki.state.of_type(kind)
    return PageListing(tuple(_entries(wiki.state, paths[start : start + limit])), start, len(paths))


def nearest_pages(wiki: OpenWiki, name: str, *, most: int = 6) -> tuple[Entry, ...]:
    """The pages whose titles are most like a name that no page has; reads all titles."""
    wiki.state.follow()
    plain = name.rpartition("/")[2].removesuffix(".md").replace("_", " ")[:200]
    by_title = {fold(each.title): each for each in wiki.state.entries()}
    found = {each.path: each for title in nearest(fold(plain), by_title, most)
             if (each := by_title.get(title))}  # fmt: skip
    if plain.strip():
        with wiki.index() as index:
            paths = [hit.card.path for hit in rank(index, plain, limit=most).hits]
        found |= {each.path: each for each in _entries(wiki.state, paths)}
    return tuple(found.values())[:most]


def read_page(wiki: OpenWiki, name: str, *, at: str | None = None) -> ReaderPage:
    """A page as it was committed, by title, alias, path or claim id, with what its links lead
    to, the pages that link to it, and its sources. Raises InputError as `show` does."""
    commit = commit_at(wiki, at)
    state = wiki.state
    state.advance(commit)
    whole = {"index": INDEX, "overview": OVERVIEW, "log": LOG}.get(name, name)
    # Catalogue and log are no pages of the index.
    path = whole if _CATALOGUE.fullmatch(whole) else None
    text = state.text(path) if path else ""
    if not text:
        path = find_page(state, name)
        text = state.text(path) if path else ""
    if not path or not text:
        raise no_such_page(state, name)
    facts = state.fact(path) or facts_of(path, text)
    linking = () if _CATALOGUE.fullmatch(path) else linking_to(wiki, facts, at)
    return _reading(wiki, Page.parse(path, text), facts, commit, linking)


def _reading(
    wiki: OpenWiki,
    page: Page,
    facts: PageFacts,
    commit: str,
    linking: Sequence[str],
) -> ReaderPage:
    state = wiki.state
    body, _ids = body_of(page.text)
    is_cut = len(body) > LONGEST
    if is_cut:
        body = body[: body.rfind("\n", 0, LONGEST) + 1] or body[:LONGEST]
    more = elsewhere(state, page, escape)
    targets = _targets(state, page.path, body)
    near = {each.path for each in targets.values()}.union(linking)
    path = page.path
    return ReaderPage(
        page=page,
        facts=facts,
        shown=PageText(
            path,
            body,
            targets,
            _sources(state, page, facts),
            tuple(map(wiki.quote_places().claim, page.claims)),
            pictures_of(wiki, commit, path, body),
            _embeds(state, path, body),
        ),
        is_cut=is_cut,
        elsewhere=PageText(path, more, _targets(state, path, more)),
        linking=tuple(sorted(_entries(state, linking[:LINKING]), key=lambda each: each.order)),
        linking_count=len(linking),
        related=_related(state, page, facts, near),
    )


def _embeds(state: WikiState, page: str, body: str) -> dict[str, tuple[Entry, PageText]]:
    links = [each for each in scan(body) if each.embed and each.target]
    links = [each for each in links if not PICTURE.search(each.target)][:MOST_EMBEDS]
    keys = {each.target: link_key(each.target, page) for each in links}
    resolver = state.resolver_of(keys.values())
    found = {}
    for each in links:
        path = resolver.lead(keys[each.target], page)
        facts = state.fact(path) if path and path != page else None
        held = state.page(path) if path and facts and not facts.broken else None
        if held is None or facts is None:
            continue
        part = part_of(body_of(held.text)[0], each.heading, each.block)[:LONGEST_EMBED]
        place = f"#{each.heading}" if each.heading else f"#^{each.block}" if each.block else ""
        shown = PageText(held.path, part, _targets(state, held.path, part))
        found[each.target + place] = entry_of(facts), shown
    return found


def _targets(state: WikiState, page: str, body: str) -> dict[str, Entry]:
    named = dict.fromkeys(link.target for link in scan(body) if link.target)
    keys = {target: link_key(target, page) for target in islice(named, LINKS)}
    resolver = state.resolver_of(keys.values())
    paths = {target: path for target, key in keys.items() if (path := resolver.lead(key, page))}
    entries = {each.path: each for each in _entries(state, sorted(set(paths.values())))}
    return {target: entries[path] for target, path in paths.items() if path in entries}


def _sources(state: WikiState, page: Page, facts: PageFacts) -> dict[str, Entry]:
    ids = {*page.footnotes, *(ref.id for ref in facts.sources)}
    paths = {ident: ledger_path(ident) for ident in sorted(ids)}
    entries = {each.path: each for each in _entries(state, paths.values())}
    return {ident: entries[path] for ident, path in paths.items() if path in entries}


def _related(state: WikiState, page: Page, facts: PageFacts, near: set[str]) -> tuple[Entry, ...]:
    counts: Counter[str] = Counter()
    for source in facts.sources[:_SOURCES]:
        if source.id != facts.stem:
            counts.update(state.citing(source.id)[:_OF_SOURCE])
    for path in (*near, page.path):
        counts.pop(path, None)
    best = sorted(counts, key=lambda path: (-counts[path], path))[:RELATED]
    return tuple(_entries(state, best))


def _entries(state: WikiState, paths: Iterable[str]) -> Iterator[Entry]:
    asked = list(paths)
    facts = state.facts(asked)
    return (entry_of(facts[path]) for path in asked if path in facts)


# --- sources -----------------------------------------------------------------------------------


def read_source(wiki: OpenWiki, name: str, *, at: str | None = None) -> ReaderSource:
    """The numbered text of a source, by id, title or file, with every quote from it.

    Raises InputError where there is no such source, or its bytes are not those that were read.
    """
    commit = commit_at(wiki, at)
    state = wiki.state
    state.advance(commit)
    facts = source_named(state, name)
    ledger = page_named(state, facts.path)
    pages = (ledger.path, *state.citing(facts.stem)[:LINKING])
    document = text_of(wiki, ledger)
    finder = QuoteFinder(document)
    quotes = [quote for path in pages for quote in _quotes(state, path, facts.stem, finder)]
    quotes.sort(key=lambda each: (each.evidence.first, each.evidence.last, each.claim.id))
    return ReaderSource(entry_of(facts), facts.stem, document, commit, tuple(quotes))


def _quotes(state: WikiState, path: str, source: str, finder: QuoteFinder) -> Iterator[SourceQuote]:
    page, facts = state.page(path), state.fact(path)
    if page is None or facts is None:
        return
    entry = entry_of(facts)
    for claim in page.claims:
        found = tuple(
            finder.located(each) if each.source == source else each for each in claim.evidence
        )
        for evidence in found:
            if evidence.source == source:
                yield SourceQuote(replace(claim, evidence=found), evidence, entry)


def source_bytes(wiki: OpenWiki, name: str, *, at: str | None = None) -> tuple[str, bytes]:
    """The file name and the bytes of a source, named as for `read_source`."""
    commit = commit_at(wiki, at)
    wiki.state.advance(commit)
    own = page_named(wiki.state, source_named(wiki.state, name).path).own_source
    path = own.resource.removeprefix("/") if own else ""
    data = wiki.repo.read(commit, path) if is_source(path) else None
    if data is None:
        raise InputError("is missing", where=path or name, fix="Bring it back from git.")
    return path.rpartition("/")[2], data
