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
    module: str
    """In `converters/`, imported only in the converting process. Empty where there is only a
    picture."""
    media_type: str
    extensions: frozenset[str]
    magic: tuple[bytes, ...]
    """Patterns of lower-case beginnings, used where the extension does not decide."""
    function: str = "convert"
    """Of that module: `(data: bytes, cap: int) -> ConvertedText`; raises InputError or
    PolicyError."""
    drawing: str = ""
    """The function of `converters/drawing.py` that draws the pictures in it. Empty where none are
    read."""


_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_MODULES = {
    "json": "from_data.convert_json",
    "jsonl": "from_data.convert_lines",
    "yaml": "from_data.convert_yaml",
    **dict.fromkeys(("odt", "odp", "ods"), "from_opendocument.convert"),
}
"""Module and function of formats that have no module of their own."""


def _document(
    name: str, media_type: str, extensions: str, magic: tuple[bytes, ...] = (), drawing: str = ""
) -> Converter:
    module, _, function = _MODULES.get(name, f"from_{name}.convert").partition(".")
    kinds = frozenset(extensions.split())
    return Converter(name, module, media_type, kinds, magic, function, drawing)


def _image(name: str, extensions: str, magic: bytes) -> Converter:
    kinds = frozenset(extensions.split())
    return Converter(name, "", f"image/{name}", kinds, (magic,), drawing="draw_image")


_SEPARATOR = rb"from [^\n]{1,200}\d{4}(?: [^\n]{1,20})?\r?\n[\w-]{2,40}: "
"""What stands before a message of a mailbox, and the beginning of that."""

CONVERTERS = (
    _document("html", "text/html", "html htm xhtml", (b"<!doctype html", b"<html")),
    _document("pdf", "application/pdf", "pdf", (b"%pdf-",), "draw_pages"),
    _document("docx", f"{_OFFICE}.wordprocessingml.document", "docx docm dotx"),
    _document("pptx", f"{_OFFICE}.presentationml.presentation", "pptx pptm ppsx"),
    _document("xlsx", f"{_OFFICE}.spreadsheetml.sheet", "xlsx xlsm"),
    _document("epub", "application/epub+zip", "epub"),
    _document("odt", f"{_OPEN}.text", "odt ott"),
    _document("odp", f"{_OPEN}.presentation", "odp otp"),
    _document("ods", f"{_OPEN}.spreadsheet", "ods ots"),
    _document("csv", "text/csv", "csv tsv tab"),
    _document("json", "application/json", "json"),
    _document("jsonl", "application/jsonl", "jsonl ndjson"),
    _document("yaml", "application/yaml", "yaml yml"),
    _document("notebook", "application/x-ipynb+json", "ipynb"),
    _document("subtitles", "text/vtt", "srt vtt", (b"webvtt",)),
    _document("email", "message/rfc822", "eml", (_SEPARATOR,)),
    _image("png", "png", rb"\x89png\r\n\x1a\n"),
    _image("jpeg", "jpg jpeg", rb"\xff\xd8\xff"),
    _image("webp", "webp", rb"riff....webp"),
    _image("gif", "gif", rb"gif8[79]a"),
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
    return any(not c.module and extension in c.extensions for c in CONVERTERS)


def converter_for(path: str, data: bytes) -> Converter | None:
    """What converts this source: by extension, or by its first bytes if it has no extension.

    An image is told by its bytes, since many have the extension of another format. None for a
    source that is its own text. Raises InputError for a format that is not read.
    """
    extension = ending_of(path)
    for converter in CONVERTERS:
        if extension in converter.extensions:
            return converter if converter.module else _by_bytes(data, images=True) or converter
    if not extension and (told := _by_bytes(data)):
        return told
    if own_text_type(path) is None:
        raise unsupported(path)
    return None


def _by_bytes(data: bytes, *, images: bool = False) -> Converter | None:
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for converter in CONVERTERS:
        if images and converter.module:
            continue
        if any(re.match(magic, start, re.DOTALL) for magic in converter.magic):
            return converter
    return None


def seems(data: bytes) -> str:
    """The ending of what bytes that are no text seem to be, empty for nothing that is read."""
    told = _by_bytes(data)
    return usual_ending(told) if told else ""


def usual_ending(converter: Converter) -> str:
    """The usual ending of a format."""
    for name in (converter.name, converter.media_type.rpartition("/")[2]):
        if name in converter.extensions:
            return name
    return min(converter.extensions)


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
