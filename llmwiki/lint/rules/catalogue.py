"""Structure: whether index.md and its parts tell of the pages that there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from llmwiki.core.page_and_note_kinds import INDEX, LOG, OVERVIEW
from llmwiki.core.text import sha256_hex
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.lint.findings import Finding, found_at, short
from llmwiki.lint.rule import WikiFix, example, rule
from llmwiki.lint.rules.history import has_lines_due
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.catalogue import (
    SHARD_ABOVE,
    Entry,
    render_index,
    render_shard,
    render_shard_index,
    shard_path,
)
from llmwiki.pages.log_page import read_line

_OURS = "# Index\n\n* [Overview](overview.md)"


def _text(wiki: LintedWiki, path: str) -> str | None:
    data = wiki.file(path)
    return None if data is None else data.decode("utf-8", "replace")


def _is_kept(wiki: LintedWiki) -> bool:
    """Whether a catalogue is kept here: one of its files is as this program writes them, and no
    operation came by a merge since, with which it lags behind until the next one."""
    return wiki.keeps_catalogue and _is_ours(wiki) and not has_lines_due(wiki)


def _is_ours(wiki: LintedWiki) -> bool:
    index = _text(wiki, INDEX)
    if index is not None:
        return index.startswith(_OURS)
    log = _text(wiki, LOG) or ""
    if any(read_line(row) for row in islice(log.split("\n"), 20)):
        return True
    return (_text(wiki, OVERVIEW) or "").startswith("---\ntype: overview\n")


def _index_files(entries: Sequence[Entry]) -> dict[str, str]:
    """index.md and, in a large wiki, its parts, as these pages make them."""
    if len(entries) <= SHARD_ABOVE:
        return {INDEX: render_index(entries)}
    parts: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        parts.setdefault(entry.shard, []).append(entry)
    files = {shard_path(shard): render_shard(shard, listed) for shard, listed in parts.items()}
    return {**files, INDEX: render_shard_index({s: len(listed) for s, listed in parts.items()})}


def _differing(path: str, text: str, wanted: str) -> Finding | None:
    """Where a file of the index says another thing than the pages."""
    rows, right = text.replace("\r\n", "\n").split("\n"), wanted.split("\n")
    if rows == right:
        return None
    known, held = set(right), set(rows)
    odd = [(number, row) for number, row in enumerate(rows, start=1) if row not in known]
    lacking = [row for row in right if row not in held]
    number, row = odd[0] if odd else (0, "")
    what = f"this is not so: `{short(row, 150)}`" if odd else "a line stands twice or elsewhere"
    what = f"it lacks `{short(lacking[0], 150)}`" if lacking else what
    return found_at(number, f"The index does not tell of the pages as they are: {what}", path)


# --- rules ---------------------------------------------------------------------------------

_PAGE = example(
    "An example shows by one case what holds for many; it is chosen because it is easy to follow."
    "\n",
    title="{0}",
    front="description: One of many.\n",
)
_HEAD = _OURS + " - What this wiki holds\n* [Log](log.md) - What happened to it\n\n## Concepts\n\n"
_ROW = "* [{0}](concepts/{0}.md) - One of many.\n"
_A, _B = "wiki/concepts/Example.md", "wiki/concepts/Sample.md"
_PAGES = {_A: _PAGE.format("Example"), _B: _PAGE.format("Sample")}
_FULL = _HEAD + _ROW.format("Example") + _ROW.format("Sample")


@rule(
    "WK019 warning catalogue-out-of-step",
    was="WK020 WK021 index-missing index-stale overview-stale",
    bad={**_PAGES, INDEX: _HEAD + _ROW.format("Example")},
    good={**_PAGES, INDEX: _FULL},
    fix=WikiFix.RENDER,
)
def catalogue_out_of_step(wiki: LintedWiki) -> Iterator[Finding]:
    """The index does not list a page, or is gone; or it lists one that is gone, twice, or with
    another title or description than it has. Looked for where this program keeps it; edits by hand
    do not last.

    The next command that writes on the branch of the index renders it again; `wiki lint --fix`
    does it now.
    """
    if not _is_kept(wiki) or not (entries := list(wiki.entries())):
        return
    present = {p for p in wiki.files if is_catalogue(p) and (p == INDEX or p.count("/") == 2)}
    texts = {path: _text(wiki, path) for path in sorted(present | {INDEX})}
    # Rendering a hundred thousand lines takes seconds: what was right of the same pages is so.
    stamp = sha256_hex(repr((entries, texts)).encode("utf-8", "surrogatepass"))
    if wiki.recall("right index") == stamp:
        return
    wanted, is_right = _index_files(entries), True
    for path in sorted(wanted.keys() | texts.keys()):
        text = texts.get(path)
        if path not in wanted:
            hit = found_at(0, "No pages belong into this part of the index", path=path)
        elif text is None:
            message = f"This part of the index is missing: `{path}`"
            hit = found_at(0, message, path=INDEX, about=path)
        elif (differing := _differing(path, text, wanted[path])) is not None:
            hit = differing
        else:
            continue
        is_right = False
        yield hit
    if is_right:
        wiki.remember("right index", stamp)
