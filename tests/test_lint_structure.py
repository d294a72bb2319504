"""Rules of structure: each fires where it should, and not beside it."""

from __future__ import annotations

import random
import time

import pytest
from lintkit import beginning, lint_texts
from longform import examples

from llmwiki.index.keys_of_names import entry_of
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.lint.findings import Finding, Severity
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rules.catalogue import INDEX, OVERVIEW
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds
from llmwiki.pages import catalogue

RULES = beginning("WK0")
LEAD = (
    "# Tea\n\n" + "Tea is an infusion of leaves in hot water, and is drunk everywhere. " * 2 + "\n"
)
FRONT = "type: concept\ntitle: Tea\ndescription: A drink.\n"


def page(front: str = FRONT, body: str = LEAD) -> str:
    return f"---\n{front}---\n\n{body}"


def found(path: str, text: str | bytes) -> list[Finding]:
    return lint_texts({path: text}, RULES)


def codes(path: str, text: str | bytes) -> set[str]:
    return {finding.code for finding in found(path, text)}


TEA = "wiki/concepts/Tea.md"


def test_a_page_as_the_tool_writes_it_is_clean() -> None:
    assert codes(TEA, page()) == set()


# --- frontmatter, type, title --------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "code", "line"),
    [
        (TEA, LEAD, "WK001", 1),
        (TEA, page("type: concept\ntitle: [a\n"), "WK002", 3),
        (TEA, "---\ntype: concept\ntitle: Tea\n\n" + LEAD, "WK002", 1),
        (TEA, page("title: Tea\ndescription: A drink.\n"), "WK001", 1),
        ("wiki/Any.md", page("generated: llmwiki/0.1.0\ntitle: Any\n"), "WK001", 1),
        (TEA, page(FRONT.replace("concept", "source")), "WK004", 2),
        (TEA, page(FRONT.replace("concept", "drink")), "WK004", 2),
        (TEA, page(FRONT.replace("title: Tea", "title: '   '")), "WK001", 3),
        (TEA, page("type: concept\ntitle: Tea\n"), "WK009", 1),
        (TEA, page(FRONT + "title: Coffee\n"), "WK002", 3),
    ],
)
def test_frontmatter_that_is_not_as_it_should_be(
    path: str, text: str, code: str, line: int
) -> None:
    assert (code, line) in {(f.code, f.line) for f in found(path, text)}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # A vault of somebody else: no frontmatter, other keys, other types, other folders.
        ("wiki/Notes/Tea.md", LEAD),
        ("wiki/Notes/Tea.md", page("type: recipe\ntags: [drink, 2026/05, ünïcode, '#hash']\n")),
        ("wiki/Notes/Tea.md", page("title:\ncreated: 2026-01-01\n")),
        (
            "wiki/Templates/Day.md",
            "---\ncreated: {{date}}\n---\n# {{title}}\n<% tp.file.cursor() %>",
        ),
        # Ours, written by a person.
        (TEA, page("type: concept\ndescription: A drink.\n")),
        (TEA, page(FRONT.replace("title: Tea", "title: tea"), LEAD.replace("# Tea", "# tea"))),
        ("wiki/concepts/Tea (concept).md", page()),
        ("wiki/sources/tea-md.md", page(FRONT.replace("concept", "source"))),
        # Skills follow another standard.
        ("wiki/skills/brew/SKILL.md", "---\nname: brew\ndescription: Brews.\n---\n" + LEAD),
    ],
)
def test_frontmatter_that_is_nobody_elses_business(path: str, text: str) -> None:
    assert codes(path, text) <= {"WK009"}


def test_frontmatter_must_begin_the_page() -> None:
    fields = "---\ntitle : Tea\ndate : 2021-11-08\n---\n" + LEAD
    for before, line in (("\t", 1), ("\n\n", 3), ("\ufeff \r\n", 2)):
        told = found("wiki/Notes/Tea.md", before + fields)
        (finding,) = [f for f in told if f.code == "WK002"]
        assert finding.line == line
        assert finding.message.startswith("The frontmatter does not begin the page")
    for text in (fields, "\n---\nNote: this is text.\n---\n" + LEAD, "\n" + LEAD, "\n---\n" + LEAD):
        assert codes("wiki/Notes/Tea.md", text) == set()


