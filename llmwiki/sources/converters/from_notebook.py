"""Jupyter notebooks to text with Python's own JSON reader. Runs in the converting process only."""

from __future__ import annotations

import re

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.from_json import ObjectPairs, parse_json
from llmwiki.sources.converters.writing import Gathered
from llmwiki.sources.encodings import decoded
from llmwiki.version import __version__

_ANSI = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_FENCES = re.compile(r"`{3,}")


def convert(data: bytes, cap: int) -> ConvertedText:
    """The cells in order, each after `[cell 4 code]`, its outputs after `[cell 4 output]`.

    Code stands in a fence; of an output its text is taken, and pictures and what else it holds
    are named. Cells count from 1. `cap` bounds the characters gathered. Raises InputError for
    what is no notebook of nbformat 4, PolicyError past a limit.
    """
    notebook = _fields(parse_json(decoded(data)))
    if "cells" not in notebook:
        raise InputError("it is no notebook: it has no cells", fix="Save it from Jupyter.")
    cells = _list(notebook["cells"])
    metadata = _fields(notebook.get("metadata"))
    language = str(_fields(metadata.get("language_info")).get("name", ""))
    out = Gathered(cap)
    for number, cell in enumerate(cells, start=1):
        _write_cell(out, number, _fields(cell), language if language.isalnum() else "")
    return ConvertedText(out.text(), f"llmwiki-notebook/{__version__}")


def _write_cell(out: Gathered, number: int, cell: dict[str, object], language: str) -> None:
    kind = str(cell.get("cell_type", ""))
    text = _joined(cell.get("source")).strip("\n")
    if text.strip():
        out.part()
        out.add(f"[cell {number} {kind if kind.isalnum() else 'text'}]")
        if kind == "code":
            fence = max(["```", *(f"{found}`" for found in _FENCES.findall(text))], key=len)
            out.add(f"{fence}{language}\n{text}\n{fence}")
        else:
            out.add(text)
    for output in _list(cell.get("outputs")):
        said = _said(number, _fields(output))
        if said:
            out.part()
            out.add(f"[cell {number} output]\n{said}")


def _said(number: int, output: dict[str, object]) -> str:
    """The text of an output, and the names of what is no text."""
    if output.get("output_type") == "stream":
        return _screen(_joined(output.get("text")))
    if output.get("output_type") == "error":
        return _screen(f"{output.get('ename', '')}: {output.get('evalue', '')}")
    forms = _fields(output.get("data"))
    plain = forms.get("text/markdown") or forms.get("text/plain")
    lines = [_screen(_joined(plain))]
    lines += [
        f"[cell {number} picture {kind}]" for kind in sorted(forms) if kind.startswith("image/")
    ]
    return "\n".join(line for line in lines if line)


def _screen(text: str) -> str:
    """What a terminal would show in the end: no colours, only the last state of a line."""
    plain = _ANSI.sub("", text).strip("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _fields(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, ObjectPairs) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) and not isinstance(value, ObjectPairs) else []
