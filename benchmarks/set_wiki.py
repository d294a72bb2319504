"""A corpus as a wiki: each document a page, landed by the product in a few commits.

Pages have the product's frontmatter and title; the text stands below as it came, raw Markdown, for
that is what a person's page holds. Files are numbered in the order of the corpus, because titles
may repeat; a link to a title, an alias or an id of the corpus is written `[[file|text]]`, as the
product writes links whose text is not the file's name.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.evaluation_sets import Document
from llmwiki.changes.init_files import start
from llmwiki.core.text import normalise
from llmwiki.git.repository import Repository
from llmwiki.landing.land import land
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.find_links import Link, scan
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import folder_of, name_key
from llmwiki.pages.write import add_words, create, wikilink

KIND = "concept"
AT_ONCE = 500
"""Pages of one operation: a landing holds a file open for each until all are on the disk."""


def build_wiki(root: Path, documents: Sequence[Document]) -> dict[str, str]:
    """Makes a wiki in `root` and lands the documents; the id of each page by its path."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    with Repository.at(root) as repo:
        start(WikiState(repo), terms=LandingOptions(time.time))
    pages = pages_of(documents)
    land_pages(root, pages)
    return {page.path: document.id for page, document in zip(pages, documents, strict=True)}


def land_pages(root: Path, pages: Sequence[Page]) -> None:
    """Lands pages in the wiki of a folder, in a few commits."""
    with Repository.at(root) as repo:
        state = WikiState(repo)
        for first in range(0, len(pages), AT_ONCE):
            _land(state, pages[first : first + AT_ONCE], LandingOptions(time.time))


def _land(state: WikiState, pages: Sequence[Page], terms: LandingOptions) -> None:
    operation = Operation(f"{len(pages)} pages", {page.path: page for page in pages})
    land(state, "import", lambda _state: Made(operation, None), terms=terms)


def pages_of(documents: Sequence[Document]) -> list[Page]:
    """The page of each document, in order."""
    stems = [f"{number:06}" for number in range(1, len(documents) + 1)]
    targets = _targets(documents, stems)
    return [_page(stem, document, targets) for stem, document in zip(stems, documents, strict=True)]


def _targets(documents: Sequence[Document], stems: Sequence[str]) -> dict[str, str]:
    """The file that a link's folded text means: a title before an alias before an id."""
    targets: dict[str, str] = {}
    titles = [(document.title,) for document in documents]
    ids = [(document.id,) for document in documents]
    for names in (titles, [document.aliases for document in documents], ids):
        for stem, own in zip(stems, names, strict=True):
            for name in own:
                targets.setdefault(name_key(normalise(name)), stem)
    return targets


def _page(stem: str, document: Document, targets: Mapping[str, str]) -> Page:
    aliases = (normalise(alias) for alias in document.aliases)
    title = normalise(document.title) or document.id
    head = create(f"{folder_of(KIND)}/{stem}.md", KIND, title, by="benchmarks")
    head = add_words(head, "aliases", aliases)
    text = document.text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    parts = [head.text.rstrip("\n"), text]
    found = [targets.get(name_key(normalise(name))) for name in document.links]
    links = [
        f"- {wikilink(target, name)}"
        for target, name in zip(found, document.links, strict=True)
        if target is not None
    ]
    if links:
        parts.append("## Related\n\n" + "\n".join(links))
    whole = "\n\n".join(part for part in parts if part) + "\n"
    return Page.parse(head.path, _with_links(whole, targets))


def _with_links(text: str, targets: Mapping[str, str]) -> str:
    """The text with every link to a page of the corpus leading to its file."""
    for link in reversed(scan(text)):
        stem = targets.get(name_key(normalise(link.target.rpartition("/")[2])))
        stem = targets.get(name_key(normalise(link.target)), stem)
        if stem is None:
            continue
        text = text[: link.start] + _written(text, link, stem) + text[link.end :]
    return text


def _written(text: str, link: Link, stem: str) -> str:
    inside = text[link.start + len("[[") + link.embed : link.end - len("]]")]
    name, bar, label = inside.partition("|")
    if bar:
        return f"{'!' * link.embed}[[{name.replace(link.target, stem, 1)}|{label}]]"
    in_table = text[text.rfind("\n", 0, link.start) + 1 : link.start].lstrip().startswith("|")
    bar = "\\|" if in_table else "|"
    anchor = inside.partition("#")
    return f"{'!' * link.embed}[[{stem}{anchor[1]}{anchor[2]}{bar}{link.target}]]"