@pytest.mark.parametrize(
    ("front", "line", "said"),
    [
        ("tags: a\ncourse:UTS2100\nyear: 1\n", 3, "“course:UTS2100” is no key"),
        ("title: A\nkeywords [ a, b ]\n", 3, "“keywords [ a, b ]” is no key"),
        ("title: A\n-b\nyear: 1\n", 3, "“-b” is no key"),
        ("title: A\ntags: [a, b\nyear: 1\nmonth: 2\n", 3, "or it has none"),
        ('title: "A\nyear: 1\n', 2, "a quotation mark is not closed"),
        ('title: "A" b\nyear: 1\n', 2, "text follows behind the closing quote"),
        ('title: "A \\"\nyear: 1\n', 2, "the last quotation mark stands behind a backslash"),
        ("title: A: b\nyear: 1\n", 2, "a value holds a second colon"),
        ("title: A year: 1 tag: b\n", 2, "several keys stand in one line"),
    ],
)
def test_what_is_no_yaml_is_told_in_its_own_line(front: str, line: int, said: str) -> None:
    told = [(f.line, f.message) for f in found("wiki/Notes/Tea.md", page(front))]
    assert [(at, said in message) for at, message in told] == [(line, True)]


def test_frontmatter_of_other_tools_may_end_with_three_points() -> None:
    text = "---\ntitle: Tea\ntags: drink\n...\n\nTea is a drink.\n"
    assert "WK002" in codes(TEA, text)
    foreign = VaultKinds(vault=VaultKind.NOTES)
    assert not [f for f in lint_texts({TEA: text}, RULES, vaults=foreign) if f.code == "WK002"]


def test_in_a_foreign_vault_folders_mean_what_their_author_meant() -> None:
    day, paper = LEAD, page("title: Tea\nyear: 2020\n")
    texts = {"wiki/daily/2026-01-01.md": day, "wiki/sources/lu2020.md": paper}
    told = {f.code for f in lint_texts(texts, RULES)}
    assert {"WK001", "WK009"} <= told
    vaults = VaultKinds(vault=VaultKind.NOTES)
    assert not lint_texts(texts, RULES, vaults=vaults)
    typed = {TEA: page("type: concept\ntitle: Tea\n")}
    assert not lint_texts(typed, RULES, vaults=vaults)
    signed = {TEA: page("type: concept\ntitle: Tea\ngenerated: llmwiki/0.1.0\n")}
    assert {f.code for f in lint_texts(signed, RULES, vaults=vaults)} == {"WK009"}


# --- how much it says ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (TEA, page(body=""), {"WK017"}),
        ("wiki/Empty.md", "", {"WK017"}),
        ("wiki/features/index.md", page("title: Features\n", ""), set()),
        ("wiki/tags/drink.md", page("title: Drinks\n", ""), set()),
        (TEA, page(body="# Tea\n\nTo do.\n"), {"WK017"}),
        ("wiki/Picture.md", "![[tea.png]]\n", set()),
        (
            "wiki/Code.md",
            "```dataview\nTABLE file.mtime FROM #tea\n" + "WHERE x = 1\n" * 9 + "```\n",
            set(),
        ),
        ("wiki/Template.md", "# {{title}}\n", set()),
    ],
)
def test_pages_that_say_nothing_or_little(path: str, text: str, expected: set[str]) -> None:
    assert codes(path, text) == expected


