"""The commit message of an operation: a body that reads as a history of memory, and trailers."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import counted
from llmwiki.models.usage import Usage
from llmwiki.pages.changes import Changes
from llmwiki.pages.events import MemoryEvent, claim_events, matched_claims, titles_in
from llmwiki.pages.page import Page

SUBJECT_WIDTH = 72


@dataclass(frozen=True, slots=True)
class Difference:
    """What an operation did to one page, in counts."""

    path: str
    title: str
    type: str
    created: bool
    removed: bool
    claims_added: int
    claims_struck: int
    claims_gone: int
    evidence_added: int


def differences(
    changes: Changes, before: Mapping[str, Page], after: Mapping[str, Page], kind: str = ""
) -> tuple[Difference, ...]:
    """Counts the events of claims on each page that changed; a claim that moved left one page and
    came to another. `kind` is that of the operation."""
    titled = titles_in(before, after)
    counts: dict[str, Counter[str]] = {path: Counter() for path in changes.paths}
    for event in claim_events(matched_claims(changes, before, after), titled, kind):
        _count(event, counts, before)
    return tuple(
        Difference(
            item.path,
            *titled(item.path),
            not item.existed,
            not item.exists,
            *(counts[item.path][name] for name in _COUNTED),
        )
        for item in changes.pages
    )


_COUNTED = ("claims_added", "claims_struck", "claims_gone", "evidence_added")
_STRUCK = ("claim-superseded", "claim-struck")
_GONE = ("claim-joined", "claim-retracted", "claim-taken-out")


def _count(
    event: MemoryEvent, counts: Mapping[str, Counter[str]], before: Mapping[str, Page]
) -> None:
    if event.claim.startswith("n-"):
        return
    here = counts[event.path]
    if event.kind == "claim-added" and event.facts is not None:
        here["claims_added"] += 1
        here["evidence_added"] += len(event.facts.evidence)
        here["claims_struck"] += event.facts.successor is not None
    elif event.kind == "claim-reidentified":
        here["claims_added"] += 1
        here["claims_gone"] += 1
    elif event.kind == "claim-moved":
        old = before[event.before].claim(event.claim)
        here["claims_added"] += 1
        here["evidence_added"] += len(old.evidence) if old else 0
        here["claims_struck"] += old is not None and old.successor is not None
        counts[event.before]["claims_gone"] += 1
    elif event.kind == "evidence-gained":
        here["evidence_added"] += 1
    elif event.kind in _STRUCK:
        here["claims_struck"] += not event.before
    elif event.kind in _GONE:
        here["claims_gone"] += 1


def _tell(d: Difference) -> str:
    name = plain_line(d.title, 60)
    if d.removed:
        return f"- {name}: page removed"
    said = []
    if d.claims_added:
        said.append(f"{counted(d.claims_added, 'claim')} added")
    if d.evidence_added > d.claims_added:
        said.append(counted(d.evidence_added, "quote"))
    if d.claims_struck:
        said.append(f"{counted(d.claims_struck, 'claim')} struck")
    if d.claims_gone:
        said.append(f"{counted(d.claims_gone, 'claim')} taken out")
    kind = f"new {d.type or 'page'}" if d.created else ""
    return f"- {name}: " + ", ".join([part for part in (kind, *said) if part] or ["changed"])


def body(differences: list[Difference], notes: tuple[str, ...]) -> str:
    """What changed in memory, a line a page; at most 40 of them.

    A source's page is told where claims that stand on it changed.
    """
    pages = [
        d
        for d in differences
        if d.type != "source" or d.claims_added or d.claims_struck or d.claims_gone
    ]
    lines = [_tell(d) for d in sorted(pages, key=lambda d: (not d.created, d.title, d.path))]
    if len(lines) > 40:
        lines = [*lines[:40], f"- and {len(lines) - 40} more pages"]
    wrapped = [
        part
        for note in notes
        for part in textwrap.wrap(plain_line(note, 400), 72, subsequent_indent="  ")
    ]
    return "\n".join([*wrapped, *([""] if wrapped and lines else []), *lines])


def spending(usage: Usage, cost: float | None) -> dict[str, str]:
    """The trailers that say what a model took; none where no model was called.

    `cost` is in US dollars; None: the price is not known.
    """
    if not usage.total:
        return {}
    out = usage.output_tokens
    told = {"Wiki-Tokens": f"in={usage.total - out} out={out}"}
    return told if cost is None else {**told, "Wiki-Cost": f"USD {cost:.4f} (estimate)"}


def message(kind: str, title: str, text: str, trailers: Mapping[str, str | tuple[str, ...]]) -> str:
    """Subject, body and trailers; a value of several makes a trailer each."""
    subject = f"wiki {kind}: "
    subject += plain_line(title, SUBJECT_WIDTH - len(subject)) or "untitled"
    rows = []
    for name, value in trailers.items():
        for item in (value,) if isinstance(value, str) else value:
            if item:
                rows.append(f"{name}: {item}")
    return "\n\n".join(part for part in (subject, text, "\n".join(rows)) if part) + "\n"
