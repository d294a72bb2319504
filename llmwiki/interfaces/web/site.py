"""What all views share: the wiki, who may ask, the templates, the addresses of views."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from llmwiki.app.show.page_html import shown
from llmwiki.core.errors import InputError, LockTimeout, PolicyError, StateError, WikiError
from llmwiki.core.text import counted
from llmwiki.version import __version__

if TYPE_CHECKING:
    from starlette.requests import Request

    from llmwiki.app.public_types import Claim, Entry, Evidence
    from llmwiki.app.wiki import Wiki
    from llmwiki.interfaces.web.request_checks import Admission


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of views, all of the same commit."""

    at: str = ""
    """The commit that is looked at, as it was named; empty: the wiki as it is."""

    def _to(self, path: str, *, fragment: str = "", **query: object) -> str:
        named = {key: str(value) for key, value in query.items() if value not in ("", None, 0)}
        if self.at:
            named["at"] = self.at
        asked = f"?{urlencode(named)}" if named else ""
        place = f"#{quote(fragment)}" if fragment else ""
        return quote(path, safe="/", errors="replace") + asked + place

    def page(self, path: str, fragment: str = "") -> str:
        """Of a page, by its path."""
        plain = path.removesuffix(".md")
        if plain.startswith("wiki/"):
            return self._to(f"/{plain}", fragment=fragment)
        return self._to(f"/page/{plain}", fragment=fragment)

    def markdown(self, path: str) -> str:
        """Of a page as Markdown."""
        return self._to("/markdown/" + path)

    def named(self, name: str) -> str:
        """Of a page by any of its names."""
        return self._to(f"/page/{name}")

    def source(self, ident: str, line: int = 0, claim: str = "", number: int = 0) -> str:
        """Of a source's text, at a line, with what a claim quotes marked."""
        fragment = f"L{line}" if line else ""
        return self._to(f"/source/{ident}", fragment=fragment, claim=claim, quote=number)

    def quoted(self, claim: Claim, evidence: Evidence) -> str:
        """Of a source at the place where a claim's quote stands."""
        number = claim.evidence.index(evidence) + 1
        return self.source(evidence.source, max(1, evidence.first), claim.id, number)

    def file(self, ident: str, place: str = "") -> str:
        """Of a source's file; `place` is where in it: `p. 12`."""
        page = re.search(r"p\. (\d+)", place)
        return self._to(f"/file/{ident}", fragment=f"page={page[1]}" if page else "").replace(
            "#page%3D", "#page="
        )

    def picture(self, path: str) -> str:
        """Of a picture of the repository, by its path from the root."""
        return self._to(f"/picture/{path}")

    def why(self, what: str) -> str:
        """Of the story of a claim, or of all claims of a page."""
        return Addresses()._to(f"/why/{what}")

    def history(self, path: str) -> str:
        """Of a page's history."""
        return Addresses()._to("/history/" + path)

    def change(self, commit: str) -> str:
        """Of what one commit changed."""
        return f"/change/{quote(commit)}"

    def kind(self, kind: str, start: int = 0) -> str:
        """Of the list of pages of a type."""
        return self._to(f"/pages/{kind}", start=start)

    def search(self, words: str = "", kind: str = "", *, more: bool = False) -> str:
        """Of a search; `more` shows more pages."""
        return self._to("/search", q=words, kind=kind, more=int(more))

    def view(self, name: str) -> str:
        """Of a view without a subject: `log`, `graph` …"""
        return self._to(f"/{name}")

    def entry(self, entry: Entry, fragment: str = "") -> str:
        """Of a page that is listed."""
        return self.page(entry.path, fragment)


View = Callable[["Site", "Request"], Response]
HERE = Path(__file__).parent
_LONGEST_NAME = 500
_STATUS: tuple[tuple[type[WikiError], int], ...] = (
    (InputError, 404),
    (StateError, 409),
    (PolicyError, 403),
    (LockTimeout, 503),
)


def status_of(error: WikiError) -> int:
    """The status of an answer that tells an error."""
    return next((code for kind, code in _STATUS if isinstance(error, kind)), 502)


