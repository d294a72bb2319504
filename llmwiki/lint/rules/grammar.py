"""Structure: claims, evidence, attributes and footnotes that are meant as ours but do not parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from llmwiki.core.claim_attributes import BY_NAME
from llmwiki.core.page_and_note_kinds import NOTE_KINDS, SAID, TELLERS
from llmwiki.core.text import listed
from llmwiki.lint import text_fixes
from llmwiki.lint.findings import Finding, Severity, found_at, found_on_claim, milder, short
from llmwiki.lint.own_and_foreign_pages import is_ours
from llmwiki.lint.page_view import PageView, PlacedClaim
from llmwiki.lint.quoted_texts import quoting
from llmwiki.lint.rule import rule
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID, ITEM_ID
from llmwiki.pages.page import Evidence
from llmwiki.pages.page_syntax import render_node

_KINDS = frozenset((*NOTE_KINDS, SAID))
_DETAIL = re.compile(r"(?:from|told by|told|on|session|kind)[ \t]*:", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+")
_QUOTE_MARKS = "“”„«\"'‘"
_ID_AT_END = re.compile(r"(?<=[ \t])\^([cn]-[\w-]*)[ \t\r]*$", re.MULTILINE)
_ID = re.compile(ITEM_ID)
_STRUCK_ALONE = re.compile(r"~~(?s:.*)~~")
_SUCCESSOR = re.compile(rf"\[\[[^\[\]\n]*#\^{ITEM_ID}(?:\|[^\[\]\n]*)?\]\]|gone in [0-9a-f]{{8}}")
_CLAIM_LINK = re.compile(rf"\[\[[^\[\]\n]*#\^{CLAIM_ID}(?:\|[^\[\]\n]*)?\]\]")

_USE = re.compile(r"(?<!\\)\[\^([^\[\]\s]{1,200})\]")
_DEFINES = re.compile(r"^[ \t>]{0,20}\[\^([^\[\]\s]{1,200})\]:", re.MULTILINE)


# --- claims --------------------------------------------------------------------------------


def _malformed_evidence(view: PageView) -> Iterator[Finding]:
    for each in view.claims:
        for raw, line in each.foreign:
            first = raw.partition("\n\n")[0]
            bullet = _BULLET.match(first)
            text = first[bullet.end() :].strip() if bullet else ""
            if text[:1] in _QUOTE_MARKS and text and "[^" in text and "[[" not in text:
                message = "This line looks like evidence and cannot be read"
                mend = "Write it as in `  - “quote” [^source-id]`, and nothing else on the line."
                yield found_on_claim(each.claim.id, line, message, mend=mend)


def _malformed_claim(view: PageView) -> Iterator[Finding]:
    if "^" not in view.text:
        return
    read = {p.line + p.node.raw.count("\n") for p in (*view.claims, *view.notes)}
    for each in (*view.claims, *view.notes):
        if reason := _why_no_claim(each):
            claim = each.claim
            yield found_on_claim(claim.id, each.line, reason)
    text = view.text
    if _ends(text) == len(view.claims) + len(view.notes) or not (read or is_ours(view)):
        return
    yield from (
        found_at(
            line,
            f"`^{found[1]}` ends a line that is no list item of its own, so it is no claim"
            if _ID.fullmatch(found[1])
            else f"`^{short(found[1])}` is not an id: `{found[1][:2]}` is followed by at least ten"
            " characters of 0-9 and a-z without i, l, o and u",
            column=column,
            about=short(found[1]),
        )
        for found, line, column in view.matches(_ID_AT_END)
        if line not in read and view.visible[found.start()] == "^"
    )


def _ends(text: str) -> int:
    """At least as many as there are lines that end in the id of a claim or note."""
    return sum(text.count(mark) for mark in (" ^c-", " ^n-", "\t^c-", "\t^n-"))


def _why_no_claim(claimed: PlacedClaim) -> str:
    claim = claimed.claim
    what = "claim" if claim.id.startswith("c-") else "note"
    if not claim.text.strip():
        return f"This {what} says nothing"
    if claim.successor is None:
        if _STRUCK_ALONE.fullmatch(claim.text):
            return f"This {what} is struck, but does not say what took its place"
        return ""
    if not _SUCCESSOR.fullmatch(claim.successor):
        return (
            f"The arrow of this struck {what} leads neither to a claim nor says `gone in` and the"
            " first 8 digits of a hash"
        )
    return ""


def _malformed_attribute(view: PageView) -> Iterator[Finding]:
    for each in view.claims:
        ident = each.claim.id
        for raw, line in each.foreign:
            bullet = _BULLET.match(raw)
            text = raw[bullet.end() :].strip() if bullet else ""
            if text.startswith("(") and text.endswith(")") and (": " in text or " = " in text):
                message = "These attributes cannot be read"
                mend = "Write one line: each is `name: value` or `key = value`, joined by `;`."
                yield found_on_claim(ident, line, message, mend=mend)
        for name, op, value in each.claim.attributes:
            known = BY_NAME.get(name)
            if op != ":":
                continue
            if known is None:
                reason = f"`{short(name)}` is no attribute; a slot is written `{short(name)} = …`"
            elif known.values and value not in known.values:
                reason = f"`{short(value)}` is no {name}: {', '.join(sorted(known.values))}"
            elif known.is_link and not _CLAIM_LINK.search(value):
                reason = f"`{name}` leads to no claim: write `{name}: [[Page#^c-…]]`"
            else:
                continue
            yield found_on_claim(ident, each.line, reason)


def evidence_of(view: PageView) -> Iterator[tuple[PlacedClaim, Evidence, int]]:
    """Each piece of evidence on a page, with its claim and its line."""
    for placed_claim in quoting(view):
        for evidence, line in placed_claim.evidence:
            yield placed_claim, evidence, line


# --- notes ---------------------------------------------------------------------------------


def origin_of(note: PlacedClaim) -> str:
    """The line below a note that says where it comes from; empty where there is none."""
    part = note.node.part(("a",))
    text = " ".join(render_node(part).split()) if part is not None else ""
    bullet = _BULLET.match(text)
    return text[bullet.end() :] if bullet else ""


def _malformed_note(view: PageView) -> Iterator[Finding]:
    for note in view.notes:
        ident = note.claim.id
        for raw, line in note.foreign:
            bullet = _BULLET.match(raw)
            if bullet and _DETAIL.match(raw, bullet.end()):
                said = short(raw[bullet.end() :], 40)
                message = f"“{said}” is not read: a note says where it comes from in one line"
                yield found_on_claim(ident, line, message)
        line = note.line + note.node.raw.count("\n") + 1
        origin = origin_of(note)
        if origin.startswith("from: ") and "[[" not in origin:
            message = f"`{short(origin)}` leads nowhere: write `from: [[Page#^c-…]]`"
            yield found_on_claim(ident, line, message)
        for name, op, value in note.claim.attributes:
            if op != ":":
                continue
            if name == "kind" and value not in _KINDS:
                reason = f"`{short(value)}` is no kind of note: {', '.join(sorted(_KINDS))}"
            elif name == "told by" and value not in TELLERS:
                reason = f"`{short(value)}` told nothing: a note is told by {listed(TELLERS)}"
            elif name == "on" and not _is_day(value):
                reason = f"`{short(value)}` is no date: write 2026-11-20"
            else:
                continue
            yield found_on_claim(ident, line, reason)


def _is_day(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


# --- footnotes -----------------------------------------------------------------------------


def _definitions(view: PageView) -> dict[str, int]:
    """Folded labels of the footnotes the page defines, with their lines."""
    found: dict[str, int] = {}
    for match, line, _column in view.matches(_DEFINES):
        found.setdefault(match[1].casefold(), line)
    return found


def _undefined_footnote(view: PageView) -> Iterator[Finding]:
    if "[^" not in view.text:
        return
    known = {p.node.key[1] for p in view.body if p.node.kind == "fn"}
    if known.issuperset(_USE.findall(view.text)):
        return
    defined = _definitions(view)
    if not defined and not is_ours(view):
        # `[^a-z]` is a pattern as often as a footnote where nothing else is one.
        return
    told: set[str] = set()
    for match, line, column in view.matches(_USE):
        label = match[1].casefold()
        if label in defined or label in told or view.visible[match.start()] != "[":
            continue
        told.add(label)
        message = f"The footnote [^{short(match[1])}] is not defined on this page"
        mend = "" if view.is_foreign else _OF_SOURCE
        yield found_at(line, message, column=column, about=short(match[1]), mend=mend)


_OF_SOURCE = (
    "Define it at the end of the page; that of a source is `[^id]: [[sources/id|Title]], raw/path`,"
    " and --fix writes it where the source has a page."
)


def _duplicate_footnote(view: PageView) -> Iterator[Finding]:
    if "]:" not in view.text:
        return
    first: dict[str, int] = {}
    for each in view.body:
        if each.node.kind == "fn":
            label = each.node.key[1]
            before = first.setdefault(label.casefold(), each.line)
            if before != each.line:
                message = f"The footnote [^{short(label)}] is defined in line {before} already"
                yield found_at(each.line, message, about=short(label))


_HEAD = """---
type: concept
title: Example
description: One of many.
---

