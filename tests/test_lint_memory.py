"""Rules of memory and skills: each fires where it should, and not beside it."""

from __future__ import annotations

import pytest
from lintkit import beginning, lint_texts

from llmwiki.lint.findings import Finding
from llmwiki.lint.rule import rules_in
from llmwiki.lint.rules import memory, skills

LEAD = "Tea is an infusion of leaves in hot water, and is drunk everywhere by everybody.\n"
NOTE = "\n## Notes\n\n- Tea is green. ^n-0123456789\n"
TOLD = "  - told by: person; on: 2026-05-20; kind: fact\n"
MEMORY = "wiki/memory.md"
SYNTHESIS = "wiki/syntheses/Tea.md"


def page(kind: str, body: str = "", front: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: Tea\n{front}---\n\n# Tea\n\n{LEAD}{body}"


def found(path: str, text: str | bytes) -> list[Finding]:
    return lint_texts({path: text}, beginning("WK5", "WK023"))


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
        (SYNTHESIS, "synthesis", NOTE, {"WK502"}),
        (SYNTHESIS, "synthesis", NOTE + TOLD, {"WK502"}),
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


# --- size, confidence, provenance ----------------------------------------------------------


def test_only_memory_has_a_limit() -> None:
    size = memory.MOST_RESIDENT - len(page("memory"))
    assert codes(MEMORY, page("memory", "x" * size)) == set()
    assert codes(MEMORY, page("memory", "x" * (size + 1))) == {"WK507"}
    assert codes("wiki/concepts/Tea.md", page("concept", "x" * 20_000)) == set()


# --- skills --------------------------------------------------------------------------------


def skill(front: str, body: str = "# Brew\n") -> str:
    return f"---\n{front}---\n\n{body}"


def test_folders_of_the_agents_skills_hold_only_text() -> None:
    good = skill("name: b\ndescription: d\n")
    files = {
        "wiki/skills/b/SKILL.md": good,
        "wiki/skills/b/references/x.md": LEAD,
        "wiki/skills/b/run.sh": "echo\n",
        "raw/skills/b/SKILL.md": good,
        "raw/skills/b/run.sh": "echo\n",
        "raw/skills/README.md": LEAD,
    }
    hits = lint_texts(files, rules_in(skills))
    assert [(f.code, f.path) for f in hits] == [
        ("WK520", "wiki/skills/b/run.sh"),
    ]
