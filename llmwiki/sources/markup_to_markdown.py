"""Texts that people write, as the Markdown that a parser reads, line for line.

Only whole lines change, so that every line keeps its number and its words. Plain text,
reStructuredText, Org and AsciiDoc get number signs before headings, and fences around code; what is
drawn, commented or filled in by a program becomes blank. Of Org and AsciiDoc no more is known than
that. Markdown gets what it does not know: admonitions, callouts, other bullets, items of an agenda.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.core.language.sentences import is_day
from llmwiki.core.language.word_forms import word_set

_FENCE = "```"
_FENCES = (_FENCE, "~~~", ":::")
"""With which a line begins that opens or closes a block, and says nothing itself."""

_BULLET = re.compile(r"\A(\s*+)(?:[•·‣◦]\s+|[・●○▪]\s*|(?=\[[ xX]\]\s))(?=\S)")
_DAY = re.compile(r"\A(\s*+\d{1,2})\.(?=\s(.*))")
_CALLOUT = re.compile(r"\s*>\s*\[![\w-]{1,40}[^\]\n]{0,40}\][-+]?\s*(.{0,200})$")
_ADMONITION = re.compile(
    r"===[!+]{0,2} \"[^\"]{1,200}\"\s*$|(?:!!!|\?\?\?\+?) [\w-]{1,30}(?: \"[^\"]{0,200}\")?\s*$"
)
_HIGHLIGHT = re.compile(r"\s*\{%-?\s*(?:end)?(?:highlight|raw|code)\b[^{}]{0,200}%\}\s*$")
_NO_WORDS = re.compile(
    r"\[?!\[[^][]{0,500}\](?:\([^()\s]{0,1000}(?: \"[^\"]{0,300}\")?\)|\[[^][]{0,200}\])"
    r"(?:\](?:\([^()\s]{0,1000}\)|\[[^][]{0,200}\]))?|\{[:%][^{}]{0,500}\}"
    r"|\{[a-z]{1,20}: [^{}]{0,200}\}|\{\{[<%][^{}]{0,500}[>%]\}\}|\s"
)
"""Pictures, `{% … %}`, `{: … }`, `{height: 1rem}` and blanks."""
_TOP = re.compile(r"\s*(?:TOP|議題) ?\d{1,2}[a-z]?\b.{0,80}(?<![.;])$")
"""An item of the agenda of minutes, alone on its line."""

_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*$")
_HTML = re.compile(
    r"\s*(?:</?(?:p|div|center|details|summary|b|strong|i|em|sub|sup)\b[^<>]{0,500}>\s*)+"
    r"(?P<text>[^<>]*)((?:</(?:p|div|center|summary|b|strong|i|em|sub|sup)>|<br ?/?>)\s*)*$",
    re.IGNORECASE,
)
"""A line of text in tags that only place or dress it, or of such tags alone."""
_DIRECTIVE = re.compile(r"\s*\.\. +(?P<name>[A-Za-z][\w:-]*)::[ \t]*+(?P<rest>.*)$")
_EXPLICIT = re.compile(r"\s*(?:\.\.(?:\s|$)|__ )|:[\w -]{1,40}:\s*$")
"""A comment, a target, or a field without a value, such as `:orphan:`."""
_KEPT = word_set("""admonition attention caution danger error hint important note tip
    warning seealso versionadded versionchanged deprecated topic""")
"""Directives whose content is text."""
_CODE = frozenset(["code", "code-block", "sourcecode", "parsed-literal", "literal"])

_FACT = re.compile(r"(?:#\+|:)(title|author|date|revdate|url):[ \t]*+(?=\S)", re.IGNORECASE)
_HEADING = {
    "text/org": re.compile(r"(\*{1,6}) +(?=\S)"),
    "text/asciidoc": re.compile(r"(={1,6}) +(?=\S)"),
}
_BLOCK = {
    "text/org": re.compile(r"\s*#\+(?:begin|end)_\w", re.IGNORECASE),
    "text/asciidoc": re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3}|_{4})\s*$"),
}
"""What begins and ends code, and other people's words."""
_LEFT_OUT = {
    "text/org": re.compile(r"\s*(?:#\+\w|# |:[\w-]+:\s*$)"),
    "text/asciidoc": re.compile(
        r"//|:[\w!-]+:|\[[^\[\]]*+\]\s*$|\.[^\s.]|[a-z]+::\S*\[|(?:[=*]{4,}|\|={3,}|--|\+)\s*$|\|"
    ),
}
"""Keywords, comments, attributes, titles of blocks, macros, rows and what delimits a block."""


def as_markdown(media_type: str, lines: list[str]) -> list[str]:
    """The lines of a text of this kind (`text/markdown`, `text/org`), as many as there were."""
    if media_type in _BLOCK:
        made = list(_headed(media_type, lines))
    elif media_type == "text/markdown":
        made = list(lines)
        _admonitions(made)
        _tags(made)
    else:
        made = _restructured(lines)
    mark_lines(made)
    return made


def has_words(line: str) -> bool:
    """Whether a line holds more than pictures, marks, and what a program fills in."""
    return any(map(str.isalnum, _NO_WORDS.sub("", line))) and not line.lstrip().startswith(_FENCES)


