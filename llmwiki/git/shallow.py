"""Where a clone ends although the history does not, and what is therefore not known.

There git itself shows no parents, as of a first commit: who takes a difference there takes
it against nothing, and finds that the commit brought every file. So parents are a value of their
own here, and not a tuple that may be empty for two reasons.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError

UNSHALLOW = "`git fetch --unshallow` fetches the rest"
"""What brings the commits that a shallow clone lacks."""


class BeyondClone(StateError):
    """What was asked for lies behind the oldest commits that this clone holds."""


@dataclass(frozen=True, slots=True)
class Parents:
    """The parents of a commit, which this clone may not know."""

    commit: str
    _listed: tuple[str, ...] | None

    @property
    def known(self) -> bool:
        """Whether this clone knows them; that there are none is known of a first commit."""
        return self._listed is not None

    def all(self) -> tuple[str, ...]:
        """All of them, in their order. Raises BeyondClone where they are not known."""
        if self._listed is None:
            raise BeyondClone(
                f"what came before the commit {self.commit[:12]} is not in this clone",
                fix=f"{UNSHALLOW}; then run the command again.",
            )
        return self._listed

    def first(self) -> str | None:
        """The first of them; None of a first commit. Raises BeyondClone where it is not known."""
        return next(iter(self.all()), None)


def parents_of(commit: str, listed: tuple[str, ...], shallow: frozenset[str]) -> Parents:
    """The parents of a commit of which git, or its object, lists these, in a clone that ends at the
    commits `shallow`."""
    return Parents(commit, None if commit in shallow else listed)


def shallow_commits(common_dir: Path) -> frozenset[str]:
    """The commits at which the clone with this common git directory ends now, whose parents are not
    known: git's list of a shallow clone, and those to which a graft gives others than they have."""
    grafts = _read(common_dir / "info" / "grafts").splitlines()
    grafted = (line.split()[0].decode() for line in grafts if line[:1].isalnum())
    return frozenset((*_read(common_dir / "shallow").decode().split(), *grafted))


def incomplete(common_dir: Path) -> str:
    """What kind of clone it is that lacks history, `a shallow clone`; empty for a whole one."""
    if _read(common_dir / "shallow").strip():
        return "a shallow clone"
    if shallow_commits(common_dir):
        return "a clone with grafts"
    # Git marks each pack that came from a remote which has more to give.
    packs = common_dir / "objects" / "pack"
    return "a partial clone" if any(packs.glob("*.promisor")) else ""


def beyond_hint(common_dir: Path) -> str:
    """What to say to who names a commit or an operation that is not found; empty for a clone that
    holds every commit."""
    if not shallow_commits(common_dir):
        return ""
    return f"This is {incomplete(common_dir)}, which lacks older commits: {UNSHALLOW}."


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
