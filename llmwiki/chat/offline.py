"""A conversation without a model: notes are taken, questions are answered by quotes of the wiki."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.chat.entries import EntryBlock, text_block
from llmwiki.chat.events import ToolCalled
from llmwiki.core.config import OFFLINE
from llmwiki.core.errors import PolicyError
from llmwiki.core.language.tokens import terms_of, words
from llmwiki.core.secrets import MARKER
from llmwiki.core.text import cut
from llmwiki.memory.explicit import explicit_items, kind_of, sentences, slot_of
from llmwiki.memory.talk import Statement
from llmwiki.models.messages import Delta

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.transcript import SessionFile
    from llmwiki.memory.private_memory import PendingItem

MOST = 3
"""Lines of a conversation, and of what waits for a yes, that answer one question."""
SHOWN = 400
"""Characters that are shown of a passage which comes near."""
_NOTE = re.compile(r"(?:please )?remember(?: that)?[ :,](?P<what>.+)", re.I)


def quoted(
    wiki: Wiki,
    file: SessionFile,
    typed: str,
    number: int,
    earlier: Sequence[tuple[int, str]],
    *,
    with_pending: bool,
    is_pasted: bool,
) -> tuple[ToolCalled | Delta, list[EntryBlock]]:
    """What comes of a message, and how the transcript has it.

    `earlier` are the turns and words that were typed before; notes that wait for a yes answer too
    `with_pending`. Of a message with text of others in it, `is_pasted`, nothing is noted. Raises
    WikiError.
    """
    asked_to_note = None if is_pasted else _NOTE.fullmatch(typed.strip())
    if asked_to_note:
        called = note(wiki, file, asked_to_note["what"].strip())
        return called, [text_block(f"{called.brief}.", "program")]
    if kept := () if is_pasted else asked_to_keep(number, typed):
        heard = "\n".join(f"Heard: {each}" for each in kept)
        return Delta(f"{heard}\n"), [text_block(heard, "program")]
    from llmwiki.app.query import QueryOptions
    from llmwiki.query.answer_file import markdown

    told = told_here(typed, earlier, wiki.memory.pending() if with_pending else ())
    own = "".join(f"“{line.text}” ({line.where})\n\n" for line in told)
    found = wiki.query(typed, QueryOptions(model=OFFLINE))
    text = markdown(found.answer) if found.answer else "The wiki says nothing of this."
    if found.answer and found.answer.nearest:
        near = (
            f"- {cut(each.text, SHOWN).removeprefix('- ')} {each.handle}"
            for each in found.answer.nearest
        )
        text += "\n\nNearest:\n\n" + "\n".join(near)
    # Blocks are shown a line apart: the line that ends this one makes them paragraphs.
    blocks = [text_block(own[:-1], "program")] if own else []
    return Delta(own + text), [*blocks, text_block(text.strip(), "wiki")]


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


class ToldLine(NamedTuple):
    """A sentence that bears on a question."""

    text: str
    where: str
    """Where it was said, for a person."""


def told_here(
    question: str, typed: Sequence[tuple[int, str]], pending: Iterable[PendingItem] = ()
) -> tuple[ToldLine, ...]:
    """The sentences that hold every word of a question that says something, the last one first; of
    those that say what one thing is, the last alone. `typed` are (turn, words) of this session."""
    asked = _terms(question)
    rows = [*_waiting(pending), *_said(typed)]
    found: dict[str, ToldLine] = {}
    for line in reversed(rows if asked else ()):
        if asked <= _terms(line.text):
            found.setdefault(_subject(line.text) or line.text, line)
    return tuple(found.values())[:MOST]


def asked_to_keep(turn: int, typed: str) -> tuple[str, ...]:
    """The notes that a message asks for in plain words, where it says nothing else."""
    items = explicit_items([Statement(turn, "typed", typed)])
    return tuple(item.text for item in items) if len(items) == len([*sentences(typed)]) else ()


def _said(typed: Iterable[tuple[int, str]]) -> Iterator[ToldLine]:
    for turn, text in typed:
        for sentence in sentences(text):
            if not sentence.endswith(("?", "？")):
                yield ToldLine(sentence, f"you said so in turn {turn} of this conversation")


def _waiting(pending: Iterable[PendingItem]) -> Iterator[ToldLine]:
    for each in pending:
        yield ToldLine(each.item.item.text, "not confirmed yet: `wiki memory review`")


def _subject(text: str) -> str:
    """What a sentence says something of, also behind `Note:` and the like; empty where that is
    not plain."""
    kept = explicit_items([Statement(0, "typed", text)])
    return kept[0].key if kept else slot_of(text)[0]


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for word in words(text) for term in terms_of(word))
