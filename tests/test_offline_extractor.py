"""The embedded extractor, through `extract`: what it finds in documents written for this."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from llmwiki.core.document import Document
from llmwiki.core.text import fold
from llmwiki.extraction.embedded import extract
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.schema import DOCUMENT, ExtractedClaim, Extraction, Subject

SAMPLES = Path(__file__).parent / "test_offline_documents"
NAMES = ("essay.md", "reference.md", "note-ja.md", "plain.txt", "minutes.md")


def read(text: str, path: str = "raw/note.md") -> Document:
    kind = "text/plain" if path.endswith(".txt") else "text/markdown"
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(path, sha, tuple(text.split("\n")), media_type=kind)


def sample(name: str) -> Document:
    return read((SAMPLES / name).read_text(encoding="utf-8"), f"raw/{name}")


def subject(extraction: Extraction, name: str) -> Subject:
    return next(one for one in extraction.subjects if one.name == name)


def claims_of(extraction: Extraction, name: str) -> list[str]:
    """Of a subject, or of the document by its title."""
    subject = DOCUMENT if name == extraction.document.title else name
    return [claim.text for claim in extraction.claims if claim.subject == subject]


def claim(extraction: Extraction, part: str) -> ExtractedClaim:
    found = [one for one in extraction.claims if part in one.text]
    assert found, f"no claim holds {part!r}: {[one.text for one in extraction.claims]}"
    return found[0]


def assert_honest(extraction: Extraction, document: Document) -> None:
    """Quotes stand in their lines, and the text holds no word that its quotes do not."""
    for one in extraction.claims:
        words: set[str] = set()
        for quote in one.evidence:
            first, last = quote.lines
            assert 1 <= first <= last <= len(document.lines)
            assert fold(quote.quote) in fold("\n".join(document.lines[first - 1 : last]))
            assert len(quote.quote.split()) <= 60
            words.update(strip_markup(quote.quote).replace("|", " ").split())
            words.update(quote.quote.split())
        bare = {word.strip(":;,.—*` ") for word in words}
        for word in one.text.split():
            plain = word.strip(":;,.—*` ")
            assert not plain or plain in bare or plain in " ".join(words), (word, one)


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_is_verbatim_and_its_quote_stands_in_the_lines_named(name: str) -> None:
    document = sample(name)
    assert_honest(extract(document), document)


@pytest.mark.parametrize("name", NAMES)
def test_a_document_gives_claims_and_subjects_that_own_some(name: str) -> None:
    extraction = extract(sample(name))
    assert len(extraction.claims) >= 3
    names = [one.name for one in extraction.subjects]
    owned = [sum(1 + text.count(". ") for text in claims_of(extraction, name)) for name in names]
    assert sum(count >= 2 for count in owned) >= 0.8 * len(owned)
    assert all(one.description and one.lead for one in extraction.subjects)
    assert {one.subject for one in extraction.claims} <= {DOCUMENT, *names}


def test_the_header_tells_what_the_document_says_of_itself() -> None:
    facts = extract(sample("essay.md")).document
    assert (facts.title, facts.authors) == ("Why tidal mills came back", ["Maren Oduya"])
    assert (facts.date, facts.status) == ("2025-03-14", "published")
    assert facts.url == "https://example.org/tidal-mills"
    assert facts.summary.startswith("A tidal mill is a water mill")


def test_lines_at_the_head_tell_it_too_and_make_no_claims() -> None:
    plain = extract(sample("plain.txt"))
    assert plain.document.authors == ["Tomas Wedell"]
    assert plain.document.date == "2024-05-12"
    japanese = extract(sample("note-ja.md"))
    assert japanese.document.authors == ["織田 真理"]
    assert japanese.document.date == "2025-03-14"
    minutes = extract(sample("minutes.md"))
    assert (minutes.document.date, minutes.document.status) == ("2025-06-04", "draft")
    assert not any("Attendees" in one.text for one in minutes.claims)


def test_without_a_title_the_file_name_is_one() -> None:
    facts = extract(read("Just one line of text here.", "raw/2024-05-01_field-notes.md")).document
    assert facts.title == "Field notes"


def test_a_definition_is_the_description_of_its_subject() -> None:
    extraction = extract(sample("reference.md"))
    quill = subject(extraction, "Quill")
    assert quill.description == "Quill is a consensus protocol that needs three nodes or more."
    assert claims_of(extraction, "Quill")[0] == quill.description


def test_an_acronym_becomes_an_alias_of_its_long_form() -> None:
    extraction = extract(sample("essay.md"))
    assert subject(extraction, "Low-Head Turbine Generation").aliases == ["LHTG"]
    # The later sentence says LHTG only; it is about the same subject.
    assert claim(extraction, "LHTG kills fewer eels").subject == "Low-Head Turbine Generation"


def test_the_letters_of_an_acronym_must_match() -> None:
    text = (
        "# Borrowing\n\nInterlibrary Parcel Exchange (IPX) moves 900 books a day. "
        "Interlibrary Parcel Exchange needs a scanner at every desk. "
        "The Northern Harbour Union (NATO) pays 40 % of the cost of the Northern Harbour Union."
    )
    aliases = {alias for one in extract(read(text)).subjects for alias in one.aliases}
    assert "NATO" not in aliases
    reverse = (
        "# Borrowing\n\nIPE (Interlibrary Parcel Exchange) moves 900 books a day. "
        "IPE needs a scanner at every desk, because labels fade."
    )
    found = extract(read(reverse)).subjects
    assert [(one.name, one.aliases) for one in found if one.aliases] == [
        ("Interlibrary Parcel Exchange", ["IPE"])
    ]


def test_a_table_row_carries_its_header_as_second_evidence() -> None:
    row = claim(extract(sample("reference.md")), "retention_hours")
    assert row.text == (
        "retention_hours — Type: integer; Default: 72; "
        "How long messages are kept before they are deleted"
    )
    assert [quote.quote[:12] for quote in row.evidence] == ["| `retention", "| Option | T"]


def test_a_list_item_that_needs_it_carries_the_words_above() -> None:
    text = (
        "# Kiln rules\n\nA kiln is a furnace for clay that reaches 1,300 degrees.\n\n"
        "The kiln must be switched off when:\n\n- a shelf has cracked\n- the fan stands still\n"
    )
    item = claim(extract(read(text)), "a shelf has cracked")
    assert item.text == (
        "The kiln must be switched off when: a shelf has cracked; the fan stands still"
    )
    assert [quote.lines for quote in item.evidence] == [[5, 5], [7, 8]]


def test_code_comments_links_and_questions_are_no_claims() -> None:
    texts = " ".join(one.text for one in extract(sample("reference.md")).claims)
    assert "must not become a claim" not in texts
    assert "comment is not a claim" not in texts
    assert "Install" not in texts
    assert "What does a town gain" not in " ".join(
        one.text for one in extract(sample("essay.md")).claims
    )


def test_open_questions_are_kept_as_questions() -> None:
    extraction = extract(sample("minutes.md"))
    assert [one.text for one in extraction.questions] == [
        "Who tells the customs office about the outage?",
        "Do we keep the MariaDB server until August?",
    ]
    assert extraction.questions[0].lines == [22, 22]


def test_minutes_give_their_decisions() -> None:
    extraction = extract(sample("minutes.md"))
    chosen = claim(extraction, "was chosen instead of")
    assert chosen.subject == DOCUMENT
    assert claim(extraction, "at most 40 minutes").evidence[0].lines == [11, 11]


def test_a_record_of_a_decision_tells_what_was_decided() -> None:
    text = """# Records of the harbour

