"""The files of the catalogue as the present pages make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llmwiki.core.page_and_note_kinds import INDEX, OVERVIEW, TOPICS
from llmwiki.index.keys_of_names import entry_of, shard_key, shard_of
from llmwiki.index.lookups import FILE, LINK, SHARD, TAG, TYPE, Corpus
from llmwiki.index.page_facts_record import PageFacts
from llmwiki.pages.catalogue import (
    SHARD_ABOVE,
    TOP_PAGES,
    Entry,
    Totals,
    render_index,
    render_overview,
    render_shard,
    render_shard_index,
    shard_path,
    stray_prose,
)
from llmwiki.pages.page import Page

_DOCUMENT = "source"
TOP_TAGS = 50
"""How many tags the overview names."""


def index_files(index: Corpus) -> dict[str, str]:
    """index.md and, in a large wiki, its shards: path to text."""
    shards = _listed(index, _shards(index))
    if index.sums.pages <= SHARD_ABOVE:
        entries = [entry for listed in shards.values() for entry in listed]
        return {INDEX: render_index(entries)}
    files = {shard_path(shard): render_shard(shard, listed) for shard, listed in shards.items()}
    files[INDEX] = render_shard_index(_shards(index))
    return files


def index_files_after(
    index: Corpus, before: Mapping[str, PageFacts | None]
) -> dict[str, str | None]:
    """The catalogue's files that may differ since these pages had those facts.

    None: the file is no more. Cost grows with what changed, not with the wiki, save for a wiki
    that crosses the size at which shards begin.
    """
    now = index.facts(before)
    was = index.sums.pages + sum((old is not None) - (path in now) for path, old in before.items())
    touched: set[tuple[str, str]] = set()
    for path, old in before.items():
        new = now.get(path)
        listed = {entry_of(facts) for facts in (old, new) if facts is not None}
        if len(listed) == 2 or old is None or new is None:
            touched |= {entry.shard for entry in listed}
    large, was_large = index.sums.pages > SHARD_ABOVE, was > SHARD_ABOVE
    if large != was_large or not large:
        files: dict[str, str | None] = dict(index_files(index))
        if was_large:
            for shard in touched.union(_shards(index)):
                files.setdefault(shard_path(shard), None)
        return files
    files = {
        shard_path(shard): render_shard(shard, listed) if listed else None
        for shard, listed in _listed(index, touched).items()
    }
    files[INDEX] = render_shard_index(_shards(index))
    return files


def totals(index: Corpus) -> Totals:
    """The counts of the overview."""
    top = _most_linked(index)
    pages = index.tally(TYPE)
    few = pages.get(_DOCUMENT, 0) > 2 * sum(pages.get(kind, 0) for kind in TOPICS)
    return Totals(
        pages=pages,
        claims=index.sums.claims,
        tags=dict(index.top(TAG, TOP_TAGS)),
        top=top,
        documents=_fullest(index) if few and index.sums.pages <= SHARD_ABOVE else (),
    )


def _fullest(index: Corpus) -> list[tuple[Entry, int]]:
    """The pages of documents on which most claims stand, most first, then by path."""
    shards = [shard for shard in _shards(index) if shard[0] == _DOCUMENT]
    entries = {one.path: one for listed in _listed(index, shards).values() for one in listed}
    facts = index.facts(entries)
    counts = [(entries[path], len(facts[path].claims)) for path in sorted(entries)]
    counts.sort(key=lambda row: -row[1])
    return [(entry, count) for entry, count in counts[:TOP_PAGES] if count]


def _most_linked(index: Corpus) -> list[tuple[Entry, int]]:
    """The pages of subjects and syntheses that most pages link to, most first, then by path."""
    least = TOP_PAGES
    while True:
        rows = index.top(LINK, least)
        paths = index.paths(FILE + name for name, _count in rows)
        homes = {name: found[0] for name, _count in rows if (found := paths.get(FILE + name))}
        entries = index.entries(homes.values())
        ranked = [
            (entries[homes[name]], count)
            for name, count in rows
            if name in homes and entries[homes[name]].type in TOPICS
        ]
        if len(ranked) >= TOP_PAGES or len(rows) < least:
            ranked.sort(key=lambda row: (-row[1], row[0].path))
            return ranked[:TOP_PAGES]
        least *= 2


def _shards(index: Corpus) -> dict[tuple[str, str], int]:
    """How many pages each part of the catalogue lists."""
    return {shard_of(key): count for key, count in index.tally(SHARD).items()}


def _listed(index: Corpus, shards: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Entry]]:
    """The entries of parts of the catalogue, in no particular order."""
    wanted = {SHARD + shard_key(shard): shard for shard in shards}
    paths = index.paths(wanted)
    entries = index.entries(path for found in paths.values() for path in found)
    return {shard: [entries[path] for path in paths.get(key, ())] for key, shard in wanted.items()}


# --- the overview --------------------------------------------------------------------------------


def overview_text(totals: Totals, text: str) -> str:
    """The overview's text, of which `text` is the one there is: its lead stays, which people write.

    A merge of lines may leave a second lead among the counts: both stand then.
    """
    lead = Page.parse(OVERVIEW, text).lead
    strays = [stray for stray in stray_prose(text) if stray not in lead]
    return render_overview(totals, "\n\n".join([lead, *strays]).strip())
