"""The tools `web_search` and `web_fetch`: there where the user's own settings allow them.

Connections are opened by `sources.web.fetch`, which asks no place of this machine or of a private
network; the one exception is a search server that the user's own settings name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError, ProviderError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted
from llmwiki.core.tool_declaration import Effect, Tool, ToolAnswer, tool
from llmwiki.sources.web.allowed_address import WebAddress, parse_address

MAX_PAGE = 10 * 1024 * 1024
MAX_REPLY = 1024 * 1024
"""Bytes of what a search server answers."""
SECONDS = 30.0
MAX_ROWS = 10
MAX_WORDS = 400
"""Characters of what is searched for."""
MAX_TEXT = 500
"""Characters of what is shown of one page that was found."""
_ADDRESS = re.compile(r"https?://[^\s<>\"']+")


class SearchServer(NamedTuple):
    """A service that searches the web."""

    url: str
    """What is asked; empty: the user's settings name it."""
    asked: Mapping[str, str | int]
    """Parameters beside the words, which are `q`."""
    rows: tuple[str, ...]
    """Where in an answer the list of pages stands, each with `title` and `url`."""
    text: str
    """What says something of one of them."""
    key: str = ""
    """The variable of the environment that holds the key; empty: it needs none."""
    header: str = ""
    """The header that carries the key."""


SERVERS: Mapping[str, SearchServer] = {
    "brave": SearchServer(
        "https://api.search.brave.com/res/v1/web/search",
        {"count": MAX_ROWS},
        ("web", "results"),
        "description",
        "BRAVE_API_KEY",
        "X-Subscription-Token",
    ),
    "searxng": SearchServer("", {"format": "json"}, ("results",), "content"),
}


def search_tool(name: str, url: str, env: Mapping[str, str]) -> Tool:
    """The tool that searches with a server. `url`, where it is not empty, is asked in place of its
    own. Raises InputError where the server, its address or its key is missing."""
    server = SERVERS.get(name)
    if server is None:
        named = ", ".join(SERVERS)
        raise InputError(f"chat.web_search is {name[:40]!r}; it may be {named}, or empty")
    if not url and not server.url:
        raise InputError(
            f"chat.web_search is {name}, and nothing says where that is",
            fix="chat.web_search_url in your own configuration names its address.",
        )
    key = env.get(server.key, "")
    if server.key and not key:
        raise InputError(f"chat.web_search is {name}, which needs {server.key}")

    def preview(_by: ToolContext, words: str) -> str:
        refuse([words[:MAX_WORDS]], allowed=(), what="what is searched for", where="web_search")
        return words[:MAX_WORDS]

    @tool("web_search", effect="web", preview=preview, origin="web")
    def run(by: ToolContext, words: str) -> ToolAnswer:
        """Search the web; gives titles, addresses and a few words of each page."""
        rows = _found(server, url, key, preview(by, words))
        return ToolAnswer("\n".join(rows) or "nothing was found", counted(len(rows), "page"))

    return run


def _found(server: SearchServer, url: str, key: str, words: str) -> list[str]:
    from llmwiki.sources.web.fetch import fetch

    address = parse_address(f"{url or server.url}?{urlencode({**server.asked, 'q': words})}")
    headers = {"Accept": "application/json"} | ({server.header: key} if key else {})
    reply = fetch(
        address,
        MAX_REPLY,
        seconds=SECONDS,
        redirects=0,
        headers=headers,
        is_users_own=bool(url),
    )
    try:
        found: Any = json.loads(reply.data)
        for name in server.rows:
            found = found[name]
        return [
            f"- {_line(str(row['title']))} <{_line(str(row['url']))}>\n"
            f"  {_line(str(row.get(server.text) or ''))}"
            for row, _ in zip(found, range(MAX_ROWS), strict=False)
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProviderError("the search server's answer is none", where=address.place) from None


def _line(text: str) -> str:
    return " ".join(re.sub(r"</?[a-z]{1,10}>", "", text).split())[:MAX_TEXT]


def _sendable(url: str) -> WebAddress:
    address = parse_address(url)
    refuse([address.url], allowed=(), what="the address", where=address.place)
    return address


def _fetch_preview(_by: ToolContext, url: str) -> str:
    from llmwiki.sources.web.fetch import check_number

    check_number(_sendable(url))
    return url


def _effect(by: ToolContext, url: str) -> Effect:
    """An address that the person typed may be asked as a search may; any other one is asked for
    each time, for what it holds goes out with it."""
    typed = " ".join(
        block.text for message in by.messages for block in message.blocks if block.origin == "typed"
    )
    named = {found.rstrip(".,;:!?)]}") for found in _ADDRESS.findall(typed)}
    return "web" if _url(url) in {_url(each) for each in named} else "visit"


def _url(word: str) -> str:
    try:
        return parse_address(word).url
    except WikiError:
        return word


@tool("web_fetch", effect="visit", effect_of=_effect, preview=_fetch_preview, origin="web")
def fetch_page(_by: ToolContext, url: str) -> ToolAnswer:
    """Read a page of the web: HTML, PDF, plain text and others."""
    from llmwiki.sources.read_source import read_document
    from llmwiki.sources.web.fetch import fetch
    from llmwiki.sources.web.fetched_page import page_bytes, page_path

    address = _sendable(url)
    page = fetch(address, MAX_PAGE, seconds=SECONDS)
    path = page_path(address, page)
    lines = read_document(path, page_bytes(path, page)).lines
    return ToolAnswer("\n".join([page.url, *lines]), counted(len(lines), "line"))
