"""The tools `web_search` and `web_fetch`: there where the user's own settings allow them.

Connections are opened by `sources.web.fetch`, which asks no place of this machine or of a private
network; the one exception is a search server that the user's own settings name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from llmwiki.chat.tools.registry import ToolContext
from llmwiki.core.errors import InputError, ProviderError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted
from llmwiki.core.tool import Effect, Tool, ToolAnswer, tool
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


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search found."""

    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class SearchProvider:
    """A service that searches the web."""

    url: str
    """What is asked; empty: the user's settings name it."""
    words: str
    """The parameter that holds the words."""
    parameters: Mapping[str, str | int]
    rows: Callable[[Mapping[str, Any]], Iterator[FoundPage]]
    """The pages of an answer; raises KeyError, TypeError or AttributeError for another shape."""
    key: str = ""
    """The variable of the environment that holds the key; empty: it needs none."""
    header: tuple[str, str] = ("", "")
    """The header that carries the key, and what stands before the key."""
    posts: bool = False
    """Whether the parameters are sent as JSON."""


def _listed(title: str, url: str, text: str, *path: str) -> Any:
    """A reader of answers that hold a list of objects at `path`."""

    def rows(data: Mapping[str, Any]) -> Iterator[FoundPage]:
        found: Any = data
        for name in path:
            found = found[name]
        for row in found:
            yield FoundPage(str(row[title]), str(row[url]), str(row.get(text) or ""))

    return rows


def _instant(data: Mapping[str, Any]) -> Iterator[FoundPage]:
    """The pages of an answer of DuckDuckGo, which names topics and not all pages of the web."""
    if data.get("AbstractURL"):
        yield FoundPage(str(data["Heading"]), str(data["AbstractURL"]), str(data["AbstractText"]))
    groups = data["RelatedTopics"]
    for topic in [each for group in groups for each in group.get("Topics", [group])]:
        yield FoundPage(str(topic["Text"]).partition(" - ")[0], topic["FirstURL"], topic["Text"])


PROVIDERS: Mapping[str, SearchProvider] = {
    "brave": SearchProvider(
        "https://api.search.brave.com/res/v1/web/search",
        "q",
        {"count": MAX_ROWS},
        _listed("title", "url", "description", "web", "results"),
        "BRAVE_API_KEY",
        ("X-Subscription-Token", ""),
    ),
    "duckduckgo": SearchProvider(
        "https://api.duckduckgo.com/", "q", {"format": "json", "no_html": 1}, _instant
    ),
    "perplexity": SearchProvider(
        "https://api.perplexity.ai/search",
        "query",
        {"max_results": MAX_ROWS},
        _listed("title", "url", "snippet", "results"),
        "PERPLEXITY_API_KEY",
        ("Authorization", "Bearer "),
        posts=True,
    ),
    "searxng": SearchProvider(
        "", "q", {"format": "json"}, _listed("title", "url", "content", "results")
    ),
}


def search_tool(name: str, url: str, env: Mapping[str, str]) -> Tool:
    """The tool that searches with a provider. `url`, where it is not empty, is asked in place of
    the provider's own. Raises InputError where the provider, its address or its key is missing."""
    provider = PROVIDERS.get(name)
    if provider is None:
        named = ", ".join(PROVIDERS)
        raise InputError(f"chat.web_search is {name[:40]!r}; it may be {named}, or empty")
    if not url and not provider.url:
        raise InputError(
            f"chat.web_search is {name}, and nothing says where that is",
            fix="chat.web_search_url in your own configuration names its address.",
        )
    key = env.get(provider.key, "")
    if provider.key and not key:
        raise InputError(f"chat.web_search is {name}, which needs {provider.key}")

    def preview(_by: ToolContext, words: str) -> str:
        refuse([words[:MAX_WORDS]], allowed=(), what="what is searched for", where="web_search")
        return words[:MAX_WORDS]

    @tool("web_search", effect="web", preview=preview, origin="web")
    def run(by: ToolContext, words: str) -> ToolAnswer:
        """Search the web; gives titles, addresses and a few words of each page."""
        found = _found(provider, url, key, preview(by, words))
        rows = [f"- {_line(row.title)} <{_line(row.url)}>\n  {_line(row.text)}" for row in found]
        return ToolAnswer("\n".join(rows) or "nothing was found", counted(len(rows), "page"))

    return run


def _found(provider: SearchProvider, url: str, key: str, words: str) -> list[FoundPage]:
    from llmwiki.sources.web.fetch import FetchLimits, WebRequest, fetch

    parameters = {**provider.parameters, provider.words: words}
    headers = [("Accept", "application/json")]
    if provider.key:
        headers.append((provider.header[0], provider.header[1] + key))
    body = json.dumps(parameters).encode() if provider.posts else None
    place = url or provider.url
    address = parse_address(place if body else f"{place}?{urlencode(parameters)}")
    request = WebRequest(tuple(headers), body, is_users_own=bool(url))
    reply = fetch(address, FetchLimits(MAX_REPLY, SECONDS, redirects=0), request)
    try:
        rows = provider.rows(json.loads(reply.data))
        return [row for row, _ in zip(rows, range(MAX_ROWS), strict=False)]
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
    from llmwiki.sources.document import read_document
    from llmwiki.sources.web.fetch import FetchLimits, fetch
    from llmwiki.sources.web.page import page_bytes, page_path

    address = _sendable(url)
    page = fetch(address, FetchLimits(MAX_PAGE, SECONDS))
    path = page_path(address, page)
    lines = read_document(path, page_bytes(path, page)).lines
    return ToolAnswer("\n".join([page.url, *lines]), counted(len(lines), "line"))
