"""What became of a source that was read, or of an answer that was handed in: one value for all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from llmwiki.core.errors import WikiError
    from llmwiki.git.repository import Repository
    from llmwiki.git.store.outcome import Outcome, Plan


@dataclass(frozen=True, slots=True)
class JoinedName:
    """A name that was filed under a page of another title."""

    name: str
    title: str
    why: str
    """Why, in words."""


@dataclass(frozen=True, slots=True)
class RefusedAlias:
    """A name that was to be another one of a subject, and was not recorded."""

    alias: str
    name: str
    """The subject's."""
    reason: str


@dataclass(frozen=True, slots=True)
class RefusedClaim:
    """A claim, a quote or another part of a reading that is lost, and why."""

    text: str
    quote: str
    """The words that were refused; of a link `^` and the id it leads to."""
    reason: str
    claim: str = ""
    """The claim's id in the reading, behind the number of its segment: `2:k7`."""


@dataclass(frozen=True, slots=True)
class ReadingRemark:
    """A part of a reading that is kept in another way than it was given."""

    claim: str
    """The claim's id in the reading; empty: it is about a subject."""
    what: str
    became: str
    """What became of it, in words."""


class UnquotedStretch(NamedTuple):
    """Lines in a row without a quote."""

    first: int
    last: int
    characters: int
    """Of their prose."""


@dataclass(slots=True)
class ReadingReport:
    """What a person or the reader should look at of one reading."""

    refused: list[RefusedClaim] = field(default_factory=list)
    """What of it is lost, and why."""
    remarks: list[ReadingRemark] = field(default_factory=list)
    """What of it is kept in another way than it was given."""
    near: list[tuple[str, str]] = field(default_factory=list)
    """(name, title) of subjects that may be one, and were kept apart."""
    merged: list[JoinedName] = field(default_factory=list)
    """Subjects filed under a page of another title, and why."""
    unnamed: list[RefusedAlias] = field(default_factory=list)
    """Aliases that no page has got, and why."""
    to_renew: list[str] = field(default_factory=list)
    """Pages with new claims whose lead the reader was not shown: it may not fit any more."""
    unquoted: list[UnquotedStretch] = field(default_factory=list)
    """Stretches of the source's prose from which nothing was quoted."""
    told: str = ""
    """Of a document that was read without a model, and of which a selection is told: how much of
    it, such as `44 of 145 lines`."""

    def lose(self, claim_id: str, text: str, what: str, reason: str) -> None:
        """Says that a part of a claim is not kept; `text` is the claim's."""
        self.refused.append(RefusedClaim(text, what, reason, local_id(claim_id)))

    def remark(self, claim_id: str, what: str, became: str) -> None:
        """Says that something is kept in another way than it was given."""
        self.remarks.append(ReadingRemark(local_id(claim_id), what, became))


def local_id(ident: str) -> str:
    """The id of a claim as its reading has it, without what told two of one id apart."""
    return ident.rstrip("\0")


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
    """`ingested`, `filed`, `tidied`, `learned`, `tried`, `kept`, `answered`, `planned`, `pending`,
    `skipped` or `failed`."""
    outcome: Outcome = field(default_factory=_nothing)
    reading: ReadingReport = field(default_factory=ReadingReport)
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
        from llmwiki.ingest.known import NOTHING_NEW, UNCHANGED, UNREADABLE

        return self.note not in (UNCHANGED, NOTHING_NEW, NOT_READ, UNREADABLE)

    @classmethod
    def skipped(cls, source: str, sha256: str, note: str) -> OperationReport:
        """A source that needed nothing."""
        return cls(source, sha256, "skipped", note=note)

    @classmethod
    def failed(cls, source: str, error: WikiError) -> OperationReport:
        """A source that could not be ingested, or an answer that could not be applied."""
        from llmwiki.models.tokens_and_cost import CostError

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
