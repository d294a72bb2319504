"""Identity before writing: which page a subject already has, judged by its names alone.

A wrong merge mixes two things on one page and is hard to take apart; a missed one is a finding.
So only what is certain merges, and what is close is reported. That two names mean one thing is
never taken from whoever read a source alone: the names themselves agree, or a text says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from llmwiki.core.language.acronyms import (
    MIN_LETTERS,
    acronym_key,
    acronyms_of,
    is_acronym,
    is_acronym_pair,
    split_acronym,
)
from llmwiki.core.language.name_keys import folded_key, one_apart, strict_key, words_of
from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.page_and_note_kinds import SUBJECTS
from llmwiki.core.text import fold, normalise
from llmwiki.pages.page_file_names import folder_of

if TYPE_CHECKING:
    from llmwiki.index.keys_of_names import Lookup

Match = Literal["exact", "folded", "acronym"]
"""Why two names are one: the same but for case and typography; the same key; short and long."""

How = Literal["exact", "folded", "acronym", "same_as", "new"]

SynonymEvidence = Callable[[str, str], str]
"""Where a text states that two names are one, `L12 says so`; empty: it does not."""

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_QUALIFIER = re.compile(r"(?:(?<!\s)\s++)?[(（][^()（）]*+[)）]\s*+\Z")
_INITIALS = "initials that fit"
_INITIAL = re.compile(r"[^\W\d_]\.?\Z")


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where the claims about a subject belong."""

    path: str | None
    """The page that is the subject's; None: it needs a new one."""
    near: tuple[str, ...] = ()
    """Pages that may be the same and were not taken, sorted: a possible duplicate to report."""
    how: How = "new"
    """What decided."""
    why: str = field(default="", compare=False)
    """The same in words, for somebody to check; empty where the name itself is the page's."""


def _untold(_a: str, _b: str) -> str:
    return ""


def same(a: str, b: str) -> Match | None:
    """Why two names are certainly one, or None. Symmetric; looks at no page and no kind."""
    if fold(a) == fold(b) and folded_key(a) == folded_key(b):
        return "exact"
    key_a, key_b = folded_key(a), folded_key(b)
    if key_a and key_a == key_b:
        return "folded"
    both_a, both_b = split_acronym(a), split_acronym(b)
    if both_a or both_b:
        longs = {folded_key((both_a or (a, ""))[0]), folded_key((both_b or (b, ""))[0])}
        if both_a and both_b:
            return "acronym" if len(longs) == 1 else None
        pair, other = (both_a, b) if both_a else (both_b, a)
        if pair and folded_key(other) in {folded_key(pair[0]), folded_key(pair[1])}:
            return "acronym"
        return None
    return "acronym" if is_acronym_pair(a, b) else None


def near(a: str, b: str) -> str | None:
    """Why two names that are not certainly one may be, for a finding; None if they are far apart.

    Never a reason to merge. Names whose numbers differ are never near.
    """
    if same(a, b) or sorted(_NUMBER.findall(a)) != sorted(_NUMBER.findall(b)):
        return None
    key_a, key_b = folded_key(a), folded_key(b)
    if not key_a or not key_b:
        return None
    if folded_key(_QUALIFIER.sub("", a)) == folded_key(_QUALIFIER.sub("", b)):
        return "differs in what stands in brackets"
    words_a, words_b = words_of(a), words_of(b)
    if _are_reordered(words_a, words_b):
        return "the same words in another order"
    if {acronym_key(a), acronym_key(b)} & (acronyms_of(a) | acronyms_of(b)) - {""}:
        return _INITIALS
    if _is_initialled(words_a, words_b) or _is_initialled(words_b, words_a):
        return "the same surname, and an initial that fits"
    if min(len(key_a), len(key_b)) >= 6 and (
        _one_edit(key_a, key_b) or _one_edit(strict_key(a), strict_key(b))
    ):
        return "one letter apart"
    return None


def support(name: str, alias: str, told: SynonymEvidence = _untold) -> str:
    """What confirms that `alias` is another name of `name`, as a model claims; empty: nothing does.

    Spellings and short forms need no further evidence, nor does a name that only leaves out words
    of the longer one but keeps its last and one more: `Server Components`. A single word of a
    longer name may be a surname, a kind or another person: for that, as for names without a common
    word, a text must state it.
    """
    match = same(name, alias)
    if match is not None:
        return _MATCHES[match]
    said = told(name, alias)
    if said or sorted(_NUMBER.findall(name)) != sorted(_NUMBER.findall(alias)):
        return said
    words, others = words_of(name), words_of(alias)
    if not words or not others:
        return ""
    if _are_reordered(words, others):
        return "the same words in another order"
    if _is_initialled(words, others) or _is_initialled(others, words):
        return "the same surname, and an initial that fits"
    short, long = sorted((words, others), key=len)
    if len(short) > 1 and short[-1] == long[-1] and _is_part(short, long):
        return "the same name, words left out"
    return ""


