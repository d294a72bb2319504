"""A folder as people have them: many formats, some files damaged, some that nothing can read."""

from __future__ import annotations

import io
import json
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import NamedTuple

DOCUMENTS = Path(__file__).parent / "data" / "documents"
_ARCHIVES = frozenset({".docx", ".odt", ".ods", ".odp", ".pptx", ".xlsx", ".epub"})
_REAL = ("columns.pdf", "fees.ods", "fees.xlsx", "gauges.xlsx", "handbook.docx", "handbook.epub",
         "handbook.html", "handbook.ipynb", "handbook.odt", "handbook.org", "handbook.rst",
         "japanese.docx", "japanese.pdf", "report.docx", "report.odt", "report-office.pdf",
         "rtl.docx", "slides.odp", "slides.pptx")  # fmt: skip


class Mixed(NamedTuple):
    """Names of the files that can be read, and of those that cannot with a word of why."""

    good: list[str]
    bad: dict[str, str]


def write_mixed(folder: Path, count: int) -> Mixed:
    """`count` files of some 25 formats below `folder`, a tenth damaged; the same each time."""
    good: list[str] = []
    bad: dict[str, str] = {}
    makers = [*(_real(name) for name in _REAL), *_TEXTS]
    for number in range(count):
        if number % 10 == 7:
            ending, data, why = _DAMAGED[number // 10 % len(_DAMAGED)]
            name = f"{number % 4}/damaged-{number}{ending}"
            bad[name] = why
        else:
            ending, data = makers[number % len(makers)](number)
            name = f"{number % 4}/file-{number}{ending}"
            good.append(name)
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return Mixed(sorted(good), bad)


def _real(name: str):  # type: ignore[no-untyped-def]
    """A fixture, told apart from its other copies by bytes that change no text."""
    place = DOCUMENTS / name

    def make(number: int) -> tuple[str, bytes]:
        data = place.read_bytes()
        if place.suffix in _ARCHIVES:
            held = io.BytesIO(data)
            with zipfile.ZipFile(held, "a") as archive:
                archive.comment = str(number).encode()
            return place.suffix, held.getvalue()
        if place.suffix == ".ipynb":
            return place.suffix, data.rstrip() + b"\n" * (number + 1)
        mark = {".pdf": "\n%% %d\n", ".html": "\n<!-- %d -->\n", ".org": "\n# %d\n"}
        return place.suffix, data + (mark.get(place.suffix, "\n.. %d\n") % number).encode()

    return make


def _note(number: int) -> str:
    return (
        f"# Buoy {number}\n\nBuoy {number} is a floating mark of the northern channel. "
        f"It carries a lamp of {number} candela and a bell.\n"
    )


def _mail(number: int) -> bytes:
    message = EmailMessage()
    message["Subject"] = f"Lamp of buoy {number}"
    message["From"] = "harbour@example.org"
    message["Date"] = "Mon, 06 May 2024 10:00:00 +0000"
    message.set_content(f"The lamp of buoy {number} was replaced by the harbour crew.\n")
    return message.as_bytes()


_ROWS = "buoy,lamp\nNorth {0},red\nSouth {0},green\n"
_TEXTS = (
    lambda n: (".md", _note(n).encode()),
    lambda n: (".txt", _note(n).encode()),
    lambda n: (".csv", _ROWS.format(n).encode()),
    lambda n: (".tsv", _ROWS.format(n).replace(",", "\t").encode()),
    lambda n: (".json", json.dumps({"buoys": [{"name": f"North {n}", "lamp": "red"}]}).encode()),
    lambda n: (".jsonl", f'{{"name": "North {n}", "lamp": "red"}}\n'.encode()),
    lambda n: (".yaml", f"buoy:\n  name: North {n}\n  lamp: red\n".encode()),
    lambda n: (".srt", f"1\n00:00:01,000 --> 00:00:04,000\nBuoy {n} is red.\n".encode()),
    lambda n: (".vtt", f"WEBVTT\n\n00:01.000 --> 00:04.000\nBuoy {n} is red.\n".encode()),
    lambda n: (".eml", _mail(n)),
)
_DAMAGED = (
    (".pdf", b"%PDF-1.7\nnot really\n%%EOF", "PDF"),
    (".docx", b"PK\x03\x04 cut off", "broken"),
    (".md", b"", "empty"),
    (".txt", b"\x00\x01\x02 binary", "binary"),
    (".json", b'{"never": [', "JSON"),
    (".md", b"caf\xe9 in an old encoding", "UTF-8"),
    (".xlsx", b"", "empty"),
    (".yaml", b"a: [1, 2", "YAML"),
)
