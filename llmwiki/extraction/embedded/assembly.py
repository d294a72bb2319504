"""The extraction as a value: the parts read, put into the schema every extractor fills."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.text import fold
from llmwiki.extraction import schema
from llmwiki.extraction.embedded.bearings import DocumentName
from llmwiki.extraction.embedded.blocks import Outline, outline
from llmwiki.extraction.embedded.facts import DocumentMetadata, frontmatter, read_facts
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.mentions import NameMatcher
from llmwiki.extraction.embedded.names import (
    clean_name,
    fold_name,
    is_generic,
    kind_of,
    without_mail_marks,
)
from llmwiki.extraction.embedded.selection import (
    SelectedStatement,
    choose,
    rate,
    words_of,
)
from llmwiki.extraction.embedded.source_lines import form_of
from llmwiki.extraction.embedded.statements import (
    DocumentStatement,
    StatementEvidence,
    statements,
)
from llmwiki.extraction.embedded.subjects import SubjectCandidate, SubjectCandidates, gather
from llmwiki.extraction.embedded.summary import describe, summarise
from llmwiki.extraction.embedded.tables import Rows
from llmwiki.extraction.embedded.vocabulary import (
    ACTION_WORDS,
    ANY_TITLE,
    CONTENTS_SECTIONS,
    DECISION_WORDS,
    PEOPLE_SECTIONS,
    QUESTION_SECTIONS,
    SKIPPED_SECTIONS,
    made_of,
)

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.extraction.embedded.running_text import SourceLines

_ANSWERED = re.compile(
    r"\s*+(?:(?:[-*+]|\d{1,3}[.)])\s++)?(?:\[[xX]\]|\W{0,3}(?:resolved|answer(?:ed)?)\b)", re.I
)
_MEETING = re.compile(r"\b(?:meeting|minutes|agenda|telcon)\b|議事録|ミーティング", re.IGNORECASE)
_VERSION = re.compile(
    r"(?:(?:version|release|[a-z]\w{1,20})[ -])?\[?v?\d{1,4}\.\d{1,4}(?:\.[\w+-]{1,20}){0,3}\]?"
    r"(?: ?[-–—:]? ?\(?(?:\d{4}-\d\d-\d\d|(?:[A-Z][a-z]{2,8}|\d{1,2}(?:st|nd|rd|th)?),? "
    r"[\w,]{1,9}(?: \d{4})?)\)?)?$",
    re.IGNORECASE,
)
MOST_QUESTIONS = 20
_NO_QUESTION = re.compile(
    r"(?:none|n/?a|nothing|tbd)(?: yet| so far| at this time)?\W*|(?:特に)?な(?:し|い)。?", re.I
)
"""How a section of questions says that there are none."""
MOST_OF_PARTS = 300
"""Characters of the headings that tell of a document what no sentence tells."""
MOST_SEEN = 4
"""Claims of a document to which the page of one thing that they name leads."""


def document_subject(facts: DocumentMetadata) -> SubjectCandidate:
    """What the document is about where no other subject is surer: of a mail, its topic."""
    name = without_mail_marks(facts.title) or facts.title
    return SubjectCandidate(fold_name(name), name, "concept")


def assemble(document: Document, known: Sequence[str], first: int, last: int) -> schema.Extraction:
    """The extraction of one segment without a model; raises nothing."""
    last = max(0, min(last, len(document.lines)))
    first = max(1, first)
    start = max(first, frontmatter(document.lines)[1] if first == 1 else first)
    form = form_of(document, start, last)
    read = outline(form.lines, start, last, form.ends, form.codes)
    for rows in read.tables:
        form.add_rows(rows)
    facts = read_facts(document.path, form, read, first)
    skipped, asking = _special_sections(read)
    titles = [strip_markup(section.title).casefold().strip(" :：.*") for section in read.sections]
    passed_over = {line for line in facts.lines if line >= start}
    talk = bool(_MEETING.search(facts.title)) or not PEOPLE_SECTIONS.isdisjoint(titles)
    skipped |= _of_versions(read)
    if talk:
        passed_over |= _of_people(read, titles)
    deciding = DECISION_WORDS | ACTION_WORDS if talk else DECISION_WORDS
    decided = {at for at, title in enumerate(titles) if made_of(deciding, title)}
    said = statements(document.lines, read, skipped | asking, passed_over, facts.title, talk=talk)
    found = [
        replace(
            one,
            spoken=one.spoken or bool(form.speaker_at(one.evidence[0].first)[0]),
            decided=one.section in decided or (talk and made_of(deciding, one.label)),
        )
        for one in said
    ]
    words = words_of(found)
    rated = rate(found)
    likely = [one for one, _ in rated]
    facts = _named(facts, likely)
    subjects = gather(document_subject(facts), read, likely, found, known)
    stands = partial(_stands, document.lines)
    chosen = choose(rated, words, subjects, stands)
    table_rows = Rows(form, document.lines, subjects, stands)
    chosen = sorted([*chosen, *table_rows.choose(chosen)], key=_place)
    # One message on a topic is not the topic, which has a page.
    itself = subjects.document if subjects.document.name == facts.title else None
    name = DocumentName(facts.title, found)
    claims = _claims(chosen, subjects, itself, form, name)
    summary = summarise(found, facts, chosen, table_rows.told) or _parts(read) or facts.title
    return schema.Extraction(
        source=schema.SourceEcho(
            sha256=document.sha256, segment=[1, 1], lines=[first, max(first, last)]
        ),
        document=schema.DocumentFacts(
            title=facts.title,
            summary=summary,
            authors=list(facts.authors),
            date=facts.date,
            url=facts.url,
            status=facts.status,
        ),
        subjects=_subjects(chosen, claims, itself, summary),
        claims=claims,
        questions=_questions(read, form.lines, asking, chosen),
        end=True,
    )


def _named(facts: DocumentMetadata, likely: Sequence[DocumentStatement]) -> DocumentMetadata:
    """The facts, with what the first statement defines for a title that any page may have."""
    if facts.title.partition(" (")[0].casefold() not in ANY_TITLE or not likely:
        return facts
    first = likely[0].definition
    return replace(facts, title=first.name) if first and first.strength == 3 else facts


def _special_sections(read: Outline) -> tuple[frozenset[int], frozenset[int]]:
    """Sections of pointers, which say nothing, and sections of questions."""
    skipped: set[int] = set()
    contents: set[int] = set()
    asking: set[int] = set()
    for index, section in enumerate(read.sections):
        title = clean_name(section.title).casefold()
        if title in SKIPPED_SECTIONS or section.parent in skipped - contents:
            skipped.add(index)
            # A whole manual may stand below its table of contents.
            contents |= {index} if title in CONTENTS_SECTIONS else set()
        elif title in QUESTION_SECTIONS or section.parent in asking:
            asking.add(index)
    return frozenset(skipped), frozenset(asking)


def _of_people(read: Outline, titles: Sequence[str]) -> set[int]:
    """The first lines of the items with which minutes say who was there."""
    ends = tuple(PEOPLE_SECTIONS)
    listing = {at for at, title in enumerate(titles) if title.endswith(ends)}
    return {one.first for one in read.blocks if one.kind == "item" and one.section in listing}


def _of_versions(read: Outline) -> set[int]:
    """The sections of a changelog: its lines tell what changed on a day, not what holds."""
    found: set[int] = set()
    for at, section in enumerate(read.sections):
        if _VERSION.match(strip_markup(section.title)) or section.parent in found:
            found.add(at)
    return found if sum(read.sections[at].parent not in found for at in found) > 2 else set()


def _parts(read: Outline) -> str:
    """The headings of a document of which nothing else can be told."""
    titles = [strip_markup(section.title) for section in read.sections[1:]]
    return "; ".join(title for title in titles if title and not is_generic(title))[:MOST_OF_PARTS]


def _stands(lines: Sequence[str], evidence: StatementEvidence) -> bool:
    """Whether a quote is in the lines it names."""
    quote = fold(evidence.quote)
    return bool(quote) and quote in fold("\n".join(lines[evidence.first - 1 : evidence.last]))


def _place(one: SelectedStatement) -> tuple[int, int]:
    """Where the claim stands in the document."""
    return one.statement.evidence[0].first, one.statement.order


def _subjects(
    chosen: Sequence[SelectedStatement],
    claims: Sequence[schema.ExtractedClaim],
    itself: SubjectCandidate | None,
    summary: str,
) -> list[schema.Subject]:
    """The owners of claims, in the order of their first claim, then known pages only mentioned.

    What owns rows about other things only is described by the summary. Pages only mentioned get no
    lead: what the document says in passing is not what they are.
    """
    owned: dict[str, list[SelectedStatement]] = {}
    for one in chosen:
        if one.owner is not itself:
            owned.setdefault(one.owner.key, []).append(one)
    made: list[schema.Subject] = []
    for own in owned.values():
        owner = own[0].owner
        of_others = all(one.statement.kind == "row" and not one.direct for one in own)
        text = summary if of_others else describe(own)
        kind = owner.kind or kind_of(owner.name, proper=owner.proper)
        aliases = sorted(alias for alias in owner.aliases if fold_name(alias) != owner.key)
        made.append(
            schema.Subject(name=owner.name, kind=kind, description=text, lead=text, aliases=aliases)
        )
    names = {subject.name for subject in made}
    for name in dict.fromkeys(name for claim in claims for name in claim.also):
        if name not in names:
            text = next(claim.text for claim in claims if name in claim.also)
            made.append(schema.Subject(name=name, kind="concept", description=text))
    return made


def _claims(
    chosen: Sequence[SelectedStatement],
    subjects: SubjectCandidates,
    itself: SubjectCandidate | None,
    form: SourceLines,
    name: DocumentName,
) -> list[schema.ExtractedClaim]:
    pages = {one.owner.key for one in chosen} - {subjects.document.key}
    keys = {
        key: candidate
        for key, candidate in subjects.by_key.items()
        if candidate.key in pages or candidate.known
    }
    for key in subjects.known:
        if key not in subjects.by_key:
            keys[key] = SubjectCandidate(key, subjects.known[key], known=True)
    names = NameMatcher(keys)
    seen: Counter[str] = Counter()
    claims: list[schema.ExtractedClaim] = []
    for number, one in enumerate(chosen, start=1):
        said = one.statement
        speaker, when = form.speaker_at(said.evidence[0].first)
        slot = said.slot or (None, None)
        scope = name.scope_of(said) if one.owner is itself else None
        claims.append(
            schema.ExtractedClaim(
                id=f"k{number}",
                subject=schema.DOCUMENT if one.owner is itself else one.owner.name,
                also=_also(one, names, keys, seen),
                text=said.written or said.text,
                evidence=[
                    schema.ExtractedQuote(quote=part.quote, lines=[part.first, part.last])
                    for part in said.evidence
                ],
                speaker=speaker or None,
                as_of=said.as_of or when or None,
                scope=said.scope or scope,
                key=slot[0],
                value=slot[1],
            )
        )
    return claims


def _also(
    one: SelectedStatement,
    names: NameMatcher,
    keys: Mapping[str, SubjectCandidate],
    seen: Counter[str],
) -> list[str]:
    """What a statement names beside its owner, in its order, unless enough have named it."""
    named = dict.fromkeys(keys[key].name for key in names.mentioned(one.statement.own))
    also = [name for name in named if name != one.owner.name and seen[name] < MOST_SEEN]
    seen.update(also)
    return also


def _is_answered(line: str) -> bool:
    """Whether an item is ticked off, or says how another was resolved."""
    return bool(_ANSWERED.match(line))


def _questions(
    read: Outline,
    lines: Sequence[str],
    asking: Collection[int],
    chosen: Sequence[SelectedStatement],
) -> list[schema.Question]:
    about = chosen[0].owner.name if chosen else None
    found: list[schema.Question] = []
    for block in read.blocks:
        if block.section in asking and block.kind != "code" and len(found) < MOST_QUESTIONS:
            text = strip_markup(block.raw)
            is_asked = 3 <= len(text) <= 400 and not _NO_QUESTION.fullmatch(text)
            if is_asked and not _is_answered(lines[block.first - 1]):
                found.append(
                    schema.Question(text=text, about=about, lines=[block.first, block.last])
                )
    return found
