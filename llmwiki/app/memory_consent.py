"""Whether what is learned from conversations may be committed, and whether it waits for a look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from llmwiki.app.settings import user_table
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.learn.private_memory import PrivateMemory

CommitRule = Literal["ask", "always", "never"]


def commit_rule(wiki: OpenWiki) -> tuple[CommitRule, str]:
    """Whether what is learned is committed in this clone, and what says so: a repository may only
    forbid; the user's own setting and the answer of this clone agree."""
    setting = wiki.config.settings["memory.commit"]
    value = wiki.config.text("memory.commit")
    if value not in ("ask", "always", "never"):
        raise InputError(
            f"memory.commit is {value[:40]!r}; it may be ask, always, never", where=setting.origin
        )
    users = user_table().get("memory")
    if isinstance(users, Mapping) and users.get("commit") == "never":
        return "never", "your own settings"
    if value == "never":
        return "never", setting.origin
    if value == "always" and setting.is_users:
        return "always", setting.origin
    answer = private_memory(wiki).answer
    if answer == "never":
        return "never", "the answer for this clone"
    if answer:
        return "always", "the answer for this clone"
    return "ask", "no answer is kept for this clone"


def is_reviewed(wiki: OpenWiki) -> bool:
    """Whether what is learned waits until a person has seen it."""
    users = user_table().get("memory")
    is_users = isinstance(users, Mapping) and users.get("review") == "ask"
    # A repository may ask for it, and cannot take it back.
    return is_users or wiki.config.text("memory.review") == "ask"


def private_memory(wiki: OpenWiki) -> PrivateMemory:
    """The private files of the memory of this clone."""
    from llmwiki.learn.private_memory import PrivateMemory
    from llmwiki.store.private import common_files

    return PrivateMemory(common_files(wiki.repo))
