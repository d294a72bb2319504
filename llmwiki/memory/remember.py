"""wiki remember: one note in the wiki's memory, one commit."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import DAILY, MEMORY, RULES
from llmwiki.core.secrets import refuse
from llmwiki.core.text import fold, normalise
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import Made, Operation, land, turn_trailers
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.state import WikiState
from llmwiki.memory.memory_pages import MemoryPages
from llmwiki.pages import write, write_claims
from llmwiki.pages.escape import escape_slot, escape_value
from llmwiki.pages.memory_notes import SCOPE, topic_key


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
    day. `kind` is one of `core.page_kinds.NOTE_KINDS`; `told_by` is `person` or `agent`; a
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

    def make(current: WikiState) -> Made[None]:
        memory = MemoryPages(current)
        if memory.find(node.key[1]) is not None:
            return Made(None, None)
        home = MEMORY if kind in RULES and told_by == "person" else f"{DAILY}{today}.md"
        memory.put(write.add_to_section(memory.made(home), "Notes", node))
        if about:
            memory.settle(kind, about, node.key[1])
        if replaces:
            memory.replace(replaces, node.key[1])
        operation = Operation(
            kind="memory",
            title=said,
            pages=dict(memory.changed),
            trailers={"Wiki-Told-By": told_by, **turn_trailers(session, turn)},
        )
        return Made(operation, None)

    return land(wiki.repo, wiki.state, make, operation="memory", terms=terms).outcome
