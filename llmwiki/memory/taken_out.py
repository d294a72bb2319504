"""Claims that an operation takes out: what other pages repeat of them goes in the same commit."""

from __future__ import annotations

from collections.abc import Mapping, Set

from llmwiki.memory.state import WikiState
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.taken_out import without_claims, without_links
from llmwiki.pages.tombstones import claim_refs, deleted


def lost_claims(state: WikiState, pages: Mapping[str, Page | None]) -> Set[str]:
    """The claims that stand in the wiki and shall not once these pages are as given."""
    before = (page for path in sorted(pages) if (page := state.page(path)) is not None)
    had = {claim.id for page in before for claim in page.claims}
    return had - {claim.id for page in pages.values() if page for claim in page.claims}


def without_words(
    state: WikiState, pages: Mapping[str, Page | None], gone: Set[str]
) -> dict[str, Page | None]:
    """`pages`, as they shall be, and the other pages that name those claims, without their words.

    The roster of a source keeps the id: that is how its next reading knows what was deleted. Of a
    link to a page that goes, inside what another one says, the words stay.
    """
    after = dict(pages)
    for path in state.naming(gone) if gone else ():
        page = after[path] if path in after else state.page(path)
        if page is None:
            continue
        page = without_claims(page, gone)
        if path in after or page != state.page(path):
            after[path] = page
    for path in [path for path, page in after.items() if page is None]:
        _unlink(state, after, path)
    return after


def _unlink(state: WikiState, after: dict[str, Page | None], gone: str) -> None:
    """Takes links to a page that goes out of what others say, where no other has its file name."""
    name = name_key(stem_of(gone))
    if any(name_key(stem_of(path)) == name for path, page in after.items() if page is not None):
        return
    for path in state.linking(gone):
        page = after[path] if path in after else state.page(path)
        if page is not None:
            plain = without_links(page, lambda target: name_in(link_key(target, path)) == name)  # noqa: B023
            if path in after or plain != page:
                after[path] = plain


def deleted_by_hand(
    state: WikiState, ledger: Page, kept: Page | None = None
) -> dict[str, tuple[str, ...]]:
    """The claims on the roster of a source that stand nowhere: id to the hash of its quote.

    With `kept`, the ledger as it shall be: those alone that its roster has no more.
    """
    still = frozenset(claim_refs(kept)) if kept else frozenset()
    asked = [claim for claim in claim_refs(ledger) if claim not in still]
    return deleted(ledger, {*state.claim_pages(asked), *still})
