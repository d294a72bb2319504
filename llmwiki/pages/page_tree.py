"""A page as a tree of keyed nodes.

A node has a key that is unique among its siblings, its own text, and parts. Rendering a parsed
page gives back its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageNode:
    """One keyed piece of a page."""

    key: Key
    """First element: the kind. Unique among siblings."""
    raw: str = ""
    """Its own text, without a final line feed; the text of its parts comes after it."""
    parts: tuple[PageNode, ...] = ()
    gap: str | None = None
    """The blank lines before it where they differ from the usual ones; None: the usual ones."""
    read: object = field(default=None, init=False, repr=False, compare=False)
    """The value that it was read as (`page.read_claim`), once it was: most claims of a page are
    the same nodes in the next version of the page."""
    text: str = field(default="", init=False, repr=False, compare=False)
    """Of a claim: what it was rendered to (`page_syntax.render_node`), once it was."""

    @property
    def kind(self) -> str:
        """The first element of the key."""
        return self.key[0]

    def part(self, key: Key) -> PageNode | None:
        """The part with that key."""
        return next((p for p in self.parts if p.key == key), None)

    def bare(self) -> PageNode:
        """The same node with the usual blank lines before it."""
        return self if self.gap is None else replace(self, gap=None)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two wishes for one piece of text; which one stands is said, so that a person can choose."""

    key: Key
    """Of the claim or note, the entry of the frontmatter, or the other piece of a page."""
    kept: str
    dropped: str

    @property
    def name(self) -> str:
        """The claim's id, `lead`, `title`, or a key of the frontmatter."""
        return self.key[1] if len(self.key) > 1 else {"h1": "title"}.get(self.key[0], self.key[0])


def is_hollow(node: PageNode) -> bool:
    """A composite whose point was its parts, and that has none left."""
    return not node.parts and node.kind in _COMPOSITES


_COMPOSITES = frozenset({"c", "n", "rel", "front", "a", "record"})
_LAST = frozenset({"tail", "close"})


def union(current: PageNode, new: PageNode) -> PageNode:
    """`current` with the parts of `new` that it lacks, in the order in which they stood."""
    parts = {p.key: p for p in (*new.parts, *current.parts)}
    if len(parts) == len(current.parts):
        return current
    parts = {p.key: p for p in (*current.parts, *new.parts)} | {p.key: p for p in current.parts}
    return replace(current, parts=tuple(parts[key] for key in ends_last(list(parts))))


def ends_last(order: list[Key]) -> list[Key]:
    """What closes a page or its frontmatter stays behind all that joined it; the front leads."""
    ends = [key for key in order if key[0] in _LAST]
    front = [key for key in order if key == ("front",)]
    if not ends and not front:
        return order
    between = [key for key in order if key[0] not in _LAST and key != ("front",)]
    return front + between + ends
