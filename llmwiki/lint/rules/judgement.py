"""What a model or an agent judges: the rules by name; `judge/` finds what breaks them.

No rule here runs in a plain lint: their findings come with `wiki lint --llm` alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from llmwiki.lint.finding import RuleHit, Severity
from llmwiki.lint.rule import OverWiki, Rule
from llmwiki.lint.wiki import WikiView


def _by_judgement(wiki: WikiView) -> Iterable[RuleHit]:
    """Nothing: no pattern finds these."""
    del wiki
    return ()


_JUDGED = OverWiki(_by_judgement, depends=())

OVERCLAIM = Rule(
    code="WK801",
    name="claim-says-more-than-quote",
    severity=Severity.WARNING,
    over=_JUDGED,
    meaning="The claim holds words that none of its quotes supports, in the judgement of a model "
    "or an agent: it says “always steeped at 80 degrees”, and the quote “steeped at 80 degrees”. "
    "That a quote stands in its source does not make the claim true. Found with `--llm` only.",
    mending="Say no more than the quotes do, or ingest a source that says the rest.",
)
CONTRADICTION = Rule(
    code="WK802",
    name="judged-contradiction",
    severity=Severity.WARNING,
    over=_JUDGED,
    meaning="Two claims cannot both hold of one subject, at one time and in one scope, in the "
    "judgement of a model or an agent: steeped for two minutes, and for four. Found with `--llm` "
    "only.",
    mending="Read the quotes of both: give them their scope or date, or record the contradiction.",
)
OUTDATED = Rule(
    code="WK803",
    name="outdated-claim",
    severity=Severity.NOTE,
    over=_JUDGED,
    meaning="A newer claim says what holds now, and nothing marks the old one as superseded, in "
    "the judgement of a model or an agent: version 2 is the newest, and version 3 came out. Found "
    "with `--llm` only.",
    mending="Mark the old claim as superseded by the newer, or date both.",
)
MISSING = Rule(
    code="WK804",
    name="missing-knowledge",
    severity=Severity.NOTE,
    over=_JUDGED,
    meaning="The page lacks what other claims clearly say of its subject, or nothing explains a "
    "name it uses much, in the judgement of a model or an agent: three pages tell how green tea is "
    "steeped, and the page on green tea does not. Found with `--llm` only.",
    mending="Ingest a source that says it, or link the page to the claims that do.",
)
NOT_JUDGED = Rule(
    code="WK805",
    name="not-judged",
    severity=Severity.NOTE,
    over=_JUDGED,
    meaning="With `--llm`, some pages with claims were not judged: no model was there, the limit "
    "of `--max-cost` was reached, or a call failed. What is not judged is not found to be right.",
    mending="Run `wiki lint --llm` again, with a model and a higher limit; what is judged already "
    "costs nothing. Or let an agent judge: `wiki lint --prepare`.",
)

RULES: tuple[Rule, ...] = (OVERCLAIM, CONTRADICTION, OUTDATED, MISSING, NOT_JUDGED)
