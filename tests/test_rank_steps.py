"""The steps of a ranking, each by itself."""

from __future__ import annotations

import random

import pytest
from corpuskit import MemoryCorpus, PageText

from llmwiki.index.corpus import RUN, TITLE
from llmwiki.query.retrieval.neighbours import LinkNeighbourhood
from llmwiki.query.retrieval.personalised_pagerank import (
    MASS,
    SeedScores,
    seeds,
    start_from,
    top,
    walk,
    worded_edges,
)
from llmwiki.query.retrieval.rank import beside, sequences
from llmwiki.query.retrieval.score import best, idf, question_terms, score_words
from llmwiki.query.retrieval.title_match import (
    name_bonus,
    name_keys,
    named_titles,
    question_words,
    rarity,
    title_bonus,
)
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE


def corpus(*pages: tuple[str, str, str] | PageText) -> MemoryCorpus:
    """A corpus of (path, title, body), below wiki/."""
    return MemoryCorpus.of(
        page if isinstance(page, PageText) else PageText(f"wiki/{page[0]}.md", *page[1:])
        for page in pages
    )


def words_of(wiki: MemoryCorpus, question: str) -> dict[str, int]:
    asked = question_terms(question)
    found = score_words(wiki, asked, (), RECIPE)
    paths = wiki.paths_of(found.total)
    return {paths[doc].removeprefix("wiki/"): score for doc, score in found.total.items()}


def titles_of(wiki: MemoryCorpus, question: str) -> list[tuple[str, int]]:
    spoken = question_words(question)
    named = named_titles(wiki, spoken, wiki.postings(name_keys(spoken)), RECIPE)
    return [(name.key, name.weight) for name in named]


# --- words ---------------------------------------------------------------------------------


def test_a_rare_term_weighs_more_and_every_term_something() -> None:
    assert idf(1000, 1) > idf(1000, 10) > idf(1000, 900) > 0
    assert idf(100_000, 100_000) >= SCALE // 100


def test_a_term_in_the_title_beats_one_in_the_text() -> None:
    wiki = corpus(("a", "Quince", "A fruit."), ("b", "Fruit", "A quince."), ("c", "Stone", "Hard."))
    scores = words_of(wiki, "quince")
    assert scores["a.md"] > scores["b.md"]


def test_a_short_text_beats_a_long_one() -> None:
    wiki = corpus(("a", "One", "A quince."), ("b", "Two", "A quince " + "among many stones " * 40))
    scores = words_of(wiki, "quince")
    assert scores["a.md"] > scores["b.md"]


def test_more_of_a_term_counts_more_but_ever_less() -> None:
    texts = ("quince " * n + "stone " * (6 - n) for n in (1, 2, 3))
    wiki = corpus(*((f"p{n}", f"Page {n}", text) for n, text in enumerate(texts)))
    once, twice, thrice = (words_of(wiki, "quince")[f"p{n}.md"] for n in range(3))
    assert once < twice < thrice
    assert thrice - twice < twice - once


def test_one_common_term_of_a_large_wiki_scores_the_pages_that_say_most() -> None:
    plain = [(f"p{n}", f"Page {n}", "stone " * (1 + n % 3)) for n in range(15_000)]
    wiki = corpus(*plain, ("best", "Stone", "stone"))
    scores = words_of(wiki, "stone")
    assert max(scores, key=lambda path: scores[path]) == "best.md"
    assert len(scores) < 8_001


# --- titles --------------------------------------------------------------------------------


def test_the_longest_title_at_a_place_is_taken() -> None:
    wiki = corpus(("a", "Mill", "x"), ("b", "Tall Mill", "x"), ("c", "Tall Mill Lane", "x"))
    assert [name for name, _ in titles_of(wiki, "Where does Tall Mill Lane end?")] == [
        "tall mill lane"
    ]
    assert [name for name, _ in titles_of(wiki, "Is the Mill a Tall Mill?")] == [
        "mill",
        "tall mill",
    ]


def test_one_word_names_a_page_only_with_a_capital_inside_the_question() -> None:
    wiki = corpus(("a", "Mercury", "x"), ("b", "Will", "x"))
    assert titles_of(wiki, "is mercury liquid") == []
    assert titles_of(wiki, "Mercury is liquid") == []
    assert titles_of(wiki, "is Mercury liquid") == [("mercury", SCALE)]


