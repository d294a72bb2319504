"""What a document has claims about: itself, and the things that surely are subjects of their own.

A name gets a page when the document defines it or names it often, and when at least two claims
are about it; all other claims are the document's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from llmwiki.extraction.embedded.acronyms import expansions
from llmwiki.extraction.embedded.blocks import Outline
from llmwiki.extraction.embedded.mentions import NameMatcher
from llmwiki.extraction.embedded.names import (
    clean_name,
    display_name,
    fold_name,
    has_cjk,
    is_cjk,
    is_code_name,
    valid_name,
)
from llmwiki.extraction.embedded.shape import is_verb
from llmwiki.extraction.embedded.statements import DocumentStatement
from llmwiki.extraction.embedded.vocabulary import FUNCTION_WORDS, PRONOUNS

LEAST_CLAIMS = 2
"""Claims that a subject of its own has."""
LEAST_MENTIONS = 3
"""How often a defined name stands in the text."""
MOST_SUBJECTS = 40
_MOST_CANDIDATES = 400

_TITLE_END = re.compile(r"[:：(（]|(?<=\S) [—–-] ")
_ARTICLE = re.compile(r"(?:[Tt]he|An?) ")
_LONGEST_PHRASE = 5
_JA_TOPIC = re.compile(
    r"(?P<name>[^。、はがを]{2,24}?)(?:[（(][^（）()]{1,60}[）)])?(?:は|が|とは)"
)


@dataclass(slots=True, eq=False)
class SubjectCandidate:
    """A name that may become a subject, or the document itself."""

    key: str
    name: str
    kind: Literal["entity", "concept"] | None = None
    """What the column of a table says it is; None: told by its name and description."""
    known: bool = False
    """Whether the wiki has a page of that title."""
    proper: bool = False
    """Whether running text always writes it with capitals."""
    aliases: dict[str, None] = field(default_factory=dict)


class SubjectCandidates:
    """The subjects of a document, found by the key of any of their names."""

    def __init__(self, document: SubjectCandidate, known: Iterable[str]) -> None:
        self.document = document
        self.by_key: dict[str, SubjectCandidate] = {document.key: document}
        for name in (document.name, _TITLE_END.split(document.name, maxsplit=1)[0]):
            key = fold_name(clean_name(name))
            self.by_key.update(
                dict.fromkeys((key, key.replace(" ", "_"), key.replace(" ", "")), document)
            )
        self.by_key.pop("", None)
        # A page of an older wiki that stands for a file is no name that texts mention.
        titles = [title for title in sorted(known) if not title.startswith("raw/")]
        self.known = {fold_name(title): title for title in titles if len(title) >= 2}
        self.known.pop("", None)

    def get(self, name: str) -> SubjectCandidate | None:
        """The subject that a name stands for."""
        return self.by_key.get(fold_name(name)) if name else None

    def add(self, name: str) -> SubjectCandidate | None:
        """The subject of that name, made if it is new, under the wiki's spelling of it."""
        key = fold_name(name)
        if key not in self.by_key:
            if key not in self.known and not valid_name(name):
                return None
            title = self.known.get(key, display_name(name))
            self.by_key[key] = SubjectCandidate(key, title, known=key in self.known)
        return self.by_key[key]


def gather(
    document: SubjectCandidate,
    outline: Outline,
    likely: Sequence[DocumentStatement],
    found: Sequence[DocumentStatement],
    known: Iterable[str],
) -> SubjectCandidates:
    """The subjects of a document's running text.

    `likely` are those of its statements, `found`, that may become claims.
    """
    subjects = SubjectCandidates(document, known)
    census = _Census(subjects, outline, likely, found)
    for key in census.accepted():
        candidate = subjects.add(census.spelling(key))
        if candidate is not None:
            candidate.proper = census.is_proper(key) or census.is_titled(key)
    for short, long in census.long.items():
        if (owner := subjects.get(long)) is not None:
            subjects.by_key.setdefault(short, owner)
    _add_aliases(subjects, found)
    return subjects


