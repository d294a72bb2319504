"""Candidates for pages: names the document defines, heads its sections with, or keeps using."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from llmwiki.extraction.embedded.acronyms import Expansion, expansions
from llmwiki.extraction.embedded.candidates import SubjectCandidate, SubjectCandidates
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.maintopic import main_topic
from llmwiki.extraction.embedded.markdown import BOLD_LEVEL, Outline
from llmwiki.extraction.embedded.mentions import NameMatcher
from llmwiki.extraction.embedded.names import (
    MAX_WORDS,
    clean_name,
    fold_name,
    has_cjk,
    heading_names,
    is_code_name,
    is_plain_word,
    singular,
    valid_name,
)
from llmwiki.extraction.embedded.statements import DocumentStatement
from llmwiki.extraction.embedded.vocabulary import FINITE, FUNCTION_WORDS

_PROPER = re.compile(
    r"(?<![\w/.`-])[A-Z][\w’'&-]*[\w](?:\.[a-z]{2,4}\b|\.js\b)?"
    r"(?:\s(?:(?:of|for|the|de|van|von)\s)?[A-Z0-9][\w’'&.-]*\w){0,4}"
)
_LATIN_IN_CJK = re.compile(r"[A-Za-z][\w.’'&-]*(?: [A-Z][\w.’'&-]*){0,3}")
_ALIAS = re.compile(
    r"\b(?:also\s+(?:known\s+as|called)|a\.?k\.?a\.?)\s+[“\"‘']?"
    r"(?P<name>[A-Z0-9][\w-]*(?:\s[\w-]+){0,3}?)[”\"’']?(?=[,.;)]|\s(?:is|are|was)\b|$)"
    r"|(?:別名|通称|略称は?)[「『\s]*(?P<ja>[^」』、。（）()\s]{2,20})"
)
_PHRASE = re.compile(r"(?:The|An?|Each|Every|[A-Z](?=[a-z]+ [a-z]))\s?((?:[a-z][a-z-]*\s){3,6})")
_COMPOUND = re.compile(r"\s(?:and|or|&)\s|,|[・と]")
_PREFIX = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_BESIDE = re.compile(
    r"\s(?:the|an?|all|any|each|its|their|your|this|that|these|those|[“\"‘])(?![\w-])"
    rf"|\s(?!(?:{'|'.join(sorted(map(re.escape, FINITE | FUNCTION_WORDS)))})\b)[a-z]"
    r"|\s[“\"‘]"
)
"""What follows a verb (`Preserve the title`) or an adjective (`Transparent copies`), no name."""
STANDING = 3
"""Of an ordinary word that names something, one use in so many has something else after it."""
_JA_TOPIC = re.compile(r"^(.{1,40}?)(?:とは|では|には|は|が|の|を|に|も|、|[（(:：])")


def gather(
    title: str,
    source: str,
    outline: Outline,
    found: Sequence[DocumentStatement],
    known: Iterable[str],
) -> tuple[SubjectCandidates, SubjectCandidate]:
    """Every candidate of the document, and the one that the document as a whole is about.

    `source` is the path of a document whose title is only that of its file; else empty.
    """
    candidates = SubjectCandidates()
    used = Counter(singular(word) for one in found for word in _LOWER.findall(one.own))
    _add_headings(candidates, outline, found, used)
    _add_terms(candidates, found, used)
    _add_proper(candidates, found, used)
    _add_phrases(candidates, found)
    main = main_topic(candidates, title, source, used)
    _add_synonyms(candidates, outline, found)
    _add_known(candidates, found, known)
    _tie_sections(candidates, outline, title, main)
    return candidates, main


def _add_headings(
    candidates: SubjectCandidates,
    outline: Outline,
    found: Sequence[DocumentStatement],
    used: Counter[str],
) -> None:
    acting = {tuple(one.own.split()[:2]) for one in found}
    for section in outline.sections[1:]:
        for name in heading_names(section.title)[:1]:
            weight = 1.5 if section.level >= BOLD_LEVEL else 3.0
            if is_plain_word(name) and used[singular(name.casefold())] < 4:
                continue
            if _is_activity(name) and not any((name, verb) in acting for verb in FINITE):
                continue
            compound = _COMPOUND.search(name) is not None
            candidate = candidates.add(name, 1.2 if compound else weight)
            if candidate is not None and (compound or section.level >= BOLD_LEVEL):
                candidate.needs = 4 if compound else 3


def _is_activity(name: str) -> bool:
    """Whether a name is one word such as `Processing`, which is a thing if a sentence says so."""
    return is_plain_word(name) and name.endswith("ing")


def _tie_sections(
    candidates: SubjectCandidates, outline: Outline, title: str, main: SubjectCandidate
) -> None:
    for index, section in enumerate(outline.sections):
        if not index:
            continue
        if strip_markup(section.title) == title:
            candidates.of_section[index] = main.key
            continue
        for name in heading_names(section.title):
            candidate = candidates.get(name)
            if candidate is not None:
                candidates.of_section[index] = candidate.key
                break


def _add_terms(
    candidates: SubjectCandidates, found: Sequence[DocumentStatement], used: Counter[str]
) -> None:
    for statement in found:
        definition = statement.definition
        if definition:
            weight = {3: 2.5, 2: 1.5}.get(definition.strength, 0.8)
            strong = definition.strength >= 2
            candidate = candidates.add(definition.name, weight, generic_single=strong)
            if candidate is not None:
                candidate.named = max(candidate.named, definition.strength)
        if statement.label and not (
            is_plain_word(statement.label) and used[singular(statement.label.casefold())] < 3
        ):
            marked = statement.kind != "row"
            candidates.add(statement.label, 1.2 if marked else 0.8, generic_single=marked)


def _add_proper(
    candidates: SubjectCandidates, found: Sequence[DocumentStatement], used: Counter[str]
) -> None:
    """Capitalised names that running text uses at least twice, once not in first place."""
    uses = _Uses()
    for statement in found:
        uses.take(statement.own)
    for name, count in sorted(uses.all.items()):
        if uses.is_doubtful(name, used[singular(name.casefold())]):
            continue
        strong = is_code_name(name) or " " in name or name.isupper()
        if count >= 2 and (strong or uses.inner[name]):
            cleaned = clean_name(name)
            candidate = candidates.add(cleaned, 1.0 + min(count, 12) * 0.08)
            if candidate is not None:
                candidate.spellings[cleaned] += count


class _Uses:
    """How often, and where, running text writes capitalised names."""

    def __init__(self) -> None:
        self.all: Counter[str] = Counter()
        self.inner: Counter[str] = Counter()
        """Not at the start of a sentence."""
        self._standing: Counter[str] = Counter()
        """Where neither a thing nor a determiner follows."""

    def take(self, text: str) -> None:
        cjk = has_cjk(text)
        for match in (_LATIN_IN_CJK if cjk else _PROPER).finditer(text):
            name = _PREFIX.sub("", match[0], count=1).removesuffix("'s").removesuffix("’s")
            if len(name) < 2 or (cjk and not (name[0].isupper() or is_code_name(name))):
                continue
            self.all[name] += 1
            self._standing[name] += _BESIDE.match(text, match.end()) is None
            if match.start() > 0 and text[: match.start()].rstrip()[-1:] not in ".!?:":
                self.inner[name] += 1

    def is_doubtful(self, name: str, lower: int) -> bool:
        """Whether it may be an ordinary word, which the text writes small `lower` times."""
        if " " in name:
            return name.split(maxsplit=1)[0].casefold() in FINITE
        if lower > (0 if name.isupper() else self.all[name]):
            return True
        plain = is_plain_word(name) and lower
        return bool(plain) and self._standing[name] * STANDING < self.all[name]


def _add_phrases(candidates: SubjectCandidates, found: Sequence[DocumentStatement]) -> None:
    """Lower-case terms of two or three words that sentences are about and the text repeats."""
    counts: Counter[str] = Counter()
    for statement in found:
        opening = _PHRASE.match(statement.own)
        if opening is None:
            continue
        words = opening[1].split()
        end = next((at for at, word in enumerate(words) if word in FINITE), 0) or len(words) - 1
        phrase = " ".join(words[:end])
        if 2 <= end <= 3 and not any(word in FUNCTION_WORDS for word in words[:end]):
            counts[fold_name(phrase)] += 1
    text = "\n".join(statement.own for statement in found).casefold() if counts else ""
    for phrase in sorted(counts):
        if text.count(phrase) >= 3:
            candidates.add(phrase, 1.2)


def _add_synonyms(
    candidates: SubjectCandidates, outline: Outline, found: Sequence[DocumentStatement]
) -> None:
    seen: dict[str, Expansion] = {}
    for section in outline.sections[1:]:
        for expansion in expansions(strip_markup(section.title)):
            _add_expansion(candidates, expansion, clean_name(section.title))
    for statement in found:
        for expansion in expansions(statement.own):
            seen.setdefault(expansion.short, expansion)
            if statement.label:
                _add_expansion(candidates, expansion, statement.label)
        for alias in _ALIAS.finditer(statement.own):
            _add_alias(candidates, statement, clean_name(alias["name"] or alias["ja"]))
    for expansion in seen.values():
        if (
            candidates.get(expansion.short) is None
            or candidates.get(expansion.long) is not None
            or not candidates.by_key[fold_name(expansion.short)].aliases
        ):
            _add_expansion(candidates, expansion, "")


def _add_expansion(candidates: SubjectCandidates, expansion: Expansion, whole: str) -> None:
    """Join an acronym to its long form, or to the longer name `whole` that ends in it."""
    long = clean_name(expansion.long)
    name = whole if fold_name(whole).endswith(" " + fold_name(long)) else long
    candidate = candidates.get(name) or candidates.add(name, 2.5)
    if candidate is not None:
        candidate.explained = True
        candidates.join(expansion.short, candidate)


def _add_alias(candidates: SubjectCandidates, statement: DocumentStatement, alias: str) -> None:
    owner = subject_of(candidates, statement)
    if owner is not None and valid_name(alias) and fold_name(alias) != owner.key:
        candidates.join(alias, owner)


def _add_known(
    candidates: SubjectCandidates, found: Sequence[DocumentStatement], known: Iterable[str]
) -> None:
    """Known titles that the text mentions become candidates under their own spelling."""
    titles = {fold_name(title): title for title in sorted(known) if len(title) >= 2}
    if not titles:
        return
    titles.pop("", None)
    names = NameMatcher(titles)
    for statement in found:
        for key in names.mentioned(statement.own):
            candidates.add_known(titles[key])


_LOWER = re.compile(r"(?<![\w-])[a-z]{2,30}(?![\w])")


def subject_of(
    candidates: SubjectCandidates, statement: DocumentStatement
) -> SubjectCandidate | None:
    """The candidate that the sentence itself is about: its label, term or first words."""
    for name in (statement.label, statement.definition.name if statement.definition else ""):
        candidate = candidates.get(name)
        if candidate is not None:
            return candidate
    text = _PREFIX.sub("", statement.own.lstrip("\"'“‘(`"), count=1)
    if has_cjk(text[:60]):
        topic = _JA_TOPIC.match(text)
        if topic:
            candidate = candidates.get(clean_name(topic[1]))
            if candidate is not None:
                return candidate
    words = [word.strip("\"'“”‘’,;:()`") for word in text.split()[:MAX_WORDS]]
    for size in range(len(words), 0, -1):
        name = " ".join(words[:size])
        candidate = candidates.get(name.removesuffix("'s").removesuffix("’s"))
        if candidate is not None and not (size == 1 and words[0].islower() and len(name) < 4):
            return candidate
    return None
