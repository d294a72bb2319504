"""What whoever extracts is shown of the wiki for a segment."""

from __future__ import annotations

from collections import Counter

from llmwiki.core.document import Document, Segment, ShownPages
from llmwiki.core.page_and_note_kinds import SUBJECTS, is_of_subject
from llmwiki.ingest.known import is_signed_offline
from llmwiki.landing.wiki_state import WikiState
from llmwiki.query.retrieval.candidate_pages import (
    MOST_LOOKED_AT,
    candidates,
    nearest,
    partly_named,
    touched,
)
from llmwiki.query.retrieval.page_names_in_text import mentioned

MOST_NEAREST, MOST_LISTED, MOST_SOURCES = 200, 100, 16
"""Nearest pages that are looked at, pages of subjects among them whose titles may be listed, and
documents."""
LAST_READ, FEW_SOURCES = 2, 20
"""Documents that most of the nearest pages rest on, of which all subjects are listed by title, and
documents of a page that count for that."""


def pages_for(document: Document, segment: Segment, state: WikiState, limit: int) -> ShownPages:
    """The pages that are shown for a segment, and the titles of others.

    Of the `limit` nearest pages more than their titles: among them documents that the text names,
    those that no model has read, so that what contradicts them is seen, and the pages that the
    nearest document is about. Titles are of pages with a distinctive word in the text, and of those
    that the nearest documents are about; of many hundred pages, those nearest to the text.
    """
    text = "\n".join(document.lines[segment.first - 1 : segment.last])
    own = state.ledger_of(document.path)
    titled = state.names.by_title(*mentioned(text, state.names))
    named = {path for path in titled if own is None or path != own.path}
    near = nearest(state.index, text, MOST_NEAREST)
    entries = state.index.entries(near)
    kinds = {path: entry.type for path, entry in entries.items()}
    sources = [p for p in near if kinds[p] == "source" and (own is None or p != own.path)]
    unread = [path for path in sources[:MOST_SOURCES] if is_signed_offline(state.repo, path)]
    listed = [path for path in near if kinds[path] in SUBJECTS]
    # A page that says little is far off by its words, though the text may say its name.
    far = partly_named(text, {path: (entries[path].title,) for path in listed[MOST_LISTED:]}, named)
    facts = state.facts({*named, *listed[:MOST_LISTED], *far})
    shown = {*SUBJECTS, "source"}
    subjects = {path for path, f in facts.items() if f.type in shown and not f.broken}
    near = [path for path in near if path in subjects and kinds[path] in SUBJECTS]
    names = {path: (facts[path].title, *facts[path].aliases) for path in near}
    told = Counter(s.id for p in near[:MOST_LOOKED_AT] for s in facts[p].sources[-FEW_SOURCES:])
    read = [i for i in sorted(told, key=lambda i: (-told[i], i)) if own is None or i != own.stem]
    partly = partly_named(text, names, named)
    first = {*named, *partly}
    said = first.union(
        touched(text, names, state.index), *(_kin(state, source) for source in read[:LAST_READ])
    )
    return ShownPages(
        candidates(
            text,
            subjects.intersection(named),
            near,
            state.pages,
            limit=limit,
            partly=partly,
            kin=_kin(state, read[0]) if read else (),
            unread=unread,
        ),
        tuple(
            " | ".join(names[p])
            for p in sorted(names, key=lambda path: path not in first)
            if p in said
        ),
    )


def _kin(state: WikiState, source: str) -> list[str]:
    """The pages of subjects that a source tells of."""
    return [path for path in state.citing(source) if is_of_subject(path)]
