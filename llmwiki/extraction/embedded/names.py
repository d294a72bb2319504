"""What may name a page: cleaning, comparing and judging names."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.vocabulary import (
    FINITE,
    FUNCTION_WORDS,
    GENERIC,
    GENERIC_PHRASES,
    GERUNDS,
    IMPERATIVES,
    JA_GENERIC,
    JA_POINTERS,
    PRONOUNS,
)
from llmwiki.language.plurals import word_set
from llmwiki.language.scripts import CJK, HALF_WIDTH_KANA, HAN, KANA, MARKS

MAX_WORDS = 8
MAX_CHARACTERS = 80
MAX_CJK = 30

_CJK = re.compile(f"[{MARKS}{CJK}{HALF_WIDTH_KANA}]")
_NUMBERING = re.compile(
    r"(?:§+\s*)?(?:(?:chapter|part|section|step|appendix|figure|table|phase|case|evolution|item|"
    r"option|example|rule)\s+)?(?:[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}|[A-Z]|[IVX]{1,5}|[ivx]{1,5}"
    r"|[a-z])[.):：]\s+"
    r"|(?:§+\s*)?[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}\s+"
    r"|§+\s*[0-9.]*\s*"
    r"|\([0-9a-zA-Z]{1,3}\)\s+"
    r"|[0-9]{1,3}\s+-\s+"
    r"|(?:chapter|part|section|step|appendix|figure|table|phase)\s+[0-9A-Z]{1,4}\b\s*[-–—:：.]?\s*"
    r"|第?\s*[0-9０-９]{1,3}\s*[章節部話回条][:：、.\s]*"
    r"|[" + KANA + HAN + r"]{1,4}[0-9０-９]{1,3}\s*[:：]\s*"
    r"|[0-9]{1,3}\s*[.．、]\s*(?=[^0-9])",
    re.IGNORECASE,
)
_MAIL_MARK = re.compile(
    r"(?:re|fwd?|aw|wg|sv|antw|答复|回复|转发|転送)(?:\[[0-9]{1,3}\])?[:：]\s+"
    r"|\[[a-z][\w ./-]{0,40}\]\s+(?=\w)",
    re.IGNORECASE,
)
"""What mail programs and lists put before a subject: an answer, a forwarded mail, `[list]`."""
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_TAIL = re.compile(r"(?:(?<!\s)\s++)?[(（]((?:[^()（）]|\(\)){1,60})[)）]\s*+$")
_MARK = re.compile(r"(?:(?<!\s)\s++)?\[[^\[\]]{0,12}\]\s*+$")
_DIVIDER = re.compile(r"(?<!\s)\s++(?:[—–|]++|-{1,2}|/|vs\.?|versus)\s++|[:：]\s*+")
_JA_PART = re.compile(
    rf"^(.{{1,{MAX_CHARACTERS}}}?)\s*(?:への|における|に関する|の)\s*([^の]{{1,{MAX_CHARACTERS}}})$"
)
_EDGE = " \t:：;,.、。!！-–—*_\"“”'‘’«»「」『』#"
_LEFT_EDGE = _EDGE.replace(".", "")
_CODE_NAME = re.compile(r"(?>[\w$.~/-]*(?:[a-z0-9][A-Z]|[_/]|\w\.\w|\(\)))[\w$./()<>-]*+")
_DATE = re.compile(
    r"[0-9０-９][0-9０-９\s:/.,年月日時分秒%~〜–-]*+"
    r"|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day[, ]*)?(?:[0-9]{1,2}(?:st|nd|rd|th)?\s+)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+\.?\s*+[0-9, ]*+"
    r"|[vV]?[0-9]+(?:\.[0-9]+)*[a-z]?"
    r"|[A-Za-z]{1,2}[-.]?[0-9]{1,4}[a-z]?"
    r"|[qQ][1-4](?:\s+[0-9]{4})?",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"[\ufffd=|→←↔⇒<>{};；。？?！\[\]\x00-\x1f\\@^~]|https?:|\.\s|\s--?|\sto\s[a-z]|: |、|!\s|[#*]"
)
_WORD = re.compile(r"[^\s]+")
_JA_ENDING = re.compile(
    r"(?:[はがをにでとのもへや]|から|まで|する|した|して|しない|です|ます|ない|いる|れる|られる|れた|"
    r"った|える|たい|べき|か|ね|よ|だ|ため|とき|場合|こと|もの|など|ください|こ|する側)$"
)
_JA_COUNTED = re.compile(
    r"(?<![0-9０-９一二三四五六七八九])[0-9０-９一二三四五六七八九]++\s*+(?:つ|個|層|段|ステップ|系統|点|種|件|区画|パターン|モデル|軸|章|節|回|年)"
)
_JA_INNER = re.compile(r"[はがを]、?.{4,}|ではなく|について|による|により|(?:し|っ)て.{2,}")
_CONCEPT_ENDING = re.compile(
    r"(?:tion|sion|ment|ness|ity|ism|ing|ance|ence|ship|sis|ology|cy|ency|retrieval|memory|model|"
    r"method|pattern|principle|strategy|policy|rule|law|effect|theory|limit|budget|layer|graph|"
    r"search|index|schema|loop|cycle)$",
    re.IGNORECASE,
)


def is_cjk(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters carry the text (a third of it or more)."""
    if text.isascii():
        return False
    return len(_CJK.findall(text)) * 3 >= len(text.replace(" ", ""))


