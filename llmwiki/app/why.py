"""Why the wiki says something: from a claim to its quotes, their bytes, and who brought it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.text import cut, fold, normalise
from llmwiki.pages.difference.change_words import qualified, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llmwiki.changes.diff import PageStep
    from llmwiki.changes.why_and_taint import PageHistory
    from llmwiki.git.commits_and_trailers import Commit
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.pages.page import Claim, Evidence, Page


WORDS = 3
"""Words of a text by which a claim is looked for, at least; eight nearly always name one."""
MOST = 20
"""Claims of a page of which the story is told; of more the number is said."""
_PAGES = 30
"""Pages that a text is looked for on, the best first."""


@dataclass(frozen=True, slots=True)
class TracedQuote:
    """A quote, and the bytes in which it stands."""

    evidence: Evidence
    path: str
    """The source's file below raw/; empty where the wiki does not say."""
    sha256: str
    """Of the bytes that were read; empty where the wiki does not say."""


@dataclass(frozen=True, slots=True)
class TracedClaim:
    """A claim with its quotes and what became of it."""

    claim: Claim
    """As it stands, or as it last stood."""
    path: str
    """Of the page on which it stands, or stood."""
    title: str
    stands: bool
    quotes: tuple[TracedQuote, ...]
    story: tuple[PageStep, ...]
    """What commits did to it, oldest first."""
    lacking: str = ""
    """Why the beginning may be missing, and what to do; empty: it is there."""


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A claim that holds the words asked for."""

    id: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class WhyResult:
    """What was found out."""

    asked: str
    claims: tuple[TracedClaim, ...]
    """One, or of a page its first `MOST`; none where a text stands in several."""
    candidates: tuple[FoundClaim, ...] = ()
    """Of a text that stands in several claims: all of them."""
    more: int = 0
    """Claims of the page beyond those that are told; each has an id to ask for."""


def why(wiki: OpenWiki, asked: str) -> WhyResult:
    """Where a claim comes from and what became of it: `asked` is its id, words of it or of its
    quotes, or a page, of which the first claims are told.

    Raises InputError where nothing is found.
    """
    from llmwiki.app.show.show import home_of, item_id
    from llmwiki.landing.page_by_typed_name import find_page, no_such_page

    head = wiki.repo.head()
    if head is None:
        raise InputError("there are no commits yet", where=asked)
    state = wiki.state
    state.advance(head)
    ident = item_id(asked)
    path = home_of(wiki, ident) if ident else find_page(state, asked)
    if path is not None:
        page = state.page(path)
        if page is None:
            raise no_such_page(state, asked)
        return _told(wiki, asked, [(page, claim) for claim in _claims(page, ident)])
    if ident:
        return _of_the_past(wiki, asked, f" ^{ident}", ident)
    found = _holding(wiki, asked)
    if not found and len(asked.split()) < WORDS:
        raise no_such_page(state, asked)
    if not found:
        return _of_the_past(wiki, asked, asked, "")
    if len(found) == 1:
        return _told(wiki, asked, found)
    rows = (FoundClaim(claim.id, page.path, claim.text) for page, claim in found)
    return WhyResult(asked, (), tuple(rows))


def _claims(page: Page, ident: str) -> Iterator[Claim]:
    """The claims and notes of a page; one of them where `ident` names it."""
    from llmwiki.pages.page import read_claim

    for node in page.body:
        if node.kind in ("c", "n") and len(node.key) == 2 and ident in ("", node.key[1]):
            yield read_claim(node)


# --- by words --------------------------------------------------------------------------------


def _holding(wiki: OpenWiki, asked: str) -> list[tuple[Page, Claim]]:
    """The claims whose words, or whose quotes, hold the text."""
    from llmwiki.query.retrieval.rank_pages import rank

    wanted = fold(asked)
    with wiki.index() as index:
        paths = [hit.card.path for hit in rank(index, asked, limit=_PAGES).hits]
    pages = [page for path in paths if (page := wiki.state.page(path)) is not None]
    found = [
        (page, claim)
        for page in pages
        for claim in _claims(page, "")
        if wanted in fold(claim.text) or any(wanted in fold(e.quote) for e in claim.evidence)
    ]
    whole = [row for row in found if fold(row[1].text) == wanted]
    return whole if len(whole) == 1 else found


# --- telling ---------------------------------------------------------------------------------


def _told(wiki: OpenWiki, asked: str, wanted: Sequence[tuple[Page, Claim]]) -> WhyResult:
    from llmwiki.changes.why_and_taint import PageHistory

    history = PageHistory(wiki.repo, wiki.repo.head() or "")
    traced = tuple(_traced(wiki, history, page, claim) for page, claim in wanted[:MOST])
    return WhyResult(asked, traced, (), len(wanted) - len(traced))


def _traced(
    wiki: OpenWiki, history: PageHistory, page: Page, claim: Claim, *, stands: bool = True
) -> TracedClaim:
    from llmwiki.changes.why_and_taint import claim_story

    ledgers = {each.source: _source_of(wiki, each.source) for each in claim.evidence}
    files = {source: own[0] for source, own in ledgers.items()}
    story, lacking = claim_story(history, page.path, claim.id, files)
    read = dict(
        named.split(" sha256:", 1)
        for step in story
        for named in step.commit.sources
        if " sha256:" in named
    )
    places = wiki.quote_places()
    quotes = []
    for each in claim.evidence:
        path, sha256 = ledgers[each.source]
        gone = (claim.successor or "").startswith("gone in ")
        # A struck claim quotes the bytes that its operation read, not those that came since.
        first = next((n for s in story for n in s.commit.sources if n.startswith(path)), "")
        was = first.partition(" sha256:")[2] if gone and path else ""
        found = each if gone else places.located(each)
        quotes.append(TracedQuote(found, path, was or sha256 or read.get(path, "")))
    return TracedClaim(claim, page.path, page.title, stands, tuple(quotes), story, lacking)


def _source_of(wiki: OpenWiki, source: str) -> tuple[str, str]:
    """The file of a source and the SHA-256 of its bytes, as its page says."""
    from llmwiki.pages.tombstones import ledger_path

    ledger = wiki.state.page(ledger_path(source))
    own = ledger.own_source if ledger is not None else None
    return (own.resource.removeprefix("/"), own.sha256) if own is not None else ("", "")


# --- what stands nowhere -----------------------------------------------------------------------


def _of_the_past(wiki: OpenWiki, asked: str, text: str, ident: str) -> WhyResult:
    """The story of a claim that stands nowhere any more, found by git's own search of history."""
    from llmwiki.changes.why_and_taint import PageHistory
    from llmwiki.git.file_history import commits_that_changed
    from llmwiki.index.page_facts_record import is_page
    from llmwiki.pages.page import Page

    wiki.tell.notice("it stands nowhere now: looking through the history, which takes longer")
    repo, head = wiki.repo, wiki.repo.head() or ""
    for commit in commits_that_changed(repo, text, "wiki"):
        for change in repo.diff_trees(repo.parents(commit).first(), commit, "wiki"):
            if change.old is None or not is_page(change.path):
                continue
            data = repo.read_many([change.old[1]])[0]
            page = Page.parse(change.path, data.decode("utf-8", "surrogateescape"))
            for claim in _claims(page, ident):
                if ident or fold(text) in fold(claim.text):
                    history = PageHistory(repo, head)
                    traced = _traced(wiki, history, page, claim, stands=False)
                    return WhyResult(asked, (traced,))
    raise InputError(
        "no claim says or quotes this, and none did", where=asked,
        fix=repo.beyond or "`wiki search` finds pages by words.",
    )  # fmt: skip


