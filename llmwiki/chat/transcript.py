"""The file of one conversation: a header, then one JSON object a line, never rewritten.

A message line may hide others (`hides`) and stand before one (`before`); a `restore` line takes an
act back; a `landed` line says which commit a turn made, an `undone` line that the commits of a turn
were taken back. A line that cannot be read is passed over and counted, one of an unknown type is
passed over. The file belongs to one process at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self

from llmwiki.chat import visible_history
from llmwiki.chat.messages import Message, last_turn, message_json, message_of
from llmwiki.chat.visible_history import HiddenMessages, Messages
from llmwiki.core.errors import InputError, StateError
from llmwiki.core.text import digest32
from llmwiki.git.store.private_files import PrivateFiles

FOLDER = "sessions"
VERSION = 1
MAX_BYTES = 200_000_000
"""Of a transcript that is read."""
HANDED_ON = 1.0
"""Seconds to wait for what a killed process leaves behind."""


def header_line(session: str, created: int, **more: str) -> str:
    """The first line of a transcript; `created` in milliseconds since the epoch."""
    data: dict[str, object] = {
        "type": "header",
        "version": VERSION,
        "sessionId": session,
        "createdAt": created,
    }
    return json.dumps({**data, **more}, ensure_ascii=False, separators=(",", ":"))


def new_id(now: float, noise: bytes) -> str:
    """The id of a session: 26 characters, later ones sort behind earlier ones."""
    return f"{int(now * 1000):012x}{digest32((noise.hex(),), 14)}"


def session_time(ident: str) -> float:
    """When a session was begun, in seconds since the epoch; 0 where its id does not say."""
    try:
        return int(ident[:12], 16) / 1000
    except ValueError:
        return 0.0


@dataclass(frozen=True, slots=True)
class LandedCommit:
    """A commit that a turn made."""

    turn: int
    commit: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What a list of sessions shows of one."""

    id: str
    created: int
    """Milliseconds since the epoch."""
    turns: int
    title: str
    """The first words that were typed."""


