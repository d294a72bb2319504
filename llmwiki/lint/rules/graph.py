"""Rules about the links of the wiki as a graph, undirected: every page is a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.core.page_kinds import MEMORY
from llmwiki.index.connectivity import parts_of
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import OUTGOING, outgoing_in
from llmwiki.lint.rule import OverWiki, Rule, rule
from llmwiki.pages.link_targets import resolver_of
from llmwiki.pages.names import stem_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_SIDE = 3
"""Pages on each side from which on a lone link between them is a bridge."""


@dataclass(frozen=True, slots=True)
class NumberedPages:
    """The pages by number, in the order of their paths' folded file names."""

    paths: list[str]
    sizes: list[int]
    """Bytes of each body, at most `limits.hub_stub_bytes`."""
    links: list[int]
    """How many pages each links to, and how many link to it, together."""
    near: list[list[int]]
    """The neighbours of each, sorted; itself is none."""
    compiled: frozenset[int]
    """Those that a reader of documents wrote: with claims, and ledgers."""


_BUILT: WeakKeyDictionary[WikiView, NumberedPages] = WeakKeyDictionary()
"""The graphs of the wikis that are being linted; three rules need them."""


def build(wiki: WikiView) -> NumberedPages:
    """The graph of a wiki's links."""
    found = _BUILT.get(wiki)
    if found is None:
        found = _BUILT[wiki] = _build(wiki)
    return found


def _build(wiki: WikiView) -> NumberedPages:
    rows = [row for group in wiki.groups(OUTGOING) for row in outgoing_in(group)]
    resolver = resolver_of((row.path, row.names) for row in rows)
    numbers = {row.path: number for number, row in enumerate(rows)}
    links = [0] * len(rows)
    near: list[list[int]] = [[] for _ in rows]
    for page, row in enumerate(rows):
        led = {resolver.lead(key, row.path) for key in row.keys} - {None, row.path}
        links[page] += len(led)
        for path in led:
            other = numbers[path or ""]
            near[page].append(other)
            near[other].append(page)
            links[other] += 1
    paths, sizes = [row.path for row in rows], [row.size for row in rows]
    compiled = frozenset(n for n, row in enumerate(rows) if row.has_claims or row.kind == "source")
    return NumberedPages(paths, sizes, links, [sorted(set(others)) for others in near], compiled)


def _hub_stub(wiki: WikiView) -> Iterator[RuleHit]:
    graph = build(wiki)
    count = len(graph.paths)
    if count < 2:
        return
    # In whole numbers: links > mean + 2 deviations, as (n·links - sum)² > 4 (n·sum² - sum·sum).
    total = sum(graph.links)
    spread = 4 * (count * sum(n * n for n in graph.links) - total * total)
    for page, links in enumerate(graph.links):
        more = count * links - total
        if more > 0 and more * more > spread and graph.sizes[page] < wiki.limits.hub_stub_bytes:
            message = (
                f"It has {links} links, where {total / count:.0f} are usual, and a text of "
                f"{graph.sizes[page]} bytes"
            )
            yield RuleHit(0, message, graph.paths[page])


def _fragile(wiki: WikiView) -> Iterator[RuleHit]:
    graph = build(wiki)
    found = parts_of(graph.near)
    size = {page: len(part) for part in found.parts for page in part}
    for edge in found.edges:
        # What documents have in common is theirs: nobody forgot a link there.
        if edge.parted >= _SIDE and not {edge.source, edge.target} <= graph.compiled:
            a, b = sorted((graph.paths[edge.source], graph.paths[edge.target]))
            message = (
                f"Only the link between [[{stem_of(a)}]] and [[{stem_of(b)}]] joins "
                f"{edge.parted} pages with {size[edge.source] - edge.parted}"
            )
            yield RuleHit(0, message, a, about=b)


_ASIDE = ("wiki/sources/", "wiki/daily/", MEMORY)
"""Pages that need lead nowhere: of documents, and of what was told in conversations."""


def _isolated(wiki: WikiView) -> Iterator[RuleHit]:
    graph = build(wiki)
    for part in parts_of(graph.near).parts[1:]:
        subjects = [p for p in part if not graph.paths[p].startswith(_ASIDE)]
        if len(subjects) < 2 or graph.compiled.issuperset(part):
            continue
        path = min(graph.paths[page] for page in part)
        others = sorted(graph.paths[page] for page in part if graph.paths[page] != path)
        shown = ", ".join(f"[[{stem_of(other)}]]" for other in others[:3])
        shown += f" and {len(others) - 3} more" if len(others) > 3 else ""
        yield RuleHit(0, f"It and {shown} have no link to or from the rest of the wiki", path)


_PAGE = "# {0}\n\n{1}\n"


def _pages(**texts: str) -> dict[str, str]:
    return {f"wiki/concepts/{n}.md": _PAGE.format(n, text) for n, text in texts.items()}


_RING = {"A": "[[B]]", "B": "[[C]]", "C": "[[A]]", "X": "[[Y]]", "Y": "[[Z]]", "Z": "[[X]]"}
_STAR = {f"P{n}": "[[Hub]]" for n in range(9)}

RULES: tuple[Rule, ...] = (
    rule(
        "WK701 warning hub-stub",
        OverWiki(_hub_stub, ("links",)),
        "A page has far more links than others (their mean and two standard deviations), and a "
        "text of less than 500 bytes: readers arrive, and find little.",
        "Say on it what it is; or link to pages that say more.",
        bad=_pages(Hub="Tea.", **_STAR),
        good=_pages(Hub="Tea is made of leaves. " * 25, **_STAR),
        of_ours=True,
    ),
    rule(
        "WK702 note fragile-bridge",
        OverWiki(_fragile, ("links",)),
        "A single link joins two parts of the wiki of three pages or more: were it lost, nothing "
        "would lead from one to the other.",
        "Look whether more pages of the two belong together, and link them.",
        bad=_pages(**{**_RING, "C": "[[A]] [[X]]"}),
        good=_pages(**{**_RING, "C": "[[A]] [[X]]", "A": "[[B]] [[Z]]"}),
        of_ours=True,
    ),
    rule(
        "WK703 warning isolated-community",
        OverWiki(_isolated, ("links",)),
        "A few pages link to one another, and none of them to or from the rest of the wiki. "
        "Ledgers do not count, nor communities of nothing but ledgers and pages with claims: their "
        "documents speak of nothing else.",
        "Link them with the pages that speak of the same things.",
        bad=_pages(A="[[B]]", B="[[C]]", C="[[A]]", X="[[Y]]", Y="[[X]]"),
        good=_pages(A="[[B]]", B="[[C]]", C="[[A]] [[X]]", X="[[Y]]", Y="[[X]]"),
        of_ours=True,
    ),
)
