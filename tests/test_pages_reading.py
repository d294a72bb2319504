"""Text to page: lossless, tolerant, and never mistaken about what is a claim."""

from __future__ import annotations

import contextlib
import re

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from page_strategies import LINES, PATH, texts

from llmwiki.pages import frontmatter, page_syntax, write
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.page import Evidence, Page, SourceRef, read_pairs

EXAMPLE = """---
type: concept
title: Self-attention
description: Relates every position of a sequence to every other in one step.
aliases: [intra-attention]
tags: [deep-learning]
generated: llmwiki/0.1.0 p-1f2e9a0c
---

# Self-attention

One or two paragraphs, the lead, that say what it is, linking to [[Transformer]] in the prose.

## Claims

- Self-attention connects all positions with a constant number of operations. ^c-9f3a1c22k7
  - “connects all positions” [^papers-attention-md]
  - (as of: 2017-06; stance: measured; scope: n \\< d; sequential operations = O(1))

## Related

- **Self-attention** is part of [[Transformer]] [^papers-attention-md]

[^papers-attention-md]: [[sources/papers-attention-md|Attention]], raw/papers/attention.md
"""
OFTEN = settings(max_examples=examples(400, 20_000), deadline=None)


def comes_back(text: str) -> None:
    page = Page.parse(PATH, text)
    assert page.text == text
    assert isinstance(page.claims, tuple)
    assert isinstance(page.lead, str)
    assert len({node.key for node in page.body}) == len(page.body)
    with contextlib.suppress(PageError):
        assert page.title
        assert isinstance(page.sources, tuple)


@OFTEN
@given(texts())
def test_any_text_comes_back(text: str) -> None:
    comes_back(text)


PARSER = MarkdownIt("commonmark").use(footnote_plugin)
CLAIM_LINES = [line for line in LINES if "^c-" in line or line.strip()[:1] in ("-", "<", "`", "~")]


@OFTEN
@given(st.lists(st.one_of(st.sampled_from(LINES), st.sampled_from(CLAIM_LINES)), max_size=14))
@example(["<div>", "\x0c", "- - Twice. ^c-9f3a1c22k7"])
def test_a_claim_is_an_item_outside_code_for_commonmark_too(lines: list[str]) -> None:
    # Display maths and comments of Obsidian are blocks that CommonMark does not know.
    text = "\n".join(line for line in lines if line not in ("$$", "%%"))
    page = Page.parse(PATH, text)
    if page.front or "[a]:" in text or "[^]:" in text:
        return  # the reference parser starts HTML right after a link definition, the rule does not
    tokens = PARSER.parse(text)
    tops = {
        token.map[0]
        for token in tokens
        if token.type == "list_item_open" and token.level == 1 and token.map
    }
    code = {
        line
        for token in tokens
        if token.type in ("fence", "code_block", "html_block") and token.map
        for line in range(*token.map)
    }
    at = 0
    for node in page.body:
        start = text.index(node.raw, at)
        at = start + len(page_syntax.render_node(node))
        if node.kind in ("c", "n"):
            line = text.count("\n", 0, start)
            assert line in tops, text
            assert line not in code, text


def test_the_example_of_the_format_says_what_it_shows() -> None:
    page = Page.parse(PATH, EXAMPLE)
    assert (page.type, page.title, page.aliases, page.tags) == (
        "concept",
        "Self-attention",
        ("intra-attention",),
        ("deep-learning",),
    )
    assert page.description.startswith("Relates every position")
    assert page.sources == (SourceRef("papers-attention-md", "/raw/papers/attention.md", ""),)
    assert page.lead.startswith("One or two paragraphs")
    assert page.marks.prose == "p-1f2e9a0c"
    assert not page.lead_is_tools
    (claim,) = page.claims
    assert claim.id == "c-9f3a1c22k7"
    assert claim.text.startswith("Self-attention connects")
    assert claim.evidence == (Evidence("papers-attention-md", "connects all positions"),)
    assert claim.attributes == (
        ("as of", ":", "2017-06"),
        ("stance", ":", "measured"),
        ("scope", ":", "n < d"),
        ("sequential operations", "=", "O(1)"),
    )
    assert claim.slot == ("sequential operations", "O(1)")
    assert claim.successor is None
    (relation,) = page.section("Related")
    assert relation.key == ("rel", "out", "transformer", "is part of")
    assert page.cited() == {"papers-attention-md"}
    assert page.text == EXAMPLE


@pytest.mark.parametrize("bullet", ["- ", "* ", "+ ", "-\t", "-   "])
@pytest.mark.parametrize("indent", ["  ", "   ", "    ", "\t"])
@pytest.mark.parametrize(
    "evidence",
    [
        "“a quote” [^s]",
        '"a quote" - [^s]',
        "“a quote” – [^s]",
        "“a\n      quote”\n      [^s]",
    ],
)
@pytest.mark.parametrize("head", ["One claim.", "One\n  claim."])
def test_the_reader_is_tolerant(bullet: str, indent: str, evidence: str, head: str) -> None:
    text = f"{bullet}{head} ^c-9f3a1c22k7\n{indent}- {evidence}\n{indent}- (n = 3)\n"
    (claim,) = Page.parse(PATH, text).claims
    assert claim.text == "One claim."
    assert claim.evidence == (Evidence("s", "a quote"),)
    assert claim.attributes == (("n", "=", "3"),)


