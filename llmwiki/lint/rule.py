"""What a rule is: one function with its documentation, mended by another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.lint.finding import Finding, RuleHit, RuleSummary, Severity

if TYPE_CHECKING:
    from llmwiki.lint.texts import Texts
    from llmwiki.lint.view import PageView
    from llmwiki.lint.wiki import WikiView
    from llmwiki.pages.page import Page

Example = str | Mapping[str, str]
"""A page (`wiki/concepts/Example.md`), or files by path."""
PageCheck = Callable[["PageView"], Iterable[RuleHit]]
SourceCheck = Callable[["PageView", "Texts"], Iterable[RuleHit]]
WikiCheck = Callable[["WikiView"], Iterable[RuleHit]]
Check = PageCheck | SourceCheck | WikiCheck


class FixContext(NamedTuple):
    """What a fix may look at besides its page."""

    wiki: WikiView
    texts: Texts
    stood: Callable[[Sequence[str]], bool] = lambda _paths: False
    """Whether one of these paths was a page in an earlier commit."""
    quoted: Callable[[Page], Page] = lambda page: page
    """The page with quotes of earlier commits below claims that people reworded."""


Mend = Callable[["PageView", Sequence[Finding], FixContext], str]
"""(page, what the rule found on it, ground) to the page's text mended; unchanged where in doubt."""


class WikiFix(Enum):
    """How findings are mended that no text of one page tells of."""

    RENDER = "render"
    """Files that code renders: any operation brings them in step."""
    JOIN = "join"
    """Equal claims of one page are joined, and links on other pages led on."""
    UNITE = "unite"
    """Claims of two pages with one id come to one of them."""


Fix = Mend | WikiFix


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. Exactly one of the checks is set; none of a rule whose findings a judge makes, or
    which is known once all others have run."""

    code: str
    """`WK101`; never given to another rule."""
    name: str
    """`broken-wikilink`: lower case, words joined by hyphens."""
    severity: Severity
    """How bad its findings are, those excepted that say themselves that they are milder."""
    meaning: str
    """One or two sentences: what is wrong, and why it matters."""
    mending: str
    """One or two sentences: what to do."""
    of_page: PageCheck | None = None
    """Of one page alone; what it finds is kept as long as the page's bytes do not change."""
    of_sources: SourceCheck | None = None
    """Of one page and the texts it quotes; kept as long as none of their bytes change."""
    of_wiki: WikiCheck | None = None
    """Of all pages: queries over their rows, or a function of the history or of files."""
    bad: Example = ""
    """An example it fires on; empty where that takes more than files: then the tests make one."""
    good: Example = ""
    """The nearest example it does not fire on."""
    fix: Fix | None = None
    """What `--fix` does; None: it is for a person to mend."""
    was: tuple[str, ...] = ()
    """Codes and names of rules that are part of this one now: it answers to them in what people
    select, ignore and have in a baseline."""
    of_history: bool = False
    """Whether it looks at the commits, and does not run where they are not all there."""

    @property
    def family(self) -> str:
        """`structure`, `links`, …: by the hundreds of its code."""
        return FAMILIES[self.code[2]]

    @property
    def fixable(self) -> bool:
        """Whether `--fix` may mend it."""
        return self.fix is not None

    @property
    def summary(self) -> RuleSummary:
        """What a report says of it."""
        return RuleSummary(
            self.code, self.name, self.severity, self.mending, self.fixable, self.was
        )


@dataclass(frozen=True, slots=True)
class _Documented:
    """What is told of a rule beside its check."""

    heading: str
    bad: Example
    good: Example
    fix: Fix | None
    was: str
    of_history: bool = False

    def rule(
        self,
        check: Check,
        of_page: PageCheck | None = None,
        of_sources: SourceCheck | None = None,
        of_wiki: WikiCheck | None = None,
    ) -> Rule:
        """The rule of a check, whose docstring says in a first paragraph what is wrong, in a second
        what to do."""
        code, severity, name = self.heading.split()
        meaning, _, mending = (check.__doc__ or "").strip().partition("\n\n")
        return Rule(
            code, name, Severity[severity.upper()],
            " ".join(meaning.split()), " ".join(mending.split()), of_page, of_sources, of_wiki,
            self.bad, self.good, self.fix, tuple(self.was.split()), self.of_history,
        )  # fmt: skip


def page_rule(
    heading: str, *, bad: Example = "", good: Example = "", fix: Fix | None = None, was: str = ""
) -> Callable[[PageCheck], Rule]:
    """A rule of one page: its heading is code, severity and name (`WK001 warning no-type`).

    `was` are codes and names of the rules that are part of it.
    """
    told = _Documented(heading, bad, good, fix, was)
    return lambda check: told.rule(check, of_page=check)


def source_rule(
    heading: str, *, bad: Example = "", good: Example = "", fix: Fix | None = None, was: str = ""
) -> Callable[[SourceCheck], Rule]:
    """A rule of one page and the texts it quotes; as `page_rule`."""
    told = _Documented(heading, bad, good, fix, was)
    return lambda check: told.rule(check, of_sources=check)


def wiki_rule(
    heading: str,
    *,
    bad: Example = "",
    good: Example = "",
    fix: Fix | None = None,
    was: str = "",
    of_history: bool = False,
) -> Callable[[WikiCheck], Rule]:
    """A rule of all pages; as `page_rule`."""
    told = _Documented(heading, bad, good, fix, was, of_history)
    return lambda check: told.rule(check, of_wiki=check)


def told_elsewhere(heading: str, meaning: str, mending: str) -> Rule:
    """A rule whose findings come from a judge."""
    code, severity, name = heading.split()
    return Rule(code, name, Severity[severity.upper()], meaning, mending)


def rules_in(module: object) -> tuple[Rule, ...]:
    """The rules that a module holds."""
    return tuple(each for each in vars(module).values() if isinstance(each, Rule))


FAMILIES: Mapping[str, str] = {
    "0": "structure",
    "1": "links",
    "2": "evidence",
    "3": "knowledge",
    "4": "history",
    "5": "memory and skills",
    "6": "safety",
    "8": "judgement",
    "9": "lint itself",
}
"""The third character of a code to what its rules look at."""


def example(body: str, kind: str = "concept", title: str = "Example", front: str = "") -> str:
    """A page; `front` is more lines of its frontmatter."""
    return f"---\ntype: {kind}\ntitle: {title}\n{front}---\n\n# {title}\n\n{body}"


_ABOUT = "description: What people brew from leaves.\n"

SOURCED = f'{_ABOUT}sources:\n  - "[[sources/tea-md]]"\ngenerated: llmwiki/0.1.0\n'
"""More lines of frontmatter: those of a page that rests on raw/tea.md."""


def recorded(sha256: str) -> str:
    """More lines of frontmatter: those of the page of raw/tea.md itself."""
    return f"{_ABOUT}source: raw/tea.md\nsha256: {sha256}\ngenerated: llmwiki/0.1.0\n"
