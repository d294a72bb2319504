"""The steps of a ranking, each by itself."""

from __future__ import annotations

import random

import pytest
from corpuskit import MemoryCorpus, PageText

from llmwiki.core.language import word_forms
from llmwiki.core.language.search_terms import terms_of, words
from llmwiki.core.language.word_forms import base
from llmwiki.query.retrieval import personalised_pagerank
from llmwiki.query.retrieval import question_words as asking
from llmwiki.query.retrieval.linked_pages import LinkNeighbourhood
from llmwiki.query.retrieval.personalised_pagerank import (
    MASS,
    SeedScores,
    walk,
)
from llmwiki.query.retrieval.rank_pages import sequences
from llmwiki.query.retrieval.title_match import (
    name_keys,
    named_titles,
    question_words,
)
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE
from llmwiki.query.retrieval.word_scores import best, idf, question_terms, score_words

_FORMS = """
    arise arose arisen; beat beaten; become became; begin began begun; bend bent; blow blew blown;
    break broke broken; bring brought; build built; burn burnt; buy bought; catch caught; choose
    chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn; drink drank drunk;
    drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; flee
    fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; freeze froze frozen;
    get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid
    hidden; hold held; keep kept; know knew known; lay laid; lead led; learn learnt; lend lent;
    lose lost; make made; mean meant; meet met; mistake mistook mistaken; overwrite overwrote
    overwritten; pay paid; rebuild rebuilt; rewrite rewrote rewritten; ride rode ridden; rise
    risen; run ran; say said; see seen; seek sought; sell sold; send sent; shake shook shaken;
    shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit
    sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen; stick
    stuck; strike struck stricken; swear swore sworn; swim swam swum; swing swung; take took taken;
    teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand
    understood; undo undid undone; wake woke woken; wear wore worn; weave wove woven; win won;
    withdraw withdrew withdrawn; write wrote written; admit admission; advise advice; analyse
    analysis; behave behaviour; believe belief; choose choice; collide collision; compare
    comparison; conclude conclusion; contain contents; decide decision; deep depth; defend defence;
    deny denial; describe description; destroy destruction; divide division; explain explanation;
    expose exposure; extend extension; fail failure; grow growth; high height; know knowledge; long
    length; lose loss; maintain maintenance; mix mixture; omit omission; permit permission; prove
    proof; receive reception; respond response; retain retention; sell sale; store storage; strong
    strength; submit submission; weigh weight; wide width; alias aliases; analysis analyses; atlas
    atlases; axis axes; bias biases; bus buses; canvas canvases; child children; crisis crises;
    criterion criteria; datum data; foot feet; gas gases; index indices; lens lenses; man men;
    matrix matrices; mouse mice; person people; synthesis syntheses; thesis theses; tooth teeth;
    vertex vertices; woman women
"""
"""Forms that stemming does not join, the infinitive or singular first."""
_ASKING = """
    actually advantage advantages against although anybody anyone anything anyway anywhere arent
    ask aspect avoid avoids bad become belong belongs benefit benefits best better big call called
    came cant cause causes come comes coming concerning cons consist consists contain content
    contents cope could couldnt d deal deals deep define defined definition depend depends describe
    description detail details didnt differ difference different disadvantage disadvantages discuss
    do does doesnt dont drawback drawbacks else enable ensure everybody everyone everything
    everywhere exactly example examples exist exists explain explanation fact facts fast feature
    features find fine get gets getting give given gives go goes good got handle handles happen
    happened happening happens help helps hold holds how idea im important include information
    inside instead introduce introduced involve isnt issue issues ive keep keeps kept kind kinds
    know known large let like ll long look looks lot lots m made main make makes many matter
    matters mean meaning means meant much necessary need needed needs nobody nothing occur occurs
    often ok okay old overview part parts perform please point possible prevent problem problems
    pros provide provides purpose put puts rather re really reason reasons refer refers regarding
    regards relate require requires role run runs said say says see serve serves shouldnt show
    shows slow somebody somehow someone something somewhere sort sorts still store stored stores
    strengths stuff summarise summarize summary supposed take takes talk tall tell tells thats
    thing things think topic try understand use used useful uses using ve versus vs want wants
    wasnt way ways weakness weaknesses whats whole wont work working works worse worst would
    wouldnt
"""
_ASKING_GERMAN = """
    wann warum welche welchem welchen welcher welches wem wen wer wie wieso wieviel wieviele wo
    wofür woher wohin womit worüber wovon wozu
"""
_SMALL_GERMAN = """
    aber als auch auf aus bei beim bevor bis damit dann darf das dass dem den denn der des dir du
    durch dürfen ein eine einem einen einer eines er es für gegen gibt haben heißt hoch ich ihr
    ihre ihren im ist jeder jedes kann kein keine können lange machen mein meine mich mir mit muss
    müssen nach nicht noch nur oder ohne passiert sein seine seinen sich sie sind soll sollen
    sollte tun um und uns unser unsere viel viele vom von vor wenn werden wird wir wurde wurden zu
    zum zur über
"""