class _Census:
    """How often the names that sentences are about stand in a text, and how they are written."""

    def __init__(
        self,
        subjects: SubjectCandidates,
        outline: Outline,
        likely: Sequence[DocumentStatement],
        found: Sequence[DocumentStatement],
    ) -> None:
        self._subjects = subjects
        self._begins: Counter[str] = Counter()
        """How many sentences begin with a name."""
        self._defined: dict[str, int] = {}
        self._spelled: dict[str, Counter[str]] = {}
        self.long: dict[str, str] = {}
        """Key of an acronym to the long form that the text gives."""
        for one in found:
            for pair in expansions(one.own):
                if valid_name(clean_name(pair.long)):
                    self.long.setdefault(fold_name(pair.short), clean_name(pair.long))
        self._under = Counter(fold_name(one.under) for one in likely if one.under)
        """How many claims stand below a heading that is a name."""
        self._labelled = {fold_name(one.label) for one in likely if one.label}
        self._headed = {fold_name(clean_name(one.title)) for one in outline.sections[1:]}
        established = {fold_name(name) for name in self.long.values()} | set(self.long)
        established |= {fold_name(one.definition.name) for one in likely if one.definition}
        established |= self._headed | self._labelled
        established |= {fold_name(name) for one in likely for name in topics(one)}
        for one in likely:
            begun = [name for name in beginnings(one.own) if fold_name(name) in established]
            names = [self.long.get(fold_name(name), name) for name in [*topics(one), *begun[:1]]]
            for name in dict.fromkeys(names):
                if fold_name(name) in subjects.known or valid_name(name):
                    self._begins[fold_name(name)] += one.sentences
                    self._spelled.setdefault(fold_name(name), Counter())[name] += 1
            if one.definition and names:
                key = fold_name(names[0])
                self._defined[key] = max(self._defined.get(key, 0), one.definition.strength)
        self._text = "\n".join(one.own for one in found)
        self._keys = sorted(self._begins, key=lambda key: (-self._begins[key], key))
        del self._keys[_MOST_CANDIDATES:]
        matcher = NameMatcher([*self._keys, *self.long])
        self._mentions: Counter[str] = Counter()
        for one in found:
            said = matcher.mentioned(one.own)
            self._mentions.update(fold_name(self.long.get(key, key)) for key in said)
        self._explained = {fold_name(name) for name in self.long.values()}

    def accepted(self) -> list[str]:
        """The keys of the names that get pages, the surest first, without twins."""
        itself = self._subjects.document
        named = [key for key in self._keys if self._subjects.by_key.get(key) is not itself]
        sure = [key for key in named if self._is_sure(key)]
        sure.sort(key=lambda key: (-self._begins[key] - 3 * self._defined.get(key, 0), key))
        kept: list[str] = []
        for key in sure:
            words = set(key.split())
            twin = any(words < set(other.split()) or words > set(other.split()) for other in kept)
            if not twin or key in self._subjects.known:
                kept.append(key)
        return kept[:MOST_SUBJECTS]

    def _is_sure(self, key: str) -> bool:
        """Whether a name is defined and used, or is one by its form and begins two statements."""
        if key in self._subjects.known:
            return True
        joined = not FUNCTION_WORDS.isdisjoint(set(key.split()) - {"of", "and"})
        if self._begins[key] + self._under[key] < LEAST_CLAIMS or joined:
            return False
        if key in self._explained:
            return True
        often = self._mentions[key] >= LEAST_MENTIONS
        if self._defined.get(key, 0) == 3:
            return often or self.is_proper(key) or self.is_titled(key) or key in self._headed
        if self._defined.get(key, 0) == 2:
            return key in self._headed or (often and has_cjk(key))
        named = self.is_proper(key) or (key in self._headed | self._labelled and " " in key)
        claims = sum(self._spelled[key].values())
        return named and often and claims >= LEAST_CLAIMS

    def is_proper(self, key: str) -> bool:
        """Whether the text writes a name with capitals in mid-sentence too, and never without."""
        name = self.spelling(key)
        if name.isascii() and name[0].isupper() and is_cjk(self._text[:4000]):
            return not self._stands(name.casefold())
        if is_code_name(name) or (has_cjk(name) and not name.isascii()):
            return is_code_name(name)
        if name == name.casefold() or self._stands(name.casefold()):
            return False
        return self._stands(name, inner=True)

    def is_titled(self, key: str) -> bool:
        """Whether a name has several words, all of which the text writes with a capital."""
        words = self.spelling(key).split()
        return len(words) > 1 and all(word[0].isupper() for word in words)

    def _stands(self, name: str, *, inner: bool = False) -> bool:
        """Whether the text holds a name as a word; `inner`: behind another one."""
        at = self._text.find(name)
        while at >= 0:
            before, after = self._text[max(0, at - 2) : at], self._text[at + len(name) :][:1]
            whole = not after.isalnum() and not before[-1:].isalnum()
            if whole and (
                not inner or (before[-1:] == " " and (before[0].isalnum() or before[0] == ","))
            ):
                return True
            at = self._text.find(name, at + 1)
        return False

    def spelling(self, key: str) -> str:
        """The commonest spelling of a name, the shorter on a tie."""
        spelled = self._spelled[key]
        return min(spelled, key=lambda name: (-spelled[name], len(name), name.swapcase()))


