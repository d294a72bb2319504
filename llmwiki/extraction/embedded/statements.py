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
from llmwiki.extraction.embedded.inline import strip_markup, without_code_marks
from llmwiki.extraction.embedded.leaning import leans, turns
from llmwiki.extraction.embedded.names import (
    cjk_count,
    clean_name,
    is_cjk,
    is_code_name,
    is_generic,
    strip_numbering,
)
from llmwiki.extraction.embedded.records import MAX_LENGTH
from llmwiki.extraction.embedded.vocabulary import (
    DECISION_WORDS,
    FINITE,
    IMPERATIVES,
    PRONOUNS,
    ROLE_WORDS,
    SKIPPED_SECTIONS,
)
from llmwiki.language.plurals import word_set
from llmwiki.language.sentences import split_sentences
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
    """sentence, item, list, row or verse."""
    written: str = ""
    """`text` with backticks around inline code, where that differs."""
    label: str = ""
    """The name in front of a colon or dash, or in a row's first cell."""
    definition: Definition | None = None
    opens: bool = False
    """Whether it is the first sentence of its section."""
    topical: bool = False
    """Whether it names what its heading or the document is about."""
    stressed: bool = False
    """Whether the document sets some of its words in bold."""
    leads: bool = False
    """Whether code follows it, which it introduces."""
    sentences: int = 1
    """How many sentences it is of."""
    adrift: bool = False
    """Whether it needs words above it and there are none to be had."""
    talk: bool = False
    """Whether it is of the notes of a meeting, of which only what was decided is kept."""
    spoken: bool = False
    """Whether the document names who says it, as chats and mails do."""
    decided: bool = False
    """Whether it stands under a heading such as `Resolution`."""
    as_of: str = ""
    """The time a row is about, where it has one."""
    scope: str = ""
    """The sheet of a row, where there are several."""
    slot: tuple[str, str] | None = None
    """The one column a row fills, and its value."""


_Words = tuple[str, StatementEvidence]
"""Words without markup, and where they stand."""

_VERSE_LINES = 3
_LONGEST_ITEM = 45
"""Words of a list item that is one statement; of a longer one each sentence is."""
_LEAST_ALONE = 5
_LONGEST_NAME = 5
"""Words of an item that only names what the items in it are about."""
_LONGEST_LEAD = 24
"""Words of an introduction that each item of its list can carry."""
_LONGEST_PASSAGE = 70
"""Words of sentences that are one statement, for each leans on the one before."""
_MOST_LISTED = 10
_MOST_QUOTES = 3
"""What a claim can have (`schema.ExtractedClaim`)."""
_SHORT_ITEM = 14
"""Words of an item that is told together with its list."""

_LINK_ONLY = re.compile(
    r"\s*(?:!?\[\[[^\[\]]*\]\]|!?\[[^\[\]]*\]\([^()]*\)|<https?:[^<>]*>|https?://\S+)[\s.,;|/·]*"
)
_WORDS = re.compile(r"\w+")
_LEAD_END = re.compile(r"[:：]\W{0,200}$")
_COLON = re.compile(r"(?<![\s:：])\s*+[:：]{1,2}$")
_VERSE = re.compile(r"\s*[A-Z][^\n{}=<>;|\\]{12,120}[.!]$")
_BOLD = re.compile(r"\*\*[^\s*]|__[^\s_]")
_NORMATIVE = re.compile(
    r"\b(?:must|never|always|should|shall|cannot|required|decided|agreed)\b", re.I
)
_TASK = re.compile(r"\[[ xX]\]\s")
_IDLE = re.compile(r"(?:let me|let's|let us|here|see|note|now)\b", re.I)
_TURNING_WORDS = re.compile(
    r"\b(?:not|never|non|reject\w*|alternatives?|reasons?|problems?|against|anti|wrong|bad|"
    r"mistakes?|drawbacks?|before|old|deprecated|unresolved|out of)\b|n['’]t\b|却下|代替|問題",
    re.IGNORECASE,
)
"""Words of an introduction or heading without which what it holds could say the contrary."""
_JA_TOPIC = re.compile("(?<!場合)[はがも]")
_CLAUSES = word_set("when if because whether while where for by to since unless with without")
_ENGLISH = word_set("the of and to is for with a an on by that from")
_DETERMINERS = word_set("the a an this that these those its their all any each no to your our one")
_AFTER_NOUN = word_set("""to under between into of from for with by in on at and or like as that who
    which should must can may will would are were have is was do""")
