"""Rules about pages whose names may mean one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.text import fold
from llmwiki.language.acronyms import acronym_key, is_acronym_pair
from llmwiki.language.naming import folded_key, one_apart
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.foreign import beside
from llmwiki.lint.page_links import NAMES, pages_of, paths_of, users_of
from llmwiki.lint.relation import Group
from llmwiki.lint.rule import OverGroup, Rule, rule
from llmwiki.lint.spellings import HALF, KEY, SHORT, SPELLINGS, Name, halves, names_in, squeezed
from llmwiki.pages.names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_LONG = 8
"""Letters from which on two names that differ in one are likely one name misspelled."""
_COMPARED = 5
"""Names one letter apart from each other that a further one is compared with."""


def _subjects(group: Group) -> list[Name]:
    """The names of pages that have a subject: those of ledgers and syntheses mean documents."""
    return [name for name in names_in(group) if name.kind in (*SUBJECTS, "")]


def _duplicate(group: Group) -> Iterator[RuleHit]:
    """One finding for each page but the first; those that `similar-name` tells of are left out."""
    if group.key.startswith(KEY):
        yield from _spelled_alike(group)
    elif group.key.startswith(SHORT):
        names = _subjects(group)
        shorts = [name for name in names if SHORT + acronym_key(name.text) == group.key]
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


def _spelled_alike(group: Group) -> Iterator[RuleHit]:
    """Pages with unlike names of one key; equal ones are another rule's.

    A name is compared with the first that both differs from it and lies in a file of another key.
    Of the names seen before, two of a spelling and two of a file's key answer as all would.
    """
    seen: dict[tuple[str, str], Name] = {}
    counted: Counter[tuple[bool, str]] = Counter()
    for name in _subjects(group):
        text, file = fold(name.text), _file_key(name, group)
        other = next((o for (t, f), o in seen.items() if t != text and f != file), None)
        if other is not None and other.path != name.path:
            yield _may_be_one(name, other, "is a spelling of")
        is_new = (text, file) not in seen
        if is_new and counted[False, text] < 2 and counted[True, file] < 2:
            seen[text, file] = name
            counted.update(((False, text), (True, file)))


def _file_key(name: Name, group: Group) -> str:
    return group.key if name.is_file else KEY + folded_key(stem_of(name.path))


def _may_be_one(name: Name, other: Name, how: str) -> RuleHit:
    pair = " ".join(sorted((name.text, other.text)))
    message = f"“{name.text}” {how} “{other.text}”, a name of [[{stem_of(other.path)}]]"
    return RuleHit(0, message, name.path, mend=_merging(name, other), about=pair)


def _unless_spelled_out(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Dropped where the page of the short name says itself what that is short for, and between
    folders of two languages."""
    if _is_translated(hit, wiki):
        return None
    view = wiki.page(hit.path)
    names = () if view is None or view.broken else (view.page.title, *view.page.aliases)
    is_told = any(
        hit.message.startswith(f"“{short}” may be short for")
        and any(is_acronym_pair(short, name) for name in names)
        for short in (stem_of(hit.path), *names)
    )
    return None if is_told else hit


def _is_translated(hit: RuleHit, wiki: WikiView) -> bool:
    """Whether all pages of the other name lie in the folder of another language."""
    other = hit.message.partition("[[")[2].rpartition("]]")[0]
    paths = paths_of(wiki.group(NAMES, name_key(other)))
    return bool(paths) and not beside(paths, hit.path)


def _unless_linked(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Dropped where one of two notes of another tool, alike but for blanks, punctuation or plural,
    links to the other: its author knows both."""
    if _is_translated(hit, wiki):
        return None
    other = hit.message.partition("[[")[2].rpartition("]]")[0]
    own = stem_of(hit.path)
    if wiki.limits.is_foreign or not hit.path.startswith("wiki/"):
        # A pair of letters is what many notes differ in, and folders tell notes apart.
        folders = {path.rpartition("/")[0] for path in paths_of(wiki.group(NAMES, name_key(other)))}
        if hit.message.endswith("one letter") or hit.path.rpartition("/")[0] not in folders:
            return None
    if folded_key(own) != folded_key(other):
        return hit
    here, there = (wiki.group(NAMES, name_key(name)) for name in (own, other))
    if any(page.kind for page in (*pages_of(here), *pages_of(there))):
        return hit
    one, two = set(paths_of(here)), set(paths_of(there))
    linked = any(users & one for users in users_of(there).values()) or any(
        users & two for users in users_of(here).values()
    )
    return None if linked else hit


def _similar(group: Group) -> Iterator[RuleHit]:
    if group.key.startswith(KEY):
        files = [name for name in _subjects(group) if name.is_file]
        other = None
        for name in files:
            if _differs(files[0].text, name.text):
                other = other or name
                yield _alike(name, files[0], "but for blanks, punctuation or plural")
            elif other is not None:
                yield _alike(name, other, "but for blanks, punctuation or plural")
    elif group.key.startswith(HALF):
        yield from _one_letter_apart(group)


def _differs(a: str, b: str) -> bool:
    return name_key(a) != name_key(b)


def _one_letter_apart(group: Group) -> Iterator[RuleHit]:
    """Pairs that this key is the first to bring together.

    Names of one half are compared by their shortened forms, not each with each.
    """
    files = [
        (squeezed(name.text), name)
        for name in _subjects(group)
        if len(name.text) >= _LONG and name.is_file
    ]
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
                if min(set(halves(text)) & set(halves(plain))) == group.key:
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


def _page(title: str, aliases: str = "") -> str:
    return f"---\ntype: concept\ntitle: {title}\naliases: [{aliases}]\n---\n\n# {title}\n"


RULES: tuple[Rule, ...] = (
    rule(
        "WK313 note possible-duplicate",
        OverGroup(SPELLINGS, _duplicate, _unless_spelled_out, least=2),
        "A title or alias of one page is another spelling of a name of another page, or its short "
        "form by its initials: both may be about one thing.",
        "Make them one page if they are (`wiki merge PAGE INTO`); else give the names what tells"
        " them apart (`wiki rename PAGE TITLE`).",
        bad={
            "wiki/concepts/RAG.md": _page("RAG"),
            "wiki/concepts/Retrieval.md": _page("Retrieval-augmented generation"),
        },
        good={
            "wiki/concepts/RAG.md": _page("RAG"),
            "wiki/concepts/Retrieval.md": _page("Retrieval of answers"),
        },
    ),
    rule(
        "WK314 warning similar-name",
        OverGroup(SPELLINGS, _similar, _unless_linked, least=2),
        "Two file names are one but for blanks, punctuation or plural, or, where they are eight "
        "letters or longer, but for one letter that is not a word's first: most likely one is a "
        "slip. Names with unlike numbers are no slip, nor are notes of another tool that differ in "
        "blanks, punctuation or plural where one links to the other.",
        "Make them one page (`wiki merge PAGE INTO`), or give one a title by which nobody takes it"
        " for the other (`wiki rename PAGE TITLE`).",
        bad={
            "wiki/concepts/Transformer.md": _page("Transformer"),
            "wiki/concepts/Transfomer.md": _page("Transfomer"),
        },
        good={
            "wiki/concepts/Symmetric cipher.md": _page("Symmetric cipher"),
            "wiki/concepts/Asymmetric cipher.md": _page("Asymmetric cipher"),
            "wiki/concepts/Symmetric cypress.md": _page("Symmetric cypress"),
        },
    ),
)
