"""Org to text with orgparse. Runs in the converting process only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.decode import decoded
from llmwiki.sources.converters.gather import Gathered

if TYPE_CHECKING:
    from orgparse.node import OrgNode

_LINK = re.compile(r"\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,2000})\])?\]")
_BEGIN = re.compile(r"\s*+#\+begin_(\w++)[ \t]*+(\S*+).*", re.I)
_END = re.compile(r"\s*#\+end_(\w+)\s*", re.I)
_FACT = re.compile(r"#\+(title|author|date):[ \t]*+(.*)", re.I)
_CAPTION = re.compile(r"\s*#\+caption:[ \t]*+(.*)", re.I)
_RULE = re.compile(r"\s*\|[-+]+\|?\s*")
_LABELS = {"title": "# ", "author": "Author: ", "date": "Date: "}
_CODE = frozenset({"src", "example", "export"})


def convert(data: bytes, cap: int) -> ConvertedText:
    """Headings as Markdown with their state and tags, code fenced, links by their words.

    `#+TITLE:`, `#+AUTHOR:` and `#+DATE:` become header lines. Nothing is included, no code is
    run. `cap` bounds the characters gathered. Raises InputError for what is not text.
    """
    from importlib.metadata import version

    import orgparse
    from orgparse.node import OrgNode

    out = Gathered(cap)
    for node in orgparse.loads(decoded(data)):
        if isinstance(node, OrgNode):
            out.part()
            out.add(_heading(node))
            for label, date in (("Scheduled", node.scheduled), ("Deadline", node.deadline)):
                if date:
                    out.add(f"{label}: {date}")
        _write_body(out, node.get_body(format="raw"), top=not node.level)
    return ConvertedText(out.text(), f"orgparse/{version('orgparse')}")


def _heading(node: OrgNode) -> str:
    tags = " ".join(f"#{tag}" for tag in sorted(node.shallow_tags))
    words = (node.todo or "", _words(node.get_heading(format="raw")), tags)
    return f"{'#' * min(node.level, 6)} {' '.join(word for word in words if word)}"


def _write_body(out: Gathered, body: str, *, top: bool) -> None:
    code = ""
    for line in body.split("\n"):
        if code:
            end = _END.fullmatch(line)
            out.add("```" if end and end[1].lower() == code else line)
            code = "" if end and end[1].lower() == code else code
        elif (begin := _BEGIN.fullmatch(line)) and begin[1].lower() in _CODE:
            code = begin[1].lower()
            out.add(f"```{begin[2] if begin[2].isalnum() else ''}")
        elif top and (fact := _FACT.fullmatch(line)):
            out.add(_LABELS[fact[1].lower()] + fact[2].strip())
        elif caption := _CAPTION.fullmatch(line):
            out.add(_words(caption[1]))
        elif _RULE.fullmatch(line):
            out.add("|" + " --- |" * (line.count("+") + 1))
        elif not _BEGIN.fullmatch(line) and not _END.fullmatch(line):
            out.add(_words(line))


def _words(text: str) -> str:
    """Links as their description, or the address of those without one."""
    return _LINK.sub(lambda link: link[2] or link[1], text)
