"""Parts and bridges of a graph, against the plainest reading of what they are."""

from __future__ import annotations

from time import process_time

import networkx
import pytest
from longform import examples

from llmwiki.graph.communities_and_bridges import PIECE, parts_of


@pytest.mark.parametrize("seed", range(examples(40)))
def test_bridges_are_the_pages_whose_loss_parts_the_graph(seed: int) -> None:
    made = networkx.gnm_random_graph(40, 44, seed=seed)
    found = parts_of([sorted(made[node]) for node in made])
    assert {frozenset(part) for part in found.parts} == {
        frozenset(part) for part in networkx.connected_components(made)
    }
    expected = {}
    for node in networkx.articulation_points(made):
        rest = made.subgraph(networkx.node_connected_component(made, node)).copy()
        rest.remove_node(node)
        pieces = [len(piece) for piece in networkx.connected_components(rest)]
        if sum(pieces) - max(pieces) >= PIECE:
            expected[node] = sum(pieces) - max(pieces)
    assert {page.node: page.parted for page in found.pages} == expected


def test_a_long_path_needs_no_deep_stack() -> None:
    count = 30_000
    path = [[other for other in (n - 1, n + 1) if 0 <= other < count] for n in range(count)]
    began = process_time()
    found = parts_of(path)
    assert len(found.pages) == count - 4 and len(found.parts) == 1
    assert process_time() - began < 18
