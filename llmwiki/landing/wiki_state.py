"""What the wiki holds at one commit, and what it would hold after a plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from llmwiki.core.errors import WikiError
from llmwiki.core.language.search_terms import terms
from llmwiki.core.page_and_note_kinds import SUBJECTS
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.repository import Repository
from llmwiki.git.trees import object_id
from llmwiki.index.index_at_commit import CommittedIndex
from llmwiki.index.keys_of_names import Lookup
from llmwiki.index.lookups import (
    ABOUT,
    BLOCK,
    CALLED,
    CLAIM,
    FILE,
    LINK,
    ORIGIN,
    RESOURCE,
    RETRACTED,
    SHA,
    SOURCE,
    TYPE,
    Sums,
)
from llmwiki.index.open_index import Index
from llmwiki.index.page_facts_record import PageFacts, is_catalogue, is_page
from llmwiki.landing import index_and_overview
from llmwiki.pages.catalogue import PART_FOLDERS, Entry, Totals
from llmwiki.pages.link_targets import LinkResolver, link_key, name_in
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, stem_of

KEPT_PAGES = 320
"""Parsed pages that are kept for the next operation."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Pages of a plan that are shown as if they had landed."""

    depth: int
    """How many previews were shown below it."""
    facts: Mapping[str, PageFacts | None]
    """What stood at the paths before; None: no page."""


