"""The ref that records a landing: git killed while it makes, moves and deletes refs; two work
trees; hooks that refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import gitkit
import pytest
from crash import world
from longform import LONG, seldom

from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.clone_setup import install_guard
from llmwiki.git.store.transaction import recover

CHANGE: dict[str, bytes | None] = {"wiki/concepts/P0001.md": gitkit.page("P0001", "landed")}
CALLS = seldom(["rename", "unlink", "openat", "write", "mkdir", "rmdir", "fsync"],
               ("openat", "write", "mkdir", "rmdir", "fsync"))  # fmt: skip
CUT = seldom(["record.made", "ref.moved", "tree.renamed", "index.updated", "objects.kept"],
             ("tree.renamed", "index.updated", "objects.kept"))  # fmt: skip


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    gitkit.isolate(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return gitkit.make_wiki(tmp_path / "w")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("second"), worktree=True)


# --- git itself is killed -----------------------------------------------------------------


class KilledGit:
    """A PATH whose `git update-ref` dies at one system call, and takes us along where `both`."""

    def __init__(self, place: Path, call: str, *, both: bool) -> None:
        self._call, self._log = call, place / "log"
        real, wrapper = shutil.which("git"), place / "bin" / "git"
        wrapper.parent.mkdir()
        wrapper.write_text(
            f'#!/bin/sh\ncase "$*" in *update-ref*) ;; *) exec {real} "$@" ;; esac\n'
            f"strace -qq -o {self._log} -e trace={call},write "
            f'-e inject={call}:signal=KILL:when=$KILL_AT {real} "$@"\n'
            f"code=$?\n{'[ $code -lt 128 ] || kill -KILL $PPID' if both else ':'}\n"
            "[ $code -lt 128 ] || kill -KILL $$\nexit $code\n"
        )
        wrapper.chmod(0o755)
        self._path = f"{wrapper.parent}:{os.environ['PATH']}"

    def env(self, count: int) -> dict[str, str]:
        return {"PATH": self._path, "KILL_AT": str(count)}

    def counts(self) -> range:
        """Which calls of the kind follow the first answer, in the log of the last run."""
        lines = self._log.read_text().splitlines()
        begun = next(n for n, line in enumerate(lines) if line.startswith('write(1, "start: ok'))
        before, total = (
            sum(line.startswith(f"{self._call}(") for line in lines[:end])
            for end in (begun, len(lines))
        )
        return range(before + 1, total + 1)


def kill_git(
    make: Callable[[Path], tuple[Path, world.Before]],
    tmp_path: Path,
    call: str,
    command: str,
    *,
    both: bool = False,
) -> tuple[int, dict[str, list[str]]]:
    """The command with git killed at every such call; how many those are, and what went wrong."""
    git, wrong = KilledGit(tmp_path, call, both=both), {}
    world.run(command, make(tmp_path / "counted")[0], extra=git.env(65000))
    counts = git.counts()
    for count in counts if LONG else counts[::3]:
        place = tmp_path / str(count)
        root, before = make(place)
        world.run(command, root, extra=git.env(count))
        done = world.run("recover", root)
        found = [done.stderr] if done.returncode else world.violations(root, before)
        if found:
            wrong[f"{call}:{count} of {counts}"] = found
        shutil.rmtree(place)
    return len(counts), wrong


def fresh(template: Path, place: Path) -> tuple[Path, world.Before]:
    root = world.copy(template, place)
    return root, world.snapshot(root)


def cut(point: str, *then: str) -> Callable[[Path, Path], tuple[Path, world.Before]]:
    """A wiki left by a landing that was killed at a point, and by a command of git's after it."""

    def make(template: Path, place: Path) -> tuple[Path, world.Before]:
        root, before = fresh(template, place)
        assert world.run("land", root, failpoint=point).returncode == -9
        if then:
            gitkit.git(root, *then)
        return root, before

    return make


def packed(template: Path, place: Path) -> tuple[Path, world.Before]:
    root, before = fresh(template, place)
    gitkit.git(root, "pack-refs", "--all")
    return root, before


