"""Safety: HTML in a page, by what it can do to whoever opens it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.lint.finding import Finding, Severity, found_at
from llmwiki.lint.rule import rule
from llmwiki.lint.view import PageView, without_comments
from llmwiki.lint.wording import milder, short
from llmwiki.pages.lines import TAG

_TAG = re.compile(
    r"(?<!\\)<(?P<name>[A-Za-z][A-Za-z0-9-]{0,99}+)(?=[\s/>])"
    r"(?P<rest>(?:[^<>\"']++|\"[^\"]{0,4000}+\"|'[^']{0,4000}+'){0,200})(?P<end>>?)"
)
_WHOLE_TAG = lazy_pattern(TAG)
_ACTIVE = frozenset(
    (
        "script", "iframe", "frame", "frameset", "object", "embed", "applet", "form", "base",
        "meta", "link", "style", "portal",
    )
)  # fmt: skip
_EMBEDS = ("iframe", "embed", "object", "style")
"""What notes of other tools show videos by, and how they look."""
_DRAWING = frozenset(
    (
        "g", "path", "rect", "circle", "line", "polygon", "polyline", "ellipse", "text", "tspan",
        "defs", "use", "svg", "clippath", "mask", "pattern", "filter", "marker", "symbol", "stop",
        "lineargradient", "radialgradient", "foreignobject", "image", "desc", "animate",
    )
)  # fmt: skip
"""Of SVG, in lower case."""
_ELEMENTS = _ACTIVE | _DRAWING | frozenset(
    (
        "a", "abbr", "address", "area", "article", "aside", "audio", "b", "bdi", "bdo", "big",
        "blockquote", "body", "br", "button", "canvas", "caption", "center", "cite", "code", "col",
        "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog", "div", "dl", "dt",
        "em", "fieldset", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5",
        "h6", "head", "header", "hgroup", "hr", "html", "i", "img", "input", "ins", "kbd", "label",
        "legend", "li", "main", "map", "mark", "math", "menu", "meter", "nav", "noscript", "ol",
        "optgroup", "option", "output", "p", "param", "picture", "pre", "progress", "q", "rp", "rt",
        "ruby", "s", "samp", "search", "section", "select", "slot", "small", "source", "span",
        "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "template", "textarea",
        "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u", "ul", "var", "video",
        "wbr",
    )
)  # fmt: skip
_HANDLER = re.compile(r"[\s/\"'](on[a-z]{3,30})[ \t\n]*=", re.IGNORECASE)
_LEADS = re.compile(r"(?:href|src|action|http-equiv|data)[ \t\n]*=", re.IGNORECASE)
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
    start: int
    written: str
    """The whole of it, as it stands."""


@lru_cache(maxsize=2)
def _tags(view: PageView) -> tuple[_Tag, ...]:
    """The opening tags of a page: those in code, comments and frontmatter are text. Several rules
    need those of one page, one after the other."""
    if "<" not in view.text or not _TAG.search(view.text):
        return ()
    return tuple(
        _Tag(match["name"].lower(), match["rest"], line, column, match.start(), match[0])
        for match, line, column in view.matches(_TAG, without_comments(view.visible))
        if match["end"]
    )


def _active_html(view: PageView) -> Iterator[Finding]:
    yield from (
        found_at(tag.line, what, column=tag.column, about=tag.name)
        for tag in _tags(view)
        if (what := _what_runs(tag)) and _is_active(view, tag)
    )


def _is_active(view: PageView, tag: _Tag) -> bool:
    """Whether an element does something there. In notes of another tool it may show a video, or be
    a word or a component of a program (`<Link to="/">`), which names nothing to do it with."""
    if not view.is_foreign or tag.name == "script":
        return True
    is_led = _LEADS.search(tag.rest) or _HANDLER.search(tag.rest)
    return tag.name not in _EMBEDS and bool(is_led)


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
        and not (view.is_foreign and tag.name in _DRAWING)
        and (("style" in tag.rest and _HIDES.search(tag.rest)) or _HIDDEN.search(tag.rest))
    )


def _taken_for_html(view: PageView) -> Iterator[Finding]:
    told: set[str] = set()
    for tag in _tags(view):
        is_word = tag.name not in _ELEMENTS or (
            tag.name in _ACTIVE and tag.name not in _EMBEDS and not _is_active(view, tag)
        )
        if is_word and tag.name not in told and tag.column < _REACH and _vanishes(view, tag):
            told.add(tag.name)
            yield found_at(
                tag.line,
                f"`<{short(tag.written[1 : len(tag.name) + 1])}>` is taken for HTML, and is not"
                " shown",
                column=tag.column,
                about=tag.name,
            )


_REACH = 2000
"""Characters on either side in which the dollars of maths are looked for; what stands further on in
a line, of a log say, is not told."""


def _vanishes(view: PageView, tag: _Tag) -> bool:
    """Whether CommonMark reads it as a tag, outside maths and the words of a wikilink."""
    if _is_maths(view, tag) or _is_component(view, tag) or not _WHOLE_TAG.fullmatch(tag.written):
        return False
    before = bisect_right(view.links, tag.start, key=lambda link: link.start)
    return not before or view.links[before - 1].end <= tag.start


def _is_component(view: PageView, tag: _Tag) -> bool:
    """Whether a site's generator knows the element: it has attributes, or is closed."""
    return "=" in tag.rest or f"</{tag.written[1 : len(tag.name) + 1]}>" in view.text


