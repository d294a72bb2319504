"""What merges, squashes, rebases and edits by hand leave to the next operation on the pages.

Lines that the log lacks or has twice, claims that stand double, and sources of which two versions
were read: they follow the one that was kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from llmwiki.core.errors import WikiError
from llmwiki.core.page_and_note_kinds import LOG
from llmwiki.core.text import fold
from llmwiki.git.commits_and_trailers import Commit
from llmwiki.index.page_facts_record import PageFacts, is_page
from llmwiki.landing.earlier_pages import pages_of
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write
from llmwiki.pages.body_blocks import has_conflict_marks
from llmwiki.pages.log_page import LOG_FILE, LogLine, last_id, log_path, without_doubles
from llmwiki.pages.merge.join_claims import Joins, join_equals, redirect
from llmwiki.pages.merge.repair_assembled_page import give_footnotes, with_footnotes_of
from llmwiki.pages.merge.two_records import merge
from llmwiki.pages.page import Page, SourceRef
from llmwiki.pages.page_tree import Key, PageNode
from llmwiki.pages.tombstones import claim_refs, is_retracted

LOOK_BACK = 500
"""Commits that are searched for operations without a log line."""


def newest_commit(state: WikiState, base: str) -> Commit:
    """The commit `base` with its message."""
    if state.newest is None or state.newest.oid != base:
        state.newest = next(iter(state.repo.log(base, limit=1)))
    return state.newest


def _in_step(state: WikiState, base: str) -> bool:
    """Whether the commit `base` is the operation that the log's last line tells of.

    Then nobody else has committed or merged since, and catalogue and log are in step.
    """
    if base == state.told:
        return True
    newest = newest_commit(state, base)
    if not newest.operation:
        return False
    files = (LOG, log_path(newest.date.strftime("%Y")))
    return any(last_id(state.text(path)) == newest.operation for path in files)


def missed_lines(
    state: WikiState, base: str | None, *, all_of_them: bool = False, merged: Sequence[str] = ()
) -> Sequence[LogLine] | None:
    """The log lines that are missing at `base` once the commits `merged` are behind it too, oldest
    first.

    With `all_of_them` however old the commits are, and however well the log ends.

    None where all is in step. Otherwise the whole catalogue is worth rendering again.
    """
    in_order = not all_of_them and (base is None or _in_step(state, base))
    if base is None or (in_order and not merged):
        return None
    limit = None if all_of_them else LOOK_BACK
    ranges = [state.repo.log(f"{base}..{tip}", limit=limit) for tip in merged]
    if not in_order:
        ranges.append(state.repo.log(base, limit=limit))
    missing: dict[str, LogLine] = {}
    told = "".join(log_texts(state).values())
    for commit in chain.from_iterable(ranges):
        untold = [each for each in commit.by_operation() if _is_untold(each, told)]
        # Where a shallow clone ends it is not known how many pages it changed; `wiki lint` in a
        # whole clone misses it.
        if not untold or not commit.parents.known:
            continue
        changed = state.repo.diff_trees(commit.parents.first(), commit.oid, "wiki")
        pages = sum(1 for change in changed if is_page(change.path))
        date = commit.date.strftime("%Y-%m-%d")
        for each in reversed(untold):
            ident, kind = each.own or ("", "")
            title = each.subject.partition(": ")[2] or each.subject
            missing[ident] = LogLine(date, kind, title, pages, ident)
    return list(missing.values())[::-1]


def _is_untold(operation: Commit, told: str) -> bool:
    """Whether a log lacks the line of an operation. Trailers that this program does not write would
    stand in it as markup."""
    ident, kind = operation.own or ("", "init")
    return kind != "init" and f" · {ident}" not in told


def log_texts(state: WikiState) -> Mapping[str, str]:
    """The files of the log as the state has them: path to text, by path."""
    paths = (f"wiki/{name}" for name in state.repo.names(state.commit, "wiki"))
    return {path: state.text(path) for path in paths if LOG_FILE.fullmatch(path)}


def undoubled(state: WikiState) -> dict[str, str]:
    """The files of the log that tell of an operation twice, with each line once: path to text."""
    once = {path: without_doubles(text) for path, text in log_texts(state).items()}
    return {path: text for path, text in once.items() if text != state.text(path)}


# --- pages that have changed since the last operation ---------------------------------------------

MOVING = frozenset({"merge", "tidy"})
"""Kinds of operations that move claims from page to page."""


class JoinedClaims(NamedTuple):
    """The pages after some claims were joined, and which."""

    pages: Mapping[str, Page]
    joins: Joins


def edited_paths(state: WikiState, base: str | None) -> list[str] | None:
    """The pages at `base` that differ from those of the newest operation behind it, by path; None
    where no commit at hand is one. The fixes of lint do not count, for they are to pages as they
    stand, and neither do undos."""
    if base is None or base == state.own or _has_looked(newest_commit(state, base)):
        return []
    log = state.repo.log(base, limit=LOOK_BACK)
    newest = next((commit.oid for commit in log if _has_looked(commit)), None)
    if newest is None:
        return None
    changed = (each.path for each in state.repo.diff_trees(newest, base, "wiki"))
    return sorted(state.index.oids(path for path in changed if is_page(path)))


def mended(state: WikiState, edited: Sequence[str]) -> JoinedClaims:
    """What is to be done to these pages, which have changed since the last operation."""
    united = unite(state, on_two_pages(state, edited))
    holding = (facts.path for facts in _facts(state, edited) if facts.claims or facts.notes)
    joined = join(state, {*united, *holding}, united)
    return JoinedClaims({**united, **joined.pages}, joined.joins)


def _facts(state: WikiState, paths: Iterable[str]) -> Iterator[PageFacts]:
    """The facts of those of the pages that there are, some at a time: they may be all pages."""
    rest = iter(sorted(set(paths)))
    while some := list(islice(rest, 500)):
        found = state.facts(some)
        yield from (found[path] for path in some if path in found)


def _has_looked(commit: Commit) -> bool:
    return bool(commit.operation) and commit.kind not in ("lint", "undo")


# --- equal claims on one page --------------------------------------------------------------------


def join(state: WikiState, paths: Iterable[str], edited: Mapping[str, Page | None]) -> JoinedClaims:
    """The equal claims of each of the pages as one, with every link to them led on.

    `edited` are pages as they shall be where they differ from the state. Where nobody has chosen
    yet between the sides of a merge, nothing is joined.
    """
    pages: dict[str, Page] = {}
    joins: dict[str, str] = {}

    def held(path: str) -> Page | None:
        if path in pages:
            return pages[path]
        return edited[path] if path in edited else state.page(path)

    for path in sorted(set(paths)):
        page = held(path)
        if page is None:
            continue
        joined, found = join_equals(page)
        if joined is page:
            continue
        led = {path: redirect(joined, found)}
        for other in sorted({*state.linking(path), *state.naming(found)}):
            linking = held(other)
            if linking is not None and (new := redirect(linking, found)).node != linking.node:
                led[other] = new
        if not any(has_conflict_marks(one.text) for one in led.values()):
            joins |= found
            pages |= led
    return JoinedClaims(pages, joins)


# --- one claim on two pages ----------------------------------------------------------------------


def on_two_pages(state: WikiState, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The claims of those pages that stand on another page too: id to all its pages.

    One branch moved the claim and the other changed it, or both read one document and filed it with
    two subjects. git merges each page by itself, and may see nothing to ask about.
    """
    homes = state.claim_homes(sorted({each for one in _facts(state, paths) for each in one.claims}))
    return {ident: found for ident, found in sorted(homes.items()) if len(found) > 1}


