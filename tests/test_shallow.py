"""Clones that lack a part of the history: what they know is right, the rest is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gitkit
import pytest
import wikikit
from longform import seldom
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
BLACK = claim("Tea", "Black tea is steeped at 95 degrees.", "Black tea is steeped at 95 degrees")
MATE = "# Mate\n\nMate is an infusion of a holly. Tea is another drink.\n"
PAGE = "wiki/concepts/Tea.md"


@dataclass
class Origin:
    """A wiki, a bare repository of it, and the clones of that."""

    wiki: Wiki
    bare: Path

    def push(self) -> None:
        self.wiki.git("push", "-q", "-f", str(self.bare), "HEAD:main")

    def clone(self, name: str, *args: str) -> Wiki:
        """A clone as a CI job makes it, with the wiki's clock."""
        place = self.bare.parent / name
        gitkit.git(self.bare.parent, "clone", "-q", *args, f"file://{self.bare}", name)
        below = self.wiki.root.relative_to(
            Path(self.wiki.git("rev-parse", "--show-toplevel").strip())
        )
        return Wiki(place / below, commands=100, env=dict(self.wiki.env))

    def both(self, *args: str) -> tuple[Wiki, Wiki]:
        """A whole clone, and one made with these arguments."""
        return self.clone("whole"), self.clone("lacking", *args)


def learn_mate(wiki: Wiki) -> None:
    wiki.learn("raw/mate.md", MATE, answer([claim("Tea", "Tea is another drink.", lines=(3, 3))]))


def three(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN, BLACK]))
    learn_mate(wiki)
    wiki.ok("remember", "Tea is nice.")


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    """Three operations behind `wiki init`: tea, mate, a note."""
    made = Origin(wikikit.make(tmp_path, monkeypatch, three), tmp_path / "origin.git")
    gitkit.git(tmp_path, "init", "-q", "--bare", "-b", "main", str(made.bare))
    gitkit.git(made.bare, "config", "uploadpack.allowFilter", "true")
    made.push()
    return made


def ids(wiki: Wiki) -> list[str]:
    """All operations, newest first."""
    return wiki.git("log", "--format=%(trailers:key=Wiki-Id,valueonly,separator=)").split()


def refused(wiki: Wiki, *args: str, says: str = "git fetch --unshallow") -> None:
    """The command changes nothing, ends with 3 and says what to do."""
    head = wiki.head
    done = wiki.run(*args)
    assert done.code == 3 and says in done.err, (args, done)
    assert wiki.head == head and wiki.status == ""


def test_undo_at_the_border_is_refused_and_takes_nothing_out(origin: Origin) -> None:
    lacking = origin.clone("lacking", "--depth=1")
    refused(lacking, "undo")
    refused(lacking, "undo", "--dry-run")
    refused(lacking, "undo", ids(lacking)[0])
    lacking.git("fetch", "-q", "--unshallow")
    lacking.ok("undo")
    assert PAGE in lacking.files()
    assert not any(path.startswith("wiki/daily/") for path in lacking.files())


@pytest.mark.parametrize("depth", [2, 3])
def test_undo_before_the_border_is_that_of_a_whole_clone(origin: Origin, depth: int) -> None:
    whole, lacking = origin.both(f"--depth={depth}")
    names = ids(whole)
    for name in names[: depth - 1]:
        assert whole.ok("undo", name).out == lacking.ok("undo", name).out
        assert whole.head == lacking.head, "the same commit, so every page and the log are equal"
    refused(lacking, "undo", names[depth - 1])
    for name in names[depth:-1]:
        refused(lacking, "undo", name)
    lacking.git("push", "-q", "origin", "HEAD")
    assert gitkit.git(origin.bare, "rev-parse", "main").strip() == whole.head


def last_undone(wiki: Wiki) -> None:
    wiki.ok("undo")


def corrected(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE.replace("80 degrees", "75 degrees"))
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")


def folder(wiki: Wiki) -> None:
    for n in range(2):
        wiki.put(f"raw/n{n}.md", f"# N{n}\n\nTea number {n} is a kind of tea.\n")
    wiki.ok("ingest", "raw/", "--model", "offline")


def mended(wiki: Wiki) -> None:
    wiki.edit("wiki/log.md", wiki.read("wiki/log.md").split("\n")[3] + "\n", "")
    wiki.run("lint", "--fix")
    assert wiki.trailer("Wiki-Op") == "lint"


