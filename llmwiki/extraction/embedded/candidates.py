"""Names that may become subjects, found by any of their spellings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from llmwiki.extraction.embedded.names import display_name, fold_name, valid_name


@dataclass(slots=True)
class SubjectCandidate:
    """A name that may become a subject."""

    key: str
    name: str
    weight: float = 0.0
    aliases: dict[str, None] = field(default_factory=dict)
    known: bool = False
    main: bool = False
    needs: int = 2
    """How many claims it must own to become a subject."""
    named: int = 0
    """Strength of the best definition found for it."""
    explained: bool = False
    """Whether an acronym stands for it."""
    spellings: Counter[str] = field(default_factory=Counter)
    kind: Literal["entity", "concept"] | None = None
    """What the column of a table says it is; None: told by its name and description."""


class SubjectCandidates:
    """All candidates of a document, found by the key of any of their names."""

    def __init__(self) -> None:
        self.by_key: dict[str, SubjectCandidate] = {}
        """Key of a name or alias to the candidate."""
        self.of_section: dict[int, str] = {}
        """Index of a section to the key of the candidate its heading names."""

    def add(
        self, name: str, weight: float, *, generic_single: bool = False
    ) -> SubjectCandidate | None:
        """The candidate of that name, made if new and valid; its weight grows."""
        if not valid_name(name, generic_single=generic_single):
            return None
        key = fold_name(name)
        if not key:
            return None
        candidate = self.by_key.get(key)
        if candidate is None:
            candidate = self.by_key[key] = SubjectCandidate(key, name)
        candidate.weight = max(candidate.weight, weight) + 0.2
        candidate.spellings[name] += 1
        return candidate

    def add_known(self, title: str) -> SubjectCandidate:
        """The candidate of a page that the wiki has, under the wiki's spelling."""
        key = fold_name(title)
        candidate = self.by_key.get(key)
        if candidate is None:
            candidate = self.by_key[key] = SubjectCandidate(key, title, weight=2.0)
        if not candidate.known:
            candidate.known = True
            candidate.weight += 1.0
            candidate.spellings[title] += 1000
        return candidate

    def join(self, alias: str, candidate: SubjectCandidate) -> None:
        """Make `alias` a synonym of the candidate; one that stood for itself is merged into it."""
        key = fold_name(alias)
        other = self.by_key.get(key)
        if not key or other is candidate:
            return
        if other is not None:
            if other.main or (other.known and candidate.known):
                return
            candidate.weight = max(candidate.weight, other.weight)
            candidate.known = candidate.known or other.known
            candidate.aliases.update(other.aliases)
            for at, owner in list(self.by_key.items()):
                if owner is other:
                    self.by_key[at] = candidate
        self.by_key[key] = candidate
        candidate.aliases[alias] = None

    def get(self, name: str) -> SubjectCandidate | None:
        """The candidate a name stands for."""
        return self.by_key.get(fold_name(name)) if name else None


def title_of(candidate: SubjectCandidate) -> str:
    """The spelling to show: the known title, else the commonest one, the shorter on a tie."""
    spellings = {
        name: count for name, count in candidate.spellings.items()
        if fold_name(name) == candidate.key
    } or {candidate.name: 1}  # fmt: skip
    best = min(spellings, key=lambda name: (-spellings[name], len(name), name))
    return best if candidate.known else display_name(best)