def test_empty_notes_of_another_tool_are_told_together() -> None:
    notes = {
        f"wiki/{name}.md": ""
        for name in ("b/Tea", "b/Cup", "b/Pot", "b/Jug", "a/Used", "a/X", "d/D")
    }
    notes["wiki/c.md"] = "See [[Used]].\n"
    notes |= {"wiki/e/E.md": "\n", "wiki/f/One.md": "", "wiki/f/Two.md": "\n"}
    told = lint_texts(notes, RULES, vaults=VaultKinds(vault=VaultKind.OBSIDIAN))
    assert [(f.path, f.message) for f in told] == [
        ("wiki/a/X.md", "7 pages say nothing: `wiki/a/X.md`, `wiki/b/Cup.md`, `wiki/b/Jug.md`, "
         "`wiki/b/Pot.md`, `wiki/b/Tea.md`, `wiki/f/One.md` and `wiki/f/Two.md`"),
    ]  # fmt: skip
    said = [f.message for f in lint_texts(notes, ["WK017"])]
    assert said.count("This page is empty") == 8 and said.count("This page says nothing") == 2


def test_names_of_notes_that_not_all_can_hold_are_told_together() -> None:
    notes = {f"wiki/{name}.md": LEAD for name in ("b/Who?", "b/Why?", "What?")}
    vaults = VaultKinds(vault=VaultKind.OBSIDIAN)
    cannot = "Windows and Android cannot hold"
    assert [(f.path, f.message) for f in lint_texts(notes, ["WK013"], vaults=vaults)] == [
        ("wiki/What?.md", f"{cannot} the names of 3 files: `What?`, `Who?` and `Why?`"),
    ]
    alone = {"wiki/What?.md": LEAD, "wiki/a#b.md": LEAD}
    assert [f.message for f in lint_texts(alone, ["WK013"], vaults=vaults)] == [
        f"{cannot} `?` in the name of a file",
        "`#` in a file's name means something inside [[…]]: no link finds it",
    ]
    assert len(lint_texts(notes, ["WK013"])) == 3
    assert [f.mend for f in lint_texts(notes, ["WK013"], vaults=vaults)] == [
        "Rename them, the first to `What`."
    ]
    others = ("wiki/concepts/Tea.md", "wiki/entities/Tea.md", "wiki/hls__a[b].md")
    logseq = VaultKinds(vault=VaultKind.LOGSEQ)
    assert not lint_texts(dict.fromkeys(others, LEAD), ["WK013"], vaults=logseq)


@pytest.mark.parametrize(
    ("stem", "better"),
    [
        ("What?", "What"),
        ("CMOV*", "CMOV"),
        ("Really?..", "Really"),
        ("a?b", "a-b"),
        ("Tea: a story", "Tea - a story"),
        ('The "best" tea', "The 'best' tea"),
        ("Arguments]", "Arguments"),
        ("[x] y#z", "x- y-z"),
        ("Taken?", "Taken-"),
        ("?", "-"),
    ],
)
def test_the_advice_on_a_name_shows_one_that_can_be_held(stem: str, better: str) -> None:
    notes = {f"wiki/{stem}.md": LEAD, "wiki/Taken.md": LEAD}
    for vaults in (VaultKinds(vault=VaultKind.OBSIDIAN), None):
        (hit,) = lint_texts(notes, ["WK013"], vaults=vaults)
        assert hit.mend == f"Rename it to `{better}`."


def test_the_advice_on_the_name_of_a_folder_shows_none() -> None:
    (hit,) = lint_texts({"wiki/folder./Tea.md": LEAD}, ["WK013"])
    assert hit.mend == "Rename it, or its folder."


def test_control_characters_in_code_of_notes_are_keys() -> None:
    note = {"wiki/Macro.md": "Type,\vthen:\n\n```\nf\x1bvf)\n```\n"}
    assert "WK031" in codes("wiki/Macro.md", note["wiki/Macro.md"])
    assert not lint_texts(note, ["WK031"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN))


# --- ids, names ----------------------------------------------------------------------------

CLAIM = "\n## Claims\n\n- Tea is green. ^c-0123456789\n"


