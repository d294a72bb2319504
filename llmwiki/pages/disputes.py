"""Disputes: what two sides of a merge worded differently stands twice in a page, between marks.

The marks are git's, with blank lines around them, so that what stands inside and beside them is
read as it would be without them:

    <<<<<<< one side

    - The kettle boils water. ^c-9f3a1c22k7

    =======

    - The kettle whistles. ^c-9f3a1c22k7

    >>>>>>> other side

In frontmatter, which has to stay YAML, the marks and what the other side says are comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages import layout, syntax
from llmwiki.pages.front import split_front
from llmwiki.pages.lines import is_blank
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import Page

BEGINS, BETWEEN, ENDS = "<<<<<<< one side", "=======", ">>>>>>> other side"
_COMMENT = "# "
_BREAKS = re.compile("[\x85\u2028\u2029]")
"""What ends a line, and with it a comment, for YAML and for nobody else here."""
_KEY_NAME = lazy_pattern(r"[\"']?([^\W\d][\w.-]*)")
_BEGIN_MARK = re.compile(r"(?:# )?<{7}(?: .*)?\Z")
_END_MARK = re.compile(r"(?:# )?>{7}(?: .*)?\Z")


@dataclass(frozen=True, slots=True)
class Dispute:
    """One passage that stands twice in a page."""

    name: str
    """The claim's id, `lead`, `title`, a key of the frontmatter, or how the passage begins."""
    ours: str
    """The lines of one side; `ours` is the branch that was merged into."""
    theirs: str
    first: int
    """Index of the line with its first mark."""
    last: int
    """Index of the line with its last mark."""
    in_front: bool = False


# --- making them ---------------------------------------------------------------------------


def both_stand(ours: Page, theirs: Page) -> Page:
    """`ours` with each node that `theirs` words differently beside its own, between marks.

    The pages are two outcomes of one merge: alike but for what its sides dispute.
    """
    others = {part.key: part for part in theirs.node.parts}
    parts = []
    for part in ours.node.parts:
        other = others.get(part.key, part)
        marked = _entries if part.kind == "front" else _blocks
        parts.append(replace(part, parts=tuple(marked(part.parts, other.parts))))
    return Page(ours.path, replace(ours.node, parts=tuple(parts)))


def unlike_lines(ours: Page, theirs: Page) -> Iterator[tuple[PageNode, PageNode]]:
    """The lines, and entries of the frontmatter, that two outcomes of one merge word unlike."""
    others = {part.key: part for part in theirs.node.parts}
    for part in ours.node.parts:
        for mine, other in _paired(part.parts, others.get(part.key, part).parts):
            if not _are_alike(mine, other):
                first = (mine or other)[0]
                yield (mine or [replace(first, raw="")])[0], (other or [replace(first, raw="")])[0]


def _blocks(ours: Sequence[PageNode], theirs: Sequence[PageNode]) -> Iterator[PageNode]:
    pairs = list(_paired(ours, theirs))
    if all(_are_alike(*pair) for pair in pairs):
        yield from ours
        return
    is_after_mark = False
    # Code or a comment that nothing closes goes last: behind it, marks would be part of it.
    for mine, other in sorted(pairs, key=_comes_last):
        if _are_alike(mine, other):
            yield replace(mine[0], gap=None) if is_after_mark and not mine[0].gap else mine[0]
            is_after_mark = False
        else:
            marked = (_mark(BEGINS), *mine, _mark(BETWEEN), *other, _mark(ENDS))
            yield from (node.bare() for node in marked)
            is_after_mark = True


def _comes_last(pair: tuple[list[PageNode], list[PageNode]]) -> int:
    mine, other = pair
    if mine and mine[0].kind == "tail":
        return 3
    if not any(n.kind in ("x", "lead") and syntax.swallows(n.raw) for n in (*mine, *other)):
        return 0
    return 2 if _are_alike(mine, other) else 1


def _entries(ours: Sequence[PageNode], theirs: Sequence[PageNode]) -> Iterator[PageNode]:
    for mine, other in _paired(ours, theirs):
        if _are_alike(mine, other):
            yield mine[0]
            continue
        hidden = [_COMMENT + _BREAKS.sub(" ", line) for line in _lines(other)]
        marks = [_COMMENT + mark for mark in (BEGINS, BETWEEN, ENDS)]
        rows = [marks[0], *_lines(mine), marks[1], *hidden, marks[2]]
        yield PageNode((mine or other)[0].key, "\n".join(rows))


