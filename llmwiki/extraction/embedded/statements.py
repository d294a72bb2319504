"""Blocks into statements: what could become a claim, with the quotes that carry it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from llmwiki.core.text import normalise
from llmwiki.extraction.embedded.blocks import DocumentBlock, Outline
from llmwiki.extraction.embedded.definitions import Definition, define, label_of
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.names import (
    cjk_count,
    clean_name,
    is_cjk,
    is_generic,
    strip_numbering,
)
from llmwiki.extraction.embedded.records import MAX_LENGTH
from llmwiki.extraction.embedded.vocabulary import (
    FINITE,
    IMPERATIVES,
    JA_POINTERS,
    PRONOUNS,
    SKIPPED_SECTIONS,
)
from llmwiki.language.plurals import word_set
from llmwiki.language.sentences import clauses, split_sentences
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
    """The words of the evidence without markup."""
    own: str
    """The part of `text` that is the sentence, item or row itself, without its context."""
    evidence: tuple[StatementEvidence, ...]
    section: int
    order: int
    kind: str
    """sentence, item, row, code or verse."""
    label: str = ""
    """The name in front of a colon or dash, in a row's first cell, or that a pronoun stands for."""
    definition: Definition | None = None
    opens: bool = False
    """Whether it is the first sentence of its section."""
    leads: bool = False
    """Whether code follows it, which it introduces."""
    step: bool = False
    """Whether it stands in a numbered list."""
    adrift: bool = False
    """Whether it needs words above it and there are none to be had."""
    spoken: bool = False
    """Whether the document names its speaker."""
    as_of: str = ""
    """The time a row is about, where it has one."""
    scope: str = ""
    """The sheet of a row, where there are several."""
    slot: tuple[str, str] | None = None
    """The one column a row fills, and its value."""


SHORT_CODE = 90
"""Characters of code that a sentence introduces and that makes a claim with it."""
_CODE_LINES = 2
_VERSE_LINES = 3
_LONGEST_ITEM = 45
"""Words of a list item that is one statement; of a longer one each sentence is."""
_LEAST_ALONE = 5
_LONGEST_NAME = 5
"""Words of an item that only names what the items in it are about."""
_LINK_ONLY = re.compile(
    r"\s*(?:!?\[\[[^\[\]]*\]\]|!?\[[^\[\]]*\]\([^()]*\)|<https?:[^<>]*>|https?://\S+)[\s.,;|/·]*"
)
_CODE_ONLY = re.compile(r"\s*`[^`]*`[\s.;,]*")
_WORDS = re.compile(r"\w+")
_LEAD_END = re.compile(r"[:：]\W{0,200}$")
_COLON = re.compile(r"(?<![\s:：])\s*+[:：]{1,2}$")
_VERSE = re.compile(r"\s*[A-Z][^\n{}=<>;|\\]{12,120}[.!]$")
_PERSON = re.compile(r"(?:He|She|His|Her)\s")
_THING = re.compile(r"(?:It|Its|They|Their)\s")
_CLAUSES = word_set("when if because whether while where for by to since unless with without")
_ENGLISH = word_set("the of and to is for with a an on by that from")
_DETERMINERS = word_set("the a an this that these those its their all any each no to your our one")
_AFTER_NOUN = word_set("""to under between into of from for with by in on at and or like as that who
    which should must can may will would are were have is was do""")
_AFTER_PAST = word_set("in on at that from because when after before until over about")
_WE = frozenset(["we", "our"])
_CALLOUTS = word_set("""note tip info warning important caution example quote abstract todo success
    question failure danger bug summary hint faq attention error cite tldr""")


def fits(quote: str) -> bool:
    """Whether a quote is short enough to be evidence and a statement."""
    return (
        len(quote) <= MAX_LENGTH and len(quote.split()) <= MAX_WORDS and cjk_count(quote) <= MAX_CJK
    )


def weight_of(text: str) -> int:
    """Length in words; two CJK characters count as one."""
    cjk = cjk_count(text)
    return len(_WORDS.findall(text)) + cjk // 2


