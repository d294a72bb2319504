"""Which formats are read, and by what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from llmwiki.core.errors import InputError

MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "mdx"})
_PLAIN = frozenset({"", "txt", "text", "log"})
_OWN_TEXT = {
    **dict.fromkeys(MARKDOWN, "text/markdown"),
    **dict.fromkeys(_PLAIN, "text/plain"),
    **dict.fromkeys(("rst", "rest"), "text/x-rst"),
    "org": "text/org",
    **dict.fromkeys(("adoc", "asciidoc"), "text/asciidoc"),
}
"""Extensions of files that are their own text, with their media types: what people write and read
as it stands. None counts too (`README`, `NOTES`); TeX does not, for its commands are no words."""


@dataclass(frozen=True, slots=True)
class Converter:
    """One way from a format to text. A new format is one module and one line in CONVERTERS."""

    name: str
    """Its usual ending."""
    media_type: str
    extensions: frozenset[str]
    magic: tuple[bytes, ...]
    """Patterns of lower-case beginnings, used where the extension does not decide."""
    reader: str
    """A function in `converters/`, `from_csv.convert`, imported only in the converting process:
    `(data: bytes, out: Gathered) -> None`; raises InputError or PolicyError. Empty where there is
    only a picture."""
    version: int
    """Raised with every change of the text that the reader gives."""
    drawing: str = ""
    """The function there that draws the pictures in it. Empty where none are read."""


_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"


def _document(
    reader: str,
    version: int,
    media_type: str,
    extensions: str,
    magic: tuple[bytes, ...] = (),
    drawing: str = "",
) -> Converter:
    """The first of the extensions is the usual one."""
    kinds = extensions.split()
    return Converter(kinds[0], media_type, frozenset(kinds), magic, reader, version, drawing)


def _image(extensions: str, magic: bytes) -> Converter:
    name = extensions.split(maxsplit=1)[0]
    return _document("", 0, f"image/{name}", extensions, (magic,), "draw_pictures.draw_image")


_SEPARATOR = rb"from [^\n]{1,200}\d{4}(?: [^\n]{1,20})?\r?\n[\w-]{2,40}: "
"""What stands before a message of a mailbox, and the beginning of that."""

CONVERTERS = (
    _document("from_html.convert", 3, "text/html", "html htm xhtml", (b"<!doctype html", b"<html")),
    _document(
        "from_pdf.convert", 2, "application/pdf", "pdf", (b"%pdf-",), "draw_pictures.draw_pages"
    ),
    _document("from_docx.convert", 1, f"{_OFFICE}.wordprocessingml.document", "docx docm dotx"),
    _document("from_pptx.convert", 2, f"{_OFFICE}.presentationml.presentation", "pptx pptm ppsx"),
    _document("from_xlsx.convert", 1, f"{_OFFICE}.spreadsheetml.sheet", "xlsx xlsm"),
    _document("from_epub.convert", 2, "application/epub+zip", "epub"),
    _document("from_opendocument.convert", 2, f"{_OPEN}.text", "odt ott"),
    _document("from_opendocument.convert", 2, f"{_OPEN}.presentation", "odp otp"),
    _document("from_opendocument.convert", 2, f"{_OPEN}.spreadsheet", "ods ots"),
    _document("from_csv.convert", 2, "text/csv", "csv tsv tab"),
    _document("from_data.convert_json", 1, "application/json", "json"),
    _document("from_data.convert_lines", 1, "application/jsonl", "jsonl ndjson"),
    _document("from_data.convert_yaml", 1, "application/yaml", "yaml yml"),
    _document("from_notebook.convert", 1, "application/x-ipynb+json", "ipynb"),
    _document("from_subtitles.convert", 1, "text/vtt", "vtt srt", (b"webvtt",)),
    _document("from_email.convert", 1, "message/rfc822", "eml", (_SEPARATOR,)),
    _image("png", rb"\x89png\r\n\x1a\n"),
    _image("jpeg jpg", rb"\xff\xd8\xff"),
    _image("webp", rb"riff....webp"),
    _image("gif", rb"gif8[79]a"),
)
ENDINGS = frozenset(_OWN_TEXT).union(*(each.extensions for each in CONVERTERS))
"""The endings of the names of sources that are read; none, "", is one of them."""


def own_text_type(path: str) -> str | None:
    """The media type of a file that is its own text, by its extension; None for others."""
    return _OWN_TEXT.get(ending_of(path))


def is_read(path: str) -> bool:
    """Whether sources with this extension are read."""
    return ending_of(path) in ENDINGS


def is_image(path: str) -> bool:
    """Whether sources with this extension are pictures and nothing else."""
    extension = ending_of(path)
    return any(not c.reader and extension in c.extensions for c in CONVERTERS)


def converter_for(path: str, data: bytes) -> Converter | None:
    """What converts this source: by extension, or by its first bytes if it has no extension.

    An image is told by its bytes, since many have the extension of another format. None for a
    source that is its own text. Raises InputError for a format that is not read.
    """
    extension = ending_of(path)
    for converter in CONVERTERS:
        if extension in converter.extensions:
            return converter if converter.reader else _by_bytes(data, images=True) or converter
    if not extension and (told := _by_bytes(data)):
        return told
    if own_text_type(path) is None:
        raise unsupported(path)
    return None


def _by_bytes(data: bytes, *, images: bool = False) -> Converter | None:
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for converter in CONVERTERS:
        if images and converter.reader:
            continue
        if any(re.match(magic, start, re.DOTALL) for magic in converter.magic):
            return converter
    return None


def seems(data: bytes) -> str:
    """The ending of what bytes that are no text seem to be, empty for nothing that is read."""
    told = _by_bytes(data)
    return told.name if told else ""


def converter_named(name: str) -> Converter:
    """The converter of that name; KeyError if there is none."""
    return {converter.name: converter for converter in CONVERTERS}[name]


_SAVED_AS = {
    **dict.fromkeys(("doc", "dot", "rtf", "pages"), "docx"),
    **dict.fromkeys(("ppt", "pps", "key"), "pptx"),
    **dict.fromkeys(("xls", "xlsb", "numbers"), "xlsx"),
    "fodt": "odt",
    "fodp": "odp",
    "fods": "ods",
}
"""What the programs of formats that are not read can also write."""


def unsupported(path: str) -> InputError:
    """The refusal of a source whose format is not read, saying what is."""
    extension = ending_of(path)
    fix = "`wiki ingest --help` names the endings of those that are."
    if extension == "mbox":
        fix = "`git mailsplit -oFOLDER MAILBOX` parts it into messages; ingest their folder."
    elif extension in _SAVED_AS:
        fix = f"Open it in its own program, save it as .{_SAVED_AS[extension]}, and ingest that."
    return InputError(
        f".{extension} files are not read" if extension else "this format is not read",
        where=path,
        fix=fix,
    )


def ending_of(path: str) -> str:
    """The ending of a file's name, in small letters, without its dot."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")
