"""Lines of the sources themselves: cut, found, shown beside claims, cited, turned off."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki

from llmwiki import Wiki as Library
from llmwiki.index.source_index import (
    MOST,
    NAME,
    KeptTexts,
    SourceIndex,
    SourceRow,
    cut,
    open_texts,
)
from llmwiki.pages.find_links import scan
from llmwiki.query.check_citations import in_context
from llmwiki.query.retrieval.source_passages import source_passages
from llmwiki.query.retrieval.word_scores import Term

TEXT = """# Tea

Green tea is steeped at 80 degrees.

## Cold water

In cold water the leaves of sencha rest for eleven hours
before anybody pours them.

## Price

A kilo costs 90 euro in Ulm.
"""
HIDDEN = "How many hours do the leaves of sencha rest in cold water?"


def grown(made: Wiki) -> None:
    """A thin reading of that text: one claim."""
    said = "Green tea is steeped at 80 degrees."
    made.learn("raw/tea.md", TEXT, wikikit.answer([wikikit.claim("Green tea", said, lines=(3, 3))]))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A copy of that wiki."""
    return wikikit.make(tmp_path, monkeypatch, grown)


def test_a_text_is_cut_at_headings_and_empty_lines() -> None:
    lines = TEXT.split("\n")
    assert [span[:2] for span in cut(lines)] == [(3, 3), (7, 8), (12, 12)]
    long = ["word " * 30] * 20
    spans = list(cut(["# Head", *long]))
    assert all(sum(len(line) for line in long[a - 1 : b]) <= MOST + 300 for a, b, _ in spans)
    assert [span[2] for span in spans] == [1] * len(spans)
    covered = [n for first, last, _ in spans for n in range(first, last + 1)]
    assert covered == list(range(2, 22)), "every line once"
    assert list(cut([])) == list(cut(["", " "])) == []
    drawn = ["One", "====", "", "text", "", "Two", "----", "more"]
    assert list(cut(drawn)) == [(4, 4, 1), (8, 8, 6)]
    bare = ["# One", "", "## Two", "# a", "# b", "", "# c", "text", "# End"]
    assert list(cut(bare)) == [(1, 1, 0), (3, 5, 0), (8, 8, 7), (9, 9, 0)], "headings alone"


def test_the_first_line_of_a_converted_text_is_no_heading() -> None:
    head = f"# llmwiki-text 1 converter=pypdf/7.1.0 sha256={'0' * 64}"
    assert list(cut([head, "text", "", "# Head", "more"])) == [(2, 2, 0), (5, 5, 4)]


def test_what_no_claim_says_is_shown_from_the_source(wiki: Wiki) -> None:
    text = wiki.ok("context", HIDDEN).out
    assert "source: raw/tea.md\n[[tea-md#L5-L8]]: Cold water: In cold water the leaves" in text
    told = wiki.ok("context", HIDDEN, "--json").json["passages"]
    assert [each["kind"] for each in told if "eleven hours" in each["text"]] == ["source"]


def test_other_words_for_what_is_asked_find_what_the_question_misses(wiki: Wiki) -> None:
    asked = "For what sum of money is one sold?"
    assert "90 euro" not in wiki.run("context", asked).out
    done = wiki.ok("context", asked, "--also", "price kilo cost")
    assert "[[tea-md#L10-L12]]: Price: A kilo costs 90 euro in Ulm." in done.out
    assert "may not be in the wiki" not in done.err, "the other words count as the question's"
    refused = wiki.run("context", asked, "--also", "a" * 9_000)
    assert refused.code == 7 and "with its other words is longer" in refused.err


def test_what_a_claim_quotes_is_not_shown_again(wiki: Wiki) -> None:
    text = wiki.ok("context", "At how many degrees is green tea steeped?").out
    assert "[[#^c-" in text and "[[tea-md#L3-L3]]" not in text


