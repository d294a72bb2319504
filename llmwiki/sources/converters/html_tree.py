"""From the bytes of an HTML page to its elements, without invisible ones.

Nothing a page refers to is ever fetched.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?\s*+([\w.:-]{1,40})""", re.I)
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
        tree = lxml.html.document_fromstring(decode(data).encode(), parser=parser)
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


def decode(data: bytes) -> str:
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
