"""Structure: how a file is written: its first bytes, its line ends, what a merge left in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.lint.finding import RuleHit, Severity
from llmwiki.lint.rule import OverPage, Rule
from llmwiki.lint.rules.page_kinds import bounded, matches
from llmwiki.lint.view import PageView
from llmwiki.pages.blocks import body_start

_BEGINS = re.compile(r"^<{7}(?: [^\n]*)?\r?$", re.MULTILINE)
_ENDS = re.compile(r"^>{7}(?: [^\n]*)?\r?$", re.MULTILINE)


def _conflict_marker(view: PageView) -> Iterator[RuleHit]:
    text = view.text
    if "<<<<<<<" not in text or not _ENDS.search(text):
        return
    front = body_start(text)
    yield from bounded(
        RuleHit(line, "A merge left both of its sides in this page")
        for match, line, _column in matches(_BEGINS, text)
        if match.start() < front or view.visible[match.start()] == "<"
    )


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
    Rule(
        "WK029",
        "conflict-marker",
        Severity.ERROR,
        OverPage(_conflict_marker),
        "Lines `<<<<<<<` and `>>>>>>>` of an unfinished merge stand in a page. In code they are"
        " text like any other.",
        "Keep one side, or both, and take the markers out.",
        bad=_HEAD + _BOTH,
        good=f"{_HEAD}{_LEAD}\n```text\n{_BOTH}```\n",
    ),
    Rule(
        "WK031",
        "byte-order-mark",
        Severity.WARNING,
        OverPage(_byte_order_mark),
        "The file begins with U+FEFF, behind which programs do not find its frontmatter.",
        "Save it as UTF-8 without a byte order mark; --fix takes it out.",
        bad="\ufeff" + _HEAD + _LEAD,
        good=_HEAD + _LEAD,
        fixable=True,
    ),
    Rule(
        "WK032",
        "windows-line-ends",
        Severity.NOTE,
        OverPage(_windows_line_ends),
        "Lines end in CR LF. They are read, but the next edit elsewhere may change every line.",
        "Save with LF; --fix does.",
        bad=(_HEAD + _LEAD).replace("\n", "\r\n"),
        good=_HEAD + _LEAD,
        fixable=True,
    ),
)
