"""What a rule is: one function with its documentation, mended by another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from llmwiki.lint.findings import Finding, RuleSummary, Severity
from llmwiki.lint.vault_and_archive_folders import VaultKinds, told

if TYPE_CHECKING:
    from llmwiki.lint.page_view import PageView
    from llmwiki.lint.quoted_texts import Texts
    from llmwiki.lint.whole_wiki_view import LintedWiki

Example = str | Mapping[str, str]
"""A page (`wiki/concepts/Example.md`), or files by path."""
Check = Callable[..., Iterable[Finding]]
"""Takes a page, a page and the texts it quotes, or the wiki, and gives what is wrong there."""
Subject = Literal["page", "sources", "wiki", "judge"]
_SUBJECTS: Mapping[tuple[str, ...], Subject] = {
    ("view",): "page",
    ("view", "texts"): "sources",
    ("wiki",): "wiki",
}
"""The parameters of a check to what it looks at."""


class FixContext(NamedTuple):
    """What a fix may look at besides its page."""

    wiki: LintedWiki
    texts: Texts


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


@dataclass(frozen=True)
class Rule(RuleSummary):
    """One rule."""

    of: Subject = "judge"
    """What it looks at. Of a page, alone or with its texts, what it finds is kept as long as their
    bytes do not change; of the wiki it asks rows of all pages, the history, or files. The findings
    of a judge are made elsewhere."""
    check: Check = lambda *_: ()
    """What is wrong with such a one; of one page without its path."""
    bad: Example = ""
    """An example it fires on; empty where that takes more than files: then the tests make one."""
    good: Example = ""
    """The nearest example it does not fire on."""
    fix: Fix | None = None
    """What `--fix` does; None: it is for a person to mend."""
    of_history: bool = False
    """Whether it looks at the commits, and does not run where they are not all there."""

    def findings(self, *subject: Any, path: str = "") -> Iterator[Finding]:
        """What it finds, told as `vault.told` has it; `path` is that of the page where it looks at
        one."""
        vaults: VaultKinds = subject[0].vaults
        if told(self.code, vaults.kind_at(path)) == "not":
            return
        for hit in self.check(*subject):
            found = hit._replace(code=self.code, path=hit.path or path)
            said = told(self.code, vaults.kind_at(found.path), found.path)
            if said == "note":
                yield found._replace(severity=Severity.NOTE)
            elif said == "rule":
                yield found


def rule(
    heading: str,
    *,
    bad: Example = "",
    good: Example = "",
    fix: Fix | None = None,
    was: str = "",
    of_history: bool = False,
) -> Callable[[Check], Rule]:
    """The rule of a check: `heading` is code, severity and name (`WK001 warning no-type`), `was`
    are codes and names of the rules that are part of it. The first paragraph of the check's
    docstring says what is wrong, the second what to do; its parameters say what it looks at."""
    code, severity, name = heading.split()

    def made(check: Check) -> Rule:
        meaning, _, mending = (check.__doc__ or "").strip().partition("\n\n")
        takes = check.__code__.co_varnames[: check.__code__.co_argcount]
        return Rule(
            code, name, Severity[severity.upper()],
            " ".join(meaning.split()), " ".join(mending.split()), fix is not None,
            tuple(was.split()), _SUBJECTS[takes], check, bad, good, fix, of_history,
        )  # fmt: skip

    return made


def rules_in(module: object) -> tuple[Rule, ...]:
    """The rules that a module holds."""
    return tuple(each for each in vars(module).values() if isinstance(each, Rule))


def example(body: str, kind: str = "concept", title: str = "Example", front: str = "") -> str:
    """A page; `front` is more lines of its frontmatter."""
    return f"---\ntype: {kind}\ntitle: {title}\n{front}---\n\n# {title}\n\n{body}"


def beside_tea(line: str) -> dict[str, str]:
    """Two pages: one that holds the line, and one on tea that it may link to."""
    tea = (
        "---\ntype: concept\ntitle: Tea\naliases: [Chai]\n---\n\n# Tea\n\n## Making\n\nPour. ^how\n"
    )
    return {"wiki/concepts/Example.md": f"# Example\n\n{line}\n", "wiki/concepts/Tea.md": tea}


_ABOUT = "description: What people brew from leaves.\n"

SOURCED = f"{_ABOUT}generated: llmwiki/0.1.0\n"
"""More lines of frontmatter: those of a page that rests on raw/tea.md."""


def recorded(sha256: str) -> str:
    """More lines of frontmatter: those of the page of raw/tea.md itself."""
    return f"{_ABOUT}source: raw/tea.md\nsha256: {sha256}\ngenerated: llmwiki/0.1.0\n"
