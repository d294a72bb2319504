"""overview.md as the present state says it, under the lead it has."""

from __future__ import annotations

from llmwiki.core.page_kinds import OVERVIEW
from llmwiki.memory.state import WikiState
from llmwiki.pages.catalogue import render_overview, stray_prose
from llmwiki.pages.page import GeneratedMarks, Page, prose_hash
from llmwiki.pages.write import generated_node


def written_by(lead: str, by: str) -> str:
    """The frontmatter line that says who wrote that lead."""
    return generated_node(GeneratedMarks(by, prose_hash(lead))).raw


def lead_of(text: str) -> tuple[str, str]:
    """An overview's lead and the frontmatter line that says who wrote it; empty where missing.

    A merge of lines may leave a second lead among the counts: both stand then, and nobody is said
    to have written them.
    """
    page = Page.parse(OVERVIEW, text)
    strays = [stray for stray in stray_prose(text) if stray not in page.lead]
    if strays:
        return "\n\n".join([page.lead, *strays]).strip(), ""
    front = page.front
    kept = front.part(("front", "generated")) if front else None
    return page.lead, kept.raw if kept else ""


def overview_text(state: WikiState, lead: tuple[str, str] | None = None) -> str:
    """The overview's text; `lead` is (Markdown, its `written_by` line) where it is rewritten.

    Without a new lead the one in the file stays, a person's too.
    """
    text, generated = lead or lead_of(state.text(OVERVIEW))
    return render_overview(state.totals(), text, generated)
