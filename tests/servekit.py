"""The web view asked without a socket, and a wiki for it."""

from __future__ import annotations

import asyncio
import html
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from wikikit import NOTE, Wiki, answer, claim

import llmwiki
from llmwiki.interfaces.web.request_checks import Admission, local_names
from llmwiki.interfaces.web.server import application
from llmwiki.interfaces.web.site import Site

GREEN = "Green tea is steeped at 80 degrees for two minutes."
BLACK = "Black tea is steeped at 95 degrees for four minutes."
PORT = 4242
HOST = f"127.0.0.1:{PORT}"


def grow(wiki: Wiki) -> None:
    """Two pages that link each other, each with a claim on one source."""
    claims = [claim("Green tea", GREEN, lines=(5, 5)), claim("Black tea", BLACK, lines=(6, 6))]
    wiki.learn("raw/tea.md", NOTE, answer(claims))


@dataclass
class Answer:
    """What the view answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def words(self) -> str:
        """What a reader sees of it, in one line."""
        bare = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", self.text, flags=re.DOTALL)
        return " ".join(html.unescape(bare).split())


@dataclass
class Visitor:
    """A browser that has shown the token."""

    wiki: llmwiki.Wiki
    read_only: bool = False
    admission: Admission = field(init=False)

    def __post_init__(self) -> None:
        self.admission = Admission(
            PORT,
            local_names("127.0.0.1"),
            any_address=False,
            read_only=self.read_only,
            token="right",
            form_token="form",
        )
        self.app = application(Site(self.wiki, self.admission, has_person=True))

    def ask(
        self, target: str, method: str = "GET", body: bytes = b"", **headers: str | None
    ) -> Answer:
        """An answer; a header that is None is left out."""
        given = {"host": HOST, "cookie": f"wiki-{PORT}=right", "origin": None, **headers}
        path, _, query = target.partition("?")
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (name.replace("_", "-").encode(), value.encode("latin-1"))
                for name, value in given.items()
                if value is not None
            ],
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
        }
        said: list[dict[str, Any]] = []
        waiting = [body]

        async def receive() -> dict[str, Any]:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        asyncio.run(self.app(scope, receive, send))
        start = said[0]
        found = {k.decode(): v.decode("latin-1") for k, v in start["headers"]}
        whole = b"".join(each.get("body", b"") for each in said[1:])
        return Answer(start["status"], found, whole)

    def get(self, target: str) -> Answer:
        """A view, which must be there."""
        found = self.ask(target)
        assert found.status == 200, (target, found.status, found.text[-800:])
        return found
