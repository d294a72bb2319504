"""Memory: notes and where they come from, daily pages, what is resident."""

from __future__ import annotations

from collections.abc import Iterator

from llmwiki.core.page_and_note_kinds import MEMORY, SAID
from llmwiki.lint.findings import Finding, found_at, found_on_claim, short
from llmwiki.lint.own_and_foreign_pages import kind_of
from llmwiki.lint.page_view import PageView, PlacedClaim
from llmwiki.lint.rule import rule
from llmwiki.lint.rules.grammar import origin_of
from llmwiki.pages.memory_notes import is_sealed, read_note

MOST_RESIDENT = 10_000
"""Characters of memory.md, which chat puts into every prompt (OpenClaw's budget of MEMORY.md)."""


def _page(kind: str, body: str, more: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: Example\ndescription: One.\n{more}---\n\n# Example\n\n{body}"


_LEAD = "An example shows by one case what holds for many; it is chosen because it is easy.\n\n"
_NOTE = _LEAD + "## Notes\n\n- Tea is green. ^n-0123456789\n"
_TOLD = "  - told by: person; on: 2026-05-20; kind: fact\n"
_SAID_LINE = (
    _LEAD + "## Said\n\n- “The office is in Ghent.” ^n-fehrjrx7y6\n"
    "  - told by: person; on: 2026-05-20; session: s1; turn: 1; kind: said\n"
)
_FROM_LINE = "  - from: [[Tea#^c-0123456789]]\n"
_S, _D = "wiki/syntheses/Example.md", "wiki/daily/2026-05-20.md"


def _standing(view: PageView) -> Iterator[PlacedClaim]:
    return (placed for placed in view.notes if placed.claim.successor is None)


# --- where notes come from -----------------------------------------------------------------


@rule(
    "WK502 warning note-without-origin",
    was="WK501 WK503 WK505 WK506 uncited-note uncited-paragraph untold-note wrong-date future-date"
    " daily-name",
    bad={MEMORY: _page("memory", _NOTE), _S: _page("synthesis", _NOTE)},
    good={MEMORY: _page("memory", _NOTE + _TOLD), _S: _page("synthesis", _NOTE + _FROM_LINE)},
)
def note_without_origin(view: PageView) -> Iterator[Finding]:
    """A note in the memory or of a day does not say who told it; or one of a synthesis does not say
    from which claims it comes, so that nothing tells when it stops being true.

    Say so below it: `told by: person; on: 2026-11-20`, or `from: [[Page#^c-…]]`.
    """
    if (kind := kind_of(view)) not in ("memory", "daily", "synthesis"):
        return
    name, what, line = ("told by", "does not say who told it", "told by: person; on: 2026-11-20")
    if kind == "synthesis":
        name, what, line = ("from", "does not say which claims it rests on", "from: [[Page#^c-…]]")
    for placed in _standing(view):
        if not origin_of(placed).startswith(f"{name}: "):
            mend = f"Write below it: `  - {line}`."
            ident = placed.claim.id
            yield found_on_claim(ident, placed.line, f"This note {what}", mend=mend)


@rule(
    "WK511 error broken-seal",
    bad={_D: _page("daily", _SAID_LINE.replace("Ghent", "Bruges"))},
    good={_D: _page("daily", _SAID_LINE)},
)
def broken_seal(view: PageView) -> Iterator[Finding]:
    """A sentence on the page of a day was changed after it was said, or its session, turn or teller
    was: its id is the digest of these four. What the memory rests on it for is not shown.

    Put the words back (`git log -p` shows them), or strike the sentence and what rests on it:
    `wiki memory forget n-…`.
    """
    if kind_of(view) != "daily":
        return
    for placed in _standing(view):
        note = read_note(view.path, placed.node)
        if note.kind == SAID and not is_sealed(note):
            yield found_on_claim(
                note.id, placed.line, f"“{short(note.text, 40)}” is not what was said"
            )


# --- what is resident ----------------------------------------------------------------------


@rule(
    "WK507 warning memory-too-large",
    bad={MEMORY: _page("memory", _LEAD * 130)},
    good={MEMORY: _page("memory", _LEAD * 90)},
)
def memory_too_large(view: PageView) -> Iterator[Finding]:
    """memory.md is longer than 10,000 characters. It stands in every prompt of a chat whole, or is
    cut.

    Strike what no longer holds, or move what is knowledge into sources and pages.
    """
    if view.path == MEMORY and len(view.text) > MOST_RESIDENT:
        yield found_at(0, f"It has {len(view.text):,} characters, more than {MOST_RESIDENT:,}")