def has_cjk(text: str) -> bool:
    """Whether the text holds any such character."""
    return not text.isascii() and _CJK.search(text) is not None


def cjk_count(text: str) -> int:
    """How many such characters the text holds."""
    return 0 if text.isascii() else len(_CJK.findall(text))


def fold_name(name: str) -> str:
    """The key under which two spellings are one name: case, hyphens, plural, width."""
    text = name if name.isascii() else unicodedata.normalize("NFKC", name)
    text = text.casefold().removesuffix("()")
    if " " not in text and ("/" in text or "_" in text or "." in text[1:]):
        return text
    words = text.replace("-", " ").replace("’", "'").split()
    if not words:
        return ""
    words[-1] = singular(words[-1])
    return " ".join(words)


def singular(word: str) -> str:
    """An English plural's singular, by its ending; other words as they are."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


def strip_numbering(text: str) -> str:
    """A heading without `1.2`, `Step 3:`, `§2`, `第06章:`, or a mail's `Re:`, before it."""
    for _ in range(5):
        found = _NUMBERING.match(text) or _MAIL_MARK.match(text)
        if found is None or not text[found.end() :].strip():
            return text
        text = text[found.end() :]
    return text


def clean_name(raw: str) -> str:
    """Markup, numbering, outer punctuation, article and trailing parenthesis off; may be empty."""
    text = strip_numbering(strip_markup(raw)).strip(" *`:,")
    if is_code_name(text):
        return text
    text = text.rstrip(_EDGE).lstrip(_EDGE if text[1:2] in ("", " ", ".") else _LEFT_EDGE)
    text = _MARK.sub("", text)
    while True:
        tail = _TAIL.search(text)
        if tail is None or not tail.start():
            break
        text = text[: tail.start()].strip(_EDGE)
    article = _ARTICLE.match(text)
    if article and not text[article.end() :].isupper():
        text = text[article.end() :]
    if text.endswith(("'s", "’s")):
        text = text[:-2]
    return text if is_code_name(text) else text.strip(_EDGE + "/")


def display_name(name: str) -> str:
    """The name as a title: an initial lower-case word is capitalised, code and CJK are kept."""
    first = name.split(" ", 1)[0]
    if is_code_name(first) or has_cjk(name) or not first[:1].islower():
        return name
    if first == name and "-" in name:
        return name
    if any(character.isupper() or character.isdigit() for character in first):
        return name
    return name[0].upper() + name[1:]


def is_plain_word(name: str) -> bool:
    """Whether the name is one ordinary-looking word: letters only, at most the first a capital."""
    return name.isascii() and name.isalpha() and name[1:].islower()


def is_code_name(name: str) -> bool:
    """Whether the name is written like code: a path, call, or joined words."""
    return " " not in name and _CODE_NAME.fullmatch(name) is not None


def valid_name(name: str, *, generic_single: bool = False) -> bool:
    """Whether `name` (cleaned) may be a page's title.

    `generic_single` lets a single lower-case common word pass where a definition stands behind it.
    """
    if not 2 <= len(name) <= MAX_CHARACTERS or _FORBIDDEN.search(name):
        return False
    if not any(character.isalpha() for character in name) or _DATE.fullmatch(name):
        return False
    if name.count("(") != name.count(")") or name.count("（") != name.count("）"):
        return False
    if name.count('"') % 2 or name.count("`"):
        return False
    return _valid_cjk(name) if has_cjk(name) else _valid_english(name, generic_single)


def _valid_cjk(name: str) -> bool:
    if len(name) > MAX_CJK or len(name) < 2 or cjk_count(name) + 1 < 2:
        return False
    if name in JA_GENERIC or name.startswith(JA_POINTERS) or _JA_ENDING.search(name):
        return False
    if _JA_COUNTED.match(name) or re.search(_JA_COUNTED.pattern + r"\w{0,2}$", name):
        return False
    if len(_WORD.findall(name)) > MAX_WORDS or _JA_INNER.search(name):
        return False
    pieces = [piece for piece in re.split(r"[\s/・とのや&+]+", name) if piece]
    if all(piece in JA_GENERIC or piece.isdigit() for piece in pieces):
        return False
    return cjk_count(name) >= 2 or any(c.isascii() and c.isalpha() for c in name)


