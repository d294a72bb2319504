"""Two values of one slot, of unlike times: the later one updates the earlier, and both stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from wikikit import Wiki, answer, check, claim

PAGE = "wiki/concepts/Tea.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def learn(wiki: Wiki, year: str, *values: str, key: str = "price", **more: Any) -> None:
    """A document of that date that gives the values."""
    lines = [f"In {year} the {key} of tea was {value}, they say." for value in values]
    claims = [
        claim("Tea", line, lines=(at, at), key=key, value=value, **more)
        for at, (line, value) in enumerate(zip(lines, values, strict=True), start=3)
    ]
    document = {"title": f"Of {year}", "summary": "Prices.", "date": year}
    name = f"raw/{key}-{year}-{len(wiki.files())}.md"
    wiki.learn(name, "# Prices\n\n" + "\n".join(lines) + "\n", answer(claims, document=document))


def updates(wiki: Wiki) -> list[tuple[str, str]]:
    """(later, earlier), by their values."""
    claims = {ident: one for ident, (_path, one) in wiki.claims().items()}
    found = []
    for one in claims.values():
        for name, _op, value in one.attributes:
            if name == "updated by":
                target = value.partition("#^")[2].partition("]]")[0].partition("|")[0]
                found.append((claims[target].slot[1], one.slot[1]))
    assert all(one.successor is None for one in claims.values()), "code strikes nothing"
    return sorted(found)


@pytest.mark.parametrize("order", [("2022", "2024"), ("2024", "2022")])
def test_the_later_value_updates_the_earlier_whichever_came_first(
    wiki: Wiki, order: tuple[str, str]
) -> None:
    for year in order:
        learn(wiki, year, {"2022": "3 euros", "2024": "4 euros"}[year])
    assert updates(wiki) == [("4 euros", "3 euros")]
    assert "updated by" in wiki.read(PAGE) and "WK302" not in wiki.run("lint").out
    check(wiki)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3 euros", "3 euros"),
        ("3 euros", "4 pounds"),
        ("3 euros", "cheap"),
        ("3 euros", "3 to 4 euros"),
        ("at least 3 euros", "4 euros"),
        ("green, black", "white"),
    ],
)
def test_what_is_no_other_value_of_one_kind_updates_nothing(
    wiki: Wiki, first: str, second: str
) -> None:
    learn(wiki, "2022", first)
    learn(wiki, "2024", second)
    assert updates(wiki) == []


def test_of_one_time_or_none_nothing_is_said(wiki: Wiki) -> None:
    learn(wiki, "2022", "3 euros")
    learn(wiki, "2022-05", "4 euros")
    assert updates(wiki) == []


def test_unlike_scopes_are_two_slots(wiki: Wiki) -> None:
    learn(wiki, "2022", "3 euros", scope="in Oslo")
    learn(wiki, "2024", "4 euros", scope="in Rome")
    assert updates(wiki) == []


def test_a_key_of_which_one_source_gives_two_values_has_many(wiki: Wiki) -> None:
    learn(wiki, "2022", "green", key="colour")
    learn(wiki, "2024", "white", "black", key="colour")
    assert updates(wiki) == []


def test_three_years_are_a_chain(wiki: Wiki) -> None:
    for year, value in (("2020", "2 euros"), ("2024", "4 euros"), ("2022", "3 euros")):
        learn(wiki, year, value)
    assert ("3 euros", "2 euros") in updates(wiki) and ("4 euros", "3 euros") in updates(wiki)
    check(wiki)
