"""The pictures of a source that hold its text, and putting what was read into its place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from llmwiki.core.errors import InputError, ModelOutputError, PolicyError, WikiError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.pages.id_and_evidence_patterns import names
from llmwiki.sources.conversion_limits import (
    NOT_READ,
    ConvertedText,
    SourceLimits,
    UnreadPicture,
    tidy,
)
from llmwiki.sources.convert_in_process import convert, draw
from llmwiki.sources.formats import converter_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from llmwiki.core.document import Picture
    from llmwiki.sources.formats import Converter

MAX_TRANSCRIPT = 50_000
"""Characters of one picture; ten times a page of small print. More is a reader gone astray."""
MAX_PICTURES = 1_000
"""Of one source: a page costs a call of a model, and a file of 200 kB can
show one picture on thousands of pages."""
PICTURES = "+pictures="
"""Between what converted a document's text and who read its pictures, in a text's first line."""
NO_TEXT = "[picture, no text found]"
"""The line below `[page 3]` where a reader found nothing."""

_CHUNK = 4
"""Pages that one process draws: each takes its time and memory, starting costs 0.2 seconds."""
_PAGE = lazy_pattern(r"^\[page (\d{1,6})\]", re.MULTILINE)
_MARKER = lazy_pattern(
    r"^(?:[^\S\n]|[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069])*"
    rf"(?=\[(?:{names()})\b|# llmwiki-text\b)",
    re.MULTILINE | re.IGNORECASE,
)
"""Beginnings of lines by which converted texts tell a place, and what cannot be seen before."""


class PictureReader(Protocol):
    """A reader of pictures: a model, or an agent's answer."""

    @property
    def tool(self) -> str:
        """`NAME/VERSION` without blanks, for the first line of the text, `agent/1`."""

    def read(self, pictures: Iterable[Picture]) -> list[str]:
        """The text of each picture, in order; "" where there is none.

        Raises ProviderError, ModelOutputError, PolicyError or InputError.
        """


class PicturesError(InputError):
    """The source's text stands in pictures only, and there is no reader of pictures."""

    def __init__(self, path: str, count: int) -> None:
        self.count = count
        """How many pictures."""
        super().__init__(
            "its text stands in pictures, and no reader of pictures is at hand",
            where=path,
            fix="Pictures are read by a model (set a key), by a coding agent "
            "(`wiki ingest PATH --prepare`). A text recognition makes a PDF with text of them: "
            "ocrmypdf, or tesseract IMAGE NAME pdf.",
        )


def pictures_of(path: str, data: bytes, limits: SourceLimits | None = None) -> Iterator[Picture]:
    """The pictures of the source at `path` that need reading, in order, drawn as they are asked.

    None for a source without any. Raises InputError for what is broken or not read, and where
    the libraries that draw are missing; PolicyError where a limit is passed.
    """
    bounds = limits or SourceLimits()
    converter = converter_for(path, data)
    if converter is not None and converter.drawing:
        places = without_reading(converter, data, path, bounds).unread
        refuse_many(len(places), path)
        yield from _drawn(converter, data, path, places, bounds)


def first_pages(path: str, data: bytes, most: int) -> tuple[str, tuple[Picture, ...]]:
    """A picture or a document of pages to be looked at: its text as far as that needs no reader,
    and at most `most` pictures of it, the first ones. None of either for another kind of file.

    Raises what `pictures_of` does.
    """
    converter = converter_for(path, data)
    if converter is None or not converter.drawing:
        return "", ()
    bounds = SourceLimits()
    if not converter.reader:
        return "", tuple(draw(converter, data, (), path, bounds)[:most])
    text = without_reading(converter, data, path, bounds).text
    pages = sorted({int(number) for number in _PAGE.findall(text)})[:most]
    return text, tuple(draw(converter, data, pages or [1], path, bounds))


def without_reading(
    converter: Converter, data: bytes, path: str, limits: SourceLimits
) -> ConvertedText:
    """The text as far as it needs no reader, with a line NOT_READ in place of each picture.

    Raises what `convert` does.
    """
    if converter.reader:
        return convert(converter, data, path, limits)
    return ConvertedText(NOT_READ, "", (UnreadPicture(1, 0),), bare=True)


def with_reading(
    found: ConvertedText,
    reader: PictureReader,
    converter: Converter,
    data: bytes,
    path: str,
    limits: SourceLimits,
) -> ConvertedText:
    """The text with what `reader` reads in the places of the pictures.

    Raises what drawing and the reader raise; InputError where there was no text to read,
    ModelOutputError and PolicyError where there was too much.
    """
    refuse_many(len(found.unread), path)
    drawn: list[str] = []

    def told() -> Iterator[Picture]:
        for picture in _drawn(converter, data, path, found.unread, limits):
            drawn.append(picture.label)
            yield picture

    try:
        read = reader.read(told())
    except WikiError as error:
        error.where = error.where or path
        raise
    if len(read) != len(drawn):
        raise ModelOutputError(
            f"{reader.tool} gave {len(read)} texts for {len(drawn)} pictures", where=path
        )
    texts = [_transcript(text, label, path) for text, label in zip(read, drawn, strict=True)]
    if found.bare and not any(texts):
        raise InputError(
            f"{reader.tool} found no text in its pictures",
            where=path,
            fix="Look at them; another reader of pictures may see more.",
        )
    if not converter.reader:
        # The parts of one image, which was cut between its lines.
        texts = ["\n".join(filter(None, texts))]
    filled = _filled(found, texts, reader.tool)
    cap = limits.text_cap(len(data))
    if len(filled.text.encode()) > cap:
        raise PolicyError(
            f"it gives more than {cap:,} bytes of text", where=path, fix="Split the document."
        )
    return filled


def refuse_many(count: int, path: str) -> None:
    """Raises PolicyError where a source has more pictures than are read."""
    if count > MAX_PICTURES:
        raise PolicyError(
            f"it has {count:,} pages to be read from pictures; at most {MAX_PICTURES:,} are",
            where=path,
            fix="Split the document.",
        )


def _drawn(
    converter: Converter,
    data: bytes,
    path: str,
    places: tuple[UnreadPicture, ...],
    limits: SourceLimits,
) -> Iterator[Picture]:
    if not converter.reader:
        yield from draw(converter, data, (), path, limits)
        return
    pages = [place.page for place in places]
    for start in range(0, len(pages), _CHUNK):
        yield from draw(converter, data, pages[start : start + _CHUNK], path, limits)


def _filled(found: ConvertedText, texts: list[str], tool: str) -> ConvertedText:
    lines = found.text.split("\n")
    for place, text in zip(found.unread, texts, strict=True):
        lines[place.line - 1] = text or NO_TEXT
    tools = f"{found.tool}{PICTURES}{tool}" if found.tool else tool
    return replace(found, text="\n".join(lines), tool=tools, unread=())


def _transcript(text: str, label: str, path: str) -> str:
    """A reader's text as it is kept: tidy, and none of its lines able to pass for one of ours.

    Such a line gets a backslash before it, as Markdown has it for what means itself.
    """
    if len(text) > MAX_TRANSCRIPT:
        raise ModelOutputError(
            f"{label or 'the picture'} gave {len(text):,} characters of text; at most "
            f"{MAX_TRANSCRIPT:,} are taken",
            where=path,
        )
    return _MARKER.sub(r"\\", tidy(text))
