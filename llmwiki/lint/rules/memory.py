"""Memory: notes and where they come from, daily pages, what is resident, how sure pages are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from llmwiki.core.note_kinds import NOTE_KINDS, SAID, TELLERS
from llmwiki.core.page_kinds import MEMORY
from llmwiki.core.text import listed
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, OverPage, Rule, rule
from llmwiki.lint.rules.ledgers import is_taken_back
from llmwiki.lint.rules.page_kinds import bounded, is_ours, kind_of, short
from llmwiki.lint.view import PageView, PlacedClaim
from llmwiki.lint.wiki import WikiView
from llmwiki.pages.memory_notes import is_sealed, read_note
from llmwiki.pages.names import is_reserved
from llmwiki.pages.syntax import render_node

MOST_RESIDENT = 10_000
"""Characters of memory.md, which chat puts into every prompt (OpenClaw's budget of MEMORY.md)."""
LEAST_SURE = 0.5
"""From this `confidence` on a page or claim is sure enough (OpenClaw memory-wiki)."""

_KINDS = frozenset((*NOTE_KINDS, SAID))
_TELLERS = frozenset(TELLERS)
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+")
_DETAIL = re.compile(r"(?:from|told by|told|on|session|kind)[ \t]*:", re.IGNORECASE)
_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]|\[\^[^\[\]\s]+\]|\]\([^()\s]|https?://")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20})%?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def _standing(view: PageView) -> Iterator[PlacedClaim]:
    return (placed for placed in view.notes if placed.claim.successor is None)


# --- where notes come from -----------------------------------------------------------------


def _uncited_note(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) == "synthesis":
        mend = "Write below it: `  - from: [[Page#^c-…]]`."
        yield from _without(view, "from", "does not say which claims it rests on", mend)


def _untold_note(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) in ("memory", "daily"):
        mend = "Write below it: `  - told by: person; on: 2026-11-20; kind: fact`."
        yield from _without(view, "told by", "does not say who told it", mend)


def _without(view: PageView, name: str, what: str, mend: str) -> Iterator[RuleHit]:
    for placed in _standing(view):
        if not _origin(placed).startswith(f"{name}: "):
            ident = placed.claim.id
            yield RuleHit.of_claim(ident, placed.line, f"This note {what}", mend=mend)


def _origin(placed: PlacedClaim) -> str:
    """The line below a note that says where it comes from; empty where there is none."""
    part = placed.node.part(("a",))
    text = " ".join(render_node(part).split()) if part is not None else ""
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else ""


def _uncited_paragraph(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) != "synthesis" or not is_ours(view):
        return
    yield from bounded(
        RuleHit(placed.line, f"“{short(placed.node.raw, 40)}” cites nothing")
        for placed in view.body
        if placed.node.kind == "x"
        and placed.node.raw[:1].isalnum()
        and not _LINK.search(placed.node.raw)
    )


def _malformed_note(view: PageView) -> Iterator[RuleHit]:
    for placed in view.notes:
        ident = placed.claim.id
        for reason, line in _faults(placed):
            yield RuleHit.of_claim(ident, line, reason)


def _faults(placed: PlacedClaim) -> Iterator[tuple[str, int]]:
    for raw, line in placed.foreign:
        bullet = _BULLET.match(raw)
        if bullet and _DETAIL.match(raw, bullet.end()):
            again = "a second such line is not read" if placed.claim.attributes else "is not read"
            yield (
                f"“{short(raw[bullet.end() :], 40)}” cannot be told from other text: {again}",
                line,
            )
    line = placed.line + placed.node.raw.count("\n") + 1
    origin = _origin(placed)
    if origin.startswith("from: ") and "[[" not in origin:
        yield f"`{short(origin)}` leads nowhere: write `from: [[Page#^c-…]]`", line
    for name, op, value in placed.claim.attributes:
        if op != ":":
            continue
        if name == "kind" and value not in _KINDS:
            yield f"`{short(value)}` is no kind of note: {', '.join(sorted(_KINDS))}", line
        elif name == "told by" and value not in _TELLERS:
            yield f"`{short(value)}` told nothing: a note is told by {listed(TELLERS)}", line
        elif name == "on" and _read_day(value) is None:
            yield f"`{short(value)}` is no date: write 2026-11-20", line


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _broken_seal(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) != "daily":
        return
    for placed in _standing(view):
        note = read_note(view.path, placed.node)
        if note.kind == SAID and not is_sealed(note):
            yield RuleHit.of_claim(
                note.id, placed.line, f"“{short(note.text, 40)}” is not what was said"
            )


# --- days ----------------------------------------------------------------------------------


def _emit_days(view: PageView) -> Iterator[tuple[str, Value]]:
    if kind_of(view) == "daily" and (day := _DAY.match(view.stem)) and _read_day(day[1]):
        yield day[1], (0, "")
    for placed in view.notes:
        told = placed.claim.attribute("on")
        if told is not None and _read_day(told):
            yield told, (placed.line + placed.node.raw.count("\n") + 1, placed.claim.id)


_DAYS = Relation("days", _emit_days)
"""Date → (line, note id) of each note told on it; (0, '') of the page of that day."""


def _dated(group: Group) -> Iterator[RuleHit]:
    for row in group.rows:
        what = "This note is" if row.value[1] else "This page is"
        yield RuleHit(
            int(row.value[0]),
            f"{what} dated {group.key}, which is yet to come",
            path=row.path,
            about=f"{row.value[1]} {group.key}".strip(),
            claims=(str(row.value[1]),) if row.value[1] else (),
        )


def _if_to_come(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    day = _read_day(hit.about[-10:])
    # Somewhere it is tomorrow already.
    return hit if day is not None and day > wiki.today + timedelta(days=1) else None


def _daily_name(view: PageView) -> Iterator[RuleHit]:
    if kind_of(view) != "daily" or is_reserved(view.stem):
        return
    day = _DAY.match(view.stem)
    if day is None or _read_day(day[1]) is None:
        yield RuleHit(
            0, f"`{short(view.stem)}` is no date", mend="Name it after its day: 2026-11-20.md."
        )


# --- what is resident ----------------------------------------------------------------------


def _memory_too_large(view: PageView) -> Iterator[RuleHit]:
    if view.path == MEMORY and len(view.text) > MOST_RESIDENT:
        yield RuleHit(0, f"It has {len(view.text):,} characters, more than {MOST_RESIDENT:,}")


# --- how sure ------------------------------------------------------------------------------


def _low_confidence(view: PageView) -> Iterator[RuleHit]:
    told = view.values.get("confidence")
    if isinstance(told, str) and _is_unsure(told):
        line = view.front_line("confidence")
        yield RuleHit(
            line, f"This page is held with a confidence of {told.strip()}", about="confidence"
        )


def _claim_low_confidence(view: PageView) -> Iterator[RuleHit]:
    for placed in view.claims:
        if placed.claim.successor is not None:
            continue
        for name, _op, value in placed.claim.attributes:
            if name == "confidence" and _is_unsure(value):
                ident = placed.claim.id
                yield RuleHit.of_claim(
                    ident, placed.line, f"This claim is held with a confidence of {value.strip()}"
                )


def _is_unsure(text: str) -> bool:
    """Whether a number between 0 and 1, or so many per cent, is below the limit."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return False
    value = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    return value < LEAST_SURE


# --- where sources come from ---------------------------------------------------------------


_PROVENANCE = ("source", "source_file", "source_url", "url", "resource")


def _missing_import_provenance(view: PageView) -> Iterator[RuleHit]:
    if view.folder != "sources" or kind_of(view) != "source" or not view.has_front or view.broken:
        return
    if any(view.values.get(key) for key in _PROVENANCE):
        return
    sources = view.head.sources
    if any((s.resource and _SHA256.fullmatch(s.sha256)) or is_taken_back(view, s) for s in sources):
        return
    yield RuleHit(
        view.front_line("sources"),
        "This source's page does not say from which file it comes",
        mend="It needs `source: raw/…` and `sha256: …`.",
    )


# --- rules ---------------------------------------------------------------------------------


def _page(kind: str, body: str, more: str = "") -> str:
    return f"---\ntype: {kind}\ntitle: Example\ndescription: One.\n{more}---\n\n# Example\n\n{body}"


_LEAD = "An example shows by one case what holds for many; it is chosen because it is easy.\n\n"
_NOTE = _LEAD + "## Notes\n\n- Tea is green. ^n-0123456789\n"
_TOLD = "  - told by: person; on: 2026-05-20; kind: fact\n"
_SAID = (
    _LEAD + "## Said\n\n- “The office is in Ghent.” ^n-fehrjrx7y6\n"
    "  - told by: person; on: 2026-05-20; session: s1; turn: 1; kind: said\n"
)
_FROM_LINE = "  - from: [[Tea#^c-0123456789]]\n"
_S, _D = "wiki/syntheses/Example.md", "wiki/daily/2026-05-20.md"
_SHA = "0123456789abcdef" * 4
_SOURCE = f"source: raw/tea.md\nsha256: {_SHA}\n"

RULES: tuple[Rule, ...] = (
    rule(
        "WK501 warning uncited-note",
        OverPage(_uncited_note),
        "A note on a synthesis does not say from which claims it comes, so nothing tells when it"
        " stops being true.",
        "Name the claims below it: `from: [[Page#^c-…]]`.",
        bad={_S: _page("synthesis", _NOTE)},
        good={_S: _page("synthesis", _NOTE + _FROM_LINE)},
    ),
    rule(
        "WK502 warning untold-note",
        OverPage(_untold_note),
        "A note in the memory or of a day does not say who told it.",
        "Say so below it: `told by: person; on: 2026-11-20`.",
        bad={MEMORY: _page("memory", _NOTE)},
        good={MEMORY: _page("memory", _NOTE + _TOLD)},
    ),
    rule(
        "WK503 note uncited-paragraph",
        OverPage(_uncited_paragraph),
        "A paragraph of a synthesis, behind its opening, leads to no page, source or address.",
        "Link what it rests on.",
        bad={_S: _page("synthesis", _LEAD + "## Answer\n\nTea is green.\n")},
        good={_S: _page("synthesis", _LEAD + "## Answer\n\nTea is green, see [[Tea]].\n")},
    ),
    rule(
        "WK504 warning malformed-note",
        OverPage(_malformed_note),
        "What stands below a note cannot be read, or has a value it cannot have: a kind, teller or"
        " date that is none, a `from` without a link.",
        "Write `told by: person; on: 2026-11-20; kind: fact`, or `from: [[Page#^c-…]]`.",
        bad={MEMORY: _page("memory", _NOTE + _TOLD.replace("2026-05-20", "yesterday"))},
        good={MEMORY: _page("memory", _NOTE + _TOLD)},
    ),
    rule(
        "WK511 error broken-seal",
        OverPage(_broken_seal),
        "A sentence on the page of a day was changed after it was said, or its session, turn or"
        " teller was: its id is the digest of these four."
        " What the memory rests on it for is not shown.",
        "Put the words back (`git log -p` shows them), or strike the sentence and what rests on it:"
        " `wiki memory forget n-…`.",
        bad={_D: _page("daily", _SAID.replace("Ghent", "Bruges"))},
        good={_D: _page("daily", _SAID)},
    ),
    rule(
        "WK505 warning future-date",
        OverGroup(_DAYS, _dated, _if_to_come),
        "A note or a daily page is dated later than tomorrow, as of the newest commit or --now.",
        "Correct the date.",
        bad={_D.replace("2026", "2036"): _page("daily", _LEAD)},
        good={_D: _page("daily", _LEAD)},
    ),
    rule(
        "WK506 warning daily-name",
        OverPage(_daily_name),
        "A daily page is not named after its day, by which daily pages are found and sorted.",
        "Rename it to the date, 2026-11-20.md; a word may follow the date.",
        bad={"wiki/daily/Friday.md": _page("daily", _LEAD)},
        good={_D: _page("daily", _LEAD)},
    ),
    rule(
        "WK507 warning memory-too-large",
        OverPage(_memory_too_large),
        f"memory.md is longer than {MOST_RESIDENT:,} characters. It stands in every prompt of a"
        " chat whole, or is cut.",
        "Strike what no longer holds, or move what is knowledge into sources and pages.",
        bad={MEMORY: _page("memory", _LEAD * 130)},
        good={MEMORY: _page("memory", _LEAD * 90)},
    ),
    rule(
        "WK508 warning low-confidence",
        OverPage(_low_confidence),
        "The frontmatter of a page holds it with a `confidence` below 0.5.",
        "Find a better source, or mark what is uncertain in it.",
        bad=_page("concept", _LEAD, "confidence: 0.49\n"),
        good=_page("concept", _LEAD, "confidence: 0.5\n"),
    ),
    rule(
        "WK509 warning claim-low-confidence",
        OverPage(_claim_low_confidence),
        "A standing claim has an attribute `confidence` below 0.5.",
        "Find better evidence for it, or strike it.",
        bad=_page("concept", "- Tea is green. ^c-0123456789\n  - (confidence: 0.2)\n"),
        good=_page("concept", "- Tea is green. ^c-0123456789\n  - (confidence: 0.9)\n"),
    ),
    rule(
        "WK510 warning missing-import-provenance",
        OverPage(_missing_import_provenance),
        "The page of a source names no file with its hash, so nothing it says can be checked.",
        "Ingest the source again, or write `source` and `sha256`.",
        bad={"wiki/sources/tea-md.md": _page("source", _LEAD)},
        good={"wiki/sources/tea-md.md": _page("source", _LEAD, _SOURCE)},
    ),
)