@pytest.mark.parametrize("change", [last_undone, corrected, folder, mended])
def test_undo_of_each_operation_in_a_clone_of_two(
    origin: Origin, change: Callable[[Wiki], None]
) -> None:
    change(origin.wiki)
    origin.push()
    whole, lacking = origin.both("--depth=2")
    for wiki in (whole, lacking):
        wiki.ok("undo")
        wiki.ok("undo")
    assert whole.head == lacking.head


def test_an_id_that_is_nowhere_is_unknown_in_a_whole_clone_only(origin: Origin) -> None:
    whole, lacking = origin.both("--depth=3")
    assert whole.run("undo", "0" * 12).code == 2
    refused(lacking, "undo", "0" * 12)
    lacking.git("commit", "-q", "--allow-empty", "-m", "a person's")
    lacking.git("push", "-q", "origin", "HEAD")
    refused(origin.clone("newest", "--depth=1"), "undo")


def test_a_batch_that_may_go_on_behind_the_border_is_refused(origin: Origin) -> None:
    folder(origin.wiki)
    batch = origin.wiki.trailer("Wiki-Batch")
    origin.push()
    whole, lacking = origin.both("--depth=3")
    refused(lacking, "undo", batch)
    first, second = ids(whole)[:2]
    assert f"{first} {second}" in lacking.run("undo", batch).err
    lacking.ok("undo", first)
    lacking.ok("undo", second)
    whole.ok("undo", batch)
    kept = {path for path in whole.files() if path != "wiki/log.md"}
    assert {p: whole.files()[p] for p in kept} == {p: lacking.files()[p] for p in kept}


@pytest.mark.parametrize("depth", seldom([1, 2, 3], (1, 3)))
def test_writing_in_a_shallow_clone_makes_the_commits_of_a_whole_one(
    origin: Origin, depth: int
) -> None:
    whole, lacking = origin.both(f"--depth={depth}")
    for wiki in (whole, lacking):
        folder(wiki)
        wiki.ok("remember", "Mate, too.")
        corrected(wiki)
        wiki.ok("undo")
    assert whole.head == lacking.head
    lacking.git("push", "-q", "origin", "HEAD")
    wikikit.check(origin.clone("after"))


def test_a_wiki_below_the_top_of_a_shallow_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = wikikit.bare(tmp_path, monkeypatch)
    gitkit.git(outer.root, "init", "-q", "-b", "main")
    wiki = Wiki(outer.root / "docs" / "kb")
    wiki.root.mkdir(parents=True)
    wiki.ok("init")
    made = Origin(wiki, tmp_path / "origin.git")
    gitkit.git(tmp_path, "init", "-q", "--bare", "-b", "main", str(made.bare))
    wiki.learn("raw/tea.md", NOTE, answer([GREEN]))
    learn_mate(wiki)
    made.push()
    refused(made.clone("newest", "--depth=1"), "undo")
    whole, lacking = made.both("--depth=2")
    assert whole.ok("undo").out == lacking.ok("undo").out and whole.head == lacking.head


def test_an_operation_at_the_border_gets_no_line_with_the_wrong_count(origin: Origin) -> None:
    wiki = origin.wiki
    wiki.put("raw/n.md", "# N\n\nA tea of the north is a kind of tea.\n")
    told = wiki.ok("ingest", "raw/n.md", "--model", "offline", "--review", "--json").operation
    assert not (wiki.root / "raw/n.md").exists()
    wiki.git("merge", "-q", "--ff-only", f"wiki-review/{told['id']}")
    assert told["id"] not in wiki.read("wiki/log.md"), "a branch for review writes no log"
    origin.push()
    whole, lacking = origin.both("--depth=1")
    for each in (whole, lacking):
        each.ok("remember", "Mate, too.")
    assert told["id"] in whole.read("wiki/log.md")
    assert told["id"] not in lacking.read("wiki/log.md")
    lacking.git("fetch", "-q", "--unshallow")
    assert "WK401" in lacking.run("lint").out
    lacking.ok("lint", "--fix")
    row = next(row for row in whole.read("wiki/log.md").split("\n") if told["id"] in row)
    assert row in lacking.read("wiki/log.md")


def test_a_claim_that_a_person_deleted_does_not_come_back_in_a_shallow_clone(
    origin: Origin,
) -> None:
    wiki = origin.wiki
    wiki.delete("Black tea is steeped")
    wiki.git("commit", "-q", "--allow-empty", "-m", "another")
    origin.push()
    changed = NOTE + "\nTea is drunk.\n"
    fill = answer([GREEN, BLACK, claim("Tea", "Tea is drunk.", lines=(10, 10))])
    for clone in origin.both("--depth=1"):
        told = clone.learn("raw/tea.md", changed, fill)
        assert "Black tea is steeped" not in clone.read(PAGE) and told["claims_added"] == 1
        assert [r["reason"] for r in told["refused"]] == ["a person deleted this claim before"]


