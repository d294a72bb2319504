"""What became of a source that was read, or of an answer that was handed in: one value for all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.core.errors import WikiError
    from llmwiki.git.repository import Repository
    from llmwiki.git.store.outcome import Outcome, Plan
    from llmwiki.ingest.filing import JoinedName, RefusedAlias
    from llmwiki.ingest.unquoted import UnquotedStretch
    from llmwiki.ingest.verify import ReadingRemark, RefusedClaim


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """What a person or the reader should look at of one reading."""

    refused: tuple[RefusedClaim, ...] = ()
    """What of it is lost, and why."""
    remarks: tuple[ReadingRemark, ...] = ()
    """What of it is kept in another way than it was given."""
    near: tuple[tuple[str, str], ...] = ()
    """(name, title) of subjects that may be one, and were kept apart."""
    merged: tuple[JoinedName, ...] = ()
    """Subjects filed under a page of another title, and why."""
    unnamed: tuple[RefusedAlias, ...] = ()
    """Aliases that no page has got, and why."""
    to_renew: tuple[str, ...] = ()
    """Pages with new claims whose lead the reader was not shown: it may not fit any more."""
    unquoted: tuple[UnquotedStretch, ...] = ()
    """Stretches of the source's prose from which nothing was quoted."""


def _nothing() -> Outcome:
    # Whoever skips what is unchanged loads no pages.
    from llmwiki.git.store.outcome import Outcome

    return Outcome(None)


@dataclass(frozen=True, slots=True)
class OperationReport:
    """What became of one source, or of one answer of an agent."""

    source: str
    """The source below raw/, or the file of the answer."""
    sha256: str
    """Of the source's bytes; empty where they were not read."""
    status: str
    """`ingested`, `filed`, `tidied`, `learned`, `tried`, `kept`, `planned`, `pending`, `skipped` or
    `failed`."""
    outcome: Outcome = field(default_factory=_nothing)
    reading: ReadingReport = ReadingReport()
    tokens: int = 0
    cost_usd: float | None = 0.0
    """An estimate; None: the price is not known."""
    exit_code: int = 0
    """That of `wiki` for the failure; 0: there was none."""
    error: str = ""
    """What went wrong and what to do, in sentences."""
    note: str = ""
    silent: str = ""
    """Of a source that gave no claims: what `wiki ingest` takes to have it read once more."""
    segment: int = 0
    """Which segment of the source was answered, where others are missing."""
    statements: int | None = None
    """Of an answer that was filed, or edges that were kept; None for a source."""
    over_limit: bool = False
    """Whether it failed by a limit on cost, and by nothing of its own."""
    diff: str = ""
    """Of a dry run of one source: what it would change, as a unified diff."""
    plan: Plan | None = None
    """Of a dry run."""

    @property
    def commit(self) -> str | None:
        """The new commit; None where none landed."""
        return self.outcome.commit

    @property
    def claims_added(self) -> int:
        """Claims new to the wiki."""
        return self.outcome.claims_added

    @property
    def pages_created(self) -> tuple[str, ...]:
        """Paths of the pages it made."""
        return self.outcome.pages_created

    @property
    def pages_changed(self) -> tuple[str, ...]:
        """Paths of the pages it changed or took away."""
        return self.outcome.pages_changed

    @property
    def is_news(self) -> bool:
        """Whether there is more to tell of a source than that it is as it was."""
        from llmwiki.ingest.known import NOTHING_NEW, UNCHANGED

        return self.note not in (UNCHANGED, NOTHING_NEW, NOT_READ)

    @classmethod
    def skipped(cls, source: str, sha256: str, note: str) -> OperationReport:
        """A source that needed nothing."""
        return cls(source, sha256, "skipped", note=note)

    @classmethod
    def failed(cls, source: str, error: WikiError) -> OperationReport:
        """A source that could not be ingested, or an answer that could not be applied."""
        from llmwiki.models.usage import CostError

        # What happened and what to do are two sentences.
        lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
        said = " ".join(line if line[-1] in ".!?:" else f"{line}." for line in lines)
        return cls(
            source,
            "",
            "failed",
            exit_code=error.exit_code,
            error=said,
            over_limit=isinstance(error, CostError),
        )


NOT_READ = "a picture, and nobody is at hand who reads it"
"""Why a picture in a folder was skipped."""


def diff_of(repo: Repository, plan: Plan | None) -> str:
    """The files of the wiki before and after, and the sizes of new sources; empty: no plan."""
    import difflib

    def lines(data: bytes | None) -> list[str]:
        return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)

    out: list[str] = []
    for path, after in sorted(plan.writes.items()) if plan else ():
        if not path.startswith("wiki/"):
            out.append(f"new file {path}, {len(after or b'')} bytes\n")
            continue
        before = repo.read(plan.base, path) if plan else None
        out += difflib.unified_diff(
            lines(before),
            lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in out)
