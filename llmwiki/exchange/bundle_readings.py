"""A bundle with documents as readings of these: what its pages quote of a document, that one says.

Nothing in a bundle is believed. A document is copied to raw/ and hashed again, and what the pages
say of it is an answer like that of any reader: it is verified, filed and told by an ingest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from llmwiki.core.agent_files import harmless
from llmwiki.core.claim_attributes import (
    ABOUT,
    CLAIM_ATTRIBUTES,
    CONTRADICTS,
    DISAGREES,
    PARTS,
    UPDATED_BY,
    ClaimTie,
)
from llmwiki.core.errors import PolicyError
from llmwiki.exchange.folder import ForeignFolder, OmittedFile
from llmwiki.exchange.okf import read_concept, with_wikilinks
from llmwiki.exchange.readings import FolderPlan, ForeignReadings, ReadingTerms, open_source
from llmwiki.extraction.schema import (
    DOCUMENT,
    ClaimLink,
    DocumentFacts,
    ExtractedClaim,
    ExtractedQuote,
    ExtractedRelation,
    Extraction,
    SourceEcho,
    Subject,
)
from llmwiki.extraction.types import ReadDocument
from llmwiki.memory.state import WikiState
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.dress import read
from llmwiki.pages.front import PageError
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Claim, Page, heading_title, read_claim
from llmwiki.pages.tombstones import RETRACTED, retraction
from llmwiki.repo.repository import Repository
from llmwiki.sources.paths import is_source
from llmwiki.store.folder import LIST
from llmwiki.store.paths import check_text

_TIES: dict[str, ClaimTie] = {
    "supports": "supports", DISAGREES: "disagrees", CONTRADICTS: "contradicts",
}  # fmt: skip
_MOST_QUOTES = 3


class BundlePage(NamedTuple):
    """A page of a bundle that quotes documents."""

    page: Page
    values: dict[str, object]

    def text(self, key: str) -> str:
        """A word of its frontmatter."""
        found = self.values.get(key)
        return found if isinstance(found, str) else ""

    def words(self, key: str) -> list[str]:
        """A list of its frontmatter."""
        found = self.values.get(key)
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


@dataclass(slots=True)
class _Quoted:
    """What the pages say of one document."""

    claims: list[tuple[BundlePage, str, Claim]] = field(default_factory=list)
    """Page, heading and claim."""
    relations: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Title of the page that tells it, and names of the one, label, and name of the other."""


def read_bundle(
    repo: Repository, state: WikiState, folder: ForeignFolder, plan: FolderPlan, terms: ReadingTerms
) -> tuple[ForeignReadings, FolderPlan]:
    """The readings of the documents of a bundle, and the pages and documents that are left: pages
    that quote none of the documents say what they say themselves."""
    found = ForeignReadings()
    pages = {path: page for path in plan.pages if (page := _page(folder, path)) is not None}
    ledgers = {
        page.page.stem: page for page in pages.values()
        if page.text("type") == "source" and page.text("sha256")
        and page.text("resource").removeprefix("/") in plan.documents
    }  # fmt: skip
    held = filter(None, map(retraction, state.retracted()))
    gone = {sha256 for each in held for sha256 in each.hashes}
    retracted = {page.page.stem for page in pages.values() if page.text("sha256") in gone}
    quoted = {source: _Quoted() for source in ledgers}
    kept = [
        path for path in plan.pages
        if path not in pages or not _sort(pages[path], quoted, retracted, found.left_out)
    ]  # fmt: skip
    updated = [
        (claim.id, led[1]) for page in pages.values() for claim in page.page.claims
        if (value := claim.attribute(UPDATED_BY)) and (led := CLAIM_IN_LINK.search(value))
    ]  # fmt: skip
    documents = set(plan.documents) - {LIST}
    # What came later may update what came before it.
    for source, ledger in sorted(ledgers.items(), key=lambda each: (each[1].text("date"), each[0])):
        place = ledger.text("resource").removeprefix("/")
        documents.discard(place)
        data = folder.files[place]
        other = f"raw/imports/{terms.name}/{place}"
        target = _free_place(repo, state, ledger.text("source"), data) or other
        document = open_source(target, place, data, terms, found)
        if document is not None:
            extraction = _extraction(document.sha256, ledger, quoted[source], updated)
            found.places[place] = target
            found.verified[place] = len(extraction.claims)
            reading = ReadDocument(document, data, extraction, terms.by, embedded=False)
            found.readings.append(reading)
    return found, FolderPlan(tuple(kept), tuple(sorted(documents)))


def _page(folder: ForeignFolder, path: str) -> BundlePage | None:
    try:
        values, body, _ = read_concept(folder.files[path].decode("utf-8"))
    except (UnicodeDecodeError, PageError):
        return None
    return BundlePage(Page.parse(path, with_wikilinks(body)), values)


