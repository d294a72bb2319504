"""Writes docs/rules.md from the rules of lint.

usage: python docs/make_rules.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from llmwiki.lint.explain import as_markdown
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES

PLACE = Path(__file__).with_name("rules.md")

_HEAD = """# Rules of lint

What `wiki lint` looks for. `wiki lint --explain CODE` prints one of these; [ci.md](ci.md) says how
to run it and how to silence a rule. This file is made by `python docs/make_rules.py`; a test
compares it with the program.

An error is damage or a danger, a warning something to mend, a note something to know. Where an
example is one text it is a page, `wiki/concepts/Example.md`.
"""


def render(rules: Iterable[Rule] = RULES) -> str:
    """The whole of docs/rules.md."""
    rules = sorted(rules, key=lambda rule: rule.code)
    parts = [_HEAD, _table(rules)]
    for family, members in groupby(rules, key=lambda rule: rule.family):
        parts.append(f"## {family[0].upper()}{family[1:]}\n")
        for rule in members:
            parts.append(f"### {rule.code} {rule.name}\n\n{as_markdown(rule)}")
    return "\n".join(parts)


def _table(rules: Iterable[Rule]) -> str:
    rows = ["| code | name | severity | `--fix` |", "| --- | --- | --- | --- |"]
    for rule in rules:
        anchor = re.sub(r"[^\w\- ]", "", f"{rule.code} {rule.name}".lower()).replace(" ", "-")
        fix = "yes" if rule.fixable else ""
        rows.append(f"| [{rule.code}](#{anchor}) | {rule.name} | {rule.severity.word} | {fix} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
