"""A claim that another one updates says so where it stands, and wherever it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from lintkit import lint_texts
from mergekit import merged
from wikikit import Wiki, answer, claim

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.pages import write_claims
from llmwiki.pages.merge.join_claims import join_equals
from llmwiki.pages.page import Claim, Evidence, Page, about_hash, prose_hash

A, B, C = (f"c-{letter * 10}" for letter in "abc")
OLD = "Tea costs 3 euros a box."


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def grow(made: Wiki) -> None:
    made.learn("raw/a.md", OLD + "\n", answer([claim("Tea", OLD)]))


def update(made: Wiki, name: str, text: str) -> dict[str, Any]:
    old, _held = next((i, c) for i, (_p, c) in made.claims().items() if c.text == OLD)
    new = claim("Tea prices", text, links=[{"to": old, "how": "updates", "why": "a later price"}])
    return made.learn(f"raw/{name}.md", text + "\n", answer([new]))


def links(made: Wiki) -> list[str]:
    (_path, held), = [pair for pair in made.claims().values() if pair[1].text == OLD]  # fmt: skip
    return [value for name, op, value in held.attributes if (name, op) == (UPDATED_BY, ":")]


def test_what_is_updated_says_so_for_each_that_did(wiki: Wiki) -> None:
    first = update(wiki, "b", "Tea costs 4 euros a box since May.")
    assert len(links(wiki)) == 1
    update(wiki, "c", "Tea costs 5 euros a box since June.")
    assert len(links(wiki)) == 2
    wikikit.check(wiki)
    wiki.ok("undo", first["id"])
    assert len(links(wiki)) == 1


def test_context_and_answers_carry_it(wiki: Wiki) -> None:
    update(wiki, "b", "Tea costs 4 euros a box since May.")
    shown = wiki.ok("context", "what does tea cost a box").out
    head = next(line for line in shown.split("\n") if " updated by [[Tea prices#^c-" in line)
    assert head.startswith("[[#^c-") and head.endswith(f": {OLD}")
    assert shown.count("updated by") == 1
    passages = wiki.ok("context", "what does tea cost a box", "--json").json["passages"]
    assert [len(p["updated_by"]) for p in passages if p["text"] == OLD] == [1]
    told = wiki.ok("query", "what does tea cost a box", "--model", "offline").out
    assert " updated]" in told and "    updated by: [[Tea prices#^c-" in told


def test_search_carries_it(wiki: Wiki) -> None:
    update(wiki, "b", "Tea costs 4 euros a box since May.")
    page = "wiki/concepts/Tea.md"
    wiki.edit(page, "description: About Tea.\n", "")
    wiki.edit(page, "\nAbout Tea.\n", "\n")
    (row,) = [r for r in wiki.ok("search", "tea costs 3", "--json").json["results"]
              if r["path"] == page]  # fmt: skip
    assert row["text"] == OLD and len(row["updated_by"]) == 1
    assert "updated by [[Tea prices#^c-" in wiki.ok("search", "tea costs 3").out


def page_with(*claims: Claim) -> Page:
    page = Page.parse("wiki/concepts/Tea.md", "# Tea\n")
    return write_claims.add_claims(page, claims)


def told(text: str, ident: str, *attributes: tuple[str, str, str]) -> Claim:
    return Claim(ident, text, (Evidence("a-md", text),), attributes)


def test_two_clones_that_each_update_a_claim_agree() -> None:
    base = page_with(told(OLD, A))
    one, other = (
        write_claims.add_attribute(base, A, UPDATED_BY, ":", f"[[Tea#^{ident}]]")
        for ident in (B, C)
    )
    page, disputes = merged(base, one, other)
    assert not disputes
    assert page.claims[0].attributes == (
        (UPDATED_BY, ":", f"[[Tea#^{B}]]"),
        (UPDATED_BY, ":", f"[[Tea#^{C}]]"),
    )
    assert page.text == write_claims.add_attribute(one, A, UPDATED_BY, ":", f"[[Tea#^{C}]]").text


def test_equal_claims_are_joined_whatever_came_after_them() -> None:
    page = page_with(
        told(OLD, A, (UPDATED_BY, ":", f"[[Tea#^{B}]]")),
        told(OLD.upper(), C, (UPDATED_BY, ":", "[[Tea#^c-dddddddddd]]")),
    )
    joined, joins = join_equals(page)
    assert joins == {C: A}
    assert [value for _n, _o, value in joined.claims[0].attributes] == [
        f"[[Tea#^{B}]]",
        "[[Tea#^c-dddddddddd]]",
    ]


HEAD = """---
type: concept
title: Tea
description: Costs 3 euros.
generated: llmwiki/0.1.0 {lead} {about}
---

# Tea

{text}

## Claims

{claims}"""
LEAD = "Tea costs 3 euros, 12.5% of it tax."
TAX = "- Of it 12.5% is tax. ^c-eeeeeeeeee\n"
TAKEN = f"- Tea costs 3 euros. ^{A}\n  - (updated by: [[Prices#^{B}]])\n{TAX}"
NEWER = "- Tea costs 4 euros. ^c-dddddddddd\n"


def heads(text: str, claims: str, *, marked: str = "") -> list[str]:
    page = HEAD.format(
        lead=prose_hash(marked or text),
        about=about_hash("Costs 3 euros."),
        text=text,
        claims=claims,
    )
    found = lint_texts({"wiki/concepts/Tea.md": page}, ["stale-lead"])
    return [finding.message for finding in found]


@pytest.mark.parametrize(
    ("text", "claims", "told"),
    [
        (LEAD, TAKEN, ["description", "lead"]),
        ("[[Prices|Tea]] costs 3 euros.", TAKEN, ["description", "lead"]),
        (LEAD, TAKEN + "- There are 3 teas. ^c-dddddddddd\n", []),
        ("Tea costs 4 euros.", TAKEN + NEWER, ["description"]),
        (LEAD, f"- ~~Tea costs 3 euros.~~ → gone in 9c1e22aa ^{A}\n{TAX}", ["description", "lead"]),
        (LEAD, f"- Tea costs 3 euros. ^{A}\n{TAX}", []),
        (LEAD, f"- Tea costs 3 euros. ^{A}\n", ["lead"]),
        ("Tea costs much.", TAX, []),
    ],
)
def test_a_head_that_says_what_no_standing_claim_says(
    text: str, claims: str, told: list[str]
) -> None:
    found = sorted(message.split()[1] for message in heads(text, claims))
    assert found == told


def test_a_lead_of_a_person_is_theirs() -> None:
    assert len(heads(LEAD, TAKEN, marked="another")) == 1
