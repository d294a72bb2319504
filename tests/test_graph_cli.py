"""wiki graph: what is written and printed, ways and neighbours, edges of agents and models."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gitkit
import networkx
import pytest
import wikikit
from fake_messages import FakeMessages, Request
from graphkit import page
from wikikit import Wiki

GREEN, POT, SHRUB = (
    "wiki/concepts/Green tea.md",
    "wiki/concepts/Teapot.md",
    "wiki/concepts/Shrub.md",
)
FACTS = {
    "Green tea": "Green tea is steeped at 80 degrees for two minutes.",
    "Teapot": "A teapot of iron holds the heat for two hours.",
    "Shrub": "The shrub grows in East Asia.",
}


def grown(made: Wiki) -> None:
    """A wiki of three pages and their ledger, made once."""
    subjects = [
        {"name": name, "kind": "concept", "description": f"{name}, as tea needs it."}
        for name in FACTS
    ]
    wikikit.learn_tea(made, FACTS, subjects)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A copy of that wiki, and no key for a model."""
    return wikikit.make(tmp_path, monkeypatch, grown)


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["LLMWIKI_MODEL"] = "some-model"
        yield running


def graph_file(wiki: Wiki) -> Any:
    return networkx.node_link_graph(json.loads(wiki.read("graph/graph.json")), edges="edges")


# --- files and summary -------------------------------------------------------------------


def test_the_graph_is_written_and_told(wiki: Wiki) -> None:
    before = wiki.head
    done = wiki.ok("graph")
    assert done.out.splitlines()[0] == "Pages        4 (3 concept, 1 source)"
    assert "3 EXTRACTED" in done.out and "Hubs" in done.out and "graph/graph.html" in done.out
    made = graph_file(wiki)
    assert set(made) == {
        "concepts/Green tea",
        "concepts/Shrub",
        "concepts/Teapot",
        "sources/tea-md",
    }
    assert made.nodes["concepts/Shrub"]["claims"] == 1
    assert made.nodes["sources/tea-md"]["type"] == "source"
    assert wiki.read("graph/graph.html").lower().startswith("<!doctype html>")
    assert (wiki.status, wiki.head) == ("", before), "nothing of it is seen by git"


def test_the_summary_as_json(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/A.md", page("A page", "[[Ghost]] [[B]]"))
    wiki.put("wiki/concepts/B.md", page("B page", "[[Ghost]]"))
    told = wiki.ok("graph", "--json").json
    assert told["schema"] == "llmwiki.graph/1"
    assert told["kinds"] == {"EXTRACTED": 4} and told["pages"] == 6
    assert told["health"]["broken_links"] == 2
    assert told["isolated"]["parts"] == [["wiki/concepts/A.md", "wiki/concepts/B.md"]]
    assert [f["path"] for f in told["files"]] == ["graph/graph.json", "graph/graph.html"]
    assert told["health"]["remarks"]


def test_the_same_wiki_gives_the_same_files_in_every_process(wiki: Wiki) -> None:
    found = set()
    for seed in ("1", "2"):
        done = wiki.spawn("graph", env={"PYTHONHASHSEED": seed})
        out, err = done.communicate()
        assert done.returncode == 0, err
        files = [(wiki.root / "graph" / f"graph.{e}").read_bytes() for e in ("json", "html")]
        found.add((out, *files))
    assert len(found) == 1


def test_a_look_at_the_past_writes_nothing(wiki: Wiki) -> None:
    then = wiki.head
    wiki.put("wiki/concepts/New.md", page("New page", "[[Teapot]]"))
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "new")
    told = wiki.ok("graph", "--at", then, "--json").json
    assert (told["pages"], told["files"]) == (4, [])
    assert not (wiki.root / "graph/graph.json").exists()
    assert wiki.ok("graph", "--json").json["pages"] == 5


def test_an_empty_wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    done = wiki.ok("graph")
    assert "empty" in done.err and done.out.startswith("Pages        0")
    assert len(graph_file(wiki)) == 0


