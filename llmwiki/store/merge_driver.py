"""The merge driver of this clone: git runs what its own configuration names, never what a
repository says, so each clone needs it once."""

from __future__ import annotations

from llmwiki.repo.repository import Repository

# Without the command git's own merge of lines stands in: it marks what conflicts.
_DRIVER = (
    "if command -v wiki >/dev/null; then wiki merge-driver %O %A %B %P;"
    " else git merge-file %A %O %B; fi"
)
_NAME = "merges pages claim by claim"


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