def test_a_title_in_lower_case_weighs_less_than_the_gate() -> None:
    wiki = corpus(("a", "Cold store", "x"))
    ((name, weight),) = titles_of(wiki, "what is a cold store")
    assert name == "cold store"
    assert 0 < weight < RECIPE.gate * SCALE


def test_a_title_that_is_spoken_of_everywhere_weighs_less() -> None:
    pages = [(f"p{n}", f"Page {n}", "We met Ann Oak there.") for n in range(30)]
    wiki = corpus(*pages, ("ann", "Ann Oak", "x"), ("bo", "Bo Elm", "x"))
    weights = dict(titles_of(wiki, "Did Ann Oak see Bo Elm?"))
    assert weights["ann oak"] < weights["bo elm"] == SCALE


def test_pages_of_one_name_share_the_bonus() -> None:
    wiki = corpus(("a", "Arden", "x"), ("b", "Arden", "y"), ("c", "Elbe", "z"))
    spoken = question_words("Do Arden and Elbe meet?")
    named = named_titles(wiki, spoken, wiki.postings(name_keys(spoken)), RECIPE)
    gains = title_bonus(wiki, named, spoken, (), RECIPE)
    assert gains[0] == gains[1] < gains[2]


def test_a_name_in_the_text_gains_by_its_rarity() -> None:
    pages = [(f"p{n}", f"Page {n}", "Old Bo Elm spoke.") for n in range(20)]
    wiki = corpus(
        *pages, ("q", "Other", "Here Ann Oak sang."), *((f"x{n}", "X", "y") for n in range(900))
    )
    spoken = question_words("Did Ann Oak sing?")
    gains = name_bonus(wiki, spoken, wiki.postings(name_keys(spoken)), (), 0.5, RECIPE)
    assert gains == {20: int(rarity(wiki.pages, 1) * 0.5)}


def test_names_of_a_question_are_looked_up_under_titles_and_runs() -> None:
    keys = name_keys(question_words("Did Ann Oak sing?"))
    assert {TITLE + "ann oak", RUN + "ann oak", RUN + "ann", TITLE + "sing"} <= keys
    assert RUN + "sing" not in keys


# --- edges ---------------------------------------------------------------------------------


def near(wiki: MemoryCorpus, doc: int, exclude: frozenset[int] = frozenset()) -> dict[int, int]:
    around = LinkNeighbourhood(wiki, exclude, RECIPE)
    around.load([doc])
    return dict(around.near[doc].edges)


def test_edges_of_each_kind_by_their_weight() -> None:
    wiki = corpus(
        ("a", "Source", "See [[Linked]]. There we met Ann Oak at Great Fen."),
        ("Linked", "Linked", "Nothing."),
        ("ann", "Ann Oak", "Nothing."),
        ("back", "Reader", "I quote [[a]] here."),
        ("fen", "Marsh", "By the water of Great Fen."),
        ("twin", "Source", "Of the same name."),
        *((f"x{n}", f"Page {n}", "Nothing.") for n in range(50)),
    )
    edges = near(wiki, 0)
    linked, mentioned, back, shared, twin = (edges[n] for n in (1, 2, 3, 4, 5))
    assert linked == SCALE
    assert mentioned > linked // 2
    assert back == SCALE // 5
    assert 0 < shared < back
    assert twin > back
    assert set(edges) == {1, 2, 3, 4, 5}


def test_a_page_has_no_edge_to_itself_or_to_what_is_left_out() -> None:
    wiki = corpus(("a", "Ann Oak", "Here Ann Oak sang to [[b]]."), ("b", "Bo", "Quiet Ann Oak."))
    assert set(near(wiki, 0)) == {1}
    assert near(wiki, 0, frozenset({1})) == {}


def test_the_names_of_a_large_page_rank_the_same_whatever_was_asked_before() -> None:
    many = [f"Copper Gate {chr(97 + at // 26)}{chr(97 + at % 26)}x".title() for at in range(90)]
    wiki = corpus(
        ("a", "Many", ". ".join(f"He saw {name}" for name in many)),
        ("b", "Few", f"He saw {many[-1]}"),
        ("c", "Other", "Nothing"),
    )

    def ranked(*docs: int) -> tuple[str, ...]:
        around = LinkNeighbourhood(wiki, frozenset(), RECIPE)
        around.load(docs)
        return around.rarest(around.cards[0])

    cold = ranked(0, 1)
    assert len(cold) > BOUNDS.runs
    assert ranked(0) == cold, "pages beside it"


