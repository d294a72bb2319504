"""The pages one operation works on: read on demand from a state, changed here, written later; and
the links that it puts into their claims and leads."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from llmwiki.index.keys_of_names import Lookup
from llmwiki.ingest.report import ReadingReport
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.body_blocks import has_conflict_marks
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.linked_text import MOST_IN_CLAIM, LinkName, linked
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.write_claims import with_links
from llmwiki.query.retrieval.page_names_in_text import LinkNames, is_sure_of


class PageWorkspace:
    """Pages by path; what was put here hides what the state holds."""

    def __init__(self, state: WikiState, *, is_remarked: bool = True) -> None:
        """`is_remarked`: whether somebody wrote the reading who wants to know what became of its
        parts."""
        self.state = state
        self.pages: dict[str, Page] = {}
        self.told = ReadingReport()
        """What is refused, and how names were decided."""
        self.remarked = self.told if is_remarked else ReadingReport()
        """Takes what else becomes of parts of the reading."""

    def find(self, path: str) -> Page | None:
        """The page as this operation has it so far; None where there is none."""
        return self.pages.get(path) or self.state.page(path)

    def page(self, path: str) -> Page:
        """The page that is known to be there. Raises KeyError."""
        page = self.find(path)
        if page is None:
            raise KeyError(path)
        return page

    def put(self, page: Page) -> None:
        """The page as it shall be."""
        self.pages[page.path] = page

    def type_of(self, path: str) -> str:
        """The page's type, without reading the page where the state knows it."""
        facts = self.state.fact(path)
        return facts.type if facts else self.page(path).type

    def file_of(self, key: str) -> str | None:
        """The page whose file has that folded name, in the wiki or in this workspace."""
        own = (path for path, page in self.pages.items() if name_key(page.stem) == key)
        return next(own, None) or self.state.file_named(key)

    def taken(self, key: str) -> bool:
        """Whether a file of that folded name stands in the wiki or in this workspace."""
        return self.file_of(key) is not None


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Says which page it is whose frontmatter cannot be edited."""
    try:
        yield
    except PageError as error:
        error.where = error.where or path
        raise


# --- links ----------------------------------------------------------------------------------------

MOST_PAGES = 20
"""Pages whose older claims one operation links."""
_NO_LETTERS = re.compile(r"[\W_]+")
_LOOKED_AT = 100
"""Pages that may speak of a new one and are read for it, those first that most pages link to."""


class ClaimLinker:
    """Puts links to the pages that a text names, as one reading sees them."""

    def __init__(self, workspace: PageWorkspace, names: Lookup, told: Collection[str]) -> None:
        """`names` are those of the wiki and of the pages that the reading makes; `told` the pages
        that the reading itself names as subjects."""
        self._workspace = workspace
        self._names = names
        resolver = workspace.state.resolver

        def is_found(path: str) -> bool:
            is_new = workspace.state.page(path) is None
            return is_new or resolver.lead(link_key(stem_of(path))) == path

        self._known = LinkNames(names, is_found, told)

    def claims(self, page: Page, only: Collection[str]) -> Page:
        """The page with links in those of its claims."""
        texts = [claim.text for claim in page.claims if claim.id in only]
        names = self._known.but_for(page.path, texts)
        return _linked(page, names, only) if names else page

    def lead(self, path: str, text: str) -> Callable[[str], str]:
        """What links the paragraphs, escaped, of a lead of the page at `path`."""
        names = self._known.but_for(path, [text])
        return lambda paragraph: linked(paragraph, names)

    def born(self, fresh: Collection[str], minted: Collection[str]) -> Iterable[Page]:
        """Pages whose older claims name one of the pages that this reading made, linked to it.

        At most `MOST_PAGES`, those first that most pages link to. `minted` are the claims that are
        new themselves. A page with edits that nobody committed is left to whoever edits it.
        """
        born = {
            name: stem_of(path)
            for path in sorted(fresh)
            for names in [self._names.names_of(path)]
            for name in names
            if is_sure_of(path, names[0], name)
        }
        keys = {_key(name) for name in born}
        state, found = self._workspace.state, list[Page]()
        paths = state.saying(born)[:_LOOKED_AT] if born else ()
        held, known = state.pages(paths), state.facts(paths)
        for path in paths:
            page = self._workspace.pages.get(path) or held.get(path)
            facts = known.get(path)
            if page is None or facts is None or facts.broken or has_conflict_marks(page.text):
                continue
            # A page may hold thousands of claims of which one names a new page.
            older = {
                claim.id: claim.text
                for claim in page.claims
                if claim.id not in minted and _may_say(claim.text, keys)
            }
            names = [
                name if born.get(name.words) == name.stem else name._replace(stem="")
                for name in self._known.but_for(path, older.values())
            ]
            after = _linked(page, names, older)
            if after is not page and (
                path in self._workspace.pages or not state.repo.dirty([path])
            ):
                found.append(after)
            if len(found) == MOST_PAGES:
                break
        return found


def _linked(page: Page, names: Sequence[LinkName], only: Collection[str]) -> Page:
    keyed = [(_key(name.words), name) for name in names]

    def put(text: str) -> str:
        said = _key(text)
        return linked(text, [name for key, name in keyed if key in said], MOST_IN_CLAIM)

    return with_links(page, put, only)


def _may_say(text: str, keys: Iterable[str]) -> bool:
    """Whether one of the names whose keys these are may stand in a text."""
    said = _key(text)
    return any(key in said for key in keys)


def _key(text: str) -> str:
    """The letters and digits of a text: where a name stands in a text, its key is in the text's."""
    return _NO_LETTERS.sub("", text.casefold())
