"""How `git diff` and `git log -p` of this clone show pages: without the lines that follow from
others. Only what is shown changes; git keeps and merges all lines."""

from __future__ import annotations

from llmwiki.repo.repository import Repository

_KEY = "diff.llmwiki.textconv"
_DERIVED = (
    "/^generated: /d",
    "/^sources:$/d",
    r'/^  - "\[\[sources\//d',
    r"/^\[\^[^]]*\]: \[\[sources\//d",
    r"/^> - c-[0-9a-z]* q-[0-9a-f]*$/d",
)
"""Commands of sed: git starts the filter for each version of a page, and nothing starts as fast."""


def install_page_diff(repo: Repository) -> None:
    """Sets the filter in this repository's configuration, where there is none."""
    if not repo.settings.get(_KEY):
        script = " ".join(f"-e '{command}'" for command in _DERIVED)
        repo.git.run("config", _KEY, f"sed {script}")
