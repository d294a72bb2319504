"""How rules say what they found: names, bounds, and texts cut for a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from llmwiki.core.text import listed
from llmwiki.lint.finding import Finding, Severity


def named(paths: Sequence[str], most: int = 3) -> str:
    """A few paths in words: `a`, `b` and 2 more."""
    return _listed(paths[:most], len(paths) - most)


def others(paths: Sequence[str], own: str, *, is_one: bool = True) -> str:
    """The paths but one's own, in words; `is_one`: one's own is among them, once."""
    shown = list(islice((path for path in paths if path != own), 3))
    return _listed(shown, len(paths) - is_one - len(shown))


def _listed(paths: Sequence[str], more: int) -> str:
    shown = [f"`{path}`" for path in paths]
    if more > 0:
        shown.append(f"{more} more")
    return listed(shown) if shown else ""


def short(text: str, most: int = 60) -> str:
    """The beginning of a text on one line, for a message."""
    plain = " ".join(text[: most * 4].split())
    return plain if len(plain) <= most else plain[:most].rstrip() + "…"


def milder(hits: Iterable[Finding], severity: Severity) -> Iterator[Finding]:
    """Hits that are less bad than their rule says."""
    return (hit._replace(severity=severity) for hit in hits)
