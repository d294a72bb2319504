"""Images and scanned pages: what is drawn of them, who reads it, and what hostile ones may cost."""

from __future__ import annotations

import io
import json
import re
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2
import pytest
from convertkit import ends_within_bounds, pictures_of, read_document
from longform import LONG, seldom
from PIL import Image, ImageDraw, ImageFont

import llmwiki.sources.convert_child
from benchmarks.pdf import FONT, objects, stream
from llmwiki.core.errors import InputError, ModelOutputError, PolicyError
from llmwiki.sources.conversion_limits import NOT_READ, SourceLimits
from llmwiki.sources.converters.draw_pictures import LONG_EDGE, MAX_FILE
from llmwiki.sources.pictures import MAX_TRANSCRIPT, PicturesError
from llmwiki.sources.pictures import pictures_of as drawn_confined
from llmwiki.sources.read_source import converter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from llmwiki.core.document import Picture

WORDS = ("The moon pulls at the sea,", "and twice a day the water rises", "along the coast.")


@dataclass
class Reader:
    """Gives these texts in turn, and keeps what it was shown."""

    texts: list[str]
    shown: list[Picture] = field(default_factory=list)
    tool = "reader/1.0"

    def read(self, pictures: Iterable[Picture]) -> list[str]:
        self.shown.extend(pictures)
        return self.texts


def written(
    *lines: str, size: tuple[int, int] = (900, 300), mode: str = "RGB", step: int = 60
) -> Image.Image:
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=36)
    for number, line in enumerate(lines):
        draw.text((40, 40 + number * step), line, fill=0, font=font)
    return image.convert(mode)


def saved(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def scan(*images: Image.Image) -> bytes:
    """A PDF of pictures, one a page, as scanners make them."""
    return saved(images[0], "PDF", save_all=True, append_images=images[1:], resolution=100)


def mixed(*pages: bytes) -> bytes:
    """The pages of these PDFs in one."""
    made = pypdfium2.PdfDocument.new()
    for page in pages:
        made.import_pages(pypdfium2.PdfDocument(page))
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def typed(*lines: str, picture: bytes = b"", extra: bytes = b"") -> bytes:
    """A PDF of one page with a text layer, over a grey picture that `picture` transforms."""
    shown = b" ".join(b"(%s) Tj T*" % line.encode() for line in lines)
    content = b"q %s Do Q BT /F1 12 Tf 14 TL 72 700 Td %s ET" % (picture + b" /I", shown)
    if not picture:
        content = content.partition(b"Q ")[2]
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        FONT,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]%s/Contents 5 0 R"
        b"/Resources<</Font<</F1 3 0 R>>/XObject<</I 6 0 R>>>>>>" % extra,
        stream(content),
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8"
        b"/ColorSpace/DeviceGray/Length 1>>stream\n\x80\nendstream",
    ]
    return objects(bodies)


TEXT_PAGE = typed("This page has a text layer, and it is", "longer than what a stamp would say.")
WHOLE = b"612 0 0 792 0 0 cm"


def decoded(picture: Picture) -> Image.Image:
    image = Image.open(io.BytesIO(picture.data))
    image.load()
    assert image.size == (picture.width, picture.height)
    assert picture.media_type == Image.MIME[image.format or ""]
    assert len(picture.data) <= MAX_FILE
    return image


def drawn(name: str, data: bytes) -> list[Image.Image]:
    return [decoded(picture) for picture in pictures_of(f"raw/{name}", data)]


def near(image: Image.Image, place: tuple[int, int], colour: tuple[int, int, int]) -> bool:
    found = image.convert("RGB").getpixel(place)
    assert isinstance(found, tuple)
    return all(abs(a - b) < 30 for a, b in zip(found, colour, strict=True))


# Who reads.


@pytest.mark.parametrize("data", [saved(written(*WORDS)), b"\x89PNG\r\n\x1a\nbroken"])
def test_without_a_reader_an_image_says_who_could_read_it(data: bytes) -> None:
    with pytest.raises(PicturesError, match="no reader") as caught:
        read_document("raw/a.png", data)
    assert (caught.value.where, caught.value.exit_code) == ("raw/a.png", 2)
    for way in ("key", "--prepare", "ocrmypdf"):
        assert way in caught.value.fix