_SHOWN = 80
"""Characters of a claim in a list."""
_LISTED = 20
"""Claims that are listed where a text stands in several; of more the number is said."""


def why_lines(found: WhyResult) -> Iterator[str]:
    """What was found out, as lines of text of any length."""
    if found.candidates:
        yield f"{len(found.candidates)} claims hold these words; ask for one of them:"
        for each in found.candidates[:_LISTED]:
            yield f"  {each.id}  {cut(normalise(each.text), _SHOWN)}  ({normalise(each.path)})"
        if len(found.candidates) > _LISTED:
            yield f"  and {len(found.candidates) - _LISTED} more; more words name fewer"
    elif not found.claims:
        yield "No claims stand on this page."
    for number, traced in enumerate(found.claims):
        yield from [""] if number else []
        yield from _claim(traced)
    if found.more:
        yield ""
        told = "`wiki show` lists them, `wiki why ID` tells of one"
        yield f"and {found.more} more on this page; {told}"


def _claim(traced: TracedClaim) -> Iterator[str]:
    from llmwiki.changes.diff_lines import plain_lines

    yield f"{spoken(qualified(traced.claim))}  ^{traced.claim.id}"
    where = "on" if traced.stands else "no longer in the wiki; it stood on"
    yield f"  {where} {normalise(traced.title)}, {normalise(traced.path)}"
    if traced.claim.successor is not None:
        yield f"  struck → {normalise(traced.claim.successor)}"
    for quote in traced.quotes:
        yield f"  “{normalise(quote.evidence.quote)}”"
        yield f"      {quote.path or quote.evidence.source} {quote.evidence.span}".rstrip()
        yield f"      SHA-256 {quote.sha256 or 'not recorded'}"
    for step in traced.story:
        commit = step.commit
        yield f"  {commit.date:%Y-%m-%d %H:%M}  {commit.oid[:10]}  {_actor(commit)}"
        lines = tuple(plain_lines(step.told)) or ("wrote only its links or marks anew",)
        yield from (f"      {line}" for line in lines)
    if traced.lacking:
        yield f"  What came before is not in this clone. {traced.lacking}"


def _actor(commit: Commit) -> str:
    """The operation, or that there was none, the person, and the model."""
    who = normalise(f"{commit.author} <{commit.email}>")
    if not commit.operation:
        return f"a commit without trailers, by {who}"
    model = normalise(commit.value("Wiki-Model") or "")
    by = f"{who}, model {model}" if model else who
    return f"{normalise(commit.kind or '')} {normalise(commit.operation)}, by {by}"
