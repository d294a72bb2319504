"""What follows the commit point: in a landing, or in the recovery of one that was killed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import Entry
from llmwiki.store.index_refresh import WAIT, refresh_index
from llmwiki.store.materialise import Blobs, materialise
from llmwiki.store.steps import Step


@dataclass(frozen=True, slots=True)
class Finished:
    """How far it came; paths are relative to the wiki's root, sorted."""

    kept: tuple[str, ...]
    """The file was no longer what the landing replaced: the user's bytes stay."""
    failed: tuple[str, ...]
    """The disk refused."""
    is_index_done: bool

    @property
    def is_complete(self) -> bool:
        """Whether the landing ref may go."""
        return self.is_index_done and not self.failed


def finish(
    repo: Repository,
    steps: Sequence[Step],
    *,
    data: Mapping[str, bytes] | None = None,
    large: Mapping[str, bytes] | None = None,
    wait: float = WAIT,
) -> Finished:
    """Bring work tree and index to what is committed.

    `data` (blob id to bytes) and `large` (the same, of files under Git LFS) save reading; `wait`
    is how many seconds a foreign `index.lock` is waited for. Idempotent. Raises OSError and
    WikiError.
    """
    whole = large or {}
    blobs, files = contents(repo, data or {}, whole)
    outcome = materialise(repo, steps, files)
    is_index_done = refresh_index(repo, steps, blobs, wait=wait)
    for content in whole.values():
        repo.large_files.keep(content)
    return Finished(names(repo, outcome.kept), names(repo, outcome.failed), is_index_done)


def contents(
    repo: Repository, known: Mapping[str, bytes], whole: Mapping[str, bytes]
) -> tuple[Blobs, Blobs]:
    """The bytes of entries, as git holds them and as they lie on the disk.

    `known` (blob id to bytes) and `whole` (the same, of files under Git LFS) save reading.
    """
    fetched: dict[str, bytes] = {}

    def blobs(entry: Entry | None) -> bytes | None:
        if entry is None:
            return None
        oid = entry[1]
        if oid not in known and oid not in fetched:
            fetched[oid] = repo.read_many([oid])[0]
        return known.get(oid, fetched.get(oid))

    def files(entry: Entry | None) -> bytes | None:
        blob = blobs(entry)
        if entry is None or blob is None:
            return None
        return whole.get(entry[1]) or repo.large_files.whole(blob)

    return blobs, files


def names(repo: Repository, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths of the work tree as paths below the wiki's root, sorted."""
    return tuple(sorted(path.removeprefix(repo.prefix) for path in paths))
