"""overview.md as the present state says it, under the lead it has."""

from __future__ import annotations

from llmwiki.memory.state import State
from llmwiki.pages.catalogue import render_overview
from llmwiki.pages.page import Page, prose_hash
from llmwiki.pages.syntax import scalar

OVERVIEW = "wiki/overview.md"


def overview_text(state: State, lead: tuple[str, str] | None = None) -> str:
    """The overview's text; `lead` is (Markdown, by whom) where it is rewritten.

    Without a new lead the one in the file stays, a person's too.
    """
    if lead is not None:
        text, by = lead
        generated = f"generated: {{by: {scalar(by)}, prose: {prose_hash(text)}}}"
        return render_overview(state.totals(), text, generated)
    page = Page.parse(OVERVIEW, state.text(OVERVIEW))
    front = page.front
    kept = front.part(("front", "generated")) if front else None
    return render_overview(state.totals(), page.lead, kept.raw if kept else "")
