"""What the texts of sources link to and name: rows in the file of their passages.

A document's own links are kept by the folded name of the file they give, the capitalised names of
its text as the index has those of pages: functions of that source's bytes. Where they lead is found
when it is asked. The page of a source stands for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from llmwiki.index.lookups import FILE, LINK
from llmwiki.index.names_and_words import title_key
from llmwiki.index.source_index import SourceIndex, bare
from llmwiki.pages.link_targets import PagesOfName, name_in

MOST_NAMING = 60
"""Sources that name a page, beyond which its name says nothing."""


def own_links(
    sources: SourceIndex, names: Collection[str] | None = None
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
        of_name.setdefault(name_in(bare(path)), []).append(path)
    files = {bare(path): path for path in pages}
    known = {name: PagesOfName(paths) for name, paths in of_name.items()}
    for key, page, path in of_kind(LINK):
        to = files.get(key.replace("//", "/").removeprefix("/"))
        if "//" not in key and not key.startswith("/") and (named := known.get(name_in(key))):
            to = named.lead(key, path)
        if to is not None and pages[to] != page:
            yield page, pages[to]


def linking(sources: SourceIndex, path: str, resource: str, names: Iterable[str]) -> set[str]:
    """The pages of the sources that link to that of another, or that say one of its names.

    `resource` is the path of its source; empty: it has none.
    """
    file = {name_in(bare(resource))} if resource else set()
    found = {page for page, to in own_links(sources, file) if to == path}
    for name in {title_key(name) for name in names} - {""}:
        said = sources.naming(name)
        found.update(said if len(said) <= MOST_NAMING else ())
    return found - {path}
