"""Rules about the links of the wiki as a graph, undirected: every page is a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.lint.dashes import dashed, has_dashes
from llmwiki.lint.finding import RuleHit, Severity
from llmwiki.lint.leads import LEADS, stem_of
from llmwiki.lint.rule import OverWiki, Rule

if TYPE_CHECKING:
    from llmwiki.lint.wiki import Wiki

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


_BUILT: WeakKeyDictionary[Wiki, NumberedPages] = WeakKeyDictionary()
"""The graphs of the wikis that are being linted: a wiki is of one state, and three rules ask."""


def build(wiki: Wiki) -> NumberedPages:
    """The graph of a wiki's links; a link to a name that several pages have leads to all."""
    found = _BUILT.get(wiki)
    if found is None:
        found = _BUILT[wiki] = _build(wiki)
    return found


def _build(wiki: Wiki) -> NumberedPages:
    paths: list[str] = []
    sizes: list[int] = []
    leads: list[tuple[str | int, ...]] = []
    numbers: dict[str | int, tuple[int, ...]] = {}
    for group in wiki.groups(LEADS):
        first = len(paths)
        for path, value in group.rows:
            paths.append(path)
            sizes.append(int(value[1]))
            leads.append(value[3:])
        numbers[group.key] = tuple(range(first, len(paths)))
    if has_dashes(wiki):
        leads = [tuple(t if t in numbers else dashed(str(t)) for t in to) for to in leads]
    links = [0] * len(paths)
    near: list[list[int]] = [[] for _ in paths]
    find = numbers.get
    for page, targets in enumerate(leads):
        mine = near[page]
        for target in targets:
            for other in find(target, ()):
                mine.append(other)
                near[other].append(page)
                links[other] += 1
                links[page] += 1
    return NumberedPages(paths, sizes, links, [sorted(set(others)) for others in near])


def parts(graph: NumberedPages) -> list[list[int]]:
    """The connected parts, each sorted; the largest first, of equals the one of the first page."""
    seen = bytearray(len(graph.paths))
    found: list[list[int]] = []
    for start in range(len(graph.paths)):
        if seen[start]:
            continue
        seen[start] = 1
        part = [start]
        for page in part:
            for other in graph.near[page]:
                if not seen[other]:
                    seen[other] = 1
                    part.append(other)
        found.append(sorted(part))
    return sorted(found, key=lambda part: (-len(part), part[0]))


def bridges(graph: NumberedPages) -> list[tuple[int, int, int]]:
    """(page, page, pages behind the second) of each link whose loss parts the graph.

    Tarjan (1974), with a stack of its own: pages are entered in order of number, and a link from
    a page to one entered after it is a bridge where nothing behind it leads back.
    """
    count = len(graph.paths)
    entered, low, behind = [0] * count, [0] * count, [1] * count
    above = [-1] * count
    rest = [iter(())] * count  # type: list[Iterator[int]]
    clock = 0
    found: list[tuple[int, int, int]] = []
    for start in range(count):
        if entered[start]:
            continue
        clock += 1
        entered[start] = low[start] = clock
        rest[start] = iter(graph.near[start])
        page = start
        while page >= 0:
            parent = above[page]
            for other in rest[page]:
                if not entered[other]:
                    clock += 1
                    entered[other] = low[other] = clock
                    above[other] = page
                    rest[other] = iter(graph.near[other])
                    page = other
                    break
                if other != parent and entered[other] < low[page]:
                    low[page] = entered[other]
            else:
                if parent >= 0:
                    behind[parent] += behind[page]
                    if low[page] > entered[parent]:
                        found.append((parent, page, behind[page]))
                    elif low[page] < low[parent]:
                        low[parent] = low[page]
                page = parent
    return sorted(found)


def _hub_stub(wiki: Wiki) -> Iterator[RuleHit]:
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


def _fragile(wiki: Wiki) -> Iterator[RuleHit]:
    graph = build(wiki)
    found = bridges(graph)
    if not found:
        return
    size = [0] * len(graph.paths)
    for part in parts(graph):
        for page in part:
            size[page] = len(part)
    for one, other, behind in found:
        before = size[one] - behind
        if min(behind, before) >= _SIDE:
            a, b = sorted((graph.paths[one], graph.paths[other]))
            message = (
                f"Only the link between [[{stem_of(a)}]] and [[{stem_of(b)}]] joins "
                f"{min(behind, before)} pages with {max(behind, before)}"
            )
            yield RuleHit(0, message, a, about=b)


def _isolated(wiki: Wiki) -> Iterator[RuleHit]:
    graph = build(wiki)
    for part in parts(graph)[1:]:
        subjects = [p for p in part if not graph.paths[p].startswith("wiki/sources/")]
        if len(subjects) < 2:
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
    Rule(
        "WK701",
        "hub-stub",
        Severity.WARNING,
        OverWiki(_hub_stub, ("links",)),
        "A page has far more links than others (their mean and two standard deviations), and a "
        "text of less than 500 bytes: readers arrive, and find little.",
        "Say on it what it is; or link to pages that say more.",
        bad=_pages(Hub="Tea.", **_STAR),
        good=_pages(Hub="Tea is made of leaves. " * 25, **_STAR),
    ),
    Rule(
        "WK702",
        "fragile-bridge",
        Severity.NOTE,
        OverWiki(_fragile, ("links",)),
        "A single link joins two parts of the wiki of three pages or more: were it lost, nothing "
        "would lead from one to the other.",
        "Look whether more pages of the two belong together, and link them.",
        bad=_pages(**{**_RING, "C": "[[A]] [[X]]"}),
        good=_pages(**{**_RING, "C": "[[A]] [[X]]", "A": "[[B]] [[Z]]"}),
    ),
    Rule(
        "WK703",
        "isolated-community",
        Severity.WARNING,
        OverWiki(_isolated, ("links",)),
        "A few pages link to one another, and none of them to or from the rest of the wiki. "
        "Ledgers do not count: a page and its source are no community.",
        "Link them with the pages that speak of the same things.",
        bad=_pages(A="[[B]]", B="[[C]]", C="[[A]]", X="[[Y]]", Y="[[X]]"),
        good=_pages(A="[[B]]", B="[[C]]", C="[[A]] [[X]]", X="[[Y]]", Y="[[X]]"),
    ),
)
