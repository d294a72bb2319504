"""An agent's judgement of claims, checked and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.verdict import RejectedFinding


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """An agent's answer that was checked and kept."""

    part: str
    findings: tuple[Finding, ...]
    left_out: tuple[RejectedFinding, ...]
    outdated: int
    """Findings about what has changed since it was printed."""


def take_answer(
    wiki: OpenWiki, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> AcceptedAnswer:
    """Checks and keeps an agent's judgement of claims (llmwiki.findings/1).

    Raises ModelOutputError for what is no such answer, InputError for a part that nobody printed.
    """
    from llmwiki.lint.judge.answer import FindingsFile
    from llmwiki.lint.judge.answer_store import JudgementStore
    from llmwiki.lint.judge.queue import answered
    from llmwiki.models.agent import ParsedAnswer

    answer = ParsedAnswer(name, data).valid(FindingsFile)
    part = JudgementStore(wiki.repo).job(answer.part)
    if part is None:
        raise InputError(
            "no part of this name was printed here, or its pages were judged since",
            where=name,
            fix="Prepare it again: wiki lint --prepare --part 1",
        )
    with wiki.index() as index:
        stands, left_out = answered(
            wiki.repo, index, part, model or "agent", answer.findings, keep=not dry_run
        )
    return AcceptedAnswer(part.id, stands.findings, left_out, stands.outdated)