def test_a_pdf_of_scans_needs_a_reader_even_under_stamps() -> None:
    for data in (scan(written("a")), typed("Received 3 May", picture=WHOLE)):
        with pytest.raises(PicturesError):
            read_document("raw/a.pdf", data)


def test_a_scan_among_pages_of_text_is_marked_where_nobody_reads() -> None:
    stamped = typed("Received 3 May", picture=WHOLE)
    data = mixed(TEXT_PAGE, scan(written("a")), stamped)
    read = read_document("raw/a.pdf", data)
    assert read.lines[4:] == (
        *("", "[page 2]", "[picture, not read]"),
        *("", "[page 3]", "Received 3 May", "[picture, not read]"),
    )
    assert re.fullmatch(r"pypdfium2/\S+", str(converter_of(read)))


def test_what_was_read_stands_where_the_picture_stood() -> None:
    stamped = typed("Received 3 May", picture=WHOLE)
    data = mixed(TEXT_PAGE, scan(written("a"), written("b")), stamped)
    reader = Reader(["Read\r\n  of two  \n\n\n\nand a\x07 half", "", "of four"])
    read = read_document("raw/a.pdf", data, pictures=reader)
    assert [picture.label for picture in reader.shown] == ["page 2", "page 3", "page 4"]
    assert read.lines[4:] == (
        *("", "[page 2]", "Read", "  of two", "", "and a  half"),
        *("", "[page 3]", "[picture, no text found]"),
        *("", "[page 4]", "Received 3 May", "of four"),
    )
    assert re.fullmatch(r"pypdfium2/\S+\+pictures=reader/1\.0", str(converter_of(read)))
    again = read_document("raw/a.pdf", data, kept_text=read.text_bytes)
    assert (again.lines, again.text_bytes) == (read.lines, None)


def test_a_pdf_without_scans_is_not_shown_to_the_reader() -> None:
    reader = Reader([])
    with_reader = read_document("raw/a.pdf", TEXT_PAGE, pictures=reader)
    assert with_reader == read_document("raw/a.pdf", TEXT_PAGE)
    assert reader.shown == []


@pytest.mark.parametrize(
    "page",
    [
        typed("", picture=b"300 0 0 400 0 0 cm"),
        typed("x" * 60, picture=WHOLE),
        typed("Short", picture=b"1 0 0 1 9000 9000 cm 612 0 0 792 0 0 cm"),
        typed("Short", picture=b"2 0 0 2 0 0 cm 1 0 0 1 200 0 cm 306 0 0 396 0 0 cm"),
        typed("Short", picture=b"nan 0 0 792 0 0 cm"),
    ],
)
def test_a_page_with_a_figure_or_a_text_is_no_scan(page: bytes) -> None:
    assert list(pictures_of("raw/a.pdf", mixed(TEXT_PAGE, page))) == []


@pytest.mark.parametrize(
    "place",
    [
        WHOLE,
        b"0 -792 612 0 0 792 cm",
        b"2 0 0 2 0 0 cm 1 0 0 1 10 0 cm 306 0 0 396 0 0 cm",
        b"q 612 0 0 200 0 0 cm /I Do Q q 612 0 0 200 0 200 cm /I Do Q 612 0 0 200 0 400 cm",
    ],
)
def test_a_scan_may_be_turned_scaled_or_in_strips(place: bytes) -> None:
    data = mixed(TEXT_PAGE, typed("7", picture=place))
    assert [picture.label for picture in pictures_of("raw/a.pdf", data)] == ["page 2"]


def test_a_reader_that_finds_nothing_leaves_no_source() -> None:
    for name, data in (("a.png", saved(written())), ("a.pdf", scan(written()))):
        with pytest.raises(InputError, match=r"reader/1\.0 found no text"):
            read_document(f"raw/{name}", data, pictures=Reader([" \n"]))


