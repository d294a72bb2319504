"""The status page, the findings of lint, and the graph."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from starlette.responses import Response

from llmwiki.core.page_and_note_kinds import PAGE_KINDS
from llmwiki.interfaces.web.site import of_commit

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.interfaces.web.site import Site

FINDINGS = 300
"""Findings that are shown."""
FILES = 100
"""Files of one list of the status page that are shown."""
_WAY_BACK = r'\1<a href="/">← \2</a>\3'.encode()
_HEADING = re.compile(rb"(<h1[^>]*>)(.*?)(</h1>)")
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
    return _HEADING.sub(_WAY_BACK, page, count=1)


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
