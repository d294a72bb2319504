"""What a model or an agent judges: the rules by name; `judge/` makes their findings.

No rule here runs in a plain lint: their findings come with `wiki lint --llm` alone.
"""

from __future__ import annotations

from llmwiki.lint.rule import told_elsewhere

OVERCLAIM = told_elsewhere(
    "WK801 warning claim-says-more-than-quote",
    "The claim holds words that none of its quotes supports, in the judgement of a model "
    "or an agent: it says “always steeped at 80 degrees”, and the quote “steeped at 80 degrees”. "
    "That a quote stands in its source does not make the claim true. Found with `--llm` only.",
    "Say no more than the quotes do, or ingest a source that says the rest.",
)
CONTRADICTION = told_elsewhere(
    "WK802 warning judged-contradiction",
    "Two claims cannot both hold of one subject, at one time and in one scope, in the "
    "judgement of a model or an agent: steeped for two minutes, and for four. Found with `--llm` "
    "only.",
    "Read the quotes of both: give them their scope or date, or record the contradiction.",
)
OUTDATED = told_elsewhere(
    "WK803 note outdated-claim",
    "A newer claim says what holds now, and nothing marks the old one as superseded, in "
    "the judgement of a model or an agent: version 2 is the newest, and version 3 came out. Found "
    "with `--llm` only.",
    "Mark the old claim as superseded by the newer, or date both.",
)
MISSING = told_elsewhere(
    "WK804 note missing-knowledge",
    "The page lacks what other claims clearly say of its subject, or nothing explains a "
    "name it uses much, in the judgement of a model or an agent: three pages tell how green tea is "
    "steeped, and the page on green tea does not. Found with `--llm` only.",
    "Ingest a source that says it, or link the page to the claims that do.",
)
NOT_JUDGED = told_elsewhere(
    "WK805 note not-judged",
    "With `--llm`, some pages with claims were not judged: no model was there, the limit "
    "of `--max-cost` was reached, or a call failed. What is not judged is not found to be right.",
    "Run `wiki lint --llm` again, with a model and a higher limit; what is judged already "
    "costs nothing. Or let an agent judge: `wiki lint --prepare`.",
)
