"""Rules about pages whose names may mean one thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from shlex import quote
from unicodedata import combining, normalize
from urllib.parse import unquote

from llmwiki.core.language.acronyms import is_acronym_pair
from llmwiki.core.text import fold
from llmwiki.lint.findings import Finding, Severity, found_at
from llmwiki.lint.own_and_foreign_pages import are_parallel, is_folder_note
from llmwiki.lint.rule import rule
from llmwiki.lint.similar_names import KEY, LONG, SHORT, Name
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.page_file_names import name_key, stem_of

_SIGNS = re.compile(r"[+#*(@]|-(?!\w)")
"""What tells names apart: C, C++, C--, @C and C (letter)."""
_BUT = "differ by a blank, punctuation or a plural"
_LONG_ENOUGH = 6
"""Letters from which on the longer of two names that differ by a plural means what the other does:
`bats` and `bat` are the animals and a program."""
_DIGITS = re.compile(r"\d+")
_SHORT_FORMS = 20
"""Names of one short form that others are compared with."""


def _page(title: str, aliases: str = "") -> str:
    return f"---\ntype: concept\ntitle: {title}\naliases: [{aliases}]\n---\n\n# {title}\n"


@rule(
    "WK313 warning possible-duplicate",
    was="WK314 similar-name",
    bad={
        "wiki/concepts/RAG.md": _page("RAG"),
        "wiki/concepts/Retrieval.md": _page("Retrieval-augmented generation"),
    },
    good={
        "wiki/concepts/RAG.md": _page("RAG"),
        "wiki/concepts/Retrieval.md": _page("Retrieval of answers"),
    },
)
def possible_duplicate(wiki: LintedWiki) -> Iterator[Finding]:
    """Two file names are one but for blanks, punctuation or plural; or, a note, a title or alias of
    one page is another spelling of a name of another page, or its short form by its initials. Of
    notes of another tool only file names are compared, in one folder, where neither is the folder's
    own note or links to the other, not both are of a series (`Lecture 1`, `Lecture 2`), and names
    of less than six letters differ in more than a plural; in the pages of a site or a project not
    even these.

    Make them one page if they are (`wiki merge PAGE INTO`); else give the names what tells them
    apart (`wiki rename PAGE TITLE`).
    """
    found = list(_spelled_alike(wiki))
    if wiki.vaults.is_foreign:
        series = Counter(map(_unnumbered, wiki.paths))
        found = [
            (one, other, how)
            for one, other, how in found
            if how == _BUT
            and not all(series[_unnumbered(name.path)] > 1 for name in (one, other))
            and not _is_short_plural(one.text, other.text)
        ]
    else:
        found += _short_forms(wiki)
    told: set[tuple[str, str]] = set()
    for one, other, how in found:
        pair = (one.path, other.path)
        if pair not in told and not _is_known(one, other, wiki):
            told.add(pair)
            yield _hit(one, other, how, wiki)


def _is_short_plural(one: str, other: str) -> bool:
    """Whether two names of one key are short and differ in letters, not only by what stands between
    letters or on them."""
    letters = {"".join(filter(str.isalnum, normalize("NFD", fold(name)))) for name in (one, other)}
    return len(letters) > 1 and max(map(len, letters)) < _LONG_ENOUGH


def _unnumbered(path: str) -> str:
    """A path, the numbers in the file's name replaced: those of a series are one so."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{_DIGITS.sub('#', name)}"


_SUBJECTS = "kind IN ('', 'entity', 'concept')"
"""The names of pages that have a subject: those of ledgers and syntheses mean documents."""


def _names(wiki: LintedWiki, keys: str) -> Iterator[tuple[str, Name]]:
    """Names of subjects of which an SQL condition holds, each with its key, by key."""
    for key, path, text, kind, is_file in wiki.each(
        "SELECT key, path, text, kind, is_file FROM lint.spelling AS spelling JOIN lint.page AS "
        f"page ON page.id = spelling.page WHERE {_SUBJECTS} AND {keys} "
        "ORDER BY key, path, spelling.rowid"
    ):
        yield key, Name(path, text, kind, bool(is_file))