def beginnings(text: str) -> list[str]:
    """What the first words of a sentence may name, the longest first."""
    words = _ARTICLE.sub("", text[:200].lstrip("\"'“‘(`*"), count=1).split()[:_LONGEST_PHRASE]
    sizes = [
        size
        for size in range(len(words), 0, -1)
        if not words[size : size + 1] or not (words[size][0].isdigit())
    ]  # `PEP 8` is another thing than `PEP`
    return [clean_name(" ".join(words[:size])) for size in sizes]


def topics(one: DocumentStatement) -> list[str]:
    """The names that a statement may be about, the likeliest first."""
    names = [one.definition.name] if one.definition else []
    names += [one.label] if one.label else []
    text = one.own.lstrip("\"'“‘(`*")
    if has_cjk(text[:40]):
        topic = _JA_TOPIC.match(text)
        names += [clean_name(topic["name"])] if topic else []
    else:
        names.append(_noun_phrase(text))
    return [name for name in dict.fromkeys(names) if name and name.casefold() not in PRONOUNS]


def _noun_phrase(text: str) -> str:
    """The words before the first verb of a sentence, where they are few; else empty."""
    words = _ARTICLE.sub("", text[:200], count=1).split()[: _LONGEST_PHRASE + 2]
    folded = [word.casefold().strip("\"'“”‘’`()*_") for word in words]
    for at in range(1, min(len(words), _LONGEST_PHRASE + 1)):
        if is_verb(folded, at):
            # Without the adverb of `Git also becomes …`.
            last = at - 1 if at > 1 and folded[at - 1] in FUNCTION_WORDS else at
            return clean_name(" ".join(words[:last]))
        if folded[at - 1] in FUNCTION_WORDS - {"of", "and"} or words[at - 1].endswith(
            (",", ":", ";")
        ):
            return ""
    return ""


def subject_of(subjects: SubjectCandidates, one: DocumentStatement) -> SubjectCandidate | None:
    """The subject that the statement itself is about, or the heading that it stands below."""
    if one.text == one.own or one.label:
        for name in topics(one):
            if (found := subjects.get(name)) is not None:
                return found
        for name in beginnings(one.own):
            found = subjects.get(name)
            if found is not None and (" " in name or name.isupper() or found.known):
                return found
        if one.definition or one.label:
            return None
    return subjects.get(one.under)


def _add_aliases(subjects: SubjectCandidates, found: Sequence[DocumentStatement]) -> None:
    """Other names that the text states: acronyms either way round."""
    for one in found:
        for pair in expansions(one.own):
            long, short = subjects.get(clean_name(pair.long)), subjects.get(pair.short)
            owner = long or short
            if owner is None or (long is not None and short is not None and long is not short):
                continue
            alias = pair.short if owner is long else display_name(clean_name(pair.long))
            subjects.by_key.setdefault(fold_name(alias), owner)
            if fold_name(alias) != owner.key:
                owner.aliases[alias] = None
