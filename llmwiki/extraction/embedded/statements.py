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
from llmwiki.extraction.embedded.names import (
    clean_name,
    is_cjk,
    is_generic,
    strip_numbering,
    valid_name,
)
from llmwiki.extraction.embedded.shape import (
    fits,
    is_clause,
    is_headless,
    is_order,
    is_phrase,
    leans,
    stands_alone,
    turns,
    weight_of,
)
from llmwiki.extraction.embedded.vocabulary import (
    ACTION_WORDS,
    DECISION_WORDS,
    ROLE_WORDS,
    made_of,
)
from llmwiki.language.sentences import split_sentences
from llmwiki.language.tokens import terms


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
    listed: tuple[int, int] | None = None
    """The list that it is an item of, or some of the items."""
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
    """Whether it introduces code, which stands in its text where `held` says so."""
    held: bool = False
    """Whether its text holds what it leans on."""
    sentences: int = 1
    """How many sentences it is of."""
    whole: bool = True
    """Whether it holds a verb, or what it stands below does."""
    talk: bool = False
    """Whether it is of the notes of a meeting."""
    spoken: bool = False
    """Whether the document names who says it, as chats and mails do."""
    decided: bool = False
    """Whether it stands under a heading such as `Resolution`."""
    under: str = ""
    """The name that the heading above gives it, where that is not the document's."""
    as_of: str = ""
    """The time a row is about, where it has one."""
    scope: str = ""
    """The sheet of a row, where there are several."""
    slot: tuple[str, str] | None = None
    """The one column a row fills, and its value."""


_Words = tuple[str, StatementEvidence]
"""Words without markup, and where they stand."""

_VERSE_LINES = 3
_VERSE = re.compile(r"\s*[A-Z][^\n{}=<>;|\\]{12,120}[.!]$")
_LONGEST_ITEM = 45
"""Words of a list item that is one statement; of a longer one each sentence is."""
_LONGEST_NAME = 5
"""Words of an introduction that only names what its list is about."""
_LONGEST_LEAD = 24
"""Words of an introduction that each item of its list can carry."""
_LONGEST_PASSAGE = 60
"""Words of sentences that are one statement, for each leans on the one before."""
_LEAST_LEAD = 3
"""Words of an introduction that is told with its whole list."""
_MOST_PARTS = 3
"""Statements of one list of short items."""
_LONGEST_RUN = 40
"""Items without an introduction that are looked at together."""
_LONGEST_STEP = 40
"""Words of a step that is told with the others."""
_MOST_QUOTES = 3
"""What a claim can have (`schema.ExtractedClaim`)."""
_MOST_CODE = 2
"""Lines of code that are told with the sentence before them."""
_SHORT_ITEM = 14
"""Words of an item that is told together with its list."""

_LINK_ONLY = re.compile(
    r"\s*(?:!?\[\[[^\[\]]*\]\]|!?\[[^\[\]]*\]\([^()]*\)|<https?:[^<>]*>|https?://\S+)[\s.,;|/·]*"
)
_EXPLAINED = re.compile(r"\[[^\[\]]{2,60}\]\([^()\s]*\) ?[-–—:] ?(?=[^\n]{20})")
"""A link with words that say what it leads to."""
_GOES_ON = re.compile(r"[,;](?:\s++(?P<joint>and|or))?\s*+\Z")
"""How an item ends whose sentence goes on in the next one."""
_LEAD_END = re.compile(r"[:：]\W{0,200}$")
_COLON = re.compile(r"(?<![\s:：])\s*+[:：]{1,2}$")
_BOLD = re.compile(r"\*\*[^\s*]|__[^\s_]")
_TASK = re.compile(r"\[[ xX]\]\s")
_AGENDA = re.compile(r"#\d{1,6}\W{0,2}$")
"""How a topic ends that an agenda takes from a tracker."""
_TURNING_WORDS = re.compile(
    r"\b(?:not|never|non|reject\w*|alternatives?|reasons?|problems?|against|anti|wrong|bad|"
    r"mistakes?|drawbacks?|before|old|deprecated|unresolved|out of)\b|n['’]t\b|却下|代替|問題",
    re.IGNORECASE,
)
"""Words of an introduction or heading without which what it holds could say the contrary."""
_ROLES = ROLE_WORDS | DECISION_WORDS | ACTION_WORDS
_THESE = re.compile(r"\b(has|have|are|by|with|into) these(?= \w+$)")
_THIS = re.compile(r"\b(?:this|the following)\b", re.IGNORECASE)
"""What stands for the code that follows."""
_OF_ITSELF = re.compile(r"\bthis (\w+)")
_SPEAKER = re.compile(r"(?:@[\w-]+|[a-z]{2,12}|[A-Z][\w.]*(?: [A-Z][\w.]*)?):\s")
"""Who says what follows, in the notes of a talk."""
_ANAPHOR = re.compile(r"(?:It|They|This|These|He|She|Its|Their)\b|[こそ](?:れ|の)")
"""The beginning of a paragraph that goes on with the one before."""
_ACT = re.compile(r"[A-Z][a-z]+ing (?:the|an?|all|any|which|that|whether|how) ")
"""An item that names what is done, and leaves it to its list by whom."""
_PERSONAL = re.compile(r"\b(?:I|my)\b")
_ARTICLE = re.compile(r"(?:An?|The) (?=[a-z0-9])")
_JA_TOPIC = re.compile("(?<!場合)[はがも]")


