"""Whether what is learned from conversations may be committed, and what waits for a yes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from llmwiki.core.errors import InputError
from llmwiki.landing.settings_files import user_table

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.memory.land_memory import LearnedTurn
    from llmwiki.memory.private_memory import PendingItem, PrivateMemory

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
    from llmwiki.git.store.private_files import common_files
    from llmwiki.memory.private_memory import PrivateMemory

    return PrivateMemory(common_files(wiki.repo))


def set_rule(wiki: OpenWiki, rule: str) -> None:
    """Keeps the person's answer for this clone; `ask` forgets it."""
    private_memory(wiki).answer = "" if rule == "ask" else rule


def pending(wiki: OpenWiki) -> tuple[PendingItem, ...]:
    """What waits, in the order it was said."""
    return private_memory(wiki).pending()


def decide(
    wiki: OpenWiki, *, accept: Sequence[str] = (), drop: Sequence[str] = ()
) -> tuple[LearnedTurn, ...]:
    """Lands and drops items that wait, by their ids; `all` names all of them.

    Raises InputError for an id that nothing has.
    """
    from llmwiki.memory.land_memory import land_learned

    private = private_memory(wiki)
    waiting = {each.id: each for each in private.pending()}
    done: list[LearnedTurn] = []
    for ident in _named(drop, waiting):
        private.drop(ident)
    for ident in _named(accept, waiting):
        each = waiting[ident]
        done += land_learned(wiki, each.talk, [each.item])
        if not any(turn.refused for turn in done[-1:]):
            private.settle(each.talk, [each.item])
    return tuple(done)


def _named(ids: Sequence[str], waiting: Mapping[str, object]) -> list[str]:
    if "all" in ids:
        return list(waiting)
    missing = [ident for ident in ids if ident not in waiting]
    if missing:
        raise InputError(
            "nothing of this id waits", where=missing[0][:40], fix="`wiki memory review` lists."
        )
    return list(dict.fromkeys(ids))
