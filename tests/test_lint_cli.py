"""wiki lint as it is called: what is linted and reported, exit codes, files, hooks, documents."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import gitkit
import pytest
import wikikit
import yaml
from wikikit import NOW, Run, Wiki

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.staged import staged_commit
from llmwiki.interfaces.cli.commands.lint import command as lint_command
from llmwiki.lint.rules import RULES

ROOT = Path(__file__).parents[1]

BAD = "Tea is made of leaves. <!-- wiki: ignore=no-such-rule -->\n"
"""A line on which WK902 finds something."""
A, B = "wiki/concepts/A.md", "wiki/concepts/B.md"


def page(title: str, line: str = "Tea is made of leaves.\n") -> str:
    return f"---\ntype: concept\ntitle: {title}\n---\n\n# {title}\n\n{line}"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A wiki with one page that has a finding, and one that has none; all committed."""
    made = wikikit.make(tmp_path, monkeypatch, two_pages)
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "LLMWIKI_ROOT"):
        monkeypatch.delenv(name, raising=False)
    return made


def two_pages(made: Wiki) -> None:
    made.put(A, page("A", BAD))
    made.put(B, page("B"))
    made.git("add", "-A")
    made.git("commit", "-qm", "two pages")


def lint(wiki: Wiki, *args: str) -> Run:
    """Only the rule these tests know about."""
    return wiki.run("lint", "--select", "WK902", *args)


def found(done: Run) -> list[str]:
    """The places of the findings of a brief or a JSON report."""
    if done.out.startswith("{"):
        return [f"{f['path']}:{f['line']}" for f in done.json["findings"]]
    return [":".join(line.split(":")[:2]) for line in done.out.splitlines()]


# --- exit codes and settings -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("fail_on", "code"), [("note", 1), ("warning", 1), ("error", 0), ("never", 0)]
)
def test_what_is_found_decides_the_exit_code(wiki: Wiki, fail_on: str, code: int) -> None:
    done = lint(wiki, "--fail-on", fail_on)
    assert done.code == code
    assert f"{A}:8:24 warning WK902 There is no rule `no-such-rule` to ignore\n" in done.out
    assert done.out.endswith("; 1 warning\n")


def test_nothing_found_is_said_and_is_no_failure(wiki: Wiki) -> None:
    done = lint(wiki, B)
    assert done.code == 0
    assert re.search(r"^2 pages; no issues found\n\Z", done.out)


def test_settings_choose_rules_and_what_fails(wiki: Wiki) -> None:
    wiki.put(".llmwiki.toml", 'format = 3\n[lint]\nselect = ["unknown-ignore"]\n')
    assert wiki.run("lint", "--json").json["coverage"]["rules"] == 1
    assert wiki.run("lint").code == 1
    wiki.put(".llmwiki.toml", 'format = 3\n[lint]\nselect = "WK902"\nfail_on = "error"\n')
    assert wiki.run("lint").code == 0
    assert wiki.run("lint", "--fail-on", "warning").code == 1
    wiki.put(".llmwiki.toml", 'format = 3\n[lint]\nignore = ["WK902"]\n')
    assert A not in wiki.run("lint", "--select", "WK9", "-q").out
    assert found(wiki.run("lint", "--select", "WK9", "--ignore", "WK903", "-q")) == []
    wiki.env["LLMWIKI_LINT_IGNORE"] = "WK902"
    assert found(wiki.run("lint", "--select", "WK9", "-q")) == []


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('select = ["WK9999"]', "lint.select"),
        ('ignore = "unknwon-ignore"', "Did you mean unknown-ignore?"),
        ('fail_on = "fatal"', "error, warning, note, never"),
        ("select = [1]", "lint.select"),
    ],
)
def test_a_setting_that_means_nothing_is_refused(wiki: Wiki, setting: str, said: str) -> None:
    wiki.put(".llmwiki.toml", f"format = 3\n[lint]\n{setting}\n")
    done = wiki.run("lint")
    assert done.code == 2
    assert ".llmwiki.toml" in done.err and said in done.err


