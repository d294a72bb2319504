"""What a vault holds beside the text of one page: its notes as a tree, pictures, embedded notes."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import fold
from llmwiki.pages.line_patterns import heading as read_heading

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.catalogue import Entry

MOST_NOTES = 2_000
"""Notes that the tree shows."""
MOST_TAGS = 40
RECENT = 8
MOST_EMBEDS = 20
"""Embedded notes of one page."""
LONGEST_EMBED = 5_000
"""Characters of one of them."""
LARGEST_PICTURE = 20_000_000
"""Bytes of a picture that is shown."""
PICTURE = re.compile(r"(?i)\.(?:png|jpe?g|gif|webp)\Z")
_EMBED = re.compile(r"!\[\[([^\[\]|\n#]{1,300})|!\[[^\[\]\n]{0,300}\]\(<?([^()<>\n]{1,300})>?\)")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)


@dataclass(frozen=True, slots=True)
class NoteFolder:
    """A folder of notes."""

    name: str
    """Empty of the root."""
    folders: list[NoteFolder] = field(default_factory=list)
    notes: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VaultNotes:
    """The notes that other tools wrote."""

    tree: NoteFolder
    count: int
    """Of all, those beyond `MOST_NOTES` included."""
    tags: tuple[tuple[str, int], ...] = ()
    """The most used tags, with how many notes have each."""
    recent: tuple[Entry, ...] = ()
    """Those whose files changed last in the work tree, newest first."""


def vault_notes(wiki: OpenWiki, state: WikiState) -> VaultNotes | None:
    """The notes outside of wiki/, of the commit that `state` is at; None where there are none."""
    entries = [each for each in state.entries() if not each.path.startswith("wiki/")]
    if not entries:
        return None
    entries.sort(key=lambda each: each.path)
    tree = NoteFolder("")
    folders = {"": tree}
    shown = entries[:MOST_NOTES]
    for each in shown:
        _folder(folders, posixpath.dirname(each.path)).notes.append(each)
    facts = state.facts([each.path for each in shown]).values()
    tags = Counter(tag for each in facts if not each.broken for tag in each.tags)
    most = sorted(tags.items(), key=lambda row: (-row[1], row[0]))[:MOST_TAGS]
    return VaultNotes(tree, len(entries), tuple(most), _recent(wiki, shown))


def _folder(folders: dict[str, NoteFolder], path: str) -> NoteFolder:
    if path not in folders:
        folders[path] = NoteFolder(posixpath.basename(path))
        _folder(folders, posixpath.dirname(path)).folders.append(folders[path])
    return folders[path]


def _recent(wiki: OpenWiki, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    times = []
    for each in entries:
        try:
            times.append((-(wiki.repo.root / each.path).stat().st_mtime, each.path, each))
        except OSError:
            continue
    return tuple(each for _time, _path, each in sorted(times, key=lambda row: row[:2])[:RECENT])


def pictures_of(wiki: OpenWiki, commit: str, page: str, body: str) -> dict[str, str]:
    """What a page calls its pictures (`![[harbor.png]]`, `![](../img/harbor.png)`), to the files
    they are in that commit: named from the page, from the root, or by file name alone."""
    named = {
        wanted
        for found in _EMBED.finditer(body)
        if PICTURE.search(wanted := unquote(found[1] or found[2]).strip())
    }
    if not named:
        return {}
    files = [path for path in wiki.repo.tree(commit) if PICTURE.search(path)]
    by_name: dict[str, list[str]] = {}
    for path in sorted(files, key=lambda each: (each.count("/"), each)):
        by_name.setdefault(fold(posixpath.basename(path)), []).append(path)
    found_files = {}
    for each in sorted(named):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(page), each))
        whole = posixpath.normpath(each.lstrip("/"))
        same = by_name.get(fold(posixpath.basename(each)), [])
        fit = [path for path in same if path in (beside, whole)] or (
            [path for path in same if fold(path).endswith(fold(whole))]
        )
        if fit:
            found_files[each] = fit[0]
    return found_files


def picture(wiki: OpenWiki, path: str, *, at: str | None = None) -> tuple[str, bytes]:
    """The media type and the bytes of a PNG, JPEG, GIF or WebP of the repository, by its path
    from the root. Raises InputError where there is none, PolicyError for one too large."""
    data = None
    if PICTURE.search(path) and not path.startswith((".", "/")):
        data = wiki.repo.read(wiki.repo.commit(at or "HEAD"), path)
    if data is None:
        raise InputError("there is no such picture", where=path)
    if len(data) > LARGEST_PICTURE:
        raise PolicyError(f"a picture of more than {LARGEST_PICTURE} bytes", where=path)
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if not kind:
        raise InputError("is no picture that a browser is given", where=path)
    return kind, data


def part_of(body: str, heading: str, block: str) -> str:
    """The part of a note that a link names: below a heading, or one block; else the whole. Empty
    where there is no such part."""
    if not heading and not block:
        return body
    lines, level, kept, fenced = body.split("\n"), 0, [], False
    if block:
        mark = f"^{block}"
        parts = (part.rstrip() for part in body.split("\n\n"))
        held = next((part for part in parts if part.endswith(mark)), mark)
        return held.removesuffix(mark).rstrip()
    wanted = fold(heading.rpartition("#")[2])
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        found = None if fenced else read_heading(line)
        if found and level and found[0] <= level:
            break
        if level:
            kept.append(line)
        elif found and fold(found[1]) == wanted:
            level = found[0]
    return "\n".join(kept).strip("\n")
