"""JSON that few tests print, against its published schema."""

from __future__ import annotations

from typing import Any

import pytest
import wikikit

from llmwiki.app.json_output.make_json import json_of
from llmwiki.app.memory import MemoryStatus
from llmwiki.app.status_and_recovery import IndexReport
from llmwiki.changes.rename_and_merge_pages import PageMoveResult
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.links_to_moved_pages import UnledLink

STATUS = MemoryStatus("ask", "settings", False, {"fact": 2}, 3, 1, 0, 0, 0, 120, 800)
MOVED = PageMoveResult(
    "rename",
    "wiki/a.md",
    "wiki/b.md",
    Outcome("0" * 40, "op-1"),
    claims=("c-1",),
    joins={"c-2": "c-1"},
    left=(UnledLink("wiki/c.md", 3, "it stands in code"),),
)


@pytest.mark.parametrize(
    "made",
    [
        json_of("index", IndexReport(1, 2, None, 0, None)),
        json_of("index", IndexReport(1, 2, "0" * 40, 0, ("wiki/a.md",))),
        json_of("memory-status", STATUS),
        *(json_of(kind, MOVED, dry_run=False) for kind in ("rename", "merge")),
    ],
)
def test_what_few_tests_print_fits_its_published_schema(made: dict[str, Any]) -> None:
    wikikit.fitting(made)


def test_a_move_tells_what_was_joined_and_left() -> None:
    made = json_of("merge", MOVED, dry_run=True)
    assert (made["schema"], made["id"], made["dry_run"]) == ("llmwiki.merge/1", "op-1", True)
    assert made["claims_joined"] == [{"gone": "c-2", "stays": "c-1"}]
    assert made["links_left"] == [{"path": "wiki/c.md", "line": 3, "why": "it stands in code"}]