def unite(state: WikiState, doubled: Mapping[str, Collection[str]]) -> dict[str, Page]:
    """The pages after each of the claims, given with the pages it stands on, is on one of them.

    That is the page to which an operation has moved it, else the one of the smallest title. Where
    the wordings are unlike and nobody knows whose is the newer one, the claim is left.
    """
    pages: dict[str, Page] = {}
    arrivals = _arrivals(state, doubled.keys()) if doubled else {}
    for ident, paths in sorted(doubled.items()):
        held = {path: pages.get(path) or state.page(path) for path in sorted(paths)}
        # A paragraph that ends in such an id is no claim, though the index counts it as one.
        here = {path: page for path, page in held.items() if page and page.claim(ident)}
        if len(here) > 1 and not any(has_conflict_marks(page.text) for page in here.values()):
            pages |= _united(here, ("c", ident), arrivals.get(("c", ident)))
    return pages


def _united(
    held: Mapping[str, Page], key: Key, arrival: tuple[str, PageNode] | None
) -> dict[str, Page]:
    home = min(held, key=lambda path: (fold(held[path].title), path))
    base = None
    if arrival is not None:
        home = arrival[0] if arrival[0] in held else home
        # Without parts: no evidence of either page is taken for one that the other has taken out.
        base = replace(arrival[1].bare(), parts=())
    target = held[home]
    one = next(node for node in target.body if node.key == key)
    pages = dict(held)
    for path in sorted(held.keys() - {home}):
        other = next(node for node in held[path].body if node.key == key)
        one, conflicts = merge(base, one.bare(), other.bare())
        if conflicts:
            return {}
        target = give_footnotes(held[path], write.replace_node(target, one))
        pages[path] = with_footnotes_of(write.remove_node(held[path], key), held[path])
    pages[home] = target
    return {path: Page.parse(path, page.text) for path, page in pages.items()}


