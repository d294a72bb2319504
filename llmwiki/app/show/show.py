"""One page, found by any of its names; a claim with its evidence; lines of a source."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, WikiError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.landing.page_by_typed_name import find_page, no_such_page, page_named, source_named
from llmwiki.pages.claim_head import without_asked
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.line_patterns import RECORD
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.tombstones import ledger_path
from llmwiki.query.sources_beside_pages import linking_to
from llmwiki.sources.raw_paths import is_source

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.pages.page import Claim, Page

AROUND = 3
"""Lines that are shown before and after those that are asked for."""
_ITEM = re.compile(ITEM_ID)
_RECORD = lazy_pattern(rf"^{re.escape(RECORD)}$(?:\n>[^\n]*)*+\n*+", re.MULTILINE)
_LINES = re.compile(r"(.+)(#L|:| L)(\d{1,9})(?:[–-]L?(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A file of the wiki as a commit has it, or what is asked for of one."""

    text: str
    """Without the words by which claims may be asked for, and what programs alone need."""
    page: Page | None
    """None of a file that holds no claims: catalogue and log."""
    claims: tuple[Claim, ...] = ()
    """Those of the page, their evidence with its lines."""
    elsewhere: str = ""
    """Of a page: what other pages say that belongs to it, as Markdown."""
    asked: str = ""
    """Of a claim: the words by which somebody may ask for it. They are no part of `text`, which
    models read as well."""
    linking: tuple[str, ...] = ()
    """Of a whole page: the file names of those that link to it, or whose sources do or name it."""


def show(wiki: OpenWiki, name: str, *, at: str | None = None) -> ShownPage:
    """One page as it was committed, by title, alias or path; a claim, by its id, with the
    lines around its quotes; lines of a source, `SOURCE#L12-L20`.

    Raises InputError where there is no such page, source or line, or no commit `at`.
    """
    state = wiki.state
    commit = wiki.repo.head() if at is None else wiki.repo.resolve(at)
    if at is not None and commit is None:
        raise InputError("there is no such commit", where=at, fix=wiki.repo.beyond)
    state.advance(commit)
    lines = _LINES.fullmatch(name)
    if lines and (lines[2] == "#L" or find_page(state, name) is None):
        ledger = page_named(state, source_named(state, lines[1]).path)
        span = (int(lines[3]), int(lines[4] or lines[3]))
        return ShownPage("\n".join(_excerpt(text_of(wiki, ledger), span)), None)
    ident = item_id(name)
    path = home_of(wiki, ident) if ident.startswith("n-") else find_page(state, name)
    page = state.page(path) if path else None
    if page is not None and ident.startswith("n-"):
        return ShownPage("\n".join(_note(page, ident)), page)
    claim = page.claim(ident) if page else None
    if page is not None and claim is not None:
        asked = dict.fromkeys(words for each in claim.evidence for words in each.asked)
        told = "\n".join(_claim(wiki, page, claim))
        return ShownPage(told, page, _located(wiki, page), asked="; ".join(asked))
    text = page.text if page else state.text(path or name)
    if not text:
        raise no_such_page(state, name)
    if page is None or path is None:
        return ShownPage(without_asked(text), None)
    from llmwiki.app.show.said_on_other_pages import elsewhere

    facts = state.fact(path)
    linking = map(stem_of, linking_to(wiki, facts, at)) if facts else ()
    claims = _located(wiki, page)
    told = _RECORD.sub("", with_lines(without_asked(text), page, claims))
    return ShownPage(told, page, claims, elsewhere=elsewhere(state, page), linking=tuple(linking))


def _located(wiki: OpenWiki, page: Page) -> tuple[Claim, ...]:

    places = wiki.quote_places()
    return tuple(map(places.claim, page.claims))


def with_lines(text: str, page: Page, claims: Iterable[Claim]) -> str:
    """A page's text with the lines of its quotes behind them, as far as they are known."""
    from llmwiki.pages.claim_head import unasked
    from llmwiki.pages.page import read_evidence

    spans = {each: each.span for claim in claims for each in claim.evidence if each.first}
    shown: list[str] = []
    at = 0
    for part in (part for node in page.body if node.kind == "c" for part in node.parts):
        evidence = read_evidence(part)
        span = spans.get(evidence) if evidence else None
        end = text.find(unasked(part.raw), at) + len(unasked(part.raw)) if span else 0
        if span and end > at:
            shown += [text[at:end], f" {span.partition(',')[0]}"]
            at = end
    return "".join([*shown, text[at:]])


