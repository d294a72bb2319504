"""Which formats are read, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from llmwiki.core.errors import InputError

MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "mdx"})
PLAIN = frozenset({"", "txt", "text", "log"})
"""Extensions of files that are their own text; none at all counts (`README`, `NOTES`)."""


@dataclass(frozen=True, slots=True)
class Converter:
    """One way from a format to text. A new format is one module and one line in CONVERTERS."""

    name: str
    module: str
    """With a function `convert(data: bytes, cap: int) -> Converted`, imported only in the
    converting process; it raises InputError or PolicyError."""
    media_type: str
    extensions: frozenset[str]
    magic: tuple[bytes, ...]
    """Lower-case beginnings that tell the format where the extension does not."""


CONVERTERS = (
    Converter(
        "html",
        "llmwiki.sources.from_html",
        "text/html",
        frozenset({"html", "htm", "xhtml"}),
        (b"<!doctype html", b"<html"),
    ),
    Converter(
        "pdf",
        "llmwiki.sources.from_pdf",
        "application/pdf",
        frozenset({"pdf"}),
        (b"%pdf-",),
    ),
    Converter(
        "docx",
        "llmwiki.sources.from_docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        frozenset({"docx", "docm", "dotx"}),
        (),
    ),
    Converter(
        "pptx",
        "llmwiki.sources.from_pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        frozenset({"pptx", "pptm", "ppsx"}),
        (),
    ),
    Converter(
        "xlsx",
        "llmwiki.sources.from_xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        frozenset({"xlsx", "xlsm"}),
        (),
    ),
    Converter(
        "epub",
        "llmwiki.sources.from_epub",
        "application/epub+zip",
        frozenset({"epub"}),
        (),
    ),
    Converter("csv", "llmwiki.sources.from_csv", "text/csv", frozenset({"csv", "tsv", "tab"}), ()),
    Converter("json", "llmwiki.sources.from_json", "application/json", frozenset({"json"}), ()),
    Converter(
        "jsonl",
        "llmwiki.sources.from_jsonl",
        "application/jsonl",
        frozenset({"jsonl", "ndjson"}),
        (),
    ),
    Converter(
        "yaml", "llmwiki.sources.from_yaml", "application/yaml", frozenset({"yaml", "yml"}), ()
    ),
    Converter("rst", "llmwiki.sources.from_rst", "text/x-rst", frozenset({"rst", "rest"}), ()),
    Converter("org", "llmwiki.sources.from_org", "text/org", frozenset({"org"}), ()),
    Converter(
        "notebook",
        "llmwiki.sources.from_notebook",
        "application/x-ipynb+json",
        frozenset({"ipynb"}),
        (),
    ),
    Converter(
        "subtitles",
        "llmwiki.sources.from_subtitles",
        "text/vtt",
        frozenset({"srt", "vtt"}),
        (b"webvtt",),
    ),
    Converter("email", "llmwiki.sources.from_email", "message/rfc822", frozenset({"eml"}), ()),
)


def own_text_type(path: str) -> str | None:
    """The media type of a file that is its own text, by its extension; None for others."""
    extension = _extension(path)
    if extension in MARKDOWN:
        return "text/markdown"
    return "text/plain" if extension in PLAIN else None


def is_read(path: str) -> bool:
    """Whether sources with this extension are read."""
    extension = _extension(path)
    return own_text_type(path) is not None or any(extension in c.extensions for c in CONVERTERS)


def converter_for(path: str, data: bytes) -> Converter | None:
    """What converts this source: by extension, or by its first bytes if it has no extension.

    None for a source that is its own text. Raises InputError for a format that is not read.
    """
    extension = _extension(path)
    for converter in CONVERTERS:
        if extension in converter.extensions:
            return converter
    if not extension:
        start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
        for converter in CONVERTERS:
            if start.startswith(converter.magic):
                return converter
    if own_text_type(path) is None:
        raise unsupported(path)
    return None


def converter_named(name: str) -> Converter:
    """The converter of that name; KeyError if there is none."""
    return {converter.name: converter for converter in CONVERTERS}[name]


def unsupported(path: str) -> InputError:
    """The refusal of a source whose format is not read, saying what is."""
    extension = _extension(path)
    if extension == "mbox":
        return InputError(
            "a mailbox holds many messages, and each of them is a source",
            where=path,
            fix="Split it into a folder of .eml files, one a message: export them from the mail "
            "program, or run `git mailsplit -b -oFOLDER FILE.mbox` and add .eml to each name. "
            "Then ingest the folder.",
        )
    what = f".{extension} files are not read yet" if extension else "this format is not read yet"
    others = sorted({each for c in CONVERTERS for each in c.extensions} - {"html", "pdf"})
    return InputError(
        what,
        where=path,
        fix="Read today: Markdown (.md, .markdown, .mdx), plain text (.txt), HTML, PDF, and "
        f".{', .'.join(others)}. Save it as one of these.",
    )


def _extension(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")
