"""Which file a page lives in: the file name is the title, made safe for every disk and link.

Obsidian resolves `[[Title]]` by file name, git keeps bytes, Windows and macOS fold case, and an
agent takes `Claude.md` in any folder for instructions. So a name is drawn from the title by an
allow-list, is unique in the whole vault when case is folded, and is never a reserved one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from llmwiki.core.agent_file_names import AGENT_STEMS
from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import PAGE_KINDS
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import LONGEST_NAME, fold, normalise, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LISTED = 8
"""Pages that are listed of those that bear one name."""
MAX_STEM_BYTES = 200
"""Of a file name without `.md`, in UTF-8; disks allow 255, sync tools and archives less."""

SHARED_OUT_ABOVE = 20_000
"""Pages of a type beyond which new ones lie in 256 folders: each commit stores the list of names of
a folder anew, 60 bytes a page before it is packed. Links name no folder, so none changes."""

_FOLDERS = {kind.name: f"wiki/{kind.folder}".rstrip("/") for kind in PAGE_KINDS}
_UNTITLED = frozenset(kind.name for kind in PAGE_KINDS if not kind.is_titled)

_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin", "conout"))
_RESERVED = frozenset(("index", "log", "overview", "memory", "readme")) | AGENT_STEMS | _DEVICES
INDEX_PART = r"index-(?:[a-z0-9]|other)"
"""The file name, without its ending, of a part of a large wiki's index: see `Entry.shard`."""
YEAR_PART = r"index-[0-9]{4}"
"""The same of a part that lists days; a page of another kind may have such a name of old."""
# Parts of the catalogue and the log of a past year, and the numbered Windows devices.
_RESERVED_SHAPE = lazy_pattern(rf"{INDEX_PART}|{YEAR_PART}|log-\d{{4}}|(?:com|lpt)[0-9¹²³]")

# Refused by a disk, or active inside `[[…]]` in Obsidian or on GitHub.
_MARKDOWN = re.compile(r"\.(?=md\Z)", re.IGNORECASE)
_FORBIDDEN = lazy_pattern(
    r'(?:[/\\:*?"<>|#^\[\]`$~]|\.{2,})+|={2,}|%{2,}|&(?=#?\w+;)|(?<=[Ww]{3})\.'
    r"|\A\.+|[. ]{1,500}\Z|[\ue000-\uf8ff\ufdd0-\ufdef]+"
)


def folder_of(kind: str) -> str:
    """The folder that holds the pages of a type, from the wiki's root: `wiki/concepts`.

    Raises InputError for a type that is none of `KINDS`.
    """
    try:
        return _FOLDERS[kind]
    except KeyError:
        raise InputError(
            f"`{kind}` is not a page type", fix=f"Use one of: {', '.join(sorted(_FOLDERS))}."
        ) from None


def stem_of(path: str) -> str:
    """The file's name without folder and ending."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def name_key(stem: str) -> str:
    """The form in which two file names are one on a disk that folds case and accents' encoding."""
    if stem.isascii():
        return stem.lower()
    folded = unicodedata.normalize("NFD", stem).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded).casefold())


def is_reserved(stem: str) -> bool:
    """Whether a file of this name means something to this program, to agents or to Windows.

    What counts is the part before the first dot, for `CLAUDE.local.md` is read by agents too and
    `con.x.md` is a device.
    """
    head = name_key(stem).partition(".")[0].rstrip(" ")
    return head in _RESERVED or _RESERVED_SHAPE.fullmatch(head) is not None


def file_name(title: str) -> str:
    """The stem of the file for a title: NFC, at most 200 bytes, forbidden characters as `-`.

    So is the dot of a `.md` at its end: `[[large.md]]` leads to `large.md`, not to `large.md.md`.

    It may be reserved or taken: `page_path` sees to that. Raises InputError for an empty title.
    """
    plain = "".join(
        c for c in normalise(title)[:LONGEST_NAME] if unicodedata.category(c) not in {"Cf", "Cs"}
    )
    text = unicodedata.normalize("NFC", plain)
    text = "".join("-" if _is_nameless(c) else c for c in normalise(text))
    text = text.rstrip(". ") or text
    stem = _MARKDOWN.sub("-", _FORBIDDEN.sub("-", text))
    if not stem:
        raise InputError("a page needs a title with at least one visible character")
    return _cut(stem, MAX_STEM_BYTES)


