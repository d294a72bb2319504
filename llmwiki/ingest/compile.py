"""Verified extraction to the state of pages after it: pure, run under the lock against HEAD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from llmwiki.core.claim_attributes import (
    ABOUT,
    CLAIM_ATTRIBUTES,
    CLAIM_STANCES,
    MOST_ABOUT,
    ClaimAttribute,
    Part,
    Stance,
)
from llmwiki.core.document import Document
from llmwiki.core.language.search_terms import words
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.page_and_note_kinds import is_of_subject
from llmwiki.core.text import cut, digest32, fold, fold_quote, normalise
from llmwiki.ingest import ledger as ledgers
from llmwiki.ingest.claim_matcher import ClaimMatcher, later_values
from llmwiki.ingest.extraction.schema import (
    DOCUMENT,
    MAX_DISPUTES,
    MAX_TITLE,
    ClaimLink,
    DocumentFacts,
    ExtractedClaim,
    ExtractedRelation,
    Subject,
)
from llmwiki.ingest.filing import SubjectFiler, is_name
from llmwiki.ingest.known import KnownSource
from llmwiki.ingest.leads import LeadWriter, backed_subjects
from llmwiki.ingest.page_of_subject import owners
from llmwiki.ingest.page_workspace import ClaimLinker, PageWorkspace, naming
from llmwiki.ingest.reading import SourceReading, VerifiedClaim
from llmwiki.ingest.report import ReadingRemark, ReadingReport, RefusedClaim
from llmwiki.landing.lead_links import deleted_by_hand, without_words
from llmwiki.landing.relocate import GONE, relocate
from llmwiki.landing.state import WikiState
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_head import phrases
from llmwiki.pages.claim_links import verb_phrase
from llmwiki.pages.escape import escape, link_text
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.names import source_id
from llmwiki.pages.page import Claim, Evidence, Page, SourceRef
from llmwiki.pages.tombstones import (
    bury,
    claim_refs,
    enrol,
    is_retracted,
    ledger_path,
    lifted,
    quote_hash,
    taken_whole,
    tombstones,
)
from llmwiki.pages.write_claims import TiedClaim, tie
from llmwiki.sources.document import first_quotable
from llmwiki.sources.document_facts import names_of
from llmwiki.sources.quotes import LocatedQuote, QuoteFinder
from llmwiki.sources.synonyms import Synonyms
from llmwiki.version import is_offline

DELETED = "a person deleted this claim before"
ACCEPTED = word_set("""accepted active adopted agreed approved complete completed final implemented
    merged passed ratified released shipped angenommen beschlossen umgesetzt 承認 承認済み 採択""")
"""Words of a status by which what was proposed is so by now."""
DENIED = word_set("never no not partially pending un yet nicht noch")


@dataclass(slots=True)
class CompiledPages:
    """The pages after the operation, and what is worth telling."""

    pages: dict[str, Page] = field(default_factory=dict)
    told: ReadingReport = field(default_factory=ReadingReport)
    struck: int = 0
    """Claims whose words are gone from the new version of the source."""

    def changes(self, state: WikiState) -> bool:
        """Whether any page is not as the state has it."""
        return state.pages(self.pages) != self.pages


class Compiler:
    """Works one reading into the pages of a state; reads pages on demand, writes none."""

    def __init__(self, state: WikiState, reading: SourceReading, known: KnownSource) -> None:
        self.state = state
        self._reading = reading
        self._known = known
        self._workspace = PageWorkspace(state)
        ledger, path = known.ledger, reading.document.path
        self.source_id = (
            ledger.stem if ledger else source_id(path, lambda key: bool(state.file_named(key)))
        )
        page = state.page(ledger_path(self.source_id)) if ledger else None
        self.deleted = deleted_by_hand(state, page) if page else {}
        """Claims of the ledger that a person took out since: id to hashes of quotes."""
        self.result = CompiledPages(self._workspace.pages)
        self._final: dict[str, str] = {}
        """Local claim id to the id in the wiki."""
        self._standing: dict[str, str] = {}
        """Claim id to path, for claims minted by this operation."""
        self._minted: dict[str, Claim] = {}
        self._parts: dict[str, Part] = {}
        """Minted claim to the part of its page that it belongs to."""
        self._contrary: list[tuple[str, str]] = []
        """Minted claims, each with one that denies it or that it denies."""
        self._offsets: dict[str, int] = {}
        """Minted claim to where in its line its first quote begins."""
        self._matchers: dict[str, ClaimMatcher] = {}
        self._is_told = not reading.without_model
        """Whether somebody wrote the reading who wants to know what became of its parts."""

    # --- the steps -----------------------------------------------------------------------

    def run(self) -> CompiledPages:
        """The pages after the reading, on top of those that the state shows: all steps in order."""
        reading, known = self._reading, self._known
        document = reading.document
        source = SourceRef(self.source_id, "/" + document.path, document.sha256)
        if known.renamed:
            self._rename(source)
        if known.ledger and known.ledger.sha256 != document.sha256:
            self._follow(document)
        self.result.told.refused += reading.refused
        if self._is_told:
            backed = backed_subjects(reading, self._workspace, self.result.told.refused)
            reading = replace(reading, subjects=[*backed])
        names = [subject.name for subject in reading.subjects]
        text = Synonyms(document.lines, first_quotable(document), names)
        self._filing = SubjectFiler(
            self._workspace,
            reading.together,
            reading.without_model,
            reading.by,
            text,
            self.result.told,
        )
        self._filed = self._filing.filed
        ledger = self._open_ledger(reading, source)
        buried = tombstones(ledger)
        self._dead_ids = buried.keys()
        self._dead_quotes = {quote for quotes in buried.values() for quote in quotes}
        self._date = ledger.value("date")
        self._stance = _stance_of(reading.facts)
        self._file(reading)
        self._lines = document.lines
        self._finder = QuoteFinder(document)
        told = {*self._filed.names.values()}
        self._linker = ClaimLinker(self._workspace, self._filing.names, told)
        for verified in reading.claims:
            self._place(verified)
        self._shelve()
        if reading.without_model:
            self._strike_told_again()
        self._take_back_empty(reading)
        self._link_claims(reading)
        self._link_contrary()
        self._relate(reading)
        self._cite(source)
        self._update_values()
        self._also(reading)
        leads = LeadWriter(
            self._workspace,
            self._filed,
            self._linker,
            reading.by,
            reading.without_model,
            lambda what, became: self._remark("", what, became),
        )
        to_renew = leads.write(reading.subjects, self._standing.values())
        if self._is_told:
            self.result.told.to_renew += to_renew
        self._close_ledger(reading)
        own = ledger_path(self.source_id)
        new = {own} if self.state.page(own) is None else set()
        for page in self._linker.born(self._filed.fresh | new, self._minted):
            self._workspace.put(page)
        self._remark_names({fold(name): name for name in names})
        if self.deleted:
            after = without_words(self.state, self.result.pages, self.deleted.keys())
            self.result.pages.update((path, page) for path, page in after.items() if page)
        return self.result

    def _follow(self, document: Document) -> None:
        """Follows the evidence of this source into its new text; see `relocate`."""
        cited = (*self.state.citing(self.source_id), ledger_path(self.source_id))
        pages = {path: self._workspace.page(path) for path in cited}
        relocation = relocate(pages, self.source_id, document)
        self._workspace.pages.update(relocation.pages)
        self.result.struck += relocation.struck

    def _rename(self, source: SourceRef) -> None:
        """Brings the source's new path into every page that names it."""
        for path in self.state.citing(self.source_id):
            page = self._workspace.page(path)
            self._workspace.pages[path] = self._footnote(page, source)

    # --- what becomes of the reading -----------------------------------------------------

    def _lose(self, verified: VerifiedClaim, what: str, reason: str) -> None:
        """Says that a part of a claim is not kept."""
        if self._is_told:
            self.result.told.refused.append(
                RefusedClaim(verified.text, what, reason, local_id(verified.claim.id))
            )

    def _remark(self, claim_id: str, what: str, became: str) -> None:
        """Says that something is kept in another way than it was given."""
        if self._is_told:
            self.result.told.remarks.append(ReadingRemark(local_id(claim_id), what, became))

    def _remark_names(self, given: Mapping[str, str]) -> None:
        """Remarks on subjects that got a page which is not theirs; `given` are their names, by
        their folded ones."""
        for name, meant in self._filed.disagreed:
            path = self._filed.path(name)
            filed = f"filed under {self._workspace.page(path).title}" if path else "has no page"
            self._remark("", f"same_as {meant} of {name}", f"no name agrees; {filed}")
        own = ledger_path(self.source_id)
        for name in sorted(n for n, path in self._filed.names.items() if path == own):
            if name != fold(DOCUMENT):
                became = f"is this document itself, whose subject is `{DOCUMENT}` and page {own}"
                self._remark("", f"subject {given[name]}", became)

    # --- ledger --------------------------------------------------------------------------

    def _open_ledger(self, reading: SourceReading, source: SourceRef) -> Page:
        path = ledger_path(self.source_id)
        present = self._workspace.find(path)
        text_path = reading.document.text_path or ""
        if present is None:
            page = ledgers.new_ledger(self.source_id, reading.facts, source, text_path, reading.by)
        else:
            was_retracted, present = is_retracted(present), lifted(present)
            if reading.origin is None:
                present = ledgers.note_edited(present, source.sha256)
            facts, by = reading.facts, present.marks.by
            is_worse = reading.without_model and by and not (was_retracted or is_offline(by))
            if is_worse and not self.result.struck:
                # What a model or an agent wrote at its head stays while it is so.
                facts = facts.model_copy(update={"summary": ""})
            page = ledgers.update_ledger(present, facts, source, text_path, reading.by)
        if reading.origin is not None:
            page = ledgers.note_origin(page, reading.origin)
        lines = reading.document.lines[first_quotable(reading.document) - 1 :]
        names = [
            n for n in names_of(page.title, lines) if set(owners(n, self.state.names)) <= {path}
        ]
        page = write.add_words(page, "aliases", names)
        page = self._workspace.pages[path] = bury(page, self.deleted)
        return page

    def _close_ledger(self, reading: SourceReading) -> None:
        """What the reading contributed, into the ledger."""
        path = ledger_path(self.source_id)
        page = self._workspace.pages[path]
        linked = [self._final.get(verified.claim.id) for verified in reading.claims]
        # Those it had as well: a page may have another name since.
        record = {claim_id for claim_id in (*claim_refs(page), *linked) if claim_id}
        homes = {where for claim_id in sorted(record) if (where := self._where(claim_id))}
        for home in sorted(homes):
            held = page if home == path else self._workspace.page(home)
            resting = (claim for claim in held.claims if claim.id in record)
            page = enrol(page, filter(self._is_quoted, resting))
        page = page if tombstones(page) else taken_whole(page)
        for subject in sorted(reading.subjects, key=lambda s: fold(s.name)):
            page = self._note_subject(page, subject)
        for relation in reading.relations:
            ends = (self._shown(relation.source), self._shown(relation.target))
            told = self._page_of(relation.source) and self._page_of(relation.target)
            if relation.claim in self._final and not told and ends[0] != ends[1]:
                page = ledgers.add_relation(page, ends[0], verb_phrase(relation.label), ends[1])
        for question in reading.questions:
            if normalise(question.text):
                page = ledgers.add_question(page, question.text)
        self._workspace.pages[path] = page

    def _is_quoted(self, claim: Claim) -> bool:
        """Whether the source has the first quote that it is said to give for a claim: another one
        is a person's wording, and the record keeps what it has."""
        own = next((each for each in claim.evidence if each.source == self.source_id), None)
        return own is not None and self._finder.find_nth(own.quote) is not None

    def _note_subject(self, ledger: Page, subject: Subject) -> Page:
        """A subject without a page as a mention; of one with a page the aliases it brought."""
        target = self._filed.path(subject.name)
        if target is None:
            name = normalise(subject.name)[:MAX_TITLE]
            described = normalise(subject.description)
            return ledgers.add_mention(ledger, name, described) if is_name(name) else ledger
        page = self._workspace.page(target)
        aliases = self._filed.aliases.get(fold(subject.name), ())
        for alias in aliases if target != ledger.path else ():
            ledger = ledgers.add_alias(ledger, page.stem, alias)
        return ledger

    def _shown(self, name: str) -> str:
        path = self._page_of(name)
        if path == ledger_path(self.source_id):
            return escape(self._workspace.page(path).title)
        return write.wikilink(self._workspace.page(path).stem) if path else escape(name) or "?"

    # --- subjects ------------------------------------------------------------------------

    def _file(self, reading: SourceReading) -> None:
        """A page for each subject that owns a claim; the others are looked for."""
        listed = self._listed(reading)
        given = {fold(subject.name) for subject in reading.subjects}
        told = {fold(DOCUMENT), *given}
        for verified in reading.claims:
            name = verified.claim.subject
            if fold(name) not in told and is_name(name):
                told.add(fold(name))
                held = self._named(name)
                became = "not listed: a concept, described by this claim"
                became = f"not listed: filed under {held}" if held else became
                self._remark(verified.claim.id, f"subject {name}", became)
        self._file_document(reading)
        self._filing.add_document(self._workspace.page(ledger_path(self.source_id)))
        owned = (v.claim.subject for v in reading.claims if not self._is_buried(v))
        claimed = {fold(name) for name in owned} & listed.keys()
        self._filing.own_all(listed.values(), {name for name in claimed if is_name(name)})
        for subject in listed.values():
            self._filing.mention(subject)

    def _listed(self, reading: SourceReading) -> dict[str, Subject]:
        """Folded name to subject; one that a claim names and nobody lists is what the page of its
        name is, else a concept."""
        listed: dict[str, Subject] = {}
        for subject in reading.subjects:
            if subject.name != DOCUMENT:
                listed.setdefault(fold(subject.name), subject)
        for verified in reading.claims:
            name = verified.claim.subject
            if fold(name) not in listed and name != DOCUMENT:
                held = self._named(name)
                is_entity = bool(held) and self._workspace.type_of(held) == "entity"
                listed[fold(name)] = Subject(
                    name=name, kind="entity" if is_entity else "concept", description=verified.text
                )
        return listed

    def _named(self, name: str) -> str:
        """The one page of a subject that has the name; empty where there is none, or several."""
        held = [p for p in self.state.names.by_title(name) if is_of_subject(p)]
        return held[0] if len(held) == 1 else ""

    def _file_document(self, reading: SourceReading) -> None:
        """The document as a subject: the entity or concept of its title, else its own page."""
        path = ledger_path(self.source_id)
        titles = (self._workspace.page(path).title, reading.facts.title)
        named = {p for t in titles for p in owners(t, self.state.names) if is_of_subject(p)}
        home = named.pop() if len(named) == 1 else path
        self._filed.names[fold(DOCUMENT)] = home

    # --- claims --------------------------------------------------------------------------

    def _place(self, verified: VerifiedClaim) -> None:
        claim = verified.claim
        path = self._filed.path(claim.subject)
        if path is None or self._is_buried(verified):
            reason = DELETED if self._is_buried(verified) else "the claim has no subject"
            quote, name = verified.evidence[0].quote, local_id(claim.id)
            self.result.told.refused.append(RefusedClaim(verified.text, quote, reason, name))
            return
        if bool(normalise(claim.key or "")) != bool(normalise(claim.value or "")):
            has = "key" if claim.key else "value"
            lacks = "value" if claim.key else "key"
            self._lose(verified, f"{has} {claim.key or claim.value}", f"a {has} without a {lacks}")
        new = self._as_read(verified)
        claim_id = self._mint(verified)
        standing = self._where(claim_id)
        target = claim_id if standing else self._matcher(path).joins(verified, new)
        first, *others = map(self._evidence, verified.evidence)
        evidence = (replace(first, asked=self._asked(verified)), *others)
        for found in verified.repeats:
            said = f"quote “{cut(found.quote, 60)}” of L{found.first}"
            self._remark(claim.id, said, "the claim has a quote of the same words already")
        if target:
            held = self._held(target) if standing else None
            if held is None or held.is_denied == new.is_denied:
                self._support(target, evidence)
            if held is not None and not _reads_as(held, new):
                said = f"how “{cut(verified.text, 60)}” is meant"
                kept = f"^{target} stands as it was: who says so, when, or that it is denied"
                self._remark(claim.id, said, kept)
            self._final[claim.id] = target
            return
        new = replace(new, id=claim_id, evidence=evidence)
        if other := self._matcher(path).contrary(new):
            self._contrary.append((claim_id, other))
        self._minted[claim_id] = new
        if claim.part:
            self._parts[claim_id] = claim.part
        self._offsets[claim_id] = self._offset(verified.evidence[0])
        self._standing[claim_id] = path
        self._matcher(path).add(new)
        self._final[claim.id] = claim_id

    def _as_read(self, verified: VerifiedClaim) -> Claim:
        """The claim with what it means, and no evidence yet."""
        return Claim("", verified.text, attributes=_attributes(verified, self._date, self._stance))

    def _held(self, claim_id: str) -> Claim | None:
        """The claim of that id, as it is now."""
        where = self.state.claim_page(claim_id)
        minted = self._minted.get(claim_id)
        return minted or (self._workspace.page(where).claim(claim_id) if where else None)

    def _is_buried(self, verified: VerifiedClaim) -> bool:
        """Whether a person deleted this claim, or another one that said the same quote."""
        if not self._dead_ids:
            return False
        claim_id = self._mint(verified)
        if claim_id in self._dead_ids or self._where(claim_id):
            return claim_id in self._dead_ids
        quotes = [found.quote for found in verified.evidence]
        if not self._is_told:
            # A reader without a model tells a quote again that has grown since it was deleted.
            quotes += [part for quote in quotes for part in _beginnings_and_ends(quote)]
        return any(quote_hash(quote) in self._dead_quotes for quote in quotes)

    def _support(self, claim_id: str, evidence: Sequence[Evidence]) -> None:
        """More evidence for a claim, whether it stands in the wiki or was minted just now."""
        minted = self._minted.get(claim_id)
        if minted is not None:
            held = {e.identity: e for e in minted.evidence}
            for piece in evidence:
                had = held.setdefault(piece.identity, piece)
                both = phrases("; ".join((*had.asked, *piece.asked)))
                held[piece.identity] = replace(had, asked=both)
            self._minted[claim_id] = replace(minted, evidence=tuple(held.values()))
            return
        path = self._where(claim_id)
        if path is not None:
            page = self._stands_again(self._workspace.page(path), claim_id)
            for piece in evidence:
                page = write_claims.add_evidence(page, claim_id, piece)
            self._workspace.pages[path] = page

    def _stands_again(self, page: Page, claim_id: str) -> Page:
        """The page with a claim whose words were gone standing again, without the lost ones; and
        with one that was struck for a longer one whose words are gone."""
        claim = page.claim(claim_id)
        if claim is None or claim.successor is None:
            return page
        last, seen = claim, {claim_id}
        while not self._is_told and (led := CLAIM_IN_LINK.search(last.successor or "")):
            longer = self._held(led[1])
            if longer is None or longer.id in seen:
                break
            last = longer
            seen.add(last.id)
        if not (last.successor or "").startswith(GONE):
            return page
        for lost in claim.evidence:
            page = write_claims.drop_evidence(page, claim_id, lost)
        return write_claims.restore(page, claim_id)

    def _shelve(self) -> None:
        """Puts the claims minted by this operation onto their pages."""
        by_page: dict[str, list[Claim]] = {}
        for claim_id, claim in self._minted.items():
            by_page.setdefault(self._standing[claim_id], []).append(claim)
        for path, claims in by_page.items():
            claims.sort(key=lambda claim: self._offsets[claim.id])
            page = write_claims.add_claims(
                self._workspace.page(path), claims, self._located, self._parts
            )
            self._workspace.pages[path] = self._linker.claims(page, {c.id for c in claims})

    def _strike_told_again(self) -> None:
        """Strikes earlier claims of this source alone that are its words and no more, for a new
        claim that holds those words in a longer quote."""
        told = set(self._final.values())
        for path in sorted(set(self._standing.values())):
            new = [self._minted[c] for c, home in self._standing.items() if home == path]
            longer_quotes = [_spaced_quotes(claim) for claim in new]
            for held in self._workspace.page(path).claims:
                if held.id in told or held.successor is not None:
                    continue
                if {piece.source for piece in held.evidence} != {self.source_id}:
                    continue
                own = _spaced_quotes(held)
                pairs = zip(new, longer_quotes, strict=True)
                holding = (one for one, longer in pairs if _holds_all(longer, own))
                longer = next((one for one in holding if _adds_only_words(one, held)), None)
                if longer is not None:
                    self._link(longer.id, held.id, ClaimLink(to=held.id, how="supersedes", why=""))

    def _take_back_empty(self, reading: SourceReading) -> None:
        """Takes back pages made for subjects whose claims all stand on another page already."""
        homes: dict[str, str] = {}
        for verified in reading.claims:
            made = self._filed.path(verified.claim.subject)
            where = self._where(self._final.get(verified.claim.id, ""))
            if made in self._filed.fresh and where and where != made:
                homes.setdefault(made, where)
        for made, home in sorted(homes.items()):
            if not self._workspace.page(made).claims:
                del self._workspace.pages[made]
                self._filed.fresh.discard(made)
                for name in [n for n, path in self._filed.names.items() if path == made]:
                    self._filed.names[name] = home
                    self._filed.aliases.pop(name, None)

    def _mint(self, verified: VerifiedClaim) -> str:
        """The claim's id; longer than usual where another claim has the usual one, or one that
        means something else. One that an earlier reading of this source brought keeps its id,
        though it be meant otherwise by now."""
        parts = (self.source_id, fold(verified.evidence[0].quote), fold(verified.text))
        new, kept = self._as_read(verified), ""
        for length in range(10, 51):
            claim_id = "c-" + digest32(parts, length)
            held = self._held(claim_id)
            if held is None:
                return kept or claim_id
            is_own = any(e.source == self.source_id for e in held.evidence)
            if is_own or fold(held.text) == fold(verified.text):
                if _reads_as(held, new):
                    return claim_id
                is_free = claim_id not in self._minted and claim_id not in self._final.values()
                if (
                    is_own
                    and is_free
                    and (held.successor is None or held.is_denied == new.is_denied)
                ):
                    kept = kept or claim_id
        return kept or claim_id

    def _matcher(self, path: str) -> ClaimMatcher:
        matcher = self._matchers.get(path)
        if matcher is None:
            matcher = self._matchers[path] = ClaimMatcher(
                self.source_id,
                self._workspace.page(path).claims,
                self._located,
                repeats=self._is_told,
            )
        return matcher

    def _evidence(self, found: LocatedQuote) -> Evidence:
        return Evidence(
            self.source_id, found.quote, found.nth,
            first=found.first, last=found.last, place=found.place,
        )  # fmt: skip

    def _located(self, evidence: Evidence) -> Evidence:
        """Evidence of this source with its lines; of another as it is."""
        return self._finder.located(evidence) if evidence.source == self.source_id else evidence

    def _asked(self, verified: VerifiedClaim) -> tuple[str, ...]:
        """The words to ask for a claim by, where they are more than its own."""
        given = normalise(verified.claim.asked or "")
        found = phrases(given)
        if set(words(" ".join(found))) - set(words(verified.text)):
            return found
        if given:
            became = "left out, for it has no words beside the claim's own"
            self._remark(verified.claim.id, f"asked “{cut(given, 60)}”", became)
        return ()

    def _offset(self, found: LocatedQuote) -> int:
        """Where in its first line a quote begins, folded."""
        line = fold_quote(self._lines[found.first - 1])
        return line.find(fold_quote(found.quote)[:40])

    def _where(self, claim_id: str) -> str | None:
        return self._standing.get(claim_id) or self.state.claim_page(claim_id)

    def _also(self, reading: SourceReading) -> None:
        """Notes on a claim which other pages it is about, whether they are there yet or not."""
        for verified in reading.claims:
            claim_id = self._final.get(verified.claim.id)
            where = self._where(claim_id) if claim_id else None
            if not claim_id or where is None:
                continue
            for name in verified.claim.also:
                path = self._page_of(name)
                if path == where or (path is None and not is_name(name)):
                    continue
                stem = self._workspace.page(path).stem if path else normalise(name)[:MAX_TITLE]
                if path is None:
                    became = "no such page yet: its links lead there once there is one"
                    self._remark(verified.claim.id, f"also {name}", became)
                self._about(verified, where, claim_id, link_text(stem))

    def _about(self, verified: VerifiedClaim, where: str, claim_id: str, stem: str) -> None:
        page = self._workspace.page(where)
        claim = page.claim(claim_id)
        told = [value for name, _, value in claim.attributes if name == ABOUT] if claim else []
        if len(told) >= MOST_ABOUT:
            full = f"a claim is about at most {MOST_ABOUT} pages besides its own"
            self._lose(verified, f"also {stem}", full)
        elif stem:
            link = write.wikilink(stem)
            self._workspace.pages[where] = write_claims.add_attribute(
                page, claim_id, ABOUT, ":", link
            )

    def _page_of(self, name: str) -> str | None:
        """The page of a subject, or the only one of a name that the reading does not list."""
        titled = self._filing.names.by_title(name)
        return self._filed.path(name) or (titled[0] if len(titled) == 1 else None)

    # --- links between claims and pages --------------------------------------------------

    def _link_claims(self, reading: SourceReading) -> None:
        disputes = 0
        for verified in reading.claims:
            mine = self._final.get(verified.claim.id)
            if mine is None:
                continue
            for link in verified.claim.links:
                other = self._final.get(link.to) or link.to.lstrip("^")
                if other == mine or not self._where(other):
                    here = "itself, for both are one claim" if other == mine else "no claim"
                    self._lose(verified, f"^{link.to}", f"its link ({link.how}) leads to {here}")
                    continue
                if link.how in ("supersedes", "contradicts") and other not in self._minted:
                    disputes += 1
                    if disputes > MAX_DISPUTES:
                        reason = f"one source strikes or disputes at most {MAX_DISPUTES} claims"
                        lost = RefusedClaim(
                            verified.text, f"^{other}", reason, local_id(verified.claim.id)
                        )
                        self.result.told.refused.append(lost)
                        continue
                self._link(mine, other, link)

    def _link_contrary(self) -> None:
        """Ties claims of which one denies what the other says."""
        for mine, other in self._contrary:
            self._link(mine, other, ClaimLink(to=other, how="contradicts", why=""))

    def _update_values(self) -> None:
        """Ties values of one slot that are of unlike times: the later one updates the earlier."""
        for path in sorted(set(self._standing.values())):
            new = {c for c in self._minted if self._standing[c] == path}
            for later, earlier in later_values(self._workspace.page(path), new):
                self._link(later, earlier, ClaimLink(to=earlier, how="updates", why=""))

    def _link(self, mine: str, other: str, link: ClaimLink) -> None:
        my_path, other_path = self._where(mine), self._where(other)
        if my_path is None or other_path is None:
            return
        held = {path: self._workspace.page(path) for path in (my_path, other_path)}
        pages = dict(held)
        tie(pages, TiedClaim(my_path, mine), TiedClaim(other_path, other), link.how, link.why)
        changed = {path: page for path, page in pages.items() if page is not held[path]}
        self._workspace.pages.update(changed)

    def _relate(self, reading: SourceReading) -> None:
        for relation in reading.relations:
            said = f"{relation.source} {relation.label} {relation.target}"
            if relation.claim not in self._final:
                self._lose_relation(relation, said, "the relation's claim is not in the wiki")
                continue
            source, target = self._page_of(relation.source), self._page_of(relation.target)
            label = verb_phrase(relation.label)
            if source and target and source != target:
                stem = self._workspace.page(target).stem
                self._workspace.pages[source] = write.add_relation(
                    self._workspace.page(source), stem, label, self.source_id
                )
            elif source and target:
                self._lose_relation(relation, said, "both ends of the relation are one page")
            else:
                lacks = relation.target if source else relation.source
                became = f"on the source's page alone, for {lacks} has no page"
                self._remark(relation.claim, f"relation {said}", became)

    def _lose_relation(self, relation: ExtractedRelation, said: str, reason: str) -> None:
        if self._is_told:
            lost = RefusedClaim(said, "", reason, local_id(relation.claim))
            self.result.told.refused.append(lost)

    def _cite(self, source: SourceRef) -> None:
        """The footnote on every page that cites this source."""
        for path, page in sorted(self._workspace.pages.items()):
            if self.source_id in page.cited():
                with naming(path):
                    self._workspace.pages[path] = self._footnote(page, source)

    def _footnote(self, page: Page, source: SourceRef) -> Page:
        ledger = self._workspace.page(ledger_path(self.source_id))
        date = ledger.value("date")
        return write.add_footnote(page, source.id, ledger.title, source.resource, date)