def test_an_id_that_stands_twice_is_found_at_each_place() -> None:
    other = page(FRONT.replace("Tea", "Coffee"), LEAD.replace("# Tea", "# Coffee") + CLAIM)
    hits = lint_texts({TEA: page(body=LEAD + CLAIM), "wiki/concepts/Coffee.md": other}, RULES)
    assert [(f.path, f.code, f.line, f.claims) for f in hits] == [
        ("wiki/concepts/Coffee.md", "WK010", 13, ("c-0123456789",)),
        (TEA, "WK010", 13, ("c-0123456789",)),
    ]
    assert TEA in hits[0].message


def test_links_to_a_claim_and_ids_in_code_are_no_second_place() -> None:
    body = LEAD + CLAIM + "- [[Tea#^c-0123456789]]\n\n```\n- Tea is green. ^c-0123456789\n```\n"
    assert codes(TEA, page(body=body)) == set()


def names(**pages: str) -> list[tuple[str, str]]:
    texts = {}
    for stem, more in pages.items():
        kind = "entity" if stem[0].islower() else "concept"
        folder = "entities" if kind == "entity" else "concepts"
        front = f"type: {kind}\ntitle: {stem.title()}\ndescription: x\n{more}"
        texts[f"wiki/{folder}/{stem.title()}.md"] = page(front, LEAD.replace("Tea", stem.title()))
    return [(f.path, f.code) for f in lint_texts(texts, RULES)]


def test_aliases_must_find_one_page() -> None:
    assert names(Tea="aliases: [Chai]\n", Coffee="aliases: [chai]\n") == [
        ("wiki/concepts/Coffee.md", "WK011"),
        ("wiki/concepts/Tea.md", "WK011"),
    ]
    assert names(Tea="aliases: [coffee]\n", Coffee="") == [("wiki/concepts/Tea.md", "WK011")]
    assert names(Tea="aliases: [Tea, tea, Chai]\n", Coffee="aliases: [Kaffee]\n") == []


def test_one_title_twice_and_one_file_name_twice() -> None:
    both = names(Tea="", tea="")
    assert {code for _path, code in both} == {"WK011", "WK013"}


def test_file_names_of_a_foreign_vault_are_its_own() -> None:
    texts = {
        "wiki/a/Tea.md": LEAD,
        "wiki/b/tea.md": LEAD,
        "wiki/a/README.md": LEAD,
        "wiki/b/README.md": LEAD,
        "wiki/b/index.md": LEAD,
    }
    assert lint_texts(texts, RULES) == []


def test_paths_that_are_one_on_a_disk_that_ignores_case() -> None:
    texts = {"wiki/a/Tea.md": LEAD, "wiki/a/tea.md": LEAD, "wiki/a/TEA.md": LEAD}
    assert [(f.path, f.code) for f in lint_texts(texts, RULES)] == [("wiki/a/TEA.md", "WK013")]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("wiki/CLAUDE.md", "WK013"),
        ("wiki/notes/agents.md", "WK013"),
        ("wiki/notes/What?.md", "WK013"),
        ("wiki/C#.md", "WK013"),
        ("wiki/folder./Tea.md", "WK013"),
        ("wiki/notes/README.md", None),
        ("wiki/notes/index.md", None),
        ("wiki/caf\u00e9 – 2.0.md", None),
    ],
)
def test_names_that_mean_something_or_cannot_be_held(path: str, code: str | None) -> None:
    assert codes(path, LEAD) == ({code} if code else set())


def test_what_windows_alone_cannot_hold_is_a_note() -> None:
    assert found("wiki/notes/What?.md", LEAD)[0].severity is Severity.NOTE
    assert found("wiki/notes/What#.md", LEAD)[0].severity is Severity.WARNING


def test_names_of_files_of_ours_are_taken_in_our_folders_only() -> None:
    text = page(FRONT.replace("Tea", "Overview"), LEAD.replace("# Tea", "# Overview"))
    assert codes("wiki/concepts/Overview.md", text) == {"WK013"}
    assert codes("wiki/concepts/Overview (concept).md", text) == set()
    assert codes("wiki/notes/Overview.md", LEAD) == set()


