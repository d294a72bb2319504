"""HTML to text: trafilatura for the main text of a site's page, of others all that is visible.

Runs in the converting process only. Nothing a page refers to is ever fetched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.conversion_limits import tidy
from llmwiki.sources.converters.html_elements import drop_hidden, is_site, parse, shape
from llmwiki.sources.converters.html_text import visible_text
from llmwiki.sources.converters.numbered_text_writer import Gathered

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_PAGE = 20_000_000
"""Bytes of a page; a parsed one takes some thirty times as much memory."""
MAX_MAIN = 2_000_000
"""Bytes; the search for the main text takes too long in larger pages, they are kept whole."""
MAX_DEPTH = 200
"""Levels of elements; the search recurses, so deeper pages are kept whole too."""

_SAVED = re.compile(
    rb"<!--\s{0,9}(?:saved from url=\(\d{1,5}\)|Page saved with SingleFile\s{1,9}url:\s{0,9})"
    rb"([^\s>]{1,300})",
    re.I,
)
"""How browsers and the extension SingleFile note in a saved page where it came from."""
_MARK = re.compile(r"\\\[((?:note \d+|picture: [^\[\]\n]{1,2000}))\\\]")
"""The marks of notes and pictures, which Markdown does not need escaped."""
_BESIDE = "//nav[not(@role='doc-toc')]|//aside|//footer"
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


def convert(data: bytes, out: Gathered) -> None:
    """The main text of a page as Markdown, after `# title`, `URL:` and `Date:` lines.

    Those lines stand only where the page says them; a table's row is one line. Raises InputError
    when nothing is to be read, PolicyError past a limit.
    """
    if len(data) > MAX_PAGE:
        raise PolicyError(
            f"the page has {len(data):,} bytes; at most {MAX_PAGE:,} of HTML are read",
            fix="Split it, or save its text alone.",
        )
    tree = parse(data)
    title = _first(tree, _TITLE)
    out.fact("# ", title)
    out.fact("URL: ", _first(tree, _URL) or _saved_from(data))
    out.fact("Date: ", _first(tree, _DATE))
    drop_hidden(tree)
    shape(tree)
    text, library = _main_text(tree, len(data))
    if not text:
        raise InputError(
            "the page has no text",
            fix="A page that a script builds has to be saved from the browser once it shows.",
        )
    out.libraries.append(library)
    out.part()
    out.add(text.removeprefix(f"# {title}\n") if title else text)


def _main_text(tree: HtmlElement, size: int) -> tuple[str, str]:
    import lxml.etree

    main = ""
    if is_site(tree) and size <= MAX_MAIN and not tree.xpath("boolean(" + "/*" * MAX_DEPTH + ")"):
        import trafilatura

        found = trafilatura.extract(
            tree, output_format="markdown", include_comments=False, favor_recall=True
        )
        main = tidy(_MARK.sub(r"[\1]", found or ""))
        tool = f"trafilatura/{trafilatura.__version__}"
        if "\n\n" in main:
            return main, tool
    whole = tidy(visible_text(tree))
    for node in tree.xpath(_BESIDE):
        node.clear(keep_tail=True)
    whole = tidy(visible_text(tree)) or whole
    # Of short pages the search gives all words in one block.
    if main and not ("\n" in whole and _letters(main) >= _letters(whole)):
        return main, tool
    return whole, f"lxml/{lxml.etree.__version__}"


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _saved_from(data: bytes) -> str:
    match = _SAVED.search(data[:4096])
    return match[1].decode("utf-8", "replace") if match else ""


def _first(tree: HtmlElement, queries: tuple[str, ...]) -> str:
    for query in queries:
        for value in tree.xpath(query):
            if plain := " ".join(str(value).split()):
                return plain[:300]
    return ""
