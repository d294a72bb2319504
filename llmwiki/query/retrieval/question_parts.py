"""The parts of a question: the sides of a comparison, its times, the clauses of a long sentence.

Each part gets its share of a context, so that one side cannot crowd out the other. Found by the
words that join them alone; a question without such words has no parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from llmwiki.core.language.tokens import STOP_WORDS, words
from llmwiki.core.lazy_pattern import lazy_pattern

MOST = 4
"""Parts of a question at most."""
LONGEST = 600
"""Characters of the longest question that is taken apart."""
SIDE = 5
"""Words of the longest side of a comparison."""

_ALWAYS = re.compile(
    r" (?:versus|vs\.?|rather than|instead of|as opposed to|(?:as )?compared (?:with|to)"
    r"|(?:compare|differ(?:ent|s)?) (?:from|to|with)|chosen over|preferred (?:to|over)|than) ",
    re.IGNORECASE,
)
"""Words between two sides in whatever question."""
_WHERE_COMPARED = re.compile(r",? (?:and|or|with|to|against) ", re.IGNORECASE)
"""Words between two sides where a question compares, or where both sides are alike."""
_COMPARES = re.compile(
    r"\b(?:compare[sd]?|comparison|contrast|differ(?:s|ent|ences?)?|between|both|same|in common"
    r"|alike|relation(?:ship)?|trade-?offs?|which (?:of|is|was|has|one|office)|either|whether"
    r"|more|less|\w{3,}er)\b",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(r"\A(.*) (?:more|less|\w{2,}er)\b.*", re.IGNORECASE)
_LISTED = """
    of for in on with by to from at under between what which do does did is are was were how when
    where who whose why has have had can could should must will would i we you and or than both if
    compare contrast use say about over not as long many much often far fast well
"""
_BORDERS = frozenset(_LISTED.split())
"""Words at which the name of a side ends."""
_CLAUSES = re.compile(
    r"\? |; |[。？]|"
    r",? (?:and|but|or) (?=(?:also )?(?:how|what|which|why|when|where|who|whose|whom|is|are|was"
    r"|were|does|do|did|can|could|should|must|will|under|for|by|in|to) )"
    r"|, (?=(?:how|what|which|why|when|where|who|whose) )",
    re.IGNORECASE,
)
_WITHOUT_VERB = re.compile(r"(?:also )?(?:under|for|by|in|to) ", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_POINTS_BACK = lazy_pattern(
    r"\b(?:it|its|they|their|them|this|that|these|those|one|each|both|there)\b", re.IGNORECASE
)
_NAMES = lazy_pattern(r"(?<=\S )[A-Z][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)*")
_NAMED = lazy_pattern(r"(?:the )?[A-Z0-9][\w'’.+#-]*(?: [A-Z0-9][\w'’.+#-]*)*")


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question, each a question by itself; none where it has but one."""
    if len(question) > LONGEST:
        return ()
    question = " ".join(question.split())
    for joint in _ALWAYS.finditer(question):
        if found := _sides(question, joint):
            return found
    clauses = [part.strip() for part in _CLAUSES.split(question)]
    clauses = [part for part in clauses if _says(part)]
    if 1 < len(clauses) <= MOST:
        first, *others = clauses
        return (first, *(_completed(part, first) for part in others))
    years = tuple(dict.fromkeys(_YEAR.findall(question)))
    if 1 < len(years) <= MOST:
        return tuple(_but(question, (y for y in years if y != year)) for year in years)
    for joint in _WHERE_COMPARED.finditer(question):
        if found := _sides(question, joint):
            return found
    return ()


def _sides(question: str, joint: re.Match[str]) -> tuple[str, ...]:
    """The question about each side of a comparison, without the other sides' names."""
    before, behind = question[: joint.start()], question[joint.end() :].rstrip(" ?.!")
    mine = _last_name(_COMPARATIVE.sub(r"\1", before) if "than" in joint[0] else before)
    theirs = _first_name(behind, len(mine.split()))
    if not (_says(mine) and _says(theirs)) or mine == theirs or theirs.startswith("each"):
        return ()
    if joint.re is not _ALWAYS and not (
        _COMPARES.search(question) or {*mine.lower().split()} & {*theirs.lower().split()} - {"the"}
    ):
        return ()
    further = before[: before.rindex(mine)].rstrip()
    listed = [mine, theirs]
    while further.endswith(",") and len(listed) < MOST:
        if not (one := _last_name(further.rstrip(","))) or not one[:1].isupper():
            break
        listed.insert(0, one)
        further = further[: further.rindex(one)].rstrip()
    return tuple(_but(question, (other for other in listed if other != one)) for one in listed)


def _last_name(text: str) -> str:
    """The words at the end of a text that may name one thing."""
    kept: list[str] = []
    for word in reversed(text.split(" ")):
        if word[-1:] in ",;:?" or word.lower() in _BORDERS or len(kept) == SIDE:
            break
        kept.insert(0, word)
    return " ".join(kept)


def _first_name(text: str, size: int) -> str:
    """The words at the beginning of a text that name one thing, behind those that only join: a name
    with capitals whole, else at most so many words."""
    listed = text.split(" ")
    while listed and listed[0].lower() in _BORDERS:
        del listed[0]
    if named := _NAMED.match(" ".join(listed)):
        return named[0]
    kept: list[str] = []
    for word in listed[: max(size, 1)]:
        if word.lower() in _BORDERS:
            break
        kept.append(word.rstrip(",;:?"))
        if word[-1:] in ",;:?":
            break
    return " ".join(kept)


def _but(question: str, names: Iterable[str]) -> str:
    """A question without some names."""
    for name in names:
        question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", question, count=1)
    return " ".join(question.split())


def _completed(clause: str, first: str) -> str:
    """A clause with what the first one says and it leaves out: the names that it points back to;
    all but names and times where it has no verb or hardly a word of its own."""
    own = [word for word in words(clause) if word not in STOP_WORDS and not word.isdigit()]
    if _WITHOUT_VERB.match(clause) or not own:
        said = _YEAR.sub("", first if _NAMES.search(clause) is None else _NAMES.sub("", first))
        return f"{' '.join(said.split())} {clause}"
    if _POINTS_BACK.search(clause) or not _NAMES.search(clause):
        return f"{clause} {' '.join(_NAMES.findall(first))}".strip()
    return clause


def _says(part: str) -> bool:
    return any(word not in STOP_WORDS for word in words(part))
