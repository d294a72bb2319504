"""A conversation without a model: notes are taken, questions are answered by quotes of the wiki."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.chat.messages import EntryBlock, text_block
from llmwiki.chat.turn_events import ToolCalled
from llmwiki.core.errors import PolicyError
from llmwiki.core.secrets import MARKER
from llmwiki.core.settings_precedence import OFFLINE
from llmwiki.core.text import cut
from llmwiki.memory.conversation import Statement
from llmwiki.memory.remember_phrases import explicit_items, kind_of, sentences, slot_of
from llmwiki.models.messages import Delta

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.transcript import SessionFile

SHOWN = 400
"""Characters that are shown of a passage which comes near."""
_NOTE = re.compile(r"(?:please )?remember(?: that)?[ :,](?P<what>.+)", re.I)


def quoted(
    wiki: Wiki,
    file: SessionFile,
    typed: str,
    number: int,
    *,
    is_pasted: bool,
) -> tuple[ToolCalled | Delta, list[EntryBlock]]:
    """What comes of a message, and how the transcript has it. Of a message with text of others in
    it, `is_pasted`, nothing is noted. Raises WikiError."""
    asked_to_note = None if is_pasted else _NOTE.fullmatch(typed.strip())
    if asked_to_note:
        called = note(wiki, file, asked_to_note["what"].strip())
        return called, [text_block(f"{called.brief}.", "program")]
    if kept := () if is_pasted else asked_to_keep(number, typed):
        heard = "\n".join(f"Heard: {each}" for each in kept)
        return Delta(f"{heard}\n"), [text_block(heard, "program")]
    from llmwiki.app.query import QueryOptions
    from llmwiki.query.answer_file import markdown

    found = wiki.query(typed, QueryOptions(model=OFFLINE))
    text = markdown(found.answer) if found.answer else "The wiki says nothing of this."
    if found.answer and found.answer.nearest:
        near = (
            f"- {cut(each.text, SHOWN).removeprefix('- ')} {each.handle}"
            for each in found.answer.nearest
        )
        text += "\n\nNearest:\n\n" + "\n".join(near)
    return Delta(text), [text_block(text.strip(), "wiki")]


def note(wiki: Wiki, file: SessionFile, text: str) -> ToolCalled:
    """Notes what the person said, in one commit; what it says of a thing takes the place of what
    was noted of that before. Raises WikiError."""
    if MARKER in text:
        fix = "Keep it where secrets are kept, and note where that is."
        raise PolicyError("a secret was taken out of it; it is not noted", fix=fix)
    number = max(file.turn, 1)
    kind = kind_of(text)
    key, value = slot_of(text) if kind == "fact" else ("", "")
    outcome = wiki.remember(text, kind=kind, session=file.id, turn=number, key=key, value=value)
    if outcome.commit:
        file.note_landed(number, outcome.commit)
    brief = f"noted in {outcome.commit[:10]}" if outcome.commit else "that is noted already"
    return ToolCalled("remember", text, "done", brief, outcome.commit or "")


def asked_to_keep(turn: int, typed: str) -> tuple[str, ...]:
    """The notes that a message asks for in plain words, where it says nothing else."""
    items = explicit_items([Statement(turn, "typed", typed)])
    return tuple(item.text for item in items) if len(items) == len([*sentences(typed)]) else ()