## Context

As the harbour grows, we need to know who lies where.

## Decision

We will use **PostgreSQL** for the records of all berths.

| Choice | For | Against |
| --- | --- | --- |
| PostgreSQL | known | heavy |
| Paper | cheap | slow |
"""
    extraction = extract(read(text))
    claim(extraction, "We will use PostgreSQL for the records of all berths.")
    assert "We will use PostgreSQL" in extraction.document.summary
    assert "became claims" not in extraction.document.summary


def test_japanese_definitions_items_and_tables() -> None:
    extraction = extract(sample("note-ja.md"))
    assert claim(extraction, "潮汐水車とは").text == "潮汐水車とは、海の満ち引きで動く水車である。"
    assert claim(extraction, "作業落差").subject == DOCUMENT
    assert not any("最低落差: 0.9 m" in one.text for one in extraction.claims)  # A measurement.
    assert [one.text for one in extraction.questions] == ["夏の水草による停止をどう減らすか"]


def test_hard_wrapped_sentences_span_lines() -> None:
    extraction = extract(sample("plain.txt"))
    first = claim(extraction, "narrow gauge railway")
    assert first.subject == "Harrow Line"
    assert first.evidence[0].lines == [6, 8]
    assert "between Aldmoor and the port of Kest. It" in first.text


def test_carriage_returns_change_nothing() -> None:
    text = (SAMPLES / "essay.md").read_text(encoding="utf-8")
    unix = extract(read(text)).model_dump(exclude={"source"})
    dos = extract(read(text.replace("\n", "\r\n"))).model_dump(exclude={"source"})
    assert dos == unix


def test_known_pages_are_named_as_the_wiki_names_them() -> None:
    extraction = extract(sample("essay.md"), known=["European Eel", "Siphon turbines", "Zebra"])
    names = {one.name for one in extraction.subjects}
    assert {"European Eel", "Siphon turbines"} <= names
    assert "Siphon turbine" not in names and "Zebra" not in names
    assert "Siphon turbines" in claim(extraction, "LHTG kills fewer eels").also


def test_singular_plural_and_case_are_one_subject() -> None:
    text = (
        "# Harbour\n\n## Tide gauges\n\nA tide gauge is a pipe with a float. "
        "Tide gauges need 12 volts. The Tide Gauge at Kest failed in 1990 because of ice.\n\n"
        "## Boats\n\nThe harbour has 14 boats and must keep two of them free."
    )
    names = [one.name for one in extract(read(text)).subjects]
    assert [name for name in names if name.casefold().startswith("tide")] in (
        ["Tide gauge"],
        ["Tide gauges"],
    )


SILLY = ["Introduction", "Overview", "Example", "Note", "Summary", "It", "However", "TODO", "2024"]


def test_no_subject_is_named_after_a_word_that_names_nothing() -> None:
    parts = [
        f"## {word}\n\nThe copper roof weighs {number} tons. The copper roof is of 19{number}."
        for number, word in enumerate(
            [*SILLY, "Step 3: Melt", "§2", "12 May 2024", "How do we melt it?", "---"], start=10
        )
    ]
    extraction = extract(read("# Copper roofs\n\n" + "\n\n".join(parts)))
    names = {one.name for one in extraction.subjects}
    assert extraction.claims and not names & {
        *SILLY,
        "Step 3",
        "§2",
        "12 May 2024",
        "How do we melt it",
    }
    for name in names:
        assert len(name.split()) <= 8 and len(name) <= 80


def test_a_long_document_is_bounded() -> None:
    parts = [
        f"## Lamp {chr(65 + n % 26)}{chr(97 + n // 26)}ra\n\n"
        f"The lamp number {n} must never burn longer than {n + 3} hours. "
        f"It was built in {1800 + n} and weighs {n} kilograms.\n"
        for n in range(600)
    ]
    extraction = extract(read("# Lamps\n\n" + "\n".join(parts)))
    assert 60 <= len(extraction.claims) <= 160
    assert len(extraction.subjects) <= 41


def test_a_part_of_the_lines_can_be_read() -> None:
    document = sample("essay.md")
    extraction = extract(document, first=26, last=37)
    assert extraction.source.lines == [26, 37]
    lines = [quote.lines for one in extraction.claims for quote in one.evidence]
    assert lines and all(first >= 26 and last <= 37 for first, last in lines)


@pytest.mark.parametrize(
    "text", ["", "\n\n\n", "---\n", "```\ncode only\n", "# \n", "|\n|-|\n", "\ufffd"]
)
def test_a_document_that_says_nothing_still_gives_an_extraction(text: str) -> None:
    extraction = extract(read(text, "raw/empty-one.md"))
    assert extraction.end is True
    assert extraction.document.title and extraction.document.summary
    assert extraction.claims == []


def test_the_same_bytes_come_out_under_any_hash_seed() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_offline_extractor import NAMES, sample\n"
        "from llmwiki.extraction.embedded import extract\n"
        "known = ['Quill', 'European Eel', 'PostgreSQL', 'プロペラ水車']\n"
        "print([extract(sample(name), known).model_dump_json() for name in NAMES])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(outputs) == 1


def test_lines_of_prose_that_are_set_off_as_code_are_claims() -> None:
    maxims = [
        "Clean tools are better than new tools.",
        "Measure twice before any cut.",
        "A finished joint is never forced.",
    ]
    block = "".join(f"    {line}\n" for line in maxims)
    found = extract(read(f"# Maxims\n\nThe maxims of the workshop hold for all.\n\n{block}"))
    assert [claim.text for claim in found.claims][-3:] == maxims
    code = "    Run the tool.\n    x = 1;\n    y = {2};\n"
    assert not extract(read(f"# Code\n\nNothing is said of it.\n\n{code}")).claims[1:]
