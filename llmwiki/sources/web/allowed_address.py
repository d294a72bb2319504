"""What an address of the web says, and which places of the network may be asked at all."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from llmwiki.core.errors import InputError, PolicyError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,20})://")
_UNSAFE = re.compile("[\x00-\x20\x7f-\xa0\\\\\u2028\u2029]")
_PATH = "/%:@!$&'()*+,;=~"
_QUERY = _PATH + "?"
MAX_URL = 2_000
"""Characters of the longest address."""
PORTS = {"http": 80, "https": 443}
"""The schemes that are fetched, each with its usual port."""

_NOT_FOR_OTHERS = tuple(
    map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "fec0::/10"))
)
"""Networks that look public to some versions of Python: the host of a machine in Azure, protocols'
own (192.0.0.192 serves the machines of Oracle), withdrawn ones."""
_CARRY_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
"""Networks whose last 32 bits are an address of version 4 (RFC 6052, RFC 4291)."""

exempt: frozenset[tuple[str, int]] = frozenset()
"""Addresses and ports that are asked whatever they are. Set by tests alone, which serve their pages
on loopback: no setting, no variable and no option of the program comes here."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address that can be fetched."""

    scheme: str
    """`http` or `https`."""
    host: str
    """In ASCII, lower case; a number of version 6 without its brackets."""
    port: int
    path: str
    """Percent-encoded, with its leading slash."""
    query: str
    """Percent-encoded; empty for none."""

    @property
    def place(self) -> str:
        """The host as it stands in an address, with its port where that is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """What is asked of the host."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def url(self) -> str:
        """The whole address; two spellings of one address give the same."""
        return f"{self.scheme}://{self.place}{self.target}"


def parse_address(word: str) -> WebAddress:
    """The parts of an address; what follows `#` is left out.

    Raises InputError for an address that cannot be fetched: of another scheme, without a host,
    with a name or password in it.
    """
    scheme = _SCHEME.match(word)
    if scheme is None or scheme[1].lower() not in PORTS:
        raise _refused(word, "only addresses that begin with http:// or https:// are fetched")
    if len(word) > MAX_URL or _UNSAFE.search(word):
        raise _refused(word, f"an address has no blanks and at most {MAX_URL} characters")
    try:
        parts = urlsplit(word)
        host = _host(parts.hostname or "")
        port = PORTS[parts.scheme] if parts.port is None else parts.port
    except ValueError as error:
        raise _refused(word, "this is not an address of the web") from error
    if not host or not port:
        raise _refused(word, "the address names no host")
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "the address holds a name or a password, which would be committed with the page",
            where=parts.hostname or "",
            fix="Leave it out; what needs one is saved from the browser and ingested as a file.",
        )
    path = quote(parts.path or "/", safe=_PATH)
    return WebAddress(parts.scheme, host, port, path, quote(parts.query, safe=_QUERY))


def redirected(address: WebAddress, location: str) -> WebAddress:
    """Where a reply sends its reader. Raises InputError as `parse_address` does, and PolicyError
    for the way from https to http."""
    after = parse_address(urljoin(address.url, location.strip()))
    if address.scheme == "https" and after.scheme == "http":
        raise PolicyError(
            f"leads from https to {after.url[:200]}, which is not encrypted",
            where=address.url,
            fix="Name that address itself, if you trust it.",
        )
    return after


def is_public(address: str) -> bool:
    """Whether a number of the network belongs to the public internet.

    False for loopback, private, shared, link-local (where clouds keep the keys of their machines),
    multicast and reserved ones, in version 4 or 6, and for one of version 6 that stands for such a
    one of version 4.
    """
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _within(number)
    if inner is not None:
        return is_public(str(inner))
    return (
        number.is_global
        and not number.is_multicast
        and not number.is_reserved
        and not any(number in network for network in _NOT_FOR_OTHERS)
    )


def check_place(address: WebAddress, number: str) -> None:
    """Raises PolicyError unless that number, which the host's name stands for, may be asked."""
    if (number, address.port) in exempt or is_public(number):
        return
    named = "" if number == address.host else f"{address.host} is {number}, "
    raise PolicyError(
        f"{named}an address of this machine or of a private network, and such are not fetched",
        where=address.url,
        fix="Save the page from your browser, and ingest the file.",
    )


def _within(
    number: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | None:
    """The address of version 4 that one of version 6 stands for."""
    if isinstance(number, ipaddress.IPv4Address):
        return None
    if number.ipv4_mapped or number.sixtofour:
        return number.ipv4_mapped or number.sixtofour
    if number.teredo:
        return number.teredo[1]
    if int(number) > 1 and any(number in network for network in _CARRY_IPV4):
        return ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
    return None


def _host(name: str) -> str:
    """A host's name in ASCII. Raises ValueError where it is none."""
    if ":" in name:
        return str(ipaddress.IPv6Address(name))
    ascii_name = name if name.isascii() else name.encode("idna").decode()
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,253}", ascii_name):
        raise ValueError(name)
    return ascii_name.lower().rstrip(".")


def _refused(word: str, what: str) -> InputError:
    return InputError(
        what, where=word[:200], fix="An address is such as https://example.org/page.html"
    )
