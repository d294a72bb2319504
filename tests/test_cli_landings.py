"""What is committed and not in the work tree is said, whichever command it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gitkit
import pytest
import wikikit
from longform import seldom
from wikikit import NOTE, Run, Wiki, answer, claim, sha

NOBODY = 65534
STUCK = {"LLMWIKI_FAILPOINT": "tree.temporary=EIO"}
"""The disk refuses one file of the work tree, after the commit point."""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def run(wiki: Wiki, *args: str, env: dict[str, str] | None = None) -> Run:
    """The command in a process of its own."""
    process = wiki.spawn(*args, env=env)
    out, err = process.communicate(timeout=60)
    return Run(process.returncode, out.decode(), err.decode())


def read(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")


def prepared(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    text = "Green tea is steeped at 80 degrees for two minutes."
    filled = answer(
        [claim("Tea", text, lines=(1, 6))], source={"sha256": sha(NOTE), "segment": [1, 1]}
    )
    wiki.put("../filled.json", json.dumps(filled))


def mendable(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/Kettle.md", "# Kettle\n\nIt is one of many, and holds water.\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "by hand")


COMMANDS = {
    "ingest": (None, ("ingest", "raw/tea.md", "--model", "offline")),
    "apply": (prepared, ("apply", "../filled.json")),
    "undo": (read, ("undo",)),
    "remember": (read, ("remember", "The kettle is new.")),
    "query": (read, ("query", "How long is green tea steeped?", "--model", "offline", "--save")),
}


def said_of(told: dict[str, object], name: str) -> dict[str, object]:
    """Where a command's JSON speaks of its operation."""
    found = told["operations"][0] if name in ("ingest", "apply") else told  # type: ignore[index]
    found = told["saved"] if name == "query" else found
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", seldom(COMMANDS, COMMANDS.keys() - {"ingest", "query"}))
def test_a_work_tree_that_is_behind_is_said(wiki: Wiki, name: str) -> None:
    first, args = COMMANDS[name]
    wiki.put("raw/tea.md", NOTE)
    if first is not None:
        first(wiki)
    done = run(wiki, *args, env=STUCK)
    assert done.code == 0
    assert f"wiki: committed {wiki.head[:10]}, but not yet in the work tree: " in done.err
    assert done.err.rstrip().endswith("; run `wiki recover`")
    assert wiki.ok("recover").out.startswith("Finished ")
    assert wiki.status.replace("?? raw/tea.md\n", "") == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_kept_for_a_persons_sake_is_said(wiki: Wiki, name: str) -> None:
    first, args = COMMANDS[name]
    wiki.put("raw/tea.md", NOTE)
    if first is not None:
        first(wiki)
    hook = wiki.put(".git/hooks/commit-msg", f"#!/bin/sh\necho mine >> {wiki.root}/wiki/log.md\n")
    hook.chmod(0o755)
    done = wiki.run(*args, "--json")
    assert done.code == 0, done
    where = said_of(done.json, name)
    assert (where["commit"], where["pending"], where["kept"]) == (wiki.head, [], ["wiki/log.md"])
    assert f"wiki: committed {wiki.head[:10]}, but changed meanwhile and kept" in done.err
    assert "wiki recover" not in done.err
    assert wiki.read("wiki/log.md").endswith("mine\n")
    assert wiki.ok("recover").out == "Nothing to recover.\n"


def test_it_is_said_by_lint_and_init_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = wikikit.bare(tmp_path, monkeypatch)
    done = run(wiki, "init", env=STUCK)
    assert (done.code, "not yet in the work tree: " in done.err) == (0, True), done
    wiki.ok("recover")
    mendable(wiki)
    done = run(wiki, "lint", "--fix", env=STUCK)
    assert f"committed {wiki.head[:10]}, but not yet in the work tree: " in done.err, done


def test_what_a_batch_has_finished_itself_is_not_said(wiki: Wiki) -> None:
    for number in range(3):
        wiki.put(f"raw/n{number}.md", f"# Buoy {number}\n\nBuoy {number} is a red mark.\n")
    done = run(wiki, "ingest", "raw/", "--model", "offline", env=STUCK)
    assert done.code == 0
    assert "not yet in the work tree" not in done.out + done.err
    assert wiki.status == ""


@pytest.fixture
def everyones() -> Iterator[Path]:
    """A folder that other users may enter, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="llmwiki-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_git_directory_that_cannot_be_written_is_said_to_be_so(
    everyones: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders that git makes are writable, its own is not: so it is after a chmod or a copy."""
    gitkit.isolate(monkeypatch)
    wiki = Wiki(everyones / "wiki")
    wiki.root.mkdir()
    wiki.ok("init")
    wiki.ok("remember", "Zero.")
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", str(NOBODY), str(wiki.root)], check=True)
        wiki.env["HOME"] = str(everyones)
    # What is loaded now need not be read by a user who may not.
    assert as_nobody(wiki, "remember", "One.").code == 0
    for place in (".git", ".git/refs/heads"):
        (wiki.root / place).chmod(0o555)
        done = as_nobody(wiki, "remember", f"Two {place}.")
        (wiki.root / place).chmod(0o755)
        assert done.code == 3
        assert "git cannot write there: Permission denied" in done.err, done
        assert f"{wiki.root}/{place}/" in done.err
        assert "Let the user who runs this write there" in done.err
    assert as_nobody(wiki, "remember", "Three.").code == 0


def as_nobody(wiki: Wiki, *args: str) -> Run:
    """The command, by a user for whom modes count: root forks and becomes one."""
    if os.geteuid() != 0:
        return wiki.run(*args)
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        with os.fdopen(read) as pipe:
            told = pipe.read()
        os.waitpid(pid, 0)
        return Run(*json.loads(told))
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        done = wiki.run(*args)
        with os.fdopen(write, "w") as pipe:
            json.dump([done.code, done.out, done.err], pipe)
    finally:
        os._exit(0)
