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
_PLURALS = ("s", "es")
_MARKUP = re.compile(r"[\[<*`_]")
_STARTS = re.compile(r"\s*(?:#{1,6}\s|[-+*]\s|>|\||\d{1,3}[.)]\s|$)")
_ENDS = re.compile(r"\s*(?:#{1,6}\s|\||[-=]{3,}\s*$)")

_FORMS = "incorporated|inc|ltd|llc|corp|corporation|company|limited|gmbh|ag|plc|sa|nv"
_LEGAL = rf"(?:,? (?:{_FORMS}|co)\b(?:\.(?=,|\s?[(\[]|\s(?:is|was|and|or)\b))?)?"
_LEGAL_END = re.compile(rf",? (?:{_FORMS})\.?\Z")
_OPEN, _CLOSE = r"[\"'「『《〈]?", r"[\"'」』》〉]?"

_CLEAR = (
    r"(?:also|sometimes|often|usually|commonly|formerly|previously|better|widely|otherwise) "
    r"(?:known|called|named|termed|written|spel(?:led|t)|abbreviated|referred to|styled)(?: as)?"
    r"|(?:is|are|was|were) (?:\w+ )?(?:called|termed)|known(?: \w+){0,2} as|referred to(?: \w+)? as"
    r"|aka|a\.k\.a\.?|nicknamed|dubbed|short(?:ened)? (?:for|to|form of|version of|name of)"
    r"|stands? for|abbreviated(?: (?:as|to))?|(?:abbreviation|acronym)(?: \w+)? (?:of|for|is)"
    r"|(?:synonym|alias|nickname)s? (?:of|for|is|was|are)|(?:renamed|rebranded)(?: itself)?"
    r"|chang(?:ed|ing) its name to|trading as|(?:ticker|stock) symbol|romani[sz]ed as"
    r"|(?:former|old|original|new|full|official|legal|common|brand|trade|code|pen|stage|birth|real"
    r"|other|another|alternative|latin|scientific|generic|english|native) names?"
    r" (?:of|for|is|was|are)"
    r"|auch bekannt (?:als|unter)|auch genannt|bekannt als|genannt|kurz für|abgekürzt|steht für"
    r"|(?:aussi|également) appelée?|connue?s? sous le nom|con(?:oc|hec)id[oa] como"
)
"""What says so wherever it stands between two names of a sentence."""
_FAINT = (
    r"formerly|previously|originally|now|today|later|once|n[ée]e|born|called|alias|i\.?e\.?|that is"
    r"|or simply|or just|short|abbr\.?|(?:former|old|full|official|legal|trade|latin) name"
    r"|auch|kurz|ehemals|früher|heute|dite?|anciennement|antes|ahora|nasdaq|nyse|tse|lse"
    r"|english|german|french|spanish|italian|latin|greek|russian|japanese|chinese|korean|arabic"
)
"""What says so only right after a comma, a bracket or a dash."""
_CLEAR_CJK = (
    r"別名|通称|略称|旧称|旧名|愛称|俗称|本名|正式名称|略して|以下|改称|英語名?"
    r"|又称|又稱|亦称|也称|简称|簡稱|别称|别名|原名|全称|也叫|又名|称为|英文名?|改名为|약칭|이하"
)
_FAINT_CJK = "旧|元|現|即|原"

_FREE = r"[^\n.;!?。！？|]{0,90}?"
_COLON = r"[\s:,はをがの、・]*"
_AS = rf"{_COLON}(?:(?:as|by|an?|to|under|in|der|die|das|le|la|el|il|als|de|the)\s){{0,3}}"
_LIST = r"(?:[^\n.;()!?。|]{1,40}(?:,| or| and|/|、)\s?)?"
_OR = "(?:または|又は|あるいは|もしくは|や)"
_OTHER = rf"[^\s、。]{{1,20}}?{_OR}"
_BRACKET = (
    rf"{_LEGAL}{_CLOSE}\s?[(\[【〔]\s?{_OPEN}(?:[^\s()\[\],;:]{{1,15}}(?:,| or|/|、)\s?{_OPEN})?",
    rf"{_CLOSE}(?:\s?(?:for short|という|と略す|と呼ぶ|とも|と表記|라 한다|라고 함))?。?\s?"
    r"(?:[)\]】〕,;、/]|or |and |\d{4}\b)",
)
_MARKED = (
    rf"{_LEGAL}{_CLOSE}(?:"
    rf"[\s,(]{_FREE}\b(?:{_CLEAR})(?!\w){_AS}"
    rf"|(?:\s{{0,9}}[,(\[:]\s{{0,9}}|\s{{3}})(?:(?:and|or|is|are|was) )?"
    rf"(?:{_FAINT})(?: called| known as| named)?(?!\w){_COLON}"
    rf"|(?:[^\n.;!?。！？|]{{0,40}}?(?:{_CLEAR_CJK})|\s?[(,、\[]\s?(?:{_FAINT_CJK})){_COLON}"
    rf"){_LIST}{_OPEN}(?:the )?",
    rf"(?!{_LEGAL}(?:'s\s|の))",
)
_BESIDE = (
    rf"{_LEGAL}{_CLOSE}(?:[\s,(、はを]{{1,3}}|[がで]あり、(?:これ|それ)は){_OPEN}(?:{_OTHER}{_OPEN})?",
    rf"{_CLOSE}(?:{_OR}[^\s、。]{{1,20}}?)?,?\s?"
    r"(?:(?:for|in) short|とも?(?:呼|言|い[うわ]|称|略|表記))",
)
_EQUALS = (rf"{_CLOSE}\s?(?:={{1,3}}|≡|≙|⇔)\s?{_OPEN}", rf"{_CLOSE}\s{{0,9}}(?:[.,;)\n]|\Z)")
_SHAPES = (_BRACKET, _MARKED, _BESIDE, _EQUALS)
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
        lines = [
            line
            for one in _forms(a)
            for other in _forms(b)
            if one != other and (line := self._first_of(one, other))
        ]
        return min(lines, default=0)

    def _first_of(self, a: str, b: str) -> int:
        text = self._text()
        rare, other = sorted((a, b), key=lambda name: (text.count(name), name))
        for start, end in _places(text, rare, 0, len(text)):
            reach = len(other) + REACH
            for place in deque(_places(text, other, max(0, start - reach), start), _TRIED):
                if self._says(text, *place, start, end):
                    return self._line_at(place[0])
            for place in islice(_places(text, other, end, end + reach), _TRIED):
                if self._says(text, start, end, *place):
                    return self._line_at(start)
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
                plain = _plain(_NOISE.sub("", _LINK.sub(_shown, line)) if marked else line)
                if plain:
                    self._starts.append((at, number))
                    pieces.append(plain + " ")
                    at += len(plain) + 1
                if _ENDS.match(line):
                    pieces.append("\n")
                    at += 1
            self._whole = "".join(pieces)
        return self._whole

    def _line_at(self, offset: int) -> int:
        return self._starts[bisect_right(self._starts, (offset, 1 << 60)) - 1][1]


def _shown(found: re.Match[str]) -> str:
    return found[1] or found[2]


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
        last = _past_plural(text, at + len(name))
        if not (splits_word(text, at) or splits_word(text, last)):
            yield at, last
            count += 1
        at = text.find(name, at + 1, end)


def _holds(text: str, name: str) -> bool:
    return name in text and next(_places(text, name, 0, len(text)), None) is not None


def _past_plural(text: str, end: int) -> int:
    for suffix in _PLURALS:
        if text.startswith(suffix, end) and not splits_word(text, end + len(suffix)):
            return end + len(suffix)
    return end
