"""The ranking as a whole: what it finds, what it says of it, and that nothing else decides."""

from __future__ import annotations

import random

import pytest
from corpuskit import MemoryCorpus, PageText
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.query.retrieval.rank_pages import Ranking, rank

FILLERS = tuple(
    PageText(f"wiki/concepts/filler-{n}.md", f"Filler {n}", f"Plain matter number {n} on grain.")
    for n in range(40)
)

ORCHARD = (
    PageText(
        "wiki/entities/Marlow Orchard.md",
        "Marlow Orchard",
        "Marlow Orchard lies by the village. It was founded by Edda Quillfeather in spring.",
    ),
    PageText(
        "wiki/entities/Edda Quillfeather.md",
        "Edda Quillfeather",
        "Edda Quillfeather was a botanist, born in the harbour town of Skerry Point.",
        type="entity",
    ),
    PageText(
        "wiki/entities/Skerry Point.md",
        "Skerry Point",
        "Skerry Point is a harbour town with a lighthouse.",
        type="entity",
    ),
    PageText("wiki/concepts/Grafting.md", "Grafting", "Grafting joins a scion to a rootstock."),
    PageText(
        "wiki/concepts/Rootstock.md", "Rootstock", "The part below a graft. See [[Grafting]]."
    ),
    *FILLERS,
)


def ask(
    question: str, pages: tuple[PageText, ...] = ORCHARD, limit: int = 5, **more: object
) -> Ranking:
    return rank(MemoryCorpus.of(pages), question, limit=limit, **more)  # type: ignore[arg-type]


def titles(ranking: Ranking) -> list[str]:
    return [hit.card.title for hit in ranking.hits]


def test_words_of_a_page_find_it() -> None:
    assert titles(ask("joining a scion to rootstocks"))[0] == "Grafting"


def test_a_named_page_comes_first_and_its_bridge_follows() -> None:
    found = titles(ask("Where was the founder of Marlow Orchard born?"))
    assert found[0] == "Marlow Orchard"
    assert "Edda Quillfeather" in found[:2]


def test_two_named_pages_lead_with_the_page_between_them() -> None:
    found = titles(ask("Is Skerry Point older than Marlow Orchard?"))
    assert {"Skerry Point", "Marlow Orchard"} <= set(found[:3])


def test_a_title_in_lower_case_is_found() -> None:
    pages = (
        PageText("wiki/concepts/Cold store.md", "Cold store", "A room that is kept chilly."),
        PageText("wiki/concepts/Cellar.md", "Cellar", "A cold room; you store roots, store wine."),
        *FILLERS,
    )
    assert titles(ask("what is a cold store", pages))[0] == "Cold store"


def test_an_alias_names_its_page() -> None:
    pages = (
        PageText("wiki/concepts/Pip.md", "Pomological Index", "A list.", ("Ledger of Pears",)),
        PageText("wiki/concepts/Pears.md", "Pears", "A ledger of pears is kept in some villages."),
        *FILLERS,
    )
    ranking = ask("Who keeps the Ledger of Pears?", pages)
    assert titles(ranking)[0] == "Pomological Index"
    assert ranking.titles == ("ledger of pears",)


def test_links_reach_pages_without_a_word_of_the_question() -> None:
    pages = (
        PageText("wiki/a.md", "Winter pruning", "Done in frost with the [[Zorbel knife]]."),
        PageText("wiki/Zorbel knife.md", "Zorbel knife", "Curved steel from the hills."),
        *FILLERS,
    )
    ranking = ask("how is pruning done when the frost comes", pages)
    assert titles(ranking)[:2] == ["Winter pruning", "Zorbel knife"]
    reached = ranking.hits[1]
    assert reached.parts.links > 0
    assert reached.parts.walk > 0
    assert reached.reasons == ("wiki/a.md links to zorbel knife",)


def test_parts_add_up_to_the_score() -> None:
    for hit in ask("Where was the founder of Marlow Orchard born?", limit=20).hits:
        assert sum(hit.parts) == hit.score


