"""Claims about the document itself stand on the document's own page."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki, answer, claim

TEXT = "# Annual report\n\nThis report covers 2025.\nTea sales rose by 4 %.\n"
ABOUT = "This report covers 2025."
TEA = "Tea sales rose by 4 %."
LEDGER, PAGE = "wiki/sources/report-md.md", "wiki/concepts/Tea sales.md"
FACTS = {"title": "Annual report", "summary": "A report.", "date": "2026-01"}


def said() -> dict[str, object]:
    claims = [claim("$document", ABOUT, lines=(3, 3)), claim("Tea sales", TEA, lines=(4, 4))]
    return answer(
        claims, subjects=[{"name": "Tea sales", "kind": "concept", "description": "x"}],
        document=FACTS,
    )  # fmt: skip


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def test_they_stand_on_its_page_with_their_quotes(wiki: Wiki) -> None:
    wiki.learn("raw/report.md", TEXT, said())
    homes = {c.text: path for path, c in wiki.claims().values()}
    assert homes == {ABOUT: LEDGER, TEA: PAGE}
    text = wiki.read(LEDGER)
    assert f"- “{ABOUT}” [^report-md] ^c-" in text
    assert "[^report-md]: [[sources/report-md|Annual report]] (2026-01), raw/report.md" in text
    assert "sources:" not in text and "Tea sales rose" not in text
    assert TEA in wiki.ok("show", LEDGER).out
    assert not any("document" in path for path in wiki.pages())
    wikikit.check(wiki)
    assert wiki.ok("lint", "--fail-on", "warning", "--ignore", "WK107").code == 0
    assert ABOUT in wiki.ok("context", "What does the report cover?").out


def test_they_follow_a_new_version_and_undo(wiki: Wiki) -> None:
    wiki.learn("raw/report.md", TEXT, said())
    wiki.put("raw/report.md", TEXT.replace("# Annual", "First.\n\n# Annual"))
    wiki.ok("ingest", "raw/report.md", "--model", "offline")
    assert wiki.lines(ABOUT)[0][0] == 5
    wikikit.check(wiki)
    for operation in wiki.git("log", "-2", "--format=%(trailers:key=Wiki-Id,valueonly)").split():
        wiki.ok("undo", operation)
    assert LEDGER not in wiki.pages()
    again = wiki.learn("raw/report.md", TEXT, said())
    assert again["claims_added"] == 2


def test_the_page_of_the_title_is_the_documents_subject(wiki: Wiki) -> None:
    first = claim("Annual report", "Every firm makes an annual report.", lines=(1, 1))
    wiki.learn("raw/a.md", "Every firm makes an annual report.\n", answer([first]))
    wiki.learn("raw/report.md", TEXT, said())
    homes = {c.text: path for path, c in wiki.claims().values()}
    assert homes[ABOUT] == "wiki/concepts/Annual report.md"


def test_a_subject_that_is_the_document_is_named_and_links_to_no_page_of_its_own(
    wiki: Wiki,
) -> None:
    claims = [claim("Annual report", ABOUT, lines=(3, 3)), claim("Tea sales", TEA, lines=(4, 4))]
    claims[0]["id"] = "k1"
    subjects = [
        {"name": "Annual report", "kind": "entity", "description": "x", "lead": "A yearly one."},
        {"name": "Tea sales", "kind": "concept", "description": "x"},
    ]
    given = answer(claims, subjects, document=FACTS)
    given["relations"] = [
        {"from": "Annual report", "to": "Tea sales", "label": "tells of", "claim": "k1"},
        {"from": "Annual report", "to": "$document", "label": "is", "claim": "k1"},
    ]
    done = wiki.learn("raw/report.md", TEXT, given)
    told = {each["what"]: each["became"] for each in done["remarks"]}
    assert told["subject Annual report"] == (
        f"is this document itself, whose subject is `$document` and page {LEDGER}"
    )
    assert "document's summary" in told["lead of Annual report"]
    assert [each["reason"] for each in done["refused"]] == [
        "both ends of the relation are one page"
    ]
    text = wiki.read(LEDGER)
    assert "- **Annual report** tells of [[Tea sales]] [^report-md]" in text
    assert "[[report-md]]" not in text
    wikikit.check(wiki)


def test_two_documents_of_one_title_stay_apart(wiki: Wiki) -> None:
    for name, month in (("ann", "March"), ("bob", "April")):
        words = f"These are the notes of {month}."
        told = answer([claim("$document", words, lines=(1, 1))],
                      document={"title": "Weekly notes", "summary": "Notes."})  # fmt: skip
        wiki.learn(f"raw/{name}.md", words + "\n", told)
    homes = sorted(path for path, _c in wiki.claims().values())
    assert homes == ["wiki/sources/ann-md.md", "wiki/sources/bob-md.md"]
    wikikit.check(wiki)
