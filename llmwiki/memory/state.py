"""What the wiki holds at one commit: an indexed commit, and over it what has changed since."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.index.base import DAMAGE, Base, EmptyBase, Sums, storable
from llmwiki.index.corpus import CALLED, FILE, WORD
from llmwiki.index.facts import PageFacts, is_catalogue, is_page
from llmwiki.index.keys import (
    ABOUT,
    BLOCK,
    CLAIM,
    ORIGIN,
    RESOURCE,
    RETRACTED,
    SHA,
    SOURCE,
    TYPE,
    LedgerRow,
    resource_of,
)
from llmwiki.index.page_facts import facts_of
from llmwiki.language.tokens import terms
from llmwiki.memory import listing
from llmwiki.memory.claim_words import ClaimWords
from llmwiki.memory.names import StateNames
from llmwiki.memory.overlay import FirstPaths, HeldPage, Overlay
from llmwiki.pages.catalogue import PART_FOLDERS, Entry, Totals
from llmwiki.pages.link_targets import LinkResolver, link_key, name_in
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import Page
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import object_id

KEPT_PAGES = 320
"""Parsed pages that are kept for the next operation."""

KEPT_OVER = 5000
"""Pages that may differ from the index before it is asked to catch up: about 25 MB."""

T = TypeVar("T")

OpenBase = Callable[[Repository, str], Base]
"""Opens the index of a wiki, best at a commit; at another one where that is cheaper."""


Before = Mapping[str, HeldPage | None]
"""What stood at some paths before a preview; None: no page."""


class WikiState:
    """All pages of the wiki at `commit`; `advance` follows the repository from commit to commit.

    Stands on the index, which may be of another commit: what differs is held in memory. So
    opening costs what has changed since the index was last brought up to date, following a
    commit costs what it changed, and a question costs what it finds.
    """

    def __init__(
        self, repo: Repository, open_base: OpenBase | None = None, kept_over: int = KEPT_OVER
    ) -> None:
        self.repo = repo
        self.commit: str | None = None
        self.own: str | None = None
        """The newest commit, where this state landed it."""
        self.told: str | None = None
        """The same, where catalogue and log were written with it: they are in step there."""
        self.newest: Commit | None = None
        """The commit that was read last, with its message."""
        self._open_base = open_base or _open_index
        self._kept_over = kept_over
        self._view = Overlay(EmptyBase())
        self._names = StateNames(self._ask)
        self._opened_with = 0
        """Pages that differed from the index when it was opened."""
        self._distrusts = False
        """Whether the index proved damaged: every page is held in memory then."""
        self._claim_words = ClaimWords(self._blobs)
        self._unlanded: dict[str, bytes] = {}
        """Blob id to bytes of pages that are shown before they land: the repository lacks them."""
        self._parsed: OrderedDict[tuple[str, str], Page] = OrderedDict()

    # --- following commits ---------------------------------------------------------------

    def advance(self, commit: str | None) -> None:
        """Brings the pages to `commit`. No preview may be pending."""
        self._unlanded.clear()
        grown = len(self._view) - self._opened_with > self._kept_over and not self._distrusts
        if commit == self.commit and not grown:
            return
        if commit is None:
            self._stand_on(EmptyBase())
        elif self.commit is None or grown:
            self._open(commit)
        else:
            changed = self._pages(self._difference(self.commit, commit))
            self._ask(lambda view: view.put(changed))
        self.commit = commit

    def follow(self) -> str | None:
        """Brings the pages to HEAD and returns its commit. No preview may be pending."""
        head = self.repo.head()
        self.advance(head)
        return head

    def _open(self, commit: str) -> None:
        self.commit = None
        # The index has one moment for all who read it in this process: the old one goes first.
        self._stand_on(EmptyBase())
        try:
            self._stand_on(EmptyBase() if self._distrusts else self._open_base(self.repo, commit))
            base = self._view.base
            changed = {**base.strays, **self._difference(base.commit, commit)}
            self._view.put(self._pages(changed))
        except DAMAGE as error:
            self._give_up_index(error)
            self._view.put(self._pages(self._difference(None, commit)))
        self._opened_with = len(self._view)

    def _stand_on(self, base: Base) -> None:
        self._view.base.close()
        self._view = Overlay(base)
        self._names = StateNames(self._ask)

    def _ask(self, question: Callable[[Overlay], T]) -> T:
        """The answer, from the pages themselves where the index proves damaged."""
        try:
            return question(self._view)
        except DAMAGE as error:
            over, commit = dict(self._view.over()), self.commit
            self._give_up_index(error)
            if commit is not None:
                self._view.put(self._pages(self._difference(None, commit)))
            self._view.put(over)
            return question(self._view)

    def _give_up_index(self, error: DAMAGE) -> None:
        from llmwiki.index.memory_base import discard

        self._distrusts = True
        self._stand_on(EmptyBase())
        discard(self.repo, error)

    def _difference(self, old: str | None, new: str) -> dict[str, str | None]:
        if old == new:
            return {}
        from llmwiki.index.refresh import committed_changes

        return committed_changes(self.repo, old, new)

    def _pages(self, changed: Mapping[str, str | None]) -> dict[str, HeldPage | None]:
        """The pages of those blobs; None for those that are gone."""
        wanted = {path: oid for path, oid in sorted(changed.items()) if oid is not None}
        blobs = self.repo.read_many(list(wanted.values()))
        taken: dict[str, HeldPage | None] = dict.fromkeys(changed)
        for (path, oid), blob in zip(wanted.items(), blobs, strict=True):
            taken[path] = HeldPage(_facts(path, blob), oid)
        return taken

    # --- reading -------------------------------------------------------------------------

    def page(self, path: str) -> Page | None:
        """The page at that path in `commit`; None where there is none."""
        oid = self._ask(lambda view: view.oid(path))
        if oid is None:
            return None
        held = self._parsed.get((path, oid))
        if held is None:
            held = Page.parse(path, _text(self._blobs([oid])[0]))
            self._keep(held, oid)
        else:
            self._parsed.move_to_end((path, oid))
        return held

    def _blobs(self, oids: Sequence[str]) -> list[bytes]:
        """The bytes of blobs, those that have not landed yet among them."""
        landed = [oid for oid in oids if oid not in self._unlanded]
        held = dict(zip(landed, self.repo.read_many(landed), strict=True)) if landed else {}
        return [held[oid] if oid in held else self._unlanded[oid] for oid in oids]

    def _keep(self, page: Page, oid: str) -> None:
        self._parsed[page.path, oid] = page
        while len(self._parsed) > KEPT_PAGES:
            self._parsed.popitem(last=False)

    def text(self, path: str) -> str:
        """The text of any file of the wiki in `commit`; empty where there is none."""
        if self.commit is None:
            return ""
        data = self.repo.read(self.commit, path)
        return "" if data is None else _text(data)

    @property
    def names(self) -> StateNames:
        """The titles and aliases of subjects and of documents."""
        return self._names

    def fact(self, path: str) -> PageFacts | None:
        """The facts of a page; None where there is none."""
        return self._ask(lambda view: view.facts((path,))).get(path)

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of those of the pages that there are."""
        asked = list(paths)
        return self._ask(lambda view: view.facts(asked))

    def entries(self) -> list[Entry]:
        """Every page as the catalogue lists it, by path; reads the whole wiki."""
        return self._ask(lambda view: sorted(view.all_entries(), key=lambda entry: entry.path))

    @property
    def claim_page(self) -> FirstPaths:
        """Claim id to the page the claim stands on, struck or not."""
        return FirstPaths(self._ask, CLAIM)

    def claim_homes(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Those of the claims that any page has, to all pages they stand on, by path."""
        keys = [CLAIM + ident for ident in ids]
        found = self._ask(lambda view: view.paths(keys))
        return {key.removeprefix(CLAIM): paths for key, paths in found.items()}

    @property
    def file_names(self) -> FirstPaths:
        """File name, folded by `name_key`, to the page whose file has it."""
        return FirstPaths(self._ask, FILE)

    def bearing(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The pages whose file has that name, and those that have it as a title or an alias; each
        by path."""
        key = link_key(name)
        return self._paths(FILE + key), self._paths(CALLED + key)

    @property
    def resolver(self) -> LinkResolver:
        """Where links lead among the pages of this state as it is now."""
        return LinkResolver(
            lambda name: self._paths(FILE + name), lambda key: self._paths(CALLED + key)
        )

    def resolver_of(self, keys: Collection[str]) -> LinkResolver:
        """The same for links of these keys: what they may lead to is looked up at once."""
        asked = [FILE + name_in(key) for key in keys] + [CALLED + key for key in keys]
        found = self._ask(lambda view: view.paths(asked))
        return LinkResolver(
            lambda name: found.get(FILE + name, ()), lambda key: found.get(CALLED + key, ())
        )

    def subjects(self, most: int) -> list[PageFacts]:
        """The entity and concept pages, by path; none where there are more than `most`."""
        types = self.types()
        if sum(types.get(kind, 0) for kind in SUBJECTS) > most:
            return []
        return sorted((f for kind in SUBJECTS for f in self._having(TYPE + kind)), key=_path_of)

    def ledger_of(self, raw_path: str) -> PageFacts | None:
        """The ledger whose source is that file; the first by path."""
        path = FirstPaths(self._ask, RESOURCE).get(raw_path) if raw_path else None
        return self.fact(path) if path else None

    def copy_from(self, origin: str) -> str:
        """The file below raw/ that is a copy from there, as its ledger says; empty: none is."""
        path = FirstPaths(self._ask, ORIGIN).get(origin)
        found = self.fact(path) if path else None
        return resource_of(found) if found else ""

    def ledgers_with(self, sha256: str) -> tuple[PageFacts, ...]:
        """The ledgers whose recorded bytes have that hash, by path."""
        return tuple(self._having(SHA + sha256)) if sha256 else ()

    def of_type(self, kind: str) -> tuple[str, ...]:
        """The pages of a type, by path."""
        return self._paths(TYPE + kind)

    def ledgers(self) -> list[LedgerRow]:
        """The rows of all ledgers, by path."""
        return self._ask(lambda view: view.ledgers())

    def citing(self, source_id: str) -> tuple[str, ...]:
        """The pages, its own excepted, that list a source among theirs; by path."""
        return tuple(f.path for f in self._having(SOURCE + source_id) if f.stem != source_id)

    def naming(self, claim_ids: Iterable[str]) -> tuple[str, ...]:
        """The pages whose links or roster name any of those claims, by path."""
        found = self._ask(lambda view: view.paths(BLOCK + each for each in claim_ids))
        return tuple(sorted({path for paths in found.values() for path in paths}))

    def about(self, page: PageFacts) -> tuple[str, ...]:
        """The other pages with claims that name this one as what they are about, by path."""
        names = {name_key(page.stem), *page.called}
        found = self._ask(lambda view: view.paths({ABOUT + name for name in names}))
        return tuple(sorted({p for paths in found.values() for p in paths} - {page.path}))

    def linking(self, path: str) -> tuple[str, ...]:
        """The other pages that link to the page by its file name, by path."""
        name = name_key(stem_of(path))
        return tuple(p for p in self._ask(lambda view: view.linking(name)) if p != path)

    def linking_by(self, names: Iterable[str]) -> tuple[str, ...]:
        """The pages with links of one of those names, whatever they lead to, by path."""
        keys = sorted({name_in(link_key(name)) for name in names} - {""})
        return self._ask(lambda view: tuple(sorted({p for key in keys for p in view.linking(key)})))

    def saying(self, names: Collection[str]) -> tuple[str, ...]:
        """Pages whose claims may hold one of the names; those first that most pages link to."""

        def ranked(view: Overlay) -> tuple[str, ...]:
            paths = self._claim_words.pages(view, names)
            stems = {path: name_key(stem_of(path)) for path in paths}
            links = view.links.counts_of(set(stems.values()))
            return tuple(sorted(paths, key=lambda path: (-links[stems[path]], path)))

        return self._ask(ranked)

    def with_words(self, phrases: Iterable[str]) -> tuple[str, ...]:
        """The pages that may hold all words of one of the phrases, by path; it may name too many:
        a page that the index does not hold as it is now is always among them."""

        def found(view: Overlay) -> tuple[str, ...]:
            groups = (terms(phrase) for phrase in phrases)
            below = {
                path
                for group in groups
                for path in view.base.together(storable(WORD + term for term in group))
            }
            own = {path for path, held in view.over().items() if held is not None}
            return tuple(sorted(own.union(below - view.over().keys())))

        return self._ask(found)

    def retracted(self) -> list[Page]:
        """The pages of sources that were retracted, by path."""
        found = (self.page(path) for path in self._paths(RETRACTED))
        return [page for page in found if page is not None]

    def _having(self, key: str) -> list[PageFacts]:
        paths = self._paths(key)
        facts = self.facts(paths)
        return [facts[path] for path in paths]

    def _paths(self, key: str) -> tuple[str, ...]:
        return self._ask(lambda view: view.paths((key,))).get(key, ())

    def having(self, key: str) -> tuple[str, ...]:
        """The pages that have a key of `index.keys`, by path."""
        return self._paths(key)

    def types(self) -> dict[str, int]:
        """How many pages there are of each type, by type."""
        return self._view.types()

    @property
    def sums(self) -> Sums:
        """How many pages, claims and struck claims there are."""
        return self._view.sums

    # --- catalogue -----------------------------------------------------------------------

    def totals(self) -> Totals:
        """The counts of the overview."""
        return self._ask(listing.totals)

    def index_files(self) -> dict[str, str]:
        """index.md and, in a large wiki, its shards: path to text; reads the whole wiki."""
        return self._ask(listing.index_files)

    def index_files_after(self, previous: Before) -> dict[str, str | None]:
        """The catalogue's files that may differ since the preview that returned `previous`.

        None: the file is no more. Cost grows with what changed, not with the wiki, save for a
        wiki that crosses the size at which shards begin.
        """
        before = {path: held.facts if held else None for path, held in previous.items()}
        return self._ask(
            lambda view: (
                listing.parts_out_of_step(view, self.text) | listing.index_files_after(view, before)
            )
        )

    def index_parts(self) -> list[str]:
        """The parts of the index that the commit has, whether pages belong into them or not."""
        found = (
            f"{folder}/{name}"
            for folder in PART_FOLDERS
            for name in self.repo.names(self.commit, folder)
        )
        return [path for path in found if is_catalogue(path)]

    def preview(self, pages: Mapping[str, Page | None]) -> Before:
        """Shows the pages of a plan as if they had landed; returns what was there."""
        paths = sorted(path for path in pages if is_page(path))
        before = self._ask(lambda view: {path: view.held(path) for path in paths})
        shown: dict[str, HeldPage | None] = {}
        for path in paths:
            page = pages[path]
            shown[path] = None
            if page is not None:
                data = encode(page.text)
                oid = object_id("blob", data, self.repo.object_format)
                shown[path] = HeldPage(_facts(path, data), oid)
                self._unlanded[oid] = data
                self._keep(page, oid)
        self._ask(lambda view: view.put(shown))
        return before

    @property
    def has_previews(self) -> bool:
        """Whether pages of a plan are shown that have not landed, since it came to its commit."""
        return bool(self._unlanded)

    def restore(self, before: Before) -> None:
        """Takes a preview back."""
        self._ask(lambda view: view.put(before))

    def landed(self, commit: str, *, told: bool = False) -> None:
        """The preview is now what the wiki holds at `commit`; `told`: catalogue and log too."""
        self._unlanded.clear()
        self.commit = self.own = commit
        self.told = commit if told else None


def encode(text: str) -> bytes:
    """The bytes of a page's text, as `WikiState` decoded them."""
    return text.encode("utf-8", "surrogateescape")


def _path_of(facts: PageFacts) -> str:
    return facts.path


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _facts(path: str, data: bytes) -> PageFacts:
    """The facts as the index takes them: what is no UTF-8 is nowhere looked for."""
    return facts_of(path, data.decode("utf-8", "ignore"))


def _open_index(repo: Repository, _commit: str) -> Base:
    # HEAD is what nearly everyone asks for: for another commit the difference is added here.
    from llmwiki.index.memory_base import open_index

    return open_index(repo)
