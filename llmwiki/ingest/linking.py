"""Links in claims and leads as an ingest puts them: when they are written, and in older claims when
a page is born."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from llmwiki.core.text import fold
from llmwiki.index.lookup import Lookup
from llmwiki.ingest.page_workspace import PageWorkspace
from llmwiki.language.scripts import CJK
from llmwiki.language.tokens import STOP_WORDS
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.dress import MOST_IN_CLAIM, LinkName, linked
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.page import Page
from llmwiki.pages.write_claims import dressed
from llmwiki.retrieval.candidates import mentioned

MOST_PAGES = 20
"""Pages whose older claims one operation links."""
_LOOKED_AT = 100
"""Pages that may speak of a new one and are read for it, those first that most pages link to."""
_SHORTEST = 3
"""Letters of the shortest name of one word that is linked; of other scripts two do."""
_SEAM = re.compile(f"(?<=[{CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{CJK}])")


class ClaimLinker:
    """Puts links to the pages that a text names, as one reading sees them."""

    def __init__(self, workspace: PageWorkspace, names: Lookup, told: Collection[str]) -> None:
        """`names` are those of the wiki and of the pages that the reading makes; `told` the pages
        that the reading itself names as subjects."""
        self._workspace = workspace
        self._names = names
        self._told = told
        self._resolver = workspace.state.resolver
        self._known: dict[str, tuple[str, tuple[str, ...]] | None] = {}

    def in_texts(self, texts: Iterable[str]) -> Mapping[str, Sequence[LinkName]]:
        """The names that stand in any of the texts, by the path of the page they mean."""
        said = "\n".join(_SEAM.sub(" ", text.replace("\n", " ")) for text in texts)
        found: dict[str, list[LinkName]] = {}
        for name in mentioned(said, self._names):
            known = self._page_of(name)
            if known is not None:
                path, spelled = known
                stem = self._workspace.page(path).stem
                found.setdefault(path, []).extend(LinkName(words, stem) for words in spelled)
        return found

    def _page_of(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The one page of a folded name, with the spellings of that name it has."""
        if name not in self._known:
            paths = self._names.by_title(name)
            path = paths[0] if len(paths) == 1 else ""
            spelled = tuple(n for n in self._names.names_of(path) if fold(n) == name)
            usable = tuple(n for n in spelled if path in self._told or is_sure(n))
            self._known[name] = (path, usable) if usable and self._is_found(path) else None
        return self._known[name]

    def _is_found(self, path: str) -> bool:
        """Whether a link with the page's file name leads to it."""
        workspace = self._workspace
        key = link_key(workspace.page(path).stem)
        return workspace.state.page(path) is None or self._resolver.lead(key) == path

    def claims(self, page: Page, only: Collection[str]) -> Page:
        """The page with links in those of its claims."""
        texts = [claim.text for claim in page.claims if claim.id in only]
        names = _others(self.in_texts(texts), page.path)
        return _linked(page, names, only) if names else page

    def lead(self, path: str, text: str) -> Callable[[str], str]:
        """What links the paragraphs, escaped, of a lead of the page at `path`."""
        names = _others(self.in_texts([text]), path)
        return lambda paragraph: linked(paragraph, names)

    def born(self, fresh: Collection[str], minted: Collection[str]) -> Iterable[Page]:
        """Pages whose older claims name one of the pages that this reading made, linked to it.

        At most `MOST_PAGES`, those first that most pages link to. `minted` are the claims that are
        new themselves. A page with edits that nobody committed is left to whoever edits it.
        """
        names = [
            LinkName(name, self._workspace.page(path).stem)
            for path in sorted(fresh)
            for name in self._names.names_of(path)
            if is_sure(name) and self._names.by_title(name) == (path,)
        ]
        state = self._workspace.state
        found = []
        for path in state.saying([name.words for name in names])[:_LOOKED_AT] if names else ():
            page = self._workspace.find(path)
            facts = state.fact(path)
            if page is None or facts is None or facts.broken or is_disputed(page.text):
                continue
            older = {claim.id for claim in page.claims} - set(minted)
            after = _linked(page, [n for n in names if n.stem != page.stem], older)
            if after is not page and (
                path in self._workspace.pages or not state.repo.dirty([path])
            ):
                found.append(after)
            if len(found) == MOST_PAGES:
                break
        return found


def is_sure(name: str) -> bool:
    """Whether a name says by itself that it is one: `set` and `main` may be any word."""
    if len(name.split()) > 1:
        return True
    short = len(name) < (_SHORTEST if name.isascii() else 2)
    return not (short or name.islower() or fold(name) in STOP_WORDS)


def _others(found: Mapping[str, Sequence[LinkName]], path: str) -> list[LinkName]:
    return [name for target, names in found.items() if target != path for name in names]


def _linked(page: Page, names: Sequence[LinkName], only: Collection[str]) -> Page:
    return dressed(page, lambda text: linked(text, names, MOST_IN_CLAIM), only)
