"""Blocks into statements: what could become a claim, with the quotes that carry it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from llmwiki.core.text import normalise
from llmwiki.extraction.embedded.definitions import Definition, define, label_of
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.markdown import DocumentBlock, Outline
from llmwiki.extraction.embedded.names import (
    cjk_count,
    clean_name,
    has_cjk,
    heading_names,
    is_cjk,
    valid_name,
)
from llmwiki.extraction.embedded.records import MAX_LENGTH
from llmwiki.extraction.embedded.vocabulary import (
    EMPTY_CELLS,
    FINITE,
    GENERIC,
    GENERIC_HEADERS,
    JA_GENERIC,
    JA_POINTERS,
    PRONOUNS,
    SKIPPED_SECTIONS,
)
from llmwiki.language.sentences import clauses, split_sentences
from llmwiki.pages.lines import table_cells
from llmwiki.sources.quotes import MAX_CJK, MAX_WORDS


@dataclass(frozen=True, slots=True)
class StatementEvidence:
    """Words of the document as written, and the lines they stand in."""

    quote: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class DocumentStatement:
    """A verbatim text, its evidence and what is known of its place."""

    text: str
    """The words of the evidence without markup, in the order of the document."""
    own: str
    """The part of `text` that is the sentence, item or row itself, without its context."""
    evidence: tuple[StatementEvidence, ...]
    section: int
    order: int
    kind: str
    """sentence, item or row."""
    label: str = ""
    """The cleaned name in front of a colon or dash, or in a row's first cell."""
    definition: Definition | None = None
    first_in_section: bool = False
    table: int = 0
    """Line of the table's header; 0 elsewhere."""
    figures: bool = False
    """Whether it is a row whose cells hold figures and hardly a word."""
    ordered: bool = False
    adrift: bool = False
    """Whether it needs words above it and there are none to be had."""
    labelled: bool = False
    """Whether it starts with something set off: bold, code, or words before a colon."""
    spoken: bool = False
    """Whether the document names its speaker."""
    as_of: str = ""
    """The time a row is about, where it has one."""
    scope: str = ""
    """The sheet of a row, where there are several."""
    slot: tuple[str, str] | None = None
    """The one column a row fills, and its value."""


_INDEX_CELL = re.compile(r"#?[0-9]{0,4}[.)]?|[A-Za-z][0-9]{0,3}")
_URL = re.compile(r"https?://\S+")
_LINK_ONLY = re.compile(
    r"\s*(?:\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^()]*\)|<https?:[^<>]*>|https?://\S+)[\s.,;|/·]*"
)
_COMMAND = re.compile(r"`[^` ]*+ [^`]*+`.*")
_CODE_ONLY = re.compile(r"\s*`[^`]*`[\s.;,]*")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_WORDS = re.compile(r"\w+")
_LEAD_END = re.compile(r"[:：]\W{0,200}$")


def fits(quote: str) -> bool:
    """Whether a quote is short enough to be evidence and a statement."""
    return (
        len(quote) <= MAX_LENGTH and len(quote.split()) <= MAX_WORDS and cjk_count(quote) <= MAX_CJK
    )


def weight_of(text: str) -> int:
    """Length in words; two CJK characters count as one."""
    cjk = cjk_count(text)
    return len(_WORDS.findall(text)) + cjk // 2 if cjk else len(_WORDS.findall(text))


def statements(
    outline: Outline, skipped_sections: frozenset[int], skipped_lines: frozenset[int]
) -> list[DocumentStatement]:
    """All statements of the document in reading order, none judged yet."""
    found: list[DocumentStatement] = []
    opened: set[int] = set()
    for index, block in enumerate(outline.blocks):
        if block.section in skipped_sections or block.first in skipped_lines:
            continue
        if block.kind == "row":
            made = _row(outline, block)
        elif block.kind == "item":
            made = _item(outline, index, block)
        else:
            made = _paragraph(block)
        if made and block.kind == "paragraph" and block.section not in opened:
            opened.add(block.section)
            made[0] = _opening(outline, block, made[0])
        found.extend(made)
    return [replace(statement, order=order) for order, statement in enumerate(found)]


def _opening(
    outline: Outline, block: DocumentBlock, statement: DocumentStatement
) -> DocumentStatement:
    """The first sentence of a section; a Japanese one often leaves its topic to the heading."""
    opening = replace(statement, first_in_section=True)
    if not is_cjk(statement.own) or opening.label or opening.definition:
        return opening
    context = _heading_context(outline, block.section)
    if context is None or not valid_name(context[0]) or context[0] in statement.own:
        return opening
    words, evidence = context
    return replace(
        opening, text=f"{words}: {statement.own}", evidence=(*statement.evidence, evidence)
    )


