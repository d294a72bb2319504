"""The line of a claim: its words, the quote that they are, and what changes their meaning.

    - **Denied:** The crane fails in frost. *(says Bob; as of 2024; load = 80 t)* ^c-9f3a1c22k7
    - “The key safe is behind the north door.” [^boathouse-md] ^c-m5hwcvnqrp

Only the text between the bullet and the id is looked at here. Emphasis of a claim's own is
escaped, so what these marks enclose is never a part of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from llmwiki.core.claim_attributes import STANCES
from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.pages.escape import escape_slot, escape_value, unescape
from llmwiki.pages.id_and_evidence_patterns import ASKED, CITED, CLAIM_ID, EVIDENCE, ITEM_ID
from llmwiki.pages.line_patterns import Span, comment_spans, without

ARROW = "~~ → "
"""Between a struck claim and what took its place."""
DENIED = "**Denied:** "
DENIES = "rejected"
"""The stance of a source that says the contrary: it is told before the words."""
_SHOWN = lazy_pattern(r" \*\((?P<inner>(?:\\.|[^\\*])+)\)\*\Z", re.DOTALL)
_SEPARATOR = lazy_pattern(r"((?:\[\[[^\[\]\n]*\]\]|[^\\;]|\\.|\\$)*)(?:;|$)", re.DOTALL)
ITEM_LINE = lazy_pattern(
    rf"(?P<mark>[ \t]*+[-*+][ \t]++)(?P<text>.*?)(?P<end>(?<![ \t])[ \t]++\^{ITEM_ID}[ \t\r]*)\Z",
    re.DOTALL,
)
"""The own text of the node of a claim or a note."""
_LINE = lazy_pattern(
    rf"[ \t]*+[-*+][ \t]++(?P<body>.*?)(?<![ \t])[ \t]++\^{CLAIM_ID}[ \t\r]*(?:\n|\Z)", re.DOTALL
)
_NAME = lazy_pattern(r"((?:[^\\:=]|\\.)+?)(: | = )(.*)", re.DOTALL)
_PLAIN = {"as of": "as of ", "until": "until ", "speaker": "says "}
"""Attributes that are told without a colon."""
Pair = tuple[str, str, str]
"""(name, `:` or `=`, value)."""


class ClaimHead(NamedTuple):
    """The parts of a claim's line, as they stand there."""

    text: str
    """Markdown of its words, without quotation marks where they are a quote."""
    cited: str = ""
    """The words as a quote with its mark, `“text” [^source-id]`; empty where they are none."""
    is_denied: bool = False
    words: tuple[str, ...] = ()
    """What stands in parentheses behind them, piece by piece."""
    aside: str = ""
    """What a person wrote in parentheses behind a quote, that is no attribute: ` *(a remark)*`."""
    mark: str = ""
    """What names the source of words without quotation marks, ` [^source-id]`: a person has
    reworded the claim where it was its quote."""


def unstruck(body: str) -> tuple[str, str, str]:
    """What a claim's line says, and what strikes it before and behind."""
    text, arrow, successor = body.rpartition(ARROW)
    if not arrow or not text.startswith("~~"):
        return body, "", ""
    return text[2:], "~~", arrow + successor


def head_in(markdown: str) -> ClaimHead:
    """The parts of the line of a claim that stands in Markdown with what is below it."""
    line = _LINE.match(markdown)
    return split_head(unstruck(" ".join(line["body"].split("\n")))[0] if line else "")


def pairs_in(markdown: str) -> tuple[Pair, ...]:
    """The attributes that the line of a claim tells."""
    head = head_in(markdown)
    denied: tuple[Pair, ...] = (("stance", ":", DENIES),) if head.is_denied else ()
    return (*denied, *filter(None, map(read_words, head.words)))


def split_head(body: str) -> ClaimHead:
    """The parts of a claim's line; `join_head` gives the same bytes again."""
    is_denied = body.startswith(DENIED)
    rest = body.removeprefix(DENIED)
    found = _SHOWN.search(rest)
    words = tuple(pieces(found["inner"])) if found else ()
    if found and words and all(map(read_words, words)) and found["inner"] == "; ".join(words):
        rest = rest[: found.start()]
    else:
        words = ()
    text = quoted_text(rest)
    if text is None:
        if behind := _aside(rest):
            cited, words_behind = behind
            text = quoted_text(cited)
            assert text is not None
            return ClaimHead(text, cited, is_denied, words, words_behind)
        mark = CITED.search(rest) if "[^" in rest else None
        end = mark.start() if mark else len(rest)
        return ClaimHead(rest[:end], "", is_denied, words, mark=rest[end:])
    return ClaimHead(text, rest, is_denied, words)


def _aside(rest: str) -> tuple[str, str] | None:
    """A quote with its mark, and what stands in parentheses behind it; None: it is not that."""
    if not rest.endswith((")", ")*")) or not rest.startswith(("“", '"')):
        return None
    at = rest.rfind("[^")
    for _try in range(4):
        at = rest.find(" ", at + 1) if at >= 0 else -1
        if at < 0:
            return None
        if rest.startswith((" (", " *("), at) and quoted_text(rest[:at]) is not None:
            return rest[:at], rest[at:]
    return None


