"""The facts of a page, taken by a light scan rather than a full parse."""

from __future__ import annotations

import re

from llmwiki.core.text import normalise
from llmwiki.index.facts import PageFacts
from llmwiki.pages.front import PageError
from llmwiki.pages.link_targets import stem_of
from llmwiki.pages.outgoing import link_keys
from llmwiki.pages.page import SourceRef
from llmwiki.pages.syntax import CLAIM_ID, load_yaml

_FRONT = re.compile(r"\A---[ \t\r]*\n(.*?)^---[ \t\r]*$", re.DOTALL | re.MULTILINE)
_H1 = re.compile(r"^#[ \t]+(.+)$", re.MULTILINE)
_CLAIM = re.compile(rf"[ \t]\^({CLAIM_ID})[ \t]*$", re.MULTILINE)
_STRUCK = re.compile(rf"^[-*+][ \t]+(?>~~.*?~~ → ).*[ \t]\^{CLAIM_ID}[ \t]*$", re.MULTILINE)
_FOLDER_TYPES = {
    "sources": "source",
    "entities": "entity",
    "concepts": "concept",
    "syntheses": "synthesis",
    "daily": "daily",
    "skills": "skill",
}


def facts_of(path: str, text: str) -> PageFacts:
    """The facts of one page; never raises, whatever the text."""
    found = _FRONT.match(text)
    values: dict[str, object] = {}
    broken = ""
    if found:
        try:
            values = load_yaml(found[1].rstrip("\n"))
        except PageError as error:
            broken = error.what
    heading = _H1.search(text, found.end() if found else 0)
    folder = path.split("/")[1] if path.count("/") > 1 else ""
    return PageFacts(
        path=path,
        type=_word(values.get("type")) or _FOLDER_TYPES.get(folder, ""),
        title=_word(values.get("title"))
        or (normalise(heading[1]) if heading else "")
        or stem_of(path),
        description=_word(values.get("description")),
        aliases=_words(values.get("aliases")),
        tags=_words(values.get("tags")),
        claims=tuple(dict.fromkeys(_CLAIM.findall(text))) if "^c-" in text else (),
        struck=len(_STRUCK.findall(text)) if "~~ → " in text else 0,
        links=frozenset(link_keys(path, text)),
        sources=_sources(values.get("sources")),
        broken=broken,
    )


def _word(value: object) -> str:
    return normalise(value) if isinstance(value, str) else ""


def _words(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(word for item in items if (word := _word(item)))


def _sources(value: object) -> tuple[SourceRef, ...]:
    items = value if isinstance(value, list) else []
    return tuple(
        SourceRef(item["id"], str(item.get("resource", "")), str(item.get("sha256", "")))
        for item in items
        if isinstance(item, dict) and isinstance(item.get("id"), str)
    )
