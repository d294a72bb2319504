"""The graph: which edges there are, what is made of them, and that it is the same every time."""

from __future__ import annotations

import io
import json
import os
import random
from array import array
from pathlib import Path

import gitkit
import graphkit
import networkx
import pytest
from graphkit import edges, names, page

from llmwiki.graph import export
from llmwiki.graph.communities_and_bridges import communities_of, net_of, page_rank
from llmwiki.graph.hubs_and_gaps import survey
from llmwiki.graph.nodes_and_edges import (
    AMBIGUOUS,
    EXTRACTED,
    INFERRED,
    MENTION,
    UNLINKED,
    Community,
    Graph,
    GraphEdge,
    GraphNode,
)
from llmwiki.graph.paths_and_neighbours import page_named
from llmwiki.graph.read_edges import InferredEdge, PageReading, joined

HOSTILE = (
    '"] --> evil["',
    '</script><img src=x onerror="alert(1)">',
    "`rm -rf`; $(id) | more",
    'a\\N \\" \\\\',
    "]]>",
    "1. first",
    "- item",
    "click n0 call alert()",
    "%%{init: {}}%%",
    "#quot;",
    "名前 é 🙂",
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.isolate(monkeypatch)
    return tmp_path / "wiki"


# --- links -------------------------------------------------------------------------------


def test_links_are_edges_by_file_name_whatever_the_case(root: Path) -> None:
    graphkit.make(
        root,
        {
            "sources/s": page("S", "[[OpenAI]] [[RAG]] [[OpenAI]] [[Missing]]", kind="source"),
            "entities/OpenAI": page("OpenAI", "[[rag]] [[OpenAI]]", kind="entity"),
            "concepts/RAG": page("RAG"),
        },
    )
    made = graphkit.built(root)
    assert edges(made) == {
        ("sources/s", "entities/OpenAI"),
        ("sources/s", "concepts/RAG"),
        ("entities/OpenAI", "concepts/RAG"),
    }
    assert {(edge.kind, edge.weight, edge.why) for edge in made.graph.edges} == {
        (EXTRACTED, 1.0, "")
    }
    assert made.broken == 1


def test_a_link_each_way_is_one_edge_and_the_catalogue_is_none(root: Path) -> None:
    graphkit.make(
        root,
        {
            "index": "# Index\n\n[[A]] [[B]] [[C]]\n",
            "concepts/A": page("A page", "[[B]] [[index]] [[overview]] [[log-2020]]"),
            "concepts/B": page("B page", "[[concepts/A|a]] ![[photo.png]] [[A.md]]"),
            "concepts/C": page("C page", "`[[A]]` [[C.md]]"),
        },
    )
    made = graphkit.built(root)
    assert [node.id for node in made.graph.nodes] == ["concepts/A", "concepts/B", "concepts/C"]
    assert edges(made) == {("concepts/A", "concepts/B")}
    assert made.broken == 0


def test_of_several_pages_of_a_name_the_nearest_to_the_top_is_meant(root: Path) -> None:
    graphkit.make(
        root,
        {
            "concepts/deep/Plan": page("Deep"),
            "concepts/Plan": page("Plan"),
            "concepts/X": page("X page", "[[plan]]"),
        },
    )
    assert edges(graphkit.built(root)) == {("concepts/X", "concepts/Plan")}


# --- mentions ----------------------------------------------------------------------------


def test_a_title_or_alias_in_the_text_is_a_mention(root: Path) -> None:
    graphkit.make(
        root,
        {
            "concepts/Green tea": page("Green tea", aliases=["Sencha Leaf"]),
            "entities/Ada": page("Ada Lovelace", kind="entity"),
            "concepts/X": page(
                "X page", "It was Ada Lovelace who wrote of Sencha Leaf. Ada Lovelace!"
            ),
            # A word that begins many documents names none of them.
            "sources/pump": page("Introduction (Manual of the pump)", kind="source"),
            "concepts/Y": page("Y page", "The Introduction tells more."),
        },
    )
    made = graphkit.built(root)
    assert edges(made, MENTION) == {
        ("concepts/X", "concepts/Green tea"),
        ("concepts/X", "entities/Ada"),
    }
    assert all(0 < edge.weight <= 0.5 for edge in made.graph.edges)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- Ada Lovelace -->",
        "Ada. Lovelace wrote",
        "ada lovelace",
    ],
)
def test_what_is_no_name_is_no_mention(root: Path, text: str) -> None:
    pages = {
        "entities/Ada": page("Ada Lovelace"),
        "concepts/Other": page("Other page"),
        "concepts/X": page("X page", text),
    }
    graphkit.make(root, pages)
    assert ("concepts/X", "entities/Ada") not in edges(graphkit.built(root))


