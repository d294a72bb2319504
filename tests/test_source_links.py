"""What documents link to and name themselves: edges and back links that change no page."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki

from llmwiki import Wiki as Library
from llmwiki.index.source_index import link_keys

DOCUMENTS = {
    # What is told of them leaves out what others say.
    "raw/notes/pump.md": "# Pump\n\nIt pumps.\n\n> See a [valve](../parts/valve.md#blue).\n",
    "raw/parts/valve.md": "# Valve\n\nIt closes.\n\n> Compare [[engine|that]].\n",
    "raw/parts/engine.md": "# Engine\n\nIt turns.\n",
    "raw/other/engine.md": "# Motor\n\nIt stands still.\n",
    "raw/far.md": "# Far\n\nNobody knows.\n\n> It was told by Grace Hopper in Ulm.\n",
    "raw/lost.md": "# Lost\n\n[gone](gone.md), [[nobody]], [out](../../etc/passwd), "
    "[site](https://example.org/valve.md), `[[valve]]`\n",
    "raw/hopper.txt": "Title: Grace Hopper\n\nShe wrote a compiler.\n",
}
EDGES = {
    ("notes-pump-md", "parts-valve-md"),
    ("parts-valve-md", "parts-engine-md"),
    ("far-md", "hopper-txt"),
    # As a word: what stands in code is no link.
    ("lost-md", "parts-valve-md"),
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """An empty wiki with those documents below raw/."""
    made = wikikit.make(tmp_path, monkeypatch)
    for path, text in DOCUMENTS.items():
        made.put(path, text)
    return made


def edges(wiki: Wiki) -> set[tuple[str, str]]:
    """Of the graph, between sources."""
    wiki.ok("graph")
    found = json.loads(wiki.read("graph/graph.json"))["edges"]
    pairs = {(edge["source"], edge["target"]) for edge in found}
    return {tuple(end.removeprefix("sources/") for end in pair) for pair in pairs}  # type: ignore[misc]


@pytest.mark.parametrize("turned", [False, True])
def test_documents_are_joined_by_their_own_links_in_whatever_order_they_came(
    wiki: Wiki, turned: bool
) -> None:
    for path in sorted(DOCUMENTS, reverse=turned):
        wiki.ok("ingest", path, "--model", "offline")
        wiki.run("search", "pump")
    before = wiki.git("rev-parse", "HEAD")
    assert edges(wiki) == EDGES
    assert (wiki.git("rev-parse", "HEAD"), wiki.git("status", "--short")) == (before, "")
    assert wiki.ok("show", "Valve").out.endswith("\n\nlinked from: [[notes-pump-md]]\n")
    assert wiki.ok("show", "Grace Hopper").out.endswith("\n\nlinked from: [[far-md]]\n")
    assert "linked from" not in wiki.ok("show", "wiki/sources/other-engine-md.md").out
    assert "linked from" not in wiki.ok("show", "Lost").out
    with Library.open(wiki.root) as library:
        (linking,) = library.read_page("Valve").linking
    assert linking.path == "wiki/sources/notes-pump-md.md"


def test_a_link_that_goes_leads_nowhere_any_more(wiki: Wiki) -> None:
    wiki.ok("ingest", "raw/", "--model", "offline")
    assert edges(wiki) == EDGES
    wiki.put("raw/notes/pump.md", "# Pump\n\nIt pumps.\n")
    wiki.ok("ingest", "raw/notes/pump.md", "--model", "offline")
    assert edges(wiki) == {pair for pair in EDGES if "notes-pump-md" not in pair}
    wiki.put("raw/notes/pump.md", DOCUMENTS["raw/notes/pump.md"])
    wiki.ok("ingest", "raw/notes/pump.md", "--model", "offline")
    assert edges(wiki) == EDGES


def test_what_sources_name_is_no_word_of_a_search(wiki: Wiki) -> None:
    wiki.ok("ingest", "raw/far.md", "--model", "offline")
    assert wiki.run("search", "n*", "--json").json["nowhere"] == []
    told = wiki.ok("search", "g*", "--explain", "--json").json
    assert {"grace"} <= {term["term"] for term in told["terms"]} <= {"grace", "go", "great"}


def test_without_passages_of_sources_there_are_no_such_edges(wiki: Wiki) -> None:
    wiki.ok("ingest", "raw/", "--model", "offline")
    wiki.put(".llmwiki.toml", wiki.read(".llmwiki.toml") + "\n[retrieval]\nsources = false\n")
    # What pages name as a word is known without them.
    assert edges(wiki) == {("lost-md", "parts-valve-md")}
    assert "linked from" not in wiki.ok("show", "Valve").out


def test_what_is_kept_of_a_source_is_a_function_of_it() -> None:
    text = DOCUMENTS["raw/notes/pump.md"].split("\n")
    assert {key for key in link_keys("raw/notes/pump.md", text) if key[0] != "p"} == {
        "f:pump/",
        "l:valve//raw/parts/valve",
    }
    for path in ("raw/a.md", "raw/b/Straße.txt"):
        for hostile in itertools.permutations(("[[", "](", "]]", ")", "\n---\n", "[a]: "), 4):
            assert f"f:{path.split('/')[-1].removesuffix('.md').casefold()}/" in link_keys(
                path, "".join(hostile).split("\n")
            )
