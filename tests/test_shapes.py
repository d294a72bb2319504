"""How a shape makes the JSON of a value, and its schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
import wikikit
from jsonschema import Draft202012Validator

from llmwiki.app.memory import MemoryStatus
from llmwiki.app.schemas import _object
from llmwiki.app.shapes import shape_of
from llmwiki.app.shapes.memory import MemoryStatusJson
from llmwiki.app.shapes.shape import MayLack, NullIfEmpty, Shape, at
from llmwiki.app.shapes.upkeep import IndexJson
from llmwiki.app.upkeep import IndexReport
from llmwiki.changes.page_moves import PageMoveResult
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.lead_links import UnledLink


class Leaf(NamedTuple):
    name: str
    grams: int


class Cup(NamedTuple):
    title: str
    leaves: tuple[Leaf, ...]
    place: Path
    note: str = ""
    best: Leaf | None = None
    spoon: str = ""


class LeafJson(Shape):
    """A leaf."""

    name: str
    """What it is called."""
    from_: str = at(lambda leaf: leaf.name.upper())


class CupJson(Shape):
    schema: Literal["tea.cup/1"]
    title: str
    leaves: list[LeafJson]
    pair: LeafJson | None = at("best")
    best: str | None = at("best.name")
    note: NullIfEmpty[str]
    kinds: dict[str, int] = at(lambda cup: ((leaf.name, leaf.grams) for leaf in cup.leaves))
    warm: bool = True
    spoon: MayLack[str]
    saucer: MayLack[str]


class SparseCupJson(Shape, sparse=True):
    title: str
    spoon: MayLack[str]
    day: int


CUP = Cup("Green", (Leaf("sencha", 2),), Path("cup"))


def test_keys_are_attributes_but_for_those_that_say_otherwise() -> None:
    made = CupJson.of(CUP)
    assert made == {
        "schema": "tea.cup/1",
        "title": "Green",
        "leaves": [{"name": "sencha", "from": "SENCHA"}],
        "pair": None,
        "best": None,
        "note": None,
        "kinds": {"sencha": 2},
        "warm": True,
        "spoon": "",
    }
    full = CUP._replace(best=CUP.leaves[0], note="hot")
    told = CupJson.of(full, warm=False, saucer="none")
    assert (told["best"], told["note"], told["warm"]) == ("sencha", "hot", False)
    assert (told["pair"], told["saucer"]) == ({"name": "sencha", "from": "SENCHA"}, "none")


def test_a_sparse_shape_says_nothing_of_what_is_empty() -> None:
    assert "spoon" not in SparseCupJson.of(CUP, day=0)
    assert SparseCupJson.of(CUP._replace(spoon="silver"), day=0)["spoon"] == "silver"
    assert SparseCupJson.of(CUP, day=0)["day"] == 0
    with pytest.raises(AttributeError, match="spoon"):
        SparseCupJson.of(CUP.leaves[0], title="Green", day=0)


def test_a_tuple_has_the_keys_in_order_and_a_dictionary_is_made_already() -> None:
    assert LeafJson.of(("assam", "India")) == {"name": "assam", "from": "India"}
    made = LeafJson.of(CUP.leaves[0])
    assert CupJson.of(CUP, leaves=[made])["leaves"] == [made]
    with pytest.raises(ValueError, match="shorter"):
        LeafJson.of(("assam",))


def test_a_value_that_lacks_a_key_is_a_mistake() -> None:
    assert LeafJson.of(name="assam", **{"from": "India"}) == {"name": "assam", "from": "India"}
    with pytest.raises(AttributeError):
        LeafJson.of(CUP)
    with pytest.raises(AttributeError):
        LeafJson.of()
    with pytest.raises(TypeError, match="no key grams"):
        LeafJson.of(CUP.leaves[0], grams=2)


def test_the_schema_is_of_the_same_keys() -> None:
    parts: dict[str, Any] = {}
    made = _object(CupJson, parts)
    assert made["required"] == list(CupJson.of(CUP))[:-1]
    assert made["properties"]["kinds"]["additionalProperties"] == {"type": "integer"}
    assert made["properties"]["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert parts["LeafJson"]["description"] == "A leaf."
    assert parts["LeafJson"]["properties"]["name"]["description"] == "What it is called."
    check = Draft202012Validator({**made, "$defs": parts})
    check.validate(CupJson.of(CUP))
    assert not check.is_valid(CupJson.of(CUP, title=1))
    assert not check.is_valid({**CupJson.of(CUP), "milk": True})


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
        IndexJson.of(IndexReport(1, 2, None, 0, None)),
        IndexJson.of(IndexReport(1, 2, "0" * 40, 0, ("wiki/a.md",))),
        MemoryStatusJson.of(STATUS),
        *(shape_of(kind).of(MOVED, dry_run=False) for kind in ("rename", "merge", "split")),
    ],
)
def test_what_few_tests_print_fits_its_published_schema(made: dict[str, Any]) -> None:
    wikikit.fitting(made)


def test_a_move_tells_what_was_joined_and_left() -> None:
    made = shape_of("merge").of(MOVED, dry_run=True)
    assert (made["schema"], made["id"], made["dry_run"]) == ("llmwiki.merge/1", "op-1", True)
    assert made["claims_joined"] == [{"gone": "c-2", "stays": "c-1"}]
    assert made["links_left"] == [{"path": "wiki/c.md", "line": 3, "why": "it stands in code"}]