# --- claims and footnotes ------------------------------------------------------------------

FOOT = "\n[^tea-md]: [[sources/tea-md|Tea]], raw/tea.md\n"
HEAD = "- Tea is green. ^c-0123456789\n"
QUOTE = "  - “tea is green” [^tea-md]\n"


def claimed(*lines: str, foot: str = FOOT) -> str:
    return page(f"{FRONT}tags: [tea]\nowner: Ada\n", f"{LEAD}\n## Claims\n\n{''.join(lines)}{foot}")


@pytest.mark.parametrize(
    "line",
    [
        "  - “tea is green” [^tea-md] lines 3, L4\n",
    ],
)
def test_a_broken_line_of_evidence(line: str) -> None:
    (hit,) = [f for f in found(TEA, claimed(HEAD, QUOTE, line)) if f.code == "WK023"]
    assert hit.line == 17
    assert hit.claims == ("c-0123456789",)


@pytest.mark.parametrize(
    "line",
    [
        '    - "tea is green" -- [^tea-md]\n',
        "\t* “tea is green” – [^tea-md]\n",
        "  - “tea\n    is green” [^tea-md]\n",
        "  - tea is green — [^tea-md]\n",
        "  - “quoted” in [[Tea]] [^tea-md]\n",
        "\n  ```\n  - “tea” [^tea-md]\n  ```\n",
    ],
)
def test_nested_lines_that_are_evidence_or_a_persons(line: str) -> None:
    assert codes(TEA, claimed(HEAD, QUOTE, line)) == set()


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("- ~~Tea is green.~~ ^c-0123456789\n", 15),
        ("- ~~Tea is green.~~ → gone in 12 ^c-0123456789\n", 15),
        ("- ~~ ~~ → gone in 01234567 ^c-0123456789\n", 15),
        ("- Tea is green. ^c-012345678\n", 15),
        ("- Tea is green. ^c-ILOU567890\n", 15),
        ("- group\n  - Tea is green. ^c-0123456789\n", 16),
        ("Tea is green. ^c-0123456789\n", 15),
    ],
)
def test_a_line_that_is_meant_as_a_claim(lines: str, line: int) -> None:
    assert [(f.code, f.line) for f in found(TEA, claimed(lines, foot=""))] == [("WK023", line)]


@pytest.mark.parametrize(
    "lines",
    [
        "- ~~Tea is green.~~ → [[Coffee#^c-9876543210]] ^c-0123456789\n",
        "- ~~Tea is green.~~ → gone in 01234567 ^c-0123456789\n",
        "* Tea\n  is green. ^c-0123456789\n",
        "- See `- Tea is green. ^c-short`\n",
        "```\n- Tea is green. ^c-short\n```\n",
        "A paragraph. ^block-1\n",
    ],
)
def test_lines_that_are_claims_or_meant_as_none(lines: str) -> None:
    assert codes(TEA, claimed(lines, foot="")) == set()


@pytest.mark.parametrize(
    ("attributes", "fires"),
    [
        ("  - (stance: measured; as of: 2017-06; water = 80 degrees)\n", False),
        ("  - (supports: [[Coffee#^c-9876543210]])\n", False),
        ("  - (a remark, and: a colon) and more\n", False),
        ("  - (stance: sure)\n", True),
        ("  - (asof: 2017)\n", True),
        ("  - (updates: Coffee)\n", True),
        ("  - (as of: 2017)\n  - (stance: measured)\n", True),
    ],
)
def test_attributes_of_a_claim(attributes: str, fires: bool) -> None:
    assert codes(TEA, claimed(HEAD, QUOTE, attributes)) == ({"WK023"} if fires else set())


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (TEA, claimed(HEAD, QUOTE, foot=""), {"WK026"}),
        (TEA, claimed(HEAD, QUOTE) + "[^tea-md]: Tea\n", {"WK026"}),
        ("wiki/Any.md", LEAD + "\nSee [^1] and [^2].\n\n[^1]: One\n", {"WK026"}),
        ("wiki/Any.md", LEAD + "\nSee [^One].\n\n[^one]: One\n", set()),
        ("wiki/Any.md", LEAD + "\nSee `[^2]`, \\[^3] and [^1]: so.\n\n[^1]: One\n", set()),
        ("wiki/Any.md", LEAD + "\nSee[^1].\n\n```\n[^2]\n```\n\n[^1]: One\n    more [^1]\n", set()),
    ],
)
def test_footnotes(path: str, text: str, expected: set[str]) -> None:
    assert codes(path, text) == expected


