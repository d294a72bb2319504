"""Which rules are meant: by code, by the beginning of a code, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest
from llmwiki.lint.finding import Finding, RuleSummary, Severity
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


def fails(
    findings: Iterable[Finding], rules: Mapping[str, Rule | RuleSummary], fail_on: str
) -> bool:
    """Whether a finding is at least as bad as `fail_on`, one of FAIL_ON."""
    if fail_on == NEVER:
        return False
    least = Severity[fail_on.upper()]
    return any(severity_of(finding, rules) >= least for finding in findings)


def severity_of(finding: Finding, rules: Mapping[str, Rule | RuleSummary]) -> Severity:
    """How bad a finding is: as its rule says, if it does not say so itself."""
    return rules[finding.code].severity if finding.severity is None else finding.severity


def _unknown(rules: Sequence[Rule], word: str) -> InputError:
    known = [key for rule in rules for key in (rule.code, rule.name, *rule.was)]
    asked = word.upper() if word[:2].upper() == "WK" else word.lower()
    near = nearest(asked, known)
    return InputError(
        f"no rule has the code or name `{word}`",
        fix=(f"Did you mean {near[0]}? " if near else "") + "`wiki lint --list` names them all.",
    )
