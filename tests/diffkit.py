"""What `wiki diff` tells, and what claims hold: the one follows from the other.

The facts of claims are read from pages by hand here, not from rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from longform import LONG
from wikikit import Wiki

from llmwiki.core.text import fold as folded
from llmwiki.pages.difference.row_changes import RowChange, compare
from llmwiki.pages.page import Page, read_claim

Facts = dict[tuple[str, str], dict[tuple[str, str], str]]
"""Id and page of a claim or note to what it holds."""
Told = Mapping[str, Any]
OF_CLAIMS = ("claim", "note", "strike", "evidence", "attribute", "slot", "tie")


def told(wiki: Wiki, revision: str = "") -> list[dict[str, Any]]:
    """The rows of a difference, as the command prints them."""
    found: list[dict[str, Any]] = wiki.ok("diff", revision, "--json").json["rows"]
    return found


def short(rows: Iterable[Told]) -> list[tuple[str, str, str]]:
    """Kind, verb, id and name of rows of claims, without what goes with one that came or went."""
    listed = [r for r in rows if r["kind"] in OF_CLAIMS or r["verb"] == "moved"]
    ends = {r["id"] for r in listed if r["kind"] in ("claim", "note") if r["verb"] != "changed"}
    return [
        (f"{row['kind']} {row['verb']}", row["id"], row.get("name", ""))
        for row in listed
        if row["kind"] in ("claim", "note") or row["id"] not in ends
    ]


def changed(before: Mapping[str, Page], after: Mapping[str, Page]) -> list[dict[str, Any]]:
    """The rows that differ between two states of pages."""
    return [as_told(change) for change in compare(before, after)]


def as_told(change: RowChange) -> dict[str, Any]:
    """A change of a row as the command prints it."""
    return {key: value for key, value in asdict(change).items() if value}


def facts_of(pages: Mapping[str, Page]) -> Facts:
    """What all claims and notes on these pages hold."""
    found: Facts = {}
    for path, page in pages.items():
        for node in page.body:
            if node.kind not in ("c", "n"):
                continue
            claim = read_claim(node)
            held = {("text", ""): claim.text}
            for each in claim.evidence:
                held.setdefault(("evidence", f"{each.source} {folded(each.quote)}"), each.quote)
            for name, op, value in claim.attributes:
                _id, mark, rest = value.partition("#^c-")
                if op == ":" and mark:
                    held["tie", f"{name} c-{rest.partition('|')[0].partition(']')[0]}"] = ""
                else:
                    held.setdefault((op, name), value)
            if claim.successor is not None:
                led = claim.successor.rpartition("#^")[2]
                held["successor", ""] = led.partition("|")[0].partition("]")[0]
            found["#".join(node.key[1:]), path] = held
    return found


KINDS = {"claim": "text", "note": "text", "strike": "successor", "evidence": "evidence",
         "attribute": ":", "slot": "=", "tie": "tie"}  # fmt: skip


def fold(facts: Facts, rows: Iterable[Told]) -> Facts:
    """The claims of a state after the rows that changed."""
    listed = [row for row in rows if row["kind"] in (*KINDS, "place")]
    held = {key: dict(value) for key, value in facts.items()}
    for row in listed:
        if row["kind"] in ("claim", "note") and row["verb"] == "gone":
            del held[row["id"], row["page"]]
    moved = [row for row in listed if row["verb"] == "moved"]
    held |= {(r["id"], r["after"]): held.pop((r["id"], r["before"])) for r in moved}
    for row in listed:
        if row["kind"] in ("claim", "note") and row["verb"] == "added":
            held[row["id"], row["page"]] = {}
    for row in listed:
        here = held.get((row["id"], row["page"]))
        if here is None or row["kind"] == "place" or _is_callout(row):
            continue
        key = (KINDS[row["kind"]], row.get("name", ""))
        if row["verb"] == "gone":
            here.pop(key, None)
        else:
            here[key] = row.get("after", "") if key[0] != "tie" else ""
    return held


def _is_callout(row: Told) -> bool:
    """Contradictions stand in callouts, and notes rest on items below them."""
    return row["kind"] == "tie" and row["name"].startswith(("contradicts ", "from "))


def check_diffs(wiki: Wiki, chance: random.Random) -> None:
    """What `wiki diff` tells of two commits, done to the claims of the one, gives the other's: of
    some pairs of commits of a history, in either order; in the long form of all steps."""
    commits = wiki.git("rev-list", "--topo-order", "HEAD").split()
    pairs = [tuple(chance.sample(commits, 2)) for _pair in range(10 if LONG else 1)]
    if LONG:
        steps = wiki.git("rev-list", "--parents", "HEAD").splitlines()
        pairs += [(up, row[0]) for each in steps for row in [each.split()] for up in row[1:]]
    facts = {oid: facts_of(wiki.pages(oid)) for oid in {oid for pair in pairs for oid in pair}}
    for old, new in pairs:
        assert fold(facts[old], told(wiki, f"{old}..{new}")) == facts[new], (old, new)
