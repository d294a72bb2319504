"""How the memory changes: one commit of what is noted, learned, swept or forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, TypeVar

from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import DAILY, MEMORY, RULES
from llmwiki.core.secrets import redacted, refuse
from llmwiki.core.text import counted, fold, normalise
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import Landing, land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import LandingOptions, Made, Operation, turn_trailers
from llmwiki.landing.wiki_state import WikiState
from llmwiki.memory.conversation import CheckedItem, RefusedItem, Talk
from llmwiki.memory.memory_pages import MemoryPages
from llmwiki.pages import write, write_claims
from llmwiki.pages.escape import escape_slot, escape_value
from llmwiki.pages.memory_notes import SCOPE, note_id, topic_key

_T = TypeVar("_T")


def land_memory(
    wiki: OpenWiki,
    change: Callable[[MemoryPages], tuple[dict[str, Any], _T]],
    *,
    terms: LandingOptions | None = None,
    dry_run: bool = False,
) -> Landing[_T]:
    """Lands what `change` does to the pages of the memory, in one commit; none where they stay as
    they are. It gives the fields of the operation beside its pages, and what came of it. Raises
    what that and `land` raise."""

    def make(current: WikiState) -> Made[_T]:
        memory = MemoryPages(current)
        fields, extra = change(memory)
        pages = dict(memory.changed)
        return Made(Operation(pages=pages, **fields) if pages else None, extra)

    options = terms or wiki.landing()
    return land(wiki.state, "memory", make, terms=options, dry_run=dry_run)


def remember(
    wiki: OpenWiki,
    text: str,
    *,
    kind: str = "fact",
    told_by: str = "person",
    session: str = "",
    turn: int = 0,
    key: str = "",
    value: str = "",
    replaces: str = "",
    allow_secret: Iterable[str] = (),
    allow_detached: bool = False,
    review: bool = False,
) -> Outcome:
    """Adds a note, in one commit; one that says the same, case and blanks aside, changes nothing.

    A person's preferences and procedures stand on wiki/memory.md, all else on the page of its
    day. `kind` is one of `page_and_note_kinds.NOTE_KINDS`; `told_by` is `person` or `agent`; a
    `session` stands in the note, and with a `turn` (from 1) both stand in the trailers of the
    commit. With a `key`, what was noted of it before, of that kind, is struck and leads to this
    note, whose `value` counts now; so is the note of the id `replaces`. With `review` it waits on
    a branch, as all does where the wiki says so. Raises InputError for an empty text, PolicyError
    for one with a secret, and what `land` raises.
    """
    terms = wiki.landing(allow_detached, review=review)
    said = normalise(text)
    if not fold(said):
        raise InputError("there is nothing to remember", fix='Such as: wiki remember "We use UTC."')
    if len(said) > 2000:
        raise InputError(
            f"a note of {len(said)} characters is a document",
            fix="Notes hold up to 2,000 characters; put it into raw/ and ingest it.",
        )
    refuse([said, session], allowed=frozenset(allow_secret), what="the note")
    today = datetime.fromtimestamp(terms.now(), UTC).strftime("%Y-%m-%d")
    details = [("told by", told_by), ("on", today)]
    if normalise(session):
        details.append(("session", normalise(session)))
    details.append(("kind", kind))
    told = "; ".join(f"{name}: {escape_value(value)}" for name, value in details)
    about = topic_key(key)
    if bool(about) != bool(fold(value)):
        raise InputError(
            "a key needs a value, and a value a key", fix="Such as: --key office=Ghent"
        )
    if about:
        told += f"; {escape_slot(about)} = {escape_value(normalise(value))}"
    node = write_claims.note_node((SCOPE,), said, told)

    def change(memory: MemoryPages) -> tuple[dict[str, Any], None]:
        if memory.find(node.key[1]) is None:
            home = MEMORY if kind in RULES and told_by == "person" else f"{DAILY}{today}.md"
            memory.put(write.add_to_section(memory.made(home), "Notes", node))
            if about:
                memory.settle(kind, about, node.key[1])
            if replaces:
                memory.replace(replaces, node.key[1])
        trailers = {"Wiki-Told-By": told_by, **turn_trailers(session, turn)}
        return {"title": said, "trailers": trailers}, None

    return land_memory(wiki, change, terms=terms).outcome


@dataclass(frozen=True, slots=True)
class LearnedTurn:
    """What one turn taught."""

    turn: int
    items: tuple[CheckedItem, ...]
    """Those that changed the memory."""
    outcome: Outcome
    refused: tuple[RefusedItem, ...] = ()


def land_learned(
    wiki: OpenWiki,
    talk: Talk,
    items: Iterable[CheckedItem],
    *,
    model: str = "",
    dry_run: bool = False,
) -> tuple[LearnedTurn, ...]:
    """Lands what was learned, a commit for each turn; those that taught nothing new make none.

    Raises what `land` raises; what landed before stays.
    """
    ordered = sorted(items, key=lambda each: each.turn)
    return tuple(
        _land_turn(wiki, talk, turn, tuple(group), model, dry_run=dry_run)
        for turn, group in groupby(ordered, key=lambda each: each.turn)
    )


def _land_turn(
    wiki: OpenWiki,
    talk: Talk,
    turn: int,
    items: Iterable[CheckedItem],
    model: str,
    *,
    dry_run: bool,
) -> LearnedTurn:
    def change(
        memory: MemoryPages,
    ) -> tuple[dict[str, Any], tuple[list[CheckedItem], list[RefusedItem]]]:
        taken: list[CheckedItem] = []
        refused: list[RefusedItem] = []
        for found in items:
            if any(memory.is_full(talk.day(quote.said.ts)) for quote in found.quotes):
                refused.append(RefusedItem(found.item.text, "the page of the day is full"))
            elif memory.learn(found, talk):
                taken.append(found)
        if not taken:
            return {}, (taken, refused)
        more = f" {len(taken)} things" if len(taken) > 1 else ""
        and_more = f" (and {counted(len(taken) - 1, 'more', 'more')})" if more else ""
        tellers = sorted({found.told_by for found in taken})
        trailers: dict[str, str | tuple[str, ...]] = {
            "Wiki-Told-By": tuple(tellers) if len(tellers) > 1 else tellers[0],
            **turn_trailers(talk.session, turn),
            **({"Wiki-Model": model} if model else {}),
        }
        fields = {
            "title": f"learned{more}: {redacted(taken[0].item.text)}",
            # The log cannot be rewritten where words have to be forgotten.
            "logged": f"learned {taken[0].item.kind} {note_id(taken[0].item.text)}{and_more}",
            "trailers": trailers,
        }
        return fields, (taken, refused)

    done = land_memory(wiki, change, dry_run=dry_run)
    taken, refused = done.extra
    return LearnedTurn(turn, tuple(taken), done.outcome, tuple(refused))
