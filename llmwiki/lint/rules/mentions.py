"""The rule about claims that name a page without linking it; it runs only where it is selected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.index.facts import is_catalogue
from llmwiki.index.link_names import LinkNames
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import NAMES, kind_of, paths_of
from llmwiki.lint.rule import OverWiki, Rule, rule
from llmwiki.lint.rules.examples import example
from llmwiki.lint.view import PageView
from llmwiki.pages.dress import MOST_IN_CLAIM, linked
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.write_claims import dressed

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView


def link_names(wiki: WikiView) -> LinkNames:
    """The names of the wiki's subjects that may be links."""

    def is_found(path: str) -> bool:
        key = name_key(stem_of(path))
        view = None if is_catalogue(f"wiki/{key}.md") else wiki.page(path)
        known = paths_of(wiki.group(NAMES, key)) if view is not None else ()
        return view is not None and kind_of(view) in SUBJECTS and set(known) <= {path}

    return LinkNames(wiki.names, is_found)


def with_links(view: PageView, names: LinkNames) -> Page:
    """The page with links to other pages in its standing claims, as a new claim gets them."""
    standing = [placed.claim for placed in view.claims if placed.claim.successor is None]
    found = names.but_for(view.path, [claim.text for claim in standing])
    put = partial(linked, names=found, most=MOST_IN_CLAIM)
    return dressed(view.page, put) if found else view.page


def _unlinked(wiki: WikiView) -> Iterator[RuleHit]:
    names = link_names(wiki)
    for path in wiki.paths:
        view = wiki.page(path)
        if view is None or not view.claims:
            continue
        after = {node.key: node for node in with_links(view, names).body}
        for placed in view.claims:
            claim = placed.claim
            if after[placed.node.key] != placed.node:
                message = f"^{claim.id} names other pages and does not link them"
                yield RuleHit.of_claim(claim.id, placed.line, message, path=path)


def _pages(text: str) -> dict[str, str]:
    return {
        "wiki/concepts/Cup.md": example(f"## Claims\n\n- {text} ^c-aaaaaaaaaa\n", title="Cup"),
        "wiki/concepts/Kettle.md": example("It boils.\n", title="Kettle"),
    }


RULES: tuple[Rule, ...] = (
    rule(
        "WK113 note unlinked-mention",
        OverWiki(_unlinked),
        "A claim names an entity or concept by its title or alias and does not link it. It may be "
        "so by somebody's choice: this rule runs only where it is selected by its code or name.",
        "`wiki lint --select WK113 --fix` links such names, up to three a claim.",
        bad=_pages("A cup is filled from the Kettle."),
        good=_pages("A cup is filled from the [[Kettle]]."),
        fixable=True,
        by_choice=True,
    ),
)