def quoted_text(cited: str) -> str | None:
    """The words in `“words” [^source-id]`, as they stand; None: it is no such thing."""
    found = EVIDENCE.match(cited)
    return cited[1 : found.end("quote")] if found else None


def join_head(head: ClaimHead) -> str:
    """A claim's line of its parts."""
    shown = f" *({'; '.join(head.words)})*" if head.words else ""
    return f"{DENIED * head.is_denied}{head.cited or head.text}{head.mark}{head.aside}{shown}"


def pieces(inner: str) -> list[str]:
    """What semicolons part; those in links and behind a backslash part nothing."""
    return [piece for found in _SEPARATOR.findall(inner) if (piece := found.strip())]


def read_pair(piece: str) -> Pair | None:
    """`name: value` or `key = value`; None: it is neither."""
    found = _NAME.fullmatch(piece)
    if found is None:
        return None
    return unescape(found[1]).strip(), found[2].strip(), unescape(found[3].strip())


def read_words(piece: str) -> Pair | None:
    """An attribute as a claim's line tells it; None: it is none."""
    if pair := read_pair(piece):
        return pair
    if piece in STANCES:
        return "stance", ":", piece
    for name, beginning in _PLAIN.items():
        if piece.startswith(beginning):
            return name, ":", unescape(piece[len(beginning) :].strip())
    return None


def words_of_pair(name: str, op: str, value: str) -> str:
    """An attribute as a claim's line tells it."""
    shown = escape_value(value)
    if op == ":" and name == "stance" and value in STANCES:
        return value
    plain = f"{_PLAIN[name]}{shown}" if op == ":" and name in _PLAIN else ""
    if plain and read_words(plain) == (name, ":", value):
        return plain
    return f"{escape_slot(name)}{': ' if op == ':' else ' = '}{shown}"


# --- words to ask by -----------------------------------------------------------------------------

LONGEST = 160
"""Characters of one reader's words."""
MOST = 3
"""Readers whose words are kept behind one quote: those that sort first."""

_BEHIND = lazy_pattern(rf"{ASKED}(?=[ \t\r]*\Z)")
_CITED = lazy_pattern(r"[”\"][^”\"]{1,40}\[\^[^\[\]\s]+\][^\[\]”\"]{0,160}\Z")
_REACH = 400
"""Characters before a comment in which what it stands behind is looked for."""
_SIGNS = frozenset(" '’.,?!+&/-")
_REPEATED = lazy_pattern(r"([.,?!+&/-])\1+")


def phrases(text: str) -> tuple[str, ...]:
    """The words of each reader, parted by `;`, without markup and addresses; sorted, `MOST`."""
    found = {words for part in normalise(text).split(";") if (words := _plain(part))}
    return _first(found)


def _plain(text: str) -> str:
    parted = text[: 4 * LONGEST].replace("](", " ").split()
    told = (word for word in parted if not _is_address(word.lower()))
    kept = (
        sign if sign in _SIGNS or unicodedata.category(sign)[0] in "LMN" else " "
        for sign in " ".join(told)
    )
    found = " ".join(word for word in "".join(kept).split() if any(map(str.isalnum, word)))
    words = _REPEATED.sub(r"\1", found)
    return words if len(words) <= LONGEST else words[:LONGEST].rpartition(" ")[0] or words[:LONGEST]


def _is_address(word: str) -> bool:
    return "://" in word or "www." in word


def asked_behind(line: str) -> str:
    """The words behind a line of evidence, as they stand there; mostly empty."""
    found = _BEHIND.search(line) if "<!--" in line else None
    return found["asked"] if found else ""


def unasked(line: str) -> str:
    """A line of evidence without them."""
    return _BEHIND.sub("", line) if "<!--" in line else line


def with_asked(line: str, more: Iterable[str]) -> str:
    """A line of evidence with further words behind it; the same bytes where it has them all."""
    held = phrases(asked_behind(line))
    wanted = _first({*held, *more})
    return line if wanted == held else _joined(unasked(line), wanted)


def _first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words)[:MOST])


def _joined(line: str, words: tuple[str, ...]) -> str:
    said = line.rstrip(" \t\r")
    comment = f" <!-- asked: {'; '.join(words)} -->" if words else ""
    return f"{said}{comment}{line[len(said) :]}"


def without_asked(text: str) -> str:
    """A page's text as people and models are shown it."""
    return without(text, _spans(text), "") if "<!--" in text else text


def asked_aloud(text: str) -> str:
    """A page's text with these words as lines of it, in small letters: none of them is a name."""
    return without(text, _spans(text), lambda found: f"\n{asked_behind(found).lower()}")


def _spans(text: str) -> list[Span]:
    """The comments of this kind behind evidence, each with the blanks before it."""
    found = []
    for start, end in comment_spans(text):
        low = max(start - _REACH, 0)
        begin = text.rfind("\n", low, start) + 1 or low
        line = text[begin:start]
        if _BEHIND.fullmatch(f" {text[start:end]}") and _CITED.search(line):
            found.append((begin + len(line.rstrip(" \t")), end))
    return found