def _slice(block: DocumentBlock, start: int, end: int) -> StatementEvidence:
    raw = block.raw
    breaks = _breaks(raw) if block.last > block.first else ()
    first = block.first + bisect_left(breaks, start)
    return StatementEvidence(
        normalise(raw[start:end]), first, block.first + bisect_left(breaks, end)
    )


@lru_cache(maxsize=8)
def _breaks(raw: str) -> tuple[int, ...]:
    """Offsets of the line breaks; kept for a few texts, for a long one is asked once a sentence."""
    return tuple(found.start() for found in re.finditer("\n", raw))


def _spans(raw: str) -> list[tuple[int, int]]:
    """Sentences that fit a quote; a longer one gives the clauses that do."""
    spans: list[tuple[int, int]] = []
    for start, end in split_sentences(raw):
        if fits(raw[start:end]):
            spans.append((start, end))
        else:
            spans.extend(
                (a, b) for a, b in clauses(raw, start, end)
                if fits(raw[a:b]) and (a == start or not raw[a:b].lstrip("*_`(")[:1].islower())
            )  # fmt: skip
    return spans


def _sentence(block: DocumentBlock, start: int, end: int, kind: str) -> DocumentStatement | None:
    evidence = _slice(block, start, end)
    text = strip_markup(block.raw[start:end])
    if not text or _LINK_ONLY.fullmatch(block.raw[start:end]):
        return None
    return DocumentStatement(
        text, text, (evidence,), block.section, 0, kind, definition=define(text)
    )


def _paragraph(block: DocumentBlock) -> list[DocumentStatement]:
    made = [_sentence(block, start, end, "sentence") for start, end in _spans(block.raw)]
    found = [statement for statement in made if statement is not None]
    if found and block.raw.startswith(found[0].evidence[0].quote[:8]):
        label = label_of(block.raw, found[0].text)
        found[0] = replace(found[0], label=label, labelled=bool(label))
    return found


def _item(outline: Outline, index: int, block: DocumentBlock) -> list[DocumentStatement]:
    if _LINK_ONLY.fullmatch(block.raw):
        return []
    text = strip_markup(block.raw)
    label = label_of(block.raw, text)
    labelled = bool(label) or block.raw.lstrip().startswith(("**", "__", "`"))
    if _CODE_ONLY.fullmatch(block.raw) or _under_pointers(outline, block):
        return []
    if fits(block.raw):
        whole = _sentence(block, 0, len(block.raw.rstrip()), "item")
        pieces = [whole] if whole else []
    else:
        pieces = [
            piece for start, end in _spans(block.raw)
            if (piece := _sentence(block, start, end, "item")) is not None
        ]  # fmt: skip
    if pieces:
        pieces[0] = replace(pieces[0], label=label, labelled=labelled)
    if block.ordered:
        pieces = [replace(piece, ordered=True) for piece in pieces]
    return [_in_context(outline, block, piece) for piece in pieces]


def _under_pointers(outline: Outline, block: DocumentBlock) -> bool:
    """Whether a line such as `Sources:` introduces the list."""
    if block.lead is None or outline.blocks[block.lead].section != block.section:
        return False
    lead = outline.blocks[block.lead].raw
    return len(lead) < 40 and strip_markup(lead).casefold().strip(" :：") in SKIPPED_SECTIONS


def _in_context(
    outline: Outline, block: DocumentBlock, piece: DocumentStatement
) -> DocumentStatement:
    """The item with the words above it that it needs to be understood, if it needs any."""
    if stands_alone(piece.text, piece.label, piece.labelled):
        return piece
    context = _context(outline, block)
    if context is None:
        return replace(piece, adrift=True)
    words, evidence = context
    own = piece.text
    if words.casefold() in own.casefold():
        return piece
    return replace(
        piece,
        text=f"{words}: {own}",
        evidence=(*piece.evidence, evidence),
    )


def _context(outline: Outline, block: DocumentBlock) -> tuple[str, StatementEvidence] | None:
    """The enclosing item, the sentence that introduces the list, or the heading."""
    if block.parent is not None:
        parent = outline.blocks[block.parent]
        spans = split_sentences(parent.raw)
        if spans and fits(parent.raw) and weight_of(parent.raw) <= 14:
            evidence = _slice(parent, 0, len(parent.raw))
            return strip_markup(parent.raw).rstrip(" :：.。"), evidence
    if block.lead is not None:
        lead = outline.blocks[block.lead]
        if lead.section == block.section and _LEAD_END.search(lead.raw[-200:]):
            spans = split_sentences(lead.raw)
            start, end = spans[-1] if spans else (0, 0)
            words = strip_markup(lead.raw[start:end]).rstrip(" :：*")
            if words and weight_of(words) <= 25 and fits(lead.raw[start:end]):
                return words, _slice(lead, start, end)
    return _heading_context(outline, block.section)


