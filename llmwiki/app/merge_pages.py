"""Three versions of a page merged, for git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.pages.disputes import Dispute


def merge_files(base: Path, ours: Path, theirs: Path, path: str) -> tuple[Dispute, ...]:
    """Merges three versions of the page at `path`; the result replaces `ours`.

    Returns what both sides worded differently, where a person must look.
    """
    from llmwiki.edit.merging import merge_texts

    texts = [p.read_bytes().decode("utf-8", "surrogateescape") for p in (base, ours, theirs)]
    within = path[path.rfind("wiki/") :] if "wiki/" in path else path
    # git hands over an empty base where both sides made the page.
    merged, undecided = merge_texts(within, texts[0] or None, *texts[1:])
    # A temporary file of git's own, which git then takes for the page; not a file of the wiki.
    ours.write_bytes((merged or "").encode("utf-8", "surrogateescape"))
    return tuple(undecided)