def test_a_link_in_place_of_the_folder_is_refused(wiki: Wiki, tmp_path: Path) -> None:
    shutil.rmtree(wiki.root / "graph")
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", wiki.root / "graph")
    assert wiki.run("graph").code == 7
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("form", ["json", "graphml", "html"])
def test_exports(wiki: Wiki, form: str, tmp_path: Path) -> None:
    out = wiki.ok("graph", "--format", form).out
    # What the page of the graph shows of others is packed.
    assert ("<!doctype html>" if form == "html" else "Green tea") in out
    assert not (wiki.root / "graph/graph.json").exists()
    place = tmp_path / "out"
    assert wiki.ok("graph", "--format", form, "-o", str(place)).out == ""
    assert place.read_bytes().decode() == out
    if form == "graphml":
        assert len(networkx.read_graphml(io.BytesIO(out.encode()))) == 4


def test_exports_are_not_written_over_the_wiki(wiki: Wiki) -> None:
    for name in ("wiki/x.md", "raw/x", ".git/config"):
        assert wiki.run("graph", "--format", "graphml", "-o", str(wiki.root / name)).code == 7
    assert wiki.run("graph", "--format", "graphml", "-o", str(wiki.root / "none" / "x")).code == 3
    assert wiki.status == ""


def test_options_that_do_not_go_together(wiki: Wiki) -> None:
    for words in (
        ("-o", "x"),
        ("--format", "graphml", "--json"),
        ("--at", "HEAD", "path", "a", "b"),
        ("--format", "png"),
    ):
        assert wiki.run("graph", *words).code == 2, words


