"""Where a clone ends although the history does not, and what is therefore not known.

At the border git itself shows no parents, as of a first commit: who takes a difference there takes
it against nothing, and finds that the commit brought every file. So parents are a value of their
own here, and not a tuple that may be empty for two reasons.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import StateError

UNSHALLOW = "`git fetch --unshallow` fetches the rest"
"""What brings the commits that a shallow clone lacks."""
_GRAFT = re.compile(rb"^[0-9a-f]{40,64}\b", re.MULTILINE)


class BeyondBorder(StateError):
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
        """All of them, in their order. Raises BeyondBorder where they are not known."""
        if self._listed is None:
            raise BeyondBorder(
                f"what came before the commit {self.commit[:12]} is not in this clone",
                fix=f"{UNSHALLOW}; then run the command again.",
            )
        return self._listed

    def first(self) -> str | None:
        """The first of them; None of a first commit. Raises BeyondBorder where it is not known."""
        return next(iter(self.all()), None)


@dataclass(frozen=True, slots=True)
class Border:
    """The commits whose parents are not known: those of git's list of a shallow clone, and those
    to which a graft gives others than they have."""

    commits: frozenset[str] = frozenset()

    def parents(self, commit: str, listed: tuple[str, ...]) -> Parents:
        """The parents of a commit of which git, or its object, lists these."""
        return Parents(commit, None if commit in self.commits else listed)


def border_of(common_dir: Path) -> Border:
    """The border of the clone with this common git directory, as it is now."""
    lists = (_read(common_dir / "shallow"), _read(common_dir / "info" / "grafts"))
    found = (oid.decode() for data in lists for oid in _GRAFT.findall(data))
    return Border(frozenset(found))


def incomplete(common_dir: Path) -> str:
    """What kind of clone it is that lacks history, `a shallow clone`; empty for a whole one."""
    if _read(common_dir / "shallow").strip():
        return "a shallow clone"
    if _GRAFT.search(_read(common_dir / "info" / "grafts")):
        return "a clone with grafts"
    # Git marks each pack that came from a remote which has more to give.
    packs = common_dir / "objects" / "pack"
    return "a partial clone" if any(packs.glob("*.promisor")) else ""


def beyond_hint(common_dir: Path) -> str:
    """What to say to who names a commit or an operation that is not found; empty for a clone that
    holds every commit."""
    if not border_of(common_dir).commits:
        return ""
    return f"This is {incomplete(common_dir)}, which lacks older commits: {UNSHALLOW}."


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
