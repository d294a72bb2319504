"""Rules of memory and skills: each fires where it should, and not beside it."""

from __future__ import annotations

from datetime import date

import pytest
from lintkit import beginning, lint_texts

from llmwiki.lint.finding import Finding
from llmwiki.lint.rule import rules_in
from llmwiki.lint.rules import memory, skills

LEAD = "Tea is an infusion of leaves in hot water, and is drunk everywhere by everybody.\n"
NOTE = "\n## Notes\n\n- Tea is green. ^n-0123456789\n"
TOLD = "  - told by: person; on: 2026-05-20; kind: fact\n"
MEMORY = "wiki/memory.md"
SYNTHESIS = "wiki/syntheses/Tea.md"


def page(kind: str, body: str = "", front: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: Tea\n{front}---\n\n# Tea\n\n{LEAD}{body}"


def found(path: str, text: str | bytes, now: date = date(2026, 6, 1)) -> list[Finding]:
    return lint_texts({path: text}, beginning("WK5", "WK023"), now=now)


def codes(path: str, text: str | bytes) -> set[str]:
    return {finding.code for finding in found(path, text)}


# --- notes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "body", "expected"),
    [
        (MEMORY, "memory", NOTE, {"WK502"}),
        (MEMORY, "memory", NOTE + TOLD, set()),
        (MEMORY, "memory", NOTE + "  - from: [[Tea#^c-0123456789]]\n", {"WK502"}),
        (
            MEMORY,
            "memory",
            NOTE.replace("Tea is green.", "~~Tea is green.~~ → [[memory#^n-9876543210]]"),
            set(),
        ),
        ("wiki/daily/2026-05-20.md", "daily", NOTE, {"WK502"}),
        (SYNTHESIS, "synthesis", NOTE, {"WK501"}),
        (SYNTHESIS, "synthesis", NOTE + TOLD, {"WK501"}),
        (
            SYNTHESIS,
            "synthesis",
            NOTE + "  - from: [[Tea#^c-0123456789]]; [[Tea#^c-9876543210]]\n",
            set(),
        ),
        ("wiki/concepts/Tea.md", "concept", NOTE, set()),
        (MEMORY, "memory", "\n```\n- Tea is green. ^n-0123456789\n```\n", set()),
        (MEMORY, "memory", NOTE + TOLD.replace("fact", "rumour"), {"WK023"}),
        (MEMORY, "memory", NOTE + TOLD.replace("person", "a bird"), {"WK023"}),
        (MEMORY, "memory", NOTE + TOLD.replace("2026-05-20", "2026-02-30"), {"WK023"}),
        (MEMORY, "memory", NOTE + TOLD.replace("2026-05-20", "20260520"), {"WK023"}),
        (MEMORY, "memory", NOTE + TOLD + TOLD, {"WK023"}),
        (MEMORY, "memory", NOTE + "  - Told by: person\n", {"WK502", "WK023"}),
        (MEMORY, "memory", NOTE + TOLD + "  - Yes, on Friday: at noon\n", set()),
        (MEMORY, "memory", NOTE + TOLD.replace("kind: fact", "kind: fact; cups = 2"), set()),
        (SYNTHESIS, "synthesis", NOTE + "  - from: a book\n", {"WK023"}),
    ],
)
def test_where_notes_come_from(path: str, kind: str, body: str, expected: set[str]) -> None:
    assert codes(path, page(kind, body)) == expected


@pytest.mark.parametrize(
    ("body", "fires"),
    [
        ("\n## Answer\n\nTea is green.\n", True),
        ("\n## Answer\n\nTea is [[Tea|green]].\n", False),
        ("\n## Answer\n\nTea is green.[^tea-md]\n", False),
        ("\n## Answer\n\nTea is [green](https://example.org).\n", False),
        ("\n## Answer\n\n> Tea\n\n---\n\n| a | b |\n| - | - |\n\n```\ntext\n```\n", False),
        ("\nThe opening may have a second paragraph.\n", False),
    ],
)
def test_paragraphs_of_a_synthesis_cite(body: str, fires: bool) -> None:
    assert codes(SYNTHESIS, page("synthesis", body)) == ({"WK501"} if fires else set())
    assert codes("wiki/concepts/Tea.md", page("concept", body)) == set()


# --- days ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("day", "fires"),
    [("2026-06-01", False), ("2026-06-02", False), ("2026-06-03", True), ("2027-01-01", True)],
)
def test_what_is_dated_in_the_future(day: str, fires: bool) -> None:
    note = found(MEMORY, page("memory", NOTE + TOLD.replace("2026-05-20", day)))
    assert [(f.code, f.line) for f in note] == ([("WK505", 13)] if fires else [])
    daily = found(f"wiki/daily/{day}.md", page("daily"))
    assert [(f.code, f.line) for f in daily] == ([("WK505", 0)] if fires else [])


