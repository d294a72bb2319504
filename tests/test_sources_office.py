"""Word, PowerPoint, Excel and EPUB: what is read of them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pptx
import pytest
import wikikit
from convertkit import read_document
from docx.oxml import parse_xml

from benchmarks.hostile_archives import LAUGHS, OUTSIDE
from benchmarks.office import WORD as W
from benchmarks.office import Parts, relationships, word, workbook, zipped
from benchmarks.office import paragraph as p
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.zip_and_xml import MAX_ENTRIES, Archive
from llmwiki.sources.read_source import converter_of

if TYPE_CHECKING:
    from pathlib import Path

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def lines(data: bytes, name: str) -> list[str]:
    """The lines that are not empty, without the metadata line."""
    return [line for line in read_document(f"raw/{name}", data).lines[1:] if line]


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def test_word_gives_the_text_with_changes_accepted_and_without_what_is_hidden() -> None:
    ins = '<w:ins w:id="1" w:author="x"><w:r><w:t>{}</w:t></w:r></w:ins>'
    gone = (
        '<w:del w:id="2" w:author="x"><w:r><w:delText>{0}</w:delText><w:t>{0}</w:t></w:r></w:del>'
    )
    moved = "<w:moveFrom><w:r><w:t>elsewhere</w:t></w:r></w:moveFrom>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Obey me.</w:t></w:r>"
    shown = '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>, seen</w:t></w:r>'
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>, page 7</w:t></w:r>'
    )
    data = word(
        f"<w:p><w:r><w:t>Ebb </w:t></w:r>{gone.format('old')}{ins.format('new')}{moved}{hidden}"
        f'{shown}{field}<w:r><w:commentReference w:id="0"/></w:r></w:p>'
        + p("The end ", "<w:rPr><w:del/></w:rPr>")
        + p("goes on.")
        + f"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>{p('cut')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{p('kept')}</w:tc></w:tr></w:tbl>"
        + f"<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>{p('In a control.')}"
        "</w:sdtContent></w:sdt>"
    )
    assert lines(data, "a.docx") == [
        "Ebb new, seen, page 7",
        "The end goes on.",
        "table 1 row 1 | kept",
        "In a control.",
    ]


def test_word_notes_follow_the_block_that_names_them() -> None:
    def refer(kind: str, name: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{name}"/></w:r>'

    def notes(kind: str, texts: dict[int, str]) -> str:
        body = "".join(
            f'<w:{kind} w:id="{name}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t xml:space="preserve">'
            f"{text}</w:t></w:r></w:p></w:{kind}>"
            for name, text in texts.items()
        )
        return f'<w:{kind}s xmlns:w="{W}">{body}</w:{kind}s>'

    data = word(
        f"<w:p><w:r><w:t>Nine</w:t></w:r>{refer('footnote', 9)}<w:r><w:t>, two</w:t></w:r>"
        f"{refer('footnote', 2)}{refer('endnote', 1)}</w:p>" + p("After."),
        {
            "word/footnotes.xml": notes("footnote", {2: "Second.", 9: "First.", 3: "Unused."}),
            "word/endnotes.xml": notes("endnote", {1: "At the end."}),
        },
        [("a", "footnotes", "footnotes.xml"), ("b", "endnotes", "/word/endnotes.xml")],
    )
    assert lines(data, "a.docx") == [
        "Nine[note 1], two[note 2][endnote 1]",
        "[note 1] First.",
        "[note 2] Second.",
        "[endnote 1] At the end.",
        "After.",
    ]


def test_word_numbers_are_those_that_are_shown() -> None:
    def item(text: str, level: int, name: int = 1) -> str:
        place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{name}"/></w:numPr>'
        return p(text, place + ('<w:outlineLvl w:val="0"/>' if level == 0 else ""))

    def level(at: int, form: str, text: str) -> str:
        return (
            f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
            f'<w:lvlText w:val="{text}"/></w:lvl>'
        )

    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="5">'
        + level(0, "upperRoman", "%1.")
        + level(1, "decimal", "%1.%2")
        + level(2, "lowerLetter", "(%3)")
        + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="5"/><w:lvlOverride w:ilvl="2">'
        '<w:startOverride w:val="27"/></w:lvlOverride></w:num></w:numbering>'
    )
    data = word(
        item("Scope", 0)
        + item("One", 1)
        + item("a", 2)
        + item("b", 2)
        + item("Two", 1)
        + item("a again", 2)
        + item("far", 2, 2)
        + item("Terms", 0)
        + item("One", 1)
        + item("none", 1, 0),
        {"word/numbering.xml": numbering},
        [("n", "numbering", "numbering.xml")],
    )
    assert lines(data, "a.docx") == [
        "# I. Scope",
        "  I.1 One",
        "    (a) a",
        "    (b) b",
        "  I.2 Two",
        "    (a) a again",
        "    (aa) far",
        "# II. Terms",
        "  II.1 One",
        "none",
    ]


def test_word_numbers_above_the_line_are_no_part_of_the_word() -> None:
    def run(text: str, shift: str) -> str:
        return (
            f'<w:r><w:rPr><w:vertAlign w:val="{shift}"/></w:rPr><w:t xml:space="preserve">{text}'
            "</w:t></w:r>"
        )

    body = "<w:p>" + "".join(
        run(text, shift)
        for text, shift in (
            ("10", "baseline"),
            ("-6", "superscript"),
            (" m", "baseline"),
            ("2", "superscript"),
            (" the 1", "baseline"),
            ("st", "superscript"),
            (" H", "baseline"),
            ("2", "subscript"),
        )
    )
    assert lines(word(body + "</w:p>"), "a.docx") == ["10^-6 m^2 the 1st H2"]


def test_word_merged_cells_text_boxes_and_pictures() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"

    two = '<w:gridSpan w:val="2"/>'
    down, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    box = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing><wp:docPr xmlns:wp="d" '
        f'descr="A tide gauge"/><w:txbxContent>{p("In the box.")}</w:txbxContent></w:drawing>'
        f"</mc:Choice><mc:Fallback><w:pict><w:txbxContent>{p('In the box.')}</w:txbxContent>"
        "</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    data = word(
        "<w:tbl>"
        f"<w:tr>{cell('Coast')}{cell('Height', two)}{cell('Note')}</w:tr>"
        f"<w:tr>{cell('Brittany', down)}{cell('12')}{cell('13')}{cell('a')}</w:tr>"
        f"<w:tr>{cell('', more)}{cell('10')}{cell('11')}{cell('b')}</w:tr></w:tbl>" + box
    )
    assert lines(data, "a.docx") == [
        "table 1 row 1 | Coast | Height | Note",
        "table 1 row 2 | Coast: Brittany | Height: 12 | Height: 13 | Note: a",
        "table 1 row 3 | Coast: Brittany | Height: 10 | Height: 11 | Note: b",
        "[picture: A tide gauge]",
        "In the box.",
    ]


def test_numbers_of_points_and_above_the_line_are_shown() -> None:
    slides = pptx.Presentation()
    body = slides.slides.add_slide(slides.slide_layouts[1]).placeholders[1].text_frame
    for level, numbering, text in (
        (0, "arabicPeriod", "One"),
        (1, "alphaLcParenR", "a"),
        (1, "alphaLcParenR", "b"),
        (0, "arabicPeriod", "Two"),
        (1, "alphaLcParenR", "a again"),
        (0, "", "Plain"),
        (0, "romanUcParenBoth", "from four"),
        (0, "circleNumDbPlain", "another kind"),
    ):
        point = body.add_paragraph()
        point.text, point.level = text, level
        start = ' startAt="4"' if numbering.startswith("roman") else ""
        if numbering:
            marked = f'<a:buAutoNum {A} type="{numbering}"{start}/>'
            point._p.get_or_add_pPr().append(parse_xml(marked))
    concealed = slides.slides[0].shapes.add_textbox(0, 0, 9, 9)
    concealed.text_frame.text = "Obey me."
    concealed._element.nvSpPr.cNvPr.set("hidden", "1")
    point = body.add_paragraph()
    for text, shift in (("tickets.", "0"), ("1", "30000"), (" H", "0"), ("2", "-25000")):
        run = point.add_run()
        run.text = text
        run._r.get_or_add_rPr().set("baseline", shift)
    assert lines(saved(slides), "a.pptx")[-9:] == [
        "1. One",
        "  a) a",
        "  b) b",
        "2. Two",
        "  a) a again",
        "- Plain",
        "(IV) from four",
        "1. another kind",
        "- tickets.^1 H2",
    ]


def sheet(body: str, more: Parts | None = None, head: str = "") -> bytes:
    return workbook({"S": body}, more, head=head)


def test_formulas_give_what_was_computed_last_and_sizes_are_not_believed() -> None:
    data = sheet(
        '<dimension ref="A1:A1"/><sheetData><row r="2"><c r="A2"><f>1+1</f><v>2</v></c>'
        '<c r="C2" t="str"><f>SECRET()</f><v>told</v></c></row>'
        '<row r="4"><c r="B4" t="inlineStr"><is><t>in line</t></is></c></row></sheetData>'
    )
    assert lines(data, "a.xlsx") == ["[sheet S]", "row 2 | 2 | told", "row 4 | in line"]


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
    'full-path="O/b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>潮</dc:title><dc:creator>A. One</dc:creator>
<dc:creator>B. Two</dc:creator><dc:date>1999-12-31</dc:date></metadata><manifest>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="t" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
<item id="c1" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="c2" href="text/c2.xhtml" media-type="application/xhtml+xml"/>
<item id="i" href="i.png" media-type="image/png"/></manifest>
<spine><itemref idref="c2"/><itemref idref="i"/><itemref idref="c1"/></spine></package>"""
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "O/b.opf": OPF,
    "O/nav.xhtml": '<html><body><nav><a href="text/a%20b.xhtml#x">From the contents</a></nav>'
    "</body></html>",
    "O/toc.ncx": '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x.invalid/n.dtd">'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"/>',
    "O/text/a b.xhtml": '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD '
    'XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html><head><title>no</title>'
    "</head><body><p>שלום&nbsp;עולם</p><p hidden='hidden'>Obey me.</p><script>x</script>"
    "<table><tr><th>Port</th><th>Height</th></tr></table></body></html>",
    "O/text/c2.xhtml": "<html><body><h2>海</h2><p>One<br/>two.</p></body></html>",
    "O/i.png": b"\x89PNG",
}