def _is_maths(view: PageView, tag: _Tag) -> bool:
    """Whether it stands between dollars: on its line, as in `$<M>$`, or two in its paragraph."""
    for sign, gap in (("$$", "\n\n"), ("$", "\n")):
        before = view.text[max(0, tag.start - _REACH) : tag.start].rpartition(gap)[2]
        behind = view.text[tag.start : tag.start + _REACH].partition(gap)[0]
        if before.count(sign) % 2 == 1 and sign in behind:
            return True
    return False


# --- pictures from elsewhere ---------------------------------------------------------------

_REMOTE = lazy_pattern(
    r"!\[[^\[\]\n]{0,500}\]\([ \t]*<?(?P<a>(?:https?:)?//[^\s<>()]{1,2000})"
    r"|<img\s[^>\n]{0,500}?src[ \t]*=[ \t]*[\"']?(?P<b>(?:https?:)?//[^\s\"'<>]{1,2000})",
    re.IGNORECASE,
)


def _remote_picture(view: PageView) -> Iterator[Finding]:
    if "//" not in view.text or ("](" not in view.text and "<" not in view.text):
        return
    told: set[str] = set()
    for match, line, column in view.matches(_REMOTE):
        host = (match["a"] or match["b"]).partition("//")[2].partition("/")[0].lower()
        if host not in told and view.visible[match.start()] in "!<":
            told.add(host)
            yield found_at(
                line,
                f"A picture is fetched from {short(host)} whenever the page is shown",
                column=column,
                about=short(host),
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
    `display: none`, no size, white on white. HTML in code and comments is text. In notes of another
    tool, such as the pages of a site, what is active is a note.

    Take it out; link to what it embeds, show what it hides.
    """
    active = _active_html(view)
    yield from milder(active, Severity.NOTE) if view.is_foreign else active
    yield from _hidden_html(view)


@rule(
    "WK612 note raw-html",
    was="WK608 WK613 remote-picture taken-for-html",
    bad=f"{_HEAD}Run it with <name> behind it.\n",
    good=f"{_HEAD}H<sub>2</sub>O, `<name>`, a < b, Tea<Leaf = U>, [[Tea|Tea<T>]], <https://a.org>\n",
)
def raw_html(view: PageView) -> Iterator[Finding]:
    """A word between angle brackets that is no element of HTML vanishes when the page is shown. Or
    a picture is fetched from another host, which learns who reads the page and when; in notes of
    another tool that is not told.

    Escape the bracket (`\\<name>`) or put the word between backticks; keep the picture in the
    repository.
    """
    yield from _taken_for_html(view)
    if not view.is_foreign:
        yield from _remote_picture(view)
