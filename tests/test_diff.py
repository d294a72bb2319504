"""`wiki diff`: what changed in memory, for people, for pull requests and for programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import diffkit
import pytest
import wikikit
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from wikikit import NOTE, Wiki, answer, claim

from llmwiki.changes.diff import MemoryDiff
from llmwiki.changes.diff_markdown import LIMIT, MARKER, diff_markdown, in_code
from llmwiki.pages.difference.row_changes import RowChange
from llmwiki.pages.page import Claim
from llmwiki.sources.quotes import forge_address

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
BLACK = claim("Tea", "Black tea is steeped hotter.", "Black tea is steeped at 95 degrees")
PAGE = "wiki/concepts/Tea.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def tea(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN, BLACK]))


def test_of_an_ingest_it_tells_the_claims_with_their_quotes(wiki: Wiki) -> None:
    out = wiki.ok("diff", "HEAD~1..HEAD").out
    assert "2 claims added" in out and "1 source read" in out
    assert "+ Black tea is steeped hotter." in out
    assert "“Black tea is steeped at 95 degrees” — raw/tea.md L6" in out
    told = wiki.ok("diff", "HEAD~1..HEAD", "--json").json
    assert told["counts"]["claim added"] == 2 and told["after_commit"] == wiki.head


def test_only_a_quote_that_was_found_is_called_word_for_word(wiki: Wiki) -> None:
    said = "Green tea is steeped at 80 degrees"
    wiki.learn("raw/two.md", f"# Two\n\n{said}.\n", answer([claim("Cup", said, lines=(3, 3))]))
    assert "word for word in raw/two.md L3" in wiki.ok("diff", "HEAD~1..HEAD").out
    page = "wiki/concepts/Cup.md"
    wiki.put(page, wiki.read(page).replace("80 degrees", "90 degrees"))
    assert "word for word" not in wiki.ok("diff", "HEAD~1").out


def test_edits_of_the_work_tree_new_pages_and_rewordings(wiki: Wiki) -> None:
    assert wiki.ok("diff").out.startswith("HEAD → work tree: memory is the same\n")
    wiki.put(PAGE, wiki.read(PAGE).replace("steeped hotter", "brewed hotter"))
    wiki.put("wiki/concepts/Mate.md", "---\ntype: concept\ntitle: Mate\n---\n\n# Mate\n\nA herb.\n")
    out = wiki.ok("diff").out
    assert "Black tea is [-steeped-]{+brewed+} hotter." in out
    assert "new concept" in out and "1 claim reworded, 1 page created" in out
    wiki.git("commit", "-qam", "by hand")
    assert "claim reworded" in wiki.ok("diff", "HEAD~1").out
    assert "claim reworded" not in wiki.ok("diff").out


def test_three_dots_are_from_where_the_branches_parted(wiki: Wiki) -> None:
    main = wiki.git("branch", "--show-current").strip()
    wiki.git("checkout", "-q", "-b", "topic")
    wiki.ok("remember", "Of the topic.")
    wiki.git("checkout", "-q", main)
    wiki.ok("remember", "Of the trunk.")
    both = wiki.ok("diff", f"{main}..topic").out
    one = wiki.ok("diff", f"{main}...topic").out
    assert "Of the trunk." in both and "Of the trunk." not in one and "Of the topic." in one
    assert wiki.run("diff", "nosuch..HEAD").code == 2


def test_an_undo_is_told_and_what_it_restores_is_nothing(wiki: Wiki) -> None:
    before = wiki.head
    wiki.ok("remember", "One thing.")
    wiki.ok("undo")
    assert "1 note gone" in wiki.ok("diff", "HEAD~1..HEAD").out
    assert wiki.ok("diff", f"{before}..HEAD", "--json").json["rows"] == []


def test_a_renamed_page_takes_its_claims_along_and_tells_what_else_changed(wiki: Wiki) -> None:
    wiki.git("mv", PAGE, "wiki/concepts/Infusion.md")
    out = wiki.ok("diff").out
    assert "2 claims moved, 1 page renamed" in out and "moved here" not in out
    text = wiki.read("wiki/concepts/Infusion.md")
    wiki.put(
        "wiki/concepts/Infusion.md", text.replace("type: concept", "type: concept\ntags:\n  - hot")
    )
    told = wiki.ok("diff", "--json").json["counts"]
    assert told == {"page moved": 1, "place moved": 2, "item added": 1}


# --- Markdown --------------------------------------------------------------------------------

HOSTILE = st.text(
    st.sampled_from([*"`~<>@#!|[]()*_\\\n\r \t-+&:/.", "a", "é", "\u202e", "\u200f", "中"])
    | st.characters(),
    max_size=60,
)


def code_spans(markdown: str) -> list[str]:
    (block,) = [t for t in MarkdownIt("gfm-like").parse(markdown) if t.type == "inline"]
    return [t.type for t in block.children or ()]


@settings(max_examples=examples(300, 20_000), deadline=None)
@given(HOSTILE)
def test_no_text_leaves_its_code_span(text: str) -> None:
    assert code_spans(f"- {in_code(text)}") == ["code_inline"]


def many(texts: list[str], verb: Literal["gone", "added"] = "gone") -> MemoryDiff:
    """So many claims that came or went, each on the page of its name."""
    ids = [f"c-{verb}{n:010}" for n in range(len(texts))]
    claims = {
        ident: Claim(ident, text, attributes=(("scope", ":", text), (text, "=", text)))
        for ident, text in zip(ids, texts, strict=True)
    }
    changes = tuple(
        RowChange("claim", verb, ident, "", "", "", f"wiki/{claims[ident].text}") for ident in ids
    )
    return MemoryDiff("A", "B", None, None, changes, 1, {}, claims, {}, {})


@settings(max_examples=examples(100, 2_000), deadline=None)
@given(st.lists(HOSTILE, max_size=5))
def test_the_comment_holds_nothing_but_our_markup(texts: list[str]) -> None:
    markdown = diff_markdown(many(texts))
    tokens = MarkdownIt("gfm-like").parse(markdown)
    kinds = {t.type for t in tokens} | {c.type for t in tokens for c in t.children or ()}
    assert not kinds & {"link_open", "image", "html_inline", "em_open", "s_open"}
    assert len([t for t in tokens if t.type == "html_block"]) == 1
    # Each row has its three cells, whatever the texts hold.
    cells = sum(t.type == "td_open" for t in tokens)
    assert cells == 3 * len(texts)
    assert sum(t.type == "tbody_open" for t in tokens) == len(set(texts))


def test_a_long_comment_is_cut_by_whole_rows_the_worst_last() -> None:
    gone, added = many(["𝔘" * 300] * 20), many(["added " * 40] * 400, "added")
    both = MemoryDiff("A", "B", None, None, (*added.changes, *gone.changes), 1, {},
                      {**added.claims, **gone.claims}, {}, {})  # fmt: skip
    markdown = diff_markdown(both)
    assert len(markdown.encode("utf-16-le")) // 2 <= LIMIT
    assert markdown.startswith(f"{MARKER}\n### Memory: 20 claims gone, 400 claims added")
    (left,) = [int(n) for n in re.findall(r"… and (\d+) rows more", markdown)]
    kept = {mark: len(re.findall(rf"^\| {re.escape(mark)} \|", markdown, re.M)) for mark in "+-"}
    assert kept["-"] == 20 and kept["+"] + left == 400


def test_markdown_of_a_wiki_leads_to_the_lines_on_the_forge(wiki: Wiki) -> None:
    plain = wiki.ok("diff", "HEAD~1..HEAD", "--format", "markdown").out
    assert plain.startswith(MARKER) and "| | `Tea` | proof |" in plain and "](" not in plain
    assert "`“Black tea is steeped at 95 degrees”` `tea.md L6` |" in plain
    wiki.git("remote", "add", "origin", "git@github.com:ada/teas.git")
    out = wiki.ok("diff", "HEAD~1..HEAD", "--format", "markdown").out
    address = f"https://github.com/ada/teas/blob/{wiki.head}/raw/tea.md#L6"
    assert f"[`tea.md L6`]({address})" in out
    rows = [row for row in diffkit.told(wiki, "HEAD~1..HEAD") if row["kind"] == "evidence"]
    assert address in [quote["url"] for row in rows for quote in row["quotes"]]


def test_lines_are_those_of_the_bytes_whatever_the_page_says(wiki: Wiki) -> None:
    before = wiki.git("rev-parse", "HEAD~1").strip()
    wiki.put("raw/tea.md", "Mind the date.\n\n" + NOTE)
    wiki.git("commit", "-qam", "a remark")
    rows = [row for row in diffkit.told(wiki, f"{before}..HEAD") if row["kind"] == "evidence"]
    assert "L8" in [quote["lines"] for row in rows for quote in row["quotes"]]


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/o/n.git", "https://github.com/o/n/blob/ab/raw/a%20b.md#L3-L4"),
        ("https://token@github.com/o/n/", "https://github.com/o/n/blob/ab/raw/a%20b.md#L3-L4"),
        ("ssh://git@gitlab.example.org:22/g/s/n", "https://gitlab.example.org/g/s/n/-/blob/ab/"),
        ("https://example.org/o/n", ""),
        ("/srv/github/o/n", ""),
        ("https://github.com/o/n) [x](y", ""),
    ],
)
def test_addresses_of_lines_on_a_forge(remote: str, address: str) -> None:
    found = forge_address(remote, "ab", "raw/a b.md", 3, 4)
    assert found.startswith(address) and bool(found) == bool(address)


# --- what changes the meaning of a claim ------------------------------------------------------


def test_stance_speaker_and_scope_are_part_of_what_is_told(wiki: Wiki) -> None:
    told = {**claim("Tea", "Tea keeps for ever.", "It is not so that tea keeps for ever"),
            "stance": "rejected", "speaker": "Bob", "scope": "in a tin"}  # fmt: skip
    text = "# Tin\n\nIt is not so that tea keeps for ever.\n"
    wiki.learn("raw/tin.md", text, answer([told]))
    out = wiki.ok("diff", "HEAD~1..HEAD").out
    assert "! denied (Bob): Tea keeps for ever. (scope: in a tin)" in out
    assert "1 claim denied" in out
    page = wiki.read(PAGE)
    assert "- **Denied:** Tea keeps for ever. *(says Bob; scope: in a tin)* ^" in page
    wiki.put(PAGE, page.replace("**Denied:** ", ""))
    assert "1 stance changed" in wiki.ok("diff").out
    assert "! Tea keeps for ever. · stance: rejected → none" in wiki.ok("diff").out
    assert "### Memory: 1 stance changed" in wiki.ok("diff", "--format", "markdown").out


def test_a_value_that_changed_in_a_new_version_is_one_row(wiki: Wiki) -> None:
    def crane(load: str) -> dict[str, Any]:
        told = claim("Crane", f"The crane lifts {load}.", f"The crane lifts {load}")
        return {**told, "key": "load", "value": load}

    def text(load: str) -> str:
        return f"# Crane\n\nThe crane lifts {load}.\n"

    wiki.learn("raw/crane.md", text("60 t"), answer([crane("60 t")]))
    wiki.learn("raw/crane.md", text("80 t"), answer([crane("80 t")]))
    out = wiki.ok("diff", "HEAD~1..HEAD").out
    assert "1 value changed, 1 source read" in out
    assert "~ load: 60 t → 80 t · The crane lifts 80 t.  ^" in out
    assert "struck" not in out and "1 value changed" in wiki.git("log", "-1", "--format=%b")
    (slot,) = [row for row in diffkit.told(wiki, "HEAD~1..HEAD") if row["kind"] == "slot"]
    assert (slot["verb"], slot["before"], slot["after"]) == ("changed", "60 t", "80 t")


def test_a_relation_has_a_direction(wiki: Wiki) -> None:
    text = "# Guild\n\nThe guild stands above the press.\n"
    told = answer(
        [claim("Guild", "The guild stands above the press.", lines=(3, 3)),
         claim("Press", "The press stands below the guild.",
               "The guild stands above the press")]
    )  # fmt: skip
    told["relations"] = [
        {"from": "Guild", "to": "Press", "label": "stands above", "claim": told["claims"][0]["id"]}
    ]
    wiki.learn("raw/guild.md", text, told)
    found = [row for row in diffkit.told(wiki, "HEAD~1..HEAD") if row["kind"] == "relation"]
    assert [(row["id"], row["name"]) for row in found] == [("Guild", "stands above → Press")]
    assert "→ Guild stands above Press — raw/guild.md" in wiki.ok("diff", "HEAD~1..HEAD").out


def test_messages_of_moves_and_of_their_undo_say_moved(wiki: Wiki) -> None:
    def body() -> str:
        return wiki.git("log", "-1", "--format=%b").partition("\n\nWiki-Op")[0]

    wiki.ok("rename", "Tea", "Infusion")
    assert "- Infusion: renamed from Tea, 2 claims moved" in body()
    wiki.ok("undo")
    assert "- Tea: renamed from Infusion, 2 claims moved" in body()
    text = "# Leaves\n\nMatcha is ground.\n"
    wiki.learn("raw/leaf.md", text, answer([claim("Matcha", "Matcha is ground.", lines=(3, 3))]))
    wiki.ok("merge", "Matcha", "Tea")
    assert "- Matcha: merged into Tea" in body() and "added" not in body(), body()
    assert "- Tea: 1 claim moved" in body()
    wiki.ok("undo")
    assert "- Matcha: new concept, 1 claim moved" in body() and "added" not in body(), body()


# --- what git shows ----------------------------------------------------------------------------


def test_git_shows_pages_without_lines_that_follow_and_no_catalogue(wiki: Wiki) -> None:
    again = "A remark.\n\n" + NOTE + "\nWhite tea is steeped at 70 degrees.\n"
    white = claim("Tea", "White tea is steeped at 70 degrees.", lines=(12, 12))
    wiki.learn("raw/tea.md", again, answer([GREEN, BLACK, white]))
    shown = wiki.git("show", "--format=", "HEAD", "--", "wiki")
    changed = [line for line in shown.splitlines() if re.match(r"[+-](?![+-]{2} )", line)]
    told = ["+- “White tea", "-sha256: ", "+sha256: "]
    assert [line for line in changed if not line.startswith(tuple(told))] == [], changed
    assert "Binary files a/wiki/log.md and b/wiki/log.md differ" in shown
    attributes = wiki.git("check-attr", "linguist-generated", "--", "wiki/index.md", PAGE)
    assert attributes.splitlines() == [
        "wiki/index.md: linguist-generated: set",
        f"{PAGE}: linguist-generated: unspecified",
    ]
    # What git keeps is whole.
    assert "[^tea-md]: " in wiki.git("show", f"HEAD:{PAGE}")