_AFTER_PAST = word_set("in on at that from because when after before until over about")


def fits(quote: str) -> bool:
    """Whether a quote is short enough to be evidence and a statement."""
    return (
        len(quote) <= MAX_LENGTH and len(quote.split()) <= MAX_WORDS and cjk_count(quote) <= MAX_CJK
    )


def weight_of(text: str) -> int:
    """Length in words; two CJK characters count as one."""
    cjk = cjk_count(text)
    return len(_WORDS.findall(text)) + cjk // 2


def has_verb(words: Sequence[str], *, sure: bool = False) -> bool:
    """Whether folded English words hold a finite verb, as far as lists and endings tell.

    `sure`: one that is told by more than its ending.
    """
    bare = [word.strip(".,;:()\"'") for word in words]
    return any(
        is_verb(bare, at) and (not sure or bare[at] in FINITE or bare[at + 1] in _DETERMINERS)
        for at in range(1, len(bare) - sure)
    )


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
    is_third = word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))
    if following.endswith(("ed", "ing")):
        return False
    return is_third and bool(following) and following not in _AFTER_NOUN | FINITE


def statements(
    lines: Sequence[str],
    outline: Outline,
    sections: Collection[int],
    passed_over: Collection[int],
    title: str,
) -> list[DocumentStatement]:
    """All statements of the document of that title in reading order, none judged yet.

    Neither `sections` (their indices) nor the lines `passed_over` are read.
    """
    reader = _Statements(lines, outline, title)
    opened: set[int] = set()
    found: list[DocumentStatement] = []
    for index, block in enumerate(outline.blocks):
        if block.section in sections or block.first in passed_over:
            continue
        made = reader.of(index, block)
        if made and block.section not in opened:
            opened.add(block.section)
            made[0] = replace(made[0], opens=True)
        found += [reader.below_heading(one) for one in made]
    return [reader.plain(one, order) for order, one in enumerate(found) if normalise(one.text)]


