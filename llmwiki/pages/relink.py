"""Links led to another page: what people see of them stays, and so do the words after the bar."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.claim_attributes import ABOUT
from llmwiki.pages import links
from llmwiki.pages.link_targets import OutgoingLink, link_key, name_in, outgoing, reference_span
from llmwiki.pages.links import Link
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page
from llmwiki.pages.write import with_body

_ROW = re.compile(r"[ \t>]*\|")
_BRACKETS = re.compile(r"\[\[[^\[\]\n]*\]\]")


class RelinkedText(NamedTuple):
    """A page's text after some of its links were led elsewhere."""

    text: str
    left: tuple[int, ...] = ()
    """Lines, from 1, of the links that could not be rewritten where they stand."""


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def relinked(
    path: str,
    text: str,
    leads: Callable[[OutgoingLink], str | None],
    name: Callable[[str], str],
) -> RelinkedText:
    """The text of the page at `path` with its links led to other pages.

    `leads` gives the path of the page that a link shall lead to; None leaves it as it is. `name` is
    what a wikilink to a page at a path has to say, mostly its file name.
    """
    wanted = {link.start: to for link in outgoing(path, text) if (to := leads(link))}
    if not wanted:
        return RelinkedText(text)
    edits: list[_Edit] = []
    left: list[int] = []
    for link in links.scan(text):
        if to := wanted.pop(link.start, None):
            bar = bar_at(text, link.start)[0]
            if not (bar or link.label or link.embed or not link.target):
                left.append(link.line)
            else:
                edits.append(_Edit(link.start, link.end, led_to(text, link, name(to), bar)))
    folder = posixpath.dirname(path)
    for place in _file_places(text, frozenset(wanted)):
        to = posixpath.relpath(wanted.pop(place.at), folder)
        is_angled = text[place.start - 1 : place.start] == "<"
        edits.append(_Edit(place.start, place.end, to if is_angled else _encoded(to)))
    for start, to in wanted.items():
        end = text.find("]]", start)
        if text.startswith("[[", start) and end > 0:
            edits.append(_Edit(start, end, _in_front(text[start:end], name(to))))
        else:
            left.append(text.count("\n", 0, start) + 1)
    return RelinkedText(_edited(text, edits), tuple(sorted(left)))


def _edited(text: str, edits: list[_Edit]) -> str:
    parts, last = [], 0
    for edit in sorted(edits):
        parts += [text[last : edit.start], edit.text]
        last = edit.end
    return "".join([*parts, text[last:]])


def _in_front(opening: str, stem: str) -> str:
    """A link of the frontmatter, without its end, that leads to a file of another name."""
    target, bar, words = opening[2:].partition("|")
    place = "#" + target.partition("#")[2] if "#" in target else ""
    return f"[[{stem}{place}|{words if bar else target.partition('#')[0]}"


class _FilePlace(NamedTuple):
    at: int
    """Where the link begins."""
    start: int
    """Where its path begins, without query and anchor."""
    end: int


def _file_places(text: str, wanted: frozenset[int]) -> Iterator[_FilePlace]:
    """Where the paths of those Markdown links and reference definitions stand."""
    spans = [(link.start, link.first, link.last) for link in links.scan_files(text)]
    spans += [(at, *reference_span(text, at)) for at in wanted]
    known: set[int] = set()
    for at, start, end in spans:
        if at in wanted and at not in known and start < end:
            known.add(at)
            path = re.split(r"[#?]", text[start:end], maxsplit=1)[0]
            yield _FilePlace(at, start, start + len(path))


def _encoded(path: str) -> str:
    """A path as the address of a Markdown link holds it."""
    return re.sub(r"[%\s<>()]", lambda found: f"%{ord(found[0]):02X}", path)


def bar_at(text: str, offset: int) -> tuple[str, int]:
    """What stands between a link and its label in a line, and where the line ends.

    A bare bar would part the cell of a table; empty where it may be one or not.
    """
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    end = len(text) if end < 0 else end
    if _ROW.match(text, start, end):
        return "\\|", end
    return "" if "|" in _BRACKETS.sub("", text[start:end]) else "|", end


def led_to(text: str, link: Link, stem: str, bar: str) -> str:
    """A wikilink of the text that leads to a file of another name; without words it gets its old
    target for words."""
    raw = text[link.start : link.end]
    opening = raw[: raw.index("[[") + 2]
    inner = raw[len(opening) : -2]
    led = inner.replace(link.target, stem, 1)
    words = link.target.rpartition("/")[2]
    if not link.label and not link.embed and words and words != stem:
        led += bar + words
    return f"{opening}{led}]]"


# --- lines of the tool's --------------------------------------------------------------------


def plain_lines(node: PageNode, stem: str, was: str) -> PageNode:
    """A line that the tool wrote about another page, with the link to that as it would write it:
    without the name it had, which the link got for words when it was led on."""
    if node.kind in ("c", "a"):
        return replace(node, parts=tuple(plain_lines(part, stem, was) for part in node.parts))
    if node.kind != "rel" and node.key[:2] != ("p", ABOUT):
        return node
    return replace(node, raw=node.raw.replace(f"[[{stem}|{was}]]", f"[[{stem}]]"))


def leading(
    path: str, gone: Mapping[str, str], homes: Mapping[str, str]
) -> Callable[[OutgoingLink], str | None]:
    """Where the links of the page at `path` shall lead: to the page that has become of one which is
    no more, by its folded file name; to the page on which a claim stands by now, by the claim's
    id."""

    def leads(link: OutgoingLink) -> str | None:
        home = homes.get(link.block)
        named = name_in(link_key(link.target, path))
        if home is not None:
            return home if named != name_key(stem_of(home)) and (named or home != path) else None
        to = gone.get(named)
        # The names may differ in case alone.
        return None if to is None or link.target.rpartition("/")[2] == stem_of(to) else to

    return leads


def led_on(page: Page, moved: Mapping[str, str]) -> Page:
    """A page of before some pages were renamed or merged, with its links as they are written now.

    `moved` gives the path of now for the path that a page had.
    """
    if not moved:
        return page
    gone = {name_key(stem_of(old)): new for old, new in sorted(moved.items())}
    text = relinked(page.path, page.text, leading(page.path, gone, {}), stem_of).text
    if text == page.text:
        return page
    led = Page.parse(page.path, text)
    for old, new in sorted(moved.items()):
        led = with_body(led, [plain_lines(n, stem_of(new), stem_of(old)) for n in led.body])
    return Page.parse(page.path, led.text)