def test_a_vault_without_settings_is_foreign(wiki: Wiki) -> None:
    wiki.put("wiki/daily/Monday.md", "A walk, and tea with friends in the old town. " * 3)
    done = wiki.run("lint", "--select", "WK001")
    assert done.code == 1 and "no frontmatter" in done.out
    (wiki.root / ".llmwiki.toml").unlink()
    assert wiki.run("lint", "--select", "WK001").code == 0


@pytest.mark.parametrize(
    "args",
    [
        ("--select", "unknwon-ignore"),
        ("--ignore", "WK99999"),
        ("--explain", "unknown-ignor"),
        ("--format", "xml"),
        ("--fail-on", "fatal"),
        ("--staged", "--at", "HEAD"),
        ("--staged", "--changed", "HEAD"),
        ("--write-baseline", "b.json", "--staged"),
        ("--write-baseline", "b.json", "wiki"),
        ("--fix", "--staged"),
        ("--fix", "--at", "HEAD"),
        ("--dry-run",),
        ("wiki/concepts/Nothing.md",),
        ("../elsewhere.md",),
        ("/etc",),
    ],
)
def test_a_wrong_call_is_refused(wiki: Wiki, args: tuple[str, ...]) -> None:
    done = wiki.run("lint", *args)
    assert done.code == 2 and not done.out and done.err


def test_rules_are_explained_without_a_wiki(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = wikikit.bare(tmp_path, monkeypatch)
    listed = nowhere.ok("lint", "--list").out
    for rule in RULES:
        assert re.search(rf"^{rule.code} +{rule.severity.word} .*\b{rule.name}$", listed, re.M)
    by_name, by_code = (nowhere.ok("lint", "--explain", w) for w in ("unknown-ignore", "wk903"))
    assert by_name.out == by_code.out and "WK902 unused-ignore" in by_name.out
    assert nowhere.run("lint").code == 3


# --- what is linted, what is reported --------------------------------------------------------


def test_paths_are_those_of_the_working_folder(wiki: Wiki) -> None:
    wiki.put("wiki/entities/E.md", page("E", BAD))
    assert found(lint(wiki, "-q")) == [f"{A}:8", "wiki/entities/E.md:8"]
    assert found(lint(wiki, "-q", "wiki/concepts")) == [f"{A}:8"]
    wiki.put("wiki/concept/notes.txt", "")
    near = lint(wiki, "-q", "wiki/concept")
    assert (near.code, near.out) == (0, "")
    assert found(lint(wiki, "-q", "wiki/entities/E.md", B)) == ["wiki/entities/E.md:8"]
    assert found(lint(wiki, "-q", ".")) == [f"{A}:8", "wiki/entities/E.md:8"]
    inside = Wiki(wiki.root / "wiki" / "entities", env=wiki.env)
    assert found(lint(inside, "-q", "E.md")) == ["wiki/entities/E.md:8"]
    assert found(lint(inside, "-q", "../concepts")) == [f"{A}:8"]


def test_a_commit_is_linted_as_it_was(wiki: Wiki) -> None:
    wiki.put(A, page("A"))
    wiki.put(B, page("B", BAD))
    assert found(lint(wiki, "-q", "--at", "HEAD")) == [f"{A}:8"]
    assert found(lint(wiki, "-q")) == [f"{B}:8"]
    assert found(lint(wiki, "-q", "--at", "HEAD~1")) == []
    assert lint(wiki, "--at", "no-such-branch").code == 2


def test_changed_means_differs_from_that_commit_edits_and_new_files_included(wiki: Wiki) -> None:
    assert found(lint(wiki, "-q", "--changed", "HEAD")) == []
    assert found(lint(wiki, "-q", "--changed", "HEAD~1")) == [f"{A}:8"]
    wiki.put("wiki/concepts/New.md", page("New", BAD))
    wiki.put(B, page("B", BAD))
    assert found(lint(wiki, "-q", "--changed", "HEAD")) == [f"{B}:8", "wiki/concepts/New.md:8"]
    assert found(lint(wiki, "-q", "--changed", "HEAD", B)) == [f"{B}:8"]
    assert found(lint(wiki, "-q", "--changed", "HEAD~1", "--at", "HEAD")) == [f"{A}:8"]
    assert lint(wiki, "--changed", "no-such-branch").code == 2


def test_staged_is_what_the_next_commit_would_hold(wiki: Wiki) -> None:
    wiki.put(B, page("B", BAD))
    wiki.git("add", B)
    wiki.put(B, page("B"))
    wiki.put("wiki/concepts/C.md", page("C", BAD))
    before = (wiki.head, (wiki.root / ".git/index").read_bytes(), wiki.status)
    assert found(lint(wiki, "-q", "--staged")) == [f"{B}:8"]
    assert (wiki.head, (wiki.root / ".git/index").read_bytes(), wiki.status) == before
    wiki.git("add", B)
    assert found(lint(wiki, "-q", "--staged")) == []
    wiki.git("add", "wiki/concepts/C.md")
    assert found(lint(wiki, "-q", "--staged")) == ["wiki/concepts/C.md:8"]
    assert found(lint(wiki, "-q", "--staged", B)) == []


def test_staged_works_before_the_first_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    young = wikikit.bare(tmp_path, monkeypatch)
    young.git("init", "-q", "-b", "main")
    young.put(".llmwiki.toml", "format = 3\n")
    young.put(A, page("A", BAD))
    assert lint(young, "-q", "--staged").out == ""
    young.git("add", "-A")
    assert found(lint(young, "-q", "--staged")) == [f"{A}:8"]


def test_staged_works_below_the_top_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "repo", prefix="docs/kb", pages=1)
    inner = Wiki(root)
    inner.put(A, page("A", BAD))
    inner.put("../../elsewhere.md", page("A", BAD))
    inner.git("add", "-A", ".")
    assert found(lint(inner, "-q", "--staged")) == [f"{A}:8"]
    assert found(lint(inner, "-q", "--changed", "HEAD")) == [f"{A}:8"]
    place = f"file=docs/kb/{A},line=8,endLine=8,col=24,"
    assert place in lint(inner, "--staged", "--format", "github").out


