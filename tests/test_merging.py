"""Two sides of a page merged: neither loses anything, and either may be called ours."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from longform import examples
from mergekit import Unreadable, merged
from page_strategies import IDS, PATH, SOURCES, Edit, bases, cite, edits, known, run

from llmwiki.pages import write, write_claims
from llmwiki.pages.page import Claim, Evidence, Page

OFTEN = settings(max_examples=examples(120, 5_000), deadline=None)
SELDOM = settings(max_examples=examples(120), deadline=None)
State = dict[str, Page]


def merges(base: Page, one: list[Edit], two: list[Edit]) -> None:
    a, b = run(one, base), run(two, base)
    try:
        page = merged(base, a, b).page
    except Unreadable:
        assume(False)
        return
    had, in_a, in_b = known(base), known(a), known(b)
    assert ((in_a - had) | (in_b - had) | (in_a & in_b)) <= known(page)
    assert {c.id for c in a.claims} & {c.id for c in b.claims} <= {c.id for c in page.claims}
    assert page.values is not None
    old, of_a, of_b = ({n.key for n in side.body} for side in (base, a, b))
    for node in (*a.body, *b.body):
        if node.kind == "x" and (node.key not in old or node.key in of_a & of_b):
            assert node.raw in page.text


@OFTEN
@given(bases(), edits, edits)
def test_a_merge_is_symmetric_and_loses_nothing(
    base: Page, one: list[Edit], two: list[Edit]
) -> None:
    merges(base, one, two)


@SELDOM
@given(bases(), edits)
def test_what_one_side_did_alone_keeps_its_bytes(base: Page, steps: list[Edit]) -> None:
    side = run(steps, base)
    try:
        # git hands over nothing, and an empty file, as the same.
        found = [merged(base, side, other) for other in (base, side) if base.text]
    except Unreadable:
        assume(False)
        return
    assert all(each.page.text == side.text for each in found)


def parse(body: str, front: str = "") -> Page:
    return Page.parse(PATH, (f"---\n{front}\n---\n\n" if front else "") + body)


CLAIM = "## Claims\n\n- One. ^c-9f3a1c22k7\n  - “q” [^s]\n"


def test_what_one_removed_and_the_other_left_alone_goes_and_else_stays() -> None:
    base = parse(CLAIM)
    gone = parse("## Claims\n\nText.\n")
    assert merged(base, gone, base).page.claims == ()
    assert merged(base, gone, parse(CLAIM + "\n## New\n")).page.claims == ()
    assert len(merged(base, gone, parse(CLAIM + "  - “r” [^s]\n")).page.claims) == 1


def test_what_one_took_out_does_not_come_back_with_a_reading_whose_pages_moved() -> None:
    more = "  - “r” [^s]\n"
    base = parse(CLAIM + more)
    moved = parse(base.text.replace("[^s]", "[^s], p. 2"))
    assert merged(base, parse("## Claims\n\nText.\n"), moved).page.claims == ()
    (claim,) = merged(base, parse(CLAIM), moved).page.claims
    assert [(e.quote, e.place) for e in claim.evidence] == [("q", "p. 2")]
    tied = "  - (updated by: [[B#^c-0000000000]])\n"
    assert merged(base, parse("Text.\n"), parse(base.text + tied)).page.claims == ()


def test_what_is_new_below_a_claim_that_one_took_out_stays_with_its_words() -> None:
    for more in ("  - “r” [^s]\n", "  - my remark\n", "  - (n = 3)\n"):
        (claim,) = merged(parse(CLAIM), parse("Text.\n"), parse(CLAIM + more)).page.claims
        quote = "r" if "r” [" in more else "q"
        assert claim.text == "One." and [e.identity for e in claim.evidence] == [("s", quote)]
    reworded = parse(CLAIM.replace("One", "1") + "  - “r” [^s]\n")
    (claim,) = merged(parse(CLAIM), parse("Text.\n"), reworded).page.claims
    assert claim.text == "1." and len(claim.evidence) == 2


def test_two_new_pages_of_one_name_have_the_other_one_for_an_alias() -> None:
    pages = [parse(f"# {title}\n", f"type: concept\ntitle: {title}") for title in ("C-D", "C/D")]
    page, disputes = merged(None, *pages)
    assert (page.title, page.aliases, disputes) == ("C-D", ("C/D",), ())


def test_whose_lead_stands() -> None:
    start = write.set_lead(parse("# T\n", "title: T"), "First.", "t")
    tools = write.set_lead(start, "Tool A.", "t"), write.set_lead(start, "Tool B.", "t")
    own = [Page.parse(PATH, start.text.replace("First.", word)) for word in ("Mine.", "Yours.")]
    page, disputes = merged(start, tools[1], tools[0])
    assert (page.lead, disputes, page.lead_is_tools) == ("Tool A.", (), True)
    page, disputes = merged(start, tools[0], own[1])
    assert (page.lead, disputes) == ("Yours.", ())
    page, disputes = merged(start, own[1], own[0])
    assert disputes == ("lead",) and page.lead.startswith("Mine.") and "> Yours." in page.lead


@pytest.mark.parametrize(
    "style",
    ["aliases: [a]", "aliases:\n  - a", "aliases: a", "{aliases: [a], x: y}", "'aliases': [a]"],
)
def test_lists_of_all_styles_merge(style: str) -> None:
    base = parse("# T\n", style)
    a, b = (write.add_words(base, "aliases", [word]) for word in ("b", "c"))
    page = merged(base, a, b).page
    assert set(page.aliases) == {"a", "b", "c"}
    restyled = parse("# T\n", "aliases:\n  - a\n  - mine")
    page = merged(base, a, restyled).page
    assert {"a", "mine"} <= set(page.aliases)


def test_a_list_that_is_a_word_on_one_side_can_be_read_after_the_merge() -> None:
    word, items = parse("# T\n", "tags: ''"), parse("# T\n", "tags:\n  - s")
    page, disputes = merged(parse("# T\n", "x: y"), word, items)
    assert page.values and disputes == ("tags",)


def test_a_line_of_one_side_does_not_go_on_with_a_quote_of_the_other() -> None:
    base = parse("## Claims\n\n- One. ^c-9f3a1c22k7\n\ntext\n")
    one = parse("## Claims\n\n- One. ^c-9f3a1c22k7\n  - “q” [^s]\n\ntext\n")
    other = parse("## Claims\n\n- One. ^c-9f3a1c22k7\ntext\n")
    assert known(merged(base, one, other).page) == known(one)


# --- operations of the tool, in any order ------------------------------------------------------


def ingest(number: int, state: Mapping[str, Page]) -> State:
    """Source `number`: a claim of its own, evidence on a shared one, relation, alias, footnote."""
    source, result = f"{SOURCES[number % 4]}{number}", dict(state)
    for path in ("wiki/concepts/A.md", f"wiki/concepts/N{number % 2}.md"):
        page = result.get(path) or write.create(
            path, "concept", path[14:-3], "What it is.", "A lead.", by="t"
        )
        for ident, line in ((IDS[number], number + 1), (IDS[15], 9)):
            evidence = Evidence(source, f"q {number} {line}", first=line, last=line)
            if page.claim(ident) is None:
                page = write_claims.add_claims(page, [Claim(ident, f"Claim {ident}.", (evidence,))])
            else:
                page = write_claims.add_evidence(page, ident, evidence)
        page = write.add_words(page, "aliases", [f"alias {number}", "both"])
        page = cite(write.add_relation(page, "T", "uses", source), source)
        result[path] = Page.parse(path, page.text)
    return result


def says(state: Mapping[str, Page]) -> dict[str, object]:
    return {
        path: (
            known(page),
            [s.id for s in page.sources],
            [n.key for n in page.body if n.kind == "fn"],
            [[p.key for p in n.parts] for n in page.body if n.kind == "rel"],
            set(page.aliases),
        )
        for path, page in state.items()
    }


@SELDOM
@given(st.permutations(range(5)), st.permutations(range(5)))
def test_the_order_of_ingests_does_not_matter(one: list[int], two: list[int]) -> None:
    a: State = {}
    b: State = {}
    for number in one:
        a = ingest(number, a)
        assert {p: page.text for p, page in ingest(number, a).items()} == {
            p: page.text for p, page in a.items()
        }
    for number in two:
        b = ingest(number, b)
    assert says(a) == says(b)
    for page in a.values():
        assert list(page.sources) == sorted(page.sources, key=lambda s: s.id)
