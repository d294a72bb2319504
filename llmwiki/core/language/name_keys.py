"""When two names are spelled differently and mean the same: one key for all spellings of a name.

Versions, numbers and the signs of `C++`, `C#` and `.NET` tell things apart and stay in the key;
case, blanks, hyphens, plural, possessive, legal form, width and accents do not.
"""

from __future__ import annotations

import re
import unicodedata

from llmwiki.core.language.word_forms import PROPER_BEFORE, SURNAMES, TITLES, singular, word_set
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import LONGEST_NAME, digest32, fold, normalise

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc\u00b4`", "'"))
_SPELLED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d"})
_SUPERSCRIPT = lazy_pattern("(?<=[0-9])(?=[⁰¹²³⁴-⁹⁻])")
_TRADE_MARKS = lazy_pattern("[™®©℠]")

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "λ": "lambda",
    "μ": "mu", "π": "pi", "σ": "sigma", "τ": "tau", "φ": "phi", "χ": "chi", "ω": "omega",
}  # fmt: skip
_ROMAN = {"II": "2", "III": "3", "IV": "4", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}

_LEGAL = word_set(
    """
    inc incorporated ltd llc llp plc corp corporation gmbh mbh kgaa pty pte pvt srl sarl spa asa
    aps oyj kk kabushiki-kaisha
    """
)
_LEGAL_IN_CAPITALS = frozenset(["AG", "SA", "NV", "BV", "AB"])
_LEGAL_CJK = lazy_pattern(
    r"\(?(?:株式会社|有限会社|合同会社|一般社団法人|股份有限公司|有限责任公司|有限責任公司|有限公司"
    r"|주식회사|\((?:株|有|同|주)\))\)?"
)
_DOTTED_LEGAL = lazy_pattern(
    r"(?<=[\w)])[, ]+(?:S\.?p\.?A|S\.A\.S|S\.A|S\.E|N\.V|B\.V|K\.K|A\.G|A/S|S\.r\.l|L\.L\.C|L\.P)"
    r"\.?\Z"
)
_BEFORE_NO_FORM = frozenset(["type", "group", "blood", "class", "vitamin", "section", "hepatitis"])
_TITLES = frozenset(["Dr", "Dr.", "Prof", "Prof.", "Professor", "Mr", "Mr.", "Mrs", "Mrs.", "Sir"])
# Titles of works and bands that are common words but for their article.
_NEEDS_ARTICLE = word_set(
    """
    who matrix band doors cure wire police clash office game fall times sun killers smiths the
    times economist guardian independent verge information onion crown prodigy streets kinks cars
    room one rock voice view void boys bear batman thing fly ring jam idol ten act
    """
)
# Words that written in capitals are another name: the WHO is not who.
_SHOUTED = word_set(
    """
    who it us aids sap cat pet may can or and not is as am in on at no so go do be he me we an
    art arm ram rat bat dare care cast pin sim spa star swat nail lamp gas basic mint ping curl
    bash make rest soap ant era arc era bond sage rose moss nice step ace act aim
    """
)
_ACCENT_COUNTS = frozenset(["résumé", "exposé", "rosé", "pâté", "maté", "lamé"])
_RE_WORDS = word_set(
    """
    sign cover create creation form formation sort mark dress lease press count present collect
    treat serve solve fuse bound lay place store
    """
)
_SPELLINGS = (
    (re.compile(r"is(ation|ations)\Z"), r"iz\1"),
    (re.compile(r"\A(col|behavi|neighb|fav|lab|harb|hon|hum|flav|vap|arm|tum)our"), r"\1or"),
    (re.compile(r"\A(cent|theat|fib|lit|met)re(s?)\Z"), r"\1er\2"),
    (re.compile(r"(model|label|travel|cancel|signal|channel)l(ing|ed|er)\Z"), r"\1\2"),
    (re.compile(r"(anal|dial|catal)ogue(s?)\Z"), r"\1og\2"),
    (re.compile(r"\Agrey"), "gray"),
)
_UNITS = {
    "percent": "%", "pct": "%", "kilometer": "km", "kilometre": "km", "meter": "m", "metre": "m",
    "centimeter": "cm", "centimetre": "cm", "millimeter": "mm", "millimetre": "mm", "mile": "mi",
    "kilogram": "kg", "gram": "g", "milligram": "mg", "second": "s", "sec": "s", "minute": "min",
    "hour": "h", "hr": "h", "kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb", "terabyte": "tb",
    "hertz": "hz", "kilohertz": "khz", "megahertz": "mhz", "gigahertz": "ghz", "watt": "w",
    "kilowatt": "kw", "volt": "v", "liter": "l", "litre": "l", "millisecond": "ms", "day": "d",
}  # fmt: skip
_BITS = lazy_pattern(r"(\d*+\.?\d*+)([KMGTP]i?)b(ps|/s)?\Z")
_MILLI = re.compile(r"(\d*+\.?\d*+)m(W|Hz|A|V|J|Pa|F|H|N)\Z")

_TOKEN = re.compile(
    r"\.(?=[^\W\d])|\d+(?:\.\d+)+|[^\W_]+(?:'[^\W_]+)*'?|[+#*]+|[^\w\s!-/:-@\[-`{-~]|[$%<=>^|~+]|_+"
)
_POSSESSIVE = re.compile(r"'(?:[sS])?\Z")
_PLURAL_CAPITALS = re.compile(r"(?![A-Z]\d{1,2}s)[A-Z][A-Z0-9]+s\Z")
_INNER_CAPITAL = re.compile(r"\A.+[A-Z]")
_LONG_VOWEL = lazy_pattern(r"(?<=[ァ-ヺー]{2}[タダザバラリ])ー(?![ァ-ヺー])")
_SIMPLE = re.compile(r"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*\Z")
_NOT_SIMPLE = re.compile(r"(?i:\bre-|\bver)")
_APART = re.compile("[ -]")
_HINT = re.compile("isation|our|re|ll|ogue|grey")


