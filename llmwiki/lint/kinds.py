"""Which pages follow the formats of this program, and what is asked of those of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import KIND_OF_FOLDER, KINDS, MEMORY
from llmwiki.core.text import fold
from llmwiki.language.plurals import word_set
from llmwiki.lint.view import PageView
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import SourceRef, read_generated
from llmwiki.sources.paths import is_source

if TYPE_CHECKING:
    from llmwiki.lint.finding import Finding, LintLimits
    from llmwiki.lint.wiki import WikiView

LEDGERS = "wiki/sources/"
_SHA = re.compile(r"[0-9a-fA-F]{64}")


def home_type(view: PageView) -> str:
    """The type of the pages of this page's folder; empty where a person chose the place.

    In a foreign vault only pages that have one of our types belong into our folders.
    """
    if view.is_foreign and view.type not in KINDS:
        return ""
    return "memory" if view.path == MEMORY else KIND_OF_FOLDER.get(view.folder, "")


def kind_of(view: PageView) -> str:
    """What kind of page it is: its type where that is one of ours, else by its folder."""
    return view.type if view.type in KINDS else home_type(view)


def is_signed(view: PageView) -> bool:
    """Whether its frontmatter has what only this program writes."""
    marks = read_generated(view.values.get("generated"))
    is_marked = bool(marks.prose or marks.about) or marks.by.startswith("llmwiki")
    return is_marked or bool(view.head.sources)


def is_ours(view: PageView) -> bool:
    """Whether a page is meant to follow our formats: by its place, or by what signs it.

    The files of a skill follow another standard.
    """
    if view.is_foreign:
        return _may_be_signed(view)
    return view.folder != "skills" and (bool(home_type(view)) or _may_be_signed(view))


def _may_be_signed(view: PageView) -> bool:
    keys = view.front_lines
    return ("sources" in keys or "generated" in keys) and not view.broken and is_signed(view)


def is_ledger(view: PageView) -> bool:
    """Whether a page is the ledger of a source, as this program writes them."""
    return (
        view.path == f"{LEDGERS}{view.stem}.md"
        and view.type == "source"
        and bool(view.values.get("generated"))
    )


def is_recorded(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a file below raw/ and its bytes."""
    return is_source(ref.resource.removeprefix("/")) and bool(_SHA.fullmatch(ref.sha256))


def is_listed(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a source of ours: by a link, or with file and bytes."""
    return is_recorded(ref) if ref.sha256 else is_source(ref.resource.removeprefix("/"))


def is_taken_back(view: PageView, ref: SourceRef) -> bool:
    """Whether a ledger's own entry names its file and no bytes, as an undo leaves it."""
    own = is_ledger(view) and ref.id == view.stem
    return own and not ref.sha256 and is_source(ref.resource.removeprefix("/"))


def own_source(view: PageView) -> SourceRef | None:
    """The source that a ledger tells of."""
    return None if view.broken else view.head.own_source


def own_line(view: PageView) -> int:
    """The line of a ledger that names its source's file."""
    return view.front_line("source" if "source" in view.front_lines else "sources")


_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_](?:[a-zA-Z]{2}|[A-Z][a-z]{3}))?")
_LANGUAGES = word_set(
    "aa af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu "
    "hy id is it ja ka kk km kn ko ku ky la lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa "
    "pl ps pt ro ru sa sd si sk sl so sq sr sv sw ta te tg th tk tl tr tt ug uk ur uz vi xh yi "
    "yo zh zu"
)
"""Codes of ISO 639-1, as folders of translations are named."""
_EXAMPLES = word_set(
    "example examples link links wikilink wikilinks page note file filename foo bar baz placeholder"
)
_BESIDE = word_set("my your some another other this internal new sample target alias name title")
"""What a link consists of where it only shows how links are written: one of the first, and
nothing but such words and numbers."""
_PERIOD = re.compile(r"\d{4}(?:[-_. ]?(?:W\d\d?|Q[1-4]|\d\d(?:[-_. ]?\d\d)?))?", re.IGNORECASE)
"""A day, week, month, quarter or year, as calendars name the notes that they make when asked."""
_QUERY = re.compile(r"^```(?:dataview(?:js)?|query|base|tasks)\b", re.MULTILINE)
_TAG = re.compile(r"(?<![^\s>])#[^\W\d][\w/-]*")
_DRAWN = word_set("excalidraw-plugin kanban-plugin")
_USUAL = word_set(
    "title aliases alias tags tag date created updated modified author publish draft cssclass"
    " cssclasses description permalink lang layout id"
)
"""Properties that hold for any note; by others people sort and query notes."""
_EMPTY = "WK017"


def are_parallel(one: str, other: str) -> bool:
    """Whether two pages lie in folders of two languages: `en/Tea.md` and `de/Start/Tee.md`."""
    for here, there in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if here != there:
            return _is_language(here) and _is_language(there)
    return False


def _is_language(folder: str) -> bool:
    return bool(_LANGUAGE.fullmatch(folder)) and folder[:2] in _LANGUAGES


def beside(paths: Iterable[str], source: str) -> list[str]:
    """Those of the pages that are no translations into another language than the source's."""
    return [path for path in paths if not are_parallel(path, source)]


def meant_from(paths: Iterable[str], source: str) -> str:
    """Of several pages the one that a link on the page at `source` most likely means: in the same
    folder, else the nearest by path; empty where several are as near."""
    ranked = sorted((_steps(path, source), path) for path in paths)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return ""
    return ranked[0][1]


def _steps(path: str, source: str) -> int:
    """Folders up and down from one page to another."""
    here, there = source.split("/")[:-1], path.split("/")[:-1]
    common = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there, strict=False))
    )
    return len(here) + len(there) - 2 * common


def leaves_alone(finding: Finding, wiki: WikiView) -> bool:
    """Whether a finding on a note of another tool is one that nobody there wants to hear of: an
    empty page that others link to as one does to a tag."""
    if finding.code != _EMPTY or not is_foreign(finding.path, wiki.limits):
        return False
    return finding.path in wiki.users(name_key(stem_of(finding.path)))


def is_foreign(path: str, limits: LintLimits) -> bool:
    """Whether a page is of another tool, by its place or by that of the whole wiki."""
    return limits.is_foreign or not path.startswith(("wiki/", "raw/"))


def is_found_otherwise(view: PageView) -> bool:
    """Whether a note is found without links: by a tag or properties, as a drawing or board, or
    because a query in it shows others; or whether it says nothing, which is another finding."""
    keys = view.front_lines.keys()
    if not view.broken and (view.head.tags or keys & _DRAWN or len(keys - _USUAL) > 1):
        return True
    if _QUERY.search(view.text) or not view.prose.strip():
        return True
    return "#" in view.text and bool(_TAG.search(view.visible))


def is_to_come(target: str) -> bool:
    """Whether a link of another tool's note may lead nowhere: it only shows how links are written
    (`[[link]]`, `[[my page]]`), or names a day, week or month whose note is made when asked for."""
    if _PERIOD.fullmatch(stem_of(target.removesuffix(".md"))):
        return True
    words = re.findall(r"\w+", fold(stem_of(target.removesuffix(".md"))))
    others = [word for word in words if word not in _EXAMPLES]
    return len(others) < len(words) and all(word in _BESIDE or word.isdigit() for word in others)