@dataclass
class Site:
    """One wiki as a web site."""

    wiki: Wiki
    admission: Admission
    has_person: bool = False
    """Whether a person started the server, in a terminal."""
    writing: threading.Lock = field(default_factory=threading.Lock)
    """Held while something is written."""
    _drawing: threading.Lock = field(default_factory=threading.Lock)
    _graph: tuple[str, bytes] = ("", b"")

    @cached_property
    def templates(self) -> Environment:
        """The templates: every value is escaped, and freed of what controls or turns text."""
        found = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: (
                shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
            ),
            auto_reload=False,
        )
        found.globals |= {
            "site": self.wiki.root.name,
            "read_only": self.admission.read_only,
            "form_token": self.admission.form_token,
            "version": __version__,
            "counted": counted,
            "with_code": with_code,
        }
        return found

    def end(self, seconds: float) -> None:
        """Waits for so long until nothing is being written."""
        if self.writing.acquire(timeout=seconds):
            self.writing.release()

    def page(self, request: Request, template: str, code: int = 200, **values: Any) -> Response:
        """A view as HTML."""
        # A view that tells an error brings its own: what was asked for may be no name.
        to = values["to"] if "to" in values else addresses(request)
        values["to"] = to
        values.setdefault("words", "")
        values.setdefault("section", "")
        values["now"] = Addresses()
        if to.at:
            values.setdefault("here", quote(request.url.path))
        text = self.templates.get_template(template).render(values)
        return HTMLResponse(text.encode("utf-8", "replace"), code)

    def drawn(self, at: str | None, draw: Callable[[], bytes]) -> bytes:
        """The graph of a commit, which is drawn once: it takes seconds in a large wiki."""
        commit = self.wiki.commit_at(at)
        with self._drawing:
            if self._graph[0] != commit:
                self._graph = commit, draw()
            return self._graph[1]

    def model(self) -> str:
        """The model that would answer; empty where there is none that can be called."""
        try:
            return self.wiki.model_at_hand()
        except WikiError:
            return ""

    def kept(
        self, request: Request, make: Callable[[], Response], *, at: str | None = None
    ) -> Response:
        """What a view of a commit answers: nothing new, where the browser has it already."""
        commit = self.wiki.commit_at(at)
        asked = f"{__version__} {self.admission.form_token} {commit} {request.url.path}"
        tag = f'"{sha256(f"{asked}?{request.url.query}".encode()).hexdigest()[:32]}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"etag": tag})
        answer = make()
        if answer.status_code == 200:
            answer.headers["etag"] = tag
        return answer


def with_code(text: str) -> Markup:
    """Plain text as HTML, what stands between backticks in it as code."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:
        # The last one closes nothing.
        parts[-2:] = ["`".join(parts[-2:])]
    return Markup().join(
        Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts)
    )


def of_commit(view: Callable[[Site, Request, str | None], Response]) -> View:
    """A view of the commit that is asked for: a browser that has it gets nothing new."""

    def answered(site: Site, request: Request) -> Response:
        at = asked(request, "at") or None
        return site.kept(request, lambda: view(site, request, at), at=at)

    return answered


def of_head(view: View) -> View:
    """The same of one that shows HEAD, whatever commit is asked for."""
    return lambda site, request: site.kept(request, lambda: view(site, request))


def addresses(request: Request) -> Addresses:
    """The addresses of views of the commit that a request asks for."""
    return Addresses(asked(request, "at"))


def asked(request: Request, name: str) -> str:
    """A value of the query, one line; empty where there is none."""
    return checked(request.query_params.get(name, ""))


def named(request: Request, name: str = "name") -> str:
    """What a part of the path names."""
    return checked(str(request.path_params[name]))


def checked(value: str) -> str:
    """A value of a request, if it can be a name. Raises InputError."""
    text = " ".join(value.split())
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise InputError(f"a name has 1 to {_LONGEST_NAME} characters in one line")
    if ".." in text.split("/"):
        raise InputError("leads out of the wiki", where=text)
    return text


def number(request: Request, name: str) -> int:
    """A number of the query, from 0; 0 where it is none."""
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