def test_no_page_is_its_own_reason() -> None:
    for hit in ask("Where was the founder of Marlow Orchard born?", limit=20).hits:
        assert not any(reason.startswith(hit.card.path) for reason in hit.reasons)


def test_turns_beside_a_found_turn_gain() -> None:
    talk = tuple(
        PageText(f"wiki/daily/talk-{n:03}.md", "Talk of May", text, type="daily")
        for n, text in enumerate(
            ("Hello there.", "Did the quince arrive?", "Yes, on Tuesday.", "Good.", "Bye.", "So.")
        )
    )
    ranking = ask("when did the quince arrive", (*talk, *FILLERS))
    paths = [hit.card.path for hit in ranking.hits]
    assert paths[0] == "wiki/daily/talk-001.md"
    assert {"wiki/daily/talk-000.md", "wiki/daily/talk-002.md"} <= set(paths[:4])
    assert ranking.hits[1].parts.sequence > 0


def test_turns_of_somebody_who_is_named_come_before_turns_about_them() -> None:
    talk = tuple(
        PageText(f"wiki/daily/talk-{n}.md", "Ida and Olaf", text, type="daily")
        for n, text in enumerate(
            (
                "Olaf: Ida, is that quince tree yours?",
                "Ida: The quince tree stood here when the house was bought from the miller.",
                "**Olaf:** Fine.",
            )
        )
    )
    ranking = ask("What did Ida say of the quince tree?", (*talk, *FILLERS))
    assert ranking.hits[0].card.path == "wiki/daily/talk-1.md"
    assert [hit.parts.speaker > 0 for hit in ranking.hits[:3]] == [True, False, False]
    assert ask("Did Olaf?", (*talk, *FILLERS)).hits[0].card.speaker == "olaf"


def test_pages_of_one_title_that_do_not_follow_each_other_lend_nothing() -> None:
    pages = (
        PageText("wiki/x-1.md", "Mercury", "A planet with a short year."),
        PageText("wiki/x-5.md", "Mercury", "A metal that is liquid."),
        *FILLERS,
    )
    assert all(hit.parts.sequence == 0 for hit in ask("liquid metal", pages).hits)


def test_excluded_pages_are_gone_and_lead_nowhere() -> None:
    question = "Where was the founder of Marlow Orchard born?"
    left = ask(question, exclude=("wiki/entities/Marlow Orchard.md",), limit=50)
    assert "Marlow Orchard" not in titles(left)
    assert not any("Marlow" in reason for hit in left.hits for reason in hit.reasons)
    chained = (
        PageText("wiki/a.md", "Winter pruning", "Done in frost with the [[Zorbel knife]]."),
        PageText("wiki/Zorbel knife.md", "Zorbel knife", "Curved steel from the hills."),
        *FILLERS,
    )
    assert titles(ask("pruning in frost", chained, exclude=("wiki/a.md",))) == []


def test_kinds_keep_pages_of_their_types() -> None:
    ranking = ask("harbour town botanist orchard", keep=lambda card: card.type == "entity", limit=2)
    assert titles(ranking) == ["Edda Quillfeather", "Skerry Point"]
    assert ask("harbour town", keep=lambda card: card.type == "skill").hits == ()


def test_a_page_of_a_rare_kind_is_found_below_many_others() -> None:
    many = tuple(
        PageText(f"wiki/concepts/q-{n}.md", f"Quince {n}", "quince quince") for n in range(200)
    )
    one = PageText(
        "wiki/skills/jam.md", "Jam", "of plum and one quince " + "boiled " * 50, (), "skill"
    )
    ranking = ask("quince", (*many, one), keep=lambda card: card.type == "skill")
    assert titles(ranking) == ["Jam"]
    assert len(ask("quince", (*many, one), limit=150).hits) == 150


@pytest.mark.parametrize("question", ["", "   ", "of the and", "xyzzyplugh", "?!", "「」"])
def test_nothing_to_look_for_finds_nothing(question: str) -> None:
    ranking = ask(question)
    assert ranking.hits == ()


def test_an_empty_wiki_finds_nothing() -> None:
    assert ask("anything at all", ()).hits == ()


