"""The facts of a page, taken by a light scan rather than a full parse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import words
from llmwiki.core.page_and_note_kinds import DAILY, KIND_OF_FOLDER, MEMORY, folder_of
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.index.page_facts_record import PageFacts
from llmwiki.pages.body_blocks import first_title
from llmwiki.pages.escape import unescape
from llmwiki.pages.frontmatter import PageError, load_yaml
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID
from llmwiki.pages.link_targets import link_key, name_in, outgoing
from llmwiki.pages.page import sources_of
from llmwiki.pages.page_file_names import stem_of

if TYPE_CHECKING:
    from llmwiki.pages.memory_notes import MemoryNote

_FRONT = lazy_pattern(r"\A---[ \t\r]*\n(.*?)^---[ \t\r]*$", re.DOTALL | re.MULTILINE)
# A search skips to a sign that a pattern begins with; what stands before it is looked at there.
_CLAIM = re.compile(rf"\^(?<=[ \t]\^)({CLAIM_ID})[ \t]*$", re.MULTILINE)
_LINKED = re.compile(rf"#\^({CLAIM_ID})")
_RECORDED = re.compile(rf"\n> - ({CLAIM_ID})")
_ABOUT = lazy_pattern(r"about: (?<=[(; ]about: )\[\[([^\[\]|#\n]{1,255})")
_SPEAKER = lazy_pattern(
    r"\A\s*+(?:#[ \t][^\n]*+\s++)?(?:\*\*)?"
    r"([^\W\d_a-z][\w.'’-]{1,30}+(?:[ ][^\W\d_a-z][\w.'’-]{0,30}+){0,2})"
    r"(?::(?:\*\*)?|\*\*:)[ \t]"
)
_STRUCK = re.compile(rf"^[-*+][ \t]+(?>~~.*?~~ → ).*[ \t]\^{CLAIM_ID}[ \t]*$", re.MULTILINE)


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
    folder = folder_of(path)
    return PageFacts(
        path=path,
        type=_word(values.get("type")) or KIND_OF_FOLDER.get(folder, ""),
        title=_word(values.get("title")) or _heading(text, found) or stem_of(path),
        description=_word(values.get("description")),
        aliases=_words(values.get("aliases")),
        tags=_words(values.get("tags")),
        claims=tuple(dict.fromkeys(_CLAIM.findall(text))) if "^c-" in text else (),
        struck=len(_STRUCK.findall(text)) if "~~ → " in text else 0,
        links=frozenset({link.key for link in outgoing(path, text)} - {""}),
        sources=sources_of(path, values, text),
        broken=broken,
        cites=tuple(sorted({*_LINKED.findall(text), *_RECORDED.findall(text)})),
        about=_about(text) if "about: [[" in text else (),
        notes=_notes(path, text) if "^n-" in text else (),
        speaker=_speaker(text[found.end() :] if found else text),
    )


def _notes(path: str, text: str) -> tuple[MemoryNote, ...]:
    if path != MEMORY and not path.startswith(DAILY):
        return ()
    from llmwiki.pages.memory_notes import notes_of
    from llmwiki.pages.page import Page

    return notes_of(Page.parse(path, text))


def _speaker(body: str) -> str:
    """The name with a colon that a text begins with, below its title."""
    said = _SPEAKER.match(body)
    return " ".join(words(said[1])) if said else ""


def _about(text: str) -> tuple[str, ...]:
    return tuple(sorted({name_in(link_key(name)) for name in _ABOUT.findall(text)} - {""}))


def _heading(text: str, front: re.Match[str] | None) -> str:
    """The first heading of level 1 behind the frontmatter, as plain text."""
    return normalise(unescape(first_title(text, front.end() + 1 if front else 0)))


def _word(value: object) -> str:
    return normalise(value) if isinstance(value, str) else ""


def _words(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(word for item in items if (word := _word(item)))
