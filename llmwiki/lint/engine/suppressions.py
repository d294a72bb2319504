"""Findings that pages silence, over a whole wiki."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from llmwiki.lint.finding import Finding
from llmwiki.lint.ignores import Ignore, covers, read, silenced, unused
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rules import NAMES
from llmwiki.lint.view import PageView

UNUSED = "WK902"


def _emit(view: PageView) -> Iterator[tuple[str, Value]]:
    for ignore in read(view.text, NAMES):
        yield "", (ignore.line, ignore.at, ignore.column, ",".join(sorted(ignore.codes)))


IGNORES = Relation("ignores", _emit)
"""What pages silence, all in one group: few pages do."""


def by_page(group: Group) -> Mapping[str, Sequence[Ignore]]:
    """What each page silences."""
    found: dict[str, list[Ignore]] = {}
    for path, (line, at, column, codes) in group.rows:
        told = frozenset(str(codes).split(",")) - {""}
        ignore = Ignore(int(line), int(at), int(column), told, ())
        found.setdefault(path, []).append(ignore)
    return found


def split(
    findings: Sequence[Finding], silencing: Mapping[str, Sequence[Ignore]]
) -> tuple[list[Finding], int]:
    """The findings that no page silences, and how many are silenced."""
    told = {path: silenced(ignores) for path, ignores in silencing.items()}
    standing = [f for f in findings if not covers(told.get(f.path, ()), f)]
    return standing, len(findings) - len(standing)


def needless(
    findings: Iterable[Finding], silencing: Mapping[str, Sequence[Ignore]]
) -> Iterator[Finding]:
    """A finding for each ignore that silences nothing of `findings`.

    Only meant where all rules ran: another rule may be what it silences.
    """
    on_page: dict[str, list[Finding]] = {path: [] for path in silencing}
    for finding in findings:
        if finding.path in on_page:
            on_page[finding.path].append(finding)
    for path, ignores in silencing.items():
        for ignore in unused(ignores, on_page[path]):
            codes = ", ".join(sorted(ignore.codes))
            yield Finding(
                path, ignore.at, ignore.column, UNUSED,
                f"This silences {codes}, and nothing of that is found here", about=codes,
            )  # fmt: skip
