"""Rules about lint itself: what a page says is to be ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from llmwiki.core.text import nearest
from llmwiki.lint import ignores
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import Rule, page_rule
from llmwiki.lint.select import names_of
from llmwiki.lint.view import PageView
from llmwiki.lint.wording import bounded, short


def _unknown(view: PageView, names: Mapping[str, str]) -> Iterator[RuleHit]:
    yield from bounded(
        RuleHit(
            line,
            f"The comment “wiki: {short(said)}” is no ignore, so it silences nothing",
            column=column,
            mend="Write `<!-- wiki: ignore=CODE -->`, or `ignore-file=CODE` for the whole page.",
            about=short(said),
        )
        for line, column, said in ignores.misspelt(view.text)
    )
    for ignore in ignores.read(view.text, names):
        for word in ignore.unknown:
            near = nearest(word[:_LONGEST], sorted(names))
            yield RuleHit(
                ignore.at,
                f"There is no rule `{_shown(word)}` to ignore",
                column=ignore.column,
                mend=f"Did you mean {_shown(near[0])}?" if near else "",
                about=word,
            )


_CODE = re.compile(r"wk\d{1,9}")
_LONGEST = 60
"""Characters of a word that are compared with the names of rules."""


def _shown(word: str) -> str:
    """A code in capitals, as everywhere; a name as it is."""
    return word.upper() if _CODE.fullmatch(word) else word


def rules_of_ignores(others: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rule about comments that silence rules; `others` are all other rules."""
    names = names_of(others)

    @page_rule(
        "WK902 warning unused-ignore",
        was="WK903 unknown-ignore",
        bad="# Tea\n\nTea is made of leaves. <!-- wiki: ignore=unused-ignor -->\n",
        good="# Tea\n\nTea is made of leaves. <!-- wiki: ignore=unused-ignore -->\n",
    )
    def unused_ignore(view: PageView) -> Iterator[RuleHit]:
        """A comment on the page ignores a rule that does not exist, or is misspelt, so that it does
        nothing; or, a note, a rule that finds nothing there, which is looked for when all rules
        run.

        Write the code or the name of a rule; `wiki lint --list` names them all. Remove the comment
        that is no longer needed, or the code in it.
        """
        # What is left over is known only when all rules have run: `ignores.needless` says it.
        return _unknown(view, names)

    names.update(names_of((unused_ignore,)))
    return (unused_ignore,)
