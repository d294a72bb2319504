"""HTML to text: trafilatura for the main text, everything visible where it finds none.

Runs in the converting process only. Nothing a page refers to is ever fetched.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import Converted, tidy
from llmwiki.sources.html_text import visible_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_PAGE = 20_000_000
"""Bytes of a page; a parsed one takes some thirty times as much memory."""
MAX_MAIN = 2_000_000
"""Bytes; the search for the main text takes too long in larger pages, they are kept whole."""
MAX_DEPTH = 200
"""Levels of elements; the search recurses, so deeper pages are kept whole too."""

_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.I)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
"""What browsers read under these names (WHATWG Encoding Standard, §4.2)."""
_HIDDEN = (
    "//script|//style|//template|//noscript|//iframe|//object|//svg|//body//*[@hidden]"
    "|//body//*[contains(translate(@style, ' ', ''), 'display:none')]"
    "|//body//*[contains(translate(@style, ' ', ''), 'visibility:hidden')]"
)
_TITLE = ("//meta[@property='og:title']/@content", "//head/title/text()", "//h1//text()")
_URL = ("//link[@rel='canonical']/@href", "//meta[@property='og:url']/@content")
_DATE = (
    "//meta[@property='article:published_time']/@content",
    "//meta[@itemprop='datePublished']/@content",
    "//time[@itemprop='datePublished']/@datetime",
    "//meta[translate(@name, 'DCT', 'dct')='date']/@content",
    "//meta[translate(@name, 'DCT', 'dct')='dc.date']/@content",
    "//meta[@name='citation_publication_date']/@content",
)


def convert(data: bytes, cap: int) -> Converted:
    """The main text of a page as Markdown, after `# title`, `URL:` and `Date:` lines.

    Those lines stand only where the page says them; a table's row is one line. `cap` is not
    needed: the text is never longer than the page. Raises InputError when nothing is to be read.
    """
    del cap
    if len(data) > MAX_PAGE:
        raise PolicyError(
            f"the page has {len(data):,} bytes; at most {MAX_PAGE:,} of HTML are read",
            fix="Split it, or save its text alone.",
        )
    tree = _parse(_decode(data).encode())
    facts = _facts(tree)
    for node in tree.xpath(_HIDDEN):
        _drop(node)
    text, tool = _main_text(tree, len(data))
    if not text:
        raise InputError(
            "the page has no text",
            fix="A page that a script builds has to be saved from the browser once it shows.",
        )
    if facts and text.startswith(facts[0] + "\n"):
        text = text[len(facts[0]) :].lstrip("\n")
    return Converted("\n".join([*facts, "", text]).lstrip("\n"), tool)


def _parse(data: bytes) -> HtmlElement:
    import lxml.etree
    import lxml.html

    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        tree = lxml.html.document_fromstring(data, parser=parser)
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


def _main_text(tree: HtmlElement, size: int) -> tuple[str, str]:
    import lxml.etree

    if size <= MAX_MAIN and not tree.xpath("boolean(" + "/*" * MAX_DEPTH + ")"):
        import trafilatura

        found = trafilatura.extract(
            tree, output_format="markdown", include_comments=False, favor_recall=True
        )
        if text := tidy(found or ""):
            return text, f"trafilatura/{trafilatura.__version__}"
    return tidy(visible_text(tree)), f"lxml/{lxml.etree.__version__}"


def _decode(data: bytes) -> str:
    """By byte order mark, else by declaration, else UTF-8, else Windows-1252; as browsers do."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace").removeprefix("\ufeff")
    if declared := _DECLARED.search(data[:4096]):
        try:
            name = codecs.lookup(declared[1].decode("ascii")).name
            return data.decode(_SUPERSETS.get(name, name), "replace")
        except (LookupError, UnicodeError):
            pass
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _facts(tree: HtmlElement) -> list[str]:
    facts = (
        ("# ", _first(tree, _TITLE)),
        ("URL: ", _first(tree, _URL)),
        ("Date: ", _first(tree, _DATE)),
    )
    return [label + value for label, value in facts if value]


def _first(tree: HtmlElement, queries: tuple[str, ...]) -> str:
    for query in queries:
        for value in tree.xpath(query):
            if plain := " ".join(str(value).split()):
                return plain[:300]
    return ""


def _drop(node: HtmlElement) -> None:
    """Take an element out, but keep the text that follows it."""
    parent = node.getparent()
    if parent is None:
        return
    if node.tail:
        before = node.getprevious()
        if before is None:
            parent.text = (parent.text or "") + node.tail
        else:
            before.tail = (before.tail or "") + node.tail
    parent.remove(node)
