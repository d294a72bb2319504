"""The web view as an ASGI application, and the server that it runs on."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from llmwiki.core.errors import InputError, PolicyError, StateError, WikiError, reason_of
from llmwiki.interfaces.web.request_checks import Guard, form_body
from llmwiki.interfaces.web.site import HERE, Addresses, View, status_of
from llmwiki.interfaces.web.views import (
    history_and_log,
    pages,
    source_and_why,
    status_lint_graph_reviews,
)

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from llmwiki.interfaces.web.site import Site

FormView = Callable[["Site", "Request", Mapping[str, Sequence[str]]], Response]
Endpoint = Callable[["Request"], Awaitable[Response]]

_VIEWS: tuple[tuple[str, View], ...] = (
    ("/", pages.home),
    ("/search", pages.search),
    ("/pages/{kind}", pages.listing),
    ("/wiki/{name:path}", pages.page),
    ("/page/{name:path}", pages.page_by_name),
    ("/markdown/{name:path}", pages.markdown),
    ("/preview/{name:path}", pages.preview),
    ("/picture/{name:path}", pages.picture),
    ("/source/{name:path}", source_and_why.source),
    ("/file/{name:path}", source_and_why.file),
    ("/why/{what:path}", source_and_why.why),
    ("/history/{path:path}", history_and_log.history),
    ("/log", history_and_log.log),
    ("/change/{commit:path}", history_and_log.change),
    ("/graph", status_lint_graph_reviews.graph),
    ("/lint", status_lint_graph_reviews.lint),
    ("/status", status_lint_graph_reviews.status),
    ("/reviews", status_lint_graph_reviews.reviews),
    ("/review/{id}", status_lint_graph_reviews.review),
    ("/ask", pages.ask),
    ("/{name:path}.md", pages.page_by_file),
)
_FORMS: tuple[tuple[str, FormView], ...] = (
    ("/review/{id}", status_lint_graph_reviews.decide),
    ("/ask", pages.ask_model),
)


def application(site: Site) -> ASGIApp:
    """The whole view, guarded."""
    forms = () if site.admission.read_only else _FORMS
    routes = [
        *(Route(path, _asked(site, view), methods=["GET"]) for path, view in _VIEWS),
        *(Route(path, _sent(site, view), methods=["POST"]) for path, view in forms),
        Route("/favicon.ico", _icon, methods=["GET"]),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    failed = {WikiError: partial(_failed, site), HTTPException: partial(_absent, site)}
    return Guard(Starlette(routes=routes, exception_handlers=failed), site.admission)


def _asked(site: Site, view: View) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(view, site, request)

    return endpoint


def _sent(site: Site, view: FormView) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        form = status_lint_graph_reviews.form_of(await form_body(request))
        if not site.admission.knows_form("".join(form.get("form", ()))):
            raise PolicyError("the form is not of this server, which may have begun anew",
                              fix="Go back, load the page again, and repeat it.")  # fmt: skip
        return await run_in_threadpool(view, site, request, form)

    return endpoint


async def _icon(_request: Request) -> Response:
    return RedirectResponse("/static/icon.svg", 301)


async def _failed(site: Site, request: Request, error: Exception) -> Response:
    assert isinstance(error, WikiError)
    return await run_in_threadpool(_told, site, request, status_of(error), error)


async def _absent(site: Site, request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_absent = error.status_code != 413
    told = InputError("there is nothing at this address" if is_absent else error.detail)
    return await run_in_threadpool(_told, site, request, error.status_code, told)


def _told(site: Site, request: Request, status: int, error: WikiError) -> Response:
    name = str(request.path_params.get("name", ""))
    is_page = status == 404 and request.url.path.startswith(("/wiki/", "/page/"))
    near = site.wiki.nearest_pages(name) if is_page else ()
    return site.page(
        request,
        "error.html",
        status,
        status=status,
        error=error,
        near=near,
        name=name,
        to=Addresses(),
    )


# --- the server --------------------------------------------------------------------------------

LAST_WORD = 5
"""Seconds that an operation which is being written has when the server ends."""
ENDINGS = (signal.SIGINT, signal.SIGTERM)
CONNECTIONS = 200
"""Connections at one time; more are told to come again. Fewer than the files that a process may
open on any system."""
_HEAD = 32_768
"""Bytes of the head of a request."""


def listening(bind: str, port: int) -> socket.socket:
    """A socket that listens; its port is one that was free where `port` is 0. Raises StateError."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((bind.strip("[]"), port))
        sock.listen(128)
    except (OSError, OverflowError) as error:
        sock.close()
        reason = reason_of(error) if isinstance(error, OSError) else "there is no such port"
        raise StateError(
            f"cannot listen there: {reason}",
            where=f"{bind}:{port}",
            fix="Choose another --port; 0 takes one that is free.",
        ) from error
    return sock


def serve(
    site: Site, sock: socket.socket, started: Callable[[], None], ended: Callable[[int], None]
) -> None:
    """Serves until SIGINT or SIGTERM, with whose number `ended` is called: it ends the process."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    SignalledServer(site, started, ended).run(sockets=[sock])


def _config(application: ASGIApp) -> uvicorn.Config:
    """The settings of a server that bounds what a stranger can hold, and prints nothing of it."""
    return uvicorn.Config(
        application,
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=_HEAD,
        lifespan="off",
    )


class SignalledServer(uvicorn.Server):
    """Serves until SIGINT or SIGTERM, without raising it again: `ended` is told its number, and
    ends the process.

    At the end no new connection is taken, and `site` has a moment for what is being written.
    Answers are not waited for else: threads that still make others would hold an ordinary end up.
    """

    def __init__(
        self, site: Site, started: Callable[[], None], ended: Callable[[int], None]
    ) -> None:
        super().__init__(_config(application(site)))
        self._site, self._started, self._ended = site, started, ended
        self._number = 0

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends the server by a signal."""
        before = {number: signal.signal(number, self._end) for number in ENDINGS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self._number = number
        self.should_exit = True

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Begins to answer."""
        await super().startup(sockets)
        self._started()

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """Stops listening, and leaves."""
        for each in self.servers:
            each.close()
        self._site.end(LAST_WORD)
        self._ended(self._number)
