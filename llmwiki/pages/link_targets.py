"""Which page a link leads to: the one place that decides it.

The graph, lint and its fixes, retrieval and the check of citations all ask here. As in Obsidian, a
link names a file: case does not count, `.md` may be left out, and folders before the name must be
the last ones before the page's file. Of several pages that fit, the one below the fewest folders
is meant, then the one whose folder shares most with the linking page's, then the first by path; so
a whole path from the root of the wiki, or from its folder `wiki/`, always wins. A path that begins
at the linking page's own folder (`../entities/Tea`, and every Markdown link) is looked for there
first. Where no file fits, a wikilink leads to the page whose title or alias it names.

A link is compared by its **key**, folded by `name_key`: `tea` or `entities/tea` for a wikilink;
`wiki/entities//tea` for a path from the linking page's folder, where the whole is the path that
is meant and what follows `//` is what was written, for the case that nothing lies there.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.pages.markdown_blocks import body_blocks, body_start
from llmwiki.pages.page_file_names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.pages.find_links import Link

GITHUB_PAGES = tuple(
    f"{folder}{name}.md" for folder in ("wiki/", "") for name in ("Home", "_Footer", "_Sidebar")
)
"""Pages that GitHub gives a place of their own."""
_ATTACHMENT = lazy_pattern(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|tiff?|pdf|mp[34]|m4a|wav|ogg|oga|opus|flac|3gp|webm"
    r"|ogv|mov|mkv|avi|canvas|base|csv|tsv|xlsx?|docx?|pptx?|odt|epub|zip|json|ya?ml|txt|html?)\Z",
    re.IGNORECASE,
)

_ODD_PATH = lazy_pattern(r"/(?=\.{0,2}(?:/|\Z))|\A\.{0,2}/|\s/|/\s")
"""Where a path has parts that name nothing, or blanks at the ends of names."""


def is_attachment(target: str) -> bool:
    """Whether a link names a file that is no page, by its ending."""
    return _ATTACHMENT.search(target) is not None


def link_key(target: str, page: str = "") -> str:
    """The key of a wikilink's target (`entities/Tea`); empty where it names none.

    `page` is the path of the page it stands on; without one, `..` is read as the root.
    """
    if "/" not in target and "\\" not in target:
        return name_key(target[:-3] if target[-3:].lower() == ".md" else target)
    plain = target.replace("\\", "/") if "\\" in target else target
    if plain.startswith(("./", "../")):
        return _from_folder(posixpath.dirname(page), plain)
    if _ODD_PATH.search(plain):
        parts = [part.strip() for part in plain.split("/") if part not in ("", ".", "..")]
        plain = "/".join(parts)
    return name_key(plain).removesuffix(".md")


def file_key(page: str, to: str) -> str:
    """The key of a Markdown link to the path `to` on a page.

    Empty where it leads to no page: to a file of another kind, or out of wiki/, where nobody here
    knows what lies. `x.html` is taken for the page that a site makes it of.
    """
    to = to.removesuffix(".html")
    found = resolve(page, to)
    if is_attachment(to) or not found or found.startswith(("raw/", "../")):
        return ""
    return _from_folder("" if to.startswith("/") else posixpath.dirname(page), to.lstrip("/"))


def _from_folder(folder: str, to: str) -> str:
    """The key of a path that begins at a folder: `wiki/concepts`, `../Tea.md` → `wiki//tea`."""
    whole = posixpath.normpath(posixpath.join(folder, to))
    own = posixpath.normpath(to).split("/")
    written = "/".join(part for part in own if part not in ("..", "."))
    if not written or whole.startswith(".."):
        return name_key(written).removesuffix(".md")
    base = whole[: -len(written)].rstrip("/") if whole.endswith(written) else ""
    return f"{name_key(base)}//{name_key(written).removesuffix('.md')}"


def resolve(page: str, to: str) -> str:
    """The file that a Markdown link on a page means, from the wiki's root.

    Empty where it lies outside wiki/ and raw/, or is a path of a website: nobody here knows. On a
    page elsewhere, of another tool, all counts: one that begins with `../` lies above the root.
    """
    if to.startswith("/"):
        found = posixpath.normpath(to.lstrip("/"))
    else:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(page), to))
    if page.startswith("wiki/"):
        return found if found.startswith(("wiki/", "raw/")) else ""
    return "" if found in (".", "..") else found


def name_in(key: str) -> str:
    """The folded file name in a link's key: all pages it may lead to have this file name,
    or the key as a name."""
    return key.rpartition("/")[2]


class PagesOfName:
    """Pages of one folded file name, of which a link may mean any."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._whole: dict[str, list[str]] = {}
        self._ends: dict[str, list[str]] = {}
        self._known: dict[str, tuple[Sequence[str], Sequence[str]]] = {}

    def fitting(self, key: str) -> Sequence[str]:
        """All that a link of this key may mean, by path."""
        return self._found(key)[0]

    def lead(self, key: str, source: str = "") -> str | None:
        """The page that a link of this key on the page at `source` leads to; None: to none."""
        if len(self._paths) < 2 and "/" not in key:
            return self._paths[0] if self._paths else None
        best = self._found(key)[1]
        if len(best) < 2:
            return best[0] if best else None
        return best[_nearest(best, source)]

    def _found(self, key: str) -> tuple[Sequence[str], Sequence[str]]:
        """Those that fit, and of these the ones below the fewest folders."""
        wanted = key if "/" in key else ""
        if wanted not in self._known:
            fitting = self._fitting(wanted) if wanted else self._paths
            least = min((path.count("/") for path in fitting), default=0)
            best = [path for path in fitting if path.count("/") == least]
            self._known[wanted] = fitting, best
        return self._known[wanted]

    def _fitting(self, key: str) -> Sequence[str]:
        if not self._whole:
            self._take_apart()
        base, is_path, written = key.partition("//")
        if is_path and (there := self._whole.get(f"{base}/{written}".lstrip("/"))):
            return there
        wanted = written if is_path else key
        if "/" not in wanted:
            return self._paths
        # The wiki may be a folder of a larger vault, from whose root the link is written.
        last = f"/{wanted}"[-max(map(len, self._whole), default=0) - 1 :]
        above = {path for end in _ends(last) for path in self._whole.get(end, ())}
        return sorted(above.union(self._ends.get(wanted, ())))

    def _take_apart(self) -> None:
        for path in self._paths:
            key = name_key(path.removesuffix(".md"))
            self._whole.setdefault(key, []).append(path)
            for end in _ends(f"/{key}"):
                self._ends.setdefault(end, []).append(path)


