"""Jupyter notebooks to text with Python's own JSON reader. Runs in the converting process only."""

from __future__ import annotations

import re
from typing import Any

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.from_data import parse_json
from llmwiki.sources.converters.numbered_text_writer import Gathered
from llmwiki.sources.encodings import decoded

_ANSI = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_FENCES = re.compile(r"`{3,}")


def convert(data: bytes, out: Gathered) -> None:
    """The cells in order, each after `[cell 4 code]`, its outputs after `[cell 4 output]`.

    Code stands in a fence; of an output its text is taken, and pictures are named. Cells count from
    1. Raises InputError for what is no notebook of nbformat 4, PolicyError past a limit.
    """
    notebook: Any = parse_json(decoded(data))
    try:
        language = str(notebook.get("metadata", {}).get("language_info", {}).get("name", ""))
        for number, cell in enumerate(notebook["cells"], start=1):
            _write_cell(out, number, cell, language if language.isalnum() else "")
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(
            "it is no notebook: it has no cells", fix="Save it from Jupyter."
        ) from error


def _write_cell(out: Gathered, number: int, cell: dict[str, Any], language: str) -> None:
    kind = str(cell.get("cell_type", ""))
    text = _joined(cell.get("source")).strip("\n")
    if text.strip():
        out.part()
        out.add(f"[cell {number} {kind if kind.isalnum() else 'text'}]")
        if kind == "code":
            fence = max(["```", *(f"{found}`" for found in _FENCES.findall(text))], key=len)
            text = f"{fence}{language}\n{text}\n{fence}"
        out.add(text)
    for output in cell.get("outputs", ()):
        forms = output.get("data", {})
        said = forms.get("text/markdown") or forms.get("text/plain") or output.get("text")
        if output.get("output_type") == "error":
            said = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        lines = [_screen(_joined(said))]
        lines += [f"[cell {number} picture {kind}]" for kind in sorted(forms) if "image/" in kind]
        if any(lines):
            out.part()
            out.add("\n".join([f"[cell {number} output]", *filter(None, lines)]))


def _screen(text: str) -> str:
    """What a terminal would show in the end: no colours, only the last state of a line."""
    plain = _ANSI.sub("", text).strip("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")
