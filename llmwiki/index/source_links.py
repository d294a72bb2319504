"""What the texts of sources link to and name: rows in the file of their passages.

A document's own links are kept by the folded name of the file they give, the capitalised names of
its text as the index has those of pages: functions of that source's bytes. Where they lead is found
when it is asked. The page of a source stands for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

from llmwiki.index.corpus import FILE, LINK, RUN
from llmwiki.index.page_terms import plain_text, runs, title_key
from llmwiki.pages.link_targets import PagesOfName, name_in, outgoing
from llmwiki.pages.names import name_key

MOST_NAMING = 60
"""Sources that name a page, beyond which its name says nothing."""


class LinkedSources(Protocol):
    """The sources of a wiki, by their keys."""

    def keyed(self, prefix: str) -> Iterable[tuple[str, str, str]]:
        """The keys that begin so, each with the page and path of a source that has it; in order."""

    def naming(self, name: str) -> Collection[str]:
        """The pages of the sources in whose capitalised names a folded one stands."""


def keys_of(path: str, lines: Sequence[str]) -> set[str]:
    """The keys under which a source is kept beside its terms; no term holds their colon."""
    text = "\n".join(lines)
    found = {RUN + run for run in runs(plain_text(text))}
    for link in outgoing(path, text):
        # What a Markdown link means is one file, whatever others are called.
        key = f"/{_bare(link.resolved.removesuffix('.html'))}" if link.resolved else link.key
        if key:
            found.add(f"{LINK}{name_in(key)}/{key}")
    return {f"{FILE}{name_in(_bare(path))}/", *found}


def own_links(
    sources: LinkedSources, names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """The links between sources, or those that give one of these file names: the page of the source
    one stands in, and of that it leads to. A link that leads to none is nothing."""

    def of_kind(kind: str) -> Iterator[tuple[str, str, str]]:
        for prefix in [kind] if names is None else [f"{kind}{name}/" for name in sorted(names)]:
            for term, page, path in sources.keyed(prefix):
                yield term[len(kind) :].partition("/")[2], page, path

    pages = {path: page for _, page, path in of_kind(FILE)}
    of_name: dict[str, list[str]] = {}
    for path in pages:
        of_name.setdefault(name_in(_bare(path)), []).append(path)
    files = {_bare(path): path for path in pages}
    known = {name: PagesOfName(paths) for name, paths in of_name.items()}
    for key, page, path in of_kind(LINK):
        to = files.get(key.replace("//", "/").removeprefix("/"))
        if "//" not in key and not key.startswith("/") and (named := known.get(name_in(key))):
            to = named.lead(key, path)
        if to is not None and pages[to] != page:
            yield page, pages[to]


def linking(sources: LinkedSources, path: str, resource: str, names: Iterable[str]) -> set[str]:
    """The pages of the sources that link to that of another, or that say one of its names.

    `resource` is the path of its source; empty: it has none.
    """
    file = {name_in(_bare(resource))} if resource else set()
    found = {page for page, to in own_links(sources, file) if to == path}
    for name in {title_key(name) for name in names} - {""}:
        said = sources.naming(name)
        found.update(said if len(said) <= MOST_NAMING else ())
    return found - {path}


def _bare(path: str) -> str:
    """The key of a file: folded, without the ending of a note."""
    return name_key(path).removesuffix(".md")
