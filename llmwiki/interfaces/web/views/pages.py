"""The front page, pages, lists of pages, search, and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from llmwiki.app.query import QueryOptions
from llmwiki.app.show.page_html import PageText, rendered, shown
from llmwiki.core.errors import InputError, WikiError
from llmwiki.core.page_and_note_kinds import LOG, MEMORY, OVERVIEW, PAGE_KINDS
from llmwiki.core.settings_precedence import OFFLINE
from llmwiki.core.text import cut, normalise
from llmwiki.interfaces.web.site import addresses, asked, checked, named, number, of_commit

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.public_types import CitedPassage, QueryResult, ReaderPage
    from llmwiki.interfaces.web.site import Site

LISTED = 200
"""Pages of one part of a list."""
FOUND, MOST_FOUND = 10, 50
"""Pages that a search shows, and how many where more are asked for."""
_COUNTS = re.compile(r"(?ms)^## What is here\n.*?(?=^## |\Z)")
_PREVIEW = 320
"""Characters of a page that are shown before it is opened."""


def home(site: Site, request: Request) -> Response:
    """What the wiki is about, how much it holds, and what happened last."""
    at = asked(request, "at") or None

    def make() -> Response:
        front = site.wiki.front(at)
        overview = _overview(site, at)
        to = addresses(request)
        kinds = [(kind, front.types.get(kind.name, 0)) for kind in PAGE_KINDS]
        return site.page(
            request,
            "home.html",
            front=front,
            kinds=[pair for pair in sorted(kinds, key=lambda pair: pair[0].listed) if pair[1]],
            body=rendered(_without_counts(overview.shown), to).html if overview else "",
            section="home",
            waiting=() if at else site.wiki.reviews(),
        )

    return make() if not at else site.kept(request, make, at=at)


def _without_counts(text: PageText) -> PageText:
    """The overview without how many pages there are, which the view says with links."""
    return replace(text, body=_COUNTS.sub("", text.body))


def _overview(site: Site, at: str | None) -> ReaderPage | None:
    try:
        return site.wiki.read_page(OVERVIEW, at=at)
    except InputError:
        return None


@of_commit
def page(site: Site, request: Request, at: str | None) -> Response:
    """A page by its path."""
    path = f"wiki/{named(request)}"
    if path.endswith(".md"):
        return RedirectResponse(addresses(request).page(path), 303)
    return _page(site, request, f"{path}.md", at)


def _page(site: Site, request: Request, name: str, at: str | None) -> Response:
    reading = site.wiki.read_page(name, at=at)
    to = addresses(request)
    broken = reading.facts.broken
    own = None if broken else reading.page.own_source
    return site.page(
        request,
        "page.html",
        reading=reading,
        entry=reading.entry,
        body=rendered(reading.shown, to),
        elsewhere=rendered(reading.elsewhere, to).html,
        own=own,
        date="" if broken else reading.page.value("date"),
        generated="" if broken else reading.page.marks.by,
        steps=site.wiki.log(limit=100, page=reading.entry.path).operations if at else (),
        section={MEMORY: "memory", LOG: "log"}.get(reading.entry.path, ""),
    )


@of_commit
def page_by_name(site: Site, request: Request, at: str | None) -> Response:
    """A page by any of its names: title, alias, claim, or a path outside of wiki/."""
    name = named(request)
    is_path = not name.startswith("wiki/") and "/" in name
    reading = site.wiki.read_page(f"{name}.md" if is_path else name, at=at)
    path = reading.entry.path
    if not path.startswith("wiki/"):
        return _page(site, request, path, at)
    claim = name.rpartition("#^")[2].lstrip("^")
    fragment = claim if claim.startswith(("c-", "n-")) else ""
    return RedirectResponse(addresses(request).page(path, fragment), 303)


def page_by_file(site: Site, request: Request) -> Response:
    """A page by its file, as the graph's page names those beside it."""
    del site
    return RedirectResponse(addresses(request).page(f"{named(request)}.md"), 303)


@of_commit
def markdown(site: Site, request: Request, at: str | None) -> Response:
    """A page as it stands in its file."""
    text = site.wiki.read_page(named(request), at=at).page.text
    return PlainTextResponse(text.encode("utf-8", "surrogateescape"))


@of_commit
def picture(site: Site, request: Request, at: str | None) -> Response:
    """A picture of the repository."""
    kind, data = site.wiki.picture(named(request), at=at)
    return Response(data, media_type=kind, headers={"content-security-policy": "sandbox"})


@of_commit
def preview(site: Site, request: Request, at: str | None) -> Response:
    """A page in a few words, for who points at a link."""
    reading = site.wiki.read_page(f"{named(request)}.md", at=at)
    page = reading.page
    text = reading.entry.description or normalise(page.lead)
    if not text and page.claims:
        text = page.claims[0].text
    said = {"title": reading.entry.title, "kind": reading.entry.type, "text": text}
    return JSONResponse({key: shown(cut(value, _PREVIEW)) for key, value in said.items()})


@of_commit
def listing(site: Site, request: Request, at: str | None) -> Response:
    """The pages of one type."""
    kind = next((each for each in PAGE_KINDS if each.name == named(request, "kind")), None)
    if kind is None:
        raise InputError("there are no such pages", where=named(request, "kind"))
    found = site.wiki.listing(kind.name, start=number(request, "start"), limit=LISTED, at=at)
    entries = found.entries if kind.name != "daily" else tuple(reversed(found.entries))
    return site.page(
        request,
        "listing.html",
        kind=kind,
        found=found,
        rows=entries,
        step=LISTED,
        section=kind.name,
    )


def search(site: Site, request: Request) -> Response:
    """The pages that words lead to."""
    words, kind, at = asked(request, "q"), asked(request, "kind"), asked(request, "at") or None
    names = [each.name for each in PAGE_KINDS]
    found = None
    if words:
        limit = MOST_FOUND if number(request, "more") else FOUND
        narrowed = f"{words} type:{kind}" if kind in names else words
        found = site.wiki.search(narrowed, limit=limit, at=at)
    return site.page(
        request,
        "search.html",
        words=words,
        kind=kind,
        kinds=PAGE_KINDS,
        found=found,
        section="search",
        more=found is not None and len(found.rows) == FOUND,
    )


# --- a question, and its answer with citations that open ------------------------------------


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
        is_quoted=model == OFFLINE,
        numbers={each.place: number for number, each in enumerate(cited, start=1)},
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
