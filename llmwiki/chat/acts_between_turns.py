"""What a person asks of a conversation between two turns: to look at it, find in it, take back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from llmwiki.chat import visible_history
from llmwiki.chat.citations import NumberedCitations
from llmwiki.chat.session_search import blend, rank_to_score
from llmwiki.core.settings_precedence import OFFLINE
from llmwiki.models.messages import request_body

if TYPE_CHECKING:
    from llmwiki.chat.session_search import FoundTurn
    from llmwiki.chat.turn import Conversation
    from llmwiki.query.retrieval.search_result import SearchRow

MAX_FOUND = 10
"""Pages, and turns of conversations, that a search gives."""
SHARES = (0.7, 0.3)
"""What a place among the pages and one among the turns counts for."""


def sizes(talk: Conversation) -> list[tuple[str, str, int]]:
    """What the next request is made of: (name, where it is from, tokens by estimate)."""
    prompt = talk.active
    return [
        *((s.name, f"{s.source}{', cut' if s.is_cut else ''}", s.tokens) for s in prompt.sections),
        ("tools", str(len(prompt.tools)), prompt.tool_tokens),
        ("messages", str(len(talk.shown)), talk.window.talk_tokens),
    ]


def request_json(talk: Conversation) -> str:
    """The body of the next request."""
    model = talk.client.settings.model if talk.client else OFFLINE
    most = talk.client.settings.max_output_tokens if talk.client else 0
    body = request_body(
        model, talk.active.blocks, talk.request, tools=talk.offered, max_tokens=most
    )
    return json.dumps(body, ensure_ascii=False, indent=1)


def cited_last(talk: Conversation) -> list[str]:
    """The citations of the last answer, in the order of their numbers."""
    said = (m.text for m in reversed(talk.shown) if m.role == "assistant" and m.text)
    cited = NumberedCitations(lambda: talk.shown_text)
    cited.numbered(next(said, ""))
    return cited.handles


def search(talk: Conversation, words: str) -> tuple[list[FoundTurn | SearchRow], tuple[str, ...]]:
    """Pages of the wiki and turns of conversations that words lead to, in one order, and what is
    told of words that stand on no page."""
    turns = talk.sessions.find(words, limit=MAX_FOUND)
    found = talk.wiki.search(words, limit=MAX_FOUND)
    rows = {f"page {row.path}": row for row in found.rows}
    said = {f"turn {row.turn} of {row.session}, {row.speaker}": row for row in turns}
    order = blend(_ranked(rows), _ranked(said), *SHARES)
    return [rows[key] if key in rows else said[key] for key, _ in order], found.notes


def rewind(talk: Conversation, turn: int) -> str:
    """Takes back a turn and all behind it; the id of the act, or "" for no such turn."""
    messages = talk.file.messages
    first = next(
        (m for m in visible_history.visible(messages) if m.turn == turn and not m.kind), None
    )
    if first is None:
        return ""
    later = talk.file.written_after(first.id)
    acts = [m.id for m in messages if m.act and m.id in later]
    return talk.window.hide(
        lambda ident: visible_history.rewound(messages, first.id, ident, later=acts)
    )


def undo(talk: Conversation) -> tuple[str, ...]:
    """Takes back what the last turn that wrote has written, in commits of their own; the commits
    that were taken back. Called again, the turn before it. Raises WikiError."""
    if not talk.file.landed:
        return ()
    last = talk.file.landed[-1].turn
    gone = tuple(row.commit for row in talk.file.landed if row.turn == last)
    done = [talk.wiki.undo(commit).outcome.commit for commit in reversed(gone)]
    talk.taken_back.append((last, tuple(filter(None, done))))
    talk.file.forget_landed(last)
    talk.acted.append(f"[The person took back {_named(gone)}.]")
    return gone


def redo(talk: Conversation) -> tuple[str, ...]:
    """Brings back what the last `undo` of this conversation took back; the commits that do it.
    Raises WikiError."""
    if not talk.taken_back:
        return ()
    turn, undone = talk.taken_back.pop()
    made = [talk.wiki.undo(commit).outcome.commit for commit in reversed(undone)]
    commits = tuple(filter(None, made))
    for commit in commits:
        talk.file.note_landed(turn, commit)
    talk.acted.append(f"[The person brought back what was taken back, in {_named(commits)}.]")
    return commits


def _named(commits: Iterable[str]) -> str:
    """Commits as results of tools name them."""
    return ", ".join(commit[:10] for commit in commits)


def _ranked(keys: Iterable[str]) -> list[tuple[str, float]]:
    return [(key, rank_to_score(rank)) for rank, key in enumerate(keys)]
