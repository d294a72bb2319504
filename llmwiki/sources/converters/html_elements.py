"""From the bytes of an HTML page to its elements, so formed that their text says what it shows.

Nothing that a page refers to is ever fetched.

For readers that know text only: a cell that spans rows stands in each of them, a described picture
is words, a note follows what refers to it, and what leads back to a heading is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.encodings import decoded_html

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_HIDDEN = (
    "//script|//style|//template|//noscript|//iframe|//object|//svg|//body//*[@hidden]"
    "|//body//*[contains(translate(@style, ' ', ''), 'display:none')]"
    "|//body//*[contains(translate(@style, ' ', ''), 'visibility:hidden')]"
)
MAX_COPIES = 10_000
"""Cells that are repeated on one page."""
MAX_COPIED = 200
"""Characters of such a cell."""
_MOST_SPANNED = 1_000
"""Rows or columns of one cell (HTML Living Standard, §4.9.11)."""
_PARTS = "//main|//article|//aside|//nav[not(@role='doc-toc')]|//*[@role='main']|//form"
_NAMED = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption")
_PERMALINK = " \n#§¶🔗\ufe0f\u200b"
"""Signs of the link by which generators let a heading be pointed at, and what goes with them."""
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"


def parse(data: bytes) -> HtmlElement:
    """The root element of a page, hidden elements included.

    Raises InputError where nothing is to be read, PolicyError where the page is larger or
    deeper than is read.
    """
    import lxml.etree
    import lxml.html

    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        tree = lxml.html.document_fromstring(decoded_html(data).encode(), parser=parser)
    except lxml.etree.LxmlError as error:
        if any(entry.type_name == "ERR_NO_MEMORY" for entry in parser.error_log):
            raise PolicyError("reading it takes too much memory", fix="Split the page.") from error
        raise InputError(f"the HTML is broken ({error})", fix="Save the page again.") from error
    fatal = [entry.message for entry in parser.error_log if entry.level_name == "FATAL"]
    if fatal:
        # The parser stopped there: what follows would be lost without a trace.
        raise PolicyError(
            f"the page is larger or more deeply nested than is read ({fatal[0].strip()})",
            fix="Save its text alone.",
        )
    return tree


def drop_hidden(tree: HtmlElement) -> None:
    """Empty scripts, styles and what is marked as hidden; text around it stays."""
    for node in tree.xpath(_HIDDEN):
        # Not taken out: joining the texts on both sides costs the square of their number.
        node.clear(keep_tail=True)
        node.tag = "span"


def shape(tree: HtmlElement) -> None:
    """Change a page in place; nothing that it shows is lost."""
    _describe_pictures(tree)
    _drop_permalinks(tree)
    _place_notes(tree)
    _lift_captions(tree)
    left = MAX_COPIES
    for table in tree.iter("table"):
        left = _repeat_cells(table, left)
    _join_points(tree)


def _describe_pictures(tree: HtmlElement) -> None:
    """Pictures as `[picture: …]`, where their description is more than a word."""
    for node in list(tree.iter("img")):
        words = (node.get("alt") or "").split()
        if len(words) > 1:
            node.tag = "p" if node.getparent().tag == "figure" else "span"
            node.text = f"[picture: {' '.join(words)}]"
    for node in list(tree.iter("figure", "figcaption")):
        # What looks for the main text takes the words of a figure for decoration.
        node.tag = "div" if node.tag == "figure" else "p"


def _drop_permalinks(tree: HtmlElement) -> None:
    """Take the link to itself from each heading, term and caption that has one."""
    for link in list(tree.iter("a")):
        if "#" not in link.get("href", "") or link.text_content().strip(_PERMALINK):
            continue
        named = next(link.iterancestors(*_NAMED), None) is not None
        if named or "caption" in link.getparent().get("class", ""):
            link.clear(keep_tail=True)


def _place_notes(tree: HtmlElement) -> None:
    """Notes as `[note 1] …` after the block that refers to them as `[note 1]`.

    Links are known for what they are by their role (DPUB-ARIA, EPUB's structural semantics). A
    note on another page stays there.
    """
    by_id = {node.get("id"): node for node in tree.xpath("//*[@id]")}
    numbers: dict[str, int] = {}
    for link in [node for node in tree.iter("a") if "noteref" in _role(node)]:
        name = (link.get("href") or "").removeprefix("#")
        if name not in by_id:
            continue
        link.clear(keep_tail=True)
        if name in numbers:
            link.text = f"[note {numbers[name]}]"
            continue
        numbers[name] = len(numbers) + 1
        link.text = f"[note {numbers[name]}]"
        _move_note(by_id[name], link)


def _move_note(note: HtmlElement, link: HtmlElement) -> None:
    from lxml.html import Element

    for back in [node for node in note.iter("a") if "backlink" in _role(node)]:
        back.clear(keep_tail=True)
    home = next(link.iterancestors("table"), None)
    if home is None:
        home = next(link.iterancestors("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "div"), None)
    if home is None or note in (home, *home.iterancestors()):
        return
    moved = Element("p")
    moved.text = f"{link.text} {' '.join(note.text_content().split())}"
    note.clear(keep_tail=True)
    note.tag = "span"
    if home.tag in ("li", "div"):
        home.append(moved)
    else:
        home.addnext(moved)


def _role(link: HtmlElement) -> str:
    said = (link.get(name) or "" for name in ("role", "epub:type", _EPUB_TYPE))
    return " ".join(said)


def _lift_captions(tree: HtmlElement) -> None:
    """A table's caption as a paragraph before it, not as one of its rows."""
    for table in list(tree.iter("table")):
        caption, home = table.find("caption"), table.getparent()
        if caption is not None and home is not None:
            caption.tag, caption.tail = "p", None
            home.insert(home.index(table), caption)


def _repeat_cells(table: HtmlElement, left: int) -> int:
    """Give each row the cells that span it from above; how many more may be repeated."""
    hanging: dict[int, _Spanning] = {}
    for row in table.xpath("./tr|./thead/tr|./tbody/tr|./tfoot/tr"):
        above, hanging = hanging, {}
        at = 0
        for cell in [*row.iterchildren("td", "th"), None]:
            while (spanning := above.pop(at, None)) is not None and left > 0:
                left -= 1
                row.insert(len(row) if cell is None else row.index(cell), spanning.copy())
                if spanning.rows > 1:
                    hanging[at] = spanning._replace(rows=spanning.rows - 1)
                at += spanning.columns
            if cell is not None:
                found = _Spanning(_span(cell, "rowspan") - 1, _span(cell, "colspan"), _words(cell))
                if found.rows and found.text:
                    hanging[at] = found
                    del cell.attrib["rowspan"]
                at += found.columns
    return left


class _Spanning(NamedTuple):
    rows: int
    """How many more it takes."""
    columns: int
    text: str

    def copy(self) -> HtmlElement:
        from lxml.html import Element

        cell: HtmlElement = Element("td", colspan=str(self.columns))
        cell.text = self.text
        return cell


def _span(cell: HtmlElement, name: str) -> int:
    said = cell.get(name, "1").strip()
    return max(1, min(int(said), _MOST_SPANNED)) if said.isdecimal() and len(said) < 6 else 1


def _words(cell: HtmlElement) -> str:
    words = " ".join(cell.text_content().split())
    return words if len(words) <= MAX_COPIED else ""


def is_site(tree: HtmlElement) -> bool:
    """Whether a page has parts beside its text, as sites have; programs write none."""
    return bool(tree.xpath(_PARTS))


def _join_points(tree: HtmlElement) -> None:
    """A point of a list is one line."""
    for point in tree.iter("li", "dt", "dd"):
        point.text = (point.text or "").lstrip()
        for line_break in point.findall("br"):
            line_break.tag, line_break.tail = "span", f" {line_break.tail or ''}"
