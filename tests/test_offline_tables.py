"""The reader without a model on converted texts: rows, chats, mail, subtitles, notebooks.

The sources are real files, read by the converters; what is checked is what an ingest would get.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from readkit import converted, sound, texts
from wikikit import Wiki, check, make, sha

from llmwiki.core.document import Document
from llmwiki.ingest.extraction.schema import DOCUMENT, ExtractedClaim, Extraction

PORTS = """Port,Country,Tide height,Lighthouse
Brest,France,7 m,Petit Minou
Cardiff,United Kingdom,11 m,Flat Holm
Lisbon,Portugal,3.5 m,Bugio
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def owners(extraction: Extraction) -> list[str]:
    """What the claims are about: the document by its title."""
    title = extraction.document.title
    found = (title if claim.subject == DOCUMENT else claim.subject for claim in extraction.claims)
    return list(dict.fromkeys(found))


def slot(claim: ExtractedClaim) -> tuple[str | None, str | None, str | None]:
    return claim.key, claim.value, claim.as_of


def test_a_row_is_one_claim_about_what_it_names() -> None:
    extraction = sound(converted("ports.csv", PORTS))
    first = extraction.claims[0]
    assert first.text == "Brest — Country: France; Tide height: 7 m; Lighthouse: Petit Minou"
    assert first.key is None
    # The number of the row is left out: a row that is put before it changes no quote.
    assert [quote.quote for quote in first.evidence] == [
        "Port: Brest | Country: France | Tide height: 7 m | Lighthouse: Petit Minou"
    ]
    assert owners(extraction) == ["Ports"] and not extraction.subjects
    assert extraction.document.summary == "3 rows of Port, Country, Tide height, Lighthouse."


def test_a_sheet_of_several_is_the_scope_of_its_rows() -> None:
    rows = (
        "[sheet Tides]",
        "row 2 | Port: Brest | Height: 7 m",
        "row 3 | Port: Cork | Height: 4 m",
    )
    more = ("[sheet Winds]", "row 2 | Port: Brest | Force: 9", "row 3 | Port: Cork | Force: 8")
    for lines, scopes in ((rows, {None}), (rows + more, {"Tides", "Winds"})):
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        book = Document("raw/p.xlsx", "0" * 64, ("# llmwiki-text 1", *lines), "raw/.text/0.txt",
                        None, kind)  # fmt: skip
        assert {one.scope for one in sound(book).claims} == scopes


def test_a_series_holds_as_of_its_dates() -> None:
    months = "Month,Visitors\n2024-01,812\n2024-02,790\n"
    extraction = sound(converted("visitors.csv", months))
    assert texts(extraction) == ["2024-01 — Visitors: 812", "2024-02 — Visitors: 790"]
    assert [slot(claim) for claim in extraction.claims] == [
        ("Visitors", "812", "2024-01"),
        ("Visitors", "790", "2024-02"),
    ]
    assert owners(extraction) == ["Visitors"]
    days = "Day;Rain\n01.03.2025;3,4\n02.03.2025;0,1\n"
    assert [one.as_of for one in sound(converted("rain.csv", days)).claims] == [
        "2025-03-01",
        "2025-03-02",
    ]


def test_a_long_table_makes_few_claims_and_says_how_long_it_is() -> None:
    rows = "".join(f"Village {chr(97 + i % 26)}{chr(97 + i // 26)}len,{i}\n" for i in range(600))
    document = converted("villages.csv", "Name,Households\n" + rows)
    extraction = sound(document)
    assert len(extraction.claims) == 40
    assert extraction.document.summary == "600 rows of Name, Households; told here: 40."


