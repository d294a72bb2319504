"""Rules about how pages are linked: from nowhere, to nothing, to themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.page_kinds import INDEX, OVERVIEW, TOPICS
from llmwiki.core.text import counted
from llmwiki.language.plurals import word_set
from llmwiki.lint.dashes import has_dashes, leads_by_dashes
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import (
    NAMES,
    OUTGOING,
    LinePositions,
    bearers,
    keys_used,
    kind_of,
    outgoing_in,
    pages_of,
    paths_of,
    users_of,
    uses_of,
)
from llmwiki.lint.relation import Group
from llmwiki.lint.rule import OverGroup, OverPage, Rule, rule
from llmwiki.lint.rules.examples import example
from llmwiki.lint.rules.graph import build
from llmwiki.lint.view import PageView
from llmwiki.pages.link_targets import PagesOfName, is_attachment, link_key, name_in
from llmwiki.pages.links import targets
from llmwiki.pages.names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_ENTRANCES = word_set(
    "readme index home start welcome inbox about changelog contributing license todo log 404"
    " code_of_conduct security support blog"
)
_DATED = lazy_pattern(r"\d{4}[-_.]?(?:\d\d|[Ww]\d)|v?\d+(?:\.\d+)+\Z")
_ASIDE = word_set(
    "template templates _template _templates daily dailies journal journals archive attachments"
)
_HANDWRITTEN = (OVERVIEW, INDEX)


def _orphan(group: Group) -> Iterator[RuleHit]:
    pages = pages_of(group)
    users = users_of(group) if pages else {}
    for page in pages:
        if page.path in users:
            continue
        if page.kind in TOPICS:
            message = f"No page links to [[{stem_of(page.path)}]]"
        elif not page.kind and not page.leads and not _is_aside(page.path):
            message = f"[[{stem_of(page.path)}]] links to no page, and none links to it"
        else:
            continue
        yield RuleHit(0, message, page.path, about=group.key)


def _is_aside(path: str) -> bool:
    """Whether a note of another tool is one that nothing need link to, by its name or folder."""
    *folders, name = path.lower().removesuffix(".md").split("/")
    is_entrance = name in _ENTRANCES or name.startswith("log-")
    return is_entrance or bool(_DATED.match(name)) or not _ASIDE.isdisjoint(folders)


def _unless_named(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Dropped where the overview's text links to the page, or a page does by another name, and
    where claims stand on it: the pages of their sources lead to it."""
    if hit.about in _linked_by_hand(wiki) or _is_sorted_by_folder(hit, wiki):
        return None
    view = wiki.page(hit.path)
    if view is not None and any(placed.claim.evidence for placed in view.claims):
        return None
    names = () if view is None or view.broken else (view.title, *view.head.aliases)
    for name in names:
        if _is_named(name_in(link_key(name)), hit.path, wiki):
            return None
    blank = hit.about.replace("-", " ")
    if blank != hit.about and has_dashes(wiki):
        return None if _linking(wiki.group(NAMES, blank)) - {hit.path} else hit
    return hit


def _is_sorted_by_folder(hit: RuleHit, wiki: WikiView) -> bool:
    """Whether most notes of another tool beside the page are linked no more than it: they are
    found by their folder."""
    if not wiki.limits.is_foreign and hit.path.startswith("wiki/"):
        return False
    if wiki not in _UNLINKED:
        graph = build(wiki)
        counted: dict[str, list[int]] = {}
        for path, near in zip(graph.paths, graph.near, strict=True):
            counts = counted.setdefault(path.rpartition("/")[0], [0, 0])
            counts[bool(near)] += 1
        _UNLINKED[wiki] = frozenset(f for f, (alone, linked) in counted.items() if alone >= linked)
    return hit.path.rpartition("/")[0] in _UNLINKED[wiki]


_UNLINKED: WeakKeyDictionary[WikiView, frozenset[str]] = WeakKeyDictionary()
"""In each wiki that is being linted, the folders of which at least half the pages have no link."""
_NAMING: WeakKeyDictionary[WikiView, dict[str, frozenset[str]]] = WeakKeyDictionary()
"""In each wiki that is being linted, the pages that link to a name that is no file's: a thousand
orphans may share a title."""


def _is_named(key: str, path: str, wiki: WikiView) -> bool:
    """Whether a page but this one links to a name that no page has for its file's."""
    known = _NAMING.setdefault(wiki, {})
    if key not in known:
        group = wiki.group(NAMES, key)
        known[key] = frozenset() if paths_of(group) else _linking(group)
    return len(known[key]) > (path in known[key])


def _linking(group: Group) -> frozenset[str]:
    """The pages whose links give a name, which may be no file's."""
    return frozenset(path for path, _key in keys_used(group))


_BY_HAND: WeakKeyDictionary[WikiView, frozenset[str]] = WeakKeyDictionary()
"""What is linked by hand in each wiki that is being linted; needed for each orphan."""


