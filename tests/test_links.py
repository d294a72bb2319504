"""The fast scanner finds the links that markdown-it finds, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from llmwiki.pages.find_links import Link, scan

WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n]*[^\[\]|\s][^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")


def wikilink_rule(state: StateInline, silent: bool) -> bool:
    match = WIKILINK.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        token = state.push("wikilink", "", 0)
        token.content = match[2]
        token.meta = {"embed": bool(match[1]), "label": match[3]}
    state.pos = match.end()
    return True


def oracle() -> MarkdownIt:
    md = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    md.use(footnote_plugin, inline=False, move_to_end=False).use(front_matter_plugin)
    md.use(
        dollarmath_plugin,
        allow_space=False,
        allow_digits=False,
        allow_labels=False,
        allow_blank_lines=False,
    )
    md.inline.ruler.before("link", "wikilink", wikilink_rule)
    # A link definition or a Markdown link could hide a wikilink; wikilinks come first here.
    md.disable(["reference", "link", "image"])
    return md


ORACLE = oracle()


def expected(text: str) -> list[tuple[str, bool]]:
    found = []
    for token in ORACLE.parse(text):
        for child in token.children or ():
            if child.type == "wikilink":
                label = child.meta["label"]
                inner = child.content
                if label is not None and inner.endswith("\\"):
                    inner = inner[:-1]
                found.append((inner.partition("#")[0].strip(), child.meta["embed"]))
    return found


def targets(text: str) -> list[tuple[str, bool]]:
    return [(link.target, link.embed) for link in scan(text)]


LINES = [
    "[[A]]", "see [[B]] and [[C|c]]", "![[D]]", r"\[[E]]", r"\\[[F]]", r"\![[G]]", "`[[H]]`",
    "``[[I]] ` ``",
    "`open [[J]]", "close` [[K]]", "```", "```py", "~~~", "~~~~", "    [[L]]", "\t[[M]]", "  [[N]]",
    "- [[O]]", "- item", "  - [[P]]", "    - [[Q]]", "      [[R]]", "        [[S]]", "1. [[T]]",
    "2. [[U]]",
    "   [[V]]", "> [[W]]", "> ```", "- ```", "  ```", "# [[Z]]", "===", "---",
    "<!-- [[a]] -->", "x <!-- [[b]] --> [[c]]", "<!--", "-->", "x <!--", "<div>", "</div>",
    "<b>[[d]]</b>",
    "<pre>", "</pre>", '<a title="[[e]]">', "<https://x.yz/[[f]]>", "x $[[g]]$",
    "$5 and [[h]] $6", "$$", "$$[[i]]$$",
    "x $a$ [[j]] $b$", r"\$[[k]]$", r"`\` [[l]]`", "[[m#H]]", "[[n#^c-9f3a1c22k7|x]]", "[[ ]]",
    "[[]]", "[[o",
    "p]]", "[[[q]]]", "[[r|a|b]]", "\n[^x]: [[s]]", "[^x]", "    [[t]] in a note", "+ ", "-",
    "* * *", "10) [[u]]",
    "", "", "", "text", "a | b", "- | -", "[[v]] | x", r"[[w\|y]] | z", "<script>", "</script>",
    "word\\", "[[日本|語]]",
    "-     [[x5]]", "-\t[[x6]]", ">\t[[x7]]", "| [[x8]] | `a |",
]  # fmt: skip
documents = st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("\n".join)


@settings(max_examples=examples(1500, 60_000), deadline=None)
@given(text=documents)
def test_the_scanner_agrees_with_markdown_it(text: str) -> None:
    assert targets(text) == expected(text)


@settings(max_examples=examples(800), deadline=None)
@given(text=st.text(alphabet="[]|#^!\\`$<> \n-ab", max_size=40))
def test_offsets_and_lines_point_at_the_link(text: str) -> None:
    for link in scan(text):
        piece = text[link.start : link.end]
        assert WIKILINK.fullmatch(piece)
        assert link.line == text.count("\n", 0, link.start) + 1
        assert link.embed == piece.startswith("!")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[[A]]", ("A", "", "", "")),
        ("[[A|b]]", ("A", "", "", "b")),
        ("[[A#H]]", ("A", "H", "", "")),
        ("[[A#H#I|b c]]", ("A", "H#I", "", "b c")),
        ("[[A#^c-9f3a1c22k7]]", ("A", "", "c-9f3a1c22k7", "")),
        ("[[#H]]", ("", "H", "", "")),
        ("[[sources/papers-x-md|X]]", ("sources/papers-x-md", "", "", "X")),
        (r"| [[A\|b]] |", ("A", "", "", "b")),
        ("[[A#x^2]]", ("A", "x^2", "", "")),
        ("[[GPT-4.1]]", ("GPT-4.1", "", "", "")),
    ],
)
def test_the_parts_of_a_link(text: str, parts: tuple[str, str, str, str]) -> None:
    (link,) = scan(text)
    assert (link.target, link.heading, link.block, link.label) == parts


def test_frontmatter_holds_no_links_and_lines_count_from_the_top() -> None:
    text = "---\ntitle: x\nup: '[[no]]'\n---\n\n# T\n\nsee ![[A]]\n"
    at = text.index("![[A]]")
    assert scan(text) == (Link("A", "", "", "", True, 8, at, at + 6),)


def test_a_page_with_code_keeps_its_offsets() -> None:
    text = "> a `x`\n> [[A]] and\n> [[B]]\n\n```\n[[no]]\n```\n- [[C]]\r\n"
    assert [(x.target, x.line, text[x.start : x.end]) for x in scan(text)] == [
        ("A", 2, "[[A]]"),
        ("B", 3, "[[B]]"),
        ("C", 8, "[[C]]"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        ">     [[Y]]",
        "---\nt: x\n---\n    [[Y]]",
        "- a\n\n      [[Y]]",
        "    [[Y]]",
        "> > ~~~\n> > [[Y]]",
    ],
)
def test_code_in_containers_holds_no_links(text: str) -> None:
    assert targets(text) == expected(text) == []


def test_shell_tests_in_a_fence_are_no_links() -> None:
    assert targets('Inline `[[fake]]`\n```bash\nif [[ "$n" == "A" ]]; then\n```\n[[real]]') == [
        ("real", False)
    ]


def test_hostile_input_takes_linear_time() -> None:
    for piece in ("[[", "`" * 3 + "a", "<!--", "$a", "<a ", "> ", "[[a|", "\\", "$$\n"):
        assert len(scan("[[x]] " + piece * 3000)) <= 1
