"""What the embedded extractor takes for a subject: of file names, ordinary words, rows, print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_offline_tables import owners, read, taken, texts
from test_sources_convert import pdf, shown, stream
from wikikit import Wiki, make

HOURS = "The office is open from nine to five. Visitors must register at the gate before noon.\n"
DOUGH = "The dough needs 500 g of flour. Notes on the oven must be kept by the baker for a year.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def test_files_of_one_name_are_not_about_one_thing(wiki: Wiki) -> None:
    wiki.put("raw/a/notes.txt", HOURS)
    wiki.put("raw/b/notes.txt", DOUGH)
    wiki.ok("ingest", "raw/a", "raw/b", "--model", "offline")
    assert sorted(wiki.pages()) == [f"wiki/sources/{one}-notes-txt.md" for one in "ab"]
    assert "dough" not in wiki.read("wiki/sources/a-notes-txt.md")


def test_a_source_that_changes_keeps_its_page(wiki: Wiki) -> None:
    wiki.put("raw/a/notes.txt", HOURS)
    wiki.ok("ingest", "raw/a", "--model", "offline")
    wiki.put("raw/a/notes.txt", HOURS + "\nThe lift must be checked once a year.\n")
    wiki.ok("ingest", "raw/a", "--model", "offline")
    page = wiki.read("wiki/sources/a-notes-txt.md")
    assert "nine to five" in page
    assert "The lift" in page


def test_a_page_named_after_a_source_draws_no_words_of_others() -> None:
    document = read("report.md", "# Tidal mill\n\nraw/a/notes.txt is a file that says it all.\n")
    assert "raw/a/notes.txt" not in owners(taken(document, ("raw/a/notes.txt",)))


def test_a_file_is_about_what_it_defines_and_its_name_says() -> None:
    text = "A bow thruster is a propeller in a tunnel. It must not run dry.\n"
    assert owners(taken(read("bow-thruster.txt", text))) == ["Bow thruster"]
    assert owners(taken(read("IMG_0231.txt", text * 2))) == ["$document"]


def test_verbs_and_adjectives_with_a_capital_are_no_names() -> None:
    rules = (
        "A copy must Preserve the title of the work. Preserve the notices in each copy. "
        "A part Entitled history must stay as it is. A part Entitled thanks must stay as it is. "
        "Copies preserve all that is entitled to stay. "
        "The town of Sarn has two mills. Sarn mills grind 300 kg an hour.\n"
    )
    found = owners(taken(read("rules.md", f"# Terms of copying\n\n{rules}")))
    assert found == ["Terms of copying", "Sarn"]


def test_an_activity_is_a_thing_where_a_sentence_says_so() -> None:
    steps = (
        "Files must wait while processing goes on, because one queue holds them all. "
        "Errors must stop processing at once. The cost of processing is only 3 s a file. "
        "The guests must never stop processing by hand.\n"
    )
    text = f"# Trigger\n\nThe trigger is a rule of 5 lines.\n\n## Processing\n\n{steps}"
    assert "Processing" not in owners(taken(read("trigger.md", text)))
    said = f"{text}Processing takes 3 s for each file of 1 MB.\n"
    assert "Processing" in owners(taken(read("trigger.md", said)))


def test_a_column_of_names_goes_before_one_of_sentences() -> None:
    log = (
        '{"time": "2024-05-01T08:00", "ferry": "Seerose", "event": "Departure cancelled"}\n'
        '{"time": "2024-05-01T09:00", "ferry": "Uhu", "event": "Battery at 12 %"}\n'
        '{"time": "2024-05-01T11:00", "ferry": "Seerose", "event": "Departed late"}\n'
    )
    extraction = taken(read("log.jsonl", log))
    assert owners(extraction) == ["Seerose", "Uhu"]
    first, second = (claim for claim in extraction.claims if claim.subject == "Seerose")
    assert first.text == "Seerose — time: 2024-05-01T08:00; event: Departure cancelled"
    # Both hold as of one day, and do not contradict each other.
    assert (first.as_of, first.key, second.key) == ("2024-05-01", None, None)


def test_events_that_have_names_are_told_by_them() -> None:
    fairs = "Event,Town\nHarbour Festival,Brest\nNight of Museums,Lyon\nBread Market,Lyon\n"
    assert owners(taken(read("fairs.csv", fairs)))[:2] == ["Harbour Festival", "Night of Museums"]


def printed(*pages: tuple[bytes, ...]) -> bytes:
    return pdf([stream(shown(*page)) for page in pages])


SCOPE = "The rules of the ship hold for all guests because the sea is cold."
MANUAL = printed(
    (
        b"Manual of the ferry",
        b"Contents",
        b"1 Alarms . . . . . . . . . . . 2",
        b"2 Fire ...... 3",
        SCOPE.encode(),
    ),
    (
        b"Chapter 1: Alarms 2",
        b"Man overboard",
        b"Whoever sees a person fall must shout at once.",
        b"The master must stop the engine within 20 seconds, and the",
        b"2",
    ),
    (
        b"Chapter 1: Alarms 3",
        b"rescue boat is launched within 90 seconds.",
        b"Fire alarm",
        b"The fire alarm is a bell that rings for ten seconds.",
        b"The fire alarm must be tested on the first day of a month.",
        b"3",
    ),
    (b"Chapter 1: Alarms 4", b"Port Height Note", b"North pier 12 m Sand bar.", b"4"),
    (b"Chapter 1: Alarms 5", b"The crew must close the doors because smoke spreads.", b"5"),
)


def test_print_is_taken_out_of_a_pdf_and_its_headings_are_no_words_of_sentences() -> None:
    extraction = taken(read("manual.pdf", MANUAL))
    found = texts(extraction)
    assert SCOPE in found
    assert "Whoever sees a person fall must shout at once." in found
    assert "The fire alarm is a bell that rings for ten seconds." in found
    assert not any("Chapter 1" in one or ". . ." in one or "...." in one for one in found)
    assert "Fire alarm" in owners(extraction)
    assert "Port Height Note" not in owners(extraction)
    assert extraction.document.title == "Manual of the ferry"


@pytest.mark.parametrize(
    "sentence",
    [
        "Wir kommen am 15. Juni mit 40 Personen nach Bregenz.",
        "Der Beschluss vom 3. 5. gilt für alle Boote im Hafen von Lindau.",
        "Der Hafen ist seit dem 1. Juni wieder offen für alle Boote der Gruppe.",
        "Museet åbner den 5. juni og lukker den 30. september hvert år.",
    ],
)
def test_the_day_of_a_date_ends_no_sentence(sentence: str) -> None:
    assert sentence in texts(taken(read("a.md", f"# Gruppe Nord\n\n{sentence}\n")))
    for at in re.finditer(r" (?=\d)|(?<=\d\.) ", sentence):
        broken = f"{sentence[: at.start()]}\n{sentence[at.end() :]}"
        assert sentence in texts(taken(read("a.md", f"# Gruppe Nord\n\n{broken}\n")))


def test_a_number_still_ends_a_sentence() -> None:
    text = "The ferry carries at most 15. June is the month with most guests of the year.\n"
    assert len(taken(read("a.md", f"# Ferry\n\n{text}")).claims) == 2


def test_the_day_a_file_was_saved_is_no_date_of_its_document() -> None:
    text = "# Tide table\n\nModified: 2024-05-06T07:08:09Z\n\n"
    extraction = taken(read("a.md", f"{text}The tide table must be read before the ship leaves.\n"))
    assert extraction.document.date is None
    assert texts(extraction) == ["The tide table must be read before the ship leaves."]


def test_a_manual_below_its_table_of_contents_is_read(wiki: Wiki) -> None:
    wiki.put(
        "raw/manual.md",
        "# Contents\n\n- One\n\n## The sluice\n\nThe sluice is a gate that holds water back.\n",
    )
    assert wiki.ok("ingest", "raw/manual.md", "--json").operation["claims_added"] == 1