def test_an_index_that_a_hook_names_counts_inside_the_git_directory_only(wiki: Wiki) -> None:
    other = wiki.root / ".git" / "next-index.lock"
    shutil.copy(wiki.root / ".git/index", other)
    blob = wiki.git("hash-object", "-w", "--stdin", ok=(0,)).strip()
    outside = wiki.root / "index"
    shutil.copy(other, outside)
    for place in (other, outside):
        os.environ["GIT_INDEX_FILE"] = str(place)
        try:
            with Repository(layout_of(wiki.root)) as repo:
                repo.git.run(
                    *("update-index", "--add", "--cacheinfo", f"100644,{blob},wiki/new.md"),
                    env={"GIT_INDEX_FILE": str(place)},
                )
                commit = staged_commit(repo, NOW, os.environ)
        finally:
            del os.environ["GIT_INDEX_FILE"]
        assert (commit != wiki.head) == (place == other)


# --- reports ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab"])
def test_each_format_goes_to_stdout(wiki: Wiki, form: str) -> None:
    printed = lint(wiki, "--format", form)
    assert printed.code == 1 and "no-such-rule" in printed.out
    if form in ("json", "sarif", "gitlab"):
        json.loads(printed.out)


def test_json_is_the_same_bytes_again_and_in_a_fresh_clone(wiki: Wiki, tmp_path: Path) -> None:
    first = wiki.run("lint", "--json").out
    assert wiki.run("lint", "--json").out == first
    clone = tmp_path / "clone"
    wiki.git("clone", "-q", str(wiki.root), str(clone))
    assert Wiki(clone).run("lint", "--json").out == first


@pytest.mark.parametrize(
    "place", ["wiki/report.md", "raw/report.json", "graph/r.json", ".git/report", "link/report.md"]
)
def test_a_baseline_is_not_written_into_the_wiki(wiki: Wiki, place: str) -> None:
    (wiki.root / "link").symlink_to("wiki")
    assert wiki.run("lint", "--write-baseline", place).code == 7
    assert not (wiki.root / place).exists()
    assert wiki.run("lint", "--write-baseline", "no/such/folder").code == 2


