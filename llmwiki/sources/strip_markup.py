"""Inline markup off: the words a reader sees, as markdown-it-py reads them.

Beside Markdown it takes Obsidian's links and comments, and the marks of reStructuredText.
No word is lost.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.document import Document
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.text import normalise
from llmwiki.pages.escape import CODE
from llmwiki.pages.line_patterns import comment_spans, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

RST = "text/x-rst"
_LINKS = (
    # A role, and the address in a link.
    (re.compile(r"(?<![\w`]):[A-Za-z][\w:+.-]{0,40}:(?=`)"), ""),
    (re.compile(r"(?<![\s`])\s*+<[^<>`]{1,500}+>(?=`)"), ""),
    (re.compile(r"(?<=`)<([^<>`]{1,500}+)>(?=`_)"), r"\1"),
)
_MARKS = (
    # The underscore of a reference or a note, and the marks.
    (re.compile(r"(?<=[\w`\]])_{1,2}(?!\w)|[`*\\]"), ""),
    (re.compile(r"\[\^(?=[^\[\]\s]{1,80}\])"), "["),
)
"""What is replaced in reStructuredText, in this order, and by what."""


def is_restructured(document: Document) -> bool:
    """Whether the marks of reStructuredText are taken off; they are not of a converted text."""
    return document.text_path is None and document.media_type == RST


def without_markup(text: str) -> str:
    """The words of a line, or of a quote, without the marks of reStructuredText."""
    for pattern, words in (*_LINKS, *_MARKS):
        text = pattern.sub(words, text)
    return text


_CODE = re.compile(CODE)
LONGEST = 4_000
"""Characters that are read for markup; what is longer is no sentence, and stays as it is."""

_MARKUP = re.compile(r"[\\`*_\[<~&^]|==|%%|\{%")
_TAGS = word_set("""a abbr b br cite code del details div em font hr i iframe img ins kbd li mark ol
    p q rp rt ruby s small span strong sub summary sup table tbody td th tr u ul video""")
_TAG = re.compile(r"</?([A-Za-z][\w-]*)")
_TASK = re.compile(r"\A\s*\[ \]\s+")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9_-]{2,60}\s*$")
_CONTINUED = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_DEFINITION = re.compile(r"\n[ \t]*:[ \t]+")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]{0,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,80}\]")
_TEMPLATE = re.compile(r"\{%[^{}%]{0,300}%\}")
_REFERENCE = re.compile(r"(?<![A-Za-z0-9_\])])\[([^\[\]]{0,300})\]\[[^\[\]]{0,100}\]")
_PICTURE = re.compile(r"!\[[^\[\]]{0,300}\]\[[^\[\]]{0,100}\]")
"""A picture whose address stands elsewhere."""
_ORG_LINK = re.compile(r"\[\[[^\[\]]{1,600}+\]\[([^\[\]]{1,300}+)\]\]")
_RST_ROLE = re.compile(r"(?<![\w`]):(pep|rfc):`(\d{1,5})`", re.IGNORECASE)
_RST_REFERENCE = re.compile(r"(?<!`)`([^`<>]{1,200})`_{1,2}(?!\w)")
_RST_NOTE = re.compile(
    r"\s?\[(?:\d+|[#*][\w-]*|[A-Za-z][\w-]*)\]_(?!\w)|(?<=[^\W_])_(?=[\s.,;:!?)]|$)"
)
_RST_LINE = re.compile(r"(`{1,2}[^`]{1,400}`{1,2})|_")
"""An underscore emphasises nothing."""
_MARKED = re.compile(r"==(?=[^\s=])([^=]{1,300})(?<=\S)==")


@lru_cache(maxsize=20_000)
def strip_markup(raw: str, *, code: bool = False, rst: bool = False) -> str:
    """The words of `raw` as one line: comments, markup, pictures and note marks off.

    With `code` inline code keeps a backtick at either end, where a page can show it as code. With
    `rst` the marks are those of reStructuredText.
    """
    if rst:
        raw = _RST_ROLE.sub(lambda found: f"{found[1].upper()} {found[2]}", raw)
        for pattern, words in _LINKS:
            raw = pattern.sub(words, raw)
        raw = _RST_NOTE.sub("", _RST_REFERENCE.sub(r"\1", raw))
        raw = _RST_LINE.sub(lambda found: found[1] or r"\_", raw)
    if "\n" in raw:
        raw = _CONTINUED.sub("\n", _DEFINITION.sub(": ", raw))
    if _MARKUP.search(raw) is None or len(raw) > LONGEST:
        return normalise(raw)
    raw = _ORG_LINK.sub(r"\1", _PICTURE.sub("", raw))
    text = _TASK.sub("", without(raw, comment_spans(raw), ""), count=1)
    text = _TEMPLATE.sub("", _BLOCK_ID.sub("", text.partition("<!--")[0]))
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(text, parser, {}, tokens)
    return normalise("".join(_words(tokens, code)))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("strikethrough")
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("link", "note", _note)
    return parser


def _wikilink(state: StateInline, silent: bool) -> bool:
    """`[[Page#Heading|words]]`: the words, else the page and heading as Obsidian shows them."""
    found = _WIKILINK.match(state.src, state.pos) if state.src[state.pos] in "![" else None
    if found is None:
        return False
    page, _, place = found[2].partition("#")
    place = "" if place.startswith("^") else place.replace("#", " > ").strip()
    words = found[3] or " > ".join(filter(None, (page.rpartition("/")[2].strip(), place)))
    if not silent:
        state.push("text_special", "", 0).content = "" if found[1] else words
    state.pos = found.end()
    return True


def _note(state: StateInline, silent: bool) -> bool:
    del silent
    found = _NOTE.match(state.src, state.pos)
    if found:
        state.pos = found.end()
    return found is not None


def _words(tokens: Sequence[Token], code: bool) -> Iterator[str]:
    """The words of the tokens of one run of prose; running text is put together first."""
    run = ""
    for token in tokens:
        if token.type == "text":
            run += token.content
            continue
        yield _plain(run)
        run = ""
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "code_inline" and code and _CODE.fullmatch(f"`{token.content}`"):
            yield f"`{token.content}`"
        elif token.type in ("code_inline", "text_special"):
            yield token.content
        elif token.type == "html_inline":
            tag = _TAG.match(token.content)
            yield " " if tag and tag[1].casefold() in _TAGS else token.content
    yield _plain(run)


def _plain(run: str) -> str:
    if "[" in run:
        run = _REFERENCE.sub(r"\1", run)
    return _MARKED.sub(r"\1", run) if "==" in run else run
