"""What the wiki holds, which sources wait, and what is unfinished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.index.facts import PageFacts
from llmwiki.ingest.known import read_offline
from llmwiki.memory.state import WikiState
from llmwiki.repo.git import NotFetched
from llmwiki.repo.repository import Repository
from llmwiki.repo.staged import unmerged
from llmwiki.repo.survey import changed_files, review_branches
from llmwiki.sources.find import expand
from llmwiki.sources.formats import is_read
from llmwiki.sources.mailbox import is_mailbox
from llmwiki.store.private import common_files
from llmwiki.store.transaction import unfinished

if TYPE_CHECKING:
    from llmwiki.extraction.jobs import Job


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
    empty: tuple[str, ...]
    """In raw/, without a byte: there is nothing to read yet."""
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    """Recorded in a ledger, and no longer in raw/."""
    retracted: tuple[str, ...]
    unread: tuple[str, ...]
    """In raw/, and of a kind that is not read."""
    mailboxes: tuple[str, ...]
    """In raw/; which of their messages are new is not looked into, for they may be large."""
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
    """Those of the ingested that the embedded extractor alone has read, where a model is at hand
    now."""


def survey(repo: Repository, *, has_model: bool = False) -> WikiStatus:
    """Reads the wiki at HEAD and the files in raw/."""
    state = WikiState(repo)
    head = repo.head()
    state.advance(head)
    sources = _sources(repo, state)
    offline = read_offline(repo, state.ledgers()) if has_model else ()
    last = next((c for c in repo.log(head, limit=200) if c.operation), None) if head else None
    return WikiStatus(
        pages=state.types(),
        claims=state.sums.claims,
        struck=state.sums.struck,
        jobs=tuple(_jobs(repo)),
        reviews=review_branches(repo),
        dirty=changed_files(repo, "wiki"),
        unfinished=unfinished(repo) or "",
        in_progress=repo.state().in_progress or "",
        unmerged=tuple(item.path for item in unmerged(repo)),
        clone=repo.incomplete,
        last=f"{last.subject} ({last.date:%Y-%m-%d %H:%M}, {last.operation})" if last else "",
        to_read_again=tuple(sorted({*offline} & {*sources["ingested"]})),
        **sources,
    )


def _jobs(repo: Repository) -> list[str]:
    """The jobs that wait, each in a line."""
    folder = common_files(repo).path("jobs")
    if not folder.is_dir() or next(folder.iterdir(), None) is None:
        return []
    # What reads a job checks its shape, which takes longer to load than all the rest.
    from llmwiki.extraction.jobs import Jobs

    return [_told(repo, job, len(done)) for job, done in Jobs(repo).waiting()]


def _told(repo: Repository, job: Job, answered: int) -> str:
    if not job.segments:
        from llmwiki.extraction.transcripts import Transcripts

        read = Transcripts(repo, job.sha256).count()
        return f"{job.path}: {read} of {len(job.pictures)} pictures read"
    return f"{job.path}: {answered} of {len(job.segments)} segments answered"


def _sources(repo: Repository, state: WikiState) -> dict[str, tuple[str, ...]]:
    ledgers = {ledger.resource: ledger for ledger in state.ledgers()}
    by_path = {path: (row.sha256, row.is_retracted) for path, row in ledgers.items()}
    kinds = (
        "ingested",
        "without_claims",
        "new",
        "empty",
        "changed",
        "missing",
        "retracted",
        "unread",
        "mailboxes",
    )
    found: dict[str, list[str]] = {kind: [] for kind in kinds}
    present: set[str] = set()
    try:
        there = (repo.root / "raw").is_dir()
        files = expand(repo.root, ["raw"], repo.root, unfold=False) if there else []
    except InputError:
        files = []
    for item in files:
        present.add(item.path)
        recorded, retracted = by_path.get(item.path, (None, False))
        if is_mailbox(item.path):
            found["mailboxes"].append(item.path)
            continue
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
    found["without_claims"] = _silent(ledgers, found["ingested"])
    found["missing"] = [path for path in by_path if path and path not in present]
    return {kind: tuple(sorted(paths)) for kind, paths in found.items()}


def _silent(ledgers: Mapping[str, PageFacts], paths: Sequence[str]) -> list[str]:
    """The sources whose pages name no claim: they have given none."""
    return [path for path in paths if path in ledgers and not ledgers[path].cites]


def _is_same(repo: Repository, path: str, recorded: str) -> bool:
    """Whether a file that a sparse checkout leaves out has the hash; so it is taken where a partial
    clone has not fetched it."""
    try:
        data = repo.read_left_out(path)
    except NotFetched:
        return True
    return data is not None and sha256_hex(data) == recorded