def _lines(entries: Iterable[PageNode]) -> list[str]:
    return [line for entry in entries for line in syntax.render_node(entry).split("\n")]


def _mark(text: str) -> PageNode:
    return PageNode(("x", text), text)


def _are_alike(mine: Sequence[PageNode], other: Sequence[PageNode]) -> bool:
    if [node.bare() for node in mine] == [node.bare() for node in other]:
        return True
    return bool(mine) and mine[0].kind in ("tail", "close")


def _paired(
    ours: Sequence[PageNode], theirs: Sequence[PageNode]
) -> Iterator[tuple[list[PageNode], list[PageNode]]]:
    """The nodes of one key each with each other, in the order of `ours`; between them what only
    one side has, against what only the other has at that place."""
    have = {node.key for node in ours}
    by_key = {node.key: node for node in theirs}
    behind: dict[Key | None, list[PageNode]] = {}
    anchor: Key | None = None
    for node in theirs:
        if node.key in have:
            anchor = node.key
        else:
            behind.setdefault(anchor, []).append(node)
    anchor, alone = None, list[PageNode]()
    for node in ours:
        if node.key not in by_key:
            alone.append(node)
            continue
        only = behind.pop(anchor, [])
        if alone or only:
            yield alone, only
        anchor, alone = node.key, []
        yield [node], [by_key[node.key]]
    only = behind.pop(anchor, [])
    if alone or only:
        yield alone, only


# --- finding them --------------------------------------------------------------------------


def is_disputed(text: str) -> bool:
    """Whether marks of a merge stand in a page's text, ours or git's own; in code they are text."""
    if "<<<<<<<" not in text and ENDS not in text:
        return False
    lines = [text for _index, text, _is_alone in (*_front_lines(text), *_body_lines(text))]
    begins, ends = (any(map(mark.match, lines)) for mark in (_BEGIN_MARK, _END_MARK))
    return (begins and ends) or _has_own(lines)


def has_own_marks(text: str) -> bool:
    """Whether marks that this module sets stand in a page's text."""
    return _has_own(line for _index, line, _is_alone in (*_front_lines(text), *_body_lines(text)))


def _has_own(lines: Iterable[str]) -> bool:
    return any(line.removeprefix(_COMMENT) in (BEGINS, ENDS) for line in lines)


def is_whole(text: str) -> bool:
    """Whether each mark in a page's text, git's own too, belongs to a dispute that can be read."""
    lines = [line for _i, line, _alone in (*_front_lines(text), *_body_lines(text))]
    marks = sum(bool(_BEGIN_MARK.match(line) or _END_MARK.match(line)) for line in lines)
    return marks == 2 * len(disputes(text))


def undecided(text: str) -> tuple[Dispute, ...]:
    """The disputes of a page's text; one without a wording where marks cannot be read."""
    found = disputes(text)
    if has_own_marks(text) and not is_whole(text):
        return (*found, Dispute("marks that do not pair up", "", "", 0, 0))
    return found


def disputes(text: str) -> tuple[Dispute, ...]:
    """The disputes of a page's text, in order."""
    if BEGINS not in text:
        return ()
    lines = text.split("\n")
    found = [_in_front(lines, span) for span in _spans(_front_lines(text), _COMMENT)]
    found += [_in_body(lines, span) for span in _spans(_body_lines(text), "")]
    return tuple(found)


_Line = tuple[int, str, bool]
"""(index of a line, the line without its end, whether it is a passage of its own)."""


def _front_lines(text: str) -> list[_Line]:
    lines = text.split("\n")[: _body_start(text)]
    return [(index, line.removesuffix("\r"), True) for index, line in enumerate(lines)]


def _body_start(text: str) -> int:
    """Index of the first line after the frontmatter."""
    front, rest = split_front(text)
    if front is None:
        return 0
    return text.count("\n") + 1 - (0 if rest is None else rest.count("\n") + 1)


