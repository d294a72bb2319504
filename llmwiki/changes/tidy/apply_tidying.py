"""What counts of an answer, held against the pages as they are now, as one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from llmwiki.changes.page_moves import merging
from llmwiki.core.language.figures_and_names import Support
from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.plain_line import plain_line
from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted, fold, listed, normalise
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.earlier import moved_trailer
from llmwiki.landing.land import LandingOptions, Made, Operation, land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.state import WikiState
from llmwiki.models.task import LeftOut
from llmwiki.pages import write
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.linked_text import linked
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.write_claims import TiedClaim, tie
from llmwiki.query.retrieval.page_names_in_text import LinkNames
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.changes.tidy.question import NewLead, OnePage, Tidying, TidyPart, TiedPair

MAX_LEAD = 1_200
"""Characters of a lead."""
_TOLD = 20
"""Reasons that the message of a commit tells."""

_Item = TypeVar("_Item")


class AcceptedTidying(NamedTuple):
    """What of an answer is done, in this order; each once."""

    merges: tuple[OnePage, ...]
    pairs: tuple[TiedPair, ...]
    leads: tuple[NewLead, ...]
    left_out: tuple[LeftOut, ...]

    def __bool__(self) -> bool:
        return bool(self.merges or self.pairs or self.leads)


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
    wiki: OpenWiki,
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
        changed = _ChangedPages(current)
        changed.do(accepted)
        led = {merge.page: merge.into for merge in accepted.merges}
        operation = Operation(
            kind="tidy",
            title=title_of(accepted),
            pages=changed.pages,
            notes=_reasons(accepted),
            trailers={
                **moved_trailer(led),
                **({"Wiki-Model": plain_line(model, 80)} if model else {}),
            },
            joins=changed.joins,
        )
        return Made(operation, accepted)

    done = land(wiki.repo, wiki.state, make, operation="tidy", terms=terms, dry_run=dry_run)
    return TidyResult(part.id, done.extra, done.outcome)


def title_of(accepted: AcceptedTidying) -> str:
    """How much of what is done: `2 pages merged, 1 lead`."""
    counts = (
        counted(len(accepted.merges), "merge"),
        counted(len(accepted.pairs), "tie of claims", "ties of claims"),
        counted(len(accepted.leads), "lead"),
    )
    return listed([each for each in counts if not each.startswith("0 ")])


def _reasons(accepted: AcceptedTidying) -> tuple[str, ...]:
    told = [f"Merged {each.page} into {each.into}: {each.why}" for each in accepted.merges]
    told += [f"^{each.claim} {each.how} ^{each.other}: {each.why}" for each in accepted.pairs]
    more = len(told) - _TOLD
    kept = [plain_line(redacted(line), 200) for line in told[:_TOLD]]
    return (*kept, f"And {counted(more, 'more reason')}.") if more > 0 else tuple(kept)


# --- what counts ---------------------------------------------------------------------------------


def check(part: TidyPart, answer: Tidying, read: Callable[[str], Page | None]) -> AcceptedTidying:
    """What counts of an answer to a part; `read` gives a page by its path, as it is now.

    Nothing counts that names what the part did not show; a merge needs claims of both pages as
    evidence and a question that asked for it, and a lead may hold no number that no claim has.
    """
    return _Check(part, read).run(answer)


class _Check:
    def __init__(self, part: TidyPart, read: Callable[[str], Page | None]) -> None:
        shown = {path: page for path, _ in part.pages if (page := read(path)) is not None}
        self._pages: Mapping[str, Page] = shown
        self._home = {
            ident: path
            for path, claims in part.pages
            if path in shown
            for ident in claims
            if (claim := shown[path].claim(ident)) is not None and claim.successor is None
        }
        self._asked = {
            frozenset(question.pages) for question in part.questions if question.kind == "one"
        }
        self._left_out: list[LeftOut] = []
        self._comes: dict[str, tuple[Page, ...]] = {}
        """The pages that are merged into a page."""

    def run(self, answer: Tidying) -> AcceptedTidying:
        merges = self._kept("merge", answer.merges, lambda m: f"{m.page} into {m.into}", self._one)
        gone = {merge.page for merge in merges}
        first = {merge.page: merge for merge in reversed(merges)}
        for each in merges:
            if each.into in gone or first[each.page] is not each:
                reason = "one of the two pages goes by another merge"
                self._left_out.append(LeftOut(f"merge {each.page} into {each.into}", reason))
        merges = [each for each in merges if each.into not in gone and first[each.page] is each]
        gone = {merge.page for merge in merges}
        for each in merges:
            self._comes[each.into] = (*self._comes.get(each.into, ()), self._pages[each.page])
        pairs = self._kept(
            "pair", answer.pairs, lambda p: f"^{p.claim} {p.how} ^{p.other}", self._pair
        )
        leads = self._kept("lead", answer.leads, lambda lead: lead.page, self._lead)
        return AcceptedTidying(
            tuple(merges),
            tuple(pairs),
            tuple(lead for lead in leads if lead.page not in gone),
            tuple(self._left_out),
        )

    def _kept(
        self,
        kind: str,
        items: Sequence[_Item],
        name: Callable[[_Item], str],
        fault: Callable[[_Item], str],
    ) -> list[_Item]:
        kept: list[_Item] = []
        seen: set[str] = set()
        for item in items:
            what = plain_line(f"{kind} {name(item)}", 200)
            reason = "it stands there twice" if what in seen else fault(item)
            seen.add(what)
            if reason:
                self._left_out.append(LeftOut(what, reason))
            else:
                kept.append(item)
        return kept

    def _page(self, path: str) -> str:
        return "" if path in self._pages else f"no page {plain_line(path, 80)} was shown"

    def _claim(self, ident: str) -> str:
        return (
            "" if ident in self._home else f"no standing claim ^{plain_line(ident, 30)} was shown"
        )

    def _one(self, merge: OnePage) -> str:
        pair = (merge.page, merge.into)
        fault = next(filter(None, map(self._page, pair)), "")
        if fault:
            return fault
        if frozenset(pair) not in self._asked:
            return "no question asked whether these two are one"
        if any(self._pages[path].type not in SUBJECTS for path in pair):
            return "only pages of subjects are merged"
        fault = next(filter(None, map(self._claim, merge.claims)), "")
        if fault:
            return fault
        for path in pair:
            has_some = any(claim.successor is None for claim in self._pages[path].claims)
            if has_some and not any(self._home[ident] == path for ident in merge.claims):
                return f"no claim of {path} is named that shows it"
        return "" if normalise(merge.why) else "it says no reason"

    def _pair(self, pair: TiedPair) -> str:
        fault = self._claim(pair.claim) or self._claim(pair.other)
        if fault:
            return fault
        if pair.claim == pair.other:
            return "both are one claim"
        if pair.how == "updates" and self._is_older(pair.claim, pair.other):
            return "the claim that updates is the older one"
        return "" if normalise(pair.why) else "it says no reason"

    def _lead(self, lead: NewLead) -> str:
        fault = self._page(lead.page)
        if fault:
            return fault
        page, text = self._pages[lead.page], normalise(lead.lead)
        if not page.lead_is_tools:
            return "a person wrote the lead that stands there"
        if not text or len(text) > MAX_LEAD:
            return f"a lead has 1 to {MAX_LEAD} characters"
        if fold(text) == fold(normalise(page.lead)):
            return "it says what stands there"
        pages = (page, *self._comes.get(lead.page, ()))
        said = Support("\n".join(told for each in pages for told in _said(each)))
        missing = said.lacking_number(text)
        return f"no claim of the page says {missing}" if missing else ""

    def _held(self, ident: str) -> Claim:
        claim = self._pages[self._home[ident]].claim(ident)
        assert claim is not None
        return claim

    def _is_older(self, ident: str, other: str) -> bool:
        mine, theirs = (self._held(each).attribute("as of") for each in (ident, other))
        return bool(mine and theirs and mine < theirs)


def _said(page: Page) -> Iterator[str]:
    yield page.title
    yield from page.aliases
    for claim in page.claims:
        if claim.successor is None:
            yield claim.text
            yield from (value for _, _, value in claim.attributes)
            yield from (evidence.quote for evidence in claim.evidence)


# --- what is done --------------------------------------------------------------------------------


class _ChangedPages:
    """The pages of a state, and those that are changed; claims may have been joined to others."""

    def __init__(self, state: WikiState) -> None:
        self._state = state
        self.pages: dict[str, Page | None] = {}
        self.joins: dict[str, str] = {}

    def do(self, accepted: AcceptedTidying) -> None:
        """All that was accepted; each merge sees the pages as the one before left them."""
        with ExitStack() as shown:
            for merge in accepted.merges:
                operation = merging(self._state, merge.page, merge.into).operation
                if operation is not None:
                    shown.enter_context(self._state.shown(operation.pages))
                    self.pages |= operation.pages
                    self.joins |= operation.joins
            for pair in accepted.pairs:
                self._pair(pair)
            for lead in accepted.leads:
                self._lead(lead)

    def _page(self, path: str) -> Page:
        page = self.pages[path] if path in self.pages else self._state.page(path)
        if page is None:
            raise KeyError(path)
        return page

    def _home(self, ident: str) -> str:
        changed = (path for path, page in self.pages.items() if page and page.claim(ident))
        path = next(changed, None) or self._state.claim_page(ident)
        if path is None:
            raise KeyError(ident)
        return path

    def _pair(self, pair: TiedPair) -> None:
        one, two = (self.joins.get(each, each) for each in (pair.claim, pair.other))
        if one == two:
            return
        mine, other = TiedClaim(self._home(one), one), TiedClaim(self._home(two), two)
        pages = {path: self._page(path) for path in (mine.page, other.page)}
        tie(pages, mine, other, pair.how, normalise(pair.why))
        self.pages.update(pages)

    def _lead(self, lead: NewLead) -> None:
        page = self._page(lead.page)
        text = write.prose(lead.lead, self._linker(lead.page, lead.lead))
        self.pages[lead.page] = write.set_lead(page, text, SIGNED)

    def _linker(self, path: str, text: str) -> Callable[[str], str]:
        state = self._state

        def is_found(target: str) -> bool:
            return state.resolver.lead(link_key(stem_of(target))) == target

        names = LinkNames(state.names, is_found).but_for(path, [text])
        return lambda paragraph: linked(paragraph, names)
