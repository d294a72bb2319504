"""Whether a text says that two names mean one thing: `X (Y)`, `X, also known as Y`, 「X（以下Y）」.

Both names are given; what is looked for is a phrase between them, in one sentence. Nothing is
guessed: two names that merely stand side by side are two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from llmwiki.core.language.scripts import splits_word
from llmwiki.core.text import fold

REACH = 120
"""Characters between two names of one definition; a longer clause is about more than them."""
_MOST = 40
"""Places at which a name is looked at: a definition stands where a name is introduced."""
_TRIED = 3
"""Places of the other name on each side of it."""
_JUDGED = 10_000
"""Phrases of one text that are looked at; 0.6 ms each at worst (measured)."""

_LINK = re.compile(
    r"\[\[(?:[^\[\]|]{1,200}\|)?([^\[\]|]{1,200})\]\]|\[([^\[\]]{1,200})\]\([^()\s]{0,300}\)"
)
_NOISE = re.compile(r"\[\^?[\w-]{1,20}\](?!\()|</?[A-Za-z]{1,10}(?:\s[^<>]{0,100})?/?>|[*`~]+|__")
_MARKUP = re.compile(r"[\[<*`_]")
_STARTS = re.compile(r"\s*(?:#{1,6}\s|[-+*]\s|>|\||\d{1,3}[.)]\s|$)")
_ENDS = re.compile(r"\s*(?:#{1,6}\s|\||[-=]{3,}\s*$)")

_FORMS = "incorporated|inc|ltd|llc|corp|corporation|company|limited|gmbh|ag|plc|sa|nv"
_LEGAL = rf"(?:,? (?:{_FORMS}|co)\b(?:\.(?=,|\s?[(\[]|\s(?:is|was|and|or)\b))?)?"
_LEGAL_END = re.compile(rf",? (?:{_FORMS})\.?\Z")
_OPEN, _CLOSE = r"[\"'「『《〈]?", r"[\"'」』》〉]?"

_CLEAR = (
    r"(?:also|sometimes|often|formerly|previously|better|once|is|are|was|were) (?:\w+ )?"
    r"(?:call|nam|term|dubb|nicknam|abbreviat|shorten|renam)ed|(?:dubb|nicknam|renam)ed"
    r"|(?:known|referred to)(?: \w+){0,2} as|aka|a\.k\.a\.?|stands? for"
    r"|(?:short|abbreviation|acronym|synonym|alias|nickname) (?:for|of)"
    r"|(?:former|old|original|full|official|pen|birth|other|scientific) name (?:of|is|was)"
    r"|auch (?:bekannt als|genannt)|kurz für|steht für"
)
"""What says so wherever it stands between two names of a sentence."""
_FAINT = r"formerly|previously|now|n[ée]e|born|alias|i\.?e\.?|short|auch|kurz|ehemals|früher|heute"
"""What says so only right after a comma or a bracket."""
_CJK = r"別名|通称|略称|旧称|正式名称|以下|又称|简称|약칭|이하"

_COLON = r"[\s:,はをがの、・]*"
_AS = rf"{_COLON}(?:(?:as|by|an?|to|the|der|die|das)\s){{0,3}}"
_BRACKET = (
    rf"{_LEGAL}{_CLOSE}\s?[(\[【〔]\s?(?:[^\s()]{{0,20}}、)?(?:\w{{2,12}}: ?)?{_OPEN}",
    rf"{_CLOSE}(?:という)?。?\s?(?:[)\]】〕,;、/]|or |and |\d{{4}}\b)",
)
_MARKED = (
    rf"{_LEGAL}{_CLOSE}(?:"
    rf"[\s,(][^\n.;!?。！？|]{{0,90}}?\b(?:{_CLEAR})(?!\w){_AS}"
    rf"|\s{{0,3}}[,(\[:]\s{{0,3}}(?:{_FAINT})(?: called| known as)?(?!\w){_COLON}"
    rf"|[^\n.;!?。！？|]{{0,40}}?(?:{_CJK}){_COLON}"
    rf")(?:[^\n.;()!?。|]{{1,40}}(?:,| or| and|、)\s?)?{_OPEN}(?:the )?",
    rf"(?!{_LEGAL}(?:'s\s|の))",
)
_CALLED = (rf"{_CLOSE}は、?{_OPEN}", rf"{_CLOSE}(?:[^\s、。]{{1,20}})??とも?(?:呼|称|略|表記)")
_SHAPES = (_BRACKET, _MARKED, _CALLED)
"""What stands between two names that are one, and what follows them."""
_DENIED = (
    r"\b(?:not|never|unlike|neither|nor|than|versus|vs|unrelated|rival|against|nicht|kein\w*|pas"
    r"|nunca)\b|ではな|でない|不是|并非|아니"
)


@cache
def _shapes() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]]:
    """What denies, and the shapes; compiled when two names first stand together: it takes 0.1 s."""
    shapes = tuple((re.compile(between), re.compile(after)) for between, after in _SHAPES)
    return re.compile(_DENIED), shapes


class Synonyms:
    """What one text says about names; it is folded once, O(text), when first asked."""

    def __init__(self, lines: Sequence[str], first: int = 1, others: Iterable[str] = ()) -> None:
        """`first` is the line the text begins in; `others` are names of things that are told
        apart: a phrase with one of them between two names is about that one."""
        self._lines = lines
        self._first = first
        self._others = tuple(sorted({_plain(name) for name in others} - {""}))
        self._starts: list[tuple[int, int]] = []
        self._whole: str | None = None
        self._told: dict[tuple[str, str], int] = {}
        self._left = _JUDGED

    def line(self, a: str, b: str) -> int:
        """The line that says that `a` and `b` are one; 0 where none does. Symmetric."""
        pair = (a, b) if a <= b else (b, a)
        if pair not in self._told:
            self._told[pair] = self._line(*pair)
        return self._told[pair]

    def uses(self, name: str) -> int:
        """How often a name stands in the text."""
        text = self._text()
        return max(sum(1 for _ in _places(text, form, 0, len(text))) for form in _forms(name))

    def _line(self, a: str, b: str) -> int:
        pairs = ((one, other) for one in _forms(a) for other in _forms(b) if one != other)
        return min(filter(None, (self._first_of(*pair) for pair in pairs)), default=0)

    def _first_of(self, a: str, b: str) -> int:
        text = self._text()
        rare, other = sorted((a, b), key=lambda name: (text.count(name), name))
        for place in _places(text, rare, 0, len(text)):
            reach = len(other) + REACH
            before = _places(text, other, max(0, place[0] - reach), place[0])
            after = _places(text, other, place[1], place[1] + reach)
            pairs = [(each, place) for each in deque(before, _TRIED)]
            pairs += [(place, each) for each in islice(after, _TRIED)]
            for first, second in pairs:
                if self._says(text, *first, *second):
                    return self._starts[bisect_right(self._starts, (first[0], 1 << 60)) - 1][1]
        return 0

    def _says(self, text: str, start: int, end: int, then: int, last: int) -> bool:
        """Whether what stands between two names, and after them, makes them one."""
        gap = text[end:then]
        if "\n" in gap or self._left <= 0:
            return False
        denied, shapes = _shapes()
        if denied.search(gap):
            return False
        self._left -= 1
        names = (text[start:end], text[then:last])
        if any(other not in names and _holds(gap, other) for other in self._others):
            return False
        return any(between.fullmatch(gap) and after.match(text, last) for between, after in shapes)

    def _text(self) -> str:
        if self._whole is None:
            pieces: list[str] = []
            at = 0
            for number, line in enumerate(self._lines[self._first - 1 :], self._first):
                apart = _STARTS.match(line) is not None
                if pieces and (apart or pieces[-1] == "\n"):
                    pieces.append("\n")
                    at += 1
                marked = _MARKUP.search(line) is not None
                plain = _plain(
                    _NOISE.sub("", _LINK.sub(lambda found: found[1] or found[2], line))
                    if marked
                    else line
                )
                if plain:
                    self._starts.append((at, number))
                    pieces.append(plain + " ")
                    at += len(plain) + 1
                if _ENDS.match(line):
                    pieces.append("\n")
                    at += 1
            self._whole = "".join(pieces)
        return self._whole


def _plain(text: str) -> str:
    """Folded, and with blanks for hyphens: `K-means` and `k means` are written alike."""
    return fold(text).replace("-", " ").strip(" ")


def _forms(name: str) -> tuple[str, ...]:
    """A name as a text may write it: with and without its article and legal form."""
    plain = _plain(name)
    bare = _LEGAL_END.sub("", plain).removeprefix("the ")
    return tuple(form for form in dict.fromkeys((plain, bare)) if form)


def _places(text: str, name: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a name stands as whole words, the s of a plural taken along; the first places only."""
    count = 0
    at = text.find(name, start, end)
    while at >= 0 and count < _MOST:
        last = at + len(name)
        # With the s of a plural.
        last += text.startswith("s", last) and not splits_word(text, last + 1)
        if not (splits_word(text, at) or splits_word(text, last)):
            yield at, last
            count += 1
        at = text.find(name, at + 1, end)


def _holds(text: str, name: str) -> bool:
    return name in text and next(_places(text, name, 0, len(text)), None) is not None
