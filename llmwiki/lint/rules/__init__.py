"""All rules, in the order of their codes."""

from __future__ import annotations

from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import (
    aliases,
    evidence,
    graph,
    history,
    ignores,
    judgement,
    knowledge,
    links,
    memory,
    mentions,
    overtaken,
    safety,
    skills,
    structure,
)
from llmwiki.lint.select import names_of

_OTHERS = (
    *structure.RULES,
    *links.RULES,
    *mentions.RULES,
    *evidence.RULES,
    *aliases.RULES,
    *knowledge.RULES,
    *overtaken.RULES,
    *history.RULES,
    *memory.RULES,
    *skills.RULES,
    *safety.RULES,
    *graph.RULES,
    *judgement.RULES,
)
RULES: tuple[Rule, ...] = tuple(
    sorted((*_OTHERS, *ignores.rules_of_ignores(_OTHERS)), key=lambda rule: rule.code)
)
NAMES = names_of(RULES)
"""Codes and names in lower case, each to its code."""
