"""Pages and claims as a judge is shown them: on one line each, bounded, without invisible
characters, in units small enough to be judged at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.text import digest32, normalise, sha256_hex
from llmwiki.index.corpus import CLAIM
from llmwiki.lint.view import PageView
from llmwiki.pages.names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index
    from llmwiki.pages.page import Claim

MAX_TITLE = 200
MAX_DESCRIPTION = 400
MAX_LEAD = 800
MAX_SAYS = 1_000
MAX_QUOTE = 800
MAX_QUOTES = 3_200
"""UTF-8 bytes of what is shown of a page and of a claim; `MAX_QUOTES` of all quotes together."""
MAX_REST = 240
"""Of how the sentence of a quote ends in its source."""
MAX_ATTRIBUTES = 4
MAX_ATTRIBUTE = 150

RestOfSentence = Callable[[str, str], str]
"""(source, quote) to what the source says after it, up to the end of the sentence."""


class ShownQuote(NamedTuple):
    """Words of a source."""

    source: str
    words: str


class ShownClaim(NamedTuple):
    """One standing claim."""

    id: str
    path: str
    title: str
    """Of its page."""
    says: str
    attributes: tuple[tuple[str, str], ...]
    """(name, value); a slot among them."""
    slot: str
    """The name of the slot it fills; empty where it fills none."""
    quotes: tuple[ShownQuote, ...]
    is_cut: bool
    """Whether its text or one of its quotes is not shown whole."""
    mark: str
    """Changes when its text, its attributes or its evidence do."""
    line: int
    """Where it stands."""

    def own_line(self, rest: RestOfSentence | None = None) -> str:
        """As it is shown on its own page: with its quotes, and with how their sentences end in the
        source where `rest` says so."""
        quotes = [{"source": q.source, "words": q.words} for q in self.quotes]
        if rest is not None:
            for shown in quotes:
                if then := _short(rest(shown["source"], shown["words"]), MAX_REST)[0]:
                    shown["then"] = then
        row: dict[str, object] = {"claim": self.id, "says": self.says}
        if self.attributes:
            row["attributes"] = dict(self.attributes)
        row["quotes"] = quotes
        if self.is_cut:
            row["cut"] = True
        return dump(row)

    def beside_line(self) -> str:
        """As it is shown beside the claims of another page."""
        row: dict[str, object] = {"beside": self.id, "page": self.title, "says": self.says}
        if self.attributes:
            row["attributes"] = dict(self.attributes)
        if self.quotes:
            row["source"] = self.quotes[0].source
        return dump(row)


class JudgedPage(NamedTuple):
    """One page with claims that stand."""

    path: str
    title: str
    type: str
    description: str
    lead: str
    links: frozenset[str]
    """Folded file names it links to."""
    blocks: frozenset[str]
    """Ids of the claims it links to."""
    claims: tuple[ShownClaim, ...]

    @property
    def name(self) -> str:
        """The path as it is shown."""
        return shown_path(self.path)

    def head_line(self) -> str:
        """Its attributes."""
        row = {
            "page": self.name,
            "title": self.title,
            "type": self.type,
            "description": self.description,
            "lead": self.lead,
        }
        return dump({key: value for key, value in row.items() if value})


def shown_page(view: PageView) -> JudgedPage | None:
    """The page as it is judged; None where no claim of it stands."""
    standing = [placed for placed in view.claims if placed.claim.successor is None]
    if not standing:
        return None
    title = _short(_word(view, "title") or view.stem, MAX_TITLE)[0]
    return JudgedPage(
        path=view.path,
        title=title,
        type=_short(view.type, MAX_TITLE)[0],
        description=_short(_word(view, "description"), MAX_DESCRIPTION)[0],
        lead=_short(view.page.lead, MAX_LEAD)[0],
        links=frozenset(name_key(link.target.rpartition("/")[2]) for link in view.links),
        blocks=frozenset(link.block for link in view.links if link.block),
        claims=tuple(_shown(placed.claim, view.path, title, placed.line) for placed in standing),
    )


def shown_path(path: str) -> str:
    """A path without invisible characters."""
    return _short(path, MAX_DESCRIPTION)[0]


def dump(row: object) -> str:
    """One value on one line."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _shown(claim: Claim, path: str, title: str, line: int) -> ShownClaim:
    says, is_cut = _short(claim.text, MAX_SAYS)
    quotes: list[ShownQuote] = []
    left = MAX_QUOTES
    for evidence in claim.evidence:
        words, was_cut = _short(evidence.quote, min(MAX_QUOTE, left))
        is_cut = is_cut or was_cut
        if words:
            quotes.append(ShownQuote(_short(evidence.source, MAX_TITLE)[0], words))
            left -= len(words.encode())
    return ShownClaim(
        id=claim.id,
        path=path,
        title=title,
        says=says,
        attributes=tuple(
            (_short(name, MAX_ATTRIBUTE)[0], _short(value, MAX_ATTRIBUTE)[0])
            for name, _sign, value in claim.attributes[:MAX_ATTRIBUTES]
        ),
        slot=_short(claim.slot[0], MAX_ATTRIBUTE)[0] if claim.slot else "",
        quotes=tuple(quotes),
        is_cut=is_cut,
        mark=digest32(tuple(_all_words(claim)), 16),
        line=line,
    )