SITUATIONS: dict[str, tuple[str, Callable[[Path, Path], tuple[Path, world.Before]]]] = {
    "a landing": ("land", fresh),
    "a landing where refs are packed": ("land", packed),
    "a landing is finished": ("recover", cut("ref.moved")),
    "a landing is dropped": ("recover", cut("ref.before")),
    "a landing whose ref is packed is finished": (
        "recover",
        cut("ref.moved", "pack-refs", "--all"),
    ),
    "a landing whose ref is packed is dropped": (
        "recover",
        cut("ref.before", "pack-refs", "--all"),
    ),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", seldom(SITUATIONS, {*SITUATIONS} - {"a landing"}))
@pytest.mark.parametrize("both", seldom([False, True], [True]))
def test_a_git_of_ours_that_is_killed_leaves_no_lock(
    template: Path,
    tmp_path: Path,
    call: str,
    name: str,
    both: bool,
    record_property: Callable[[str, object], None],
) -> None:
    """Each system call of one kind in the three transactions: the landing ref is made, HEAD moved,
    the landing ref deleted."""
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    command, make = SITUATIONS[name]
    killed, wrong = kill_git(
        lambda place: make(template, place), tmp_path, call, command, both=both
    )
    record_property("killed at", killed)
    assert wrong == {}
    assert killed or name != "a landing" or call in ("mkdir", "fsync")


@pytest.mark.soak
@pytest.mark.parametrize("call", ["rename", "unlink", "openat", "rmdir"])
def test_a_git_of_ours_that_is_killed_in_a_linked_work_tree(
    second: Path, tmp_path: Path, call: str, record_property: Callable[[str, object], None]
) -> None:
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    killed, wrong = kill_git(lambda place: fresh(second, place), tmp_path, call, "land")
    record_property("killed at", killed)
    assert wrong == {}
    assert killed


def test_a_foreign_lock_of_the_packed_refs_stays(template: Path, tmp_path: Path) -> None:
    root, before = fresh(template, tmp_path / "w")
    lock = root / ".git/packed-refs.lock"
    lock.write_bytes(b"")
    assert world.run("recover", root).stdout == "clean\n"
    assert lock.exists()
    lock.unlink()
    assert world.violations(root, before) == []


# --- two work trees ------------------------------------------------------------------------


@pytest.mark.parametrize("point", CUT)
@pytest.mark.parametrize("there", ["second", "top"])
def test_a_landing_cut_short_in_one_work_tree_is_nothing_to_another(
    second: Path, tmp_path: Path, point: str, there: str
) -> None:
    cut_short, before = fresh(second, tmp_path / "w")
    other = cut_short.parent / "top"
    if there == "top":
        cut_short, other = other, cut_short
        for tree in (other, cut_short):
            gitkit.git(tree, "stash", "-u", "-q", ok=(0, 1))
        gitkit.put(cut_short, {"raw/mine.md": "# Mine\n"})
    with Repository(layout_of(other)) as repo:
        assert install_guard(repo) == ""
    files = gitkit.status(other)
    assert world.run("land", cut_short, failpoint=point).returncode == -9
    assert (world.unfinished(cut_short), world.unfinished(other)) == ("ingest", "")
    with Repository(layout_of(other)) as repo:
        assert recover(repo).outcome == "clean"
    assert gitkit.status(other) == files
    assert gitkit.land(other, {"wiki/entities/Other.md": b"# Other\n"}).pending == ()
    gitkit.put(other, {"by-hand.txt": b"x\n"})
    gitkit.git(other, "add", "by-hand.txt")
    gitkit.git(other, "commit", "-qm", "by hand", "--", "by-hand.txt")
    assert gitkit.status(other) == files
    refused = subprocess.run(
        ["git", "commit", "-am", "x"],
        cwd=cut_short, env=gitkit.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode
    # A landing killed while it holds the index's lock is in git's own way.
    assert ("index.lock" if point == "index.updated" else "wiki recover") in refused.stderr
    assert world.unfinished(cut_short) == "ingest"
    moved = gitkit.git(cut_short, "rev-parse", "HEAD").strip() != before.head
    assert world.run("recover", cut_short).stdout == ("finished\n" if moved else "dropped\n")
    if there == "second":
        assert world.violations(cut_short, before) == []
    assert gitkit.status(other) == files


def test_a_main_work_tree_below_a_folder_named_worktrees(tmp_path: Path) -> None:
    root = gitkit.make_wiki(tmp_path / "worktrees" / "w")
    with Repository(layout_of(root)) as repo:
        install_guard(repo)
    gitkit.put(root, {"raw/mine.md": "# Mine\n"})
    assert world.run("land", root, failpoint="ref.moved").returncode == -9
    with pytest.raises(AssertionError, match="wiki recover"):
        gitkit.git(root, "commit", "-qam", "x")


# --- hooks of git's own transactions -------------------------------------------------------


def refusing(root: Path, lines: str) -> Path:
    """A hook that refuses a transaction with such a line; the zeros stand for no object."""
    path = root / ".git/hooks/reference-transaction"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n[ \"$1\" = prepared ] && grep -qE '{lines}' && exit 1\nexit 0\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("lines", ["^0+ .* refs/llmwiki/", " refs/heads/main$"])
def test_a_hook_that_refuses_one_of_the_refs_changes_nothing(root: Path, lines: str) -> None:
    refusing(root, lines)
    before = gitkit.git(root, "rev-parse", "HEAD")
    with pytest.raises(StateError, match="aborted by hook") as caught:
        gitkit.land(root, CHANGE)
    assert caught.value.exit_code == 3
    assert gitkit.git(root, "rev-parse", "HEAD") == before
    assert gitkit.status(root) == ""
    assert gitkit.leftovers(root) == []


def test_a_landing_whose_ref_may_not_be_deleted_is_unfinished(root: Path) -> None:
    hook = refusing(root, " 0+ refs/llmwiki/")
    landed = gitkit.land(root, CHANGE)
    assert landed.commit == gitkit.git(root, "rev-parse", "HEAD").strip()
    assert landed.pending == ("wiki/concepts/P0001.md",)
    assert world.unfinished(root) == "ingest"
    with Repository(layout_of(root)) as repo:
        assert recover(repo).failed == ("refs/llmwiki/landing/main",)
        hook.unlink()
        assert recover(repo).outcome == "finished"
    assert gitkit.status(root) == ""
    assert gitkit.leftovers(root) == []
