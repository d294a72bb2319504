"""What may name a page: cleaning, comparing and judging names."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.vocabulary import (
    FUNCTION_WORDS,
    GENERIC,
    IMPERATIVES,
    JA_GENERIC,
    JA_POINTERS,
    VERBS,
)
from llmwiki.language.plurals import singular, word_set
from llmwiki.language.scripts import CJK, HALF_WIDTH_KANA, MARKS

MAX_WORDS = 5
MAX_CHARACTERS = 60
MAX_CJK = 24

_CJK = re.compile(f"[{MARKS}{CJK}{HALF_WIDTH_KANA}]")
_NUMBERING = re.compile(
    r"(?:(?:chapter|part|section|step|appendix|phase|figure|table|§+)\s*)?"
    r"(?:\(?[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}[.):：]|[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}|[A-Z][.):]"
    r"|[IVX]{1,5}\.)\s+"
    r"|(?:chapter|part|section|step|appendix|phase)\s+[0-9A-Z]{1,4}\b\s*+[-–—:：.]?\s*+"
    r"|§++\s*+[0-9.]*+\s*+|第\s*[0-9０-９]{1,3}\s*[章節部話回条][:：、.\s]*"
    r"|(?:re|fwd?|aw|wg|sv)(?:\[[0-9]{1,3}\])?[:：]\s+",
    re.IGNORECASE,
)
_MAIL_MARK = re.compile(
    r"(?:re|fwd?|aw|wg|sv)(?:\[[0-9]{1,3}\])?[:：]\s|\[[a-z][\w./-]{0,40}\]\s(?=\w)", re.IGNORECASE
)
"""What mail programs and lists put before a subject: an answer, a forwarded mail, `[list]`."""
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_TAIL = re.compile(r"\s?[(（](?:[^()（）]|\(\)){1,80}[)）]\s*+$")
_EDGE = " \t:：;,.、。!！-–—*_\"“”'‘’«»「」『』#"
_CODE_NAME = re.compile(r"(?>[\w$.~/-]*(?:[a-z0-9][A-Z]|[_/]|\w\.\w|\(\)))[\w$./()<>-]*+")
_DATE = re.compile(
    r"[0-9０-９][0-9０-９\s:/.,年月日時分秒%~〜–-]*+"
    r"|(?:[0-9]{1,2}(?:st|nd|rd|th)?\s+)?"
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?\s*+[0-9, ]*+"
    r"|[vV]?[0-9]+(?:\.[0-9]+)*[a-z]?|[A-Za-z]{1,2}[-.]?[0-9]{1,4}[a-z]?",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"[\ufffd=|→←↔⇒<>{};；。？?！!\[\]\x00-\x1f\\@^~\"“”`#*%$,、:：/()（）]|https?|\.\s|\s--?|\.\w{2,4}$"
)
_JA_ENDING = re.compile(
    r"(?:[はがをにでとのもへや]|から|まで|する|した|して|しない|です|ます|ない|いる|れる|られる|れた|"
    r"った|える|たい|べき|か|ね|よ|だ|ため|とき|場合|こと|もの|など|ください)$"
)
_JA_INNER = re.compile(
    r"[はがを]|ではなく|について|による|により|(?:し|っ)て.{2,}|(?<![0-9０-９])[0-9０-９]++\s*+(?:つ|個|点|種|件|章|節|回)"
)


def is_cjk(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters carry the text (a third of it or more)."""
    return not text.isascii() and len(_CJK.findall(text)) * 3 >= len(text.replace(" ", ""))


def has_cjk(text: str) -> bool:
    """Whether the text holds any such character."""
    return not text.isascii() and _CJK.search(text) is not None


def cjk_count(text: str) -> int:
    """How many such characters the text holds."""
    return 0 if text.isascii() else len(_CJK.findall(text))


def fold_name(name: str) -> str:
    """The key under which two spellings are one name: case, hyphens, plural, width."""
    text = name if name.isascii() else unicodedata.normalize("NFKC", name)
    words = text.casefold().removesuffix("()").replace("-", " ").replace("’", "'").split()
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""


