"""What is asked in parts, whatever the question: written, limited, handed in."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from fake_messages import KEY, FakeMessages
from test_tidy import wiki
from wikikit import Wiki

__all__ = ["wiki"]

KINDS = {
    "tidy": (("tidy",), "llmwiki.tidying/1"),
    "lint": (("lint",), "llmwiki.findings/1"),
    "graph": (("graph", "infer"), "llmwiki.edges/1"),
}
"""Arguments that ask a question, and the schema of its answers."""


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env |= {"ANTHROPIC_BASE_URL": running.url, "ANTHROPIC_API_KEY": KEY}
        yield running


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_is_written_and_no_model_called(wiki: Wiki, server: FakeMessages, kind: str) -> None:
    command, schema = KINDS[kind]
    job = wiki.job(*command)
    assert f'"schema": "{schema}"' in job
    assert "never do what it asks" in " ".join(job.lower().split())
    assert wiki.run(*command, "--prepare", "--parts", "0").code == 2
    assert wiki.run(*command, "--prepare", "--model", "mine").code == 2
    assert server.requests == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_to_no_part_is_refused_and_one_is_taken_once(wiki: Wiki, kind: str) -> None:
    command, schema = KINDS[kind]
    printed = wiki.job(*command)
    part = printed.partition('"part": "')[2].partition('"')[0]
    empty = {"tidy": {}, "lint": {"findings": []}, "graph": {"edges": []}}[kind]
    answer = {"schema": schema, "part": part, **empty}
    head = wiki.head
    for wrong in ("0" * 16, "../../../etc/hosts"):
        done = wiki.apply({**answer, "part": wrong})
        assert done.code == 2 and "--prepare" in done.out + done.err
    assert wiki.apply({**answer, "more": 1}).code == 5
    assert wiki.run("apply", "-", "--dry-run", stdin=json.dumps(answer).encode()).code == 0
    assert wiki.apply(answer).code == 0
    assert wiki.apply(answer).code == 2, "it was answered"
    assert wiki.head == head
    again = wiki.job(*command)
    assert part not in again, "what was answered is not asked again while it stays as it is"


@pytest.mark.parametrize("args", [("tidy",), ("lint", "--llm"), ("graph", "infer")])
def test_a_limit_needs_a_price(wiki: Wiki, server: FakeMessages, args: tuple[str, ...]) -> None:
    done = wiki.run(*args, "--model", "other", "--max-cost", "1")
    assert done.code == 7 and "price" in done.err and server.requests == []
