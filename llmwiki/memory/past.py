"""What pages said before: for claims that a person took out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmwiki.pages.page import Page
from llmwiki.repo.pickaxe import commits_that_changed
from llmwiki.repo.repository import Repository


def quotes_of(
    repo: Repository, claim_ids: Sequence[str], source_id: str
) -> Mapping[str, Sequence[str]]:
    """Claim id to the quotes of that source it had when it last stood in the wiki.

    Looks through history for the commit that took the id out; a claim that is nowhere in it has
    no quotes.
    """
    found: dict[str, Sequence[str]] = {}
    for claim_id in sorted(claim_ids):
        found[claim_id] = ()
        for commit in commits_that_changed(repo, f" ^{claim_id}", "wiki"):
            quotes = _quotes_before(repo, commit, claim_id, source_id)
            if quotes:
                found[claim_id] = quotes
                break
    return found


def _quotes_before(repo: Repository, commit: str, claim_id: str, source_id: str) -> tuple[str, ...]:
    parent = repo.resolve(f"{commit}^")
    if parent is None:
        return ()
    for change in repo.diff_trees(parent, commit, "wiki"):
        held = repo.read(parent, change.path)
        if held is not None and f" ^{claim_id}".encode() in held:
            page = Page.parse(change.path, held.decode("utf-8", "surrogateescape"))
            claim = page.claim(claim_id)
            if claim is not None:
                return tuple(e.quote for e in claim.evidence if e.source == source_id)
    return ()
