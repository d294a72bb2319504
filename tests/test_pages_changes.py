"""The algebra of changes: exact on what they came from, gentle on what others did since."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from page_strategies import IDS, PATH, SOURCES, Edit, bases, cite, edits, known, run, small_page

from llmwiki.pages import changes, write, write_claims
from llmwiki.pages.merge_page import merge_page
from llmwiki.pages.page import Claim, Evidence, Page
from llmwiki.pages.syntax import PageError

OFTEN = settings(max_examples=examples(120, 5_000), deadline=None)
SELDOM = settings(max_examples=examples(120), deadline=None)
State = dict[str, Page]


def at(page: Page) -> State:
    return {page.path: page}


def exact(base: Page, one: list[Edit], two: list[Edit]) -> None:
    a, b = run(one, base), run(two, base)
    change = changes.diff(at(a), at(b))
    assert changes.apply(change, at(a))[0][PATH].text == b.text
    assert changes.apply(changes.invert(change), at(b))[0][PATH].text == a.text
    assert changes.apply(changes.diff({}, at(a)), {})[0][PATH].text == a.text
    assert changes.apply(changes.diff(at(a), {}), at(a))[0] == {}


@OFTEN
@given(bases(), edits, edits)
def test_apply_and_invert_are_exact(base: Page, one: list[Edit], two: list[Edit]) -> None:
    exact(base, one, two)


@OFTEN
@given(bases(), bases())
def test_apply_is_exact_between_pages_that_share_nothing(a: Page, b: Page) -> None:
    assert changes.apply(changes.diff(at(a), at(b)), at(a))[0][PATH].text == b.text


def readable(*pages: Page) -> bool:
    try:
        return all(page.values is not None for page in pages)
    except PageError:
        return False


def merges(base: Page, one: list[Edit], two: list[Edit]) -> None:
    a, b = run(one, base), run(two, base)
    page, conflicts = merge_page(base, a, b)
    again, same = merge_page(base, b, a)
    unchanged, _ = merge_page(base, a, base)
    agreed, _ = merge_page(base, a, a)
    assert page is not None and again is not None
    assert unchanged is not None and agreed is not None
    assert page.text == again.text
    assert conflicts == same
    assert unchanged.text == agreed.text == a.text
    had, in_a, in_b = known(base), known(a), known(b)
    assert ((in_a - had) | (in_b - had) | (in_a & in_b)) <= known(page)
    assert {c.id for c in a.claims} & {c.id for c in b.claims} <= {c.id for c in page.claims}
    assert not readable(base, a, b) or readable(page)
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


def parse(body: str, front: str = "") -> Page:
    return Page.parse(PATH, (f"---\n{front}\n---\n\n" if front else "") + body)


def merged(base: Page, a: Page, b: Page) -> tuple[Page, int]:
    page, conflicts = merge_page(base, a, b)
    assert page is not None
    return page, len(conflicts)


CLAIM = "## Claims\n\n- One. ^c-9f3a1c22k7\n  - “q” — [^s] L1\n"


def test_what_one_removed_and_the_other_left_alone_goes_and_else_stays() -> None:
    base = parse(CLAIM)
    gone = parse("## Claims\n\nText.\n")
    assert merged(base, gone, base)[0].claims == ()
    assert merged(base, gone, parse(CLAIM + "\n## New\n"))[0].claims == ()
    assert len(merged(base, gone, parse(CLAIM + "  - “r” — [^s] L2\n"))[0].claims) == 1


def test_whose_lead_stands() -> None:
    start = write.set_lead(parse("# T\n", "title: T"), "First.", "t")
    tools = write.set_lead(start, "Tool A.", "t"), write.set_lead(start, "Tool B.", "t")
    own = [Page.parse(PATH, start.text.replace("First.", word)) for word in ("Mine.", "Yours.")]
    page, conflicts = merged(start, tools[1], tools[0])
    assert (page.lead, conflicts, page.lead_is_tools) == ("Tool A.", 0, True)
    page, conflicts = merged(start, tools[0], own[1])
    assert (page.lead, conflicts) == ("Yours.", 0)
    page, conflicts = merged(start, own[1], own[0])
    assert (page.lead, conflicts) == ("Mine.", 1)


def test_two_rewritten_passages_both_stand_and_it_is_said() -> None:
    base, a, b = (parse(f"## Own\n\n{word}.\n\n## End\n") for word in ("Old", "Mine", "Yours"))
    page, conflicts = merged(base, a, b)
    assert "Mine." in page.text
    assert "Yours." in page.text
    assert "Old." not in page.text
    assert conflicts == 1


@pytest.mark.parametrize(
    "style",
    ["aliases: [a]", "aliases:\n  - a", "aliases: a", "{aliases: [a], x: y}", "'aliases': [a]"],
)
def test_lists_of_all_styles_merge(style: str) -> None:
    base = parse("# T\n", style)
    a, b = (write.add_words(base, "aliases", [word]) for word in ("b", "c"))
    page, _ = merged(base, Page.parse(PATH, a.text), Page.parse(PATH, b.text))
    assert set(page.aliases) == {"a", "b", "c"}
    restyled = parse("# T\n", "aliases:\n  - a\n  - mine")
    page, _ = merged(base, Page.parse(PATH, a.text), restyled)
    assert {"a", "mine"} <= set(page.aliases)


# --- operations of the tool, in any order ------------------------------------------------------


def ingest(number: int, state: Mapping[str, Page]) -> State:
    """Source `number`: a claim of its own, evidence on a shared one, relation, alias, footnote."""
    source, result = f"{SOURCES[number % 4]}{number}", dict(state)
    for path in ("wiki/concepts/A.md", f"wiki/concepts/N{number % 2}.md"):
        page = result.get(path) or write.create(
            write.NewPage(path, "concept", path[14:-3], "What it is.", "A lead.", by="t")
        )
        for ident, line in ((IDS[number], number + 1), (IDS[15], 9)):
            evidence = Evidence(source, line, line, f"q {number} {line}")
            if page.claim(ident) is None:
                page = write_claims.add_claim(page, Claim(ident, f"Claim {ident}.", (evidence,)))
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


OWN = parse("# A\n\nMy lead.\n\n" + CLAIM + "\n## Own\n\nMine.\n\n[^s]: [[sources/s]]\n", "mine: x")


@SELDOM
@given(st.permutations(range(4)), st.permutations(range(4)), st.booleans())
def test_undoing_in_any_order_leaves_the_others(
    made: list[int], undone: list[int], own: bool
) -> None:
    start: State = {"wiki/concepts/A.md": Page.parse("wiki/concepts/A.md", OWN.text)} if own else {}
    state, done = start, {}
    for number in made:
        new = ingest(number, state)
        done[number], state = changes.diff(state, new), new
    for index, number in enumerate(undone):
        before = state
        state, _ = changes.apply(changes.invert(done[number]), before)
        redone, _ = changes.apply(changes.diff(state, before), state)
        assert says(redone) == says(before)
        if index == 0:
            assert says(changes.apply(done[number], state)[0]) == says(before)
        left = [ingest(other, {}) for other in undone[index + 1 :]]
        for path, page in state.items():
            assert page.values is not None
            wanted = {e for other in (*left, start) if path in other for e in known(other[path])}
            assert known(page) == wanted
            cited = {source for _, (source, _) in wanted}
            assert {n.key[1] for n in page.body if n.kind == "fn"} == cited
    assert says({p: page for p, page in state.items() if page.claims}) == says(start)


def test_undo_leaves_what_others_did_since() -> None:
    path = "wiki/concepts/A.md"
    state = ingest(0, {})
    first = changes.diff({}, state)
    text = state[path].text.replace(f"^{IDS[0]}\n", f"^{IDS[0]}\n  - my remark\n") + "\nMy words.\n"
    state = ingest(1, {**state, path: Page.parse(path, text)})
    state = {**state, path: write_claims.strike(state[path], IDS[1], "gone in 12345678")}
    after, _ = changes.apply(changes.invert(first), state)
    page = after[path]
    assert "  - my remark\n" in page.text
    assert "My words." in page.text
    assert {source for _, (source, _) in known(page)} == {"notes-a-md1"}
    assert page.title == "A"
    assert page.claim(IDS[1]) is not None
    assert [n.key[1] for n in page.body if n.kind == "fn"] == ["notes-a-md1"]


def test_a_page_with_nothing_left_goes_and_comes_back() -> None:
    made = ingest(0, {})
    change = changes.diff({}, made)
    gone, _ = changes.apply(changes.invert(change), made)
    assert gone == {}
    back, _ = changes.apply(change, gone)
    assert {p: page.text for p, page in back.items()} == {p: page.text for p, page in made.items()}
    assert changes.apply(change, back)[0] == back


def test_a_struck_claim_goes_with_the_operation_that_brought_it() -> None:
    before = at(small_page())
    claim = Claim(IDS[0], "One.", (Evidence("s", 1, 1, "q"),))
    after = at(cite(write_claims.add_claim(small_page(), claim), "s"))
    struck = at(
        write_claims.strike(write.add_words(after[PATH], "tags", ["x"]), IDS[0], "gone in 12345678")
    )
    undone, _ = changes.apply(changes.invert(changes.diff(before, after)), struck)
    assert undone[PATH].claims == ()
    assert undone[PATH].tags == ("x",)


def test_an_edited_claim_is_not_removed_by_undo() -> None:
    before = at(small_page())
    after = at(
        cite(
            write_claims.add_claim(
                small_page(), Claim(IDS[0], "One.", (Evidence("s", 1, 1, "q"),))
            ),
            "s",
        )
    )
    edited = at(Page.parse(PATH, after[PATH].text.replace("One.", "One, rather.")))
    undone, _ = changes.apply(changes.invert(changes.diff(before, after)), edited)
    assert [claim.text for claim in undone[PATH].claims] == ["One, rather."]
