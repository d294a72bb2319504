"""OpenDocument: what is read of texts, sheets and slides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from convertkit import read_document

from benchmarks.office import zipped
from llmwiki.core.errors import InputError
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.read_source import converter_of
from llmwiki.sources.read_source import read_document as read_confined

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = {
    "office": "office",
    "style": "style",
    "text": "text",
    "table": "table",
    "draw": "drawing",
    "fo": "xsl-fo-compatible",
    "svg": "svg-compatible",
    "presentation": "presentation",
    "meta": "meta",
}
XMLNS = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in NAMES.items()
)
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
TYPE = "application/vnd.oasis.opendocument."
TYPED = '<table:table-cell office:value-type="string"'
MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
)
SORTS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}


def lines(data: bytes, name: str) -> list[str]:
    """The lines that are not empty, without the metadata line."""
    return [line for line in read_document(f"raw/{name}", data).lines[1:] if line]


def content(sort: str, body: str, styles: str = "", head: str = "") -> str:
    return (
        f"{head}<office:document-content {XMLNS} {XLINK}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{sort}>{body}</office:{sort}>"
        "</office:body></office:document-content>"
    )


def opened(
    extension: str,
    body: str,
    styles: str = "",
    more: Mapping[str, str | bytes] | None = None,
    head: str = "",
) -> bytes:
    """A document by hand, with this in its body."""
    sort = SORTS[extension]
    if extension == "ods":
        body = re.sub(r"<table:table-cell(?![^<>]* office:)", TYPED, body)
    parts = {"mimetype": TYPE + sort, "content.xml": content(sort, body, styles, head)}
    return zipped({**parts, "META-INF/manifest.xml": MANIFEST, **(more or {})})


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def row(*cells: str, more: str = "") -> str:
    inner = "".join(f"<table:table-cell>{p(cell)}</table:table-cell>" for cell in cells)
    return f"<table:table-row {more}>{inner}</table:table-row>"


def test_what_a_document_says_of_itself() -> None:
    meta = (
        f"<office:document-meta {XMLNS} {XLINK}><office:meta>"
        "<meta:initial-creator>Tide Office</meta:initial-creator><dc:creator>Other</dc:creator>"
        "<dc:date>2024-05-06T07:08:09.123456789</dc:date></office:meta></office:document-meta>"
    )
    read = read_document("raw/a.odt", opened("odt", p("Words."), more={"meta.xml": meta}))
    assert str(converter_of(read)) == "llmwiki-odt/2"
    found = [line for line in read.lines[1:] if line]
    assert found == ["Author: Tide Office", "Modified: 2024-05-06T07:08:09", "Words."]
    only = meta.replace("<meta:initial-creator>Tide Office</meta:initial-creator>", "")
    assert lines(opened("odt", p("Words."), more={"meta.xml": only}), "a.odt")[0] == "Author: Other"


NUMBERED = (
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" '
    'style:num-format="I" style:num-suffix="."/><text:list-level-style-number text:level="2" '
    'style:num-format="1" text:display-levels="2"/><text:list-level-style-number text:level="3" '
    'style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:start-value="3"/>'
    "</text:list-style>"
)


def test_numbers_of_lists_are_those_that_are_shown() -> None:
    def item(*blocks: str, more: str = "") -> str:
        return f"<text:list-item {more}>{''.join(blocks)}</text:list-item>"

    def inner(*items: str) -> str:
        return f"<text:list>{''.join(items)}</text:list>"

    body = (
        '<text:list xml:id="one" text:style-name="N">'
        + item(p("Scope"), inner(item(p("First"), inner(item(p("deep")), item(p("deeper"))))))
        + item(p("Terms"), p("in two paragraphs"), inner(item(p("Again"))))
        + "</text:list>"
        + p("Between.")
        + '<text:list text:style-name="N" text:continue-numbering="true">'
        + item(p("Goes on"))
        + "</text:list>"
        + '<text:list text:style-name="N">'
        + item(p("Anew"))
        + "</text:list>"
        + '<text:list text:continue-list="one" text:style-name="N">'
        + item(inner(item(p("Below the third"))))
        + item(p("Jumps"), more='text:start-value="9"')
        + "<text:list-header>"
        + p("Bare")
        + "</text:list-header></text:list>"
    )
    assert lines(opened("odt", body, NUMBERED), "a.odt") == [
        "I. Scope",
        "  I.1 First",
        "    (c) deep",
        "    (d) deeper",
        "II. Terms",
        "in two paragraphs",
        "  II.1 Again",
        "Between.",
        "III. Goes on",
        "I. Anew",
        "  III.1 Below the third",
        "IX. Jumps",
        "Bare",
    ]


def test_headings_have_the_numbers_of_the_outline() -> None:
    outline = (
        f'<office:document-styles {XMLNS}><office:styles><text:outline-style style:name="Outline">'
        '<text:outline-level-style text:level="1" style:num-format="A"/></text:outline-style>'
        '<style:style style:name="Bare" style:family="paragraph" style:list-style-name=""/>'
        "</office:styles></office:document-styles>"
    )
    body = (
        '<text:h text:outline-level="1">One</text:h><text:h text:outline-level="2">Under</text:h>'
        '<text:h text:outline-level="1" text:is-list-header="true">None</text:h>'
        '<text:h text:outline-level="1" text:style-name="Bare">Nor this</text:h>'
        '<text:h text:outline-level="1">Two</text:h>' + p("Name", "Title")
    )
    found = lines(opened("odt", body, more={"styles.xml": outline}), "a.odt")
    assert found == ["# A One", "## Under", "# None", "# Nor this", "# B Two", "# Name"]


HIDDEN = (
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/>'
    '</style:style><style:style style:name="Below" style:family="text" '
    'style:parent-style-name="H"/><style:style style:name="Ring" style:family="text" '
    'style:parent-style-name="Ring"/><style:style style:name="HP" style:family="paragraph">'
    '<style:text-properties text:display="none"/></style:style>'
)


def test_deleted_hidden_and_commented_words_are_left_out() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion>"
        + p("gone")
        + "</text:deletion></text:changed-region></text:tracked-changes>"
        + p(
            'Ebb <text:change text:change-id="a"/><text:change-start text:change-id="b"/>new'
            '<text:change-end text:change-id="b"/><text:span text:style-name="H">, not</text:span>'
            '<text:span text:style-name="Below">, nor</text:span>'
            '<text:span text:style-name="Ring">, seen</text:span>'
            "<office:annotation><text:p>a comment</text:p></office:annotation>"
            '<text:hidden-text text:is-hidden="true">no</text:hidden-text>'
            "<text:ruby><text:ruby-base>月</text:ruby-base><text:ruby-text>つき</text:ruby-text>"
            '</text:ruby><text:s text:c="999999999"/>and<text:tab/>then<text:line-break/>on.'
        )
        + p("hidden", "HP")
        + p('x<text:hidden-paragraph text:is-hidden="true"/>')
        + f'<text:section text:display="none">{p("hidden")}</text:section>'
        f'<text:section text:display="condition" text:is-hidden="true">{p("too")}</text:section>'
        f'<text:section text:display="condition" text:is-hidden="false">{p("Shown.")}'
        "</text:section>"
    )
    found = lines(opened("odt", body, HIDDEN), "a.odt")
    assert found == ["Ebb new, seen月 and then", "on.", "Shown."]


def test_notes_boxes_pictures_and_formulas() -> None:
    def note(kind: str, text: str) -> str:
        return (
            f'<text:note text:note-class="{kind}"><text:note-citation>*</text:note-citation>'
            f"<text:note-body>{p(text)}</text:note-body></text:note>"
        )

    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>a</mi><mo>=</mo>'
        "<mn>2</mn></mrow><annotation>a = 2</annotation></semantics></math>"
    )
    body = p(
        f"One{note('footnote', 'First.')}, two{note('endnote', 'Last.')}, "
        f"three{note('footnote', 'Second.')}."
        f"<draw:frame><draw:text-box>{p('In a box' + note('footnote', 'Third.'))}</draw:text-box>"
        '</draw:frame> <draw:frame><draw:image xlink:href="file:///etc/passwd"/><svg:title>Gauge'
        "</svg:title></draw:frame> "
        '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>'
        '<draw:frame><draw:object xlink:href="../../etc"/></draw:frame>'
        '<draw:frame><draw:object xlink:href="http://x.invalid/a"/></draw:frame>'
    ) + p("After.")
    found = lines(opened("odt", body, more={"Object 1/content.xml": math}), "a.odt")
    assert found == [
        "One[note 1], two[endnote 1], three[note 2]. [picture: Gauge] a=2",
        "[note 1] First.",
        "[endnote 1] Last.",
        "[note 2] Second.",
        "In a box[note 3]",
        "[note 3] Third.",
        "After.",
    ]


def test_tables_of_texts() -> None:
    covered = "<table:covered-table-cell/>"
    two = (
        '<table:table-cell table:number-rows-spanned="2" table:number-columns-spanned="2">'
        f"{p('Both')}</table:table-cell>"
    )
    body = (
        "<table:table><table:table-header-rows>"
        + row("Port", "7")
        + "</table:table-header-rows><table:table-row-group>"
        + row("Brest", "12 m", more='table:number-rows-repeated="2"')
        + "</table:table-row-group></table:table><table:table>"
        + row("a", "b", "c")
        + f"<table:table-row>{two}{covered}<table:table-cell>{p('1')}</table:table-cell>"
        "</table:table-row>"
        f"<table:table-row>{covered}{covered}<table:table-cell>{p('2')}"
        f"<table:table>{row('inner')}</table:table></table:table-cell></table:table-row>"
        "</table:table>"
    )
    assert lines(opened("odt", body), "a.odt") == [
        "table 1 row 1 | Port | 7",
        "table 1 row 2 | Port: Brest | 7: 12 m",
        "table 1 row 3 | Port: Brest | 7: 12 m",
        "table 2 row 1 | a | b | c",
        "table 2 row 2 | a: Both | c: 1",
        "table 2 row 3 | a: Both | c: 2 inner",
    ]


def sheet(*rows: str, name: str = "S", more: str = "") -> str:
    return f'<table:table table:name="{name}" {more}>{"".join(rows)}</table:table>'


def test_sheets_count_rows_that_only_stand_in_their_repetition() -> None:
    empty = '<table:table-row table:number-rows-repeated="{}"><table:table-cell/></table:table-row>'
    bare = (
        '<table:table-row><table:table-cell office:value-type="float" office:value="2.50">'
        '<text:p>2,50 €</text:p></table:table-cell><table:table-cell office:value-type="date" '
        'office:date-value="2024-05-06T07:08:09"><text:p>x</text:p></table:table-cell>'
        f"<table:covered-table-cell>{p('unseen')}</table:covered-table-cell>"
        "<table:table-cell><office:annotation><text:p>no</text:p></office:annotation>"
        f"{p('two')}{p('lines')}</table:table-cell></table:table-row>"
    )
    body = sheet(
        row("name", "day", "height", "note"),
        row("Brest", "7", more='table:number-rows-repeated="2"'),
        empty.format(4),
        bare,
        empty.format(1_048_568),
    ) + sheet(empty.format(65_536), name="Empty")
    assert lines(opened("ods", body), "a.ods") == [
        "[sheet S]",
        "row 1 | name | day | height | note",
        "row 2 | name: Brest | day: 7",
        "row 3 | name: Brest | day: 7",
        "row 8 | name: 2.5 | day: 2024-05-06T07:08:09 | note: two lines",
    ]


def test_slides_leave_out_what_each_repeats() -> None:
    def frame(kind: str, text: str) -> str:
        box = f"<draw:text-box>{p(text)}</draw:text-box>"
        return f'<draw:frame presentation:class="{kind}">{box}</draw:frame>'

    body = (
        "<draw:page>"
        + "".join(frame(kind, "no") for kind in ("header", "footer", "date-time", "page-number"))
        + frame("subtitle", "Below")
        + frame("title", "Above<text:line-break/>all")
        + f"<draw:g><draw:g><draw:rect>{p('Grouped')}</draw:rect></draw:g></draw:g>"
        + "<office:annotation><text:p>a comment</text:p></office:annotation></draw:page>"
    )
    found = lines(opened("odp", body), "a.odp")
    assert found == ["[slide 1]", "# Above all", "Below", "Grouped"]


LOCKED = (
    '<!DOCTYPE manifest:manifest PUBLIC "-//x" "Manifest.dtd"><manifest:manifest xmlns:manifest='
    '"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry>'
    "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
)
GOOD = opened("odt", p("Words."))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.odt", b"words", "is broken"),
        ("a.odt", GOOD[: len(GOOD) // 2], "is broken"),
        ("a.odt", zipped({"a": "words"}), "something else"),
        ("a.odt", zipped({"mimetype": TYPE + "text"}), "has no content.xml"),
        ("a.odt", opened("odt", "<text:p>"), "is broken"),
        ("a.odt", opened("odt", ""), "no text"),
        ("a.odp", opened("odp", ""), "no slides"),
        ("a.ods", opened("ods", sheet()), "no values"),
        ("a.odt", opened("odt", "", more={"META-INF/manifest.xml": LOCKED}), "is encrypted"),
        ("a.odt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "Office 97-2003"),
    ],
)
def test_what_is_broken_says_so(name: str, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        lines(data, name)
    assert caught.value.where == f"raw/{name}"
    assert caught.value.fix


def test_a_large_sheet_streams_within_little_memory() -> None:
    rows = "".join(row(f"gauge {number}", "4.25 m") for number in range(30_000))
    data = opened("ods", sheet(row("gauge", "height"), rows))
    found = read_confined("raw/a.ods", data, limits=SourceLimits(memory=200 << 20))
    assert found.lines[-1].startswith("row 30001 | gauge: gauge 29999 | height: 4.25 m")
