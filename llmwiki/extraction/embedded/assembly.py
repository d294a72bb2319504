"""The extraction as a value: the parts read, put into the schema every extractor fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.core.text import fold, normalise
from llmwiki.extraction import schema
from llmwiki.extraction.embedded.candidates import SubjectCandidate, SubjectCandidates, title_of
from llmwiki.extraction.embedded.facts import DocumentMetadata, frontmatter, read_facts
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.markdown import Outline, outline
from llmwiki.extraction.embedded.mentions import NameMatcher
from llmwiki.extraction.embedded.names import fold_name, kind_of, strip_numbering
from llmwiki.extraction.embedded.running_text import SourceLines
from llmwiki.extraction.embedded.selection import SelectedStatement, choose
from llmwiki.extraction.embedded.source_lines import form_of
from llmwiki.extraction.embedded.statements import StatementEvidence, statements
from llmwiki.extraction.embedded.subjects import gather
from llmwiki.extraction.embedded.summary import describe, summarise
from llmwiki.extraction.embedded.tables import Rows, TableCoverage
from llmwiki.extraction.embedded.vocabulary import (
    CONTENTS_SECTIONS,
    QUESTION_SECTIONS,
    SKIPPED_SECTIONS,
)

if TYPE_CHECKING:
    from llmwiki.core.document import Document

MOST_QUESTIONS = 20
SOURCES = "raw/"
"""What the names begin with that stand for a source; no text means such a page by chance."""


def assemble(document: Document, known: Sequence[str], first: int, last: int) -> schema.Extraction:
    """The extraction of one segment without a model; raises nothing."""
    lines = document.lines
    last = max(0, min(last, len(lines)))
    first = max(1, first)
    start = max(first, frontmatter(lines)[1] if first == 1 else first)
    plain = document.media_type == "text/plain"
    form = form_of(document, start, last)
    read = outline(form.lines, start, last, plain=plain, ends=form.ends)
    facts = read_facts(document.path, form, read, first)
    skipped, asking = _special_sections(read)
    found = [
        replace(one, spoken=bool(form.speaker_at(one.evidence[0].first)[0]))
        for one in statements(read, skipped | asking, facts.lines)
    ]
    known = [title for title in known if not title.startswith(SOURCES)]
    source = "" if facts.named else normalise(document.path)
    candidates, main = gather(facts.title, source, read, found, known)
    folded = _Folded(lines)
    found = [one for one in found if normalise(one.text)]
    chosen = choose(read, found, candidates, main, folded.holds)
    rows = Rows(form, lines, read, candidates, main, known, folded.holds)
    chosen = sorted([*chosen, *rows.choose(chosen)], key=_place)
    claims = _claims(chosen, candidates, form)
    itself = _document(facts, read, chosen, rows.told)
    said = "\n".join(one.own for one in found)
    subjects = _subjects(chosen, claims, said, itself.summary if rows.told else "")
    return schema.Extraction(
        source=schema.SourceEcho(
            sha256=document.sha256, segment=[1, 1], lines=[first, max(first, last)]
        ),
        document=itself,
        subjects=[one for one in subjects if one.name != source],
        claims=[_about_itself(claim, source) for claim in claims],
        questions=_questions(read, asking, chosen),
        end=True,
    )


def _about_itself(claim: schema.ExtractedClaim, source: str) -> schema.ExtractedClaim:
    """The claim, with the document for a subject where that is all it is known to be about."""
    if claim.subject != source:
        return claim
    return claim.model_copy(update={"subject": schema.DOCUMENT})


def _special_sections(read: Outline) -> tuple[frozenset[int], frozenset[int]]:
    """Sections of pointers, which say nothing, and sections of questions."""
    skipped: set[int] = set()
    contents: set[int] = set()
    asking: set[int] = set()
    for index, section in enumerate(read.sections):
        title = strip_numbering(strip_markup(section.title)).casefold().strip(" :：.")
        if title in SKIPPED_SECTIONS or section.parent in skipped - contents:
            skipped.add(index)
            # A whole manual may stand below its table of contents.
            contents |= {index} if title in CONTENTS_SECTIONS else set()
        elif title in QUESTION_SECTIONS or section.parent in asking:
            asking.add(index)
    return frozenset(skipped), frozenset(asking)


class _Folded:
    """Folded runs of lines, each folded once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.runs: dict[tuple[int, int], str] = {}

    def holds(self, evidence: StatementEvidence) -> bool:
        run = (evidence.first, evidence.last)
        if run not in self.runs:
            self.runs[run] = fold("\n".join(self.lines[run[0] - 1 : run[1]]))
        quote = fold(evidence.quote)
        return bool(quote) and quote in self.runs[run]


