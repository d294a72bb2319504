"""OpenDocument files, zipped or as one flat file: their parts, and what they say of themselves."""

from __future__ import annotations

import re

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.archive import Archive, locked
from llmwiki.sources.converters.safe_xml import DocumentParts, blocks, local, part

CONTENT = "content.xml"
STYLES = "styles.xml"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"

_META = "meta.xml"
_MANIFEST = "META-INF/manifest.xml"
_TYPE = b"application/vnd.oasis.opendocument."
_FLAT = re.compile(
    rb'<office:document\s[^<>]{0,20000}?office:mimetype\s{0,9}=\s{0,9}"([^"]{0,99})"'
)


class _Flat:
    """One XML file that holds what an archive has in several."""

    names = frozenset({CONTENT, STYLES, _META})

    def __init__(self, data: bytes, kind: str) -> None:
        self.kind = kind
        self._data = data

    def read(self, name: str) -> bytes:
        """The whole file, whichever part is asked for."""
        del name
        return self._data

    def broken(self, why: str) -> InputError:
        """The refusal of a file that is not what it should be."""
        return InputError(
            f"{self.kind} is broken ({why})", fix="Open it in its own program and save it again."
        )


def open_parts(data: bytes, kind: str, body: str) -> DocumentParts:
    """The parts of an OpenDocument file of a sort, `text`, `spreadsheet` or `presentation`.

    `kind` names it in messages. Raises InputError for what is encrypted, broken or of another
    sort, PolicyError for what would unpack to too much.
    """
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        flat = _Flat(data, kind)
        found = _FLAT.search(data[:40_000])
        if found is None or not found[1].startswith(_TYPE + body.encode()):
            raise flat.broken("it is a file of something else")
        return flat
    archive = Archive(data, kind)
    _refuse_locked(archive)
    said = archive.read("mimetype") if "mimetype" in archive.names else b""
    if not said.startswith(_TYPE + body.encode()):
        raise archive.broken("it is an archive of something else")
    return archive


def facts(parts: DocumentParts) -> list[str]:
    """What the document says of itself: `Author:` and `Modified:` lines, as far as it does.

    The author is who began it.
    """
    said: dict[str, str] = {}
    if _META in parts.names:
        for node in blocks(parts, _META, f"{OFFICE}meta"):
            said.setdefault(local(node), " ".join((node.text or "").split())[:300])
    author = said.get("initial-creator") or said.get("creator", "")
    date = said.get("date") or said.get("creation-date", "")
    lines = (("Author: ", author), ("Modified: ", date.partition(".")[0]))
    return [label + value for label, value in lines if value]


def _refuse_locked(archive: Archive) -> None:
    """The directory stays readable under a password; the manifest says which parts do not."""
    if _MANIFEST not in archive.names:
        return
    if any(
        local(node) == "encryption-data" for node in part(archive, _MANIFEST, doctype=True).iter()
    ):
        raise locked(archive.kind)
