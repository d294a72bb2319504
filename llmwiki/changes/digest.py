"""The digest: what memory learned since a day, as a value and as Markdown, in which texts of
documents and people are escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

from llmwiki.changes.diff import MemoryDiff, between, difference
from llmwiki.changes.diff_lines import DiffLine, PageLines, lines_by_page
from llmwiki.changes.diff_markdown import LONGEST_TEXT, shown_words
from llmwiki.core.page_and_note_kinds import SAID
from llmwiki.core.text import counted, cut, normalise
from llmwiki.git.changed_files_and_branches import review_branches
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.file_history import mainline
from llmwiki.git.repository import Repository
from llmwiki.pages.difference.change_words import count_words
from llmwiki.pages.difference.row_changes import RowChange
from llmwiki.pages.escape import escape

PAGES, CLAIMS, LINES = 12, 4, 12
"""Pages that are shown, claims of one, and lines of any other section."""
_CHANGED = frozenset({"claim", "note", "slot", "strike", "evidence", "place", "page", "tie"})
"""Kinds of rows that are told where they changed or went."""


@dataclass(frozen=True, slots=True)
class MemoryDigest:
    """What memory learned since a day began (UTC)."""

    since: date
    told: MemoryDiff
    """What differs between HEAD and the last commit before that day."""
    operations: tuple[tuple[str, int], ...]
    """How many of each kind there were, the most first."""
    reviews: tuple[str, ...]
    """Branches that wait for review."""
    lacking: str = ""
    """Why this clone may lack something; empty: it has all."""


def memory_digest(repo: Repository, since: date, operations: Iterable[Commit]) -> MemoryDigest:
    """What was learned since `since`; `operations` are those of that time."""
    start = datetime.combine(since, time(), UTC).timestamp()
    head = next(iter(repo.log(limit=1)), None)
    base = next((oid for oid, seconds in mainline(repo) if seconds < start), None)
    told = difference({}, {}) if head is None else between(repo, base, head)
    kinds = Counter(commit.kind or "" for commit in operations)
    return MemoryDigest(
        since,
        told,
        tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        tuple(review_branches(repo)),
        repo.beyond if base is None else "",
    )


def digest_markdown(digest: MemoryDigest) -> str:
    """The digest as Markdown; texts of documents and people are escaped."""
    told = replace(digest.told, changes=tuple(_worth_telling(digest.told)))
    parts = [f"# Learned since {digest.since.isoformat()}\n\n{_summary(digest, told)}\n"]
    found: dict[str, list[tuple[PageLines, DiffLine]]] = {}
    for page in lines_by_page(told):
        for line in page.lines:
            found.setdefault(_section_of(page, line), []).append((page, line))
    waiting = [f"- waits for review: `wiki review show {each.partition('/')[2]}`\n"
               for each in digest.reviews]  # fmt: skip
    look, changed, notes = (
        [_line(*each) for each in found.get(name, ())]
        for name in ("To look at", "Changed", "Remembered")
    )
    parts += _section("To look at", [*look, *waiting])
    parts += _section("Changed", changed)
    parts += _section("Remembered", notes)
    parts += _learned(found.get("Learned", ()), told)
    read = (f"- {shown_words(line.words, _safe)}\n" for _page, line in found.get("Sources", ()))
    parts += _section("Sources", list(read))
    return "".join(parts)


def _section_of(page: PageLines, line: DiffLine) -> str:
    """The heading that a line stands under; empty where it is not told."""
    change = line.change
    if line.mark == "!" or change is None:
        return "To look at" if line.mark == "!" else ""
    what = (change.kind, change.verb)
    if what in (("note", "added"), ("claim", "added")):
        return "Remembered" if change.kind == "note" else "Learned"
    if page.path.startswith("wiki/sources/") and (
        what == ("page", "added") or change.name == "sha256"
    ):
        return "Sources"
    is_told = change.verb != "added" or change.kind in ("strike", "tie") or change.other
    return "Changed" if change.kind in _CHANGED and is_told else ""


def _worth_telling(told: MemoryDiff) -> Iterator[RowChange]:
    """All changes but those of sentences that notes rest on, and of notes that came and were
    replaced or forgotten within this time."""
    added = {each.id for each in told.changes if each.kind == "note" and each.verb == "added"}
    left_out = {
        ident
        for ident, claim in told.claims.items()
        if ident.startswith("n-")
        and (claim.attribute("kind") == SAID or (ident in added and claim.successor is not None))
    }
    return (each for each in told.changes if each.id not in left_out)


def _summary(digest: MemoryDigest, told: MemoryDiff) -> str:
    done = ", ".join(f"{count} {kind}" for kind, count in digest.operations)
    said = ", ".join(count_words(told.changes))
    if not said:
        said = "Nothing new is in memory"
    number = sum(count for _kind, count in digest.operations)
    by = f" {counted(number, 'operation')} ({done})." if number else ""
    return f"{said[0].upper()}{said[1:]}.{by}"


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = len(lines) - LINES
    rest = [f"- and {more} more\n"] if more > 0 else []
    return [f"\n## {heading}\n\n", *lines[:LINES], *rest]


def _learned(rows: Iterable[tuple[PageLines, DiffLine]], told: MemoryDiff) -> list[str]:
    """What came, page by page, those with most first."""
    found: dict[PageLines, list[DiffLine]] = {}
    for page, line in rows:
        found.setdefault(page, []).append(line)
    parts = ["\n## Learned\n"] if found else []
    ranked = sorted(found.items(), key=lambda each: (-len(each[1]), each[0].title, each[0].path))
    for page, lines in ranked[:PAGES]:
        changes = (line.change for line in page.lines if line.change is not None)
        made = next((c.after for c in changes if (c.kind, c.verb) == ("page", "added")), "")
        new = f" (new {'source' if made == 'source' else 'page'})" if made else ""
        parts.append(f"\n**{_safe(page.title)}**{new}\n\n")
        parts += [_claim(line, told) for line in lines[:CLAIMS]]
        more = len(lines) - CLAIMS
        parts += [f"- and {more} more\n"] if more > 0 else []
    more = len(ranked) - PAGES
    parts += [f"\nAnd on {counted(more, 'more page')}.\n"] if more > 0 else []
    return parts


def _claim(line: DiffLine, told: MemoryDiff) -> str:
    text = shown_words(line.words, _safe)
    if told.claims[line.claim].successor is not None:
        # It came and was overtaken within this time.
        text = f"~~{text}~~"
    where = ""
    if line.quotes:
        place = line.quotes[0].place
        where = f" — {_safe(place.path)} {place.span}".rstrip()
    return f"- {text}{where}\n"


def _line(page: PageLines, line: DiffLine) -> str:
    title = f" · {_safe(page.title)}"
    if line.rewording is not None:
        before, after = (_safe(text) for text in line.rewording)
        return f"- “{before}” now reads “{after}”{title}\n"
    return f"- {shown_words(line.words, _safe)}{title}\n"


def _safe(text: str) -> str:
    return escape(cut(normalise(text), LONGEST_TEXT))
