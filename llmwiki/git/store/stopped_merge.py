"""Putting merged pages in the place of what a stopped merge left, in work tree and index."""

from __future__ import annotations

from collections.abc import Mapping

from llmwiki.git.objects import GitObject
from llmwiki.git.repository import Repository
from llmwiki.git.store.allowed_paths import check_adopted, check_written
from llmwiki.git.store.lock import WAIT
from llmwiki.git.store.transaction import locked
from llmwiki.git.store.write_work_tree import Step, materialise
from llmwiki.git.trees import FILE, Entry, object_id


def put_merged(
    repo: Repository,
    texts: Mapping[str, bytes | None],
    found: Mapping[str, bytes | None],
    decided: frozenset[str],
    wait: float = WAIT,
) -> tuple[str, ...]:
    """Writes `texts` (path below the root to its bytes, None: no file) where the work tree still
    holds what was `found` there, and marks those in `decided` as merged.

    A path whose file has changed since, or cannot be written, stays as it is; returned. May be
    killed at any instant: what is not marked yet is unmerged still, and merging it again gives the
    same bytes. Raises LockTimeout and PolicyError.
    """
    for path, data in texts.items():
        check_written(path, exists=True, deletes=data is None)

    def entry(data: bytes | None) -> Entry | None:
        return None if data is None else (FILE, object_id("blob", data, repo.object_format))

    steps = [
        Step(repo.prefix + path, entry(found[path]), entry(data))
        for path, data in sorted(texts.items())
    ]
    with locked(repo, "resolve", wait):
        new = [data for data in texts.values() if data is not None]
        made = [GitObject.make("blob", data, repo.object_format) for data in new]
        objects = repo.new_objects()
        objects.add(made)
        held = {blob.oid: blob.data for blob in made}
        outcome = materialise(repo, steps, lambda one: None if one is None else held[one[1]])
        left = {*outcome.kept, *outcome.failed}
        done = (path for path in sorted(decided) if path not in left)
        _mark(repo, {path: entry(texts[path]) for path in done if path in texts})
        # The index leads to them now; a prune may have been before it.
        objects.restore()
    return tuple(sorted(left))


def put_back(repo: Repository, path: str, data: bytes) -> bool:
    """Writes a file of a person below raw/ that a branch had taken over, where the work tree has
    what HEAD has at its path, or nothing; whether it did. Raises PolicyError for another place."""
    check_adopted(path)
    oid = object_id("blob", data, repo.object_format)
    step = Step(repo.prefix + path, repo.entry(repo.head(), path), (FILE, oid))
    outcome = materialise(repo, [step], lambda one: data if one else None)
    return not (outcome.kept or outcome.failed)


def _mark(repo: Repository, merged: Mapping[str, Entry | None]) -> None:
    none = "0", "0" * len(object_id("blob", b"", repo.object_format))
    rows = [f"{' '.join(entry or none)}\t{repo.prefix}{path}" for path, entry in merged.items()]
    if rows:
        repo.git.records("update-index", "-z", "--index-info", told=rows)
