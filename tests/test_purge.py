"""The recipe of docs/history.md: afterwards the words are nowhere in the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wikikit
from wikikit import answer, check, claim

ROOT = Path(__file__).resolve().parents[1]
SECRET = "zanzibar swordfish"
SAID = f"The vault opens with the words {SECRET} every day."
OTHER = "The vault was built by Ann in 1920."
PROGRAMS = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""Where the environment that runs this is not entered, its programs are on no path."""


def recipe() -> str:
    text = (ROOT / "docs/history.md").read_text("utf-8")
    (found,) = [b for b in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if "SOURCE=" in b]
    assert "SOURCE=raw/rumour.md " in found
    return found


def everything(root: Path) -> dict[str, bytes]:
    """Every object of a repository, reachable or not, and every file of its git directory."""
    git = ["git", "-C", str(root)]
    listed = subprocess.run(
        [*git, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"],
        capture_output=True, check=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    found = {}
    for row in filter(None, listed):
        name, kind = row.split()
        done = subprocess.run([*git, "cat-file", kind, name], capture_output=True, check=True)
        found[f"{kind} {name}"] = done.stdout
    for path in (root / ".git").rglob("*"):
        if path.is_file() and "objects" not in path.parts:
            found[str(path)] = path.name.encode() + path.read_bytes()
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            found[str(path)] = str(path).encode() + path.read_bytes()
    return found


@pytest.mark.skipif(
    not shutil.which("git-filter-repo", path=PROGRAMS), reason="git-filter-repo is not installed"
)
def test_after_the_recipe_no_object_and_no_file_holds_the_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    other = answer([claim("Vault", OTHER, lines=(3, 3))])
    wiki.learn("raw/vault.md", f"# Vault\n\n{OTHER}\n", other)
    kept = wiki.trailer("Wiki-Id")
    text = f"# The {SECRET} papers\n\n{SAID}\n"
    said = answer(
        [claim("Vault", SAID, lines=(3, 3), also=[f"A {SECRET}"]),
         claim(f"The {SECRET} papers", SAID, f"opens with the words {SECRET}", lines=(3, 3))],
        document={"title": f"The {SECRET} papers", "summary": SAID},
    )  # fmt: skip
    wiki.learn("raw/rumour.md", text, said)
    wiki.ok("search", SECRET.split(maxsplit=1)[0])
    wiki.ok("context", *SECRET.split())
    wiki.put("raw/rumour.md", text + "More.\n")
    wiki.ok("ingest", "raw/rumour.md", "--model", "offline")
    wiki.put("raw/more.md", f"# More\n\nOf {SECRET}.\n")
    wiki.git("stash", "-u", "-q")
    wiki.git("update-ref", "refs/llmwiki/landing/tree/gone", "HEAD")
    before = everything(wiki.root)
    assert sum(SECRET.encode() in data for data in before.values()) > 5
    (tmp_path / "words.txt").write_text(
        f"{SECRET}\n{SECRET.split(maxsplit=1)[0]}\n{SECRET.split()[1]}\n"
    )
    script = f'set -eu\nwiki() {{ python -m llmwiki "$@"; }}\n{recipe()}'
    search = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    now = str(wikikit.NOW + 9_000)
    env = {**os.environ, "PATH": PROGRAMS, "PYTHONPATH": search, "LLMWIKI_NOW": now}
    done = subprocess.run(
        ["bash", "-c", script], cwd=wiki.root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    hashes = [wikikit.sha(text), wikikit.sha(text + "More.\n")]
    hidden = [*SECRET.split(), *hashes, *(each[:16] for each in hashes)]
    found = [
        (name, word)
        for name, data in everything(wiki.root).items()
        for word in hidden
        if word.encode() in data.lower()
    ]
    assert not found
    assert wiki.git("for-each-ref", "refs/llmwiki") == ""
    assert "raw/rumour.md" not in wiki.files() and "raw/vault.md" in wiki.files()
    assert [c.text for _path, c in wiki.claims().values()] == [OTHER]
    assert kept in wiki.git("log", "--format=%B"), "operations keep their ids"
    ledger = wiki.pages()["wiki/sources/rumour-md.md"]
    assert ledger.value("status") == "retracted" and ledger.tags == ("retracted",)
    check(wiki)
    wiki.put("raw/rumour.md", "# Anything\n\nIt is back.\n")
    assert "retracted" in wiki.ok("ingest", "raw/rumour.md").out
