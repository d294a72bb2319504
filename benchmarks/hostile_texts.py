"""Hostile text formats: tables, JSON, YAML, markup and subtitles that are small and cost much."""

from __future__ import annotations

from collections.abc import Callable


def _aliases(leaf: str) -> bytes:
    """YAML in which ten levels of aliases stand for 10^11 leaves."""
    lines = [f"a0: &a0 [{','.join([leaf] * 10)}]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 11)]
    return "\n".join(lines).encode()


def _outputs(count: int) -> bytes:
    """A notebook with one cell and so many outputs."""
    output = '{"output_type":"stream","text":"a"}'
    cell = f'{{"cell_type":"code","source":"x","outputs":[{",".join([output] * count)}]}}'
    return f'{{"nbformat":4,"cells":[{cell}]}}'.encode()


def _output(data: bytes) -> bytes:
    """A notebook with one output of these forms."""
    output = b'{"output_type":"display_data","data":' + data + b"}"
    return b'{"cells":[{"cell_type":"code","source":"x","outputs":[' + output + b"]}]}"


def _substitutions(levels: int) -> bytes:
    """reStructuredText whose substitutions stand for ten of the next."""
    lines = [f".. |a{n}| replace:: {' '.join([f'|a{n + 1}|'] * 10)}" for n in range(levels)]
    return "\n".join([*lines, f".. |a{levels}| replace:: ha", "", "|a0|", ""]).encode()


def _grid(columns: int, rows: int) -> bytes:
    """A table drawn in reStructuredText whose cells all are closed at its end only."""
    rule = "+" + "-+" * columns
    line = "|" + "a|" * columns
    return "\n".join([rule, *[line] * rows, rule, ""]).encode()


def _cue(lines: str, second: int) -> str:
    return f"00:{second:02}.000 --> 00:{second:02}.500\n{lines}\n\n"


def _vtt(*cues: str) -> bytes:
    return ("WEBVTT\n\n" + "".join(map(_cue, cues, range(len(cues))))).encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "rows.csv": lambda: b"name,year\n" + b"Ada,1843\n" * 1_000_000,
    "empty-rows.csv": lambda: b"a,b\n" + b",\n" * 20_000_000 + b"1,2\n",
    "columns.csv": lambda: (
        b",".join(b"n%d" % n for n in range(1_000_000)) + b"\n" + b"1," * 1_000_000
    ),
    "cell.csv": lambda: b"a,b\n1," + b"x" * 50_000_000,
    "quote.csv": lambda: b'a,b\n"' + b"x\n" * 2_000_000,
    "halves.csv": lambda: b"\xff\xfe" + b"a\0,\0b\0\n\0" * 1_000_000 + b"\0\xd8",
    "deep.json": lambda: b"[" * 1_000_000,
    "levels.json": lambda: b'{"a":' * 400 + b"1" + b"}" * 400,
    "numbers.json": lambda: b"[" + b"1," * 20_000_000 + b"1]",
    "digits.json": lambda: b'{"a":[' + b"9" * 90_000_000 + b"]}",
    "keys.json": lambda: b"{" + b'"a":{},' * 9_000_000 + b'"a":1}',
    "paths.json": lambda: (
        (b'{"' + b"k" * 2_000 + b'":') * 190 + b"[{}," + b"{}," * 3_000_000 + b"1]" + b"}" * 190
    ),
    "lines.jsonl": lambda: b'{"a":1}\n' * 9_000_000,
    "leaves.yaml": lambda: _aliases("x"),
    "empty.yaml": lambda: _aliases("[]"),
    "deep.yaml": lambda: b"[" * 500_000,
    "documents.yaml": lambda: b"--- a\n" * 9_000_000,
    "keys.yaml": lambda: b"? " * 1_000_000,
    "anchors.yaml": lambda: b"".join(b"- &a%d x\n" % n for n in range(3_000_000)),
    "line.rst": lambda: b"*a `b ``c |d " * 7_500,
    "marks.rst": lambda: (b"*a `b ``c |d " * 60 + b"\n") * 1_000,
    "deep.rst": lambda: b"".join(b" " * n + b"a\n\n" for n in range(1_500)),
    "passwd.rst": lambda: (
        b".. include:: /etc/passwd\n\n" * 30_000 + b".. raw:: html\n   :file: /etc/passwd\n"
    ),
    "substitutions.rst": lambda: _substitutions(12),
    "grid.rst": lambda: _grid(300, 2_000),
    "sections.rst": lambda: b".. contents::\n\n" + b"a\n=\n\n" * 250_000,
    "footnotes.rst": lambda: b"[#]_ " * 20_000 + b"\n\n" + b".. [#] a\n" * 20_000,
    "deep.org": lambda: b"".join(b"*" * n + b" a\n" for n in range(1, 14_000)),
    "headings.org": lambda: b"* a\n" * 20_000_000,
    "dates.org": lambda: b"<2024-01-01 " * 5_000_000,
    "outputs.ipynb": lambda: _outputs(1_000_000),
    "cells.ipynb": lambda: (
        b'{"cells":[' + b'{"cell_type":"code","source":["a"]},' * 2_000_000 + b"{}]}"
    ),
    "picture.ipynb": lambda: _output(b'{"image/png":"' + b"A" * 30_000_000 + b'"}'),
    "tags.vtt": lambda: _vtt("<a" * 500_000),
    "voices.vtt": lambda: _vtt("<v." * 500_000),
    "repeats.vtt": lambda: _vtt(*["\n".join(f"a{n}" for n in range(s, 150_000)) for s in range(2)]),
    "cues.srt": lambda: b"1\n00:00:01,000 --> 00:00:02,000\na\n\n" * 2_000_000,
    "arrows.srt": lambda: b"00:00:01,000 --> " * 3_000_000,
    "brackets.md": lambda: b"[" * 20_000_000,
    "headings.md": lambda: b"# a\n\n" * 3_800_000,
    "line.txt": lambda: b"word " * 3_900_000,
    "keys.txt": lambda: b"api_key = " * 1_000_000,
}
"""Makers of the files, by name."""