@pytest.mark.parametrize(
    ("env", "args", "coloured"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"FORCE_COLOR": "1"}, ("--format", "github"), False),
    ],
)
def test_when_there_is_colour(
    wiki: Wiki, env: dict[str, str], args: tuple[str, ...], coloured: bool
) -> None:
    wiki.env.update(env)
    assert ("\x1b[" in lint(wiki, *args).out) is coloured


# --- baselines -------------------------------------------------------------------------------


def test_a_baseline_leaves_only_what_is_new(wiki: Wiki) -> None:
    wiki.put(".llmwiki.toml", 'format = 3\n[lint]\nselect = ["WK902"]\n')
    assert wiki.ok("lint", "--write-baseline", "known.json").out == ""
    assert found(wiki.ok("lint", "-q", "--baseline", "known.json")) == []
    wiki.put(A, page("A", "One more line.\n\n" + BAD))
    wiki.put(B, page("B", BAD))
    done = wiki.run("lint", "--json", "--baseline", "known.json")
    assert found(done) == [f"{B}:8"] and done.json["counts"]["baseline"] == 1
    wiki.put(".llmwiki.toml", 'format = 3\n[lint]\nselect = "WK902"\nbaseline = "known.json"\n')
    assert found(wiki.run("lint", "-q")) == [f"{B}:8"]
    wiki.put(A, page("A"))
    assert "1 finding of the baseline is gone" in wiki.run("lint").err
    assert "are gone" not in wiki.run("lint", B).err


@pytest.mark.parametrize("name", ["../known.json", "/etc/passwd", "link.json"])
def test_a_baseline_outside_of_the_root_is_not_read(wiki: Wiki, name: str) -> None:
    (wiki.root / "link.json").symlink_to("/etc/passwd")
    wiki.put(".llmwiki.toml", f'format = 3\n[lint]\nbaseline = "{name}"\n')
    assert wiki.run("lint").code == 7
    wiki.put(".llmwiki.toml", "format = 3\n")
    assert wiki.run("lint", "--baseline", name).code == 7


# --- mending ---------------------------------------------------------------------------------

UNTYPED = page("C").replace("type: concept\n", "")


def test_fix_mends_in_one_commit_and_reports_what_is_left(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/C.md", UNTYPED)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "a page without a type")
    select = ("lint", "--select", "WK001,WK902", "-q")
    before = (wiki.head, wiki.status)
    shown = wiki.ok(*select, "--fix", "--dry-run")
    assert "+++ b/wiki/concepts/C.md\n" in shown.out and "+type: concept\n" in shown.out
    assert (wiki.head, wiki.status) == before
    done = wiki.run(*select, "--fix")
    assert done.code == 1 and found(done) == [f"{A}:8"]
    assert wiki.trailer("Wiki-Op") == "lint" and wiki.git("rev-parse", "HEAD^").strip() == before[0]
    assert wiki.read("wiki/concepts/C.md") == page("C") and wiki.status == ""
    assert wiki.head[:10] in done.err and "WK001" in done.err
    after = wiki.head
    assert "nothing to be mended" in wiki.run(*select, "--fix").err
    assert wiki.head == after


def test_fix_leaves_uncommitted_pages_and_what_is_not_asked_for(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/C.md", UNTYPED)
    before = wiki.head
    done = wiki.run("lint", "--select", "WK001", "--fix")
    assert done.code == 1 and "wiki/concepts/C.md has uncommitted edits" in done.err
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "a page without a type")
    committed = wiki.head
    assert wiki.run("lint", "--select", "WK001", "--fix", B).code == 0
    ignored = UNTYPED + "\n<!-- wiki: ignore-file=WK001 -->\n"
    wiki.put("wiki/concepts/C.md", ignored)
    wiki.git("commit", "-qam", "ignored")
    wiki.run("lint", "--select", "WK001", "--fix")
    assert wiki.read("wiki/concepts/C.md") == ignored
    assert wiki.git("rev-list", "--count", f"{before}..HEAD").strip() == "2"
    assert committed != before


# --- hooks -----------------------------------------------------------------------------------


def hook(wiki: Wiki) -> None:
    """A pre-commit hook of the user's that lints, in the place of the guard."""
    place = wiki.root / ".git/hooks/pre-commit"
    place.write_text(
        "#!/bin/sh\n"
        f"exec {shlex.quote(sys.executable)} -m llmwiki lint --select WK4,WK902 --staged -q\n"
    )
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def test_a_hook_stops_a_commit_that_brings_a_finding(wiki: Wiki) -> None:
    hook(wiki)
    before = wiki.head
    wiki.put(B, page("B", BAD))
    # `commit -a` and `commit FILE` stage into an index of their own.
    wiki.git("commit", "-qam", "bad", ok=(1,))
    wiki.git("commit", "-qm", "bad", "--", B, ok=(1,))
    assert wiki.head == before
    wiki.put(B, page("B", "Better.\n"))
    wiki.git("commit", "-qm", "good", "--", B)
    assert wiki.head != before


def test_a_hook_lints_what_an_operation_is_about_to_commit(wiki: Wiki) -> None:
    hook(wiki)
    before = wiki.head
    assert wiki.ok("remember", "Tea is steeped for two minutes.")
    assert wiki.head != before
    place = wiki.root / ".git/hooks/pre-commit"
    place.write_text(place.read_text().replace("WK4,WK902", "no-such-rule"))
    refused = wiki.run("remember", "Tea is steeped for three minutes.")
    assert refused.code == 3 and "no rule has the code or name" in refused.err


# --- documents, hooks and actions for others -------------------------------------------------


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of each call of `wiki lint` in a document or a workflow."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        found = re.search(r"(?:^|[\s/])wiki\"? (?:-C \S+ )?lint(?P<rest>(?: .*)?)$", line)
        if found and not line.lstrip().startswith(("#", "description:", "|")):
            rest = re.split(r" [|>]|  +#", found["rest"])[0]
            yield shlex.split(rest.replace("`", ""))


