"""PDF to text with pypdfium2. Runs in the converting process only."""

from __future__ import annotations

import math
import re
import unicodedata
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from llmwiki.core.errors import InputError
from llmwiki.core.language.scripts import HAN, KANA, REPEATED, RIGHT_TO_LEFT
from llmwiki.sources.conversion_limits import tidy
from llmwiki.sources.converters.numbered_text_writer import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pypdfium2 import PdfPage, PdfTextPage

SCAN_TEXT = 50
"""Visible characters; a stamp or a page number over a scan has fewer, a page of text more."""
SCAN_COVER = 0.5
"""Share of a page; scans fill it, and figures leave room for a text."""
_DEEPEST = 8
"""Forms within forms that are followed; more never stand between a page and its scan."""


class _Page(NamedTuple):
    text: str
    scan: bool


def convert(data: bytes, out: Gathered) -> None:
    """The text layer of a PDF, each page after a line `[page N]` (N counts from 1).

    A page that is a scan ends in a line NOT_READ. Raises InputError when the file is broken,
    encrypted, without pages or without text and scans, PolicyError past the cap.
    """
    out.libraries.append(f"pypdfium2/{pypdfium2.PYPDFIUM_INFO.version}")
    try:
        pages = _pages(pypdfium2.PdfDocument(data), out)
    except pypdfium2.PdfiumError as error:
        raise refusal(error) from error
    if not any(page.text or page.scan for page in pages):
        raise InputError(
            "the PDF has no text layer, and no pictures that fill its pages",
            fix="If a viewer shows text, run a text recognition over it, such as `ocrmypdf "
            "--force-ocr in.pdf out.pdf`, and ingest the result.",
        )
    for number, page in enumerate(pages, start=1):
        out.part()
        out.add(f"[page {number}]")
        if text := tidy(page.text):
            out.add(text)
        if page.scan:
            out.picture(number)
    out.bare = all(page.scan or not page.text for page in pages)


def refusal(error: pypdfium2.PdfiumError) -> InputError:
    """The refusal of a file that the library cannot open."""
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return InputError(
            "the PDF is encrypted", fix="Save a copy without a password, and ingest that."
        )
    if error.err_code == pdfium.FPDF_ERR_SUCCESS:
        return InputError("the PDF has no pages", fix="Check that the file is complete.")
    return InputError(
        f"the PDF is broken ({error})", fix="Open it in a viewer, print it to a new PDF."
    )


def _pages(document: pypdfium2.PdfDocument, out: Gathered) -> list[_Page]:
    pages: list[_Page] = []
    size = 0
    for at in range(len(document)):
        page = document[at]
        text = tidy(page_text(page))
        few = len("".join(text.split())) < SCAN_TEXT
        pages.append(_Page(text, few and _coverage(page) > SCAN_COVER))
        page.close()
        size += len(text)
        out.expect(size)
    texts = whole_lines([page.text for page in pages])
    return [page._replace(text=text) for page, text in zip(pages, texts, strict=True)]


def _coverage(page: pypdfium2.PdfPage) -> float:
    """The share of the page that its pictures cover; overlaps count twice.

    Scanners write a page as one picture, as strips, or as layers, so the sum is what tells.
    """
    left, bottom, right, top = page.get_cropbox()
    whole = (right - left) * (top - bottom)
    covered = 0.0
    for picture in page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST):
        corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
        at: pypdfium2.PdfObject | None = picture
        while at is not None:
            matrix = at.get_matrix()
            corners = [matrix.on_point(*corner) for corner in corners]
            at = at.container
        across, up = zip(*corners, strict=True)
        width = min(max(across), right) - max(min(across), left)
        height = min(max(up), top) - max(min(up), bottom)
        area = max(0.0, width) * max(0.0, height)
        covered += area if math.isfinite(area) else 0.0
    return covered / whole if whole > 0 else 0.0


# --- the text of a page ---------------------------------------------------------------------------
# A PDF has lines, not paragraphs. Most lines may end where they do: whoever looks for words across
# them finds them. Not so a word with a hyphen in it, and writing that has no blanks: these are made
# whole where that is certain.

_SHY = "\u00ad"
_HYPHEN_AT_END = "\x02"
"""What PDFium gives for a hyphen with which a line ends, and for the end of that line."""
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


