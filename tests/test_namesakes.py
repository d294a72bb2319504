"""Pages of one title are told apart wherever their titles stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from wikikit import Wiki, check, make

from llmwiki.pages.page_file_names import namesakes

ANN = (
    "# Weekly notes\n\nAnn must order the copper pipes before Friday. The boiler is 20 years old.\n"
)
BOB = "# Weekly notes\n\nBob must call the copper works before Monday. The roof is 30 years old.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = make(tmp_path, monkeypatch)
    made.put("raw/ann/march.md", ANN)
    made.put("raw/bob/april.md", BOB)
    made.ok("ingest", "raw", "--model", "offline")
    return made


def test_what_tells_pages_apart_is_the_shortest_that_does() -> None:
    pages = {
        "wiki/concepts/Tea.md": "Tea",
        "wiki/sources/tea-md.md": "tea",
        "wiki/sources/club-tea-md.md": "Tea",
        "a/b/Plan.md": "Plan",
        "a/c/Plan.md": "Plan",
        "x/b/Plan.md": "Plan",
        "wiki/concepts/Alone.md": "Alone",
    }
    assert namesakes(pages.items()) == {
        "wiki/concepts/Tea.md": "concepts",
        "wiki/sources/tea-md.md": "tea-md",
        "wiki/sources/club-tea-md.md": "club-tea-md",
        "a/b/Plan.md": "a/b/Plan",
        "a/c/Plan.md": "c",
        "x/b/Plan.md": "x/b/Plan",
    }


def test_the_catalogue_tells_them_apart(wiki: Wiki) -> None:
    index = wiki.read("wiki/index.md")
    assert "* [Weekly notes (ann-march-md)](sources/ann-march-md.md)" in index
    assert "* [Weekly notes (bob-april-md)](sources/bob-april-md.md)" in index
    assert "no issues found" in wiki.ok("lint").out
    check(wiki)


def test_a_search_a_context_and_an_answer_tell_them_apart(wiki: Wiki) -> None:
    found = wiki.ok("search", "copper").out
    assert "Weekly notes (ann-march-md)" in found
    assert "Weekly notes (bob-april-md)" in found
    context = wiki.ok("context", "who must order the copper pipes?").out
    assert "Weekly notes (ann-march-md)" in context
    said = wiki.ok("query", "who must order the copper pipes?", "--model", "offline", "--json").json
    assert {each["title"] for each in said["citations"]} <= {
        "Weekly notes (ann-march-md)",
        "Weekly notes (bob-april-md)",
    }


def test_a_title_of_one_page_stays_as_it_is(wiki: Wiki) -> None:
    wiki.run("undo")
    assert "(ann-march-md)" not in wiki.read("wiki/index.md")
    assert "(ann-march-md)" not in wiki.ok("context", "who must order the copper pipes?").out
