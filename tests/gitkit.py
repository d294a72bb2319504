"""Real git repositories in temporary directories, isolated from the machine's configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store.outcome import Outcome, Plan
from llmwiki.git.store.transaction import transaction

ISOLATION = {
    "GIT_CONFIG_GLOBAL": str(Path(__file__).parent / "data" / "gitconfig"),
    "GIT_CONFIG_SYSTEM": "/dev/null",
    # Without git's dozen of samples.
    "GIT_TEMPLATE_DIR": str(Path(__file__).parent / "data" / "template"),
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
"""The environment tests run git (theirs and ours) in."""


def isolate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this process the isolated environment, for code that runs git in it."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in ISOLATION.items():
        monkeypatch.setenv(name, value)


ATTRIBUTES = b"raw/** -text\nwiki/**/*.md text eol=lf\n"
MESSAGE = "wiki ingest: Attention\n\nWhat changed.\n\nWiki-Op: ingest\nWiki-Id: 0123456789ab\n"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment, isolated."""
    return {**os.environ, **ISOLATION, **(extra or {})}


def git(where: Path, *args: str, ok: tuple[int, ...] = (0,), stdin: bytes | None = None) -> str:
    """Run plain git as a person would; its standard output.

    Commits go past the guard of `wiki init` as those of `wiki` do: it starts `wiki` each time, and
    has tests of its own.
    """
    done = subprocess.run(
        ["git", *args],
        cwd=where,
        env=environment({"LLMWIKI_ROOT": str(where)} if "commit" in args else None),
        capture_output=True,
        input=stdin or b"",
        check=False,
    )
    if done.returncode not in ok:
        raise AssertionError(f"git {args}: {done.returncode} {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "surrogateescape")


def blobs(where: Path, names: Iterable[str]) -> list[bytes]:
    """The bytes of some blobs, in the order they are asked for."""
    asked = "".join(f"{name}\n" for name in names).encode()
    out = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=where,
        env=environment(),
        capture_output=True,
        input=asked,
        check=True,
    ).stdout
    found: list[bytes] = []
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        found.append(out[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return found


def put(root: Path, files: Mapping[str, bytes | str | None]) -> None:
    """Write (None: remove) files as an editor would."""
    for name, data in files.items():
        path = root / name
        if data is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)


def page(name: str, fact: str = "first") -> bytes:
    """A small page."""
    return f"---\ntype: concept\ntitle: {name}\n---\n\n# {name}\n\n- {fact}\n".encode()


def make_wiki(
    top: Path, *, prefix: str = "", object_format: str = "sha1", pages: int = 6, commit: bool = True
) -> Path:
    """A repository at `top` with a small wiki below `prefix`; the wiki's root."""
    top.mkdir(parents=True, exist_ok=True)
    git(top, "init", "-q", "-b", "main", f"--object-format={object_format}")
    root = top / prefix if prefix else top
    put(
        root,
        {
            ".llmwiki.toml": "format = 3\n",
            ".gitattributes": ATTRIBUTES,
            "raw/a.md": "# A source\n",
            "wiki/index.md": "# Index\n",
            "wiki/log.md": "# Log\n",
            **{f"wiki/concepts/P{n:04}.md": page(f"P{n:04}") for n in range(pages)},
        },
    )
    if commit:
        git(top, "add", "-A")
        git(top, "commit", "-q", "-m", "start")
    return root


def planner(
    writes: Mapping[str, bytes | None],
    adopts: Mapping[str, bytes | None] | None = None,
    message: str = MESSAGE,
) -> Callable[[str | None], Plan]:
    """A `plan_for` that always plans the same files."""
    return lambda head: Plan(head, dict(writes), dict(adopts or {}), message)


def transact(
    repo: Repository, plan_for: Callable[[str | None], Plan | None], **options: object
) -> Outcome:
    """Land the plan that `plan_for` makes against HEAD; None: there is nothing to do."""
    with transaction(repo, **options) as opened:  # type: ignore[arg-type]
        while True:
            plan = plan_for(opened.head())
            landed = Outcome(None) if plan is None else opened.land(plan)
            if landed is not None:
                return landed


def land(root: Path, writes: Mapping[str, bytes | None], **options: object) -> Outcome:
    """Land some writes in a fresh process-like `Repository`."""
    with Repository(layout_of(root)) as repo:
        return transact(repo, planner(writes), operation="ingest", **options)


def status(where: Path) -> str:
    """`git status --porcelain` with every untracked file named."""
    return git(where, "status", "--porcelain", "--untracked-files=all")


def leftovers(top: Path) -> list[str]:
    """Files of ours that nobody should find after a landing or a recovery."""
    git_dir = Path(git(top, "rev-parse", "--absolute-git-dir").strip())
    common = (top / git(top, "rev-parse", "--git-common-dir").strip()).resolve()
    ours = (git_dir / "llmwiki").glob("*")
    found = [
        p for p in ours if p.name != "lock" and not p.name.startswith(("index.", "committed."))
    ]
    found += [*(common / "objects").glob("tmp_*"), *(common / "objects").glob("llmwiki_*")]
    found += [*git_dir.glob("*.lock"), *common.glob("packed-refs.*")]
    found += [*(common / "refs").rglob("*.lock"), *(common / "worktrees").glob("llmwiki-*")]
    found += list(top.rglob(".llmwiki-*"))
    refs = git(top, "for-each-ref", "--format=%(refname)", "refs/llmwiki").split()
    return sorted({*refs, *map(str, found)})
