"""The graph's HTML page: what stands in the file, and what it does in a browser."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest

from llmwiki.graph.html_file import columns, render
from llmwiki.graph.nodes_and_edges import (
    AMBIGUOUS,
    EXTRACTED,
    INFERRED,
    KINDS,
    MENTION,
    Community,
    Graph,
    GraphEdge,
    GraphNode,
)

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<svg onload=alert(3)>",
    "]]><!--<script>",
    "javascript:alert(4)",
    '"><a href=//evil.example>x</a>',
    "' onclick='alert(5)",
    "{{data}} ${alert(6)} `",
    "\u202egnp.exe \u2066x\u2069",
    "line\u2028next\u2029par\x00\x1b[31m",
    "half \ud800 a pair \udc00",
    "\\u003cscript\\u003e \\",
    "t" * 10_000,
    "Z\u0351\u0352\u0353" * 200,
    "",
    "__proto__",
)


def node(path: str, title: str, community: int, rank: float = 0.01, **more: Any) -> GraphNode:
    given = {
        "type": "concept",
        "description": "",
        "tags": (),
        "claim_count": 0,
        **more,
    }
    return GraphNode(path=path, title=title, rank=rank, community=community, **given)


def planted(groups: int, size: int) -> Graph:
    """`groups` stars of `size` pages, their hubs in a ring, and one page without links."""
    nodes, edges, communities = [], [], []
    for g in range(groups):
        first = g * size
        for i in range(size):
            nodes.append(
                node(
                    f"wiki/concepts/G{g:04}-{i:04}.md",
                    f"Hub {g}" if i == 0 else f"Leaf {g}.{i}",
                    g,
                    rank=(groups - g) / 1000 if i == 0 else 0.0001,
                    type="source" if i == 1 else "concept",
                    description=f"What stands at {i} of {g}.",
                    tags=("even",) if i % 2 == 0 else (),
                    claim_count=3,
                )
            )
            if i:
                kind = (EXTRACTED, MENTION, INFERRED, AMBIGUOUS)[min(i, 4) % 4]
                said = kind in (INFERRED, AMBIGUOUS)
                edges.append(GraphEdge(first, first + i, kind, 0.8 if said else 1, "Both." * said))
        edges.append(GraphEdge(first, (first + size) % (groups * size), EXTRACTED, 1.0))
        communities.append(Community(f"Hub {g}", tuple(range(first, first + size))))
    nodes.append(node("wiki/zzz/Alone.md", "Alone", groups))
    communities.append(Community("Alone", (len(nodes) - 1,)))
    return Graph(tuple(nodes), tuple(sorted(edges)), tuple(communities))


def hostile(count: int = 200) -> Graph:
    nodes = [
        node(
            f"wiki/concepts/{i:03}{HOSTILE[i % 12].replace('/', '-')}.md",
            HOSTILE[i % len(HOSTILE)],
            i % 5,
            type=HOSTILE[i % 16][:40],
            description=HOSTILE[(i + 1) % len(HOSTILE)],
            tags=(HOSTILE[(i + 2) % len(HOSTILE)], "plain"),
            claim_count=9,
        )
        for i in range(count)
    ]
    edges = [GraphEdge(i, i + 5, KINDS[i % 4], 0.5, HOSTILE[i % 16]) for i in range(count - 5)]
    communities = [
        Community(HOSTILE[c], tuple(i for i in range(count) if i % 5 == c)) for c in range(5)
    ]
    return Graph(tuple(nodes), tuple(edges), tuple(communities))


def data_of(page: bytes) -> Any:
    found = re.search(rb'<script type="text/plain" id="graph-data">([^<]*)</script>', page)
    assert found
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def test_every_edge_comes_back_from_the_columns() -> None:
    graph = planted(7, 9)
    told = data_of(render(graph, name="A wiki"))
    edges = zip(told["from"], told["to"], (KINDS[kind] for kind in told["kind"]), strict=True)
    assert list(edges) == [edge[:3] for edge in graph.edges]
    assert told["title"] == [each.title for each in graph.nodes]
    assert {place for place, _ in told["weight"]} == {
        place for place, edge in enumerate(graph.edges) if edge.weight != 1
    }


def test_texts_are_cut_so_that_the_page_stays_bounded() -> None:
    long = node(
        "wiki/a.md",
        "t" * 10_000,
        0,
        description="d" * 10_000,
        tags=tuple("g" * 999 + str(i) for i in range(99)),
    )
    whole = json.dumps(columns(Graph((long,), (), (Community("t" * 10_000, (0,)),))))
    assert len(whole) < 5_000
    each = node("wiki/a.md", "t", 0, description="d" * 400)
    many = columns(Graph((each,) * 50_000, (), (Community("t", tuple(range(50_000))),)))
    assert sum(map(len, many["description"])) <= 8_000_000


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("wiki/concepts/A b.md", "wiki/concepts/A b.md"),
        ("wiki/concepts/T.md", "wiki/concepts/"),
        ("wiki/..md", "wiki/..md"),
        ("wiki/../secret.md", ""),
        ("/etc/passwd.md", ""),
        ("javascript:alert(1)//.md", ""),
        ("wiki//evil.example/x.md", ""),
        ("wiki/\udcff.md", ""),
        ("notes/A.md", "notes/A.md"),
        ("T.md", "T.md"),
        ("notes/../../A.md", ""),
    ],
)
def test_only_plain_paths_are_linked(path: str, told: str) -> None:
    made = columns(Graph((node(path, "T", 0),), (), (Community("T", (0,)),)))
    assert made["path"] == [told]


def test_the_page_names_no_place_elsewhere_and_closes_no_script() -> None:
    page = render(hostile(), name="</title><script>alert(0)</script>").decode()
    assert len(re.findall(r"<script|</script", page, re.IGNORECASE)) == 4
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?!data:)[a-z]+:", page.split("<script>")[0])
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]


# ---- in a browser

in_browser = pytest.mark.skipif(
    not browser.BINARY, reason="no chromium or google-chrome on this machine"
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    started = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


def written(room: Path, graph: Graph) -> Path:
    (room / "graph").mkdir(exist_ok=True)
    file = room / "graph" / "graph.html"
    file.write_bytes(render(graph, name="Test <wiki>"))
    return file


def trouble(tab: browser.Page) -> list[Any]:
    """Everything that a page which minds its own business would not have caused."""
    tab.browser.collect(0.1)
    bad = []
    for event in tab.told():
        method, params = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not (url.startswith("file:///") and url.endswith("/graph/graph.html")):
                bad.append(url)
        elif method in (
            "Page.javascriptDialogOpening",
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Log.entryAdded",
            "Page.windowOpen",
        ):
            bad.append(event)
    return bad


@in_browser
def test_hostile_texts_are_only_text(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, hostile())) as tab:
        tab.until("wikiGraph.settled")
        assert tab.run("[wikiGraph.pages, wikiGraph.edges, wikiGraph.shown]") == [200, 195, 200]
        tab.run("document.querySelector('#filters').open = true")
        seen = tab.run(
            """(() => {
            const links = [], texts = [];
            const rows = [...document.querySelectorAll('#results .row')].slice(0, 16);
            for (const each of rows) {
              each.click();
              const panel = document.getElementById('panel');
              texts.push(panel.textContent);
              links.push(...[...panel.querySelectorAll('a')].map((a) => a.getAttribute('href')));
            }
            const odd = document.querySelectorAll(
              'img, iframe, object, embed, form:not([method=dialog]), main svg:not(.tools svg)');
            return { links, texts: texts.join('\\n'), odd: odd.length };
            })()"""
        )
        assert seen["odd"] == 0
        assert "<img src=x onerror=alert(2)>" in seen["texts"]
        assert "</script><script>alert(1)</script>" in seen["texts"]
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", seen["texts"])
        assert seen["links"]
        assert all(re.fullmatch(r"\.\./wiki/[^<>\"/\\]+/[^<>\"/\\]+\.md", x) for x in seen["links"])
        tab.key("/")
        tab.write("<img")
        tab.until("document.getElementById('list-title').textContent.endsWith('found')")
        assert trouble(tab) == []


@in_browser
def test_the_page_may_neither_fetch_nor_make_markup_of_text(
    running: browser.Browser, tmp_path: Path
) -> None:
    with running.page(written(tmp_path, planted(3, 4))) as tab:
        assert trouble(tab) == []
        refused = "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"
        assert tab.run(refused) == "refused"
        with pytest.raises(RuntimeError, match="TrustedHTML"):
            tab.run("document.body.innerHTML = '<b>x</b>'")
        assert tab.run("Object.isFrozen(wikiGraph)")
        urls = [url for url in trouble(tab) if isinstance(url, str)]
        assert urls == [], "the policy stops it before anything is asked"


@in_browser
def test_search_finds_titles_by_their_words_and_pages_by_their_tags(
    running: browser.Browser, tmp_path: Path
) -> None:
    titles = ("Self-attention", "Retrieval", "Café society", "Reciprocal rank fusion", "Attention")
    nodes = [node(f"wiki/{t}.md", t, 0, tags=("Deep",) * (i == 1)) for i, t in enumerate(titles)]
    nodes = sorted(nodes)
    edges = tuple(GraphEdge(0, i, EXTRACTED, 1.0) for i in range(1, 5))
    graph = Graph(tuple(nodes), edges, (Community("Attention", tuple(range(5))),))
    with running.page(written(tmp_path, graph)) as tab:
        for query, first in (
            ("attention", "Attention"),
            ("self att", "Self-attention"),
            ("CAFE", "Café society"),
            ("fusion rank", "Reciprocal rank fusion"),
            ("#deep", "Retrieval"),
        ):
            tab.run("document.activeElement.blur(); document.getElementById('query').value = ''")
            tab.key("/")
            tab.write(query)
            script = "document.querySelector('#results .text')?.textContent"
            tab.until(f"{script} === {json.dumps(first)}", 5)
        tab.run("document.getElementById('query').value = ''")
        tab.write("zzzz")
        tab.until("document.getElementById('list-title').textContent === 'Nothing found'", 5)
        tab.key("Escape")
        tab.until("document.querySelectorAll('#results .row').length === 5", 5)
        assert trouble(tab) == []


@in_browser
def test_a_click_opens_a_page_and_filters_hide_pages(
    running: browser.Browser, tmp_path: Path
) -> None:
    with running.page(written(tmp_path, planted(4, 6))) as tab:
        tab.until("wikiGraph.settled")
        tab.click(*tab.place("Hub 2"))
        tab.until("wikiGraph.selected === 'Hub 2'", 5)
        told = tab.run("document.getElementById('panel').textContent")
        for part in ("Hub 2", "concept", "#even", "What stands at 0 of 2.", "3 claims",
                     "7 neighbours",
                     "Leaf 2.5", "inferred 80 %", "Both.", "Open the file"):  # fmt: skip
            assert part in told
        href = tab.run("document.querySelector('#panel a').getAttribute('href')")
        assert href == "../wiki/concepts/G0002-0000.md"
        tab.run("[...document.querySelectorAll('#panel .neighbours .row')].at(-1).click()")
        assert tab.run("wikiGraph.selected") == "Leaf 2.3"
        tab.key("Escape")
        assert tab.run("document.getElementById('panel').hidden")

        assert tab.run("wikiGraph.shown") == 25
        tab.run("[...document.querySelectorAll('#types input')].at(-1).click()")
        assert tab.run("wikiGraph.shown") == 21, "the sources are hidden"
        tab.run("document.getElementById('reset').click()")
        assert tab.run("wikiGraph.shown") == 25
        assert tab.run("document.querySelectorAll('#kinds input').length") == 4
        tab.run("document.querySelector('#kinds input').click()")
        assert trouble(tab) == []


@in_browser
def test_all_of_it_can_be_done_with_keys(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, planted(3, 6))) as tab:
        tab.until("wikiGraph.settled")
        tab.run("document.getElementById('canvas').focus()")
        tab.key("ArrowRight")
        tab.until("wikiGraph.cursor !== null", 5)
        first = tab.run("wikiGraph.cursor")
        walked = set()
        for name in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
            tab.key(name)
            walked.add(tab.run("wikiGraph.cursor"))
        assert walked - {first}, "arrows go from page to page"
        live = tab.run("document.getElementById('live').textContent")
        assert live.startswith(tab.run("wikiGraph.cursor") + ", ")
        tab.key("Enter")
        assert tab.run("wikiGraph.selected === wikiGraph.cursor")
        assert tab.run("document.activeElement.id") == "panel-title"
        for _ in range(8):
            tab.key("Tab")
            if tab.run("document.activeElement.closest('.neighbours') !== null"):
                break
        before = tab.run("wikiGraph.selected")
        tab.key("Enter")
        assert tab.run("wikiGraph.selected") != before, "a neighbour was opened"
        tab.key("Escape")
        assert tab.run("[wikiGraph.selected, document.activeElement.id]") == [None, "canvas"]
        near = tab.run("wikiGraph.zoom")
        tab.key("+")
        tab.until(f"wikiGraph.zoom > {near} * 1.3", 5)
        tab.key("?")
        assert tab.run("document.getElementById('help').open")
        tab.key("Escape")
        assert not tab.run("document.getElementById('help').open")
        tab.key("/")
        assert tab.run("document.activeElement.id") == "query"
        tab.write("leaf 1.3")
        tab.key("Enter")
        assert tab.run("wikiGraph.selected") == "Leaf 1.3"
        assert trouble(tab) == []


@in_browser
def test_the_mouse_moves_and_zooms(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, planted(4, 6))) as tab:
        tab.until("wikiGraph.settled")
        first, other = tab.place("Hub 0"), tab.place("Hub 1")
        tab.drag(*first, 40, 25)
        assert tab.place("Hub 0") == pytest.approx((first[0] + 40, first[1] + 25), abs=1)
        assert tab.place("Hub 1") == pytest.approx(other, abs=1), "only the page was moved"
        assert tab.run("wikiGraph.selected") is None
        tab.drag(320, 700, 30, -20)
        assert tab.place("Hub 1") == pytest.approx((other[0] + 30, other[1] - 20), abs=1)
        zoom = tab.run("wikiGraph.zoom")
        under = tab.place("Hub 1")
        tab.wheel(*under, -200)
        tab.until(f"wikiGraph.zoom > {zoom} * 1.2", 5)
        assert tab.place("Hub 1") == pytest.approx(under, abs=1), "what is under the mouse stays"
        tab.key("0")
        tab.until(f"Math.abs(wikiGraph.zoom / {zoom} - 1) < 0.3", 5)
        assert trouble(tab) == []


@in_browser
def test_a_large_wiki_opens_on_its_communities(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, planted(150, 16))) as tab:
        tab.until("wikiGraph.settled")
        assert tab.run("[wikiGraph.pages, wikiGraph.view, wikiGraph.shown]") == [
            2401,
            "groups",
            120,
        ]
        tab.click(*tab.place("Hub 3"))
        tab.until("wikiGraph.view === 'group 3' && wikiGraph.settled", 5)
        assert tab.run("wikiGraph.shown") == 16
        assert tab.run("document.querySelector('#trail b').textContent") == "Hub 3"
        tab.run("document.querySelector('#trail button').click()")
        assert tab.run("wikiGraph.view") == "groups"
        last = "[...document.querySelectorAll('#results .row')].at(-1)"
        assert tab.run(f"{last}.textContent") == "51 more"
        tab.run(f"{last}.click()")
        tab.run(f"{last}.click()")
        assert tab.run("wikiGraph.shown") == 1, "all communities are listed, the page alone last"
        tab.run("document.querySelector('#trail button').click()")
        tab.key("/")
        tab.write("leaf 77.4")
        tab.until("document.querySelector('#results .text')?.textContent === 'Leaf 77.4'", 5)
        tab.key("Enter")
        assert tab.run("[wikiGraph.selected, wikiGraph.view]") == ["Leaf 77.4", "group 77"]
        tab.key("Escape")
        tab.key("Escape")
        assert tab.run("wikiGraph.view") == "groups"
        tab.run("[...document.querySelectorAll('#trail button')].at(-1).click()")
        assert tab.run("[wikiGraph.view, wikiGraph.shown]") == ["all", 2401]
        assert trouble(tab) == []


@in_browser
def test_the_picture_is_the_same_each_time(running: browser.Browser, tmp_path: Path) -> None:
    file = written(tmp_path, planted(6, 12))
    seen = []
    for _ in range(2):
        with running.page(file) as tab:
            tab.until("wikiGraph.settled")
            seen.append(tab.run("wikiGraph.places"))
    assert seen[0] == seen[1]
    assert len({(round(x), round(y)) for _, x, y in seen[0]}) == 50, "no page on another"


@in_browser
def test_an_empty_wiki_says_so(running: browser.Browser, tmp_path: Path) -> None:
    with running.page(written(tmp_path, Graph((), (), ()))) as tab:
        assert tab.run("document.getElementById('empty').textContent") == "No pages yet."
        for name in ("Tab", "ArrowLeft", "Enter", "Escape", "+", "0"):
            tab.key(name)
        assert trouble(tab) == []


# --- pyvis ---------------------------------------------------------------------------------


def drawn(room: Path, graph: Graph) -> Path:
    pytest.importorskip("pyvis")
    from llmwiki.graph.export import to_pyvis

    (room / "graph").mkdir(exist_ok=True)
    file = room / "graph" / "graph.html"
    file.write_text(to_pyvis(graph, heading="Test <wiki>").generate_html(), "utf-8")
    return file


def test_a_network_of_pyvis_holds_every_page_and_edge(tmp_path: Path) -> None:
    pytest.importorskip("pyvis")
    from llmwiki.graph.export import to_pyvis

    graph = planted(3, 4)
    network = to_pyvis(graph)
    assert network.get_nodes() == list(range(len(graph.nodes)))
    assert [(e["from"], e["to"]) for e in network.edges] == [
        (edge.source, edge.target) for edge in graph.edges
    ]
    assert network.neighbors(0) == {
        other for edge in graph.edges for other in edge[:2] if 0 in edge[:2] and other
    }
    sizes = [each["size"] for each in network.nodes]
    ranks = [each.rank for each in graph.nodes]
    assert sizes.index(max(sizes)) == ranks.index(max(ranks)) and min(sizes) >= 8
    again = to_pyvis(graph).generate_html()
    assert network.generate_html() == again


@in_browser
def test_what_pyvis_draws_fetches_nothing_and_texts_are_text(
    running: browser.Browser, tmp_path: Path
) -> None:
    ready = "typeof network === 'object' && nodes.length === 200"
    with running.page(drawn(tmp_path, hostile()), ready=ready) as tab:
        assert tab.run("[nodes.length, edges.length]") == [200, 195]
        assert tab.run("document.querySelector('h1').textContent") == "Test <wiki>"
        tab.run("nodes.forEach((each) => network.selectNodes([each.id]))")
        assert tab.run("document.querySelectorAll('img, iframe, svg, a').length") == 0
        assert trouble(tab) == []
