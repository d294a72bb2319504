"""An answer without a model: the statements that answer, quoted as they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.text import normalise
from llmwiki.pages.links import scan
from llmwiki.query.ask import CheckedAnswer
from llmwiki.query.citations import CheckedStatement, CitedPassage, of_passage
from llmwiki.query.offline import TOGETHER, answer
from llmwiki.query.statements import GAP, AnswerStatement
from llmwiki.retrieval.weights import SCALE
from llmwiki.version import OFFLINE

if TYPE_CHECKING:
    from llmwiki.retrieval.context import Context

UNSURE = "No sure answer:"
"""The same where passages come near: one of them may hold the answer in other words."""
_NO_WORDS = re.compile(
    r"(?:\[(?=!))?!\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)(?:\]\([^()\n]{0,1000}\))?"
    r"|!\[\[[^\[\]\n]{0,300}\]\]"
    r"|\{\{[<%][^{}]{0,500}\}\}|\{%[^{}]{0,500}\}"
)
"""Pictures and what a site generator would replace: `{{< note >}}`, `{% include x %}`."""
_CALLOUT = re.compile(r"(?:\A|(?<=\s))> \[![\w-]{1,40}\][+-]?(?=\s|\Z)")
_MARGIN = re.compile(r"(?:\A|(?<=\s))>(?=\s|\Z)")


def quoted(context: Context) -> CheckedAnswer:
    """The answer that a context holds. Where it holds none, what is missing and what is near."""
    found = answer(context)
    statements = tuple(_quote(of_passage(shown.passage)) for shown in found.quotes)
    return CheckedAnswer(
        context.question,
        statements or (CheckedStatement(_gap(context, found.missing), (), ()),),
        OFFLINE,
        nearest=tuple(of_passage(shown.passage) for shown in found.nearest),
    )


def _quote(cited: CitedPassage) -> CheckedStatement:
    # The passage that is cited stays as it is.
    text = readable(cited.text)
    if cited.kind == "source":
        text = _in_words(text)
    said = AnswerStatement("sentence", "- ", True, text, scan(cited.handle))
    return CheckedStatement(said, (cited,), ())


def readable(text: str) -> str:
    """What a person reads of a passage; the whole of one that is nothing but pictures."""
    return normalise(_NO_WORDS.sub(" ", text)) or text


def _in_words(text: str) -> str:
    """Lines of a source without its own links, which lead nowhere here and would be taken for
    citations, and without the marks of callouts."""
    if _CALLOUT.search(text):
        text = normalise(_MARGIN.sub("", _CALLOUT.sub("", text)))
    for link in reversed(scan(text)):
        words = link.label or link.target.rpartition("/")[2] or link.heading
        text = text[: link.start] + words + text[link.end :]
    return text


def _gap(context: Context, missing: tuple[str, ...]) -> AnswerStatement:
    """That nothing answers; where passages hold as much of the question as an answer must, that
    none does for sure."""
    what = f"no page speaks of {', '.join(missing[:8])}" if missing else "no statement answers this"
    is_near = context.coverage >= TOGETHER * SCALE
    return AnswerStatement("gap", "", True, f"{UNSURE if is_near else GAP} {what}.", ())