# --- how the file is written ---------------------------------------------------------------

OTHER_WORDING = "\n> The other side of a merge:\n> Two.\n"
IN_FRONT = "mine: 1\n# The other side of a merge:\n# mine: 2\n"
CONFLICT = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> branch\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LEAD + CONFLICT, {"WK029"}),
        (
            "---\n" + CONFLICT.replace("one", "a: 1").replace("two", "a: 2") + "---\n" + LEAD,
            {"WK002", "WK029"},
        ),
        (LEAD + OTHER_WORDING, {"WK029"}),
        ("---\n" + IN_FRONT + "---\n" + LEAD, {"WK029"}),
        (LEAD + "```\n" + OTHER_WORDING + "```\n", set()),
        (LEAD + "```\n" + CONFLICT + "```\n", set()),
        ("\ufeff" + LEAD, {"WK031"}),
        (LEAD.replace("\n", "\r\n"), {"WK031"}),
    ],
)
def test_what_editors_and_merges_leave(text: str, expected: set[str]) -> None:
    assert codes("wiki/Any.md", text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\0" * 30, "Restore it"),
        ("⭐ Favorite".encode().decode("latin-1"), "decode it as UTF-8"),
        ("Tea\x07", "Take the control characters out"),
    ],
)
def test_what_is_lost_or_wrongly_decoded_is_told_so(text: str, said: str) -> None:
    (hit,) = (one for one in found("wiki/a.md", text) if one.code == "WK031")
    assert said in hit.mend and hit.by_hand


# --- the catalogue -------------------------------------------------------------------------


def listed(count: int = 3) -> dict[str, str | bytes]:
    """A wiki with its catalogue as it should be."""
    texts: dict[str, str | bytes] = {}
    for number in range(count):
        name = f"{chr(97 + number % 3)} tea {number} (fine)"
        front = f"type: concept\ntitle: {name}\ndescription: Tea *{number}*.\n"
        texts[f"wiki/concepts/{name}.md"] = page(front, LEAD.replace("# Tea", f"# {name}"))
    entries = [entry_of(facts_of(path, str(text))) for path, text in sorted(texts.items())]
    if count <= catalogue.SHARD_ABOVE:
        texts[INDEX] = catalogue.render_index(entries)
    else:
        shards: dict[tuple[str, str], list[catalogue.Entry]] = {}
        for entry in entries:
            shards.setdefault(entry.shard, []).append(entry)
        for shard, of_shard in shards.items():
            texts[catalogue.shard_path(shard)] = catalogue.render_shard(shard, of_shard)
        texts[INDEX] = catalogue.render_shard_index({s: len(e) for s, e in shards.items()})
    totals = catalogue.Totals({"concept": count}, 7, {"x": 1}, [(entries[0], 3)])
    texts[OVERVIEW] = catalogue.render_overview(totals, "A lead.")
    return texts


def told(texts: dict[str, str | bytes]) -> list[tuple[str, int, str]]:
    return [(f.path, f.line, f.code) for f in lint_texts(texts, RULES)]


def edited(path: str, old: str, new: str, count: int = 3) -> dict[str, str | bytes]:
    texts = listed(count)
    text = texts[path]
    assert isinstance(text, str)
    assert old in text
    return {**texts, path: text.replace(old, new)}


