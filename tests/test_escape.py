"""Text is data: whatever a source says, a page shows those characters and nothing happens."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from llmwiki.core.forge_safe_line import plain_line
from llmwiki.core.text import normalise
from llmwiki.pages.escape import CODE, URL, escape, escape_slot, escape_value, link_text, unescape

PUNCTUATION = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
FRAGMENTS = [
    *PUNCTUATION, " ", "  ", "\t", "\n", "\n\n", "\r\n", "\0", "\x1b[31m", "\x7f", "\xa0", "\u3000",
    "\u202e", "\u2066", "\ufeff", "\u200b", "\u200d", "\u2028", "\U000e0041", "a", "b", "Z", "0",
    "12", "1.", "2)", "123456789.", "1234567890)", "é", "e\u0301", "日本", "ひ", "한", "👩\u200d🔬",
    "“", "”", "—", "‘", "” [^a]", "” [^", "^c-9f3a1c22k7", "^n-0123456789", "~~", "~~x~~",
    "~~ → ", "~x~", "**b**", "*i*", "__b__", "_i_", "snake_case", "a_", "``", "```", "`c`",
    "`*a_b*`", "`$a`", "` ^x <b>`", "`", "$x$",
    "$$x$$", "\\(", "\\[", "==h==", "=x=", "===", "---", "***", "___", "- ", "+ ", "* ", "> ", "# ",
    "## h", "#tag", "#1", "[[Wiki]]", "[[A|b]]", "![[e]]", "[x](y)", "![x](y)", "[^1]", "^[note]",
    "[^1]: x", "[a]: /x", "[ ] ", "[x] ", "<b>", "</b>", "<!-- c -->", "<script>", "<a@b.cd>",
    "<http://a.bc>", "<?php ?>", "<![CDATA[", "&amp;", "&#35;", "&#x41;", "&lt", "&copy", "AT&T",
    "http://ex.org/a_b", "https://ex.org", "ftp://a.bc", "HTTP://ex.org", "//ex.org", "///",
    "www.ex.org", "WWW.ex.org", "wwww.ex.org", "mailto:", "%%", "%%c%%", "%%%", "100%", "::", ": ",
    " = ", "; ", ";", "| a | b |", "|-|-|", ":-:", "\\", "\\\\", "\\*", "  \n", "{#id}", "{{x}}",
    "---\ntitle: x\n---", "\n# h", "\n- x", "\n    code", "word ", "x", "Term\n: def", "^", "x^2",
]  # fmt: skip

hostile = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map("".join),
    st.text(alphabet=st.sampled_from(PUNCTUATION + " a1"), min_size=1, max_size=14),
    st.text(min_size=1, max_size=20),
).filter(lambda text: normalise(text) != "")
labels = hostile


def renderer() -> MarkdownIt:
    """Every syntax at once; linkify as VS Code and GitHub have it: not every `word.tld`."""
    md = MarkdownIt("commonmark", {"linkify": True, "typographer": False})
    md.enable(["table", "strikethrough", "linkify"])
    md.use(footnote_plugin).use(dollarmath_plugin, allow_digits=True, double_inline=True)
    assert md.linkify is not None
    md.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    # Kept apart, escaped characters show what a forge's own linker would see in the source.
    md.disable("text_join")
    return md


RENDERER = renderer()
FORGE_LINK = re.compile(r"\bwww\.|(?:https?|ftp)://|==|%%|&(?:[A-Za-z]|#)|\$|#|\^|\[|~", re.I)
LINES = (
    "- {}",
    "- a claim\n  - {}",
    "- a claim\n  - “{}” [^id]\n\n[^id]: source",
    "- {} ^c-9f3a1c22k7\n  - (as of: 2017)",
    "- ~~{}~~ → [[x]] ^c-9f3a1c22k7",
    "a paragraph\n\n{}\n\nanother",
    "# {}",
)
STRUCTURE = {
    "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close", "heading_open",
    "list_item_open", "list_item_close", "heading_close", "inline", "footnote_block_open",
    "footnote_block_close", "footnote_open", "footnote_close", "footnote_anchor",
}  # fmt: skip


def text_of(inline: Token) -> str:
    return "".join(
        f"{child.markup}{child.content}{child.markup}"
        if child.type == "code_inline"
        else child.content
        for child in inline.children or ()
    )


def shape(template: str, text: str) -> tuple[list[str], list[Token]]:
    tokens = RENDERER.parse(template.replace("{}", text))
    kinds = [token.type for token in tokens]
    return kinds, [token for token in tokens if token.type == "inline"]


@pytest.mark.parametrize("template", LINES)
@settings(max_examples=examples(400), deadline=None)
@given(text=hostile)
def test_escaped_text_is_nothing_but_text(template: str, text: str) -> None:
    plain_kinds, plain = shape(template, "MARK")
    kinds, inlines = shape(template, escape(text))
    assert kinds == plain_kinds
    assert set(kinds) <= STRUCTURE
    for before, after in zip(plain, inlines, strict=True):
        kinds_before = [c.type for c in before.children or () if not c.type.startswith("text")]
        kinds_after = [
            c.type
            for c in after.children or ()
            if not c.type.startswith("text") and c.type != "code_inline" and c.markup != "linkify"
        ]
        linked = [c.attrs["href"] for c in after.children or () if c.type == "link_open"]
        assert all(re.fullmatch(URL, str(href)) for href in linked)
        assert kinds_before == kinds_after
        assert text_of(after) == text_of(before).replace("MARK", normalise(text))


@settings(max_examples=examples(700), deadline=None)
@given(text=hostile)
def test_no_forge_sees_an_address_a_tag_or_a_highlight(text: str) -> None:
    _, inlines = shape("- {}", escape(text))
    for token in (child for inline in inlines for child in inline.children or ()):
        shown = token.type in ("text_special", "code_inline")
        assert shown or not FORGE_LINK.search(re.sub(URL, "", token.content))


@settings(max_examples=examples(800), deadline=None)
@given(text=hostile)
def test_unescape_undoes_every_escape(text: str) -> None:
    for escaped in (escape(text), escape_value(text), escape_slot(text)):
        assert unescape(escaped) == normalise(text)
        assert "\n" not in escaped


@settings(max_examples=examples(500), deadline=None)
@given(text=st.text(alphabet=PUNCTUATION + "“”— Lc1", max_size=30))
def test_the_grammar_of_a_page_never_stands_in_escaped_text(text: str) -> None:
    unescaped = re.compile(r"(?<!\\)(?:\\\\)*([\^\[\]~#$`<*])")
    assert not unescaped.search(re.sub(f"{CODE}|{URL}", "", escape(text)))
    evidence = f"  - “{escape(text)}” [^id]"
    assert evidence.count("” [^") == 1


@settings(max_examples=examples(500), deadline=None)
@given(values=st.lists(st.tuples(hostile, hostile), min_size=1, max_size=3))
def test_attributes_split_only_where_they_were_joined(values: list[tuple[str, str]]) -> None:
    line = "; ".join(f"{escape_slot(k)} = {escape_value(v)}" for k, v in values)
    parts = re.findall(r"(?:\\.|[^;\\])+", line)
    pairs = [re.fullmatch(r"\s*((?:\\.|[^\\=])*) = (.*)", part).groups() for part in parts]
    assert [(unescape(k), unescape(v)) for k, v in pairs] == [
        (normalise(k), normalise(v)) for k, v in values
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n < d", r"n \< d"),
        ("snake_case and __init__", r"snake_case and \_\_init\_\_"),
        ("GPT-4.1 costs 3.50 (2 %); a = b", "GPT-4.1 costs 3.50 (2 %); a = b"),
        ("config.py", "config.py"),
        ("AT&T, Q & A, &amp; &#9;", r"AT\&T, Q & A, \&amp; \&\#9;"),
        ("a == b, 5 %% x", r"a \=\= b, 5 \%\% x"),
        ("https://ex.org/a//b", r"https:\//ex.org/a\//b"),
        ("www.ex.org", r"www\.ex.org"),
        ("1. one", r"1\. one"),
        ("2017) x", r"2017\) x"),
        ("12345678901. x", "12345678901. x"),
        ("- x - y", r"\- x - y"),
        ("=", r"\="),
        ("x^2 [a] {b} |c|", r"x\^2 \[a\] {b} |c|"),
        (" a\n\tb\0c ", "a b c"),
        ("日本語_テスト", "日本語_テスト"),
        ("`*.pyc`, `HEAD^` or `a[-i] <x>`", "`*.pyc`, `HEAD^` or `a[-i] <x>`"),
        ("a ` b `c` ``d`` `e", r"a \` b `c` ``d`` \`e"),
        (
            "`[[a]]`, `^c-1`, `~~x` `” [^a]`",
            r"\`\[\[a\]\]\`, \`\^c-1\`, \`\~\~x\` \`” \[\^a\]\`",
        ),
        ("", ""),
    ],
)
def test_what_is_escaped_and_what_stays_readable(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_values_and_slots_escape_their_separators() -> None:
    assert escape_value("a; b: c = d") == r"a\; b: c = d"
    assert escape_slot("a; b: c = d") == r"a\; b\: c \= d"


def test_unescape_leaves_other_backslashes() -> None:
    assert unescape(r"C:\new \é \ x") == r"C:\new \é \ x"
    assert unescape(r"\\\*") == r"\*"


@settings(max_examples=examples(700), deadline=None)
@given(text=hostile)
def test_a_label_needs_no_escape(text: str) -> None:
    label = link_text(text)
    assert link_text(label) == label
    assert not set(label) & set("[]|\\`*<~$^")
    _, inlines = shape("see {}", f"[[page|{label}]]")
    assert text_of(inlines[0]) == f"see [[page|{label}]]"
    assert {child.type for child in inlines[0].children or ()} == {"text"}


ACTS = re.compile(
    r"#\w|@\w|\bGH-\d|(?:clos|fix|resolv)\w*\W{1,3}[A-Z]\w*-\d|://\w|\[|\]|\*{3}|--!?>"
    r"|\A[\w-]+-\w+\s*:",
    re.I,
)


@settings(max_examples=examples(1500), deadline=None)
@given(
    text=st.lists(
        st.sampled_from(
            [*FRAGMENTS, "fixes ", "Closes: ", "resolved", "#", "1", "@", "bob", "GH-", "gh-7",
            "o/r",
             "ENG-12", "Co-authored-by: ", "Wiki-Op:", "[skip ci]", "***NO_CI***", "!", "-->",
             "--!>"]
        ), max_size=8,
    ).map("".join),
    limit=st.integers(4, 80),
)  # fmt: skip
def test_a_plain_line_does_nothing_on_a_forge(text: str, limit: int) -> None:
    line = plain_line(text, limit)
    assert len(line) <= limit
    assert line == normalise(line)
    assert not ACTS.search(line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Fixes #1, closes o/r#22", "Fixes # 1, closes o/r# 22"),
        ("ping @people and a@b.cd", "ping @ people and a@ b.cd"),
        ("fix ENG-123 and GPT-4", "fix ENG 123 and GPT-4"),
        ("Co-authored-by: X <x@y.z>", "Co authored-by: X <x@ y.z>"),
        ("ok [skip ci]", "ok (skip ci)"),
        ("# Title", "Title"),
        ("see https://x.yz/issues/1", "see https:// x.yz/issues/1"),
        ("one\ntwo", "one two"),
        ("EIP-2780: Gas", "EIP-2780: Gas"),
        ("Wiki-Op: x", "Wiki Op: x"),
        ("C# and F#: a tour", "C# and F#: a tour"),
    ],
)
def test_plain_lines_stay_readable(text: str, line: str) -> None:
    assert plain_line(text) == line