def strip_numbering(text: str) -> str:
    """A heading without `1.2`, `Step 3:`, `§2`, `第06章:`, or a mail's `Re:`, before it."""
    for _ in range(3):
        found = _NUMBERING.match(text)
        if found is None or not text[found.end() :].strip():
            return text
        text = text[found.end() :]
    return text


def without_mail_marks(title: str) -> str:
    """The subject of a mail without what says that it is an answer, or of which list."""
    for _ in range(5):
        found = _MAIL_MARK.match(title)
        if found is None:
            break
        title = title[found.end() :].lstrip()
    return title


def clean_name(raw: str) -> str:
    """Markup, numbering, outer punctuation, article and trailing parenthesis off; may be empty."""
    text = strip_numbering(strip_markup(raw)).strip(" *`:,")
    if is_code_name(text):
        return text
    text = _TAIL.sub("", text.strip(_EDGE) if text[:1] != "." else text.rstrip(_EDGE)).rstrip(_EDGE)
    article = _ARTICLE.match(text)
    text = text[article.end() :] if article else text
    return text.removesuffix("'s").removesuffix("’s")


def display_name(name: str) -> str:
    """The name as a title: an initial lower-case word is capitalised, code and CJK are kept."""
    first = name.split(" ", 1)[0]
    if is_code_name(first) or not first.islower() or (first == name and "-" in name):
        return name
    return name[0].upper() + name[1:]


def is_code_name(name: str) -> bool:
    """Whether the name is written like code: a path, call, or joined words."""
    return " " not in name and _CODE_NAME.fullmatch(name) is not None


def is_generic(name: str) -> bool:
    """Whether a name is made of words that name nothing, as `Introduction` and `Example 3` are."""
    bare = strip_numbering(strip_markup(name)).strip(_EDGE + "?？").casefold()
    if bare in JA_GENERIC:
        return True
    words = re.findall(r"\w[\w'’-]*", bare)
    return all(
        word in GENERIC or singular(word) in GENERIC or word in FUNCTION_WORDS
        or not any(map(str.isalpha, word)) or _DATE.fullmatch(word)
        for word in words
    )  # fmt: skip


def valid_name(name: str) -> bool:
    """Whether `name` (cleaned) may be a page's title."""
    if not 2 <= len(name) <= MAX_CHARACTERS or _FORBIDDEN.search(name.removesuffix("()")):
        return False
    if _DATE.fullmatch(name) or is_generic(name):
        return False
    if has_cjk(name):
        return _valid_cjk(name)
    words = name.split()
    folded = [word.casefold() for word in words]
    if len(words) > MAX_WORDS or folded[0] in FUNCTION_WORDS or folded[-1] in FUNCTION_WORDS:
        return False
    if folded[0] in IMPERATIVES and (len(words) > 1 or words[0] != words[0].upper()):
        return False
    is_act = len(words) > 1 and folded[0].endswith(("ing", "ed"))
    if is_act and (words[0].islower() or folded[1] in FUNCTION_WORDS):
        return False
    return not any(word in VERBS or word in _POINTERS for word in folded) and any(
        character.isalpha() for character in name
    )


_POINTERS = word_set("""which that this these those its their our your following above below same
    such other another each every all any more most than if because when whether""")


def _valid_cjk(name: str) -> bool:
    if len(name) > MAX_CJK or _JA_ENDING.search(name) or _JA_INNER.search(name):
        return False
    if name.startswith(JA_POINTERS) or len(name.split()) > MAX_WORDS:
        return False
    pieces = [piece for piece in re.split(r"[\s・とのや&+]+", name) if piece]
    generic = all(piece in JA_GENERIC or piece.isdigit() for piece in pieces)
    return not generic and (cjk_count(name) >= 2 or any(c.isascii() and c.isalpha() for c in name))


def kind_of(name: str, *, proper: bool) -> Literal["entity", "concept"]:
    """An entity where running text always writes the name with capitals (`proper`), or as code."""
    shouted = name.isupper() or not any(map(str.isupper, name))
    return "entity" if is_code_name(name) or (proper and not shouted) else "concept"
