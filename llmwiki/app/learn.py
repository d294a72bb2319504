"""What a conversation taught: a transcript read, what was learned checked, landed or kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.app.memory_consent import CommitRule, commit_rule, is_reviewed, private_memory

if TYPE_CHECKING:
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.memory.conversation import CheckedItem, LearnedItem, RefusedItem, Statement, Talk
    from llmwiki.memory.land_memory import LearnedTurn
    from llmwiki.memory.private_memory import PendingItem


@dataclass(frozen=True, slots=True)
class LearnReport:
    """What a conversation taught."""

    session: str
    host: str
    turns: int
    """Turns of the conversation."""
    statements: int
    """What of it an extractor was shown."""
    rule: CommitRule
    """Whether what is learned is committed: `ask` lets it wait."""
    extractor: str
    """`explicit`, `agent`, or the model."""
    learned: tuple[LearnedTurn, ...] = ()
    """What landed."""
    pending: tuple[PendingItem, ...] = ()
    """What waits for a person's yes."""
    refused: tuple[RefusedItem, ...] = ()
    skipped: int = 0
    """Lines of the transcript that could not be read."""

    @property
    def commits(self) -> tuple[tuple[int, str], ...]:
        """(turn, commit) of what landed."""
        return tuple((t.turn, t.outcome.commit) for t in self.learned if t.outcome.commit)


@dataclass(frozen=True, slots=True)
class LearnJob:
    """What an agent is to read."""

    id: str
    session: str
    statements: int
    file: str
    """Absolute; empty where there is nothing to read."""


def note(wiki: OpenWiki, talk: Talk, item: LearnedItem, *, agreed: bool) -> LearnReport:
    """Takes in one item that an agent notes while a conversation lasts; it rests on the
    statements of the talk. `agreed`: the person has agreed to commits beforehand."""
    return kept(wiki, talk, talk.statements, [item], "agent", dry_run=False, agreed=agreed)


def kept(
    wiki: OpenWiki,
    talk: Talk,
    shown: Sequence[Statement],
    items: Sequence[LearnedItem],
    extractor: str,
    *,
    dry_run: bool,
    agreed: bool = False,
) -> LearnReport:
    """Checks what an `extractor` learned of what it was `shown`, and lands it or lets it wait."""
    from llmwiki.memory.check_learned import checked
    from llmwiki.memory.land_memory import land_learned

    taken, refused = checked(items, shown, _known(wiki, items), talk.offset)
    rule, _ = commit_rule(wiki)
    rule = "always" if agreed and rule == "ask" else rule
    learned: tuple[LearnedTurn, ...] = ()
    pending: tuple[PendingItem, ...] = ()
    if taken and rule != "never":
        wiki.state.follow()
        new = _news(wiki, talk, taken)
        if rule == "always" and not is_reviewed(wiki):
            model = extractor if extractor not in ("explicit", "agent") else ""
            learned = land_learned(wiki, talk, new, model=model, dry_run=dry_run)
            refused = (*refused, *(row for turn in learned for row in turn.refused))
            if not dry_run:
                full = {row.text for turn in learned for row in turn.refused}
                private_memory(wiki).settle(talk, [t for t in taken if t.item.text not in full])
            learned = tuple(turn for turn in learned if turn.items)
        elif not dry_run:
            pending = private_memory(wiki).keep(talk, new)
    turns = max((s.turn for s in talk.statements), default=0)
    return LearnReport(
        talk.session,
        talk.host,
        turns,
        len(shown),
        rule,
        extractor,
        learned,
        pending,
        refused,
        talk.skipped,
    )


def _known(wiki: OpenWiki, items: Sequence[LearnedItem]) -> dict[str, str]:
    """The texts of the notes that stand, or wait for a yes, and that items correct, by id."""
    from llmwiki.memory.memory_pages import MemoryPages

    ids = sorted({item.replaces for item in items} - {""})
    if not ids:
        return {}
    wiki.state.follow()
    memory = MemoryPages(wiki.state)
    found = [note for each in ids if (note := memory.find(each)) is not None]
    waiting = {each.id: each.item.item.text for each in private_memory(wiki).pending()}
    return {note.id: note.text for note in found if note.successor is None} | {
        ident: waiting[ident] for ident in ids if ident in waiting
    }


def _news(wiki: OpenWiki, talk: Talk, taken: Sequence[CheckedItem]) -> list[CheckedItem]:
    """The items that would change the memory, and that nobody has let go."""
    from llmwiki.memory.memory_pages import MemoryPages

    dropped = private_memory(wiki).dropped(talk, taken)
    memory = MemoryPages(wiki.state)
    found = []
    for each in taken:
        # Each for itself, and the pages of the state are read once.
        memory.changed.clear()
        if each not in dropped and memory.learn(each, talk):
            found.append(each)
    return found
