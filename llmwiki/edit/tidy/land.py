"""An accepted answer as pages, and as one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.plain_line import plain_line
from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted, listed, normalise
from llmwiki.edit.page_moves import merging, moving
from llmwiki.edit.tidy.check import AcceptedTidying, LeftOut, check
from llmwiki.memory.land import LandingOptions, Made, Operation, land
from llmwiki.memory.moved import moved_trailer
from llmwiki.memory.state import Preview, WikiState
from llmwiki.pages import write
from llmwiki.pages.claim_ties import TiedClaim, tie
from llmwiki.pages.dress import linked
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import ledger_path
from llmwiki.repo.repository import Repository
from llmwiki.retrieval.names_in_text import LinkNames
from llmwiki.store.outcome import Outcome
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.edit.tidy.answer import (
        MovedClaim,
        NewLead,
        PageTie,
        Tidying,
        TiedPair,
    )
    from llmwiki.edit.tidy.question import TidyPart

_TOLD = 20
"""Reasons that the message of a commit tells."""


class TidyResult(NamedTuple):
    """What became of an answer."""

    part: str
    accepted: AcceptedTidying
    outcome: Outcome

    @property
    def title(self) -> str:
        """How much of what is done; empty where nothing is."""
        return title_of(self.accepted)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What of the answer does not count."""
        return self.accepted.left_out


def apply_tidying(
    repo: Repository,
    state: WikiState,
    part: TidyPart,
    answer: Tidying,
    *,
    model: str,
    terms: LandingOptions,
    dry_run: bool = False,
) -> TidyResult:
    """Does what counts of an answer, in one commit. Raises what `land` raises."""

    def make(current: WikiState) -> Made[AcceptedTidying]:
        accepted = check(part, answer, current.page)
        if not accepted:
            return Made(None, accepted)
        with _Moved(current) as moved:
            moved.done(accepted)
            pages = {**moved.pages, **_Pages(current, moved.joins).done(accepted)}
        operation = Operation(
            kind="tidy",
            title=title_of(accepted),
            pages=pages,
            notes=_reasons(accepted),
            trailers=moved.trailers | ({"Wiki-Model": plain_line(model, 80)} if model else {}),
            joins=moved.joins,
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
    kept = [plain_line(redacted(line), 200) for line in told[:_TOLD]]
    return (*kept, f"And {counted(more, 'more reason')}.") if more > 0 else tuple(kept)


class _Moved:
    """Merges and moves of claims, each seen by the next; the state shows them while it lasts."""

    def __init__(self, state: WikiState) -> None:
        self._state = state
        self._before: list[Preview] = []
        self._led: dict[str, str] = {}
        self.pages: dict[str, Page | None] = {}
        self.joins: dict[str, str] = {}

    def __enter__(self) -> _Moved:
        return self

    def __exit__(self, *_: object) -> None:
        for before in reversed(self._before):
            self._state.restore(before)

    @property
    def trailers(self) -> dict[str, str | tuple[str, ...]]:
        """What the commit says of pages that are no more."""
        return {**moved_trailer(self._led)}

    def done(self, accepted: AcceptedTidying) -> None:
        """Does what was accepted. A page that was merged twice over keeps the first merge."""
        for merge in accepted.merges:
            self._led[merge.page] = merge.into
            self._take(merging(self._state, merge.page, merge.into).operation)
        for move in accepted.moves:
            self._move(move)

    def _move(self, move: MovedClaim) -> None:
        ident = self.joins.get(move.claim, move.claim)
        home = self._state.claim_page(ident)
        page, target = (self._state.page(path or "") for path in (home, move.to))
        if page is not None and target is not None and page.path != target.path:
            self._take(moving(self._state, page, target, (ident,)).operation)

    def _take(self, operation: Operation | None) -> None:
        if operation is None:
            return
        self._before.append(self._state.preview(operation.pages))
        self.pages.update(operation.pages)
        self.joins.update(operation.joins)


class _Pages:
    """The pages of a state, and those that are changed; claims may have been joined to others."""

    def __init__(self, state: WikiState, joins: Mapping[str, str]) -> None:
        self._state = state
        self._joins = joins
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
        path = next(changed, None) or self._state.claim_page(ident)
        if path is None:
            raise KeyError(ident)
        return path

    def _pair(self, pair: TiedPair) -> None:
        one, two = (self._joins.get(each, each) for each in (pair.claim, pair.other))
        if one == two:
            return
        mine, other = TiedClaim(self._home(one), one), TiedClaim(self._home(two), two)
        pages = {path: self._page(path) for path in (mine.page, other.page)}
        tie(pages, mine, other, pair.how, normalise(pair.why))
        self._pages.update(pages)

    def _relate(self, relation: PageTie) -> None:
        ident = self._joins.get(relation.claim, relation.claim)
        claim = self._page(self._home(ident)).claim(ident)
        assert claim is not None
        for source_id in sorted({evidence.source for evidence in claim.evidence}):
            page = self._page(relation.page)
            page = write.add_relation(page, stem_of(relation.to), relation.label, source_id)
            self._pages[relation.page] = self._cited(page, source_id)

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
        self._pages[lead.page] = write.set_lead(page, text, SIGNED)

    def _linker(self, path: str, text: str) -> Callable[[str], str]:
        state = self._state

        def is_found(target: str) -> bool:
            return state.resolver.lead(link_key(stem_of(target))) == target

        names = LinkNames(state.names, is_found).but_for(path, [text])
        return lambda paragraph: linked(paragraph, names)