_ROW = "* [c tea 2 (fine)](<concepts/c tea 2 (fine).md>) - Tea \\*2\\*.\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        (INDEX, "Tea \\*1\\*.", "Coffee.", 9),
        (INDEX, "## Concepts\n", "## Concepts\n\nMine.\n", 8),
        (INDEX, _ROW, _ROW + _ROW, 0),
        (INDEX, _ROW, "", 0),
    ],
)
def test_a_catalogue_that_does_not_tell_of_the_pages(
    path: str, old: str, new: str, line: int
) -> None:
    assert told(listed()) == []
    assert told(edited(path, old, new)) == [(path, line, "WK019")]


def test_parts_of_the_index_of_a_large_wiki(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SHARD_ABOVE", 40)
    monkeypatch.setattr("llmwiki.lint.rules.catalogue.SHARD_ABOVE", 40)
    many = catalogue.SHARD_ABOVE + 2
    texts = listed(many)
    assert told(texts) == []
    assert told({**texts, "wiki/concepts/index-z.md": "# Concepts: z\n"}) == [
        ("wiki/concepts/index-z.md", 0, "WK019")
    ]
    del texts["wiki/concepts/index-a.md"]
    assert told(texts) == [(INDEX, 0, "WK019")]
    wrong = edited("wiki/concepts/index-b.md", "Tea \\*4\\*.", "Else.", many)
    assert [path for path, _line, _code in told(wrong)] == ["wiki/concepts/index-b.md"]


def test_an_index_of_somebody_else_is_left_alone() -> None:
    theirs = "# Index\n\n- [Tea](concepts/Tea.md) — a drink\n"
    assert codes(INDEX, theirs) == set()
    assert lint_texts({"wiki/Tea.md": LEAD, INDEX: theirs}, RULES) == []
    assert lint_texts({"wiki/Tea.md": LEAD}, RULES) == []


# --- hostile text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[^" * 50_000,
        "` ``" * 25_000,
        "- x ^c-0123456789\n" + "  - “" + "[^a] L" * 20_000 + "\n",
        "- x ^c-0123456789\n" * 5_000,
        "---\n" + "a: [" * 20_000 + "\n---\n",
        "---\ntitle: " + "x" * 100_000 + "\n---\n# " + "y" * 100_000,
        "> " * 2_000 + "x\n" * 1_000,
        "\x00\ud800" * 1_000,
    ],
)
def test_no_text_raises_or_takes_long(text: str) -> None:
    began = time.perf_counter()
    lint_texts({TEA: text}, RULES)
    assert time.perf_counter() - began < 120


# --- a page that is not parsed whole ----------------------------------------------------------

PIECES = (
    "# Tea\n", "#  Tea #\r\n", "#Tea\n", "## Cup\n", "    # Tea\n", "Tea\n===\n", "- # Tea\n",
    "```\n# Tea\n```\n", "<!--\n# Tea\n-->\n", "<div>\n# Tea\n\n", "\n", " \t\n", "Tea.\n", "# \n",
    "> # Tea\n", "$$\n# Tea\n$$\n", "---\n", "\ufeff", "- Tea. ^c-9f3a1c22k7\n", "^n-\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(examples(300)))
def test_a_page_without_its_body_tells_what_the_whole_one_does(seed: int) -> None:
    rng = random.Random(seed)
    front = rng.choice(
        ["", "---\ntitle: Tea\n---\n", "---\ntags: [a, b]\n---\n", "---\n: [\n---\n"]
    )
    view = PageView(
        "wiki/concepts/Tea.md", front + "".join(rng.choices(PIECES, k=rng.randint(0, 5)))
    )
    assert view.head.front == view.page.front
    assert len(view.claims) == len(view.page.claims)
    if not view.broken:
        assert view.title == view.page.title
        assert view.head.sources == view.page.sources
