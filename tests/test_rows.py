"""Rows of pages: nothing that claims hold changes without one, and each says what happened."""

from __future__ import annotations

from dataclasses import replace

from diffkit import changed, facts_of, fold, short
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from page_strategies import Edit, bases, edits, run

from llmwiki.pages.difference.change_words import count_words
from llmwiki.pages.difference.row_changes import compare
from llmwiki.pages.difference.rows import Rows, claim_rows, page_rows
from llmwiki.pages.page import Page
from llmwiki.pages.write import with_body


def rows(page: Page) -> Rows:
    """The rows of a page with their values."""
    items = [claim_rows(page.path, node) for node in page.body if node.kind in ("c", "n")]
    return {row: value for found in (page_rows(page), *items) for row, value in found.items()}


PATHS = ("wiki/concepts/A.md", "wiki/concepts/B.md", "wiki/entities/C.md")
State = dict[str, Page]


@st.composite
def states(draw: st.DrawFn) -> tuple[State, State]:
    """A state of some pages and a later one: edited, with pages renamed, made and gone, and claims
    on other pages."""
    before: State = {}
    after: State = {}
    for path in draw(st.lists(st.sampled_from(PATHS), unique=True, max_size=3)):
        base = draw(bases())
        one: list[Edit] = draw(edits)
        two: list[Edit] = draw(edits)
        before[path] = Page(path, run(one, base).node)
        if draw(st.integers(0, 5)):
            to = draw(st.sampled_from((path, path, path, *PATHS)))
            after[to] = Page(to, run(two, base).node)
    for _ in range(draw(st.integers(0, 2))):
        if len(after) > 1:
            a, b = draw(st.lists(st.sampled_from(sorted(after)), min_size=2, max_size=2))
            after = moved(after, a, b, draw(st.integers(0, 9)))
    for state in (before, after):
        for path in sorted(state):
            for _ in range(draw(st.integers(0, 3))):
                state[path] = tweaked(state[path], draw(st.integers(0, 4)), draw(TWEAKS))
    return before, after


LINES = {
    "evidence": "  - “tweaked” [^z]",
    "elsewhere": "  - “tweaked” [^z]",
    "attributes": "  - (as of: 2017; n = 3)",
    "others": "  - (as of: 2018; supports: [[X#^c-0000000000|words]])",
    "remark": "  - my own remark",
    "none": "",
}
TWEAKS = st.sampled_from(sorted(LINES))


def tweaked(page: Page, which: int, how: str) -> Page:
    """The page with other lines below one of its claims, or none."""
    claims = [node for node in page.body if node.kind in ("c", "n")]
    if not claims:
        return page
    node = claims[which % len(claims)]
    text = f"{node.raw}\n{LINES[how]}\n" if LINES[how] else f"{node.raw}\n"
    (new,) = [n for n in Page.parse(page.path, text).body if n.kind != "tail"]
    if new.kind not in ("c", "n"):
        return page
    body = [replace(new, key=n.key, gap=n.gap) if n is node else n for n in page.body]
    return with_body(page, body)


def moved(state: State, source: str, target: str, which: int) -> State:
    """The state with a claim of one page on the other, if that one has none of its id."""
    claims = [node for node in state[source].body if node.kind in ("c", "n")]
    if not claims or source == target:
        return state
    node = claims[which % len(claims)]
    if any(other.key == node.key for other in state[target].body):
        return state
    left = with_body(state[source], [n for n in state[source].body if n is not node])
    body = list(state[target].body)
    gained = with_body(state[target], [*body[:-1], node.bare(), *body[-1:]])
    return {**state, source: left, target: gained}


@settings(max_examples=examples(100, 5_000), deadline=None)
@given(states())
def test_the_changes_made_to_the_claims_of_the_one_state_give_those_of_the_other(
    pair: tuple[State, State],
) -> None:
    before, after = pair
    assert fold(facts_of(before), changed(before, after)) == facts_of(after)
    assert fold(facts_of(after), changed(after, before)) == facts_of(before)
    assert not compare(after, after)


@settings(max_examples=examples(100, 5_000), deadline=None)
@given(states())
def test_the_rows_of_a_page_that_stays_follow_from_its_changes(pair: tuple[State, State]) -> None:
    before, after = ({p: page for p, page in each.items() if p == PATHS[0]} for each in pair)
    if not (before and after):
        return
    held = rows(before[PATHS[0]])
    for change in compare(before, after):
        if change.verb == "gone":
            del held[change.row]
        else:
            held[change.row] = change.after
    assert held == rows(after[PATHS[0]])


HEAD = "---\ntype: concept\ntitle: {title}\n---\n\n# {title}\n\nA lead.\n\n## Claims\n\n"
BOILS = "- Water boils. ^c-0000000001\n  - “water boils” [^a]\n"
FREEZES = "- Water freezes. ^c-0000000002\n  - “it freezes” [^a]\n"