def supported(name: str, aliases: Iterable[str], told: SynonymEvidence = _untold) -> dict[str, str]:
    """The aliases that something confirms, each with what does; sorted by alias.

    An alias that is confirmed may carry another one: a text that calls IBM `Big Blue` does so for
    International Business Machines.
    """
    known = [name, *(split_acronym(name) or ())]
    left = sorted({alias for alias in aliases if folded_key(alias)})
    found = {alias: said for alias in left if (said := _support_of(known, alias, told))}
    confirmed = tuple(found)
    found |= {
        alias: said
        for alias in left
        if alias not in found and (said := _support_of(confirmed, alias, told))
    }
    return dict(sorted(found.items()))


def owners(alias: str, lookup: Lookup) -> tuple[str, ...]:
    """The pages that a name belongs to already, as it is spelled or in another spelling."""
    return tuple(sorted({*lookup.by_title(alias), *lookup.by_key(folded_key(alias))}))


def short_of(alias: str, lookup: Lookup) -> tuple[str, ...]:
    """The pages whose names a short form may stand for."""
    return _acronym(alias, "", lookup) if is_acronym(alias) else ()


def _support_of(names: Iterable[str], alias: str, told: SynonymEvidence) -> str:
    return next((said for name in names if (said := support(name, alias, told))), "")


def resolve(
    name: str,
    aliases: tuple[str, ...],
    kind: str,
    same_as: str | None,
    lookup: Lookup,
    told: SynonymEvidence = _untold,
    used: SynonymEvidence = _untold,
) -> Resolution:
    """The page of a subject of `kind` (entity or concept), by these rules in order.

    Exact title or alias; folded key; acronym and expansion; what the model said of the candidates
    it was shown (`same_as`); else a new page. The subject's name is asked before its aliases, and
    of these only those that `support` confirms; `same_as` needs a name of that page that it does,
    or that is near, or that `used` takes for one with it. Two pages that match are none, unless one
    alone is of the subject's kind and has exactly that title, or `same_as` names one of them. Pure:
    depends on the arguments and what `lookup`, `used` and `told` answer.
    """
    backed = supported(name, map(normalise, aliases), told)
    refused: set[str] = set()
    meant = {p for p in lookup.by_title(*aliases) if _is_page_of_subjects(p)}
    asked = _asked(name, tuple(backed))
    for how, written, find in _questions(name, asked):
        found = [p for p in find(written, kind, lookup) if _is_page_of_subjects(p)]
        fitting = [
            path
            for path in found
            if _fits(name, asked, written, kind, path, lookup) or path == same_as
        ]
        refused.update(set(found) - set(fitting))
        path = _one(fitting, name, kind, same_as, lookup)
        if path is not None:
            rest = tuple(sorted((refused | meant | set(fitting)) - {path}))
            return Resolution(path, rest, how, _why(how, name, written, backed))
        refused.update(fitting)
    refused |= meant
    if same_as is not None and _may_be(name, same_as, lookup):
        names = lookup.names_of(same_as)
        agreed = _agreed((name, *backed), names, told) or next(
            (said for other in names if (said := used(name, other))), ""
        )
        if agreed:
            why = f"named in same_as: {agreed}"
            return Resolution(same_as, tuple(sorted(refused - {same_as})), "same_as", why)
        refused.add(same_as)
    return Resolution(None, tuple(sorted(refused)))


_MATCHES = {
    "exact": "the same but for case",
    "folded": "the same but for spelling",
    "acronym": "short and long form",
}


def _questions(
    name: str, asked: tuple[str, ...]
) -> Iterable[tuple[How, str, Callable[[str, str, Lookup], tuple[str, ...]]]]:
    """What is looked up, in order: the name as it is spelled, then all names by each rule."""
    yield "exact", name, _exact
    yield "folded", name, _folded
    for written in asked:
        yield "exact", written, _exact
    for written in asked:
        yield "folded", written, _folded
    for written in asked:
        yield "acronym", written, _acronym


def _why(how: How, name: str, written: str, backed: dict[str, str]) -> str:
    if fold(written) == fold(name):
        return "" if how == "exact" else _MATCHES[how]
    known = backed.get(written, _MATCHES["acronym"])
    return f"its other name {written}: {known}"


def agree(name: str, other: str, told: SynonymEvidence = _untold) -> str:
    """What agrees with somebody's word that two names mean one thing; empty: nothing.

    Less than `support` asks for: also names that are near, and a name that leaves all but the last
    word out.
    """
    said = support(name, other, told) or near(name, other)
    # Two initials fit too many names.
    if said and said != _INITIALS:
        return said
    short, long = sorted((words_of(name), words_of(other)), key=len)
    if short and short[-1] == long[-1] and _is_part(short, long):
        return "the same name, words left out"
    return ""


def _agreed(names: Iterable[str], others: tuple[str, ...], told: SynonymEvidence) -> str:
    """What agrees with the word of a model that a page of these names is the subject's."""
    for name in names:
        for other in others:
            if said := agree(name, other, told):
                return f"{other}: {said}"
    return ""