def folded_key(name: str) -> str:
    """The key that all spellings of a name share; empty where nothing of a name is left.

    `Retrieval-augmented generations` and `retrieval augmented generation` have one key; `GPT-4.1`
    and `GPT-4.5`, `C` and `C++`, `10 Mb` and `10 MB`, Chinese and its traditional form have two.
    """
    return _key(name, plurals=True)


def strict_key(name: str) -> str:
    """Like `folded_key`, but a plural of words is another name: `Rolling Stones`."""
    return _key(name, plurals=False)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name as the key has them, before they are joined."""
    return tuple(_words(name, plurals=True))


def _key(name: str, *, plurals: bool) -> str:
    parts: list[str] = []
    for word in _words(name, plurals=plurals):
        # Digits that stood apart stay apart: `GPT-4 32k` is not `GPT-432k`.
        apart = parts and parts[-1][-1].isdigit() and word[0].isdigit()
        parts.append("_" + word if apart else word)
    if len(name) > LONGEST_NAME and len(normalise(name)) > LONGEST_NAME:
        # Two names of one beginning are two.
        parts.append("~" + digest32((fold(name),)))
    return "".join(parts)


def _words(name: str, *, plurals: bool) -> list[str]:
    text = normalise(name)[:LONGEST_NAME].rstrip()
    if _SIMPLE.match(text) and not _NOT_SIMPLE.search(text):
        tokens = _APART.split(text)
    else:
        tokens = _tokens(_whole(text))
    tokens = _without_frame(tokens)
    words: list[str] = []
    for place, token in enumerate(tokens):
        is_head = place == len(tokens) - 1 or tokens[place + 1].casefold() in {"of", "("}
        number_before = bool(words) and words[-1][-1:].isdigit()
        is_plural = plurals and is_head and not _is_proper(tokens, place)
        word = _word(token, place, len(tokens), number_before, is_plural)
        if word:
            words.append(word)
    return words


def _whole(text: str) -> str:
    """What is done to the name before it is cut: width, dashes, marks, legal forms."""
    text = _TRADE_MARKS.sub("", text).translate(_APOSTROPHES)
    text = unicodedata.normalize("NFKC", _SUPERSCRIPT.sub("^", text))
    text = _LEGAL_CJK.sub(" ", text)
    text = _DOTTED_LEGAL.sub("", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"\b((?:[^\W\d_]\.){2,})", lambda m: m[1].replace(".", ""), text)
    text = text.replace("&", " and ")
    text = re.sub(r"\A-(?=\d)", "minus ", text)
    text = re.sub(r"\b(?:[Vv]ersion|[Vv]er\.?)\s+(?=\d)", "v", text)
    text = re.sub(
        r"\b([Rr]e)-(?=([A-Za-z]+))",
        lambda m: f"{m[1]}~" if m[2].casefold() in _RE_WORDS else m[0],
        text,
    )
    return _LONG_VOWEL.sub("", text).strip()


def _tokens(text: str) -> list[str]:
    """Words, numbers with their dots, and the signs that tell names apart."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        joined = match.start() > 0 and not text[match.start() - 1].isspace()
        if token[0] in "+#*":
            # `C++` and `A*`; a sign of its own between words is punctuation, as in `a * b`.
            ends = match.end() == len(text) or not text[match.end()].isalnum()
            if tokens and joined and ends:
                tokens[-1] += token
        elif token == ".":
            if not joined:
                tokens.append("dot")
        elif unicodedata.category(token[0])[0] != "P" or token == "%":
            tokens.append(token)
    return tokens


