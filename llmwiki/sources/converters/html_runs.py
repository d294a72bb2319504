"""Text that stands loose in a page, beside blocks, made into paragraphs.

Old and hand-written pages have their sentences directly in the body or in a `div`. What looks for
the main text takes such a sentence apart at each inline element.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
     "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s",
     "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
     "math", "semantics", "mrow", "mi", "mn", "mo", "ms", "mtext", "mstyle", "mfrac", "msqrt",
     "mroot", "msub", "msup", "msubsup"}
)  # fmt: skip
"""Elements that do not break the line they stand in."""
_BLOCKS = frozenset(
    {"html", "head", "body", "main", "article", "section", "aside", "nav", "header", "footer",
     "address", "div", "center", "blockquote", "p", "pre", "hr", "h1", "h2", "h3", "h4", "h5", "h6",
     "ul", "ol", "li", "dl", "dt", "dd", "dir", "menu", "table", "caption", "colgroup", "col",
     "thead", "tbody", "tfoot", "tr", "td", "th", "form", "fieldset", "details", "summary",
     "dialog", "figure", "figcaption", "hgroup", "search"}
)  # fmt: skip
"""Elements that do; unknown elements count as inline."""
_HOMES = frozenset({"body", "main", "article", "section", "div", "center", "blockquote"})
"""Elements whose children are blocks, if all is in order."""


def wrap_loose_text(tree: HtmlElement) -> None:
    """Put each run of text and inline elements beside blocks into a paragraph of its own.

    Two line breaks part paragraphs, as people who wrote by hand meant them; a point of a list is
    one line.
    """
    for point in tree.iter("li", "dt", "dd"):
        _join(point)
    broken = _around_blocks(tree)
    for paragraph in tree.iter("p"):
        if paragraph in broken:
            paragraph.tag = "div"
    for home in chain(tree.iter(*_HOMES), broken):
        for before, run in list(_runs(home, broken)):
            _wrap(home, before, run)


def _join(point: HtmlElement) -> None:
    point.text = (point.text or "").lstrip()
    for line_break in point.findall("br"):
        line_break.tag, line_break.tail = "span", f" {line_break.tail or ''}"


def _around_blocks(tree: HtmlElement) -> set[HtmlElement]:
    """The inline elements and paragraphs with a block in them, which so break the line."""
    found: set[HtmlElement] = set()
    for node in tree.iter():
        if node.tag not in _BLOCKS:
            continue
        for above in node.iterancestors():
            if (above.tag in _BLOCKS and above.tag != "p") or above in found:
                break
            found.add(above)
    return found


def _runs(
    home: HtmlElement, broken: set[HtmlElement]
) -> Iterator[tuple[HtmlElement | None, list[HtmlElement]]]:
    """The elements of each line, with the block that ends the one before."""
    before: HtmlElement | None = None
    run: list[HtmlElement] = []
    for node in home:
        if node.tag in _BLOCKS or node in broken or _is_second_break(node):
            yield before, run
            before, run = node, []
        else:
            run.append(node)
    yield before, run


def _is_second_break(node: HtmlElement) -> bool:
    last = node.getprevious() if node.tag == "br" else None
    return last is not None and last.tag == "br" and not (last.tail or "").strip()


def _wrap(home: HtmlElement, before: HtmlElement | None, run: list[HtmlElement]) -> None:
    """Make a paragraph of a run that has words beside its elements."""
    from lxml.html import Element

    text = home.text if before is None else before.tail
    loose = "".join([text or "", *(node.tail or "" for node in run)])
    # What is only text in a block of its own needs none.
    if not any(map(str.isalnum, loose)) or not (run or len(home)):
        return
    paragraph = Element("p")
    paragraph.text = text
    if before is None:
        home.text = None
        home.insert(0, paragraph)
    else:
        before.tail = None
        before.addnext(paragraph)
    paragraph.extend(run)