def test_a_table_in_prose_makes_no_pages_and_carries_its_header() -> None:
    html = (
        "<html><head><title>Tides in the Channel</title></head><body>"
        "<h1>Tides in the Channel</h1><p>The tidal range in the Channel grows from west to east, "
        "because the coast narrows.</p><table><tr><th>Place</th><th>Range</th><th>Note</th></tr>"
        "<tr><td>Granville</td><td>11.5 m</td><td>The largest of the coast</td></tr>"
        "<tr><td>Dieppe</td><td>8.5 m</td><td>Kept by two gauges</td></tr></table></body></html>"
    )
    extraction = sound(converted("tides.html", html))
    row = next(claim for claim in extraction.claims if "Granville" in claim.text)
    assert row.text == "Granville — Range: 11.5 m; Note: The largest of the coast"
    assert [quote.quote for quote in row.evidence] == [
        "| Granville | 11.5 m | The largest of the coast |",
        "| Place | Range | Note |",
    ]
    assert owners(extraction) == ["Tides in the Channel"]


def test_a_mail_speaks_for_its_sender_alone() -> None:
    mail = (
        "Subject: Re: Crane at quay four\nFrom: Piet Maas <piet@example.org>\n"
        "To: lena@example.org\nDate: Wed, 05 Mar 2025 14:30:00 +0100\n\n"
        "A new hook from Kessel costs 4,800 euros and arrives within six weeks.\n\n"
        "> The hook must be replaced before October, because it is worn.\n\n"
        "-- \nPiet Maas is the buyer of the harbour office since 2011.\n"
    )
    extraction = sound(converted("crane.eml", mail))
    assert extraction.document.title == "Re: Crane at quay four"
    assert (extraction.document.authors, extraction.document.date) == (["Piet Maas"], "2025-03-05")
    assert [(one.text, one.speaker) for one in extraction.claims] == [
        ("A new hook from Kessel costs 4,800 euros and arrives within six weeks.", "Piet Maas")
    ]


def test_code_and_outputs_of_a_notebook_say_nothing() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Tides\n\nThe fit needs at least 180 "
         "days of readings, because storms disturb it."},
        {"cell_type": "code", "metadata": {}, "source": "# The loss is large because of storms.",
         "outputs": [{"output_type": "stream", "name": "stdout",
                      "text": "The model was measured at 3 points.\n\nIt costs 4 euros."}]},
    ]  # fmt: skip
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    extraction = sound(converted("fit.ipynb", json.dumps(book)))
    assert extraction.document.title == "Tides"
    assert texts(extraction) == [
        "The fit needs at least 180 days of readings, because storms disturb it."
    ]


def test_the_whole_road_from_a_table_to_an_answer(wiki: Wiki) -> None:
    wiki.put("raw/ports.csv", PORTS)
    wiki.ok("ingest", "raw/ports.csv", "--model", "offline")
    answer = wiki.ok("query", "--model", "offline", "What is the height of the tide in Brest?")
    assert "Tide height: 7 m" in answer.out and "raw/ports.csv:3" in answer.out
    wiki.ok("lint")
    # A row put before the others, another changed: what is struck is the changed one alone.
    changed = PORTS.replace("Brest,France,7 m", "Ayr,,3 m,\nBrest,France,7.2 m")
    wiki.put("raw/ports.csv", changed)
    wiki.ok("ingest", "raw/ports.csv", "--model", "offline")
    assert wiki.claim("7 m").successor == f"gone in {sha(changed)[:8]}"
    assert wiki.claim("7.2 m").successor is None
    assert wiki.claim("11 m").successor is None
    check(wiki)


def test_two_sources_that_fill_one_slot_unlike_are_found(wiki: Wiki) -> None:
    for name, height in (("old", "7 m"), ("new", "8 m")):
        wiki.put(f"raw/{name}.csv", f"Port,Tide height\nBrest,{height}\nCardiff,11 m\n")
        wiki.ok("ingest", f"raw/{name}.csv", "--model", "offline")
    told = wiki.run("lint").out
    assert "`Brest · Tide height` is “7 m” here and “8 m” in" in told
    assert "Cardiff" not in told  # It is the same in both.
