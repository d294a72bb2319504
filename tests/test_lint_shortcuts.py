"""What lint leaves out where it can tell beforehand that nothing would come of it."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import gitkit
import pytest
from longform import examples

from llmwiki.lint.engine.run import lint
from llmwiki.lint.outcome import Report
from llmwiki.lint.relation import Group, GroupRow
from llmwiki.lint.rule import OverGroup
from llmwiki.lint.rules import RULES, graph
from llmwiki.lint.view import PageView
from llmwiki.repo.repository import Repository

LONG = "Tea is made of leaves that are dried, and some of them are left to turn black. " * 8


def linted(root: Path) -> Report:
    with Repository.discover(root) as repo:
        return lint(repo, today=date(2026, 9, 21))


def test_the_graph_is_made_again_only_where_links_or_places_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path, pages=0)
    ring = {"A": "B", "B": "C", "C": "A", "X": "Y", "Y": "Z", "Z": "X"}
    gitkit.put(
        root, {f"wiki/concepts/{a}.md": f"# {a}\n\n{LONG}[[{b}]]\n" for a, b in ring.items()}
    )
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "pages")
    assert "WK703" in {finding.code for finding in linted(root).findings}
    made: list[object] = []
    build = graph._build
    monkeypatch.setattr(graph, "_build", lambda wiki: made.append(wiki) or build(wiki))
    page = root / "wiki/concepts/A.md"

    def isolated(text: str) -> bool:
        page.write_text(text)
        return "WK703" in {finding.code for finding in linted(root).findings}

    text = page.read_text()
    assert isolated(f"{text}\nIt is drunk warm.\n")
    assert made == []
    assert not isolated(f"{text}\nSee [[X]].\n")
    assert len(made) == 1
    assert isolated(text)
    page.rename(root / "wiki/A.md")
    told = [f for f in linted(root).findings if f.code == "WK703"]
    assert len(made) == 3
    page = root / "wiki/A.md"
    page.unlink()
    assert {f.path for f in told} < {f"wiki/concepts/{name}.md" for name in "BCXYZ"} | {"wiki/A.md"}
    linted(root)
    assert len(made) == 4


@pytest.mark.parametrize("rule", [r for r in RULES if getattr(r.over, "least", 1) > 1])
def test_a_group_below_a_rules_least_would_say_nothing(rule) -> None:  # type: ignore[no-untyped-def]
    assert isinstance(rule.over, OverGroup)
    rows = 0
    for other in RULES:
        files = {**_files(other.bad), **_files(other.good)}
        for path, text in files.items():
            for key, value in rule.over.relation.emit(PageView(path, text)):
                rows += 1
                assert list(rule.over.check(Group(key, (GroupRow(path, value),)))) == []
    assert rows > 2


def _files(example: object) -> dict[str, str]:
    if isinstance(example, str):
        return {"wiki/concepts/Example.md": example}
    assert isinstance(example, dict)
    return example


PIECES = (
    "# Tea\n", "#  Tea #\r\n", "#Tea\n", "## Cup\n", "    # Tea\n", "Tea\n===\n", "- # Tea\n",
    "```\n# Tea\n```\n", "<!--\n# Tea\n-->\n", "<div>\n# Tea\n\n", "\n", " \t\n", "Tea.\n", "# \n",
    "> # Tea\n", "$$\n# Tea\n$$\n", "---\n", "\ufeff", "- Tea. ^c-9f3a1c22k7\n", "^n-\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(examples(300)))
def test_a_page_without_its_body_tells_what_the_whole_one_does(seed: int) -> None:
    rng = random.Random(seed)
    front = rng.choice(
        ["", "---\ntitle: Tea\n---\n", "---\ntags: [a, b]\n---\n", "---\n: [\n---\n"]
    )
    view = PageView(
        "wiki/concepts/Tea.md", front + "".join(rng.choices(PIECES, k=rng.randint(0, 5)))
    )
    first = next(((p.node.raw, p.line) for p in view.body if p.node.kind == "h1"), None)
    assert view.first_heading == first
    assert view.head.front == view.page.front
    assert len(view.claims) == len(view.page.claims)
    if not view.broken:
        assert view.title == view.page.title
        assert view.head.sources == view.page.sources


@pytest.mark.parametrize("text", ["TO\u212aEN", "\u0130GNORE", "Token", "\udc80" + "KEY", "Ä"])
def test_words_are_found_in_lower_case_as_python_has_it(text: str) -> None:
    wanted = text.lower().encode("utf-8", "replace")
    view = PageView("wiki/a.md", text)
    assert all(bytes([c]) in view.lower for c in wanted if chr(c).isascii() and chr(c).isalpha())
