"""What memory keeps, replaces and lifts: the acceptance vectors of other systems."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from llmwiki.app.questions.learn_from_talk import Learning
from llmwiki.chat.recall import aged
from llmwiki.chat.session_search import FoundTurn
from llmwiki.chat.transcript import new_id
from llmwiki.core.text import sha256_hex
from llmwiki.memory.check_learned import checked, says_nothing
from llmwiki.memory.conversation import (
    LearnedItem,
    LearnedQuote,
    Statement,
    Talk,
    is_contaminated,
    local_date,
)
from llmwiki.memory.memory_pages import MemoryPages
from llmwiki.memory.note_use_and_resident_page import (
    earns,
    halved,
    promoted,
    promotions,
    resident_text,
    score_of,
    spread,
)
from llmwiki.memory.private_memory import NoteUse
from llmwiki.memory.sweep import resolved, sweep_steps, swept
from llmwiki.models.ask_and_validate import validated
from llmwiki.pages.memory_notes import DAILY, MemoryNote, learned_node, new_page, note_id, notes_of
from llmwiki.pages.page import Page
from llmwiki.pages.write import add_to_section

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "memory_vectors.json").read_text("utf-8")
)
MEMORY = "wiki/memory.md"


class NoPages:
    """A state of a wiki that has no pages."""

    def having(self, key: str) -> tuple[str, ...]:
        return ()

    def page(self, path: str) -> Page | None:
        return None

    def fact(self, path: str) -> None:
        return None


def supersession(given: Any, expected: Any) -> None:
    """Cloudflare's instruction is our procedure; ids come from the words."""
    kinds = {"instruction": "procedure"}
    memory = MemoryPages(NoPages())  # type: ignore[arg-type]
    ids = {}
    for op in given["ops"]:
        kind, key = kinds.get(op["kind"], op["kind"]), op["key"] or ""
        node = learned_node(op["text"], kind=kind, told_by="person", key=key, value=op["text"])
        memory.put(add_to_section(memory.made(MEMORY), "Notes", node))
        memory.settle(kind, key, note_id(op["text"]))
        ids.setdefault(note_id(op["text"]), op["id"])
    notes = {ids[note.id]: note for note in memory.notes()}
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


def decay_exp(given: Any, expected: Any) -> None:
    """A rate is a half-life: there is one form of decay."""
    found = halved(given["score"], given["age_days"], math.log(2) / given["rate"])
    assert found == pytest.approx(expected["score"], abs=1e-4)


def decay_equivalence(given: Any, expected: Any) -> None:
    half_life = given["half_life_days"]
    assert -math.log(halved(1.0, 1, half_life)) == pytest.approx(expected["rate"], abs=1e-7)


def decay_rank(given: Any, expected: Any) -> None:
    """What decays is a turn of an earlier conversation; pages have no clock."""
    names = {
        new_id(datetime.fromisoformat(f"{path[7:17]}T00:00+00:00").timestamp(), path.encode()): path
        for path, _ in given["results"]
    }
    now = datetime.fromisoformat(f"{given['now']}T00:00+00:00").timestamp()
    order = aged([FoundTurn(name, 1, "") for name in names], now)
    assert [names[turn.session] for turn in order] == expected["order"]


def daily_note_path(given: Any, expected: Any) -> None:
    """One form of the two, below the wiki: that of OpenClaw."""
    ts = datetime.fromisoformat(f"{given['date']}T00:00+00:00").timestamp()
    path = f"{DAILY}{local_date(ts, 0)}.md"
    assert path.rpartition("/")[2] == expected["openclaw"].rpartition("/")[2]


def content_id(given: Any, expected: Any) -> None:
    assert sha256_hex(given["text"].encode()) == expected["sha256"]


def extract_schema(given: Any, expected: Any) -> None:
    """The summary is no part of our answer: `end` stands for the second field."""
    told = given["json"]
    names = {"raw_memory": "items", "rollout_summary": "end"}
    item = {"text": "r", "kind": "fact", "quotes": []}
    values = {"r": [item], "s": True, "": []}
    answer: Any = told
    if isinstance(told, dict):
        answer = {names.get(key, key): values.get(value, value) for key, value in told.items()}
        answer |= {"end": True} if told.get("rollout_summary") == "" else {}
    try:
        read = validated(Learning.whole(), answer)
    except ValueError:
        assert not expected["valid"]
    else:
        assert expected["valid"] and (read.items == []) is expected["no_output"]


def memory_ops(given: Any, expected: Any) -> None:
    """Adding; what is replaced or taken away is named by its id here."""
    memory = MemoryPages(NoPages())  # type: ignore[arg-type]
    refused: list[Any] = []
    for text in (*given["entries"], given["op"]["content"]):
        said = f"remember {text}"
        statements = (Statement(1, "typed", said),)
        item = LearnedItem(text, "fact", (LearnedQuote(1, said),))
        taken, refused = map(list, checked([item], statements))
        for found in taken:
            memory.learn(found, Talk("one", statements))
    assert (not refused) is expected["success"]
    assert [note.text for note in memory.notes() if note.kind != "said"] == expected["entries"]


def promotion_append(given: Any, expected: Any) -> None:
    """The id of a note is the mark: what stands on the page is not promoted again."""
    memory = MemoryPages(NoPages())  # type: ignore[arg-type]
    old = re.findall(r"^- (.+)", given["memory"], re.M)
    for text in [*old, *(row["text"] for row in given["promote"])]:
        if memory.find(note_id(text)) is None:
            path = MEMORY if text in old else f"{DAILY}2026-01-01.md"
            node = learned_node(text, kind="fact", told_by="person")
            memory.put(add_to_section(memory.made(path), "Notes", node))
    use = NoteUse(
        10, 9_900_000, tuple(f"2026-01-{n:02d}" for n in (1, 5, 9)), ("a", "b", "c", "d", "e")
    )
    before = memory.made(MEMORY).text
    due = promotions(memory, {note.id: use for note in memory.notes()}, "2026-01-09")
    promoted(memory, due)
    keys = {row["text"]: row["key"] for row in given["promote"]}
    assert [keys[each.note.text] for each in due] == expected["appended_keys"]
    assert memory.made(MEMORY).text.startswith(before.rstrip())


def gc_policy(given: Any, expected: Any) -> None:
    """What is old goes last, once all that leads elsewhere does; there is no archive."""
    memory = MemoryPages(NoPages())  # type: ignore[arg-type]
    for day, value in (("2026-01-01", "a"), ("2026-01-02", "b"), ("2026-01-02", "b")):
        text = f"It is {value}{len(list(memory.notes()))}."
        source = [(day, "n-0000000000")]
        node = learned_node(
            text, kind="fact", told_by="person", key="k", value=value, sources=source
        )
        memory.put(add_to_section(memory.made(MEMORY), "Notes", node))
    swept(memory, sweep_steps(memory, "2026-09-01"))
    codes = [step.code for step in sweep_steps(memory, "2026-09-01")]
    assert codes == ["old-replaced"] * 2 and expected["order"][-1] == "git rm"
    assert set(memory.changed) == {MEMORY} and not expected["archive_dir"]


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
    text = resident_text(notes_of(page))
    assert text and len(text.encode()) / 3 <= max(expected["injected_tokens_at_most"], 45)


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