def test_a_citation_of_lines_counts_only_where_they_were_shown(wiki: Wiki) -> None:
    with Library.open(wiki.root) as library:
        known = in_context(library.context(HIDDEN).context)
    (shown,), (other,) = scan("[[tea-md#L5-L8]]"), scan("[[tea-md#L5-L80]]")
    cited = known(shown)
    assert cited is not None and (cited.path, cited.line, cited.kind) == ("raw/tea.md", 5, "source")
    assert known(other) is None


def test_the_lines_answer_where_no_claim_does(wiki: Wiki) -> None:
    done = wiki.ok("query", HIDDEN, "--model", "offline")
    assert "eleven hours" in done.out and "raw/tea.md:7" in done.out
    assert wiki.run("query", "Who paints the sencha museum?", "--model", "offline").code == 1


def test_a_setting_turns_them_off(wiki: Wiki) -> None:
    wiki.put(".llmwiki.toml", wiki.read(".llmwiki.toml") + "\n[retrieval]\nsources = false\n")
    assert "source: " not in wiki.run("context", HIDDEN).out
    assert not (wiki.root / ".git/llmwiki/sources.db").exists()


def test_an_earlier_commit_has_the_lines_and_places_of_its_own_texts(wiki: Wiki) -> None:
    report = Path(__file__).parent / "data" / "documents" / "report-office.pdf"
    wiki.put("raw/report.pdf", report.read_bytes())
    wiki.ok("ingest", "raw/report.pdf", "--model", "offline")
    wiki.put("raw/tea.md", f"A line more.\n\n{TEXT}")
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    asked = ("query", "--model", "offline", "At how many degrees is green tea steeped?")
    assert "raw/tea.md:5\n" in wiki.ok(*asked).out
    then = ("--at", "HEAD~1")
    assert "raw/tea.md:3\n" in wiki.ok(*asked, *then).out
    assert "eleven hours" in wiki.ok("context", HIDDEN, "--at", "HEAD~2").out
    found = wiki.ok("context", "Where is the red gauge?", "--quotes", *then).out
    assert "” L9–L11, p. 1\n" in found


def test_a_quote_with_a_link_in_it_has_its_line(wiki: Wiki) -> None:
    wiki.edit("wiki/concepts/Green tea.md", "at 80 degrees.”", "at 80 [[Cold water|degrees]].”")
    found = wiki.ok("query", "--model", "offline", "At how many degrees is green tea steeped?").out
    assert "raw/tea.md:3\n" in found and "[[#^c-" in wiki.ok("context", "green tea degrees").out
    assert "L3" in wiki.ok("context", "green tea degrees", "--quotes").out


def test_a_source_that_goes_takes_its_lines_along(wiki: Wiki) -> None:
    assert "eleven" in wiki.ok("context", HIDDEN).out
    wiki.ok("undo", wiki.trailer("Wiki-Id"))
    assert "eleven" not in wiki.run("context", HIDDEN).out


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + bytes(2000)])
def test_a_damaged_file_is_made_anew(wiki: Wiki, data: bytes) -> None:
    before = wiki.ok("context", HIDDEN).out
    (wiki.root / ".git/llmwiki/sources.db").write_bytes(data)
    wiki.run("context", HIDDEN)
    assert wiki.ok("context", HIDDEN).out == before


def test_questions_at_once_make_the_passages_once(tmp_path: Path) -> None:
    rows = [SourceRow(f"wiki/sources/s{n}-md.md", f"raw/s{n}.md", "0" * 64) for n in range(3)]
    begin = threading.Barrier(4)

    def ask(path: Path) -> tuple[int, list[str]] | None:
        begin.wait()
        texts = open_texts(path, "state", lambda: rows, lambda row: TEXT.split("\n"))
        with contextlib.closing(texts) if texts else contextlib.nullcontext():
            return texts and (texts.passages, sorted(texts.postings(["tea", "sencha"])))

    with ThreadPoolExecutor(4) as threads:
        for number in range(40):
            path = tmp_path / str(number) / NAME
            path.parent.mkdir()
            assert list(threads.map(ask, [path] * 4)) == [(9, ["sencha", "tea"])] * 4