def mark_lines(lines: list[str]) -> None:
    """What Markdown lacks in a line: bullets, days that number no list, lines without a word."""
    for at, line in enumerate(lines):
        if _NO_WORDS.search(line) and not has_words(line) and any(map(str.isalnum, line)):
            lines[at] = ""
        elif _TOP.match(line) and not _TOP.match("".join(lines[at + 1 : at + 2])):
            lines[at] = f"## {line.strip()}"
        elif (day := _DAY.match(line)) and is_day(day[1].strip(), day[2]):
            lines[at] = f"{day[1]}\\{line[day.end(1) :]}"
        else:
            lines[at] = _BULLET.sub(r"\1- ", line, count=1) if _BULLET.match(line) else line


def _admonitions(lines: list[str]) -> None:
    """What `!!! note` and `> [!note]` hold is text; what `{% highlight %}` holds is code."""
    indented = called = False
    for at, line in enumerate(lines):
        called = called and line.lstrip().startswith(">")
        if _HIGHLIGHT.match(line):
            lines[at] = _FENCE
        elif _ADMONITION.match(line):
            indented, lines[at] = True, ""
        elif callout := _CALLOUT.match(line):
            called = "".join(lines[at + 1 : at + 2]).lstrip().startswith(">")
            lines[at] = "" if called else callout[1]
        elif called:
            lines[at] = re.sub(r"\A\s*+> ?", "", line, count=1)
        elif indented and line.startswith("    "):
            lines[at] = line[4:]
        elif line.strip():
            indented = False


def _tags(lines: list[str]) -> None:
    """Takes off tags that only place a text, but not in code or in a table."""
    closing = ""
    for at, line in enumerate(lines):
        mark = line.strip()[:3]
        if closing:
            closing = "" if closing in line else closing
        elif mark in (_FENCE, "~~~"):
            closing = mark
        elif "<table" in line:
            closing = "" if "</table>" in line else "</table>"
        elif found := _HTML.match(line):
            lines[at] = found["text"].strip()


def _headed(media_type: str, lines: list[str]) -> Iterator[str]:
    """The lines of Org or AsciiDoc, of which headings, blocks and what is no text are known."""
    within = False
    for line in lines:
        if _BLOCK[media_type].match(line):
            within = not within
            yield _FENCE
        elif within:
            yield line
        elif heading := _HEADING[media_type].match(line):
            yield "#" * len(heading[1]) + " " + line[heading.end() :]
        elif fact := _FACT.match(line):
            name = "Date" if "date" in fact[1].lower() else fact[1].capitalize()
            yield f"{name}: {line[fact.end() :]}"
        else:
            yield "" if _LEFT_OUT[media_type].match(line) else re.sub(r"\A\. ", "1. ", line)


def _underlined(lines: list[str]) -> None:
    """Headings with a line of signs below, or below and above, get the level of their signs."""
    levels: list[str] = []
    for at, line in enumerate(lines[:-1]):
        title, below = line.strip(), _UNDERLINE.match(lines[at + 1])
        above = _UNDERLINE.match(lines[at - 1]) if at else None
        over = bool(above and below and above[1] == below[1])
        free = not at or over or not lines[at - 1].strip()
        is_title = any(map(str.isalnum, title)) and len(title) <= 100 and title[0] not in "|-"
        if below and free and is_title and len(below[0].rstrip()) >= max(3, len(title) // 2):
            style = below[1] + ("over" if over else "")
            levels += [style] if style not in levels else []
            lines[at] = "#" * min(6, levels.index(style) + 1) + " " + title
            lines[at + 1] = ""
            lines[at - 1] = "" if over else lines[at - 1]


def _restructured(lines: list[str]) -> list[str]:
    made = list(lines)
    at = 0
    while at < len(made):
        at = max(at + 1, _take(made, at))
    _underlined(made)
    return made


def _take(lines: list[str], at: int) -> int:
    """Rewrite what begins at index `at`; gives the index behind it."""
    line = lines[at]
    end = _indented_end(lines, at) if line.strip() else at
    if directive := _DIRECTIVE.match(line):
        return _directive(lines, at, end, directive["name"], directive["rest"])
    if _EXPLICIT.match(line):
        return _blank(lines, at, end)
    if line.rstrip().endswith("::"):
        lines[at] = line.rstrip()[:-1]
        if end > at + 2 and not lines[at + 1].strip():
            return _fenced(lines, at + 1, end)
    return at + 1


def _directive(lines: list[str], at: int, end: int, name: str, rest: str) -> int:
    if name in _CODE:
        return _fenced(lines, at, end)
    if name not in _KEPT:
        return _blank(lines, at, end)
    lines[at] = rest
    margin = min((_indent(one) for one in lines[at + 1 : end] if one.strip()), default=0)
    lines[at + 1 : end] = [one[margin:] for one in lines[at + 1 : end]]
    return at + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indented_end(lines: list[str], at: int) -> int:
    """The index behind the lines that are indented more than the one at `at`."""
    margin = _indent(lines[at])
    end = last = at + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > margin):
        last = end + 1 if lines[end].strip() else last
        end += 1
    return last


def _blank(lines: list[str], start: int, end: int) -> int:
    lines[start:end] = [""] * (end - start)
    return end


def _fenced(lines: list[str], start: int, end: int) -> int:
    """Lines as code: the first, and the one behind the last, are blank or need not be read."""
    lines[start] = _FENCE
    behind = end if end < len(lines) and not lines[end].strip() else end - 1
    lines[behind] = _FENCE if behind > start else ""
    return behind + 1
