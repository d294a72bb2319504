"""The door to git: finding a wiki, reading its commits, trees and blobs, its trailers and state."""

from __future__ import annotations

import gc
import os
import subprocess
from pathlib import Path

import gitkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.git.commits_and_trailers import parse_trailers
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.runner import GitError
from llmwiki.git.trees import Directory, empty_tree, lookup, object_id, splice


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    gitkit.isolate(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return gitkit.make_wiki(tmp_path / "w")


def test_the_nearest_marker_is_the_root(tmp_path: Path) -> None:
    top = tmp_path / "w"
    root = gitkit.make_wiki(top, prefix="docs/kb")
    (root / "wiki/concepts/deep").mkdir()
    for start in (root, root / "wiki/concepts/deep", root / "wiki/log.md"):
        with Repository(layout_of(start)) as repo:
            assert (repo.top, repo.root, repo.prefix) == (top, root, "docs/kb/")
            assert repo.git_dir == repo.common_dir == top / ".git"
    with pytest.raises(StateError, match="no wiki"):
        Repository(layout_of(top))
    with Repository.at(top) as repo:
        assert (repo.root, repo.prefix) == (top, "")


def test_a_foreign_vault_is_found_by_its_markdown(root: Path) -> None:
    (root / ".llmwiki.toml").unlink()
    assert Repository(layout_of(root / "wiki")).root == root
    (root / "wiki/concepts/wiki").mkdir()
    assert Repository(layout_of(root / "wiki/concepts")).root == root


def test_discovery_starts_no_program(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    repo = Repository(layout_of(root))
    assert repo.head() == (root / ".git/refs/heads/main").read_text().strip()
    with pytest.raises(StateError, match="git cannot be run") as caught:
        repo.read("HEAD", "wiki/log.md")
    assert "PATH" in caught.value.fix


def test_work_trees_and_submodules(root: Path, tmp_path: Path) -> None:
    gitkit.git(root, "worktree", "add", "-q", "-b", "second", str(tmp_path / "second"))
    with Repository(layout_of(tmp_path / "second")) as repo:
        assert repo.common_dir == root / ".git"
        assert repo.git_dir == root / ".git/worktrees/second"
        assert repo.branch() == "refs/heads/second"
    outer = tmp_path / "outer"
    outer.mkdir()
    gitkit.git(outer, "init", "-q")
    gitkit.git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "kb")
    with Repository(layout_of(outer / "kb/wiki")) as repo:
        assert repo.top == outer / "kb"
        assert repo.git_dir == outer / ".git/modules/kb"
        assert repo.read("HEAD", "wiki/log.md") == b"# Log\n"
    with pytest.raises(StateError, match="the inside of"):
        Repository(layout_of(root / ".git"))
    with pytest.raises(StateError, match="not inside a git repository"):
        Repository(layout_of(tmp_path))


def test_a_hooks_environment_does_not_misdirect_us(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = gitkit.make_wiki(tmp_path / "other")
    gitkit.put(other, {"wiki/log.md": b"the other log\n"})
    gitkit.git(other, "commit", "-qam", "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))
    with Repository(layout_of(root)) as repo:
        assert repo.read("HEAD", "wiki/log.md") == b"# Log\n"
        assert repo.dirty(["wiki/log.md"]) == ()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("prefix", ["", "docs/kb"])
def test_trees_blobs_and_differences(tmp_path: Path, object_format: str, prefix: str) -> None:
    root = gitkit.make_wiki(tmp_path / "w", prefix=prefix, object_format=object_format)
    gitkit.put(root, {"wiki/a b [x] – ü.md": b"x\n", "wiki/log.md": b"more\n", "raw/a.md": None})
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "second")
    with Repository(layout_of(root)) as repo:
        old, new = repo.resolve("HEAD^"), repo.head()
        pages = repo.tree("HEAD", "wiki")
        assert set(pages) == {
            "wiki/a b [x] – ü.md",
            "wiki/index.md",
            "wiki/log.md",
            *(f"wiki/concepts/P{n:04}.md" for n in range(6)),
        }
        assert list(pages) == sorted(pages)
        blobs = repo.read_many([entry[1] for entry in pages.values()])
        for (path, entry), data in zip(pages.items(), blobs, strict=True):
            assert (root / path).read_bytes() == data == repo.read(new, path)
            assert repo.entry("HEAD", path) == entry
            assert object_id("blob", data, object_format) == entry[1]
        changes = {c.path: (c.old is None, c.new is None) for c in repo.diff_trees(old, new)}
        assert changes == {
            "raw/a.md": (False, True),
            "wiki/a b [x] – ü.md": (True, False),
            "wiki/log.md": (False, False),
        }
        assert len(repo.diff_trees(None, old, "wiki")) == 8
        assert repo.read("HEAD", "wiki/none.md") is None
        assert repo.read("HEAD", "wiki") is None
        assert repo.entry("HEAD", "wiki/log.md/x") is None
        assert repo.is_ancestor(old or "", new or "")
        assert not repo.is_ancestor(new or "", old or "")
        assert repo.resolve("no-such-thing") is None
        with pytest.raises(InputError, match="no revision"):
            repo.tree("no-such-thing")


def test_a_forgotten_repository_leaves_no_process(root: Path) -> None:
    repo = Repository(layout_of(root))
    repo.read("HEAD", "wiki/log.md")
    children = subprocess.run(
        ["ps", "-ww", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "cat-file" in children
    del repo
    gc.collect()
    children = subprocess.run(
        ["ps", "-ww", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "cat-file" not in children


def test_log_gives_operations_newest_first(root: Path) -> None:
    for number in range(3):
        message = (
            f"wiki ingest: Source {number}\n\nBody.\nWiki-Op: not this one\n\nWiki-Op: ingest\n"
            f"Wiki-Id: {number:012x}\nWiki-Batch: b1\nWiki-Source: raw/{number}.md sha256:ab\n"
            "Wiki-Source: raw/x.md sha256:cd\n"
        )
        with Repository(layout_of(root)) as repo:
            writes: dict[str, bytes | None] = {
                "wiki/log.md": b"%d\n" % number,
                f"wiki/N{number}.md": b"n\n",
            }
            gitkit.transact(
                repo, gitkit.planner(writes, message=message), operation="ingest", now=1e9
            )
        gitkit.git(root, "commit", "-q", "--allow-empty", "-m", f"by hand {number}\n\nWiki-Op: is")
    with Repository(layout_of(root)) as repo:
        everything = list(repo.log())
        assert len(everything) == 7
        assert everything[-1].kind is None
        assert everything[1].date.isoformat() == "2001-09-09T01:46:40+00:00"
        found = [c for c in repo.log() if c.kind == "ingest"]
        assert [commit.operation for commit in found] == [f"{n:012x}" for n in (2, 1, 0)]
        assert found[0].batch == "b1"
        assert found[0].sources == ("raw/2.md sha256:ab", "raw/x.md sha256:cd")
        assert found[0].subject == "wiki ingest: Source 2"
        assert (found[0].author, found[0].email) == ("Ada", "ada@example.org")
        assert found[0].parents.all() == (everything[2].oid,)
        assert everything[-1].parents.known and everything[-1].parents.first() is None
        assert repo.parents(found[0].oid) == found[0].parents
        assert [c.oid for c in repo.log(paths=["wiki/N1.md"])] == [found[1].oid]
        assert len(list(repo.log(limit=2))) == 2
        stream = repo.log()
        next(stream)
        with pytest.raises(GitError):
            list(repo.log("nonsense"))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("s\n\nA: b\nC-d: e\n", (("A", "b"), ("C-d", "e"))),
        ("s\n\nbody\n\nA: b\n  folded\n", (("A", "b folded"),)),
        ("A: only a subject\n", ()),
        ("s\n\nA: b\nnot a trailer\n", ()),
        ("s\n\nA: b\n\nprose\n", ()),
        ("", ()),
        (
            f"s\n\nWiki-Op: ingest\nWiki-Id: {'a' * 12}\n\nCo-authored-by: Ann <a@b.org>\n",
            (("Wiki-Op", "ingest"), ("Wiki-Id", "a" * 12)),
        ),
    ],
)
def test_trailers(message: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert parse_trailers(message) == expected


ONE, TWO = "0123456789ab", "ba9876543210"
PARTS = (
    f"wiki ingest: Tea\n\n- Tea: new concept\n\nWiki-Op: ingest\nWiki-Id: {ONE}\nWiki-Batch: b1\n",
    f"wiki undo: ingest: Tea\n\nWiki-Op: undo\nWiki-Id: {TWO}\nWiki-Undoes: {ONE}\n",
)
SQUASHES = {
    "github": f"Tea (#12)\n\n* {PARTS[0]}\n* {PARTS[1]}\n---------\n\nCo-authored-by: B <b@x>\n",
    "gitlab": f"Merge branch 'tea' into 'main'\n\n{PARTS[0]}\n{PARTS[1]}\nSee merge request !3\n",
    "git": "Squashed commit of the following:\n\n"
    + "\n".join(
        f"commit {ONE}\nAuthor: Ann <a@x.org>\nDate:   Mon\n\n"
        + "".join(f"    {line}\n" for line in part.split("\n")[:-1])
        for part in PARTS
    ),
}


@pytest.mark.parametrize("forge", SQUASHES)
def test_a_squash_holds_all_its_operations(root: Path, forge: str) -> None:
    gitkit.git(root, "commit", "-q", "--allow-empty", "-m", SQUASHES[forge])
    with Repository(layout_of(root)) as repo:
        (commit,) = repo.log(limit=1)
        assert commit.ids == (ONE, TWO)
        assert commit.values("Wiki-Undoes") == (ONE,)
        told = [(c.operation, c.kind, c.subject, c.batch) for c in commit.by_operation()]
        assert told == [
            (ONE, "ingest", "wiki ingest: Tea", "b1"),
            (TWO, "undo", "wiki undo: ingest: Tea", None),
        ]
        assert all(each.oid == commit.oid for each in commit.by_operation())


def test_a_repository_of_somebody_else_is_refused_as_git_refuses_it(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a repository away needs root")
    for path in (root, root / ".git"):
        os.chown(path, 12345, 12345)
    with Repository(layout_of(root)) as repo, pytest.raises(GitError, match="dubious ownership"):
        repo.read("HEAD", "wiki/log.md")


NAMES = st.sampled_from(
    ["a", "b", "a.b", "a-b", "a0", "ab", "B", "é", "z", "a/x", "a/y/z", "ab/c", "é/ü", "a.b/q"]
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.dictionaries(NAMES, st.none() | st.binary(max_size=3), max_size=5), max_size=5))
def test_splicing_gives_the_tree_git_would_write(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[dict[str, bytes | None]]
) -> None:
    store: dict[str, Directory] = {}
    files: dict[str, bytes] = {}
    root = empty_tree("sha1")
    store[root] = Directory([], {}, 20)
    for edits in rounds:
        entries = {
            path: None if data is None else ("100644", object_id("blob", data, "sha1"))
            for path, data in edits.items()
        }
        try:
            spliced, made = splice(store.__getitem__, root, entries, "sha1")
        except PolicyError:
            continue
        for path, data in edits.items():
            if data is None:
                files.pop(path, None)
            else:
                files[path] = data
        store.update(made)
        for oid, directory in made.items():
            again = Directory.parse(directory.encode(), 20)
            assert again.keys == directory.keys == sorted(directory.keys)
            assert object_id("tree", again.encode(), "sha1") == oid
        root = spliced
        for path, data in files.items():
            entry = lookup(store.__getitem__, root, path)
            assert entry == ("100644", object_id("blob", data, "sha1"))
    assert root == tree_by_git(tmp_path_factory.mktemp("t"), files)


def tree_by_git(place: Path, files: dict[str, bytes]) -> str:
    gitkit.git(place, "init", "-q")
    lines = "".join(
        f"100644 {gitkit.git(place, 'hash-object', '-w', '--stdin', stdin=data).strip()}\t{path}\n"
        for path, data in files.items()
    )
    gitkit.git(place, "update-index", "--index-info", stdin=lines.encode())
    return gitkit.git(place, "write-tree").strip()