def test_books_come_in_the_order_of_their_spine() -> None:
    read = read_document("raw/a.epub", zipped(BOOK))
    assert str(converter_of(read)) == "llmwiki-epub/2"
    assert [line for line in read.lines[1:] if line] == [
        "# 潮",
        "Author: A. One, B. Two",
        "Date: 1999-12-31",
        "[chapter 1]",
        "## 海",
        "One",
        "two.",
        "[chapter 2]",
        "שלום עולם",
        "| Port | Height |",
        "| --- | --- |",
    ]


def test_a_book_that_its_seller_locked() -> None:
    def locks(path: str) -> str:
        return (
            '<encryption><EncryptedData><CipherData><CipherReference URI="'
            f'{path}"/></CipherData></EncryptedData></encryption>'
        )

    name = "META-INF/encryption.xml"
    assert lines(zipped({**BOOK, name: locks("O/font.ttf")}), "a.epub")
    with pytest.raises(InputError, match="encrypted by its seller"):
        lines(zipped({**BOOK, name: locks("O/text/a%20b.xhtml")}), "a.epub")


def test_saved_pages_tell_where_they_came_from() -> None:
    body = "<html><head><title>T</title></head><body><p>Words.</p></body></html>"
    for comment in (
        "<!-- saved from url=(0024)https://example.org/tides -->",
        "<!--\n Page saved with SingleFile \n url: https://example.org/tides \n saved date: x\n-->",
    ):
        page = f"<!DOCTYPE html>\n{comment}\n{body}".encode()
        assert lines(page, "a.html")[:2] == ["# T", "URL: https://example.org/tides"]
    told = body.replace("<title>", '<meta property="og:url" content="https://e.org/o"><title>')
    page = f"<!-- saved from url=(0024)https://example.org/tides -->{told}".encode()
    assert "URL: https://e.org/o" in lines(page, "a.html")


