"""reStructuredText to text with docutils. Runs in the converting process only.

No file is included, no raw block is passed on, no settings file is read.
"""

from __future__ import annotations

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.decode import decoded
from llmwiki.sources.converters.gather import Gathered

MAX_TEXT = 1_500_000
"""Characters; docutils' tree takes some two hundred times as much memory."""
MAX_LINE = 100_000
"""Characters of a line; docutils gives up a document that has a longer one."""

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 2,
    "halt_level": 5,
    "warning_stream": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "doctitle_xform": True,
    "sectsubtitle_xform": False,
    "line_length_limit": MAX_LINE,
}
"""docutils' settings (docutils.sourceforge.io/docs/user/config.html)."""


def convert(data: bytes, cap: int) -> ConvertedText:
    """The document as Markdown: headings, lists, tables as rows, code fenced, footnotes.

    Directives that docutils does not know (Sphinx has many) stand as they are written. `cap`
    bounds the characters gathered. Raises InputError for what is not text, PolicyError past a
    limit.
    """
    import docutils
    from docutils.core import publish_doctree
    from docutils.utils import SystemMessage

    from llmwiki.sources.converters.rst_text import BlockWriter

    text = decoded(data)
    if len(text) > MAX_TEXT or max(map(len, text.split("\n"))) > MAX_LINE:
        raise PolicyError(
            f"more than {MAX_TEXT:,} characters of reStructuredText, or {MAX_LINE:,} in a line,"
            " are not read",
            fix="Split it, or save it as plain text (.txt).",
        )
    try:
        tree = publish_doctree(text, settings_overrides=dict(_SETTINGS))
    except SystemMessage as error:
        raise InputError(
            f"the reStructuredText is broken ({str(error)[:200]})", fix="Correct it there."
        ) from error
    except SystemError as error:
        # Memory that runs out inside the interpreter's own C code shows like this.
        raise PolicyError("reading it takes too much memory", fix="Split it.") from error
    out = Gathered(cap)
    BlockWriter(out).blocks(tree)
    return ConvertedText(out.text(), f"docutils/{docutils.__version__}")