def _nearest(paths: Sequence[str], source: str) -> int:
    """Among sorted paths the first of those that share most folders with `source`."""
    here = source[: source.rfind("/") + 1]
    at = bisect_left(paths, here)
    shared = max(
        (_shared_folders(here, paths[i]) for i in (at - 1, at) if 0 <= i < len(paths)), key=len
    )
    return bisect_left(paths, shared)


def _shared_folders(one: str, other: str) -> str:
    """The folders with which two paths begin, `wiki/concepts/`."""
    common = posixpath.commonprefix((one, other))
    return common[: common.rfind("/") + 1]


def _ends(path: str) -> Iterator[str]:
    """What follows each slash of a path."""
    at = path.find("/")
    while at >= 0:
        yield path[at + 1 :]
        at = path.find("/", at + 1)


def called(names: Iterable[str], path: str) -> frozenset[str]:
    """The keys of wikilinks that name a page at `path` by its titles and aliases.

    The name of its file is none of them: by that it is found as a file.
    """
    return frozenset(map(link_key, names)) - {"", name_key(stem_of(path))}


class LinkResolver:
    """Where links lead among pages that are looked up by name; what was looked up is kept."""

    def __init__(
        self,
        files: Callable[[str], Iterable[str]],
        called: Callable[[str], Iterable[str]],
        *,
        dashes: bool = False,
    ) -> None:
        """`files` gives the paths of the pages of a folded file name (`name_in` of a key), and
        `called` those of the pages that have a title or an alias of a link's whole key.

        `dashes`: a blank in a link also finds a hyphen; see `has_dashes`.
        """
        self._files, self._called = files, called
        self._dashes = dashes
        self._of_name: dict[str, PagesOfName] = {}
        self._of_key: dict[str, PagesOfName] = {}

    def lead(self, key: str, source: str = "") -> str | None:
        """The page that a link of this key on the page at `source` leads to; None: to none."""
        found = self._file(key, source)
        if found is None and self._dashes and " " in key:
            found = self._file(key.replace(" ", "-"), source)
        if found is None and "//" not in key:
            if key not in self._of_key:
                self._of_key[key] = PagesOfName(self._called(key))
            found = self._of_key[key].lead("", source)
        return found

    def fitting(self, key: str) -> Sequence[str]:
        """All pages that a link of this key may mean, by path: by their files, else by names."""
        self.lead(key)
        of_file = self._of_name[name_in(key)].fitting(key)
        by_name = self._of_key.get(key)
        return of_file or (by_name.fitting("") if by_name else ())

    def _file(self, key: str, source: str) -> str | None:
        name = name_in(key)
        if name not in self._of_name:
            self._of_name[name] = PagesOfName(self._files(name))
        return self._of_name[name].lead(key, source)


