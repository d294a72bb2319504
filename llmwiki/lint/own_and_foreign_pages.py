"""Which pages follow the formats of this program, and what is asked of those of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from llmwiki.core.language.word_forms import word_set
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER, KINDS, MEMORY
from llmwiki.core.text import fold
from llmwiki.lint.page_view import PageView
from llmwiki.lint.vault_and_archive_folders import lies_among_templates
from llmwiki.pages.page import SourceRef, read_generated
from llmwiki.pages.page_file_names import stem_of
from llmwiki.sources.raw_paths import is_source

if TYPE_CHECKING:
    from llmwiki.lint.vault_and_archive_folders import VaultKinds

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
    return is_marked or bool(view.sources)


def is_ours(view: PageView) -> bool:
    """Whether a page is meant to follow our formats: by its place, or by what signs it.

    The files of a skill follow another standard.
    """
    if view.is_foreign:
        return _may_be_signed(view)
    return view.folder != "skills" and (bool(home_type(view)) or _may_be_signed(view))


def _may_be_signed(view: PageView) -> bool:
    is_likely = "generated" in view.front_lines or "]: [[sources/" in view.text
    return is_likely and not view.broken and is_signed(view)


def is_ledger(view: PageView) -> bool:
    """Whether a page is the ledger of a source, as this program writes them."""
    return (
        view.path == f"{LEDGERS}{view.stem}.md"
        and view.type == "source"
        and bool(view.values.get("generated"))
    )


def is_recorded(ref: SourceRef) -> bool:
    """Whether a page names the file of its source below raw/, and its bytes."""
    return is_source(ref.resource.removeprefix("/")) and bool(_SHA.fullmatch(ref.sha256))


def is_taken_back(view: PageView, ref: SourceRef) -> bool:
    """Whether a ledger's own entry names its file and no bytes, as an undo leaves it."""
    own = is_ledger(view) and ref.id == view.stem
    return own and not ref.sha256 and is_source(ref.resource.removeprefix("/"))


def is_template(view: PageView) -> bool:
    """Whether a template engine fills this page in before it is a page."""
    return "{{" in view.text or "<%" in view.text or lies_among_templates(view.path)


_STUB = 100
"""Bytes: a page whose body is shorter says nothing (llm-wiki-agent's health check)."""


def thin(view: PageView) -> int:
    """The bytes of a page that says too little: 0 for nothing, -1 for any other page."""
    said = view.prose.strip("\ufeff \t\r\n")
    kind = kind_of(view)
    if len(said) >= _STUB or is_template(view):
        return -1
    if not said:
        # A site's generator fills it; or its properties are what it says.
        is_let = view.is_foreign or view.stem in ("index", "_index") or view.folder == "tags"
        return -1 if is_let and view.has_front and not kind else 0
    if view.path == MEMORY or kind in ("daily", "skill", "source"):
        return -1
    size = len(said.encode("utf-8", "replace"))
    # A page that shows a picture or a document says what that says.
    is_let = view.is_deprecated or view.is_foreign or "![" in said
    return -1 if is_let or size >= _STUB else size


_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_](?:[a-zA-Z]{2}|[A-Z][a-z]{3}))?")
_LANGUAGES = word_set(
    "aa af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu "
    "hy id is it ja ka kk km kn ko ku ky la lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa "
    "pl ps pt ro ru sa sd si sk sl so sq sr sv sw ta te tg th tk tl tr tt ug uk ur uz vi xh yi "
    "yo zh zu"
)
"""Codes of ISO 639-1, as folders of translations are named."""
_EXAMPLES = word_set(
    "example examples link links wikilink wikilinks page note file filename foo bar baz x"
    " placeholder"
)
_BESIDE = word_set("my your some another other this internal new sample target alias name title")
"""What a link consists of where it only shows how links are written: one of the first, and
nothing but such words and numbers."""
_PERIOD = re.compile(
    r"_toc_|yyyy[-mdw]*|\d{4}(?:[-_. ]?(?:W\d\d?|Q[1-4]|\d\d(?:[-_. ]?\d\d)?))?", re.IGNORECASE
)
"""A day, week, month, quarter or year, as calendars name the notes that they make when asked."""


def are_parallel(one: str, other: str) -> bool:
    """Whether two pages lie in folders of two languages: `en/Tea.md` and `de/Start/Tee.md`."""
    for here, there in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if here != there:
            return _is_language(here) and _is_language(there)
    return False


def is_folder_note(path: str) -> bool:
    """Whether a page has the name of its folder, as other tools make one for each."""
    folders = path.removesuffix(".md").split("/")
    return len(folders) > 1 and folders[-1].casefold() == folders[-2].casefold()


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


_ORIGIN = ("source", "url", "link", "origin", "clipped", "source_url", "href")
"""Keys under which the frontmatter of a page says where on the web it was copied from."""
_WEB_LINE = re.compile(r"[-*> ]*(?:[^\W\d_]{1,20}:? )?<?(?:\[[^\]\n]{0,300}\]\()?https?://\S+\s*\Z")


def is_clipping(view: PageView | None) -> bool:
    """Whether a note of another tool was copied from the web: its frontmatter names the address, or
    nothing else stands in its first line."""
    if view is None or not view.is_foreign:
        return False
    told = (view.values.get(key) for key in _ORIGIN)
    if any(str(each).startswith(("http://", "https://")) for each in told):
        return True
    lines = view.lines[view.body_line - 1 :]
    return bool(_WEB_LINE.match(next((line for line in lines if line.strip()), "")))


def is_report(path: str, vaults: VaultKinds) -> bool:
    """Whether another tool's page is a log or the report of a lint: what it says of links it says
    of those that once stood elsewhere."""
    words = fold(stem_of(path)).replace("-", " ").replace("_", " ").split()
    return vaults.foreign(path) and (words in (["log"], ["changelog"]) or "lint" in words)


def is_to_come(target: str) -> bool:
    """Whether a link of another tool's note may lead nowhere: it only shows how links are written
    (`[[link]]`, `[[my page]]`), has no letters, or names a day, week or month whose note is made
    when asked for."""
    if not any(map(str.isalpha, target)):
        return True
    if _PERIOD.fullmatch(stem_of(target.removesuffix(".md"))):
        return True
    words = re.findall(r"\w+", fold(stem_of(target.removesuffix(".md"))))
    others = [word for word in words if word not in _EXAMPLES]
    return len(others) < len(words) and all(word in _BESIDE or word.isdigit() for word in others)
