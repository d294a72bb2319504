"""The skills that `wiki init` makes: as the Agent Skills standard has them, and safe to allow."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import wikikit
import yaml
from lintkit import lint_texts
from wikikit import Wiki

from llmwiki.interfaces.cli.command_table import cli
from llmwiki.lint.rule import rules_in
from llmwiki.lint.rules import skills

ROOT = Path(__file__).parents[1]
NAMES = (
    "wiki-graph",
    "wiki-ingest",
    "wiki-lint",
    "wiki-memory",
    "wiki-query",
    "wiki-remember",
    "wiki-undo",
)
START = ROOT / "llmwiki/changes/init_templates"
STANDARD = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
"""Keys of agentskills.io/specification."""


def front(name: str) -> dict[str, Any]:
    values = yaml.safe_load((START / f"{name}.md").read_text("utf-8").split("---\n")[1])
    assert isinstance(values, dict)
    return values


def body(name: str) -> str:
    return (START / f"{name}.md").read_text("utf-8").split("---\n", 2)[2]


def test_init_writes_each_for_claude_and_for_other_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    made = {path for path in wiki.files() if "/skills/" in path}
    folders = (".claude/skills", ".agents/skills")
    assert made == {f"{folder}/{name}/SKILL.md" for folder in folders for name in NAMES}
    for name in NAMES:
        assert {wiki.read(f"{folder}/{name}/SKILL.md") for folder in folders} == {
            (START / f"{name}.md").read_text("utf-8")
        }


def test_a_skill_that_was_changed_by_hand_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki: Wiki = wikikit.make(tmp_path, monkeypatch)
    name = ".agents/skills/wiki-undo/SKILL.md"
    wiki.edit(name, "# Take an operation back", "# Old words")
    wiki.ok("init")
    assert "# Take an operation back" in wiki.read(name)


def test_this_repository_has_them_as_they_are() -> None:
    for folder in (".claude/skills", ".agents/skills"):
        assert sorted(place.name for place in (ROOT / folder).iterdir()) == sorted(NAMES)
        for name in NAMES:
            held = (ROOT / folder / name / "SKILL.md").read_text("utf-8")
            assert held == (START / f"{name}.md").read_text("utf-8"), name


@pytest.mark.parametrize("name", NAMES)
def test_a_skill_keeps_to_the_standard(name: str) -> None:
    values = front(name)
    # Beyond the standard, and where Claude Code and others read it: at the top.
    assert set(values) - STANDARD == {"argument-hint"}
    assert isinstance(values["argument-hint"], str)
    assert values["name"] == name and len(name) <= 64
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 1 <= len(values["description"]) <= 1024
    assert f"/{name}" in values["description"]
    assert 1 <= len(values["compatibility"]) <= 500
    assert all(isinstance(tool, str) for tool in values["allowed-tools"])
    assert len(body(name).splitlines()) < 500


def test_the_rules_of_lint_for_skills_find_nothing() -> None:
    pages = {
        f"raw/skills/{name}/SKILL.md": (START / f"{name}.md").read_text("utf-8") for name in NAMES
    }
    assert lint_texts(pages, rules_in(skills)) == []


READS_ONLY = {"search", "context", "show", "status", "log", "graph path", "graph neighbours"}
READS_ONLY |= {"memory list", "memory status", "memory why"}
"""Commands that change no file of the wiki and use no network, whatever their options."""
ONLY_AS_WRITTEN = {"lint --json", "lint --list", "lint --estimate"}
ONCE_SAID = {"undo --dry-run", "lint --explain", "lint --prepare"}
"""Options with which nothing is written, whatever stands behind them."""


@pytest.mark.parametrize("name", NAMES)
def test_what_needs_no_leave_changes_nothing(name: str) -> None:
    for tool in front(name)["allowed-tools"]:
        found = re.fullmatch(r"Bash\(wiki ([a-z -]+?)(:\*)?\)", tool)
        assert found, tool
        allowed = READS_ONLY | ONCE_SAID if found[2] else ONLY_AS_WRITTEN
        assert found[1] in allowed, tool


@pytest.mark.parametrize(
    "words",
    [
        "undo --dry-run",
        "undo --dry-run --allow-detached",
        "lint --explain WK101 --fix",
        "lint --prepare --fix",
        "lint --prepare --write-baseline lint.json",
    ],
)
def test_what_is_said_once_holds_whatever_stands_behind_it(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.ok("remember", "Tea is at four.")
    before = (wiki.head, wiki.status)
    wiki.run(*words.split())
    assert (wiki.head, wiki.status) == before


@pytest.mark.parametrize("name", NAMES)
def test_the_commands_of_a_skill_exist(name: str) -> None:
    spoken = re.findall(r"`wiki ([a-z][^`]*)`", body(name))
    assert spoken
    context = click.Context(cli)
    for each in spoken:
        words = shlex.split(each.replace("\n", " "))
        command: click.Command | None = cli.get_command(context, words[0])
        assert command is not None, each
        if isinstance(command, click.Group) and len(words) > 1:
            command = command.get_command(context, words[1]) or command
        options = {opt for parameter in command.params for opt in parameter.opts}
        used = {word for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert used <= options, each
