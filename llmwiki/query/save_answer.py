"""An answer filed as a synthesis: one page a question, one note a statement, one commit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from llmwiki.core.errors import InputError, ModelOutputError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, cut, fold, listed, normalise
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.commit_message import spending
from llmwiki.landing.land import land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.models.tokens_and_cost import Usage
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_links import claim_link
from llmwiki.pages.escape import escape
from llmwiki.pages.find_links import scan
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, page_path, stem_of
from llmwiki.pages.page_tree import PageNode
from llmwiki.pages.tombstones import ledger_path
from llmwiki.query.check_citations import (
    CheckedStatement,
    CitedPassage,
    Known,
    all_cited,
    check,
    standing,
)
from llmwiki.query.split_answer import AnswerStatement

TYPE = "synthesis"
MAX_TITLE = 120
"""Characters of a title made from a question; a longer one is cut at a word."""
MAX_DESCRIPTION = 200
_NAMED = 6
"""Pages that the lead names at most."""


@dataclass(frozen=True, slots=True)
class NoteRequest:
    """An answer to be filed."""

    question: str
    statements: tuple[AnswerStatement, ...]
    """Those that name what they rest on; each is looked up again where it is filed."""
    title: str = ""
    """Of the page; empty: the question."""
    by: str = ""
    """The tool and its version, for the page's `generated`."""
    model: str = ""
    """Who answered, for the trailer `Wiki-Model`."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""
    allowed_secrets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UnfiledStatement:
    """A statement that was not filed, or a citation that a filed one lost."""

    text: str
    citation: str
    """As it was written; empty where there was none."""
    reason: str


@dataclass(frozen=True, slots=True)
class NoteResult:
    """What became of it."""

    outcome: Outcome
    path: str
    """Of the page, written now or before."""
    title: str
    notes: int
    """Statements of the answer that stand on the page."""
    left_out: tuple[UnfiledStatement, ...]


class _Filed(NamedTuple):
    """Where an answer goes, how many of its statements, and what of it does not."""

    path: str
    notes: int
    left_out: tuple[UnfiledStatement, ...]


def supported(statements: Iterable[CheckedStatement]) -> tuple[AnswerStatement, ...]:
    """The statements of a checked answer that may be filed, with the citations that were known."""
    kept = []
    for each in statements:
        links = tuple(link for cited in each.cited for link in scan(cited.handle))
        if links and each.statement.kind == "sentence":
            kept.append(replace(each.statement, citations=links))
    return tuple(kept)


def file_answer(
    wiki: OpenWiki, filing: NoteRequest, *, terms: LandingOptions, dry_run: bool = False
) -> NoteResult:
    """Lands the statements whose citations stand at HEAD; those filed before are not repeated.

    Raises ModelOutputError where no statement has a citation that stands, InputError for a title
    without a letter, PolicyError for a secret, and what `land` raises; then nothing has changed.
    """
    title = title_of(filing.title or filing.question)
    _demand_no_secrets(filing, title)

    def make(now: WikiState) -> Made[_Filed]:
        kept, left_out = _standing(now, filing.statements)
        if not kept:
            reason = left_out[0].reason if left_out else "it has no statement with a citation"
            raise ModelOutputError(
                f"nothing of the answer can be filed: {reason}",
                fix="Each sentence needs a citation that `wiki context` shows for the question.",
            )
        path = _path(now, title)
        before = now.page(path)
        page = _page(now, before, path, title, filing, kept)
        filed = _Filed(path, len(kept), left_out)
        if before is not None and before.node == page.node:
            return Made(None, filed)
        operation = Operation(
            title=title,
            pages={path: page},
            notes=_notes(filing, kept, left_out, title),
            trailers={"Wiki-Model": filing.model, **spending(filing.usage, filing.cost)},
        )
        return Made(operation, filed)

    done = land(wiki.state, "note", make, terms=terms, dry_run=dry_run)
    return NoteResult(done.outcome, done.extra.path, title, done.extra.notes, done.extra.left_out)


def title_of(question: str) -> str:
    """A question as a page's title: one line, no stop or question mark at its end."""
    plain = normalise(question).rstrip(" ?!.,;:？！。") or normalise(question)
    if not any(character.isalnum() for character in plain):
        raise InputError("the page needs a title", fix="Give one: --title TITLE")
    return cut(plain, MAX_TITLE)


def _demand_no_secrets(filing: NoteRequest, title: str) -> None:
    texts = (title, filing.question, *(each.text for each in filing.statements))
    refuse(
        ["\n".join(texts)],
        allowed=filing.allowed_secrets,
        what="the answer",
        fix="A wiki keeps what it is told for good; ask again without it.",
    )


