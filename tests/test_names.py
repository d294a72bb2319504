"""Whatever a title says, its file stays in its folder and is safe on every disk."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.errors import InputError
from llmwiki.core.text import normalise
from llmwiki.pages.escape import link_text
from llmwiki.pages.page_file_names import (
    MAX_STEM_BYTES,
    SHARED_OUT_ABOVE,
    file_name,
    folder_of,
    is_reserved,
    name_key,
    page_path,
    source_id,
)

KINDS = ("entity", "concept", "synthesis", "daily")
FRAGMENTS = [
    "..", ".", "/", "\\", "../../", "~", "$HOME", "a:b", "C:\\", "\0", "\n", "\t", " ", "\u202e",
    "-",
    "\u200b", "\u200c", "\ufeff", "\ud800", "\U000f0000", "\ufffe", "\ue000", "é", "e\u0301", "ß",
    "İ", "ſ", "K", "≠", "=\u0338", "\u1fef", "\u037e", "日本語", "ページ", "🧪", "👩\u200d🔬",
    "हिन्दी", "CON", "nul", "COM1", "LPT¹", "index", "Log", "CLAUDE", "Agents", "gemini", "Memory",
    "README", "skill", "overview", "index-a", "log-2026", ".md", ".git", ".GIT", "[[", "]]", "|",
    "#",
    "^", "*", "?", '"', "<", ">", "`", "%%", "==", "&amp;", "www.", "GPT-4", ".1", "a", "B", "9",
    "x" * 80, "語" * 40, "e\u0301" * 60, " (entity)", " (2)", "con.txt", "aux ", "--", "rm -rf",
]  # fmt: skip
hostile = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join),
    st.text(min_size=1, max_size=30),
)
FORBIDDEN = set('/\\:*?"<>|#^[]`$~\x00\x7f')
SHAPE = re.compile(r"wiki/(?:entities|concepts|syntheses|daily)/([^/]+)\.md")


def free(_key: str) -> bool:
    return False


def visible(title: str) -> bool:
    return bool(normalise("".join(c for c in normalise(title) if unicodedata.category(c) != "Cf")))


def assert_safe(stem: str) -> None:
    assert stem
    assert not set(stem) & FORBIDDEN
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for c in stem)
    assert stem == unicodedata.normalize("NFC", stem) == normalise(stem)
    assert stem[0] != "." and stem[-1] not in ". "
    assert "%%" not in stem and "==" not in stem
    assert len(stem.encode("utf-8")) <= MAX_STEM_BYTES
    assert not is_reserved(stem)


@settings(max_examples=examples(800, 100_000), deadline=None)
@given(title=hostile.filter(visible), kind=st.sampled_from(KINDS))
def test_every_path_stays_in_its_folder_and_is_safe(title: str, kind: str) -> None:
    path = page_path(kind, title, free)
    match = SHAPE.fullmatch(path)
    assert match is not None
    assert path.startswith(folder_of(kind) + "/")
    assert_safe(match[1])


def test_pages_of_a_large_kind_are_shared_out() -> None:
    assert page_path("concept", "Tea", free, SHARED_OUT_ABOVE) == "wiki/concepts/Tea.md"
    paths = [page_path("concept", f"Tea {n}", free, SHARED_OUT_ABOVE + 1) for n in range(3000)]
    assert all(re.fullmatch(r"wiki/concepts/[0-9a-f]{2}/Tea [0-9]+\.md", path) for path in paths)
    assert len({path.split("/")[2] for path in paths}) == 256
    assert page_path("concept", "tea 5", free, SHARED_OUT_ABOVE + 1).split("/")[2] in paths[5]


@settings(max_examples=examples(300), deadline=None)
@given(titles=st.lists(hostile.filter(visible), min_size=2, max_size=12))
def test_no_two_pages_share_a_name_on_a_disk_that_folds_case(titles: list[str]) -> None:
    keys: set[str] = set()
    for title in [*titles, *(t.upper() for t in titles), *titles]:
        path = page_path("concept", title, keys.__contains__)
        match = SHAPE.fullmatch(path)
        assert match is not None
        assert_safe(match[1])
        assert name_key(match[1]) not in keys
        assert match[1].casefold() not in keys
        keys.add(name_key(match[1]))


@settings(max_examples=examples(800), deadline=None)
@given(title=hostile.filter(visible))
def test_a_file_name_is_stable_and_can_be_linked(title: str) -> None:
    stem = file_name(title)
    assert file_name(stem) == stem
    assert link_text(stem).count("[") == 0
    assert re.fullmatch(r"\[\[[^\[\]|#^\n]+\]\]", f"[[{stem}]]")


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Self-attention", "Self-attention"),
        ("GPT-4.1", "GPT-4.1"),
        ("GPT-4.5", "GPT-4.5"),
        ("C#", "C-"),
        ("C++", "C++"),
        (".NET", "-NET"),
        ("TCP/IP", "TCP-IP"),
        ("What is RAG?", "What is RAG-"),
        ("React: a library", "React- a library"),
        ("OpenAI, Inc.", "OpenAI, Inc"),
        ("../../etc/passwd", "-etc-passwd"),
        ("日本語ページ", "日本語ページ"),
        ("变换器（模型）", "变换器（模型）"),
        ("e\u0301te\u0301", "été"),
        ("a\u202eb", "ab"),
        ("100%", "100%"),
        ("snake_case", "snake_case"),
        ("AT&T", "AT&T"),
        ("x" * 300, "x" * 200),
        ("語" * 100, "語" * 66),
        ("…", "…"),
        ("???", "-"),
    ],
)
def test_the_file_name_is_the_title_with_the_forbidden_replaced(title: str, stem: str) -> None:
    assert file_name(title) == stem


@pytest.mark.parametrize("title", ["", " \n", "\u202e", "\u200c"])
def test_a_title_that_nobody_can_see_is_refused(title: str) -> None:
    with pytest.raises(InputError):
        file_name(title)


@pytest.mark.parametrize(
    "title",
    ["index", "Log", "OVERVIEW", "memory", "README", "Skill", "Claude", "AGENTS", "Gemini", "con",
     "PRN", "aux", "NUL", "com1", "LPT9", "COM¹", "index-a", "index-other", "log-2026",
     "Claude\u200c"],
)  # fmt: skip
def test_a_reserved_name_says_its_kind(title: str) -> None:
    stem = file_name(title)
    assert is_reserved(stem)
    assert page_path("concept", title, free) == f"wiki/concepts/{stem} (concept).md"
    assert page_path("entity", title, free) == f"wiki/entities/{stem} (entity).md"


@pytest.mark.parametrize(
    ("title", "stem"),
    [("Claude.local", "Claude-local"), ("con.txt", "con-txt"), ("nul .x", "nul -x"),
     ("index.a", "index-a (concept)")],
)  # fmt: skip
def test_a_reserved_name_before_a_dot_loses_the_dot(title: str, stem: str) -> None:
    assert page_path("concept", title, free) == f"wiki/concepts/{stem}.md"


def test_clashes_get_the_kind_and_then_numbers() -> None:
    keys: set[str] = set()
    paths = []
    for title in ("Mercury", "MERCURY", "mercury", "Mercury", "Mercury"):
        path = page_path("entity", title, keys.__contains__)
        keys.add(name_key(path.removeprefix("wiki/entities/").removesuffix(".md")))
        paths.append(path.removeprefix("wiki/entities/"))
    assert paths == [
        "Mercury.md",
        "MERCURY (entity).md",
        "mercury (2).md",
        "Mercury (3).md",
        "Mercury (4).md",
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("raw/papers/attention.md", "papers-attention-md"),
        ("raw/A report.pdf", "a-report-pdf"),
        ("raw/a_b  c.tar.gz", "a-b-c-tar-gz"),
        ("raw/README", "readme"),
        ("raw/日本語/資料.html", "日本語-資料-html"),
        ("raw/हिन्दी.md", "हिन्दी-md"),
        ("raw/été.md", "été-md"),
        ("raw/.hidden", "hidden"),
        ("raw/???.md", "md"),
    ],
)
def test_a_source_id_is_the_path_in_kebab_with_its_extension(path: str, expected: str) -> None:
    if is_reserved(expected):
        assert re.fullmatch(rf"{expected}-[0-9a-f]{{4}}", source_id(path, free))
    else:
        assert source_id(path, free) == expected


def test_sources_that_spell_one_id_get_a_hash() -> None:
    keys: set[str] = set()
    ids = []
    for path in ("raw/a-b.md", "raw/a b.md", "raw/A_B.md", "raw/a/b.md"):
        made = source_id(path, keys.__contains__)
        keys.add(name_key(made))
        ids.append(made)
    assert ids[0] == "a-b-md"
    assert all(re.fullmatch(r"a-b-md-[0-9a-f]{4}", i) for i in ids[1:])
    assert len(set(ids)) == 4


@settings(max_examples=examples(800), deadline=None)
@given(path=hostile)
def test_a_source_id_is_a_safe_name_and_footnote(path: str) -> None:
    made = source_id("raw/" + path, free)
    assert_safe(made)
    assert not set(made) & set(" _().,;=!@&%'{}")
    assert made == source_id("raw/" + path, free)
