"""Where the links of pages lead: what each page is called, and what each of its links names.

A link finds a page by its file name, as in Obsidian: case does not count, a folder before the name
must end the page's path. Pages therefore speak under the folded file name: the page that has it,
pages that bear it as title or alias, and every link that names it.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from llmwiki.core.text import fold
from llmwiki.lint import file_links
from llmwiki.lint.relation import Group, GroupRow, Relation, Value
from llmwiki.lint.view import PageView
from llmwiki.pages.blocks import body_start
from llmwiki.pages.links import Link
from llmwiki.pages.names import name_key

PAGE, NAME, LINK, FILE, FAINT = "page", "name", "link", "file", "faint"
"""What a row says: here is the page; a page bears this name; a wikilink; a Markdown link; and a
mention that makes a page linked, but is nothing to complain of (templates, comments)."""

KINDS = frozenset(("entity", "concept", "source", "synthesis", "daily", "memory", "skill"))
SUBJECTS = ("entity", "concept", "synthesis")
_FOLDERS = {
    "entities": "entity", "concepts": "concept", "sources": "source", "syntheses": "synthesis",
    "daily": "daily", "skills": "skill",
}  # fmt: skip
_TEMPLATES = frozenset(("template", "templates", "_template", "_templates"))

_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|tiff?|pdf|mp3|wav|m4a|ogg|oga|opus|flac|3gp|mp4|webm"
    r"|ogv|mov|mkv|avi|canvas|base|csv|tsv|xlsx?|docx?|pptx?|odt|epub|zip|json|ya?ml|txt|html?)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ \t>]*(?:[-*+][ \t]+)?#{1,6}[ \t]+(.*)$")
_ADDRESS = re.compile(r"\]\([^()\n]{0,2000}\)")
_OWN_ANCHORS = re.compile(r"<h[1-6][\s>]|<a\s|<[a-z][^<>\n]{0,200}\sid=|\{#", re.IGNORECASE)
_IN_FRONT = re.compile(r"\[\[([^\[\]|\n]{1,500})(?:\|[^\[\]\n]{0,500})?\]\]")
_REFERENCE = re.compile(
    r"^ {0,3}\[(?!\^)[^\[\]\n]{1,500}\]:[ \t]*<?([^\s<>]{1,2000})", re.MULTILINE
)
_SHELL = re.compile(r"(?:! ?)?-[A-Za-z] |\$|.* (?:[=!]=|=~|-(?:eq|ne|lt|le|gt|ge)|&&|<|>) ")
_INDEXING = re.compile(r"\d+|['\"].*['\"]")
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
    kind = _FOLDERS.get(view.folder, "")
    return "" if view.limits.is_foreign and kind in SUBJECTS else kind


def link_key(target: str) -> str:
    """The folded file name that a link's target names; empty where it names none."""
    name = target
    if "/" in target or "\\" in target:
        name = target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    return name_key(name[:-3] if name[-3:].lower() == ".md" else name)


def is_attachment(target: str) -> bool:
    """Whether a link names a file that is no page, by its ending."""
    return _ATTACHMENT.search(target) is not None


def heading_key(title: str) -> str:
    """What two spellings of a heading share: its letters and digits, folded."""
    return "".join(filter(str.isalnum, fold(title)))


def is_at(path: str, target: str) -> bool:
    """Whether the page at `path` is where a link's folders lead; true for one without folders."""
    if "/" not in target:
        return True
    wanted = _plain_path(target)
    have = name_key(path.removesuffix(".md"))
    return f"/{have}".endswith(f"/{wanted}") or f"/{wanted}".endswith(f"/{have}")


class PagesOfName:
    """Pages of one name, asked again and again whether a link's folders lead to one of them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._whole: dict[str, list[str]] = {}
        self._ends: dict[str, list[str]] = {}
        for path in self._paths:
            key = name_key(path.removesuffix(".md"))
            self._whole.setdefault(key, []).append(path)
            for end in _ends(f"/{key}"):
                self._ends.setdefault(end, []).append(path)
        self._longest = max(map(len, self._whole), default=0)

    def at(self, target: str) -> list[str]:
        """Those of which `is_at` says so, sorted."""
        if "/" not in target:
            return self._paths
        wanted = _plain_path(target)
        last = f"/{wanted}"[-self._longest - 1 :]
        found = {path for end in _ends(last) for path in self._whole.get(end, ())}
        return sorted(found.union(self._ends.get(wanted, ())))


def _ends(path: str) -> Iterator[str]:
    """What follows each slash of a path."""
    at = path.find("/")
    while at >= 0:
        yield path[at + 1 :]
        at = path.find("/", at + 1)


@lru_cache(maxsize=1 << 10)
def _plain_path(target: str) -> str:
    parts = [part for part in target.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    key = name_key("/".join(parts))
    return key.removesuffix(".md")


def stem_of(path: str) -> str:
    """The file's name without folder and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


