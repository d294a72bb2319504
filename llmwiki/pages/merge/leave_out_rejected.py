"""The pages of a difference without what a person has not accepted of it.

Each line is taken from one of the two states, by what it is of: a claim's from the newer one where
the claim is accepted, a footnote where it is cited, a record's line with its claim. So accepting in
any order comes to the same pages as accepting all at once (tested).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property

from llmwiki.core.claim_attributes import LINKS
from llmwiki.pages.claim_head import ARROW
from llmwiki.pages.difference.review_items import Pages, ReviewedDifference, page_item_id
from llmwiki.pages.difference.row_changes import RowChange
from llmwiki.pages.difference.rows import TO, line_rows
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.linked_text import bare, same_words, unstruck
from llmwiki.pages.merge.repair_assembled_page import (
    give_footnotes,
    read_back,
    with_footnotes_of,
    without_empty_sections,
)
from llmwiki.pages.merge.two_records import with_all
from llmwiki.pages.page import SECTIONS, GeneratedMarks, Page
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.page_tree import Key, PageNode
from llmwiki.pages.tombstones import is_partial, ledger_path, taken_in_part
from llmwiki.pages.write import generated_node, with_body


def leave_out(before: Pages, after: Pages, ids: Set[str]) -> dict[str, Page]:
    """The pages `after` without those items; `after` itself where none is left out.

    A source that was read in a new version is accepted whole: its quotes stand in
    other bytes.
    """
    whole = ReviewedDifference(before, after)
    wanted = _with_versions(whole, whole.ids - ids)
    if wanted == whole.ids:
        return dict(after)
    return _Part(whole, wanted).pages()


def _with_versions(whole: ReviewedDifference, wanted: frozenset[str]) -> frozenset[str]:
    """The ids, with all items of a source that was read in a new version and has one of them."""
    for change in whole.changes:
        if change.name == "sha256" and change.verb == "changed":
            own = _of_source(whole, change)
            wanted = wanted | own if wanted & own else wanted
    return wanted


def _of_source(whole: ReviewedDifference, change: RowChange) -> frozenset[str]:
    """The items on a source's page, and those on others that its evidence has a part in."""
    source = stem_of(change.page)
    return frozenset(i.id for i in whole.items if i.path == change.page or source in i.sources)


class _Part:
    """The pages with the accepted items."""

    def __init__(self, whole: ReviewedDifference, wanted: frozenset[str]) -> None:
        self.whole = whole
        self.wanted = wanted
        landing = [item for item in whole.items if item.id in wanted]
        cited = {source for item in landing for source in item.sources}
        self.touched = {item.path for item in landing} | set(map(ledger_path, cited))
        waiting = whole.after.keys() - whole.before.keys() - self.touched
        self.waiting = frozenset(name_key(stem_of(path)) for path in waiting)
        """File names, folded, of the pages that are new and do not land."""

    def pages(self) -> dict[str, Page]:
        """All pages."""
        found: dict[str, Page] = {}
        for path in sorted({*self.whole.before, *self.whole.after}):
            page = self._page(path, self.whole.before.get(path), self.whole.after.get(path))
            if page is not None:
                found[path] = page
        return found

    def _page(self, path: str, old: Page | None, new: Page | None) -> Page | None:
        if old is not None and new is not None and old.node == new.node:
            return old
        if old is None and path not in self.touched:
            return None
        if new is None:
            items = {item.id for item in self.whole.items if item.path == path}
            if items <= self.wanted:
                return None
        page = _PagePart(self, path, old, new).page()
        # The mark of what was let in in part goes with the last item.
        page = taken_in_part(page) if old is not None and is_partial(old) else page
        return old if old is not None and page.node == old.node else page


