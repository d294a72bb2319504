"""`wiki log PAGE`: what each commit did to a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import wikikit
from diffkit import short
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
PAGE = "wiki/concepts/Tea.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def tea(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN]))


def test_operations_and_people_through_a_rename(wiki: Wiki) -> None:
    wiki.edit(PAGE, "Green tea is steeped at 80 degrees.", "Green tea is brewed.")
    wiki.git("mv", PAGE, "wiki/concepts/Infusion.md")
    wiki.git("commit", "-q", "-m", "renamed")
    told = wiki.ok("log", "Tea", "--json").json["commits"]
    shown = [(step["kind"], [what for what, *_ in short(step["rows"])]) for step in told]
    assert shown == [
        (None, ["page moved", "place moved"]),
        (None, ["claim changed"]),
        ("ingest", ["claim added"]),
    ]
    out = wiki.ok("log", "Tea").out
    assert "by hand, Ada" in out and "1 claim reworded" in out and PAGE in out
    assert len(wiki.ok("log", "Tea", "-n", "1", "--json").json["commits"]) == 1
    assert wiki.run("log", "Nothing").code == 2
    assert wiki.run("log", "Tea", "--kind", "undo").code == 2


def test_a_merge_of_git_is_nobodys_edit(wiki: Wiki) -> None:
    wiki.git("branch", "other")
    wiki.edit(PAGE, "Green tea is steeped at 80 degrees.", "Green tea is brewed.")
    edited = wiki.head
    wiki.git("checkout", "-q", "other")
    wiki.learn(
        "raw/tea2.md",
        NOTE + "\nTea is old.\n",
        answer([claim("Tea", "Tea is old.", lines=(10, 10))]),
    )
    wiki.git("merge", "-q", "--no-edit", edited)
    out = wiki.ok("log", "Tea").out
    assert out.count("git merge, ") == out.count("by hand, ") == 1


def test_no_other_command_loads_gitpython(wiki: Wiki) -> None:
    code = "import sys; from llmwiki.interfaces.cli.command_table import cli; "
    code += "cli.main(sys.argv[1:], standalone_mode=False)"
    code += "; assert ('git' in sys.modules) == (sys.argv[1] == 'log' and len(sys.argv) > 2)"
    for args in (["why", "Tea"], ["diff", "HEAD~1..HEAD"], ["log"], ["log", "Tea"]):
        run = [sys.executable, "-c", code, *args]
        subprocess.run(run, cwd=wiki.root, check=True, capture_output=True)
