"""One generated report in every format that is read, with a list of what a reader must find."""

from __future__ import annotations

import base64
import json
import random
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.documents import document, vocabulary
from benchmarks.pdf import packed, pages, shown
from benchmarks.samples_office import docx, epub, html_section, pptx, xlsx
from benchmarks.section import COLUMNS, Section

Writer = Callable[[Sequence[Section]], bytes]
_WIDTH, _LINES = 95, 60
"""Characters of a line and lines of a page, in PDF."""
_PAGE = (
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A chapter</title></head>'
    "<body>{}</body></html>"
)


def sections(size: int, kinds: str) -> list[Section]:
    """A report that has at least `size` bytes of UTF-8 of these kinds (keys of KINDS).

    The same for the same arguments.
    """
    names = vocabulary(300)
    found: list[Section] = []
    size_so_far = 0
    while size_so_far < size:
        number = len(found) + 1
        lines = document(number, names, 1_500).split("\n")
        prose = tuple(line for line in lines if line and line[0] not in "#-")
        rng = random.Random(number)
        rows = tuple(
            (
                f"{names[rng.randrange(300)]} {n}",
                str(rng.randrange(900)),
                rng.choice(("open", "shut")),
            )
            for n in range(8)
        )
        found.append(
            Section(
                number,
                f"Report {number} on the {names[number % 300]}",
                prose,
                tuple(line[2:] for line in lines if line.startswith("- ")),
                rows,
                f"The figures of section {number} were read twice by two people.",
                f"In section {number} this sentence was written later.",
                f"In section {number} this sentence was struck out.",
                f"第{number}の灯台は夜ごとに{rng.randrange(2, 90)}回光り、霧の日には鐘が鳴る。",
            )
        )
        size_so_far += sum(len(text.encode()) for key in kinds for text in KINDS[key][1](found[-1]))
    return found


def html(report: Sequence[Section]) -> bytes:
    """A page."""
    body = "".join(map(html_section, report))
    return (
        '<!doctype html><html><head><meta charset="utf-8"><title>The report</title></head>'
        f"<body><nav><a href='/'>Home</a></nav><article>{body}</article></body></html>"
    ).encode()


def pdf(report: Sequence[Section]) -> bytes:
    """Pages of lines; no Japanese, for which a font would have to be embedded."""
    lines: list[str] = []
    for section in report:
        lines += [section.heading, ""]
        for text in (*section.prose, *section.items):
            lines += textwrap.wrap(text, _WIDTH)
        lines += ["   ".join(row) for row in (COLUMNS, *section.rows)] + [""]
    cut = [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)]
    return pages([packed(shown(page)) for page in cut])


def csv(report: Sequence[Section]) -> bytes:
    """The rows of all tables."""
    rows = [COLUMNS, *(row for section in report for row in section.rows)]
    return "".join(",".join(row) + "\n" for row in rows).encode()


def json_objects(report: Sequence[Section]) -> bytes:
    """The sections as objects."""
    plain = [
        {
            "heading": section.heading,
            "prose": list(section.prose),
            "japanese": section.japanese,
            "rows": [dict(zip(COLUMNS, row, strict=True)) for row in section.rows],
        }
        for section in report
    ]
    return json.dumps({"sections": plain}, ensure_ascii=False, indent=1).encode()


def notebook(report: Sequence[Section]) -> bytes:
    """Each section as a cell of text and one of code with its output."""
    cells: list[object] = []
    for section in report:
        text = "\n\n".join((f"## {section.heading}", *section.prose, section.japanese))
        printed = "\n".join("  ".join(row) for row in section.rows)
        output = {"output_type": "stream", "name": "stdout", "text": printed}
        cells += [
            {"cell_type": "markdown", "metadata": {}, "source": text},
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": 1,
                "source": f"show({section.number})",
                "outputs": [output],
            },
        ]
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    return json.dumps(whole, ensure_ascii=False).encode()


def mail(report: Sequence[Section]) -> bytes:
    """A message in HTML, in base64 as mail programs send it."""
    head = (
        "From: Ada <ada@example.org>\nTo: Odile <odile@example.org>\nSubject: The report\n"
        "Date: Mon, 06 May 2024 10:00:00 +0200\nMIME-Version: 1.0\n"
        "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    )
    return head.encode() + base64.encodebytes(html(report))


def rst(report: Sequence[Section]) -> bytes:
    """reStructuredText with simple tables."""
    parts: list[str] = []
    for section in report:
        widths = [max(map(len, column)) for column in zip(COLUMNS, *section.rows, strict=True)]
        rule = "  ".join("=" * width for width in widths)
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (COLUMNS, *section.rows)
        ]
        items = "\n".join(f"{n}. {item}" for n, item in enumerate(section.items, start=1))
        parts += [
            f"{section.heading}\n{'=' * len(section.heading)}",
            *section.prose,
            section.japanese,
            items,
            "\n".join([rule, table[0], rule, *table[1:], rule]),
        ]
    return ("\n\n".join(parts) + "\n").encode()


def subtitles(report: Sequence[Section]) -> bytes:
    """The sentences as cues of two seconds."""
    said = [line for section in report for line in (*section.prose, section.japanese)]
    cues = [
        f"{n}\n{_clock(2 * n)},000 --> {_clock(2 * n + 2)},000\n{line}\n"
        for n, line in enumerate(said, start=1)
    ]
    return "\n".join(cues).encode()


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: how the report is written in it, and what of the report it holds."""

    write: Writer
    kinds: str
    """Keys of KINDS."""


KINDS: dict[str, tuple[str, Callable[[Section], Sequence[str]]]] = {
    "h": ("headings", lambda section: (section.heading,)),
    "s": ("sentences", lambda section: section.prose),
    "c": ("cells", lambda section: [cell for row in section.rows for cell in row]),
    "l": ("list numbers", lambda section: section.numbered),
    "n": ("notes", lambda section: (section.note,)),
    "i": ("insertions", lambda section: (section.inserted,)),
    "j": ("Japanese", lambda section: (section.japanese,)),
}
"""What is looked for: key → name, and the texts of a section that must be found as they are."""

FORMATS = {
    "docx": Format(docx, "hsclnij"),
    "pptx": Format(pptx, "hscnj"),
    "xlsx": Format(xlsx, "cj"),
    "epub": Format(lambda report: epub(report, _PAGE), "hscj"),
    "html": Format(html, "hscj"),
    "pdf": Format(pdf, "hsc"),
    "csv": Format(csv, "c"),
    "json": Format(json_objects, "hscj"),
    "ipynb": Format(notebook, "hscj"),
    "eml": Format(mail, "hscj"),
    "rst": Format(rst, "hscj"),
    "srt": Format(subtitles, "sj"),
}
"""All formats, by extension."""