@pytest.mark.parametrize("texts", [[], ["one", "two"], ["x" * (MAX_TRANSCRIPT + 1)]])
def test_a_reader_gives_one_text_a_picture_of_bounded_length(texts: list[str]) -> None:
    with pytest.raises(ModelOutputError) as caught:
        read_document("raw/a.png", saved(written("a")), pictures=Reader(texts))
    assert caught.value.where == "raw/a.png"


def test_all_that_is_read_is_bounded_too() -> None:
    data = scan(*[written("a", size=(60, 60))] * 6)
    reader = Reader(["word " * 9_000] * 6)
    with pytest.raises(PolicyError, match="of text"):
        read_document("raw/a.pdf", data, pictures=reader, limits=SourceLimits(max_text=200_000))


@pytest.mark.parametrize(
    "line",
    [
        "[page 7]",
        "  [Page 7]",
        "\u200b[slide 2 hidden]",
        "[picture, not read]",
        "[chapter 3]",
        "[sheet Prices]",
        "# llmwiki-text 1 converter=a/1 sha256=" + "0" * 64,
        "x" * 1_999 + " [page 7]",
    ],
)
def test_what_is_read_cannot_forge_a_place(line: str) -> None:
    reader = Reader([f"First\n{line}\nlast"])
    read = read_document("raw/a.png", saved(written("a")), pictures=reader)
    marked = line.rpartition("x ")[2].strip(" \u200b")
    assert f"\\{marked}" in read.lines
    assert not any(each.lower().startswith(marked.lower()) for each in read.lines[1:])


# What is drawn.


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_an_image_is_what_its_bytes_are(kind: str) -> None:
    data = saved(written(*WORDS), kind)
    for name in ("a.png", "a.jpg", "a"):
        reader = Reader(["text"])
        read = read_document(f"raw/{name}", data, pictures=reader)
        assert read.media_type == Image.MIME[kind]
        assert [picture.label for picture in reader.shown] == [""]
        assert decoded(reader.shown[0]).size == (900, 300)


@pytest.mark.parametrize("data", [saved(written(), "TIFF"), saved(written(), "BMP"), b"<svg/>"])
def test_other_pictures_are_refused_whatever_they_are_called(data: bytes) -> None:
    with pytest.raises(InputError, match="no PNG, JPEG, WebP or GIF"):
        drawn("a.png", data)


def test_a_photograph_is_turned_as_its_camera_says() -> None:
    image = Image.new("RGB", (300, 200), "white")
    image.paste("red", (0, 0, 100, 200))
    exif = Image.Exif()
    exif[0x0112] = 6
    (upright,) = drawn("a.jpg", saved(image, "JPEG", exif=exif))
    assert upright.size == (200, 300)
    assert near(upright, (100, 20), (255, 0, 0))
    assert near(upright, (100, 280), (255, 255, 255))


def test_modes_end_as_colour_over_white() -> None:
    red = Image.new("RGBA", (40, 40), (255, 0, 0, 255))
    red.paste((0, 0, 255, 0), (20, 0, 40, 40))
    palette = red.convert("RGB").quantize(4)
    deep = Image.new("I;16", (40, 40), 0x8000)
    cases: list[tuple[str, bytes, tuple[int, int, int]]] = [
        ("a.png", saved(red), (255, 0, 0)),
        ("a.gif", saved(palette, "GIF"), (255, 0, 0)),
        ("a.png", saved(deep), (128, 128, 128)),
        ("a.jpg", saved(red.convert("CMYK"), "JPEG"), (255, 0, 0)),
        ("a.png", saved(Image.new("1", (40, 40), 1)), (255, 255, 255)),
        ("a.png", saved(Image.new("LA", (40, 40), (0, 128))), (127, 127, 127)),
    ]
    for name, data, colour in cases:
        (image,) = drawn(name, data)
        assert near(image, (5, 20), colour), (name, colour)
    (flat,) = drawn("a.png", saved(red))
    assert near(flat, (35, 20), (255, 255, 255))


