"""Structure: whether index.md, its shards and overview.md tell of the pages that there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from llmwiki.core.page_kinds import INDEX, LOG, OVERVIEW
from llmwiki.core.text import sha256_hex
from llmwiki.index.facts import is_catalogue
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import WikiFix, example, rule
from llmwiki.lint.rules.history import has_lines_due
from llmwiki.lint.wiki import LintedWiki
from llmwiki.lint.wording import short
from llmwiki.pages.catalogue import (
    SHARD_ABOVE,
    Entry,
    Totals,
    line,
    read_line,
    render_index,
    render_overview,
    render_shard,
    render_shard_index,
    shard_path,
)

_OURS = "# Index\n\n* [Overview](overview.md)"
_LINKS = re.compile(r" \(\d{1,9} (?:link|claim)s?\)\Z")
_COUNT = re.compile(r"- (?!Claims)[A-Z][a-z ]+: \d{1,9}")


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
    return _is_overview(_text(wiki, OVERVIEW) or "")


def _is_overview(text: str) -> bool:
    return text.startswith("---\ntype: overview\n")


def _index_stale(wiki: LintedWiki, entries: Sequence[Entry]) -> Iterator[RuleHit]:
    parts: dict[str, list[Entry]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for entry in entries if len(entries) > SHARD_ABOVE else ():
        parts.setdefault(shard_path(entry.shard), []).append(entry)
        counts[entry.shard] += 1
    present = {
        path
        for path in wiki.files
        if is_catalogue(path) and (path == INDEX or path.count("/") == 2)
    }
    for path in sorted({INDEX, *parts, *present}):
        text = _text(wiki, path)
        if path != INDEX and path not in parts:
            yield RuleHit(0, "No pages belong into this part of the index", path=path)
        elif text is None:
            yield RuleHit(0, f"This part of the index is missing: `{path}`", INDEX, about=path)
        else:
            listed = parts.get(path, [] if counts else entries)
            yield from _differing(wiki, path, text, listed, counts)


def _differing(
    wiki: LintedWiki,
    path: str,
    text: str,
    listed: Sequence[Entry],
    counts: Counter[tuple[str, str]],
) -> Iterator[RuleHit]:
    """Whether a file of the index says what the pages are."""
    # Rendering a hundred thousand lines takes seconds: what was right of the same pages is so.
    said = repr(sorted(counts.items())) if path == INDEX and counts else repr(listed)
    stamp = sha256_hex(f"{said}\0{text}".encode("utf-8", "surrogatepass"))
    if wiki.recall(f"right {path}") == stamp:
        return
    if path == INDEX:
        wanted = render_shard_index(counts) if counts else render_index(listed)
    else:
        wanted = render_shard(listed[0].shard, listed)
    rows, right = text.replace("\r\n", "\n").split("\n"), wanted.split("\n")
    if rows == right:
        wiki.remember(f"right {path}", stamp)
        return
    known, held = set(right), set(rows)
    odd = [(number, row) for number, row in enumerate(rows, start=1) if row not in known]
    lacking = [row for row in right if row not in held]
    number, row = odd[0] if odd else (0, "")
    what = f"this is not so: `{short(row, 150)}`" if odd else "a line stands twice or elsewhere"
    what = f"it lacks `{short(lacking[0], 150)}`" if lacking else what
    yield RuleHit(number, f"The index does not tell of the pages as they are: {what}", path)


def _overview_stale(wiki: LintedWiki, entries: Sequence[Entry]) -> Iterator[RuleHit]:
    text = _text(wiki, OVERVIEW) or ""
    counts = Counter(entry.shard[0] for entry in entries)
    right = render_overview(Totals(counts, 0, {}, ()), "", "").split("\n")
    listed = {line(entry) for entry in entries}
    # A merge may leave the counts of both sides, of which the next operation keeps the right one.
    told = {row.partition(":")[0] for row in right if row in text.splitlines()}
    section = ""
    for number, row in enumerate(text.splitlines() if _is_overview(text) else (), start=1):
        is_wrong = False
        if row.startswith("## "):
            section = row
        elif section == "## What is here":
            is_wrong = bool(_COUNT.fullmatch(row)) and row.partition(":")[0] not in told
        elif section in ("## Most linked", "## Documents"):
            is_wrong = row.startswith("* [") and _LINKS.sub("", row) not in listed
        if is_wrong:
            yield RuleHit(number, f"The overview says what is not so: `{short(row)}`", OVERVIEW)


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
_OVER = render_overview(Totals({"concept": 2}, 0, {}, ()), "Two examples.", "")


@rule(
    "WK019 warning catalogue-out-of-step",
    was="WK020 WK021 index-missing index-stale overview-stale",
    bad={**_PAGES, INDEX: _HEAD + _ROW.format("Example")},
    good={**_PAGES, INDEX: _FULL, OVERVIEW: _OVER},
    fix=WikiFix.RENDER,
)
def catalogue_out_of_step(wiki: LintedWiki) -> Iterator[RuleHit]:
    """The index does not list a page, or is gone; it lists one that is gone, twice, or with another
    title or description than it has; or the overview counts other pages than there are, or names
    such ones. Looked for where this program keeps them; edits by hand do not last. The overview's
    counts of claims, links and tags are not looked at.

    The next command that writes on the branch of the index renders them again; `wiki lint --fix`
    does it now.
    """
    if _is_kept(wiki) and (entries := list(wiki.entries())):
        yield from _index_stale(wiki, entries)
        yield from _overview_stale(wiki, entries)
