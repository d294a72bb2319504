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
    wait: float = WAIT,
) -> Finished:
    """Bring work tree and index to what is committed; what a sparse checkout leaves out is not
    written, and a bare repository has neither.

    `data` (blob id to bytes) saves reading; `wait` is how many seconds a foreign `index.lock` is
    waited for. Idempotent. Raises OSError and WikiError.
    """
    if repo.layout.is_bare:
        return Finished((), (), is_index_done=True)
    blobs = contents(repo, data or {})
    is_sparse = repo.settings.flag("core.sparsecheckout")
    ours = [step.path for step in steps if not step.adopted]
    outside = repo.index.outside(ours) if is_sparse else frozenset()
    outcome = materialise(repo, [step for step in steps if step.path not in outside], blobs)
    is_index_done = refresh_index(repo, steps, blobs, wait=wait, outside=outside)
    return Finished(names(repo, outcome.kept), names(repo, outcome.failed), is_index_done)


def contents(repo: Repository, known: Mapping[str, bytes]) -> Blobs:
    """The bytes of entries; `known` (blob id to bytes) saves reading."""
    fetched: dict[str, bytes] = {}

    def blobs(entry: Entry | None) -> bytes | None:
        if entry is None:
            return None
        oid = entry[1]
        if oid not in known and oid not in fetched:
            fetched[oid] = repo.read_many([oid])[0]
        return known.get(oid, fetched.get(oid))

    return blobs


def names(repo: Repository, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths of the work tree as paths below the wiki's root, sorted."""
    return tuple(sorted(path.removeprefix(repo.prefix) for path in paths))
