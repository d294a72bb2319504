"""What pages said before: for claims that a person took out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmwiki.core.errors import StateError
from llmwiki.memory.state import WikiState
from llmwiki.pages.page import Evidence, Page
from llmwiki.pages.tombstones import claim_refs
from llmwiki.repo.repository import Repository


def deleted_by_hand(
    repo: Repository, state: WikiState, ledger: Page, kept: Page | None = None
) -> Mapping[str, Sequence[Evidence]]:
    """The claims that a ledger links to and that stand nowhere: id to the evidence they had.

    With `kept`, the ledger as it shall be: those alone that it does not link to any more.
    """
    still = frozenset(claim_refs(kept)) if kept else frozenset()
    linked = [claim for claim in claim_refs(ledger) if claim not in still]
    standing = state.claim_page.among(linked)
    missing = [claim for claim in linked if claim not in standing]
    if not missing:
        return {}
    return evidence_of(repo, missing, ledger.stem)


def evidence_of(
    repo: Repository, claim_ids: Sequence[str], source_id: str
) -> Mapping[str, Sequence[Evidence]]:
    """Claim id to the evidence from that source it had when it last stood in the wiki.

    Looks through history for the commit that took the id out; a claim that is nowhere in it has
    none. Raises StateError where this clone lacks the commits in which it may have stood: the
    source's next reading would bring back what a person took out.
    """
    from llmwiki.repo.pickaxe import commits_that_changed

    found: dict[str, Sequence[Evidence]] = {}
    for claim_id in sorted(claim_ids):
        found[claim_id] = ()
        for commit in commits_that_changed(repo, f" ^{claim_id}", "wiki"):
            held = _evidence_before(repo, commit, claim_id, source_id)
            if held:
                found[claim_id] = held
                break
        if not found[claim_id] and repo.beyond:
            raise StateError(
                "a person took claims of this source out of the wiki, and what they said lies in"
                " commits that are not in this clone",
                where=f"wiki/sources/{source_id}.md",
                fix=f"{repo.beyond} Then run the command again.",
            )
    return found


def _evidence_before(
    repo: Repository, commit: str, claim_id: str, source_id: str
) -> tuple[Evidence, ...]:
    parent = repo.parents(commit).first()
    if parent is None:
        return ()
    for change in repo.diff_trees(parent, commit, "wiki"):
        held = repo.read(parent, change.path)
        if held is not None and f" ^{claim_id}".encode() in held:
            page = Page.parse(change.path, held.decode("utf-8", "surrogateescape"))
            claim = page.claim(claim_id)
            if claim is not None:
                return tuple(e for e in claim.evidence if e.source == source_id)
    return ()
