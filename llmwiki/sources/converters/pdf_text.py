"""The text of a PDF's pages as pypdf reads it, with corrections of what pypdf reads wrongly.

A PDF has lines, not paragraphs. Most lines may end where they do: whoever looks for words across
them finds them. Not so a word with a hyphen in it, and writing that has no blanks: these are made
whole where that is certain. Runs in the converting process only.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING, Any

from llmwiki.core.language.scripts import HAN, KANA, REPEATED
from llmwiki.sources.converters.pdf_bidi import Piece, has_rtl, in_reading_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pypdf

    _Operation = tuple[list[Any], bytes]

_SHY = "\u00ad"
_SHY_IN_BYTES = b"\xfe\xff\x00\xad"
_SHOWS_TEXT = re.compile(rb"T[jJ]|['\"]")
_POSITIONS = (b"Td", b"TD", b"Tm", b"T*")
_FORMS = re.compile("[\u2e80-\u2fdf\ufb00-\ufb06\ufb13-\ufdef\ufe70-\ufefc]")
"""Ligatures and shapes of letters that fonts bring (Unicode, "presentation forms"), and radicals,
which browsers write for ideographs of the same look; the signs from U+FDF0 on, which people write
themselves, are left out."""
_RADICALS = str.maketrans(
    "⺁⺂⺃⺄⺅⺆⺇⺈⺉⺊⺋⺌⺍⺎⺏⺐⺑⺒⺓⺔⺕⺖⺗⺘⺙⺛⺜⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧"
    "⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺳⺴⺵⺶⺷⺸⺹⺺⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻇⻈⻉⻊⻋⻌⻍"
    "⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻞⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
    "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺母民氵氺灬爫爫丬牛"
    "犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶"
    "辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
)
"""CJK radicals that Unicode does not decompose, and the ideographs that they are (Unicode,
EquivalentUnifiedIdeograph.txt)."""

_MARKED = re.compile(f"(?:{_SHY}[-\u2010]?|(?<=[^\\W\\d_])\u2010)\n(\\S+)[ \n]?")
"""A hyphen that only the line made: the soft one, and U+2010, which nobody types."""
_DASHED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)-\n([^\W\d_]{2,}+)(\S*+)[ \n]?")
_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++-[^\W\d_]++")
_UNSPACED = REPEATED + KANA + HAN
_OPEN_END = re.compile(f"[{_UNSPACED}、，]$")
_GOES_ON = re.compile(f"[{_UNSPACED}、，。．）」』]")
_LEAST = 10
"""Ems of a line of which the next may be the rest; lists have shorter ones."""
_SLACK = 1.5
"""Ems by which lines of one paragraph differ: signs that may not begin or end a line."""


def page_text(page: pypdf.PageObject) -> str:
    """The text layer of a page in the order in which it was written, one line a line.

    Right-to-left text stands in reading order, letters have their plain form (`fi` for U+FB01),
    and soft hyphens are U+00AD. Raises what pypdf raises.
    """
    from pypdf.generic import ContentStream, NameObject

    kept = page.raw_get("/Contents") if "/Contents" in page else None
    contents = ContentStream(kept.get_object(), page.pdf, "bytes") if kept is not None else None
    if contents is None or not _SHOWS_TEXT.search(contents.get_data()):
        # Drawings, and pages whose text stands in parts of their own.
        return _FORMS.sub(_letters, page.extract_text())
    _scale_drawn_fonts(page)
    contents.operations = list(_plain(contents.operations))
    page[NameObject("/Contents")] = contents
    text = page.extract_text()
    if has_rtl(text):
        contents.operations = list(_apart(contents.operations))
        text = in_reading_order(_pieces(page))
    # The document keeps its pages; what was made of this one would stay with it.
    page[NameObject("/Contents")] = kept
    return _FORMS.sub(_letters, text)


def _scale_drawn_fonts(page: pypdf.PageObject) -> None:
    """Give Type 3 fonts widths in thousandths, as pypdf expects of every font.

    Theirs are in units of their own (ISO 32000-1, §9.6.5); read as thousandths they are too
    small, and a blank would stand between all letters.
    """
    from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject

    fonts = page
    for name in ("/Resources", "/Font"):
        fonts = fonts.get(name, DictionaryObject()).get_object()
        if not isinstance(fonts, DictionaryObject):
            return
    for font in fonts.values():
        drawn = font.get_object()
        if not isinstance(drawn, DictionaryObject) or drawn.get("/Subtype") != "/Type3":
            continue
        widths, matrix = _numbers(drawn.get("/Widths")), _numbers(drawn.get("/FontMatrix"))
        # Pages share fonts.
        if widths and matrix and "/Scaled" not in drawn:
            scaled = (FloatObject(width * 1000 * abs(matrix[0])) for width in widths)
            drawn[NameObject("/Widths")] = ArrayObject(scaled)
            drawn[NameObject("/Scaled")] = NameObject("/Yes")


def _numbers(found: pypdf.generic.PdfObject | None) -> list[float]:
    """A list of numbers; nothing where one of them is none."""
    values = found.get_object() if found is not None else None
    items: list[object] = [each.get_object() for each in values] if isinstance(values, list) else []
    numbers = [float(each) for each in items if isinstance(each, int | float)]
    return numbers if len(numbers) == len(items) else []


def _plain(operations: Iterable[_Operation]) -> Iterator[_Operation]:
    """The operations with soft hyphens as such, and each place given in one step.

    Programs draw a soft hyphen as a blank or dash and say so in `ActualText`, which pypdf does
    not look at. Where a line goes on in another font, they return to its start and move from
    there; pypdf takes that for a gap, and would write a blank.
    """
    from pypdf.generic import TextStringObject

    depth = soft = 0
    start: list[Any] | None = None
    for operands, operator in operations:
        if start is not None:
            moved = _moved(start, operands) if operator == b"Td" else None
            yield (moved or start, b"Tm")
            start = None
            if moved is not None:
                continue
        if operator == b"Tm" and len(operands) == 6:
            start = operands
            continue
        if operator in (b"BDC", b"BMC"):
            depth += 1
            soft = soft or (depth if _is_soft_hyphen(operands) else 0)
        elif operator == b"EMC":
            soft = 0 if soft == depth else soft
            depth = max(0, depth - 1)
        elif soft and operator in (b"Tj", b"TJ"):
            yield ([TextStringObject(_SHY)], b"Tj")
            continue
        yield (operands, operator)
    if start is not None:
        yield (start, b"Tm")


def _moved(start: list[Any], by: list[Any]) -> list[Any] | None:
    from pypdf.generic import FloatObject

    if len(by) != 2 or not all(isinstance(each, int | float) for each in (*start, *by)):
        return None
    a, b, c, d, e, f = map(float, start)
    x, y = map(float, by)
    return [*start[:4], FloatObject(e + x * a + y * c), FloatObject(f + x * b + y * d)]


def _is_soft_hyphen(operands: list[Any]) -> bool:
    properties = operands[1] if len(operands) == 2 else None
    meant = properties.get("/ActualText") if isinstance(properties, dict) else None
    return meant in (_SHY, _SHY_IN_BYTES)


def _apart(operations: Iterable[_Operation]) -> Iterator[_Operation]:
    """The operations with the text ended before each move, so that every piece has its place."""
    for operands, operator in operations:
        if operator in _POSITIONS:
            yield ([], b"ET")
        yield (operands, operator)


def _pieces(page: pypdf.PageObject) -> list[Piece]:
    """What pypdf reads, piece by piece, each with the place where it begins on its line."""
    found: list[Piece] = []

    def visit(text: str, cm: list[float], tm: list[float], _font: object, size: float) -> None:
        if text:
            at = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
            found.append(Piece(text, at, abs(size * tm[0] * cm[0])))

    page.extract_text(visitor_text=visit)
    return found


def _letters(form: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", form[0].translate(_RADICALS))


def whole_lines(pages: Sequence[str]) -> list[str]:
    """The texts of a document's pages with words and unspaced sentences made whole.

    The rest of a word moves up to the line it begins on. A word parted at a plain hyphen is
    joined if the document has it without one somewhere, and nowhere with one. Lines of kana and
    ideographs are joined while they fill their column.
    """
    joined = [_unspaced(_MARKED.sub(r"\1\n", page).replace(_SHY, "")) for page in pages]
    if not any(_DASHED.search(page) for page in joined):
        return [page.strip("\n") for page in joined]
    words = {word.lower() for page in joined for word in _WORD.findall(page)}
    compounds = {each.lower() for page in joined for each in _COMPOUND.findall(page)}

    def undashed(match: re.Match[str]) -> str:
        head, tail, more = match.groups()
        known = (head + tail).lower() in words and f"{head}-{tail}".lower() not in compounds
        alike = tail.islower() or (head + tail).isupper()
        return f"{head}{tail}{more}\n" if known and alike else match[0]

    return [_DASHED.sub(undashed, page).strip("\n") for page in joined]


def _unspaced(page: str) -> str:
    """The page with wrapped lines of unspaced writing as one line each."""
    if not re.search(f"[{_UNSPACED}]\n", page):
        return page
    lines = page.split("\n")
    done: list[list[str]] = []
    for _, block in groupby(zip(lines, map(_width, lines), strict=True), lambda each: each[1] > 0):
        width = 0.0
        for line, own in block:
            fits = width >= _LEAST and own <= width + _SLACK
            if fits and _OPEN_END.search(done[-1][-1]) and _GOES_ON.match(line):
                done[-1].append(line)
                # A last line ends the paragraph: what follows is not its rest.
                width = own if own >= width - _SLACK else 0.0
            else:
                done.append([line])
                width = own
    return "\n".join(map("".join, done))


def _width(line: str) -> float:
    """In ems."""
    return sum(1.0 if unicodedata.east_asian_width(sign) in "WFA" else 0.5 for sign in line)
