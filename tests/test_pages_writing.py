"""What the builders write reads back as the same values, and leaves a person's bytes alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from page_strategies import (
    PATH,
    Edit,
    bases,
    claims,
    evidences,
    hostile_words,
    known,
    small_page,
    tool_edits,
    with_claim,
)

from llmwiki.core.text import normalise
from llmwiki.pages import write, write_claims
from llmwiki.pages.frontmatter import PageError, scalar
from llmwiki.pages.page import Claim, Evidence, Page
from llmwiki.pages.page_syntax import reads_back

OFTEN = settings(max_examples=examples(120, 5_000), deadline=None)


@OFTEN
@given(st.lists(tool_edits(), max_size=14))
def test_what_is_written_is_what_is_read(steps: list[Edit]) -> None:
    page = small_page()
    for step in steps:
        page = step(page)
        assert Page.parse(PATH, page.text).node == page.node
        assert yaml.safe_load(page.text.split("\n---\n")[0])["title"] == "Self-attention"


@OFTEN
@given(claims, evidences)
def test_a_claim_comes_back_as_its_value(claim: Claim, more: Evidence) -> None:
    page = Page.parse(PATH, with_claim(small_page(), claim).text)
    found = page.claim(claim.id)
    assert found is not None
    assert (found.text, found.evidence, found.successor) == (
        claim.text,
        claim.evidence,
        claim.successor,
    )
    assert sorted(found.attributes) == sorted(claim.attributes)
    page = Page.parse(PATH, write_claims.add_evidence(page, claim.id, more).text)
    found = page.claim(claim.id)
    assert found is not None
    assert more.identity in {e.identity for e in found.evidence}


@OFTEN
@given(st.lists(hostile_words, max_size=4), hostile_words, hostile_words)
def test_words_come_back(words: list[str], title: str, description: str) -> None:
    page = write.create(PATH, "concept", title, description, by="llmwiki/0.1.0")
    page = write.add_words(page, "tags", words)
    again = Page.parse(PATH, page.text)
    assert again.title == normalise(title)
    assert again.description == normalise(description)
    assert set(again.tags) <= {normalise(word) for word in words}
    assert bool(again.tags) == bool(words)


@OFTEN
@given(hostile_words)
def test_a_scalar_is_that_string_for_every_reader_of_yaml(text: str) -> None:
    word = normalise(text)
    for shown in (f"a: {scalar(word)}", f"{{a: {scalar(word)}, b: x}}", f"a: [{scalar(word)}]"):
        found = yaml.safe_load(shown)["a"]
        assert (found[0] if isinstance(found, list) else found) == word


@OFTEN
@given(bases(), st.lists(tool_edits(), max_size=6))
def test_builders_keep_what_a_person_wrote(base: Page, steps: list[Edit]) -> None:
    page = base
    for step in steps:
        try:
            new = step(page)
        except PageError:
            continue
        again = Page.parse(PATH, new.text)
        assert known(again) == known(new)
        assert {c.id for c in page.claims} <= {c.id for c in again.claims}
        for node in page.body:
            assert node.kind != "x" or node.raw in new.text
        for entry in page.front.parts if page.front else ():
            assert entry.key[-1] not in ("mine", "cssclasses") or entry.raw in new.text
        page = again


@pytest.mark.parametrize(
    "front", ["{title: x, mine: y}", "title: a\ntitle: x\nmine: y", '"title": x\nmine: y']
)
def test_frontmatter_of_any_style_takes_a_value(front: str) -> None:
    page = write.set_value(Page.parse(PATH, f"---\n{front}\n---\n"), "title", "new")
    assert page.values == {"title": "new", "mine": "y"}


@pytest.mark.parametrize("opening", ["```\ncode", "<!-- note", "<script>", "- x\n  ```\n  code"])
def test_a_claim_is_never_written_into_open_code(opening: str) -> None:
    page = Page.parse(PATH, f"# T\n\nLead.\n\n## Own\n\n{opening}\n")
    page = write_claims.add_claims(page, [Claim("c-9f3a1c22k7", "A.", (Evidence("s", "q"),))])
    again = Page.parse(PATH, page.text)
    assert [claim.id for claim in again.claims] == ["c-9f3a1c22k7"]
    assert opening in again.text


def test_a_claim_that_stands_twice_on_a_page_does_not_read_back() -> None:
    items = "".join(f"- Claim {n}. ^c-{str(n) * 10}\n" for n in range(1, 6))
    was = Page.parse(PATH, f"# Page\n\n## Claims\n\n{items}\n## More\n\nText.\n").node
    (body,) = was.parts
    third = next(part for part in body.parts if part.key == ("c", "c-3333333333"))
    twice = replace(was, parts=(replace(body, parts=(*body.parts[:-1], third, body.parts[-1])),))
    assert reads_back(was)
    assert not reads_back(twice)


def test_a_description_is_the_tools_until_a_person_changes_it() -> None:
    page = write.create(PATH, "concept", "Tea", "A drink.", "Lead.", by="w/1")
    assert page.description_is_tools
    better = write.set_description(page, "A hot drink.", "w/2")
    assert (better.description, better.description_is_tools) == ("A hot drink.", True)
    assert better.lead_is_tools
    edited = Page.parse(PATH, better.text.replace("A hot drink.", "My drink."))
    assert not edited.description_is_tools
    assert write.set_description(edited, "Another.", "w/3") is edited