def resolver_of(pages: Iterable[tuple[str, Collection[str]]]) -> LinkResolver:
    """A resolver over whole pages: (path, `called`) of each."""
    files: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    paths = []
    for path, others in pages:
        paths.append(path)
        files.setdefault(name_key(stem_of(path)), []).append(path)
        for name in others:
            names.setdefault(name, []).append(path)
    return LinkResolver(
        lambda name: files.get(name, ()), lambda key: names.get(key, ()), dashes=has_dashes(paths)
    )


def has_dashes(paths: Collection[str]) -> bool:
    """Whether blanks and hyphens are one in the links of a wiki with pages at these paths.

    So it is on GitHub: where the wiki has one of GitHub's own pages and no page's file name holds
    a blank. In other vaults `[[Tea cup]]` and `Tea-cup.md` stay two things, as in Obsidian.
    """
    if not any(page in paths for page in GITHUB_PAGES):
        return False
    return not any(" " in path.rpartition("/")[2] for path in paths)


# --- all links of one page -----------------------------------------------------------------------

_IN_FRONT = lazy_pattern(r"\[\[([^\[\]|\n]{1,500})(?:\|[^\[\]\n]{0,500})?\]\]")
_REFERENCE = lazy_pattern(r" {0,3}\[(?!\^)[^\[\]\n]{1,500}\]:[ \t]*<?([^\s<>]{1,2000})")
_DEFINITION = lazy_pattern(
    r" {0,3}\[[^\[\]\n]{1,500}\]:[ \t]*(?:<[^<>\n]{0,2000}>|\S{1,2000})"
    r"(?:[ \t]+(?:\"[^\n]{0,500}\"|'[^\n]{0,500}'|\([^\n]{0,500}\)))?[ \t\r]*"
)
_LOCAL = lazy_pattern(r"\]\((?!\s{0,9}<?(?:[A-Za-z][A-Za-z0-9+.-]{1,40}:|//))")
_SHELL = lazy_pattern(r"(?:! ?)?-[A-Za-z] |\$|.* (?:[=!]=|=~|-(?:eq|ne|lt|le|gt|ge)|&&|<|>) ")
_INDEXING = lazy_pattern(r"\d+|['\"].*['\"]")


class OutgoingLink(NamedTuple):
    """One link, and where it stands."""

    key: str
    """See `link_targets`; empty of a Markdown link that leads to no page, though perhaps to another
    file, and of a link to a place on its own page."""
    start: int
    """Offset in characters of its first character."""
    target: str
    """As written; of a Markdown link the path that is meant."""
    resolved: str = ""
    """Of a Markdown link: the file it means, from the wiki's root."""
    heading: str = ""
    block: str = ""
    embed: bool = False
    is_loose: bool = False
    """A line that looks like a reference definition, either way to read `[[…]](…)`, or an unquoted
    link in the frontmatter: a link to some readers only."""
    wikilink: Link | None = None
    """What it is where it is a wikilink of the body."""
    address: tuple[int, int] = (0, 0)
    """Where the address of a Markdown link or a reference definition stands."""


