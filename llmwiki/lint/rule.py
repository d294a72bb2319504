"""What a rule is: a pure function and its documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.lint.finding import RuleHit, Severity
from llmwiki.lint.relation import Group, Relation

if TYPE_CHECKING:
    from llmwiki.lint.texts import Texts
    from llmwiki.lint.view import PageView
    from llmwiki.lint.wiki import WikiView


@dataclass(frozen=True, slots=True)
class OverPage:
    """A rule that needs one page alone."""

    check: Callable[[PageView], Iterable[RuleHit]]


@dataclass(frozen=True, slots=True)
class OverGroup:
    """A rule that needs what pages say under one key; each `RuleHit` names its path."""

    relation: Relation
    check: Callable[[Group], Iterable[RuleHit]]
    settle: Callable[[RuleHit, WikiView], RuleHit | None] | None = None
    """Looks at a hit once more with the whole wiki in view: adds a suggestion, or drops it. Called
    for what is reported only, so it may cost more and may depend on other keys."""
    least: int = 1
    """Rows below which a group holds nothing to report: most have one, and are not even read."""


@dataclass(frozen=True, slots=True)
class OverSources:
    """A rule that needs one page and the texts of the sources it quotes.

    The answer is kept as long as neither the page's bytes nor those of a source change.
    """

    check: Callable[[PageView, Texts], Iterable[RuleHit]]


@dataclass(frozen=True, slots=True)
class OverWiki:
    """A rule that needs the wiki as a whole: its catalogue, its history, its links as a graph."""

    check: Callable[[WikiView], Iterable[RuleHit]]
    depends: tuple[str, ...] = ("pages",)
    """On what its answer depends: `pages` (any page), `links` (the rows of OUTGOING alone: most
    edits leave them as they are), `files` (the other files of wiki/), `raw` (files below raw/),
    `history` (the commits behind HEAD), `day` (today). Unchanged, the last answer stands."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    code: str
    """`WK101`; never given to another rule."""
    name: str
    """`broken-wikilink`: lower case, words joined by hyphens."""
    severity: Severity
    over: OverPage | OverGroup | OverSources | OverWiki
    meaning: str
    """One or two sentences: what is wrong, and why it matters."""
    mending: str
    """One or two sentences: what to do."""
    bad: str | Mapping[str, str] = ""
    """An example it fires on: a page (`wiki/concepts/Example.md`), or files by path. Empty where
    an example takes more than files; then the tests make one."""
    good: str | Mapping[str, str] = ""
    """The nearest example it does not fire on."""
    fixable: bool = False
    """Whether `--fix` may mend it; see `fixes.py`."""
    of_ours: bool = False
    """Whether it asks for what only pages of this program promise; see `foreign.py`."""
    by_choice: bool = False
    """Whether it runs only where it is selected by its code or name."""

    @property
    def family(self) -> str:
        """`structure`, `links`, …: by the hundreds of its code."""
        return FAMILIES[self.code[2]]


def rule(
    heading: str,
    over: OverPage | OverGroup | OverSources | OverWiki,
    meaning: str,
    mending: str,
    *,
    bad: str | Mapping[str, str] = "",
    good: str | Mapping[str, str] = "",
    fixable: bool = False,
    of_ours: bool = False,
    by_choice: bool = False,
) -> Rule:
    """The rule of a heading that holds code, severity and name: `WK101 warning broken-wikilink`."""
    code, severity, name = heading.split()
    said = meaning, mending, bad, good, fixable, of_ours, by_choice
    return Rule(code, name, Severity[severity.upper()], over, *said)


def finds_nothing(_wiki: WikiView) -> Iterable[RuleHit]:
    """The check of rules whose findings come from elsewhere: from a judge, or once all have run."""
    return ()


class RuleSummary(NamedTuple):
    """What a report says of a rule: kept with findings, so that no rule needs to be loaded."""

    code: str
    name: str
    severity: Severity
    mending: str
    fixable: bool


FAMILIES: Mapping[str, str] = {
    "0": "structure",
    "1": "links",
    "2": "evidence",
    "3": "knowledge",
    "4": "history",
    "5": "memory and skills",
    "6": "safety",
    "7": "graph",
    "8": "judgement",
    "9": "lint itself",
}
"""The third character of a code to what its rules look at."""
