"""`wiki diff`: what changed in memory, for people, for pull requests and for programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import wikikit
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from wikikit import NOTE, Wiki, answer, claim

from llmwiki.history.diff import MemoryDiff
from llmwiki.history.diff_markdown import LIMIT, MARKER, diff_markdown, in_code
from llmwiki.pages.events import MemoryEvent, MemoryEvents

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
    assert told["counts"]["claim-added"] == 2 and told["after_commit"] == wiki.head
    assert told == wiki.ok("diff", "HEAD~1..HEAD", "--format", "json").json


def test_edits_of_the_work_tree_new_pages_and_rewordings(wiki: Wiki) -> None:
    assert wiki.ok("diff").out == "HEAD → work tree: memory is the same\n"
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
    assert "1 note taken out" in wiki.ok("diff", "HEAD~1..HEAD").out
    assert wiki.ok("diff", f"{before}..HEAD", "--json").json["events"] == []


def test_a_renamed_page_takes_its_claims_along_and_tells_what_else_changed(wiki: Wiki) -> None:
    wiki.git("mv", PAGE, "wiki/concepts/Infusion.md")
    assert "1 page renamed" in wiki.ok("diff").out and "moved" not in wiki.ok("diff").out
    text = wiki.read("wiki/concepts/Infusion.md")
    wiki.put(
        "wiki/concepts/Infusion.md", text.replace("type: concept", "type: concept\ntags:\n  - hot")
    )
    told = wiki.ok("diff", "--json").json["counts"]
    assert told == {"page-renamed": 1, "claim-moved": 2, "tag-gained": 1}


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


def many(texts: list[str], kind: str = "claim-taken-out") -> MemoryDiff:
    events = [
        MemoryEvent(kind, "wiki/concepts/A.md", text, "concept", f"c-{n:010}", text=text)  # type: ignore[arg-type]
        for n, text in enumerate(texts)
    ]
    return MemoryDiff("A", "B", None, None, MemoryEvents(tuple(events)), 1, {}, {})


@settings(max_examples=examples(100, 2_000), deadline=None)
@given(st.lists(HOSTILE, max_size=5))
def test_the_comment_holds_nothing_but_our_markup(texts: list[str]) -> None:
    markdown = diff_markdown(many(texts))
    tokens = MarkdownIt("gfm-like").parse(markdown)
    kinds = {t.type for t in tokens} | {c.type for t in tokens for c in t.children or ()}
    assert not kinds & {"link_open", "image", "html_inline", "table_open", "em_open"}
    assert len([t for t in tokens if t.type == "html_block"]) == 1


def test_a_long_comment_is_cut_by_whole_items_the_worst_first() -> None:
    told = many(["𝔘" * 300] * 400)
    added = many(["added " * 40] * 400, "claim-added")
    both = MemoryEvents((*added.found.events, *told.found.events))
    markdown = diff_markdown(MemoryDiff("A", "B", None, None, both, 1, {}, {}))
    assert len(markdown.encode("utf-16-le")) // 2 <= LIMIT
    assert markdown.startswith(f"{MARKER}\n### Memory: 400 claims taken out, 400 claims added")
    left = [int(n) for n in re.findall(r"… and (\d+) more", markdown)]
    items = len(re.findall(r"^- `", markdown, re.MULTILINE))
    assert sum(left) + items == 800 and left[0] < 400
    assert markdown.count("<details>") == markdown.count("</details>") == 1


def test_markdown_of_a_wiki(wiki: Wiki) -> None:
    out = wiki.ok("diff", "HEAD~1..HEAD", "--format", "markdown").out
    assert out.startswith(MARKER) and "<summary>Claims added (2)</summary>" in out