def test_a_title_like_a_noun_is_a_mention_also_small_where_it_is_rare(root: Path) -> None:
    speaking = {f"concepts/P{n}": page(f"P{n}", "An overview of it.") for n in range(6)}
    graphkit.make(
        root,
        {
            **speaking,
            "sources/boats": page("Boats", "Kept by the rowing club.", kind="source"),
            "sources/club": page("Rowing club", "It has six boats.", kind="source"),
            "sources/overview": page("Overview", kind="source"),
        },
    )
    assert edges(graphkit.built(root)) == {("sources/boats", "sources/club")}


def test_a_link_is_more_than_a_mention(root: Path) -> None:
    graphkit.make(
        root,
        {
            "entities/Ada": page("Ada Lovelace", "See [[X]]."),
            "concepts/X": page("X page", "Of Ada Lovelace it says much."),
        },
    )
    made = graphkit.built(root)
    assert [edge.kind for edge in made.graph.edges] == [EXTRACTED]


def test_a_name_on_very_many_pages_connects_nothing(root: Path) -> None:
    pages = {f"concepts/P{n}": page(f"P{n}", "As the Big Wiki says.") for n in range(70)}
    graphkit.make(root, {**pages, "concepts/Big": page("Big Wiki")})
    assert edges(graphkit.built(root)) == set()


def test_a_name_of_many_pages_means_none_of_them(root: Path) -> None:
    pages = {f"concepts/P{n}": page(f"P{n}", aliases=["Twin Peak"]) for n in range(4)}
    graphkit.make(root, {**pages, "concepts/X": page("X page", "Here Twin Peak stands.")})
    assert edges(graphkit.built(root)) == set()
    graphkit.put(root, {"concepts/P3": page("P3")})
    assert len(edges(graphkit.built(root))) == 3


# --- edges that were told ----------------------------------------------------------------


def test_of_several_edges_of_a_pair_the_surest_kind_stays() -> None:
    a, b, c = range(3)
    leads = [array("I", [b]), array("I"), array("I")]
    others = [
        GraphEdge(b, a, INFERRED, 0.8),
        GraphEdge(a, c, AMBIGUOUS, 0.5, "weak"),
        GraphEdge(c, b, AMBIGUOUS, 0.6),
        GraphEdge(b, c, MENTION, 0.1),
    ]
    assert joined(leads, others) == (
        GraphEdge(a, b, EXTRACTED, 1.0),
        GraphEdge(a, c, AMBIGUOUS, 0.5, "weak"),
        GraphEdge(b, c, MENTION, 0.1),
    )


def test_what_was_said_of_a_page_holds_while_the_page_is_the_same(root: Path) -> None:
    graphkit.make(root, {"concepts/A": page("A page"), "concepts/B": page("B page")})
    oid = gitkit.git(root, "rev-parse", "HEAD:wiki/concepts/A.md").strip()
    edges = (
        InferredEdge("wiki/concepts/B.md", "part of", 0.9, "it says so"),
        InferredEdge("wiki/concepts/A.md", "itself", 0.9, ""),
        InferredEdge("wiki/concepts/Gone.md", "gone", 0.9, ""),
    )
    said = [PageReading("wiki/concepts/A.md", oid, "agent", edges)]
    made = graphkit.built(root, said=said)
    assert made.graph.edges == (GraphEdge(0, 1, INFERRED, 0.9, "part of: it says so"),)
    graphkit.put(root, {"concepts/A": page("A page", "More.")})
    assert graphkit.built(root, said=said).graph.edges == ()


# --- rank and communities ----------------------------------------------------------------


def test_rank_is_networkx_rank() -> None:
    rng = random.Random(7)
    leads = [sorted(rng.sample(range(200), rng.randint(0, 6))) for _ in range(200)]
    leads = [[t for t in row if t != s] for s, row in enumerate(leads)]
    more = [(1, 2, 0.25), (5, 9, 0.4)]
    made: networkx.DiGraph[int] = networkx.DiGraph()
    made.add_nodes_from(range(200))
    for source, row in enumerate(leads):
        made.add_weighted_edges_from((source, target, 1.0) for target in row)
    for source, target, weight in more:
        if not made.has_edge(source, target):
            made.add_edge(source, target, weight=weight)
    more = [arc for arc in more if arc[1] not in leads[arc[0]]]
    theirs = _power_iteration(made)
    ours = page_rank(leads, more)
    assert sum(ours) == pytest.approx(1, abs=1e-6)
    assert ours == pytest.approx(theirs, abs=1e-5)


