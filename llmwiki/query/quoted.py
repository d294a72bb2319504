"""An answer without a model: the statements that answer, quoted as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.pages.links import scan
from llmwiki.pages.page import Claim
from llmwiki.pages.wording import qualified, spoken
from llmwiki.query.ask import CheckedAnswer
from llmwiki.query.citations import CheckedStatement, of_passage
from llmwiki.query.offline import answer
from llmwiki.query.statements import GAP, AnswerStatement
from llmwiki.version import OFFLINE

if TYPE_CHECKING:
    from llmwiki.query.passage_parts import PassagePart
    from llmwiki.retrieval.context import Context

UNSURE = "No line answers this for sure."
"""What is said above the nearest passages where none is sure to answer."""
_MEANING = frozenset({"stance", "speaker", "scope", "until"})
"""Attributes of a claim that an answer tells with it."""


def quoted(context: Context) -> CheckedAnswer:
    """The answer that a context holds. Where it holds none for sure, that is said."""
    found = answer(context)
    gap = f"{GAP} no page speaks of {', '.join(found.unknown[:8])}." if found.unknown else UNSURE
    none = CheckedStatement(AnswerStatement("gap", "", True, gap, ()), (), ())
    return CheckedAnswer(
        context.question,
        tuple(map(_quote, found.quotes)) or (none,),
        OFFLINE,
        nearest=tuple(of_passage((*part.cites, part.passage)[0]) for part in found.nearest),
    )


def _quote(part: PassagePart) -> CheckedStatement:
    # The passage that is cited stays as it is.
    text = part.text if part.passage.kind == "source" else _meant(part)
    cited = tuple(of_passage(each) for each in part.cites or (part.passage,))
    links = tuple(link for each in cited for link in scan(each.handle))
    return CheckedStatement(AnswerStatement("sentence", "- ", True, text, links), cited, ())


def _meant(part: PassagePart) -> str:
    """Words of a claim with what changes their meaning: who says them, where, and that they are
    denied."""
    passage = part.passage
    told = tuple(pair for pair in passage.attributes if pair[0] in _MEANING)
    return spoken(qualified(Claim(passage.id, part.text, (), told))) if told else part.text