def _are_reordered(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether two names have the same words in another order, `Kiel University` and `University of
    Kiel`: words that join others do not count."""
    kept = [sorted(set(each) - STOP_WORDS) for each in (words, others)]
    return len(kept[0]) > 1 and kept[0] == kept[1]


def _is_part(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether all words of one name stand in another, in order."""
    rest = iter(long)
    return all(word in rest for word in short)


def _asked(name: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """The name, both halves of a name that gives its acronym, then the aliases."""
    names = [name, *(split_acronym(name) or ()), *sorted(aliases, key=lambda a: (-len(a), a))]
    return tuple(dict.fromkeys(n for n in map(normalise, names) if n and folded_key(n)))


def _exact(written: str, _kind: str, lookup: Lookup) -> tuple[str, ...]:
    return lookup.by_title(written)


def _folded(written: str, kind: str, lookup: Lookup) -> tuple[str, ...]:
    paths = lookup.by_key(folded_key(written))
    if kind != "entity":
        return paths
    # `Rolling Stone` and `Rolling Stones` are two; a concept's plural is the concept.
    strict = strict_key(written)
    return tuple(p for p in paths if any(strict_key(n) == strict for n in lookup.names_of(p)))


def _acronym(written: str, _kind: str, lookup: Lookup) -> tuple[str, ...]:
    if is_acronym(written):
        key = acronym_key(written)
        if len(key) < MIN_LETTERS:
            return ()
        return tuple(
            p
            for p in lookup.by_acronym(key)
            if any(is_acronym_pair(written, n) for n in lookup.names_of(p))
        )
    shorts = sorted(short for short in acronyms_of(written) if len(short) >= MIN_LETTERS)
    return tuple(
        path
        for path in lookup.by_key(*shorts)
        if any(is_acronym_pair(n, written) for n in lookup.names_of(path))
    )


def _fits(
    name: str, asked: tuple[str, ...], written: str, kind: str, path: str, lookup: Lookup
) -> bool:
    """Whether a page with the name or alias `written` may be meant: nothing rules it out."""
    names = lookup.names_of(path)
    if _have_other_expansions(asked, names):
        return False
    if folded_key(written) != folded_key(name) and not is_acronym_pair(written, name):
        # An alias may be too wide: `Transformer` of Transformer XL, `GPT-4` of GPT-4.1.
        if _NUMBER.findall(name) != _NUMBER.findall(written):
            return False
        if _is_child(name, written) or any(_is_child(n, written) for n in names):
            return False
    return _kind_of(path) in {None, kind} or _is_coined(written, names)


def _have_other_expansions(asked: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether both sides spell out one acronym, and differently: two societies of chemistry."""
    for short in (n for n in (*asked, *names) if is_acronym(n)):
        mine = {folded_key(n) for n in asked if is_acronym_pair(short, n)}
        theirs = {folded_key(n) for n in names if is_acronym_pair(short, n)}
        if mine and theirs and not mine & theirs:
            return True
    return False


def _is_child(name: str, parent: str) -> bool:
    """Whether a name goes on where another ends: a version or a part of it."""
    words, head = words_of(_QUALIFIER.sub("", name)), words_of(parent)
    return len(words) > len(head) and words[: len(head)] == head


def _is_coined(written: str, names: tuple[str, ...]) -> bool:
    """Whether a name is one that two kinds of thing hardly share: not a single plain word.

    Which of entity and concept a reader chooses is chance for `PostgreSQL` and not for `Apple`.
    """
    if any(is_acronym_pair(written, n) for n in names):
        return True
    plain = normalise(written)
    coined = " " in plain or "-" in plain or re.search(r"\d|.[A-Z]", plain) is not None
    return coined and any(folded_key(n) == folded_key(plain) for n in names)


def _one(paths: list[str], name: str, kind: str, same_as: str | None, lookup: Lookup) -> str | None:
    if same_as in paths:
        return same_as
    if len(paths) == 1:
        return paths[0]
    wanted = fold(name)
    titled = [p for p in paths if _kind_of(p) == kind and fold(lookup.names_of(p)[0]) == wanted]
    return titled[0] if len(titled) == 1 else None


def _may_be(name: str, path: str, lookup: Lookup) -> bool:
    """Whether a model's word that a subject is this page can stand: no other version, no child."""
    names = lookup.names_of(path)
    if not names or not _is_page_of_subjects(path):
        return False
    if not any(_NUMBER.findall(name) == _NUMBER.findall(n) for n in names):
        return False
    title = names[0]
    return not (_is_child(name, title) or _is_child(title, name))


def _is_page_of_subjects(path: str) -> bool:
    return not path.startswith("wiki/") or _kind_of(path) is not None


def _kind_of(path: str) -> str | None:
    """The kind of subject whose folder holds the page."""
    return next((kind for kind in SUBJECTS if path.startswith(f"{folder_of(kind)}/")), None)


def _is_initialled(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return (
        len(short) == len(long) >= 2
        and short[-1] == long[-1]
        and any(_INITIAL.match(s) for s in short[:-1])
        and all(s[0] == w[0] for s, w in zip(short, long, strict=True))
    )


def _one_edit(a: str, b: str) -> bool:
    """Whether two names differ by no more than a letter that is no digit."""
    at = one_apart(a, b)
    return a == b or (at >= 0 and not any(c.isdigit() for c in a[at : at + 1] + b[at : at + 1]))
