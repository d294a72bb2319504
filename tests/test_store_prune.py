"""`git gc --prune=now` and `git prune` at any moment of an operation: no object of it is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import gitkit
import pytest
from crash import world
from crash.armed import POINTS
from longform import seldom

import llmwiki
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Plan
from llmwiki.git.store.transaction import land_branch

CHANGE: dict[str, bytes | None] = {
    "wiki/concepts/P0001.md": gitkit.page("P0001", "landed"),
    "wiki/concepts/New.md": b"# New\n",
}
GC = "git gc --prune=now -q"
PRUNE = ("prune", "--expire=now")
ORDER = list(POINTS)
NOT_IN_THIS_LANDING = ("recover.", "hooks.", "commit.", "private.")
WHILE_LANDING = [
    name
    for name in ORDER[ORDER.index("guard.passed") : ORDER.index("lock.released")]
    if not name.startswith(NOT_IN_THIS_LANDING)
]
QUICK = ("objects.temporary", "objects.placed", "objects.done", "record.made", "ref.moved")


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
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("hooked"), hooks=True)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("second"), worktree=True)


def hook(root: Path, name: str, script: str) -> None:
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def is_whole(root: Path) -> None:
    """Every object that HEAD, index and refs lead to is there, and HEAD is what was asked."""
    gitkit.git(root, "fsck", "--strict")
    gitkit.git(root, "diff", "--cached", "HEAD")
    for path, data in CHANGE.items():
        assert gitkit.git(root, "show", f"HEAD:{path}").encode() == data
    assert gitkit.leftovers(root) == []
    assert not (root / ".git/worktrees").exists()
    assert gitkit.git(root, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


ASKED = [
    (name, prune)
    for prune in (GC, "git prune --expire=now", f"env -i PATH=$PATH {GC}")
    for name in ("pre-commit", "commit-msg", "post-commit")
]


@pytest.mark.parametrize("asked", seldom(ASKED, ASKED[4:8]), ids=" ".join)
def test_a_hook_that_collects_garbage(root: Path, asked: tuple[str, str]) -> None:
    name, prune = asked
    outside = f"cd {root} && " if prune.startswith("env") else ""
    hook(root, name, f"{outside}{prune} || exit 9\n")
    assert gitkit.land(root, CHANGE).pending == ()
    is_whole(root)
    assert gitkit.status(root) == ""


def test_after_the_garbage_is_collected_a_hook_still_sees_the_future(
    root: Path, tmp_path: Path
) -> None:
    hook(
        root,
        "pre-commit",
        f"{GC} && git diff --cached > {tmp_path}/diff && git write-tree && git prune --expire=now",
    )
    gitkit.land(root, CHANGE)
    assert "+- landed" in (tmp_path / "diff").read_text()
    gitkit.git(root, "fsck", "--strict")
    assert (root / "wiki/concepts/New.md").read_bytes() == b"# New\n"
    assert gitkit.status(root) == ""


def test_what_a_person_has_staged_survives_a_hook_that_collects_garbage(root: Path) -> None:
    gitkit.put(root, {"notes.txt": "staged, nowhere else\n"})
    gitkit.git(root, "add", "notes.txt")
    gitkit.put(root, {"notes.txt": "then changed\n"})
    hook(root, "pre-commit", f"{GC}; git prune --expire=now")
    gitkit.land(root, CHANGE)
    assert gitkit.git(root, "show", ":notes.txt") == "staged, nowhere else\n"
    assert gitkit.status(root) == "AM notes.txt\n"


def test_a_hook_sees_its_branch_and_settings_of_its_work_tree(root: Path, tmp_path: Path) -> None:
    gitkit.git(root, "config", "extensions.worktreeConfig", "true")
    gitkit.git(root, "config", "--worktree", "some.thing", "here")
    hook(
        root,
        "commit-msg",
        f"(git symbolic-ref HEAD; git config some.thing; git rev-parse HEAD) > {tmp_path}/seen",
    )
    before = gitkit.git(root, "rev-parse", "HEAD")
    gitkit.land(root, CHANGE)
    assert (tmp_path / "seen").read_text() == f"refs/heads/main\nhere\n{before}"


def test_a_signed_commit_is_not_lost(root: Path, tmp_path: Path) -> None:
    program = tmp_path / "gpg"
    program.write_text(
        f"#!/bin/sh\ncat > /dev/null; cd {root}; env -i PATH=$PATH git prune --expire=now\n"
        'echo "[GNUPG:] SIG_CREATED " >&2\n'
        "echo '-----BEGIN PGP SIGNATURE-----'; echo; echo '-----END PGP SIGNATURE-----'\n"
    )
    program.chmod(0o755)
    gitkit.git(root, "config", "gpg.program", str(program))
    gitkit.git(root, "config", "commit.gpgSign", "true")
    gitkit.land(root, CHANGE)
    is_whole(root)
    # Once git has written the commit, and no file of ours holds it yet.
    program.write_text(program.read_text().replace("git prune", "true"))
    done = stopped_at(root, "commit.written", PRUNE, succeeds=False)
    assert done.returncode != 0 and "are gone from the repository" in done.stderr
    gitkit.git(root, "fsck", "--strict")


def test_a_prune_while_git_moves_the_branch(root: Path) -> None:
    """git has looked for the commit already, and the branch does not lead to it yet."""
    hook(
        root,
        "reference-transaction",
        f'[ "$1" = prepared ] && cd {root} && env -i PATH=$PATH git prune --expire=now\nexit 0',
    )
    assert gitkit.land(root, CHANGE).pending == ()
    is_whole(root)


def test_a_branch_for_review(root: Path) -> None:
    hook(root, "pre-commit", GC)
    with Repository(layout_of(root)) as repo:
        plan = Plan(repo.head(), CHANGE, {}, gitkit.MESSAGE)
        landed = land_branch(repo, plan, "refs/heads/wiki/0123", operation="ingest")
    gitkit.git(root, "prune", "--expire=now")
    gitkit.git(root, "fsck", "--strict")
    assert gitkit.git(root, "rev-parse", "wiki/0123").strip() == landed.commit
    assert gitkit.leftovers(root) == []


def stopped_at(
    root: Path,
    point: str,
    command: tuple[str, ...],
    *,
    succeeds: bool = True,
    where: str = ".",
) -> subprocess.CompletedProcess[str]:
    """One landing that stands still at a failpoint while git runs `command`, there or elsewhere,
    then goes on."""
    env = gitkit.environment({"PYTHONPATH": str(Path(llmwiki.__file__).parents[1])})
    env["LLMWIKI_FAILPOINT"] = f"{point}=stop"
    argv = [sys.executable, "-S", str(world.DRIVER), "land", str(root)]
    gitkit.put(root, {"raw/mine.md": "# Mine\n"})
    process = subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        stopped = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert stopped is not None
        if stopped.si_code == os.CLD_STOPPED:
            gitkit.git(root / where, *command)
            os.kill(process.pid, signal.SIGCONT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert stopped.si_code == os.CLD_STOPPED, (point, err)
    assert (process.returncode == 0) == succeeds, (point, err)
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


@pytest.mark.parametrize("point", seldom(WHILE_LANDING, {*WHILE_LANDING} - {*QUICK}))
def test_a_prune_between_any_two_steps(template: Path, tmp_path: Path, point: str) -> None:
    root = world.copy(template, tmp_path / "w")
    before = world.snapshot(root)
    done = stopped_at(root, point, PRUNE)
    assert gitkit.git(root, "rev-parse", "HEAD").strip() == done.stdout.split()[0]
    assert world.violations(root, before) == []


@pytest.mark.parametrize(
    "point",
    seldom(WHILE_LANDING, {*WHILE_LANDING} - {"objects.done", "record.made", "ref.moved"}),
)
def test_a_prune_in_another_work_tree(second: Path, tmp_path: Path, point: str) -> None:
    root = world.copy(second, tmp_path / "w")
    before = world.snapshot(root)
    done = stopped_at(root, point, PRUNE, where="../top")
    assert gitkit.git(root, "rev-parse", "HEAD").strip() == done.stdout.split()[0]
    assert world.violations(root, before) == []


@pytest.mark.parametrize("point", [name for name in ORDER if name.startswith("hooks.")])
def test_a_prune_between_the_steps_of_hooks(hooked: Path, tmp_path: Path, point: str) -> None:
    root = world.copy(hooked, tmp_path / "w")
    before = world.snapshot(root)
    stopped_at(root, point, PRUNE)
    assert world.violations(root, before) == []


@pytest.mark.parametrize(
    "point",
    [
        *("objects.placed", "record.made", "tree.renamed"),
        *(
            pytest.param(name, marks=pytest.mark.soak)
            for name in ("objects.done", "ref.moved", "index.updated", "objects.kept")
        ),
    ],
)
def test_killed_then_pruned_then_recovered(template: Path, tmp_path: Path, point: str) -> None:
    root = world.copy(template, tmp_path / "w")
    before = world.snapshot(root)
    assert world.run("land", root, failpoint=point).returncode == -9
    gitkit.git(root, "gc", "--prune=now", "-q")
    done = world.run("recover", root)
    assert done.returncode == 0, done.stderr
    assert world.violations(root, before) == []


@pytest.mark.parametrize("of", ["", "^{tree}"])
def test_a_landing_whose_objects_nobody_has_any_more_is_dropped(
    template: Path, tmp_path: Path, of: str
) -> None:
    """A prune that had looked before the landing ref was there takes them after; then a kill."""
    root = world.copy(template, tmp_path / "w")
    before = world.snapshot(root)
    assert world.run("land", root, failpoint="ref.before").returncode == -9
    oid = gitkit.git(root, "rev-parse", f"refs/llmwiki/landing/main{of}").strip()
    (root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert world.run("recover", root).stdout == "dropped\n"
    assert world.violations(root, before) == []