def _place(one: SelectedStatement) -> tuple[int, int]:
    """Where the claim stands in the document."""
    return one.statement.evidence[0].first, one.statement.order


def _document(
    facts: DocumentMetadata,
    read: Outline,
    chosen: Sequence[SelectedStatement],
    told: Sequence[TableCoverage],
) -> schema.DocumentFacts:
    return schema.DocumentFacts(
        title=facts.title,
        summary=summarise(read, facts, chosen, told) or facts.title,
        authors=list(facts.authors),
        date=facts.date,
        url=facts.url,
        status=facts.status,
    )


def _subjects(
    chosen: Sequence[SelectedStatement],
    claims: Sequence[schema.ExtractedClaim],
    running: str,
    summary: str,
) -> list[schema.Subject]:
    """The owners of claims, in the order of their first claim, then known pages only mentioned.

    What owns rows about other things only is described by the summary: no row says what it is.

    The latter get no lead: what the document says in passing is not what they are.
    """
    owned: dict[str, list[SelectedStatement]] = {}
    for one in chosen:
        owned.setdefault(one.owner.key, []).append(one)
    subjects: list[schema.Subject] = []
    for own in owned.values():
        owner = own[0].owner
        name = title_of(owner)
        of_others = all(one.statement.kind == "row" and not one.direct for one in own)
        description = summary if summary and of_others else describe(own)
        subjects.append(
            schema.Subject(
                name=name,
                kind=owner.kind or kind_of(name, description, _lower(name, running)),
                description=description,
                lead=description,
                aliases=_aliases(owner, name),
            )
        )
    said = dict.fromkeys(name for claim in claims for name in claim.also)
    for name in [one for one in said if one not in {subject.name for subject in subjects}]:
        text = next(claim.text for claim in claims if name in claim.also)
        kind = kind_of(name, "", _lower(name, running))
        subjects.append(schema.Subject(name=name, kind=kind, description=text))
    return subjects


def _lower(name: str, running: str) -> bool:
    """Whether running text writes the name in lower case."""
    folded = name.casefold()
    return folded != name and not name.isupper() and f" {folded}" in running


def _aliases(owner: SubjectCandidate, name: str) -> list[str]:
    key = fold_name(name)
    aliases = {*owner.aliases, *([owner.name] if owner.known else [])}
    return sorted(alias for alias in aliases if fold_name(alias) != key)


def _claims(
    chosen: Sequence[SelectedStatement], candidates: SubjectCandidates, form: SourceLines
) -> list[schema.ExtractedClaim]:
    pages = {one.owner.key for one in chosen}
    keys = {
        key: candidate
        for key, candidate in candidates.by_key.items()
        if candidate.key in pages or candidate.known
    }
    names = NameMatcher(keys)
    claims: list[schema.ExtractedClaim] = []
    for number, one in enumerate(chosen, start=1):
        also = dict.fromkeys(
            title_of(keys[key])
            for key in names.mentioned(one.statement.own)
            if keys[key] is not one.owner
        )
        said = one.statement
        speaker, when = form.speaker_at(said.evidence[0].first)
        key, value = said.slot or (None, None)
        claims.append(
            schema.ExtractedClaim(
                id=f"k{number}",
                subject=title_of(one.owner),
                also=list(also),
                text=said.text,
                evidence=[
                    schema.ExtractedQuote(quote=part.quote, lines=[part.first, part.last])
                    for part in said.evidence
                ],
                speaker=speaker or None,
                as_of=said.as_of or when or None,
                scope=said.scope or None,
                key=key,
                value=value,
            )
        )
    return claims


def _questions(
    read: Outline, asking: frozenset[int], chosen: Sequence[SelectedStatement]
) -> list[schema.Question]:
    about = title_of(chosen[0].owner) if chosen else None
    found: list[schema.Question] = []
    for block in read.blocks:
        if block.section in asking and block.kind != "row":
            text = strip_markup(block.raw)
            if 3 <= len(text) <= 400 and len(found) < MOST_QUESTIONS:
                found.append(
                    schema.Question(text=text, about=about, lines=[block.first, block.last])
                )
    return found