def statements(
    lines: Sequence[str],
    outline: Outline,
    sections: Collection[int],
    passed_over: Collection[int],
    title: str,
    *,
    talk: bool,
) -> list[DocumentStatement]:
    """All statements of the document of that title in reading order, none judged yet.

    Neither `sections` (their indices) nor the lines `passed_over` are read. `talk` says that it is
    the notes of a meeting, whose items are told with what they were said of.
    """
    reader = _Statements(lines, outline, title, talk=talk)
    opened: set[int] = set()
    found: list[DocumentStatement] = []
    for index, block in enumerate(outline.blocks):
        pointer = block.section in sections and not _EXPLAINED.match(block.raw)
        if pointer or block.first in passed_over:
            continue
        made = reader.of_speaker(index, reader.of(index, block))
        if made and block.section not in opened:
            opened.add(block.section)
            made[0] = replace(made[0], opens=True)
        if made and found and reader.continues(index, found[-1], made[0]):
            found[-1] = _joined(found[-1], made.pop(0))
        found += [reader.below_heading(one) for one in made]
    return [reader.plain(one, order) for order, one in enumerate(found) if normalise(one.text)]


class _Statements:
    """Reads the blocks of one document one after the other."""

    def __init__(self, lines: Sequence[str], outline: Outline, title: str, *, talk: bool) -> None:
        self._talk = talk
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
        self._lists: dict[tuple[int, int], list[int]] = {}
        """A list to the indices of its items."""
        self._told: dict[tuple[int, int], bool] = {}
        self._said: dict[int, _Words | None] = {}
        """The words of a heading, where they say something."""
        for index, block in enumerate(outline.blocks):
            if block.kind == "item":
                self._lists.setdefault(_list_of(block), []).append(index)
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

    def of_speaker(self, index: int, made: list[DocumentStatement]) -> list[DocumentStatement]:
        """The statements of a block; in the notes of a talk, whether somebody says them."""
        said = _SPEAKER.match(strip_markup(self._blocks[index].raw[:80])) if self._talk else None
        if said is None or made_of(DECISION_WORDS | ACTION_WORDS, said[0]):
            return made
        return [replace(one, spoken=True, label="") for one in made]

    def plain(self, one: DocumentStatement, order: int) -> DocumentStatement:
        """The statement with its words as they are judged, and as the claim has them."""
        text, own = without_code_marks(one.text), without_code_marks(one.own)
        heading = self._heading(one.section)
        said = own.casefold()
        named = f"{self._title} {heading[0].casefold() if heading else ''}".split()
        topical = any(word[:-1] in said for word in named if len(word) > 3)
        under = clean_name(heading[0]) if heading else ""
        itself = any(found[1] in self._title.split() for found in _OF_ITSELF.finditer(said))
        return replace(
            one, text=text, own=own, written=one.text, order=order, topical=topical,
            talk=self._talk, under=under, held=one.held or itself,
        )  # fmt: skip

    def continues(self, index: int, before: DocumentStatement, one: DocumentStatement) -> bool:
        """Whether the first statement of a block leans on the last one of the block before it."""
        block, last = self._blocks[index], self._blocks[max(0, index - 1)]
        near = block.kind == last.kind == "paragraph" and block.section == last.section
        if not near or one.leads or self._talk or before.kind != "sentence":
            return False
        near = last.first <= before.evidence[0].first <= last.last and before.text == before.own
        fitting = weight_of(before.own) + weight_of(one.own) <= _LONGEST_PASSAGE
        room = len(before.evidence) + len(one.evidence) <= _MOST_QUOTES
        return near and fitting and room and _ANAPHOR.match(one.own) is not None

    # -- running text

    def _paragraph(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        whole = bool(block.term) and fits(block.raw)
        passages = [[(0, len(block.raw.rstrip()))]] if whole else _passages(block.raw)
        made = [self._passage(block, spans, "sentence") for spans in passages]
        found = [one for one in made if one is not None]
        if found:
            label = clean_name(block.raw[: block.term]) or label_of(block.raw, found[0].own)
            found[0] = replace(found[0], label=label)
        if listed := self._with_list(index, block):
            return [*found[:-1], *listed]
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
        if index in self._followed or index + 1 == len(self._blocks):
            return found[:-1]
        told = self._blocks[index + 1]
        code = [line.strip().removeprefix("$ ") for line in told.raw.split("\n") if line.strip()]
        quote = self._lines_of(told.first, told.last)
        if told.kind != "code":
            return found[:-1]
        if len(code) > _MOST_CODE or not fits(quote) or "`" in quote:
            text = one.text.removesuffix(one.own) + bare
            return [*found[:-1], replace(one, text=text, own=bare, leads=True)]
        said = f"{bare}: `{code[0]}`" if len(code) == 1 else f"{bare}: {' '.join(code)}"
        text = one.text.removesuffix(one.own) + said
        evidence = (*one.evidence, StatementEvidence(quote, told.first, told.last))[:_MOST_QUOTES]
        held = not leans(_THIS.sub("the", without_code_marks(bare)))
        one = replace(one, text=text, own=said, evidence=evidence, leads=True, held=held)
        return [*found[:-1], one]

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
            listed=_list_of(block) if kind == "item" else None,
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
        if one.kind == "verse":
            return one
        context = self._heading(one.section)
        phrase = one.kind == "sentence" and is_phrase(without_code_marks(one.own))
        if context is None and one.opens and phrase and self._titled and one.section == 1:
            context = self._of_heading(1)
        if context is None or one.text != one.own or len(one.evidence) == _MOST_QUOTES:
            return replace(one, whole=not phrase) if one.kind == "sentence" else one
        if one.evidence[0] == context[1]:
            return one  # A list of names, whose introduction the heading is.
        named = set(terms(context[0])) <= set(terms(one.own))
        if one.opens and _ARTICLE.match(one.own):
            named = set(terms(context[0])) <= set(terms(one.own[: len(context[0]) + 8]))
        if named and not _TURNING_WORDS.search(context[0]):
            return one
        told = valid_name(clean_name(one.label)) if one.label else one.definition is not None
        wanting = self._talk or (not told and (bool(one.label) or _needs_topic(one.own)))
        if one.opens and not told and weight_of(context[0]) <= _LONGEST_NAME:
            wanting = wanting or set(terms(context[0])).isdisjoint(terms(one.own))
        own = without_code_marks(one.own)
        leaning = not is_cjk(own) and leans(own)
        held = leaning and not set(terms(context[0])).isdisjoint(terms(" ".join(own.split()[:6])))
        if not (_TURNING_WORDS.search(context[0]) or wanting or held):
            return one
        one = replace(one, held=held or self._talk)
        return replace(one, text=f"{context[0]}: {one.own}", evidence=(*one.evidence, context[1]))

    # -- items

    def _item(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        if _LINK_ONLY.fullmatch(block.raw) or (_TASK.match(block.raw) and not self._talk):
            return []
        if listed := self._with_list(index, block):
            return list(filter(None, [self._in_context(index, block, one) for one in listed]))
        if listed := self._below_name(index, block):
            return listed
        text = strip_markup(block.raw)
        if (block.ordered and _is_step(text)) or _AGENDA.search(text):
            return []  # A step that can not be told with the others, or a topic.
        if self._followed.get(index) and (not is_clause(text) or text[-1:] in ":：" or self._talk):
            return []  # A heading in the form of an item.
        whole = fits(block.raw) and weight_of(block.raw) <= _LONGEST_ITEM
        end = len(_GOES_ON.sub("", block.raw.rstrip()).rstrip())
        passages = [[(0, end)]] if whole else _passages(block.raw)
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

    def _with_list(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        """A list of short items, told with the words that introduce it."""
        context = self._last_sentence(block)
        if context is None or self._talk or weight_of(context[0]) < _LEAST_LEAD:
            return []
        if _is_loose(context[0]):
            return []
        return self._listing(self._followed.get(index, []), context)

    def _below_name(self, index: int, block: DocumentBlock) -> list[DocumentStatement]:
        """A list of names that nothing introduces, or of steps, told with the heading above it."""
        context = self._heading(block.section) or (self._of_heading(1) if self._titled else None)
        if self._talk or context is None:
            return []
        items = self._lists[_list_of(block)]
        steps = items[0] == index and _are_steps([self._blocks[at] for at in items])
        if not steps:
            start = bisect_left(items, index)
            near = enumerate(items[start : start + _LONGEST_RUN], index)
            items = [at for number, at in near if at == number]
        raws = [self._blocks[at].raw for at in items]
        told = any(is_clause(strip_markup(raw)) or label_of(raw, raw) for raw in raws)
        if not steps and (told or block.ordered or index in self._leads):
            return []
        return self._listing(items, context)

    def _listing(self, items: Sequence[int], context: _Words) -> list[DocumentStatement]:
        """Short items, by their indices, as few statements; none where they are no such list."""
        blocks = [self._blocks[at] for at in items]
        steps = _are_steps(blocks)
        nested = not steps and not self._followed.keys().isdisjoint(items)
        if nested or len(blocks) < 2 or any(_LINK_ONLY.fullmatch(one.raw) for one in blocks):
            return []
        # Conditions of one sentence are not true apart.
        is_one = all(_GOES_ON.search(one.raw) for one in blocks[:-1])
        longest = _LONGEST_STEP if steps or is_one else _SHORT_ITEM
        if any(weight_of(strip_markup(one.raw)) > longest for one in blocks):
            return []
        parts: list[list[DocumentBlock]] = []
        for one in blocks:
            if parts and fits(self._lines_of(parts[-1][0].first, one.last)):
                parts[-1].append(one)
            else:
                parts.append([one])
        parts = [part for part in parts if fits(self._lines_of(part[0].first, part[-1].last))]
        if not 0 < len(parts) <= min(_MOST_PARTS, len(blocks) // 2):
            return []
        self._listed.update(range(items[0], items[-1] + 1) if steps else items)
        made: list[DocumentStatement] = []
        for part in parts:
            first, last = part[0].first, part[-1].last
            said = _one_sentence([strip_markup(one.raw, code=True) for one in part])
            text = f"{context[0]}: {said}"
            quotes = (context[1], StatementEvidence(self._lines_of(first, last), first, last))
            made.append(
                DocumentStatement(
                    text, text, quotes, part[0].section, 0, "list", listed=_list_of(part[0])
                )
            )
        return made

    def _lines_of(self, first: int, last: int) -> str:
        return normalise("\n".join(self._lines[first - 1 : last]))

    def _in_context(
        self, index: int, block: DocumentBlock, one: DocumentStatement
    ) -> DocumentStatement | None:
        """The item with the words above it that it needs to be understood, if it needs any.

        None where those words can not be understood themselves, and it says too little alone.
        """
        context = self._introduction(index, block)
        apart = stands_alone(one.own, one.label) and not _ACT.match(one.own)
        turning = context is not None and _TURNING_WORDS.search(context[0]) is not None
        if context is not None and _is_loose(context[0]) and not self._talk:
            return one if apart and not (block.nested or turning) else None
        if block.nested and apart and not turning and not self._talk:
            context = None
        plain = without_code_marks(one.own)
        sure = apart and bool(one.label)
        role = self._is_role(block.section)
        if one.text != one.own or (context is None and sure and not role):
            return one
        parts = [] if context is None else [context]
        if self._talk and context is not None and (outer := self._outer(index)) is not None:
            parts = [outer, context]
        elif context is None or weight_of(context[0]) <= _LONGEST_NAME:
            parts = [*self._headings(block.section), *parts]
        if context is None and apart and not role and one.own[-1:] in ".。":
            parts = []
        text, evidence = one.own, list(one.evidence)
        for words, quote in reversed(parts):
            if words.casefold() not in text.casefold() and len(evidence) < _MOST_QUOTES:
                text = f"{words}: {text}"
                evidence.append(quote)
        explained = valid_name(clean_name(one.label)) and weight_of(one.own) > _LONGEST_NAME
        if text == one.own and not (apart or explained):
            return None
        said = is_clause(plain) or is_headless(plain) or bool(one.label)
        said = said or self._is_told(_list_of(block))
        said = said or (context is not None and is_clause(context[0]))
        named = block.nested and context is not None and weight_of(context[0]) <= _LONGEST_NAME
        held = (named and not is_generic(context[0] if context else "")) or self._talk
        return replace(one, text=text, evidence=tuple(evidence), whole=said, held=held)

    def _is_told(self, key: tuple[int, int]) -> bool:
        """Whether enough items of a list are clauses, so that the others are alike."""
        if key not in self._told:
            texts = [strip_markup(self._blocks[at].raw) for at in self._lists[key]]
            self._told[key] = sum(map(is_clause, texts)) * 3 >= len(texts)
        return self._told[key]

    def _outer(self, index: int) -> _Words | None:
        """What the introduction of an item of a talk is itself said of, where it is short."""
        above = self._leads.get(index)
        at = self._leads.get(above) if above is not None else None
        context = self._last_sentence(self._blocks[at]) if at is not None else None
        return context if context and weight_of(context[0]) <= _SHORT_ITEM else None

    def _introduction(self, index: int, block: DocumentBlock) -> _Words | None:
        """The enclosing item, or the sentence that introduces the list."""
        at = self._leads.get(index)
        if at is None or self._blocks[at].section != block.section:
            return None
        context = self._last_sentence(self._blocks[at])
        if context is None:
            return None
        return context if 1 < weight_of(context[0]) <= _LONGEST_LEAD or block.nested else None

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
        return made_of(_ROLES, self._outline.sections[section].title)

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
            if at == 1 and self._titled:
                return None
            if at not in self._said:
                self._said[at] = self._of_heading(at)
            if (words := self._said[at]) is not None:
                return words
        return None

    def _of_heading(self, at: int) -> _Words | None:
        heading = self._outline.sections[at]
        words = strip_numbering(strip_markup(heading.title, code=True)).rstrip(" .:：?？")
        says = not is_generic(words) or _TURNING_WORDS.search(words)
        if not words or not says or "\ufffd" in words or "://" in words or not fits(heading.title):
            return None
        return words, StatementEvidence(normalise(heading.title), heading.line, heading.line)

    def _verses(self, block: DocumentBlock) -> list[DocumentStatement]:
        """Lines of prose that are set off as code is, such as maxims."""
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
        leaning = bool(passages) and leans(said) and not said.endswith((":", "：", "these."))
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
    vague = is_headless(text) or _ARTICLE.match(text) is not None
    return vague or is_order(text) or is_phrase(text)


def _joined(before: DocumentStatement, one: DocumentStatement) -> DocumentStatement:
    text, count = f"{before.text} {one.text}", before.sentences + one.sentences
    evidence = before.evidence + one.evidence
    return replace(before, text=text, own=text, evidence=evidence, sentences=count)


def _one_sentence(items: Sequence[str]) -> str:
    """Items as one sentence; an "and" or "or" behind one stands before the next."""
    said = ""
    joint = ""
    for item in items:
        found = _GOES_ON.search(item)
        said += f"; {joint}" if said else ""
        said += _GOES_ON.sub("", item).rstrip(".;, \\")
        joint = f"{found['joint']} " if found and found["joint"] else ""
    return said


def _list_of(item: DocumentBlock) -> tuple[int, int]:
    """What the items of one list have in common."""
    return item.section, -1 if item.lead is None else item.lead


def _are_steps(blocks: Sequence[DocumentBlock]) -> bool:
    """Whether the items of a numbered list tell one after the other what to do."""
    orders = sum(_is_step(strip_markup(one.raw)) for one in blocks if one.ordered)
    return orders > 1 and orders * 2 >= len(blocks)


def _is_step(text: str) -> bool:
    return _JA_TOPIC.search(text) is None if is_cjk(text) else is_order(text)


def _is_loose(lead: str) -> bool:
    """Whether an introduction leans itself, or has lost its subject, as `Is a user …` has."""
    lead = _THESE.sub(r"\1", lead)  # What follows is what they are.
    return leans(lead) or _PERSONAL.search(lead) is not None or is_headless(lead)
