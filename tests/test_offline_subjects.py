"""What the embedded extractor takes for a subject: of file names, ordinary words, rows, print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_offline_tables import owners, read, taken, texts
from test_sources_convert import pdf, shown, stream
from wikikit import Wiki, make

from llmwiki.core.document import Document

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


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("IMG_0231.txt", "IMG 0231"),
        ("2024-05-01_field-notes.md", "Field notes"),
        ("vault/Search.md", "Search"),
        ("vault/What I think of it.md", "What I think of it"),
        ("club/minutes.md", "Minutes (club)"),
        ("README.md", "README"),
        ("0068-bow-thruster.md", "Bow thruster"),
        ("0231.txt", "0231"),
    ],
)
def test_a_document_without_a_title_has_the_name_of_its_file(path: str, title: str) -> None:
    text = "The bow thruster must not run dry, because its bearing is cooled by water.\n"
    extraction = taken(read(path, text))
    assert extraction.document.title == title
    assert owners(extraction) == [title]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Bow thrusters\n\n{}\n\n## Care\n\n{}", "Bow thrusters"),
        ("---\ntitle: Bow thrusters\n---\n\n{}\n\n# Care\n\n{}", "Bow thrusters"),
        (
            "RFC: 7\nTitle: Bow thrusters\nAuthor: A. Ruiz\n\nAbstract\n========\n\n{}",
            "Bow thrusters",
        ),
        ("=============\nBow thrusters\n=============\n\n{}\n\nCare\n====\n\n{}", "Bow thrusters"),
        ("{}\n\n# Care\n\n{}", "Ship"),
        ("{}\n\n```sh\n# make all\n```\n\n{}", "Ship"),
        ("Run this::\n\n    # make all\n    make\n\n{}", "Ship"),
    ],
)
def test_a_title_is_a_heading_at_the_top_or_a_field_and_never_code(text: str, title: str) -> None:
    said = "A bow thruster is a propeller in a tunnel that turns a ship at low speed."
    extraction = taken(read("ship.txt", text.format(said, said)))
    assert extraction.document.title == title


def test_a_heading_of_the_second_level_names_what_the_file_is_named_after() -> None:
    said = "The bow thruster must not run dry, because its bearing is cooled by water."
    text = f"![Logo](/logo.png)\n\n## Agenda of the harbour call\n\n{said}\n\n## Notes\n\n{said}\n"
    for path in ("harbour-05-11.md", "05-11.md"):
        assert taken(read(path, text)).document.title == "Agenda of the harbour call"
    assert taken(read("thrusters.md", text)).document.title == "Thrusters"


def test_pictures_templates_and_attributes_are_no_words() -> None:
    said = "The bow thruster must not run dry, because its bearing is cooled by water."
    head = (
        '![A quay](quay.png){: style="width:32%"}\n{% assign quay = site.quay %}\n{height: 1rem}\n'
    )
    extraction = taken(read("ship.md", f"# Ship\n\n{head}\n{said}\n"))
    assert extraction.document.summary == said
    assert {claim.text for claim in extraction.claims} == {said}


def test_questions_that_were_answered_are_none() -> None:
    text = (
        "# Ship\n\nThe bow thruster must not run dry, because its bearing is cooled by water.\n\n"
        "## Open questions\n\n- [x] Who pays for the new bow thruster?\n"
        "- Resolved: the harbour pays for the bow thruster.\n- Who paints the hull in spring?\n"
    )
    asked = [each.text for each in taken(read("ship.md", text)).questions]
    assert asked == ["Who paints the hull in spring?"]


def test_verbs_and_adjectives_with_a_capital_are_no_names() -> None:
    rules = (
        "A copy must Preserve the title of the work. Preserve the notices in each copy. "
        "A part Entitled history must stay as it is. A part Entitled thanks must stay as it is. "
        "Copies preserve all that is entitled to stay. "
        "The town of Sarn has two mills. Sarn mills grind 300 kg an hour.\n"
    )
    found = owners(taken(read("rules.md", f"# Terms of copying\n\n{rules}")))
    assert found == ["Terms of copying"]


def test_a_name_gets_a_page_where_it_is_defined_and_has_claims() -> None:
    text = (
        "# Boats\n\nA bow thruster is a propeller in a tunnel. A bow thruster must not run dry. "
        "The bow thruster of the ferry costs 4,000 euros.\n\n## Names to avoid\n\n"
        "Boats must not be called Titanic. An exception is the boat of the mayor.\n\n"
        "## Summary of differences\n\nNew boats carry at most 12 guests, old boats only 8.\n"
    )
    assert owners(taken(read("boats.md", text))) == ["Bow thruster", "Boats"]


def test_two_names_that_say_the_same_are_one_page() -> None:
    text = (
        "# Versions\n\n## Post releases\n\nA post release is a release of text alone. "
        "Post releases must not mend bugs. Post releases follow the final release.\n\n"
        "## Post release segment\n\nA post release segment is a number behind a dot. "
        "The post release segment must be a number. The post release segment follows a dot.\n"
    )
    found = owners(taken(read("versions.md", text)))
    assert len([name for name in found if name.startswith("Post release")]) == 1


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
    assert "Man overboard: Whoever sees a person fall must shout at once." in found
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


def test_a_source_that_gives_nothing_is_told_of_in_one_line(wiki: Wiki) -> None:
    wiki.put("raw/list.md", "- [one](https://example.org/1)\n- [two](https://example.org/2)\n")
    told = wiki.ok("ingest", "raw/list.md", "--model", "offline").err
    assert "raw/list.md gave no claims" in told
    wiki.put("raw/ferry.md", "# Ferry\n\nThe ferry carries at most 12 guests a day.\n")
    told = wiki.ok("ingest", "raw/ferry.md", "--model", "offline").out
    assert "reads as a statement" not in told
    overview = wiki.read("wiki/overview.md")
    assert "## Documents" in overview and "(1 claim)" in overview
    assert "WK021" not in wiki.run("lint").out


def test_a_person_keeps_what_the_text_says_with_a_pronoun() -> None:
    text = (
        "Ada Lovelace (1815-1852) was an English mathematician. She wrote a program for an engine "
        "that was never built. Her father was Lord Byron.\n"
    )
    extraction = taken(read("person.txt", text))
    assert [(one.name, one.kind) for one in extraction.subjects] == [("Ada Lovelace", "entity")]
    assert texts(extraction)[0].endswith("Her father was Lord Byron.")
    apart = taken(read("person.txt", text.replace(" Her", "\n\nHer")))
    assert not any("Her father" in one for one in texts(apart))


def test_a_decision_of_a_meeting_is_a_claim_of_its_minutes() -> None:
    text = (
        "# Sailing club\n\nDate: 2025-03-04\n\n"
        "- We decided to sell the old dinghy for 400 euros.\n"
        "- Anna will ask the yard for a quote before Friday.\n"
    )
    extraction = taken(read("meeting.md", text))
    assert owners(extraction) == ["Sailing club"]
    assert texts(extraction)[0] == "We decided to sell the old dinghy for 400 euros."
    assert extraction.document.date == "2025-03-04"


def test_a_date_in_an_example_is_not_that_of_the_document() -> None:
    text = (
        "# Daily notes\n\nA daily note is a note that is named after a day.\n\n"
        "The note of a day is named after its date, such as 2023-01-01, and kept for 7 days.\n"
    )
    extraction = taken(read("daily.md", text))
    assert extraction.document.date is None
    assert any(one.endswith("kept for 7 days.") for one in texts(extraction))


def test_rules_callouts_and_code_that_is_explained_are_claims() -> None:
    text = (
        "# Style\n\n## Indentation\n\nUse 4 spaces per indentation level.\n\n"
        "## Imports\n\n- Imports should usually be on separate lines:\n\n"
        "  ```python\n  import os\n  import sys\n  import re\n  ```\n\n"
        "> [!tip] Long lines\n> Break a line of more than 79 characters before an operator.\n\n"
        "To check all files at once, run this command:\n\n```sh\nstyle --check .\n```\n"
    )
    found = texts(taken(read("style.md", text)))
    assert found == [
        "Use 4 spaces per indentation level.",
        "Imports should usually be on separate lines",
        "Imports: Break a line of more than 79 characters before an operator.",
        "To check all files at once, run this command: `style --check .`",
    ]


def test_restructured_text_is_read_as_it_stands() -> None:
    text = (
        "PEP: 7\nTitle: Boats of the harbour\nCreated: 05-Jul-2001\n\n\n"
        "Abstract\n========\n\nThis PEP gives the rules of ``__boats__`` in a :pep:`8` harbour.\n\n"
        ".. note::\n\n   Every boat must carry two lamps.\n\n"
        "Lamps\n-----\n\nA lamp must burn all night::\n\n"
        "    lamp = 1\n    must(lamp)\n    burn(lamp)\n\n"
        ".. _target: https://example.org\n"
    )
    document = Document("raw/p.rst", "0" * 64, tuple(text.split("\n")), media_type="text/plain")
    extraction = taken(document)
    assert (extraction.document.title, extraction.document.date) == (
        "Boats of the harbour",
        "2001-07-05",
    )
    assert texts(extraction) == [
        "This PEP gives the rules of `__boats__` in a PEP 8 harbour.",
        "Every boat must carry two lamps.",
        "A lamp must burn all night",
    ]
    assert [one.evidence[0].lines for one in extraction.claims] == [[9, 9], [13, 13], [18, 18]]
