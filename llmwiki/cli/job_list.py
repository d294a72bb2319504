"""What an agent is told of the jobs that were prepared for it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki import PreparedJob


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
            parts.append("\n".join([f"{source}: {_counted(waiting)}", *map(_line, waiting)]))
    first = next((job for job in jobs if job.file), None)
    if first is not None:
        parts.insert(0, f"Read the rules first, once for all jobs:\n  {first.rules}")
        parts.append(f"Read next:\n  {first.file}")
    return "\n\n".join(parts)


def _counted(jobs: Sequence[PreparedJob]) -> str:
    of = jobs[0].of
    waiting = "" if len(jobs) == of else f", {len(jobs)} to answer"
    return f"{of} segment{'s' if of > 1 else ''}{waiting}"


def _line(job: PreparedJob) -> str:
    first, last = job.lines
    return f"  {job.file}  lines {first}–{last}, {len(job.text):,} characters"
