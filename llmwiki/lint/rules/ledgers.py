"""Ledgers against the pages that rest on their sources: relations, and what is judged in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llmwiki.lint.finding import RuleHit
from llmwiki.lint.relation import Group, GroupRow, Relation, Value
from llmwiki.lint.rules.page_kinds import named, short
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import WikiView
from llmwiki.pages.page import SourceRef
from llmwiki.pages.retraction import RETRACTED
from llmwiki.sources.paths import is_source

LEDGERS = "wiki/sources/"
_RECORDED = {"at": "ledger", "dead": "buried"}
"""Kinds of lines of a ledger's record to what they say of a claim."""
_SHA = re.compile(r"[0-9a-fA-F]{64}")


def is_ledger(view: PageView) -> bool:
    """Whether a page is the ledger of a source, as this program writes them."""
    return (
        view.path == f"{LEDGERS}{view.stem}.md"
        and view.type == "source"
        and bool(view.values.get("generated"))
    )


def is_recorded(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a file below raw/ and its bytes."""
    return is_source(ref.resource.removeprefix("/")) and bool(_SHA.fullmatch(ref.sha256))


def is_listed(ref: SourceRef) -> bool:
    """Whether an entry of `sources` names a source of ours: by a link, or with file and bytes."""
    return is_recorded(ref) if ref.sha256 else is_source(ref.resource.removeprefix("/"))


def is_taken_back(view: PageView, ref: SourceRef) -> bool:
    """Whether a ledger's own entry names its file and no bytes, as an undo leaves it."""
    own = is_ledger(view) and ref.id == view.stem
    return own and not ref.sha256 and is_source(ref.resource.removeprefix("/"))


def own_source(view: PageView) -> SourceRef | None:
    """The source that a ledger tells of."""
    return None if view.broken else view.head.own_source


def own_line(view: PageView) -> int:
    """The line of a ledger that names its source's file."""
    return view.front_line("source" if "source" in view.front_lines else "sources")


# --- sources -------------------------------------------------------------------------------


def _sources(view: PageView) -> Iterator[tuple[str, Value]]:
    """By the id of a source: (`ledger` or `lists`, line, resource, SHA-256)."""
    if view.folder == "sources" and not is_ledger(view) and view.path.count("/") == 2:
        # Somebody's page of the source, without what could be compared.
        yield view.stem, ("ledger", 1, "", "")
    if not view.has_front or view.broken:
        return
    ledger = is_ledger(view)
    line = view.front_line("sources")
    if ledger and own_source(view) is None:
        yield view.stem, ("ledger", 1, "", "")
    for ref in view.head.sources:
        is_own = ledger and ref.id == view.stem
        if is_recorded(ref) if is_own else is_listed(ref):
            kind = "ledger" if is_own else "lists"
            yield ref.id, (kind, line, ref.resource, ref.sha256.lower())


SOURCES = Relation("source records", _sources)


def _said(group: Group, kind: str) -> list[GroupRow]:
    return [row for row in group.rows if row.value[0] == kind]


def missing_ledger(group: Group) -> Iterator[RuleHit]:
    """Pages list a source that has no ledger: said once, on the first of them."""
    listing = _said(group, "lists")
    if listing and not _said(group, "ledger"):
        pages = sorted({row.path for row in listing})
        yield RuleHit(
            int(listing[0].value[1]),
            f"The source `{short(group.key)}` has no ledger `{LEDGERS}{short(group.key)}.md`;"
            f" {named(pages)} {'rests' if len(pages) == 1 else 'rest'} on it",
            path=listing[0].path,
            about=group.key,
        )


def unlike_ledger(group: Group) -> Iterator[RuleHit]:
    """A page records other bytes, or another file, than the source's ledger."""
    ledger = next((row for row in _said(group, "ledger") if row.value[2]), None)
    if ledger is None:
        return
    resource, sha256 = str(ledger.value[2]), str(ledger.value[3])
    for row in _said(group, "lists"):
        _kind, line, path, recorded = row.value
        if path != resource:
            what = f"lies at `{short(str(path))}` here, and at `{short(resource)}` in its ledger"
        elif recorded and recorded != sha256:
            what = f"has SHA-256 {str(recorded)[:12]}… here, and {sha256[:12]}… in its ledger"
        else:
            continue
        yield RuleHit(
            int(line), f"The source `{short(group.key)}` {what}", path=row.path, about=group.key
        )


def _resources(view: PageView) -> Iterator[tuple[str, Value]]:
    """By the file below raw/ that a ledger tells of: (line, SHA-256; empty: it was retracted)."""
    # One of which a review has landed a part may lack the line `generated`.
    has_place = view.type == "source" and view.path == f"{LEDGERS}{view.stem}.md"
    own = own_source(view) if has_place else None
    if own is not None and (is_recorded(own) or RETRACTED in view.head.tags):
        path = own.resource.removeprefix("/")
        yield path, (own_line(view), own.sha256.lower())


RESOURCES = Relation("resources", _resources)


def two_ledgers(group: Group) -> Iterator[RuleHit]:
    """Two ledgers tell of one file."""
    first, *others = group.rows
    for row in others:
        yield RuleHit(
            int(row.value[0]),
            f"{short(group.key)} has another ledger already, `{first.path}`",
            path=row.path,
            about=group.key,
        )


# --- claims --------------------------------------------------------------------------------


def _claims(view: PageView) -> Iterator[tuple[str, Value]]:
    """By the id of a claim: (`stands`, line, whether struck, sources…) of the page it is on,
    (`ledger`, line, source) and (`buried`, line) of ledgers."""
    for placed in view.claims:
        cited = sorted({evidence.source for evidence, _line in placed.evidence})
        struck = int(placed.claim.successor is not None)
        yield placed.claim.id, ("stands", placed.line, struck, *cited)
    if not is_ledger(view):
        return
    for found in view.body:
        if found.node.kind == "record":
            for line, part in enumerate(found.node.parts, start=found.line + 1):
                if part.kind in _RECORDED:
                    yield part.key[1], (_RECORDED[part.kind], line, view.stem)


CLAIMS = Relation("claim places", _claims)


def lost_claim(group: Group) -> Iterator[RuleHit]:
    """A ledger's roster has a claim that is nowhere, and no ledger says that it was taken out."""
    if _said(group, "stands") or _said(group, "buried"):
        return
    for row in _said(group, "ledger"):
        yield RuleHit.of_claim(
            group.key,
            int(row.value[1]),
            f"The claim {group.key}, which this source supports, is nowhere in the wiki",
            path=row.path,
        )


def untold_claim(group: Group) -> Iterator[RuleHit]:
    """A standing claim quotes a source on whose ledger's roster it is not."""
    told = {str(row.value[2]) for row in _said(group, "ledger")}
    for row in _said(group, "stands"):
        _kind, line, struck, *cited = row.value
        for source in () if struck else map(str, cited):
            if source not in told:
                yield RuleHit(
                    int(line),
                    f"The ledger of `{short(source)}` does not tell of the claim {group.key},"
                    " which quotes it",
                    path=row.path,
                    mend=f"Add `> - {group.key}` to the record of `{LEDGERS}{short(source)}.md`.",
                    about=f"{group.key} {source}",
                    claims=(group.key,),
                )


def with_ledger(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """The hit, if the source it names has a ledger of ours; a missing one is told by itself."""
    source = hit.about.partition(" ")[2]
    ledger = wiki.page(f"{LEDGERS}{source}.md")
    return hit if ledger is not None and is_ledger(ledger) else None
