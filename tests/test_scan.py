"""The scanner of blocks says of each line what markdown-it says: code, HTML, heading."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from llmwiki.pages.markdown_blocks import body_start, scan

ROOT = Path(__file__).parent.parent
ORACLE = MarkdownIt("commonmark").enable("table").use(footnote_plugin, move_to_end=False)
DOCUMENTS = sorted((*(ROOT / "docs").rglob("*.md"), *(ROOT / "wiki").rglob("*.md")))
KINDS = {"fence": "code", "code_block": "code", "html_block": "html", "heading_open": "heading"}
LINES = [
    "text", "more text", "", "", "", "    deep", "\tdeep", "      deeper", "  shallow",
    "# One", "### Two ##", " # Three", "    # code", "#no", "#", "===", "---", "--", "***",
    "```", "````", "~~~", "```py", "a ``` b", "``` a`b", "   ```", "    ```", "  ```",
    "- item", "- item ^c-9f3a1c22k7", "  - “quote” [^s]", "    - deep", "* star", "+ plus",
    "-   wide", "1. one", "2. two", "10) ten", "- ", "-", "- `code`", "- **bold**", "- # h",
    "- ```", "- <div>", "-     code", "-\tx", "- 1. x", "* [a](b.md)", "  - [a](b.md)", "- > q",
    "> quote", "> # h", "> ```", ">     code", "> - x", ">", "> <div>", ">\tx",
    "<div>", "</div>", "<b>", "<b> x", "<!--", "-->", "<!-- x -->", "<pre>", "</pre>", "<?", "?>",
    "<script>", "</script>", "<!X>", "<a href='x'>", "<table>", "  <p>",
    "a | b", "- | -", "| a | b |", "\n[^x]: note", "    below", "word\\", "x\r", "# r\r", "\r",
]  # fmt: skip
soups = st.lists(st.sampled_from(LINES), min_size=1, max_size=10).map("\n".join)


def expected(text: str) -> set[tuple[int, str]]:
    lines = text.split("\n")
    return {
        (line, KINDS[token.type])
        for token in ORACLE.parse(text)
        if token.type in KINDS and token.map
        for line in range(token.map[0], min(token.map[1], len(lines)))
        if lines[line].strip("> \t\r")
    }


def found(text: str) -> set[tuple[int, str]]:
    lines = text.split("\n")
    return {
        (line, leaf.kind)
        for block in scan(text)
        for leaf in block.leaves
        if leaf.kind in KINDS.values()
        for line in range(leaf.first, leaf.last + 1)
        if lines[line].strip("> \t\r")
    }


@settings(max_examples=examples(2000, 60_000), deadline=None)
@given(soups)
def test_code_html_and_headings_are_those_of_markdown_it(text: str) -> None:
    assert found(text) == expected(text)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_our_documents_are_read_as_markdown_it_reads_them(path: Path) -> None:
    text = path.read_text("utf-8")
    body = text[body_start(text) :]
    assert found(body) == expected(body)


@settings(max_examples=examples(1000), deadline=None)
@given(soups)
def test_blocks_hold_every_line_that_is_not_blank_once(text: str) -> None:
    lines = text.split("\n")
    held = [line for block in scan(text) for line in range(block.first, block.last + 1)]
    assert held == sorted(set(held))
    assert {line for line, shown in enumerate(lines) if shown.strip()} <= set(held)
    for block in scan(text):
        assert lines[block.first].strip()
        assert lines[block.last].strip()
        for leaf in block.leaves:
            assert block.first <= leaf.first <= leaf.last <= block.last
            for at, (start, end) in enumerate(leaf.spans):
                assert text.count("\n", 0, start) == leaf.first + at
                assert "\n" not in text[start:end]


@settings(max_examples=examples(500), deadline=None)
@given(soups, soups)
def test_a_scan_may_begin_anywhere(before: str, text: str) -> None:
    start = len(before) + 1
    shifted = [
        (leaf.kind, leaf.first, leaf.last, [(a + start, b + start) for a, b in leaf.spans])
        for block in scan(text)
        for leaf in block.leaves
    ]
    assert shifted == [
        (leaf.kind, leaf.first, leaf.last, list(leaf.spans))
        for block in scan(f"{before}\n{text}", start)
        for leaf in block.leaves
    ]
