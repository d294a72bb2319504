"""What speaks for another name: the names themselves, or a sentence of the text."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.ingest.page_of_subject import agree, support, supported
from llmwiki.sources.names_that_mean_one import Synonyms

PAIRS = json.loads((Path(__file__).parent / "data" / "alias_pairs.json").read_text("utf-8"))


def speaks(name: str, alias: str, text: str) -> str:
    synonyms = Synonyms(text.split("\n"))

    def told(a: str, b: str) -> str:
        return f"L{line} says so" if (line := synonyms.line(a, b)) else ""

    return support(name, alias, told)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{p['same']}: {p['name']} | {p['alias']}")
def test_an_alias_needs_more_than_somebodys_word(pair: dict[str, str]) -> None:
    there = speaks(pair["name"], pair["alias"], pair["text"])
    assert bool(there) == pair["same"]
    assert speaks(pair["alias"], pair["name"], pair["text"]) == there


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Ships\n\nA tug, also called a\npusher, moves ships.", 3),
        ("Nothing.\n\n- A tug (pusher) moves ships.\n- A pusher is loud.", 3),
        ("| tug (pusher) | 3 |", 1),
        ("A [tug](https://x.example/a) (**pusher**)[^1] moves ships.", 1),
        ("A <b>tug</b> ([[Ships|pusher]]) moves ships.", 1),
        ("Tugs (pushers) move ships.", 1),
        ("A tug. A pusher, also called a shove, is none.", 0),
        ("A tug\n\n(pusher) moves ships.", 0),
        ("# A tug\n(pusher) moves ships.", 0),
        ("A tugboat (pusher) moves ships.", 0),
        ("A tug (pusherman) moves ships.", 0),
        ("A tug, also called a " + "very " * 40 + "pusher, moves ships.", 0),
    ],
)
def test_a_definition_stands_in_one_sentence_and_says_its_line(text: str, line: int) -> None:
    assert Synonyms(text.split("\n")).line("Tug", "Pusher") == line


def test_a_definition_is_about_the_name_beside_it() -> None:
    text = ["Tugs meet ferries, also called pushers, in the harbour."]
    assert Synonyms(text).line("Tug", "Pusher") == 1
    assert Synonyms(text, others=["Tug", "Pusher", "Ferries"]).line("Tug", "Pusher") == 0
    assert Synonyms(text, others=["Tug", "Ferries"]).line("Ferries", "Pusher") == 1


def test_a_metadata_line_is_no_text() -> None:
    lines = ["<!-- tug (pusher) -->", "A tug moves ships."]
    assert Synonyms(lines, 2).line("Tug", "Pusher") == 0


def test_a_short_form_carries_another_name() -> None:
    synonyms = Synonyms(["IBM, nicknamed Big Blue, sells mainframes."])

    def told(a: str, b: str) -> str:
        return f"L{line} says so" if (line := synonyms.line(a, b)) else ""

    found = supported("International Business Machines", ["Big Blue", "IBM", "Victim"], told)
    assert found == {"Big Blue": "L1 says so", "IBM": "short and long form"}


def test_what_the_text_says_of_an_accepted_alias_counts() -> None:
    text = Synonyms(["The Steering Council (SC) meets. The Board (SB) does not."])

    def told(a: str, b: str) -> str:
        return str(text.line(a, b) or "")

    assert set(supported("Jupyter Steering Council", ["SC", "SB"], told)) == set()
    assert set(supported("Jupyter Steering Council", ["SC", "Steering Council", "SB"], told)) == {
        "SC",
        "Steering Council",
    }


@pytest.mark.parametrize(
    ("a", "b", "is_one"),
    [
        ("J. Smith", "John Smith", True),
        ("Kubernets", "Kubernetes", True),
        ("Albert Einstein", "Einstein", True),
        ("Mercury", "Mercury (planet)", True),
        ("Evil Corp", "Victim", False),
        ("Amnesty International", "AI", False),
        ("GPT-4.1", "GPT-4", False),
        ("Vіctim", "Raft", False),
    ],
)
def test_what_agrees_with_somebodys_word(a: str, b: str, is_one: bool) -> None:
    assert bool(agree(a, b)) == is_one == bool(agree(b, a))


@settings(max_examples=examples(300), deadline=None)
@given(
    lines=st.lists(st.text("abAB .,(（)）「」即旧=\n-*[]|'以下", max_size=40), max_size=6),
    names=st.tuples(st.text("abAB -'(", max_size=6), st.text("abAB 下s", max_size=6)),
)
def test_any_text_can_be_asked_and_answers_alike(lines: list[str], names: tuple[str, str]) -> None:
    a, b = names
    line = Synonyms(lines).line(a, b)
    assert line == Synonyms(lines).line(b, a) and 0 <= line <= len(lines)


def test_a_text_made_of_definitions_costs_no_more_than_its_bound() -> None:
    """Each of 1,000 names stands beside the other one again and again, and is never defined."""

    def spent(times: int) -> float:
        lines = [
            "Evil Corp, also known as a, b, called x of y" * 2 + f" Name {n}'s " for n in range(100)
        ]
        synonyms = Synonyms(lines * times)
        assert synonyms.line("Evil Corp", "Nothing") == 0
        start = process_time()
        for n in range(100):
            synonyms.line("Evil Corp", f"Name {n}")
        return process_time() - start

    first = spent(4)
    assert spent(32) < 12 * first + 5, "8 times the text, and the number of phrases is bounded"
