"""All rules, in the order of their codes; and those of no family: what a judge finds, and comments
that silence rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.core.text import nearest
from llmwiki.lint import ignore_comments
from llmwiki.lint.findings import Finding, Severity, found_at, short
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import Rule, rule, rules_in
from llmwiki.lint.rules import (
    anchors,
    catalogue,
    conflicts,
    evidence,
    file_links,
    file_names,
    grammar,
    hidden_text,
    history,
    linked_pages,
    links,
    memory,
    naming,
    safety,
    skills,
    structure,
)
from llmwiki.lint.select_rules import names_of

# --- what a model or an agent judges -----------------------------------------------------------
#
# No rule here runs in a plain lint: `judge_shown_claims` makes their findings, with `--llm` alone.

OVERCLAIM = Rule(
    "WK801",
    "claim-says-more-than-quote",
    Severity.WARNING,
    "The claim holds words that none of its quotes supports, in the judgement of a model "
    "or an agent: it says “always steeped at 80 degrees”, and the quote “steeped at 80 degrees”. "
    "That a quote stands in its source does not make the claim true. Found with `--llm` only.",
    "Say no more than the quotes do, or ingest a source that says the rest.",
)
CONTRADICTION = Rule(
    "WK802",
    "judged-contradiction",
    Severity.WARNING,
    "Two claims cannot both hold of one subject, at one time and in one scope, in the "
    "judgement of a model or an agent: two minutes, and four; or one held once, and "
    "the other says what holds now. Found with `--llm` only.",
    "Read the quotes of both: give them their scope or date, record the contradiction, or mark the "
    "old claim as superseded.",
    was=("WK803", "WK804", "outdated-claim", "missing-knowledge"),
)
NOT_JUDGED = Rule(
    "WK805",
    "not-judged",
    Severity.NOTE,
    "With `--llm`, some pages with claims were not judged: no model was there, the limit "
    "of `--max-cost` was reached, or a call failed. What is not judged is not found to be right.",
    "Run `wiki lint --llm` again, with a model and a higher limit; what is judged already "
    "costs nothing. Or let an agent judge: `wiki lint --prepare`.",
)

# --- comments that silence rules ---------------------------------------------------------------

_CODE = re.compile(r"wk\d{1,9}")
_LONGEST = 60
"""Characters of a word that are compared with the names of rules."""


@rule(
    "WK902 warning unused-ignore",
    was="WK903 unknown-ignore",
    bad="# Tea\n\nTea is made of leaves. <!-- wiki: ignore=unused-ignor -->\n",
    good="# Tea\n\nTea is made of leaves. <!-- wiki: ignore=unused-ignore -->\n",
)
def unused_ignore(view: PageView) -> Iterator[Finding]:
    """A comment on the page ignores a rule that does not exist, or is misspelt, so that it does
    nothing; or, a note, a rule that finds nothing there, which is looked for when all rules run.

    Write the code or the name of a rule; `wiki lint --list` names them all. Remove the comment
    that is no longer needed, or the code in it.
    """
    # What is left over is known only when all rules have run: `ignore_comments.needless` says it.
    yield from (
        found_at(
            line,
            f"The comment “wiki: {short(said)}” is no ignore, so it silences nothing",
            column=column,
            mend="Write `<!-- wiki: ignore=CODE -->`, or `ignore-file=CODE` for the whole page.",
            about=short(said),
        )
        for line, column, said in ignore_comments.misspelt(view)
    )
    for ignore in ignore_comments.read(view, NAMES):
        for word in ignore.unknown:
            near = nearest(word[:_LONGEST], sorted(NAMES))
            yield found_at(
                ignore.at,
                f"There is no rule `{_shown(word)}` to ignore",
                column=ignore.column,
                mend=f"Did you mean {_shown(near[0])}?" if near else "",
                about=word,
            )


def _shown(word: str) -> str:
    """A code in capitals, as everywhere; a name as it is."""
    return word.upper() if _CODE.fullmatch(word) else word


# --- all of them -------------------------------------------------------------------------------

_FAMILIES = (
    structure, file_names, grammar, catalogue, links, anchors, file_links, linked_pages, evidence,
    conflicts, naming, history, memory, skills, safety, hidden_text,
)  # fmt: skip
_OTHERS = (OVERCLAIM, CONTRADICTION, NOT_JUDGED, unused_ignore)
RULES: tuple[Rule, ...] = tuple(
    sorted(
        (*(rule for family in _FAMILIES for rule in rules_in(family)), *_OTHERS),
        key=lambda rule: rule.code,
    )
)
NAMES = names_of(RULES)
"""Codes and names in lower case, those of rules that are part of another one now too, each to the
code of the rule."""
