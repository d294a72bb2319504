"""What a second reading is asked, in parts that one call answers, and the shape of an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from llmwiki.core.page_kinds import MEMORY
from llmwiki.core.secrets import redacted
from llmwiki.core.text import fence, normalise, sha256_hex
from llmwiki.pages.page import Claim, Page
from llmwiki.query.retrieval.inline import plain

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


class AskedPage(NamedTuple):
    """What of a page an answer may name."""

    path: str
    claims: tuple[str, ...]
    """Ids of the claims that are shown."""


class TidyPart(NamedTuple):
    """What one answer is about."""

    questions: tuple[TidyQuestion, ...]
    pages: tuple[AskedPage, ...]
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
        if waiting and _size({**held, **whole}, [*waiting, question]) > PART_CHARACTERS:
            yield _part(held, waiting)
            held, waiting = {}, []
        if _size(whole, [question]) <= PART_CHARACTERS:
            held.update(whole)
            waiting.append(question)
    if waiting:
        yield _part(held, waiting)


def _part(pages: dict[str, Page], questions: Sequence[TidyQuestion]) -> TidyPart:
    shown = tuple(
        AskedPage(path, tuple(claim.id for claim in _told(pages[path], questions)))
        for path in sorted(pages)
    )
    return TidyPart(tuple(questions), shown, _text(pages, questions))


def _size(pages: dict[str, Page], questions: Sequence[TidyQuestion]) -> int:
    return len(_text(pages, questions))


def _text(pages: dict[str, Page], questions: Sequence[TidyQuestion]) -> str:
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
