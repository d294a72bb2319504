"""Blocks into statements: what could become a claim, with the quotes that carry it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
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
    LABELS_IGNORED,
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
    """sentence, item, list, row, code or verse."""
    written: str = ""
    """`text` with backticks around inline code, where that differs."""
    label: str = ""
    """The name in front of a colon or dash, in a row's first cell, or that a pronoun stands for."""
    definition: Definition | None = None
    opens: bool = False
    """Whether it is the first sentence of its section."""
    leads: bool = False
    """Whether code follows it, which it introduces."""
    sentences: int = 1
    """How many sentences it is of."""
    step: bool = False
    """Whether it stands in a numbered list."""
    adrift: bool = False
    """Whether it needs words above it and there are none to be had."""
    spoken: bool = False
    """Whether the document names its speaker."""
    speaker: str = ""
    """Who says it, where notes of a talk name the speaker before each turn."""
    talk: bool = False
    """Whether it stands among such turns."""
    decided: bool = False
    """Whether it stands under a heading such as `Resolution`."""
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
_LONGEST_CAPTION = 12
"""Words above a list that introduce it without a colon."""
_LONGEST_LEAD = 30
"""Words of an introduction that each item of its list can carry."""
_LONGEST_PASSAGE = 90
"""Words of sentences that are one statement, for each leans on the one before."""
_MOST_LISTED = 12
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
_PERSON = re.compile(r"(?:He|She|His|Her)\s")
_BRACKETED = re.compile(r"\s[\[(][^\[\]()]{1,40}[\])](?:\s?[\[(][^\[\]()]{1,40}[\])]){0,2}$")
"""What stands behind a heading: who spoke, and how long."""
_IDLE = re.compile(r"(?:let me|let's|let us|here|see|note|now)\b", re.I)
_TURN = re.compile(
    r"(?P<who>[A-Za-z][\w.'’-]{0,20}(?: [A-Z][\w.'’-]{0,20}){0,2})(?: \([a-z ]{2,12}\))?: (?=\S)"
)
_TURNS_ROUND = re.compile(r"\b(?:not|never|reasons?|problems?|against|anti|wrong|bad)\b|n['’]t\b")
"""Words of an introduction without which its items could say the contrary."""
_JA_TOPIC = re.compile("(?<!場合)[はがも]")
_VERSION = re.compile(
    r"(?:(?:version|release|[a-z]\w{1,20})[ -])?\[?v?\d{1,4}\.\d{1,4}(?:\.[\w+-]{1,20}){0,3}\]?"
    r"(?: ?[-–—:]? ?\(?(?:\d{4}-\d\d-\d\d|(?:[A-Z][a-z]{2,8}|\d{1,2}(?:st|nd|rd|th)?),? "
    r"[\w,]{1,9}(?: \d{4})?)\)?)?$",
    re.IGNORECASE,
)
_LEAST_TURNS = 6
_CLAUSES = word_set("when if because whether while where for by to since unless with without")
_ENGLISH = word_set("the of and to is for with a an on by that from")
_DETERMINERS = word_set("the a an this that these those its their all any each no to your our one")
_AFTER_NOUN = word_set("""to under between into of from for with by in on at and or like as that who
    which should must can may will would are were have is was do""")
_AFTER_PAST = word_set("in on at that from because when after before until over about")
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
        found += filter(None, map(reader.versioned, made))
    return [_plain(one, order) for order, one in enumerate(found) if normalise(one.text)]


def _plain(one: DocumentStatement, order: int) -> DocumentStatement:
    """The statement with its words as they are judged, and as the claim has them."""
    text, own = without_code_marks(one.text), without_code_marks(one.own)
    return replace(one, text=text, own=own, written=one.text, order=order)


