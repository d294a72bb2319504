"""Identity before writing: what is one becomes one page, and what is two stays two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.language.acronyms import acronyms_of, is_acronym, is_acronym_pair, split_acronym
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.language.word_forms import singular
from llmwiki.index.keys_of_names import Lookup
from llmwiki.ingest.page_of_subject import Resolution, near, resolve, same

PAIRS = json.loads((Path(__file__).parent / "data" / "identity_pairs.json").read_text("utf-8"))
TRUE = [pair for pair in PAIRS if pair["same"]]
FALSE = [pair for pair in PAIRS if not pair["same"]]


def test_the_set_is_large_and_even() -> None:
    assert len(PAIRS) >= 120
    assert len(TRUE) / len(PAIRS) >= 0.45


@pytest.mark.parametrize("pair", FALSE, ids=lambda p: f"{p['why']}: {p['a']} | {p['b']}")
def test_two_things_are_never_merged(pair: dict[str, str]) -> None:
    assert same(pair["a"], pair["b"]) is None
    assert same(pair["b"], pair["a"]) is None


def test_most_spellings_of_one_thing_are_found_without_a_model() -> None:
    missed = [(p["a"], p["b"]) for p in TRUE if not same(p["a"], p["b"])]
    assert len(missed) <= 0.1 * len(TRUE), missed


@settings(max_examples=examples(400), deadline=None)
@given(a=st.text(max_size=20), b=st.text(max_size=20))
def test_any_text_can_be_judged_and_the_judgement_is_symmetric(a: str, b: str) -> None:
    assert same(a, b) == same(b, a)
    assert near(a, b) == near(b, a)


@settings(max_examples=examples(400), deadline=None)
@given(
    name=st.sampled_from([p[k] for p in PAIRS for k in "ab"]), blanks=st.sampled_from([" ", "\t\n"])
)
def test_blanks_and_width_never_count(name: str, blanks: str) -> None:
    assert folded_key(blanks + name.replace(" ", blanks) + blanks) == folded_key(name)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ("JSON", "json", "exact"),
        ("pre-training", "Pretraining", "folded"),
        ("RAG", "retrieval-augmented generation", "acronym"),
    ],
)
def test_a_match_says_why(a: str, b: str, why: str) -> None:
    assert same(a, b) == why


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Mercury", "Mercury (planet)"),
        ("Vaswani, Ashish", "Ashish Vaswani"),
        ("J. Smith", "John Smith"),
        ("Amnesty International", "AI"),
        ("Kubernetes", "Kubernets"),
        ("Hackers Delight", "Hacker's Delight"),
    ],
)
def test_what_is_close_is_reported_and_not_merged(a: str, b: str) -> None:
    assert same(a, b) is None
    assert near(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("GPT-4.1", "GPT-4.5"),
        ("Python 2", "Python 3"),
        ("Paris", "London"),
        ("RAG", "rag"),
        ("", "x"),
    ],
)
def test_what_is_far_or_the_same_is_not_near(a: str, b: str) -> None:
    assert near(a, b) is None


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("queries", "query"), ("classes", "class"), ("databases", "database"), ("analyses",
        "analysis"),
        ("viruses", "virus"), ("boxes", "box"), ("heroes", "hero"), ("keys", "key"), ("causes",
        "cause"),
        ("news", "news"), ("redis", "redis"), ("status", "status"), ("class", "class"), ("gas",
        "gas"),
        ("physics", "physics"), ("metrics", "metric"), ("1990s", "1990s"), ("bias", "bias"),
        ("bus", "bus"),
    ],
)  # fmt: skip
def test_singulars(plural: str, word: str) -> None:
    assert singular(plural) == word


def test_acronyms() -> None:
    assert "rag" in acronyms_of("Retrieval-Augmented Generation")
    assert "nasa" in acronyms_of("National Aeronautics and Space Administration")
    assert not acronyms_of("Paris")
    assert is_acronym("GPUs") and is_acronym("U.S.A.") and not is_acronym("Redis")
    assert is_acronym_pair("LSTM", "long short-term memory")
    assert not is_acronym_pair("ML", "Maximum Likelihood")
    assert split_acronym("Retrieval-Augmented Generation (RAG)") == (
        "Retrieval-Augmented Generation",
        "RAG",
    )
    assert split_acronym("Mercury (planet)") is None


CONCEPTS, ENTITIES = "wiki/concepts/", "wiki/entities/"


def wiki(*pages: tuple[str, ...]) -> Lookup:
    """A wiki of (path below wiki/, title, alias …)."""
    return Lookup(None, (("wiki/" + path, title, aliases) for path, title, *aliases in pages))


def found(
    names: Lookup,
    name: str,
    *aliases: str,
    kind: str = "concept",
    same_as: str | None = None,
    told: tuple[str, ...] = (),
) -> Resolution:
    """`told`: names that a text says are one."""

    def says(a: str, b: str) -> str:
        return "L1 says so" if {a, b} <= set(told) else ""

    return resolve(name, aliases, kind, same_as, names, says)


RSC = ("concepts/React Server Components.md", "React Server Components", "Server Components", "RSC")


def test_three_names_become_one_page() -> None:
    names = wiki(RSC)
    path = CONCEPTS + "React Server Components.md"
    for name, how in (
        ("React Server Components", "exact"),
        ("server component", "folded"),
        ("RSC", "exact"),
        ("react-server-components (RSC)", "exact"),
        ("react-server-components", "folded"),
    ):
        assert found(names, name) == Resolution(path, (), how)


def test_the_long_form_finds_the_page_of_its_acronym_and_back() -> None:
    names = wiki(
        ("concepts/RAG.md", "RAG"), ("concepts/Long Short-Term Memory.md", "Long Short-Term Memory")
    )
    assert found(names, "Retrieval-augmented generation").path == CONCEPTS + "RAG.md"
    assert found(names, "LSTM").path == CONCEPTS + "Long Short-Term Memory.md"
    assert found(names, "LSTMs").how == "acronym"


def test_an_acronym_of_two_pages_is_nobodys() -> None:
    names = wiki(
        ("concepts/Access Control List.md", "Access Control List"),
        ("entities/ACL.md", "Association for Computational Linguistics"),
    )
    assert found(names, "ACL") == Resolution(
        None, (CONCEPTS + "Access Control List.md", ENTITIES + "ACL.md"), "new"
    )


def test_two_expansions_of_one_acronym_stay_two() -> None:
    names = wiki(RSC)
    got = found(names, "Royal Society of Chemistry", "RSC", kind="entity")
    assert got == Resolution(None, (CONCEPTS + "React Server Components.md",), "new")


def test_two_letters_need_an_alias() -> None:
    names = wiki(("concepts/Maximum Likelihood.md", "Maximum Likelihood"))
    assert found(names, "ML").path is None
    names = wiki(("concepts/Machine learning.md", "Machine learning", "ML"))
    assert found(names, "ML").path == CONCEPTS + "Machine learning.md"


@pytest.mark.parametrize(
    ("page", "name", "alias"),
    [
        ("Transformer", "Transformer XL", "Transformer"),
        ("GPT-4", "GPT-4.1", "GPT-4"),
        ("Python 3", "Python 2", "Python 3"),
        ("React", "React Native", "React"),
    ],
)
def test_an_alias_that_is_too_wide_merges_nothing(page: str, name: str, alias: str) -> None:
    names = wiki((f"concepts/{page}.md", page))
    assert found(names, name, alias) == Resolution(None, (f"{CONCEPTS}{page}.md",), "new")
    assert found(names, name).path is None
    assert found(names, name, same_as=f"{CONCEPTS}{page}.md").path is None


def test_the_company_is_not_the_fruit() -> None:
    names = wiki(("entities/Apple.md", "Apple", "Apple Inc."))
    assert found(names, "apple", kind="concept") == Resolution(
        None, (ENTITIES + "Apple.md",), "new"
    )
    assert found(names, "Apples", kind="concept").path is None
    assert found(names, "Apple Inc", kind="entity").path == ENTITIES + "Apple.md"


def test_a_coined_name_is_one_thing_whatever_its_kind_was_called() -> None:
    names = wiki(
        ("entities/PostgreSQL.md", "PostgreSQL"), ("concepts/Self-attention.md", "Self-attention")
    )
    assert found(names, "PostgreSQL", kind="concept").path == ENTITIES + "PostgreSQL.md"
    assert found(names, "self attention", kind="entity").path == CONCEPTS + "Self-attention.md"


def test_kind_decides_between_two_pages_of_one_title() -> None:
    names = wiki(("concepts/Mercury (concept).md", "Mercury"), ("entities/Mercury.md", "Mercury"))
    assert found(names, "Mercury", kind="entity").path == ENTITIES + "Mercury.md"
    assert found(names, "Mercury", kind="concept").path == CONCEPTS + "Mercury (concept).md"
    both = wiki(("entities/A.md", "Mercury"), ("entities/B.md", "Mercury"))
    assert found(both, "Mercury", kind="entity") == Resolution(
        None, (ENTITIES + "A.md", ENTITIES + "B.md"), "new"
    )
    assert (
        found(both, "Mercury", kind="entity", same_as=ENTITIES + "B.md").path == ENTITIES + "B.md"
    )


def test_entities_keep_their_plural() -> None:
    names = wiki(("entities/Rolling Stone.md", "Silver Stone"), ("concepts/Query.md", "Query"))
    assert found(names, "Silver Stones", kind="entity").path is None
    assert found(names, "Queries", kind="concept").path == CONCEPTS + "Query.md"


def test_people_with_one_surname_are_two() -> None:
    names = wiki(("entities/Jane Smith.md", "Jane Smith", "Smith"))
    assert found(names, "John Smith", kind="entity").path is None
    assert found(names, "J. Smith", kind="entity").path is None
    assert found(names, "Jane Smith", kind="entity").path == ENTITIES + "Jane Smith.md"


def test_same_as_counts_last_and_only_where_something_agrees() -> None:
    names = wiki(
        ("concepts/Chain rule.md", "Chain rule"), ("concepts/Backpropagation.md", "Backpropagation")
    )
    path = CONCEPTS + "Backpropagation.md"
    other, told = (
        "Reverse-mode differentiation",
        ("Backpropagation", "Reverse-mode differentiation"),
    )
    assert found(names, other, same_as=path) == Resolution(None, (path,), "new")
    got = found(names, other, same_as=path, told=told)
    assert got == Resolution(path, (), "same_as")
    assert got.why == "named in same_as: Backpropagation: L1 says so"
    assert found(names, "Backpropagations", same_as=path, kind="entity").how == "same_as"
    assert found(names, "Chain rule", same_as=path).path == CONCEPTS + "Chain rule.md"
    assert found(names, "Reverse mode", same_as=CONCEPTS + "None.md").path is None
    assert found(names, "Reverse mode", same_as="wiki/index.md").path is None


def test_an_alias_counts_where_the_name_or_a_text_agrees() -> None:
    names = wiki(("entities/Victim.md", "Victim", "Old Firm"), RSC)
    path = ENTITIES + "Victim.md"
    for alias in ("Victim", "Old Firm", "VICTIM"):
        assert found(names, "Evil Corp", alias, kind="entity") == Resolution(None, (path,), "new")
        got = found(names, "Evil Corp", alias, kind="entity", told=("Evil Corp", alias))
        assert (got.path, got.why) == (path, f"its other name {alias}: L1 says so")
    got = found(names, "Acme React Components", "React Server Components")
    assert got.path is None
    got = found(names, "Facebook Server Components", "Server Components")
    assert got.why == "its other name Server Components: the same name, words left out"


def test_a_name_is_asked_before_its_aliases() -> None:
    names = wiki(("concepts/Raft.md", "Raft"), ("concepts/Paxos.md", "Paxos"))
    got = found(names, "Rafts", "Paxos", told=("Rafts", "Paxos"))
    assert got == Resolution(CONCEPTS + "Raft.md", (CONCEPTS + "Paxos.md",), "folded")


def test_pages_that_hold_no_claims_are_not_answers() -> None:
    names = wiki(("sources/rag-md.md", "RAG"))
    assert found(names, "RAG") == Resolution(None, (), "new")


@pytest.mark.parametrize("name", ["", "???", "\u202e"])
def test_a_name_without_a_word_is_new(name: str) -> None:
    assert found(wiki(RSC), name).path is None


names_of_pages = st.lists(
    st.sampled_from([p[k] for p in PAIRS for k in "ab"]), min_size=1, max_size=3
)


@settings(max_examples=examples(60), deadline=None)
@given(
    pages=st.lists(names_of_pages, max_size=6),
    steps=st.lists(st.tuples(st.integers(0, 5), names_of_pages, st.booleans()), max_size=8),
)
def test_names_kept_by_difference_equal_names_built_anew(
    pages: list[list[str]], steps: list[tuple[int, list[str], bool]]
) -> None:
    now = {f"wiki/concepts/{i}.md": page for i, page in enumerate(pages)}
    kept = Lookup(None, ((path, page[0], page[1:]) for path, page in now.items()))
    for number, page, anew in steps:
        path = f"wiki/concepts/{number}.md"
        now[path] = page
        kept = kept.revised() if anew else kept
        kept.add(path, page[0], page[1:])
    built = Lookup(None, ((path, page[0], page[1:]) for path, page in sorted(now.items())))
    for path in now:
        assert kept.names_of(path) == built.names_of(path)
    for pair in PAIRS:
        for name in (pair["a"], pair["b"]):
            assert kept.by_title(name) == built.by_title(name)
            assert kept.by_key(folded_key(name)) == built.by_key(folded_key(name))
            for short in acronyms_of(name):
                assert kept.by_acronym(short) == built.by_acronym(short)