def _attributes(
    verified: VerifiedClaim, default_date: str, stance: Stance | None
) -> tuple[tuple[str, str, str], ...]:
    """`default_date` and `stance` are the document's."""
    claim = verified.claim
    if claim.stance is None:
        claim = claim.model_copy(update={"stance": stance})
    given = {each.name: _given(claim, each) for each in CLAIM_ATTRIBUTES if each.field}
    if given["as of"] == default_date:
        given["as of"] = ""
    pairs = [(name, ":", text) for name, text in given.items()]
    key, value = normalise(claim.key or ""), normalise(claim.value or "")
    if key and value:
        pairs.append((key, "=", value))
    return tuple((name, op, text) for name, op, text in pairs if text)


def _reads_as(held: Claim, new: Claim) -> bool:
    """Whether a claim is meant as the new one, whatever its wording is by now."""
    return held.meaning[1:] == new.meaning[1:]


def _spaced_quotes(claim: Claim) -> list[str]:
    """Folded quotes with blanks around them and behind the sentences of writing without blanks:
    one of them that is found in another one is found as whole words."""
    folded = (fold_quote(piece.quote).replace("。", "。 ") for piece in claim.evidence)
    return [f" {normalise(quote)} " for quote in folded]


def _holds_all(longer: Sequence[str], quotes: Sequence[str]) -> bool:
    return all(any(quote in each for each in longer) for quote in quotes)