def _power_iteration(made: networkx.DiGraph[int]) -> list[float]:
    """PageRank by its definition, until nothing moves: networkx's own needs scipy."""
    count = len(made)
    rank = [1 / count] * count
    for _ in range(200):
        after = [0.0] * count
        for source in made:
            total = sum(data["weight"] for _, _, data in made.out_edges(source, data=True))
            for _, target, data in made.out_edges(source, data=True):
                after[target] += rank[source] * data["weight"] / total
            if not total:
                after = [held + rank[source] / count for held in after]
        rank = [0.15 / count + 0.85 * held for held in after]
    return rank


def _as_edges(made: networkx.Graph[int]) -> list[GraphEdge]:
    return [GraphEdge(min(e), max(e), EXTRACTED, 1.0) for e in made.edges if e[0] != e[1]]


@pytest.mark.parametrize(
    "made",
    [
        networkx.karate_club_graph(),
        networkx.planted_partition_graph(12, 25, 0.3, 0.01, seed=3),
        networkx.barabasi_albert_graph(800, 4, seed=5),
        networkx.connected_caveman_graph(20, 8),
        networkx.gnm_random_graph(30, 38, seed=501),
    ],
    ids=["karate", "planted", "scale-free", "caves", "torn"],
)
def test_communities_are_as_good_as_networkx_louvain(made: networkx.Graph[int]) -> None:
    found = _as_edges(made)
    ours = communities_of(net_of(len(made), found))
    plain: networkx.Graph[int] = networkx.Graph((e.source, e.target) for e in found)
    groups = networkx.community.louvain_communities(plain, seed=42)
    theirs = networkx.community.modularity(plain, groups)
    by_number: dict[int, set[int]] = {}
    for node, at in enumerate(ours):
        by_number.setdefault(at, set()).add(node)
    held = [group for group in by_number.values() if plain.has_node(min(group))]
    assert networkx.community.modularity(plain, held) >= 0.97 * theirs
    assert all(networkx.is_connected(plain.subgraph(group)) for group in held)


def test_communities_bear_the_name_of_a_subject(root: Path) -> None:
    graphkit.make(
        root,
        {
            "sources/ledger": page("The ledger", kind="source"),
            "concepts/A": page("A page", "[[B]] [[ledger]]"),
            "concepts/B": page("B page", "[[ledger]]"),
            "concepts/C": page("C page", "[[B]] [[ledger]]"),
            "concepts/Alone": page("Alone"),
            "concepts/Beside": page("Beside"),
        },
    )
    made = graphkit.built(root)
    first, last = made.graph.communities
    assert (first.name, names(made, first.members)[0]) == ("B page", "sources/ledger")
    assert (last.name, len(last.members)) == (UNLINKED, 2)
    assert [made.graph.communities[n.community].name for n in made.graph.nodes].count(UNLINKED) == 2


# --- what the graph shows ----------------------------------------------------------------


def test_missing_links(root: Path) -> None:
    shared = "[[One]] [[Two]] [[Three]]"
    graphkit.make(
        root,
        {
            **{f"concepts/{n}": page(f"{n} page") for n in ("One", "Two", "Three")},
            "concepts/A": page("Alpha Thing", shared),
            "concepts/B": page("Beta Thing", shared),
            "concepts/C": page("Gamma Thing", f"{shared} [[A]]"),
            "concepts/D": page("Delta Thing", "Zeta Thing and again Zeta Thing. Once Eta Thing."),
            "concepts/H": page("Eta Thing"),
            "concepts/Z": page("Zeta Thing"),
            "sources/S": page("Sigma", shared, kind="source"),
        },
    )
    made = graphkit.built(root)
    seen = survey(made)
    pairs = {tuple(names(made, each[:2])): each for each in seen.missing}
    assert {frozenset(pair) for pair in pairs} >= {
        frozenset(("concepts/A", "concepts/B")),
        frozenset(("concepts/B", "concepts/C")),
        frozenset(("concepts/D", "concepts/Z")),
    }
    assert frozenset(("concepts/A", "concepts/C")) not in set(map(frozenset, pairs))
    assert not any("sources/S" in pair for pair in pairs)
    told = pairs["concepts/D", "concepts/Z"]
    assert told.is_named and told.shared == ()
    assert [each.score for each in seen.missing] == sorted(
        (m.score for m in seen.missing), reverse=True
    )


