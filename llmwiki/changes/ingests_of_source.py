"""The operations that read one source: what they brought, and what stood there before."""

from __future__ import annotations

from collections.abc import Callable

from llmwiki.changes.lost_evidence import words_brought
from llmwiki.git.repository import Repository
from llmwiki.landing.earlier import page_at, pages_of
from llmwiki.pages import write
from llmwiki.pages.escape import escape
from llmwiki.pages.page import Page

NOTHING_LEFT = "Nothing in the wiki tells of it: what did was retracted."
PROSE = ("lead", "description")


class SourceReadings:
    """The operations of HEAD's history that read a source, whatever its file was called."""

    def __init__(self, repo: Repository, ledger: str, raw: str) -> None:
        """`ledger` is the path of the source's page, `raw` its file."""
        head = repo.head()
        paths, hashes = {raw}, set[str]()
        for commit in repo.log(head, paths=[ledger]) if head else ():
            page = page_at(repo, commit.oid, ledger)
            own = page.own_source if page is not None else None
            if own is not None:
                paths.add(own.resource.removeprefix("/"))
                hashes.add(own.sha256)
        self.hashes = frozenset(hashes - {""})
        """SHA-256 of each version that was read."""
        self.worded: dict[str, str] = {}
        """How the claims on the pages that they changed were worded first, by id."""
        self.pages: dict[str, list[tuple[Page | None, Page | None]]] = {}
        """The pages that they changed: as each of them found and left it, the newest first."""
        for commit in repo.log(head) if head else ():
            named = {value.rpartition(" sha256:")[0] for value in commit.sources}
            if named.isdisjoint(paths) or not commit.parents.known:
                continue
            before, after = pages_of(repo, commit)
            self.worded |= words_brought(after)
            for path in before.keys() | after.keys():
                self.pages.setdefault(path, []).append((before.get(path), after.get(path)))

    def renewed(
        self, held: Page, page: Page, stands: Callable[[Page], bool]
    ) -> tuple[Page, tuple[str, ...]]:
        """A page with another lead and description where the program wrote them and a reading
        brought them, and which of both those are.

        `held` is the page as it is at HEAD, `page` as it shall be. What stood there before the
        source was read stands there again if that page `stands`; else the first claim that does;
        else none.
        """
        changed = []
        for name in PROSE:
            words, before = prose_of(held, name), held
            if not words or not is_tools(held, name):
                continue
            for found, left in self.pages.get(page.path, ()):
                if prose_of(left, name) == words and prose_of(found, name) != words:
                    words, before = prose_of(found, name), found or held
            if words == prose_of(held, name):
                continue
            is_good = words and is_tools(before, name) and stands(before)
            page = _with(page, name, words if is_good else "")
            changed.append(name)
        return page, tuple(changed)


def prose_of(page: Page | None, name: str) -> str:
    """The lead or the description of a page."""
    if page is None:
        return ""
    return page.lead if name == "lead" else page.description


def is_tools(page: Page, name: str) -> bool:
    """Whether the program wrote them."""
    return page.lead_is_tools if name == "lead" else page.description_is_tools


def _with(page: Page, name: str, earlier: str) -> Page:
    by = page.generated_by
    standing = next((claim.text for claim in page.claims if claim.successor is None), "")
    if name == "lead":
        return write.set_lead(page, earlier or escape(standing), by)
    return write.set_description(page, earlier or standing or NOTHING_LEFT, by)