class _Statements:
    """Reads the blocks of one document one after the other."""

    def __init__(self, lines: Sequence[str], outline: Outline) -> None:
        self._lines = lines
        self._outline = outline
        self._blocks = outline.blocks
        self._listed: set[int] = set()
        """Indices of the items that a statement about their whole list holds."""
        self._about: tuple[str, StatementEvidence, int] | None = None
        """What was defined last, where, and in which section."""
        first = [section.level for section in outline.sections[1:2]]
        levels = [section.level for section in outline.sections[2:]]
        self._titled = bool(first) and all(level > first[0] for level in levels)
        """Whether the first heading is that of the whole document."""
        self._followed = _followed(outline.blocks)
        self._leads = {at: lead for lead, items in self._followed.items() for at in items}
        versions = {
            at
            for at, section in enumerate(outline.sections)
            if _VERSION.match(strip_markup(section.title))
        }
        self._versions = versions if len(versions) > 2 else set()
        """Sections that a changelog has, one for each version."""
        self._talk = -1
        """The section in which somebody spoke last."""
        self._speakers = _speakers(outline.blocks)

    def of(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        """The statements of one block."""
        if index in self._listed:
            return []
        if block.kind == "code":
            return self._code(block)
        if block.kind == "item":
            return self._item(index, block)
        return self._paragraph(index, block)

    # -- running text

    def _turn(self, index: int, block: DocumentBlock) -> list[DocumentStatement] | None:
        """What one speaker says; None where the block does not begin with the name of one."""
        turn = _TURN.match(block.raw)
        if turn is None or not self._is_turn(block):
            return None
        passages = _passages(block.raw[turn.end() :])
        if passages and fits(block.raw):
            passages = [[span for spans in passages for span in spans]]
        made = [
            self._passage(block, [(turn.end() + a, turn.end() + b) for a, b in spans], "sentence")
            for spans in passages
        ]
        self._talk = block.section
        around = self._introduction(index, block) if block.nested else None
        found = [replace(one, speaker=turn["who"], talk=True) for one in made if one is not None]
        if around is None:
            return [self._below_heading(one) for one in found]
        return [
            replace(one, text=f"{around[0]}: {one.own}", evidence=(*one.evidence[:2], around[1]))
            for one in found
        ]

    def _is_turn(self, block: DocumentBlock) -> bool:
        turn = _TURN.match(block.raw)
        return turn is not None and turn["who"] in self._speakers

    def _paragraph(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        if (turn := self._turn(index, block)) is not None:
            return turn
        if block.term and fits(block.raw):
            passages = [[(0, len(block.raw.rstrip()))]]
        else:
            passages = _passages(block.raw)
        made = [self._passage(block, spans, "sentence") for spans in passages]
        talk = self._talk == block.section
        found = [self._referring(replace(one, talk=talk)) for one in made if one is not None]
        if not found:
            return found
        label = clean_name(block.raw[: block.term]) or label_of(block.raw, found[0].own)
        found[0] = replace(found[0], label=found[0].label or label)
        if _is_field(found[0].own):
            found[0] = self._below_heading(found[0])
        if (whole := self._with_list(index, block)) is not None:
            return [*found[:-1], whole]
        self._lead_in(index, found)
        if not found:
            return found
        if index and self._blocks[index - 1].raw.endswith((",", "，")):
            found[0] = replace(found[0], opens=True)
        title = block.callout
        if (
            title
            and title.casefold() not in _CALLOUTS
            and title.casefold() not in found[0].text.casefold()
        ):
            found[0] = self._titled_callout(block, title, found[0])
        return found

    def _titled_callout(
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
            text, text, evidence, block.section, 0, kind,
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

    def _referring(self, one: DocumentStatement) -> DocumentStatement:
        """A sentence about a person that begins with a pronoun, with the name it stands for."""
        definition = one.definition
        if definition and definition.strength == 3:
            self._about = definition.name, one.evidence[0], one.section
            return one
        about = self._about
        if about is None or about[2] != one.section or not _PERSON.match(one.own):
            return one
        name, evidence, _ = about
        if not name[:1].isupper() or name not in evidence.quote:
            return one
        return replace(
            one, text=f"{name}: {one.own}", label=name, evidence=(*one.evidence, evidence)
        )

    def opening(self, one: DocumentStatement) -> DocumentStatement:
        """The first sentence of a section; some leave to the heading what they are about."""
        one = replace(one, opens=True)
        title = self._outline.sections[one.section].title.strip("` ")
        named = is_code_name(title) or _needs_topic(one.own)
        if one.label or one.definition or not named or one.text[-1:] not in ".。":
            return one
        return self._below_heading(one)

    def _below_heading(self, one: DocumentStatement) -> DocumentStatement:
        """The statement with the heading above it, unless it names that itself."""
        context = self._heading(one.section)
        if context is None or one.text != one.own or len(one.evidence) == _MOST_QUOTES:
            return one
        if context[0].casefold().rstrip("s") in one.own.casefold():
            return one
        return replace(one, text=f"{context[0]}: {one.own}", evidence=(*one.evidence, context[1]))

    def versioned(self, one: DocumentStatement) -> DocumentStatement | None:
        """What is told of a version, with its heading; None where nothing says of which it is."""
        if not self._versions:
            return one
        at = next((at for at in self._outline.above(one.section) if at in self._versions), None)
        if at is None:
            return None
        heading = self._outline.sections[at]
        words = strip_markup(heading.title)
        apart = one.text != one.own or not leans(one.own)
        if len(one.evidence) == _MOST_QUOTES or not fits(heading.title) or not apart:
            return None
        quote = StatementEvidence(normalise(heading.title), heading.line, heading.line)
        return replace(one, text=f"{words}: {one.text}", evidence=(*one.evidence, quote))

    # -- items

    def _item(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        if _LINK_ONLY.fullmatch(block.raw) or self._under_pointers(block):
            return []
        if (turn := self._turn(index, block)) is not None:
            return turn
        if (listed := self._with_list(index, block)) is not None:
            return list(filter(None, [self._in_context(index, block, listed)]))
        text = strip_markup(block.raw)
        names = weight_of(text) <= _LONGEST_NAME or not has_verb(text.casefold().split())
        if self._followed.get(index) and (names or text[-1:] in ":："):
            return []  # A heading in the form of an item.
        label = label_of(block.raw, text)
        whole = fits(block.raw) and weight_of(block.raw) <= _LONGEST_ITEM
        passages = [[(0, len(block.raw.rstrip()))]] if whole else _passages(block.raw)
        made = [self._passage(block, spans, "item") for spans in passages]
        found = [one for one in made if one is not None]
        if not found:
            return found
        found = [
            replace(found[0], label=label),
            *(self._labelled(block, label, one) for one in found[1:]),
        ]
        self._lead_in(index, found)
        placed = (self._in_context(index, block, one) for one in found)
        return [replace(one, step=block.ordered) for one in placed if one is not None]

    def _labelled(
        self, block: DocumentBlock, label: str, one: DocumentStatement
    ) -> DocumentStatement:
        """A later part of an item, with the label that the item begins with."""
        line = self._lines[block.first - 1]
        if not label or label not in line or label.casefold() in one.own.casefold():
            return one
        evidence = StatementEvidence(label, block.first, block.first)
        return replace(
            one, text=f"{label}: {one.own}", label=label, evidence=(*one.evidence, evidence)
        )

    def _with_list(self, index: int, block: DocumentBlock) -> DocumentStatement | None:
        """A list of short items as one statement, with the words that introduce it."""
        followers = self._followed.get(index, [])
        context = self._last_sentence(block)
        if not 2 <= len(followers) <= _MOST_LISTED or context is None:
            return None
        if _is_loose(context[0]):
            return None
        items = [self._blocks[at] for at in followers]
        if any(_LINK_ONLY.fullmatch(one.raw) for one in items):
            return None
        if any(at in self._followed for at in followers):
            return None
        words, evidence = context
        texts = [strip_markup(one.raw, code=True).rstrip(".;, ") for one in items]
        quotes = self._quoted(items) or self._quoted(items[: len(items) // 2])
        if len(quotes) and quotes[-1].last < items[-1].first:
            quotes += self._quoted(items[len(items) // 2 :])
        whole = bool(quotes) and quotes[-1].last == items[-1].last
        if any(weight_of(text) > _SHORT_ITEM for text in texts) or not whole:
            return None
        self._listed.update(followers)
        text = f"{words}: {'; '.join(texts)}"
        return DocumentStatement(text, text, (evidence, *quotes), block.section, 0, "list")

    def _quoted(self, items: Sequence[DocumentBlock]) -> list[StatementEvidence]:
        """The lines of some items as one quote; none where they are too long for one."""
        first, last = items[0].first, items[-1].last
        quote = normalise("\n".join(self._lines[first - 1 : last]))
        return [StatementEvidence(quote, first, last)] if fits(quote) else []

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
        role = self._is_role(block.section)
        apart = stands_alone(one.own, one.label) and not _is_field(one.own)
        if context is not None and _is_loose(context[0]):
            cut = not leans(context[0]) or _TURNS_ROUND.search(context[0]) or _is_field(one.own)
            return one if stands_alone(one.own, "") and not cut else None
        if block.nested and apart and context and weight_of(context[0]) > _SHORT_ITEM:
            context = None
        if one.text != one.own or (context is None and not role and apart):
            return one
        parts = [] if context is None else [context]
        if context is None or weight_of(context[0]) <= _LONGEST_NAME:
            parts = [*self._headings(block.section), *parts]
        text, evidence = one.own, list(one.evidence)
        for words, quote in reversed(parts):
            if words.casefold() not in text.casefold() and len(evidence) < _MOST_QUOTES:
                text = f"{words}: {text}"
                evidence.append(quote)
        adrift = not parts and not stands_alone(one.own, one.label)
        return replace(one, text=text, evidence=tuple(evidence), adrift=adrift)

    def _introduction(
        self, index: int, block: DocumentBlock
    ) -> tuple[str, StatementEvidence] | None:
        """The enclosing item, or the sentence that introduces the list."""
        at = self._leads.get(index) if block.kind == "item" else block.lead
        while at is not None and self._is_turn(self._blocks[at]):
            at = self._leads.get(at)
        if at is None or self._blocks[at].section != block.section:
            return None
        lead = self._blocks[at]
        if block.kind != "item" and not _LEAD_END.search(lead.raw[-200:]):
            return None
        context = self._last_sentence(lead)
        if context is None or _IDLE.match(context[0]):
            return None
        return context if weight_of(context[0]) <= _LONGEST_LEAD else None

    def _last_sentence(self, lead: DocumentBlock) -> tuple[str, StatementEvidence] | None:
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

    def _headings(self, section: int) -> list[tuple[str, StatementEvidence]]:
        """The heading above; of one that says a role only, the one around it too."""
        if not self._is_role(section):
            heading = self._heading(section)
            return [] if heading is None else [heading]
        role = self._outline.sections[section]
        around = self._heading(role.parent) if role.parent else None
        words = strip_markup(role.title).rstrip(" :：")
        own = words, StatementEvidence(normalise(role.title), role.line, role.line)
        return [own] if around is None else [around, own]

    def _heading(self, section: int) -> tuple[str, StatementEvidence] | None:
        """The nearest heading above that says something, and is not the document's title."""
        for at in self._outline.above(section):
            heading = self._outline.sections[at]
            words = strip_numbering(strip_markup(heading.title, code=True)).rstrip(" :：?？")
            words = _BRACKETED.sub("", words)
            if at == 1 and self._titled:
                return None
            if words and not is_generic(words) and "\ufffd" not in words and fits(heading.title):
                quote = normalise(heading.title)
                return words, StatementEvidence(quote, heading.line, heading.line)
        return None

    # -- code

    def _lead_in(self, index: int, found: list[DocumentStatement]) -> None:
        """Mark the last sentence where it ends in a colon; its words are without it."""
        one = found[-1]
        bare = _COLON.sub("", one.own)
        paragraph = self._blocks[index].kind == "paragraph"
        if index in self._followed and (bare != one.own or paragraph):
            found.pop()  # The items of its list carry it.
        elif bare != one.own:
            text = one.text.removesuffix(one.own) + bare
            follows = index + 1 < len(self._blocks) and self._blocks[index + 1].kind == "code"
            if not (paragraph or follows):
                found.pop()  # Nothing stands under it.
                return
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
        context = self._introduction(-1, block)
        if context is None or not stands_alone(context[0], ""):
            return []
        if len(numbered) > _CODE_LINES or not 2 <= len(code) <= SHORT_CODE:
            return []
        words, evidence = context
        quote = StatementEvidence(normalise(code), numbered[0][0], numbered[-1][0])
        text = f"{words}: {normalise(code)}"
        return [DocumentStatement(text, text, (evidence, quote), block.section, 0, "code")]


def _followed(blocks: Sequence[DocumentBlock]) -> dict[int, list[int]]:
    """Index of a block that introduces a list to the indices of the items of that list."""
    found: dict[int, list[int]] = {}
    for index, block in enumerate(blocks):
        at = block.lead if block.kind == "item" else None
        if at is not None and (block.nested or _introduces(blocks[at])):
            found.setdefault(at, []).append(index)
    return found


def _introduces(block: DocumentBlock) -> bool:
    """Whether a block ends in a colon, or is a few words that are no sentence, as a caption is."""
    raw = block.raw.rstrip()
    if _LEAD_END.search(raw[-200:]) is not None:
        return True
    caption = block.kind == "paragraph" and "\n" not in raw and raw[-1:].isalnum()
    return caption and raw[:1].isupper() and 3 <= len(raw.split()) <= _LONGEST_CAPTION


def _speakers(blocks: Sequence[DocumentBlock]) -> frozenset[str]:
    """Names that stand before many paragraphs or items, as in notes of a talk."""
    found = Counter(turn["who"] for block in blocks if (turn := _TURN.match(block.raw)))
    for name in list(found):
        small = name[0].islower() and found[name] < _LEAST_TURNS // 2
        if small or is_generic(name) or not LABELS_IGNORED.isdisjoint(name.casefold().split()):
            del found[name]
    named = sum(often > 1 for often in found.values()) > 1
    enough = found.total() >= _LEAST_TURNS
    return frozenset(found) if named and enough else frozenset()


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


def _is_field(text: str) -> bool:
    """Whether a text is a name and a value, with no verb."""
    name, mark, value = text.partition(": ")
    size = len(value.split())
    return bool(mark) and len(name.split()) <= 3 and 0 < size <= 25 and value[-1] not in ".!?。！？"


def _needs_topic(text: str) -> bool:
    """Whether the first sentence below a heading leaves it to that what it is about."""
    text = without_code_marks(text)
    if is_cjk(text):
        return _JA_TOPIC.search(text[:24]) is None
    words = text.casefold().split()
    if not words or words[0].strip(",") in IMPERATIVES or lacks_verb(words):
        return bool(words)
    return words[0] not in PRONOUNS and is_verb(words, 0)


def _is_loose(lead: str) -> bool:
    """Whether an introduction leans itself, or has lost its subject, as `Is a user …` has."""
    first = lead.split(" ", 1)[0].casefold()
    return not is_cjk(lead) and (leans(lead) or (first in FINITE - IMPERATIVES and " " in lead))


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
    if label or (first in IMPERATIVES and text[:1].isupper()):
        return size >= _LEAST_ALONE - 1
    if first in FINITE - IMPERATIVES or (first in _CLAUSES and ", " not in text):
        return False
    words = text.casefold().split()
    return size >= _LEAST_ALONE and has_verb(words) and not text[:1].islower()
