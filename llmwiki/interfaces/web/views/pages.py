"""The front page, pages, lists of pages, search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from llmwiki.app.page_html import rendered, shown
from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import LOG, MEMORY, OVERVIEW, PAGE_KINDS
from llmwiki.core.text import cut, normalise
from llmwiki.interfaces.web.site import addresses, asked, named, number

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.types import ReaderPage
    from llmwiki.interfaces.web.site import Site

LISTED = 200
"""Pages of one part of a list."""
FOUND, MOST_FOUND = 10, 50
"""Pages that a search shows, and how many where more are asked for."""
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
            body=rendered(overview.shown, to).html if overview else "",
            section="home",
            waiting=() if at else site.wiki.reviews(),
        )

    return make() if not at else site.kept(request, make, at=at)


def _overview(site: Site, at: str | None) -> ReaderPage | None:
    try:
        return site.wiki.read_page(OVERVIEW, at=at)
    except InputError:
        return None


def page(site: Site, request: Request) -> Response:
    """A page by its path."""
    at = asked(request, "at") or None
    path = f"wiki/{named(request)}"
    if path.endswith(".md"):
        return RedirectResponse(addresses(request).page(path), 303)
    return site.kept(request, lambda: _page(site, request, f"{path}.md", at), at=at)


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


def page_by_name(site: Site, request: Request) -> Response:
    """A page by any of its names: title, alias, claim, or a path outside of wiki/."""
    at = asked(request, "at") or None
    name = named(request)
    is_path = not name.startswith("wiki/") and "/" in name
    reading = site.wiki.read_page(f"{name}.md" if is_path else name, at=at)
    path = reading.entry.path
    if not path.startswith("wiki/"):
        return site.kept(request, lambda: _page(site, request, path, at), at=at)
    claim = name.rpartition("#^")[2].lstrip("^")
    fragment = claim if claim.startswith(("c-", "n-")) else ""
    return RedirectResponse(addresses(request).page(path, fragment), 303)


def markdown(site: Site, request: Request) -> Response:
    """A page as it stands in its file."""
    at = asked(request, "at") or None
    path = named(request)

    def make() -> Response:
        text = site.wiki.read_page(path, at=at).file
        return PlainTextResponse(text.encode("utf-8", "surrogateescape"))

    return site.kept(request, make, at=at)


def picture(site: Site, request: Request) -> Response:
    """A picture of the repository."""
    at = asked(request, "at") or None

    def make() -> Response:
        kind, data = site.wiki.picture(named(request), at=at)
        return Response(data, media_type=kind, headers={"content-security-policy": "sandbox"})

    return site.kept(request, make, at=at)


def preview(site: Site, request: Request) -> Response:
    """A page in a few words, for who points at a link."""
    at = asked(request, "at") or None

    def make() -> Response:
        reading = site.wiki.read_page(f"{named(request)}.md", at=at)
        page = reading.page
        text = reading.entry.description or normalise(page.lead)
        if not text and page.claims:
            text = page.claims[0].text
        said = {"title": reading.entry.title, "kind": reading.entry.type, "text": text}
        return JSONResponse({key: shown(cut(value, _PREVIEW)) for key, value in said.items()})

    return site.kept(request, make, at=at)


def listing(site: Site, request: Request) -> Response:
    """The pages of one type."""
    at = asked(request, "at") or None
    kind = next((each for each in PAGE_KINDS if each.name == named(request, "kind")), None)
    if kind is None:
        raise InputError("there are no such pages", where=named(request, "kind"))
    start = number(request, "start")

    def make() -> Response:
        found = site.wiki.listing(kind.name, start=start, limit=LISTED, at=at)
        entries = found.entries if kind.name != "daily" else tuple(reversed(found.entries))
        return site.page(
            request,
            "listing.html",
            kind=kind,
            found=found,
            entries=entries,
            step=LISTED,
            section=kind.name,
        )

    return site.kept(request, make, at=at)


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
        more=found is not None and len(found.rows) == FOUND,
    )
