"""Writes docs/rules.md from the rules of lint.

usage: python docs/make_rules.py
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from llmwiki.lint.explain import examples, summary
from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES

PLACE = Path(__file__).with_name("rules.md")

_HEAD = """# Rules of lint

What `wiki lint` looks for. `wiki lint --explain CODE` prints one of these, and
`<!-- wiki: ignore=CODE -->` at the end of a line silences a rule there;
[ci.md](ci.md#silencing-a-rule) has the other ways. This file is made by
`python docs/make_rules.py`; a test compares it with the program.

An error is damage or a danger, a warning something to mend, a note something to know. Where an
example is one text it is a page, `wiki/concepts/Example.md`. Of an example of several files, "Good"
shows those that differ from "Bad".
"""

_ABOUT = {
    "structure": "frontmatter, types, titles, names, ids, footnotes, the catalogue",
    "links": "links that lead nowhere or to several pages, pages to which none leads",
    "evidence": "quotes beside the bytes of their sources, ledgers",
    "knowledge": "claims that contradict, repeat, age or were replaced",
    "history": "the log and the sources beside the commits",
    "memory and skills": "notes and dates; the standard for skills of agents",
    "safety": "secrets, hidden text, instructions to a model, addresses and HTML that do harm",
    "judgement": "what a model or an agent says of claims, with `--llm`",
    "lint itself": "comments that silence nothing",
}
"""What the rules of each family are about."""


def render(rules: Iterable[Rule] = RULES) -> str:
    """The whole of docs/rules.md."""
    rules = sorted(rules, key=lambda rule: rule.code)
    families = {name: list(each) for name, each in groupby(rules, key=lambda rule: rule.family)}
    parts = [_HEAD, _contents(families)]
    for family, members in families.items():
        parts += [f"## {_capital(family)}\n", _table(members)]
        for rule in members:
            was = ", ".join(f"`{each}`" for each in rule.was if each.startswith("WK"))
            also = f"\n\nIt answers to {was} too." if was else ""
            parts.append(f"### {rule.code} {rule.name}\n\n{summary(rule)}{also}\n")
            if shown := examples(rule):
                parts.append(f"<details><summary>Example</summary>\n\n{shown}\n\n</details>\n")
    return "\n".join(parts)


def _contents(families: Mapping[str, Sequence[Rule]]) -> str:
    rows = ["| family | codes | about |", "| --- | --- | --- |"]
    for family, members in families.items():
        link = f"[{_capital(family)}](#{_anchor(family)})"
        codes = f"{members[0].code} to {members[-1].code}"
        rows.append(f"| {link} | {codes} | {_ABOUT[family]} |")
    return "\n".join(rows) + "\n"


def _table(rules: Iterable[Rule]) -> str:
    rows = ["| code | name | severity | `--fix` |", "| --- | --- | --- | --- |"]
    for rule in rules:
        link = f"[{rule.code}](#{_anchor(f'{rule.code} {rule.name}')})"
        fix = "yes" if rule.fixable else ""
        rows.append(f"| {link} | {rule.name} | {rule.severity.word} | {fix} |")
    return "\n".join(rows) + "\n"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
