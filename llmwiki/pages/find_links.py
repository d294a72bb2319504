"""The links of a page, as a fast scan: `[[target#heading|label]]` in prose, and only there.

Code, HTML, maths and frontmatter hold no links, nor do escaped brackets. Most pages have none of
these, and one pattern reads them; for the others `markdown_blocks.prose` finds the prose first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.pages.line_patterns import TAG, Closers
from llmwiki.pages.markdown_blocks import Run, RunText, body_start, prose


class Link(NamedTuple):
    """One wikilink as it stands on a page.

    A tuple, for making frozen dataclasses took half of the scan of a page.
    """

    target: str
    """The page as written, `Transformer` or `sources/papers-x-md`; empty: this same page."""
    heading: str
    """What follows the first `#`, without a block id: `Results#Speed`; empty if none."""
    block: str
    """The block id without its `^`: `c-9f3a1c22k7`; empty if none."""
    label: str
    """What follows the bar; empty if none."""
    embed: bool
    """Written `![[…]]`."""
    line: int
    """From 1, of the whole text."""
    start: int
    """Offset in characters of the first bracket, or of the `!` of an embed."""
    end: int
    """Offset behind the last bracket."""


_LINK = r"!?\[\[(?P<to>[^\S\n]*[^\[\]|\s][^\[\]|\n]*)(?:\|(?P<label>[^\[\]\n]*))?\]\]"
_LINK_AT = lazy_pattern(_LINK.removeprefix("!?"))
_INLINE = lazy_pattern(
    rf"\\[!-/:-@\[-`{{-~]|<!---?>|(?P<mark>`+|<!--|<\?)|{TAG}"
    r"|<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>|<![A-Za-z][^>]{0,1000}>"
    rf"|(?P<maths>(?<!\d)\$(?=\S))|{_LINK}"
)
_MATHS_END = re.compile(r"(?:\\.|[^\\$])+\$", re.DOTALL)


_COMMENT = re.compile(r"(?<=[^\s\d>*+.)-] )<!-- [^\n<>]*? -->")
"""A comment of one line behind words, as claims have it: it hides what stands in it and no more."""


def _blank(comment: re.Match[str]) -> str:
    return "." * len(comment[0])


def scan(text: str) -> tuple[Link, ...]:
    """Every wikilink of a page, in order.

    `\\|` counts as a bar, as table cells need it; a bare bar in a table cell does too, though a
    renderer would split the cell there. `[[ ]]` and what spans two lines is no link. Oracle:
    markdown-it with a rule for wikilinks (tests).
    """
    if "[[" not in text:
        return ()
    shown = _COMMENT.sub(_blank, text) if "<!--" in text else text
    if not _hides(shown):
        return _plain_links(shown, body_start(text))
    links: list[Link] = []
    line, counted = 1, 0
    for run in prose(text):
        if text.find("[[", run[0][0], run[-1][1]) < 0:
            continue
        joined = RunText(text, run)
        for match in _visible(joined.text):
            start = joined.offset(match.start())
            line += text.count("\n", counted, start)
            counted = start
            links.append(_link(match, line, start - match.start(), embed=match[0][0] == "!"))
    return tuple(links)


def targets(text: str) -> set[str]:
    """The targets of `scan` that name a page, without their order."""
    return {link.target for link in scan(text)} - {""}


def _hides(text: str) -> bool:
    """Whether anything may hide a link: code, HTML, maths, an indented line."""
    return (
        "    " in text
        or "\t" in text
        or "~~~" in text
        or any(text.count(mark) > text.count("\\" + mark) for mark in "`$<")
        or ("\\\\" in text)
    )


def _plain_links(text: str, start: int) -> tuple[Link, ...]:
    """The links of a text where only a backslash can hide one."""
    links, line, counted = [], 1, 0
    while (start := text.find("[[", start)) >= 0:
        match = None if _is_escaped(text, start) else _LINK_AT.match(text, start)
        if match is None:
            start += 1
            continue
        line += text.count("\n", counted, start)
        counted = start
        embed = start > 0 and text[start - 1] == "!" and not _is_escaped(text, start - 1)
        links.append(_link(match, line, 0, embed=embed))
        start = match.end()
    return tuple(links)


def _is_escaped(text: str, position: int) -> bool:
    return position > 0 and text[position - 1] == "\\"


def _visible(text: str) -> list[re.Match[str]]:
    """The links of one run of prose: outside code, HTML and maths."""
    found = []
    start = 0
    closers = Closers(text)
    while match := _INLINE.search(text, start):
        start = match.end()
        if mark := match["mark"]:
            start = closers.behind(mark, start)
        elif match["maths"]:
            closing = _MATHS_END.match(text, start)
            if closing and not text[closing.end() - 2].isspace():
                after = text[closing.end() : closing.end() + 1]
                start = start if after.isdigit() else closing.end()
        elif match["to"]:
            found.append(match)
    return found


def _link(match: re.Match[str], line: int, shift: int, *, embed: bool) -> Link:
    inner, label = match.group("to", "label")
    heading = block = ""
    if label is None:
        label = ""
    elif inner[-1] == "\\":
        inner = inner[:-1]
    if "#" in inner:
        inner, _, heading = inner.partition("#")
        before, caret, after = heading.rpartition("#^") if "#^" in heading else ("", "", "")
        if heading[:1] == "^":
            heading, block = "", heading[1:]
        elif caret:
            heading, block = before, after
    start = match.end() - len(match[0].lstrip("!")) - embed
    return Link(
        inner.strip(),
        heading.strip("# "),
        block.strip(),
        label.strip(),
        embed,
        line,
        start + shift,
        match.end() + shift,
    )


# --- Markdown links to files ---------------------------------------------------------------------


class FileLink(NamedTuple):
    """One Markdown link as it stands on a page."""

    to: str
    """The path as meant: percent signs read, without query and anchor; empty: this same page."""
    embed: bool
    """Written `![…](…)`."""
    start: int
    """Offset in characters of the opening bracket, or of the `!` before it."""
    first: int = 0
    """Offset of the address, as it is written."""
    last: int = 0
    """Offset behind it."""
    anchor: str = ""
    """What follows the first `#`, percent signs read."""


_FILE_TOKEN = re.compile(r"\\.|`+|<!--|\[|\]\(|\]", re.DOTALL)
# Bounded where it looks for an end, so that a thousand open brackets are not a thousand scans.
_PLACE = lazy_pattern(
    r"[ \t]{0,20}\n?[ \t]{0,20}(?:<(?P<angle>[^<>\n]{0,2000})>"
    r"|(?P<bare>[^\s<>()]{1,2000}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500}){0,9}))"
    r"(?:\s{1,20}(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,20}\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{%|<%|\$\{|\$FOAM_")
"""What a template engine fills in: no name of anything yet."""


def has_placeholder(text: str) -> bool:
    """Whether a template engine fills in anything; most texts lack the characters it takes."""
    is_likely = "{" in text or "}" in text or "$" in text or "<%" in text
    return is_likely and PLACEHOLDER.search(text) is not None


def scan_files(text: str) -> tuple[FileLink, ...]:
    """Every Markdown link of a page that may lead to a file or a place on the page itself, in
    order; never raises."""
    if "](" not in text:
        return ()
    return tuple(
        link for run in prose(text) if any("](" in text[a:b] for a, b in run)
        for link in _of_run(text, run)
    )  # fmt: skip


def _of_run(text: str, run: Run) -> Iterator[FileLink]:
    run_text = RunText(text, run)
    joined = run_text.text
    opened: list[int] = []
    at = 0
    closers = Closers(joined)
    while token := _FILE_TOKEN.search(joined, at):
        at = token.end()
        mark = token[0]
        if mark[0] in "`<":
            at = closers.behind(mark, at)
        elif mark == "[":
            opened.append(token.start())
        elif mark[0] == "]" and opened:
            start = opened.pop()
            found = _PLACE.match(joined, at) if mark == "](" else None
            if found is None:
                continue
            at = found.end()
            written = found["angle"] or found["bare"] or ""
            to = path_of(written)
            anchor = anchor_of(written) if to or written[:1] == "#" else ""
            if to or anchor:
                embed = start > 0 and joined[start - 1] == "!"
                first, last = found.span("angle" if found["angle"] else "bare")
                place = run_text.offset(first), run_text.offset(last - 1) + 1
                yield FileLink(to, embed, max(run_text.offset(start) - embed, 0), *place, anchor)


def path_of(written: str) -> str:
    """The path a link's address means; empty where it means no file. A backslash that escapes
    nothing is a slash, as browsers and editors have it."""
    if _SCHEME.match(written) or PLACEHOLDER.search(written):
        return ""
    plain = _unquoted(re.split(r"[#?]", written, maxsplit=1)[0])
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", plain).replace("\\", "/").strip()


def anchor_of(written: str) -> str:
    """What follows the first `#` of a link's address, percent signs read."""
    return _unquoted(written.partition("#")[2])


def _unquoted(written: str) -> str:
    if "%" not in written:
        return written
    from urllib.parse import unquote

    return unquote(written, errors="replace")
