"""Rules about the wiki's links as a graph, against the plainest reading of what they mean."""

from __future__ import annotations

import random
from itertools import product
from time import process_time

import pytest
from lintkit import MemoryWiki, lint_texts
from longform import examples

from llmwiki.index.connectivity import PIECE, parts_of
from llmwiki.lint.rules import graph
from llmwiki.lint.rules.graph import build
from llmwiki.lint.thresholds import LintLimits

RULES = {rule.name: rule for rule in graph.RULES}


@pytest.mark.parametrize("rule", graph.RULES, ids=lambda rule: rule.name)
def test_a_rule_fires_on_its_bad_example_alone(rule) -> None:  # type: ignore[no-untyped-def]
    assert lint_texts(rule.bad, [rule])
    assert not lint_texts(rule.good, [rule])


def made(count: int, pairs: set[tuple[int, int]]) -> list[list[int]]:
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    return [sorted(n) for n in near]


def reached(count: int, pairs: set[tuple[int, int]], start: int) -> set[int]:
    seen, grows = {start}, True
    while grows:
        more = {y for pair in pairs for x, y in (pair, pair[::-1]) if x in seen} - seen
        seen |= more
        grows = bool(more)
    return seen


@pytest.mark.parametrize("seed", range(examples(40)))
def test_bridges_are_the_links_whose_loss_parts_the_graph(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 12)
    pairs = {(a, b) for a, b in product(range(count), repeat=2) if a < b and rng.random() < 0.18}
    expected = {}
    for a, b in pairs:
        left = reached(count, pairs - {(a, b)}, a)
        smaller = min(len(left), len(reached(count, pairs, a)) - len(left))
        if b not in left and smaller >= PIECE:
            expected[a, b] = smaller
    found = parts_of(made(count, pairs))
    assert {(edge.source, edge.target): edge.parted for edge in found.edges} == expected
    whole = {frozenset(reached(count, pairs, n)) for n in range(count)}
    assert {frozenset(part) for part in found.parts} == whole


def test_the_graph_is_of_pages_whatever_the_form_of_the_link() -> None:
    wiki = MemoryWiki(
        {
            "wiki/concepts/A.md": "[[b]] [[B#x]] [[B|again]] [[A]] [[Nowhere]] ![[x.png]]\n",
            "wiki/concepts/B.md": "[c](../entities/C.md) `[[A]]`\n",
            "wiki/entities/C.md": '---\nup: "[[A]]"\n---\n',
            "wiki/index.md": "[[A]] [[B]] [[C]]\n",
        }
    )
    built = build(wiki)
    assert built.paths == ["wiki/concepts/A.md", "wiki/concepts/B.md", "wiki/entities/C.md"]
    assert built.near == [[1, 2], [0, 2], [0, 1]]
    assert built.links == [2, 2, 2]


def star(body: str, count: int = 9) -> dict[str, str]:
    return {"wiki/Hub.md": body, **{f"wiki/p{n}.md": "[[Hub]]\n" for n in range(count)}}


def test_a_hub_says_enough_or_is_told_of() -> None:
    rule = [RULES["hub-stub"]]
    (found,) = lint_texts(star("---\na: " + "x" * 600 + "\n---\nTea.\n"), rule)
    assert found.message == "It has 9 links, where 2 are usual, and a text of 4 bytes"
    assert not lint_texts(star("é" * 250), rule)
    assert lint_texts(star("é" * 249), rule)
    assert not lint_texts(star("Tea."), rule, limits=LintLimits(hub_stub_bytes=4))
    assert not lint_texts(star("Tea.", count=3), rule)
    assert not lint_texts({"wiki/A.md": "[[B]]", "wiki/B.md": "[[A]]"}, rule)
    assert not lint_texts({}, rule)


def ring(*names: str) -> dict[str, str]:
    return {f"wiki/{a}.md": f"[[{b}]]" for a, b in zip(names, names[1:] + names[:1], strict=True)}


def test_a_bridge_has_three_pages_on_each_side() -> None:
    rule = [RULES["fragile-bridge"]]
    left, right = ring("a", "b", "c"), ring("x", "y", "z")
    joined = {**left, **right, "wiki/y.md": "[[z]] [[b]]"}
    (found,) = lint_texts(joined, rule)
    assert (found.path, found.about) == ("wiki/b.md", "wiki/y.md")
    assert found.message == "Only the link between [[b]] and [[y]] joins 3 pages with 3"
    assert not lint_texts({**joined, "wiki/c.md": "[[a]] [[x]]"}, rule)
    assert not lint_texts({**left, "wiki/x.md": "[[y]]", "wiki/y.md": "[[b]]"}, rule)


def test_communities_apart_from_the_largest() -> None:
    files = {**ring("a", "b", "c", "d"), **ring("x", "y"), **ring("q", "r", "s", "t", "u"),
             "wiki/alone.md": "x", "wiki/index.md": "[[a]] [[x]] [[q]]"}  # fmt: skip
    found = lint_texts(files, [RULES["isolated-community"]])
    assert [(f.path, f.message) for f in found] == [
        ("wiki/a.md", "It and [[b]], [[c]], [[d]] have no link to or from the rest of the wiki"),
        ("wiki/x.md", "It and [[y]] have no link to or from the rest of the wiki"),
    ]


def test_a_long_path_needs_no_deep_stack() -> None:
    count = 30_000
    path = made(count, {(n, n + 1) for n in range(count - 1)})
    began = process_time()
    found = parts_of(path)
    assert len(found.edges) == count - 3 and len(found.parts) == 1
    assert process_time() - began < 18


def test_in_a_wiki_of_github_a_blank_finds_a_hyphen() -> None:
    pages = {"wiki/Home.md": "[[Tea cup]]\n", "wiki/b/Tea-cup.md": "Clay.\n"}
    assert build(MemoryWiki(pages)).near == [[1], [0]]
    pages["wiki/b/Two words.md"] = "Clay.\n"
    assert build(MemoryWiki(pages)).near == [[], [], []]


def test_a_page_and_its_ledger_are_no_community() -> None:
    files = {
        "wiki/concepts/A.md": "# A\n\n[[B]] [[C]]\n",
        "wiki/concepts/B.md": "# B\n",
        "wiki/concepts/C.md": "# C\n",
        "wiki/concepts/X.md": "# X\n\n[[sources/x-md|X]]\n",
        "wiki/sources/x-md.md": "# X\n",
    }
    assert lint_texts(files, [RULES["isolated-community"]]) == []
    files["wiki/concepts/Y.md"] = "# Y\n\n[[X]]\n"
    assert len(lint_texts(files, [RULES["isolated-community"]])) == 1