def page(name: str, *claims: str, title: str = "") -> Page:
    text = HEAD.format(title=title or name) + "".join(claims)
    return Page.parse(f"wiki/concepts/{name}.md", text)


def state(*pages: Page) -> State:
    return {each.path: each for each in pages}


def kinds(before: State, after: State) -> list[tuple[str, str, str]]:
    return short(changed(before, after))


ONE, TWO = "c-0000000001", "c-0000000002"


def test_what_happens_to_a_claim() -> None:
    base = state(page("A", BOILS, FREEZES))

    def after(old: str, new: str) -> list[tuple[str, str, str]]:
        assert old in BOILS + FREEZES
        return kinds(base, state(page("A", (BOILS + FREEZES).replace(old, new))))

    assert after("Water boils.", "Water boils at 100 degrees.") == [("claim changed", ONE, "")]
    assert after("boils” [^a]\n", "boils” [^a]\n  - “boil” [^b]\n") == [
        ("evidence added", ONE, "b boil")
    ]
    lost = after("  - “water boils” [^a]\n", "")
    assert lost == [("evidence gone", ONE, "a water boils")]
    assert after("boils” [^a]\n", "boils” [^a]\n  - (as of: 2017)\n") == [
        ("attribute added", ONE, "as of")
    ]
    assert after("boils” [^a]\n", "boils” [^a]\n  - (boils at = 100)\n") == [
        ("slot added", ONE, "boils at")
    ]
    updated = after("boils” [^a]\n", f"boils” [^a]\n  - (updated by: [[A#^{TWO}|A: it]])\n")
    assert updated == [("tie added", ONE, f"updated by {TWO}")]
    struck = after("- Water boils.", f"- ~~Water boils.~~ → [[A#^{TWO}|A: it]]")
    assert struck == [("strike added", ONE, "")]
    assert after(FREEZES, "") == [("claim gone", TWO, "")]
    again = after(ONE, "c-0000000009")
    assert again == [("claim added", "c-0000000009", ""), ("claim gone", ONE, "")]
    assert kinds(state(), base) == [("claim added", ONE, ""), ("claim added", TWO, "")]


def test_dress_order_and_line_numbers_are_no_rows() -> None:
    base = state(page("A", BOILS, FREEZES))
    linked = (BOILS.replace("Water", "[[Water]]"), FREEZES)
    for claims in (linked, (FREEZES, BOILS), (BOILS.replace("] ", "], p. 3 "), FREEZES)):
        assert changed(base, state(page("A", *claims))) == []


def test_a_claim_on_another_page_has_moved_and_keeps_its_story() -> None:
    before = state(page("A", BOILS, FREEZES), page("B"))
    after = state(page("A", BOILS), page("B", FREEZES.replace("freezes.", "freezes at 0.")))
    assert kinds(before, after) == [("claim changed", TWO, ""), ("place moved", TWO, "")]


def test_equal_claims_that_become_one_are_joined() -> None:
    other = "- Water boils. ^c-0000000003\n  - “boiling” [^b]\n"
    both = BOILS + "  - “boiling” [^b]\n"
    changes = compare(state(page("A", BOILS, other)), state(page("A", both)))
    gone = [(c.id, c.other) for c in changes if c.kind == "claim"]
    assert gone == [("c-0000000003", ONE)]
    assert count_words(changes) == ["1 claim joined", "1 quote gained"]


def test_what_happens_to_pages() -> None:
    a, b = page("A", BOILS), page("B", FREEZES)

    def pages_of(one: State, two: State) -> list[tuple[str, str, str]]:
        told = [c for c in compare(one, two) if c.kind == "page"]
        return [(c.verb, c.page[14:-3], (c.other or c.before)[14:-3]) for c in told]

    assert pages_of(state(a), state(a, b)) == [("added", "B", "")]
    assert pages_of(state(a, b), state(a)) == [("gone", "B", "")]
    assert pages_of(state(a), state(page("C", BOILS, title="A"))) == [("moved", "C", "A")]
    assert pages_of(state(a, b), state(page("A", BOILS, FREEZES))) == [("gone", "B", "A")]
    whole = page("A", BOILS, FREEZES)
    assert pages_of(state(whole), state(a, b)) == [("added", "B", "")]
    moved = compare(state(whole), state(a, b))
    assert count_words(moved) == ["1 claim moved", "1 page created"]


def test_a_contradiction_is_told_once() -> None:
    before = state(page("A", BOILS), page("B", FREEZES))
    one = f"  - (contradicts: [[B#^{TWO}|B]] they cannot both hold)\n"
    two = f"  - (contradicts: [[A#^{ONE}|A]] they cannot both hold)\n"
    after = state(page("A", BOILS + one), page("B", FREEZES + two))
    assert [(c.verb, c.id, c.name, c.after) for c in compare(before, after)] == [
        ("added", ONE, f"contradicts {TWO}", "they cannot both hold")
    ]
