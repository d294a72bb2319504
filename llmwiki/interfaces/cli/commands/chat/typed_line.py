"""The line that a person types on: history, several lines, pastes as they are, completion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from llmwiki.app.change_settings import user_path
from llmwiki.chat.messages import pasted_pieces
from llmwiki.interfaces.cli.commands.chat.ask_and_interrupt import echo, typed_ahead
from llmwiki.interfaces.cli.commands.chat.slash_commands import COMMANDS

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki
    from llmwiki.chat.turn import Conversation

PROMPT = "› "
MAX_NAMES = 20
"""Names of pages that are offered."""
MAX_FILES = 2_000
"""Of one folder, among which names are offered."""


class TypedLines:
    """Reads what a person types."""

    def __init__(self, wiki: Wiki) -> None:
        self._wiki = wiki
        self._draft = ""
        self._pasted: list[str] = []
        self._read = ""
        """The line that was read last."""
        self._session: Any = None
        self._looked = 0
        """The turn after which it was idle last."""

    def keep(self, text: str) -> None:
        """Takes what was typed too early: it is the draft of the next line."""
        self._draft += _typed(text)

    def pasted(self) -> tuple[str, ...]:
        """What of the line that was read last was pasted."""
        return tuple(pasted_pieces(self._read, self._pasted))

    def read(self, talk: Conversation, when_idle: Callable[[], None]) -> str | None:
        """The next line; None where the person is done. Ctrl-C empties the line.

        `when_idle` is called once a turn, where nothing is typed for as long as `talk.idle` says.
        """
        draft, self._draft = self._draft, ""
        self._pasted.clear()
        if self._session is None:
            self._session = self._made(talk)
        while True:
            try:
                begun = partial(self._begun, talk, when_idle)
                self._read = str(self._session.prompt(default=draft, pre_run=begun))
                return self._read
            except KeyboardInterrupt:
                draft = ""
            except EOFError:
                return None

    def _begun(self, talk: Conversation, when_idle: Callable[[], None]) -> None:
        """Lets what the turn needs be loaded as soon as the line stands, and waits beside it for a
        pause in which to call `when_idle`."""
        import asyncio

        asyncio.get_running_loop().call_soon(talk.prepare)
        if not talk.idle or talk.client is None or talk.file.turn <= self._looked:
            return
        from prompt_toolkit.application import get_app, run_in_terminal

        app = get_app()

        def act() -> None:
            with echo(is_on=False):
                when_idle()
            app.current_buffer.insert_text(_typed(typed_ahead()))

        async def wait() -> None:
            before = None
            while before != app.current_buffer.text:
                before = app.current_buffer.text
                await asyncio.sleep(talk.idle)
            self._looked = talk.file.turn
            await run_in_terminal(act)

        app.create_background_task(wait())

    def _made(self, talk: Conversation) -> Any:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.document import Document
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings

        offered = self._offered

        class _Names(Completer):
            def get_completions(self, document: Document, complete_event: Any) -> Any:
                for text, back in offered(document.text_before_cursor):
                    yield Completion(text, start_position=-back)

        keys = KeyBindings()

        @keys.add("enter")
        def _accept(event: Any) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _line_break(event: Any) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("<bracketed-paste>")
        def _paste(event: Any) -> None:
            text = event.data.replace("\r\n", "\n").replace("\r", "\n")
            self._pasted.append(text)
            event.current_buffer.insert_text(text)

        history = InMemoryHistory([text for _, text in talk.typed if text])
        return PromptSession(
            PROMPT,
            history=history,
            completer=_Names(),
            complete_while_typing=False,
            key_bindings=keys,
            multiline=True,
            prompt_continuation="  ",
        )

    def _offered(self, before: str) -> Iterator[tuple[str, int]]:
        """Commands at the beginning of a line, names of pages behind `[[`."""
        if before.startswith("/") and " " not in before:
            for name in COMMANDS:
                if name.startswith(before[1:]):
                    yield f"/{name}", len(before)
            return
        if before.startswith("/attach "):
            yield from _files(before.removeprefix("/attach "))
            return
        begun = before.rpartition("[[")[2] if "[[" in before else ""
        if begun.strip() and "]]" not in begun:
            for row in self._wiki.search(begun, limit=MAX_NAMES).rows:
                yield f"{row.title}]]", len(begun)


def _typed(text: str) -> str:
    """What of keys that were pressed too early is text."""
    return "".join(c for c in text if c.isprintable() or c == "\n").rstrip("\n")


def _files(begun: str) -> Iterator[tuple[str, int]]:
    """The files whose names go on as `begun` does."""
    folder, _, name = begun.rpartition("/")
    place = user_path(f"{folder}/" if folder or begun.startswith("/") else ".")
    with suppress(OSError):
        for path in sorted(place.iterdir())[:MAX_FILES]:
            if path.name.startswith(name) and (name or not path.name.startswith(".")):
                yield f"{path.name}/" if path.is_dir() else path.name, len(name)
