"""What the graph's HTML page does with the pages themselves, in a browser."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import graphkit
import pytest
from test_graph_html import HOSTILE, hostile, in_browser, node, planted, trouble

from llmwiki.app.graph_pages import pages_as_html, texts_as_html
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.graph.html_file import render
from llmwiki.graph.nodes_and_edges import EXTRACTED, INFERRED, MENTION, Community, Graph, GraphEdge
from llmwiki.index.open_index import open_corpus
from llmwiki.pages.link_targets import called, resolver_of

ATTENTION = """---
type: concept
title: Attention
aliases:
  - soft alignment
---

# Attention

The *lead* names the [[Model|big **model**]] and [[Nowhere]]; see [the paper](../sources/paper.md),
<https://example.org/a> and `[[Code]]`.

## Claims

- Attention weighs every position. *(as of 2017-06)* ^c-aaaaaaaaa1
  - “weighs *every* position” (2nd) [^paper], p. 4 <!-- asked: how far does it look -->
  - (supports: [[Model#^c-bbbbbbbbb1]])
- ~~Attention came in 2017.~~ → [[Model#^c-bbbbbbbbb1]] ^c-aaaaaaaaa2
- ~~Attention is slow.~~ → gone in 0123abcd ^c-aaaaaaaaa3
- “Attention is old.” [^paper] *(says Ada)* ^c-aaaaaaaaa4

## Table

| a | b |
| --- | --- |
| 1 \\| 2 | ~~x~~ |

> [!warning] Contradiction
> It cannot **both** hold.

> [!note]- Folded
> - [x] done
> - folded

```
[[Model]] in code
```

[^paper]: [[sources/paper|The paper]] (2017-06-12), raw/papers/a paper.md
"""
MODEL = """# Model

- Soft Alignment came first, in 2014. ^c-bbbbbbbbb1

## Related

- [[Attention]] — part of [^paper]

[^paper]: [[sources/paper|The paper]], raw/papers/a paper.md
"""
PAPER = """# The paper

## Claims

- [[Attention#^c-aaaaaaaaa1]]
- [[Model#^c-bbbbbbbbb1|its words]]
"""
LONE = "Nobody knows how soft\nalignment came to be.\n"


Pages = list[str | None]


def as_html(graph: Graph, *texts: str) -> Pages:
    """The pages of a graph with these texts, one each."""
    nodes = graph.nodes
    resolver = resolver_of(
        (each.path, called((each.title, *each.aliases), each.path)) for each in nodes
    )
    paths = [each.path for each in nodes]
    return texts_as_html(graph, dict(zip(paths, texts, strict=True)), resolver)


def small() -> tuple[Graph, Pages]:
    """Three pages that are joined, two of one title that nothing joins, and these as HTML."""
    pages = [
        ("concepts/Attention", "Attention", "concept", ATTENTION),
        ("concepts/Encryption", "Encryption", "concept", LONE),
        ("concepts/Model", "Model", "concept", MODEL),
        ("entities/Encryption", "Encryption", "concept", "Two."),
        ("sources/paper", "The paper", "source", PAPER),
    ]
    nodes = [
        node(f"wiki/{path}.md", title, int(title == "Encryption"), type=kind, rank=0.5 - place / 10)
        for place, (path, title, kind, _) in enumerate(pages)
    ]
    nodes[0] = nodes[0]._replace(aliases=("soft alignment",))
    edges = (
        GraphEdge(0, 1, MENTION, 0.4),
        GraphEdge(0, 2, EXTRACTED, 1.0),
        GraphEdge(0, 4, EXTRACTED, 1.0),
        GraphEdge(1, 2, INFERRED, 0.8, "Both are old."),
        GraphEdge(2, 4, EXTRACTED, 1.0),
    )
    communities = (Community("Attention", (0, 2, 4)), Community("Encryption", (1, 3)))
    graph = Graph(tuple(nodes), edges, communities)
    return graph, as_html(graph, *(text for *_, text in pages))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    started = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


def written(room: Path, graph: Graph, pages: Pages | None = None) -> Path:
    (room / "graph").mkdir(exist_ok=True)
    file = room / "graph" / "graph.html"
    file.write_bytes(render(graph, name="Test", pages=pages or ()))
    return file


@pytest.fixture
def tab(running: browser.Browser, tmp_path: Path) -> Iterator[browser.Page]:
    with running.page(written(tmp_path, *small())) as opened:
        opened.until("wikiGraph.settled")
        yield opened
        assert trouble(opened) == []


def go(tab: browser.Page, address: str) -> None:
    """Opens an address of the page, and waits for what is open to be read."""
    tab.run(f"location.hash = {json.dumps(address)}")
    tab.until(f"location.hash === {json.dumps(address)} && wikiGraph.settled")
    time.sleep(0.05)


def text(tab: browser.Page, selector: str) -> Any:
    """The text of everything that a selector finds, blanks folded."""
    found = tab.run(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((each) => each.textContent)"
    )
    return [" ".join(each.split()) for each in found]


def act(tab: browser.Page, name: str) -> None:
    """Presses one of the open page's buttons."""
    button = f"find((each) => each.textContent === {json.dumps(name)})"
    tab.run(f"[...document.querySelectorAll('.act')].{button}.click()")


# ---- pages


@in_browser
def test_a_page_is_read_in_the_viewer(tab: browser.Page) -> None:
    go(tab, "#page=concepts/Attention")
    assert text(tab, "#panel-title") == ["Attention"]
    assert text(tab, ".page h1, .page h2") == ["Claims", "Table"], "the title stands once"
    lead = text(tab, ".page > p:first-child")[0]
    assert lead.startswith("The lead names the big **model** and Nowhere; see the paper,")
    assert text(tab, ".page > p code") == ["[[Code]]"]
    assert text(tab, ".page .missing") == ["Nowhere"]
    hrefs = tab.run(
        "[...document.querySelectorAll('.page > p a')].map((a) => a.getAttribute('href'))"
    )
    assert hrefs == ["#page=concepts/Model", "#page=sources/paper", "https://example.org/a"]

    assert text(tab, ".claim .said") == [
        "Attention weighs every position. (as of 2017-06)",
        "Attention came in 2017. → Model",
        "Attention is slow. → no longer in its source",
        "“Attention is old.” 1 (says Ada)",
    ]
    assert text(tab, ".claim s") == ["Attention came in 2017.", "Attention is slow."]
    assert text(tab, ".claim .about li")[0] == "“weighs every position” (2nd) 1, p. 4"
    cite = "document.querySelector('.claim .about .cite').getAttribute('href')"
    assert tab.run(cite) == "#page=sources/paper"
    assert text(tab, ".page td") == ["1 | 2", "x"]
    assert text(tab, ".callout strong") == ["Contradiction", "both", "Folded"]
    assert text(tab, ".page pre") == ["[[Model]] in code"]
    assert "aliases" not in text(tab, "#panel")[0], "the frontmatter is not text"


@in_browser
def test_links_lead_on_and_the_browser_goes_back(tab: browser.Page) -> None:
    go(tab, "#page=concepts/Attention")
    tab.click_on(".page a.page")
    tab.until("wikiGraph.selected === 'Model'")
    assert tab.run("location.hash") == "#page=concepts/Model"
    assert tab.run("document.title") == "Model · Test · graph"
    tab.run("document.querySelector('.neighbours .row').click()")
    tab.until("wikiGraph.selected === 'Attention'")
    for script, page in (("back", "Model"), ("back", "Attention"), ("forward", "Model")):
        tab.run(f"history.{script}()")
        tab.until(f"wikiGraph.selected === {json.dumps(page)}")
    tab.key("Escape")
    tab.until("wikiGraph.selected === null && location.hash === ''")
    tab.run("history.back()")
    tab.until("wikiGraph.selected === 'Model'")


@in_browser
def test_an_address_opens_its_page_at_the_claim(running: browser.Browser, tmp_path: Path) -> None:
    file = written(tmp_path, *small())
    with running.page(file) as tab:
        tab.run("location.replace(location.href + '#page=concepts/Attention&at=^c-aaaaaaaaa3')")
        tab.call("Page.reload")
        tab.until("window.wikiGraph?.selected === 'Attention'")
        assert text(tab, ".meant .said") == ["Attention is slow. → no longer in its source"]
        go(tab, "#page=../../etc/passwd")
        assert tab.run("wikiGraph.selected") is None, "no such page"


@in_browser
def test_notes_beside_a_wiki_lead_to_each_other(running: browser.Browser, tmp_path: Path) -> None:
    nodes = (node("notes/a b.md", "A b", 0), node("Start.md", "Start", 0))
    graph = Graph(nodes, (GraphEdge(1, 0, EXTRACTED, 1.0),), (Community("A b", (0, 1)),))
    file = written(tmp_path, graph, as_html(graph, "Text.", "See [[a b]]."))
    with running.page(file) as tab:
        go(tab, "#page=Start")
        assert tab.run("document.querySelector('a.open').getAttribute('href')") == "../Start.md"
        tab.run("document.querySelector('.page a').click()")
        tab.until("wikiGraph.selected === 'A b'")
        assert tab.run("location.hash") == "#page=notes/a+b"
        assert trouble(tab) == []


@in_browser
def test_a_source_lists_what_it_says(tab: browser.Page) -> None:
    go(tab, "#page=sources/paper")
    assert text(tab, ".page li") == ["Attention", "its words"]
    tab.run("document.querySelector('.page li a').click()")
    tab.until("wikiGraph.selected === 'Attention'")
    assert text(tab, ".meant .said") == ["Attention weighs every position. (as of 2017-06)"]


MARKDOWN = (
    *HOSTILE,
    "[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>) [z](vbscript:x)",
    "![p](http://127.0.0.1:9/p.png) ![[evil.png]] <img src=http://127.0.0.1:9/q onerror=alert(1)>",
    "<iframe src=http://127.0.0.1:9></iframe><svg onload=alert(1)><style>*{display:none}</style>",
    "[[../../../etc/passwd|x]] [w](../../../etc/passwd) [v](file:///etc/passwd) [u](//evil.test)",
    '<https://e.test/"onmouseover=alert(1)> [t](<javascript:alert(2)>) [s][r]\n[r]: javascript:3',
    "- c ^c-aaaaaaaaaa\n  - “q” [^s]\n\n[^s]: [[javascript:x|y]], raw/../../secret.md",
    "&#106;avascript: &lt;b&gt; &#0; &#xD800; &#1114112; **<b onclick=x>** $<script>$",
)


@in_browser
def test_hostile_pages_make_no_markup_and_ask_for_nothing(
    running: browser.Browser, tmp_path: Path
) -> None:
    graph = hostile(40)
    pages = as_html(graph, *(f"{MARKDOWN[i % len(MARKDOWN)]}\n" for i in range(40)))
    with running.page(written(tmp_path, graph, pages)) as tab:
        tab.until("wikiGraph.settled")
        hrefs, seen = [], ""
        for place in range(40):
            tab.run(f"[...document.querySelectorAll('#results .row')][{place}].click()")
            hrefs += tab.run(
                "[...document.querySelectorAll('.page a')].map((a) => a.getAttribute('href'))"
            )
            seen += tab.run("document.querySelector('.page').textContent")
            odd = "img, iframe, object, embed, script, style, svg, link, form"
            assert tab.run(f"document.querySelector('.page').querySelectorAll({odd!r}).length") == 0
        assert "<img src=x onerror=alert(2)>" in seen and "<script>" in seen
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", seen)
        assert hrefs
        assert [
            href for href in hrefs if not re.match(r"#|https?://|\.\./(?:raw|wiki)/[^.]", href)
        ] == []
        assert not [href for href in hrefs if ".." in href.removeprefix("../")]
        assert trouble(tab) == []


# ---- the picture


@in_browser
def test_a_search_marks_what_it_found_and_escape_clears_it(
    running: browser.Browser, tmp_path: Path
) -> None:
    with running.page(written(tmp_path, planted(20, 12))) as tab:
        tab.until("wikiGraph.settled")
        tab.key("/")
        tab.write("leaf 12.")
        tab.until("wikiGraph.hits?.length === 11", 5)
        tab.key("Escape")
        tab.until("wikiGraph.hits === null", 5)
        assert tab.run("document.getElementById('query').value") == ""
        tab.write("leaf 12.4")
        tab.key("Enter")
        assert tab.run("wikiGraph.selected") == "Leaf 12.4"
        tab.key("Escape")
        assert tab.run("[wikiGraph.selected, document.getElementById('query').value]") == [None, ""]
        assert trouble(tab) == []


@in_browser
def test_a_local_graph_shows_what_is_around_a_page(tab: browser.Page) -> None:
    tab.key("/")
    tab.write("the paper")
    tab.key("Enter")
    act(tab, "Local graph")
    tab.until("wikiGraph.view === 'around' && wikiGraph.settled")
    assert tab.run("wikiGraph.hits") is None, "the search is over"
    assert tab.run("[wikiGraph.shown, location.hash]") == [3, "#page=sources/paper&local=1"]
    tab.run("history.back()")
    tab.until("wikiGraph.view === 'all'")
    tab.run("history.forward()")
    tab.until("wikiGraph.shown === 3")
    tab.click_on("#local-close")
    tab.until("wikiGraph.view === 'all'")
    assert tab.run("wikiGraph.selected") == "The paper", "the page stays open"


def between(tab: browser.Page, one: str, other: str) -> tuple[float, float]:
    (x, y), (u, v) = tab.place(one), tab.place(other)
    return (x + u) / 2, (y + v) / 2


@in_browser
def test_an_edge_says_why_it_is_there(tab: browser.Page) -> None:
    tab.click(*between(tab, "Attention", "Model"))
    tab.until("document.querySelectorAll('.reasons li').length > 0", 5)
    assert tab.run("wikiGraph.marked") == ["Attention", "Model"]
    assert text(tab, "#panel-title") == ["Attention — Model"]
    told = text(tab, ".reasons > li")
    assert told[0].startswith("The lead names the big")
    assert told[1].startswith("Attention weighs every position. (as of 2017-06)")
    assert told[2].startswith("Attention came in 2017. → Model")
    assert told[-1].startswith("Attention — part of")
    assert tab.run("location.hash") == "#page=concepts/Attention&link=concepts/Model"

    go(tab, "#page=concepts/Attention&link=sources/paper")
    told = text(tab, ".reasons > li")
    assert any("“weighs every position” (2nd) 1, p. 4" in row for row in told)
    assert any(row.startswith("“Attention is old.” 1") for row in told)
    go(tab, "#page=concepts/Attention&link=concepts/Encryption")
    assert text(tab, ".lead") == ["Mention: the name stands in the text"]
    go(tab, "#page=concepts/Encryption&link=concepts/Model")
    assert text(tab, ".lead") == ["Inferred: inferred by a model, 80 % sure"]
    assert "Both are old." in text(tab, "#panel")[0]
    tab.run("history.back()")
    tab.until("document.getElementById('panel-title').textContent.startsWith('Attention')")


@in_browser
def test_a_mention_shows_the_words_that_name_the_page(
    running: browser.Browser, tmp_path: Path
) -> None:
    graph, _ = small()
    pages = as_html(graph, "", "We met Soft  alignment there.", "", "", "")
    file = written(tmp_path, graph, pages)
    with running.page(file) as tab:
        go(tab, "#page=concepts/Attention&link=concepts/Encryption")
        assert text(tab, ".reasons p") == ["We met Soft alignment there."]


@in_browser
def test_equal_names_are_told_apart(tab: browser.Page) -> None:
    names = text(tab, "#results .row .text")
    assert {
        "Encryption (concepts/Encryption)",
        "Encryption (entities/Encryption)",
        "Attention",
    } <= set(names)
    go(tab, "#page=entities/Encryption")
    assert text(tab, ".where") == ["entities/Encryption"]


@in_browser
def test_fingers_open_pages_and_move_the_picture(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, *small()), size=(390, 780)) as tab:
        tab.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        tab.until("wikiGraph.settled")

        def touch(kind: str, *points: tuple[float, float]) -> None:
            at = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
            tab.call("Input.dispatchTouchEvent", type=kind, touchPoints=at)

        x, y = tab.place("Model")
        touch("touchStart", (x, y))
        touch("touchEnd")
        tab.until("wikiGraph.selected === 'Model'", 5)
        assert text(tab, ".claim .said") == ["Soft Alignment came first, in 2014."]
        tab.run("document.getElementById('panel-close').click()")
        zoom = tab.run("wikiGraph.zoom")
        touch("touchStart", (x - 20, y), (x + 20, y))
        touch("touchMove", (x - 60, y), (x + 60, y))
        touch("touchEnd")
        tab.until(f"wikiGraph.zoom > {zoom} * 1.5", 5)
        wide = tab.run("document.documentElement.scrollWidth")
        assert wide <= 390, "nothing stands out of a narrow window"


# ---- what the file is made of


def test_the_highest_pages_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = graphkit.page("Hub", "x" * 500)
    root = graphkit.make(
        tmp_path / "wiki",
        {"A": graphkit.page("A", "[[Z]]"), "B": graphkit.page("B", "[[Z]]"), "Z": hub},
    )

    def found() -> Pages:
        with Repository(layout_of(root)) as repo, open_corpus(repo) as index:
            return pages_as_html(index, graphkit.built(root).graph)

    assert [each is None for each in found()] == [False, False, False]
    monkeypatch.setattr("llmwiki.app.graph_pages.ROOM", len(hub) + 10)
    assert [each is None for each in found()] == [True, True, False]
    monkeypatch.setattr("llmwiki.app.graph_pages.LONGEST", 100)
    assert "x" * 200 not in (found()[2] or "")


def test_no_page_can_leave_its_block() -> None:
    graph, pages = small()
    page = render(graph, name="x", pages=["</script><b>"] * 5).decode()
    blocks = re.findall(r'<script type="text/plain" id="graph-data">([^<]*)</script>', page)
    assert len(blocks) == 1 and base64.b64decode(blocks[0], validate=True)
    assert len(re.findall("</script", page)) == 2
    assert render(graph, name="x", pages=pages) == render(graph, name="x", pages=pages)
