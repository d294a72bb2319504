"""What each page is called and what its links name, gathered so that they can be compared.

A link finds a page by its file name (`pages.link_targets`). So everything is gathered under folded
file names: the page that has it, pages that have it as title or alias, and the links that give it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from llmwiki.core.claim_attributes import ABOUT
from llmwiki.core.page_kinds import KIND_OF_FOLDER, KINDS, TOPICS
from llmwiki.core.text import fold
from llmwiki.lint.relation import Group, GroupRow, Relation, Value
from llmwiki.lint.view import PageView
from llmwiki.pages import file_links
from llmwiki.pages.link_targets import (
    PagesOfName,
    called,
    file_key,
    is_attachment,
    link_key,
    name_in,
)
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.outgoing import OutgoingLink, outgoing

PAGE, NAME, LINK, FILE, FAINT = "page", "name", "link", "file", "faint"
"""What a row says: here is the page; a page has this name; a wikilink; a Markdown link; and a
mention that makes a page linked, but is nothing to complain of (templates, comments)."""

_TEMPLATES = frozenset(("template", "templates", "_template", "_templates"))

_HEADING = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?#{1,6}[ \t]+(.*)$")
_ADDRESS = re.compile(r"\]\([^()\n]{0,2000}\)")
_OWN_ANCHORS = re.compile(r"<h[1-6][\s>]|<a\s|<[a-z][^<>\n]{0,200}\sid=|\{#", re.IGNORECASE)
_ABOUT = f"{ABOUT}: "
"""Before a link that may lead to a page which is still to come."""
ANY = "*"
"""Among the headings of a page: it has anchors of its own making, any may be there."""


class LinkRow(NamedTuple):
    """A wikilink, as a row tells of it."""

    path: str
    """The page it stands on."""
    line: int
    column: int
    target: str
    """As written; empty: the page itself."""
    heading: str
    block: str
    embed: bool

    @property
    def key(self) -> str:
        """As `link_targets.link_key` makes it."""
        return link_key(self.target, self.path)

    @property
    def shown(self) -> str:
        """The link without its label."""
        anchor = f"#^{self.block}" if self.block else f"#{self.heading}" if self.heading else ""
        return f"{'!' if self.embed else ''}[[{self.target}{anchor}]]"


class FileUse(NamedTuple):
    """A Markdown link to a file, as a row tells of it."""

    path: str
    line: int
    column: int
    to: str
    """As meant on the page."""
    resolved: str
    """From the wiki's root."""
    embed: bool

    @property
    def key(self) -> str:
        """As `link_targets.file_key` makes it."""
        return file_key(self.path, self.to)


class PageRow(NamedTuple):
    """A page, as a row tells of it."""

    path: str
    kind: str
    """One of `KINDS`; empty: a note of another tool."""
    leads: int
    """To how many other names it leads."""
    headings: frozenset[str]
    """By `heading_key`."""
    blocks: frozenset[str]


def kind_of(view: PageView) -> str:
    """The type of a page, by its frontmatter or its folder; empty for a note of another tool.

    In a foreign vault a folder's name makes no page one that is asked for more.
    """
    if view.type in KINDS:
        return view.type
    kind = KIND_OF_FOLDER.get(view.folder, "")
    return "" if view.is_foreign and kind in TOPICS else kind


def heading_key(title: str) -> str:
    """What two spellings of a heading share: its letters and digits, folded."""
    return "".join(filter(str.isalnum, fold(title)))


