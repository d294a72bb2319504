"""All links of one page that may lead to pages, each with its key: one scan for index and lint.

They are wikilinks, Markdown links and their reference definitions, and wikilinks in the
frontmatter, as Obsidian's properties hold them. `link_targets` says where each leads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages import file_links, links
from llmwiki.pages.link_targets import file_key, link_key, resolve
from llmwiki.pages.links import Link
from llmwiki.pages.scan import body_start

_IN_FRONT = re.compile(r"\[\[([^\[\]|\n]{1,500})(?:\|[^\[\]\n]{0,500})?\]\]")
_REFERENCE = re.compile(r" {0,3}\[(?!\^)[^\[\]\n]{1,500}\]:[ \t]*<?([^\s<>]{1,2000})")
_LOCAL = lazy_pattern(r"\]\((?!\s{0,9}<?(?:[A-Za-z][A-Za-z0-9+.-]{1,40}:|//|#))")
_SHELL = lazy_pattern(r"(?:! ?)?-[A-Za-z] |\$|.* (?:[=!]=|=~|-(?:eq|ne|lt|le|gt|ge)|&&|<|>) ")
_INDEXING = re.compile(r"\d+|['\"].*['\"]")


class OutgoingLink(NamedTuple):
    """One link, and where it stands."""

    key: str
    """See `link_targets`; empty of a Markdown link that leads to no page, though perhaps to another
    file, and of a wikilink to a place on its own page."""
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
    """A reference definition, a link in front of `(…)` or an unquoted one in the frontmatter: a
    link to some readers only."""


def outgoing(
    path: str, text: str, wikilinks: Iterable[Link] | None = None
) -> Iterator[OutgoingLink]:
    """The links of the page at `path`; `wikilinks` are those of `links.scan`, if they are known."""
    for link in links.scan(text) if wikilinks is None else wikilinks:
        key = link_key(link.target, path)
        if key or not link.target:
            if _is_code(text, link):
                continue
            is_loose = text[link.end : link.end + 1] == "("
            yield OutgoingLink(
                *(key, link.start, link.target, ""),
                *(link.heading, link.block, link.embed, is_loose),
            )
    if "](" in text and _LOCAL.search(text):
        for file in file_links.scan(text):
            if resolved := resolve(path, file.to):
                key = file_key(path, file.to)
                yield OutgoingLink(key, file.start, file.to, resolved, embed=file.embed)
    yield from _in_front(path, text)
    yield from _references(path, text)


def link_keys(path: str, text: str) -> set[str]:
    """The keys of the links of a page: those of `outgoing`, mostly in a fifth of its time."""
    found: set[str] = set()
    if "[[" in text:
        targets = links.targets(text)
        if "[[ " in text or any(map(_INDEXING.fullmatch, targets)):
            return {link.key for link in outgoing(path, text)} - {""}
        found = {link_key(target, path) for target in targets}
        found.update(link.key for link in _in_front(path, text))
    if "](" in text and _LOCAL.search(text):
        found.update(file_key(path, file.to) for file in file_links.scan(text))
    if "]:" in text:
        found.update(link.key for link in _references(path, text))
    return found - {""}


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
    """The definitions `[label]: file.md` of the body; footnotes are none."""
    at = text.find("]:")
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        is_one = text[start] in " [" and not text.startswith("[^", start)
        found = _REFERENCE.match(text, start) if is_one else None
        to = file_links.path_of(found[1]) if found and start >= body_start(text) else ""
        if to and (resolved := resolve(path, to)):
            yield OutgoingLink(file_key(path, to), start, to, resolved, is_loose=True)
        end = text.find("\n", at)
        at = text.find("]:", end) if end >= 0 else -1


def reference_span(text: str, start: int) -> tuple[int, int]:
    """Where the address of the reference definition stands that begins there; (0, 0): none does."""
    found = _REFERENCE.match(text, start)
    return found.span(1) if found else (0, 0)


def _is_code(text: str, link: Link) -> bool:
    """Whether brackets only look like a link: a shell's test, indexing."""
    if link.embed or not link.target:
        return False
    inner = text[link.start + 2 : link.end - 2]
    if inner[:1] == " " and inner[-1:] == " " and _SHELL.match(inner[1:500]):
        return True
    before = text[link.start - 1 : link.start]
    is_joined = before.isalnum() or before in ("_", "]", ")")
    return is_joined and _INDEXING.fullmatch(inner.strip()) is not None
