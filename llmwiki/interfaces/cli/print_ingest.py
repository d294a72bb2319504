"""What became of a source or an answer: a line, and what a person should look at."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from llmwiki.core.text import counted, cut
from llmwiki.interfaces.cli.command_context import say_err
from llmwiki.interfaces.cli.safe_text import first_of

if TYPE_CHECKING:
    from llmwiki import OperationReport, PreparedJob

SCREEN = 20
"""Sources after which a failure may have scrolled away and is told again."""

_STATES = ("ingested", "planned", "skipped", "failed")
_BELOW = " " * 10
"""Before what is told of a source below its line."""
_SILENT = 10
"""Sources without claims that are named."""


def print_notes(results: Sequence[OperationReport]) -> None:
    """On stderr, beside the JSON: why a source was skipped, what a job still waits for."""
    for result in results:
        if result.note:
            say_err(f"wiki: {result.source}: {result.note}")


def offline_note(count: int) -> str:
    """How many sources wait for a better reader."""
    return f"{counted(count, 'source')} {'was' if count == 1 else 'were'} read without a model"


def silent_lines(results: Sequence[OperationReport]) -> str:
    """How an agent may read the sources that gave no claims; empty where all gave some."""
    silent = [result for result in results if result.silent and result.commit]
    if not silent:
        return ""
    one = len(silent) == 1
    which = silent[0].source if one else f"{len(silent)} sources"
    branch = next((each.outcome.branch for each in silent if each.outcome.branch), "").rpartition(
        "/"
    )[2]
    first = f"wiki review reject {branch}, then " if branch else ""
    again = "" if branch else "--again "
    paths = shlex.join(each.silent for each in silent[:_SILENT])
    more = len(silent) - _SILENT
    rest = f"\n  and {more} more, which `wiki status` lists" if more > 0 else ""
    return (
        f"{which} gave no claims, so no page tells what {'it says' if one else 'they say'};"
        f" to let an agent read {'it' if one else 'them'}:\n"
        f"  {first}wiki ingest {again}{paths} --prepare{rest}"
    )


def summary_line(result: OperationReport, *, with_pages: bool = False) -> str:
    """One line a source, and what a person should look at; with its pages where asked for."""
    if result.status == "failed":
        before, _, said = result.error.partition(result.source)
        if not said.startswith(":") or before[-1:] not in ("", "/"):
            said = f": {result.error}"
        return f"failed    {result.source}{said} (exit {result.exit_code})"
    if result.status in ("skipped", "pending"):
        line = f"{result.status:9} {result.source}: {result.note or 'nothing to do'}"
        return "\n".join([line, *_reading_lines(result), *_identity_lines(result)])
    commit = f"{result.commit[:10]}  " if result.commit else ""
    if result.note and result.statements is not None:
        lines = [f"{result.status:9} {commit}{result.source}: {result.note}"]
        return "\n".join([*lines, *_refused_lines(result)])
    if result.statements is None:
        parts = [
            counted(result.claims_added, "claim"),
            counted(result.outcome.evidence_added, "quote"),
        ]
    else:
        parts = [counted(result.statements, "statement")]
    new = counted(len(result.pages_created), "page")
    parts.append(f"{new} new, {len(result.pages_changed)} changed")
    # Another name that no page has got is lost too; why is told below.
    parts.append(f"{len(result.reading.refused) + len(result.reading.unnamed)} refused")
    if result.tokens:
        cost = "" if result.cost_usd is None else f", USD {result.cost_usd:.4f} (estimate)"
        parts.append(f"{result.tokens} tokens{cost}")
    lines = [f"{result.status:9} {commit}{result.source}: " + ", ".join(parts)]
    if with_pages:
        lines += [f"          new      {path}" for path in result.pages_created]
        lines += [f"          changed  {path}" for path in result.pages_changed]
    lines += _reading_lines(result)
    if result.note:
        lines.append(f"          {result.note}")
    if result.outcome.branch:
        lines.append(f"          on branch {result.outcome.branch}, the source with it")
    lines += [
        f"          {path} went there; rejecting puts it back" for path in result.outcome.moved
    ]
    lines += _identity_lines(result)
    return "\n".join(lines)


def _reading_lines(result: OperationReport) -> list[str]:
    """What is lost of a reading, and what else its reader should look at."""
    told = result.reading.told
    return [
        *([f"{_BELOW}told: {told}; `wiki search` finds the others too"] if told else ()),
        *_refused_lines(result),
        *first_of(_remark_lines(result), 10, _BELOW),
        *first_of([f"lead to renew: {path}" for path in result.reading.to_renew], 5, _BELOW),
        *first_of([_stretch(*each) for each in result.reading.unquoted], 5, _BELOW),
    ]


def _identity_lines(result: OperationReport) -> list[str]:
    """What was decided about names, for somebody to check."""
    joined = [
        f"{j.name} is filed under “{j.title}”" + (f" ({j.why})" if j.why else "")
        for j in result.reading.merged
    ]
    apart = [f"kept apart, perhaps one: {a} and {b}" for a, b in result.reading.near]
    return [*first_of(joined, 10, _BELOW), *first_of(apart, 10, _BELOW)]


def _remark_lines(result: OperationReport) -> list[str]:
    """What of a reading was kept in another way than it was given."""
    claims: dict[str, list[str]] = {}
    for remark in result.reading.remarks:
        about = claims.setdefault(f"{cut(remark.what, 100)}: {remark.became}", [])
        about += [remark.claim] if remark.claim else []
    return [
        ": ".join(("note", *([", ".join(ids)] if ids else ()), said))
        for said, ids in claims.items()
    ]


def _stretch(first: int, last: int, characters: int) -> str:
    return f"nothing quoted from L{first}–L{last} ({characters} characters of prose)"


def _refused_lines(result: OperationReport) -> list[str]:
    lost = [
        f"refused: {f'{r.claim}: ' if r.claim else ''}{r.reason}: {cut(r.quote or r.text, 80)}"
        for r in result.reading.refused
    ]
    left_out = [
        f"refused: other name of {r.name[:80]}: {r.alias[:80]} ({r.reason})"
        for r in result.reading.unnamed
    ]
    return [f"{_BELOW}{line}" for line in (*lost, *left_out)]


# --- a batch ----------------------------------------------------------------------------


def summary(results: Sequence[OperationReport], total: int) -> str:
    """The failures if there were many sources, and how many came to what.

    `total` is how many sources were named; those without a result were not tried.
    """
    return "\n".join([*_failures(results, total), _last_line(results, total)])


def _failures(results: Sequence[OperationReport], total: int) -> list[str]:
    failures = [result for result in results if result.status == "failed"]
    if not failures or total <= SCREEN:
        return []
    told = [f"  {result.source} (exit {result.exit_code})" for result in failures]
    return ["Not ingested, and tried again by the same command:", *told, ""]


def _last_line(results: Sequence[OperationReport], total: int) -> str:
    states = Counter(result.status for result in results)
    parts = [f"{states[state]} {state}" for state in _STATES if states[state]]
    left = total - len(results)
    if left:
        parts.append(f"{left} not tried")
    return f"{total} sources: " + ", ".join(parts)


# --- jobs for an agent -------------------------------------------------------------------


def job_list(jobs: Sequence[PreparedJob]) -> str:
    """The files of the jobs with their sizes, and which to read first; a job without a file whole.

    Ends without a line feed.
    """
    parts: list[str] = []
    for source, group in groupby(jobs, key=lambda job: job.source):
        own = list(group)
        parts += [job.text.rstrip("\n") for job in own if job.text and not job.file]
        waiting = [job for job in own if job.file]
        if waiting:
            parts.append("\n".join([f"{source}: {_segments(waiting)}", *map(_job_line, waiting)]))
    first = next((job for job in jobs if job.file), None)
    if first is not None:
        parts.insert(0, f"Read the rules first, once for all jobs:\n  {first.rules}")
        parts.append(f"Read next:\n  {first.file}")
    return "\n\n".join(parts)


def _segments(jobs: Sequence[PreparedJob]) -> str:
    of = jobs[0].of
    waiting = "" if len(jobs) == of else f", {len(jobs)} to answer"
    return f"{of} segment{'s' if of > 1 else ''}{waiting}"


def _job_line(job: PreparedJob) -> str:
    first, last = job.lines
    return f"  {job.file}  lines {first}–{last}, {len(job.text):,} characters"
