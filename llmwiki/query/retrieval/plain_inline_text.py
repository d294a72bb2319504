"""One run of Markdown as plain text of one line: what a reader sees, and nothing that acts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import normalise

REACH = 2_000
"""Characters in which the end of a code span or comment is looked for: each that nothing closes
costs as many."""

_MARKUP = lazy_pattern(
    # Most places begin none of these: one look at the sign spares trying all of them.
    r"(?=[\\`!\[<~=*_^%&])(?:\\(?P<escaped>[!-/:-@\[-`{-~])"
    rf"|(?:(?<!`)|(?<=\\`))(?P<ticks>`++)(?P<code>.{{0,{REACH}}}?)(?<!`)(?P=ticks)(?!`)"
    r"|!?\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<label>[^\[\]\n]*))?\]\]"
    r"|!?\[(?P<words>[^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)"
    r"(?:[ \t]+\"[^\"\n]*\")?\)"
    rf"|(?P<gone>\[\^[^\s\[\]]+\]:?|<!--.{{0,{REACH}}}?-->|%%.{{0,{REACH}}}?%%|</?[A-Za-z][^<>]*>|~~|==|\*\*+"
    r"|(?<!\w)_++|(?<!_)_++(?!\w))"
    r"|(?P<blank>&nbsp;)"
    r"|(?<=\S)(?P<after>\*)|(?P<before>\*)(?=\S)"
    r"|(?<=\s)\^[A-Za-z0-9-]+\Z)",
    re.DOTALL,
)
MOST = 5000
"""Characters in which the end of a mark is looked for; what nothing closes costs no more."""
_ACTIVE = lazy_pattern(r"[\\`\[*_<~=^]|%%|&nbsp;")
_REMARK = lazy_pattern(r"%%[^\n]{1,2000}?%%")


def lines_shown(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page with their numbers, from 1, without what Obsidian hides (`%% … %%`)."""
    fenced = hidden = False
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if not hidden and bare.startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and bare == "%%":
            hidden = not hidden
        elif not hidden:
            yield number, line if fenced else _REMARK.sub("", line)


def plain(markdown: str) -> str:
    """The words of inline Markdown: links as their label, no marks, ids or footnotes."""
    if not _ACTIVE.search(markdown):
        return normalise(markdown)
    if len(markdown) <= MOST:
        return normalise(_MARKUP.sub(_shown, markdown))
    parts = (markdown[at : at + MOST] for at in range(0, len(markdown), MOST))
    return normalise("".join(_MARKUP.sub(_shown, part) for part in parts))


def _shown(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind in {"target", "label"}:
        return _link_words(*found.group("target", "label"))
    if kind in {"escaped", "code"}:
        return found[kind]
    if kind == "words":
        return plain(found[kind])
    if kind == "blank":
        return " "
    if kind in {"after", "before"}:
        # `2*3` is a product; a star that touches a word otherwise is emphasis.
        text, at = found.string, found.start()
        around = text[at - 1 : at] + text[at + 1 : at + 2]
        return "*" if around.isdigit() and len(around) == 2 else ""
    return ""


def _link_words(target: str, label: str | None) -> str:
    if label:
        return label
    page, _, place = target.rstrip("\\").partition("#")
    return page.rpartition("/")[2].strip() or place.lstrip("^# ")