def has_verb(words: Sequence[str]) -> bool:
    """Whether folded English words hold a finite verb, as far as lists and endings tell."""
    bare = [word.strip(".,;:()\"'") for word in words]
    return any(is_verb(bare, at) for at in range(1, len(bare)))


def lacks_verb(words: Sequence[str]) -> bool:
    """Whether folded words are English and hold no finite verb."""
    return not has_verb(words) and not _ENGLISH.isdisjoint(words)


def is_verb(words: Sequence[str], at: int) -> bool:
    """Whether one of the folded words is a finite verb, by itself or by what follows it."""
    word = words[at]
    if word in FINITE:
        return True
    following = words[at + 1] if at + 1 < len(words) else ""
    if word.endswith("ed") and len(word) > 4:
        return not following or following in _DETERMINERS | _AFTER_PAST
    is_third = word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return is_third and bool(following) and following not in _AFTER_NOUN | FINITE


def statements(
    lines: Sequence[str],
    outline: Outline,
    sections: Collection[int],
    passed_over: Collection[int],
) -> list[DocumentStatement]:
    """All statements of the document in reading order, none judged yet.

    Neither `sections` (their indices) nor the lines `passed_over` are read.
    """
    reader = _Statements(lines, outline)
    opened: set[int] = set()
    found: list[DocumentStatement] = []
    for index, block in enumerate(outline.blocks):
        if block.section in sections or block.first in passed_over:
            continue
        made = reader.of(index, block)
        if made and made[0].kind == "code" and found and found[-1].evidence[0] in made[0].evidence:
            found.pop()
        if made and block.kind == "paragraph" and block.section not in opened:
            opened.add(block.section)
            made[0] = reader.opening(made[0])
        found += made
    return [replace(one, order=order) for order, one in enumerate(found) if normalise(one.text)]