def _standing(
    state: WikiState, statements: Sequence[AnswerStatement]
) -> tuple[tuple[CheckedStatement, ...], tuple[UnfiledStatement, ...]]:
    """The statements that may be filed, with what of theirs stands, and what is left out."""
    known = standing(state)
    kept: list[CheckedStatement] = []
    left_out: list[UnfiledStatement] = []
    for statement in statements:
        found = check(statement, known)
        # A note is one line, also of a list or a table that is quoted.
        text = normalise(statement.text)
        stands: dict[str, CitedPassage] = {}
        for cited in found.cited:
            behind = _grounds(cited, known)
            if not behind:
                left_out.append(UnfiledStatement(text, cited.handle, "it no longer stands"))
            stands |= {each.handle: each for each in behind}
        left_out += [
            UnfiledStatement(text, each, "no such thing is committed") for each in found.unknown
        ]
        if stands:
            kept.append(CheckedStatement(replace(statement, text=text), tuple(stands.values()), ()))
        elif found.status == "uncited":
            left_out.append(UnfiledStatement(text, "", "it cites nothing"))
    return tuple(kept), tuple(left_out)


def _grounds(cited: CitedPassage, known: Known) -> tuple[CitedPassage, ...]:
    """What a citation comes down to: of a note of a synthesis the claims behind it.

    So no synthesis rests on another, nor on itself. Empty where nothing of it stands.
    """
    if cited.successor:
        return ()
    behind = [found for handle in cited.rests_on for link in scan(handle) if (found := known(link))]
    if not cited.rests_on:
        return (cited,)
    return tuple(each for each in behind if not each.successor and not each.rests_on)


def _path(state: WikiState, title: str) -> str:
    """Where the page of that title is, or shall be."""

    def is_taken(key: str) -> bool:
        path = state.file_named(key)
        page = state.page(path) if path else None
        is_own = page is not None and page.type == TYPE and fold(page.title) == fold(title)
        return path is not None and not is_own

    path = page_path(TYPE, title, is_taken, state.types().get(TYPE, 0))
    # A page of ours may be there in other case: its path stays.
    return state.file_named(name_key(stem_of(path))) or path


def _page(
    state: WikiState,
    before: Page | None,
    path: str,
    title: str,
    filing: NoteRequest,
    kept: Sequence[CheckedStatement],
) -> Page:
    page = before or write.create(
        path=path,
        kind=TYPE,
        title=title,
        description=cut(kept[0].statement.text, MAX_DESCRIPTION),
        lead=_lead(filing.question, all_cited(kept)),
        by=filing.by,
    )
    for each in kept:
        page = write.add_to_section(page, "Notes", _note(title, each))
        for cited in each.cited:
            page = _with_sources(state, page, cited)
    return page


def _lead(question: str, cited: Sequence[CitedPassage]) -> str:
    pages = list({c.path: (scan(c.handle)[0].target, c.title) for c in cited}.values())
    named = [write.wikilink(name, title) for name, title in pages[:_NAMED]]
    if len(pages) > _NAMED:
        named.append(f"{len(pages) - _NAMED} more pages")
    return f"The question: {escape(question)}\n\nAnswered from {listed(named)}."


def _note(title: str, said: CheckedStatement) -> PageNode:
    """A note as the page's grammar writes it; its id follows from title and folded text."""
    rests_on = "; ".join(map(_link_to, said.cited))
    return write_claims.note_node((TYPE, fold(title)), said.statement.text, f"from: {rests_on}")


def _link_to(cited: CitedPassage) -> str:
    """A citation as a link."""
    link = scan(cited.handle)[0]
    if not link.block.startswith("c-"):
        return cited.handle
    return claim_link(link.target, cited.title, link.block)


def _with_sources(state: WikiState, page: Page, cited: CitedPassage) -> Page:
    """The page with the sources of a claim, and the versions it was answered from."""
    for ident in sorted({evidence.source for evidence in cited.evidence}):
        if not any(own.id == ident for own in page.sources):
            ledger = state.page(ledger_path(ident))
            source = ledger.own_source if ledger else None
            version = f" {source.sha256[:16]}" if source and source.sha256 else ""
            page = write.add_words(page, "read", (ident + version,))
    return page


def _notes(
    filing: NoteRequest,
    kept: Sequence[CheckedStatement],
    left_out: Sequence[UnfiledStatement],
    title: str,
) -> tuple[str, ...]:
    cited = all_cited(kept)
    pages = len({c.path for c in cited})
    notes = []
    if title_of(filing.question) != title:
        notes.append(f"Asked: {normalise(filing.question)}")
    notes.append(
        f"{counted(len(kept), 'statement')} resting on"
        f" {counted(len(cited), 'citation')} of {counted(pages, 'page')}."
    )
    if left_out:
        notes.append(f"Left out or uncited: {len(left_out)}.")
    return tuple(notes)
