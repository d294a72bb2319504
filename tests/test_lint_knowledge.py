"""Rules about what claims say of one another, and names that may mean one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from lintkit import NAMED, lint_texts

from llmwiki.lint.findings import Finding
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds

RULES = NAMED
A, B, C, D, E = (f"c-{letter * 10}" for letter in "abcde")


def page(title: str, body: str = "", kind: str = "concept", more: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: {title}\n{more}---\n\n# {title}\n\n{body}\n"


def lint(
    texts: str | Mapping[str, str], *names: str, vaults: VaultKinds | None = None
) -> list[Finding]:
    held = {"wiki/concepts/Tea.md": texts} if isinstance(texts, str) else texts
    return lint_texts(held, [RULES[name] for name in names], vaults=vaults)


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


def test_signs_tell_names_apart() -> None:
    pages = {f"wiki/{name}.md": "A." for name in ("C-", "C--", "Term (logic)", "Term logic", "C+")}
    assert not lint_texts(pages, ["WK313"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN))


def test_the_note_of_a_folder_and_a_name_with_a_sign_are_no_duplicates() -> None:
    paths = ("tools/tools.md", "tools/Tool.md", "x/Run.md", "x/@run.md")
    notes = {f"wiki/{path}": "A." for path in paths}
    assert not lint_texts(notes, ["WK313"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN))


def test_two_series_of_notes_are_no_duplicates() -> None:
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    pages = {f"wiki/{name}.md": "A." for name in ("Lab 1", "Lab 2", "lab_1", "lab_2", "Tea-1")}
    assert not lint_texts(pages, ["WK313"], vaults=vaults)
    (hit,) = lint_texts({**pages, "wiki/Tea 1.md": "A."}, ["WK313"], vaults=vaults)
    assert hit.message.startswith("Looks like a duplicate of [[Tea 1]]: the names differ by")
    assert hit.mend == "If both are one thing, merge it with `wiki/Tea 1.md`."


def test_short_names_of_notes_that_a_plural_tells_apart_are_two() -> None:
    names = ("bat", "bats", "Lemma", "Lemmas", "a-b", "a b")
    notes = {f"wiki/{name}.md": "A." for name in names}
    found = lint_texts(notes, ["WK313"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN))
    assert [f.path for f in found] == ["wiki/Lemmas.md", "wiki/a-b.md"]
    ours = lint(named("Bat", "Bats"), "possible-duplicate")
    assert [f.mend for f in ours] == [
        "If both are one thing, merge: wiki merge wiki/concepts/Bats.md wiki/concepts/Bat.md"
    ]


def test_a_duplicate_of_logseq_is_named_as_it_is_linked_there() -> None:
    pages = {"wiki/Person___Yue Zhang.md": "- A.", "wiki/Person___Yue_Zhang.md": "- A."}
    logseq = VaultKinds(vault=VaultKind.LOGSEQ)
    (hit,) = lint_texts(pages, ["WK313"], vaults=logseq)
    assert "[[Person/Yue Zhang]]" in hit.message


def test_in_logseq_an_alias_is_a_name_and_a_backup_is_no_page() -> None:
    pages = {"pages/Set.md": "alias:: Menge, sets\n- A.", "logseq/bak/Set.md": "[[Tea Cups]]"}
    pages |= {"pages/b.md": "[[Menge]] [[Mengen]] [[sets]] [[5,1]]", "pages/Tea Cup.md": "A."}
    vaults = VaultKinds(vault=VaultKind.LOGSEQ, notes=VaultKind.LOGSEQ)
    assert not [f for f in lint_texts(pages, ["WK101"], vaults=vaults) if "Mengen" not in f.message]