def _linked_by_hand(wiki: WikiView) -> frozenset[str]:
    """What the wikilinks of the catalogue's files name; its lists are Markdown links."""
    found = _BY_HAND.get(wiki)
    if found is None:
        texts = [(wiki.file(path) or b"").decode("utf-8", "replace") for path in _HANDWRITTEN]
        found = _BY_HAND[wiki] = frozenset(
            name_in(link_key(target)) for text in texts for target in targets(text)
        )
    return found


def _sparse(group: Group) -> Iterator[RuleHit]:
    for page in outgoing_in(group):
        if page.kind in TOPICS and not page.has_claims and page.others < group.limits.links:
            others = page.others
            pages = counted(others, "other page") if others else "none"
            message = f"It links to {pages}; at least {group.limits.links} are usual"
            yield RuleHit(0, message, page.path)


def _missing_page(group: Group) -> Iterator[RuleHit]:
    if paths_of(group) or bearers(group):
        return
    uses = [use for use in uses_of(group) if not use.embed and not is_attachment(use.target)]
    pages = {use.path for use in uses}
    if uses and len(pages) >= group.limits.missing_uses:
        first = uses[0]
        message = f"{len(pages)} pages link to [[{first.target}]], which has no page"
        yield RuleHit(first.line, message, first.path, first.column, about=first.target)


def _unless_other_file(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    is_other = name_in(link_key(hit.about)) in _file_keys(wiki.files)
    return None if is_other or leads_by_dashes(hit.about, wiki) else hit


@lru_cache(maxsize=2)
def _file_keys(files: frozenset[str]) -> frozenset[str]:
    return frozenset(name_in(link_key(path)) for path in files)


def _self_link(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) == "skill":
        return
    own, places = name_key(view.stem), None
    for link in view.links:
        key = link_key(link.target, view.path)
        if link.heading or link.block or name_in(key) != own:
            continue
        if view.lines[link.line - 1].startswith(f"[^{view.stem}]: "):
            # A document's page cites the document too.
            continue
        if PagesOfName((view.path,)).fitting(key):
            places = places or LinePositions(view)
            column = places.of(link.start)[1]
            message = f"[[{link.target}]] leads to the page it stands on"
            yield RuleHit(link.line, message, column=column, about=link.target)


def _pages(**texts: str) -> dict[str, str]:
    return {f"wiki/concepts/{n}.md": example(f"{text}\n", title=n) for n, text in texts.items()}


RULES: tuple[Rule, ...] = (
    rule(
        "WK107 warning orphan",
        OverGroup(NAMES, _orphan, _unless_named),
        "No page links to this entity, concept or synthesis: readers find it through the "
        "catalogue alone, and the graph has it aside. A note of another tool counts only where it "
        "links to nothing either, and not as a day's note, a template or an entrance. A page with "
        "claims is found from the pages of their sources.",
        "Link to it where its subject is spoken of; the lists of the catalogue do not count.",
        bad=_pages(Example="Tea.", Leaf="A leaf of [[Cup]].", Cup="A [[Leaf]]."),
        good=_pages(
            Example="In a [[Cup]].", Leaf="A leaf makes [[example|tea]].", Cup="A [[Leaf]]."
        ),
    ),
    rule(
        "WK108 warning link-density-low",
        OverGroup(OUTGOING, _sparse),
        "An entity, concept or synthesis links to fewer than two others: it stands beside the "
        "wiki rather than in it. Several links to one page count once. Pages with claims are left "
        "out: their evidence leads to ledgers.",
        "Link the things it speaks of to their pages.",
        bad=_pages(Example="Tea of a [[Leaf]], of a [[leaf]].", Leaf="Of [[Example]] and [[Cup]]."),
        good=_pages(Example="A [[Leaf]] in a [[Cup]].", Leaf="Of [[Example]] and [[Cup]]."),
        of_ours=True,
    ),
    rule(
        "WK109 warning missing-page",
        OverGroup(NAMES, _missing_page, _unless_other_file),
        "At least three pages link to a name that has no page.",
        "Write the page, or give it the claims that are about it"
        " (`wiki split PAGE --to NAME CLAIM…`). Where the name is another word for a page, add it"
        " there as an alias.",
        bad=_pages(A="[[Kettle]] [[B]]", B="[[Kettle]] [[C]]", C="[[kettle|pot]] [[A]]"),
        good=_pages(A="[[Kettle]] [[B]]", B="[[Kettle]] [[C]]", C="A kettle. [[A]] [[B]]"),
    ),
    rule(
        "WK110 note self-link",
        OverPage(_self_link),
        "A link leads to the page it stands on.",
        "Make it plain text, or name the heading it should lead to.",
        bad="# Example\n\nAn [[example]] of tea.\n",
        good="# Example\n\nAn [[Example#Tea]] of tea.\n\n## Tea\n",
        of_ours=True,
    ),
)
