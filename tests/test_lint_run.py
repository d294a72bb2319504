"""A lint that reads only what changed reports what one that reads everything does."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import gitkit
import pytest
import wikikit
from lintkit import lint_texts
from longform import seldom

import llmwiki
from llmwiki import Callbacks, Wiki
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.lint.findings import LintReport
from llmwiki.lint.rules import RULES
from llmwiki.lint.run import code_stamp, lint

WORDS = ("tea", "leaf", "water", "cup", "green", "black", "Ceylon", "Assam")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.isolate(monkeypatch)
    top = gitkit.make_wiki(tmp_path, pages=0)
    for n in range(14):
        write(top, f"Page {n}", random.Random(n))
    commit(top)
    return top


def write(root: Path, stem: str, rng: random.Random) -> None:
    folder = rng.choice(["concepts", "entities"])
    for other in ("concepts", "entities"):
        (root / f"wiki/{other}/{stem}.md").unlink(missing_ok=True)
    links = " ".join(
        f"[[{rng.choice(['Page', 'page', 'Leaf'])} {rng.randrange(18)}{anchor}]]"
        for anchor in rng.choices(["", "#Claims"], k=rng.randint(0, 4))
    )
    front = rng.choice(
        [
            f"---\ntype: concept\ntitle: {stem}\naliases: [{rng.choice(WORDS)}]\n---\n\n",
            f"---\ntype: entity\ntitle: {stem}\n---\n\n",
            "",
        ]
    )
    known = "0123456789"
    claims = "".join(
        f"- It is {rng.choice(WORDS)}. ^c-{rng.choice(known)}f3a1c22k7\n"
        f"  - (size = {rng.choice(WORDS)})\n"
        for _ in range(rng.randint(0, 3))
    )
    ignore = rng.choice(["", "", "\n<!-- wiki: ignore-file=WK101 -->\n"])
    gitkit.put(
        root,
        {
            f"wiki/{folder}/{stem}.md": f"{front}# {stem}\n\n{' '.join(rng.choices(WORDS, k=9))} "
            f"{links}\n{ignore}\n## Claims\n\n{claims}"
        },
    )


def commit(root: Path) -> None:
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "step", "--allow-empty")


def linted(root: Path, **wanted: str) -> LintReport:
    with Repository(layout_of(root)) as repo:
        return lint(repo, **wanted)  # type: ignore[arg-type]


def anew(root: Path, **wanted: str) -> LintReport:
    kept = root / ".git/llmwiki"
    aside = root / ".git/aside"
    shutil.move(kept, aside)
    try:
        return linted(root, **wanted)
    finally:
        shutil.rmtree(kept)
        shutil.move(aside, kept)


def step(root: Path, rng: random.Random) -> None:
    chance = rng.random()
    pages = sorted((root / "wiki").rglob("Page *.md"))
    if chance < 0.5 or len(pages) < 4:
        for _ in range(rng.randint(1, 3)):
            write(root, f"Page {rng.randrange(18)}", rng)
    elif chance < 0.65:
        rng.choice(pages).unlink()
    elif chance < 0.75:
        page = rng.choice(pages)
        page.rename(page.with_name(f"Page {rng.randrange(18, 24)}.md"))
    elif chance < 0.9:
        commit(root)
    else:
        gitkit.git(root, "reset", "-q", rng.choice(["--hard", "--mixed"]), "HEAD~1", ok=(0, 128))


@pytest.mark.parametrize("seed", seldom(range(20), range(2, 20)))
def test_a_lint_after_any_history_is_one_made_anew(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    codes: set[str] = set()
    for _ in range(7):
        for _ in range(rng.randint(1, 3)):
            step(root, rng)
        report = linted(root)
        assert report == anew(root)
        assert report == linted(root)
        codes |= {finding.code for finding in report.findings}
    assert {"WK101"} < codes


def test_a_revision_is_linted_as_it_was(root: Path) -> None:
    before = linted(root)
    first = gitkit.git(root, "rev-parse", "HEAD").strip()
    rng = random.Random(7)
    for _ in range(5):
        step(root, rng)
    commit(root)
    assert linted(root) != before
    assert linted(root, at=first).findings == before.findings


def test_only_what_changed_is_read(root: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def read() -> list[int]:
        told.clear()
        with Repository(layout_of(root)) as repo:
            lint(repo, step=lambda *step: told.append(step))
        return [of for doing, _done, of in told if doing == "reading pages"]

    assert read() == [14] * 14
    assert read() == []
    page = next(p for p in sorted((root / "wiki").rglob("*.md")) if "ignore" not in p.read_text())
    page.write_text(page.read_text() + "\n[[Nowhere at all]]\n")
    assert read() == [1]
    found = linted(root).findings
    assert any(f.code == "WK101" and f.about == "Nowhere at all" for f in found)


def test_hash_seeds_and_processes_say_the_same(root: Path) -> None:
    said = set()
    for seed in ("0", "1", "2"):
        shutil.rmtree(root / ".git/llmwiki", ignore_errors=True)
        done = subprocess.run(
            [sys.executable, "-m", "llmwiki", "-C", str(root), "lint", "--format", "json"],
            capture_output=True,
            env={**os.environ, **gitkit.ISOLATION, "PYTHONHASHSEED": seed},
            check=False,
        )
        assert done.returncode == 1, done
        said.add(done.stdout)
    assert len(said) == 1


def test_an_index_that_cannot_be_written_is_no_hindrance(root: Path) -> None:
    shutil.rmtree(root / ".git/llmwiki", ignore_errors=True)
    (root / ".git/llmwiki").write_text("a file in place of the folder")
    blocked = linted(root)
    (root / ".git/llmwiki").unlink()
    assert blocked == linted(root)


def test_an_empty_wiki_has_no_findings_but_its_coverage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    done = wiki.ok("lint", "--format", "json").json
    assert done["findings"] == []
    assert done["coverage"]["pages"] == 0


# --- all rules ------------------------------------------------------------------------------


def test_there_are_rules_enough_and_each_is_told_of() -> None:
    assert len(RULES) >= 40
    assert len({r.code for r in RULES}) == len({r.name for r in RULES}) == len(RULES)
    assert [r.code for r in RULES] == sorted(r.code for r in RULES)
    for rule in RULES:
        assert rule.meaning.endswith(".") and rule.mending.endswith("."), rule.code
        assert rule.family


@pytest.mark.parametrize(
    "rule",
    [r for r in RULES if r.bad and r.family != "judgement"],
    ids=lambda r: r.code,
)
def test_an_example_fires_and_its_near_miss_does_not(rule) -> None:  # type: ignore[no-untyped-def]
    assert {f.code for f in lint_texts(rule.bad, [rule])} == {rule.code}
    assert rule.good, "every example has its near miss"
    assert lint_texts(rule.good, [rule]) == []


def test_rules_without_an_example_are_those_that_need_more_than_files() -> None:
    without = [r for r in RULES if not r.bad]
    assert all(r.of_history or r.family == "judgement" for r in without)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "---\na: [\n---\n",
        "- ^c-9f3a1c22k7\n  - “ — [^x]\n" * 200,
        "> " * 500 + "[[A]]",
        "\x00\u202e\u2066[[\u200b]]\U000e0041",
        "|" * 5000 + "\n" + "|-" * 2000,
        "---\ntype: [1, 2]\ntitle: {a: b}\nsources: yes\naliases: {x: y}\n---\n# x\n",
    ],
    ids=range(8),
)
def test_no_rule_stumbles_over_any_text(text: str) -> None:
    for path in ("wiki/concepts/X.md", "wiki/sources/x-md.md", "wiki/syntheses/X.md", "wiki/X.md"):
        lint_texts({path: text}, RULES)


def test_the_second_lint_loads_no_rule(root: Path) -> None:
    seen = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "llmwiki", "-C", str(root), "lint", "-q"],
            capture_output=True,
            text=True,
            env={**os.environ, **gitkit.ISOLATION},
            check=False,
        )
        seen.append((done.stdout, "llmwiki.lint.rules" in done.stderr))
    (first, loads), (second, loads_again) = seen
    assert first == second and loads and not loads_again


def test_a_file_name_with_a_line_end_is_forgotten_whole(root: Path) -> None:
    odd = "wiki/concepts/Two\nlines.md"
    gitkit.put(root, {odd: "# Odd\n\n[[Nowhere]] [[Two lines]]\n"})
    assert any("Two" in finding.path for finding in linted(root).findings)
    (root / odd).unlink()
    assert linted(root) == anew(root)


def test_a_ledger_may_be_short() -> None:
    ledger = "---\ntype: source\ntitle: X\ndescription: A table.\n---\n\n# X\n\nA table.\n"
    assert lint_texts({"wiki/sources/x-csv.md": ledger}, ["stub-page"]) == []
    assert lint_texts({"wiki/concepts/X.md": ledger.replace("source", "concept")}, ["stub-page"])


def _learned(made: wikikit.Wiki) -> None:
    made.learn("raw/tea.md", wikikit.NOTE, wikikit.answer([wikikit.claim("Tea", "Tea")]))


def test_who_waits_is_told_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = wikikit.make(tmp_path, monkeypatch, _learned)
    told: list[tuple[str, int, int]] = []
    listening = Callbacks(step=lambda *step: told.append(step))
    wiki = Wiki.open(scratch.root, listening)
    wiki.lint()
    pages = len(scratch.pages())
    assert [done for doing, done, of in told if doing == "reading pages" and of == pages] == [
        *range(1, pages + 1)
    ]
    assert told[0] == ("looking at the wiki", 0, 0)
    assert any("rule" in doing and done == of for doing, done, of in told)


def test_other_code_is_another_stamp(tmp_path: Path) -> None:
    copy = tmp_path / "llmwiki"
    shutil.copytree(
        Path(llmwiki.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    before = code_stamp(copy)
    (copy / "__pycache__").mkdir()
    assert code_stamp(copy) == before
    rule = copy / "lint/rules/links.py"
    rule.write_text(rule.read_text().replace("leads to no page", "leads on no page"))
    assert code_stamp(copy) != before
    # An archive holds one version.
    assert code_stamp(tmp_path / "wiki.pyz/llmwiki") == code_stamp(tmp_path / "wiki.pyz/llmwiki")