def _adds_only_words(new: Claim, held: Claim) -> bool:
    """Whether a claim is no more than the words of its quotes, and means what one of more words
    does."""
    quoted = " ".join(piece.quote for piece in held.evidence)
    return (
        set(words(held.text)) <= set(words(quoted))
        and set(words(held.text)) < set(words(new.text))
        and _reads_as(held, new)
        and held.slot == new.slot
    )


def _beginnings_and_ends(quote: str) -> Iterator[str]:
    """What a quote begins and ends with, cut between words, and sentences of writing without
    blanks."""
    for at in range(1, len(quote)):
        if quote[at].isspace() or quote[at - 1] == "。":
            yield quote[:at]
            yield quote[at:]


def _given(claim: ExtractedClaim, attribute: ClaimAttribute) -> str:
    text = normalise(getattr(claim, attribute.field) or "")
    return text if not attribute.values or text in attribute.values else ""


def _stance_of(facts: DocumentFacts) -> Stance | None:
    """The stance of claims that give none; what a proposal that was accepted says is so."""
    status = set(words(facts.status or ""))
    stance = CLAIM_STANCES.get(facts.stance) if facts.stance else None
    return None if stance == "proposed" and status & ACCEPTED and not status & DENIED else stance


def local_id(ident: str) -> str:
    """The id of a claim as its reading has it, without what told two of one id apart."""
    return ident.rstrip("\0")
