"""All rules, in the order of their codes."""

from __future__ import annotations

from llmwiki.lint.rule import Rule, rules_in
from llmwiki.lint.rules import (
    catalogue,
    evidence,
    file_names,
    grammar,
    history,
    ignores,
    injection,
    judgement,
    knowledge,
    links,
    markup,
    memory,
    naming,
    safety,
    skills,
    structure,
)
from llmwiki.lint.select import names_of

_FAMILIES = (
    structure, file_names, grammar, catalogue, links, evidence, knowledge, naming, history,
    memory, skills, safety, injection, markup, judgement,
)  # fmt: skip
_OTHERS = tuple(rule for family in _FAMILIES for rule in rules_in(family))
RULES: tuple[Rule, ...] = tuple(
    sorted((*_OTHERS, *ignores.rules_of_ignores(_OTHERS)), key=lambda rule: rule.code)
)
NAMES = names_of(RULES)
"""Codes and names in lower case, those of rules that are part of another one now too, each to the
code of the rule."""
