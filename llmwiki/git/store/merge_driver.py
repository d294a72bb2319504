"""What git of this clone is told of pages: how they are merged, and how differences are shown.

git runs what its own configuration names, never what a repository says: each clone needs it once.
"""

from __future__ import annotations

from contextlib import suppress

from llmwiki.git.repository import Repository
from llmwiki.git.store.private import tells_once

# Without the command git's own merge of lines stands in: it marks what conflicts.
_DRIVER = (
    "if command -v wiki >/dev/null; then wiki merge-driver %O %A %B %P;"
    " else git merge-file %A %O %B; fi"
)
_NAME = "merges pages claim by claim"
_ATTRIBUTE = b"merge=llmwiki"
_MAX_ATTRIBUTES = 100_000
"""Bytes of `.gitattributes` that are looked at."""


def install_merge_driver(repo: Repository) -> bool:
    """Sets `merge.llmwiki` in this repository's configuration; True when that changed it."""
    held = (
        repo.git.run("config", "--get", "merge.llmwiki.driver", ok=(0, 1)).stdout.decode().strip()
    )
    if held:
        return False
    repo.git.run("config", "merge.llmwiki.name", _NAME)
    repo.git.run("config", "merge.llmwiki.driver", _DRIVER)
    return True


def lacks_merge_driver(repo: Repository) -> bool:
    """Whether this clone has no merge driver for the pages of a wiki that asks for one."""
    place = repo.root / ".gitattributes"
    if repo.settings.get("merge.llmwiki.driver") or not place.is_file():
        return False
    with suppress(OSError), place.open("rb") as file:
        return _ATTRIBUTE in file.read(_MAX_ATTRIBUTES)
    return False


def tells_of_merge_driver(repo: Repository) -> bool:
    """Whether to say that the clone lacks the driver."""
    return lacks_merge_driver(repo) and tells_once(repo, "driver-told")


_SHOWN_BY = "diff.llmwiki.textconv"
_DERIVED = (
    "/^generated: /d",
    r"/^\[\^[^]]*\]: \[\[sources\//d",
    r"/^> - c-[0-9a-z]* q-[0-9a-f]*$/d",
)
"""Commands of sed: git starts the filter for each version of a page, and nothing starts as fast."""


def install_page_diff(repo: Repository) -> None:
    """Sets the filter in this repository's configuration, where there is none."""
    if not repo.settings.get(_SHOWN_BY):
        script = " ".join(f"-e '{command}'" for command in _DERIVED)
        repo.git.run("config", _SHOWN_BY, f"sed {script}")
