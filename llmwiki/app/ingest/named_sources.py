"""The sources that an ingest names: in the work tree, outside, piped in, or on the web."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from llmwiki.core.agent_file_names import harmless
from llmwiki.core.document import PIPED, SourceOrigin
from llmwiki.core.errors import InputError, PolicyError, StateError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.landing.clock_and_typed_days import clock
from llmwiki.landing.settings_files import user_file
from llmwiki.sources.source_file import NamedSource

if TYPE_CHECKING:
    from collections.abc import Collection, Container

    from llmwiki.git.repository import Repository
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.sources.web.allowed_address import WebAddress
    from llmwiki.sources.web.fetch import FetchedPage


class SourceStream(NamedTuple):
    """A source that lies in no file: standard input, or bytes in memory."""

    name: str
    """The file name it gets below raw/."""
    stream: IO[bytes]


def named_sources(
    wiki: OpenWiki,
    paths: Sequence[str],
    stream: SourceStream | None,
    limit: int,
    below: Path | None = None,
) -> list[NamedSource]:
    """The sources of files and folders, and of a stream, of which `limit` bytes are read.

    Files `below` a folder outside keep their path in it. Raises what `sources.find` does, and
    InputError for a stream whose name is none of a source.
    """
    named = [] if stream is None else [_streamed(wiki, stream, limit)]
    if paths:
        there = _found(wiki, paths, below)
        from llmwiki.sources.raw_paths import as_on_disk

        own = {os.path.realpath(as_on_disk(wiki.here / path)) for path in paths}
        named += [
            replace(each, origin=_origin(wiki.repo, each), is_named=str(each.file) in own)
            for each in there
        ]
    return named


def _origin(repo: Repository, found: NamedSource) -> SourceOrigin | None:
    from llmwiki.sources.source_file import place_of

    if found.inside or found.refused or found.file is None:
        return None
    return SourceOrigin(place_of(found.file, repo.root, repo.top))


def is_document(item: NamedSource) -> bool:
    """Whether it is of a kind that is read, by its ending; and what cannot be a source says why."""
    from llmwiki.sources.formats import is_read

    return is_read(item.path) or (item.file is not None and item.refused is not None)


def _streamed(wiki: OpenWiki, source: SourceStream, limit: int) -> NamedSource:
    from llmwiki.sources.raw_paths import is_source

    path = f"raw/{source.name}"
    if "/" in source.name or not is_source(path):
        raise InputError("not a name for a source", where=source.name, fix="Such as notes.md")
    data = source.stream.read(limit + 1)
    path = _free_name(wiki, harmless(path), data)
    return NamedSource(path, None, data=data, origin=SourceOrigin(PIPED))


def _found(wiki: OpenWiki, files: Sequence[str], below: Path | None) -> list[NamedSource]:
    """The sources that are named. Raises what `expand` does, and says so where a sparse checkout
    leaves out what was named."""
    from llmwiki.sources.find_sources import expand
    from llmwiki.sources.raw_paths import is_source
    from llmwiki.sources.source_file import place_of

    repo = wiki.repo
    left_out = repo.left_out("raw")
    for name in files:
        place = Path(os.path.normpath(wiki.here / name))
        path = place.relative_to(repo.root).as_posix() if place.is_relative_to(repo.root) else ""
        hidden = [each for each in left_out if path and f"{each}/".startswith(f"{path}/")]
        if hidden and not os.path.lexists(place):
            if repo.layout.is_bare:
                raise StateError(
                    "a bare repository has no file to read",
                    where=name,
                    fix="Name a file outside of it, or run the command in a clone.",
                )
            raise StateError(
                "the sparse checkout leaves it out",
                where=name,
                fix=f"Run `git sparse-checkout add {shlex.quote(path)}`, or name other sources.",
            )
    head = repo.head()

    def copy_of(file: Path) -> str:
        if file.is_relative_to(repo.root / "raw"):
            return ""
        wiki.state.follow()
        path = wiki.state.copy_from(place_of(file, repo.root, repo.top))
        return path if is_source(path) else ""

    found = expand(repo.root, files, wiki.here, taken=left_out, below=below, copies=copy_of)
    return [_refused(repo, head, each) for each in found]


def _refused(repo: Repository, head: str | None, found: NamedSource) -> NamedSource:
    """The source, refused where a commit holds it under a name in another normal form."""
    if found.path.isascii() or not found.inside or found.refused or found.file is None:
        return found
    spelled = found.file.relative_to(repo.root).as_posix()
    if spelled == found.path or repo.entry(head, spelled) is None:
        return found
    error = InputError(
        "is committed under a name that is not in Unicode's normal form C",
        where=found.path,
        fix=f"Rename it: git mv {shlex.quote(spelled)} {shlex.quote(found.path)}",
    )
    return replace(found, refused=error)


def _free_name(wiki: OpenWiki, path: str, data: bytes) -> str:
    """The path, or one beside it where other bytes lie there already, of which these are no later
    version."""
    from llmwiki.sources.open_and_hash import sha256_file

    repo = wiki.repo
    place = repo.root / path
    digest = hashlib.sha256(data).hexdigest()
    held = repo.read_left_out(path)
    there = hashlib.sha256(held).hexdigest() if held is not None else ""
    # Of a name that no folder can hold this says no, where `Path` would raise.
    if os.path.exists(place):  # noqa: PTH110
        there = sha256_file(place)
    if there in ("", digest) or _is_later_version(wiki, path, data):
        return path
    stem, dot, ending = path.rpartition(".")
    return f"{stem}-{digest[:4]}.{ending}" if dot else f"{path}-{digest[:4]}"


def _is_later_version(wiki: OpenWiki, path: str, data: bytes) -> bool:
    """Whether what lies there came by a stream too, and the texts share at least half their words:
    the one who names a text may well give another the same name."""
    from llmwiki.core.language.search_terms import words

    repo = wiki.repo
    wiki.state.follow()
    known = wiki.state.ledger_of(path)
    if known is None or not any(s.id == known.stem and s.origin == PIPED for s in known.sources):
        return False
    held = repo.read(repo.head(), path) or b""
    old, new = (set(words(text.decode("utf-8", "replace"))) for text in (held, data))
    return 2 * len(old & new) >= len(old | new)


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
    the web, PolicyError where nobody allows to use the network, and for an address that holds a
    secret.
    """
    from llmwiki.sources.web.allowed_address import parse_address

    addresses = {address.url: address for address in map(parse_address, words)}
    if addresses and not is_allowed:
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
    from llmwiki.sources.web.fetch import fetch
    from llmwiki.sources.web.fetched_page import page_bytes

    day = datetime.fromtimestamp(clock(), UTC).strftime("%Y-%m-%d")
    origin = SourceOrigin(address.url, day)
    try:
        page = fetch(address, limit)
        path = _path(wiki, address, page, taken)
        taken.add(path)
        return NamedSource(path, None, data=page_bytes(path, page), origin=origin)
    except WikiError as error:
        return NamedSource(address.url, None, origin=origin, refused=error)


def _path(wiki: OpenWiki, address: WebAddress, page: FetchedPage, taken: Container[str]) -> str:
    """The file of the page: that of its last version, or one that is free."""
    from llmwiki.sources.web.fetched_page import FOLDER, page_bytes, page_path

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