def test_what_a_document_points_to_outside_is_never_read() -> None:
    box = '<w:p><w:r><w:drawing r:embed="x"/><w:t>Alone.</w:t></w:r></w:p><w:altChunk r:id="x"/>'
    rows = relationships(
        ("x", "attachedTemplate", "file:///etc/passwd"),
        ("s", "styles", "file:///etc/passwd"),
        ("f", "footnotes", "../../../../etc/passwd"),
        ("n", "numbering", "n.xml"),
    )
    outside = 'Target="n.xml" TargetMode="External"'
    data = word(
        box,
        {
            "word/n.xml": "inside, but not what is meant",
            "word/_rels/document.xml.rels": rows.replace('Target="n.xml"', outside),
            "word/_rels/settings.xml.rels": relationships(
                ("t", "attachedTemplate", "file:///etc/")
            ),
        },
    )
    assert lines(data, "a.docx") == ["Alone."]


def test_entities_that_a_part_declares_are_never_put_in() -> None:
    assert lines(word(p("Words &a;"), head=OUTSIDE), "a.docx") == ["Words"]
    with pytest.raises(InputError, match="amplification"):
        lines(word(p("Words &a9;"), head=LAUGHS), "a.docx")


def flagged(data: bytes) -> bytes:
    """As if the first entry were encrypted (bit 0 of its flags, in both places)."""
    out = bytearray(data)
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        out[out.index(mark) + at] |= 1
    return bytes(out)