def _heading_context(outline: Outline, section: int) -> tuple[str, StatementEvidence] | None:
    at: int | None = section
    while at:
        heading = outline.sections[at]
        words = strip_markup(heading.title).rstrip(" :：")
        names = [name for name in heading_names(heading.title) if name in words]
        generic = words.casefold() in GENERIC or words in JA_GENERIC or "\ufffd" in words
        if words and not generic and fits(heading.title):
            return names[0] if names else words, StatementEvidence(
                normalise(heading.title), heading.line, heading.line
            )
        at = heading.parent
    return None


def stands_alone(text: str, label: str, labelled: bool) -> bool:
    """Whether an item says something without the words above it."""
    first = text.split(" ", 1)[0].strip("\"'“(*").casefold()
    if first in PRONOUNS or text.startswith(JA_POINTERS):
        return False
    if label:
        return weight_of(text) >= 6
    if is_cjk(text):
        return len(text) >= 24 and ("は" in text or "が" in text or text.endswith("。"))
    words = [word.casefold() for word in text.split()]
    return len(words) >= 7 and has_verb(words) and (labelled or not text[:1].islower())


def has_verb(words: Sequence[str]) -> bool:
    """Whether folded English words hold a finite verb, as far as lists and endings tell."""
    if any(word.strip(".,;:()") in FINITE for word in words[1:]):
        return True
    if any(word.endswith("ed") and len(word) > 4 for word in words[1:]):
        return True
    return any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in words[1:5])


def _row(outline: Outline, block: DocumentBlock) -> list[DocumentStatement]:
    cells, quote = _fitting_cells(block)
    if not cells:
        return []
    plain = [strip_markup(cell) for cell in cells]
    header = [strip_markup(cell).rstrip(":：") for cell in block.header]
    start = 1 if len(plain) > 2 and _INDEX_CELL.fullmatch(plain[0]) else 0
    subject = plain[start] if start < len(plain) else ""
    said: list[str] = []
    for at in range(start + 1, len(plain)):
        cell = plain[at]
        if cell.casefold() in EMPTY_CELLS:
            continue
        head = header[at] if at < len(header) else ""
        plainly = not head or head.casefold() in GENERIC_HEADERS or len(head) > 60
        said.append(cell if plainly else f"{head}: {cell}")
    if (
        not subject
        or subject in ("--help", "-h", "--version", "-h, --help")
        or not said
        or not _row_says(plain[start + 1 :], bool(header))
    ):
        return []
    text = f"{subject} — {'; '.join(said)}"
    evidence = [StatementEvidence(quote, block.first, block.last)]
    if block.header_raw and fits(block.header_raw):
        evidence.append(
            StatementEvidence(normalise(block.header_raw), block.header_line, block.header_line)
        )
    elif header:
        text = f"{subject} — {'; '.join(c for c in plain[start + 1 :] if c)}"
    label = "" if _COMMAND.fullmatch(cells[start]) else clean_name(cells[start])
    return [
        DocumentStatement(
            text,
            text,
            tuple(evidence),
            block.section,
            0,
            "row",
            label=label,
            table=block.header_line or block.first,
            figures=not any(len(_LETTERS.findall(cell)) >= 2 for cell in plain[start + 1 :])
            and not has_cjk("".join(plain[start + 1 :])),
        )
    ]


def _fitting_cells(block: DocumentBlock) -> tuple[list[str], str]:
    """The row's cells, or as many of the first ones as a quote may hold, and the quote."""
    cells = list(table_cells(block.raw))
    if fits(block.raw):
        return cells, normalise(block.raw)
    end = 0
    kept: list[str] = []
    for cell in cells:
        at = block.raw.find(cell, end) if cell else end
        if at < 0 or not fits(block.raw[: at + len(cell)]):
            break
        end = at + len(cell)
        kept.append(cell)
    return (kept, normalise(block.raw[:end])) if len(kept) > 1 else ([], "")


def _row_says(cells: Sequence[str], headed: bool) -> bool:
    """Whether the cells after the name make a statement: some words, or figures under a head."""
    words = sum(weight_of(cell) for cell in cells if not _URL.fullmatch(cell))
    figures = any(any(c.isdigit() for c in cell) for cell in cells)
    filled = [cell for cell in cells if cell.casefold() not in EMPTY_CELLS]
    if not filled or (len(cells) >= 4 and len(filled) * 2 <= len(cells) and words < 8):
        return False
    if len(cells) >= 6 and len([cell for cell in filled if weight_of(cell) >= 2]) < 3:
        return False
    return words >= 3 or (headed and (figures or has_cjk("".join(cells)) or words >= 2))