class LinePositions:
    """Lines and columns of a text by offset."""

    def __init__(self, view: PageView) -> None:
        self._starts = (0, *accumulate(len(line) + 1 for line in view.lines))

    def of(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


# --- what a page says ----------------------------------------------------------------------


def _say_names(view: PageView) -> Iterator[tuple[str, Value]]:
    own = name_key(view.stem)
    uses = _uses(view)
    leads = len(_targets(own, uses))
    headings = " ".join(sorted(_headings(view)))
    blocks = " ".join(sorted(block.lower() for block in view.blocks))
    yield own, (PAGE, kind_of(view), leads, headings, blocks)
    said = set()
    for name in (view.title if not view.broken else view.stem, *_aliases(view)):
        key = link_key(name)
        if key and name_key(name) != own and (key, name) not in said:
            said.add((key, name))
            yield key, (NAME, name)
    yield from uses


def _aliases(view: PageView) -> tuple[str, ...]:
    return () if view.broken else view.head.aliases


@lru_cache(maxsize=2)
def _uses(view: PageView) -> tuple[tuple[str, Value], ...]:
    """What the page's links name, each with its key; two relations ask, one after the other."""
    text = view.text
    quiet = any(part.lower() in _TEMPLATES for part in view.path.split("/")[1:-1])
    places = LinePositions(view)
    uses = [*_wikilinks(view, places), *_file_links(view, places), *_front_links(view, places)]
    if "]:" in text:
        for found in _REFERENCE.finditer(text, body_start(text)):
            to = file_links.path_of(found[1])
            if to and (resolved := resolve(view.path, to)):
                uses.append((link_key(resolved), (FAINT,)))
    return tuple((key, (FAINT,)) for key, _value in uses) if quiet else tuple(uses)


def _wikilinks(view: PageView, places: LinePositions) -> Iterator[tuple[str, Value]]:
    text, own = view.text, name_key(view.stem)
    # Asked of the page as a whole first: most hold neither.
    is_odd = "%%" in text or file_links.has_placeholder(text)
    for link in view.links:
        key = link_key(link.target) if link.target else own
        if not key or _is_no_link(text, link):
            continue
        if text[link.end : link.end + 1] == "(" or (is_odd and _is_faint(view, link)):
            yield key, (FAINT,)
        else:
            column = places.of(link.start)[1]
            block = link.block.lower()
            yield key, (LINK, link.line, column, link.target, link.heading, block, int(link.embed))


def _file_links(view: PageView, places: LinePositions) -> Iterator[tuple[str, Value]]:
    for link in file_links.scan(view.text):
        resolved = resolve(view.path, link.to)
        if resolved and _is_comment(view, link.start):
            yield link_key(resolved), (FAINT,)
        elif resolved:
            value = (FILE, *places.of(link.start), link.to, resolved, int(link.embed))
            yield link_key(resolved), value


def _front_links(view: PageView, places: LinePositions) -> Iterator[tuple[str, Value]]:
    """Links of the frontmatter, as Obsidian's properties hold them: between quotes."""
    text = view.text
    end = body_start(text)
    if "[[" not in text[:end]:
        return
    for found in _IN_FRONT.finditer(text, 0, end):
        target = found[1].partition("#")[0].strip()
        key = link_key(target)
        quote = text[found.start() - 1 : found.start()]
        if key and quote in "\"'" and text[found.end() : found.end() + 1] == quote:
            yield key, (LINK, *places.of(found.start()), target, "", "", 0)
        elif key:
            yield key, (FAINT,)


def _is_no_link(text: str, link: Link) -> bool:
    """Whether brackets only look like a link: a shell's test, indexing."""
    if not link.target or link.embed:
        return False
    inner = text[link.start + 2 : link.end - 2]
    if inner[:1] == " " and inner[-1:] == " " and _SHELL.match(inner[1:500]):
        return True
    before = text[link.start - 1 : link.start]
    is_joined = before.isalnum() or before in ("_", "]", ")")
    return is_joined and _INDEXING.fullmatch(inner.strip()) is not None


def _is_faint(view: PageView, link: Link) -> bool:
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


def resolve(path: str, to: str) -> str:
    """The file that a Markdown link on the page at `path` means, from the wiki's root.

    Empty where it lies outside wiki/ and raw/, or is a path of a website: nobody here knows.
    """
    if to.startswith("/"):
        found = posixpath.normpath(to.lstrip("/"))
    else:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), to))
    return found if found.startswith(("wiki/", "raw/")) else ""


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


def _targets(own: str, uses: Iterable[tuple[str, Value]]) -> set[str]:
    """The names of other pages among what links name."""
    return {
        key for key, value in uses
        if key != own and not (value[0] != FAINT and is_attachment(str(value[3])))
    }  # fmt: skip


def _say_leads(view: PageView) -> Iterator[tuple[str, Value]]:
    own = name_key(view.stem)
    size = len(view.prose.strip().encode("utf-8", "surrogatepass"))
    # Beyond what counts as short it tells nothing, and would be another with every edit.
    size = min(size, view.limits.hub_stub_bytes)
    yield own, (kind_of(view), size, int(bool(view.claims)), *sorted(_targets(own, _uses(view))))


NAMES = Relation("names", _say_names)
"""Under each folded file name: who has it, who bears it as a name, whose links name it."""

LEADS = Relation("leads", _say_leads)
"""Under its own folded file name each page says its kind, the bytes of its body (at most
`hub_stub_bytes`), 1 if it has claims, and the folded file names it leads to. One row a page: the
graph is made of it."""


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
    """(path, name as written) of pages that bear the name as title or alias."""
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


def users_of(group: Group) -> set[str]:
    """The pages that name it in whatever way."""
    return {row.path for row in group.rows if row.value[0] in (LINK, FILE, FAINT)}
