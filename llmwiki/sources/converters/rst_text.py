"""A document tree of docutils as lines of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError

if TYPE_CHECKING:
    from docutils.nodes import Element, Node

    from llmwiki.sources.converters.gather import Gathered

MAX_DEPTH = 100
"""Levels of blocks within blocks."""

_LEFT_OUT = frozenset(
    {"comment", "substitution_definition", "target", "meta", "raw", "pending", "index"}
)
_PLAIN = frozenset({"paragraph", "attribution", "caption", "line", "rubric", "term"})
_ADMONITIONS = frozenset(
    {"attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"}
)
_WRITERS = {
    "title": "_heading",
    "subtitle": "_heading",
    "section": "_section",
    "bullet_list": "_list",
    "enumerated_list": "_list",
    "definition_list_item": "_pair",
    "field": "_pair",
    "option_list_item": "_pair",
    "literal_block": "_code",
    "doctest_block": "_code",
    "math_block": "_code",
    "table": "_table",
    "footnote": "_note",
    "citation": "_note",
    "image": "_image",
    "system_message": "_refused",
}
"""Which method writes which element; all take the element, `lead` and `indent`."""


class BlockWriter:
    """Writes blocks below each other; `lead` is what stands before a block's first line."""

    def __init__(self, out: Gathered) -> None:
        self._out = out
        self._level = 1
        self._depth = 0

    def blocks(self, parent: Element, lead: str = "", indent: str = "") -> None:
        """All children of an element, in order."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PolicyError(
                f"it is nested in more than {MAX_DEPTH} levels", fix="Write it flatter."
            )
        for node in parent.children:
            self._block(node, lead, indent)
            lead = indent
        self._depth -= 1

    def _block(self, node: Node, lead: str, indent: str) -> None:
        from docutils import nodes

        name = type(node).__name__
        if not isinstance(node, nodes.Element) or name in _LEFT_OUT:
            return
        write = getattr(self, _WRITERS.get(name, ""), None)
        if write is not None:
            write(node, lead, indent)
        elif name in _PLAIN:
            self._line(lead + _inline(node), apart=not lead.strip())
        elif isinstance(node, nodes.Bibliographic) and isinstance(node, nodes.TextElement):
            self._line(f"{name.capitalize()}: {_inline(node)}", apart=False)
        else:
            if name in _ADMONITIONS:
                self._line(f"{lead}{name.capitalize()}:", apart=True)
            self.blocks(node, lead, indent)

    def _section(self, node: Element, lead: str, indent: str) -> None:
        del lead, indent
        self._level += 1
        self.blocks(node)
        self._level -= 1

    def _note(self, node: Element, lead: str, indent: str) -> None:
        from docutils import nodes

        del indent
        label = node.next_node(nodes.label)
        text = " ".join(_inline(each) for each in node.children if each is not label)
        self._line(f"{lead}[^{label.astext() if label else ''}]: {text}", apart=True)

    def _image(self, node: Element, lead: str, indent: str) -> None:
        del indent
        if alt := " ".join(str(node.get("alt", "")).split()):
            self._line(f"{lead}[picture: {alt}]", apart=True)

    def _refused(self, node: Element, lead: str, indent: str) -> None:
        """What a directive that is unknown or not allowed held, without docutils' message."""
        from docutils import nodes

        del lead, indent
        for kept in node.findall(nodes.literal_block):
            self._line(kept.astext(), apart=True)

    def _heading(self, node: Element, lead: str, indent: str) -> None:
        del lead, indent
        level = min(6, self._level + (type(node).__name__ == "subtitle"))
        self._line(f"{'#' * level} {_inline(node)}", apart=True)

    def _list(self, node: Element, lead: str, indent: str) -> None:
        start = int(node.get("start", 1))
        if not lead.strip():
            self._out.part()
        for number, item in enumerate(node.children, start=start):
            mark = "- " if type(node).__name__ == "bullet_list" else f"{number}. "
            self.blocks(item, f"{indent}{mark}", indent + "  ")

    def _pair(self, node: Element, lead: str, indent: str) -> None:
        """A term, a field's name or an option, and what is said of it."""
        *heads, body = node.children
        label = ", ".join(_inline(head) for head in heads)
        self.blocks(body, f"{lead}{label}: ", indent + "  ")

    def _code(self, node: Element, lead: str, indent: str) -> None:
        del indent
        text = node.astext()
        fence = "```"
        while fence in text:
            fence += "`"
        if lead.strip():
            self._line(lead.rstrip(), apart=False)
        language = next((each for each in node.get("classes", []) if each != "code"), "")
        self._line(f"{fence}{language}\n{text}\n{fence}", apart=True)

    def _table(self, table: Element, lead: str, indent: str) -> None:
        from docutils import nodes

        del lead, indent
        self._out.part()
        for title in table.findall(nodes.title):
            self._out.add(_inline(title))
        for number, row in enumerate(table.findall(nodes.row)):
            cells = [_inline(cell).replace("|", "\\|") for cell in row.children]
            self._out.add(f"| {' | '.join(cells)} |")
            if not number:
                self._out.add("|" + " --- |" * len(cells))
        self._out.part()

    def _line(self, text: str, *, apart: bool) -> None:
        if apart:
            self._out.part()
        self._out.add(text)


def _inline(node: Node) -> str:
    """The words of an element on one line; footnotes' marks as `[^1]`."""
    from docutils import nodes

    if isinstance(node, nodes.Text):
        return str(node.astext())
    parts = []
    for each in node.findall(nodes.Text):
        text = each.astext()
        parts.append(f"[^{text}]" if isinstance(each.parent, nodes.footnote_reference) else text)
    return " ".join("".join(parts).split())