def _spelled_alike(wiki: LintedWiki) -> Iterator[tuple[Name, Name, str]]:
    """Each name with an earlier one of another page that is spelled otherwise; names that are equal
    are another rule's. File names are compared before others."""
    shared = (
        f"key IN (SELECT key FROM lint.spelling WHERE key LIKE '{KEY}%' AND {_SUBJECTS} "
        "GROUP BY key HAVING count(*) > 1)"
    )
    for _key, together in groupby(_names(wiki, shared), lambda row: row[0]):
        firsts: dict[str, Name] = {}
        names = (name for _key, name in together)
        for name in sorted(names, key=lambda name: not name.is_file):
            text = name_key(name.text) if name.is_file else fold(name.text)
            # Of three spellings one is another than this, and most likely on another page.
            for other_text, other in islice(firsts.items(), 3):
                if other_text != text and other.path != name.path:
                    is_file = name.is_file and other.is_file
                    yield name, other, _BUT if is_file else "is a spelling of"
                    break
            firsts.setdefault(text, name)


def _short_forms(wiki: LintedWiki) -> Iterator[tuple[Name, Name, str]]:
    both = (
        f"key IN (SELECT '{LONG}' || substr(key, 3) FROM lint.spelling WHERE key LIKE '{SHORT}%')"
    )
    longs: dict[str, list[Name]] = {}
    for key, name in _names(wiki, both):
        longs.setdefault(key, []).append(name)
    for key, together in groupby(_names(wiki, f"key LIKE '{SHORT}%'"), lambda row: row[0]):
        names = longs.get(LONG + key.removeprefix(SHORT), ())
        for _key, short in islice(together, _SHORT_FORMS):
            for name in names:
                if name.path != short.path and is_acronym_pair(short.text, name.text):
                    yield short, name, "may be short for"


def _is_known(one: Name, other: Name, wiki: LintedWiki) -> bool:
    """Whether what two names have in common says nothing: they are translations, or the page of a
    short form says what it is short for; of another tool's notes, also what lies in two folders or
    is linked."""
    if are_parallel(one.path, other.path) or _are_marked_apart(one.text, other.text):
        return True
    if _SIGNS.findall(one.text) != _SIGNS.findall(other.text):
        return True
    if not (one.kind or other.kind):
        folders = {name.path.rpartition("/")[0] for name in (one, other)}
        is_apart = len(folders) > 1 or any(map(is_folder_note, (one.path, other.path)))
        return (wiki.vaults.foreign(one.path) and is_apart) or any(
            a.path in wiki.users(name_key(stem_of(b.path))).get(b.path, ())
            for a, b in ((one, other), (other, one))
        )
    if not is_acronym_pair(one.text, other.text):
        return False
    view = wiki.page(one.path)
    names = () if view is None or view.broken else (view.page.title, *view.page.aliases)
    return any(is_acronym_pair(one.text, name) for name in names)


def _are_marked_apart(one: str, other: str) -> bool:
    """Whether the letters of both names have marks, and other ones: in Vietnamese two words."""
    marks = [[c for c in normalize("NFD", text) if combining(c)] for text in (one, other)]
    return all(marks) and marks[0] != marks[1]


def _hit(one: Name, other: Name, how: str, wiki: LintedWiki) -> Finding:
    pair = " ".join(sorted((one.text, other.text)))
    mend = f"If both are one thing, merge it with `{other.path}`."
    if not wiki.vaults.is_foreign:
        mend = f"If both are one thing, merge: wiki merge {quote(one.path)} {quote(other.path)}"
    linked = stem_of(other.path)
    if wiki.vaults.kind_at(other.path) is VaultKind.LOGSEQ:
        linked = unquote(linked.replace("___", "/"))
    if how == _BUT:
        message = f"Looks like a duplicate of [[{linked}]]: the names {how}"
        return found_at(0, message, one.path, mend=mend, about=pair)
    message = f"“{one.text}” {how} “{other.text}”, a name of [[{linked}]]"
    return found_at(0, message, one.path, mend=mend, about=pair, severity=Severity.NOTE)
