"""Sources that two branches read in two versions: their claims follow the version that was kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from llmwiki.core.errors import WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.page import Page, SourceRef
from llmwiki.pages.retraction import retraction
from llmwiki.pages.tombstones import claim_refs

if TYPE_CHECKING:
    from llmwiki.core.document import Document


def doubtful_ledgers(state: WikiState, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the pages that tell of a source with claims, and not which bytes were read."""
    pages = (state.page(path) for path in sorted(paths))
    return tuple(page.path for page in pages if page is not None and _is_doubtful(page))


def settled_versions(state: WikiState, ledgers: Iterable[str]) -> dict[str, Page]:
    """The pages after each of these sources is the file that lies in raw/.

    Claims of which no quote stands in it are struck. A source without a text in the commit is left
    to its next ingest.
    """
    from llmwiki.memory.earlier_texts import EarlierTexts
    from llmwiki.memory.relocate import relocate

    pages: dict[str, Page] = {}
    for path in ledgers:
        ledger = pages.get(path) or state.page(path)
        document = _document(state, ledger) if ledger is not None else None
        if ledger is None or document is None or not _is_doubtful(ledger):
            continue
        ident = ledger.stem
        cited = {each: pages.get(each) or state.page(each) for each in state.citing(ident)}
        held = {each: page for each, page in cited.items() if page is not None}
        earlier = EarlierTexts(state.repo, state.commit, document.path)
        pages |= relocate({**held, path: ledger}, ident, document, earlier.held).pages
        source = SourceRef(ident, "/" + document.path, document.sha256)
        told = write.set_source(pages[path], source)
        pages[path] = write.set_value(told, "text", document.text_path or "")
    return {path: page for path, page in pages.items() if page != state.page(path)}


def _is_doubtful(page: Page) -> bool:
    if page.type != "source" or retraction(page) is not None or not claim_refs(page):
        return False
    return bool(page.value("source")) and not page.value("sha256")


def _document(state: WikiState, ledger: Page) -> Document | None:
    from llmwiki.sources.document import read_document, text_path
    from llmwiki.sources.formats import converter_for, reads_kept_text

    path = ledger.value("source")
    try:
        data = state.repo.read_source(state.commit, path)
        if data is None:
            return None
        kept = state.repo.read_source(state.commit, text_path(sha256_hex(data)))
        if kept is None and (reads_kept_text(path) or converter_for(path, data) is not None):
            return None
        return read_document(path, data, kept_text=kept)
    except WikiError:
        # Of a format that is not read, not in this clone, or not a text: other work shall go on.
        return None
