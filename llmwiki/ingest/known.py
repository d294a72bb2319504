"""Whether a source's bytes are in the wiki already: answered from one ledger, in milliseconds."""

from __future__ import annotations

from llmwiki.pages.front import scalar
from llmwiki.pages.names import source_id
from llmwiki.repo.repository import Repository


def unchanged(repo: Repository, path: str, sha256: str) -> str:
    """Why there is nothing to do for these bytes at that path; empty where there is.

    Looks at one ledger only: the source id follows from the path.
    """
    for taken in (False, True):
        asked: list[str] = []

        def refuse(key: str, asked: list[str] = asked, taken: bool = taken) -> bool:
            asked.append(key)
            return taken and len(asked) == 1

        ident = source_id(path, refuse)
        held = repo.read(repo.head(), f"wiki/sources/{ident}.md")
        if held is None:
            return ""
        text = held.decode("utf-8", "replace")
        resource = f"resource: {scalar('/' + path)}, sha256: "
        if f"{resource}{scalar(sha256)}" in text:
            return "unchanged"
        if resource in text:
            return ""
    return ""
