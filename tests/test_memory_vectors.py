"""What memory keeps, replaces and lifts: the acceptance vectors of other systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from llmwiki.learn.book import MemoryBook
from llmwiki.learn.gate import says_nothing
from llmwiki.learn.promote import resident_text
from llmwiki.learn.sweep import resolved
from llmwiki.learn.talk import is_contaminated, local_date
from llmwiki.learn.use import earns, halved, score_of, spread
from llmwiki.pages.memory_notes import MemoryNote, learned_node, new_page, note_id
from llmwiki.pages.page import Page
from llmwiki.pages.write import add_to_section

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "memory_vectors.json").read_text("utf-8")
)
MEMORY = "wiki/memory.md"


class NoPages:
    """A state of a wiki that has no pages."""

    def texts(self, folder: str) -> dict[str, str]:
        return {}

    def page(self, path: str) -> Page | None:
        return None

    def text(self, path: str) -> str:
        return ""


def supersession(given: Any, expected: Any) -> None:
    """Cloudflare's instruction is our procedure; ids come from the words."""
    kinds = {"instruction": "procedure"}
    book = MemoryBook(NoPages(), "test")  # type: ignore[arg-type]
    ids = {}
    for op in given["ops"]:
        kind, key = kinds.get(op["kind"], op["kind"]), op["key"] or ""
        node = learned_node(op["text"], kind=kind, told_by="person", key=key, value=op["text"])
        book.put(add_to_section(book.made(MEMORY), "Notes", node))
        book.settle(kind, key, note_id(op["text"]))
        ids.setdefault(note_id(op["text"]), op["id"])
    notes = {ids[note.id]: note for note in book.notes()}
    assert [name for name, n in notes.items() if n.successor is None] == expected["active"]
    by = {name: ids[n.successor_id] for name, n in notes.items() if n.successor_id}
    assert (by, len(notes)) == (expected["replaced_by"], expected["rows"])


def review_noop(given: Any, expected: Any) -> None:
    assert says_nothing(given["text"]) is expected["noop"]


def promotion_score(given: Any, expected: Any) -> None:
    entry = given["entry"]
    found = score_of(
        entry["recall"],
        entry["total_score"],
        entry["unique_queries"],
        tuple(entry["recall_days"]),
        entry["age_days"],
        entry["concept_tags"],
    )
    assert dict(found.components) == pytest.approx(expected["components"], abs=1e-4)
    assert found.score == pytest.approx(expected["score"], abs=1e-4)


def promotion_gate(given: Any, expected: Any) -> None:
    assert earns(given["score"], given["recall"], given["unique"]) is expected["promote"]


def promotion_consolidation(given: Any, expected: Any) -> None:
    assert spread(tuple(given["days"])) == pytest.approx(expected["value"], abs=1e-4)


def promotion_contaminated(given: Any, expected: Any) -> None:
    assert is_contaminated(given["snippet"]) is expected["contaminated"]


def decay_half_life(given: Any, expected: Any) -> None:
    found = halved(given["score"], given["age_days"], given["half_life_days"])
    assert found == pytest.approx(expected["score"], abs=1e-4)


def _chain(replaced_by: dict[str, str]) -> dict[str, MemoryNote]:
    """Notes that lead to one another; a note's id is made of digits."""
    names = sorted({*replaced_by, *replaced_by.values()})
    ids = {name: f"n-{n:010d}" for n, name in enumerate(names)}
    return {
        ids[name]: MemoryNote(
            ids[name],
            MEMORY,
            name,
            "fact",
            "person",
            successor=f"[[memory#^{ids[replaced_by[name]]}]]" if name in replaced_by else None,
        )
        for name in names
    }


def chain_resolve(given: Any, expected: Any) -> None:
    notes = _chain(given["replaced_by"])
    start = next((i for i, note in notes.items() if note.text == given["start"]), given["start"])
    head, _ = resolved(notes, start)
    found = notes[head].text if head in notes else head or None
    assert found == expected["head"]


def chain_long(given: Any, expected: Any) -> None:
    notes = _chain(given["replaced_by"])
    assert [n.text for i, n in notes.items() if resolved(notes, i)[1] >= 3] == expected["issues"]


def logical_date(given: Any, expected: Any) -> None:
    ts = datetime.fromisoformat(given["t"]).timestamp()
    offset = given["utc_offset_hours"] * 3600
    assert local_date(ts, offset, given["hour"]) == expected["date"]


def summary_cap(given: Any, expected: Any) -> None:
    page = new_page(MEMORY, "test")
    for n in range(given["tokens"] // 30 + 1):
        node = learned_node(f"{n} {'word ' * 15}", kind="fact", told_by="person")
        page = add_to_section(page, "Notes", node)
    text = resident_text(page.text)
    assert text and len(text.encode()) / 3 <= max(expected["injected_tokens_at_most"], 40)


def cases() -> list[Any]:
    areas: dict[str, Callable[[Any, Any], None]] = {
        name: value for name, value in globals().items() if name in VECTORS
    }
    return [
        pytest.param(areas[area], vector, id=vector["id"])
        for area, listed in VECTORS.items()
        for vector in listed
    ]


@pytest.mark.parametrize(("judge", "vector"), cases())
def test_a_vector(judge: Callable[[Any, Any], None], vector: dict[str, Any]) -> None:
    judge(vector["input"], vector["expected"])