@pytest.mark.parametrize(
    ("name", "fires"),
    [
        ("2026-05-20", False),
        ("2026-05-20 Wednesday", False),
        ("2026/2026-05-20", False),
        ("README", False),
        ("2026-02-30", True),
        ("20260520", True),
        ("Wednesday", True),
        ("2026-05-201", True),
    ],
)
def test_daily_pages_are_named_after_their_day(name: str, fires: bool) -> None:
    assert codes(f"wiki/daily/{name}.md", page("daily")) == ({"WK505"} if fires else set())


# --- size, confidence, provenance ----------------------------------------------------------


def test_only_memory_has_a_limit() -> None:
    size = memory.MOST_RESIDENT - len(page("memory"))
    assert codes(MEMORY, page("memory", "x" * size)) == set()
    assert codes(MEMORY, page("memory", "x" * (size + 1))) == {"WK507"}
    assert codes("wiki/concepts/Tea.md", page("concept", "x" * 20_000)) == set()


# --- skills --------------------------------------------------------------------------------


def skill(front: str, body: str = "# Brew\n") -> str:
    return f"---\n{front}---\n\n{body}"


@pytest.mark.parametrize("top", ["wiki", "raw"])
@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        ("a", skill("name: a\ndescription: d\n"), set()),
        ("brew-tea", skill("name: brew-tea\ndescription: d\n").replace("\n", "\r\n"), set()),
        ("b", skill("name: b\ndescription: |\n  one: with a colon\n  two\n"), set()),
        ("b", skill("name: b\ndescription: d\nallowed-tools: Bash(git:*) Read\n"), set()),
        (
            "b",
            skill(
                'name: b\ndescription: d\npaths: ["src/**/*.ts"]\ncontext: fork\nagent: Explore\n'
            ),
            set(),
        ),
        (
            "b",
            skill(
                "name: b\ndescription: d\nlicense: MIT\nmetadata:\n  author: us\n  version: '1.0'\n"
            ),
            set(),
        ),
        ("a" * 64, skill(f"name: {'a' * 64}\ndescription: d\n"), set()),
        ("b", skill(f"name: b\ndescription: {'x' * 1024}\n"), set()),
        ("b", skill(f"name: b\ndescription: d\ncompatibility: {'x' * 500}\n"), set()),
        ("b", "# No frontmatter\n", {"WK520"}),
        ("b", "---\n- a\n- b\n---\n", {"WK520"}),
        ("b", skill("name: [b\n"), {"WK520"}),
        ("pdf", skill("name: other\ndescription: d\n"), {"WK520"}),
        ("PDF", skill("name: PDF\ndescription: d\n"), {"WK520"}),
        ("my_skill", skill("name: my_skill\ndescription: d\n"), {"WK520"}),
        ("-x", skill("name: -x\ndescription: d\n"), {"WK520"}),
        ("a--b", skill("name: a--b\ndescription: d\n"), {"WK520"}),
        ("スキル", skill("name: スキル\ndescription: d\n"), {"WK520"}),
        ("b", skill("description: d\n"), {"WK520"}),
        ("a" * 65, skill(f"name: {'a' * 65}\ndescription: d\n"), {"WK520"}),
        ("b", skill("name: b\n"), {"WK520"}),
        ("b", skill("name: b\ndescription: '  '\n"), {"WK520"}),
        ("b", skill(f"name: b\ndescription: {'x' * 1025}\n"), {"WK520"}),
        ("b", skill(f"name: b\ndescription: d\ncompatibility: {'x' * 501}\n"), {"WK520"}),
        ("b", skill("name: b\ndescription: d\n", "line\n" * 499), set()),
        ("b", skill("name: b\ndescription: d\n", "line\n" * 500), {"WK520"}),
    ],
)
def test_a_skill_as_the_standard_has_it(
    top: str, folder: str, text: str, expected: set[str]
) -> None:
    path = f"{top}/skills/{folder}/SKILL.md"
    hits = found(path, text)
    assert {hit.code for hit in hits} == expected
    assert all(hit.path == path for hit in hits)


def test_folders_of_skills_hold_a_skill_and_only_text_of_the_agents() -> None:
    good = skill("name: b\ndescription: d\n")
    files = {
        "wiki/skills/b/SKILL.md": good,
        "wiki/skills/b/references/x.md": LEAD,
        "wiki/skills/b/run.sh": "echo\n",
        "raw/skills/c/skill.md": good,
        "raw/skills/c/run.sh": "echo\n",
        "raw/skills/README.md": LEAD,
        "raw/skills/.keep/x": "",
    }
    hits = lint_texts(files, rules_in(skills))
    assert [(f.code, f.path) for f in hits] == [
        ("WK520", "raw/skills/c/skill.md"),
        ("WK520", "wiki/skills/b/run.sh"),
    ]