def test_what_fits_nothing_stays_where_it_is() -> None:
    text = (
        "- Claim. ^c-9f3a1c22k7\n  - my remark\n  - “broken — [^s]\n  - “q” [^s]\n\n"
        "    a paragraph\n  - “r” [^s]\n    ```\n    - “no” [^s]\n    ```\n"
    )
    page = Page.parse(PATH, text)
    (claim,) = page.claims
    assert [e.quote for e in claim.evidence] == ["q", "r"]
    assert page.text == text
    assert [part.kind for part in page.body[0].parts] == ["x", "x", "e", "x", "e", "x"]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n{}\n```",
        "~~~~\n{}",
        "<!--\n{}\n-->",
        "<div>\n{}\n</div>",
        "    {}",
        "> {}",
        "%%\n{}\n%%",
        "<pre>\n\n{}\n</pre>",
        "- item\n\n      {}",
        "1. item\n   {}",
        "- item\n  {}",
        "[^f]: note\n    {}",
        "$$\n{}\n$$",
        "-     {}",
    ],
)
def test_what_is_hidden_or_below_is_no_claim(hidden: str) -> None:
    assert Page.parse(PATH, hidden.format("- A claim. ^c-9f3a1c22k7")).claims == ()


@pytest.mark.parametrize(
    "before",
    [
        "- item\n  ```\n  open",
        "    ```",
        "text",
        "text\n---",
        "# h",
        "<b>",
        "$$",
        "1. one\n",
        "> quote",
    ],
)
def test_a_claim_after_something_is_a_claim(before: str) -> None:
    page = Page.parse(PATH, f"{before}\n\n- A claim. ^c-9f3a1c22k7\n---\nafter\n")
    assert [claim.id for claim in page.claims] == ["c-9f3a1c22k7"]


def test_struck_claims_say_their_successor() -> None:
    text = (
        "- ~~Old.~~ → [[X#^c-9f3a1c22k7]] ^c-0000000000\n"
        "- ~~Gone \\~\\~ x.~~ -> gone in 9c1e22aa ^c-1111111111\n"
    )
    old, gone = Page.parse(PATH, text).claims
    assert (old.text, old.successor) == ("Old.", "[[X#^c-9f3a1c22k7]]")
    assert (gone.text, gone.successor) == ("Gone ~~ x.", "gone in 9c1e22aa")


def test_ledgers_and_notes() -> None:
    text = (
        "# L\n\n## Claims\n\n- [[Self-attention#^c-9f3a1c22k7]]\n\n## Retracted\n\n"
        "- c-0000000000 retracted s L12–L14 q-0123456789abcdef\n\n## Notes\n\n"
        "- Tea it is. ^n-0123456789\n  - told by: person; on: 2026-11-20; kind: fact; n = 3\n"
        "- So it is. ^n-9876543210\n  - from: [[X#^c-9f3a1c22k7]]; [[Y#^c-0000000000]]\n"
    )
    page = Page.parse("wiki/sources/l.md", text)
    assert page.text == text
    assert page.claims == ()
    told, derived = page.section("Notes")
    assert read_pairs(told.parts[0]) == (
        ("told by", ":", "person"),
        ("on", ":", "2026-11-20"),
        ("kind", ":", "fact"),
        ("n", "=", "3"),
    )
    assert [part.kind for part in derived.parts] == ["a"]


@pytest.mark.parametrize(
    "front", ["a: [", "- a", "plain", "a: &x 1\nb: *x", "a: b: c", "\tt: 1", "a: '"]
)
def test_frontmatter_that_cannot_be_read_is_said_and_kept(front: str) -> None:
    text = f"---\n{front}\n---\n\n- A claim. ^c-9f3a1c22k7\n"
    page = Page.parse(PATH, text)
    assert page.text == text
    assert len(page.claims) == 1
    with pytest.raises(PageError, match=re.escape(PATH)):
        _ = page.values


@pytest.mark.parametrize(
    "text",
    [
        "- " + " " * 200_000 + "x",
        "# " + "# " * 100_000,
        "- [[A]] — b" + " [^a]" * 50_000 + "x",
        "[^" * 100_000,
        "- a ^c-9f3a1c22k7\n  - (" + "a\\" * 100_000,
        "- a\n" * 20_000,
        "- a ^c-9f3a1c22k7\n" * 10_000,
        "<!--\n" * 20_000,
        "x" * 1_000_000,
        "---\n" + "a: b\n" * 5_000,
        "- a ^c-9f3a1c22k7\n" + "  - “q” [^a]\n" * 10_000,
        "<a " + "b " * 100_000,
        "> " * 50_000,
    ],
    ids=range(13),
)
def test_pathological_text_is_read(text: str) -> None:
    comes_back(text)


WORDS_OF_YAML = st.text(alphabet=st.sampled_from([*'ab Z0_./()+=~-,:"\\[]{}#é一\n\t']), max_size=12)


@settings(max_examples=examples(1500), deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds("title: {}".format, WORDS_OF_YAML),
            st.builds('description: "{}"'.format, WORDS_OF_YAML),
            st.builds("aliases: [{}, {}]".format, WORDS_OF_YAML, WORDS_OF_YAML),
            st.just("tags:"),
            st.builds("  - {{id: {}, sha256: ab}}".format, WORDS_OF_YAML),
            st.builds("generated: {} p-12".format, WORDS_OF_YAML),
            WORDS_OF_YAML,
        ),
        max_size=5,
    )
)
def test_the_quick_reader_of_frontmatter_says_what_yaml_says(lines: list[str]) -> None:
    raw = "\n".join(lines)
    quick = frontmatter._as_written(raw)
    if quick is not None:
        assert quick == yaml.load(raw, Loader=yaml.BaseLoader)


def test_the_quick_reader_takes_what_the_tool_writes() -> None:
    page = write.create(PATH, "concept", "A b", "Says x.", "Lead.", "w/1")
    page = write.add_words(write.add_words(page, "aliases", ["c"]), "tags", ["t"])
    page = write.set_value(page, "sha256", "0" * 64)
    raw = page.text.split("---\n")[1].rstrip("\n")
    assert frontmatter._as_written(raw) == page.values
