"""What a turn tells, printed: native scrollback, nothing drawn again, no line twice; citations."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from llmwiki.chat.citations import NumberedCitations, opened
from llmwiki.chat.turn_events import (
    ChatEvent,
    ChatNotice,
    Delta,
    Restarted,
    StepDone,
    ToolCalled,
    TurnEnded,
)
from llmwiki.core.errors import WikiError
from llmwiki.core.text import cut
from llmwiki.interfaces.cli.command_context import say, say_err
from llmwiki.interfaces.cli.safe_text import clean

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


@dataclass
class TurnPrinter:
    """Prints the events of a turn: the answer on stdout, all else on stderr."""

    is_mute: bool = False
    """Whether nothing is printed, for JSON."""
    is_live: bool = True
    """Whether the answer is printed as it comes, as Markdown block by block."""
    _text: str = ""
    """The answer of this step so far."""
    _printed: str = ""
    """What of this step stands on the screen."""
    citations: NumberedCitations | None = None
    """Numbers the citations of what is printed; None: they are printed as they stand."""

    def hear(self, event: ChatEvent) -> None:
        """Takes one event."""
        if self.is_mute:
            return
        match event:
            case Delta():
                self._text += event.text
                self._show()
            case Restarted():
                self._text = ""
            case StepDone():
                self._show(whole=True)
                self._text = self._printed = ""
            case ToolCalled():
                mark = {"done": "·", "failed": "!", "refused": "×"}[event.status]
                say_err(f"{mark} {event.call} → {event.brief}".rstrip(" →"))
                if event.commit:
                    say_err(f"  {event.commit[:10]}; /undo takes it back")
            case ChatNotice():
                say_err(f"wiki: {event.text}")
            case TurnEnded():
                self._end(event)

    def _end(self, ended: TurnEnded) -> None:
        if self._text:
            self._show(whole=True)
        self._text = self._printed = ""
        for said in ended.remarks:
            say_err(f"wiki: {said}")

    def _show(self, *, whole: bool = False) -> None:
        """Prints what is whole of the answer and does not stand there yet.

        After an answer began again nothing is printed as long as it repeats what stands there; at
        the first difference a line says so, and it is printed from its beginning.
        """
        ready = self._text if whole else self._ready()
        if not ready:
            return
        if not ready.startswith(self._printed):
            if self._printed.startswith(ready) and not whole:
                return
            say_err("wiki: the answer begins again")
            self._printed = ""
        new = ready[len(self._printed) :]
        self._printed = ready
        if new.strip():
            self._write(new)

    def _ready(self) -> str:
        """The blocks of Markdown that are finished; all of the text is, where it is printed plain
        once it is whole."""
        if not self.is_live:
            return ""
        end = self._text.rfind("\n\n")
        while end > 0:
            head = self._text[: end + 2]
            if len(_FENCE.findall(head)) % 2 == 0:
                return head
            end = self._text.rfind("\n\n", 0, end)
        return ""

    def _write(self, text: str) -> None:
        if self.citations is not None:
            text = self.citations.numbered(text)
        if not self.is_live or not sys.stdout.isatty():
            click.echo(clean(text.strip("\n")))
            return
        from rich.console import Console
        from rich.markdown import Markdown

        # Links of others are shown with their address: what a word leads to is no secret.
        Console().print(Markdown(clean(text.strip("\n")), hyperlinks=False))


WIDTH = 100
"""Characters of a line about a citation."""


def say_citation(wiki: Wiki, number: int, handle: str) -> None:
    """Prints a citation in one line."""
    try:
        first = opened(wiki, handle).partition("\n")[0]
        title = (first.rpartition(" ^")[0] or first).lstrip("-# ")
    except WikiError as error:
        title = error.what
    line = cut(f"{handle}  {' '.join(title.split())}", WIDTH)
    say(f"[{number}] {line}")
