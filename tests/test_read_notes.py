"""What people write down, read without a model: notes, minutes, German; all of it told or named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from readkit import converted, read, sound, texts

from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.sources.read_source import first_quotable

NOTES = {
    "nas.md": "# NAS backup\nlast changed: 3 Oct 2024\n\nwhat to do if the light is red\n\n"
    "1. ssh into the nas\n2. `cat /proc/mdstat` and look for [U_]\n3. unlock the spare disk\n"
    "   - the words are in the blue binder\n   - wait 30 sec\n4) add it and wait\n\n"
    "NEVER pull both disks!!\n\ntodo:\n[ ] buy another 4TB\n[x] test restore\n",
    "trip.md": "---\ntags: [travel]\n---\nLisbon 12-16 may\n\nhotel Casa do Jasmim, 94 €/night\n\n"
    "| what | who | paid |\n|---|---|---|\n| flight | me | 212 |\n| hotel | Tom | - |\n\nto pack\n"
    "- charger\n- passport\n\n> said by Tom: take the tram\n\n```\ncode of the door 12\n```\n",
    "pancakes.txt": "Oma's pancakes\nserves 4ish\n\n250 g flour\n1/2 l milk\n3 eggs\n\n"
    "mix, let rest 20 min.\nPan medium hot.\nbutter NOT oil\n\nvariations:\n  apple - in slices\n",
    "heizung.md": "# Heizung\n\nWartung am 3. Oktober 2024 durch Hr. Claasen, d. h. die Firma.\n\n"
    "- Druck zw. 1,2 und 1,8 bar\n  - unter 1,0 bar: nachfüllen, z. B. am blauen Hahn\n\n"
    "Fehler\nE.22 = Druck zu niedrig\nE.28 = keine Zündung\n",
    "costs.csv": "date,what,amount\n2025-01-03,groceries,54.20\n2025-01-05,rent,890\n",
    "mail.eml": "From: Ines <i@example.org>\nSubject: keys\nDate: Tue, 4 Feb 2025 09:12 +0100\n\n"
    "the key is under the third stone.\n\n- main switch: left of the door\n\n--\nIns\n\n"
    "Am Montag schrieb Tom:\n> where is it?\n",
    "page.html": "<html><head><title>Pumpen | Energie Blog</title></head><body><article><h1>Pumpen"
    " im Altbau</h1><p>Die Pumpe kostete 18.400 Euro, d.&nbsp;h. mit Förderung 11.040 Euro, und "
    "sie läuft seit drei Wintern ohne Fehler.</p><ul><li>Vorlauf unter 50 Grad</li></ul>"
    "<table><tr><th>Monat</th><th>kWh</th></tr><tr><td>Januar</td><td>612</td></tr></table>"
    "</article></body></html>",
}


def docx(tmp_path: Path) -> bytes:
    from docx import Document as Word

    word = Word()
    word.add_heading("Beds", 0)
    word.add_paragraph("Plan for the vegetable beds.")
    word.add_paragraph("Water every evening.", style="List Bullet")
    word.save(str(tmp_path / "beds.docx"))
    return (tmp_path / "beds.docx").read_bytes()


def named(found: Extraction) -> set[int]:
    """The lines that claims and questions quote, and those that the opening names."""
    quoted = [quote.lines or [] for one in found.claims for quote in one.evidence]
    quoted += [one.lines for one in found.questions]
    runs = re.findall(r"L(\d+)(?:–L(\d+))?", found.document.summary or "")
    quoted += [[int(first), int(last or first)] for first, last in runs]
    return {n for lines in quoted for n in range(lines[0], lines[-1] + 1)}


def test_each_line_of_a_persons_notes_is_told_or_named_as_not_told(tmp_path: Path) -> None:
    files = {name: text.encode() for name, text in NOTES.items()}
    lost: list[str] = []
    count = 0
    for name, data in {**files, "beds.docx": docx(tmp_path)}.items():
        one = converted(name, data)
        found = sound(one)
        start = first_quotable(one)
        for number, line in enumerate(one.lines[start - 1 :], start):
            # A heading, a header and the names of columns say what the page says otherwise.
            if not re.match(r"#|[A-Z][a-z]+: |tags:|row 1 |\W*$", line):
                count += 1
                lost += [] if number in named(found) else [f"{name}: {line}"]
    assert count > 50 and len(lost) <= count // 20, lost


MINUTES = """# Protokoll des Vorstands vom 14. August 2017

Anwesend: Ada, Bo

Ada verliest die Tagesordnung:

1. Putzplan
2. Kosten

TOP 1 Putzplan
- beschlossen: wöchentlicher Wechsel (3 dafür, 0 dagegen)
TOP 2 Kosten

Die Nachzahlung nach Nr. 7 beträgt 214,80 €, d. h. 71,60 € je Person, fällig am 28.02.2025.

## Aufgaben

- Aktion: Bo fragt beim Vermieter wegen des Zählers im Keller nach.

## Offene Fragen

- Wer zahlt die Bank?
"""


def test_german_minutes_tell_what_was_decided_and_not_who_was_there() -> None:
    found = read(MINUTES, "raw/protokoll.md")
    assert texts(found) == [
        "Ada verliest die Tagesordnung: 1. Putzplan; 2. Kosten",
        "TOP 1 Putzplan: beschlossen: wöchentlicher Wechsel (3 dafür, 0 dagegen)",
        "Die Nachzahlung nach Nr. 7 beträgt 214,80 €, d. h. 71,60 € je Person, fällig am"
        " 28.02.2025.",
        "Aktion: Bo fragt beim Vermieter wegen des Zählers im Keller nach.",
    ]
    assert [one.text for one in found.questions] == ["Wer zahlt die Bank?"]
    assert found.document.date == "2017-08-14"
    assert found.document.summary == found.document.title, "all is told"


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("raw/p.md", "Title: Der Pegel\n\n# Hinweis\n\nEr steigt.\n", "Der Pegel"),
        ("raw/protokoll-hafen.md", "Ablauf:\n\n- Wahl\n\nProtokoll Hafen\n===\n\nEs regnet.\n",
         "Protokoll Hafen"),
        ("raw/pegel.md", "Er steigt.\n\n# Messung\n\nEs regnet.\n", "Pegel"),
        ("raw/pegel.md", "# {{ page.title }}\n\nEs regnet.\n", "Pegel"),
    ],
)  # fmt: skip
def test_a_title_is_the_header_then_the_heading_then_the_name(
    path: str, text: str, title: str
) -> None:
    assert read(text, path).document.title == title