def assert_known(words: list[str]) -> None:
    known = {o: p for p in lint_command.params for o in (*p.opts, *p.secondary_opts)}
    for word in words:
        if word.startswith("-"):
            assert word.split("=")[0] in known, word
    for option, value in itertools.pairwise(words):
        kind = known[option].type if option in known else None
        if isinstance(kind, click.Choice) and not value.startswith("$"):
            assert value in kind.choices, (option, value)


def test_the_action_calls_what_exists_and_puts_no_input_into_a_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert action["runs"]["using"] == "composite"
    calls = []
    for step in action["runs"]["steps"]:
        script = step.get("run", "")
        assert "${{" not in script
        assert bool(script) == (step.get("shell") == "bash")
        calls += list(commands_of(script))
        used = re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", json.dumps(step))
        assert set(used) <= set(action["inputs"])
    assert len(calls) == 2
    for words in calls:
        assert_known(words)
    told = (ROOT / "docs/ci.md").read_text("utf-8")
    for name, given in action["inputs"].items():
        default = given["default"]
        assert f"| `{name}` | " + (f"`{default}` |" if default else "|") in told


def test_the_hooks_for_pre_commit_call_what_exists() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [each["id"] for each in hooks] == ["llmwiki-lint", "llmwiki-lint-all"]
    told = (ROOT / "docs/ci.md").read_text("utf-8")
    for each in hooks:
        assert each["entry"].startswith("wiki lint")
        assert_known(shlex.split(each["entry"])[2:])
        assert each["language"] == "python" and each["pass_filenames"] is False
        assert each["id"] in told
    assert re.search(hooks[0]["files"], "wiki/concepts/A.md")
    assert not re.search(hooks[0]["files"], "docs/wiki/A.md")


def test_the_skill_is_made_by_init_and_calls_what_exists(wiki: Wiki) -> None:
    text = wiki.read(".claude/skills/wiki-lint/SKILL.md")
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["name"] == "wiki-lint"
    assert 1 <= len(front["description"]) <= 1024
    spoken = re.findall(r"`wiki lint\b([^`]*)`", text)
    assert len(spoken) >= 5
    for rest in spoken:
        assert_known([word for word in rest.split() if word not in ("CODE", "FILE", "k/n")])
