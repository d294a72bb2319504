"""Office documents and books written by hand: the same bytes for the same parts every time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_EXTERNAL = ' TargetMode="External"'
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

Parts = Mapping[str, str | bytes]
"""The files of an archive: path → contents."""
Related = tuple[str, str, str]
"""A relationship: its id, its kind (`styles`), the path of its target."""


def zipped(parts: Parts) -> bytes:
    """An archive of these files in this order, packed, dated 1980."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(zipfile.ZipInfo(name), body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def relationships(*rows: Related) -> str:
    """The relationships part that names these targets; those with `://` are external."""
    body = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"'
        f"{_EXTERNAL if '://' in target else ''}/>"
        for name, kind, target in rows
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{body}</Relationships>'


def _types(overrides: Mapping[str, str]) -> str:
    rows = "".join(
        f'<Override PartName="/{name}" ContentType="{_MAIN}.{kind}+xml"/>'
        for name, kind in overrides.items()
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f"{rows}</Types>"
    )


def word(
    body: str, more: Parts | None = None, related: Sequence[Related] = (), *, head: str = ""
) -> bytes:
    """A Word document with this in its body; `more` are further parts of it, `head` stands before
    its root."""
    kinds = {"word/document.xml": "wordprocessingml.document.main"}
    kinds |= {
        f"word/{target}": f"wordprocessingml.{kind}"
        for _, kind, target in related
        if "://" not in target
    }
    return zipped(
        {
            "[Content_Types].xml": _types(kinds),
            "_rels/.rels": relationships(("r1", "officeDocument", "word/document.xml")),
            "word/document.xml": f'{head}<w:document xmlns:w="{WORD}" xmlns:r="{_OFFICE}"><w:body>'
            f"{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relationships(*related),
            **(more or {}),
        }
    )


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of a Word document; `text` is escaped already."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def workbook(
    sheets: Mapping[str, str],
    more: Parts | None = None,
    related: Sequence[Related] = (),
    *,
    head: str = "",
) -> bytes:
    """A workbook: name of each sheet → what stands in its `worksheet` element, and `head` before.

    Sheets of the same contents share one part.
    """
    paths: dict[str, str] = {}
    for contents in sheets.values():
        paths.setdefault(contents, f"worksheets/sheet{len(paths) + 1}.xml")
    entries = [(f"s{n}", name, paths[body]) for n, (name, body) in enumerate(sheets.items(), 1)]
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="{key}"/>'
        for n, (key, name, _) in enumerate(entries, 1)
    )
    kinds = {"xl/workbook.xml": "spreadsheetml.sheet.main"}
    kinds |= {f"xl/{path}": "spreadsheetml.worksheet" for path in paths.values()}
    kinds |= {f"xl/{target}": f"spreadsheetml.{kind}" for _, kind, target in related}
    return zipped(
        {
            "[Content_Types].xml": _types(kinds),
            "_rels/.rels": relationships(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{_OFFICE}">'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relationships(
                *((key, "worksheet", path) for key, _, path in entries), *related
            ),
            **{
                f"xl/{path}": f'{head}<worksheet xmlns="{SHEETS}">{body}</worksheet>'
                for body, path in paths.items()
            },
            **(more or {}),
        }
    )


def presentation(slides: Sequence[str], notes: Sequence[str] = ()) -> bytes:
    """A presentation: what stands in the shape tree of each slide, and of its notes if any.

    All slides have one empty layout.
    """
    listed = "".join(
        f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n, _ in enumerate(slides, start=1)
    )
    kinds = {
        "ppt/presentation.xml": "presentationml.presentation.main",
        "ppt/layout.xml": "presentationml.slideLayout",
        "ppt/master.xml": "presentationml.slideMaster",
    }
    parts = {
        "ppt/layout.xml": _slide("sldLayout", ""),
        "ppt/_rels/layout.xml.rels": relationships(("m", "slideMaster", "master.xml")),
        "ppt/master.xml": _slide("sldMaster", ""),
    }
    for n, shapes in enumerate(slides, start=1):
        kinds[f"ppt/slides/slide{n}.xml"] = "presentationml.slide"
        parts[f"ppt/slides/slide{n}.xml"] = _slide("sld", shapes)
        own = [("l", "slideLayout", "../layout.xml")]
        if n <= len(notes):
            kinds[f"ppt/notesSlides/notes{n}.xml"] = "presentationml.notesSlide"
            parts[f"ppt/notesSlides/notes{n}.xml"] = _slide("notes", notes[n - 1])
            own.append(("n", "notesSlide", f"../notesSlides/notes{n}.xml"))
        parts[f"ppt/slides/_rels/slide{n}.xml.rels"] = relationships(*own)
    rows = ((f"s{n}", "slide", f"slides/slide{n}.xml") for n, _ in enumerate(slides, start=1))
    return zipped(
        {
            "[Content_Types].xml": _types(kinds),
            "_rels/.rels": relationships(("r1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{_OFFICE}">'
            f"<p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relationships(*rows),
            **parts,
        }
    )


def _slide(root: str, shapes: str) -> str:
    return (
        f'<p:{root} xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{_OFFICE}"><p:cSld><p:spTree>'
        '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        f"{shapes}</p:spTree></p:cSld></p:{root}>"
    )


def shape(kind: str, paragraphs: Sequence[str]) -> str:
    """A placeholder of a slide (`title`, `body`) with these escaped paragraphs."""
    body = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="{kind}"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/>'
        f"</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{body}</p:txBody></p:sp>"
    )


def slide_table(rows: Sequence[Sequence[str]]) -> str:
    """A table on a slide; the first row names the columns."""
    body = "".join(
        '<a:tr h="1">'
        + "".join(
            f"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>"
            for cell in row
        )
        + "</a:tr>"
        for row in rows
    )
    grid = '<a:gridCol w="1"/>' * len(rows[0])
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="t"/><p:cNvGraphicFramePr/>'
        '<p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></p:xfrm>'
        f'<a:graphic><a:graphicData uri="{DRAWING.removesuffix("main")}table">'
        f'<a:tbl><a:tblPr firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{body}</a:tbl>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )


def book(chapters: Mapping[str, str], *, manifest: str = "", more: Parts | None = None) -> bytes:
    """A book: name of each chapter's file → its page of XHTML; `manifest` adds items."""
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n, _ in enumerate(chapters))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
            'container" version="1.0"><rootfiles><rootfile full-path="book.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title>'
            f"</metadata><manifest>{items}{manifest}</manifest><spine>{spine}</spine></package>",
            **chapters,
            **(more or {}),
        }
    )
