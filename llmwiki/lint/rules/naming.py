"""Rules about pages whose names may mean one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from shlex import quote

from llmwiki.core.text import fold
from llmwiki.language.acronyms import acronym_key, is_acronym_pair
from llmwiki.language.naming import folded_key, one_apart
from llmwiki.lint.finding import RuleHit, Severity
from llmwiki.lint.foreign import beside, is_foreign
from llmwiki.lint.rule import wiki_rule
from llmwiki.lint.spellings import HALF, KEY, SHORT, Name, halves, squeezed
from llmwiki.lint.wiki import WikiView
from llmwiki.pages.names import name_key, stem_of

_LONG = 8
"""Letters from which on two names that differ in one are likely one name misspelled."""
_COMPARED = 5
"""Names one letter apart from each other that a further one is compared with."""


def _page(title: str, aliases: str = "") -> str:
    return f"---\ntype: concept\ntitle: {title}\naliases: [{aliases}]\n---\n\n# {title}\n"


@wiki_rule(
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
def possible_duplicate(wiki: WikiView) -> Iterator[RuleHit]:
    """Two file names are one but for blanks, punctuation or plural, or, where they are eight
    letters or longer, but for one letter that is not a word's first: most likely one is a slip. Or,
    a note, a title or alias of one page is another spelling of a name of another page, or its short
    form by its initials. Names with unlike numbers are no slip, nor are notes of another tool that
    differ in blanks, punctuation or plural where one links to the other.

    Make them one page if they are (`wiki merge PAGE INTO`); else give the names what tells them
    apart (`wiki rename PAGE TITLE`).
    """
    # The names of pages that have a subject: those of ledgers and syntheses mean documents.
    subjects = "kind IN ('', 'entity', 'concept') AND (key NOT LIKE 'h:%' OR length(text) >= ?)"
    rows = wiki.each(
        "SELECT key, path, text, kind, is_file FROM lint.spelling AS spelling "
        f"JOIN lint.page AS page ON page.id = spelling.page WHERE {subjects} AND key IN "
        f"(SELECT key FROM lint.spelling WHERE {subjects} GROUP BY key HAVING count(*) > 1) "
        "ORDER BY key, path, spelling.rowid",
        *(_LONG, _LONG),
    )
    for key, together in groupby(rows, lambda row: row[0]):
        names = [
            Name(path, text, kind, bool(is_file)) for _key, path, text, kind, is_file in together
        ]
        for hit in _duplicates(key, names):
            if not _is_spelled_out(hit, wiki):
                yield hit._replace(severity=Severity.NOTE)
        for hit in _similar(key, names):
            if not _is_known(hit, wiki):
                yield hit


def _duplicates(key: str, names: list[Name]) -> Iterator[RuleHit]:
    """One finding for each page but the first; slips of file names are left out."""
    if key.startswith(KEY):
        yield from _spelled_alike(key, names)
    elif key.startswith(SHORT):
        shorts = [name for name in names if SHORT + acronym_key(name.text) == key]
        for short in shorts[:20]:
            for name in names:
                if name.path != short.path and _abbreviates(short, name):
                    yield _may_be_one(short, name, "may be short for")


def _abbreviates(short: Name, name: Name) -> bool:
    if not is_acronym_pair(short.text, name.text):
        return False
    if short.kind or name.kind:
        return True
    # Of notes of another tool, every second title has some three initials: only capitals that
    # stand for capitals are taken for a short form.
    capitals = "".join(filter(str.isupper, name.text))
    return short.text.isupper() and capitals == "".join(filter(str.isalpha, short.text))


def _spelled_alike(key: str, names: list[Name]) -> Iterator[RuleHit]:
    """Pages with unlike names of one key; equal ones are another rule's.

    A name is compared with the first that both differs from it and lies in a file of another key.
    Of the names seen before, two of a spelling and two of a file's key answer as all would.
    """
    seen: dict[tuple[str, str], Name] = {}
    counted: Counter[tuple[bool, str]] = Counter()
    for name in names:
        text, file = fold(name.text), _file_key(name, key)
        other = next((o for (t, f), o in seen.items() if t != text and f != file), None)
        if other is not None and other.path != name.path:
            yield _may_be_one(name, other, "is a spelling of")
        is_new = (text, file) not in seen
        if is_new and counted[False, text] < 2 and counted[True, file] < 2:
            seen[text, file] = name
            counted.update(((False, text), (True, file)))


def _file_key(name: Name, key: str) -> str:
    return key if name.is_file else KEY + folded_key(stem_of(name.path))


def _may_be_one(name: Name, other: Name, how: str) -> RuleHit:
    pair = " ".join(sorted((name.text, other.text)))
    message = f"“{name.text}” {how} “{other.text}”, a name of [[{stem_of(other.path)}]]"
    return RuleHit(0, message, name.path, mend=_merging(name, other), about=pair)


def _other(hit: RuleHit) -> str:
    """The file name of the page that a hit names."""
    return hit.message.partition("[[")[2].rpartition("]]")[0]


def _is_spelled_out(hit: RuleHit, wiki: WikiView) -> bool:
    """Whether the page of a short name says itself what that is short for, or the two lie in
    folders of two languages."""
    if _is_translated(hit, wiki):
        return True
    view = wiki.page(hit.path)
    names = () if view is None or view.broken else (view.page.title, *view.page.aliases)
    return any(
        hit.message.startswith(f"“{short}” may be short for")
        and any(is_acronym_pair(short, name) for name in names)
        for short in (stem_of(hit.path), *names)
    )


def _is_translated(hit: RuleHit, wiki: WikiView) -> bool:
    """Whether all pages of the other name lie in the folder of another language."""
    paths = wiki.of_stem(name_key(_other(hit)))
    return bool(paths) and not beside(paths, hit.path)


def _is_known(hit: RuleHit, wiki: WikiView) -> bool:
    """Whether one of two notes of another tool, alike but for blanks, punctuation or plural, links
    to the other, so that its author knows both; or the two are told apart by language or folder."""
    if _is_translated(hit, wiki):
        return True
    other, own = name_key(_other(hit)), name_key(stem_of(hit.path))
    there = wiki.of_stem(other)
    if is_foreign(hit.path, wiki.limits):
        # A pair of letters is what many notes differ in, and folders tell notes apart.
        folders = {path.rpartition("/")[0] for path in there}
        if hit.message.endswith("one letter") or hit.path.rpartition("/")[0] not in folders:
            return True
    if folded_key(stem_of(hit.path)) != folded_key(_other(hit)):
        return False
    kinds = "SELECT 1 FROM lint.head WHERE stem IN (?, ?) AND kind != ''"
    if wiki.rows(kinds, own, other):
        return False
    one, two = set(wiki.of_stem(own)), set(there)
    return any(users & one for users in wiki.users(other).values()) or any(
        users & two for users in wiki.users(own).values()
    )


def _similar(key: str, names: list[Name]) -> Iterator[RuleHit]:
    files = [name for name in names if name.is_file]
    if key.startswith(HALF):
        yield from _one_letter_apart(key, files)
    if not key.startswith(KEY):
        return
    other = None
    for name in files:
        if _differs(files[0].text, name.text):
            other = other or name
            yield _alike(name, files[0], "but for blanks, punctuation or plural")
        elif other is not None:
            yield _alike(name, other, "but for blanks, punctuation or plural")


def _differs(a: str, b: str) -> bool:
    return name_key(a) != name_key(b)


def _one_letter_apart(key: str, names: list[Name]) -> Iterator[RuleHit]:
    """Pairs that this key is the first to bring together.

    Names of one half are compared by their shortened forms, not each with each.
    """
    files = [(squeezed(name.text), name) for name in names if len(name.text) >= _LONG]
    if len(files) < 2:
        return
    met: dict[str, list[tuple[str, Name]]] = {}
    told: set[tuple[str, str]] = set()
    for plain, name in files:
        forms = {plain, *(plain[:at] + plain[at + 1 :] for at in range(len(plain)))}
        others = {other.path: (text, other) for form in forms for text, other in met.get(form, ())}
        for path in sorted(others):
            text, other = others[path]
            pair = (path, name.path)
            if path != name.path and pair not in told and _is_slip(text, plain, other, name):
                told.add(pair)
                if min(set(halves(text)) & set(halves(plain))) == key:
                    yield _alike(name, other, "but for one letter")
        for form in forms:
            alike = met.setdefault(form, [])
            if len(alike) < _COMPARED:
                alike.append((plain, name))


def _is_slip(a: str, b: str, one: Name, other: Name) -> bool:
    """Whether two names differ as slips of the pen do: in one letter, not the first of a word.

    Names of one folded key are told of already; `symmetric` and `asymmetric` are two words.
    """
    if one_apart(a, b) < 0 or folded_key(one.text) == folded_key(other.text):
        return False
    words, others = fold(one.text).split(), fold(other.text).split()
    if len(words) != len(others):
        return True
    return all(
        x == y or (one_apart(x, y) > 0 and min(len(x), len(y)) > 3)
        for x, y in zip(words, others, strict=True)
    )


def _alike(name: Name, other: Name, how: str) -> RuleHit:
    pair = " ".join(sorted((name.text, other.text)))
    message = f"Its file's name is that of [[{other.text}]] {how}"
    return RuleHit(0, message, name.path, mend=_merging(name, other), about=pair)


def _merging(name: Name, other: Name) -> str:
    """What makes one page of two."""
    return f"if both are one thing: wiki merge {quote(name.path)} {quote(other.path)}"
