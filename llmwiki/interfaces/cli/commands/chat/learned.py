"""What a conversation taught, told at its end; whether it is kept is asked once a clone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from llmwiki.chat.learn_from_chat import is_due, landed_lines, learn, learned_lines
from llmwiki.core.errors import WikiError
from llmwiki.interfaces.cli.command_context import say_err

if TYPE_CHECKING:
    from llmwiki.chat.turn import Conversation


def flush(talk: Conversation, keep: Callable[[str], None] | None = None) -> None:
    """Learns from a conversation and says what came of it. With `keep` the person is there and can
    be asked; what was typed before the question goes to it. A failure is told, and no more."""
    with _failures_told("stopped; what was not learned yet is not lost: --continue goes on"):
        report = learn(talk, by_model=keep is not None or is_due(talk), notice=_say)
        memory = talk.wiki.memory
        waiting = [each for each in memory.pending() if each.session == talk.file.id]
        if waiting and keep and sys.stdin.isatty() and memory.rule()[0] == "ask":
            answer = _asked([each.item.item.text for each in waiting], keep)
            if answer:
                memory.set_rule(answer)
                report = None
            if answer == "always":
                landed = memory.decide(accept=[each.id for each in waiting])
                for turn in landed:
                    if turn.outcome.commit:
                        talk.file.note_landed(turn.turn, turn.outcome.commit)
                for line in landed_lines(landed):
                    _say(line)
                report = learn(talk, by_model=True, notice=_say)
        for line in learned_lines(report):
            _say(line)


def look_back(talk: Conversation) -> None:
    """Lets the model read what is new in a conversation that goes on; nothing is asked. A failure
    is told, and no more."""
    if talk.client is None:
        return
    with _failures_told("stopped; what was not learned yet is read at the end"):
        report = learn(talk, by_model=True, notice=_say)
        for line in landed_lines(report.learned) if report is not None else ():
            _say(line)


@contextmanager
def _failures_told(stopped: str) -> Iterator[None]:
    try:
        yield
    except WikiError as error:
        _say(f"nothing was learned: {error}")
    except KeyboardInterrupt:
        _say(stopped)


def _say(said: str) -> None:
    say_err(f"wiki: {said}")


def _asked(texts: Sequence[str], keep: Callable[[str], None]) -> str:
    """`always`, `never`, or empty where the person does not want to say."""
    from llmwiki.interfaces.cli.commands.chat.ask_and_interrupt import answered

    for text in texts:
        say_err(f"  {text}")
    say_err(
        "This was learned. It can be committed in this repository, with the sentences it rests on;"
        " who gets the repository can read them."
    )
    answer = answered("Type always or never, or press Enter to decide later: ", keep)
    return answer if answer in ("always", "never") else ""
