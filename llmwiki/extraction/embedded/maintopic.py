"""What a document as a whole is about."""

from __future__ import annotations

import re
from collections import Counter

from llmwiki.extraction.embedded.candidates import SubjectCandidate, SubjectCandidates
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.names import (
    MAX_WORDS,
    display_name,
    fold_name,
    has_cjk,
    heading_names,
    is_code_name,
    is_plain_word,
    singular,
    strip_numbering,
    valid_name,
)
from llmwiki.extraction.embedded.vocabulary import GERUNDS, IMPERATIVES


def main_topic(
    candidates: SubjectCandidates, title: str, source: str, used: Counter[str]
) -> SubjectCandidate:
    """What the document is about.

    A name that the document defines and its title contains; else the title itself when it is a
    name; else the commonest name in it; else the commonest of the text; else the title. A title
    that is only a file's (`source` is its path, elsewhere empty) names nothing by itself: two
    files `notes.txt` are not about one thing, so what is left is named by the path.
    """
    defined = _defined_in(candidates, title, used)
    if defined is not None:
        defined.main = True
        defined.weight = max(defined.weight, 5.0)
        return defined
    if source:
        return _named_in(candidates, title) or _source(candidates, source)
    for name in heading_names(title):
        candidate = candidates.add(name, 5.0)
        if candidate is not None:
            candidate.main = True
            return candidate
    counts: Counter[str] = Counter()
    for candidate in candidates.by_key.values():
        counts[candidate.key] = sum(candidate.spellings.values())
    folded = f" {_singulars(fold_name(title))} "
    inside = [key for key in counts if len(key) > 2 and f" {_singulars(key)} " in folded]
    shortened = display_name(_shortened(title))
    if not inside and (
        valid_name(shortened) or _is_task(shortened) or len(shortened.split()) in range(3, 7)
    ):
        counts.clear()
    for key in sorted(inside or counts, key=lambda k: (-counts[k], k)):
        if inside or (counts[key] >= 3 and not is_code_name(candidates.by_key[key].name)):
            main = candidates.by_key[key]
            main.main = True
            main.weight = max(main.weight, 5.0)
            return main
    name = shortened
    main = candidates.by_key.setdefault(
        fold_name(name), SubjectCandidate(fold_name(name), name, 5.0)
    )
    main.main = True
    main.spellings[name] += 1
    return main


def _named_in(candidates: SubjectCandidates, title: str) -> SubjectCandidate | None:
    """The commonest name of the text that a file's name contains; one plain word is too little."""
    folded = f" {_singulars(fold_name(title))} "
    found = [
        candidate
        for key, candidate in candidates.by_key.items()
        if len(key) > 2 and f" {_singulars(key)} " in folded and not is_plain_word(candidate.name)
    ]
    main = max(found, key=lambda one: (sum(one.spellings.values()), one.key), default=None)
    if main is not None:
        main.main = True
        main.weight = max(main.weight, 5.0)
    return main


def _source(candidates: SubjectCandidates, path: str) -> SubjectCandidate:
    """The source itself, as a thing that claims can be about."""
    key = fold_name(path)
    main = candidates.by_key.setdefault(key, SubjectCandidate(key, path, 5.0, kind="entity"))
    main.main = True
    main.spellings[path] += 1
    return main


def _defined_in(
    candidates: SubjectCandidates, title: str, used: Counter[str]
) -> SubjectCandidate | None:
    folded = f" {_singulars(fold_name(title))} "
    found = [
        candidate
        for key, candidate in candidates.by_key.items()
        if candidate.named >= 3
        and (key in folded if has_cjk(key) else f" {_singulars(key)} " in folded)
        and not (is_plain_word(candidate.name) and used[singular(key)])
    ]
    return max(found, key=lambda one: (len(one.key), one.key), default=None)


def _singulars(text: str) -> str:
    return " ".join(map(singular, text.split()))


def _is_task(name: str) -> bool:
    """Whether a title names something to do, `Migrating from OneNote`: a page may be about it."""
    return name.split(" ", 1)[0].casefold() in IMPERATIVES | GERUNDS


def _shortened(title: str) -> str:
    """At most eight words and eighty characters of a title that is no name."""
    text = strip_numbering(strip_markup(title)).strip(" .:：?!。？！")
    text = re.split(r"(?<=\S)(?:[:：.?!。？！]\s|\s[—–-]+>?\s|\s[→|]\s)", text)[0]
    words = text.split()[:MAX_WORDS]
    while len(words) > 2 and words[-1].casefold() in ("the", "a", "an", "of", "and", "to", "in"):
        words.pop()
    return " ".join(words)[: 30 if has_cjk(text) else 80].strip(" ,;:") or "Notes"
