"""An answer without a model: the statements that answer, quoted as they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki import __version__
from llmwiki.pages.links import scan
from llmwiki.query.ask import Answered
from llmwiki.query.citations import Checked, Cited, of_passage
from llmwiki.query.offline import answer
from llmwiki.query.statements import GAP, Statement

if TYPE_CHECKING:
    from llmwiki.retrieval.context import Context

BY = f"llmwiki-offline/{__version__}"


def quoted(context: Context) -> Answered:
    """The answer that a context holds. Where it holds none, what is missing and what is near."""
    found = answer(context)
    statements = tuple(_quote(of_passage(shown.passage)) for shown in found.quotes)
    return Answered(
        context.question,
        statements or (Checked(_gap(found.missing), (), ()),),
        BY,
        nearest=tuple(of_passage(shown.passage) for shown in found.nearest),
    )


def _quote(cited: Cited) -> Checked:
    said = Statement("sentence", "- ", True, cited.text, scan(cited.handle))
    return Checked(said, (cited,), ())


def _gap(missing: tuple[str, ...]) -> Statement:
    what = f"no page speaks of {', '.join(missing[:8])}" if missing else "no statement answers this"
    return Statement("gap", "", True, f"{GAP} {what}.", ())
