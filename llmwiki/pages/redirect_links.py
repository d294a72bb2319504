"""Links led to another page: what people see of them stays, and so do the words after the bar."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.claim_attributes import ABOUT
from llmwiki.pages.find_links import Link
from llmwiki.pages.link_targets import OutgoingLink, link_key, name_in, outgoing
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.page_tree import PageNode
from llmwiki.pages.write import with_body

_ROW = re.compile(r"[ \t>]*\|")
_BRACKETS = re.compile(r"\[\[[^\[\]\n]*\]\]")


class RelinkedText(NamedTuple):
    """A page's text after some of its links were led elsewhere."""

    text: str
    left: tuple[int, ...] = ()
    """Lines, from 1, of the links that could not be rewritten where they stand."""


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
    folder = posixpath.dirname(path)
    edits: dict[int, tuple[int, int, str]] = {}
    left: dict[int, int] = {}
    for link in outgoing(path, text):
        to = leads(link)
        if to is None or link.start in edits or link.start in left:
            continue
        if written := link.wikilink:
            bar = bar_at(text, link.start)[0]
            if bar or written.label or link.embed or not link.target:
                new = led_to(text, written, name(to), bar)
                edits[link.start] = link.start, written.end, new
            else:
                left[link.start] = written.line
        elif link.address != (0, 0):
            edits[link.start] = _address(text, link.address, posixpath.relpath(to, folder))
        else:
            end = text.index("]]", link.start)
            edits[link.start] = link.start, end, _in_front(text[link.start : end], name(to))
    parts, last = [], 0
    for start, end, new in sorted(edits.values()):
        parts += [text[last:start], new]
        last = end
    return RelinkedText("".join([*parts, text[last:]]), tuple(sorted(left.values())))


def _in_front(opening: str, stem: str) -> str:
    """A link of the frontmatter, without its end, that leads to a file of another name."""
    target, bar, words = opening[2:].partition("|")
    place = "#" + target.partition("#")[2] if "#" in target else ""
    return f"[[{stem}{place}|{words if bar else target.partition('#')[0]}"


def _address(text: str, place: tuple[int, int], to: str) -> tuple[int, int, str]:
    """Where the path in the address of a Markdown link stands, and another path as it holds it."""
    start, end = place
    path = re.split(r"[#?]", text[start:end], maxsplit=1)[0]
    is_angled = text[start - 1 : start] == "<"
    encoded = re.sub(r"[%\s<>()]", lambda found: f"%{ord(found[0]):02X}", to)
    return start, start + len(path), to if is_angled else encoded


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
