"""Of what two sides of a merge word differently one wording stands, and the other beside it."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from longform import examples
from mergekit import Unreadable, merged
from page_strategies import PATH, Edit, bases, edits, run

from llmwiki.core.claim_attributes import LINKS
from llmwiki.pages.body_blocks import has_conflict_marks
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.linked_text import bare, unstruck
from llmwiki.pages.merge.two_records import OTHER
from llmwiki.pages.page import Page
from llmwiki.pages.page_syntax import render_node
from llmwiki.pages.page_tree import PageNode

QUICK = settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))

PAGE = """---
type: concept
title: Kettle
status: draft
---

# Kettle

About kettles, see [[Tea]].

## Claims

- A kettle boils water. ^c-9f3a1c22k7
  - “boils” [^s]
- A kettle has a spout. ^c-9f3a1c22k8
  - “spout” [^s]
  - (as of: 2017; n = 3)
- A kettle is metal. ^c-9f3a1c22k9
  - “metal” [^s]

## Own

Mine.

[^s]: [[sources/s|S]], raw/s
[^1]: My note.
"""


@pytest.mark.parametrize(
    ("base", "one", "other"),
    [
        (
            "**Denied:** “The crane lifts 80 t.” [^s] *(says Bob)*",
            "“The crane lifts 80 t.” [^s] *(says Bob)*",
            "**Denied:** The crane lifts 90 t. *(says Bob)*",
        ),
        (
            "“The key is behind the door.” [^s]",
            "The key is in the box.",
            "**Denied:** “The key is behind the door.” [^s]",
        ),
        ("The key is here.", "The key is at A.", "**Denied:** The key is at B. *(as of 2020)*"),
        (None, "The key is here.", "**Denied:** The key is here."),
    ],
)
def test_words_and_stance_of_one_claim_clash_and_stand_to_the_letter(
    base: str | None, one: str, other: str
) -> None:
    was, ours, theirs = (
        PAGE.replace("A kettle boils water.", words) if words else None
        for words in (base, one, other)
    )
    assert ours and theirs
    page, worded = merged(was, ours, theirs)
    lines = [f"- {words} ^c-9f3a1c22k7\n" in page.text for words in (one, other)]
    assert sorted(lines) == [False, True]
    second = other if lines[0] else one
    assert f"  - {OTHER} {second.replace(' [^s]', '')}\n" in page.text
    assert worded[0] == "c-9f3a1c22k7" and len(page.claims) == 3


@pytest.mark.parametrize(
    "words", ["A [[Kettle]] boils water.", "A kettle [[Boiling|boils]] water."]
)
def test_a_denial_leaves_the_links_that_the_other_side_has_put(words: str) -> None:
    denied, linked = (
        PAGE.replace("A kettle boils water.", each)
        for each in (
            "**Denied:** A kettle boils water.",
            words.replace("[[Kettle]]", "[[Kettle|kettle]]"),
        )
    )
    page, worded = merged(PAGE, denied, linked)
    assert not worded and page.text == merged(PAGE, linked, denied).page.text
    assert "- **Denied:** A " in page.text and "[[" in page.text


def test_a_quote_that_stands_below_its_claim_too_is_evidence_and_no_text() -> None:
    quote = "“A kettle boils water.” [^s]"
    line = f"- **Denied:** {quote} *(says Bob)* ^c-9f3a1c22k7\n"
    text = PAGE.replace("- A kettle boils water. ^c-9f3a1c22k7\n", f"{line}  - {quote}\n")
    page = Page.parse(PATH, text)
    held = page.claim("c-9f3a1c22k7")
    assert held and (held.text, held.is_denied) == ("A kettle boils water.", True)
    assert page.text == text and held.attribute("speaker") == "Bob"
    assert [each.quote for each in held.evidence] == ["A kettle boils water."] * 2 + ["boils"]


@pytest.mark.parametrize("aside", ["*(not: a real; thing)*", "(my remark)", "*(a thing)*"])
def test_a_parenthesis_that_is_no_attribute_is_a_persons_and_the_quote_stays(aside: str) -> None:
    line = f"- **Denied:** “A kettle boils.” [^s] {aside} *(says Bob)* ^c-9f3a1c22k7\n"
    text = PAGE.replace("- A kettle boils water. ^c-9f3a1c22k7\n", line)
    page = Page.parse(PATH, text)
    held = page.claim("c-9f3a1c22k7")
    assert page.text == text and held
    assert (held.text, held.attribute("speaker")) == ("A kettle boils.", "Bob")
    assert [each.quote for each in held.evidence] == ["A kettle boils.", "boils"]
    tagged = text.replace("status: draft", "status: done")
    found = merged(text, tagged, text.replace("“boils” [^s]\n", "“boils” [^s]\n  - mine\n"))
    assert not found.worded and line in found.page.text and "  - mine" in found.page.text


def both(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, tuple[str, ...]]:
    """The merge of two edits of the page, each (old, new)."""
    ours, theirs = (PAGE.replace(*edit) for edit in (one, other))
    assert PAGE not in (ours, theirs)
    page, worded = merged(PAGE, ours, theirs)
    return page.text, worded


STRUCK = "~~A kettle boils water.~~ → [[Tea#^c-0000000000]]"
EITHER = [
    ("c-9f3a1c22k7", "A kettle boils water.", "A kettle boils [[Milk]].", "A kettle [[Whistle]]s."),
    ("c-9f3a1c22k7", "A kettle boils water.", STRUCK, "A kettle [[Whistle]]s."),
    ("c-9f3a1c22k7", "A kettle boils water.", STRUCK, STRUCK.replace("Tea#", "Pot#")),
    ("c-9f3a1c22k8", "as of: 2017", "as of: 2018", "as of: 2019"),
    ("c-9f3a1c22k8", "n = 3", "n = 4", "n = 5"),
    ("c-9f3a1c22k8", "n = 3)", "n = 3; until: 2018)", "n = 3; until: 2019)"),
    ("c-9f3a1c22k8", "  - (as of: 2017; n = 3)", "  -  (as of: 2018)", "  - (as of: 2019; n = 3)"),
    ("status", "status: draft", "status: a", "status: b"),
    ("owner", "status: draft", "status: draft\nowner: a", "status: draft\nowner: b"),
    ("title", "title: Kettle", "title: Pot", "title: Pan"),
    ("title", "# Kettle", "# Pot", "# Pan"),
    ("description", "status: draft", "description: a", "description: b"),
    ("lead", "About kettles, see [[Tea]].", "On [[Milk]].", "On [[Whistle]]s."),
    ("1", "My note.", "My note a.", "My note b."),
]


@pytest.mark.parametrize(("name", "old", "one", "other"), EITHER)
def test_of_what_both_sides_word_one_stands_and_the_other_beside_it(
    name: str, old: str, one: str, other: str
) -> None:
    text, worded = both((old, one), (old, other))
    assert name in worded
    words = [edit.rpartition("\n")[2].strip(" -()#").partition(": ") for edit in (one, other)]
    assert all((value or name) in text for name, _, value in words)
    page = Page.parse(PATH, text)
    assert {c.id for c in page.claims} == {c.id for c in Page.parse(PATH, PAGE).claims}
    assert page.type == "concept" and [n.key for n in page.body if n.kind == "h"]
    assert OTHER in text or set(page.aliases) & {"Pot", "Pan"}
    # Who takes the line out has chosen, and the choice wins over what is as it was.
    chosen = "\n".join(line for line in text.split("\n") if OTHER not in line)
    assert merged(page, chosen, page).page.text == chosen


def test_two_rewritten_passages_both_stand() -> None:
    text, worded = both(("Mine.", "Mine a."), ("Mine.", "Mine b."))
    assert "Mine a.\n\nMine b.\n" in text and not worded


def test_links_of_both_sides_are_read() -> None:
    from llmwiki.index.page_facts_scan import facts_of

    text, _found = both(("A kettle boils", "A [[Milk]] boils"), ("A kettle boils", "[[Tin]] boils"))
    facts = facts_of(PATH, text)
    assert {"milk", "tin", "tea"} <= facts.links
    assert len(facts.claims) == 3 and not facts.broken


def test_what_only_one_side_changed_is_no_dispute() -> None:
    text, found = both(("water", "milk"), ("a spout", "two spouts"))
    assert found == ()
    assert "boils milk" in text and "two spouts" in text
    text, found = both(("as of: 2017", "as of: 2018"), ("n = 3", "n = 4"))
    assert found == () and "(as of: 2018; n = 4)" in text
    text, found = both(("spout", "lid"), ("spout” [^s]\n", "spout” [^s]\n  - “r” [^s]\n"))
    assert found == () and "lid" in text and "“r”" in text


def test_evidence_that_one_side_added_is_with_the_claim() -> None:
    text, _found = both(
        ("A kettle boils water.", "A kettle boils milk."),
        ("boils water. ^c-9f3a1c22k7\n", "boils. ^c-9f3a1c22k7\n  - “new” [^s]\n"),
    )
    claim = Page.parse(PATH, text).claim("c-9f3a1c22k7")
    assert claim is not None and {e.quote for e in claim.evidence} == {"boils", "new"}


OLD, NEW = "- A kettle is metal. ^c-9f3a1c22k9", "- ~~A kettle is metal.~~ → {} ^c-9f3a1c22k9"


@pytest.mark.parametrize(
    "one, other, stands",
    [
        ("gone in 84fc2bb1", "gone in 8f0d7326", "gone in 84fc2bb1"),
        ("gone in 84fc2bb1", "[[#^c-9f3a1c22k8]]", "[[#^c-9f3a1c22k8]]"),
    ],
)
def test_two_versions_of_a_source_strike_a_claim_once(one: str, other: str, stands: str) -> None:
    text, found = both((OLD, NEW.format(one)), (OLD, NEW.format(other)))
    assert not found and NEW.format(stands) in text


def test_two_successors_of_a_claim_are_told() -> None:
    found = both((OLD, NEW.format("[[#^c-9f3a1c22k7]]")), (OLD, NEW.format("[[#^c-9f3a1c22k8]]")))
    assert found[1] == ("c-9f3a1c22k9",)


def test_two_versions_of_a_source_dispute_nothing_of_its_record() -> None:
    page = "---\ntype: source\ntitle: T\nsource: raw/t.md\nsha256: {}\ndate: {}\n---\n\n# T\n"
    base, one, two = (
        page.format(c * 64, d) for c, d in zip("abc", (2024, 2025, 2026), strict=True)
    )
    both, found = merged(Page.parse("wiki/sources/t-md.md", base), one, two)
    assert not found and "date: 2026" in both.text and "sha256" not in both.text


def test_marks_of_git_in_code_are_text() -> None:
    gits = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"
    assert has_conflict_marks(PAGE.replace("Mine.\n", gits))
    assert has_conflict_marks(PAGE.replace("status: draft\n", gits))
    assert not has_conflict_marks(PAGE.replace("Mine.\n", f"```\n{gits}```\n"))
    assert not has_conflict_marks(PAGE.replace("Mine.\n", "Setext\n=======\n\n>>>>>>> deep\n"))


# --- any two sides -------------------------------------------------------------------------

_TOOLS = ("generated", "description", "title", "aliases", "tags", "sources")


def wordings(page: Page) -> set[str]:
    """What a person would miss: wordings of claims, attributes, passages, headings, entries."""
    said: set[str] = set()
    for node in page.body:
        if node.kind in ("c", "n", "x", "h"):
            said.add(node.raw)
        said |= {p.raw for part in node.parts for p in _attributes(part)}
    if page.lead and not page.lead_is_tools:
        said.add(page.lead)
    for entry in page.front.parts[:-1] if page.front else ():
        if entry.key[1] not in _TOOLS:
            said.add(render_node(entry))
    return said


def _attributes(part: PageNode) -> tuple[PageNode, ...]:
    """Those that say something; a tie goes with its claim."""
    held = (part.parts or (part,)) if part.kind == "a" else ()
    return tuple(each for each in held if each.key[1:2] == () or each.key[1] not in LINKS)


_MARKS = re.compile(r"^[ ]*(?:[-*+]|[#>]+) ?|(?:^|\s)\^[cn]-\S+|\s*\[\^\S+?\]|[“”]", re.MULTILINE)


def plain(text: str) -> str:
    """The signs of a text without blanks, and without what stands around its words."""
    return "".join(_MARKS.sub("", text).split())


def nothing_is_lost(base: Page, one: list[Edit], two: list[Edit]) -> None:
    a, b = run(one, base), run(two, base)
    try:
        # What is no frontmatter on one side is none after the merge.
        assert a.values is not None and b.values is not None
        said = wordings(a) | wordings(b)
        page, worded = merged(base, a, b)
    except (PageError, Unreadable):
        assume(False)
        return
    # The line of a claim has more in it than its own words.
    bare_lines = re.sub(r" \*\([^\n]*?\)\*", "", page.text)
    whole = plain("\n".join([page.text, bare_lines, *(node.raw for node in page.body)]))
    struck = {unstruck(node.raw) for node in page.body if node.kind in ("c", "n")}
    for wording in sorted(said):
        # Links and strikes are no words: who deletes what the other side only linked deletes it.
        if any(words in base.text for words in (wording, bare(wording), unstruck(wording))):
            continue
        # What took its place stands, beside no strike and beside one of a version of the source.
        is_struck = unstruck(wording) in struck and " → [[" not in wording
        # Where both sides have damaged the marks of the frontmatter, its lines are set apart.
        is_apart = all(plain(row) in whole for row in wording.split("\n"))
        assert is_struck or is_apart, wording
    assert {c.id for c in a.claims} & {c.id for c in b.claims} <= {c.id for c in page.claims}
    assert page.values is not None
    assert OTHER in page.text or not [name for name in worded if name.startswith("c-")]


@QUICK
@given(bases(), edits, edits)
def test_no_wording_of_either_side_is_lost(base: Page, one: list[Edit], two: list[Edit]) -> None:
    nothing_is_lost(base, one, two)


@pytest.mark.soak
@LONG
@given(bases(), edits, edits)
def test_no_wording_is_lost_at_length(base: Page, one: list[Edit], two: list[Edit]) -> None:
    nothing_is_lost(base, one, two)


WORDS = st.sampled_from(["milk", "tea", "[[Tin]]", "a → b", "x, y", "~~z~~"])
PLACES = ["A kettle boils water.", "A kettle has a spout.", "2017", "draft", "Mine.", "My note."]


@QUICK
@given(
    st.dictionaries(st.sampled_from(PLACES), WORDS), st.dictionaries(st.sampled_from(PLACES), WORDS)
)
def test_just_what_both_word_unlike_is_told(one: dict[str, str], two: dict[str, str]) -> None:
    a = b = PAGE
    for old, new in one.items():
        a = a.replace(old, new)
    for old, new in two.items():
        b = b.replace(old, new)
    page, found = merged(PAGE, a, b)
    unlike = [
        place for place in PLACES if place in one.keys() & two.keys() if one[place] != two[place]
    ]
    # An attribute of the claim that has the spout; passages of a person stand both.
    assert len({*found}) == len({place.replace("2017", PLACES[1]) for place in unlike} - {"Mine."})
    assert all(word in page.text for word in (*one.values(), *two.values()))
    assert {c.id for c in page.claims} == {c.id for c in Page.parse(PATH, PAGE).claims}
