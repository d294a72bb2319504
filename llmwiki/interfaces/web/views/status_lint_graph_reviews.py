"""The status page, the findings of lint, the graph, and what waits for review with its form."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from starlette.responses import RedirectResponse, Response

from llmwiki.changes.open_reviews import quoted_file, review_pages
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.page_and_note_kinds import PAGE_KINDS
from llmwiki.interfaces.web.site import asked, checked, named, of_commit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from llmwiki.app.public_types import Review
    from llmwiki.interfaces.web.site import Site

FINDINGS = 300
"""Findings that are shown."""
FILES = 100
"""Files of one list of the status page that are shown."""
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"')


@of_commit
def graph(site: Site, request: Request, at: str | None) -> Response:
    """The graph of the wiki, in its own viewer with its own policy."""
    del request
    data = site.drawn(at, lambda: _with_way_back(b"".join(site.wiki.graph(at=at).export("html"))))
    found = _POLICY.search(data[:4000].decode("utf-8", "replace"))
    own = found[1] if found else "default-src 'none'"
    headers = {"content-security-policy": f"{own}; frame-ancestors 'none'"}
    return Response(data, media_type="text/html", headers=headers)


def _with_way_back(page: bytes) -> bytes:
    """The viewer with its heading, the wiki's name, as a link to the front page."""
    before, opening, rest = page.partition(b'<h1 dir="auto">')
    name, closing, behind = rest.partition(b"</h1>")
    link = f'<a href="/">← {name.decode()}</a>'.encode() if closing else name
    return b"".join((before, opening, link, closing, behind))


def lint(site: Site, request: Request) -> Response:
    """What is wrong in the wiki, and how to mend it."""
    result = site.wiki.lint()
    report = result.report
    findings = [finding for finding, _mark in report.worst_first()]
    shown = [
        (report.rules[code], report.severity(rows[0]).word, rows)
        for code, group in groupby(findings[:FINDINGS], key=lambda each: each.code)
        if (rows := list(group))
    ]
    return site.page(
        request,
        "lint.html",
        report=report,
        shown=shown,
        left_out=max(0, len(findings) - FINDINGS),
        section="lint",
    )


def status(site: Site, request: Request) -> Response:
    """What the wiki holds, which sources wait, and what is unfinished."""
    found = site.wiki.status()
    plurals = {kind.name: kind.plural.lower() for kind in PAGE_KINDS}
    return site.page(
        request, "status.html", status=found, plurals=plurals, most=FILES, section="status"
    )


def reviews(site: Site, request: Request) -> Response:
    """The branches that wait for review."""
    return site.page(
        request,
        "reviews.html",
        reviews=site.wiki.reviews(),
        done=asked(request, "done"),
        section="reviews",
    )


def review(site: Site, request: Request) -> Response:
    """What of one branch is left to decide."""
    found = site.wiki.review(named(request, "id"))
    return site.page(
        request,
        "review.html",
        review=found,
        groups=list(review_pages(found)),
        files={ident: quoted_file(found, ident) for ident in _quoted(found)},
        done=asked(request, "done"),
        section="reviews",
    )


def _quoted(found: Review) -> set[str]:
    claims = (each.claim for each in found.items)
    return {evidence.source for claim in claims if claim for evidence in claim.evidence}


def decide(site: Site, request: Request, form: Mapping[str, Sequence[str]]) -> Response:
    """Accepts items of a branch, or all that is left; or deletes the branch."""
    name, action = named(request, "id"), _one(form, "action")
    items = tuple(checked(each) for each in form.get("item", ()))
    if action in ("accept", "accept-all"):
        if not site.has_person and site.wiki.is_reviewed_always:
            raise PolicyError(
                'accepting needs a person, and this wiki sets `review = "always"`',
                where=name,
                fix="Start `wiki serve` in a terminal, or accept by a merge on the forge.",
            )
        _demand(items, is_all=action == "accept-all")
        with site.writing:
            done = site.wiki.accept_review(name, items)
    elif action == "reject-all":
        _demand(items, is_all=True)
        with site.writing:
            done = site.wiki.reject_review(name)
    else:
        raise InputError("is neither to accept nor to reject", where=action)
    word = "rejected" if action == "reject-all" else "accepted"
    said = urlencode({"done": f"{word} {len(done.items)}"})
    to = "/reviews" if done.dropped or not done.left else f"/review/{done.review.id}"
    return RedirectResponse(f"{to}?{said}", 303)


def _demand(items: tuple[str, ...], *, is_all: bool) -> None:
    """Without an item all is meant: that must have been said. Raises InputError."""
    if bool(items) == is_all:
        raise InputError("no item is named", fix="Go back and choose one.")


def _one(form: Mapping[str, Sequence[str]], name: str) -> str:
    return checked((list(form.get(name, ())) or [""])[0])


def form_of(body: bytes) -> dict[str, list[str]]:
    """The fields of a form. Raises InputError for what is none."""
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=2_000)
    except ValueError:
        raise InputError("this is no form") from None
