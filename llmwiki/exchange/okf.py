"""Open Knowledge Format 0.2: the names and forms that export and import have in common."""

from __future__ import annotations

import re
from typing import NamedTuple

from llmwiki.pages.front import PageError, load_yaml
from llmwiki.pages.scan import body_start

VERSION = "0.2"
VERSION_KEY = "okf_version"
RESERVED = frozenset({"index.md", "log.md"})
"""File names that are no concepts, in every folder."""
STATUSES = ("draft", "stable", "deprecated")
REFERENCES = "references"
"""The folder of a bundle that holds the documents its pages rest on."""
OWN_STATUS = "document_status"
"""The key for what a document says of its own status, in words that OKF does not know."""

_MARKER = re.compile(r"\ufeff?---[ \t]*\r?\n")


class Concept(NamedTuple):
    """One Markdown file of a bundle, taken apart."""

    values: dict[str, object]
    """Its frontmatter; every scalar is a string."""
    body: str
    """What follows it."""
    has_front: bool


def is_bundle(index: bytes) -> bool:
    """Whether the `index.md` of a folder says that the folder is a bundle."""
    try:
        return VERSION_KEY in read_concept(index.decode("utf-8", "replace")).values
    except PageError:
        return False


def read_concept(text: str) -> Concept:
    """A file's frontmatter and body. Raises PageError for frontmatter that cannot be read."""
    start = body_start(text)
    if not start:
        if _MARKER.match(text):
            raise PageError("the frontmatter does not end: a second line `---` is missing")
        return Concept({}, text, False)
    raw = text[:start].split("\n", 1)[1].rstrip()
    return Concept(load_yaml(raw.rpartition("\n")[0]), text[start:], True)


def is_reserved(path: str) -> bool:
    """Whether a bundle's file is an index or a log."""
    return path.rpartition("/")[2].casefold() in RESERVED