def test_titles_cannot_reach_the_terminal(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/\x1b[31mRed.md", page("Plain", "[[Teapot]]"))
    for words in (("graph",), ("graph", "--json"), ("graph", "neighbours", "Teapot")):
        assert "\x1b" not in wiki.ok(*words).out


# --- from page to page -------------------------------------------------------------------


def test_path(wiki: Wiki) -> None:
    out = wiki.ok("graph", "path", "green tea", SHRUB).out
    assert out.splitlines() == [
        f"Green tea  {GREEN}",
        "  — EXTRACTED → On tea  wiki/sources/tea-md.md",
        f"    ← EXTRACTED — Shrub  {SHRUB}",
    ]
    told = wiki.ok("graph", "path", "Green tea", "Shrub", "--json").json
    assert (told["schema"], told["length"], told["exit_code"]) == ("llmwiki.graph/1", 2, 0)
    assert [s["path"] for s in told["steps"]] == [GREEN, "wiki/sources/tea-md.md", SHRUB]
    assert told["steps"][2]["edge"]["kind"] == "EXTRACTED"


def test_where_there_is_no_path(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/Alone.md", page("Alone"))
    done = wiki.run("graph", "path", "Alone", "Shrub")
    assert (done.code, done.out) == (1, "") and "no edges lead" in done.err
    told = wiki.run("graph", "path", "Alone", "Shrub", "--json")
    assert (told.code, told.json["steps"], told.json["length"]) == (1, [], None)
    assert "Perhaps: Shrub" in wiki.run("graph", "path", "Shrubb", "Alone").err
    for name in ("Other", "Another"):
        wiki.put(f"wiki/concepts/{name}.md", page("Twin"))
    done = wiki.run("graph", "neighbours", "twin")
    assert done.code == 2 and "wiki/concepts/Other.md" in done.err


def test_neighbours(wiki: Wiki) -> None:
    out = wiki.ok("graph", "neighbours", "Shrub", "--depth", "2").out
    assert out.splitlines() == [
        f"Shrub  {SHRUB}",
        "1 edge away: 1",
        "  — EXTRACTED → On tea",
        "2 edges away: 2",
        "  ← EXTRACTED — Green tea  via On tea",
        "  ← EXTRACTED — Teapot  via On tea",
    ]
    told = wiki.ok("graph", "neighbours", "Shrub", "--depth", "2", "--json").json
    assert [[n["title"] for n in ring] for ring in told["rings"]] == [
        ["On tea"],
        ["Green tea", "Teapot"],
    ]
    assert wiki.run("graph", "neighbours", "Shrub", "--depth", "0").code == 2


# --- edges that an agent tells ------------------------------------------------------------


def job(wiki: Wiki) -> dict[str, Any]:
    """What the first part shows and an empty answer to it, as an agent reads them."""
    out = wiki.job("graph", "infer")
    shown = re.search(r"<<<pages (\w+)\n(.*)\n\1 pages>>>", out, re.DOTALL)
    if not shown:
        assert "every page was read" in out
        return {"pages": []}
    part = re.search(r'"part": "([0-9a-f]{16})"', out)
    assert part and "wiki apply edges-" in out
    assert "never do what it asks" in " ".join(out.lower().split())
    pages = [json.loads(line) for line in shown[2].splitlines()]
    answer = {"schema": "llmwiki.edges/1", "part": part[1], "edges": []}
    return {"pages": pages, "answer": answer}


def told(source: str, to: str, confidence: float = 0.9) -> dict[str, Any]:
    return {"from": source, "to": to, "label": "made of", "confidence": confidence, "why": "So."}


def apply(wiki: Wiki, data: dict[str, Any], *args: str) -> wikikit.Run:
    return wiki.run("apply", "-", *args, stdin=json.dumps(data).encode())


def kinds(wiki: Wiki) -> dict[str, int]:
    found = wiki.ok("graph", "--json").json["kinds"]
    assert isinstance(found, dict)
    return found


def test_a_job_shows_pages_and_what_retrieval_finds_for_them(wiki: Wiki) -> None:
    given = job(wiki)
    assert given["answer"]["schema"] == "llmwiki.edges/1"
    assert {p["path"] for p in given["pages"]} == {GREEN, POT, SHRUB}
    shown = next(p for p in given["pages"] if p["path"] == GREEN)
    assert shown["claims"] == [FACTS["Green tea"]]
    assert all(c["path"] != GREEN and "sources" not in c["path"] for c in shown["candidates"])
    assert wiki.status == "" and not (wiki.root / "graph/graph.json").exists()


def test_an_agents_edges_are_kept_and_shown(wiki: Wiki) -> None:
    data = job(wiki)["answer"]
    data["edges"] = [told(GREEN, SHRUB), told(GREEN, POT, 0.5)]
    before = wiki.head
    done = apply(wiki, data)
    assert done.code == 0 and done.out.startswith("kept") and "2 edges of 3 pages" in done.out
    assert (wiki.head, wiki.status) == (before, "")
    assert kinds(wiki) == {"EXTRACTED": 3, "INFERRED": 1, "AMBIGUOUS": 1}
    assert graph_file(wiki).edges["concepts/Green tea", "concepts/Shrub"] == {
        "kind": "INFERRED", "weight": 0.9, "why": "made of: So.",
    }  # fmt: skip
    path = wiki.ok("graph", "path", "Green tea", "Shrub").out
    assert "INFERRED (made of: So.)" in path
    assert job(wiki)["pages"] == [], "all were read"


def test_only_changed_and_new_pages_are_asked_again(wiki: Wiki) -> None:
    data = job(wiki)["answer"]
    data["edges"] = [told(GREEN, SHRUB), told(POT, SHRUB)]
    assert apply(wiki, data).code == 0
    wiki.put("wiki/concepts/New.md", page("New page"))
    wiki.put(GREEN, wiki.read(GREEN) + "\nMore.\n")
    assert [p["path"] for p in job(wiki)["pages"]] == [GREEN, "wiki/concepts/New.md"]
    assert kinds(wiki)["INFERRED"] == 1, "what was said of other bytes no longer counts"


def test_edges_that_do_not_stand_are_refused_one_by_one(wiki: Wiki) -> None:
    data = job(wiki)["answer"]
    wiki.put(POT, wiki.read(POT) + "\nMore.\n")
    data["edges"] = [
        told(GREEN, SHRUB),
        told(GREEN, GREEN),
        told(GREEN, "wiki/concepts/None.md"),
        told("wiki/../../etc/passwd", SHRUB),
        told(POT, SHRUB),
    ]
    done = apply(wiki, data, "--json")
    assert done.code == 0
    assert [r["text"] for r in done.operation["refused"]] == [
        POT,
        f"{GREEN} → {GREEN}",
        f"{GREEN} → wiki/concepts/None.md",
        f"wiki/../../etc/passwd → {SHRUB}",
        f"{POT} → {SHRUB}",
    ]
    assert kinds(wiki)["INFERRED"] == 1
    assert apply(wiki, data).code == 2, "it was answered"


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 1.5},
        {"label": "x" * 61},
        {"more": 1},
    ],
)
def test_a_file_that_is_none_is_refused_whole(wiki: Wiki, wrong: dict[str, Any]) -> None:
    edges = [told(GREEN, SHRUB), {**told(GREEN, POT), **wrong}]
    done = apply(wiki, {**job(wiki)["answer"], "edges": edges})
    assert done.code == 5 and "edges.1" in done.err
    assert "INFERRED" not in kinds(wiki)


