"""What `make quick` runs: the tests that a change can break, the nearest first."""

from __future__ import annotations

import pytest

from tools import quick

Users = dict[str, set[str]]


@pytest.fixture(scope="module")
def users() -> Users:
    names = (
        path.relative_to(quick.ROOT).as_posix()
        for folder in ("llmwiki", "tests", "benchmarks", "docs")
        for path in (quick.ROOT / folder).rglob("*.*")
        if "__pycache__" not in path.parts
    )
    return quick.Files(names).users()


def test_a_change_leads_to_the_tests_that_can_break(users: Users) -> None:
    for changed, test, most in (
        ("llmwiki/core/errors.py", "test_docs", 1),
        ("llmwiki/query/retrieval/title_match.py", "test_rank", 3),
        ("llmwiki/interfaces/cli/commands/undo_and_retract.py", "test_undo", 1),
        ("llmwiki/sources/converters/from_csv.py", "test_sources_structured", 9),
        ("tests/gitkit.py", "test_store_crash", 1),
        ("tests/crash/driver.py", "test_store_crash", 2),
        ("tests/hostile_lengths.py", "test_hostile_lengths", 1),
        ("tests/data/questions.json", "test_offline_answers", 1),
        ("tests/sessions/first-hour.md", "test_sessions", 1),
        ("docs/make_cli.py", "test_docs", 1),
        ("tests/conftest.py", "test_spelling", 1),
    ):
        assert (quick.ROOT / changed).is_file()
        assert 0 < quick.reached([changed], users)[f"tests/{test}.py"] <= most, changed


def test_a_change_leads_to_no_others(users: Users) -> None:
    far = quick.reached(["llmwiki/lint/rules/naming.py"], users)
    assert "tests/test_lint_cli.py" in far
    assert not {"tests/test_pages_changes.py", "tests/test_rank.py"} & {*far}
