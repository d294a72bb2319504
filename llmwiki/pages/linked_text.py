"""Text with links: what a claim, a note or a lead says is its text without them.

`[[page|words]]` says `words`, and `[[page]]` says the page's name. Whoever adds a link, moves it or
takes it out changes nothing of what is said: ids, joins, the mark of a lead, differences and merges
compare the bare text. `![[…]]` is text, and so are brackets behind a backslash. The words behind a
quote (`asked`) say nothing either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from llmwiki.core.language.scripts import CJK, KANA, REPEATED
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.pages import claim_head
from llmwiki.pages.claim_head import DENIED, ITEM_LINE, unasked
from llmwiki.pages.escape import CODE, escape, escape_inline, link_text, unescape
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID

LINKED = frozenset({"c", "n", "lead"})
"""Kinds of nodes whose links say nothing."""
MOST_IN_CLAIM = 3
"""Links in a claim beyond which no further one is put there."""

_PIECE = lazy_pattern(
    rf"\\(?P<escaped>[!-/:-@\[-`{{-~])|{CODE}|!\[\[[^\[\]\n]*\]\]"
    r"|\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<words>[^\[\]\n]*))?\]\]"
)
_MAY_HIDE = re.compile(r"[`<$\[]|%%")
"""Unescaped, it may begin what holds no links: code, HTML, maths, a comment, another link."""
_TO_CLAIM = lazy_pattern(rf"(\[\[[^\[\]|\n]*#\^{ITEM_ID})\|[^\[\]\n]*\]\]")

_QUOTED = lazy_pattern(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』|«[^«»]*»|„[^„“”]*[“”]")

_OPENS = "\\s(\"'“‘„«‹「『（《〈【—–"
_ENDS = "\\s,;)\"'”’»›」』）》〉】—–…、。，；：！？"
_BEGINS_AFTER = lazy_pattern(rf"[{_OPENS}、。，；：！？]")
_STOPS_BEFORE = lazy_pattern(rf"[{_ENDS}]|[.:!?](?!\w)")


def bare(markdown: str, leads: Callable[[str], bool] = lambda _target: True) -> str:
    """The Markdown without links: for each its words, escaped as at that place.

    With `leads` only the links go of whose target, as it is written, it says so.
    """
    if "[[" not in markdown:
        return markdown

    def words(found: re.Match[str]) -> str:
        if found["target"] is None or not leads(found["target"]):
            return found[0]
        said = _said(found)
        before = found.string[: found.start()]
        return escape_inline(said) if before[before.rfind("\n") + 1 :].strip() else escape(said)

    return _PIECE.sub(words, markdown)


def read(markdown: str) -> str:
    """What a claim, a note or a lead says: without links and escapes."""
    if "[[" not in markdown:
        return unescape(markdown)
    return _PIECE.sub(lambda found: _character(found) or _said(found), markdown)


def _said(link: re.Match[str]) -> str:
    if words := normalise(link["words"] or ""):
        return words
    page, _, place = link["target"].rstrip("\\").partition("#")
    return normalise(page.rpartition("/")[2]) or normalise(place.lstrip("^# ")) or link["target"]


def _character(piece: re.Match[str]) -> str:
    """The character of an escape, code, or the text of an embed; empty of a link."""
    if piece["escaped"] is not None:
        return piece["escaped"]
    return unescape(piece[0]) if piece["target"] is None else ""


def same_words(kind: str, one: str, other: str) -> bool:
    """Whether two texts of nodes of one kind differ in nothing but links."""
    if one == other:
        return True
    if kind == "e":
        return unasked(one) == unasked(other)
    return kind in LINKED and _essence(kind, one) == _essence(kind, other)


def _essence(kind: str, raw: str) -> str:
    item = ITEM_LINE.match(raw) if kind != "lead" else None
    if item is None:
        return bare(raw)
    text, strike, successor = claim_head.unstruck(item["text"])
    # The words of a link to a claim are a copy of what the claim says.
    led = _TO_CLAIM.sub(r"\1]]", successor)
    return f"{item['mark']}{strike}{bare(text)}{led}{item['end']}"


def unstruck(raw: str) -> str:
    """The text of a claim's or note's node as it was before it was struck."""
    item = ITEM_LINE.match(raw)
    return f"{item['mark']}{claim_head.unstruck(item['text'])[0]}{item['end']}" if item else raw


def three_way(kind: str, base: str | None, one: str, other: str) -> str | None:
    """The text that stands of two that were made of `base`; None: both changed the words.

    A `base` of None: both are new.

    Who changed the words takes the whole text, links included; where nobody did, or both did alike,
    links of both sides are not mixed: a side without a change of its own gives way, and of two that
    changed the first by its bytes stands. A denial leaves the words as they are, and takes nobody's
    links. The same for (base, other, one).
    """
    if kind not in LINKED:
        return None
    if base is not None:
        by_one, by_other = (not same_words(kind, base, side) for side in (one, other))
        if by_one != by_other:
            worded, same = (one, other) if by_one else (other, one)
            denied = _denied_or_not(same)
            return denied if same_words(kind, denied, worded) else worded
    if not same_words(kind, one, other):
        return None
    if base in (one, other):
        return other if base == one else one
    return min(one, other, key=lambda text: text.encode("utf-8", "surrogatepass"))


def _denied_or_not(raw: str) -> str:
    """A claim's text denied where it was not, and the other way about."""
    item = ITEM_LINE.match(raw)
    if item is None:
        return raw
    text = item["text"]
    turned = text.removeprefix(DENIED) if text.startswith(DENIED) else DENIED + text
    return f"{item['mark']}{turned}{item['end']}"


