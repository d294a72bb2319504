"""What the wiki holds, which sources wait, and what is unfinished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.git.changed_files_and_branches import changed_files, review_branches
from llmwiki.git.repository import Repository
from llmwiki.git.runner import NotFetched
from llmwiki.git.store.private_files import common_files
from llmwiki.index.lookups import RESOURCE, RETRACTED, SHA, TYPE
from llmwiki.index.open_index import Index, empty_index, open_committed
from llmwiki.ingest.known import refused_files
from llmwiki.sources.find_sources import expand
from llmwiki.sources.formats import is_read

if TYPE_CHECKING:
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.ingest.extraction.jobs import Job


@dataclass(frozen=True, slots=True)
class WikiStatus:
    """Everything `wiki status` says."""

    pages: Mapping[str, int]
    claims: int
    struck: int
    ingested: tuple[str, ...]
    without_claims: tuple[str, ...]
    """Those of the ingested that gave no claim."""
    new: tuple[str, ...]
    refused: Mapping[str, str]
    """Those that are new or changed and could not be read as they are: why, and what to do."""
    empty: tuple[str, ...]
    """In raw/, without a byte: there is nothing to read yet."""
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    """Recorded in a ledger, and no longer in raw/."""
    retracted: tuple[str, ...]
    unread: tuple[str, ...]
    """In raw/, and of a kind that is not read."""
    jobs: tuple[str, ...]
    reviews: tuple[str, ...]
    dirty: tuple[str, ...]
    unfinished: str
    in_progress: str
    """What git was stopped in, such as `a merge`."""
    unmerged: tuple[str, ...]
    """Paths that git left unmerged."""
    last: str
    clone: str
    """What kind of clone it is that lacks history, `a shallow clone`; empty for a whole one."""
    to_read_again: tuple[str, ...] = ()
    """Those of the ingested that were read without a model alone, where one is at hand now."""


def survey(repo: Repository, *, has_model: bool = False) -> WikiStatus:
    """Reads the wiki at HEAD and the files in raw/."""
    head = repo.head()
    with closing(open_committed(repo, head) if head else empty_index(repo)) as index:
        sources = _sources(repo, index)
        pages, sums = index.tally(TYPE), index.sums
        offline = _read_offline(repo, index, sources["ingested"]) if has_model else ()
    root = repo.root.as_posix()
    refused = {
        (path := file.removeprefix(f"{root}/")): held.why.removeprefix(f"{path}: ")
        for file, held in refused_files(repo).items()
    }
    unread = [path for kind in ("new", "changed") for path in sources[kind] if path in refused]
    for kind in ("new", "changed"):
        sources[kind] = tuple(path for path in sources[kind] if path not in refused)
    dirty, in_progress = changed_files(repo, "wiki"), repo.state().in_progress or ""
    last = next((c for c in repo.log(head, limit=200) if c.operation), None) if head else None
    return WikiStatus(
        pages=pages,
        claims=sums.claims,
        struck=sums.struck,
        jobs=tuple(_jobs(repo)),
        reviews=review_branches(repo),
        dirty=tuple(dirty),
        unfinished=_unfinished(repo),
        in_progress=in_progress,
        unmerged=_unmerged(repo) if in_progress or "U" in dirty.values() else (),
        clone=repo.incomplete,
        last=f"{last.subject} ({last.date:%Y-%m-%d %H:%M}, {last.operation})" if last else "",
        to_read_again=tuple(sorted(offline)),
        refused={path: refused[path] for path in unread},
        **sources,
    )


def _unmerged(repo: Repository) -> tuple[str, ...]:
    from llmwiki.git.staged import unmerged

    return tuple(item.path for item in unmerged(repo))


def _unfinished(repo: Repository) -> str:
    """The operation that a crash left unfinished; mostly there is none."""
    if repo.landing() is None:
        return ""
    from llmwiki.git.store.transaction import unfinished

    return unfinished(repo) or ""


def _read_offline(repo: Repository, index: Index, paths: Iterable[str]) -> Iterable[str]:
    """Those of the sources that the reader without a model alone has read."""
    from llmwiki.ingest.known import read_offline

    wanted = {*paths}
    return wanted.intersection(read_offline(repo, _ledgers(index, paths)))


def _ledgers(index: Index, paths: Iterable[str]) -> list[PageFacts]:
    """The ledgers of the files below raw/, by path."""
    pages = index.paths(RESOURCE + path for path in paths)
    facts = index.facts(page for found in pages.values() for page in found)
    return [facts[path] for path in sorted(facts)]


def _jobs(repo: Repository) -> list[str]:
    """The jobs that wait, each in a line."""
    folder = common_files(repo).path("jobs")
    if not folder.is_dir() or next(folder.iterdir(), None) is None:
        return []
    # What reads a job checks its shape, which takes longer to load than all the rest.
    from llmwiki.ingest.extraction.jobs import Jobs

    return [_told(repo, job, len(done)) for job, done in Jobs(repo).waiting()]


def _told(repo: Repository, job: Job, answered: int) -> str:
    if not job.segments:
        from llmwiki.ingest.extraction.jobs import Transcripts

        read = Transcripts(repo, job.sha256).count()
        return f"{job.path}: {read} of {len(job.pictures)} pictures read"
    return f"{job.path}: {answered} of {len(job.segments)} segments answered"


def _sources(repo: Repository, index: Index) -> dict[str, tuple[str, ...]]:
    by_path = _recorded(index)
    kinds = (
        "ingested",
        "without_claims",
        "new",
        "empty",
        "changed",
        "missing",
        "retracted",
        "unread",
    )
    found: dict[str, list[str]] = {kind: [] for kind in kinds}
    present: set[str] = set()
    try:
        there = (repo.root / "raw").is_dir()
        files = expand(repo.root, ["raw"], repo.root) if there else []
    except InputError:
        files = []
    for item in files:
        present.add(item.path)
        recorded, retracted = by_path.get(item.path, (None, False))
        if retracted:
            found["retracted"].append(item.path)
            continue
        if not recorded:
            # Not known, or taken back: its ledger keeps no bytes then.
            kind = "empty" if item.refused is None and not item.size else "new"
            found[kind if is_read(item.path) else "unread"].append(item.path)
            continue
        try:
            same = item.sha256() == recorded
        except (InputError, PolicyError):
            same = False
        found["ingested" if same else "changed"].append(item.path)
    for path in repo.left_out("raw"):
        recorded, retracted = by_path.get(path, (None, False))
        if recorded is not None and path not in present:
            kind = "retracted" if retracted else "ingested"
            found[kind if _is_same(repo, path, recorded) else "changed"].append(path)
        present.add(path)
    found["without_claims"] = _silent(index, found["ingested"])
    found["missing"] = [path for path in by_path if path and path not in present]
    return {kind: tuple(sorted(paths)) for kind, paths in found.items()}


def _recorded(index: Index) -> dict[str, tuple[str, bool]]:
    """The files below raw/ that ledgers tell of: to the SHA-256 recorded, and whether it was
    retracted. Of two ledgers of one file the last by path counts."""
    digests = {doc: digest for digest, docs in index.below(SHA) for doc in docs}
    retracted = {doc for _, docs in index.below(RETRACTED) for doc in docs}
    files = [(path, doc) for path, docs in index.below(RESOURCE) for doc in docs]
    pages = index.paths_of(doc for _, doc in files)
    files.sort(key=lambda row: pages[row[1]])
    return {path: (digests.get(doc, ""), doc in retracted) for path, doc in files}


def _silent(index: Index, paths: Sequence[str]) -> list[str]:
    """The sources whose pages name no claim: they have given none."""
    cites = {facts.resource: facts.cites for facts in _ledgers(index, paths)}
    return [path for path in paths if path in cites and not cites[path]]


def _is_same(repo: Repository, path: str, recorded: str) -> bool:
    """Whether a file that a sparse checkout leaves out has the hash; so it is taken where a partial
    clone has not fetched it."""
    try:
        data = repo.read_left_out(path)
    except NotFetched:
        return True
    return data is not None and sha256_hex(data) == recorded
