"""Rules about links: what fires, and the nearest that must not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time

import gitkit
import pytest
from lintkit import NAMED, beginning, lint_texts

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.lint import run
from llmwiki.lint.findings import Finding, Severity
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds

RULES = NAMED
HERE = "wiki/concepts/Example.md"
TEA = """---
type: concept
title: Tea
aliases: [Chai, "Camellia tea"]
---

# Tea

## How it is *made*, and why

Pour. ^how

Served
------

### See [[Leaf|a cup]] (or [two](https://example.org))
"""


def page(title: str, body: str = "", front: str = "type: concept") -> str:
    return f"---\n{front}\ntitle: {title}\n---\n\n# {title}\n\n{body}\n"


def lint(
    text: str, *names: str, more: Mapping[str, str] | None = None, vaults: VaultKinds | None = None
) -> list[Finding]:
    """What the named rules find where `text` stands beside a page on tea."""
    leaf = {"wiki/concepts/Leaf.md": "# Leaf\n"}
    files = {HERE: text, "wiki/concepts/Tea.md": TEA, **leaf, **(more or {})}
    return lint_texts(files, [RULES[name] for name in names], vaults=vaults)


def shown(found: list[Finding]) -> list[tuple[str, int, int, str]]:
    return [(f.path, f.line, f.column, f.message) for f in found]


# --- broken wikilinks ----------------------------------------------------------------------


def test_a_broken_link_is_told_of_where_it_stands() -> None:
    text = (
        "---\ntags: [a]\n---\n\n# Example\n\nOne [[Tea]],\ntwo [[Kettel|kettle]] [[Kettel#Use]].\n"
    )
    found = lint(text, "broken-wikilink")
    assert shown(found) == [
        (HERE, 8, 5, "[[Kettel]] leads to no page"),
        (HERE, 8, 23, "[[Kettel#Use]] leads to no page"),
    ]
    assert {f.about for f in found} == {"Kettel"}


@pytest.mark.parametrize(
    "text",
    [
        "[[Tea]] [[tea]] [[TEA|a cup]] [[Tea#Served]] [[Tea#^how]] [[Tea.md]]",
        "[[concepts/Tea]] [[wiki/concepts/Tea]] [[/concepts/tea.md]] [[../concepts/Tea]]",
        "![[Tea]] ![[Tea#Served]]",
        "`[[Nothing]]` and ``[[ `x` ]]``",
        "```sh\nif [[ -f x ]]; then [[ $a == b ]]; fi\n```",
        "~~~\n[[Nothing]]\n~~~",
        "    [[Nothing]]",
        "\\[[Nothing]] \\[\\[Nothing\\]\\]",
        "<!-- [[Nothing]] --> %% [[Nothing]] %%",
        "$[[Nothing]]$",
        "| a | b |\n| - | - |\n| [[Tea\\|x]] | [[Tea#Served\\|y]] |",
        "Run [[ -f x ]] or [[ $a == b ]] or [[ ! -d x ]] in a shell.",
        "In R, x[[1]] and x[['name']] are items.",
        "As it is said [[1]](#cite_note-1).",
        "[[{{title}}]] [[<% tp.date.now() %>]] [[${FOAM_TITLE}]]",
        "[[#Made]]",
        "[[]] [[ ]] [[\nTea]]",
        "[[index]] [[Overview]] [[log]]",
        "[[Chai]]",
    ],
)
def test_what_is_no_broken_link(text: str) -> None:
    more = dict.fromkeys(("wiki/index.md", "wiki/overview.md", "wiki/log.md"), "# X\n")
    assert not lint(f"# Example\n\n{text}\n", "broken-wikilink", more=more)


def test_links_of_templates_are_left_alone() -> None:
    assert not lint("", "broken-wikilink", more={"wiki/Templates/Day.md": "[[Name of project]]"})


def test_properties_hold_links_between_quotes() -> None:
    text = '---\nup: "[[Kettle]]"\nfor: "see [[Pot]]"\nnested: [[Jug]]\nsame: "[[Tea|t]]"\n---\n'
    found = lint(text, "broken-wikilink")
    assert shown(found) == [(HERE, 2, 6, "[[Kettle]] leads to no page")]


@pytest.mark.parametrize(
    ("target", "mend"),
    [
        ("Transformers", "Did you mean [[Transformer]]?"),
        ("transfomer", "Did you mean [[Transformer]]?"),
        ("Trasnformer", "Did you mean [[Transformer]]?"),
        ("RAG", ""),
        ("Quantum chromodynamics", ""),
        ("Something/Transformer model", "Did you mean [[Transformer]] (“transformer models”)?"),
    ],
)
def test_a_suggestion_is_a_spelling_or_a_letter_away(target: str, mend: str) -> None:
    more = {
        "wiki/concepts/Transformer.md": page("Transformer", front="aliases: [transformer models]"),
        "wiki/concepts/Retrieval-augmented generation.md": page("Retrieval-augmented generation"),
    }
    assert [f.mend for f in lint(f"[[{target}]]", "broken-wikilink", more=more)] == [mend]


def test_an_address_between_wikilink_brackets_is_no_page() -> None:
    more = {"wiki/concepts/Memory management.md": page("Memory management")}
    (found,) = lint("[[https://a.org/Memory_management#x]]", "broken-wikilink", more=more)
    assert "an address stands between wikilink brackets" in found.message
    assert "Did you mean" not in found.mend


def test_a_folder_must_fit() -> None:
    (found,) = lint("[[entities/Tea]]", "broken-wikilink")
    assert found.message == (
        "[[entities/Tea]] leads to no page: `wiki/concepts/Tea.md` lies in another folder"
    )
    assert found.mend == "Write [[Tea]]."


def test_names_of_other_scripts_and_forms_are_found() -> None:
    more = {"wiki/concepts/茶.md": page("茶"), "wiki/concepts/Th\u00e9.md": page("Thé")}
    assert not lint("[[茶]] [[The\u0301]] [[THÉ]]", "broken-wikilink", more=more)


# --- titles and aliases --------------------------------------------------------------------


def test_a_link_by_alias_is_led_to_the_file() -> None:
    (found,) = lint("A cup of [[chai|it]].", "link-to-alias")
    assert shown([found]) == [
        (HERE, 1, 10, "[[chai]] names [[Tea]] by another name than its file's")
    ]
    assert found.mend == "Write [[Tea|it]]."
    (bare,) = lint("A cup of [[chai#Served]].", "link-to-alias")
    assert bare.mend == "Write [[Tea#Served|chai]]."


def test_a_word_in_capitals_is_only_asked_about_and_an_own_alias_is_no_other_name() -> None:
    more = {"wiki/concepts/Odds.md": page("Odds", "[[ratio]]", "aliases: [OR, ratio]")}
    (found,) = lint("A gate [[OR]].", "link-to-alias", more=more)
    assert found.mend == "Did you mean [[Odds]]?" and found.by_hand


@pytest.mark.parametrize("text", ["[[Tea|Chai]]", "[[Pot]]", "`[[Chai]]`"])
def test_what_is_no_link_by_alias(text: str) -> None:
    assert not lint(text, "link-to-alias", more={"wiki/concepts/Pot.md": page("Pot")})


def test_a_file_beats_an_alias_of_the_same_name() -> None:
    more = {"wiki/concepts/Chai.md": page("Chai")}
    assert not lint("[[Chai]]", "link-to-alias", more=more)


# --- headings and blocks -------------------------------------------------------------------


@pytest.mark.parametrize(
    "anchor",
    ["How it is made, and why", "how-it-is-made-and-why", "Served", "Tea#Served",
     "See Leaf a cup (or two)"],
)  # fmt: skip
def test_headings_are_found_by_letters_and_digits(anchor: str) -> None:
    assert not lint(f"[[Tea#{anchor}]]", "broken-heading")


def test_a_missing_heading_is_told_of_with_the_nearest() -> None:
    (found,) = lint("\nSee [[Tea#how it was made|x]].", "broken-heading")
    assert (found.line, found.column) == (2, 5)
    assert found.message == "[[Tea#how it was made]] leads to a heading that [[Tea]] does not have"
    assert found.mend == "Did you mean the heading “How it is *made*, and why”?"


def test_headings_of_the_page_itself() -> None:
    found = lint("# Example\n\n## One\n\n[[#One]] [[#Two]]\n", "broken-heading")
    assert [f.message for f in found] == [
        "[[#Two]] leads to a heading that this page does not have"
    ]


@pytest.mark.parametrize("text", ["[[Tae#X]]", "![[x.pdf#page=2]]", "[[Tea#🍵]]", "`[[Tea#X]]`"])
def test_what_is_no_broken_heading(text: str) -> None:
    assert not lint(text, "broken-heading")


def test_blocks() -> None:
    found = lint(
        "[[Tea#^how]] [[Tea#^HOW]] [[Tea#^why]] [[#^own]]\n\nA line. ^own\n", "broken-block"
    )
    assert [f.about for f in found] == ["Tea#^why"]


def test_a_claim_that_moved_is_found() -> None:
    more = {"wiki/concepts/Cup.md": "# Cup\n\n- It holds tea. ^c-aaaaaaaaaa\n"}
    (found,) = lint("[[Tea#^c-aaaaaaaaaa]]", "broken-block", more=more)
    assert found.mend == "It stands on another page: [[Cup#^c-aaaaaaaaaa]]."
    assert found.claims == ("c-aaaaaaaaaa",)


def test_a_claim_that_is_nowhere_is_told_of_once() -> None:
    """A ledger's links to it are another rule's."""
    gone = "[[Tea#^c-bbbbbbbbbb]]"
    ledger = {"wiki/sources/x-md.md": page("X", f"- {gone}", "type: source")}
    assert not lint("", "broken-block", more=ledger)
    assert lint(f"- ~~Old.~~ → {gone} ^c-cccccccccc\n", "successor-missing")
    assert lint(f"As {gone} says.\n", "broken-block")


# --- Markdown links ------------------------------------------------------------------------


def test_a_markdown_link_to_no_file() -> None:
    (found,) = lint(
        '# Example\n\nSee [how](../entities/Kettle.md#x "Kettle").\n', "broken-file-link"
    )
    assert shown([found]) == [(HERE, 3, 5, "(../entities/Kettle.md) leads to no file")]
    assert found.about == "wiki/entities/Kettle.md"


@pytest.mark.parametrize(
    "text",
    [
        "[a](Tea.md) [b](./tea.md#made) [c](../concepts/Tea.md?raw=1) [d](Tea)",
        "[a](https://example.org/x.md) [b](mailto:a@example.org) [c](#made) [d](//example.org/x)",
        "[a](../../README.md) [b](/docs/x.md) [c](../../../x.md)",
        "[a](<../concepts/My cup.md>) [b](My%20cup.md)",
        "`[a](Nothing.md)` \\[a](Nothing.md) <!-- [a](Nothing.md) -->",
        "```\n[a](Nothing.md)\n```\n\n    [a](Nothing.md)",
        "[a](..) [b](../concepts/) [c](../concepts) [d](../img)",
        "[a](../img/leaf.png) ![a](../img/leaf.png) [![a](../img/leaf.png)](Tea.md)",
        "[a](../index.md) [b](Tea.html) [c]({{ url }}) [d]({% link x.md %})",
        "[a]() [b](",
        "[x](Far.md)",
        "[a](../img/leaf_(1).png)",
        "[[Tea|Cup]](s)",
    ],
)
def test_what_is_no_broken_markdown_link(text: str) -> None:
    more = {
        "wiki/concepts/My cup.md": page("My cup"),
        "wiki/img/leaf.png": "",
        "wiki/img/leaf_(1).png": "",
        "wiki/index.md": "# Index\n",
        "wiki/far/away/Far.md": page("Far"),
    }
    rules = ("broken-file-link", "missing-attachment", "moved-raw-file")
    assert not lint(f"# Example\n\n{text}\n", *rules, more=more)


def test_attachments() -> None:
    text = "![[a.png]] ![[b.png|200]] [[c.pdf#page=3]] ![](d.png) ![x](../img/b.png)\n"
    more = {"wiki/img/b.png": "", "wiki/files/deep/C.PDF": ""}
    found = lint(text, "missing-attachment", "broken-wikilink", "broken-file-link", more=more)
    assert [(f.column, f.code) for f in found] == [(1, "WK104"), (44, "WK104")]


def test_a_source_that_moved_is_told_of_and_one_that_is_gone_is_broken() -> None:
    text = "[a](../../raw/x.pdf) [b](../../raw/y.pdf)\n"
    found = lint(text, "moved-raw-file", "broken-file-link", more={"raw/papers/x.pdf": ""})
    assert [(f.code, f.column, f.mend) for f in found] == [
        ("WK104", 1, "Did you mean (../../raw/papers/x.pdf)?"),
        ("WK104", 22, ""),
    ]


def committed(root: Path, files: Mapping[str, bytes | str | None]) -> None:
    gitkit.put(root, files)
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "pages")


def file_links(root: Path) -> list[str]:
    with Repository(layout_of(root, as_root=True)._replace(notes="")) as repo:
        return [f.message for f in run.lint(repo, codes=frozenset({"WK104"})).findings]


def test_a_path_from_the_root_of_a_site_may_begin_at_any_folder_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    gitkit.git(tmp_path, "init", "-q")
    text = "[all](/features) [one](/features/leaf.zip) [page](/others) [none](/no.md)\n"
    committed(tmp_path, {"docs/guide/Start.md": text, "docs/features/leaf.zip": "x"})
    assert file_links(tmp_path) == ["(/no.md) leads to no file"]


# --- how pages are linked ------------------------------------------------------------------


def test_orphans() -> None:
    found = lint_texts(
        {
            "wiki/entities/A.md": page("A", "[[B]]", "type: entity"),
            "wiki/entities/B.md": page("B", "[[B]]", "type: entity"),
            "wiki/concepts/C.md": page("C", "[[C]]", "type: concept"),
            "wiki/syntheses/S.md": page("S", "", "type: synthesis"),
            "wiki/sources/d-md.md": page("D", "", "type: source"),
            "wiki/daily/2026-05-01.md": page("E", "", "type: daily"),
            "wiki/index.md": "# Index\n\n* [A](entities/A.md)\n* [C](concepts/C.md)\n",
            "wiki/overview.md": "# Overview\n\nIt begins with [[A]].\n",
        },
        [RULES["orphan"]],
    )
    assert [f.path for f in found] == ["wiki/concepts/C.md"]


@pytest.mark.parametrize(
    "text",
    ["[[C]]", "[[c#x]]", "![[C]]", "[see](../entities/C.md)", "[see][1]\n\n[1]: ../entities/C.md",
     "%% [[C]] %%", "[[Other name]]"],
)  # fmt: skip
def test_a_page_that_is_linked_in_any_way_is_no_orphan(text: str) -> None:
    c = page("C", "", "type: entity\naliases: [Other name]")
    pages = {HERE: page("Example", text + " [[Tea]]"), "wiki/entities/C.md": c}
    assert not [f for f in lint_texts(pages, [RULES["orphan"]]) if f.path != HERE]


def test_a_name_used_on_three_pages_deserves_one() -> None:
    uses = {
        f"wiki/concepts/P{n}.md": f"# P\n\n[[OpenAI]] [[OpenAI|x]] [[Chai{n}]]\n" for n in range(3)
    }
    told = lint("", "missing-page", more=uses)
    assert len([f for f in told if f.message.endswith("to no page, as on 2 other pages")]) == 6
    uses.popitem()
    assert "other pages" not in str(lint("", "missing-page", more=uses))


# --- how links are read --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[" * 25_000, "[a](b (" * 7_000, "`" * 49_999 + "[a](b",
        "[[a]](" * 8_000, "[[" + "a" * 49_998, "%%" * 25_000 + "[[a]]",
        "#" + " " * 49_990 + "a", "> " * 25_000 + "[a](b)", "[a](" + "b(" * 25_000,
        "x\n---\n" * 8_000, "---\na: '" + "[[" * 25_000, "[[a]]" * 10_000,
    ],
    ids=range(12),
)  # fmt: skip
def test_hostile_text_takes_time_in_proportion(text: str) -> None:
    began = process_time()
    lint_texts({HERE: text}, beginning("WK1"))
    assert process_time() - began < 12


# --- what other tools make of links --------------------------------------------------------


def names_and_places(found: list[Finding]) -> list[tuple[str, str]]:
    return [(f.code, f.about) for f in found]


def test_a_catalogue_file_at_the_top_is_what_its_name_means() -> None:
    files = {
        "wiki/index.md": "# Welcome\n\n## 🪴 Get started\n\nPour.\n",
        "wiki/plugins/index.md": "# Plugins\n",
        "wiki/recipes/index.md": "# Recipes\n",
    }
    rules = [RULES["broken-heading"]]
    text = "[[index#🪴 Get Started|here]] [[index]] [[index#Brewing]] [[plugins/index#Brewing]]\n"
    found = lint_texts({**files, HERE: text}, rules)
    # Both lead to the one page of the name.
    assert names_and_places(found) == [("WK102", "index#Brewing")]


def test_a_link_may_lead_to_the_list_of_a_folder_or_of_a_tag_below_a_tags_page() -> None:
    files = {
        "wiki/recipes/Tea.md": "# Tea\n",
        "wiki/tags/drink.md": "# Drinks\n",
        HERE: "[[recipes/]] [[tags/drink/hot]] [[receipts/]] [[tags/food/hot]] [[drink/hot]]\n",
    }
    found = lint_texts(files, [RULES["broken-wikilink"]])
    assert [f.about for f in found] == ["receipts/", "drink/hot"]


GITHUB = {
    "wiki/Home.md": "[[Lead space]]\n",
    "wiki/a/Lead-space.md": "[[Tea cup]] [[Te cup]]\n",
    "wiki/b/Tea-cup.md": "Made of clay.\n",
    "wiki/b/Alone.md": "Made of clay.\n",
    "wiki/b/More.md": "[[tea cup]] [[Kettle stand]]\n",
    "wiki/b/Most.md": "[[Tea cup#Clay]] [[Kettle stand]] [[Kettle stand]]\n",
    "wiki/b/Last.md": "[[Kettle stand]]\n",
}
SHARED = ("broken-wikilink", "orphan")


def test_in_a_wiki_of_github_a_blank_finds_a_hyphen() -> None:
    found = lint_texts(GITHUB, [RULES[name] for name in SHARED])
    assert {(f.code, f.about) for f in found} == {
        ("WK101", "Te cup"),
        ("WK101", "Kettle stand"),
    }


@pytest.mark.parametrize("change", ["no page of GitHub's own", "a blank in a file's name"])
def test_elsewhere_a_blank_is_no_hyphen(change: str) -> None:
    files = dict(GITHUB)
    if change == "no page of GitHub's own":
        files["wiki/Start.md"] = files.pop("wiki/Home.md")
    else:
        files["wiki/b/Two words.md"] = "[[Home]]\n"
    found = lint_texts(files, [RULES[name] for name in SHARED])
    assert {("WK101", "Lead space"), ("WK101", "Tea cup")} <= {(f.code, f.about) for f in found}


# --- what the owner of other notes does not want to hear of ----------------------------------

VAULT = VaultKinds(vault=VaultKind.NOTES)


@pytest.mark.parametrize("vault", [VaultKind.OBSIDIAN, VaultKind.NOTES])
def test_a_title_leads_nowhere_in_obsidian_and_may_elsewhere(vault: VaultKind) -> None:
    files = {"wiki/tea.md": "---\naliases: [Chai]\n---\n# Tea\n", "wiki/a.md": "[[Chai]]\n"}
    found = lint_texts(files, ["WK105"], vaults=VaultKinds(vault=vault))
    assert len(found) == (vault is VaultKind.OBSIDIAN)


@pytest.mark.parametrize(
    ("link", "fires"),
    [
        ("[[2023-W05]]", False),
        ("[[2023-02-05]]", False),
        ("[[Journal/2023-02]]", False),
        ("[[2023 plans]]", True),
        ("[[tags/plugin]]", False),
        ("[[Kettle]]", True),
    ],
)
def test_links_to_days_and_tags_may_lead_nowhere(link: str, fires: bool) -> None:
    pages = {f"wiki/notes/{n}.md": f"{link} of {n}\n" for n in "abc"}
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    found = {(f.code, f.severity) for f in lint_texts(pages, ["WK101"], vaults=vaults)}
    assert found == ({("WK101", Severity.NOTE)} if fires else set())


def test_a_name_with_numbers_is_no_slip_of_another() -> None:
    (found,) = lint_texts({HERE: "[[Plan 2]]\n", "wiki/Plan 3.md": "x\n"}, ["WK101"])
    assert found.mend == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("wiki/log.md", "[[Kettle]] is to come."),
        ("wiki/meta/lint-report-2026.md", "[[old/Tea]] leads to no page."),
        ("wiki/a.md", "> Write :[[hole]] for what may stand there."),
    ],
)
def test_words_about_links_are_no_links(path: str, text: str) -> None:
    files = {path: f"{text}\n", "wiki/new/Tea.md": "Tea.\n"}
    assert not lint_texts(files, ["WK101"], vaults=VAULT)


def test_a_link_with_the_wrong_folder_keeps_its_anchor_and_words() -> None:
    files = {"wiki/a.md": "See [[old/Tea#Pot|it]].\n", "wiki/new/Tea.md": "# Pot\n"}
    (found,) = lint_texts(files, ["WK101"], vaults=VAULT)
    assert found.mend == "Write [[Tea#Pot|it]]."


@pytest.mark.parametrize(("heading", "had"), [("Task A6", "Task A2"), ("A6", "A"), ("А2", "🟦 А1")])
def test_headings_of_other_numbers_are_not_meant(heading: str, had: str) -> None:
    (found,) = lint_texts({HERE: f"# {had}\n\n[[#{heading}]]\n"}, ["WK102"])
    assert found.mend == ""


# --- links of folders that have Markdown links alone -------------------------------------------


def lint_folder(link: str, *names: str, **texts: str) -> list[Finding]:
    """What a folder of notes says of a link on wiki/a/One.md, beside wiki/b/Two.md."""
    two = "# Two\n\n## What's new & old?\n\n## Parts\n\n## Parts\n\n<a name='mark'></a>\n\n"
    two += "### X {#ex}\n"
    return lint_texts(
        {"wiki/a/One.md": f"See {link}.\n", "wiki/b/Two.md": two, **texts}, names, vaults=VAULT
    )


@pytest.mark.parametrize(
    ("link", "mend"),
    [
        ("[it](../Two.md)", "Did you mean (../b/Two.md)?"),
        ("[it](b/) [of a site](../c/b/)", "Did you mean (../b)?"),
        ("[it](../c/T-wo.md)", ""),
        ("[it](../b/Two\u200e.md)", "Take the invisible character U+200E out of the path."),
        ("[it](../b/Two.md)", None),
        ("[it](../../b/Two) and [it](/b/Two.md)", None),
        ("[it](../Two.md) and [[Two]]", None),
        ("[it](../../../elsewhere.md)", None),
    ],
)
def test_a_markdown_link_leads_to_the_file_at_its_path(link: str, mend: str | None) -> None:
    assert [found.mend for found in lint_folder(link, "WK104")] == ([] if mend is None else [mend])


@pytest.mark.parametrize(
    ("anchors", "mend"),
    [
        ("whats-new--old parts parts-1 mark ex top fn:1 user-content-parts", None),
        ("part parts-of", "Did you mean the heading “Parts” for `#part`"),
        ("kettle", "Correct"),
    ],
)
def test_the_anchors_of_markdown_links_are_headings(anchors: str, mend: str | None) -> None:
    links = " ".join(f"[it](../b/Two.md#{anchor})" for anchor in anchors.split())
    found = lint_folder(links, "WK102")
    assert len(found) == (mend is not None)
    assert not found or (found[0].mend or NAMED["WK102"].mending).startswith(mend or "")
    own = lint_folder("[here](#nowhere) [there](#nor-here)", "WK102")
    told = "2 links lead to headings that this page does not have: `#nowhere` and `#nor-here`"
    assert [each.message for each in own] == [told]


def test_what_was_copied_from_the_web_links_to_what_lay_there() -> None:
    links = "[a](../far/Off.md) [b](#gone)"
    for clipped in (
        f"---\nsource: https://example.org/x\n---\n{links}\n",
        f"https://example.org/x\n\n{links}\n",
    ):
        assert not lint_texts({"wiki/a/One.md": clipped}, ["WK102", "WK104"], vaults=VAULT)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("[[https://example.org/x#b|Of it]]", "Write [Of it](https://example.org/x#b)."),
        ("[[Manual]]", "Did you mean [[Manual.pdf]]?"),
        ("## Pot\n\n[[Old brew#Pot]] [[Kettle#Pot]]", "Did you mean [[#Pot]]?"),
        ("sed [[:space:]] or [[ x ]]", None),
        ("So it is:\n$$ p = [[q]](r) $$", None),
    ],
)
def test_what_brackets_mean_that_name_no_page(text: str, mend: str | None) -> None:
    files = {"wiki/Brew.md": f"{text}\n", "wiki/Manual.pdf": "x"}
    found = lint_texts(files, ["WK101", "WK104"], vaults=VAULT)
    assert [each.mend for each in found] == ([] if mend is None else [mend])


def test_what_a_project_or_a_clone_has_elsewhere_is_not_told_as_missing() -> None:
    shown = {f"wiki/{n}.md": f"![[{n}.pdf]] [[Tee {n}]]" for n in range(6)}
    told = lint_texts({**shown, "wiki/a.md": "![[a.png]]"}, ["WK104"], vaults=VAULT)
    assert [each.message.partition(" links")[0] for each in told][:1] == ["6"] and len(told) == 2
    site = {"wiki/site/a.md": "![](pot.pdf)", "wiki/site/pot.pdf": "x"}
    notes = {path.replace("wiki/", "wiki/notes/"): text for path, text in shown.items()}
    (hit,) = lint_texts({**notes, **site}, ["WK104"], vaults=VAULT)
    assert hit.severity is Severity.NOTE and hit.message == (
        "6 links of 6 pages show files `.pdf` that are not in the folder: `0.pdf`, `1.pdf`, "
        "`2.pdf` and 3 more"
    )
    docs = {
        "wiki/tea.md": "---\nid: how-tea\n---\n\nTea.",
        "wiki/b.md": "[it](how-tea) [no](tee.md)",
    }
    (hit,) = lint_texts(docs, ["WK104"], vaults=replace(VAULT, vault=VaultKind.DOCS))
    assert "(tee.md)" in hit.message
    shown = {"wiki/p.md": "[a](a.pdf) [b](x/a.pdf) [[q]]", "wiki/q.md": "", "wiki/files/a.pdf": "x"}
    (hit,) = lint_texts(shown, ["WK104"], vaults=replace(VAULT, vault=VaultKind.OBSIDIAN))
    assert hit.message == "(x/a.pdf) leads to no file"
    old = {"wiki/99 - Archive/a.md": "[it](no.md)", "wiki/Archive 2025/b.md": "[it](no.md)"}
    notes = [each.severity for each in lint_texts(old, ["WK104"], vaults=VAULT)]
    assert notes == [Severity.NOTE] * 2


def test_two_words_of_other_marks_are_two_names() -> None:
    pages = {
        "wiki/Nhà Tần.md": "A.",
        "wiki/Nhà Tấn.md": "B.",
        "wiki/Tran.md": "C.",
        "wiki/Trần.md": "D",
    }
    (hit,) = lint_texts(pages, ["WK313"], vaults=VAULT)
    assert hit.path.startswith("wiki/Tr")


def test_pages_of_logseq_and_of_a_site_are_found_by_their_ways() -> None:
    pages = {
        "wiki/a___b%3F.md": "---\ntitle: [A] b\n---\nB.",
        "wiki/a___c:d.md": "[[A___b?]] [[a/c:d]]",
        "wiki/b.md": "[[a/b?]] [[z/Cup]] [[Cups]] [[b's]] [[a/c:d]] [[a/tea.yml]] [x](x.md)",
        "wiki/Cup.md": "A.",
    }
    found = lint_texts(pages, ["WK101", "WK104"], vaults=VaultKinds(vault=VaultKind.LOGSEQ))
    told = [(hit.message.split()[0], hit.mend) for hit in found]
    assert told == [("[[Cups]]", "Did you mean [[Cup]]?")]
    site = {f"wiki/{n}.md": "[it](g) [it](h.md)\n\n[[menus.main]]" for n in range(5)}
    told = lint_texts(site, ["WK101", "WK104"], vaults=VaultKinds(vault=VaultKind.DOCS))
    assert ["(h.md)" in hit.message for hit in told] == [True] * 5


def test_what_heads_several_notes_of_another_tool_is_the_name_of_none() -> None:
    pages = {"wiki/a.md": "# Problem\n", "wiki/b.md": "# Problem\n", "wiki/c.md": "[[Problem]]"}
    (hit,) = lint_texts(pages, ["WK105"])
    assert "2 pages" in hit.message
    obsidian = VaultKinds(vault=VaultKind.OBSIDIAN)
    assert lint_texts(pages, ["WK105"], vaults=obsidian) == []
    del pages["wiki/b.md"]
    assert lint_texts(pages, ["WK105"], vaults=obsidian)


def test_a_wiki_of_gollums_has_the_page_behind_the_bar() -> None:
    page = (
        "[[Words|Green tea]] [[it|dir/Green-tea#Top]] [[https://a.io/Home#x]] [[A|https://a.io/]]"
        " [[pot.png|width=9]] [a](#top_2-1) [[_TOC_]] [[include:b]]\n\n# Top\n\n## 2.1\n"
    )
    pages = {"wiki/Home.md": page, "wiki/dir/Green-tea.md": "# Top\n", "wiki/pot.png": b""}
    gollum = VaultKinds(vault=VaultKind.GOLLUM)
    assert lint_texts(pages, ["WK101", "WK102", "WK104"], vaults=gollum) == []
    pages["wiki/Home.md"] = page.replace("Green", "Red")
    told = lint_texts(pages, ["WK101"], vaults=gollum)
    assert ["Red" in hit.message for hit in told] == [True]


def test_a_file_of_the_catalogue_answers_a_link_by_its_names() -> None:
    pages = {
        "wiki/overview.md": "---\naliases: [The whole]\n---\n# All\n\n## Part\n",
        "wiki/a.md": "[[The whole#Part]] [[overview]] [[b]]",
        "wiki/b.md": "B.",
    }
    assert lint_texts(pages, ["WK101", "WK102"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN)) == []


@pytest.mark.parametrize(
    ("link", "mend"),
    [
        ("[[Tea#Kinds]]", "the heading “Kinds of tea”"),
        ("[[Tea#Long-term storing]]", ""),
        ("[[Tea#Storing of green leaves]]", "the heading “Storing green leaves, a short way”"),
        ("[[Tea#Of white clay]]", "[[Cup#Of white clay]]"),
        ("[a](Tea.md#of-white-clay)", "(Cup.md#of-white-clay)"),
        ("[[Tea#Glaze]]", ""),
        ("[[#Storing of cups and pots]]", "the heading “Storing of cups”"),
        ("[[Tea#Clay pot]]", "the heading “Clay pot jugs”"),
    ],
)
def test_the_heading_that_is_meant_is_told_only_where_it_is_sure(link: str, mend: str) -> None:
    tea = "# Tea\n\n## Kinds of tea\n\n## Short-term storing\n\n"
    tea += "## Storing green leaves, a short way\n\n## [[Clay pot|jugs]]\n"
    cup = "# Cup\n\n## Of white clay\n\n## Of white clay, and why\n\n## Glaze\n"
    pages = {"wiki/Tea.md": tea, "wiki/Cup.md": cup, "wiki/Pot.md": "# Pot\n\n## Glaze\n"}
    text = f"# Example\n\n## Storing of cups\n\n{link}\n"
    (found,) = lint_texts({"wiki/a.md": text, **pages}, ["WK102"])
    assert found.mend == (f"Did you mean {mend}?" if mend else "")


def test_links_of_a_page_that_lead_astray_on_one_other_are_told_once() -> None:
    text = "[[Tea#Pots]] [[Tea#^x]] [[Tea#Pots|p]] [[Tea#Jugs]] [[Tea#Mugs]] [[Leaf#Pots]]\n"
    assert [(f.column, f.message) for f in lint(text, "WK102")] == [
        (1, "5 links lead to headings and blocks that [[Tea]] does not have: "
         "`#Pots`, `#^x`, `#Jugs` and 1 more"),
        (66, "[[Leaf#Pots]] leads to a heading that [[Leaf]] does not have"),
    ]  # fmt: skip


def test_what_many_pages_of_other_notes_miss_on_one_is_told_once() -> None:
    pages = {f"wiki/{n}.md": f"[[Tea#Pots]] [[Tea#{n}]]\n" for n in "abcd"}
    pages["wiki/e.md"] = "[[Tea#Making]] [[Tea#^cup]]\n"
    tea, cup = "# Tea\n\n## Making it\n\n[[#Pots]]\n", "# Cup\n\nOf clay. ^cup\n"
    found = lint_texts({**pages, "wiki/Tea.md": tea, "wiki/Cup.md": cup}, ["WK102"], vaults=VAULT)
    assert [(f.path, f.message, f.mend) for f in found] == [
        ("wiki/Tea.md", "[[#Pots]] leads to a heading that this page does not have",
         ""),
        ("wiki/a.md", "8 links of 4 pages lead to headings that [[Tea]] does not have: `#Pots` (4),"
         " `#a` (1), `#b` (1) and 2 more", "Give [[Tea]] these headings, or correct the links of "
         "`wiki/a.md`, `wiki/b.md`, `wiki/c.md` and 1 more."),
        ("wiki/e.md", "2 links lead to headings and blocks that [[Tea]] does not have: "
         "`#Making` and `#^cup`", "Did you mean the heading “Making it” for `#Making` and "
         "[[Cup#^cup]] for `#^cup`?"),
    ]  # fmt: skip


def test_what_one_cause_has_led_astray_in_other_notes_is_told_once() -> None:
    names = [f"Tea number {n}" for n in "abcde"]
    pages = {f"wiki/Clips/{name}.md": "[[https://x.example/a|a]]\n" for name in names}
    pages |= {"wiki/p.md": "".join(f"[[Lost/{name}]]\n" for name in names)}
    pages["wiki/q.md"] = "---\nsource: https://x.example\nauthor: '[[A. Nobody]]'\n---\n"
    pages["wiki/r.md"] = "[[Lost/Tea number a|Tea number a]]\n"
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    found = lint_texts(pages, ["WK101"], vaults=vaults)
    assert [(f.path, f.message, f.mend) for f in found] == [
        ("wiki/Clips/Tea number a.md", "5 addresses stand between wikilink brackets on 5 pages",
         "Write [a](https://x.example/a). Where a template of an export writes them, change that."),
        ("wiki/p.md", "5 links name the folder `Lost/`, which is not there",
         "5 of their pages lie in `wiki/Clips/`: write that for it, or no folder."),
        ("wiki/r.md", "[[Lost/Tea number a]] leads to no page: `wiki/Clips/Tea number a.md` lies in"
         " another folder", "Write [[Tea number a]]."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("link", "told"),
    [
        # Another form of a word, and a short name in the plural, are other things.
        ("[[Contained]]", "[[Contained]] has no page yet"),
        ("[[SOP]] [[Pouring]]", "[[Pouring]] and [[SOP]] have no page yet"),
        ("[[Kettles]]", "Did you mean [[Kettle]]?"),
        ("[[Green kettles]]", "Did you mean [[Kettle]] (“Greenkettle”)?"),
        ("[[3 - Big cups]]", "Did you mean [[3,1 - Big cups]]?"),
        ("[[C program]] [[2-norm]]", "[[2-norm]] and [[C program]] have no page yet"),
        # A label, of what is named whole.
        ("[[Thm 6.1]]", "Did you mean [[Thm 6.1 On kettles]]?"),
        ("[[Thm 6]]", "[[Thm 6]] has no page yet"),
    ],
)
def test_another_form_of_a_word_is_not_meant_in_other_notes(link: str, told: str) -> None:
    pages = {
        f"wiki/{name}.md": "x\n"
        for name in (
            "Container",
            "sops",
            "Thm 6.1 On kettles",
            "C++ program",
            "1-norm",
            "3,1 - Big cups",
        )
    }
    pages["wiki/Kettle.md"] = "---\naliases: [pourings, Greenkettle]\n---\n"
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    (found,) = lint_texts({"wiki/p.md": f"{link}\n", **pages}, ["WK101"], vaults=vaults)
    assert told in (found.message, found.mend)


@pytest.mark.parametrize(
    ("link", "told"),
    [
        # The last part of a name with points is the title of many.
        ("[[todos]]", "[[todos]] has no page yet"),
        ("[[a.b.todo]]", "[[a.b.todo]] has no page yet"),
        ("[[doe2020]]", "[[doe2020]] has no page yet"),
        ("[[projects.Tea_notes]]", "Did you mean [[projects.tea-notes]]?"),
        ("[[dendron://vault/todo]] [[obsidian://open?vault=x]] [[It|dendron://vault/a]]", ""),
        ("[[Words on it|x.todo]] [[../src/main.ts]]", ""),
        ("[[Picture]] [[Menu]]", "[[Menu]] and [[Picture]] have no page yet"),
        ("[[a/x.todo#Tea]]", "Write [[x.todo#Tea]]."),
        ("![[a/x.todo#Gone]]", "[[a/x.todo]] has no page yet"),
    ],
)
def test_what_a_wikilink_means_in_other_notes_is_told_only_where_it_is_sure(
    link: str, told: str
) -> None:
    pages = {
        "wiki/x.todo.md": "---\ntitle: Todo\n---\n# Tea\n",
        "wiki/biblio.doe2020_.md": "---\ntitle: doe2020_\n---\n",
        "wiki/projects.tea-notes.md": "[[x.todo]]",
        "wiki/menu.html": "",
        "wiki/picture.png": "",
    }
    found = lint_texts({"wiki/p.md": f"{link}\n", **pages}, ["WK101"], vaults=VAULT)
    assert told in [told, *(text for f in found for text in (f.message, f.mend))]
    assert [f for f in found if told in (f.message, f.mend)] or not (told or found)


def test_definitions_of_references_are_checked_as_links_are() -> None:
    text = (
        'See [it][a] [b] [c].\n\n[a]: ../b/Two.md#nowhere "Two"\n[b]: ../b/Three.md\n[c]: #x\n\n'
        "[d]: https://a.org/x#y\n\nSo [x] is\n[e]: ../b/Four.md\n\n[f]: ../b/five.md or six\n\n"
        "```\n[g]: ../b/Seven.md\n```\n"
    )
    pages = {"wiki/a/One.md": text, "wiki/b/Two.md": "# Two\n"}
    found = lint_texts(pages, ["WK102", "WK104"], vaults=VAULT)
    assert [(f.code, f.line, f.about) for f in found] == [
        ("WK102", 3, "../b/Two.md#nowhere"),
        ("WK104", 4, "wiki/b/Three.md"),
        ("WK102", 5, "#x"),
    ]


@pytest.mark.parametrize(
    ("link", "mend"),
    [
        (r"[it](..\b\Two.md)", []),
        (r"[it](c\Two.md)", ["Did you mean (../b/Two.md)?"]),
        ("[it](.Three.md)", ["Did you mean (Three.md)?"]),
        ("[it](.env) [it](.github/x.md) [it](../src/lib/x.ts)", []),
        ("[it](Two.md) [it](Two.md)", ["Did you mean (../b/Two.md)?"]),
    ],
)
def test_addresses_are_read_as_tools_read_them(link: str, mend: list[str]) -> None:
    pages = {"wiki/a/One.md": f"{link}\n", "wiki/a/Three.md": "x", "wiki/b/Two.md": "x"}
    assert [f.mend for f in lint_texts(pages, ["WK104"], vaults=VAULT)] == mend


def test_files_that_git_ignores_may_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    gitkit.git(tmp_path, "init", "-q")
    text = "![[a.pdf]] [x](sub/b.pdf) ![[c.mp4]] ![](private/d.png) ![[e.jpg]] ![[f.svg]]\n"
    ignored = "*.pdf\nsub/*.mp4\nprivate/\n"
    files = {"a.md": text, "b.md": "x", ".obsidian/app.json": "{}", ".gitignore": ignored}
    committed(tmp_path, files)
    told = "2 links lead to files that are not there: `e.jpg` and `f.svg`"
    assert file_links(tmp_path) == [told]
    committed(tmp_path, {".gitignore": ignored + "/notes/Attachments\n"})
    assert file_links(tmp_path) == []


def test_what_one_page_of_other_notes_lacks_is_told_once() -> None:
    text = "[a](a.md) [b](b.md) ![](c.png) [a](a.md#x) [d](d.md)\n\n"
    text += "[[Gren tea leaf]] [[Gren tea leaf|x]]\n"
    pages = {"wiki/p.md": text, "wiki/q.md": "[a](a.md)", "wiki/Green tea leaf.md": "x"}
    found = lint_texts(pages, ["WK101", "WK104"], vaults=VAULT)
    lost = "lead to files that are not there:"
    assert [(f.path, f.message) for f in found] == [
        ("wiki/p.md", f"5 links {lost} `a.md`, `b.md`, `c.png` and 1 more"),
        ("wiki/p.md", "[[Gren tea leaf]] leads to no page"),
        ("wiki/q.md", "(a.md) leads to no file"),
    ]


@pytest.mark.parametrize(
    ("link", "mend"),
    [
        ("[[TCP/IP]]", "Write a page"),
        ("[[Old/Net/IP]]", "Write [[IP]]."),
        ("[[TCP/IP stack]]", "Write [[IP stack]]."),
        ("[[Big tea plan]]", "Write a page"),
    ],
)
def test_a_name_with_a_slash_and_one_of_two_pages_are_not_meant(link: str, mend: str) -> None:
    names = ("net/IP", "net/IP stack", "1. Big tea-plan", "2. Big tea-plan")
    pages = {f"wiki/{name}.md": "x" for name in names}
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    (found,) = lint_texts({"wiki/p.md": link, **pages}, ["WK101"], vaults=vaults)
    assert found.mend.startswith(mend)


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("![[a.tea#making,1:#*]] ![[a.tea#making:#pots]] [[a.tea#x,1]]", ["[[a.tea#x,1]]"]),
        ("[[a.tea#v-1]] [[a.tea#way]] [[a.tea#key]] [[a.tea#none]]", ["[[a.tea#none]]"]),
        ("[[b#any]] [[b#other]]", []),
        ("[[wiki/a.tea#none|b.tea]]", ["[[wiki/a.tea#none]]"]),
        ("[[Some words|a.tea#making]] [[p|a.tea#^x]] [[b|2.0 and more]]", ["[[a.tea#^x]]"]),
    ],
)
def test_what_tools_read_as_anchors(link: str, told: list[str]) -> None:
    tea = '# Tea\n\n## Making\n\n### 1 { id="v-1" }\n\n### 2 { id=way }\n\n### 3 {#key}\n'
    pages = {"wiki/a.tea.md": tea, "wiki/b.md": "# B\n\n<!-- md:option any -->\n"}
    found = lint_texts({"wiki/p.md": f"{link}\n", **pages}, ["WK102"], vaults=VAULT)
    assert [f.message.partition(" leads")[0] for f in found] == told


def test_what_is_no_page_of_this_vault_in_frontmatter_is_left_alone() -> None:
    text = '---\nschema: "[[dendron://docs/ref.schema]]"\n---\n\n![[old#Making]]\n\n## Making\n'
    pages = {"wiki/p.md": text, "wiki/ref.schema.md": "[[p]]"}
    (found,) = lint_texts(pages, ["WK101"], vaults=VAULT)
    assert found.message == "[[old]] has no page yet"