@dataclass
class SessionFile:
    """One conversation, open for appending. Close it, or use it as a context manager."""

    files: PrivateFiles
    id: str
    messages: Messages = ()
    landed: tuple[LandedCommit, ...] = ()
    undone: frozenset[int] = frozenset()
    """Turns whose commits were taken back, and that made none since."""
    created: int = 0
    broken: int = 0
    """Lines that could not be read."""
    is_newer: bool = False
    """Whether a later version wrote it: it is read only."""
    _lines: int = 0
    _seen: dict[str, int] = field(default_factory=dict)
    """Message id to the number of the line that wrote it."""
    _late: list[Message] = field(default_factory=list)
    """Messages that were read and are not among `messages` yet: to add each alone takes time."""
    _needs_break: bool = False
    _fd: int | None = None

    # --- opening -------------------------------------------------------------------------

    @classmethod
    def create(cls, files: PrivateFiles, ident: str, now: float, **more: str) -> Self:
        """A new transcript with its header. Raises StateError where the disk refuses."""
        made = cls(files, ident, created=int(now * 1000))
        folder = files.path(FOLDER)
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        files.append(made.name, f"{header_line(ident, made.created, **more)}\n".encode())
        made._lines = 1
        made._hold()
        return made

    @classmethod
    def open(cls, files: PrivateFiles, ident: str) -> Self:
        """The transcript of a session.

        Raises InputError where there is none, StateError where another process has it.
        """
        opened = cls.read(files, ident)
        opened._hold()
        return opened

    @classmethod
    def read(cls, files: PrivateFiles, ident: str) -> Self:
        """The same without holding it: for lists and for forks."""
        made = cls(files, ident)
        data = files.read(made.name) if _is_name(ident) else None
        if data is None:
            raise InputError("there is no such session", where=ident, fix="`/sessions` lists them.")
        made._take(data[:MAX_BYTES])
        return made

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{FOLDER}/{self.id}.jsonl"

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return last_turn(self.messages)

    def _hold(self) -> None:
        """Takes the file for this process. Raises StateError where another one has it."""
        try:
            self._fd = os.open(self.files.path(self.name), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            _lock(self._fd)
        except BlockingIOError:
            self.close()
            raise StateError(
                "another process has this session open",
                where=self.id,
                fix="End it there, or start a new session: `wiki chat`.",
            ) from None
        except OSError as error:
            self.close()
            raise StateError(f"cannot be opened: {error.strerror}", where=self.id) from error

    def close(self) -> None:
        """Lets the file go. Idempotent."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- reading -------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        self._needs_break = bool(data) and not data.endswith(b"\n")
        # Bytes that are no UTF-8 make a line that is no JSON, or stay in the text of one.
        for line in data.decode("utf-8", "replace").split("\n"):
            if not line or line.isspace():
                continue
            self._lines += 1
            try:
                self._take_line(json.loads(line))
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                self.broken += 1
        self._join()

    def _take_line(self, data: Mapping[str, Any]) -> None:
        match data["type"]:
            case "header":
                self.is_newer = int(data["version"]) > VERSION
                self.created = int(data["createdAt"])
            case "message":
                said = message_of(data)
                if said.id in self._seen:
                    raise ValueError("two messages have one id")
                self._seen[said.id] = self._lines
                hides, before = data.get("hides", []), str(data.get("before", ""))
                if not hides and not before:
                    self._late.append(said)
                    return
                self._join()
                act = HiddenMessages((said,), before, tuple(hides))
                self.messages = visible_history.applied(self.messages, act)
            case "restore":
                self._join()
                self.messages = visible_history.restored(self.messages, str(data["act"]))
            case "undone":
                turn = int(data["turn"])
                self.landed = tuple(row for row in self.landed if row.turn != turn)
                self.undone |= {turn}
            case "landed":
                row = LandedCommit(int(data["turn"]), str(data["commit"]))
                self.landed = (*self.landed, row)
                self.undone -= {row.turn}
            case _:
                pass

    def _join(self) -> None:
        self.messages = (*self.messages, *self._late)
        self._late.clear()

    # --- appending -----------------------------------------------------------------------

    def next_id(self) -> str:
        """An id that no message of this transcript has."""
        number = self._lines + 1
        while f"m{number}" in self._seen:
            number += 1
        return f"m{number}"

    def add(self, message: Message) -> Message:
        """Appends a message; its id is given here."""
        named = replace(message, id=self.next_id())
        self._put(message_json(named))
        return named

    def act(self, make: Callable[[str], HiddenMessages | None]) -> str:
        """Appends an act that `make` makes of its id; the id of the act, or "" for none."""
        act = make(self.next_id())
        if act is None:
            return ""
        *before, last = act.added
        for said in before:
            self._put({**message_json(said), "before": act.before})
        # Only the last line hides: whatever a crash cuts off, nothing is hidden without a summary.
        self._put({**message_json(last), "before": act.before, "hides": list(act.ids)})
        return act.added[0].act

    def restore(self, act: str) -> bool:
        """Takes an act back; whether there was such an act."""
        if all(message.act != act for message in self.messages):
            return False
        self._put({"type": "restore", "act": act})
        return True

    def note_landed(self, turn: int, commit: str) -> None:
        """Notes a commit that a turn made."""
        self._put({"type": "landed", "turn": turn, "commit": commit})

    def forget_landed(self, turn: int) -> None:
        """Notes that the commits of a turn were taken back."""
        self._put({"type": "undone", "turn": turn})

    def written_after(self, target: str) -> tuple[str, ...]:
        """The messages that were written after `target`, wherever they stand."""
        line = self._seen.get(target, 0)
        return tuple(ident for ident, written in self._seen.items() if written > line)

    def _put(self, data: Mapping[str, Any]) -> None:
        """Writes a record, and takes it as whoever reads the file does."""
        if self.is_newer:
            raise StateError(
                "a later version of llmwiki wrote this session; it can only be read",
                where=self.id,
            )
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        ending = b"\n" if self._needs_break else b""
        # A lone half of a character cannot be written as UTF-8.
        self.files.append(self.name, ending + line.encode("utf-8", "replace") + b"\n")
        self._needs_break = False
        self._lines += 1
        self._take_line(data)
        self._join()


def sessions(files: PrivateFiles) -> tuple[SessionRow, ...]:
    """The sessions, the newest first."""
    rows = []
    names = [name for name in files.names(FOLDER) if name.endswith(".jsonl")]
    for name in names:
        ident = name.removeprefix(f"{FOLDER}/").removesuffix(".jsonl")
        with suppress(InputError, StateError):
            held = SessionFile.read(files, ident)
            typed = (m.typed for m in held.messages if m.role == "user" and not m.kind)
            title = " ".join(next(typed, "").split())[:80]
            rows.append(SessionRow(ident, held.created, held.turn, title))
    return tuple(sorted(rows, key=lambda row: (row.created, row.id), reverse=True))


def fork(files: PrivateFiles, source: str, ident: str, now: float) -> SessionFile:
    """A copy of a session under a new id, open; what was is not touched."""
    data = files.read(f"{FOLDER}/{source}.jsonl") if _is_name(source) else None
    if data is None:
        raise InputError("there is no such session", where=source)
    SessionFile.create(files, ident, now, forked=source).close()
    _, _, rest = data.partition(b"\n")
    if rest.strip():
        files.append(f"{FOLDER}/{ident}.jsonl", rest.rstrip(b"\n") + b"\n")
    return SessionFile.open(files, ident)


def _lock(descriptor: int) -> None:
    """Locks an open file. Raises BlockingIOError where another process has it for longer.

    A process that was killed while it started a program leaves a child that has the lock until the
    program begins (measured: 5 of 100 times, up to 16 ms).
    """
    until = time.monotonic() + HANDED_ON
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _is_name(ident: str) -> bool:
    return bool(ident) and ident.isascii() and ident.replace("-", "").isalnum()
