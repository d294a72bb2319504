"""wiki lint in a repository that somebody else wrote: what it takes, opens, writes and prints."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
import wikikit
import yaml
from lintkit import NAMED, HeldWiki, held_texts, lint_held_wiki, lint_texts
from longform import seldom
from wikikit import Wiki

from llmwiki.core.errors import PolicyError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.staged import staged_commit
from llmwiki.lint.links_and_anchors import links
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import FixContext, WikiFix
from llmwiki.lint.rules import RULES
from llmwiki.pages.find_links import scan
from llmwiki.pages.find_links import scan_files as file_links

ROOT = Path(__file__).parents[1]
HERE = "wiki/concepts/Here.md"


def page(title: str, body: str = "", more: str = "") -> str:
    return f"---\ntype: concept\ntitle: {title}\n{more}---\n\n# {title}\n\n{body}\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    for name in ("GITHUB_STEP_SUMMARY", "LLMWIKI_ROOT", "GIT_INDEX_FILE", "LLMWIKI_MESSAGE"):
        monkeypatch.delenv(name, raising=False)
    made.put("wiki/concepts/Tea.md", page("Tea", "[[Nope]]"))
    made.git("add", "-A")
    made.git("commit", "-qm", "a page")
    return made


# --- what one page can cost ------------------------------------------------------------------

TICKS = "".join("`" * length + " " for length in range(1, 800))
"""Runs of backticks that nothing closes, each of its own length: 320,000 characters."""
LONG: dict[str, tuple[str, Callable[[PageView], object]]] = {
    "links behind unlike backticks": (TICKS + "[[a]]", lambda v: scan(v.text)),
    "file links behind unlike backticks": (TICKS + "[a](b.md)", lambda v: file_links(v.text)),
    "file links": ("[a](b.md)\n" * 15_000, lambda v: list(links(v))),
    "lines of one paragraph": ("`a` [[b]]\n" * 20_000, lambda v: scan(v.text)),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_page_takes_time_in_proportion(name: str) -> None:
    text, read = LONG[name]
    view = PageView(HERE, text)
    began = process_time()
    read(view)
    assert process_time() - began < 10


@pytest.mark.parametrize(
    ("code", "unit", "count"),
    [
        ("WK602", "a\u202e", 40_000),
        ("WK101", "[[hereabouts]]\n", 10_000),
        pytest.param("WK602", "a\u202e", 500_000, marks=pytest.mark.soak),
    ],
)
def test_a_rule_finds_its_place_in_a_long_line_at_once(code: str, unit: str, count: int) -> None:
    began = process_time()
    assert lint_texts({HERE: page("Here", unit * count)}, [code])
    assert process_time() - began < 6 + count / 30_000


def test_backticks_hide_what_they_hid() -> None:
    text = "`` a ` [[b]] `` [[c]] ` [[d]] ``` [[e]] \\`` [[f]] ` [[g]]\n"
    assert [link.target for link in scan(text)] == ["c", "g"]
    text = "`` ` [a](b.md) `` [a](c.md) <!-- [a](d.md) `--> [a](e.md) ``` [a](f.md) <!-- [a](g.md)"
    assert [link.to for link in file_links(text)] == ["c.md", "e.md", "f.md", "g.md"]


# --- what many pages can cost ----------------------------------------------------------------

CROWDS: dict[str, Callable[[int], tuple[str, str]]] = {
    "one title": lambda n: (f"T{n}", page("Tea", "[[Tea]] [[x/Tea]]")),
    "one alias": lambda n: (f"T{n}", page(f"T{n}", "[[Tea]] [[Tea#x]]", "aliases: [Tea]\n")),
    "one name": lambda n: (f"d{n}/Tea", page("Tea", f"[[Tea]] [[e{n}/Tea]] [a](x{n}/Tea.md)")),
    "one letter": lambda n: (f"transform{chr(0x4E00 + n)}", page("Tea")),
}


@pytest.mark.parametrize("many", [250, pytest.param(2500, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", seldom(CROWDS, CROWDS.keys() - {"one name"}))
def test_pages_of_one_name_take_time_in_proportion(name: str, many: int) -> None:
    made = dict(CROWDS[name](number) for number in range(many))
    pages = {f"wiki/concepts/{stem}.md": text for stem, text in made.items()}
    began = process_time()
    found = lint_texts(pages, [rule for rule in RULES if rule.of == "wiki"])
    assert process_time() - began < many / 20
    assert len(found) < 60 * many


# --- files -----------------------------------------------------------------------------------


def configured(wiki: Wiki, text: str) -> None:
    wiki.put(".llmwiki.toml", f"format = 3\n{text}")


def test_a_baseline_that_is_a_pipe_is_not_waited_for(wiki: Wiki) -> None:
    os.mkfifo(wiki.root / "known.json")
    configured(wiki, '[lint]\nbaseline = "known.json"\n')
    with wiki.spawn("lint") as done:
        _out, told = done.communicate(timeout=20)
    assert done.returncode == 2
    assert b"known.json: cannot be read: it is no file" in told


def test_settings_that_are_a_device_are_not_read(wiki: Wiki) -> None:
    (wiki.root / ".llmwiki.toml").unlink()
    (wiki.root / ".llmwiki.toml").symlink_to("/dev/zero")
    done = wiki.run("lint")
    assert (done.code, "it is no file" in done.err) == (2, True)


@pytest.mark.parametrize("name", ["a\\u0000b", "a\\n::error::b", "a\\tb"])
def test_a_baseline_of_no_file_s_name_is_refused_in_one_line(wiki: Wiki, name: str) -> None:
    configured(wiki, f'[lint]\nbaseline = "{name}"\n')
    done = wiki.run("lint", "-q")
    assert done.code == 2
    assert "is not the name of a file" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_setting_s_name_begins_no_line(wiki: Wiki) -> None:
    configured(wiki, '"odd\\n::stop-commands::x" = 1\n')
    done = wiki.run("lint", "--select", "WK902")
    assert "there is no setting odd ::stop-commands::x" in done.err
    assert not any(line.startswith("::") for line in done.err.splitlines())


@pytest.mark.parametrize(
    "args", [("graph", "--format", "graphml", "-o"), ("lint", "--write-baseline")]
)
@pytest.mark.parametrize("name", ["report", "folder/report"])
def test_a_link_of_the_repository_leads_no_report_out_of_it(
    wiki: Wiki, tmp_path: Path, args: tuple[str, ...], name: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/report").write_text("mine")
    (wiki.root / "report").symlink_to(tmp_path / "out/report")
    (wiki.root / "folder").symlink_to(tmp_path / "out")
    done = wiki.run(*args, name)
    assert done.code == PolicyError.exit_code
    assert (tmp_path / "out/report").read_text() == "mine"
    (wiki.root / "round").symlink_to("round")
    assert wiki.run(*args, "round").code in (2, 3)


def test_raw_that_is_a_link_is_not_looked_into(wiki: Wiki, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/secret.txt").write_text("x")
    for entry in (wiki.root / "raw").iterdir():
        entry.unlink()
    (wiki.root / "raw").rmdir()
    (wiki.root / "raw").symlink_to(tmp_path / "out")
    wiki.put("wiki/concepts/Tea.md", page("Tea", "[a](../../raw/secret.txt)"))
    done = wiki.run("lint", "--select", "WK104", "--json")
    assert [f["about"] for f in done.json["findings"]] == ["raw/secret.txt"]


def test_a_page_whose_name_has_a_line_end_stops_no_fix(wiki: Wiki) -> None:
    odd = "wiki/concepts/a\n::error::b.md"
    wiki.put(odd, "# Odd\n")
    wiki.put("wiki/concepts/New.md", "# New\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "odd")
    wiki.put(odd, "# Odd\n\nmore\n")
    done = wiki.run("lint", "--fix", "--select", "WK001")
    assert not any(line.startswith("::") for line in (done.out + done.err).splitlines())
    assert "has uncommitted edits" in done.err
    assert wiki.read("wiki/concepts/New.md").startswith("---\ntype: concept\n")


# --- what is staged --------------------------------------------------------------------------


def test_reading_the_index_runs_no_program_of_the_configuration(wiki: Wiki, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho run >> {ran}\n")
    program.chmod(0o755)
    hook = wiki.root / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(program.read_bytes())
    hook.chmod(0o755)
    wiki.put("wiki/concepts/New.md", page("New"))
    wiki.git("add", "-A")
    wiki.git("config", "core.fsmonitor", str(program))
    ran.unlink(missing_ok=True)
    with Repository(layout_of(wiki.root)) as repo:
        assert staged_commit(repo, 0.0, {}) != repo.head()
    assert not ran.exists()


@pytest.mark.parametrize("now", ["nan", "inf", "-1e30", "1e30"])
def test_a_clock_that_tells_no_time_is_refused(wiki: Wiki, now: str) -> None:
    done = wiki.run("lint", "--staged", at=float(now))
    assert (done.code, "LLMWIKI_NOW" in done.err) == (2, True)


# --- mending ---------------------------------------------------------------------------------


def mended(texts: dict[str, str], code: str = "WK105") -> str:
    return mended_of(texts, texts, code)


def mended_of(texts: dict[str, str], small: dict[str, str], code: str) -> str:
    """The page as it is mended for what is found in `small`."""
    held, fix = HeldWiki(texts), NAMED[code].fix
    lint_held_wiki(held, [])
    found = [f for f in lint_texts(small, [code]) if f.path == HERE]
    view = held.page(HERE)
    assert found and view is not None and fix is not None and not isinstance(fix, WikiFix)
    return fix(view, found, FixContext(held, held_texts(held)))


@pytest.mark.parametrize("stem", ["A#B", "a|b", "#x", "A#^b", "index", "Log-2020", "]]a"])
def test_no_link_is_led_to_a_name_that_is_no_link(stem: str) -> None:
    text = page("Here", "[[Tea]] and ![[Tea]] and [[Tea|t]]")
    texts = {HERE: text, f"wiki/concepts/{stem}.md": page("Odd", "", "aliases: [Tea]\n")}
    assert mended(texts) == text


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("[[Tea]]", "[[Green|Tea]]"),
        ("a [[x|y]] [[Tea]]", "a [[x|y]] [[Green|Tea]]"),
        ("| [[Tea]] | b |", "| [[Green\\|Tea]] | b |"),
        ("> | [[Tea]] | b |", "> | [[Green\\|Tea]] | b |"),
        ("[[Tea]] | b", "[[Tea]] | b"),
        ("b | [[Tea|t]] ![[Tea]]", "b | [[Green|t]] ![[Green]]"),
        ("`[[Tea]]` \\[[Tea]] [[Tea]]", "`[[Tea]]` \\[[Tea]] [[Green|Tea]]"),
    ],
)
def test_a_link_that_is_led_elsewhere_parts_no_cell(line: str, after: str) -> None:
    texts = {
        HERE: page("Here", f"{line}\n\n[[Tea]]"),
        "wiki/concepts/Green.md": page("Green", "", "aliases: [Tea]\n"),
    }
    assert mended(texts) == page("Here", f"{after}\n\n[[Green|Tea]]")


@pytest.mark.parametrize("second", ["title: [x\n", "title: Other\n", "a: *b\n"])
def test_what_looks_like_a_second_frontmatter_gives_no_title(second: str) -> None:
    text = f"---\ntype: concept\nsources: []\n---\n---\n{second}---\n\nTea.\n"
    expected = text.replace("---\n", "---\ntitle: Here\n", 1)
    assert mended({HERE: text}, "WK001") == expected


# --- the action ------------------------------------------------------------------------------


def test_the_action_runs_no_module_of_the_checkout(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    lines = [line for step in action["runs"]["steps"] for line in step.get("run", "").splitlines()]
    calls = [line.strip() for line in lines if line.strip().startswith('"$PYTHON"')]
    assert len(calls) == 1
    (tmp_path / "venv.py").write_text("print('from the checkout')\n")
    command = calls[0].replace('"$RUNNER_TEMP/llmwiki"', "--help")
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert b"from the checkout" not in done.stdout
    assert b"usage" in done.stdout