def _claim(wiki: OpenWiki, page: Page, claim: Claim) -> Iterator[str]:
    """A claim, and the lines that its quotes are taken from."""
    from llmwiki.sources.quotes import QuoteFinder

    yield f"{claim.text} ^{claim.id}"
    yield f"{page.path}" + (f", struck → {claim.successor}" if claim.successor else "")
    for evidence in claim.evidence:
        yield ""
        try:
            ledger = page_named(wiki.state, ledger_path(evidence.source))
            document = text_of(wiki, ledger)
        except WikiError as error:
            yield f"“{evidence.quote}” — {evidence.source}: {error.what}"
            continue
        found = QuoteFinder(document).located(evidence)
        if found.first:
            yield from _excerpt(document, (found.first, found.last))
        else:
            yield f"“{evidence.quote}” — {document.path}: does not stand there"


def _note(page: Page, ident: str) -> Iterator[str]:
    """A note as it stands on its page, with what it rests on."""
    from llmwiki.pages.page_syntax import render_node

    yield from (render_node(node).rstrip() for node in page.body if node.key == ("n", ident))
    yield page.path


def item_id(name: str) -> str:
    """The id that is named, `c-…`, `^n-…` or `[[Page#^c-…]]`; empty: none is."""
    plain = name.removeprefix("[[").removesuffix("]]").split("|")[0]
    plain = plain.rpartition("#^")[2].lstrip("^")
    return plain if _ITEM.fullmatch(plain) else ""


def home_of(wiki: OpenWiki, ident: str) -> str | None:
    """The page on which a claim or a note stands."""
    if ident.startswith("n-"):
        from llmwiki.memory.memory_pages import MemoryPages

        note = MemoryPages(wiki.state).find(ident)
        if note:
            return note.path
        # Syntheses are few, and the index does not know their notes by id.
        answers = wiki.state.of_type("synthesis")
        return next((path for path in answers if f" ^{ident}\n" in wiki.state.text(path)), None)
    return wiki.state.claim_page(ident)


def _excerpt(document: Document, span: tuple[int, int]) -> Iterator[str]:
    """Lines of a text with those around them; a `>` stands before those that are asked for."""
    first, last = max(1, span[0]), min(span[1], len(document.lines))
    if first > last:
        raise InputError(
            f"has {len(document.lines)} lines", where=document.path, fix="Name one of them."
        )
    named = f"L{first}" if first == last else f"L{first}–L{last}"
    # The first line of a converted text says only what converted it.
    begin, of_text = (2, " of its text") if document.text_path else (1, "")
    yield f"{document.path} {named}{of_text}"
    width = len(str(last + AROUND))
    for number in range(max(begin, first - AROUND), min(last + AROUND, len(document.lines)) + 1):
        mark = ">" if first <= number <= last else " "
        line = normalise(document.lines[number - 1])
        yield f"{mark} {number:{width}}  {line}".rstrip()


def text_of(wiki: OpenWiki, ledger: Page) -> Document:
    """The numbered text of a source, of the bytes that were read.

    Raises InputError where the commit does not hold them any more, and for a retracted source.
    """
    from llmwiki.core.text import sha256_hex
    from llmwiki.pages.tombstones import is_retracted
    from llmwiki.sources.read_source import read_document, read_kept_text, text_path

    own = ledger.own_source
    assert own is not None
    path, commit = own.resource.removeprefix("/"), wiki.state.commit
    if is_retracted(ledger):
        raise InputError(
            "was retracted: its lines are not shown",
            where=path,
            fix="`wiki undo` with the id of the retraction brings them back.",
        )
    kept = wiki.repo.read(commit, text_path(own.sha256)) if own.sha256 else None
    if kept is not None:
        return read_kept_text(path, own.sha256, kept)
    data = wiki.repo.read(commit, path) if is_source(path) else None
    if data is None:
        raise InputError("is missing", where=path, fix="Bring it back from git.")
    if sha256_hex(data) != own.sha256:
        raise InputError(
            "has changed since it was ingested",
            where=path,
            fix=f"Run `wiki ingest {shlex.quote(path)}`.",
        )
    return read_document(path, data)
