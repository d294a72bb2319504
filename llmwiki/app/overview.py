"""The opening of the overview: by a model, from counts, or as a person words it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, model_to_call
from llmwiki.core.errors import StateError
from llmwiki.core.page_kinds import OVERVIEW, TOPICS
from llmwiki.edit.overview import (
    Theme,
    offline_lead,
    overview_task,
    rewrite,
    shown_themes,
    told_lead,
    with_themes,
)
from llmwiki.graph.model import UNLINKED
from llmwiki.pages.catalogue import Entry
from llmwiki.version import OFFLINE, SIGNED

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.store.outcome import Outcome


def overview_text(wiki: OpenWiki) -> str:
    """The opening of an overview as it is made from counts and links: Markdown, not written."""
    state = wiki.state
    state.follow()
    themes = shown_themes(_themes(wiki), state)
    return with_themes(offline_lead(state, themes), state, themes)


def overview(
    wiki: OpenWiki,
    text: str | None = None,
    *,
    model: str | None = None,
    max_cost: float | None = None,
    allow_detached: bool = False,
) -> Outcome:
    """Rewrites the opening of wiki/overview.md, in one commit: with `text`, or by a model, or
    without one from counts. Under it stand the themes of the wiki, each with its main pages."""
    # The overview is rendered anew by every operation, and no page waits for review in it.
    terms = replace(wiki.landing(allow_detached), review=False)
    if not terms.keep_catalogue(wiki.repo.branch()):
        raise StateError(
            f"the overview is written on the branch {terms.branch}"
            if terms.branch
            else "the overview is another tool's here",
            where=OVERVIEW,
            fix="Change to that branch." if terms.branch else "The setting `branch` says so.",
        )
    state = wiki.state
    state.follow()
    by = SIGNED
    themes = shown_themes(_themes(wiki), state)
    settings = model_to_call(wiki, model) if text is None else None
    if text is not None:
        lead = told_lead(state, text)
    elif settings is None:
        lead, by = offline_lead(state, themes), OFFLINE
    else:
        with client_for(wiki.config, settings, max_cost) as client:
            lead = told_lead(state, overview_task(state, themes).ask(client))
    lead = with_themes(lead, state, themes)
    return rewrite(wiki.repo, state, lead, by, terms=terms)


def _themes(wiki: OpenWiki) -> list[Theme]:
    """The communities of the graph as themes: those of its pages that say something themselves."""
    from llmwiki.graph.build import build

    commit = wiki.state.commit
    if commit is None:
        return []
    with wiki.index(commit) as index:
        graph = build(index).graph
    themes = []
    for community in graph.communities:
        nodes = [graph.nodes[place] for place in community.members]
        pages = [
            Entry(node.path, node.type, node.title, node.description)
            for node in nodes
            if node.type in TOPICS or (node.type == "source" and node.claim_count)
        ]
        if pages and community.name == UNLINKED:
            themes += [Theme((page,)) for page in pages]
        elif pages:
            themes.append(Theme(tuple(pages)))
    return themes