def _arrivals(state: WikiState, ids: Collection[str]) -> dict[Key, tuple[str, PageNode]]:
    """Where the newest operation that moved each of the claims has put it, and as what. In a rebase
    it may not have taken it from the page where it stood: somebody had changed it there."""
    found: dict[Key, tuple[str, PageNode]] = {}
    for commit in state.repo.log(state.commit, limit=LOOK_BACK) if state.commit else ():
        is_moving = any(each.kind in MOVING for each in commit.by_operation())
        if not is_moving or not commit.parents.known or len(found) == len(ids):
            continue
        before, after = pages_of(state.repo, commit)
        for path, page in after.items():
            had = {node.key for node in before[path].body} if path in before else set()
            for node in page.body:
                if node.kind == "c" and node.key not in had and node.key[1] in ids:
                    found.setdefault(node.key[:2], (path, node))
    return found


# --- sources of two versions ---------------------------------------------------------------------


def followed_versions(state: WikiState, paths: Iterable[str]) -> dict[str, Page]:
    """The pages after each source among `paths` that two branches read in two versions is the file
    that lies in raw/.

    Claims of which no quote stands in it are struck. A source without a text in the commit is left
    to its next ingest.
    """
    pages: dict[str, Page] = {}
    looked_at = (facts for facts in _facts(state, paths) if facts.type == "source")
    ledgers = [facts.path for facts in looked_at if facts.cites and not facts.sha256]
    for path in ledgers:
        ledger = pages.get(path) or state.page(path)
        if ledger is None or not _lacks_version(ledger):
            continue
        from llmwiki.landing.evidence_in_changed_source import relocate
        from llmwiki.sources.read_source import document_at

        try:
            document = document_at(state.repo, state.commit, ledger.value("source"))
        except WikiError:
            # Of a format that is not read, not in this clone, or no text: other work shall go on.
            continue
        if document is None:
            continue
        cited = {each: pages.get(each) or state.page(each) for each in state.citing(ledger.stem)}
        held = {each: page for each, page in cited.items() if page is not None}
        followed = relocate({**held, path: ledger}, ledger.stem, document)
        pages |= followed.pages
        source = SourceRef(ledger.stem, "/" + document.path, document.sha256)
        told = write.set_own_source(pages[path], source)
        pages[path] = write.set_value(told, "text", document.text_path or "")
    return {path: page for path, page in pages.items() if page != state.page(path)}


def _lacks_version(page: Page) -> bool:
    """Whether it tells of a source with claims, and not which bytes were read."""
    if is_retracted(page) or not claim_refs(page):
        return False
    return bool(page.value("source")) and not page.value("sha256")
