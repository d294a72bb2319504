"""All rules, in the order of their codes."""

from __future__ import annotations

from llmwiki.lint.engine.evaluation import relations_of
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import (
    aliases,
    evidence,
    graph,
    history,
    judgement,
    knowledge,
    links,
    memory,
    safety,
    skills,
    structure,
    upkeep,
)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *structure.RULES,
            *links.RULES,
            *evidence.RULES,
            *aliases.RULES,
            *knowledge.RULES,
            *history.RULES,
            *memory.RULES,
            *skills.RULES,
            *safety.RULES,
            *graph.RULES,
            *judgement.RULES,
            *upkeep.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
RELATIONS = relations_of(RULES)