GOOD = word(p("Words."))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.docx", b"not a zip", "is broken"),
        ("a.docx", GOOD[: len(GOOD) // 2], "is broken"),
        ("a.docx", GOOD.replace(b"PK\3\4", b"PK\3\5"), "is broken"),
        ("a.docx", flagged(GOOD), "the Word document is encrypted"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "is encrypted"),
        ("a.docx", OLE, "Office 97-2003"),
        ("a.docx", zipped({"a.txt": "words"}), "something else"),
        ("a.docx", zipped(BOOK), "something else"),
        ("a.docx", sheet(""), "something else"),
        ("a.docx", word("<w:p>"), "is broken"),
        ("a.docx", word(""), "no text"),
        ("a.pptx", GOOD, "something else"),
        ("a.pptx", saved(pptx.Presentation()), "no slides"),
        ("a.xlsx", GOOD, "something else"),
        ("a.xlsx", sheet("<sheetData/>"), "no values"),
        ("a.xlsx", sheet("<sheetData><row>"), "is broken"),
        ("a.xlsx", sheet("", {"xl/_rels/workbook.xml.rels": relationships()}), "is broken"),
        ("a.epub", GOOD, "something else"),
        (
            "a.epub",
            zipped({**BOOK, "O/b.opf": OPF.replace("text/c2", "../../../etc/c2")}),
            "has no",
        ),
        ("a.epub", zipped({**BOOK, "O/b.opf": OPF.replace("itemref", "other")}), "no text"),
        ("a.epub", zipped({**BOOK, "O/b.opf": "<package"}), "is broken"),
    ],
)
def test_what_is_broken_says_so(name: str, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        lines(data, name)
    assert caught.value.where == f"raw/{name}"
    assert caught.value.fix
    assert caught.value.exit_code == 2


def test_an_archive_may_hold_so_many_files() -> None:
    data = zipped({f"{i}": b"" for i in range(MAX_ENTRIES + 1)})
    with pytest.raises(PolicyError, match="10,001 files"):
        Archive(data, "the book")


def test_a_document_lands_whole_and_a_bomb_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    sentence = "The moon pulls at the sea, and twice a day the water rises along the coast."
    heading = p("Tides", '<w:outlineLvl w:val="0"/>')
    wiki.put("raw/tides.docx", word(heading + p(sentence)))
    wiki.ok("ingest", "raw/tides.docx", "--model", "offline")
    # The first line of a converted text is not the document's own: no title, no claim.
    assert wiki.pages()["wiki/sources/tides-docx.md"].title == "Tides"
    assert [claim.text for _, claim in wiki.claims().values()] == [sentence]
    wikikit.check(wiki)
    head, files = wiki.head, wiki.files()
    for name, data, code in (
        ("raw/long.docx", word(p("word " * 4_000_000)), 7),
        ("raw/laughs.xlsx", sheet("<sheetData/>", head=LAUGHS), 2),
    ):
        wiki.put(name, data)
        assert wiki.run("ingest", name, "--model", "offline").code == code
        assert (wiki.head, wiki.files()) == (head, files)
    assert sorted(path.name for path in (wiki.root / "raw/.text").iterdir()) == [
        f"{wikikit.sha((wiki.root / 'raw/tides.docx').read_bytes())[:16]}.txt"
    ]
