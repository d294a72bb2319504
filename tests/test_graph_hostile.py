"""wiki graph and what it has kept, when somebody else wrote it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import graphkit
import pytest

from llmwiki.git.repository import Repository
from llmwiki.git.store.private import common_files
from llmwiki.graph.edge_store import FILE, readings

GOOD = {"path": "wiki/A.md", "oid": "1", "by": "agent", "edges": [["wiki/B.md", "l", 0.5, "w"]]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return graphkit.make(tmp_path / "wiki", {"A": graphkit.page("A", "[[B]]")})


@pytest.mark.parametrize(
    "share", ["NaN", "Infinity", "-1", "2", '"0.5"', "null", "1" + "0" * 400, "[" * 20_000]
)
def test_a_kept_line_with_a_share_that_is_none_is_passed_over(root: Path, share: str) -> None:
    bad = json.dumps({**GOOD, "path": "wiki/Bad.md"}).replace("0.5", share)
    with Repository.discover(root) as repo:
        common_files(repo).write(FILE, f"{json.dumps(GOOD)}\n{bad}\n".encode())
        assert list(readings(repo)) == ["wiki/A.md"]


def test_kept_edges_that_are_a_pipe_are_not_waited_for(root: Path) -> None:
    with Repository.discover(root) as repo:
        place = common_files(repo).path(FILE)
        place.parent.mkdir(parents=True)
        os.mkfifo(place)
        assert readings(repo) == {}
