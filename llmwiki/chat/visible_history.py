"""What of a conversation is visible, and the acts that change that. Pure; nothing is deleted.

An act (a condensation, a truncation, a rewind, a refusal) names the messages that it hides and adds
one message that carries its id. It stands as long as that message is there; `restore` takes the
message out again, and what it hid is visible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from llmwiki.chat.messages import FOREIGN, EntryBlock, Message, text_block
from llmwiki.memory.conversation import LearnedItem, LearnedQuote, Statement, Talk

Messages = tuple[Message, ...]

KEEP = 3
"""Messages at the end that a condensation leaves as they are."""
LOOKBACK = 3
"""Messages before the kept ones in which the calls of kept results are looked for."""
DEFERRED = "Context condensation triggered. Tool execution deferred."
"""The result of a call that has none."""
REMEMBER = "remember"
"""The tool that notes something at once."""
REWOUND = "rewind:"
"""How the id of an act begins that takes back messages together with the acts they made."""


class CondenseRefused(Exception):
    """A conversation cannot be condensed; the message is a short code."""


@dataclass(frozen=True, slots=True)
class HiddenMessages:
    """What an act does: the messages it adds, where they stand, and those that it hides."""

    added: Messages
    before: str
    """The id of the message in front of which they stand; empty: at the end."""
    ids: tuple[str, ...]


def effective(messages: Sequence[Message]) -> Messages:
    """The messages that a model is shown: no act that stands hides them, and no result is left
    whose call is hidden."""
    shown = visible(messages)
    known = {use.id for message in shown for use in message.uses}
    return tuple(
        whole for message in shown if (whole := _without_orphans(message, known)) is not None
    )


def standing_talk(session: str, messages: Messages, undone: Collection[int], offset: int) -> Talk:
    """The conversation of a transcript, hidden messages with it, each statement with the origin
    that code gave it.

    What was taken back is left out, and turns whose commits were: what was noted in them would come
    back by the sentence that asked for it. So are summaries: what they tell stands in the messages
    they hide.
    """
    said: list[Statement] = []
    taken_back = {message.act for message in messages if message.kind == "hide"}
    told = [m for m in messages if m.turn and not m.kind and not taken_back & {*m.hidden}]
    for message in told:
        for block in message.blocks if message.turn not in undone else ():
            if block.kind in ("text", "tool_result") and block.text.strip():
                is_own = block.kind == "tool_result" and block.origin in (
                    "agent", "typed", "program",
                )  # fmt: skip
                origin = "tool" if is_own else block.origin
                moment = message.ts / 1000
                is_tainted = message.is_tainted
                said.append(Statement(message.turn, origin, block.text, moment, is_tainted))
    return Talk(session, tuple(said), offset=offset)


def noted_at_once(messages: Messages, undone: Collection[int]) -> tuple[LearnedItem, ...]:
    """What `remember` has noted in the turns of a conversation whose commits were not taken
    back."""
    done = {r.id for message in messages for r in message.results if not r.is_error}
    return tuple(
        LearnedItem(
            str(use.input.get("text", "")),
            str(use.input.get("kind", "fact")),
            (LearnedQuote(message.turn, str(use.input.get("words", ""))),),
        )
        for message in messages
        for use in message.uses
        if message.turn not in undone and use.name == REMEMBER and use.id in done
    )


def visible(messages: Sequence[Message]) -> Messages:
    """The messages that no act hides, in their order."""
    standing = standing_acts(messages)
    return tuple(
        message
        for message in messages
        if message.kind != "hide" and not standing.intersection(message.hidden)
    )


def is_tainted(shown: Sequence[Message]) -> bool:
    """Whether text of others is visible, or an answer that was written while it was."""
    return any(
        message.is_tainted or any(block.origin in FOREIGN for block in message.blocks)
        for message in shown
    )


def standing_acts(messages: Sequence[Message]) -> frozenset[str]:
    """The ids of the acts that hold: their message is there, and no rewind took it back."""
    rewinds = {message.act for message in messages if message.act.startswith(REWOUND)}
    return frozenset(
        message.act
        for message in messages
        if message.act and (message.act in rewinds or not rewinds.intersection(message.hidden))
    )


def _without_orphans(message: Message, known: set[str]) -> Message | None:
    blocks = tuple(b for b in message.blocks if b.kind != "tool_result" or b.id in known)
    if len(blocks) == len(message.blocks):
        return message
    return replace(message, blocks=blocks) if blocks else None


def cleaned(messages: Sequence[Message]) -> Messages:
    """The messages without the tags of acts that do not stand."""
    acts = {message.act for message in messages if message.act}
    return tuple(
        replace(message, hidden=tuple(act for act in message.hidden if act in acts))
        for message in messages
    )


def applied(messages: Sequence[Message], act: HiddenMessages) -> Messages:
    """The messages after an act. One that hides an unknown message passes over it."""
    name = act.added[0].act if act.added else ""
    ids = frozenset(act.ids)
    tagged = [
        replace(message, hidden=(*message.hidden, name)) if message.id in ids else message
        for message in messages
    ]
    place = next((n for n, each in enumerate(tagged) if each.id == act.before), len(tagged))
    return (*tagged[:place], *act.added, *tagged[place:])


def restored(messages: Sequence[Message], act: str) -> Messages:
    """The messages as if an act had not been."""
    return cleaned([message for message in messages if message.act != act])


def truncated(messages: Sequence[Message], share: float, act: str) -> HiddenMessages | None:
    """Hides the oldest `share` of what is visible, the first message aside, an even number of
    messages; None where that is none. The markers of earlier ones stay."""
    shown = tuple(message for message in visible(messages) if message.kind != "marker")
    count = int((len(shown) - 1) * share)
    count -= count % 2
    if count <= 0:
        return None
    text = f"[Sliding window truncation: {count} messages hidden to reduce context]"
    return _hidden(shown, 1 + count, act, text)


def emergency_drop(
    messages: Sequence[Message], act: str, percent: int = 50
) -> HiddenMessages | None:
    """Hides so many of what stands between the first and the last message, the oldest, up to a
    place where a turn begins; None where there are no more than four."""
    shown = visible(messages)
    if len(shown) <= 4:
        return None
    target = 1 + max((len(shown) - 2) * percent // 100, 1)
    end = safe_boundary([_turn_role(message) for message in shown], target)
    if not 1 < end < len(shown):
        end = target
    return _hidden(
        shown,
        end,
        act,
        f"[System: Emergency compression dropped {end - 1} oldest messages due to context limit]",
    )


def _hidden(shown: Messages, end: int, act: str, text: str) -> HiddenMessages:
    """Hides from the second message to the one before `end`."""
    kept = shown[end] if end < len(shown) else None
    moment = (kept.ts if kept else shown[-1].ts + 2) - 1
    marker = Message(
        id=act,
        role="user",
        blocks=(text_block(text, "program"),),
        ts=moment,
        kind="marker",
        act=act,
    )
    ids = tuple(message.id for message in shown[1:end])
    return HiddenMessages((marker,), kept.id if kept else "", ids)


def _turn_role(message: Message) -> str:
    """`tool` for a message that answers calls: a turn does not begin with it."""
    return "tool" if message.role == "user" and message.results else message.role


def safe_boundary(roles: Sequence[str], target: int) -> int:
    """The index nearest to `target` at which a user's message begins a turn: first looked for
    before it, then behind; `target` itself where there is none."""
    if target <= 0:
        return 0
    if target >= len(roles):
        return len(roles)
    if roles[target] == "user":
        return target
    before = next((n for n in range(target - 1, 0, -1) if roles[n] == "user"), 0)
    behind = next((n for n in range(target + 1, len(roles)) if roles[n] == "user"), 0)
    return before or behind or target


def since_last_summary(messages: Sequence[Message]) -> Messages:
    """The messages from the last summary on; before a summary by the assistant the first message
    of the person stands, for a conversation begins with one."""
    places = [n for n, message in enumerate(messages) if message.kind == "summary"]
    if not places:
        return tuple(messages)
    rest = tuple(messages[places[-1] :])
    if rest[0].role == "assistant" and messages[0].role == "user" and places[-1] > 0:
        return (messages[0], *rest)
    return rest


def kept_with_calls(
    messages: Sequence[Message], keep: int
) -> tuple[Messages, tuple[EntryBlock, ...], tuple[EntryBlock, ...]]:
    """The last `keep` messages, the calls that their results answer and that stand shortly before
    them, and the reasoning of those who called."""
    start = max(len(messages) - keep, 0) if keep else len(messages)
    kept = tuple(messages[start:])
    own = {use.id for message in kept for use in message.uses}
    wanted = {r.id for message in kept for r in message.results} - own
    uses: list[EntryBlock] = []
    reasoning: list[EntryBlock] = []
    for message in messages[max(start - LOOKBACK, 0) : start]:
        found = [use for use in message.uses if use.id in wanted]
        if found:
            uses += found
            reasoning += [block for block in message.blocks if block.kind == "reasoning"]
    return kept, tuple(uses), tuple(reasoning)


def to_condense(
    messages: Sequence[Message], keep: int = KEEP, *, keep_first: bool = True
) -> Messages:
    """The messages that a summary is made of.

    Raises CondenseRefused: `condensed_recently` where a summary stands among the kept messages,
    `condense_not_enough_messages` where one message at most is left.
    """
    shown = visible(messages)
    end = len(shown) - keep
    if any(message.kind == "summary" for message in shown[max(end, 0) :]):
        raise CondenseRefused("condensed_recently")
    told = since_last_summary(shown[: max(end, 0)])
    if len(told) <= (1 if keep_first else 0):
        raise CondenseRefused("condense_not_enough_messages")
    return told


def condensed(
    messages: Sequence[Message],
    summary: str,
    act: str,
    *,
    keep: int = KEEP,
    keep_first: bool = True,
) -> HiddenMessages:
    """Hides what `summary` tells: all but the first message and the last `keep`.

    The summary carries the calls whose results are kept, so that pairs stay whole. Without
    `keep_first` the conversation begins anew with the summary, told by the user. Raises
    CondenseRefused: as `to_condense`, and `condense_failed` for an empty summary.
    """
    shown = visible(messages)
    to_condense(messages, keep, keep_first=keep_first)
    if not summary.strip():
        raise CondenseRefused("condense_failed")
    kept, uses, thought = kept_with_calls(shown, keep)
    blocks: list[EntryBlock] = []
    if keep_first:
        blocks += [*thought, text_block(summary, "agent"), *uses]
    else:
        blocks.append(text_block(f"## Conversation Summary\n{summary}", "agent"))
    added = Message(
        id=act,
        role="assistant" if keep_first else "user",
        blocks=tuple(blocks),
        ts=kept[0].ts - 1 if kept else shown[-1].ts + 1,
        kind="summary",
        act=act,
    )
    start = 1 if keep_first else 0
    ids = tuple(message.id for message in shown[start : len(shown) - len(kept)])
    return HiddenMessages((added,), kept[0].id if kept else "", ids)


def pruned(
    messages: Sequence[Message], act: str, *, keep: int = KEEP, summary: str = ""
) -> HiddenMessages | None:
    """Hides all but the last `keep` messages; with a summary, which then stands before them."""
    shown = visible(messages)
    gone, kept = shown[: max(len(shown) - keep, 0)], shown[max(len(shown) - keep, 0) :]
    if not gone:
        return None
    text = f"[Previous conversation summary]\n{summary}"
    added = Message(
        id=act,
        role="system",
        blocks=(text_block(text, "agent"),) if summary else (),
        kind="summary" if summary else "hide",
        act=act,
    )
    return HiddenMessages((added,), kept[0].id if kept else "", tuple(each.id for each in gone))


def rewound(
    messages: Sequence[Message], target: str, act: str, *, later: Iterable[str] = ()
) -> HiddenMessages:
    """Takes back the message `target` and all behind it, and the messages `later`: those of acts
    that were made after it and stand before it.

    Raises KeyError where there is no such message.
    """
    ids = [message.id for message in messages]
    if target not in ids:
        raise KeyError(target)
    gone = dict.fromkeys(ids[ids.index(target) :]) | dict.fromkeys(later)
    added = Message(id=act, role="system", kind="hide", act=f"{REWOUND}{act}")
    return HiddenMessages((added,), "", tuple(gone))


def block_text(kind: str, name: str, given: object, said: str, is_error: bool) -> str:
    """A call or a result as plain text, as a summary is made of it."""
    if kind == "tool_use":
        if isinstance(given, dict):
            given = "\n".join(f"{key}: {_shown(value)}" for key, value in given.items())
        return f"[Tool Use: {name}]\n{given}"
    head = "[Tool Result (Error)]" if is_error else "[Tool Result]"
    return f"{head}\n{said}" if said else head


def _shown(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
