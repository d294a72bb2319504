"""Rules about what claims say of one another, how old they are, and names that may mean one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import pytest
import wikikit
from lintkit import NAMED, HeldWiki, lint_held_wiki, lint_texts
from wikikit import NOTE, answer, claim

from llmwiki.git.repository import Repository
from llmwiki.lint.finding import Finding, LintLimits
from llmwiki.lint.history import History

RULES = NAMED
A, B, C, D, E = (f"c-{letter * 10}" for letter in "abcde")
TODAY = date(2026, 6, 1)


def page(title: str, body: str = "", kind: str = "concept", more: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: {title}\n{more}---\n\n# {title}\n\n{body}\n"


def lint(
    texts: str | Mapping[str, str], *names: str, limits: LintLimits | None = None
) -> list[Finding]:
    held = {"wiki/concepts/Tea.md": texts} if isinstance(texts, str) else texts
    return lint_texts(held, [RULES[name] for name in names], limits=limits)


def slots(*claims: tuple[str, str]) -> str:
    """Claims by id and the text of their attributes."""
    items = "".join(f"- It is {n}. ^{ident}\n  - ({attrs})\n" for n, (ident, attrs) in
                    enumerate(claims))  # fmt: skip
    return page("Tea", f"## Claims\n\n{items}")


# --- contradictions ------------------------------------------------------------------------


def test_a_contradiction_of_two_pages_is_told_of_once() -> None:
    two = page("Tea", f"- Red. ^{A}\n  - (contradicts: [[Cup#^{B}|Cup]] not both)\n")
    other = page("Cup", f"- Green. ^{B}\n  - (contradicts: [[Tea#^{A}|Tea]] not both)\n")
    pages = {"wiki/concepts/Tea.md": two, "wiki/concepts/Cup.md": other}
    (found,) = lint(pages, "contradiction-present")
    assert found.path == "wiki/concepts/Cup.md"
    assert found.message == f"^{A} and ^{B} contradict one another"
    assert found.claims == (A, B)
    assert "wiki/concepts/Tea.md" in found.mend


@pytest.mark.parametrize(
    ("one", "other", "fires"),
    [
        ("price = 3 EUR", "price = 4 EUR", True),
        ("scope: Ceylon; price = 3", "scope: ceylon; Price = 4", True),
        ("as of: 2025; price = 3", "as of: 2025; price = 4", True),
        ("stance: measured; price = 3", "stance: reported; price = 4", True),
        ("price = 3 EUR", "price = 3 eur", False),
        ("size = 1,000 km", "size = 1000 kilometers", False),
        ("scope: Ceylon; price = 3", "scope: Assam; price = 4", False),
        ("scope: Ceylon; price = 3", "price = 4", False),
        ("as of: 2025; price = 3", "as of: 2026; price = 4", False),
        ("stance: proposed; price = 3", "price = 4", False),
        ("stance: rejected; price = 3", "price = 4", False),
        ("price = 3", f"updated by: [[Tea#^{A}]]; price = 4", False),
        ("price = 3", "weight = 4", False),
        ("price = 3", f"supports: [[Tea#^{A}]]; price = 4", True),
    ],
)
def test_one_slot_of_unlike_values(one: str, other: str, fires: bool) -> None:
    found = lint(slots((A, one), (B, other)), "claim-conflict")
    assert [f.about for f in found] == ([A, B] if fires else [])


def test_values_joined_by_updates_over_a_third_are_no_conflict() -> None:
    text = slots(
        (A, f"updated by: [[Tea#^{B}]]; n = 1"),
        (B, f"updated by: [[Tea#^{C}]]; n = 2"),
        (C, "n = 3"),
    )
    assert not lint(text, "claim-conflict")


def test_struck_claims_and_other_subjects_do_not_conflict() -> None:
    struck = page("Tea", f"- ~~Old.~~ → [[Tea#^{B}]] ^{A}\n  - (n = 1)\n- New. ^{B}\n  - (n = 2)\n")
    assert not lint(struck, "claim-conflict")
    cup = slots((B, "n = 2")).replace("Tea", "Cup")
    pages = {"wiki/concepts/Tea.md": slots((A, "n = 1")), "wiki/concepts/Cup.md": cup}
    assert not lint(pages, "claim-conflict")
    pages["wiki/concepts/Cup.md"] = cup.replace("Cup", "teas")
    assert [f.path for f in lint(pages, "claim-conflict")] == sorted(pages)


def test_one_text_of_two_claims() -> None:
    pages = {
        "wiki/concepts/Cup.md": page("Cup", f"- Tea is made of leaves. ^{B}"),
        "wiki/concepts/Tea.md": page("Tea", f"- Tea is made of leaves. ^{A}\n- It is. ^{C}\n"),
        "wiki/concepts/Pot.md": page("Pot", f"- ~~Tea is made of leaves.~~ → [[Tea#^{A}]] ^{D}\n"),
        "wiki/concepts/Jug.md": page("Jug", f"- It is. ^{E}"),
    }
    (found,) = lint(pages, "duplicate-claim")
    assert (found.path, found.line) == ("wiki/concepts/Tea.md", 8)
    assert found.message == f"^{A} says the same as [[Cup#^{B}]]"


def test_two_documents_may_say_the_same_each_on_its_own_page() -> None:
    said = "Tea is made of leaves."

    def source(name: str, *claims: tuple[str, str]) -> str:
        items = "".join(
            f"- {said} ^{ident}\n  - “{said}” [^{of}]\n" for n, (ident, of) in enumerate(claims)
        )
        return page(name, f"## Claims\n\n{items}", "source")

    one = {"wiki/sources/one-md.md": source("One", (A, "one-md"))}
    two = {"wiki/sources/two-md.md": source("Two", (B, "two-md"))}
    tea = {"wiki/concepts/Tea.md": source("Tea", (C, "three-md")).replace("source", "concept")}
    pot = {"wiki/concepts/Pot.md": source("Pot", (D, "two-md")).replace("source", "concept")}
    assert not lint(one | two | tea, "duplicate-claim")
    assert len(lint(one | two | tea | pot, "duplicate-claim")) == 1
    foreign = {"wiki/sources/two-md.md": source("Two", (B, "three-md"))}
    assert len(lint(one | foreign | tea, "duplicate-claim")) == 1
    twice = {"wiki/sources/one-md.md": source("One", (A, "one-md"), (B, "one-md"))}
    assert len(lint(twice | tea, "duplicate-claim")) == 1


# --- claims that were replaced -------------------------------------------------------------

STRUCK = f"## Claims\n\n- ~~Hot.~~ → [[Tea#^{B}]] ^{A}\n- Warm. ^{B}\n"


@pytest.mark.parametrize(
    ("path", "text", "fires"),
    [
        ("wiki/concepts/Cup.md", page("Cup", f"As [[Tea#^{A}]] says."), True),
        ("wiki/concepts/Cup.md", page("Cup", f"- X. ^{C}\n  - (supports: [[Tea#^{A}]])\n"), True),
        ("wiki/syntheses/S.md", page("S", f"- X. ^n-cccccccccc\n  - from: [[Tea#^{A}]]\n"), True),
        ("wiki/syntheses/S.md", page("S", f"## On tea\n\nAs [[Tea#^{A}]] says.\n"), True),
        ("wiki/concepts/Cup.md", page("Cup", f"As [[Tea#^{B}]] says."), False),
        ("wiki/concepts/Cup.md", page("Cup", f"- X. ^{C}\n  - (about: [[Tea#^{A}]])\n"), False),
        ("wiki/concepts/Cup.md", page("Cup", f"## Mine\n\n[[Tea#^{A}]]\n"), True),
        ("wiki/sources/x-md.md", page("X", f"- [[Tea#^{A}]]\n", "source"), False),
        ("wiki/syntheses/S.md",
         page("S", f"- ~~X~~ → [[T]] ^n-cccccccccc\n  - from: [[Tea#^{A}]]\n"),
         False),
        ("wiki/concepts/Cup.md", page("Cup", f"As `[[Tea#^{A}]]` says."), False),
    ],
)  # fmt: skip
def test_a_struck_claim_that_is_cited(path: str, text: str, fires: bool) -> None:
    found = lint(
        {"wiki/concepts/Tea.md": page("Tea", STRUCK), path: text}, "superseded-still-cited"
    )
    assert [(f.path, f.about) for f in found] == ([(path, A)] if fires else [])
    assert all(f.mend == f"It was replaced by [[Tea#^{B}]]." for f in found)


# --- pages alone ---------------------------------------------------------------------------


def test_open_questions() -> None:
    text = "## Open Questions\n\n- Is it hot? (L3)\n  Really?\n- [x] Wet?\n- ~~Is it?~~\n1. Why?\n"
    found = lint(page("Tea", f"{text}\n## More\n\n- Is this?\n"), "open-question")
    assert [(f.line, f.message) for f in found] == [
        (10, "Open question: Is it hot? (L3)"),
        (14, "Open question: Why?"),
    ]


# --- age -----------------------------------------------------------------------------------


class Past:
    """A history told by hand: file below raw/ to the day of the last operation on it."""

    def __init__(self, lacks: bool = False, **days: str) -> None:
        self.lacks = lacks
        self.touched = {f"raw/{n}.md": date.fromisoformat(day) for n, day in days.items()}


def rests_on(*names: str, body: str = "", kind: str = "concept") -> str:
    notes = "".join(f"[^{n}-md]: [[sources/{n}-md|N]], raw/{n}.md\n" for n in names)
    return page("Tea", f"{body}\n{notes}", kind)


def aged(text: str, past: Past, today: date = TODAY) -> list[str]:
    rules = [RULES[name] for name in ("stale-page", "aging-page", "stale-claim")]
    return [
        f.code for f in lint_texts({"wiki/concepts/Tea.md": text}, rules, now=today, history=past)
    ]


@pytest.mark.parametrize(
    ("day", "codes"),
    [
        ("2026-05-03", []),
        ("2026-05-02", ["WK306"]),
        ("2026-03-04", ["WK306"]),
        ("2026-03-03", ["WK306"]),
        ("2025-04-27", ["WK306"]),
        ("2026-06-09", []),
    ],
)
def test_a_page_is_as_old_as_the_newest_work_on_its_sources(day: str, codes: list[str]) -> None:
    assert aged(rests_on("a"), Past(a=day)) == codes
    assert aged(rests_on("a", "b"), Past(a=day, b="2020-01-01")) == codes
    assert aged(rests_on("b", "a"), Past(a=day)) == codes


def test_of_an_unknown_age_nothing_is_said() -> None:
    assert aged(rests_on("a"), Past()) == []
    assert aged(rests_on("a"), Past(lacks=True)) == []
    assert aged(page("Tea"), Past()) == []
    assert aged(rests_on("a", kind="source"), Past()) == []


@pytest.mark.parametrize(
    ("attributes", "touched", "fires"),
    [
        ("until: 2026-05", "2026-05-20", True),
        ("until: 2026-05-31", "2026-05-31", True),
        ("until: 2026-06", "2026-05-20", False),
        ("until: 2015", "2026-05-20", False),
        ("until: some day", "2026-05-20", False),
        ("as of: 2025", "2026-05-20", False),
        ("as of: 2010; until: 2015", "2026-02-01", False),
    ],
)
def test_claims_that_say_how_long_they_hold(attributes: str, touched: str, fires: bool) -> None:
    body = f"- Hot. ^{A}\n  - “hot” [^a-md]\n  - ({attributes})\n"
    texts = {"wiki/concepts/Tea.md": rests_on("a", body=body)}
    found = lint_texts(texts, ["stale-claim"], now=TODAY, history=Past(a=touched))
    assert bool([f for f in found if f.claims]) is fires


def test_the_age_of_what_was_really_ingested(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    wiki = wikikit.make(tmp_path, monkeypatch)
    words = "Green tea is steeped at 80 degrees"
    wiki.learn("raw/tea.md", NOTE, answer([claim("Tea", f"{words}.", words)]))
    files = {f.relative_to(wiki.root).as_posix(): f.read_bytes() for f in
             (wiki.root / "wiki").rglob("*.md")}  # fmt: skip
    rules = [RULES["stale-page"], RULES["aging-page"]]
    with Repository.discover(wiki.root) as repo:
        past = History(repo, repo.head(), recall=lambda key: None, remember=lambda key, value: None)
        day = past.touched["raw/tea.md"]

        def codes(days: int) -> set[tuple[str, str]]:
            held = HeldWiki(files, today=day + timedelta(days), history=past)
            return {(f.path, f.code) for f in lint_held_wiki(held, rules)}

        assert codes(29) == set()
        assert codes(30) == {("wiki/concepts/Tea.md", "WK306")}
        assert codes(90) == {("wiki/concepts/Tea.md", "WK306")}


# --- names ---------------------------------------------------------------------------------


def named(*names: str, **aliases: str) -> dict[str, str]:
    return {
        f"wiki/concepts/{n}.md": page(n, more=f"aliases: [{aliases.get(n, '')}]\n") for n in names
    }


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ("Transformer", "Transformers", "WK313"),
        ("Self-attention", "self attention", "WK313"),
        ("Retrieval of answers", "Retreival of answers", ""),
        ("NLP", "Natural language processing", "WK313"),
        ("AI", "Artificial intelligence", "WK313"),
        ("AB", "Apple butter", ""),
        ("GPT-4.1", "GPT-4.5", ""),
        ("Symmetric cipher", "Asymmetric cipher", ""),
        ("Chat", "Cat", ""),
        ("Meeting 2025-01-01", "Meeting 2025-01-02", ""),
        ("Precision", "Recision", ""),
        ("Tea in a cup", "Tea in a cap", ""),
        ("C", "C++", ""),
    ],
)
def test_names_that_may_mean_one_thing(one: str, other: str, code: str) -> None:
    for names in ((one, other), (other, one)):
        found = lint(named(*names), "possible-duplicate", "similar-name")
        assert [f.code for f in found] == ([code] if code else [])


def test_an_alias_that_is_a_spelling_of_another_pages_name() -> None:
    pages = named("Tea", "Chai", Chai="teas")
    assert [f.code for f in lint(pages, "possible-duplicate", "similar-name")] == ["WK313"]
    pages = named("Tea", "Chai", Chai="TEA")
    assert not lint(pages, "possible-duplicate", "similar-name")


def test_two_notes_of_which_one_links_to_the_other_are_known_to_be_two() -> None:
    rules = [RULES["similar-name"]]
    notes = {"wiki/cli/tag.md": "See [[tags]].\n", "wiki/features/tags.md": "Tags.\n"}
    assert not lint_texts(notes, rules)
    assert lint_texts({**notes, "wiki/cli/tag.md": "See tags.\n"}, rules)
    ours = named("Tag", "Tags")
    ours["wiki/concepts/Tag.md"] += "See [[Tags]].\n"
    assert lint_texts(ours, rules)


def test_a_short_name_that_its_page_spells_out_is_short_for_that() -> None:
    pages = named("PaLM", "Program-aided language models")
    assert [f.code for f in lint(pages, "possible-duplicate")] == ["WK313"]
    pages = named("PaLM", "Program-aided language models", PaLM="Pathways language model")
    assert not lint(pages, "possible-duplicate")
