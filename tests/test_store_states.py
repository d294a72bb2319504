"""Each state a repository can be in: what a landing does there, and what it leaves alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import gitkit
import pytest
from crash import world

from llmwiki.core.errors import LockTimeout, PolicyError, StateError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome, Plan
from llmwiki.git.store.transaction import land_branch, locked, preflight, recover

CHANGE: dict[str, bytes | None] = {"wiki/concepts/P0001.md": gitkit.page("P0001", "landed")}


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    gitkit.isolate(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return gitkit.make_wiki(tmp_path / "w")


def head(root: Path) -> str:
    return gitkit.git(root, "rev-parse", "HEAD").strip()


def refused(root: Path, words: str, **options: object) -> StateError:
    """The landing must be refused with these words and change nothing at all."""
    before = (
        head(root),
        gitkit.status(root),
        gitkit.git(root, "diff"),
        gitkit.git(root, "diff", "--cached"),
    )
    with pytest.raises(StateError, match=words) as caught:
        gitkit.land(root, CHANGE, **options)
    after = (
        head(root),
        gitkit.status(root),
        gitkit.git(root, "diff"),
        gitkit.git(root, "diff", "--cached"),
    )
    assert after == before
    assert gitkit.leftovers(root) == []
    assert caught.value.exit_code == 3
    return caught.value


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("prefix", ["", "docs/kb"])
def test_one_landing_is_one_commit_and_a_clean_work_tree(
    tmp_path: Path, object_format: str, prefix: str
) -> None:
    top = tmp_path / "w"
    root = gitkit.make_wiki(top, prefix=prefix, object_format=object_format)
    gitkit.put(root, {"raw/mine.md": b"dropped by a person\r\n", "raw/a.md": None})
    writes: dict[str, bytes | None] = {
        **CHANGE,
        "wiki/entities/deep/New page – ünï.md": b"# New\n",
        "wiki/concepts/P0002.md": None,
        "raw/.text/0123456789abcdef.txt": b"converted\n",
        "raw/copied.pdf": b"%PDF \x00\r\n",
    }
    adopts: dict[str, bytes | None] = {"raw/mine.md": b"dropped by a person\r\n", "raw/a.md": None}
    old = head(top)
    with Repository(layout_of(root)) as repo:
        landed = gitkit.transact(repo, gitkit.planner(writes, adopts), operation="ingest")
        for path, data in {**writes, **adopts}.items():
            assert repo.read("HEAD", path) == data
            assert ((root / path).read_bytes() if (root / path).exists() else None) == data
    assert landed == Outcome(head(top))
    assert gitkit.git(top, "rev-parse", "HEAD^").strip() == old
    assert gitkit.git(top, "log", "-1", "--format=%B").strip() == gitkit.MESSAGE.strip()
    assert gitkit.status(top) == ""
    assert gitkit.leftovers(top) == []
    gitkit.git(top, "fsck", "--strict")
    # --debug shows size 0 for entries git would have to read again.
    listing = gitkit.git(root, "ls-files", "--debug", "wiki/concepts/P0001.md")
    assert f"size: {len(CHANGE['wiki/concepts/P0001.md'] or b'')}" in listing


def test_an_executable_page_stays_executable(root: Path) -> None:
    (root / "wiki/concepts/P0001.md").chmod(0o755)
    gitkit.git(root, "commit", "-qam", "mode")
    gitkit.land(root, CHANGE)
    assert gitkit.status(root) == ""
    assert os.access(root / "wiki/concepts/P0001.md", os.X_OK)


def test_unrelated_work_is_untouched_byte_for_byte(root: Path) -> None:
    gitkit.put(root, {"wiki/concepts/P0002.md": b"staged\n", "staged.txt": b"s"})
    gitkit.git(root, "add", "-A")
    gitkit.put(root, {"wiki/concepts/P0002.md": b"then changed\n", "loose.txt": b"l"})
    gitkit.git(root, "rm", "-q", "--cached", "wiki/concepts/P0003.md")
    before = gitkit.git(root, "diff", "--cached"), gitkit.git(root, "diff"), gitkit.status(root)
    gitkit.land(root, CHANGE)
    after = gitkit.git(root, "diff", "--cached"), gitkit.git(root, "diff"), gitkit.status(root)
    assert after == before


def test_no_change_is_no_commit(root: Path) -> None:
    old = head(root)
    same: dict[str, bytes | None] = {"wiki/concepts/P0001.md": gitkit.page("P0001")}
    assert gitkit.land(root, same) == Outcome(None)
    with Repository(layout_of(root)) as repo:
        assert gitkit.transact(repo, lambda _: None, operation="ingest") == Outcome(None)
    assert head(root) == old


@pytest.mark.parametrize("how", ["edited", "staged", "deleted", "untracked", "staged-new"])
def test_a_dirty_page_in_the_write_set_is_refused(root: Path, how: str) -> None:
    path = "wiki/concepts/P0001.md"
    gitkit.put(root, {path: b"mine\n"})
    if how == "staged":
        gitkit.git(root, "add", path)
    elif how == "deleted":
        (root / path).unlink()
    elif how.endswith(("untracked", "new")):
        gitkit.git(root, "rm", "-q", "--cached", path)
        gitkit.git(root, "commit", "-qm", "gone")
        if how == "staged-new":
            gitkit.git(root, "add", path)
    refused(root, "not committed.*P0001")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("merge", "other"), "a merge"),
        (("bisect", "start"), "a bisect"),
        (("cherry-pick", "other"), "a cherry-pick"),
        (("rebase", "other"), "a rebase"),
        (("revert", "--no-edit", "HEAD~1"), "a revert"),
    ],
)
def test_an_operation_of_git_in_progress_is_refused(
    root: Path, command: tuple[str, ...], words: str
) -> None:
    gitkit.put(root, {"wiki/concepts/P0001.md": b"base\n"})
    gitkit.git(root, "commit", "-qam", "base")
    gitkit.git(root, "checkout", "-qb", "other")
    gitkit.put(root, {"wiki/concepts/P0001.md": b"theirs\n"})
    gitkit.git(root, "commit", "-qam", "theirs")
    gitkit.git(root, "checkout", "-q", "main")
    gitkit.put(root, {"wiki/concepts/P0001.md": b"ours\n"})
    gitkit.git(root, "commit", "-qam", "ours")
    gitkit.git(root, *command, ok=(0, 1, 128))
    refused(root, f"{words} is in progress")
    if words == "a merge":
        (root / ".git/MERGE_HEAD").unlink()
        refused(root, "unresolved conflicts")


def test_a_detached_head_is_refused_unless_allowed(root: Path) -> None:
    gitkit.git(root, "checkout", "-q", "--detach")
    refused(root, "HEAD is detached")
    assert gitkit.land(root, CHANGE, allow_detached=True).commit == head(root)
    assert gitkit.status(root) == ""


def test_without_an_identity_nothing_is_invented(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{name}_NAME")
        monkeypatch.delenv(f"GIT_{name}_EMAIL")
    gitkit.git(root, "config", "user.useConfigOnly", "true")
    with pytest.raises(StateError, match="who you are"), Repository(layout_of(root)) as repo:
        preflight(repo)
    refused(root, "who you are")
    gitkit.git(root, "config", "user.name", "Grace Hopper")
    gitkit.git(root, "config", "user.email", "grace@example.org")
    gitkit.land(root, CHANGE)
    assert gitkit.git(root, "log", "-1", "--format=%an %ae %cn").strip() == (
        "Grace Hopper grace@example.org Grace Hopper"
    )


@pytest.mark.parametrize("name", ["Ada Lovelace", "Ada (bot)", '"quoted"', ".dots.", "Zoë 王"])
def test_names_are_written_as_git_writes_them(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", name)
        monkeypatch.setenv(f"GIT_{who}_DATE", "1700000000 +0130")
    gitkit.land(root, CHANGE)
    with Repository(layout_of(root)) as repo:
        ident = repo.git.text("var", "GIT_AUTHOR_IDENT")
    raw = gitkit.git(root, "cat-file", "commit", "HEAD")
    assert f"author {ident}\n" in raw
    assert f"committer {ident}\n" in raw


def test_a_foreign_index_lock_is_waited_for_and_never_removed(root: Path) -> None:
    lock = root / ".git/index.lock"
    lock.write_bytes(b"")
    begin = time.monotonic()
    landed = gitkit.land(root, CHANGE)
    assert 4 < time.monotonic() - begin < 9
    assert landed.commit == head(root)
    assert landed.pending == ("wiki/concepts/P0001.md",)
    assert lock.exists()
    with Repository(layout_of(root)) as repo:
        assert world.unfinished(root) == "ingest"
        with pytest.raises(StateError, match=r"an earlier operation .ingest. is committed"):
            gitkit.transact(repo, gitkit.planner({"wiki/log.md": b"x\n"}), operation="note")
        assert world.unfinished(root) == "ingest"
        lock.unlink()
        assert recover(repo).outcome == "finished"
        assert world.unfinished(root) == ""
    assert gitkit.status(root) == ""
    assert gitkit.leftovers(root) == []


def test_a_stale_ref_lock_is_named(root: Path) -> None:
    lock = root / ".git/refs/heads/main.lock"
    lock.write_bytes(b"")
    with pytest.raises(StateError, match="holds the branch") as caught:
        gitkit.land(root, CHANGE)
    assert caught.value.where.endswith("refs/heads/main.lock")
    lock.unlink()
    assert gitkit.leftovers(root) == []
    assert gitkit.status(root) == ""
    assert gitkit.land(root, CHANGE).commit == head(root)


def test_a_held_lock_ends_in_exit_6_and_names_its_holder(root: Path) -> None:
    with Repository(layout_of(root)) as first, locked(first, "a long ingest"):
        with pytest.raises(LockTimeout, match=f"pid {os.getpid()} on .*a long ingest") as caught:
            gitkit.land(root, CHANGE, wait=0.1)
        assert caught.value.exit_code == 6
        with pytest.raises(StateError, match="in the middle of another"), locked(first, "nested"):
            pass


def test_a_removed_lock_file_does_not_make_two_locks(root: Path) -> None:
    with Repository(layout_of(root)) as repo:
        gitkit.transact(repo, gitkit.planner(CHANGE), operation="ingest")
        (root / ".git/llmwiki/lock").unlink()
        with (
            locked(repo, "holder"),
            pytest.raises(LockTimeout),
            Repository(layout_of(root)) as other,
            locked(other, "other", 0.05),
        ):
            pass


def test_two_work_trees_share_the_lock_and_finish_their_own(root: Path, tmp_path: Path) -> None:
    gitkit.git(root, "worktree", "add", "-q", "-b", "second", str(tmp_path / "second"))
    with (
        Repository(layout_of(tmp_path / "second")) as second,
        locked(second, "there"),
        pytest.raises(LockTimeout),
    ):
        gitkit.land(root, CHANGE, wait=0.05)
    landed = gitkit.land(tmp_path / "second", CHANGE)
    assert landed.commit == head(tmp_path / "second") != head(root)
    assert gitkit.status(tmp_path / "second") == gitkit.status(root) == ""
    assert gitkit.leftovers(tmp_path / "second") == []


def test_a_persons_commit_in_between_makes_a_new_plan(root: Path) -> None:
    seen: list[str | None] = []

    def plan(at: str | None) -> Plan:
        seen.append(at)
        if len(seen) == 1:
            gitkit.put(root, {"notes.txt": b"by hand\n"})
            gitkit.git(root, "add", "notes.txt")
            gitkit.git(root, "commit", "-qm", "by hand", "--", "notes.txt")
        return Plan(at, CHANGE, {}, gitkit.MESSAGE)

    with Repository(layout_of(root)) as repo:
        landed = gitkit.transact(repo, plan, operation="ingest")
    assert len(seen) == 2
    assert landed.commit == head(root)
    assert gitkit.git(root, "log", "--format=%s").split("\n")[:2] == [
        "wiki ingest: Attention",
        "by hand",
    ]
    assert gitkit.status(root) == ""


def test_somebody_who_always_commits_first_ends_it(root: Path) -> None:
    def plan(at: str | None) -> Plan:
        gitkit.git(root, "commit", "-q", "--allow-empty", "-m", "again")
        return Plan(at, CHANGE, {}, gitkit.MESSAGE)

    with (
        Repository(layout_of(root)) as repo,
        pytest.raises(StateError, match="HEAD moved 5 times"),
    ):
        gitkit.transact(repo, plan, operation="ingest")
    assert gitkit.leftovers(root) == []
    assert gitkit.status(root) == ""


def test_bytes_saved_after_the_guard_are_the_users(root: Path) -> None:
    hook = root / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    target = root / "wiki/concepts/P0001.md"
    hook.write_text(f"#!/bin/sh\necho 'saved by an editor' > {target}\n")
    hook.chmod(0o755)
    landed = gitkit.land(root, CHANGE)
    assert landed == Outcome(head(root), kept=("wiki/concepts/P0001.md",))
    assert target.read_bytes() == b"saved by an editor\n"
    assert gitkit.status(root) == " M wiki/concepts/P0001.md\n"
    assert gitkit.leftovers(root) == []


@pytest.mark.parametrize("value", ["true", "input"])
def test_autocrlf_does_not_make_the_work_tree_dirty(root: Path, value: str) -> None:
    gitkit.git(root, "config", "core.autocrlf", value)
    gitkit.land(root, {**CHANGE, "wiki/concepts/New.md": b"# New\n"})
    assert gitkit.status(root) == ""
    assert (root / "wiki/concepts/New.md").read_bytes() == b"# New\n"


def test_a_page_checked_out_with_other_line_ends_is_not_dirty(tmp_path: Path) -> None:
    root = gitkit.make_wiki(tmp_path / "w")
    gitkit.put(root, {".gitattributes": b"*.md text eol=crlf\n"})
    gitkit.git(root, "commit", "-qam", "attributes")
    (root / "wiki/concepts/P0001.md").unlink()
    gitkit.git(root, "checkout", "--", "wiki")
    assert b"\r\n" in (root / "wiki/concepts/P0001.md").read_bytes()
    assert gitkit.land(root, CHANGE).pending == ()
    assert gitkit.status(root) == ""


@pytest.mark.parametrize("attribute", ["filter=lfs", "working-tree-encoding=UTF-16", "ident"])
def test_attributes_that_change_bytes_are_refused(root: Path, attribute: str) -> None:
    gitkit.put(root, {".gitattributes": f"wiki/** {attribute}\n"})
    refused(root, attribute.split("=", maxsplit=1)[0])


def test_a_link_in_the_work_tree_is_not_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "wiki/entities").symlink_to(outside)
    with pytest.raises(PolicyError, match="link"):
        gitkit.land(root, {"wiki/entities/E.md": b"# E\n"})
    assert list(outside.iterdir()) == []


def test_links_and_submodules_of_the_tree_are_not_passed(root: Path, tmp_path: Path) -> None:
    (root / "wiki/linked").symlink_to(tmp_path)
    (root / "wiki/concepts/Link.md").symlink_to("P0001.md")
    gitkit.git(root, "add", "-A")
    oid = head(root)
    gitkit.git(root, "update-index", "--add", "--cacheinfo", f"160000,{oid},wiki/module")
    gitkit.git(root, "commit", "-qm", "links")
    for path in ("wiki/linked/x.md", "wiki/concepts/Link.md", "wiki/module/x.md"):
        with pytest.raises(PolicyError):
            gitkit.land(root, {path: b"x\n"})


def test_a_folder_that_becomes_a_link_while_landing_leads_nowhere(
    root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    stop = threading.Event()

    def swap() -> None:
        folder, aside = root / "wiki/concepts", root / "aside"
        while not stop.is_set():
            folder.rename(aside)
            with contextlib.suppress(FileExistsError):
                folder.symlink_to(outside)
                folder.unlink()
            # A landing may have made the missing folder anew.
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                aside.rename(folder)
            if aside.exists():
                shutil.rmtree(aside)
                folder.mkdir(exist_ok=True)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(25):
            try:
                gitkit.land(root, {f"wiki/concepts/N{number}.md": b"# N\n"})
            except (StateError, PolicyError):
                continue
    finally:
        stop.set()
        thread.join()
    assert list(outside.iterdir()) == []


def test_a_second_checkout_of_git_gc_and_packed_refs(root: Path) -> None:
    gitkit.git(root, "pack-refs", "--all")
    gitkit.git(root, "gc", "-q", "--prune=now")
    with Repository(layout_of(root)) as repo:
        assert repo.head() == head(root)
        for number in range(3):
            writes: dict[str, bytes | None] = {"wiki/log.md": b"%d\n" % number}
            gitkit.transact(repo, gitkit.planner(writes), operation="ingest")
            gitkit.git(root, "gc", "-q", "--prune=now")
    gitkit.git(root, "fsck", "--strict")
    assert gitkit.status(root) == ""


def test_land_branch_touches_neither_work_tree_nor_index(root: Path) -> None:
    gitkit.put(root, {"wiki/concepts/P0001.md": b"being edited\n"})
    gitkit.git(root, "add", "-A")
    before = gitkit.status(root), head(root)
    with Repository(layout_of(root)) as repo:
        plan = Plan(repo.head(), CHANGE, {}, gitkit.MESSAGE)
        landed = land_branch(repo, plan, "refs/heads/wiki/0123", operation="ingest")
        assert repo.resolve("refs/heads/wiki/0123") == landed.commit
        assert repo.read("wiki/0123", "wiki/concepts/P0001.md") == CHANGE["wiki/concepts/P0001.md"]
        with pytest.raises(StateError, match="has moved"):
            land_branch(repo, plan, "refs/heads/wiki/0123", operation="ingest")
        with pytest.raises(StateError, match="checked out"):
            land_branch(repo, plan, "refs/heads/main", operation="ingest")
    assert (gitkit.status(root), head(root)) == before
    assert gitkit.leftovers(root) == []


SLOW_HOOK = "#!/bin/sh\ntouch {}\nsleep 30\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, -15)])
def test_a_signal_before_the_commit_point_aborts(
    root: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(SLOW_HOOK.format(tmp_path / "started"))
    hook.chmod(0o755)
    old = head(root)
    process = start_driver(root)
    wait_for((tmp_path / "started").exists)
    process.send_signal(number)
    process.communicate(timeout=10)
    assert process.returncode in (code, -number)
    assert head(root) == old
    assert gitkit.leftovers(root) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_commit_point_waits(root: Path, number: signal.Signals) -> None:
    lock = root / ".git/index.lock"
    lock.write_bytes(b"")
    old = head(root)
    process = start_driver(root)
    wait_for(lambda: head(root) != old)
    process.send_signal(number)
    time.sleep(0.3)
    assert process.poll() is None
    lock.unlink()
    process.communicate(timeout=10)
    assert process.returncode != 0
    assert gitkit.status(root) == ""
    assert gitkit.leftovers(root) == []


def start_driver(root: Path) -> subprocess.Popen[bytes]:
    gitkit.put(root, {"raw/mine.md": b"# Mine\n"})
    driver = Path(__file__).parent / "crash" / "driver.py"
    return subprocess.Popen(
        [sys.executable, str(driver), "land", str(root)],
        env=gitkit.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("answers", "outcome"), [("exec >/dev/null; cat", "dropped"),
                             ("head -n 3; exec >/dev/null; cat", "finished")],
)  # fmt: skip
def test_a_git_that_moves_refs_and_does_not_say_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: str, outcome: str
) -> None:
    """Whether the branch has moved is for recovery to see: what was begun must be known."""
    old, git = head(root), tmp_path / "bin" / "git"
    git.parent.mkdir()
    real = shutil.which("git")
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *update-ref*) exec 3<&0; {real} "$@" <&3 | {{ {answers}; }} &\n'
        f'exec >/dev/null 3<&-; wait; exit;; esac; exec {real} "$@"\n'
    )
    git.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
        with pytest.raises(StateError, match="without an answer"):
            gitkit.land(root, CHANGE)
    assert (head(root) != old) == (outcome == "finished")
    assert world.unfinished(root) == "ingest"
    with Repository(layout_of(root)) as repo:
        assert recover(repo).outcome == outcome
    assert gitkit.status(root) == ""
    assert gitkit.leftovers(root) == []
