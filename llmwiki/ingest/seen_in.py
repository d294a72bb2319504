"""What points from the pages of other subjects to a claim, and what is to point there once such a
page exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from llmwiki.core.text import fold
from llmwiki.ingest.page_workspace import PageWorkspace
from llmwiki.pages import write
from llmwiki.pages.claim_links import ClaimHome, claim_link
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.tombstones import AwaitedPage, await_page, awaited, ledger_path, stop_awaiting

MAX_SEEN = 200
"""Links under `Seen in` of one page: a hub of thousands would be written anew by each ingest."""

FindHome = Callable[[str], tuple[str, ClaimHome] | None]
"""The page a claim stands on and the claim as links show it, by its id; None: it stands nowhere."""


class SeenInLinks:
    """Puts links to claims under `Seen in` of the pages of one operation."""

    def __init__(self, workspace: PageWorkspace, home: FindHome, source_id: str) -> None:
        """`source_id` is that of the source that is read."""
        self._workspace = workspace
        self._home = home
        self._ledger = ledger_path(source_id)

    def put(self, path: str, claim_id: str) -> bool:
        """Lets a page point to a claim of another page; whether it has room for that."""
        found = self._home(claim_id)
        if found is None or found[0] == path:
            return True
        page = self._workspace.page(path)
        held = [node.key for node in page.section("Seen in") if node.kind == "ref"]
        if ("ref", claim_id) in held:
            return True
        if len(held) >= MAX_SEEN:
            return False
        node = PageNode(("ref", claim_id), f"- {claim_link(found[1])}")
        self._workspace.put(write.add_to_section(page, "Seen in", node, _by_page))
        return True

    def wait(self, claim_id: str, name: str) -> None:
        """Notes on the source's page that a page of that name shall point to a claim."""
        self._workspace.put(await_page(self._workspace.page(self._ledger), claim_id, name))

    def arrive(self, paths: Iterable[str]) -> None:
        """Lets pages point to the claims that wait for one of their names, whatever the source.

        A source's page with edits that nobody committed is left to whoever edits it.
        """
        named: dict[str, str] = {}
        for path in sorted(paths):
            page = self._workspace.page(path)
            named.update((fold(name), path) for name in (page.title, *page.aliases))
        state = self._workspace.state
        held = state.awaiting(named) if named else ()
        for ledger in (*(path for path in held if path != self._ledger), self._ledger):
            if ledger in self._workspace.pages or not state.repo.dirty([ledger]):
                self._arrive_from(ledger, named)

    def _arrive_from(self, ledger: str, named: dict[str, str]) -> None:
        page = self._workspace.page(ledger)
        come = [each for each in awaited(page) if fold(each.name) in named]
        placed: Sequence[AwaitedPage] = [a for a in come if self.put(named[fold(a.name)], a.claim)]
        if placed:
            self._workspace.put(stop_awaiting(self._workspace.page(ledger), placed))


def _by_page(node: PageNode) -> tuple[str, Key]:
    """Where a link stands under `Seen in`: by the page it leads to, then by the claim's id."""
    return node.raw.partition("#^")[0].casefold(), node.key
