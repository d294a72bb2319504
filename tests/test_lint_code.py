"""What a lint keeps is forgotten when the code that decides findings changes, and only then."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gitkit
import pytest

import llmwiki
from llmwiki.lint.run import CODE_FOLDERS, code_digest

_PACKAGE = Path(llmwiki.__file__).parent
_ASKED = """
import sys
import llmwiki.lint.wiki, llmwiki.lint.work
print(*(name for name in sys.modules if name.startswith("llmwiki.")))
"""


def copied(to: Path) -> Path:
    copy = to / "llmwiki"
    shutil.copytree(_PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_other_code_is_another_digest(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    before = code_digest(copy)
    assert before == code_digest()
    rule = copy / "lint/rules/links.py"
    rule.touch()
    (copy / "cli/app.py").write_text("")
    assert code_digest(copy) == before
    text = rule.read_text()
    rule.write_text(text.replace("a", "b", 1))
    assert code_digest(copy) != before
    rule.write_text(text)
    assert code_digest(copy) == before
    (copy / "lint/rules/further.py").write_text("")
    assert code_digest(copy) != before


def test_without_sources_the_compiled_modules_count(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    compileall.compile_dir(copy, quiet=2, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    before = code_digest(copy)
    (copy / "lint/rules/links.pyc").write_bytes(b"other")
    assert code_digest(copy) != before


def test_of_an_archive_all_bytes_count(tmp_path: Path) -> None:
    archive = tmp_path / "wiki.pyz"
    archive.write_bytes(b"one")
    before = code_digest(archive / "llmwiki")
    archive.write_bytes(b"two")
    assert code_digest(archive / "llmwiki") != before


def test_all_code_that_a_lint_loads_is_digested() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ASKED], check=True, capture_output=True, text=True
    )
    folders = {name.rpartition(".")[0].replace(".", "/") for name in done.stdout.split()}
    own = {folder.removeprefix("llmwiki/") for folder in folders} - {"llmwiki"}
    assert own == set(CODE_FOLDERS)


def test_a_rule_that_says_something_else_is_heard_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "wiki", pages=1)
    (root / "wiki/concepts/P0000.md").write_text("# P0000\n\nSee [[Nothing]].\n")
    copy = copied(tmp_path)

    def told() -> str:
        run = [sys.executable, "-m", "llmwiki", "lint", "--select", "WK101"]
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(
            run, check=False, cwd=root, env=env, capture_output=True, text=True
        ).stdout

    assert "leads to no page" in told()
    rule = copy / "lint/rules/links.py"
    rule.write_text(rule.read_text().replace("leads to no page", "leads nowhere"))
    assert "leads nowhere" in told()
