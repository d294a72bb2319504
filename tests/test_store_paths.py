"""Which paths an operation may write: an allow-list, and names that cannot leave it."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import gitkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmwiki.core.errors import PolicyError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.allowed_paths import (
    INIT,
    check_adopted,
    check_text,
    check_written,
)
from llmwiki.git.store.private_files import common_files, derive
from llmwiki.git.trees import Directory, empty_tree, object_id, splice

HOSTILE = [
    "",
    "/etc/passwd",
    "/wiki/a.md",
    "../a.md",
    "wiki/../../a.md",
    "wiki/../.git/config.md",
    "wiki/./a.md",
    "wiki//a.md",
    "wiki/a.md/",
    "wiki-evil/a.md",
    "wiki/a.txt",
    "wiki/a.MD",
    "wiki/.md",
    "wiki/a\x00.md",
    "wiki/a\n.md",
    "wiki/\x1b[31m.md",
    "wiki/\u202egpj.md",
    "wiki/.git/hooks.md",
    "wiki/.GIT/x.md",
    "wiki/.g\u200cit/x.md",
    "wiki/git~1/x.md",
    "wiki/.git /x.md",
    "wiki/.git./x.md",
    "wiki/.git::$INDEX_ALLOCATION/x.md",
    "wiki\\a.md",
    "wiki/a\\..\\b.md",
    "wiki/a:b.md",
    "wiki/CON.md",
    "wiki/con/a.md",
    "wiki/aux.tar.md",
    "wiki/com1.md",
    "wiki/lpt\u00b9.md",
    "wiki/nul .md",
    "wiki/dir./a.md",
    "wiki/dir /a.md",
    "wiki/" + "a" * 300 + ".md",
    "wiki/" + "é" * 127 + "x.md",
    "wiki/e\u0301.md",
    "wiki/\udc80.md",
    "raw/brand/SOUL.md",
    "raw/skills/x.md",
    "raw/.text/a.md",
    "raw/.text/a/b.txt",
    "graph/graph.json",
    ".git/hooks/pre-commit",
    ".git/config",
    ".gitattributes",
    ".gitmodules",
    ".llmwiki.toml",
    ".claude/settings.json",
    ".claude/skills/wiki-ingest/SKILL.md",
    "CLAUDE.md",
    ".mcp.json",
    ".vscode/tasks.json",
    ".envrc",
    ".github/workflows/x.md",
    "README.md",
    "notes.txt",
]


@pytest.mark.parametrize("path", HOSTILE, ids=ascii)
def test_a_hostile_path_is_refused(path: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check_written(path, exists=False, deletes=False)
    assert caught.value.exit_code == 7
    assert str(caught.value).isprintable() or "\n" in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "wiki/index.md",
        "wiki/concepts/C++ (concept).md",
        "wiki/概念/自注意力.md",
        "wiki/a/.hidden.md",
        "raw/papers/a.pdf",
        "raw/.text/0123456789abcdef.txt",
    ],
)
def test_an_ordinary_path_is_allowed(path: str) -> None:
    check_written(path, exists=False, deletes=False)


def test_a_source_is_added_and_never_changed() -> None:
    for exists, deletes in ((True, False), (True, True), (False, True)):
        with pytest.raises(PolicyError, match="never changed"):
            check_written("raw/a.md", exists=exists, deletes=deletes)
    check_written("wiki/a.md", exists=True, deletes=True)


def test_init_writes_constants_only() -> None:
    for path in (".gitattributes", ".claude/skills/wiki-lint/SKILL.md", "graph/.gitignore"):
        check_written(path, exists=True, deletes=False, allow=INIT)
    for path in (".claude/settings.json", ".git/config", "graph/x", ".claude/skills/../x"):
        with pytest.raises(PolicyError):
            check_written(path, exists=False, deletes=False, allow=INIT)


def test_only_sources_are_adopted() -> None:
    check_adopted("raw/2024-01-01 10:30 note.md")
    check_adopted("raw/brand/SOUL.md")
    for path in ("wiki/a.md", "notes.txt", "raw/../x", "raw/.git/x", "rawx/a"):
        with pytest.raises(PolicyError):
            check_adopted(path)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "..",
                ".",
                "",
                ".git",
                "wiki",
                "raw",
                ".text",
                "a.md",
                "a",
                "CON",
                "\x00",
                "\\",
                "/",
                ":",
                "~1",
                "git",
                " ",
                "é",
                "e\u0301",
                "\u200b",
                "x.txt",
                ".claude",
                "\u202e",
                "A.md",
            ]
        ),
        max_size=6,
    ).map("/".join)
    | st.text(max_size=40)
)
def test_what_is_allowed_stays_in_its_folder(path: str) -> None:
    try:
        check_written(path, exists=False, deletes=False)
    except PolicyError:
        return
    parts = Path(path).parts
    assert parts[0] in ("wiki", "raw")
    assert ".." not in parts
    assert not any(p.rstrip(". ").replace("\u200b", "").casefold() == ".git" for p in parts)
    assert unicodedata.normalize("NFC", path) == path
    assert path == "/".join(parts)
    assert not any(unicodedata.category(c) == "Cc" for c in path)


@settings(deadline=None)
@given(st.text())
def test_a_check_of_any_text_ends_in_a_policy_error_or_not_at_all(text: str) -> None:
    for written in (True, False):
        try:
            check_text(text, written=written)
        except PolicyError as error:
            assert str(error).isascii()


def test_two_paths_of_one_plan_must_differ_by_more_than_case() -> None:
    empty = empty_tree("sha1")
    new = ("100644", object_id("blob", b"x", "sha1"))
    for one, other in (("wiki/Self.md", "wiki/self.md"), ("wiki/A/x.md", "wiki/a/y.md")):
        with pytest.raises(PolicyError, match="case"):
            splice(
                {empty: Directory([], {}, 20)}.__getitem__, empty, {one: new, other: new}, "sha1"
            )


@pytest.mark.parametrize(
    "twin",
    ["wiki/concepts/p0001.md", "wiki/Concepts/New.md", "WIKI/x.md", "wiki/concepts/STRASSE.md"],
)
def test_a_twin_of_what_the_tree_holds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, twin: str
) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "w")
    gitkit.land(root, {"wiki/concepts/straße.md": b"x\n"})
    with pytest.raises(PolicyError):
        gitkit.land(root, {twin: b"x\n"})
    gitkit.land(root, {"wiki/concepts/P0001.md": None, "wiki/concepts/p0001.md": b"renamed\n"})
    assert gitkit.status(root) == ""


def test_private_and_derived_files_stay_where_they_belong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "w")
    with Repository(layout_of(root)) as repo:
        files = common_files(repo)
        files.write("jobs/b.json", b"{}")
        files.write("jobs/a.json", b"1")
        files.append("sessions/s.jsonl", b"1\n")
        files.append("sessions/s.jsonl", b"2\n")
        assert files.names("jobs") == ("jobs/a.json", "jobs/b.json")
        assert files.read("sessions/s.jsonl") == b"1\n2\n"
        files.delete("jobs/a.json")
        assert files.read("jobs/a.json") is None
        for name in ("../config", "/etc/x", "a//b", "a/./b", ""):
            with pytest.raises(PolicyError):
                files.write(name, b"")
        (root / ".git/llmwiki/linked").symlink_to(tmp_path)
        with pytest.raises(PolicyError):
            files.write("linked/x", b"")
        assert derive(repo, "graph/graph.json", b"{}").read_bytes() == b"{}"
        for path in ("graph/../x", "wiki/a.md", "graph", "/graph/x"):
            with pytest.raises(PolicyError):
                derive(repo, path, b"")
        (root / "graph/out").symlink_to(tmp_path)
        with pytest.raises(PolicyError):
            derive(repo, "graph/out/x", b"")