def corpus(*pages: tuple[str, str, str] | PageText) -> MemoryCorpus:
    """A corpus of (path, title, body), below wiki/."""
    return MemoryCorpus.of(
        page if isinstance(page, PageText) else PageText(f"wiki/{page[0]}.md", *page[1:])
        for page in pages
    )


def words_of(wiki: MemoryCorpus, question: str) -> dict[str, int]:
    asked = question_terms(question)
    found = score_words(wiki, asked, ())
    paths = wiki.paths_of(found.total)
    return {paths[doc].removeprefix("wiki/"): score for doc, score in found.total.items()}


def titles_of(wiki: MemoryCorpus, question: str) -> list[tuple[str, int]]:
    spoken = question_words(question)
    named = named_titles(wiki, spoken, wiki.postings(name_keys(spoken)))
    return [(name.key, name.weight) for name in named]


# --- words ---------------------------------------------------------------------------------


def test_a_rare_term_weighs_more_and_every_term_something() -> None:
    assert idf(1000, 1) > idf(1000, 10) > idf(1000, 900) > 0
    assert idf(100_000, 100_000) >= SCALE // 100


def test_a_term_in_the_title_beats_one_in_the_text() -> None:
    wiki = corpus(("a", "Quince", "A fruit."), ("b", "Fruit", "A quince."), ("c", "Stone", "Hard."))
    scores = words_of(wiki, "quince")
    assert scores["a.md"] > scores["b.md"]


def test_one_common_term_of_a_large_wiki_scores_the_pages_that_say_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = BOUNDS._replace(postings=400)
    monkeypatch.setattr("llmwiki.query.retrieval.word_scores.BOUNDS", few)
    plain = [(f"p{n}", f"Page {n}", "stone " * (1 + n % 3)) for n in range(900)]
    wiki = corpus(*plain, ("best", "Stone", "stone"))
    scores = words_of(wiki, "stone")
    assert max(scores, key=lambda path: scores[path]) == "best.md"
    assert len(scores) <= 400


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


# --- edges ---------------------------------------------------------------------------------


def near(wiki: MemoryCorpus, doc: int, exclude: frozenset[int] = frozenset()) -> dict[int, int]:
    around = LinkNeighbourhood(wiki, exclude)
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


def test_the_names_of_a_large_page_rank_the_same_whatever_was_asked_before() -> None:
    many = [f"Copper Gate {chr(97 + at // 26)}{chr(97 + at % 26)}x".title() for at in range(90)]
    wiki = corpus(
        ("a", "Many", ". ".join(f"He saw {name}" for name in many)),
        ("b", "Few", f"He saw {many[-1]}"),
        ("c", "Other", "Nothing"),
    )

    def ranked(*docs: int) -> tuple[str, ...]:
        around = LinkNeighbourhood(wiki, frozenset())
        around.load(docs)
        return around.rarest(around.cards[0])

    cold = ranked(0, 1)
    assert len(cold) > BOUNDS.runs
    assert ranked(0) == cold, "pages beside it"


# --- start, walk ---------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [3, 50, 10_000])
def test_the_best_are_those_of_a_whole_order_with_all_that_tie(spread: int) -> None:
    chance = random.Random(spread)
    for size in (1, 9, 10, 40, 79, 80, 81, 500):
        scores = {doc: chance.randrange(spread) for doc in range(size)}
        least = sorted(scores.values())[-min(10, size)]
        assert set(best(scores, 10)) == {doc for doc in scores if scores[doc] >= least}
    assert best({1: 5}, 0) == []


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_walk_keeps_its_mass_and_prefers_what_the_question_says(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personalised_pagerank, "RECIPE", RECIPE._replace(steps=steps))
    wiki = corpus(
        ("a", "Start", "See [[b]] and [[c]]."),
        ("b", "Bee", "Said."),
        ("c", "Sea", "Unsaid."),
    )
    around = LinkNeighbourhood(wiki, frozenset())
    start = SeedScores({0: 100, 1: 60}, 100, (0, 1), (0,))
    around.load(start.best)
    mass = walk({0: MASS}, start, around, {})
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
    assert sequences([2, 4], LinkNeighbourhood(wiki, frozenset())) == [[0, 1, 2]]


def test_forms_and_words_that_ask_stand_in_the_code_as_they_are_stemmed() -> None:
    table: dict[str, tuple[str, ...]] = {}
    for group in _FORMS.split(";"):
        stems = [term for word in group.split() for term in terms_of(word)]
        known = (form for stem in stems for form in table.get(stem, ()))
        forms = tuple(dict.fromkeys((*known, *stems)))
        table.update(dict.fromkeys(forms, forms))
    several = {term: forms for term, forms in table.items() if len(forms) > 1}
    assert several == word_forms._TERMS
    for listed, in_code in (
        (_ASKING, asking._ASKING),
        (_ASKING_GERMAN, asking._ASKING_GERMAN),
        (_SMALL_GERMAN, asking._SMALL_GERMAN),
        ("am an die hat in man oft war was", asking._GERMAN_OR_ENGLISH),
    ):
        stemmed = {base(term) for word in words(listed) for term in terms_of(word)}
        assert sorted(stemmed) == sorted(in_code)