class _Statements:
    """Reads the blocks of one document one after the other."""

    def __init__(self, lines: Sequence[str], outline: Outline) -> None:
        self._lines = lines
        self._outline = outline
        self._blocks = outline.blocks
        self._about: tuple[str, StatementEvidence, int] | None = None
        """What was defined last, where, and in which section."""
        self._fresh = False
        """Whether the sentence before was about it."""

    def of(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        """The statements of one block."""
        if block.kind == "code":
            return self._code(block)
        if block.kind == "item":
            return self._item(index, block)
        return self._paragraph(index, block)

    # -- running text

    def _paragraph(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        spans = _spans(block.raw)
        if block.term and fits(block.raw):
            spans = [(0, len(block.raw.rstrip()))]
        found: list[DocumentStatement] = []
        self._fresh = False
        for start, end in spans:
            one = self._sentence(block, start, end, "sentence")
            if one is not None:
                found.append(self._referring(one))
        if not found:
            return found
        label = clean_name(block.raw[: block.term]) or label_of(block.raw, found[0].own)
        found[0] = replace(found[0], label=found[0].label or label)
        self._lead_in(index, found)
        if index and self._blocks[index - 1].raw.endswith((",", "，")):
            found[0] = replace(found[0], opens=True)
        title = block.callout
        if (
            title
            and title.casefold() not in _CALLOUTS
            and title.casefold() not in found[0].text.casefold()
        ):
            found[0] = self._titled(block, title, found[0])
        return found

    def _titled(
        self, block: DocumentBlock, title: str, one: DocumentStatement
    ) -> DocumentStatement:
        """The first sentence of a callout, with its title."""
        line = next(
            (n for n in range(block.first - 1, max(0, block.first - 4), -1)
             if title in normalise(self._lines[n - 1])),
            0,
        )  # fmt: skip
        words = strip_markup(title).rstrip(" :：.?!")
        if not line or not words or one.text != one.own or "?" in title or not fits(title):
            return one
        quote = normalise(self._lines[line - 1].lstrip("> \t"))
        evidence = (*one.evidence, StatementEvidence(quote, line, line))
        return replace(one, text=f"{words}: {one.own}", evidence=evidence)

    def _sentence(
        self, block: DocumentBlock, start: int, end: int, kind: str
    ) -> DocumentStatement | None:
        raw = block.raw[start:end]
        if _LINK_ONLY.fullmatch(raw) or _CODE_ONLY.fullmatch(raw):
            return None
        text = strip_markup(raw)
        if start == 0 and 0 < block.term < end:
            text = f"{strip_markup(raw[: block.term])}: {strip_markup(raw[block.term :])}"
        evidence = self._evidence(block, start, end)
        return DocumentStatement(
            text, text, (evidence,), block.section, 0, kind, definition=define(text)
        )

    def _evidence(self, block: DocumentBlock, start: int, end: int) -> StatementEvidence:
        """The words of a part of a block as its lines hold them, marks of quoting included."""
        raw = block.raw
        breaks = _breaks(raw) if block.last > block.first else ()
        first = block.first + bisect_left(breaks, start)
        last = block.first + bisect_left(breaks, end)
        parts = raw[start:end].split("\n")
        for at in range(1, len(parts)):
            line = self._lines[first + at - 1]
            if line.lstrip().startswith(">") and (place := line.find(parts[at])) >= 0:
                parts[at] = line[: place + len(parts[at])]
        return StatementEvidence(normalise("\n".join(parts)), first, last)

    def _referring(self, one: DocumentStatement) -> DocumentStatement:
        """A sentence that begins with a pronoun, with the name that it stands for."""
        definition = one.definition
        if definition and definition.strength == 3:
            self._about = definition.name, one.evidence[0], one.section
            self._fresh = True
            return one
        about = self._about
        is_person = _PERSON.match(one.own) is not None
        if (
            about is None
            or about[2] != one.section
            or not (is_person or (self._fresh and _THING.match(one.own)))
        ):
            self._fresh = False
            return one
        name, evidence, _ = about
        if is_person and (not name[:1].isupper() or name not in evidence.quote):
            return one
        return replace(
            one, text=f"{name}: {one.own}", label=name, evidence=(*one.evidence, evidence)
        )

    def opening(self, one: DocumentStatement) -> DocumentStatement:
        """The first sentence of a section; some leave to the heading what they are about."""
        one = replace(one, opens=True)
        if one.label or one.definition or not _needs_topic(one.own):
            return one
        context = self._heading(one.section) if one.section > 1 else None
        if context is None or one.text != one.own or one.text[-1:] not in ".。":
            return one
        if context[0].casefold().rstrip("s") in one.own.casefold():
            return one
        return replace(one, text=f"{context[0]}: {one.own}", evidence=(*one.evidence, context[1]))

    # -- items

    def _item(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        if _LINK_ONLY.fullmatch(block.raw) or self._under_pointers(block):
            return []
        label = label_of(block.raw, strip_markup(block.raw))
        whole = fits(block.raw) and weight_of(block.raw) <= _LONGEST_ITEM
        spans = [(0, len(block.raw.rstrip()))] if whole else _spans(block.raw)
        made = [self._sentence(block, start, end, "item") for start, end in spans]
        found = [one for one in made if one is not None]
        if not found:
            return found
        found[0] = replace(found[0], label=label)
        self._lead_in(index, found)
        return [replace(self._in_context(block, one), step=block.ordered) for one in found]

    def _under_pointers(self, block: DocumentBlock) -> bool:
        """Whether a line such as `Sources:` introduces the list."""
        if block.lead is None or block.nested:
            return False
        lead = self._blocks[block.lead].raw
        return len(lead) < 40 and strip_markup(lead).casefold().strip(" :：") in SKIPPED_SECTIONS

    def _in_context(self, block: DocumentBlock, one: DocumentStatement) -> DocumentStatement:
        """The item with the words above it that it needs to be understood, if it needs any."""
        outer = self._blocks[block.lead] if block.nested and block.lead is not None else None
        below_name = outer is not None and weight_of(outer.raw) <= _LONGEST_NAME
        below_name = below_name and outer is not None and not is_generic(outer.raw)
        if stands_alone(one.own, one.label) and not below_name:
            return one
        context = self._introduction(block) or self._heading(block.section)
        if context is None:
            return replace(one, adrift=True)
        words, evidence = context
        if words.casefold() in one.own.casefold():
            return one
        return replace(one, text=f"{words}: {one.own}", evidence=(*one.evidence, evidence))

    def _introduction(self, block: DocumentBlock) -> tuple[str, StatementEvidence] | None:
        """The enclosing item, or the sentence that introduces the list."""
        if block.lead is None or self._blocks[block.lead].section != block.section:
            return None
        lead = self._blocks[block.lead]
        if not block.nested and not _LEAD_END.search(lead.raw[-200:]):
            return None
        spans = split_sentences(lead.raw)
        start, end = spans[-1] if spans else (0, 0)
        words = strip_markup(lead.raw[start:end]).rstrip(" :：*.。")
        if not words or weight_of(words) > 25 or not fits(lead.raw[start:end]):
            return None
        return words, self._evidence(lead, start, end)

    def _heading(self, section: int) -> tuple[str, StatementEvidence] | None:
        """The nearest heading above that says something."""
        for at in self._outline.above(section):
            heading = self._outline.sections[at]
            words = strip_numbering(strip_markup(heading.title)).rstrip(" :：?？")
            if words and not is_generic(words) and "\ufffd" not in words and fits(heading.title):
                quote = normalise(heading.title)
                return words, StatementEvidence(quote, heading.line, heading.line)
        return None

    # -- code

    def _lead_in(self, index: int, found: list[DocumentStatement]) -> None:
        """Mark the last sentence where it ends in a colon; its words are without it."""
        one = found[-1]
        bare = _COLON.sub("", one.own)
        if bare != one.own:
            text = one.text.removesuffix(one.own) + bare
            follows = index + 1 < len(self._blocks) and self._blocks[index + 1].kind == "code"
            found[-1] = replace(one, text=text, own=bare if follows else one.own, leads=True)

    def _code(self, block: DocumentBlock) -> list[DocumentStatement]:
        """Lines of prose that are set off, or a line or two of code with what introduces it."""
        numbered = [
            (number, line.strip())
            for number, line in enumerate(block.raw.split("\n"), block.first)
            if line.strip()
        ]
        verses = [(number, line) for number, line in numbered if _VERSE.match(line)]
        if len(numbered) >= _VERSE_LINES and len(verses) * 5 >= len(numbered) * 4:
            return [
                DocumentStatement(
                    strip_markup(line), strip_markup(line),
                    (StatementEvidence(normalise(line), n, n),), block.section, 0, "verse",
                )
                for n, line in verses
            ]  # fmt: skip
        code = " ".join(line for _, line in numbered)
        context = self._introduction(block)
        if context is None or not stands_alone(context[0], ""):
            return []
        if len(numbered) > _CODE_LINES or not 2 <= len(code) <= SHORT_CODE:
            return []
        words, evidence = context
        quote = StatementEvidence(normalise(code), numbered[0][0], numbered[-1][0])
        text = f"{words}: {normalise(code)}"
        return [DocumentStatement(text, text, (evidence, quote), block.section, 0, "code")]


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


@lru_cache(maxsize=8)
def _breaks(raw: str) -> tuple[int, ...]:
    """Offsets of the line breaks; kept for a few texts, for a long one is asked once a sentence."""
    return tuple(found.start() for found in re.finditer("\n", raw))


def _needs_topic(text: str) -> bool:
    """Whether the first sentence below a heading leaves it to that what it is about."""
    if is_cjk(text):
        return re.search("[はがも]", text[:24]) is None
    words = text.casefold().split()
    return bool(words) and (words[0].strip(",") in IMPERATIVES or lacks_verb(words))


def stands_alone(text: str, label: str) -> bool:
    """Whether an item says something without the words above it."""
    first = text.split(" ", 1)[0].strip("\"'“(*,:").casefold()
    if first in PRONOUNS - _WE or text.startswith(JA_POINTERS):
        return False
    if is_cjk(text):
        return len(text) >= 12 and (bool(label) or bool(re.search("[はがを]", text)))
    size = weight_of(text)
    if label or first in IMPERATIVES:
        return size >= _LEAST_ALONE - 1
    if first in _CLAUSES and ", " not in text:
        return False
    words = text.casefold().split()
    return size >= _LEAST_ALONE and has_verb(words) and not text[:1].islower()
