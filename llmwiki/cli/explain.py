"""What a ranking's scores are made of, for `--explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki import Context, Ranking, SearchRow

ONE = 1_000_000
"""Scores are whole numbers of millionths."""


def decimal(millionths: int) -> str:
    """A score with three places, cut and not rounded, so that no float is involved."""
    sign = "-" if millionths < 0 else ""
    whole, rest = divmod(abs(millionths), ONE)
    return f"{sign}{whole}.{rest // 1000:03d}"


def term_lines(ranking: Ranking) -> str:
    """The question as it was understood: terms, titles, coverage."""
    terms = []
    for term in ranking.terms:
        many = "nowhere" if not term.df else counted(term.df, "page")
        terms.append(f"{term.text} ({many}{'' if term.whole or not term.df else ', looked up'})")
    lines = [f"terms     {', '.join(terms) or 'none'}"]
    if ranking.titles:
        lines.append(f"titles    {', '.join(ranking.titles)}")
    lines.append(f"coverage  {decimal(ranking.coverage)} of the question on one page")
    return "\n".join(lines) + "\n"


def hit_lines(row: SearchRow) -> list[str]:
    """Which parts a page's score has, and by which titles and links it was reached."""
    parts = [f"{name} {decimal(value)}" for name, value in row.found.parts.items() if value]
    return [" + ".join(parts) or "0.000", *row.found.reasons]


def explain_context(context: Context) -> str:
    """What each passage of a context scored, and how much room there was."""
    lines = [
        f"context   about {context.tokens} of {context.budget} tokens,"
        f" {len(context.shown)} passages of {len(context.pages)} pages,"
        f" {context.left_out} found no room"
    ]
    for shown in context.shown:
        parts = " + ".join(f"{name} {decimal(value)}" for name, value in shown.parts if value)
        lines.append(f"{decimal(shown.score)}  {shown.passage.handle}\n       {parts}")
    return "\n".join(lines)