def test_titles_whose_words_stand_apart_are_a_lead() -> None:
    wiki = corpus(
        ("a", "Care", "We make a backup of every index at night."),
        ("b", "Index backups", "Copies."),
        ("c", "Night shift", "People."),
        *((f"x{n}", f"Page {n}", "Nothing.") for n in range(50)),
    )
    around = LinkNeighbourhood(wiki, frozenset(), RECIPE)
    start = SeedScores({0: 9, 1: 8, 2: 7}, 9, (0, 1, 2), (0,))
    assert set(worded_edges(wiki, start, around, RECIPE)[0]) == {1}


# --- start, walk ---------------------------------------------------------------------------


def test_ties_go_by_path() -> None:
    wiki = corpus(("c", "C", "x"), ("a", "A", "x"), ("b", "B", "x"))
    assert top(wiki, {0: 5, 1: 5, 2: 5}, 2) == [1, 2]
    assert top(wiki, {0: 6, 1: 5, 2: 5}, 2) == [0, 1]
    assert top(wiki, {}, 2) == []


@pytest.mark.parametrize("spread", [3, 50, 10_000])
def test_the_best_are_those_of_a_whole_order_with_all_that_tie(spread: int) -> None:
    chance = random.Random(spread)
    for size in (1, 9, 10, 40, 79, 80, 81, 500):
        scores = {doc: chance.randrange(spread) for doc in range(size)}
        least = sorted(scores.values())[-min(10, size)]
        assert set(best(scores, 10)) == {doc for doc in scores if scores[doc] >= least}
    assert best({1: 5}, 0) == []


def test_gains_are_shares_of_the_best_page() -> None:
    wiki = corpus(("a", "A", "x"), ("b", "B", "x"))
    start = start_from(wiki, {0: 100, 1: 50}, {1: SCALE}, 2)
    assert start is not None
    assert start.scores == {0: 100, 1: 150}
    assert start.best == (1, 0)
    assert start.share(0) == 100 * SCALE // 150
    assert start_from(wiki, {}, {1: SCALE}, 2) is None


def test_seeds_are_sharp_and_named_pages_have_their_share() -> None:
    start = SeedScores({0: 100, 1: 50, 2: 10}, 100, (0, 1, 2), (0, 1, 2))
    plain = seeds(start, {}, RECIPE)
    assert plain[0] > MASS * 9 // 10
    assert seeds(start, {2: SCALE}, RECIPE)[2] == seeds(start, {2: SCALE}, RECIPE)[0]


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_walk_keeps_its_mass_and_prefers_what_the_question_says(steps: int) -> None:
    wiki = corpus(
        ("a", "Start", "See [[b]] and [[c]]."),
        ("b", "Bee", "Said."),
        ("c", "Sea", "Unsaid."),
    )
    around = LinkNeighbourhood(wiki, frozenset(), RECIPE)
    start = SeedScores({0: 100, 1: 60}, 100, (0, 1), (0,))
    around.load(start.best)
    mass = walk({0: MASS}, start, around, {}, RECIPE._replace(steps=steps))
    assert MASS - 100 <= sum(mass.values()) <= MASS
    assert mass[0] > mass[1] > mass[2] > 0


# --- sequence ------------------------------------------------------------------------------


def test_only_pages_of_one_title_numbered_in_a_row_are_a_sequence() -> None:
    wiki = corpus(
        ("t-9", "Talk", "x"),
        ("t-10", "Talk", "x"),
        ("t-11", "Talk", "x"),
        ("t-13", "Talk", "x"),
        ("t-12", "Other", "x"),
        ("u-14", "Talk", "x"),
    )
    assert sequences([2, 4], LinkNeighbourhood(wiki, frozenset(), RECIPE)) == [[0, 1, 2]]


def test_what_stands_nearer_lends_more() -> None:
    gains = beside({3: 1_000_000}, [[1, 2, 3, 4, 5, 6, 7]], RECIPE)
    assert gains[2] == gains[4] == 200_000
    assert gains[1] == gains[5] == pytest.approx(140_000, abs=1)
    assert gains[3] == gains[7] == 0