def test_terms_tell_how_many_pages_hold_them_rarest_first() -> None:
    terms = ask("grain of the Orchard unheardof").terms
    assert [(term.text, term.df) for term in terms] == [
        ("unheardof", 0),
        ("orchard", 1),
        ("grain", 40),
    ]
    assert terms[0].idf > terms[1].idf > terms[2].idf


def test_chinese_and_japanese_questions_find_their_pages() -> None:
    pages = (
        PageText("wiki/concepts/知识图谱.md", "知识图谱", "用节点和边表示事实。"),
        PageText("wiki/concepts/検索.md", "全文検索", "索引を使って文書を探す。"),
        *FILLERS,
    )
    assert titles(ask("什么是知识图谱", pages))[0] == "知识图谱"
    assert ask("什么是知识图谱", pages).titles == ("知识图谱",)
    assert titles(ask("文書を探す方法", pages))[0] == "全文検索"


def test_a_parenthesis_tells_pages_of_one_name_apart() -> None:
    pages = (
        PageText("wiki/Arden (film).md", "Arden (film)", "Shown in the capital for years."),
        PageText("wiki/Arden (river).md", "Arden (river)", "Flows past the capital for miles."),
        *FILLERS,
    )
    assert titles(ask("How long is the river Arden?", pages))[0] == "Arden (river)"
    assert titles(ask("Who shot the film Arden?", pages))[0] == "Arden (film)"


def test_a_question_without_end_is_answered_from_its_rarest_terms() -> None:
    question = " ".join(f"word{n}" for n in range(300)) + " scion " + "grain " * 20_000
    ranking = ask(question)
    assert titles(ranking)[0] == "Grafting"
    assert len(ranking.terms) <= 400


def test_common_terms_only_tell_apart_what_rarer_ones_found() -> None:
    many = tuple(
        PageText(f"wiki/p{n}.md", f"Page {n}", "apple barley clover damson elder")
        for n in range(3000)
    )
    one = PageText("wiki/rare.md", "Rare", "quince apple barley clover damson elder")
    ranking = ask("apple barley clover damson elder quince", (*many, one))
    assert titles(ranking)[0] == "Rare"
    assert [term.whole for term in ranking.terms] == [True, True, False, False, False, False]


WORDS = ("alder", "birch", "cedar", "Dover", "Elbe", "fir", "Ghent", "hazel", "Iris", "juniper")


@st.composite
def wikis(draw: st.DrawFn) -> tuple[PageText, ...]:
    names = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=12))
    return tuple(
        PageText(
            f"wiki/p-{n}.md",
            name.capitalize(),
            " ".join(draw(st.lists(st.sampled_from((*WORDS, "[[p-1]]")), max_size=8))),
        )
        for n, name in enumerate(names)
    )


@settings(max_examples=examples(60), deadline=None)
@given(wikis(), st.lists(st.sampled_from(WORDS), max_size=5), st.randoms(use_true_random=False))
def test_the_numbers_of_pages_decide_nothing(
    pages: tuple[PageText, ...], asked: list[str], shuffler: random.Random
) -> None:
    other = list(pages)
    shuffler.shuffle(other)
    question = " ".join(asked)
    assert told(ask(question, pages, 20)) == told(ask(question, tuple(other), 20))


def test_numbers_decide_nothing_where_bounds_cut() -> None:
    pages = tuple(
        PageText(f"wiki/n-{n}.md", f"Note {n}", f"Ann Oak met Bo Elm{n % 7} by the Tall Mill.")
        for n in range(300)
    )
    question = "Did Ann Oak see the Tall Mill?"
    ranking = ask(question, pages, 50)
    assert len(ranking.hits) == 50
    assert told(ranking) == told(ask(question, tuple(reversed(pages)), 50))


def told(ranking: Ranking) -> list[object]:
    """All that a ranking says, page numbers aside."""
    return [
        *((hit.card.path, hit.score, hit.parts, hit.reasons) for hit in ranking.hits),
        *(ranking.terms, ranking.titles),
    ]
