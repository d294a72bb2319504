"""Parts and bridges of a graph, against the plainest reading of what they are."""

from __future__ import annotations

import random
from itertools import product
from time import process_time

import pytest
from longform import examples

from llmwiki.graph.analysis import PIECE, parts_of


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


def test_a_long_path_needs_no_deep_stack() -> None:
    count = 30_000
    path = made(count, {(n, n + 1) for n in range(count - 1)})
    began = process_time()
    found = parts_of(path)
    assert len(found.edges) == count - 3 and len(found.parts) == 1
    assert process_time() - began < 18
