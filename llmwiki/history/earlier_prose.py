"""Leads and descriptions of the tool that a retracted source brought: what stood there before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.pages import write
from llmwiki.pages.escape import escape
from llmwiki.pages.page import Page
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository

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


def renew_prose(
    repo: Repository,
    held: Page,
    page: Page,
    is_retracted: Callable[[Commit], bool],
    stands: Callable[[Commit], bool],
) -> ProseRenewal:
    """The page with a lead and a description that no operation on a retracted source wrote.

    `held` is the page as it is at HEAD, `page` as it shall be. In place of words that came with a
    commit of which `is_retracted` is true stand the newest earlier ones whose commit `stands`; else
    the first claim that stands; else none. Reads the versions of the page.
    """
    kinds: dict[str, tuple[bool, str]] = {
        "lead": (held.lead_is_tools, held.lead),
        "description": (held.description_is_tools, held.description),
    }
    left = tuple(name for name, (is_tools, words) in kinds.items() if words and not is_tools)
    wanted = [name for name, (is_tools, words) in kinds.items() if words and is_tools]
    if not wanted:
        return ProseRenewal(page, (), left)
    versions = _versions(repo, page.path)
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


def _versions(repo: Repository, path: str) -> list[_Version]:
    """The versions of a page, newest first."""
    head = repo.head()
    found = []
    for commit in repo.log(head, paths=[path]) if head else ():
        data = repo.read(commit.oid, path)
        if data is not None:
            text = data.decode("utf-8", "surrogateescape").partition("\n## ")[0]
            found.append(_Version(commit, Page.parse(path, text + "\n")))
    return found


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
