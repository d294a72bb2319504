"""Why the memory holds a note: its sentences, what it replaced, the commits that brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.pages.memory_notes import MemoryNote


@dataclass(frozen=True, slots=True)
class NoteStory:
    """Why the memory holds a note."""

    note: MemoryNote
    sentences: tuple[MemoryNote, ...]
    heard: tuple[bool | None, ...]
    """For each sentence whether this clone's transcript has it; None: it has no transcript."""
    sealed: tuple[bool, ...]
    """For each sentence whether its id is that of its words."""
    earlier: tuple[MemoryNote, ...]
    """What it replaced, the newest first."""
    now: MemoryNote | None
    """What holds in its place; None: the note itself, or nothing."""
    commits: tuple[str, ...]
    """Ids and subjects of the last commits that brought it to its page, the newest first."""


def story_of(wiki: OpenWiki, note: MemoryNote, notes: Mapping[str, MemoryNote]) -> NoteStory:
    """Why the memory holds a note; `notes` are those it is `related` to, by id."""
    from llmwiki.learn.forget import is_held
    from llmwiki.learn.sweep import resolved
    from llmwiki.pages.memory_notes import is_sealed
    from llmwiki.store.private import common_files

    files = common_files(wiki.repo)
    said = tuple(notes[s] for _, s in note.sources if s in notes)
    head, steps = resolved(notes, note.id)
    earlier = [n for n in notes.values() if n.id != note.id and _leads_to(notes, n.id, note.id)]
    return NoteStory(
        note,
        said,
        tuple(is_held(files, s.session, s.text) for s in said),
        tuple(is_sealed(s) for s in said),
        tuple(sorted(earlier, key=lambda n: (n.day, n.id), reverse=True)),
        notes.get(head) if steps else None,
        _commits(wiki, note),
    )


def _leads_to(notes: Mapping[str, MemoryNote], ident: str, goal: str) -> bool:
    seen = set()
    while ident in notes and ident not in seen:
        seen.add(ident)
        ident = notes[ident].successor_id
        if ident == goal:
            return True
    return False


def _commits(wiki: OpenWiki, note: MemoryNote) -> tuple[str, ...]:
    """The commits that brought a note, or a link to it, to its page, the newest first."""
    from llmwiki.repo.pickaxe import commits_that_changed

    found = commits_that_changed(wiki.repo, f"^{note.id}", note.path)
    return tuple(f"{c.oid[:10]} {c.subject}" for c in wiki.repo.commits(found[:5]))
