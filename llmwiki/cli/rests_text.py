"""wiki why --rests: what rests on a source, an operation or a model, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.text import counted, cut

if TYPE_CHECKING:
    from llmwiki import TaintReport


def rests_lines(report: TaintReport) -> list[str]:
    """Claims and notes, each with how far it is from what it rests on, and by which ids."""
    of = f"{counted(len(report.operations), 'operation')} of " if report.kind == "model" else ""
    what = f"{of}{report.kind if report.kind != 'source' else ''} {report.name}".strip()
    if not report.items:
        return [f"{what}: nothing in the wiki rests on it"]
    claims = sum(item.id.startswith("c-") for item in report.items)
    notes = len(report.items) - claims
    counts = counted(claims, "claim") + (f", {counted(notes, 'note')}" if notes else "")
    lines = [f"{what}: {counts} on {counted(len(report.pages), 'page')}"]
    lines.append("(1: quotes it; 2: rests on something of 1; and so on; +: has other evidence too)")
    for item in report.items:
        mark = " " if item.is_alone else "+"
        lines.append(f"{item.depth} {mark} ^{item.id}  {item.page}: {cut(item.text, 70)}")
        if item.via:
            lines.append(f"      {item.how} {' ← '.join('^' + each for each in item.via[::-1])}")
    return lines