def outgoing(
    path: str, text: str, wikilinks: Iterable[Link] | None = None
) -> Iterator[OutgoingLink]:
    """The links of the page at `path`; `wikilinks` are those of `links.scan`, if they are known."""
    # A question asks where links lead, and reads none.
    from llmwiki.pages import find_links

    of_two_ways: set[int] = set()
    for link in find_links.scan(text) if wikilinks is None else wikilinks:
        key = link_key(link.target, path)
        if key or not link.target:
            if _is_code(text, link):
                continue
            is_loose = text[link.end : link.end + 1] == "("
            if is_loose:
                of_two_ways.add(link.start)
            place = link.heading, link.block, link.embed
            yield OutgoingLink(key, link.start, link.target, "", *place, is_loose, link)
    if "](" in text and _LOCAL.search(text):
        for file in find_links.scan_files(text):
            resolved = resolve(path, file.to) if file.to else ""
            if resolved or not file.to:
                key = file_key(path, file.to) if file.to else ""
                yield OutgoingLink(
                    *(key, file.start, file.to, resolved, file.anchor),
                    embed=file.embed,
                    is_loose=file.start in of_two_ways,
                    address=(file.first, file.last),
                )
    yield from _in_front(path, text)
    yield from _references(path, text)


def _in_front(path: str, text: str) -> Iterator[OutgoingLink]:
    first = text.find("[[")
    # Asked first, for nearly no page has one: where the frontmatter ends takes longer to find.
    if first < 0 or text.find("\n---", 0, first) >= 0 or text.find("\n...", 0, first) >= 0:
        return
    end = body_start(text)
    for found in _IN_FRONT.finditer(text, 0, end):
        target = found[1].partition("#")[0].strip()
        if key := link_key(target, path):
            quote = text[found.start() - 1]
            is_quoted = quote in "\"'" and text[found.end() : found.end() + 1] == quote
            yield OutgoingLink(key, found.start(), target, is_loose=not is_quoted)


def _references(path: str, text: str) -> Iterator[OutgoingLink]:
    """The definitions `[label]: file.md#part` of the body; footnotes are none."""
    at = text.find("]:")
    if at < 0:
        return
    from llmwiki.pages.find_links import anchor_of, path_of

    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        is_one = text[start] in " [" and not text.startswith("[^", start)
        found = _REFERENCE.match(text, start) if is_one else None
        if found and start >= body_start(text):
            to = path_of(found[1])
            resolved = resolve(path, to) if to else ""
            anchor = anchor_of(found[1]) if to or found[1][0] == "#" else ""
            if resolved or (anchor and not to):
                yield OutgoingLink(
                    *(file_key(path, to) if to else "", start, to, resolved, anchor),
                    is_loose=start not in _definitions(text),
                    address=found.span(1),
                )
        end = text.find("\n", at)
        at = text.find("]:", end) if end >= 0 else -1


@lru_cache(maxsize=2)
def _definitions(text: str) -> frozenset[int]:
    """Where lines begin that are definitions to every reader: a paragraph consists of them."""
    found = set[int]()
    for leaf in (leaf for block in body_blocks(text) for leaf in block.leaves):
        lines = [text[start:end] for start, end in leaf.spans]
        if leaf.kind == "paragraph" and all(map(_DEFINITION.fullmatch, lines)):
            found.update(text.rfind("\n", 0, start) + 1 for start, _end in leaf.spans)
    return frozenset(found)


def _is_code(text: str, link: Link) -> bool:
    """Whether brackets only look like a link: a shell's test, indexing, a class of characters."""
    if link.embed or not link.target:
        return False
    inner = text[link.start + 2 : link.end - 2]
    if inner[:1] == inner[-1:] == ":" and inner[1:-1].isalpha():
        return True
    if inner[:1] == " " and inner[-1:] == " " and _SHELL.match(inner[1:500]):
        return True
    before = text[link.start - 1 : link.start]
    is_joined = before.isalnum() or before in ("_", "]", ")")
    return is_joined and _INDEXING.fullmatch(inner.strip()) is not None