def test_survey_of_loose_ends(root: Path) -> None:
    graphkit.make(
        root,
        {
            "concepts/A": page("A page", "[[B]]"),
            "concepts/B": page("B page", "[[nowhere]]"),
            "concepts/Alone": page("Alone"),
            "sources/S": page("S", "[[B]]", kind="source"),
        },
    )
    made = graphkit.built(root)
    seen = survey(made)
    assert names(made, seen.unlinked) == ["concepts/Alone"]
    assert names(made, seen.hubs) == ["concepts/B", "concepts/A", "sources/S"]
    assert len(seen.remarks) == 3
    assert seen.kinds == {EXTRACTED: 2} and seen.types == {"concept": 3, "source": 1}


# --- from page to page -------------------------------------------------------------------


def test_a_ledger_with_the_title_of_its_subject_does_not_hide_it(root: Path) -> None:
    graphkit.make(root, {"concepts/Tea": page("Tea"), "sources/tea-md": page("Tea", kind="source")})
    pages = graphkit.ground(root).pages
    assert pages[page_named(pages, "tea")].path == "wiki/concepts/Tea.md"
    assert pages[page_named(pages, "tea-md")].path == "wiki/sources/tea-md.md"


# --- exports -----------------------------------------------------------------------------


@pytest.fixture
def hostile() -> Graph:
    nodes = tuple(
        GraphNode(
            *(f"wiki/concepts/{n} {title}.md", title, "concept", title * 2, (title, "tag")),
            *(0, 1 / len(HOSTILE), 0),
        )
        for n, title in enumerate(HOSTILE)
    )
    links = tuple(
        GraphEdge(n, n + 1, (EXTRACTED, MENTION, INFERRED, AMBIGUOUS)[n % 4], 0.5, HOSTILE[n])
        for n in range(len(HOSTILE) - 1)
    )
    return Graph(nodes, links, (Community("All", tuple(range(len(HOSTILE)))),))


def test_json_is_read_back_by_networkx(hostile: Graph) -> None:
    text = "".join(export.as_json(hostile))
    made = networkx.node_link_graph(json.loads(text), edges="edges")
    assert not made.is_directed() and not made.is_multigraph()
    for node in hostile.nodes:
        held = made.nodes[node.id]
        assert (held["title"], held["path"]) == (node.title, node.path)
        assert set(held) == {
            *("title", "type", "path", "description", "tags", "claims", "rank", "community"),
        }
    ids = [node.id for node in hostile.nodes]
    for edge in hostile.edges:
        held = made.edges[ids[edge.source], ids[edge.target]]
        assert held == {"kind": edge.kind, "weight": edge.weight, "why": edge.why}
    assert made.graph["communities"] == ["All"]


def test_graphml_is_read_back_by_networkx(hostile: Graph) -> None:
    bad = hostile.nodes[0]._replace(title="a\x01b\u202e\ud800c", path="wiki/\x02.md")
    graph = Graph((bad, *hostile.nodes[1:]), hostile.edges, hostile.communities)
    text = "".join(export.as_graphml(graph))
    made = networkx.read_graphml(io.BytesIO(text.encode()))
    assert len(made) == len(HOSTILE) and made.number_of_edges() == len(HOSTILE) - 1
    assert made.nodes["\ufffd"]["label"] == "a\ufffdb\ufffd\ufffdc"
    for node in hostile.nodes[1:]:
        assert made.nodes[node.id]["label"] == node.title
    kinds = {data["kind"] for _, _, data in made.edges(data=True)}
    assert kinds == {EXTRACTED, MENTION, INFERRED, AMBIGUOUS}


# --- the same every time -----------------------------------------------------------------


def _random_wiki(root: Path) -> Path:
    rng = random.Random(11)
    titles = [f"Thing {'ABCDEFGHIJ'[n % 10]} {n}x" for n in range(120)]
    pages = {}
    for n, title in enumerate(titles):
        links = " ".join(f"[[{titles[rng.randrange(120)]}]]" for _ in range(rng.randint(0, 5)))
        said = " ".join(f"It knows {titles[rng.randrange(120)]}." for _ in range(2))
        claim = f"- Claim of {n}. ^{graphkit.CLAIM_IDS[n % 100]}"
        pages[f"concepts/{title}"] = page(title, f"{links}\n\n{said}\n\n## Claims\n\n{claim}")
    return graphkit.make(root, pages)


def test_an_index_of_many_steps_gives_the_same_graph(root: Path) -> None:
    """Page numbers and segments are chance; the graph does not show them."""
    _random_wiki(root)
    for n in range(6):
        graphkit.put(root, {f"concepts/New {n}": page(f"New Thing {n}", f"[[New {n + 1}]]")})
        graphkit.built(root)
    grown = graphkit.built(root)
    for found in (root / ".git/llmwiki").glob("index*"):
        if found.is_file():
            os.unlink(found)
    assert graphkit.built(root).graph == grown.graph
