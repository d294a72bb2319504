"""Writes docs/rules.md from the rules of lint.

usage: python docs/make_rules.py
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from llmwiki.lint.rule import Rule
from llmwiki.lint.rules import RULES
from llmwiki.lint.select_rules import example_files, example_lines

PLACE = Path(__file__).with_name("rules.md")

_HEAD = """# Rules of lint

What `wiki lint` looks for. `wiki lint --explain CODE` prints one of these, and
`<!-- wiki: ignore=CODE -->` at the end of a line silences a rule there;
[lint.md](lint.md#silencing) has the other ways. This file is made by
`python docs/make_rules.py`; a test compares it with the program.

An error is damage or a danger, a warning something to mend, a note something to know; `--fix`
mends some of it. `wiki lint --list` lists them all. In an
example `-` marks the lines that the rule fires on and `+` what stands there instead in the nearest
text that it leaves alone; a line `…` stands for others that are the same in both.
"""

_NEAR = 1
"""Lines that are the same in both and shown before and behind those that differ."""

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
    shown_in: dict[str, str] = {}
    for family, members in families.items():
        parts.append(f"## {_capital(family)}\n")
        for rule in members:
            parts.append(f"### {rule.code} {rule.name}\n\n{_summary(rule)}\n")
            if shown := "\n\n".join(_examples(rule, shown_in)):
                parts.append(f"<details><summary>Example</summary>\n\n{shown}\n\n</details>\n")
    return "\n".join(parts)


def _summary(rule: Rule) -> str:
    fix = ", `--fix`" if rule.fixable else ""
    return f"**{rule.severity.word}**{fix}: {rule.meaning}\n\n{rule.mending}"


def _examples(rule: Rule, shown_in: dict[str, str]) -> Iterator[str]:
    """Each file of a rule's example: as it is where it is the same in both, else what differs.

    `shown_in` has each file that was shown as it is, and the heading that it stands under.
    """
    bad, good = example_files(rule.bad), example_files(rule.good)
    for path in sorted({*bad, *good}):
        if path not in bad and good[path] in bad.values():
            old = next(each for each, text in bad.items() if text == good[path])
            yield f"`{path}` instead of `{old}`."
            continue
        if path not in good and bad[path] in good.values():
            continue
        before = example_lines(bad[path]) if path in bad else []
        after = example_lines(good[path]) if path in good else []
        if not good or before == after:
            text = f"`{path}`:\n\n{_fenced('markdown', before)}"
            heading = f"{rule.code} {rule.name}"
            place = shown_in.setdefault(text, heading)
            above = f"`{path}`: as in [{place.split()[0]}](#{_anchor(place)})."
            yield text if place == heading else above
        else:
            yield f"`{path}`:\n\n{_fenced('diff', list(_differences(before, after)))}"


def _differences(before: list[str], after: list[str]) -> Iterator[str]:
    groups = difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_NEAR)
    end = 0
    for group in groups:
        if group[0][1] > end:
            yield "…"
        for tag, low, high, first, last in group:
            if tag == "equal":
                yield from (f"  {line}".rstrip() for line in before[low:high])
                continue
            yield from (f"- {line}".rstrip() for line in before[low:high])
            yield from (f"+ {line}".rstrip() for line in after[first:last])
        end = group[-1][2]
    if end < len(before):
        yield "…"


def _fenced(language: str, lines: list[str]) -> str:
    runs = (len(run) for line in lines for run in re.findall(r"`{3,}", line))
    fence = "`" * (max(runs, default=2) + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def _contents(families: Mapping[str, Sequence[Rule]]) -> str:
    rows = ["| family | codes | about |", "| --- | --- | --- |"]
    for family, members in families.items():
        link = f"[{_capital(family)}](#{_anchor(family)})"
        codes = f"{members[0].code} to {members[-1].code}"
        rows.append(f"| {link} | {codes} | {_ABOUT[family]} |")
    return "\n".join(rows) + "\n"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    PLACE.write_text(render(), "utf-8")
