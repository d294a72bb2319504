"""Where everything of a bundle belongs here: its documents below raw/, its pages by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from llmwiki.core.agent_files import harmless
from llmwiki.core.document import Document
from llmwiki.core.errors import PolicyError, WikiError
from llmwiki.core.page_kinds import MEMORY, is_of_subject
from llmwiki.core.secrets import refuse
from llmwiki.core.text import fold, sha256_hex
from llmwiki.exchange.folder import ForeignFolder, OmittedFile
from llmwiki.exchange.okf import REFERENCES
from llmwiki.exchange.readings import ReadingTerms
from llmwiki.exchange.statements import ForeignStatement
from llmwiki.memory.state import WikiState
from llmwiki.pages.names import is_reserved, name_key, page_path, source_id, stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.retraction import retraction
from llmwiki.pages.tombstones import ledger_path, tombstones
from llmwiki.repo.repository import Repository
from llmwiki.retrieval.identity import resolve
from llmwiki.sources.document import read_document
from llmwiki.sources.paths import is_source
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.store.paths import check_text


@dataclass
class BundleSource:
    """A source of the bundle whose bytes are at hand."""

    id: str
    document: Document
    data: bytes
    is_known: bool
    """Whether the wiki has read these bytes."""

    @cached_property
    def finder(self) -> QuoteFinder:
        """Finds quotes in its text."""
        return QuoteFinder(self.document)


class BundlePage(NamedTuple):
    """A page of the bundle that this program wrote."""

    path: str
    """In the folder."""
    values: dict[str, object]
    body: str
    text: str

    @property
    def stem(self) -> str:
        """Its file name without the ending."""
        return stem_of(self.path)

    @property
    def type(self) -> str:
        """As its frontmatter says."""
        return str(self.values["type"])

    @property
    def title(self) -> str:
        """As its frontmatter says; else its file name."""
        title = self.values.get("title")
        return title if isinstance(title, str) and title.strip() else self.stem


@dataclass(slots=True)
class RestoredBundle:
    """The pages of a bundle as pages of the wiki."""

    pages: dict[str, Page | None] = field(default_factory=dict)
    """The state after, of the pages that change."""
    new_files: dict[str, bytes] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)
    """Path in the folder to `restored` or `unchanged`."""
    verified: dict[str, int] = field(default_factory=dict)
    """Path in the folder to the claims that came back with evidence."""
    unverified: dict[str, tuple[ForeignStatement, ...]] = field(default_factory=dict)
    """Path in the folder to the claims of that page without any."""
    documents: dict[str, str] = field(default_factory=dict)
    """Path below raw/ to SHA-256, of the sources that were copied there."""
    others: tuple[str, ...] = ()
    """Pages of the folder that are none of ours."""
    notes: list[str] = field(default_factory=list)
    left_out: list[OmittedFile] = field(default_factory=list)

    def leave_out(self, path: str, reason: str) -> None:
        """Tells why a file of the folder, or a part of it, does not come."""
        self.left_out.append(OmittedFile(path, reason))


class BundlePlaces:
    """Takes the pages of a bundle one by one; what it finds out stands in its attributes."""

    def __init__(
        self,
        repo: Repository,
        state: WikiState,
        folder: ForeignFolder,
        terms: ReadingTerms,
        done: RestoredBundle,
    ) -> None:
        self._repo, self._state, self._folder, self._terms = repo, state, folder, terms
        self._done = done
        self.sources: dict[str, BundleSource] = {}
        """Id in the bundle to the source."""
        self.retracted: set[str] = set()
        """Ids in the bundle of sources that were retracted here."""
        self.stems: dict[str, str] = {}
        """Path in the bundle to the file name of the page here."""
        self.targets: dict[str, str] = {}
        """Path in the bundle to the path of the page here."""
        self.buried: set[str] = set()
        """Ids of claims of which the sources' pages here say that they were taken out."""
        self._names: set[str] = set()
        """Keys of file names that pages of the bundle have taken."""

    def take_source(self, ledger: BundlePage) -> None:
        """Takes the bytes of a source, where they are in the bundle or here."""
        sha256 = str(ledger.values.get("sha256") or "")
        place = str(ledger.values.get("source") or "")
        known = self._state.ledgers_with(sha256) if sha256 else ()
        data = self._bytes(sha256)
        if any((held := retraction(p)) is not None and sha256 in held.hashes
               for p in self._state.retracted()):  # fmt: skip
            self.retracted.add(ledger.stem)
            self._done.leave_out(ledger.path, "its source was retracted here")
        elif known:
            page = self._state.page(known[0].path)
            own = page.own_source if page else None
            path = own.resource.removeprefix("/") if own else ""
            data = data or self._repo.read_source(self._state.commit, path)
            if data is not None and (document := self._document(path, data)):
                self._add_source(ledger, BundleSource(known[0].stem, document, data, True))
        elif data is not None:
            path = self._free_place(place, sha256)
            document = self._document(path, data)
            if document is not None:
                self._add_source(
                    ledger, BundleSource(self._free_id(ledger, path), document, data, False)
                )
        if ledger.stem not in self.sources and ledger.stem not in self.retracted:
            copy = f"raw/imports/{self._terms.name}/{ledger.path}"
            self.stems[ledger.path] = source_id(copy, self._is_taken)
            self._done.notes.append(
                f"no bytes of {place or ledger.stem}: nobody can check its quotes"
            )

    def _add_source(self, ledger: BundlePage, source: BundleSource) -> None:
        self.sources[ledger.stem] = source
        self.stems[ledger.path] = source.id
        self.targets[ledger.path] = ledger_path(source.id)
        self._names.add(name_key(source.id))
        held = self._state.page(ledger_path(source.id))
        if held is not None:
            self.buried |= {each.claim for each in tombstones(held)}
        if source.is_known:
            return
        path, document = source.document.path, source.document
        if self._repo.read_source(self._state.commit, path) != source.data:
            self._done.new_files[path] = source.data
        if document.text_path and document.text_bytes is not None:
            self._done.new_files[document.text_path] = document.text_bytes
        self._done.documents[path] = document.sha256

    @cached_property
    def _by_hash(self) -> Mapping[str, bytes]:
        start = f"{REFERENCES}/"
        files = self._folder.files
        return {sha256_hex(files[p]): files[p] for p in files if p.startswith(start)}

    def _bytes(self, sha256: str) -> bytes | None:
        return self._by_hash.get(sha256)

    def _document(self, path: str, data: bytes) -> Document | None:
        try:
            document = read_document(path, data, limits=self._terms.limits)
            text = "\n".join(document.lines)
            refuse([text], allowed=self._terms.allowed_secrets, what="it", where=path)
        except WikiError as error:
            self._done.leave_out(path, error.what)
            return None
        return document

    def _free_place(self, place: str, sha256: str) -> str:
        """Where below raw/ a document goes: to its own place, unless another one lies there."""
        try:
            check_text(place)
            place = harmless(place)
            is_good = is_source(place)
        except (PolicyError, UnicodeError):
            is_good = False
        if is_good and self._state.ledger_of(place) is None:
            held = self._repo.read_source(self._state.commit, place)
            with self._repo.folders() as folders:
                try:
                    lying = folders.read(self._repo.prefix + place)
                except (PolicyError, OSError):
                    is_good = False
                    lying = None
            if is_good and all(d is None or sha256_hex(d) == sha256 for d in (held, lying)):
                return place
        name = place.rpartition("/")[2] if is_good else "document.txt"
        return f"raw/imports/{self._terms.name}/{REFERENCES}/{sha256[:16]}/{name}"

    def _free_id(self, ledger: BundlePage, path: str) -> str:
        if not self._is_taken(name_key(ledger.stem)) and not is_reserved(ledger.stem):
            return ledger.stem
        return source_id(path, self._is_taken)

    def _is_taken(self, key: str) -> bool:
        return key in self._names or self._state.file_named(key) is not None

    def take_name(self, each: BundlePage) -> None:
        """Which page here a page of the bundle is: by its title, an alias, or a new one."""
        path = f"wiki/{each.path}"
        target: str | None = None
        if is_of_subject(path):
            listed = each.values.get("aliases")
            aliases = (
                tuple(a for a in listed if isinstance(a, str)) if isinstance(listed, list) else ()
            )
            found = resolve(
                each.title, aliases, each.type, None, self._state.names,
                lambda _a, _b: "its list of aliases says so",
            )  # fmt: skip
            target = found.path
            if target is not None and fold(each.title) != fold(self._title(target)):
                told = f"{each.title} is filed under {self._title(target)}: {found.why}"
                self._done.notes.append(told)
        elif self._state.page(path) is not None:
            target = path
        if target is None:
            is_free = not self._is_taken(name_key(each.stem)) and not is_reserved(each.stem)
            if is_free or path == MEMORY:
                target = path
            else:
                target = page_path(each.type, each.title, self._is_taken)
        self.targets[each.path] = target
        self.stems[each.path] = stem_of(target)
        self._names.add(name_key(stem_of(target)))

    def _title(self, path: str) -> str:
        page = self._state.page(path)
        return page.title if page else ""
