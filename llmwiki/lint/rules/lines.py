"""Structure: how a file is written: its first bytes, its line ends, what a merge left in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import OverPage, Rule, rule
from llmwiki.lint.rules.page_kinds import bounded, matches
from llmwiki.lint.view import PageView
from llmwiki.pages import disputes
from llmwiki.pages.scan import body_start

_BEGINS = re.compile(r"^(?:# )?<{7}(?: [^\n]*)?\r?$", re.MULTILINE)
_ENDS = re.compile(r"^(?:# )?>{7}(?: [^\n]*)?\r?$", re.MULTILINE)
_OWN = re.compile(
    rf"^(?:# )?(?:{re.escape(disputes.BEGINS)}|{re.escape(disputes.ENDS)})\r?$", re.MULTILINE
)
"""Marks that `wiki merge-driver` and `wiki resolve` set: one alone has been forgotten."""


def _conflict_marker(view: PageView) -> Iterator[RuleHit]:
    text = view.text
    if "<<<<<<<" not in text and disputes.ENDS not in text:
        return
    front = body_start(text)
    marks = _BEGINS if _BEGINS.search(text) and _ENDS.search(text) else _OWN
    names = {dispute.first + 1: dispute.name for dispute in disputes.disputes(text)}
    yield from bounded(
        _both_sides(line, names.get(line, ""))
        for match, line, _column in matches(marks, text)
        if match.start() < front or view.visible[match.start()] in "<>"
    )


def _both_sides(line: int, name: str) -> RuleHit:
    message = f"A merge left both of its sides in this page{name and ': ' + name}"
    return RuleHit(line, message, about=name, claims=(name,) if name.startswith("c-") else ())


def _byte_order_mark(view: PageView) -> Iterator[RuleHit]:
    if view.text.startswith("\ufeff"):
        yield RuleHit(1, "The file begins with a byte order mark")


def _windows_line_ends(view: PageView) -> Iterator[RuleHit]:
    count = view.text.count("\r\n") if "\r" in view.text else 0
    if count:
        line = view.text.count("\n", 0, view.text.index("\r\n")) + 1
        some = "" if count == view.text.count("\n") else ", others not"
        yield RuleHit(line, f"{count} lines end as on Windows{some}")


_HEAD = "---\ntype: concept\ntitle: Example\ndescription: One of many.\n---\n\n# Example\n\n"
_LEAD = "An example shows by one case what holds for many.\n"
_BOTH = f"<<<<<<< HEAD\n{_LEAD}=======\nAn example is one of many.\n>>>>>>> theirs\n"

RULES: tuple[Rule, ...] = (
    rule(
        "WK029 error conflict-marker",
        OverPage(_conflict_marker),
        "Lines `<<<<<<<` and `>>>>>>>` of an unfinished merge stand in a page: two sides worded one"
        " thing differently, and nobody has chosen. In code they are text like any other. Nothing"
        " writes on such a page.",
        "Keep one side, or both, and take the markers out; while the merge is under way,"
        " `wiki resolve --take ours` or `--take theirs` does.",
        bad=_HEAD + _BOTH,
        good=f"{_HEAD}{_LEAD}\n```text\n{_BOTH}```\n",
    ),
    rule(
        "WK031 warning byte-order-mark",
        OverPage(_byte_order_mark),
        "The file begins with U+FEFF, behind which programs do not find its frontmatter.",
        "Save it as UTF-8 without a byte order mark; --fix takes it out.",
        bad="\ufeff" + _HEAD + _LEAD,
        good=_HEAD + _LEAD,
        fixable=True,
    ),
    rule(
        "WK032 note windows-line-ends",
        OverPage(_windows_line_ends),
        "Lines end in CR LF. They are read, but the next edit elsewhere may change every line.",
        "Save with LF; --fix does.",
        bad=(_HEAD + _LEAD).replace("\n", "\r\n"),
        good=_HEAD + _LEAD,
        fixable=True,
    ),
)