def _sort(
    page: BundlePage,
    quoted: dict[str, _Quoted],
    retracted: set[str],
    left_out: list[OmittedFile],
) -> bool:
    """Puts the claims and relations of a page to the documents they quote. Whether that is all of
    it: a page that quotes none of them says what it says itself."""
    path, part, lone = page.page.path, "", []
    if RETRACTED in page.words("tags"):
        left_out.append(OmittedFile(path, "retractions stay with the wiki that made them"))
        return True
    # The page of a document that nobody has.
    is_all = bool(page.text("sha256"))
    for node in page.page.body:
        if node.kind == "h":
            part = heading_title(node) if node.key[1] == "3" else ""
        elif node.kind == "rel" and (told := read_relation(node.raw)) is not None:
            ends = page.page.title, stem_of(told.target.partition("#")[0])
            one, other = ends if told.direction == "out" else ends[::-1]
            for source in quoted.keys() & {by.key[1] for by in node.parts if by.kind == "by"}:
                quoted[source].relations.append((page.page.title, one, told.label, other))
        elif node.kind == "c":
            claim = read_claim(node)
            rests = {each.source for each in claim.evidence}
            is_all = is_all or bool(rests & quoted.keys() | rests & retracted)
            if claim.successor is not None:
                lone.append(OmittedFile(path, f"^{claim.id}: it is struck"))
            elif not rests & quoted.keys():
                why = "its source was retracted here" if rests & retracted else "no document has it"
                lone.append(OmittedFile(path, f"^{claim.id}: {why}"))
            else:
                for source in rests & quoted.keys():
                    quoted[source].claims.append((page, part, claim))
    left_out += lone if is_all else []
    return is_all


def _free_place(repo: Repository, state: WikiState, place: str, data: bytes) -> str:
    """The path below raw/ that a document had, where no other file has it here; else empty."""
    try:
        check_text(place)
        place = harmless(place)
        with repo.folders() as folders:
            lying = folders.read(repo.prefix + place) if is_source(place) else b""
    except (PolicyError, OSError, UnicodeError):
        return ""
    held = {lying, repo.read(state.commit, place)}
    return place if held <= {None, data} else ""


# --- one document --------------------------------------------------------------------------------


def _extraction(
    sha256: str, ledger: BundlePage, quoted: _Quoted, updated: Sequence[tuple[str, str]]
) -> Extraction:
    """What the pages say of a document, as an answer to it."""
    source = ledger.page.stem
    local = {claim.id: f"k{n}" for n, (_page, _part, claim) in enumerate(quoted.claims, start=1)}
    pages = {page.page.title: page for page, _part, _claim in quoted.claims if page is not ledger}
    first = {page.page.title: local[claim.id] for page, _, claim in reversed(quoted.claims)}
    return Extraction(
        source=SourceEcho(sha256=sha256),
        document=DocumentFacts(
            title=ledger.text("title") or ledger.page.title,
            summary=read(ledger.page.lead) or ledger.text("description"),
            authors=ledger.words("authors"),
            date=ledger.text("date") or None,
            url=ledger.text("url") or None,
            status=ledger.text("document_status") or ledger.text("status") or None,
        ),
        subjects=[_subject(page) for page in pages.values()],
        claims=[
            _claim(source, DOCUMENT if page is ledger else page.page.title, part, claim, local)
            .model_copy(update={"links": list(_links(claim, local, updated))})
            for page, part, claim in quoted.claims
        ],
        relations=[
            ExtractedRelation(**{"from": one, "to": other}, label=label, claim=first[title])
            for title, one, label, other in quoted.relations
            if title in first
        ],
        end=True,
    )  # fmt: skip


def _subject(page: BundlePage) -> Subject:
    return Subject(
        name=page.page.title,
        kind="entity" if page.text("type") == "entity" else "concept",
        description=page.text("description"),
        lead=read(page.page.lead) or None,
        tags=page.words("tags"),
        aliases=page.words("aliases"),
    )


def _claim(
    source: str, subject: str, part: str, claim: Claim, local: dict[str, str]
) -> ExtractedClaim:
    evidence = [each for each in claim.evidence if each.source == source][:_MOST_QUOTES]
    held = {
        each.field: value for each in CLAIM_ATTRIBUTES
        if each.field and (value := claim.attribute(each.name))
        and (not each.values or value in each.values)
    }  # fmt: skip
    key, value = claim.slot or (None, None)
    given = {
        **held,
        "id": local[claim.id],
        "subject": subject,
        "also": [read(value) for name, _, value in claim.attributes if name == ABOUT],
        "text": claim.text,
        "evidence": [ExtractedQuote(quote=each.quote) for each in evidence],
        "part": next((name for name, title in PARTS.items() if title == part), None),
        "key": key,
        "value": value,
        "asked": "; ".join(dict.fromkeys(a for each in evidence for a in each.asked)) or None,
    }
    return ExtractedClaim.model_validate(given)


def _links(
    claim: Claim, local: dict[str, str], updated: Sequence[tuple[str, str]]
) -> Iterator[ClaimLink]:
    """The ties of a claim, save for what overtook it: that is told by the other one."""
    for name, _, value in claim.attributes:
        if name in _TIES and (led := CLAIM_IN_LINK.search(value)):
            why = read(value.partition("]]")[2]).strip()
            yield ClaimLink(to=local.get(led[1], led[1]), how=_TIES[name], why=why)
    for earlier, later in updated:
        if later == claim.id:
            yield ClaimLink(to=local.get(earlier, earlier), how="updates")