def _valid_english(name: str, generic_single: bool) -> bool:
    words = [word.strip("(),\"'“”’") for word in _WORD.findall(name)]
    folded = [word.casefold() for word in words]
    if not words or len(words) > MAX_WORDS or name.casefold() in GENERIC_PHRASES:
        return False
    if len(words) == 1:
        return _valid_single(words[0], folded[0], generic_single)
    first, last = folded[0], folded[-1]
    if first in PRONOUNS or first in FUNCTION_WORDS or last in FUNCTION_WORDS:
        return False
    if first in ("further", "other") or (first.endswith("ing") and folded[1] in _DETERMINERS):
        return False
    if first in GERUNDS or (first in IMPERATIVES and words[0] != words[0].upper()):
        return False
    if any(word in PRONOUNS or word in _VERBS for word in folded):
        return False
    if "," in name and not re.search(r", (?:Inc|Ltd|LLC)", name):
        return False
    return not all(
        word in GENERIC or word in FUNCTION_WORDS or singular(word) in GENERIC or word.isdigit()
        or word in ("&", "-", "/", "+", "vs", "vs.")
        for word in folded
    )  # fmt: skip


_DETERMINERS = word_set("a an the your our their its this that with to from in")
_VERBS = (
    FINITE
    - word_set("""need needs use uses works work stops starts ends holds costs cost runs run shows
        show returns return supports support stores reads writes comes increases helps changes
        tracks handles means saves loads lives matters reports closes""")
) | {"which", "that's", "it's", "don't"}


def _valid_single(word: str, folded: str, generic_single: bool) -> bool:
    if folded in FUNCTION_WORDS or singular(folded) in GENERIC or folded in GENERIC:
        return False
    if is_code_name(word):
        return len(word) > 2
    if folded in GERUNDS or folded in IMPERATIVES or folded in FINITE:
        return word.isupper() and len(word) > 1
    if word.isupper() or not word[:1].islower():
        return len(word) >= 2
    return generic_single and len(word) >= 4


def kind_of(name: str, definition: str, seen_lower: bool) -> Literal["entity", "concept"]:
    """Entity for named products, people, systems and files; concept for ideas.

    `definition` is the sentence that defines it, or empty; `seen_lower` says that running text
    writes the name in lower case.
    """
    head = _HEAD.search(definition.casefold()) if definition else None
    if head:
        words = set(re.findall(r"[a-z]+", head[1]))
        if words & _CONCEPT_NOUNS:
            return "concept"
        if words & _ENTITY_NOUNS and not seen_lower:
            return "entity"
    if is_code_name(name):
        return "entity"
    if seen_lower:
        return "concept"
    if has_cjk(name):
        return "concept"
    words_of = name.split()
    inner = [word for word in words_of if any(c.isupper() for c in word[1:]) and len(word) > 2]
    if inner and not (len(words_of) == 1 and name.isupper()):
        return "entity"
    if len(words_of) > 1:
        capital = [word for word in words_of if word[:1].isupper() or word[:1].isdigit()]
        proper = len(capital) == len([w for w in words_of if w not in FUNCTION_WORDS])
        return "entity" if proper and not _CONCEPT_ENDING.search(name) else "concept"
    if name.isupper() or _CONCEPT_ENDING.search(name):
        return "concept"
    return "entity" if name[:1].isupper() else "concept"


_HEAD = re.compile(
    r"\b(?:is|are|was|were|:|—|–)\s++(?:an?|the|one of the)?\s*+((?:[\w-]++\s?){1,7})"
)
_CONCEPT_NOUNS = word_set("""technique method process approach practice idea pattern principle
    concept metric measure way form kind type strategy theory property phenomenon act ability
    style discipline rule habit effect problem state set mechanism algorithm""")
_ENTITY_NOUNS = word_set("""tool library company person database product project framework app
    application program package engineer researcher organisation organization foundation city
    country river service server client editor language extension plugin browser engine file
    team startup laboratory university vendor platform bot machine device board chip model""")


def weak_word(word: str) -> bool:
    """Whether a word can not begin a name: an article, preposition, pronoun, verb."""
    folded = word.casefold().strip(".,;:()")
    return folded in FUNCTION_WORDS or folded in GERUNDS


def heading_names(title: str) -> list[str]:
    """The names a heading may stand for, best first."""
    text = strip_numbering(strip_markup(title[:300]))
    if text.count(" / ") >= 2:
        return []
    parts = [text, *_DIVIDER.split(text)]
    names = [clean_name(part) for part in parts]
    if has_cjk(text):
        names = [_ja_topic(name) for name in names]
    if _DIVIDER.search(text):
        names = names[1:] if not valid_name(names[0]) or len(names[0].split()) > 4 else names
    return [name for name in dict.fromkeys(names) if valid_name(name)]


def _ja_topic(name: str) -> str:
    """`X の構造` is about X where what follows の is a word of no meaning of its own."""
    part = None if name in JA_GENERIC else _JA_PART.match(name)
    if part and (part[2] in JA_GENERIC or part[2].endswith(_JA_TAILS)):
        topic = part[1].strip()
        return "" if len(topic) < 3 or topic.endswith(("別", "上", "中", "的", "間")) else topic
    return name


_JA_TAILS = ("仕様", "示唆", "構造", "概要", "導出", "詳細", "設定", "一覧", "比較", "知見", "形式",
             "使い方", "仕組み", "流れ", "特徴", "実装", "決定", "拡大", "登場")  # fmt: skip
