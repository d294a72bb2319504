"""Rules about the pages that links lead to: which none leads to, and which are hardly meant."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.page_and_note_kinds import INDEX, OVERVIEW, SUBJECTS
from llmwiki.core.text import fold
from llmwiki.lint.findings import Finding, found_at, short
from llmwiki.lint.own_and_foreign_pages import kind_of
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import example, rule
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.find_links import targets
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.page_file_names import stem_of


def _pages(**texts: str) -> dict[str, str]:
    return {f"wiki/concepts/{n}.md": example(f"{text}\n", title=n) for n, text in texts.items()}


@rule(
    "WK107 warning orphan",
    bad=_pages(Example="Tea.", Leaf="A leaf of [[Cup]].", Cup="A [[Leaf]]."),
    good=_pages(Example="In a [[Cup]].", Leaf="A leaf makes [[example|tea]].", Cup="A [[Leaf]]."),
)
def orphan(wiki: LintedWiki) -> Iterator[Finding]:
    """No page links to this entity or concept: readers find it through the catalogue alone, and
    the graph has it aside. A page with claims is found from the pages of their sources, and a
    synthesis, such as a filed answer, is where links begin.

    Link to it where its subject is spoken of; the lists of the catalogue do not count.
    """
    by_hand = _linked_by_hand(wiki)
    for path, stem in wiki.rows(
        "SELECT path, stem FROM lint.head AS head JOIN lint.page AS page ON page.id = head.page "
        "WHERE quotes = 0 AND kind IN ('entity', 'concept') AND "
        "(NOT EXISTS (SELECT 1 FROM lint.link AS link "
        "WHERE link.stem = head.stem AND link.page != head.page AND link.key != '') OR EXISTS "
        "(SELECT 1 FROM lint.head AS twin WHERE twin.stem = head.stem AND twin.page != head.page)) "
        "ORDER BY path"
    ):
        if not (stem in by_hand or path in wiki.users(stem) or _is_named(path, wiki)):
            yield found_at(0, f"No page links to [[{stem_of(path)}]]", path, about=stem)


def _is_named(path: str, wiki: LintedWiki) -> bool:
    """Whether another page links to one by its title or an alias."""
    # A name's key tells its stem; links are found by the stem, without a look at each.
    named = (
        "SELECT 1 FROM lint.name AS name JOIN lint.page AS own ON own.id = name.page "
        "JOIN lint.link AS link ON link.stem = name.stem AND link.key = name.key "
        "AND link.page != name.page "
        "WHERE own.path = ? AND which != 'file' LIMIT 1"
    )
    return bool(wiki.rows(named, path))


def _linked_by_hand(wiki: LintedWiki) -> frozenset[str]:
    """What the wikilinks of the catalogue's files name; its lists are Markdown links."""
    texts = [(wiki.file(path) or b"").decode("utf-8", "replace") for path in (OVERVIEW, INDEX)]
    return frozenset(name_in(link_key(target)) for text in texts for target in targets(text))


_CUP = example("## Claims\n\n- A cup is {} for tea. ^c-aaaaaaaaaa\n", title="Cup")


@rule(
    "WK115 note link-on-common-word",
    bad={"wiki/concepts/Cup.md": _CUP.format("[[Set|set]]")},
    good={"wiki/concepts/Cup.md": _CUP.format("a [[Set|set of cups]]")},
)
def link_on_common_word(view: PageView) -> Iterator[Finding]:
    """A claim or lead links a word that may mean anything, such as `set` or `main`, to a page of
    that name: most readers who follow it find another thing than the sentence speaks of.

    Take the link out, or link words that say which thing is meant.
    """
    if kind_of(view) not in (*SUBJECTS, "source"):
        return
    dressed = {placed.line for placed in view.claims if placed.claim.successor is None}
    dressed |= {placed.line for placed in view.body if placed.node.kind == "lead"}
    yield from (
        found_at(
            link.line,
            f"“{short(shown)}” is linked to [[{short(link.target)}]], and may be any word",
            about=f"{link.target} {shown}",
        )
        for link in view.links
        if link.line in dressed
        and not (link.heading or link.block or link.embed)
        and (shown := link.label or link.target)
        and fold(shown) in (fold(link.target), fold(link.target) + "s")
        and not link.target.islower()
        and " " not in shown
        and (shown.islower() or fold(shown) in STOP_WORDS)
    )