# Example

An example shows by one case what holds for many; it is chosen because it is easy to follow.

## Claims

"""
_FOOT = "\n[^notes-md]: [[sources/notes-md|Notes]], raw/notes.md\n"
_CLAIM = "- Examples are short. ^c-0123456789\n"
_EVIDENCE = "  - “examples are short” [^notes-md]\n"
_GOOD = _HEAD + _CLAIM + _EVIDENCE + _FOOT


# --- the rules -----------------------------------------------------------------------------


@rule(
    "WK023 error malformed-record",
    was="WK024 WK025 WK209 WK504 malformed-evidence malformed-claim malformed-attribute bad-lines"
    " malformed-note",
    bad=_GOOD.replace("” [^", "” in [^"),
    good=_GOOD.replace(
        "” [^notes-md]\n", "” [^notes-md]\n  - (stance: measured; length = short)\n"
    ),
)
def malformed_record(view: PageView) -> Iterator[Finding]:
    """A line is meant as a claim, a note, or evidence below one, and cannot be read as such, so
    nobody checks it: its id is none, it is no list item of its own, it says nothing, it is struck
    without saying what follows, or a quotation is not followed by its source alone. Or, a
    warning, attributes of a claim or note cannot be read or have a value they cannot have.

    Write it as `docs/format.md` shows: `- text ^c-…`, `- ~~text~~ → [[Page#^c-…]] ^c-…`,
    `  - “quote” [^source-id]`, `  - (name: value; key = value)`.
    """
    yield from _malformed_evidence(view)
    yield from _malformed_claim(view)
    yield from milder(_malformed_attribute(view), Severity.WARNING)
    yield from milder(_malformed_note(view), Severity.WARNING)


@rule(
    "WK026 warning footnotes",
    was="WK027 WK028 WK214 undefined-footnote unused-footnote duplicate-footnote footnote-mismatch",
    bad=_HEAD + _CLAIM + _EVIDENCE,
    good=_GOOD,
    fix=text_fixes.with_cited,
)
def footnotes(view: PageView) -> Iterator[Finding]:
    """A line refers to a footnote that the page does not define; or a footnote is defined twice, of
    which readers show the first only. Looked for on pages of our formats, and on pages that define
    a footnote.

    Define it at the end of the page, or keep one of two.
    """
    yield from _undefined_footnote(view)
    yield from _duplicate_footnote(view)