def _body_lines(text: str) -> Iterator[_Line]:
    """The lines of a body that are not code, HTML, maths or a comment."""
    rest = split_front(text)[1]
    index = _body_start(text)
    for block in layout.split(rest or "")[0]:
        index += block.gap.count("\n")
        if block.kind not in ("code", "html", "math", "comment"):
            for number, line in enumerate(block.lines):
                yield index + number, line.removesuffix("\r"), len(block.lines) == 1
        index += len(block.lines)


_Span = tuple[int, int, int]
"""Indices of the lines with the three marks."""


def _spans(lines: Iterable[_Line], prefix: str) -> Iterator[_Span]:
    first = middle = -1
    for index, line, is_alone in lines:
        if line == prefix + BEGINS:
            first, middle = index, -1
        elif line == prefix + BETWEEN and is_alone and first >= 0 and middle < 0:
            middle = index
        elif line == prefix + ENDS and middle >= 0:
            yield first, middle, index
            first = middle = -1


def _in_front(lines: list[str], span: _Span) -> Dispute:
    first, middle, last = span
    ours = "\n".join(lines[first + 1 : middle])
    theirs = "\n".join(line.removeprefix(_COMMENT) for line in lines[middle + 1 : last])
    key = _KEY_NAME.match(ours or theirs)
    return Dispute(key[1] if key else "frontmatter", ours, theirs, first, last, in_front=True)


def _in_body(lines: list[str], span: _Span) -> Dispute:
    first, middle, last = span
    ours, theirs = (
        "\n".join(_stripped(lines[start + 1 : end]))
        for start, end in ((first, middle), (middle, last))
    )
    before = _last_node(lines[:first])
    is_lead = before is None or before.kind == "h1"
    first_words = min(ours or theirs, theirs or ours)
    return Dispute(_name(_first_node(first_words), is_lead), ours, theirs, first, last)


def _name(node: PageNode | None, is_lead: bool) -> str:
    if node is None:
        return "passage"
    if node.kind in ("c", "n"):
        return node.key[1]
    if node.kind == "fn":
        return f"[^{node.key[1]}]"
    if node.kind == "h1":
        return "title"
    return "lead" if is_lead else " ".join(node.raw.split())[:40]


def _stripped(lines: Sequence[str]) -> list[str]:
    """Lines without blank ones before and after."""
    full = [index for index, line in enumerate(lines) if not is_blank(line)]
    return list(lines[full[0] : full[-1] + 1]) if full else []


def _first_node(text: str) -> PageNode | None:
    """The first node of a piece of a body."""
    return next((n for n in _body(f"## x\n\n{text}")[1:] if n.kind != "tail"), None)


def _last_node(lines: Sequence[str]) -> PageNode | None:
    """The last node of the body of a page that ends here."""
    return next((n for n in reversed(_body("\n".join(lines))) if n.kind != "tail"), None)


def _body(text: str) -> tuple[PageNode, ...]:
    return next((part.parts for part in syntax.parse(text).parts if part.kind == "body"), ())


# --- deciding them -------------------------------------------------------------------------


def decided(text: str, decide: Callable[[Dispute], str | None]) -> str:
    """The page's text with that passage in the place of each dispute; None: both stay.

    The passage stands as if there had been no marks: list items next to list items.
    """
    for dispute in reversed(disputes(text)):
        passage = decide(dispute)
        if passage is not None:
            text = _with_passage(text.split("\n"), dispute, passage)
    return text


def _with_passage(lines: list[str], dispute: Dispute, passage: str) -> str:
    before, after = lines[: dispute.first], lines[dispute.last + 1 :]
    inside = passage.split("\n") if passage else []
    if dispute.in_front:
        return "\n".join([*before, *inside, *after])
    while before and is_blank(before[-1]):
        before.pop()
    for piece in (inside, _stripped(after)):
        node = _first_node("\n".join(piece))
        if node is not None:
            previous = _last_node(before)
            gap = syntax.usual_gap(previous, node, split_front("\n".join(before))[0] is not None)
            before += [*gap.split("\n")[:-1], *piece]
    full = [index for index, line in enumerate(after) if not is_blank(line)]
    return "\n".join([*before, *(after[full[-1] + 1 :] if full else after)])
