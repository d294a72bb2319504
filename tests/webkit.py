"""A web server on loopback, which serves what a test tells it to and notes what it is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from llmwiki.sources.web import allowed_address


@dataclass
class Reply:
    """What the server says to one path."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Site:
    """The server: its pages, and the requests that came."""

    port: int
    pages: dict[str, Reply] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    """Until it is set, the path /slow says nothing."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def html(self, path: str, body: str) -> str:
        """Puts a page; its address."""
        page = f"<!doctype html><html><head><title>{path[1:]}</title></head><body>{body}</body>"
        self.pages[path] = Reply(page.encode(), headers={"Content-Type": "text/html"})
        return self.url + path


@contextmanager
def site(*, exempt: bool = True) -> Iterator[Site]:
    """A server that runs meanwhile; the program may ask it, `exempt`, though it is on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append((self.path, dict(self.headers)))
            if self.path == "/slow":
                served.release.wait(10)
                return
            reply = served.pages.get(self.path, Reply(b"no such page", 404))
            self.send_response(reply.status)
            told = {"Content-Length": str(len(reply.body)), **reply.headers}
            for name, value in told.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    before = allowed_address.exempt
    if exempt:
        allowed_address.exempt = frozenset({("127.0.0.1", served.port)})
    try:
        yield served
    finally:
        allowed_address.exempt = before
        served.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