def test_nothing_but_pixels_is_handed_on() -> None:
    from PIL import ImageCms, PngImagePlugin

    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", "hidden words")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = saved(written("a"), pnginfo=notes, icc_profile=profile)
    (image,) = drawn("a.png", data)
    assert not set(image.info) - {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_of_an_animation_the_first_frame_is_read() -> None:
    frames = [Image.new("RGB", (60, 40), colour) for colour in ("red", "blue", "white")]
    for kind in ("GIF", "WEBP"):
        data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
        (image,) = drawn(f"a.{kind.lower()}", data)
        assert near(image, (30, 20), (255, 0, 0))


@pytest.mark.parametrize("size", [(3_000, 5_500), (2_001, 1_500)])
def test_large_pictures_are_made_smaller(size: tuple[int, int]) -> None:
    for kind in ("PNG", "JPEG"):
        (image,) = drawn("a", saved(Image.new("L", size, 200), kind))
        assert max(image.size) == LONG_EDGE
        assert abs(image.width / image.height - size[0] / size[1]) < 0.01


@pytest.mark.parametrize("wide", seldom([False, True], [False]))
def test_a_tall_picture_is_cut_between_its_lines(wide: bool) -> None:
    tall = written(*[f"Line number {i}" for i in range(120)], size=(700, 7_300))
    # A frame down both sides leaves no row quite empty.
    draw = ImageDraw.Draw(tall)
    draw.rectangle((5, 5, 694, 7_294), outline="blue")
    if wide:
        tall = tall.transpose(Image.Transpose.TRANSPOSE)
    reader = Reader(["one", "", "three", "four"])
    read = read_document("raw/a.png", saved(tall), pictures=reader)
    assert read.lines[1:] == ("one", "three", "four")
    assert [p.label for p in reader.shown] == [f"part {i}" for i in range(1, 5)]
    pieces = [decoded(picture) for picture in reader.shown]
    if wide:
        pieces = [piece.transpose(Image.Transpose.TRANSPOSE) for piece in pieces]
    assert sum(piece.height for piece in pieces) == 7_300
    for piece in pieces:
        assert piece.height <= LONG_EDGE
        inside = piece.convert("L").crop((20, 0, 680, piece.height))
        for row in (0, piece.height - 1):
            assert min(inside.crop((0, row, 660, row + 1)).tobytes()) > 200


def test_pages_are_drawn_as_a_viewer_shows_them_and_as_they_are_asked() -> None:
    page = Image.new("RGB", (850, 1_100), "white")
    page.paste("red", (0, 0, 850, 200))
    data = scan(*[page] * 5)
    pictures = drawn_confined("raw/a.pdf", data)
    first = next(pictures)
    image = decoded(first)
    assert (first.label, max(image.size)) == ("page 1", LONG_EDGE)
    assert near(image, (500, 50), (255, 0, 0))
    assert [picture.label for picture in pictures] == [f"page {n}" for n in range(2, 6)]


def test_pictures_are_counted() -> None:
    several = read_document("raw/a.pdf", mixed(TEXT_PAGE, scan(written("a"), written("b"))))
    assert several.lines.count(NOT_READ) == 2
    with pytest.raises(PicturesError) as refused:
        read_document("raw/a.png", saved(written("a")))
    assert refused.value.count == 1


def test_the_same_bytes_give_the_same_pictures() -> None:
    noise = Image.effect_noise((1_000, 800), 90).convert("RGB")
    for name, data in (("a.jpg", saved(noise, "JPEG")), ("a.pdf", scan(noise))):
        first = list(pictures_of(f"raw/{name}", data))
        assert first == list(drawn_confined(f"raw/{name}", data))
        assert len(first[0].data) <= MAX_FILE


@pytest.mark.parametrize("name", ["png", "pdf"])
def test_without_the_libraries_the_command_that_installs_them_is_told(name: str) -> None:
    """The real converting process, of a Python that sees no installed packages (`-S`)."""
    request = {
        "task": "draw",
        "converter": name,
        "pages": [1],
        "memory": 512 << 20,
        "seconds": 20,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-S", str(llmwiki.sources.convert_child.__file__)],
        input=json.dumps(request).encode() + b"\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    answer = json.loads(done.stdout)
    assert answer["status"] == "input"
    assert "pip install 'git-llmwiki[documents]'" in answer["fix"]


# What hostile ones may cost.


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *chunks: bytes, bits: int = 1, colour: int = 0) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + chunk(b"IEND", b"")


def pixels(size: int) -> bytes:
    return chunk(b"IDAT", zlib.compress(bytes(size), 9))


def long_gif() -> bytes:
    frame = saved(Image.new("L", (1, 1)), "GIF")
    head, body = frame[: frame.index(b",")], frame[frame.index(b",") : -1]
    return head + body * 100_000 + b";"


def jpeg_of(width: int, height: int, **options: object) -> bytes:
    """A small JPEG that says it is so large."""
    data = saved(written("a"), "JPEG", **options)
    return re.sub(
        rb"(\xff[\xc0\xc2]\x00\x11\x08).{4}",
        lambda found: found[1] + struct.pack(">HH", height, width),
        data,
        count=1,
        flags=re.DOTALL,
    )


def huge_image_pdf(filter_: bytes, data: bytes, side: int) -> bytes:
    was = b"/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>stream\n\x80\n"
    page = typed("", picture=WHOLE)
    assert was in page
    return page.replace(
        was,
        b"/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/%s/Length %d>>"
        b"stream\n%s\n" % (side, side, filter_, len(data), data),
    )


_BOMBS: dict[str, tuple[Callable[[], bytes], set[int]]] = {
    "wide.png": (lambda: png(50_000, 50_000, pixels(6_251 * 50_000)), {7}),
    "text.png": (
        lambda: png(9, 9, chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(300_000_000), 9))),
        {2, 7},
    ),
    "cut.jpg": (lambda: saved(written(*WORDS), "JPEG")[:2_000], {2}),
    "slow.jpg": (lambda: jpeg_of(14_000, 14_000, progressive=True), {0, 2, 7}),
    "long.gif": (long_gif, {0}),
    "page.pdf": (
        lambda: typed("", picture=b"1000000 0 0 1000000 0 0 cm").replace(
            b"[0 0 612 792]", b"[0 0 1000000 1000000]"
        ),
        {0},
    ),
    "flat.pdf": (
        lambda: huge_image_pdf(b"FlateDecode", zlib.compress(bytes(900_000_000), 9), 30_000),
        {0, 2, 7},
    ),
    "jbig2.pdf": (lambda: huge_image_pdf(b"JBIG2Decode", jbig2(60_000), 60_000), {0, 2, 7}),
}


