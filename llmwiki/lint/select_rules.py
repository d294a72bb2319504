"""Which rules are meant, by code, beginning or name; and what is known of one, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest
from llmwiki.lint.findings import Severity

if TYPE_CHECKING:
    from llmwiki.lint.rule import Rule

_BETWEEN = re.compile(r"[\s,]+")
NEVER = "never"
FAIL_ON: tuple[str, ...] = (*(s.word for s in sorted(Severity, reverse=True)), NEVER)
"""What may make a lint fail, the worst first."""


def words(told: Iterable[str]) -> tuple[str, ...]:
    """The words of lists such as `WK101,WK2 orphan`, in their order."""
    return tuple(word for each in told for word in _BETWEEN.split(each) if word)


def names_of(rules: Iterable[Rule]) -> dict[str, str]:
    """Each code and each name, also of what is part of a rule now, in lower case, to its code."""
    return {key.lower(): rule.code for rule in rules for key in (rule.code, rule.name, *rule.was)}


def find(rules: Sequence[Rule], word: str) -> Rule:
    """The one rule of this code or name. Raises InputError, with what may have been meant."""
    code = names_of(rules).get(word.lower())
    if code is None:
        raise _unknown(rules, word)
    return next(rule for rule in rules if rule.code == code)


def matching(rules: Sequence[Rule], told: Iterable[str]) -> frozenset[str]:
    """The codes that words mean: codes, their beginnings (`WK1`), names.

    Raises InputError for a word that means none.
    """
    named = names_of(rules)
    found: set[str] = set()
    for word in words(told):
        if code := named.get(word.lower()):
            found.add(code)
            continue
        begun = [rule for rule in rules if rule.code.startswith(word.upper())]
        if not begun:
            raise _unknown(rules, word)
        found.update(rule.code for rule in begun)
    return frozenset(found)


def chosen(
    rules: Sequence[Rule], select: Iterable[str] = (), ignore: Iterable[str] = ()
) -> frozenset[str]:
    """The codes of the rules to run: those selected, or all, without those ignored.

    Raises InputError for a word that means no rule.
    """
    selected = matching(rules, select) or frozenset(r.code for r in rules)
    return selected - matching(rules, ignore)


def _unknown(rules: Sequence[Rule], word: str) -> InputError:
    known = [key for rule in rules for key in (rule.code, rule.name, *rule.was)]
    asked = word.upper() if word[:2].upper() == "WK" else word.lower()
    near = nearest(asked, known)
    return InputError(
        f"no rule has the code or name `{word}`",
        fix=(f"Did you mean {near[0]}? " if near else "") + "`wiki lint --list` names them all.",
    )


EXAMPLE = "wiki/concepts/Example.md"
"""The path of an example that is one text."""
_WIDTH, _HEIGHT = 160, 24
"""Characters and lines of an example that are shown."""


def as_text(rule: Rule) -> str:
    """A rule for a terminal."""
    lines = [
        f"{rule.code} {rule.name}",
        f"{rule.severity.word}, {rule.family}" + (", mended by --fix" if rule.fixable else ""),
        "",
        rule.meaning,
        rule.mending,
    ]
    for title, path, text in _examples(rule):
        if text is None:
            lines += ["", f"{title}: without {path}."]
        else:
            lines += ["", f"{title}, {path}:", *(f"    {line}" for line in example_lines(text))]
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


def _examples(rule: Rule) -> Iterator[tuple[str, str, str | None]]:
    """All files of what is bad; of what is good those that are others there.

    Each with "Bad" or "Good", its path and its text, None where it is gone.
    """
    bad, good = example_files(rule.bad), example_files(rule.good)
    for path, text in bad.items():
        yield "Bad", path, text
    for path, text in good.items():
        if bad.get(path) != text:
            yield "Good", path, text
    for path in bad:
        if good and path not in good:
            yield "Good", path, None


def example_files(example: str | Mapping[str, str]) -> Mapping[str, str]:
    """The files of an example, by path in order; none of an empty one."""
    if isinstance(example, str):
        return {EXAMPLE: example} if example else {}
    return dict(sorted(example.items()))


def example_lines(text: str) -> list[str]:
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
