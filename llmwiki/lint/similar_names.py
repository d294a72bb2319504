"""The keys under which names meet that may mean one thing: a folded spelling, a short form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from llmwiki.core.language.acronyms import acronym_key, acronyms_of, usual_name
from llmwiki.core.language.name_keys import folded_key, one_apart
from llmwiki.core.language.scripts import count_cjk
from llmwiki.core.text import fold
from llmwiki.lint.findings import short
from llmwiki.lint.own_and_foreign_pages import are_parallel, kind_of, meant_from
from llmwiki.lint.page_view import PageView
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.pages.page_file_names import stem_of

if TYPE_CHECKING:
    from llmwiki.lint.whole_wiki_view import LintedWiki

KEY, UNNUMBERED, SHORT, LONG = "k:", "o:", "s:", "a:"
"""What a key begins with: a folded name, one without the number that files are put in order by, a
short form, what one may be short for."""

_ORDER = re.compile(r"\d{1,3}(?:[.,]\d{1,2}){0,3}+\)?[ ._-]+(?=[^\W\d]{2})")
_UNLINKED = re.compile(r"[][#|^]")
"""In a file's name: no wikilink can give it."""
_SHORTEST_SLIP = 8
"""Letters from which on two names that differ in one are likely one name misspelled."""
_LONGEST = 200
"""Characters of the longest name that is compared."""
_TOLD = 3
"""Pages that a name without a page may mean."""
_COMPARED = 200
"""Names that it is compared with."""
LISTS = ("index", "_index", "README")
"""File names that many folders have a page of: they name the folder, not a subject."""


class Name(NamedTuple):
    """One name of a page, as a row tells of it."""

    path: str
    text: str
    kind: str
    """As in `kinds`; empty: a note of another tool."""
    is_file: bool
    """Whether it is the file's name; else a title or alias."""


def spellings(view: PageView) -> Iterator[tuple[Any, ...]]:
    """The names of a page under each such key."""
    kind = kind_of(view)
    if kind in ("daily", "memory", "skill") or view.stem in ("SKILL", *LISTS):
        return
    said: set[str] = set()
    for number, name in enumerate(dict.fromkeys((view.stem[:_LONGEST], *_told_names(view)))):
        if len(name) > _LONGEST:
            continue
        keys = [KEY + key] if (key := folded_key(name)) else []
        if number == 0 and (order := _ORDER.match(name)):
            keys.append(UNNUMBERED + folded_key(name[order.end() :]))
        if kind != "source":
            if short := acronym_key(name):
                keys.append(SHORT + short)
            keys += [LONG + one for one in sorted(acronyms_of(name)) if _may_stand(one, name)]
        for key in keys:
            if key not in said:
                said.add(key)
                yield key, name, kind, int(number == 0)


def _told_names(view: PageView) -> tuple[str, ...]:
    """Title and aliases of a page. What heads a note of another tool is often a part of it: there
    only the frontmatter names it beside its file."""
    title = ""
    if not view.broken:
        title = view.head.value("title") if view.is_foreign else view.title
    if view.is_foreign and folded_key(view.stem.rpartition(".")[2]) == folded_key(title):
        # Dendron's titles are the last part of a name such as `projects.tea.notes`.
        title = ""
    return (*([title[:_LONGEST]] if title else []), *view.aliases)


def _may_stand(short: str, name: str) -> bool:
    """Two initials mean a name only where they do so everywhere: AI, ML."""
    if len(short) > 2:
        return True
    usual = usual_name(short)
    return bool(usual) and folded_key(usual) == folded_key(name)


