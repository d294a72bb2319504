"""The parts of a question: the sides of a comparison, the clauses of a long sentence.

Each part gets its share of a context, so that one side cannot crowd out the other. Found by the
words that join them alone; a question without such words has no parts.
"""

from __future__ import annotations

import re

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.language.tokens import STOP_WORDS, words

MOST = 4
"""Parts of a question at most."""
LONGEST = 600
"""Characters of the longest question that is taken apart."""

_COMPARISONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:compare|contrast) (?P<one>[^;?]{2,160}?),? (?:and|versus|vs\.?) ",
        r"\bcompare (?P<one>[^;?]{2,160}?),? (?:with|to|against) ",
        r"\b(?:differences?|contrast|relation|relationship|trade-?offs?) between "
        r"(?P<one>[^;?]{2,160}?) and ",
        r"\bhow (?:do|does|did|is|are) (?P<one>[^;?]{2,160}?) "
        r"(?:differ(?:ent)?|compare) (?:from|to|with) ",
        r"(?P<one>[^ ;?]{1,80}) (?:versus|vs\.?) ",
    )
)
_JOINTS = lazy_pattern(
    r"\b(?:of|for|in|on|with|by|to|from|at|under|between|what|which|do|does|is|are"
    r"|how(?: (?:long|many|much|often|far|fast|well))?) ",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(r"(?:the )?[A-Z0-9][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)*")
_CLAUSES = lazy_pattern(
    r"\? |; |[。？]|"
    r",? (?:and|but|or) (?=(?:also )?(?:how|what|which|why|when|where|who|whose|whom|is|are|was"
    r"|were|does|do|did|can|could|should|must|will|under|for|by|in|to) )"
    r"|, (?=(?:how|what|which|why|when|where|who|whose) )",
    re.IGNORECASE,
)
_ENDS = lazy_pattern(r"[;?]")
_POINTS_BACK = lazy_pattern(
    r"\b(?:it|its|they|their|them|this|that|these|those|one|each|both|there)\b", re.IGNORECASE
)
_NAMES = lazy_pattern(r"(?<=\S )[A-Z0-9][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)*")


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question, each a question by itself; none where it has but one."""
    if len(question) > LONGEST:
        return ()
    question = " ".join(question.split())
    for pattern in _COMPARISONS:
        found = pattern.search(question)
        if found and (other := _ENDS.split(question[found.end() :])[0].rstrip(" .!")):
            return _sides(question, found["one"], other)
    clauses = [part.strip() for part in _CLAUSES.split(question)]
    clauses = [part for part in clauses if _says(part)]
    if not 1 < len(clauses) <= MOST:
        return ()
    names = " ".join(_NAMES.findall(clauses[0]))
    first, *others = clauses
    return (first, *(f"{part} {names}".strip() if _leans(part) else part for part in others))


def _sides(question: str, one: str, other: str) -> tuple[str, ...]:
    """The question about each side of a comparison, without the other side's name."""
    mine = _JOINTS.split(one)[-1]
    start = len(other) - len(_after_joints(other))
    named = _NAMED.match(other, start)
    size = len(mine.split())
    theirs = named[0] if named else " ".join(_JOINTS.split(other[start:])[0].split(" ")[:size])
    at = question.rindex(other) + start
    without = f"{question[:at]}{question[at + len(theirs) :]}"
    return without.strip(), question.replace(mine, " ", 1).strip()


def _after_joints(text: str) -> str:
    while found := _JOINTS.match(text):
        text = text[found.end() :]
    return text


def _leans(part: str) -> bool:
    """Whether a clause needs the names of the first one to be understood."""
    return bool(_POINTS_BACK.search(part)) or not _NAMES.search(part)


def _says(part: str) -> bool:
    return any(word not in STOP_WORDS for word in words(part))