class _PagePart:
    """One page, put together of what lands and what stays."""

    def __init__(self, part: _Part, path: str, old: Page | None, new: Page | None) -> None:
        self._part = part
        self._path = path
        self._old = old
        self._new = new
        self._is_touched = (path in part.touched) or old is None

    def page(self) -> Page:
        """The page."""
        old, new = self._old, self._new
        sections: dict[Key, str] = {}
        for side in (old, new):
            sections |= {node.key: name for node, name in side.with_sections()} if side else {}
        bodies = (side.body if side else () for side in (old, new))
        found = (self._node(one, other, sections[key]) for key, one, other in _paired(*bodies))
        front = self._front()
        rest = tuple(p for p in self._here.node.parts if p.kind != "front")
        node = replace(self._here.node, parts=(*((front,) if front else ()), *rest))
        page = with_body(Page(self._path, node), [each for each in found if each is not None])
        page = without_empty_sections(page, *(side for side in (old, new) if side))
        if old is not None:
            page = give_footnotes(old, page)
        if new is not None:
            page = give_footnotes(new, with_footnotes_of(page, new))
        return read_back(page)

    # --- body ----------------------------------------------------------------------------

    def _node(self, old: PageNode | None, new: PageNode | None, section: str) -> PageNode | None:
        """A line of the body as it lands; None where it does not stand."""
        if old == new or (old is not None and new is not None and old.bare() == new.bare()):
            return new
        node = new or old
        assert node is not None
        if node.kind in ("c", "n"):
            return self._claim(old, new)
        if node.kind == "record":
            return self._record(old, new)
        if node.kind == "lead":
            return self._lead(old, new)
        return new if self._lands(node, section) else old

    def _lands(self, node: PageNode, section: str) -> bool:
        """Whether a line that is no claim is as in the newer state."""
        kind = node.kind
        if kind == "h1":
            return self._old is None or self._lands_page
        if kind == "h":
            return node.key[2] in SECTIONS or self._lands_page
        if kind in ("fn", "tail"):
            return self._new is not None
        if kind == "rel":
            told = line_rows(self._here, node, section)
            ends = {name_key(end) for row in told for end in (row.id, row.name.rpartition(TO)[2])}
            return self._lands_page and not ends & self._part.waiting
        return kind == "x" and self._lands_page

    @cached_property
    def _lands_page(self) -> bool:
        """Whether what is no claim lands: with its item, or, where it is none, with anything of the
        page."""
        ident, part = page_item_id(self._path), self._part
        return ident in part.wanted if ident in part.whole.ids else self._path in part.touched

    def _plain(self, raw: str) -> str:
        """A text without links to pages that do not land."""

        def leads(target: str) -> bool:
            key = link_key(target.partition("#")[0], self._path).rpartition("/")[2]
            return "#^" not in target and key in self._part.waiting

        return bare(raw, leads)

    @cached_property
    def _here(self) -> Page:
        page = self._new or self._old
        assert page is not None
        return page

    def _lead(self, old: PageNode | None, new: PageNode | None) -> PageNode | None:
        is_same = old is not None and new is not None and same_words("lead", old.raw, new.raw)
        if not (self._is_touched if is_same else self._lands_page):
            return old
        return replace(new, raw=self._plain(new.raw)) if new else None

    def _record(self, old: PageNode | None, new: PageNode | None) -> PageNode | None:
        """The folded record of a source, line by line: each lands with its claim."""
        parts = []
        for key, held, came in _paired(_parts(old), _parts(new)):
            ident = key[1] if len(key) > 1 else ""
            parts.append(came if self._lands_with(ident) else held)
        return _of_parts(new or old, parts)

    def _lands_with(self, ident: str) -> bool:
        """Whether what is of a claim lands: with it, or, where it is no item, with the page."""
        part = self._part
        return ident in part.wanted if ident in part.whole.ids else self._is_touched

    # --- claims --------------------------------------------------------------------------

    def _claim(self, old: PageNode | None, new: PageNode | None) -> PageNode | None:
        if new is None:
            return None if old is None or self._lands_with(old.key[1]) else old
        own = new.key[1] in self._part.wanted
        if old is None and not own:
            return None
        parts = []
        for key, held, came in _paired(_parts(old), new.parts):
            if key == ("a",) and (held is None or held.parts):
                parts.append(self._attributes(held, came, own=own))
            else:
                # Words behind a quote are no item: they land with anything else of the page.
                is_dress = held is not None and came is not None and self._is_touched
                parts.append(came if own or is_dress else held)
        shell = replace(new, raw=self._text(old, new, own=own))
        return replace(shell, parts=tuple(each for each in parts if each is not None))

    def _attributes(
        self, old: PageNode | None, new: PageNode | None, *, own: bool
    ) -> PageNode | None:
        """The attributes of a claim: a tie to a new claim lands with that one."""
        if new is not None and not new.parts:
            return new if own else old
        pairs = []
        for _key, held, came in _paired(_parts(old), _parts(new)):
            led = _led_to(came or held)
            lands = led in self._part.wanted if led in self._part.whole.new else own
            pairs.append(came if lands else held)
        return _of_parts(new or old, pairs)

    def _text(self, old: PageNode | None, new: PageNode, *, own: bool) -> str:
        """The text of a claim, without a strike by one that does not land."""
        if old is None:
            stands = self._part.whole.stands(successor(new.raw), self._part.wanted)
            return self._plain(new.raw if stands else unstruck(new.raw))
        if old.raw == new.raw:
            return old.raw
        lands = own
        by = successor(new.raw)
        if same_words(old.kind, old.raw, new.raw):
            lands = own or self._is_touched
        elif ARROW not in old.raw and by in self._part.whole.new:
            lands = by in self._part.wanted
        return self._plain(new.raw) if lands else old.raw

    # --- frontmatter ---------------------------------------------------------------------

    def _front(self) -> PageNode | None:
        old, new = (side.front if side else None for side in (self._old, self._new))
        parts = [
            self._entry(key[-1], one, other)
            for key, one, other in _paired(_parts(old), _parts(new))
        ]
        return _of_parts(new or old, parts)

    def _entry(self, name: str, old: PageNode | None, new: PageNode | None) -> PageNode | None:
        if name == "close":
            return new if self._new is not None else old
        if name in ("description", "generated"):
            if name == "generated" and self._old is None and not self._lands_page:
                # It says which program made the page.
                return generated_node(GeneratedMarks(self._here.marks.by))
            return new if self._lands_page else old
        if name in ("aliases", "tags") or (name == "title" and self._old is not None):
            return new if self._lands_page else old
        return new if self._is_touched and self._new is not None else old


def _parts(node: PageNode | None) -> tuple[PageNode, ...]:
    return node.parts if node else ()


def _of_parts(shell: PageNode | None, parts: Iterable[PageNode | None]) -> PageNode | None:
    """A node of those of its parts that stand; None where none does."""
    kept = tuple(part for part in parts if part is not None)
    return replace(shell, parts=kept) if shell is not None and kept else None


def _paired(
    old: Sequence[PageNode], new: Sequence[PageNode]
) -> Iterator[tuple[Key, PageNode | None, PageNode | None]]:
    """The nodes of two states by their keys, in one order."""
    held, came = ({node.key: node for node in side} for side in (old, new))
    return ((key, held.get(key), came.get(key)) for key in with_all(list(held), list(came)))


def successor(raw: str) -> str:
    """The claim that the arrow of a struck claim leads to; empty where it leads to none."""
    found = CLAIM_IN_LINK.search(raw.rpartition(ARROW)[2]) if ARROW in raw else None
    return found[1] if found else ""


def _led_to(pair: PageNode | None) -> str:
    """The claim that an attribute leads to; empty for one that leads to none."""
    key = pair.key if pair else ()
    return key[3] if len(key) > 3 and key[1] in LINKS else ""