class _Statements:
    """Reads the blocks of one document one after the other."""

    def __init__(self, lines: Sequence[str], outline: Outline, title: str) -> None:
        self._title = title.casefold()
        self._lines = lines
        self._outline = outline
        self._blocks = outline.blocks
        self._listed: set[int] = set()
        """Indices of the items that a statement about their whole list holds."""
        first = [section.level for section in outline.sections[1:2]]
        levels = [section.level for section in outline.sections[2:]]
        self._titled = bool(first) and all(level > first[0] for level in levels)
        """Whether the first heading is that of the whole document."""
        self._followed: dict[int, list[int]] = {}
        """Index of a block that introduces a list to the indices of the items of that list."""
        for index, block in enumerate(outline.blocks):
            at = block.lead if block.kind == "item" else None
            if at is not None and (block.nested or _LEAD_END.search(self._blocks[at].raw[-200:])):
                self._followed.setdefault(at, []).append(index)
        self._leads = {at: lead for lead, items in self._followed.items() for at in items}

    def of(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        """The statements of one block."""
        if index in self._listed:
            return []
        if block.kind == "code":
            return self._verses(block)
        return self._item(index, block) if block.kind == "item" else self._paragraph(index, block)

    def plain(self, one: DocumentStatement, order: int) -> DocumentStatement:
        """The statement with its words as they are judged, and as the claim has them."""
        text, own = without_code_marks(one.text), without_code_marks(one.own)
        heading = self._heading(one.section)
        said = own.casefold()
        named = f"{self._title} {heading[0].casefold() if heading else ''}".split()
        topical = any(word[:-1] in said for word in named if len(word) > 3)
        return replace(one, text=text, own=own, written=one.text, order=order, topical=topical)

    # -- running text

    def _paragraph(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        whole = bool(block.term) and fits(block.raw)
        passages = [[(0, len(block.raw.rstrip()))]] if whole else _passages(block.raw)
        made = [self._passage(block, spans, "sentence") for spans in passages]
        found = [one for one in made if one is not None]
        if found:
            label = clean_name(block.raw[: block.term]) or label_of(block.raw, found[0].own)
            found[0] = replace(found[0], label=label)
        if (listed := self._with_list(index, block)) is not None:
            return [*found[:-1], listed]
        return self._before_what_follows(index, found)

    def _before_what_follows(
        self, index: int, found: list[DocumentStatement]
    ) -> list[DocumentStatement]:
        """The statements without a last one that ends in a colon, unless code follows that."""
        if not found:
            return []
        one = found[-1]
        bare = _COLON.sub("", one.own)
        if bare == one.own:
            return found
        follows = index + 1 < len(self._blocks) and self._blocks[index + 1].kind == "code"
        if index in self._followed or not follows:
            return found[:-1]
        text = one.text.removesuffix(one.own) + bare
        return [*found[:-1], replace(one, text=text, own=bare, leads=True)]

    def _passage(
        self, block: DocumentBlock, spans: Sequence[tuple[int, int]], kind: str
    ) -> DocumentStatement | None:
        """Sentences that belong together, as one statement; a quote each where they are long."""
        start, end = spans[0][0], spans[-1][1]
        raw = block.raw[start:end]
        if _LINK_ONLY.fullmatch(raw):
            return None
        text = strip_markup(raw, code=True)
        if start == 0 and 0 < block.term < end:
            term, rest = raw[: block.term], raw[block.term :]
            text = f"{strip_markup(term, code=True)}: {strip_markup(rest, code=True)}"
        parts = [(start, end)] if fits(raw) else spans
        evidence = tuple(self._evidence(block, a, b) for a, b in parts)
        first = strip_markup(block.raw[start : spans[0][1]]) if len(spans) > 1 else text
        return DocumentStatement(
            text, text, evidence, block.section, 0, kind, stressed=bool(_BOLD.search(raw)),
            definition=define(without_code_marks(first)), sentences=len(spans),
        )  # fmt: skip

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

    def below_heading(self, one: DocumentStatement) -> DocumentStatement:
        """The statement, with the heading above it where it leaves to that what it is about."""
        context = self._heading(one.section)
        if context is None or one.text != one.own or len(one.evidence) == _MOST_QUOTES:
            return one
        if context[0].casefold().rstrip("s") in one.own.casefold():
            return one
        turning = _TURNING_WORDS.search(context[0]) is not None
        named = not one.label and not one.definition and one.text[-1:] in ".。"
        wanting = _needs_topic(one.own) or (one.opens and is_code_name(context[0].strip("` ")))
        if one.kind == "verse" or not (turning or (named and wanting)):
            return one
        return replace(one, text=f"{context[0]}: {one.own}", evidence=(*one.evidence, context[1]))

    # -- items

    def _item(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        first = block.raw.split(" ", 1)[0].casefold()
        if _TASK.match(block.raw) or (block.ordered and first in IMPERATIVES):
            return []  # A thing to do, or a step.
        if _LINK_ONLY.fullmatch(block.raw) or self._under_pointers(block):
            return []
        if (listed := self._with_list(index, block)) is not None:
            return list(filter(None, [self._in_context(index, block, listed)]))
        text = strip_markup(block.raw)
        names = weight_of(text) <= _LONGEST_NAME or not has_verb(text.casefold().split())
        if self._followed.get(index) and (names or text[-1:] in ":："):
            return []  # A heading in the form of an item.
        whole = fits(block.raw) and weight_of(block.raw) <= _LONGEST_ITEM
        passages = [[(0, len(block.raw.rstrip()))]] if whole else _passages(block.raw)
        made = [self._passage(block, spans, "item") for spans in passages]
        found = [one for one in made if one is not None]
        if found:
            found[0] = replace(found[0], label=label_of(block.raw, text))
        found = self._before_what_follows(index, found)
        return [
            placed
            for at, one in enumerate(found)
            if (placed := self._in_context(index, block, one)) and (not at or placed is one)
        ]

    def _with_list(self, index: int, block: DocumentBlock) -> DocumentStatement | None:
        """A list of short items as one statement, with the words that introduce it."""
        followers = self._followed.get(index, [])
        context = self._last_sentence(block)
        if not 2 <= len(followers) <= _MOST_LISTED or context is None:
            return None
        if _is_loose(context[0]) or _IDLE.match(context[0]):
            return None
        items = [self._blocks[at] for at in followers]
        if any(_LINK_ONLY.fullmatch(one.raw) for one in items):
            return None
        if any(at in self._followed for at in followers):
            return None
        words, evidence = context
        texts = [strip_markup(one.raw, code=True).rstrip(".;, ") for one in items]
        first, last = items[0].first, items[-1].last
        quote = normalise("\n".join(self._lines[first - 1 : last]))
        if any(weight_of(text) > _SHORT_ITEM for text in texts) or not fits(quote):
            return None
        self._listed.update(followers)
        text = f"{words}: {'; '.join(texts)}"
        quotes = (evidence, StatementEvidence(quote, first, last))
        return DocumentStatement(text, text, quotes, block.section, 0, "list")

    def _under_pointers(self, block: DocumentBlock) -> bool:
        """Whether a line such as `Sources:` introduces the list."""
        if block.lead is None or block.nested:
            return False
        lead = self._blocks[block.lead].raw
        return len(lead) < 40 and strip_markup(lead).casefold().strip(" :：") in SKIPPED_SECTIONS

    def _in_context(
        self, index: int, block: DocumentBlock, one: DocumentStatement
    ) -> DocumentStatement | None:
        """The item with the words above it that it needs to be understood, if it needs any.

        None where those words can not be understood themselves, and it says too little alone.
        """
        context = self._introduction(index, block)
        apart = stands_alone(one.own, one.label) and not is_cjk(one.own)
        if context is not None and _is_loose(context[0]):
            kept = apart and not block.nested and not _TURNING_WORDS.search(context[0])
            return one if kept else None
        if block.nested and apart and context and not _TURNING_WORDS.search(context[0]):
            context = None
        if context is not None and not is_cjk(one.own) and lacks_verb(_folded(context[0], one.own)):
            return None
        first = one.own.split(" ", 1)[0].casefold()
        rule = apart and (first in IMPERATIVES or _NORMATIVE.search(one.own) is not None)
        if one.text != one.own or (context is None and not self._is_role(block.section) and rule):
            return one
        parts = [] if context is None else [context]
        if context is None or weight_of(context[0]) <= _LONGEST_NAME:
            parts = [*self._headings(block.section), *parts]
        text, evidence = one.own, list(one.evidence)
        for words, quote in reversed(parts):
            if words.casefold() not in text.casefold() and len(evidence) < _MOST_QUOTES:
                text = f"{words}: {text}"
                evidence.append(quote)
        whole = apart and (bool(one.label) or one.own[-1:] in ".。")
        torn = not parts or (context is None and one.own[:1].islower())
        adrift = torn and not (rule or whole)
        return replace(one, text=text, evidence=tuple(evidence), adrift=adrift)

    def _introduction(self, index: int, block: DocumentBlock) -> _Words | None:
        """The enclosing item, or the sentence that introduces the list."""
        at = self._leads.get(index)
        if at is None or self._blocks[at].section != block.section:
            return None
        context = self._last_sentence(self._blocks[at])
        if context is None or _IDLE.match(context[0]):
            return None
        return context if weight_of(context[0]) <= _LONGEST_LEAD else None

    def _last_sentence(self, lead: DocumentBlock) -> _Words | None:
        """The sentence that ends in a colon; of an item without one, its first."""
        spans = split_sentences(lead.raw)
        ends = lead.kind != "item" or _LEAD_END.search(lead.raw[-200:])
        start, end = spans[-1 if ends else 0] if spans else (0, 0)
        words = strip_markup(lead.raw[start:end], code=True).rstrip(" :：*.。")
        if not words or not fits(lead.raw[start:end]):
            return None
        return words, self._evidence(lead, start, end)

    def _is_role(self, section: int) -> bool:
        role = self._outline.sections[section]
        words = _WORDS.findall(role.title.casefold())
        if not words or not (ROLE_WORDS | DECISION_WORDS).issuperset(words):
            return False
        inner = role.parent is not None and self._heading(role.parent) is not None
        return ROLE_WORDS.issuperset(words) or inner

    def _headings(self, section: int) -> list[_Words]:
        """The heading above; of one that says a role only, the one around it too."""
        if not self._is_role(section):
            heading = self._heading(section)
            return [] if heading is None else [heading]
        role = self._outline.sections[section]
        around = self._heading(role.parent) if role.parent else None
        words = strip_markup(role.title).rstrip(" :：")
        own = words, StatementEvidence(normalise(role.title), role.line, role.line)
        return [own] if around is None else [around, own]

    def _heading(self, section: int) -> _Words | None:
        """The nearest heading above that says something, and is not the document's title."""
        for at in self._outline.above(section):
            heading = self._outline.sections[at]
            words = strip_numbering(strip_markup(heading.title, code=True)).rstrip(" :：?？")
            if at == 1 and self._titled:
                return None
            says = not is_generic(words) or _TURNING_WORDS.search(words)
            if words and says and "\ufffd" not in words and fits(heading.title):
                quote = normalise(heading.title)
                return words, StatementEvidence(quote, heading.line, heading.line)
        return None

    def _verses(self, block: DocumentBlock) -> list[DocumentStatement]:
        """Lines of prose that are set off as code is."""
        numbered = [
            (number, line.strip())
            for number, line in enumerate(block.raw.split("\n"), block.first)
            if line.strip()
        ]
        verses = [(number, line) for number, line in numbered if _VERSE.match(line)]
        if len(numbered) < _VERSE_LINES or len(verses) * 5 < len(numbered) * 4:
            return []
        return [
            DocumentStatement(
                strip_markup(line), strip_markup(line),
                (StatementEvidence(normalise(line), n, n),), block.section, 0, "verse",
            )
            for n, line in verses
        ]  # fmt: skip


def _passages(raw: str) -> list[list[tuple[int, int]]]:
    """The sentences that fit a quote, each with those behind it that lean on it.

    What is longer than a statement may be is left out; so is a sentence of which a part would be
    lost that takes back what it says.
    """
    passages: list[list[tuple[int, int]]] = []
    size = 0
    for start, end in split_sentences(raw):
        said = strip_markup(raw[start:end])
        length = weight_of(said)
        leaning = bool(passages) and leans(said)
        open_ = passages[-1] if passages else []
        fitting = (
            open_ and (len(open_) < 2 or fits(raw[open_[0][0] : end])) and fits(raw[start:end])
        )
        if leaning and fitting and size + length <= _LONGEST_PASSAGE:
            open_.append((start, end))
            size += length
            continue
        if leaning and turns(said):
            passages[-1] = []
        size = length
        passages.append([(start, end)] if fits(raw[start:end]) else [])
    return [spans for spans in passages if spans]


@lru_cache(maxsize=8)
def _breaks(raw: str) -> tuple[int, ...]:
    """Offsets of the line breaks; kept for a few texts, for a long one is asked once a sentence."""
    return tuple(found.start() for found in re.finditer("\n", raw))


def _needs_topic(text: str) -> bool:
    """Whether a sentence leaves it to the heading above what it is about."""
    text = without_code_marks(text)
    if is_cjk(text):
        return _JA_TOPIC.search(text[:24]) is None
    words = text.casefold().split()
    if not words or words[0].strip(",") in IMPERATIVES or lacks_verb(words):
        return bool(words)
    if words[0] == "the" and len(words) > 2 and is_generic(words[1]) and is_verb(words, 2):
        return True
    return words[0] not in PRONOUNS and is_verb(words, 0)


def _folded(*texts: str) -> list[str]:
    return " ".join(texts).casefold().split()


def _is_loose(lead: str) -> bool:
    """Whether an introduction leans itself, or has lost its subject, as `Is a user …` has."""
    first = lead.split(" ", 1)[0].casefold()
    if is_cjk(lead):
        return leans(lead)
    return leans(lead) or (first in FINITE - IMPERATIVES and " " in lead)


def stands_alone(text: str, label: str) -> bool:
    """Whether an item says something without the words above it."""
    text = without_code_marks(text)
    first = text.split(" ", 1)[0].strip("\"'“(*,:").casefold()
    sentences = split_sentences(text)
    if sentences and leans(text[: sentences[0][1]]):
        return False
    if is_cjk(text):
        return len(text) >= 12 and (bool(label) or bool(re.search("[はがを]", text)))
    size = weight_of(text)
    words = text.casefold().split()
    if first in IMPERATIVES and text[:1].isupper():
        return size >= _LEAST_ALONE - 1
    if label:
        return size >= _LEAST_ALONE and has_verb(words)
    if first in FINITE - IMPERATIVES or (first in _CLAUSES and ", " not in text):
        return False
    return size >= _LEAST_ALONE and has_verb(words) and not text[:1].islower()
