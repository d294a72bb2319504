"""Addresses of the web that an ingest names: fetched where the user lets it, each as a source."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from llmwiki.app.named_sources import NamedSource
from llmwiki.app.settings import clock, user_file
from llmwiki.core.document import SourceOrigin
from llmwiki.core.errors import PolicyError, WikiError
from llmwiki.core.secrets import refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.sources.web.address import WebAddress
    from llmwiki.sources.web.fetch import FetchedPage


def web_sources(
    wiki: OpenWiki,
    words: Sequence[str],
    limit: int,
    *,
    is_allowed: bool,
    allowed_secrets: Collection[str] = (),
) -> list[NamedSource]:
    """The pages at these addresses, of which `limit` bytes are read, each address once.

    One that cannot be fetched comes back as refused. Raises InputError for what is no address of
    the web, PolicyError where neither the command (`is_allowed`) nor the user's settings allow to
    use the network, and for an address that holds a secret.
    """
    from llmwiki.sources.web.address import parse_address

    addresses = {address.url: address for address in map(parse_address, words)}
    if addresses and not (is_allowed or wiki.config.flag("fetch.allow")):
        raise PolicyError(
            "is an address of the web, and nobody has allowed to use the network",
            where=next(iter(addresses)),
            fix=f"Add --allow-network for this once; or for good, in {user_file()}: a section"
            " [fetch] with `allow = true`.",
        )
    for address in addresses.values():
        refuse([address.url], allowed=allowed_secrets, what="the address", where=address.place)
    taken: set[str] = set()
    return [_fetched(wiki, address, limit, taken) for address in addresses.values()]


def _fetched(wiki: OpenWiki, address: WebAddress, limit: int, taken: set[str]) -> NamedSource:
    from llmwiki.sources.web.fetch import FetchLimits, fetch
    from llmwiki.sources.web.page import page_bytes

    day = datetime.fromtimestamp(clock(), UTC).strftime("%Y-%m-%d")
    origin = SourceOrigin(address.url, day)
    try:
        page = fetch(address, FetchLimits(limit))
        path = _path(wiki, address, page, taken)
        taken.add(path)
        return NamedSource(path, None, page_bytes(path, page), origin)
    except WikiError as error:
        return NamedSource(address.url, None, origin=origin, refused=error)


def _path(wiki: OpenWiki, address: WebAddress, page: FetchedPage, taken: Container[str]) -> str:
    """The file of the page: that of its last version, or one that is free."""
    from llmwiki.sources.web.page import FOLDER, page_bytes, page_path

    repo = wiki.repo
    wiki.state.follow()
    known = wiki.state.copy_from(address.url)
    path = page_path(address, page)
    if known.startswith(f"{FOLDER}/"):
        return known
    held = repo.read(repo.head(), path)
    is_other = repo.has_file(path) and held != page_bytes(path, page)
    is_taken = wiki.state.ledger_of(path) is not None or is_other or path in taken
    return page_path(address, page, is_taken=is_taken)
