"""What is known of a rule, as text for a terminal, a viewer or the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from llmwiki.lint.rule import Rule

EXAMPLE = "wiki/concepts/Example.md"
"""The path of an example that is one text."""
_WIDTH, _HEIGHT = 300, 40
"""Characters and lines of an example that are shown."""


def as_markdown(rule: Rule) -> str:
    """A rule as Markdown, without a heading: meaning, examples, mending, ignoring."""
    parts = [f"**{rule.severity.word}**, {rule.family}. {rule.meaning}", rule.mending]
    if rule.fixable:
        parts.append("`wiki lint --fix` mends it.")
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        for path, text in _files(example):
            parts += [f"{title}, `{path}`:", _fenced(text)]
    parts.append(f"To ignore it: `{comment(rule)}`.")
    return "\n\n".join(parts) + "\n"


def as_text(rule: Rule) -> str:
    """A rule for a terminal."""
    lines = [
        f"{rule.code} {rule.name}",
        f"{rule.severity.word}, {rule.family}" + (", mended by --fix" if rule.fixable else ""),
        "",
        rule.meaning,
        rule.mending,
    ]
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        for path, text in _files(example):
            lines += ["", f"{title}, {path}:", *(f"    {line}" for line in _lines(text))]
    lines += [
        "",
        "To ignore it, on the line or alone on the line before:",
        f"    {comment(rule)}",
        "on the whole page:",
        f"    {comment(rule, whole=True)}",
        "everywhere:",
        f'    ignore = ["{rule.code}"] under [lint] in .llmwiki.toml',
    ]
    return "\n".join(line.rstrip() for line in lines)


def as_table(rules: Iterable[Rule]) -> str:
    """All rules, a line each."""
    rows = [(r.code, r.severity.word, "fix" if r.fixable else "", r.name) for r in rules]
    return "\n".join(f"{code}  {word:7}  {fix:3}  {name}" for code, word, fix, name in rows)


def comment(rule: Rule, *, whole: bool = False) -> str:
    """What silences a rule on a line, or on a whole page."""
    return f"<!-- wiki: ignore{'-file' if whole else ''}={rule.code} -->"


def _files(example: str | Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if isinstance(example, str):
        return iter([(EXAMPLE, example)] if example else [])
    return iter(sorted(example.items()))


def _lines(text: str) -> list[str]:
    """The lines of an example, what is endless in it cut; what cannot be seen, or would act, is
    written as an escape."""
    lines = text.removesuffix("\n").split("\n")
    shown = [
        "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line[:_WIDTH])
        + (" …" if len(line) > _WIDTH else "")
        for line in lines[:_HEIGHT]
    ]
    more = len(lines) - len(shown)
    return [*shown, f"… and {more} more lines"] if more else shown


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([f"{fence}markdown", *_lines(text), fence])
