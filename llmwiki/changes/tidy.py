"""A second reading of the wiki: what is asked, in parts that one call answers, and what of an
answer is done, in one commit.

Every string of an answer is untrusted: nothing counts that names what its part did not show, or
that the claims as they are now do not bear out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from llmwiki.changes.rename_and_merge_pages import merging
from llmwiki.core.forge_safe_line import plain_line
from llmwiki.core.language.figures_and_names import Support
from llmwiki.core.page_and_note_kinds import MEMORY, SUBJECTS
from llmwiki.core.secrets import redacted
from llmwiki.core.text import counted, fence, fold, listed, normalise, sha256_hex
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.earlier_pages import moved_trailer
from llmwiki.landing.land import land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.models.ask_and_validate import LeftOut
from llmwiki.pages import write
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.linked_text import linked
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.write_claims import TiedClaim, tie
from llmwiki.query.retrieval.page_names_in_text import LinkNames
from llmwiki.query.retrieval.plain_inline_text import plain
from llmwiki.version import SIGNED

QuestionKind = Literal["one", "lead", "conflict"]
"""Whether two pages are one; a lead that does not fit; claims that may not both hold."""

PART_CHARACTERS = 20_000
"""Of the data of one part: what the tools of agents show of a file at once, with the rules."""
PAGE_CLAIMS = 40
"""Claims of one page that are shown; those that a question is about come first."""
_SAYS = 500
_LEAD = 1_000
"""Characters of a claim and of a lead that are shown."""


class TidyQuestion(NamedTuple):
    """One question. They sort by kind, pages and claims."""

    kind: QuestionKind
    pages: tuple[str, ...]
    """Paths: one for a lead, two or more else."""
    claims: tuple[str, ...] = ()
    """Ids of claims that it is about."""
    why: str = ""
    """What raised it, in a sentence."""


class TidyPart(NamedTuple):
    """What one answer is about."""

    questions: tuple[TidyQuestion, ...]
    about: tuple[str, ...]
    """What an answer may name: the paths of the pages and the ids of the claims that are shown."""
    text: str
    """Pages and questions, each page between fences."""

    @property
    def id(self) -> str:
        """A hash of what is shown: 16 hexadecimal digits."""
        return sha256_hex(self.text.encode())[:16]


def parts(
    questions: Iterable[TidyQuestion], read: Callable[[str], Page | None]
) -> Iterator[TidyPart]:
    """The questions in their order, packed; a part holds each page once.

    `read` gives a page by its path. A question of which a page is gone is left out, and so is one
    whose pages have no room in any part.
    """
    held: dict[str, Page] = {}
    waiting: list[TidyQuestion] = []
    for question in questions:
        pages = {path: read(path) for path in question.pages}
        whole = {path: page for path, page in pages.items() if page is not None}
        if len(whole) < len(pages) or MEMORY in pages:
            continue
        if waiting and len(_text({**held, **whole}, [*waiting, question])) > PART_CHARACTERS:
            yield _part(held, waiting)
            held, waiting = {}, []
        if len(_text(whole, [question])) <= PART_CHARACTERS:
            held.update(whole)
            waiting.append(question)
    if waiting:
        yield _part(held, waiting)


def _part(pages: Mapping[str, Page], questions: Sequence[TidyQuestion]) -> TidyPart:
    ids = (claim.id for path in sorted(pages) for claim in _told(pages[path], questions))
    return TidyPart(tuple(questions), (*sorted(pages), *ids), _text(pages, questions))


def _text(pages: Mapping[str, Page], questions: Sequence[TidyQuestion]) -> str:
    blocks = [
        fence("page", redacted("\n".join(_lines(pages[path], questions)))) for path in sorted(pages)
    ]
    asked = [
        _row({"question": number, **_asked(question)})
        for number, question in enumerate(questions, start=1)
    ]
    return "\n\n".join([*blocks, fence("questions", redacted("\n".join(asked)))])


def _asked(question: TidyQuestion) -> dict[str, object]:
    row: dict[str, object] = {"kind": question.kind, "pages": list(question.pages)}
    if question.claims:
        row["claims"] = list(question.claims)
    if question.why:
        row["why"] = normalise(question.why)[:_SAYS]
    return row


def _told(page: Page, questions: Sequence[TidyQuestion]) -> list[Claim]:
    asked = {ident for question in questions for ident in question.claims}
    standing = [claim for claim in page.claims if claim.successor is None]
    chosen = sorted(standing, key=lambda claim: claim.id not in asked)[:PAGE_CLAIMS]
    kept = {claim.id for claim in chosen}
    return [claim for claim in standing if claim.id in kept]


def _lines(page: Page, questions: Sequence[TidyQuestion]) -> Iterator[str]:
    yield _row(
        {
            "page": page.path,
            "title": page.title,
            "type": page.type,
            "aliases": list(page.aliases),
            "lead": plain(page.lead)[:_LEAD],
            "lead_by": "tool" if page.lead_is_tools else "person",
        }
    )
    told = _told(page, questions)
    for claim in told:
        row: dict[str, object] = {"claim": claim.id, "says": claim.text[:_SAYS]}
        if claim.attributes:
            row["attributes"] = {name: value for name, _, value in claim.attributes}
        row["sources"] = sorted({evidence.source for evidence in claim.evidence})
        yield _row(row)
    more = sum(claim.successor is None for claim in page.claims) - len(told)
    if more > 0:
        yield _row({"more_claims": more})


def _row(row: dict[str, object]) -> str:
    kept = {key: value for key, value in row.items() if value not in ("", [], {})}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


# --- the answer: every string in it is untrusted -------------------------------------------------

_CLAIMS = "Ids of claims that were shown, copied exactly"


class NewLead(BaseModel, extra="forbid", frozen=True):
    """A lead written anew."""

    page: str = Field(description="The page's path, copied exactly")
    lead: str = Field(description="One paragraph of at most 100 words, from the page's claims only")


class OnePage(BaseModel, extra="forbid", frozen=True):
    """Two pages that are about one thing."""

    page: str = Field(description="The path of the page that goes")
    into: str = Field(description="The path of the page that stays")
    claims: list[str] = Field(
        description=f"{_CLAIMS}: at least one of each page, which show that both mean one thing"
    )
    why: str = Field(description="One sentence")


class TiedPair(BaseModel, extra="forbid", frozen=True):
    """Two claims that belong together."""

    claim: str = Field(description="The claim's id; for `updates`, of the newer one")
    other: str = Field(description="The other claim's id")
    how: Literal["contradicts", "disagrees", "updates", "supports"]
    why: str = Field(description="One sentence")


class Tidying(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    leads: list[NewLead] = Field(default_factory=list)
    merges: list[OnePage] = Field(default_factory=list)
    pairs: list[TiedPair] = Field(default_factory=list)


# --- what is done --------------------------------------------------------------------------------

MAX_LEAD = 1_200
"""Characters of a lead."""
_TOLD = 20
"""Reasons that the message of a commit tells."""


class TidyResult(NamedTuple):
    """What became of an answer."""

    part: str
    done: Mapping[str, int]
    """How many of its `merges`, `pairs` and `leads` count."""
    left_out: tuple[LeftOut, ...]
    """What of it does not."""
    outcome: Outcome

    @property
    def title(self) -> str:
        """How much of what is done; empty where nothing is."""
        return _title(self.done)


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

    def make(current: WikiState) -> Made[_TidiedPages]:
        work = _TidiedPages(current, part)
        work.take(answer)
        if not work.done:
            return Made(None, work)
        operation = Operation(
            title=_title(work.done),
            pages=work.pages,
            notes=_notes(work.reasons),
            trailers={
                **moved_trailer(work.led),
                **({"Wiki-Model": plain_line(model, 80)} if model else {}),
            },
            joins=work.joins,
        )
        return Made(operation, work)

    landed = land(wiki.state, "tidy", make, terms=terms, dry_run=dry_run)
    work = landed.extra
    return TidyResult(part.id, work.done, tuple(work.left_out), landed.outcome)


def _title(done: Mapping[str, int]) -> str:
    counts = (
        counted(done.get("merges", 0), "merge"),
        counted(done.get("pairs", 0), "tie of claims", "ties of claims"),
        counted(done.get("leads", 0), "lead"),
    )
    return listed([each for each in counts if not each.startswith("0 ")])


def _notes(reasons: Sequence[str]) -> tuple[str, ...]:
    more = len(reasons) - _TOLD
    kept = [plain_line(redacted(line), 200) for line in reasons[:_TOLD]]
    return (*kept, f"And {counted(more, 'more reason')}.") if more > 0 else tuple(kept)


class _TidiedPages:
    """What an answer makes of the pages of a state; each step sees them as the one before left
    them."""

    def __init__(self, state: WikiState, part: TidyPart) -> None:
        self._state = state
        self._shown = frozenset(part.about)
        self._asked = {frozenset(each.pages) for each in part.questions if each.kind == "one"}
        self.pages: dict[str, Page | None] = {}
        self.joins: dict[str, str] = {}
        self.led: dict[str, str] = {}
        """Pages that go, each with the one that it is merged into."""
        self.done: Counter[str] = Counter()
        self.reasons: list[str] = []
        self.left_out: list[LeftOut] = []

    def take(self, answer: Tidying) -> None:
        """Does what counts: merges first, then pairs, then leads."""
        with ExitStack() as shown:
            steps: list[tuple[str, str, Callable[[], str]]] = []
            for merge in answer.merges:
                what = f"merge {merge.page} into {merge.into}"
                steps.append(("merges", what, partial(self._merge, merge, shown)))
            for pair in answer.pairs:
                what = f"pair ^{pair.claim} {pair.how} ^{pair.other}"
                steps.append(("pairs", what, partial(self._pair, pair)))
            for lead in answer.leads:
                steps.append(("leads", f"lead {lead.page}", partial(self._lead, lead)))
            seen: set[str] = set()
            for kind, name, act in steps:
                what = plain_line(name, 200)
                reason = "it stands there twice" if what in seen else act()
                seen.add(what)
                if reason:
                    self.left_out.append(LeftOut(what, reason))
                else:
                    self.done[kind] += 1

    # Each does a step, or says why it does not count.

    def _merge(self, merge: OnePage, shown: ExitStack) -> str:
        pages = [self._page(path) for path in (merge.page, merge.into)]
        for path, page in zip((merge.page, merge.into), pages, strict=True):
            if page is None:
                return self._lacking(path)
        if frozenset((merge.page, merge.into)) not in self._asked:
            return "no question asked whether these two are one"
        named = list(map(self._claim, merge.claims))
        if None in named:
            return _no_claim(merge.claims[named.index(None)])
        for page in filter(None, pages):
            if page.type not in SUBJECTS:
                return "only pages of subjects are merged"
            has_some = any(claim.successor is None for claim in page.claims)
            if has_some and not any(page.claim(claim.id) for claim in filter(None, named)):
                return f"no claim of {page.path} is named that shows it"
        if not normalise(merge.why):
            return "it says no reason"
        operation = merging(self._state, merge.page, merge.into).operation
        assert operation is not None
        shown.enter_context(self._state.shown(operation.pages))
        self.pages |= operation.pages
        self.joins |= operation.joins
        self.led[merge.page] = merge.into
        self.reasons.append(f"Merged {merge.page} into {merge.into}: {merge.why}")
        return ""

    def _pair(self, pair: TiedPair) -> str:
        one, two = self._claim(pair.claim), self._claim(pair.other)
        if one is None or two is None:
            return _no_claim(pair.other if one else pair.claim)
        if one.id == two.id:
            return "both are one claim"
        mine, theirs = (each.attribute("as of") for each in (one, two))
        if pair.how == "updates" and mine and theirs and mine < theirs:
            return "the claim that updates is the older one"
        if not normalise(pair.why):
            return "it says no reason"
        newer, other = (TiedClaim(self._state.claim_page(c.id) or "", c.id) for c in (one, two))
        pages = {e.page: page for e in (newer, other) if (page := self._page(e.page))}
        tie(pages, newer, other, pair.how, normalise(pair.why))
        self.pages.update(pages)
        self.reasons.append(f"^{pair.claim} {pair.how} ^{pair.other}: {pair.why}")
        return ""

    def _lead(self, lead: NewLead) -> str:
        page, text = self._page(lead.page), normalise(lead.lead)
        if page is None:
            return self._lacking(lead.page)
        if not page.lead_is_tools:
            return "a person wrote the lead that stands there"
        if not text or len(text) > MAX_LEAD:
            return f"a lead has 1 to {MAX_LEAD} characters"
        if fold(text) == fold(normalise(page.lead)):
            return "it says what stands there"
        missing = Support("\n".join(_said(page))).lacking_number(text)
        if missing:
            return f"no claim of the page says {missing}"
        linker = self._linker(lead.page, lead.lead)
        self.pages[lead.page] = write.set_lead(page, write.prose(lead.lead, linker), SIGNED)
        return ""

    def _page(self, path: str) -> Page | None:
        """A page as it is by now; None for one that was not shown, or is merged away."""
        if path in self.pages:
            return self.pages[path]
        return self._state.page(path) if path in self._shown else None

    def _lacking(self, path: str) -> str:
        if path in self.led:
            return "one of the two pages goes by another merge"
        return f"no page {plain_line(path, 80)} was shown"

    def _claim(self, ident: str) -> Claim | None:
        """A claim that was shown and stands, or the one that it was joined to."""
        path = self._state.claim_page(self.joins.get(ident, ident)) if ident in self._shown else ""
        page = self._page(path) if path else None
        claim = page.claim(self.joins.get(ident, ident)) if page else None
        return claim if claim and claim.successor is None else None

    def _linker(self, path: str, text: str) -> Callable[[str], str]:
        state = self._state

        def is_found(target: str) -> bool:
            return state.resolver.lead(link_key(stem_of(target))) == target

        names = LinkNames(state.names, is_found).but_for(path, [text])
        return lambda paragraph: linked(paragraph, names)


def _no_claim(ident: str) -> str:
    return f"no standing claim ^{plain_line(ident, 30)} was shown"


def _said(page: Page) -> Iterator[str]:
    yield page.title
    yield from page.aliases
    for claim in page.claims:
        if claim.successor is None:
            yield claim.text
            yield from (value for _, _, value in claim.attributes)
            yield from (evidence.quote for evidence in claim.evidence)