# --- putting links -------------------------------------------------------------------------


class LinkName(NamedTuple):
    """A name of a page as it may stand in a text."""

    words: str
    stem: str
    """File name of the page, without its ending; empty: no link shall stand there, nor inside."""


class _Plain(NamedTuple):
    """Markdown as characters that are read, each with where it stands."""

    text: str
    """A link or an embed is one U+FFFC, code one U+0000."""
    starts: Sequence[int]
    """For each character the offset in the Markdown at which it begins; one more for the end."""
    linked: frozenset[str]
    """Folder-less targets of the links in it, in lower case."""


def linked(markdown: str, names: Iterable[LinkName], most: int = 0) -> str:
    """The Markdown with a link on the first mention of each page, the longest names first.

    `most` bounds its links, those it has included; 0: no bound. A name of one word must stand as
    it is written, of a longer one case does not count. A name inside a longer one is no mention,
    and no link is put into a quotation of more words than the name.
    What cannot be the words of a link unchanged, and text with code or other markup that may hide a
    link, is left as it is.
    """
    plain = _plain(markdown)
    if plain is None:
        return markdown
    room = most - plain.text.count("\ufffc") if most else len(plain.text)
    taken: list[tuple[int, int, str]] = []
    spoken: list[tuple[int, int]] = []
    have = {"", *plain.linked}
    said = plain.text.casefold()
    quoted = [found.span() for found in _QUOTED.finditer(plain.text)]
    here = {name for name in names if name.words.casefold() in said}
    for name in sorted(here, key=lambda each: (-len(each.words), each)):
        if len(taken) >= room:
            break
        free = [
            (start, end)
            for start, end in _mentions(plain.text, name.words)
            if not any(start < last and first < end for first, last in spoken)
        ]
        spoken += free
        can_link = is_plain(name.stem) and "#" not in name.stem
        span = next(
            (s for s in free if is_plain(plain.text[slice(*s)]) and not _is_within(s, quoted)), None
        )
        if span is not None and can_link and name.stem.lower() not in have:
            have.add(name.stem.lower())
            taken.append((*span, name.stem))
    return _put(markdown, plain, sorted(taken))


def _is_within(span: tuple[int, int], quoted: Iterable[tuple[int, int]]) -> bool:
    """Whether a quotation has this mention and more in it."""
    start, end = span
    return any(
        first < start and end < last and (first + 1, last - 1) != span for first, last in quoted
    )


