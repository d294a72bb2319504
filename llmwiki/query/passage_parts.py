"""The parts of a passage that can answer by themselves: sentences side by side, lists whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from llmwiki.language.sentences import split_sentences
from llmwiki.pages.lines import fence
from llmwiki.pages.scan import body_start, scan
from llmwiki.retrieval.passage import Passage

WINDOW = 2
"""Sentences side by side in which an answer is looked for."""
LONG = 240
"""Characters up to which a text is one part."""
LIST = 1_200
"""Characters up to which a list is shown whole; half as many where no sentence promises it."""
AROUND = 200
"""Lines before and behind those of a passage in which its paragraphs and lists begin and end."""
_ITEM = re.compile(r"\A(?:[-*+]|\d{1,3}[.)]) (?:\[[ xX]\] )?")
_LISTED = re.compile(r"(?:\A|[:;.] )(?:[-*+]|\d{1,3}[.)]) ")
"""Where an item begins in a text of one line."""


class PassagePart(NamedTuple):
    """A part of a passage."""

    text: str
    """What is shown."""
    judged: str
    """That of it in which the answer must stand: of a list its introduction and one item."""
    passage: Passage
    """What is cited; of a source the paragraph, item or list, with its own lines."""


def parts_of(passage: Passage, source: Sequence[str]) -> list[PassagePart]:
    """The parts of a passage, in order; where it is lines of a source, whose whole lines are given,
    they begin and end as its paragraphs do, and there are none of markup."""
    if not source:
        return [PassagePart(text, text, passage) for text in windows(passage.text)]
    start = max(passage.line - 1 - AROUND, 0)
    text = "\n".join(source[start : passage.last + AROUND])
    begin = 0 if start else body_start(text)
    start += text.count("\n", 0, begin)
    found: list[PassagePart] = []
    for heading, spans in _groups(text[begin:]):
        held = [(start + first + 1, start + last + 1) for first, last in spans]
        if held[0][0] <= passage.last and passage.line <= held[-1][1]:
            found += _parts(passage, source, heading, held)
    return found


def windows(text: str) -> Iterator[str]:
    """The runs of `WINDOW` sentences of a text; a short one, or one with a list in it, is one."""
    spans: list[tuple[int, int]] = []
    start, most = 0, LIST if _LISTED.search(text) else LONG
    for first, last in [] if len(text) <= most else split_sentences(text):
        if not _is_label(text[first:last]):
            spans.append((start, last))
            start = last
    if len(spans) <= WINDOW:
        yield text
    for at in range(len(spans) - WINDOW + 1 if len(spans) > WINDOW else 0):
        yield text[spans[at][0] : spans[at + WINDOW - 1][1]].strip()


def _is_label(sentence: str) -> bool:
    """Whether it is no sentence: `**Note.**`, `Step 1.`"""
    return len(sentence.split()) < 3 or sentence[:2] == sentence[-2:] == "**"


def _groups(text: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The (first, last) lines of each paragraph, or of a list's introduction and its items, with
    the heading they stand under."""
    lines = text.split("\n")
    heading, spans, is_list = "", list[tuple[int, int]](), False
    for block in scan(text):
        is_item = block.kind in {"item", "code"} or any(x.kind == "table" for x in block.leaves)
        if is_item and spans and (is_list or lines[spans[-1][1]].rstrip().endswith((":", "："))):
            is_list = True
            if block.kind == "code":
                spans[-1] = spans[-1][0], block.last
            else:
                spans.append((block.first, block.last))
            continue
        if spans:
            yield heading, spans
        spans, is_list = [], is_item
        if block.kind == "heading" or any(leaf.kind == "heading" for leaf in block.leaves):
            heading = lines[block.first].strip("# ")
        elif block.kind != "html" and re.search(r"\w", lines[block.first]):
            spans = [(block.first, block.last)]
    if spans:
        yield heading, spans


def _parts(
    passage: Passage, source: Sequence[str], heading: str, spans: list[tuple[int, int]]
) -> Iterator[PassagePart]:
    items = [" ".join(_words(source[first - 1 : last])) for first, last in spans]
    above = f"{heading}: " if heading else ""
    whole = " ".join(items)
    intro = items[0] if len(items) > 1 and items[0].endswith((":", "：")) else ""
    is_whole = len(items) > 1 and len(whole) <= (LIST if intro else LIST // 2)
    for item, span in zip(items[bool(intro) :], spans[bool(intro) :], strict=True):
        first, last = (spans[0][0], spans[-1][1]) if is_whole else span
        shown = whole if is_whole else _ITEM.sub("", item)
        handle = re.sub(r"#L\d+-L\d+\]\]\Z", f"#L{first}-L{last}]]", passage.handle)
        cited = passage._replace(text=above + shown, line=first, last=last, handle=handle)
        for window in windows(_ITEM.sub("", item)):
            said = shown if is_whole else window
            yield PassagePart(above + said, f"{above}{intro} {window}", cited)


def _words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without the marks around code."""
    return [word for line in lines if not fence(line.strip()) for word in line.split()]