def jbig2(side: int) -> bytes:
    """Page information, and a generic region of that size which one byte shall fill."""
    page = struct.pack(">IBBI", 0, 48, 1, 19) + struct.pack(">IIIIBH", side, side, 0, 0, 0, 0)
    region = struct.pack(">IIIIB", side, side, 0, 0, 0) + b"\0" + bytes(8) + b"\xff\xac"
    return page + struct.pack(">IBBI", 1, 38, 1, len(region)) + region


def test_bombs_end_within_time_and_memory(tmp_path: Path) -> None:
    rare = () if LONG else ("flat.pdf", "wide.png")
    files = {name: make for name, (make, _codes) in _BOMBS.items() if name not in rare}
    ended = ends_within_bounds(tmp_path, files, pictures_only=True)
    assert ended.keys() == files.keys()
    for name, (code, what) in ended.items():
        assert code in _BOMBS[name][1], (name, what)
        assert code == 0 or f"raw/{name}: " in what


def test_a_small_file_of_very_many_pages_is_no_bill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llmwiki.sources.pictures.MAX_PICTURES", 1)
    with pytest.raises(PolicyError, match="2 pages to be read from pictures; at most 1 are"):
        read_document("raw/a.pdf", scan(written("a"), written("b")), pictures=Reader(["a", "b"]))
