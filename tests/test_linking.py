"""An ingest links what claims and leads name, and older claims once a page of that name is born."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from wikikit import Wiki, answer, claim

from llmwiki.pages.linked_text import bare


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def learn(
    made: Wiki, name: str, facts: dict[str, str], subjects: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    lines = list(facts.values())
    # Without the full stop: a claim that is its quote, word for word, gets no links.
    claims = [
        claim(of, text, text.rstrip("."), lines=(n, n))
        for n, (of, text) in enumerate(facts.items(), 1)
    ]
    return made.learn(f"raw/{name}.md", "\n".join(lines) + "\n", answer(claims, subjects))


def said(made: Wiki, path: str) -> list[str]:
    page = made.pages()[path]
    return [n.raw.rpartition(" ^")[0].removeprefix("- ") for n in page.body if n.kind == "c"]


KETTLE = "wiki/concepts/Kettle.md"


def test_a_new_claim_links_the_pages_that_it_names(wiki: Wiki) -> None:
    learn(wiki, "a", {"Green tea": "Green tea is steamed.", "Kettle": "A Kettle boils water."})
    learn(wiki, "b", {"Cup": "A cup of green tea comes from the Kettle."})
    assert said(wiki, "wiki/concepts/Cup.md") == [
        "A cup of [[Green tea|green tea]] comes from the [[Kettle]]."
    ]
    wikikit.check(wiki)


def test_subjects_of_one_reading_link_each_other_and_not_themselves(wiki: Wiki) -> None:
    learn(wiki, "a", {"Pot": "A Pot is no Kettle.", "Kettle": "The Kettle heats the Pot."})
    assert said(wiki, KETTLE) == ["The Kettle heats the [[Pot]]."]
    assert said(wiki, "wiki/concepts/Pot.md") == ["A Pot is no [[Kettle]]."]


def test_a_claim_that_is_its_quote_gets_no_link_and_the_graph_joins_what_it_names(
    wiki: Wiki,
) -> None:
    words = "A cup is filled from the Kettle."
    wiki.learn("raw/a.md", f"{words}\n", answer([claim("Cup", words)]))
    learn(wiki, "b", {"Kettle": "A Kettle boils water."})
    wiki.learn("raw/c.md", f"No {words}\n", answer([claim("Pot", f"No {words}")]))
    for path, said in (("Cup", words), ("Pot", f"No {words}")):
        assert f"- “{said}” [^" in wiki.read(f"wiki/concepts/{path}.md")
    beside = wiki.ok("graph", "neighbours", "Kettle").out
    assert all(f"← MENTION — {name}" in beside for name in ("Cup", "Pot"))
    wikikit.check(wiki)


def test_older_claims_link_a_page_when_it_is_born(wiki: Wiki) -> None:
    learn(wiki, "a", {"Cup": "A cup is filled from the Kettle by hand."})
    learn(wiki, "b", {"Pot": "The Pot came before the Kettle."})
    before = {path: page.claims for path, page in wiki.pages().items()}
    operation = learn(wiki, "c", {"Kettle": "A Kettle boils water."})
    assert said(wiki, "wiki/concepts/Cup.md") == ["A cup is filled from the [[Kettle]] by hand."]
    assert said(wiki, "wiki/concepts/Pot.md") == ["The Pot came before the [[Kettle]]."]
    after = {path: page.claims for path, page in wiki.pages().items()}
    assert {path: after[path] for path in before} == before
    wikikit.check(wiki)
    wiki.ok("undo", operation["id"])
    assert said(wiki, "wiki/concepts/Cup.md") == ["A cup is filled from the Kettle by hand."]


def test_a_link_that_a_person_took_out_stays_out(wiki: Wiki) -> None:
    learn(wiki, "a", {"Kettle": "A Kettle boils water."})
    learn(wiki, "b", {"Cup": "A cup is filled from the Kettle."})
    wiki.edit("wiki/concepts/Cup.md", "[[Kettle]]", "Kettle")
    learn(wiki, "c", {"Pot": "A pot is filled from the Kettle.", "Cup": "A cup is small."})
    assert "A cup is filled from the Kettle." in said(wiki, "wiki/concepts/Cup.md")


def test_a_page_that_somebody_edits_is_left_to_them(wiki: Wiki) -> None:
    learn(wiki, "a", {"Cup": "A cup is filled from the Kettle."})
    wiki.put("wiki/concepts/Cup.md", wiki.read("wiki/concepts/Cup.md") + "\nMine.\n")
    learn(wiki, "b", {"Kettle": "A Kettle boils water."})
    assert said(wiki, "wiki/concepts/Cup.md") == ["A cup is filled from the Kettle."]


def test_words_of_every_day_are_linked_only_where_the_reading_names_them(wiki: Wiki) -> None:
    learn(wiki, "a", {"set": "A set has no order."})
    learn(wiki, "b", {"Cup": "Cups come as a set."})
    named = [{"name": "set", "kind": "concept", "description": "Things without order."}]
    learn(wiki, "c", {"Saucer": "Saucers come as a set."}, named)
    assert said(wiki, "wiki/concepts/Cup.md") == ["Cups come as a set."]
    assert said(wiki, "wiki/concepts/Saucer.md") == ["Saucers come as a [[set]]."]


def test_the_bare_name_of_a_page_with_a_qualifier_is_no_link(wiki: Wiki) -> None:
    named = [
        {"name": "Kettle (drum)", "kind": "concept", "description": "x", "aliases": ["Kettle"]}
    ]
    learn(wiki, "a", {"Kettle (drum)": "The Kettle (drum) has a skin."}, named)
    assert wiki.pages()["wiki/concepts/Kettle (drum).md"].aliases == ()
    learn(wiki, "b", {"Cup": "A cup is filled from the Kettle."})
    assert said(wiki, "wiki/concepts/Cup.md") == ["A cup is filled from the Kettle."]


@pytest.mark.parametrize(
    ("title", "linked"),
    [
        ("Minutes", "Minutes"),
        ("KT-12", "[[x-md|KT-12]]"),
        ("Minutes of May", "[[x-md|Minutes of May]]"),
    ],
)
def test_a_document_is_linked_by_a_name_of_several_words_or_its_number(
    wiki: Wiki, title: str, linked: str
) -> None:
    text = f"Cups are its subject.\n\nCups stand in the {title}, at the end.\n"
    claims = [
        wikikit.claim("$document", "Cups are its subject."),
        wikikit.claim(
            "Cup",
            f"Cups stand in the {title}, at the end.",
            f"Cups stand in the {title}, at the end",
            lines=(3, 3),
        ),
    ]
    about = {"title": title, "summary": "On cups."}
    wiki.learn("raw/x.md", text, wikikit.answer(claims, document=about))
    assert said(wiki, "wiki/concepts/Cup.md") == [f"Cups stand in the {linked}, at the end."]


def test_no_more_pages_are_linked_back_than_an_operation_may(wiki: Wiki) -> None:
    cups = {f"Cup {n}": f"Cup {n} is filled from the Kettle." for n in range(25)}
    learn(wiki, "a", cups)
    learn(wiki, "b", {"Kettle": "A Kettle boils water."})
    linked = [path for path in wiki.pages() if "from the [[Kettle]]" in wiki.read(path)]
    assert len(linked) == 20


def test_leads_link_what_they_name(wiki: Wiki) -> None:
    learn(wiki, "a", {"Kettle": "A Kettle boils water."})
    cup = {"name": "Cup", "kind": "concept", "description": "It is filled from the Kettle."}
    learn(wiki, "b", {"Cup": "Cups are small."}, [cup])
    page = wiki.pages()["wiki/concepts/Cup.md"]
    assert page.lead == "It is filled from the [[Kettle]]."
    assert page.lead_is_tools


def test_the_order_of_ingests_changes_links_and_no_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {
        "a": {"Cup": "A cup is filled from the Kettle.", "Pot": "The Pot keeps green tea warm."},
        "b": {"Kettle": "A Kettle fills the Pot.", "Green tea": "Green tea fills a Cup."},
    }
    outcomes = []
    for order in ("ab", "ba"):
        place = tmp_path / order
        place.mkdir()
        made = wikikit.make(place, monkeypatch)
        for name in order:
            learn(made, name, sources[name])
        pages = made.pages()
        outcomes.append({
            path: (page.claims, bare(page.lead), page.values) for path, page in pages.items()
        })  # fmt: skip
        assert "[[Kettle]]" in made.read("wiki/concepts/Cup.md")
    assert outcomes[0] == outcomes[1]


def test_undo_of_links_leaves_words_that_somebody_changed_since(wiki: Wiki) -> None:
    learn(wiki, "a", {"Cup": "A cup is filled from the Kettle by hand."})
    operation = learn(wiki, "b", {"Kettle": "A Kettle boils water."})
    wiki.edit("wiki/concepts/Cup.md", "by hand", "by machine")
    done = wiki.ok("undo", operation["id"])
    assert "Kept as somebody changed it" not in done.out + done.err
    assert "by machine." in said(wiki, "wiki/concepts/Cup.md")[0]


def test_a_subject_is_no_document_that_is_titled_by_its_name(wiki: Wiki) -> None:
    learn(wiki, "a", {"Heron": "The Heron is a racing shell."})
    text = "# The Heron\n\nThe Heron was repaired. The Swan is older than the Heron.\n"
    said_of = {"Heron": "The Heron was repaired.", "Swan": "The Swan is older than the Heron."}
    claims = [claim(of, words, words.rstrip("."), lines=(3, 3)) for of, words in said_of.items()]
    wiki.learn(
        "raw/b.md",
        text,
        {**answer(claims), "document": {"title": "The Heron", "summary": "A boat."}},
    )
    heron = said(wiki, "wiki/concepts/Heron.md")
    assert heron == ["The Heron is a racing shell.", "The Heron was repaired."]
    assert said(wiki, "wiki/concepts/Swan.md") == ["The Swan is older than the [[Heron]]."]