class WikiState:
    """All pages of the wiki at `commit`; `advance` follows the repository from commit to commit.

    Stands on the index; see `index.committed`.
    """

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.commit: str | None = None
        self.own: str | None = None
        """The newest commit, where this state landed it."""
        self.told: str | None = None
        """The same, where catalogue and log were written with it: they are in step there."""
        self.newest: Commit | None = None
        """The commit that was read last, with its message."""
        self._shown = CommittedIndex(repo)
        self.names = Lookup(lambda: self._shown.index)
        """The titles and aliases of subjects and of documents."""
        self._unlanded: dict[str, bytes] = {}
        """Blob id to bytes of pages that are shown before they land: the repository lacks them."""
        self._text = ("", "", "")
        """What `text` gave last, with commit and path: a log is long and asked for twice."""
        self._parsed: OrderedDict[tuple[str, str], Page] = OrderedDict()

    # --- following commits ---------------------------------------------------------------

    def advance(self, commit: str | None) -> None:
        """Brings the pages to `commit`. No preview may be pending."""
        self._unlanded.clear()
        if commit != self.commit:
            self._shown.stand_at(commit)
            self.commit = commit

    def follow(self) -> str | None:
        """Brings the pages to HEAD and returns its commit. No preview may be pending."""
        head = self.repo.head()
        self.advance(head)
        return head

    @property
    def index(self) -> Index:
        """The index as it is now: to be asked, and not to be kept."""
        return self._shown.index

    # --- reading -------------------------------------------------------------------------

    def page(self, path: str) -> Page | None:
        """The page at that path in `commit`; None where there is none."""
        return self.pages((path,)).get(path)

    def pages(self, paths: Iterable[str]) -> dict[str, Page]:
        """Those of the pages that there are in `commit`, read at once; by path."""
        oids = dict(sorted(self.index.oids(paths).items()))
        found = {path: self._parsed.get((path, oid)) for path, oid in oids.items()}
        unread = [path for path, page in found.items() if page is None]
        blobs = self._blobs([oids[path] for path in unread])
        found |= {p: Page.parse(p, _text(data)) for p, data in zip(unread, blobs, strict=True)}
        held = {path: page for path, page in found.items() if page is not None}
        for path, page in held.items():
            self._keep(page, oids[path])
        return held

    def _blobs(self, oids: Sequence[str]) -> list[bytes]:
        """The bytes of blobs, those that have not landed yet among them."""
        landed = [oid for oid in oids if oid not in self._unlanded]
        held = dict(zip(landed, self.repo.read_many(landed), strict=True)) if landed else {}
        return [held[oid] if oid in held else self._unlanded[oid] for oid in oids]

    def _keep(self, page: Page, oid: str) -> None:
        self._parsed[page.path, oid] = page
        self._parsed.move_to_end((page.path, oid))
        while len(self._parsed) > KEPT_PAGES:
            self._parsed.popitem(last=False)

    def text(self, path: str) -> str:
        """The text of any file of the wiki in `commit`; empty where there is none."""
        if self.commit is None:
            return ""
        if self._text[:2] != (self.commit, path):
            data = self.repo.read(self.commit, path)
            self._text = self.commit, path, "" if data is None else _text(data)
        return self._text[2]

    def fact(self, path: str) -> PageFacts | None:
        """The facts of a page; None where there is none."""
        return self.index.facts((path,)).get(path)

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of those of the pages that there are."""
        return self.index.facts(paths)

    def entries(self) -> list[Entry]:
        """Every page as the catalogue lists it, by path; reads the whole wiki."""
        return sorted(self.index.entries().values(), key=lambda entry: entry.path)

    def claim_page(self, ident: str) -> str | None:
        """The page a claim stands on, struck or not: the first by path."""
        return self.claim_pages((ident,)).get(ident)

    def claim_pages(self, ids: Iterable[str]) -> dict[str, str]:
        """Those of the claims that any page has, to the first page they stand on."""
        return self.index.first(CLAIM, ids)

    def claim_homes(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Those of the claims that any page has, to all pages they stand on, by path."""
        found = self.index.paths(CLAIM + ident for ident in ids)
        return {key.removeprefix(CLAIM): paths for key, paths in found.items()}

    def file_named(self, key: str) -> str | None:
        """The page whose file has a name, folded by `name_key`: the first by path."""
        return self.index.first(FILE, (key,)).get(key)

    def bearing(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The pages whose file has that name, and those that have it as a title or an alias; each
        by path."""
        key = link_key(name)
        return self.having(FILE + key), self.having(CALLED + key)

    @property
    def resolver(self) -> LinkResolver:
        """Where links lead among the pages of this state as it is now."""
        return LinkResolver(
            lambda name: self.having(FILE + name), lambda key: self.having(CALLED + key)
        )

    def resolver_of(self, keys: Collection[str]) -> LinkResolver:
        """The same for links of these keys: what they may lead to is looked up at once."""
        asked = [FILE + name_in(key) for key in keys] + [CALLED + key for key in keys]
        found = self.index.paths(asked)
        return LinkResolver(
            lambda name: found.get(FILE + name, ()), lambda key: found.get(CALLED + key, ())
        )

    def subjects(self, most: int) -> list[PageFacts]:
        """The entity and concept pages, by path; none where there are more than `most`."""
        types = self.types()
        if sum(types.get(kind, 0) for kind in SUBJECTS) > most:
            return []
        return sorted(
            (f for kind in SUBJECTS for f in self._facts_having(TYPE + kind)), key=_path_of
        )

    def ledger_of(self, raw_path: str) -> PageFacts | None:
        """The ledger whose source is that file; the first by path."""
        path = self.index.first(RESOURCE, (raw_path,)).get(raw_path) if raw_path else None
        return self.fact(path) if path else None

    def copy_from(self, origin: str) -> str:
        """The file below raw/ that is a copy from there, as its ledger says; empty: none is."""
        path = self.index.first(ORIGIN, (origin,)).get(origin)
        found = self.fact(path) if path else None
        return found.resource if found else ""

    def ledgers_with(self, sha256: str) -> tuple[PageFacts, ...]:
        """The ledgers whose recorded bytes have that hash, by path."""
        return tuple(self._facts_having(SHA + sha256)) if sha256 else ()

    def of_type(self, kind: str) -> tuple[str, ...]:
        """The pages of a type, by path."""
        return self.having(TYPE + kind)

    def ledgers(self) -> list[PageFacts]:
        """All ledgers, by path."""
        return self._facts_having(f"{TYPE}source")

    def citing(self, source_id: str) -> tuple[str, ...]:
        """The pages, its own excepted, that list a source among theirs; by path."""
        return tuple(f.path for f in self._facts_having(SOURCE + source_id) if f.stem != source_id)

    def naming(self, claim_ids: Iterable[str]) -> tuple[str, ...]:
        """The pages whose links or record name any of those claims, by path."""
        found = self.index.paths(BLOCK + each for each in claim_ids)
        return tuple(sorted({path for paths in found.values() for path in paths}))

    def about(self, page: PageFacts) -> tuple[str, ...]:
        """The other pages with claims that name this one as what they are about, by path."""
        names = {name_key(page.stem), *page.called}
        found = self.index.paths({ABOUT + name for name in names})
        return tuple(sorted({p for paths in found.values() for p in paths} - {page.path}))

    def linking(self, path: str) -> tuple[str, ...]:
        """The other pages that link to the page by its file name, by path."""
        return tuple(p for p in self.having(LINK + name_key(stem_of(path))) if p != path)

    def linking_by(self, names: Iterable[str]) -> tuple[str, ...]:
        """The pages with links of one of those names, whatever they lead to, by path."""
        keys = {LINK + name_in(link_key(name)) for name in names} - {LINK}
        found = self.index.paths(keys)
        return tuple(sorted({path for paths in found.values() for path in paths}))

    def saying(self, names: Collection[str]) -> tuple[str, ...]:
        """Pages whose claims may hold one of the names; those first that most pages link to."""
        paths = self.with_words(names)
        stems = {path: name_key(stem_of(path)) for path in paths}
        links = self.index.counts(LINK, stems.values())
        return tuple(sorted(paths, key=lambda path: (-links.get(stems[path], 0), path)))

    def with_words(self, phrases: Iterable[str]) -> tuple[str, ...]:
        """The pages that hold all words of one of the phrases, by path.

        A phrase without a search term is held by none.
        """
        found = [self.index.together(terms(phrase)) for phrase in phrases]
        return tuple(sorted({path for paths in found for path in paths}))

    def retracted(self) -> list[Page]:
        """The pages of sources that were retracted, by path."""
        return [*self.pages(self.having(RETRACTED)).values()]

    def _facts_having(self, key: str) -> list[PageFacts]:
        paths = self.having(key)
        facts = self.facts(paths)
        return [facts[path] for path in paths]

    def having(self, key: str) -> tuple[str, ...]:
        """The pages that have a key of `index.keys`, by path."""
        return self.index.paths((key,)).get(key, ())

    def types(self) -> dict[str, int]:
        """How many pages there are of each type, by type."""
        return self.index.tally(TYPE)

    @property
    def sums(self) -> Sums:
        """How many pages, claims and struck claims there are."""
        return self.index.sums

    # --- catalogue -----------------------------------------------------------------------

    def totals(self) -> Totals:
        """The counts of the overview."""
        return index_and_overview.totals(self.index)

    def index_files(self) -> dict[str, str]:
        """index.md and, in a large wiki, its shards: path to text; reads the whole wiki."""
        return index_and_overview.index_files(self.index)

    def index_files_after(self, shown: Preview) -> dict[str, str | None]:
        """The catalogue's files that may differ since before a preview.

        None: the file is no more. Cost grows with what changed, not with the wiki, save for a
        wiki that crosses the size at which shards begin.
        """
        return index_and_overview.index_files_after(self.index, shown.facts)

    def index_parts(self) -> list[str]:
        """The parts of the index that the commit has, whether pages belong into them or not."""
        found = (
            f"{folder}/{name}"
            for folder in PART_FOLDERS
            for name in self.repo.names(self.commit, folder)
        )
        return [path for path in found if is_catalogue(path)]

    # --- previews ------------------------------------------------------------------------

    def preview(self, pages: Mapping[str, Page | None]) -> Preview:
        """Shows the pages of a plan as if they had landed, until `restore`."""
        paths = sorted(path for path in pages if is_page(path))
        facts = self.facts(paths)
        shown: dict[str, bytes | None] = {}
        for path in paths:
            page = pages[path]
            shown[path] = data = None if page is None else encode(page.text)
            if page is not None and data is not None:
                oid = object_id("blob", data, self.repo.object_format)
                self._unlanded[oid] = data
                self._keep(page, oid)
        before = Preview(self._shown.depth, {path: facts.get(path) for path in paths})
        self._shown.show(shown)
        return before

    def restore(self, shown: Preview) -> None:
        """Takes a preview back, and all that were shown since."""
        self._shown.take_back(shown.depth)

    @contextmanager
    def shown(self, pages: Mapping[str, Page | None]) -> Iterator[None]:
        """A preview as long as a block lasts; of no pages, none is made."""
        before = self.preview(pages) if pages else None
        try:
            yield
        finally:
            if before is not None:
                self.restore(before)

    def landed(self, commit: str, *, told: bool = False) -> None:
        """What was planned is what the wiki holds at `commit`; `told`: catalogue and log too."""
        # The operation has landed, whatever becomes of the index.
        with suppress(WikiError):
            self.advance(commit)
        self.own = commit
        self.told = commit if told else None


def encode(text: str) -> bytes:
    """The bytes of a page's text, as `WikiState` decoded them."""
    return text.encode("utf-8", "surrogateescape")


def _path_of(facts: PageFacts) -> str:
    return facts.path


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
