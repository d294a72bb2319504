"""A page has one title, and code is no heading. Oracles: markdown-it, and the whole reader."""

from __future__ import annotations

import random

import pytest
from longform import LONG
from markdown_it import MarkdownIt

from llmwiki.index.page_facts_scan import facts_of
from llmwiki.pages import body_blocks
from llmwiki.pages.line_patterns import heading
from llmwiki.pages.page import Page
from llmwiki.query.retrieval.split_page_in_passages import passages

LINES = (
    "# One", "# Two #", " # Three", "#", "#no", "## Sub", "text", "", "", "```", "````", "~~~",
    "```py x", "    # indented", "\t# tab", "<div>", "</div>", "<!--", "-->", "<pre>", "</pre>",
    "a ``` b", "# \\*Four\\*", "# [[Five|six]]", "***", "<b>x</b>",
)  # fmt: skip
PATH = "wiki/concepts/Tea.md"


def _text(seed: int) -> str:
    rng = random.Random(seed)
    front = rng.choice(["", "", "---\ntype: concept\n---\n"])
    return front + "\n".join(rng.choice(LINES) for _ in range(rng.randint(1, 12)))


@pytest.mark.parametrize("part", range(8 if LONG else 3))
def test_the_index_and_the_page_call_it_the_same(part: int) -> None:
    more = ("- item", "  - nested", "> # quoted", "$$", "%%", "1. one", "   # three", "Set\n===")
    rng = random.Random(part)
    for seed in range(400):
        extra = "\n".join(rng.choice((*more, *LINES)) for _ in range(rng.randint(0, 4)))
        text = f"{extra}\n{_text(400 * part + seed)}"
        assert facts_of(PATH, text).title == Page.parse(PATH, text).title, text


@pytest.mark.parametrize("part", range(8 if LONG else 3))
def test_headings_and_fences_are_those_of_markdown_it(part: int) -> None:
    oracle = MarkdownIt("commonmark")
    for seed in range(300):
        body = "\n".join(random.Random(300 * part + seed).choice(LINES) for _ in range(8))
        tokens = oracle.parse(body)
        expected = [
            (token.map[0], int(token.tag[1]))
            for token in tokens
            if token.type == "heading_open" and token.map and token.markup.startswith("#")
        ]
        found, at = [], 0
        for block in body_blocks.split(body)[0]:
            at += block.gap.count("\n")
            if block.kind == "heading":
                found.append((at, (heading(block.lines[0]) or (0, ""))[0]))
            at += len(block.lines)
        assert found == expected, body
        first = next((line for line, level in expected if level == 1), None)
        wanted = "" if first is None else (heading(body.split("\n")[first]) or (0, ""))[1]
        assert body_blocks.first_title(body) == wanted, body


@pytest.mark.parametrize("fence", ["```sh\n# install\n```", "~~~\n# x\n~~~", "<!--\n# x\n-->"])
def test_a_comment_in_code_names_no_page(fence: str) -> None:
    text = f"Some words.\n\n{fence}\n\n# Tea\n\nIt is green.\n"
    assert facts_of(PATH, text).title == "Tea"
    assert facts_of(PATH, text.replace("# Tea\n", "")).title == "Tea", "by its file"
    assert {p.headings for p in passages(PATH, "Cup", text) if "green" in p.text} == {("Tea",)}
