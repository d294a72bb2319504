from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from gitkit import git, isolate

from benchmarks import retrieval, speed
from benchmarks.evaluation_sets import Document, read_set
from benchmarks.measures import Answered, ndcg, percentile, recall, reciprocal_rank, summarise
from benchmarks.set_wiki import build_wiki, pages_of

PAGES = [
    {"id": "p/1", "title": "Harbour lamp", "text": "The lamp was lit by Odile Marchetti in 1911."},
    {"id": "p/2", "title": "Odile Marchetti", "text": "She kept the archive of [[Pellworm]]."},
    {"id": "p/3", "title": "Pellworm", "aliases": ["Pelvorm"], "text": "An island of seven mills."},
    {"id": "p/4", "title": "Pellworm", "text": "---\ntype: fake\n---\n\n# Not a title\n\nA ferry."},
    {"id": "灯", "title": "灯台", "text": "灯台は島にある。", "links": ["p/3", "nowhere"]},
    {"id": "p/6", "title": 'Weir: a "dam" [draft]', "text": ""},
    {
        "id": "p/7",
        "title": "",
        "text": "| mill | where |\n| --- | --- |\n| [[Pelvorm]] | `[[x]]` |",
    },
]
QUESTIONS = [
    {"id": "a", "question": "Who lit the Harbour lamp?", "gold": ["p/1"]},
    {"id": "b", "question": "Which archive did Odile Marchetti keep?", "gold": ["p/2", "gone"]},
    {"id": "c", "question": "灯台", "gold": ["灯"], "exclude": "p/3"},
    {"id": "d", "question": "Nothing is known", "gold": []},
]


def written(folder: Path, pages: list[object], questions: list[object]) -> Path:
    folder.mkdir()
    for name, rows in (("corpus", pages), ("queries", questions)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    isolate(monkeypatch)
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_measures() -> None:
    ranking, gold = ("a", "b", "c", "d"), frozenset({"b", "d", "x"})
    assert recall(ranking, gold, 2) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranking, gold) == 0.5
    assert reciprocal_rank(("a",), gold) == 0.0
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert ndcg(ranking, gold) == pytest.approx(gain / (1 + 1 / math.log2(3) + 0.5))
    assert ndcg(("b", "d", "x"), gold) == 1.0
    assert [percentile([4, 1, 3, 2], share) for share in (0.5, 0.95, 0.0)] == [2, 4, 1]
    answers = [Answered(ranking, gold, 3.0), Answered((), frozenset({"a"}), 1.0)]
    figures = summarise(answers)
    assert figures["r@5"] == pytest.approx(1 / 3, abs=1e-6)
    assert (figures["mrr"], figures["p50_ms"], figures["p95_ms"]) == (0.25, 1.0, 3.0)


def test_a_set_is_read(tmp_path: Path) -> None:
    given = read_set(written(tmp_path / "mini", [*PAGES], [*QUESTIONS]))
    assert given.name == "mini"
    assert [document.title for document in given.documents][-1] == "p/7"
    assert [question.id for question in given.questions] == ["a", "b", "c"]
    assert given.questions[2].exclude == {"p/3"}
    assert len(given.notes) == 2
    assert len(read_set(tmp_path / "mini", most_questions=1).questions) == 1


def documents() -> tuple[Document, ...]:
    return tuple(
        Document(
            str(row["id"]),
            str(row["title"]) or str(row["id"]),
            str(row["text"]),
            tuple(row.get("aliases", ())),
            tuple(row.get("links", ())),
        )
        for row in PAGES
    )


def test_pages_say_what_the_corpus_says() -> None:
    pages = pages_of(documents())
    assert [page.path for page in pages] == sorted({page.path for page in pages})
    assert [page.title for page in pages] == [document.title for document in documents()]
    assert {page.type for page in pages} == {"concept"}
    assert pages[2].aliases == ("Pelvorm",)
    assert "[[000003|Pellworm]]" in pages[1].text
    # A bar would end the table's cell, and what stands in code is no link.
    assert "| [[000003\\|Pelvorm]] | `[[x]]` |" in pages[6].text
    assert pages[3].text.endswith("---\ntype: fake\n---\n\n# Not a title\n\nA ferry.\n")
    assert (
        pages[4].text.endswith("## Related\n\n- [[000003|p-3]]\n") or "[[000003|" in pages[4].text
    )


def test_a_wiki_lands(tmp_path: Path, isolated: None) -> None:
    ids = build_wiki(tmp_path / "wiki", documents())
    assert list(ids.values()) == [document.id for document in documents()]
    assert git(tmp_path / "wiki", "rev-list", "--count", "HEAD").strip() == "2"
    assert git(tmp_path / "wiki", "status", "--porcelain") == ""
    assert all((tmp_path / "wiki" / path).is_file() for path in ids)


def test_the_command_prints_json(
    tmp_path: Path, isolated: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "mini", [*PAGES], [*QUESTIONS])
    assert retrieval.main(["--json", str(folder)]) == 0
    said = capsys.readouterr()
    result = json.loads(said.out)
    assert result["schema"] == "llmwiki.bench.retrieval/1"
    systems = result["sets"]["mini"]
    assert set(systems) == {"llmwiki", "fts5", "bm25s"}
    assert set(systems["llmwiki"]) == {"r@2", "r@5", "r@10", "ndcg@10", "mrr", "p50_ms", "p95_ms"}
    # One of the three questions has gold that does not exist.
    assert systems["llmwiki"]["r@2"] == pytest.approx((1 + 0.5 + 1) / 3, abs=1e-6)
    assert systems["llmwiki"]["mrr"] == 1.0
    assert "counts as missed" in said.err
    assert systems["bm25s"] is not None or "Install the extra" in said.err


GENERATOR = """
import pathlib, random, sys
out, pages = pathlib.Path(sys.argv[1]), int(sys.argv[2])
draw = random.Random(1)
folder = out / "wiki" / "concepts"
folder.mkdir(parents=True)
names = ["".join(draw.choices("bdfgklmnprst", k=3)) + "ela" + "aeiou"[n % 5] for n in range(400)]
for number in range(pages):
    words = " ".join(draw.choices(names, range(400, 0, -1), k=60))
    (folder / f"Page {number}.md").write_text(f"# Page {number}\\n\\nAlways {words}.\\n")
"""


STAND_IN = """#!/bin/sh
case "$1" in search) shift; exec git grep -il --untracked -e "$1" -- wiki;; esac
sleep 0.002
"""


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_speed_measures_whole_processes(
    tmp_path: Path, isolated: None, capsys: pytest.CaptureFixture[str], real: bool
) -> None:
    (tmp_path / "generator.py").write_text(GENERATOR)
    options = ["--sizes", "100", "--rounds", "1", "--json"]
    if not real:
        stand_in = tmp_path / "wiki"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        options += ["--wiki", str(stand_in)]
    command = [str(tmp_path / "generator.py"), *options, "--work", str(tmp_path / "work")]
    assert speed.main(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == "llmwiki.bench.speed/2"
    figures = {each["name"]: each["value"] for each in said["sizes"]["100"]}
    assert {"index from nothing", "warm search", "wiki --version, fresh"} <= set(figures)
    assert not real or figures["search, 3 words ÷ --version, fresh"] > 1
    assert not real or all(value > 0 for value in figures.values())
    # The stand-in ingests nothing.
    left = "" if real else "?? raw/\n"
    assert git(tmp_path / "work" / "wiki-100", "status", "--porcelain") == left
