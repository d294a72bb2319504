"""Structure: whether index.md, its shards and overview.md tell of the pages that there are."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from llmwiki.core.page_kinds import INDEX, LOG, OVERVIEW
from llmwiki.core.text import sha256_hex
from llmwiki.index.facts import is_catalogue
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import WikiFix, example, rule
from llmwiki.lint.rules.history import has_lines_due
from llmwiki.lint.wiki import WikiView
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
_ENTRY = re.compile(r"\* \[(?:[^\[\]\\]|\\.)*\]\((?:<([^<>\n]*)>|([^()\s]*))\)")
_LINKS = re.compile(r" \(\d{1,9} (?:link|claim)s?\)\Z")
_COUNT = re.compile(r"- ([A-Z][a-z ]+): (\d{1,9})")


def _text(wiki: WikiView, path: str) -> str | None:
    data = wiki.file(path)
    return None if data is None else data.decode("utf-8", "replace")


def _is_kept(wiki: WikiView) -> bool:
    """Whether a catalogue is kept here: one of its files is as this program writes them, and no
    operation came by a merge since, with which it lags behind until the next one."""
    return wiki.keeps_catalogue and _is_ours(wiki) and not has_lines_due(wiki)


def _is_ours(wiki: WikiView) -> bool:
    index = _text(wiki, INDEX)
    if index is not None:
        return index.startswith(_OURS)
    log = _text(wiki, LOG) or ""
    if any(read_line(row) for row in islice(log.split("\n"), 20)):
        return True
    return _is_overview(_text(wiki, OVERVIEW) or "")


def _is_overview(text: str) -> bool:
    return text.startswith("---\ntype: overview\n")


def _page_of(row: str, path: str) -> str:
    """The page that a line of the catalogue's file at `path` lists; empty: none."""
    found = _ENTRY.match(row)
    if not found:
        return ""
    target = found[1] if found[1] is not None else found[2]
    return posixpath.normpath(f"{posixpath.dirname(path)}/{target}")


# --- the index and its parts -----------------------------------------------------------------


def _index_stale(wiki: WikiView) -> Iterator[RuleHit]:
    parts: dict[str, list[Entry]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    entries = list(wiki.entries())
    for entry in entries if len(entries) > SHARD_ABOVE else ():
        parts.setdefault(shard_path(entry.shard), []).append(entry)
        counts[entry.shard] += 1
    present = {
        path
        for path in wiki.files
        if is_catalogue(path) and (path == INDEX or path.count("/") == 2)
    }
    for path in sorted({INDEX, *parts, *present}) if entries else ():
        text = _text(wiki, path)
        if path != INDEX and path not in parts:
            yield RuleHit(0, "No pages belong into this part of the index", path=path)
        elif text is None:
            yield RuleHit(0, f"This part of the index is missing: `{path}`", INDEX, about=path)
        else:
            listed = parts.get(path, [] if counts else entries)
            yield from _differing(wiki, path, text, listed, counts)


def _differing(
    wiki: WikiView, path: str, text: str, listed: Sequence[Entry], counts: Counter[tuple[str, str]]
) -> Iterator[RuleHit]:
    """What a file of the index says that the pages do not, and what it does not say."""
    # Rendering a hundred thousand lines takes seconds: what was right of the same pages is so.
    said = repr(sorted(counts.items())) if path == INDEX and counts else repr(listed)
    stamp = sha256_hex(f"{said}\0{text}".encode("utf-8", "surrogatepass"))
    if wiki.recall(f"right {path}") == stamp:
        return
    if path == INDEX:
        wanted = render_shard_index(counts) if counts else render_index(listed)
    else:
        wanted = render_shard(listed[0].shard, listed)
    if text.replace("\r\n", "\n") == wanted:
        wiki.remember(f"right {path}", stamp)
        return
    lacking = Counter(wanted.split("\n"))
    hits: dict[str, RuleHit] = {}
    for number, row in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        page = _page_of(row, path)
        if lacking[row] > 0:
            lacking[row] -= 1
        elif page:
            message = f"`{short(page, 150)}` is not listed as it is now, or twice"
            hits.setdefault(page, RuleHit(number, message, path, about=page))
    for row in filter(None, lacking.elements()):
        if page := _page_of(row, path):
            message = f"`{short(page, 150)}` is not in the index"
            hits.setdefault(page, RuleHit(0, message, path, about=page))
    yield from hits.values()
    if not hits:
        yield RuleHit(0, "The index is not in the order and form that this program gives it", path)


# --- the overview --------------------------------------------------------------------------


def _overview_stale(wiki: WikiView) -> Iterator[RuleHit]:
    text = _text(wiki, OVERVIEW)
    if text is None or not _is_overview(text):
        return
    rows = text.split("\n")
    lists = ("## Most linked", "## Documents")
    top = next((number for number, row in enumerate(rows) if row in lists), len(rows))
    named = [
        (page, n, row)
        for n, row in enumerate(rows, start=1)
        if n > top and (page := _page_of(row, OVERVIEW))
    ]
    wanted = {page for page, _n, _row in named}
    counts: Counter[str] = Counter()
    entries: dict[str, Entry] = {}
    for entry in wiki.entries():
        counts[entry.shard[0]] += 1
        if entry.path in wanted:
            entries[entry.path] = entry
    right = _counted(render_overview(Totals(counts, 0, {}, ()), "", "").split("\n"))
    told = _counted(rows)
    for name in sorted(right.keys() | told.keys()):
        is_now, at = right.get(name, (0, 0))[0], told.get(name, (0, 0))
        if is_now != at[0]:
            yield RuleHit(
                at[1],
                f"The overview counts {at[0]} under {name}, and there are {is_now}",
                path=OVERVIEW,
                about=name,
            )
    for page, number, row in named:
        shown, entry_now = f"`{short(page, 150)}`", entries.get(page)
        if entry_now is None:
            what = f"names {shown}, and there is no such page"
        elif _LINKS.sub("", row.rstrip("\r")) != line(entry_now):
            what = f"gives {shown} another title or description than it has"
        else:
            continue
        yield RuleHit(number, f"The overview {what}", path=OVERVIEW, about=page)


def _counted(rows: list[str]) -> Mapping[str, tuple[int, int]]:
    """Name of a type to (count, line), as `## What is here` has them; claims are left out."""
    found: dict[str, tuple[int, int]] = {}
    inside = False
    for number, row in enumerate(rows, start=1):
        if row.startswith("## "):
            inside = row.rstrip() == "## What is here"
        elif inside and (match := _COUNT.fullmatch(row.rstrip())) and match[1] != "Claims":
            found[match[1]] = int(match[2]), number
    return found


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
def catalogue_out_of_step(wiki: WikiView) -> Iterator[RuleHit]:
    """The index does not list a page, or is gone; it lists one that is gone, twice, or with another
    title or description than it has; or the overview counts other pages than there are, or names
    such ones. Looked for where this program keeps them; edits by hand do not last. The overview's
    counts of claims, links and tags are not looked at.

    The next command that writes on the branch of the index renders them again; `wiki lint --fix`
    does it now.
    """
    if _is_kept(wiki):
        yield from _index_stale(wiki)
        yield from _overview_stale(wiki)
