"""An accepted answer as pages, and as one commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import counted, listed, normalise
from llmwiki.edit.tidy.check import AcceptedTidying, check
from llmwiki.index.link_names import LinkNames
from llmwiki.memory.land import LandingOptions, Made, Operation, OperationOutcome, land
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.claim_ties import TiedClaim, tie
from llmwiki.pages.dress import linked
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import ledger_path
from llmwiki.repo.repository import Repository

if TYPE_CHECKING:
    from llmwiki.edit.tidy.answer import ClaimPair, NewLead, PageTie, TidyAnswer, TidyFile
    from llmwiki.edit.tidy.question import TidyPart

_TOLD = 20
"""Reasons that the message of a commit tells."""


class TidyResult(NamedTuple):
    """What became of an answer."""

    part: str
    accepted: AcceptedTidying
    outcome: OperationOutcome

    @property
    def title(self) -> str:
        """How much of what is done; empty where nothing is."""
        return title_of(self.accepted)


def apply_tidying(
    repo: Repository,
    state: WikiState,
    part: TidyPart,
    answer: TidyAnswer | TidyFile,
    *,
    by: str,
    model: str,
    terms: LandingOptions,
    dry_run: bool = False,
) -> TidyResult:
    """Does what counts of an answer, in one commit. Raises what `land` raises."""

    def make(current: WikiState) -> Made[AcceptedTidying]:
        accepted = check(part, answer, current.page)
        if not accepted:
            return Made(None, accepted)
        operation = Operation(
            kind="tidy",
            title=title_of(accepted),
            pages=_Pages(current, by).done(accepted),
            notes=_reasons(accepted),
            trailers={"Wiki-Model": plain_line(model, 80)} if model else {},
        )
        return Made(operation, accepted)

    done = land(repo, state, make, operation="tidy", terms=terms, dry_run=dry_run)
    return TidyResult(part.id, done.extra, done.outcome)


def title_of(accepted: AcceptedTidying) -> str:
    """How much of what is done: `2 pages merged, 1 lead`."""
    counts = (
        (len(accepted.merges), "merge"),
        (len(accepted.moves), "claim moved"),
        (len(accepted.pairs), "pair of claims"),
        (len(accepted.relations), "relation"),
        (len(accepted.leads), "lead"),
    )
    plural = {"claim moved": "claims moved", "pair of claims": "pairs of claims"}
    return listed(
        [
            f"{count} {plural.get(name, name + 's') if count > 1 else name}"
            for count, name in counts
            if count
        ]
    )


def _reasons(accepted: AcceptedTidying) -> tuple[str, ...]:
    told = [f"Merged {each.page} into {each.into}: {each.why}" for each in accepted.merges]
    told += [f"Moved ^{each.claim} to {each.to}: {each.why}" for each in accepted.moves]
    told += [f"^{each.claim} {each.how} ^{each.other}: {each.why}" for each in accepted.pairs]
    more = len(told) - _TOLD
    kept = [plain_line(line, 200) for line in told[:_TOLD]]
    return (*kept, f"And {counted(more, 'more reason')}.") if more > 0 else tuple(kept)


class _Pages:
    """The pages of a state, and those that are changed."""

    def __init__(self, state: WikiState, by: str) -> None:
        self._state = state
        self._by = by
        self._pages: dict[str, Page | None] = {}

    def done(self, accepted: AcceptedTidying) -> dict[str, Page | None]:
        """The pages after all that was accepted."""
        for pair in accepted.pairs:
            self._pair(pair)
        for relation in accepted.relations:
            self._relate(relation)
        for lead in accepted.leads:
            self._lead(lead)
        return self._pages

    def _page(self, path: str) -> Page:
        page = self._pages[path] if path in self._pages else self._state.page(path)
        if page is None:
            raise KeyError(path)
        return page

    def _home(self, ident: str) -> str:
        changed = (path for path, page in self._pages.items() if page and page.claim(ident))
        path = next(changed, None) or self._state.claim_page.get(ident)
        if path is None:
            raise KeyError(ident)
        return path

    def _pair(self, pair: ClaimPair) -> None:
        mine = TiedClaim(self._home(pair.claim), pair.claim)
        other = TiedClaim(self._home(pair.other), pair.other)
        pages = {path: self._page(path) for path in (mine.page, other.page)}
        tie(pages, mine, other, pair.how, normalise(pair.why))
        self._pages.update(pages)

    def _relate(self, relation: PageTie) -> None:
        claim = self._page(self._home(relation.claim)).claim(relation.claim)
        assert claim is not None
        for source_id in sorted({evidence.source for evidence in claim.evidence}):
            for here, other, way in (
                (relation.page, relation.to, "out"),
                (relation.to, relation.page, "in"),
            ):
                page = write.add_relation(
                    self._page(here), stem_of(other), relation.label, source_id, way
                )
                self._pages[here] = self._cited(page, source_id)

    def _cited(self, page: Page, source_id: str) -> Page:
        """The page with the source among its sources and footnotes."""
        ledger = self._state.page(ledger_path(source_id))
        own = next((ref for ref in ledger.sources if ref.id == source_id), None) if ledger else None
        if ledger is None or own is None:
            return page
        page = write.set_source(page, own)
        return write.add_footnote(page, source_id, ledger.title, own.resource, ledger.value("date"))

    def _lead(self, lead: NewLead) -> None:
        page = self._page(lead.page)
        text = write.prose(lead.lead, self._linker(lead.page, lead.lead))
        self._pages[lead.page] = write.set_lead(page, text, self._by)

    def _linker(self, path: str, text: str) -> Callable[[str], str]:
        state = self._state

        def is_found(target: str) -> bool:
            return state.resolver.lead(link_key(stem_of(target))) == target

        names = LinkNames(state.names, is_found).but_for(path, [text])
        return lambda paragraph: linked(paragraph, names)
