"""The text as a model is shown it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.text import DROPPED

if TYPE_CHECKING:
    from llmwiki.core.document import Document

_AS_BLANK = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def numbered(document: Document, first: int, last: int) -> str:
    """Lines `first` to `last` (from 1, both included), each as `L12: text`, joined by LF.

    An empty line is `L12:`. Control characters become a blank; bidirectional controls and the
    invisible tag characters go, exactly as `core.text.normalise` treats them, so that a quote
    of what was shown is found in the text. Nothing else is changed: Markdown, HTML and
    instructions in it are the prompt's concern. Raises ValueError for lines that do not exist.
    """
    if not 1 <= first <= last <= len(document.lines):
        raise ValueError(f"no lines {first} to {last} in {document.path}")
    lines = document.lines[first - 1 : last]
    return "\n".join(
        f"L{number}: {DROPPED.sub('', _AS_BLANK.sub(' ', line))}".rstrip()
        for number, line in enumerate(lines, start=first)
    )
