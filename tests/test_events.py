"""Events of memory: nothing that claims hold changes without one, and each says what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from eventkit import facts_of, fold
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from page_strategies import Edit, bases, edits, run

from llmwiki.pages.changes import diff
from llmwiki.pages.events import MemoryEvents
from llmwiki.pages.page import Page
from llmwiki.pages.page_events import events_of
from llmwiki.pages.write import with_body

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
    "evidence": "  - “tweaked” — [^z] L7",
    "elsewhere": "  - “tweaked” — [^z] L8–L9",
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


def told(before: Mapping[str, Page], after: Mapping[str, Page], kind: str = "") -> MemoryEvents:
    return events_of(diff(before, after), before, after, kind)


@settings(max_examples=examples(100, 5_000), deadline=None)
@given(states())
def test_the_events_applied_to_the_claims_of_the_one_state_give_those_of_the_other(
    pair: tuple[State, State],
) -> None:
    before, after = pair
    found = told(before, after)
    assert fold(facts_of(before), found.events) == facts_of(after)
    assert fold(facts_of(after), told(after, before).events) == facts_of(before)
    assert not told(after, after)
    if before != after and {p: x.text for p, x in before.items()} == {
        p: x.text for p, x in after.items()
    }:
        assert not found


HEAD = "---\ntype: concept\ntitle: {title}\n---\n\n# {title}\n\nA lead.\n\n## Claims\n\n"
BOILS = "- Water boils. ^c-0000000001\n  - “water boils” — [^a] L3\n"
FREEZES = "- Water freezes. ^c-0000000002\n  - “it freezes” — [^a] L4\n"


def page(name: str, *claims: str, title: str = "") -> Page:
    text = HEAD.format(title=title or name) + "".join(claims)
    return Page.parse(f"wiki/concepts/{name}.md", text)


def state(*pages: Page) -> State:
    return {each.path: each for each in pages}


def kinds(before: State, after: State, kind: str = "") -> list[tuple[str, str]]:
    return [(e.kind, e.claim) for e in told(before, after, kind).events]


ONE, TWO = "c-0000000001", "c-0000000002"


def test_what_happens_to_a_claim() -> None:
    base = state(page("A", BOILS, FREEZES))

    def after(old: str, new: str) -> list[tuple[str, str]]:
        assert old in BOILS + FREEZES
        changed = (BOILS + FREEZES).replace(old, new)
        return kinds(base, state(page("A", changed)))

    assert after("Water boils.", "Water boils at 100 degrees.") == [("claim-reworded", ONE)]
    assert after("L3\n", "L3\n  - “boil” — [^b] L1\n") == [("evidence-gained", ONE)]
    assert after("  - “water boils” — [^a] L3\n", "") == [("evidence-lost", ONE)]
    assert after("[^a] L3", "[^a] L9") == [("evidence-relocated", ONE)]
    assert after("L3\n", "L3\n  - (as of: 2017)\n") == [("claim-reattributed", ONE)]
    assert after("L3\n", f"L3\n  - (updated by: [[A#^{TWO}|A: it]])\n") == [("claim-updated", ONE)]
    assert after("- Water boils.", f"- ~~Water boils.~~ → [[A#^{TWO}|A: it]]") == [
        ("claim-superseded", ONE)
    ]
    assert after("- Water boils.", "- ~~Water boils.~~ → gone in 9c1e22aa") == [
        ("claim-struck", ONE)
    ]
    assert after(FREEZES, "") == [("claim-taken-out", TWO)]
    assert after(ONE, "c-0000000009") == [("claim-reidentified", "c-0000000009")]
    assert kinds(base, state(page("A", BOILS)), "retract") == [("claim-retracted", TWO)]
    assert kinds(state(), base)[1:] == [("claim-added", ONE), ("claim-added", TWO)]


def test_dress_and_order_are_only_counted() -> None:
    base = state(page("A", BOILS, FREEZES))
    for claims in ((BOILS.replace("Water", "[[Water]]"), FREEZES), (FREEZES, BOILS)):
        found = told(base, state(page("A", *claims)))
        assert not [e for e in found.events if e.kind != "link-gained"] and found.quiet


def test_a_claim_on_another_page_has_moved_and_keeps_its_story() -> None:
    before = state(page("A", BOILS, FREEZES), page("B"))
    after = state(page("A", BOILS), page("B", FREEZES.replace("freezes.", "freezes at 0.")))
    assert kinds(before, after) == [("claim-moved", TWO), ("claim-reworded", TWO)]


def test_equal_claims_that_become_one_are_joined() -> None:
    other = "- Water boils. ^c-0000000003\n  - “boiling” — [^b] L1\n"
    both = BOILS + "  - “boiling” — [^b] L1\n"
    found = told(state(page("A", BOILS, other)), state(page("A", both)))
    assert [(e.kind, e.claim, e.after) for e in found.events] == [
        ("evidence-gained", ONE, ""),
        ("claim-joined", "c-0000000003", ONE),
    ]


def test_what_happens_to_pages() -> None:
    a, b = page("A", BOILS), page("B", FREEZES)

    def pages_of(one: State, two: State) -> list[tuple[str, str]]:
        return [(e.kind, e.path[14:-3]) for e in told(one, two).events if not e.claim]

    assert pages_of(state(a), state(a, b)) == [("page-created", "B")]
    assert pages_of(state(a, b), state(a)) == [("page-retired", "B")]
    assert pages_of(state(a), state(page("C", BOILS, title="A"))) == [("page-renamed", "C")]
    assert pages_of(state(a, b), state(page("A", BOILS, FREEZES))) == [("page-merged", "B")]
    whole = page("A", BOILS, FREEZES)
    assert pages_of(state(whole), state(a, b)) == [("page-split", "B")]


def test_a_contradiction_is_told_once() -> None:
    both = f"> [[A#^{ONE}|A]] and [[B#^{TWO}|B]]: they cannot both hold\n"
    callout = f"\n## Contradictions\n\n> [!warning] Contradiction\n{both}"
    before = state(page("A", BOILS), page("B", FREEZES))
    after = state(page("A", BOILS, callout), page("B", FREEZES, callout))
    assert [(e.kind, e.claim, e.after) for e in told(before, after).events] == [
        ("claim-contradicted", ONE, TWO)
    ]
