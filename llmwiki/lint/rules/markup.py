"""Safety: HTML in a page, by what it can do to whoever opens it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.lint.finding import Finding, found_at, short
from llmwiki.lint.rule import rule
from llmwiki.lint.view import PageView, without_comments

_TAG = re.compile(
    r"(?<!\\)<(?P<name>[A-Za-z][A-Za-z0-9-]{0,99}+)(?=[\s/>])"
    r"(?P<rest>(?:[^<>\"']++|\"[^\"]{0,4000}+\"|'[^']{0,4000}+'){0,200})(?P<end>>?)"
)
_ACTIVE = frozenset(
    (
        "script", "iframe", "frame", "frameset", "object", "embed", "applet", "form", "base",
        "meta", "link", "style", "portal",
    )
)  # fmt: skip
_HANDLER = re.compile(r"[\s/\"'](on[a-z]{3,30})[ \t\n]*=", re.IGNORECASE)
_SCRIPTED = re.compile(
    r"(?:href|src|action|formaction|data|srcdoc)[ \t\n]*+=[ \t\n]*+[\"']?[\x00-\x20]*+"
    r"(?:javascript|vbscript)[ \t\n]*:|\ssrcdoc[ \t\n]*=",
    re.IGNORECASE,
)
_HIDES = lazy_pattern(
    r"display[ \t]*:[ \t]*none|visibility[ \t]*:[ \t]*hidden|font-size[ \t]*:[ \t]*0(?![.\d]*[1-9])"
    r"|opacity[ \t]*:[ \t]*0(?![.\d]*[1-9])"
    r"|(?<![-\w])color[ \t]*:[ \t]*(?:white|transparent|#f{3}(?:f{3})?)\b"
    r"|text-indent[ \t]*:[ \t]*-\d{3}",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"(?:^|[\s\"'])hidden(?=[\s=/\"']|$)", re.IGNORECASE)


class _Tag(NamedTuple):
    name: str
    rest: str
    """What stands between name and `>`."""
    line: int
    column: int


@lru_cache(maxsize=2)
def _tags(view: PageView) -> tuple[_Tag, ...]:
    """The opening tags of a page: those in code, comments and frontmatter are text. Several rules
    need those of one page, one after the other."""
    if "<" not in view.text or not _TAG.search(view.text):
        return ()
    return tuple(
        _Tag(match["name"].lower(), match["rest"], line, column)
        for match, line, column in view.matches(_TAG, without_comments(view.visible))
        if match["end"]
    )


def _active_html(view: PageView) -> Iterator[Finding]:
    for tag in _tags(view):
        if what := _what_runs(tag):
            yield found_at(tag.line, what, column=tag.column, about=tag.name)


def _what_runs(tag: _Tag) -> str:
    """What an element can do by itself; empty where it can do nothing."""
    if tag.name in _ACTIVE:
        return f"`<{tag.name}>` runs or loads something when the page is opened"
    if found := _HANDLER.search(tag.rest):
        return f"`{found[1].lower()}=` in `<{short(tag.name)}>` runs a program"
    if _SCRIPTED.search(tag.rest):
        return f"`<{short(tag.name)}>` carries a program"
    return ""


def _hidden_html(view: PageView) -> Iterator[Finding]:
    yield from (
        found_at(
            tag.line,
            f"`<{short(tag.name)}>` hides text from people that models read",
            column=tag.column,
            about=tag.name,
        )
        for tag in _tags(view)
        if tag.name not in _ACTIVE
        and tag.name != "input"
        and (("style" in tag.rest and _HIDES.search(tag.rest)) or _HIDDEN.search(tag.rest))
    )


# --- pictures from elsewhere ---------------------------------------------------------------

_REMOTE = lazy_pattern(
    r"!\[[^\[\]\n]{0,500}\]\([ \t]*<?(?P<a>(?:https?:)?//[^\s<>()]{1,2000})"
    r"|<img\s[^>\n]{0,500}?src[ \t]*=[ \t]*[\"']?(?P<b>(?:https?:)?//[^\s\"'<>]{1,2000})",
    re.IGNORECASE,
)


_HEAD = "---\ntype: concept\ntitle: Example\ndescription: One of many.\n---\n\n# Example\n\n"


@rule(
    "WK610 error active-html",
    was="WK611 hidden-html",
    bad=f'{_HEAD}<img src="tea.png" onerror="load()">\n',
    good=f'{_HEAD}Water on<br>leaves, `<script>`, <span style="color: green">Tea</span>\n',
)
def active_html(view: PageView) -> Iterator[Finding]:
    """HTML that does something when the page is opened: a script, a frame, a form, a style sheet,
    an event handler; or an element whose text people do not see and models read: `hidden`,
    `display: none`, no size, white on white. HTML in code and comments is text. Notes of
    another tool have it as a design, or are pages of a site: there it is not told.

    Take it out; link to what it embeds, show what it hides.
    """
    yield from _active_html(view)
    yield from _hidden_html(view)


@rule(
    "WK612 note remote-picture",
    was="WK608 WK613 raw-html taken-for-html",
    bad=f"{_HEAD}![Tea](https://example.org/tea.png)\n",
    good=f"{_HEAD}![Tea](../../raw/tea.png), `![Tea](https://example.org/tea.png)`\n",
)
def remote_picture(view: PageView) -> Iterator[Finding]:
    """A picture is fetched from another host, which learns who reads the page and when, and what
    its address tells. In notes of another tool that is not told.

    Keep the picture in the repository.
    """
    if "//" not in view.text or not ("](" in view.text or "<" in view.text):
        return
    told: set[str] = set()
    for match, line, column in view.matches(_REMOTE):
        host = (match["a"] or match["b"]).partition("//")[2].partition("/")[0].lower()
        if host not in told and view.visible[match.start()] in "!<":
            told.add(host)
            message = f"A picture is fetched from {short(host)} whenever the page is shown"
            yield found_at(line, message, column=column, about=short(host))
