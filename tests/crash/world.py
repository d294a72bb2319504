"""A wiki with a user's work in it, and the invariants that hold after any crash. Not a test."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import gitkit
import wikikit

import llmwiki

DRIVER = Path(__file__).with_name("driver.py")
TRACED = (
    "openat,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,link,linkat,mkdir,mkdirat,"
    "fsync,fdatasync,vfork,clone,clone3,fork,flock,ftruncate"
)


@dataclass(frozen=True)
class Before:
    """What must be the same after a crash."""

    head: str
    staged: str
    files: dict[str, bytes]


def make(world: Path, *, hooks: bool = False, worktree: bool = False) -> Path:
    """A wiki with staged, changed and untracked work of a user, in the folder `world`; its root."""
    top = world / "top"
    root = gitkit.make_wiki(top)
    if hooks:
        for name in ("pre-commit", "commit-msg", "post-commit"):
            hook = top / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text("#!/bin/sh\nexit 0\n")
            hook.chmod(0o755)
    if worktree:
        root = world / "second"
        gitkit.git(top, "worktree", "add", "-q", "-b", "second", str(root))
    gitkit.put(
        root,
        {
            "notes.txt": "staged by the user\n",
            "wiki/concepts/P0005.md": gitkit.page("P0005", "changed by the user"),
            "wiki/concepts/P0004.md": gitkit.page("P0004", "staged by the user"),
            "raw/mine.md": "# Mine\n",
            "scratch.txt": "untracked\n",
        },
    )
    gitkit.git(root, "add", "notes.txt", "wiki/concepts/P0004.md")
    gitkit.put(root, {"wiki/concepts/P0004.md": gitkit.page("P0004", "staged, then changed")})
    return root


USERS = (
    "notes.txt",
    "wiki/concepts/P0004.md",
    "wiki/concepts/P0005.md",
    "scratch.txt",
    "raw/mine.md",
)


def snapshot(root: Path) -> Before:
    """What the user has before the landing."""
    return Before(
        gitkit.git(root, "rev-parse", "HEAD").strip(),
        staged(root),
        {name: (root / name).read_bytes() for name in USERS},
    )


def staged(root: Path) -> str:
    """The user's staged changes, ours left out."""
    return gitkit.git(root, "diff", "--cached", "--", "notes.txt", "wiki/concepts/P0004.md")


def copy(template: Path, target: Path) -> Path:
    """The world around the wiki `template` again; the copy's wiki."""
    shutil.copytree(template.parent, target, symlinks=True)
    root = target / template.name
    if root.name == "second":
        # `git worktree repair` would repair the template instead: it is still there.
        linked = target / "top/.git/worktrees/second"
        (root / ".git").write_text(f"gitdir: {linked}\n")
        (linked / "gitdir").write_text(f"{root / '.git'}\n")
    gitkit.git(root, "update-index", "-q", "--refresh", ok=(0, 1))
    return root


def run(
    command: str,
    root: Path,
    *,
    failpoint: str = "",
    strace: list[str] | None = None,
    extra: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The driver, with a failpoint armed or under strace."""
    env = gitkit.environment({"PYTHONPATH": str(Path(llmwiki.__file__).parents[1])})
    env.update(extra or {})
    if failpoint:
        env["LLMWIKI_FAILPOINT"] = failpoint
    argv = [sys.executable, "-X", "utf8", "-S", str(DRIVER), command, str(root)]
    return subprocess.run(
        [*(strace or []), *argv], env=env, capture_output=True, text=True, timeout=60, check=False
    )


def unfinished(root: Path) -> str:
    """The operation that a crash has left unfinished, as `wiki status` says; '' when there is
    none."""
    done = wikikit.called(["-C", str(root), "status", "--json"], {})
    assert done.code == 0, done
    return done.json["unfinished"] or ""


def violations(root: Path, before: Before, *, deep: bool = True) -> list[str]:
    """Everything that is wrong after recovery; empty is right."""
    wrong: list[str] = []
    head = gitkit.git(root, "rev-parse", "HEAD").strip()
    moved = head != before.head
    if moved and gitkit.git(root, "rev-parse", "HEAD^").strip() != before.head:
        wrong.append("HEAD is neither the old nor the new commit")
    expected = {
        "A  notes.txt",
        "MM wiki/concepts/P0004.md",
        " M wiki/concepts/P0005.md",
        "?? scratch.txt",
    }
    if not moved:
        expected.add("?? raw/mine.md")
    seen = set(gitkit.status(root).splitlines())
    if seen != expected:
        wrong.append(f"status: {sorted(seen ^ expected)}")
    if staged(root) != before.staged:
        wrong.append("the user's staged changes differ")
    wrong += [f"{n} differs" for n, data in before.files.items() if (root / n).read_bytes() != data]
    log = (root / "wiki/log.md").read_text()
    if log.count("## crash") != int(moved):
        wrong.append("log and commit disagree")
    if (root / "wiki/entities/New.md").exists() != moved:
        wrong.append("the new page and the commit disagree")
    wrong += [f"left over: {left}" for left in gitkit.leftovers(root)]
    wrong += filter(None, [unfinished(root)])
    if deep:
        done = subprocess.run(
            ["git", "fsck", "--strict", "--no-dangling"],
            cwd=root,
            env=gitkit.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            wrong.append(f"fsck: {done.stderr}")
    return wrong


def may_strace() -> str:
    """Why system calls cannot be injected here; '' when they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-o", "/dev/null", "-e", "trace=none", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else f"ptrace is not permitted: {done.stderr.strip()}"


def syscall_points(
    template: Path, place: Path, command: str = "land", *, failpoint: str = ""
) -> list[tuple[str, int]]:
    """Every traced system call after the first flock, as (name, count of that name so far).

    With a failpoint the wiki is first left as a landing killed there leaves it.
    """
    root = copy(template, place)
    if failpoint:
        run("land", root, failpoint=failpoint)
    trace = place.with_suffix(".strace")
    run(command, root, strace=["strace", "-qq", "-o", str(trace), "-e", f"trace={TRACED}"])
    counts: dict[str, int] = {}
    points: list[tuple[str, int]] = []
    for line in trace.read_text().splitlines():
        found = re.match(r"(\w+)\(", line)
        if found:
            counts[found[1]] = counts.get(found[1], 0) + 1
            if "flock" in counts:
                points.append((found[1], counts[found[1]]))
    shutil.rmtree(place)
    return points


def killer(name: str, count: int) -> list[str]:
    """The strace command that kills at one system call."""
    return [
        *("strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}"),
        *("-e", f"inject={name}:signal=KILL:when={count}"),
    ]
