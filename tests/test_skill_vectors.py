"""Skills as the standard and other systems have them: the acceptance vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmwiki.changes.find_skills import FoundSkill, preferred
from llmwiki.chat.learn_from_chat import reviews_of
from llmwiki.chat.skills import (
    REVIEW_STEPS,
    STAGES,
    SkillUse,
    kept_uses,
    reviews_due,
    summary_row,
    summary_xml,
)
from llmwiki.core.text import tokens_of
from llmwiki.lint.rules.skills import check_skill
from llmwiki.pages.skill_file import SkillFile, matches, read_skill

VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "skill_vectors.json").read_text("utf-8")
)
CODES = {
    "invalid-frontmatter": ("WK520", ""),
    "missing-name": ("WK520", "no name"),
    "name-too-long": ("WK520", "more than 64"),
    "bad-name": ("WK520", "is no name"),
    "name-dir-mismatch": ("WK520", "lies in the folder"),
    "description-too-long": ("WK520", "more than 1,024"),
    "compatibility-too-long": ("WK520", "more than 500"),
}
"""What the vectors call it to the rule of lint, and words of its finding."""


def unfolded(value: Any) -> Any:
    """`{"$repeat": [x, n]}` and `{"$concat": […]}` written out."""
    if isinstance(value, dict) and "$repeat" in value:
        return value["$repeat"][0] * value["$repeat"][1]
    if isinstance(value, dict) and "$concat" in value:
        return "".join(unfolded(part) for part in value["$concat"])
    if isinstance(value, dict):
        return {key: unfolded(each) for key, each in value.items()}
    return value


def found(origins: list[str], name: str) -> list[FoundSkill]:
    return [FoundSkill(name, "person", place, f"of {place}") for place in origins]


def winner(places: list[tuple[str, list[str]]]) -> dict[str, str]:
    """Of each name the place that counts, the first of these that has it."""
    names = sorted({name for _, held in places for name in held})
    return {
        name: next(
            skill.folder
            for skill in preferred(found([p for p, held in places if name in held], name))
            if not skill.hidden_by
        )
        for name in names
    }


def skill_frontmatter(given: Any, expected: Any) -> None:
    hits = check_skill(f"raw/skills/{given['dir']}", {"SKILL.md": given["text"].encode()})
    told = [(hit.code, hit.message) for hit in hits if hit.code in {code for code, _ in
            CODES.values()}]  # fmt: skip
    wanted = [CODES[each] for each in expected["errors"]]
    assert [code for code, _ in told] == [code for code, _ in wanted]
    assert all(words in said for (_, said), (_, words) in zip(told, wanted, strict=True))


def skill_compaction(given: Any, expected: Any) -> None:
    uses = [SkillUse(each["skill"], "abc" * each["tokens"]) for each in given["invocations"]]
    kept = [{"skill": u.name, "tokens": tokens_of(len(u.text))} for u in kept_uses(uses)]
    assert kept == expected["kept"]


def skill_dedupe(given: Any, expected: Any) -> None:
    """Scanned from the general to the particular there; the particular comes first here."""
    assert winner([(place, names) for place, names in reversed(given["scan"])]) == expected


def skill_precedence(given: Any, expected: Any) -> None:
    order = expected["order"]
    assert winner([(each, ["x"]) for each in order if each in given["have"]]) == {
        "x": expected["winner"]
    }


def skills_precedence(given: Any, expected: Any) -> None:
    order = ("workspace", "global", "builtin")
    assert winner([(place, given[place]) for place in order]) == expected


def skill_disclosure(given: Any, expected: Any) -> None:
    stage = STAGES[given["stage"] - 1]
    assert list(stage.loads) == expected["loads"]
    assert stage.tokens == expected.get("target_tokens")


def skill_invocation(given: Any, expected: Any) -> None:
    """Each scalar of a frontmatter is a string when it is read."""
    values = {key: str(value).lower() for key, value in given["frontmatter"].items()}
    file = SkillFile(values, "")
    assert (file.model_may, file.user_may) == (expected["model_may"], expected["user_may"])


def skill_paths(given: Any, expected: Any) -> None:
    front = f"---\nname: b\npaths: {json.dumps(given['paths'])}\n---\n"
    assert read_skill(front).is_for(given["file"]) is expected["active"]


def skills_summary_xml(given: Any, expected: Any) -> None:
    rows = [summary_row(**each) for each in given["skills"]]
    assert summary_xml(rows) == expected["text"]


def nudge(given: Any, expected: Any) -> None:
    assert reviews_of(given["turns"]) == expected["memory_reviews"]
    assert reviews_due(given["tool_calls"]) == (expected["skill_reviews"], expected["iters_left"])


def review_agent(_given: Any, expected: Any) -> None:
    assert expected["max_iterations"] == REVIEW_STEPS and expected["fork"] is True


CASES = [
    pytest.param(globals()[area], vector, id=vector["id"])
    for area, listed in VECTORS.items()
    for vector in listed
]


@pytest.mark.parametrize(("judge", "vector"), CASES)
def test_a_vector(judge: Any, vector: dict[str, Any]) -> None:
    judge(unfolded(vector["input"]), unfolded(vector["expected"]))


@pytest.mark.parametrize(
    ("pattern", "path", "is_one"),
    [
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("*.md", "x/a.md", False),
        ("src/**", "src/a/b", True),
        ("**/" * 40 + "x", "/".join(["a"] * 400), False),
    ],
)
def test_a_pattern(pattern: str, path: str, is_one: bool) -> None:
    assert matches(pattern, path) is is_one


@pytest.mark.parametrize(
    ("body", "typed", "filled"),
    [
        ("Boil $ARGUMENTS.", '"green tea" now', 'Boil "green tea" now.'),
        ("$0, then $ARGUMENTS[1], then $2", '"green tea" now', "green tea, then now, then $2"),
        ("Boil $kind for $HOME", "green", "Boil green for $HOME"),
        ("Boil.", "green tea", "Boil.\n\nARGUMENTS: green tea"),
        ("Boil $0.", "it's", "Boil it's."),
        ("$ARGUMENTS in ${CLAUDE_SKILL_DIR}", "$0", "$0 in raw/skills/b"),
        ("Boil: !`rm -rf x`", "", "Boil: !`rm -rf x`"),
    ],
)
def test_arguments_come_into_their_places(body: str, typed: str, filled: str) -> None:
    file = read_skill(f"---\nname: b\narguments: kind\n---\n\n{body}\n")
    assert file.filled(typed, folder="raw/skills/b") == f"{filled}\n"