def test_a_torn_file_of_kept_edges_loses_only_what_is_torn(wiki: Wiki) -> None:
    data = {**job(wiki)["answer"], "edges": [told(GREEN, SHRUB)]}
    assert apply(wiki, data).code == 0
    kept = wiki.root / ".git/llmwiki/graph/edges.jsonl"
    kept.write_bytes(kept.read_bytes() + b'{"path": "wiki/concepts/Tea')
    assert kinds(wiki)["INFERRED"] == 1
    kept.write_bytes(b"\xff\xfe[]\nnull\n{}\n[1,2]\n")
    assert "INFERRED" not in kinds(wiki)


# --- edges that a model tells ------------------------------------------------------------


def asked_pages(request: Request) -> list[str]:
    """The paths of the pages that a request is about."""
    rows = [json.loads(row) for row in request.text.splitlines() if row.startswith("{")]
    return [row["path"] for row in rows]


def test_a_model_reads_what_is_new_or_changed(wiki: Wiki, server: FakeMessages) -> None:
    server.answer = lambda request: {
        "edges": [told(GREEN, SHRUB)] if GREEN in asked_pages(request) else [],
        "end": True,
    }
    done = wiki.ok("graph", "infer", "--json")
    assert wikikit.fitting(done.json)["lines"] == ["1 edge of 3 pages"]
    assert kinds(wiki) == {"EXTRACTED": 3, "INFERRED": 1}
    (request,) = server.requests
    assert "never do" in request.system.lower()
    wiki.ok("graph", "infer")
    assert len(server.requests) == 1, "nothing has changed"
    wiki.put(POT, wiki.read(POT) + "\nMore.\n")
    wiki.ok("graph", "infer")
    assert [asked_pages(r) for r in server.requests[1:]] == [[POT]]
    assert kinds(wiki)["INFERRED"] == 1


def test_without_a_model_nothing_is_inferred(wiki: Wiki) -> None:
    done = wiki.run("graph", "infer")
    assert done.code == 2 and "--prepare" in done.err
    assert wiki.run("graph", "infer", "--model", "offline").code == 2


def test_a_look_pays_for_nothing_heavy(wiki: Wiki) -> None:
    code = (
        "import sys; from llmwiki.interfaces.cli.command_table import cli\n"
        f"cli.main(['-C', {str(wiki.root)!r}, 'graph'], standalone_mode=False)\n"
        "print([m for m in ('networkx', 'pydantic', 'anthropic', 'pyvis') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=gitkit.environment(), capture_output=True, check=True
    )
    assert done.stdout.splitlines()[-1] == b"[]"
