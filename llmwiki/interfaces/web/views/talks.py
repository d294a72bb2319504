"""A conversation: its sessions, what was said, a turn that runs, what waits for a yes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.responses import RedirectResponse, Response, StreamingResponse

from llmwiki.app.page_html import rendered_answer, shown
from llmwiki.chat.acts import undo
from llmwiki.chat.entries import LEAST_PASTE, pasted_pieces
from llmwiki.chat.history import told_messages
from llmwiki.chat.session import ChatOptions, conversation, list_sessions, session_files
from llmwiki.chat.tools.registry import shown_call
from llmwiki.chat.transcript import SessionFile, session_time
from llmwiki.core.config import OFFLINE
from llmwiki.core.errors import InputError, WikiError
from llmwiki.interfaces.web.site import Addresses, checked, named, number, status_of

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.requests import Request

    from llmwiki.app.page_html import AnswerCitation
    from llmwiki.app.types import ReaderText
    from llmwiki.chat.background_turn import BackgroundTurn
    from llmwiki.chat.entries import Message
    from llmwiki.interfaces.web.site import Site

SESSIONS = 50
"""Sessions that are listed."""
TURNS = 30
"""Turns of a session that are shown at once."""
LONGEST_ANSWER = 60_000
"""Characters of an answer that are shown."""
WAIT_SECONDS = 45
"""Seconds that a form without scripts waits for its answer; then the view says that it is being
written."""
_LOOK_SECONDS = 0.1
"""Seconds between two looks at what a turn tells."""


@dataclass(frozen=True, slots=True)
class TalkCall:
    """A call of a tool."""

    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class TalkAnswer:
    """A part of an answer."""

    name: str
    """What the ids of its citations begin with."""
    html: Markup
    cited: tuple[tuple[int, AnswerCitation], ...]


@dataclass(slots=True)
class TalkTurn:
    """One turn as it is shown."""

    number: int
    typed: str
    steps: list[TalkCall | TalkAnswer] = field(default_factory=list)
    commits: tuple[str, ...] = ()
    is_stopped: bool = False


def sessions(site: Site, request: Request) -> Response:
    """The sessions, and a form that begins one."""
    return _listed(site, request)


def _listed(
    site: Site,
    request: Request,
    typed: str = "",
    pasted: Sequence[str] = (),
    failure: WikiError | None = None,
) -> Response:
    rows = [row for row in list_sessions(site.wiki, SESSIONS) if row.turns]
    return site.page(
        request,
        "chats.html",
        _status(failure),
        rows=[(row, _day(row.created / 1000)) for row in rows],
        most=SESSIONS,
        typed=typed,
        pasted=pasted,
        failure=failure,
        section="chat",
        **_model(site),
    )


def _status(failure: WikiError | None) -> int:
    """Of a view that tells why a message was not taken."""
    if failure is None:
        return 200
    return 400 if isinstance(failure, InputError) else status_of(failure)


def _day(moment: float) -> datetime:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment, UTC)


def _model(site: Site) -> dict[str, object]:
    """Who would answer, or why nobody can."""
    try:
        return {"model": site.wiki.model_at_hand(), "wrong": None}
    except WikiError as error:
        return {"model": "", "wrong": error}


def session(site: Site, request: Request) -> Response:
    """One session, to be gone on with."""
    return _talk(site, request, named(request, "id"))


def _talk(
    site: Site,
    request: Request,
    ident: str,
    typed: str = "",
    pasted: Sequence[str] = (),
    failure: WikiError | None = None,
) -> Response:
    file = SessionFile.read(session_files(site.wiki), ident)
    last = site.turns.of(ident)
    running = last if last is not None and not last.is_over else None
    messages = [
        each
        for each in told_messages(file.messages)
        if running is None or each.turn < running.number
    ]
    most = number(request, "turns") or TURNS
    numbers = sorted({each.turn for each in messages})
    kept = set(numbers[-most:])
    said = [each for each in messages if each.turn in kept]
    answers = [each.text for each in said if each.role == "assistant"]
    reading = site.wiki.read_text("\n\n".join(text[:LONGEST_ANSWER] for text in answers))
    landed = {row.turn for row in file.landed}
    return site.page(
        request,
        "chat.html",
        _status(failure),
        ident=ident,
        begun=_day(file.created / 1000 or session_time(ident)),
        turns=list(_turns(said, file, reading)),
        reading=reading,
        earlier=most + TURNS if len(numbers) > most else 0,
        running=running,
        live=_live(running) if running else (),
        notes=last.notes if last and not running else (),
        failure=failure or (last.failure if last and not running else None),
        typed=typed,
        pasted=pasted,
        last_landed=max(landed, default=0),
        section="chat",
        **_model(site),
    )


def _turns(
    messages: Sequence[Message], file: SessionFile, reading: ReaderText
) -> Iterable[TalkTurn]:
    for turn, group in groupby(messages, key=lambda each: each.turn):
        rows = list(group)
        typed = [each.typed for each in rows if each.role == "user" and each.typed]
        failed = {each.id for message in rows for each in message.results if each.is_error}
        made = TalkTurn(turn, "\n".join(typed))
        made.commits = tuple(row.commit for row in file.landed if row.turn == turn)
        for message in rows:
            if message.role != "assistant":
                continue
            if message.text.strip():
                made.steps.append(_answer(message.text, reading, f"cite-{message.id}"))
            for use in message.uses:
                made.steps.append(TalkCall(shown_call(use.name, use.input), use.id in failed))
            made.is_stopped = message.stop == "interrupted"
        yield made


def _answer(text: str, reading: ReaderText, name: str) -> TalkAnswer:
    cut = text[:LONGEST_ANSWER] + ("\n\n…" if len(text) > LONGEST_ANSWER else "")
    html, cited = rendered_answer(cut, reading, Addresses(), name)
    return TalkAnswer(name, Markup(html), tuple(enumerate(cited, start=1)))


def _live(turn: BackgroundTurn) -> list[tuple[str, str]]:
    """What a turn told so far: lines of calls, sentences, and pieces of the answer as one text."""
    rows: list[tuple[str, str]] = []
    step: list[str] = []
    for each in turn.news():
        match each.kind:
            case "text":
                step.append(each.text)
            case "again":
                step.clear()
            case "step":
                rows.append(("text", "".join(step)))
                step.clear()
            case _:
                rows.append((each.kind, each.text))
    return [(kind, text) for kind, text in (*rows, ("text", "".join(step))) if text]


def live(site: Site, request: Request) -> Response:
    """What a turn tells while it runs: one JSON object a line; the last says that there is
    something new to be seen."""
    turn = site.turns.of(named(request, "id"))
    told = _told(turn) if turn is not None else _nothing()
    return StreamingResponse(
        told, media_type="application/x-ndjson", headers={"x-accel-buffering": "no"}
    )


async def _nothing() -> AsyncIterator[bytes]:
    yield _line("look")


async def _told(turn: BackgroundTurn) -> AsyncIterator[bytes]:
    place = 0
    while True:
        is_done = turn.is_over or turn.question is not None
        news = turn.news(place)
        place += len(news)
        if news:
            yield b"".join(_line(each.kind, shown(each.text)) for each in news)
        if is_done:
            yield _line("look")
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _line(kind: str, text: str = "") -> bytes:
    return json.dumps({"kind": kind, "text": text}).encode() + b"\n"


# --- forms -------------------------------------------------------------------------------------


def say(site: Site, request: Request, form: Mapping[str, Sequence[str]]) -> Response:
    """A message: it begins a session, or is the next turn of one."""
    ident = named(request, "id") if "id" in request.path_params else ""
    typed = _text(form, "message").rstrip()
    pasted = _pasted(form, typed)
    try:
        if not typed.strip():
            raise InputError("there is no message", fix="Type one.")
        turn = site.turns.begin(ChatOptions(session=ident), typed, pasted)
    except WikiError as failure:
        if ident:
            return _talk(site, request, ident, typed, pasted, failure)
        return _listed(site, request, typed, pasted, failure)
    if "live" not in form:
        turn.wait(WAIT_SECONDS)
    return RedirectResponse(f"/chat/{turn.session}#now", 303)


def _text(form: Mapping[str, Sequence[str]], name: str) -> str:
    return "\n".join(form.get(name, ())).replace("\r\n", "\n").replace("\r", "\n")


def _pasted(form: Mapping[str, Sequence[str]], typed: str) -> list[str]:
    """The pieces of a message that were pasted. Without scripts nobody knows: what is long counts
    as pasted."""
    if "live" not in form:
        return [typed] if len(typed) >= LEAST_PASTE else []
    pieces = [_text({"piece": [each]}, "piece").rstrip() for each in form.get("pasted", ())]
    return pasted_pieces(typed, pieces)


def decide(site: Site, request: Request, form: Mapping[str, Sequence[str]]) -> Response:
    """Yes or no to what a turn asks, its end, or the undoing of what the last one wrote."""
    ident, action = named(request, "id"), _text(form, "action")
    turn = site.turns.of(ident)
    if action in ("yes", "no"):
        if turn is None:
            raise InputError("this question does not wait any more")
        turn.answer(checked(_text(form, "question")), yes=action == "yes")
    elif action == "stop":
        if turn is not None:
            turn.stop()
    elif action == "undo":
        return _undone(site, request, ident)
    else:
        raise InputError("is nothing that can be done here", where=action[:40])
    if turn is not None and "live" not in form:
        turn.wait(WAIT_SECONDS)
    return RedirectResponse(f"/chat/{ident}#now", 303)


def _undone(site: Site, request: Request, ident: str) -> Response:
    from llmwiki.core.callbacks import Callbacks

    options = ChatOptions(session=ident, model=OFFLINE, no_memory=True)
    try:
        with site.writing, conversation(site.wiki, options, Callbacks()) as talk:
            undo(talk)
    except WikiError as failure:
        return _talk(site, request, ident, failure=failure)
    return RedirectResponse(f"/chat/{ident}#now", 303)
