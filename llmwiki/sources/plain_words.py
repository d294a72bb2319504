"""Inline markup off: the words a reader sees, as markdown-it-py reads them.

Beside Markdown it takes Obsidian's links and comments, and what reStructuredText and Org write
differently. No word is lost: what only looks like markup, as `__init__` does, stays as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.text import normalise
from llmwiki.language.plurals import word_set
from llmwiki.pages.escape import CODE
from llmwiki.pages.spans import comment_spans, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_CODE = re.compile(CODE)
LONGEST = 4_000
"""Characters that are read for markup; what is longer is no sentence, and stays as it is."""

_MARKUP = re.compile(r"[\\`*_\[<~&^]|==|%%|\{%")
_TAGS = word_set("""a abbr b br cite code del details div em font hr i iframe img ins kbd li mark ol
    p q ruby s small span strong sub summary sup table tbody td th tr u ul video""")
_TAG = re.compile(r"</?([A-Za-z][\w-]*)")
_TASK = re.compile(r"\A\s*\[[ xX]\]\s+")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9_-]{2,60}\s*$")
_CONTINUED = re.compile(r"\n[ \t]*(?:>[ \t]?)*")
_DEFINITION = re.compile(r"\n[ \t]*:[ \t]+")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]{0,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
_ORG_LINK = re.compile(r"\[\[[^\[\]\n]{1,600}\]\[([^\[\]\n]{1,300})\]\]")
_NOTE = re.compile(r"\[\^[^\[\]\s]{1,80}\]")
_RAISED = re.compile(
    r"\s?<sup>\s*(?:\[?\d{1,3}\]?(?:\([^()\s]{0,200}\))?|<a [^<>]{0,300}>\[?\d{1,3}\]?</a>)"
    r"\s*</sup>|<r[pt]>[^<>]{0,40}</r[pt]>"
)
"""The number of a note."""
_TEMPLATE = re.compile(r"\{%[^{}%]{0,300}%\}")
_TARGET = re.compile(r"\([^()\s]{0,600}\)")
_REFERENCE = re.compile(r"(?<![A-Za-z0-9_\])])\[([^\[\]]{1,300})\]\[[^\[\]]{0,100}\]")
_MARKED = re.compile(r"==(?=[^\s=])([^=]{1,300})(?<=\S)==")
_LEFT_OVER = re.compile(
    r"\A\s*(?:\*{1,3}|_{1,3}(?=[A-Z]))(?=\w)|(?<=[\w.,:;!?])\*{1,3}\s*\Z|(?<=[.!?])_\s*\Z"
)
"""What is left of emphasis that reaches into another sentence."""
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")

_ROLE = re.compile(r"(?<![\w`]):([a-zA-Z][\w:+.-]{0,30}):`([^`]{1,200})`")
_RST_LINK = re.compile(r"`([^`<>]{1,200}?)\s*<[^<>`]{1,500}>`_{1,2}")
_RST_REFERENCE = re.compile(r"(?<!`)`([^`<>]{1,200})`_{1,2}(?!\w)")
_NAMED = re.compile(r"(?<![\w`])([A-Za-z][A-Za-z0-9.-]{0,60}[A-Za-z0-9])_(?=[\s.,;:!?)]|$)")
"""A link of reStructuredText to what is named elsewhere: `Kiln_`."""
_RST_NOTE = re.compile(r"\s?\[(?:\d+|[#*][\w-]*|[A-Za-z][\w-]*)\]_(?!\w)")
_NUMBERED = {"pep": "PEP", "rfc": "RFC"}


@lru_cache(maxsize=20_000)
def strip_markup(raw: str, *, code: bool = False) -> str:
    """The words of `raw` as one line: comments, markup, pictures and note marks off.

    With `code` inline code keeps a backtick at either end, where a page can show it as code.
    """
    if "\n" in raw:
        raw = _CONTINUED.sub("\n", _DEFINITION.sub(": ", raw))
    if _MARKUP.search(raw) is None or len(raw) > LONGEST:
        return normalise(raw)
    text = _TASK.sub("", without(raw, comment_spans(raw), ""), count=1)
    text = _BLOCK_ID.sub("", text.partition("<!--")[0])
    if "{%" in text:
        text = _TEMPLATE.sub("", text)
    if "<sup>" in text or "<rt>" in text:
        text = _RAISED.sub("", text)
    if "`" in text or "]_" in text:
        text = _without_roles(text)
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(text, parser, {}, tokens)
    said = "".join(_words(tokens, code))
    if "*" in said or "_" in said:
        said = _LEFT_OVER.sub("", said)
    return normalise(said)


def _without_roles(text: str) -> str:
    """What is marked up as reStructuredText does, in Markdown's way."""
    text = _ROLE.sub(_role, text)
    text = _RST_LINK.sub(r"\1", text)
    text = _RST_REFERENCE.sub(r"\1", text)
    return _RST_NOTE.sub("", text)


def _role(found: re.Match[str]) -> str:
    words = re.sub(r"(?<!\s)\s*+<[^<>]{0,300}>$", "", found[2]).lstrip("!~")
    number = _NUMBERED.get(found[1].lower()) if words.isdigit() else None
    return f"{number} {words}" if number else f"`{words}`"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("strikethrough")
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("link", "note", _note)
    return parser


def _wikilink(state: StateInline, silent: bool) -> bool:
    """`[[Page#Heading|words]]`: the words, else the page and heading as Obsidian shows them."""
    if state.src[state.pos] not in "![":
        return False
    found = _ORG_LINK.match(state.src, state.pos)
    words = found[1] if found else ""
    if found is None:
        found = _WIKILINK.match(state.src, state.pos)
        if found is None:
            return False
        if link := _TARGET.match(state.src, found.end()):  # a plain link whose text is in brackets
            if not silent:
                state.push("text_special", "", 0).content = f"[{found[2]}]"
            state.pos = link.end()
            return True
        page, _, place = found[2].partition("#")
        place = "" if place.startswith("^") else place.replace("#", " > ").strip()
        words = found[3] or " > ".join(filter(None, (page.rpartition("/")[2].strip(), place)))
        words = "" if found[1] else words
    if not silent:
        state.push("text_special", "", 0).content = words
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
    for at, token in enumerate(tokens):
        if token.type == "text":
            run += token.content
            continue
        yield _plain(run)
        run = ""
        if token.markup == "__" and _is_identifier(tokens[max(0, at - 2) : at + 3], token):
            yield "__"
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "code_inline" and code and _CODE.fullmatch(f"`{token.content}`"):
            yield f"`{token.content}`"
        elif token.type in ("code_inline", "text_special"):
            yield token.content
        elif token.type == "html_inline":
            tag = _TAG.match(token.content)
            yield " " if tag and tag[1].casefold() in _TAGS else token.content
    yield _plain(run)


def _is_identifier(around: Sequence[Token], mark: Token) -> bool:
    """Whether what stands between double underscores is written as a name of a program is."""
    at = next(number for number, token in enumerate(around) if token is mark)
    inner, other = (
        (around[at + 1 : at + 3] if mark.nesting > 0 else reversed(around[max(0, at - 2) : at]))
        if len(around) >= 3
        else (mark, mark)
    )
    return (
        inner.type == "text" and other.markup == "__" and bool(_IDENTIFIER.fullmatch(inner.content))
    )


def _plain(run: str) -> str:
    if "[" in run:
        run = _REFERENCE.sub(r"\1", run)
    if "_" in run:
        run = _NAMED.sub(r"\1", run)
    if "==" in run:
        run = _MARKED.sub(r"\1", run)
    return run