def page_text(page: PdfPage) -> str:
    """The text layer of a page in the order in which it was written, one line a line.

    Right-to-left text stands in reading order, letters have their plain form (`fi` for U+FB01),
    and soft hyphens are U+00AD.
    """
    read = page.get_textpage()
    text = read.get_text_bounded().replace("\r", "")
    if _RTL.search(text):
        text = "\n".join(map(_in_reading_order, _lines(read)))
    return plain_letters(text.replace(_HYPHEN_AT_END, "-\n"))


def plain_letters(text: str) -> str:
    """The letters and ideographs for which a font brings a shape of its own."""
    return _FORMS.sub(
        lambda form: unicodedata.normalize("NFKC", form[0].translate(_RADICALS)), text
    )


# --- right-to-left ------------------------------------------------------------------------------
#
# A PDF says where each letter is drawn, not what is read first, and programs draw such lines in
# several orders. So a line is put together as it is seen, from left to right, and read from there:
# the Unicode Bidirectional Algorithm (Unicode Standard Annex #9, L2) backwards.

_RTL = re.compile(f"[{RIGHT_TO_LEFT}]")
_OTHER = rf"[^\W_{RIGHT_TO_LEFT}]"
_PART = re.compile(rf"{_OTHER}++(?:[^\w\s]++{_OTHER}++)*+%?|.", re.DOTALL)
"""A word or number that is read to the right, or any other character."""
_LETTER = re.compile(rf"(?!\d){_OTHER}")
_BRACKETS = str.maketrans("()[]{}", ")(][}{")
_GAP = 0.2
"""Of the height of a line: wider than what parts two letters, narrower than a blank."""


class _Glyph(NamedTuple):
    """A character, with the marks that stand on it, and where it is drawn."""

    text: str
    left: float
    right: float
    height: float


def _lines(read: PdfTextPage) -> Iterator[list[_Glyph]]:
    import pypdfium2.raw as pdfium

    line: list[_Glyph] = []
    for at in range(read.count_chars()):
        char = chr(pdfium.FPDFText_GetUnicode(read, at))
        if char == "\n":
            yield line
            line = []
        elif unicodedata.combining(char) and line:
            line[-1] = line[-1]._replace(text=line[-1].text + char)
        elif char != "\r":
            left, bottom, right, top = read.get_charbox(at, loose=True)
            line.append(_Glyph(char, left, right, top - bottom))
    yield line


def _in_reading_order(line: list[_Glyph]) -> str:
    written = "".join(glyph.text for glyph in line)
    if not _RTL.search(written):
        return written
    parts = _PART.findall(_as_seen(line))
    leftward = [_RTL.search(part) is not None for part in parts]
    rightward = [_LETTER.search(part) is not None for part in parts]
    letters = sum(len(part) for part, is_one in zip(parts, rightward, strict=True) if is_one)
    if sum(leftward) <= letters:
        return "".join(_turned(parts, leftward, rightward))
    return _mended_brackets("".join(_turned(parts, rightward, leftward)[::-1]))


def _as_seen(line: list[_Glyph]) -> str:
    """The characters from left to right, a blank where one is seen."""
    # Blanks without a width stand anywhere.
    drawn = [glyph for glyph in line if glyph.right > glyph.left or glyph.text.strip()]
    drawn.sort(key=lambda glyph: glyph.left + glyph.right)
    blank = _GAP * max(glyph.height for glyph in drawn)
    pieces = [drawn[0].text]
    for before, glyph in pairwise(drawn):
        pieces += [" "] if glyph.left - before.right > blank else []
        pieces.append(glyph.text)
    return " ".join("".join(pieces).split())


def _turned(parts: list[str], within: list[bool], without: list[bool]) -> list[str]:
    """Turns each stretch that begins and ends with a part of one kind and has none of another."""
    turned = list(parts)
    first = last = -1
    for at in range(len(parts) + 1):
        if at == len(parts) or without[at]:
            turned[first : last + 1] = turned[first : last + 1][::-1]
            first = last = -1
        elif within[at]:
            first, last = (at if first < 0 else first), at
    return turned


def _mended_brackets(text: str) -> str:
    """Brackets of a leftward line the right way round, where all were drawn mirrored."""
    turned = text.translate(_BRACKETS)
    return turned if not _is_nested(text) and _is_nested(turned) else text


def _is_nested(text: str) -> bool:
    open_ones: list[str] = []
    for sign in re.findall(r"[()\[\]{}]", text):
        if sign in "([{":
            open_ones.append(sign)
        elif not open_ones or open_ones.pop().translate(_BRACKETS) != sign:
            return False
    return not open_ones


# --- words and sentences made whole ------------------------------------------------------------

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
