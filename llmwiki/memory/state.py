"""What the wiki holds at one commit: the facts of all pages, kept by difference."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping

from llmwiki.core.text import normalise
from llmwiki.index.facts import Facts, facts_of, is_page
from llmwiki.index.lookup import Names
from llmwiki.pages.catalogue import (
    SHARD_ABOVE,
    TOP_PAGES,
    Entry,
    Totals,
    render_index,
    render_shard,
    render_shard_index,
    shard_path,
)
from llmwiki.pages.names import name_key
from llmwiki.pages.page import Page
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import object_id

SUBJECT_TYPES = ("entity", "concept")

KEPT_PAGES = 320
"""Parsed pages that are kept for the next operation."""


class State:
    """Facts of every page at `commit`; `advance` follows the repository from commit to commit.

    Reading the whole wiki once costs about 0.1 ms a page; following a commit costs what it
    changed.
    """

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.commit: str | None = None
        self.own: str | None = None
        """The newest commit, where this state landed it: catalogue and log are in step there."""
        self.facts: dict[str, Facts] = {}
        self.names = Names()
        self.claim_page: dict[str, str] = {}
        self.file_names: dict[str, str] = {}
        """Folded file name of every page to its path."""
        self.ledgers: dict[str, Facts] = {}
        """Ledger by source id."""
        self._by_resource: dict[str, Facts] = {}
        self._by_sha: dict[str, dict[str, Facts]] = {}
        self._oids: dict[str, str] = {}
        self._linked: Counter[str] = Counter()
        self._entries: dict[tuple[str, str], dict[str, Entry]] = {}
        self._types: Counter[str] = Counter()
        self._tags: Counter[str] = Counter()
        self._by_count: dict[int, set[str]] = {}
        """Link targets by how many pages link to them."""
        self._parsed: OrderedDict[tuple[str, str], Page] = OrderedDict()

    # --- following commits ---------------------------------------------------------------

    def advance(self, commit: str | None) -> None:
        """Brings the facts to `commit`."""
        if commit == self.commit:
            return
        if commit is None or self.commit is None:
            self._reset()
            tree = self.repo.tree(commit, "wiki") if commit else {}
            changed: dict[str, str | None] = {path: entry[1] for path, entry in tree.items()}
        else:
            difference = self.repo.diff_trees(self.commit, commit, "wiki")
            changed = {change.path: change.new and change.new[1] for change in difference}
        self._take(changed)
        self.commit = commit

    def _reset(self) -> None:
        self.facts.clear()
        self.names = Names()
        for kept in (self.claim_page, self.file_names, self.ledgers, self._oids, self._entries):
            kept.clear()
        self._by_resource.clear()
        self._by_sha.clear()
        for counter in (self._linked, self._types, self._tags):
            counter.clear()
        self._by_count.clear()

    def _take(self, changed: Mapping[str, str | None]) -> None:
        pages = {path: oid for path, oid in changed.items() if is_page(path)}
        for path in sorted(pages):
            self._forget(path)
        wanted = {path: oid for path, oid in pages.items() if oid is not None}
        paths = sorted(wanted)
        blobs = self.repo.read_many([wanted[path] for path in paths])
        for path, blob in zip(paths, blobs, strict=True):
            self._oids[path] = wanted[path]
            self._add(facts_of(path, _text(blob)))

    def _forget(self, path: str) -> None:
        facts = self.facts.pop(path, None)
        self._oids.pop(path, None)
        if facts is None:
            return
        self.names.remove(path)
        for claim in facts.claims:
            if self.claim_page.get(claim) == path:
                del self.claim_page[claim]
        if self.file_names.get(name_key(facts.stem)) == path:
            del self.file_names[name_key(facts.stem)]
        if facts.type == "source" and self.ledgers.get(facts.stem) is facts:
            del self.ledgers[facts.stem]
            self._by_sha.get(recorded_sha(facts), {}).pop(path, None)
            if self._by_resource.get(resource_of(facts)) is facts:
                del self._by_resource[resource_of(facts)]
        self._count(facts, -1)
        entry = _entry(facts)
        shard = self._entries.get(entry.shard, {})
        shard.pop(path, None)
        if not shard:
            self._entries.pop(entry.shard, None)

    def _add(self, facts: Facts) -> None:
        self.facts[facts.path] = facts
        if facts.type in SUBJECT_TYPES:
            self.names.add(facts.path, facts.title, facts.aliases)
        for claim in facts.claims:
            self.claim_page.setdefault(claim, facts.path)
        self.file_names.setdefault(name_key(facts.stem), facts.path)
        if facts.type == "source":
            self.ledgers[facts.stem] = facts
            self._by_resource.setdefault(resource_of(facts), facts)
            self._by_sha.setdefault(recorded_sha(facts), {})[facts.path] = facts
        self._count(facts, 1)
        entry = _entry(facts)
        self._entries.setdefault(entry.shard, {})[facts.path] = entry

    def _count(self, facts: Facts, sign: int) -> None:
        for link in facts.links:
            count = self._linked[link]
            if count:
                self._by_count[count].discard(link)
            self._linked[link] = count + sign
            if count + sign:
                self._by_count.setdefault(count + sign, set()).add(link)
            else:
                del self._linked[link]
        self._types[facts.type] += sign
        for tag in facts.tags:
            self._tags[tag] += sign
            if not self._tags[tag]:
                del self._tags[tag]

    # --- reading -------------------------------------------------------------------------

    def page(self, path: str) -> Page | None:
        """The page at that path in `commit`; None where there is none."""
        oid = self._oids.get(path)
        if oid is None:
            return None
        held = self._parsed.get((path, oid))
        if held is None:
            held = Page.parse(path, _text(self.repo.read_many([oid])[0]))
            self._keep(held, oid)
        else:
            self._parsed.move_to_end((path, oid))
        return held

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

    def ledger_of(self, raw_path: str) -> Facts | None:
        """The ledger whose source is that file."""
        return self._by_resource.get(raw_path)

    def ledgers_with(self, sha256: str) -> tuple[Facts, ...]:
        """The ledgers whose recorded bytes have that hash, by path."""
        found = self._by_sha.get(sha256, {})
        return tuple(found[path] for path in sorted(found))

    def citing(self, source_id: str) -> tuple[str, ...]:
        """The pages, its ledger excepted, that list a source among theirs; by path."""
        return tuple(
            path
            for path, facts in sorted(self.facts.items())
            if facts.type != "source" and any(s.id == source_id for s in facts.sources)
        )

    # --- catalogue -----------------------------------------------------------------------

    def totals(self) -> Totals:
        """The counts of the overview."""
        top: list[tuple[str, int]] = []
        for count in sorted(self._by_count, reverse=True):
            paths = (self.file_names.get(name) for name in self._by_count[count])
            top += [(p, count) for p in sorted(filter(None, paths)) if self._is_ranked(p)]
            if len(top) >= TOP_PAGES:
                break
        return Totals(
            pages={kind: count for kind, count in sorted(self._types.items()) if count},
            claims=len(self.claim_page),
            tags=dict(self._tags),
            top=[(_entry(self.facts[path]), count) for path, count in top[:TOP_PAGES]],
        )

    def _is_ranked(self, path: str) -> bool:
        return self.facts[path].type in (*SUBJECT_TYPES, "synthesis")

    def index_files(self) -> dict[str, str]:
        """index.md and, in a large wiki, its shards: path to text."""
        count = len(self.facts)
        if count <= SHARD_ABOVE:
            entries = [e for shard in self._entries.values() for e in shard.values()]
            return {"wiki/index.md": render_index(entries)}
        files = {
            shard_path(shard): render_shard(shard, entries.values())
            for shard, entries in self._entries.items()
        }
        counts = {shard: len(entries) for shard, entries in self._entries.items()}
        files["wiki/index.md"] = render_shard_index(counts)
        return files

    def index_files_after(self, previous: Before) -> dict[str, str | None]:
        """The catalogue's files that may differ since the preview that returned `previous`.

        None: the file is no more. Cost grows with what changed, not with the wiki, save for a
        wiki that crosses the size at which shards begin.
        """
        before = {path: facts for path, (facts, _oid) in previous.items()}
        count_before = len(self.facts) + sum(
            (old is not None) - (path in self.facts) for path, old in before.items()
        )
        touched: set[tuple[str, str]] = set()
        for path, old in before.items():
            new = self.facts.get(path)
            listed = {_entry(facts) for facts in (old, new) if facts is not None}
            if len(listed) == 2 or old is None or new is None:
                touched |= {entry.shard for entry in listed}
        large, was_large = len(self.facts) > SHARD_ABOVE, count_before > SHARD_ABOVE
        if large != was_large or not large:
            files: dict[str, str | None] = dict(self.index_files())
            if was_large:
                for shard in touched | set(self._entries):
                    files.setdefault(shard_path(shard), None)
            return files
        files = {}
        for shard in touched:
            entries = self._entries.get(shard)
            files[shard_path(shard)] = render_shard(shard, entries.values()) if entries else None
        counts = {shard: len(entries) for shard, entries in self._entries.items()}
        files["wiki/index.md"] = render_shard_index(counts)
        return files

    def preview(self, pages: Mapping[str, Page | None]) -> Before:
        """Puts the pages of a plan into the facts; returns what was there, for `restore`."""
        before = {
            path: (self.facts.get(path), self._oids.get(path)) for path in pages if is_page(path)
        }
        for path in sorted(before):
            page = pages[path]
            self._forget(path)
            if page is not None:
                self._add(facts_of(path, page.text))
                data = encode(page.text)
                oid = self._oids[path] = object_id("blob", data, self.repo.object_format)
                self._keep(page, oid)
        return before

    def restore(self, before: Before) -> None:
        """Takes a preview back."""
        for path in sorted(before):
            self._forget(path)
        for path, (facts, oid) in sorted(before.items()):
            if facts is not None and oid is not None:
                self._add(facts)
                self._oids[path] = oid

    def landed(self, commit: str) -> None:
        """The preview is now what the wiki holds at `commit`."""
        self.commit = self.own = commit


Before = Mapping[str, tuple[Facts | None, str | None]]


def encode(text: str) -> bytes:
    """The bytes of a page's text, as `State` decoded them."""
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _entry(facts: Facts) -> Entry:
    return Entry(facts.path, facts.type, normalise(facts.title), facts.description)


def resource_of(ledger: Facts) -> str:
    """The file below raw/ that a ledger tells of; empty where it names none."""
    own = next((s for s in ledger.sources if s.id == ledger.stem), None)
    return own.resource.removeprefix("/") if own else ""


def recorded_sha(ledger: Facts) -> str:
    """The SHA-256 of the bytes that a ledger tells of; empty where it names none."""
    own = next((s for s in ledger.sources if s.id == ledger.stem), None)
    return own.sha256 if own else ""
