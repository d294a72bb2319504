"""Killed at any instant: nothing torn, nothing lost, the user's work untouched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import gitkit
import pytest
from crash import world
from crash.armed import POINTS

import llmwiki

NOT_IN_THIS_LANDING = {
    # Reached in other situations, with tests of their own below or in the soak forms.
    "recover.decided",
    "recover.materialised",
    "commit.signed",
    "commit.written",
    "hooks.scratch",
    "hooks.pre-commit",
    "hooks.tree",
    "hooks.commit-msg",
    "hooks.swept",
    "private.temporary",
    "private.renamed",
}
STEPS = (
    "lock.named",
    "plan.checked",
    "objects.temporary",
    "objects.done",
    "record.made",
    "ref.before",
    "ref.moved",
    "tree.temporary",
    "tree.renamed",
    "index.locked",
    "index.renamed",
    "record.removed",
)
"""One point or two of each step of a landing."""
REFUSING = [n for n in POINTS if n.split(".")[0] in ("objects", "private", "tree", "index")]
"""Points at which something is written."""


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    gitkit.isolate(monkeypatch)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("hooked"), hooks=True)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world.make(tmp_path_factory.mktemp("second"), worktree=True)


def attempt(template: Path, place: Path, **how: object) -> tuple[bool, list[str]]:
    """Kill one landing, recover, look: (was it killed, what is wrong)."""
    root = world.copy(template, place)
    before = world.snapshot(root)
    done = world.run("land", root, **how)  # type: ignore[arg-type]
    killed = done.returncode in (-9, 137)
    if not killed and done.returncode:
        return killed, [f"driver failed: {done.stderr[-400:]}"]
    recovered = world.run("recover", root)
    if recovered.returncode:
        return killed, [f"recovery failed: {recovered.stderr[-400:]}"]
    wrong = world.violations(root, before)
    if not killed and gitkit.git(root, "rev-parse", "HEAD").strip() == before.head:
        wrong.append("not killed, yet nothing landed")
    shutil.rmtree(place)
    return killed, wrong


def test_every_failpoint_is_in_the_source_once_registered() -> None:
    source = Path(llmwiki.__file__).parent
    called = set()
    for room in ("git", "git/store"):
        for path in sorted((source / room).glob("*.py")):
            called.update(re.findall(r'\breach\("([^"]+)"\)', path.read_text()))
    assert called == set(POINTS)
    assert len(POINTS) >= 25


def test_killed_at_each_step(template: Path, tmp_path: Path) -> None:
    for name in STEPS:
        killed, found = attempt(template, tmp_path / name, failpoint=f"{name}=kill")
        assert (killed, found) == (True, []), name


@pytest.mark.soak
def test_killed_at_every_failpoint(template: Path, tmp_path: Path) -> None:
    spared: list[str] = []
    wrong: dict[str, list[str]] = {}
    for name in POINTS:
        killed, found = attempt(template, tmp_path / name, failpoint=f"{name}=kill")
        if not killed:
            spared.append(name)
        if found:
            wrong[name] = found
    assert wrong == {}
    assert set(spared) == NOT_IN_THIS_LANDING


@pytest.mark.parametrize(
    "name",
    [
        "hooks.tree",
        "hooks.commit-msg",
        pytest.param("hooks.scratch", marks=pytest.mark.soak),
        pytest.param("hooks.pre-commit", marks=pytest.mark.soak),
        pytest.param("hooks.swept", marks=pytest.mark.soak),
    ],
)
def test_killed_at_every_failpoint_of_the_hooks(hooked: Path, tmp_path: Path, name: str) -> None:
    assert attempt(hooked, tmp_path / name, failpoint=f"{name}=kill") == (True, [])


@pytest.mark.parametrize(
    "left_by",
    [
        "ref.moved",
        pytest.param("ref.before", marks=pytest.mark.soak),
        pytest.param("tree.renamed", marks=pytest.mark.soak),
        pytest.param("index.updated", marks=pytest.mark.soak),
    ],
)
def test_killed_in_recovery_and_recovered_again(
    template: Path, tmp_path: Path, left_by: str
) -> None:
    for name in ("recover.swept", "recover.decided", "recover.materialised", "record.removed"):
        root = world.copy(template, tmp_path / f"{left_by}-{name}")
        before = world.snapshot(root)
        assert world.run("land", root, failpoint=f"{left_by}=kill").returncode == -9
        world.run("recover", root, failpoint=f"{name}=kill")
        assert world.run("recover", root).returncode == 0
        assert world.violations(root, before) == []


@pytest.mark.parametrize("when", [1, 2])
def test_after_a_crash_the_next_landing_finishes_the_last_one(
    template: Path, tmp_path: Path, when: int
) -> None:
    root = world.copy(template, tmp_path / "w")
    before = world.snapshot(root)
    world.run("land", root, failpoint=f"tree.renamed:{when}=kill")
    assert world.unfinished(root) == "ingest"
    landed = gitkit.land(root, {"wiki/concepts/Other.md": b"# Other\n"})
    assert landed.commit is not None
    assert landed.pending == ()
    gitkit.git(root, "reset", "-q", "--soft", "HEAD^")
    gitkit.git(root, "rm", "-q", "--cached", "wiki/concepts/Other.md")
    (root / "wiki/concepts/Other.md").unlink()
    assert world.violations(root, before) == []


def sweep(template: Path, tmp_path: Path, points: list[tuple[str, int]]) -> dict[str, list[str]]:
    """Kill at each of these system calls; what went wrong where."""
    wrong: dict[str, list[str]] = {}
    for name, count in points:
        strace = world.killer(name, count)
        _, found = attempt(template, tmp_path / f"{name}-{count}", strace=strace)
        if found:
            wrong[f"{name}:{count}"] = found
    return wrong


def test_killed_at_a_sample_of_system_calls(template: Path, tmp_path: Path) -> None:
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    points = world.syscall_points(template, tmp_path / "trace")
    assert len(points) > 100
    assert sweep(template, tmp_path, points[:: len(points) // 5]) == {}


@pytest.mark.soak
@pytest.mark.parametrize("which", ["template", "hooked", "second"])
def test_killed_at_every_system_call(
    which: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    wiki: Path = request.getfixturevalue(which)
    points = world.syscall_points(wiki, tmp_path / "trace")
    assert len(points) > 100
    wrong = sweep(wiki, tmp_path, points)
    record_property("killed at", len(points))
    assert wrong == {}, f"{len(wrong)} of {len(points)} points"


@pytest.mark.soak
@pytest.mark.parametrize("left_by", ["ref.before", "ref.moved", "tree.renamed:2", "index.updated"])
def test_killed_at_every_system_call_of_recovery(
    template: Path, tmp_path: Path, left_by: str, record_property: Callable[[str, object], None]
) -> None:
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    points = world.syscall_points(template, tmp_path / "trace", "recover", failpoint=left_by)
    wrong: dict[str, list[str]] = {}
    for name, count in points:
        place = tmp_path / f"{name}-{count}"
        root = world.copy(template, place)
        before = world.snapshot(root)
        world.run("land", root, failpoint=left_by)
        world.run("recover", root, strace=world.killer(name, count))
        world.run("recover", root)
        found = world.violations(root, before)
        if found:
            wrong[f"{name}:{count}"] = found
        shutil.rmtree(place)
    record_property("killed at", len(points))
    assert wrong == {}, f"{len(wrong)} of {len(points)} points"


@pytest.mark.parametrize(
    ("action", "names"),
    [
        ("ENOSPC", REFUSING[::10]),
        ("EROFS", REFUSING[1::15]),
        ("EIO", REFUSING[2::15]),
        *(pytest.param(a, REFUSING, marks=pytest.mark.soak) for a in ("ENOSPC", "EROFS", "EIO")),
    ],
)
def test_a_disk_that_refuses_is_reported_truthfully(
    template: Path, tmp_path: Path, action: str, names: list[str]
) -> None:
    for name in names:
        root = world.copy(template, tmp_path / name)
        before = world.snapshot(root)
        done = world.run("land", root, failpoint=f"{name}={action}")
        moved = gitkit.git(root, "rev-parse", "HEAD").strip() != before.head
        assert (done.returncode == 0) == moved, (name, done.stderr)
        if not moved:
            assert "StateError" in done.stderr, (name, done.stderr)
            assert world.violations(root, before, deep=False) == [], name
        world.run("recover", root)
        assert world.violations(root, before) == [], name
        shutil.rmtree(tmp_path / name)


def test_a_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(disk)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"mount is not permitted: {done.stderr.decode().strip()}")
    try:
        root = world.make(disk / "w")
        before = world.snapshot(root)
        (root / ".git/filler").write_bytes(b"x" * 12_000_000)
        refused = world.run("land", root)
        assert refused.returncode != 0
        assert "too little space" in refused.stderr
        assert world.violations(root, before) == []
        (root / ".git/filler").unlink()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        refused = world.run("land", root)
        assert refused.returncode != 0
        assert "StateError" in refused.stderr
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        assert world.violations(root, before) == []
        assert world.run("land", root).returncode == 0
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_must_be_durable_is_synced_before_it_gets_its_name(
    template: Path, tmp_path: Path
) -> None:
    reason = world.may_strace()
    if reason:
        pytest.skip(reason)
    root = world.copy(template, tmp_path / "w")
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat"
    world.run("land", root, strace=["strace", "-f", "-y", "-qq", "-o", str(trace), "-e", calls])
    synced: set[str] = set()
    named: list[str] = []
    for line in trace.read_text().splitlines():
        _, _, call = line.partition(" ")
        path = re.search(r"f(?:data)?sync\(\d+<([^>]+)>", call)
        if path:
            synced.add(Path(path[1]).name)
            continue
        names = re.findall(r'"([^"]+)"', call)
        if len(names) == 2 and "ENOENT" not in call:
            source, target = Path(names[0]).name, names[1]
            # The index is derived, its lock and copy are links: git does not sync them either.
            if not source.startswith(("index", "landing-")):
                assert source in synced, f"{target} got its name before it was on the disk"
                named.append(target)
    order = [
        max(i for i, name in enumerate(named) if "/objects/" in name),
        next(i for i, name in enumerate(named) if name.endswith("refs/llmwiki/landing/main")),
        next(i for i, name in enumerate(named) if name.endswith("refs/heads/main")),
        min(i for i, name in enumerate(named) if name.endswith((".md", "P0001.md"))),
    ]
    assert order == sorted(order)
