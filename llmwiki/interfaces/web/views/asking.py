"""A question, and its answer with citations that open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.responses import Response

from llmwiki.app.query import QueryOptions
from llmwiki.core.config import OFFLINE
from llmwiki.core.errors import WikiError
from llmwiki.interfaces.web.site import asked, checked

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.types import CheckedStatement, CitedPassage, QueryResult
    from llmwiki.interfaces.web.site import Site


@dataclass(slots=True)
class AnswerSentence:
    """A sentence, and the numbers of what it cites."""

    text: str
    numbers: list[int]
    status: str


@dataclass(slots=True)
class AnswerBlock:
    """A paragraph, heading, list item or block of code of an answer."""

    kind: str
    is_item: bool
    sentences: list[AnswerSentence] = field(default_factory=list)


def ask(site: Site, request: Request) -> Response:
    """The form, and where a question is asked the claims that answer it: no model is called."""
    return _answered(site, request, asked(request, "q"), OFFLINE)


def ask_model(site: Site, request: Request, form: Mapping[str, Sequence[str]]) -> Response:
    """The answer of the model that the settings name."""
    question = checked((list(form.get("q", ())) or [""])[0])
    with site.writing:
        return _answered(site, request, question, site.wiki.model_at_hand() or OFFLINE)


def _answered(site: Site, request: Request, question: str, model: str) -> Response:
    result: QueryResult | None = None
    failure: WikiError | None = None
    if question:
        try:
            result = site.wiki.query(question, QueryOptions(model=model))
        except WikiError as error:
            failure = error
    answer = result.answer if result else None
    cited = answer.cited if answer else ()
    return site.page(
        request,
        "ask.html",
        question=question,
        result=result,
        answer=answer,
        blocks=_blocks(answer.statements, cited) if answer else [],
        cited=[(number, each, _claim_of(each)) for number, each in enumerate(cited, start=1)],
        nearest=[(each, _claim_of(each)) for each in answer.nearest] if answer else [],
        model="" if site.admission.read_only else site.model(),
        failure=failure,
        section="ask",
    )


def _claim_of(cited: CitedPassage) -> str:
    """The id of the claim that is cited; empty where it is none."""
    found = cited.handle.partition("#^")[2].partition("|")[0].removesuffix("]]")
    return found if found.startswith(("c-", "n-")) else ""


def _blocks(
    statements: Iterable[CheckedStatement], cited: Sequence[CitedPassage]
) -> list[AnswerBlock]:
    numbers = {each.place: number for number, each in enumerate(cited, start=1)}
    blocks: list[AnswerBlock] = []
    owes_opening = False
    for checked_one in statements:
        said = checked_one.statement
        if checked_one.status == "unsupported":
            owes_opening |= said.opens
            continue
        if said.opens or owes_opening or not blocks:
            is_item = bool(said.marker) and said.kind not in ("heading", "code")
            blocks.append(AnswerBlock(said.kind, is_item))
            owes_opening = False
        found = [numbers[each.place] for each in checked_one.cited]
        blocks[-1].sentences.append(AnswerSentence(said.text, found, checked_one.status))
    return blocks