class LinePositions:
    """Lines and columns of a text by offset."""

    def __init__(self, view: PageView) -> None:
        self._starts = (0, *accumulate(len(line) + 1 for line in view.lines))

    def of(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


# --- what a page says ----------------------------------------------------------------------


def _graph_kind(view: PageView) -> str:
    """The kind of a page; of one that is kept empty a word that is none: it wants no links."""
    return "deprecated" if view.is_deprecated else kind_of(view)


def _say_names(view: PageView) -> Iterator[tuple[str, Value]]:
    own = name_key(view.stem)
    leads = len(_others(view))
    headings = " ".join(sorted(_headings(view)))
    blocks = " ".join(sorted(block.lower() for block in view.blocks))
    yield own, (PAGE, _graph_kind(view), leads, headings, blocks)
    said = set()
    for name in _names(view):
        key = link_key(name)
        if key and key != own and (key, name) not in said:
            said.add((key, name))
            yield name_in(key), (NAME, name)
    yield from _uses(view)


def _names(view: PageView) -> tuple[str, ...]:
    """The title and the aliases."""
    return () if view.broken else (view.title, *view.head.aliases)


@lru_cache(maxsize=2)
def _outgoing(view: PageView) -> tuple[OutgoingLink, ...]:
    return tuple(outgoing(view.path, view.text, view.links))


def _uses(view: PageView) -> Iterator[tuple[str, Value]]:
    """The links of a page, each under the folded file name it gives."""
    text, own = view.text, name_key(view.stem)
    # Asked of the page as a whole first: most hold neither.
    is_odd = "%%" in text or file_links.has_placeholder(text)
    is_template = any(part.lower() in _TEMPLATES for part in view.path.split("/")[:-1])
    places = LinePositions(view)
    for link in _outgoing(view):
        name = name_in(link.key) or (name_key(stem_of(link.resolved)) if link.resolved else own)
        is_about = text.startswith(_ABOUT, max(0, link.start - len(_ABOUT)))
        if is_template or link.is_loose or is_about or (is_odd and _is_faint(view, link)):
            yield name, (FAINT, link.key)
        elif link.resolved:
            place = places.of(link.start)
            yield name, (FILE, *place, link.target, link.resolved, int(link.embed))
        else:
            anchors = (link.heading, link.block.lower(), int(link.embed))
            yield name, (LINK, *places.of(link.start), link.target, *anchors)


def _others(view: PageView) -> set[str]:
    """The folded file names of other pages that the links of a page give."""
    names = {name_in(link.key) for link in _outgoing(view) if not is_attachment(link.key)}
    return names - {"", name_key(view.stem)}


def _is_faint(view: PageView, link: OutgoingLink) -> bool:
    """Whether a link is what a template engine fills in, or stands in a comment."""
    return bool(file_links.PLACEHOLDER.search(link.target)) or _is_comment(view, link.start)


def _is_comment(view: PageView, offset: int) -> bool:
    """Whether it stands in a comment of Obsidian's, `%% … %%`."""
    return bisect_right(_percent_signs(view), offset) % 2 == 1


@lru_cache(maxsize=2)
def _percent_signs(view: PageView) -> tuple[int, ...]:
    """The offsets of `%%` by twos: what opens and what closes a comment."""
    found = [match.start() for match in re.finditer("%%", view.text)]
    return tuple(found[: len(found) // 2 * 2])


def _headings(view: PageView) -> set[str]:
    """The keys of all that may be a heading: code is no reason to miss one."""
    text, lines = view.text, view.lines
    found = [match[1] for line in lines if "#" in line and (match := _HEADING.match(line))]
    found += [
        lines[number - 1]
        for number, line in enumerate(lines)
        if line and line[0] in " \t>=-" and number and not line.strip(" \t\r>=-")
    ]
    keys = {heading_key(title) for title in found}
    keys |= {heading_key(_ADDRESS.sub("]", title)) for title in found if "](" in title}
    keys |= {heading_key(title.rpartition("^")[0]) for title in found if " ^" in title}
    if ("<" in text or "{#" in text) and _OWN_ANCHORS.search(text):
        keys.add(ANY)
    return keys - {""}


def _say_outgoing(view: PageView) -> Iterator[tuple[str, Value]]:
    own = name_key(view.stem)
    size = len(view.prose.strip().encode("utf-8", "surrogatepass"))
    # A larger size is not needed, and would change with every edit.
    size = min(size, view.limits.hub_stub_bytes)
    names = sorted(called(_names(view), view.path))
    keys = sorted({link.key for link in _outgoing(view)} - {""})
    head = (_graph_kind(view), size, int(bool(view.claims)), len(_others(view)), len(names))
    yield own, (*head, *names, *keys)


class OutgoingRow(NamedTuple):
    """What a page says of itself and its links, for the graph."""

    path: str
    kind: str
    size: int
    """Bytes of its body, at most `hub_stub_bytes`."""
    has_claims: bool
    others: int
    """How many file names of other pages its links give."""
    names: tuple[str, ...]
    """Keys of its titles and aliases, without the name of its file."""
    keys: tuple[str, ...]
    """Of its links, sorted (`link_targets.link_key`, `file_key`)."""


NAMES = Relation("names", _say_names)
"""Under each folded file name: who has it, who has it as title or alias, whose links name it."""

OUTGOING = Relation("outgoing", _say_outgoing)
"""Under its own folded file name each page's `OutgoingRow`. One row a page: the graph is made of
it."""


def outgoing_in(group: Group) -> Iterator[OutgoingRow]:
    """The rows of a group of `OUTGOING`."""
    for path, (kind, size, has_claims, others, count, *words) in group.rows:
        names, keys = map(str, words[: int(count)]), map(str, words[int(count) :])
        yield OutgoingRow(
            *(path, str(kind), int(size), bool(has_claims), int(others)),
            *(tuple(names), tuple(keys)),
        )


# --- what a group tells --------------------------------------------------------------------


def pages_of(group: Group) -> tuple[PageRow, ...]:
    """The pages that have the name."""
    return tuple(_known(row) for row in group.rows if row.value[0] == PAGE)


def _known(row: GroupRow) -> PageRow:
    _, kind, leads, headings, blocks = row.value
    words = frozenset(str(headings).split())
    return PageRow(row.path, str(kind), int(leads), words, frozenset(str(blocks).split()))


def paths_of(group: Group) -> tuple[str, ...]:
    """The paths of the pages that have the name: cheaper than `pages_of`."""
    return tuple(row.path for row in group.rows if row.value[0] == PAGE)


def bearers(group: Group) -> tuple[tuple[str, str], ...]:
    """(path, name as written) of pages that have the name as title or alias."""
    return tuple((row.path, str(row.value[1])) for row in group.rows if row.value[0] == NAME)


def uses_of(group: Group, having: str = "target") -> Iterator[LinkRow]:
    """The wikilinks that name it; with `heading` or `block` those that have one."""
    at = _AT[having]
    for path, value in group.rows:
        if value[0] == LINK and (value[at] or at == _AT["target"]):
            _, line, column, target, heading, block, embed = value
            yield LinkRow(
                path, int(line), int(column), str(target), str(heading), str(block), bool(embed)
            )


_AT = {"target": 3, "heading": 4, "block": 5}


def file_uses_of(group: Group) -> Iterator[FileUse]:
    """The Markdown links whose file has the name."""
    for path, value in group.rows:
        if value[0] == FILE:
            _, line, column, to, resolved, embed = value
            yield FileUse(path, int(line), int(column), str(to), str(resolved), bool(embed))


def keys_used(group: Group) -> Iterator[tuple[str, str]]:
    """(path, key) of each link that gives the name, in whatever way; see `link_targets`."""
    for path, value in group.rows:
        if value[0] == LINK and value[3]:
            yield path, link_key(str(value[3]), path)
        elif value[0] == FILE:
            yield path, file_key(path, str(value[3]))
        elif value[0] == FAINT:
            yield path, str(value[1])


def users_of(group: Group) -> dict[str, set[str]]:
    """Each page of the name to the other pages whose links lead to it."""
    homes = PagesOfName(paths_of(group))
    found: dict[str, set[str]] = {}
    for path, key in keys_used(group):
        home = homes.lead(key, path) if key else None
        if home is not None and home != path:
            found.setdefault(home, set()).add(path)
    return found