def is_plain(words: str) -> bool:
    """Whether words may stand in a link as they are."""
    return bool(words) and link_text(words) == words


def _plain(markdown: str) -> _Plain | None:
    """None: it holds markup of which nobody here knows where it ends."""
    parts: list[str] = []
    starts: list[int] = []
    targets: set[str] = set()
    last = 0
    for piece in (*_PIECE.finditer(markdown), None):
        end = piece.start() if piece else len(markdown)
        between = markdown[last:end]
        if _MAY_HIDE.search(between):
            return None
        parts.append(between)
        starts.extend(range(last, end))
        if piece is not None:
            parts.append(piece["escaped"] or ("\0" if piece[0][0] == "`" else "\ufffc"))
            starts.append(end)
            last = piece.end()
            if piece["target"] is not None:
                targets.add(piece["target"].partition("#")[0].rpartition("/")[2].strip().lower())
    return _Plain("".join(parts), (*starts, len(markdown)), frozenset(targets))


def _mentions(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in a text as a name of its own."""
    flags = re.IGNORECASE if len(words.split()) > 1 else 0
    for found in re.finditer(re.escape(words), text, flags):
        start, end = found.span()
        if _is_free(text, start, end):
            yield start, end


def _is_free(text: str, start: int, end: int) -> bool:
    """Whether no word goes on at either end.

    Chinese and Japanese are written without blanks: there a word may end where the script changes.
    """
    is_begun = not start or bool(_BEGINS_AFTER.match(text[start - 1]))
    is_begun = is_begun or _parts(text[start - 1], text[start])
    is_done = end == len(text) or bool(_STOPS_BEFORE.match(text, end))
    return is_begun and (is_done or _parts(text[end], text[end - 1]))


_KANA = re.compile(f"[{KANA}]")
_CJK = lazy_pattern(f"[{CJK}{REPEATED}]")


def _parts(outside: str, inside: str) -> bool:
    """Whether a name may end between two neighbours because their scripts differ.

    Particles are hiragana; Han, katakana and what stands before or behind them without a blank are
    one compound, unless the name is a foreign one: `VueのAPI`, and not the 本 of 日本.
    """
    without, within = _script(outside), _script(inside)
    if not without or not within or without == within:
        return False
    return within == "other" or "hiragana" in (without, within) or "hangul" in (without, within)


def _script(character: str) -> str:
    if "\u3040" <= character <= "\u309f":
        return "hiragana"
    if _KANA.match(character):
        return "katakana"
    if _CJK.match(character):
        return "hangul" if "\uac00" <= character <= "\ud7af" else "han"
    return "other" if character.isalnum() else ""


def _put(markdown: str, plain: _Plain, spans: Sequence[tuple[int, int, str]]) -> str:
    out, last = [], 0
    for start, end, stem in spans:
        words = plain.text[start:end]
        at = plain.starts[start]
        link = f"[[{stem}]]" if stem == words else f"[[{stem}|{words}]]"
        out += [markdown[last:at], link]
        last = plain.starts[end]
    put = "".join([*out, markdown[last:]])
    # Whatever the names: the text says what it said.
    return put if bare(put) == bare(markdown) else markdown


def markdown_of(raw: str) -> str:
    """What the node of a claim or note says, as Markdown on one line, struck or not."""
    item = ITEM_LINE.match(raw)
    text = claim_head.unstruck(item["text"])[0] if item else ""
    return " ".join(line.strip() for line in text.split("\n"))


def with_text(raw: str, put: Callable[[str], str]) -> str:
    """The text of a claim's node with `put` done to what it says; a struck one stays as it is."""
    item = ITEM_LINE.match(raw)
    if item is None or claim_head.unstruck(item["text"])[1]:
        return raw
    denied = DENIED if item["text"].startswith(DENIED) else ""
    return f"{item['mark']}{denied}{put(item['text'][len(denied) :])}{item['end']}"
