"""What reading each format costs, and how much of a document is found in what comes out.

usage: python -m benchmarks.formats [PYTHON] [--files DIR] [--rounds N]

One generated report is written in every format, short and long. Ours is read as `wiki ingest`
reads it, in a process of its own; beside it, in the same rounds, markitdown, whose package PYTHON
(the interpreter of another environment) can import. Printed are milliseconds for the short one
(nearly all of it starting), kB of text a second for what the long one is longer, both of
processor time, which other work on the machine disturbs less, and the largest resident set for
the long one; then the share of the report's sentences, cells and so on that the output holds as
they are, white space folded. `--files DIR` keeps the files and the outputs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import Command, CommandFailed, Run, run
from benchmarks.samples import FORMATS, KINDS, sections
from benchmarks.scratch import tell, work_folder
from benchmarks.section import Section

SHORT, LONG = 5_000, 300_000
"""Bytes of text of the two reports."""

_OURS = """
import resource, sys
from pathlib import Path
from llmwiki.sources.read_source import read_document
data = Path(sys.argv[1]).read_bytes()
document = read_document("raw/" + Path(sys.argv[1]).name, data)
Path(sys.argv[2]).write_text("\\n".join(document.lines[1:]), "utf-8")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss)
"""
"""The converting process alone, from its start to its end; what starts it is `wiki` otherwise."""
_MARKITDOWN = """
import sys
from markitdown import MarkItDown
text = MarkItDown().convert(sys.argv[1]).text_content
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write(text)
"""


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read a document: a program called with the document and where to put its text."""

    python: str
    program: str
    own_times: bool
    """Whether it prints milliseconds and peak of what is to be counted."""

    def read(self, document: Path, text: Path) -> tuple[float, float]:
        """Milliseconds of processor time, the peak in 10^6 bytes. Raises CommandFailed."""
        argv = (self.python, "-W", "ignore", "-c", self.program, str(document), str(text))
        done = run(Command(argv, Path.cwd(), dict(os.environ)))
        return self._printed(done) if self.own_times else (done.cpu_ms, done.peak_mb)

    def _printed(self, done: Run) -> tuple[float, float]:
        milliseconds, peak = done.output.split()
        unit = 1 if sys.platform == "darwin" else 1024
        return float(milliseconds), int(peak) * unit / 1e6


@dataclass(frozen=True, slots=True)
class Figures:
    """What one reader did with one format."""

    start_ms: float
    rate: float
    """kB of the report's text a second, starting apart."""
    peak_mb: float
    text: str
    """Of the long report, white space folded."""


def measure(reader: Reader, short: Path, long: Path, rounds: int) -> Figures | None:
    """Medians of some rounds; None where the reader fails on the format."""
    text = long.with_suffix(f"{long.suffix}.{'ours' if reader.own_times else 'peer'}.txt")
    try:
        runs = [(reader.read(short, text), reader.read(long, text)) for _ in range(rounds)]
    except CommandFailed as error:
        tell(" ".join(str(error).split())[-300:])
        return None
    start = statistics.median(first[0] for first, _ in runs)
    seconds = statistics.median(second[0] - first[0] for first, second in runs) / 1000
    more = (LONG - SHORT) / 1000
    peak = max(second[1] for _, second in runs)
    folded = " ".join(text.read_text("utf-8").split())
    return Figures(start, more / max(seconds, 0.001), peak, folded)


def found(report: Sequence[Section], kinds: str, text: str) -> dict[str, float]:
    """The share of each kind of text that stands in `text`: name of the kind → 0 to 1."""
    shares: dict[str, float] = {}
    for key in kinds:
        name, of = KINDS[key]
        wanted = [" ".join(each.split()) for section in report for each in of(section)]
        shares[name] = sum(each in text for each in wanted) / len(wanted)
    return shares


def row(name: str, who: str, figures: Figures | None, shares: Mapping[str, float]) -> str:
    """One line of the table."""
    if figures is None:
        return f"{name:7}{who:12}{'n/a':>9}"
    said = ", ".join(f"{kind} {100 * share:.0f}" for kind, share in shares.items())
    return (
        f"{name:7}{who:12}{figures.start_ms:9.0f}{figures.rate:9,.0f}{figures.peak_mb:7.0f}  {said}"
    )


def main(argv: Sequence[str]) -> int:
    """Prints a line for each format and reader."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("python", metavar="PYTHON", nargs="?", help="one that has markitdown")
    parser.add_argument("--files", metavar="DIR", type=Path, help="keep the files here")
    parser.add_argument("--rounds", metavar="N", type=int, default=3)
    options = parser.parse_args(argv)
    readers = {"llmwiki": Reader(sys.executable, _OURS, own_times=True)}
    if options.python:
        readers["markitdown"] = Reader(options.python, _MARKITDOWN, own_times=False)
    print(f"{'':19}{'start ms':>9}{'kB/s':>9}{'MB':>7}  found, percent")
    with work_folder(options.files) as folder:
        for name, form in FORMATS.items():
            paths = folder / f"short.{name}", folder / f"long.{name}"
            short, long = sections(SHORT, form.kinds), sections(LONG, form.kinds)
            for path, report in zip(paths, (short, long), strict=True):
                path.write_bytes(form.write(report))
            for who, reader in readers.items():
                figures = measure(reader, *paths, options.rounds)
                shares = found(long, form.kinds, figures.text) if figures else {}
                print(row(name, who, figures, shares), flush=True)
                if figures and "i" in form.kinds:
                    kept = sum(section.deleted in figures.text for section in long)
                    print(f"{'':44}deleted text shown: {kept} of {len(long)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
