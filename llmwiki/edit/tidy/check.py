"""What counts of an answer: each part of it is held against the pages as they are now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import fold, normalise
from llmwiki.language.scripts import count_cjk
from llmwiki.language.support import Support
from llmwiki.language.tokens import terms_of, words
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.relations import verb_phrase

if TYPE_CHECKING:
    from llmwiki.edit.tidy.answer import (
        MovedClaim,
        NewLead,
        OnePage,
        PageTie,
        Tidying,
        TiedPair,
    )
    from llmwiki.edit.tidy.question import TidyPart

MAX_LEAD = 1_200
"""Characters of a lead."""
MAX_LABEL = 60
"""Characters of what stands between two titles in a relation."""

_Item = TypeVar("_Item")


class LeftOut(NamedTuple):
    """A part of an answer that does not count."""

    what: str
    reason: str


class AcceptedTidying(NamedTuple):
    """What of an answer is done, in this order; each once."""

    merges: tuple[OnePage, ...]
    moves: tuple[MovedClaim, ...]
    pairs: tuple[TiedPair, ...]
    relations: tuple[PageTie, ...]
    leads: tuple[NewLead, ...]
    left_out: tuple[LeftOut, ...]

    def __bool__(self) -> bool:
        return bool(self.merges or self.moves or self.pairs or self.relations or self.leads)


def check(part: TidyPart, answer: Tidying, read: Callable[[str], Page | None]) -> AcceptedTidying:
    """What counts of an answer to a part; `read` gives a page by its path, as it is now.

    Nothing counts that names what the part did not show; a merge needs claims of both pages as
    evidence and a question that asked for it, a move a claim that names the page it goes to, a
    relation a claim that names both ends, and a lead may hold no number that no claim has.
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
        moves = self._kept("move", answer.moves, lambda m: f"^{m.claim} to {m.to}", self._move)
        pairs = self._kept(
            "pair", answer.pairs, lambda p: f"^{p.claim} {p.how} ^{p.other}", self._pair
        )
        relations = self._kept(
            "relation",
            answer.relations,
            lambda r: f"{stem_of(r.page)} {r.label} {stem_of(r.to)}",
            self._relation,
        )
        leads = self._kept("lead", answer.leads, lambda lead: lead.page, self._lead)
        return AcceptedTidying(
            tuple(merges),
            tuple(move for move in moves if move.to not in gone),
            tuple(pairs),
            tuple(each for each in relations if not gone & {each.page, each.to}),
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

    def _move(self, move: MovedClaim) -> str:
        fault = self._claim(move.claim) or self._page(move.to)
        if fault:
            return fault
        home, target = self._home[move.claim], self._pages[move.to]
        if home == move.to:
            return "it stands there already"
        if target.type not in SUBJECTS:
            return "claims move to pages of subjects only"
        if not _names(self._words(move.claim), target):
            return f"neither the claim nor its quotes name {target.title}"
        return "" if normalise(move.why) else "it says no reason"

    def _pair(self, pair: TiedPair) -> str:
        fault = self._claim(pair.claim) or self._claim(pair.other)
        if fault:
            return fault
        if pair.claim == pair.other:
            return "both are one claim"
        if pair.how == "updates" and self._is_older(pair.claim, pair.other):
            return "the claim that updates is the older one"
        return "" if normalise(pair.why) else "it says no reason"

    def _relation(self, tie: PageTie) -> str:
        fault = self._page(tie.page) or self._page(tie.to) or self._claim(tie.claim)
        if fault:
            return fault
        if tie.page == tie.to:
            return "both ends are one page"
        if len(tie.label) > MAX_LABEL or verb_phrase(tie.label) != normalise(tie.label):
            return f"the label is no verb phrase of at most {MAX_LABEL} characters"
        text, home = self._words(tie.claim), self._home[tie.claim]
        for path in (tie.page, tie.to):
            if path != home and not _names(text, self._pages[path]):
                return f"neither the claim nor its quotes name {self._pages[path].title}"
        return ""

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

    def _words(self, ident: str) -> str:
        return _told(self._held(ident))

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


def naming(page: Page, other: Page) -> tuple[str, ...]:
    """The ids of those standing claims of a page that name another page's subject."""
    standing = (claim for claim in page.claims if claim.successor is None)
    return tuple(claim.id for claim in standing if _names(_told(claim), other))


def _told(claim: Claim) -> str:
    return "\n".join((claim.text, *(evidence.quote for evidence in claim.evidence)))


def _names(text: str, page: Page) -> bool:
    """Whether a text names a page's subject by its title or an alias, inflected or not."""
    said = f" {_stems(text)} "
    for name in (page.title, *page.aliases):
        key = _stems(name)
        if key and (f" {key} " in said or (count_cjk(key) and key in said)):
            return True
    return False


def _stems(text: str) -> str:
    """The words of a text by their stems, one blank between two; others as they are written."""
    return " ".join(
        word if count_cjk(word) else next(iter(terms_of(word)), word) for word in words(text)
    )