def test_reading_commands_say_where_the_history_ends(origin: Origin) -> None:
    lacking = origin.clone("lacking", "--depth=2")
    done = lacking.ok("log")
    assert len(done.out.splitlines()) == 2 and "shallow clone" in done.err
    told = lacking.ok("log", "--json").json
    assert not told["complete"] and len(told["operations"]) == 2
    assert lacking.ok("log", "-n", "2").err == "", "what was asked for is all there"
    whole = origin.clone("whole")
    assert whole.ok("log", "--json").json["complete"] and whole.ok("log").err == ""
    assert "a shallow clone" in lacking.ok("status").out
    assert lacking.ok("status", "--json").json["clone"] == "a shallow clone"
    assert whole.ok("status", "--json").json["clone"] is None
    for args in (
        ("search", "tea", "--at", "HEAD~2"),
        ("lint", "--at", "HEAD~2"),
        ("lint", "--changed", "HEAD~2"),
    ):
        refused(lacking, *args)
    assert "git fetch --unshallow" in lacking.run("show", "Tea", "--at", "HEAD~2").err
    assert lacking.ok("search", "tea", "--at", "HEAD~1").out


def test_the_log_of_a_page_does_not_say_that_the_border_brought_it(origin: Origin) -> None:
    whole, lacking = origin.both("--depth=1")
    args = ("log", PAGE, "--json")
    assert len(whole.ok(*args).json["commits"]) == 2
    assert lacking.ok(*args).json["commits"] == []


def test_lint_of_the_usual_checkout_of_a_ci_finds_nothing_that_a_whole_one_does_not(
    origin: Origin,
) -> None:
    corrected(origin.wiki)
    origin.push()
    whole, lacking = origin.both("--depth=1")
    found = [
        {(f["name"], f["path"]) for f in wiki.run("lint", "--format", "json").json["findings"]}
        for wiki in (whole, lacking)
    ]
    assert found[1] == found[0]


# --- grafts, lost objects, partial clones ---------------------------------------------------


def test_a_graft_hides_parents_as_a_border_does(origin: Origin) -> None:
    whole = origin.clone("whole")
    gitkit.put(whole.root, {".git/info/grafts": f"{whole.head}\n"})
    refused(whole, "undo")
    gitkit.put(whole.root, {".git/info/grafts": "# none\n"})
    whole.ok("undo")


def test_a_replaced_commit_is_undone_as_it_was_made(origin: Origin) -> None:
    whole, other = origin.clone("whole"), origin.clone("other")
    other.git("replace", "--graft", "HEAD")
    whole.ok("undo")
    other.ok("undo")
    assert whole.head == other.head


def test_a_lost_object_is_no_empty_file(origin: Origin) -> None:
    wiki = origin.wiki
    oid = wiki.git("rev-parse", f"HEAD~2:{PAGE}").strip()
    (wiki.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    refused(wiki, "undo", ids(wiki)[1], says="git fsck")


@pytest.mark.parametrize("left", ["blob:none", "tree:0"])
def test_a_partial_clone_fetches_what_it_lacks_only_where_it_may(origin: Origin, left: str) -> None:
    whole, lacking = origin.both(f"--filter={left}")
    before = lacking.git("count-objects", "-v")
    refused(lacking, "undo", ids(whole)[1], says="partial clone")
    assert lacking.git("count-objects", "-v") == before
    lacking.ok("log")
    lacking.ok("search", "tea")
    whole.commands = lacking.commands
    whole.ok("remember", "Mate, too.")
    lacking.ok("remember", "Mate, too.")
    assert whole.head == lacking.head
    lacking.env["GIT_NO_LAZY_FETCH"] = "0"
    for wiki in (whole, lacking):
        wiki.ok("undo", ids(wiki)[2])
    assert whole.head == lacking.head


def test_a_partial_clone_is_made_whole_as_the_message_says(origin: Origin) -> None:
    lacking = origin.clone("lacking", "--filter=blob:none")
    done = lacking.run("undo", ids(lacking)[1])
    assert done.code == 3 and "git fetch --refetch --no-filter" in done.err
    subprocess.run(
        ["git", "fetch", "-q", "--refetch", "--no-filter"],
        cwd=lacking.root,
        env=gitkit.environment(),
        check=True,
    )
    lacking.ok("undo")