def _all_words(claim: Claim) -> Iterator[str]:
    yield from (claim.id, normalise(claim.text))
    for name, sign, value in claim.attributes:
        yield normalise(f"{name} {sign} {value}")
    for evidence in claim.evidence:
        yield normalise(f"{evidence.source} {evidence.nth} {evidence.quote}")


def _word(view: PageView, key: str) -> str:
    found = view.values.get(key)
    return found if isinstance(found, str) else ""


def _short(text: str, most: int) -> tuple[str, bool]:
    """`text` in its normal form, at most so many bytes; and whether something was left out."""
    whole = normalise(text)
    data = whole.encode()
    if len(data) <= most:
        return whole, False
    return data[: max(most, 0)].decode("utf-8", "ignore"), True


def size(lines: Sequence[str]) -> int:
    """Bytes of lines, each with its line feed."""
    return sum(len(line.encode()) + 1 for line in lines)


# --- what there is to judge --------------------------------------------------------------------

JUDGEMENT = "llmwiki.judgement/1"
"""Raised when what is judged changes so much that the old judgements do not count."""

UNIT_BYTES = 10_000
UNIT_CLAIMS = 16
"""Of one page that are judged together; a longer page is judged in several units."""


class JudgementUnit(NamedTuple):
    """A page, or a part of a long one: what is judged once and never again while it is the same."""

    key: str
    """A hash of all that is shown of it. What stands beside it does not count: a claim that comes
    in later is laid beside the older ones when its own page is judged."""
    page: JudgedPage
    claims: tuple[ShownClaim, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class UnitSurvey:
    """The pages of a wiki that have standing claims, by path."""

    pages: tuple[JudgedPage, ...]

    @cached_property
    def units(self) -> tuple[JudgementUnit, ...]:
        """All that there is to judge, in the order of the paths."""
        return tuple(unit for page in self.pages for unit in _units(page))

    @cached_property
    def by_path(self) -> dict[str, JudgedPage]:
        """Each page by its path."""
        return {page.path: page for page in self.pages}

    @cached_property
    def by_file(self) -> dict[str, tuple[JudgedPage, ...]]:
        """The pages of a folded file name."""
        found: dict[str, list[JudgedPage]] = {}
        for page in self.pages:
            found.setdefault(name_key(stem_of(page.path)), []).append(page)
        return {key: tuple(pages) for key, pages in found.items()}

    @cached_property
    def by_slot(self) -> dict[str, tuple[ShownClaim, ...]]:
        """The claims that fill a slot of a name."""
        found: dict[str, list[ShownClaim]] = {}
        for page in self.pages:
            for claim in page.claims:
                if claim.slot:
                    found.setdefault(claim.slot, []).append(claim)
        return {name: tuple(claims) for name, claims in found.items()}

    @cached_property
    def by_id(self) -> dict[str, ShownClaim]:
        """Each claim by its id; of two with one id the first."""
        found: dict[str, ShownClaim] = {}
        for page in self.pages:
            for claim in page.claims:
                found.setdefault(claim.id, claim)
        return found

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of all units."""
        return frozenset(unit.key for unit in self.units)


def survey(index: Index) -> UnitSurvey:
    """Reads every page."""
    return _read(index, [doc for doc, length in enumerate(index.lengths) if length])


def survey_of(index: Index, claims: Iterable[str], paths: Iterable[str]) -> UnitSurvey:
    """Reads the pages on which some claims stand, and some more."""
    found = index.paths(CLAIM + each for each in sorted(set(claims)))
    wanted = sorted({*paths, *(path for each in found.values() for path in each)})
    return _read(index, [doc for path in wanted if (doc := index.doc(path)) is not None])


def _read(index: Index, docs: Iterable[int]) -> UnitSurvey:
    cards = sorted(index.cards(docs).values(), key=lambda card: card.path)
    views = (PageView(card.path, index.read(card)) for card in cards)
    return UnitSurvey(tuple(page for view in views if (page := shown_page(view)) is not None))


def _units(page: JudgedPage) -> Iterator[JudgementUnit]:
    head = page.head_line()
    claims: list[ShownClaim] = []
    lines = [head]
    for claim in page.claims:
        line = claim.own_line()
        if claims and (len(claims) == UNIT_CLAIMS or size([*lines, line]) > UNIT_BYTES):
            yield _unit(page, claims, lines)
            claims, lines = [], [head]
        claims.append(claim)
        lines.append(line)
    yield _unit(page, claims, lines)


def _unit(page: JudgedPage, claims: list[ShownClaim], lines: list[str]) -> JudgementUnit:
    key = sha256_hex("\n".join((JUDGEMENT, *lines)).encode())[:16]
    return JudgementUnit(key, page, tuple(claims), tuple(lines))
