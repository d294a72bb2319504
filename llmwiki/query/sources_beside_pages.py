"""The passages of ingested sources, brought up to date with the pages that stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.index.open_index import Index
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.index.source_index import SourceIndex, SourceRow
    from llmwiki.landing.open_wiki import OpenWiki

SETTING = "retrieval.sources"


@contextmanager
def sources_beside(wiki: OpenWiki, index: Index, at: str | None) -> Iterator[SourceIndex | None]:
    """The passages of the sources of the wiki as it is now, or in the commit `at`.

    None where the setting turns them off, and where no file can be written.
    """
    if not wiki.config.flag(SETTING):
        yield None
        return
    from llmwiki.index.index_file import folder_of
    from llmwiki.index.source_index import NAME, KeptTexts, sources_of

    def read(row: SourceRow) -> Sequence[str] | None:
        return _lines(wiki, index.commit, row)

    path = folder_of(wiki.repo.git_dir) / NAME
    kept = wiki.kept.texts if wiki.kept and not at else None
    texts = kept or KeptTexts()
    try:
        # While the commit is the same, nothing is looked at.
        with texts.opened(
            *(path, index.commit or "", lambda: sources_of(index.db), read),
            reads_only=wiki.repo.layout.reads_only or at is not None,
        ) as sources:
            yield sources
    finally:
        if kept is None:
            texts.close()


def linking_to(wiki: OpenWiki, facts: PageFacts, at: str | None = None) -> tuple[str, ...]:
    """By path the pages that link to one, and those whose sources link to its own or name it."""
    from llmwiki.index.source_index import FOLDER, linking

    own = facts.sources[:1] if facts.path.startswith(FOLDER) else ()
    resource = own[0].resource.removeprefix("/") if own else ""
    found = set(wiki.state.linking(facts.path))
    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        if sources is not None:
            found |= linking(sources, facts.path, resource, (facts.title, *facts.aliases))
    return tuple(sorted(found))


def _lines(wiki: OpenWiki, commit: str | None, row: SourceRow) -> Sequence[str] | None:
    """The numbered lines of a source as it was ingested; None where they are not at hand."""
    from llmwiki.core.errors import WikiError
    from llmwiki.core.text import sha256_hex
    from llmwiki.sources.read_source import read_document, read_kept_text, text_path

    kept = _committed(wiki, commit, text_path(row.sha256))
    try:
        if kept is not None:
            return read_kept_text(row.path, row.sha256, kept).lines
        data = _committed(wiki, commit, row.path)
        if data is None or sha256_hex(data) != row.sha256:
            return None
        from llmwiki.sources.formats import converter_for

        return None if converter_for(row.path, data) else read_document(row.path, data).lines
    except WikiError:
        return None


def _committed(wiki: OpenWiki, commit: str | None, path: str) -> bytes | None:
    entry = wiki.repo.entry(commit, path)
    stored = wiki.repo.objects.get(entry[1]) if entry else None
    return stored.data if stored else None