def test_a_question_sees_one_moment_of_the_passages(tmp_path: Path) -> None:
    rows = [SourceRow(f"wiki/sources/s{n}-md.md", f"raw/s{n}.md", "0" * 64) for n in range(2)]
    kept, other = KeptTexts(), KeptTexts()

    def opened(texts: KeptTexts, most: int) -> AbstractContextManager[SourceIndex | None]:
        return texts.opened(
            *(tmp_path / NAME, f"{most} sources", lambda: rows[:most], lambda _: ["A kettle."])
        )

    with contextlib.closing(kept), contextlib.closing(other):
        for _ in range(2):
            with opened(kept, 2) as seen, opened(other, 1) as fewer:
                assert seen is not None and fewer is not None
                assert seen.lines_of(rows[1].page) == ["A kettle."]
                assert len(seen.postings(["kettl"])["kettl"]) == seen.passages == 2
                assert fewer.passages == 1 and not fewer.lines_of(rows[1].page)


def test_of_passages_that_tie_it_does_not_count_which_came_first(tmp_path: Path) -> None:
    rows = [SourceRow(f"wiki/sources/s{n}-md.md", f"raw/s{n}.md", "0" * 64) for n in range(300)]
    found = []
    for name, first in (("one", rows[150:]), ("other", rows)):
        for state, wanted in (("first", first), ("then", rows)):
            texts = open_texts(tmp_path / name, state, lambda w=wanted: w, lambda _: ["A kettle."])
            assert texts is not None
            with contextlib.closing(texts):
                passages = source_passages(texts, [Term("kettl", 0, 0, whole=True)])
        found.append([passage.path for passage in passages])
    assert found[0] == found[1]


def test_a_number_is_found_with_and_without_its_commas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two(made: Wiki) -> None:
        for name, said in (
            ("hall", "The hall cost 1,250,000 euro."),
            ("mast", "It took 48500 rivets."),
        ):
            made.learn(f"raw/{name}.md", said, wikikit.answer([wikikit.claim(name, said)]))

    wiki = wikikit.make(tmp_path, monkeypatch, two)
    assert "1,250,000" in wiki.ok("context", "1250000").out
    assert "48500" in wiki.ok("context", "48,500").out
    assert "1,250,000" in wiki.ok("context", "250").out, "it may be a list of numbers"


def test_lines_that_a_struck_claim_quotes_are_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    more = "Who waters also cleans the filter behind the shed, and writes down the litres."
    old = "The pump is on every Tuesday,\nfrom 6 to 7."
    wiki.put("raw/old.md", f"# Watering\n\n{old}\n\n{more}\n")
    wiki.put("raw/new.md", "# Tools\n\nThe pump is on every Monday, from 7 to 8.\n")
    wiki.ok("ingest", "raw/", "--model", "offline")
    asked = "When is the pump on?"
    struck, newer = wiki.claim("Tuesday").id, wiki.claim("Monday").id
    wiki.ok("supersede", struck, newer)
    answered = wiki.ok("query", asked, "--model", "offline").out
    assert "Monday" in answered and "Tuesday" not in answered
    found = wiki.ok("search", "pump Tuesday").out
    assert f"    struck: this no longer holds\n    updated by [[new-md#^{newer}]]" in found
    text = wiki.ok("context", asked).out
    claimed, line = (each for each in text.split("\n") if "Tuesday" in each)
    assert claimed.startswith(f"[[#^{struck}]] superseded by [[new-md#^{newer}]]: ")
    assert line.startswith(f"[[old-md#L1-L6]] superseded in part by [[new-md#^{newer}]]: ")
    wiki.ok("query", "Who cleans the filter behind the shed?", "--model", "offline")
