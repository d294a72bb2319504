"""Leads and descriptions of the tool that a retracted source brought: what stood there before."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.pages import write
from llmwiki.pages.escape import escape
from llmwiki.pages.page import Page
from llmwiki.repo.file_history import steps
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository

_NAMED = 500
"""Pages that git is told to look for; of more it looks at all."""
NOTHING_LEFT = "Nothing in the wiki tells of it: what did was retracted."


class _Version(NamedTuple):
    commit: Commit
    page: Page
    """Down to its first section."""


@dataclass(frozen=True, slots=True)
class ProseRenewal:
    """A page whose lead or description a source had brought."""

    page: Page
    """With other words, or with none."""
    renewed: tuple[str, ...]
    """`lead`, `description`: what has other words now."""
    left: tuple[str, ...]
    """Those that are a person's, and stay."""


class PageVersions:
    """What some pages said in all commits before HEAD, found in one walk."""

    def __init__(self, repo: Repository, paths: Collection[str]) -> None:
        self._repo = repo
        self._blobs: dict[str, list[tuple[str, str]]] = {}
        head = repo.head()
        asked = sorted(paths) if len(paths) <= _NAMED else ["wiki"]
        for step in steps(repo, head, asked) if head and paths else ():
            for change in step.changes:
                if change.new and change.path in paths:
                    self._blobs.setdefault(change.path, []).append((step.commit, change.new))
        named = (commit for rows in self._blobs.values() for commit, _blob in rows)
        self._commits = {each.oid: each for each in repo.commits(sorted(set(named)))}

    def of(self, path: str) -> list[_Version]:
        """The versions of a page, children before parents."""
        rows = self._blobs.get(path, [])
        texts = self._repo.read_many([blob for _commit, blob in rows])
        heads = (data.decode("utf-8", "surrogateescape").partition("\n## ")[0] for data in texts)
        return [
            _Version(self._commits[commit], Page.parse(path, head + "\n"))
            for (commit, _blob), head in zip(rows, heads, strict=True)
        ]


def renew_prose(
    history: PageVersions,
    held: Page,
    page: Page,
    is_retracted: Callable[[Commit], bool],
    stands: Callable[[Commit], bool],
) -> ProseRenewal:
    """The page with a lead and a description that no operation on a retracted source wrote.

    `held` is the page as it is at HEAD, `page` as it shall be. In place of words that came with a
    commit of which `is_retracted` is true stand the newest earlier ones whose commit `stands`; else
    the first claim that stands; else none. `history` has the versions of the page.
    """
    kinds: dict[str, tuple[bool, str]] = {
        "lead": (held.lead_is_tools, held.lead),
        "description": (held.description_is_tools, held.description),
    }
    left = tuple(name for name, (is_tools, words) in kinds.items() if words and not is_tools)
    wanted = [name for name, (is_tools, words) in kinds.items() if words and is_tools]
    if not wanted:
        return ProseRenewal(page, (), left)
    versions = history.of(page.path)
    renewed = []
    for name in wanted:
        words = kinds[name][1]
        told = [(version, _words(version.page, name)) for version in versions]
        # Whoever wrote words first wrote them; a redo only brings them back.
        writers = {said: version.commit for version, said in told}
        writer = writers.get(words)
        if writer is None or not is_retracted(writer):
            continue
        earlier = (
            said for version, said in told
            if said and said != words and _is_tools(version.page, name) and stands(writers[said])
        )  # fmt: skip
        page = _with(page, name, next(earlier, None))
        renewed.append(name)
    return ProseRenewal(page, tuple(renewed), left)


def _words(page: Page, name: str) -> str:
    return page.lead if name == "lead" else page.description


def _is_tools(page: Page, name: str) -> bool:
    return page.lead_is_tools if name == "lead" else page.description_is_tools


def _with(page: Page, name: str, earlier: str | None) -> Page:
    by = page.generated_by
    standing = next((claim.text for claim in page.claims if claim.successor is None), "")
    if name == "lead":
        return write.set_lead(page, escape(standing) if earlier is None else earlier, by)
    return write.set_description(page, earlier or standing or NOTHING_LEFT, by)
