"""An agent's findings that `wiki apply` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.cli.asking import searched
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.lint.finding import Finding
    from llmwiki.lint.judge.verdict import RejectedFinding
    from llmwiki.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """An agent's answer that was checked and kept."""

    part: str
    findings: tuple[Finding, ...]
    left_out: tuple[RejectedFinding, ...]
    outdated: int
    """Findings about what has changed since it was printed."""

    def to_json(self) -> dict[str, object]:
        """As `wiki apply --json` says it."""
        return {
            "part": self.part,
            "findings": [
                {
                    "code": each.code,
                    "path": each.path,
                    "line": each.line,
                    "message": each.message,
                    "claims": list(each.claims),
                }
                for each in self.findings
            ],
            "left_out": [{"kind": each.kind, "reason": each.reason} for each in self.left_out],
            "outdated": self.outdated,
        }

    def lines(self) -> str:
        """As `wiki apply` says it."""
        told = [
            f"{f.path}{f':{f.line}' if f.line else ''} {f.code} {f.message}" for f in self.findings
        ]
        told += [f"does not count ({each.kind}): {each.reason}" for each in self.left_out]
        found = "1 finding counts" if len(self.findings) == 1 else f"{len(self.findings)} findings"
        counts = found + ("" if len(self.findings) == 1 else " count")
        counts += f", {len(self.left_out)} do{'es' if len(self.left_out) == 1 else ''} not"
        if self.outdated:
            verb = "is" if self.outdated == 1 else "are"
            counts += f", {self.outdated} {verb} about what has changed since"
        return "\n".join([*told, f"judged    part {self.part}: {counts}; nothing is committed"])


def take_file(
    repo: Repository, name: str, data: Mapping[str, object], model: str, *, dry_run: bool
) -> AcceptedAnswer:
    """Checks and keeps an agent's answer (llmwiki.findings/1).

    Raises ModelOutputError for what is no such answer, InputError for a part that nobody printed.
    """
    from llmwiki.lint.judge.answer import FindingsFile
    from llmwiki.lint.judge.answer_store import JudgementStore
    from llmwiki.lint.judge.queue import answered
    from llmwiki.models.agent import AgentAnswer
    from llmwiki.models.task import validated

    answer = AgentAnswer(name, data).read(partial(validated, FindingsFile))
    part = JudgementStore(repo).job(answer.part)
    if part is None:
        raise InputError(
            "no part of this name was printed here, or its pages were judged since",
            where=name,
            fix="Prepare it again: wiki lint --prepare --part 1",
        )
    with searched(repo, None, False) as index:
        by = model or "agent"
        stands, left_out = answered(repo, index, part, by, answer.findings, keep=not dry_run)
    return AcceptedAnswer(part.id, stands.findings, left_out, stands.outdated)
