"""Text of other people inside commit messages and comments, where forges act on words."""

from __future__ import annotations

import re

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import cut, normalise

_CLOSES = r"(?:clos|fix|resolv|complet|implement|address)(?:e[sd]?|s|ing|ed)?"

_TOKEN = re.compile(r"\A[\w-]+(?<!\d)(?=\s*:)")
"""What git would take for a trailer's name at the start of a line; none that counts ends in a digit
like the number of a document, `PEP-8`."""

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # Git drops a line that starts with a hash when the message is edited.
    (re.compile(r"\A(?:# ?)+"), ""),
    # `#1`, `owner/repo#1`, `AB#1` close issues after a keyword; `#close` is a command to Jira.
    (re.compile(r"#(?=\w)"), "# "),
    (re.compile(r"!(?=\d)"), "! "),
    (re.compile(r"@(?=\w)"), "@ "),
    (re.compile(r"\b(GH)-(?=\d)", re.IGNORECASE), r"\1 "),
    # Trackers that name issues by a key: `fixes ENG-123`.
    (lazy_pattern(rf"({_CLOSES}\W{{1,3}}[A-Z][A-Z0-9_]*)-(?=\d)", re.IGNORECASE), r"\1 "),
    # The whole address of an issue is a reference too.
    (re.compile(r"://(?=\w)"), ":// "),
    # `[skip ci]` and its kin switch the checks of a push off.
    (re.compile(r"\["), "("),
    (re.compile(r"\]"), ")"),
    (re.compile(r"\*{3,}"), "**"),
    (re.compile(r"(?<!-)-{2,}+(?=!?>)"), "-"),
)


def plain_line(text: str, limit: int = 100) -> str:
    """`text` as one line of at most `limit` characters that no forge acts on.

    It closes no issue, pings nobody, refers to no merge request, skips no check, forges no trailer
    (`Co-authored-by:`) even at the start of a line, and cannot end an HTML comment. Active marks
    are set apart by a blank (`fixes # 1`, `@ people`), so that a reader still sees what was
    written. A longer text ends in `…`. References: docs.github.com, "Using keywords in issues and
    pull requests" and "Skipping workflow runs"; docs.gitlab.com, "Managing issues".
    """
    line = normalise(text)
    for pattern, replacement in _RULES:
        line = pattern.sub(replacement, line)
    line = _TOKEN.sub(lambda token: token[0].lstrip("-").replace("-", " ", 1), normalise(line))
    return cut(normalise(line), limit)