def page_path(kind: str, title: str, taken: Callable[[str], bool], held: int = 0) -> str:
    """The path for a new page: `wiki/concepts/Self-attention.md`; where the wiki has `held` pages
    of the type, and they are many, `wiki/concepts/3f/Self-attention.md`.

    `taken` is asked with `name_key(stem)` whether any page of the vault, in whatever folder, has
    that name. A reserved or taken name gets ` (entity)` or ` (concept)`, then ` (2)`, ` (3)` ….
    Raises InputError for an empty title and for a type that has no titled pages.
    """
    folder = folder_of(kind)
    if kind in _UNTITLED:
        raise InputError(f"a {kind} page is not named by its title")
    stem = file_name(title)
    if is_reserved(stem):
        # What follows a dot never frees a name (`con.txt (2)` is a device), so the dot goes.
        stem = stem.replace(".", "-", 1)
    candidate, number = stem, 1
    while is_reserved(candidate) or taken(name_key(candidate)):
        suffix = f" ({kind})" if number == 1 else f" ({number})"
        candidate = _cut(stem, MAX_STEM_BYTES - len(suffix)) + suffix
        number += 1
    if held > SHARED_OUT_ABOVE:
        folder = f"{folder}/{sha256_hex(name_key(candidate).encode())[:2]}"
    return f"{folder}/{candidate}.md"


def source_id(raw_path: str, taken: Callable[[str], bool]) -> str:
    """The id of a source, which names its ledger: `papers-attention-md` of raw/papers/Attention.md.

    Letters and digits of any script in lower case, joined by `-`; the extension always stays, so
    that a ledger never has the name of what it is about. `taken` is asked with `name_key(id)`. Of
    two paths with one id the later gets `-` and 4 hexadecimal digits of SHA-256(path), more if
    need be.
    """
    path = unicodedata.normalize("NFC", raw_path.removeprefix("raw/"))
    folder, _, name = path.rpartition("/")
    base, dot, extension = name.rpartition(".")
    if not (base and dot):
        base, extension = name, ""
    tail = f"-{kebab}" if (kebab := _kebab(extension)) else ""
    head = _kebab(f"{folder}/{base}")
    import hashlib

    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()

    tail = _cut(tail, 40)
    candidate, length = (_cut(head, MAX_STEM_BYTES - len(tail.encode())) + tail).strip("-"), 4
    while not candidate or is_reserved(candidate) or taken(name_key(candidate)):
        suffix = f"{tail}-{digest[:length]}"
        candidate = (_cut(head, MAX_STEM_BYTES - len(suffix.encode())) + suffix).strip("-")
        length += 4
    return candidate


def _kebab(text: str) -> str:
    """Letters, digits and the marks on them, in lower case; everything else is one `-`."""
    kept = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in text)
    return unicodedata.normalize("NFC", "-".join(kept.lower().split()))


def _is_nameless(character: str) -> bool:
    """Non-characters at the end of each plane, and the private planes."""
    code = ord(character)
    return code & 0xFFFE == 0xFFFE or code >= 0xF0000


def _cut(stem: str, limit: int) -> str:
    """At most `limit` bytes of UTF-8, ending in a whole character, never in a dot or a blank."""
    data = stem.encode("utf-8")
    if len(data) <= limit:
        return stem
    end = len(data[:limit].decode("utf-8", "ignore"))
    # A cut before a combining mark would leave another character than the title has.
    while end > 1 and unicodedata.combining(stem[end]):
        end -= 1
    return stem[:end].rstrip(". ")


def several_pages(name: str, paths: Sequence[str]) -> InputError:
    """What is raised for a name that several pages bear; it lists the first of them."""
    more = f" and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    fix = f"Name one: {', '.join(paths[:_LISTED])}{more}."
    return InputError(f"{len(paths)} pages bear this name", where=name, fix=fix)


# --- pages of one title --------------------------------------------------------------------------


def namesakes(pages: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each page, given as path and title, whose title others have too, what tells it apart.

    Its folder where no other of them lies in one of that name, else the name of its file, else the
    whole path below wiki/; case does not count in titles.
    """
    titled: dict[str, list[str]] = {}
    for path, title in pages:
        titled.setdefault(fold(title), []).append(path)
    marks: dict[str, str] = {}
    for folded, paths in titled.items():
        if len(paths) < 2:
            continue
        known = {path: _marks(path, folded) for path in paths}
        counts = Counter(mark for found in known.values() for mark in found)
        marks |= {
            path: next((mark for mark in found if counts[mark] == 1), found[-1])
            for path, found in known.items()
        }
    return marks


def told_apart(title: str, mark: str | None) -> str:
    """A title with what `namesakes` says of its page, `Notes (club)`; None: nobody shares it."""
    return f"{title} ({mark})" if mark else title


def _marks(path: str, title: str) -> list[str]:
    """What may tell a page apart, the shortest first."""
    whole = path.removeprefix("wiki/").removesuffix(".md")
    folder = whole.rpartition("/")[0].rpartition("/")[2]
    stem = stem_of(path)
    return [mark for mark in (folder, stem) if mark and fold(mark) != title] + [whole]