def _without_frame(tokens: list[str]) -> list[str]:
    """Without the article and title before a name and the legal form behind it."""
    start, end = 0, len(tokens)
    if end > 1 and (
        tokens[0] in {"a", "an"}
        or (
            tokens[0] in {"The", "the", "THE"}
            and not (end == 2 and tokens[1].casefold() in _NEEDS_ARTICLE)
        )
    ):
        start = 1
    if end - start > 2 and tokens[start] in _TITLES:
        start += 1
    stripped = False
    while end - start > 1:
        last, before = tokens[end - 1], tokens[end - 2].casefold()
        legal = (
            last.casefold() in _LEGAL
            or last == "Limited"
            or (last in _LEGAL_IN_CAPITALS and len(before) > 2 and before not in _BEFORE_NO_FORM)
            or (stripped and last.casefold() in {"co", "company", "private", "and"})
            or (last == "KG" and before in {"co", "gmbh"})
        )
        if not legal:
            break
        stripped = True
        end -= 1
    return tokens[start:end]


def _is_proper(tokens: list[str], place: int) -> bool:
    """Whether a word in s is part of a proper name there, and no plural."""
    plain, has_capital = tokens[place].casefold(), tokens[place][0].isupper()
    if place == 0:
        return has_capital and plain in TITLES
    return has_capital and (plain in SURNAMES or tokens[place - 1].casefold() in PROPER_BEFORE)


def _word(token: str, place: int, of: int, number_before: bool, is_plural: bool) -> str:
    plain = token.casefold()
    if of == 1 and token.isupper() and plain in _SHOUTED:
        return plain + "!"
    if place > 0 and token in _ROMAN:
        return _ROMAN[token]
    if number_before or token[0].isdigit():
        if match := _BITS.match(token):
            return f"{match[1]}{match[2].lower()}bit{(match[3] or '').replace('/', 'p')}"
        if match := _MILLI.match(token):
            return f"{match[1]}milli{match[2].lower()}"
    if plain == "company":
        return "co"
    if "'" in token:
        # `Moore's law` and `Bayes' theorem` lose the mark; `McDonald's` is a name with an s.
        bare = _POSSESSIVE.sub("", plain)
        return _without_accents((bare if place < of - 1 else plain).replace("'", ""))
    return _common(token, plain, number_before, is_plural)


def _common(token: str, plain: str, number_before: bool, is_plural: bool) -> str:
    plain = _GREEK.get(plain, plain)
    plain = _without_accents(plain)
    if _HINT.search(plain):
        for pattern, replacement in _SPELLINGS:
            plain = pattern.sub(replacement, plain)
    if number_before and singular(plain) in _UNITS:
        return _UNITS[singular(plain)]
    if _PLURAL_CAPITALS.match(token):
        return plain[:-1]
    return singular(plain) if is_plural and not _INNER_CAPITAL.match(token) else plain


def _without_accents(word: str) -> str:
    """Latin letters without their marks; the marks of kana, Cyrillic and Indic letters stay."""
    if word.isascii() or word in _ACCENT_COUNTS:
        return word
    kept: list[str] = []
    is_latin = False
    for character in unicodedata.normalize("NFD", word.translate(_SPELLED)):
        if unicodedata.combining(character):
            if is_latin:
                continue
        else:
            is_latin = character.isascii()
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def one_apart(a: str, b: str) -> int:
    """Where two unlike texts are one letter apart (changed, missing, added, two swapped).

    The index from 0 of the first difference in the longer one; -1 where they are further apart.
    """
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1 or a == b:
        return -1
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return at if a[at:] == b[at + 1 :] else -1
    swapped = a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]
    return at if swapped or a[at + 1 :] == b[at + 1 :] else -1