def meant_by(name: str, wiki: LintedWiki, source: str) -> tuple[Name, ...]:
    """The pages that a name without a page may mean on the page at `source`, by the names that are
    like it, at most three, sorted; not that page itself, and none of another language's folder.

    Those that have it spelled otherwise; else those that have it but for the number by which files
    are put in order; else those whose file name begins with it, where it ends in a number; else
    those whose file name begins alike and is one letter apart.
    """
    name = name[:_LONGEST]
    order = _ORDER.match(name)
    plain = folded_key(name[order.end() :] if order else name)
    found = dict[str, Name]()
    for key in (KEY + folded_key(name), UNNUMBERED + plain, KEY + plain):
        found = found or (_first(_under(wiki, "key = ?", key), source) if key[2:] else found)
    if not found and plain and name[-1:].isdigit() and not name.isdigit():
        # A label, as `Thm 6.1`, of what a file names whole.
        begins, label = "key >= ? AND key < ? AND is_file", f"{fold(name)} "
        names = _under(wiki, begins, KEY + plain, KEY + plain + "\U0010ffff")
        found = _first((one for one in names if fold(one.text).startswith(label)), source)
    # Versions, years and numbers tell names apart.
    if not found and len(name) >= _SHORTEST_SLIP and plain and not any(map(str.isdigit, name)):
        begins = KEY + plain[: max(1, len(plain) // 3)]
        alike = "key >= ? AND key < ? AND is_file AND abs(length(text) - ?) < 2"
        names = _under(wiki, alike, begins, begins + "\U0010ffff", len(name))
        found = _first((one for one in names if _is_slip(name, one.text)), source)
    return _told(found, source)


def without_order(name: str) -> str:
    """A name without the number that files are put in order by, where a blank follows that."""
    found = _ORDER.match(name)
    return name[found.end() :] if found and " " in found[0] else name


def spelled(name: str, wiki: LintedWiki) -> list[str]:
    """The paths of the pages but those of sources that have this name, be it spelled otherwise,
    sorted."""
    key = folded_key(name)
    found = _under(wiki, "key = ? AND kind != 'source'", KEY + key) if key else ()
    return sorted({one.path for one in found})


def _is_slip(one: str, other: str) -> bool:
    """Whether two names differ as slips of the pen do: in one letter, not the first of a word.

    Names of one folded key are another matter; `symmetric` and `asymmetric` are two words. The
    signs of `C++`, `C#`, `A*` count.
    """
    squeezed = [
        "".join(c for c in fold(name) if c.isalnum() or c in "+#*") for name in (one, other)
    ]
    if one_apart(*squeezed) < 0 or folded_key(one) == folded_key(other) or count_cjk(one + other):
        return False
    if squeezed[0][:-1] == squeezed[1][:-1]:
        # `Container` and `Contained` are two words.
        return False
    words, others = fold(one).split(), fold(other).split()
    return len(words) != len(others) or all(
        x == y or (one_apart(x, y) > 0 and min(len(x), len(y)) > 3)
        for x, y in zip(words, others, strict=True)
    )


def _under(wiki: LintedWiki, where: str, *values: object) -> list[Name]:
    """The first names of which an SQL condition holds, by path."""
    rows = wiki.rows(
        "SELECT path, text, kind, is_file FROM lint.spelling AS spelling "
        "JOIN lint.page AS page ON page.id = spelling.page "
        f"WHERE {where} ORDER BY path, spelling.rowid LIMIT {_COMPARED}",
        *values,
    )
    return [Name(path, text, kind, bool(is_file)) for path, text, kind, is_file in rows]


def _told(found: Mapping[str, Name], source: str) -> tuple[Name, ...]:
    """At most three pages, of one file name the nearest; none where several are as near."""
    by_name: dict[str, list[str]] = {}
    for path in sorted(found):
        if not _UNLINKED.search(stem_of(path)):
            by_name.setdefault(stem_of(path), []).append(path)
    nearest = (meant_from(paths, source) for paths in by_name.values())
    return tuple(found[path] for path in nearest if path)[:_TOLD]


def _first(names: Iterable[Name], source: str) -> dict[str, Name]:
    """The first pages of names that come by path: no more are told, and none is compared."""
    found: dict[str, Name] = {}
    for name in names:
        if name.path != source and not are_parallel(name.path, source):
            found.setdefault(name.path, name)
        if len(found) == _TOLD:
            break
    return found


def asked(names: Iterable[Name], vault: VaultKind) -> str:
    """Asks whether pages are meant, as they are linked in such a folder, each with its other name
    where it was found by that: `Did you mean [[Tea]] (“Chai”) or [[Tee]]?`"""
    shown = []
    for name in names:
        stem = stem_of(name.path)
        if vault is VaultKind.LOGSEQ:
            stem = unquote(stem.replace("___", "/"))
        shown.append(f"[[{stem}]]" + ("" if name.is_file else f" (“{short(name.text)}”)"))
    return f"Did you mean {' or '.join(shown)}?"
