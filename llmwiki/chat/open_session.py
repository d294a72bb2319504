"""Opening a conversation: which session, which model, which prompt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from llmwiki.app.change_settings import user_path
from llmwiki.app.which_model import client_for, model_to_call
from llmwiki.app.wiki import Wiki
from llmwiki.changes.find_skills import find_skills
from llmwiki.chat import transcript, visible_history
from llmwiki.chat.attachments import MOST_PICTURES, AttachedFile, ending, is_image
from llmwiki.chat.condense import Room
from llmwiki.chat.profile import Routing, chat_profile
from llmwiki.chat.prompt import SessionFacts, SystemPrompt, spoken_day, system_prompt
from llmwiki.chat.routes import DELEGATION
from llmwiki.chat.session_search import SessionSearch
from llmwiki.chat.skills import READ_TOOL, offered
from llmwiki.chat.token_budgets import declared, habit_of, window_check, window_of
from llmwiki.chat.tools.files import MAX_FILE
from llmwiki.chat.tools.offered_tools import further_tools, usual_tools
from llmwiki.chat.tools.tool_context import declared_tokens
from llmwiki.chat.transcript import SessionFile
from llmwiki.chat.turn import Conversation
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.page_and_note_kinds import MEMORY
from llmwiki.core.text import sha256_hex
from llmwiki.git.find_repository import layout_of
from llmwiki.git.store.private_files import PrivateFiles, common_files
from llmwiki.landing.clock_and_typed_days import clock
from llmwiki.landing.settings_files import read_bounded
from llmwiki.pages.memory_notes import notes_of
from llmwiki.pages.page import Page
from llmwiki.sources.brand import brand_files

if TYPE_CHECKING:
    from llmwiki.chat.profile import ProjectionRules, PromptMode
    from llmwiki.chat.turn_events import Ask
    from llmwiki.chat.visible_history import Messages
    from llmwiki.core.callbacks import Callbacks
    from llmwiki.core.document import Picture
    from llmwiki.core.settings_precedence import Config
    from llmwiki.core.tool_declaration import Tool
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.client import Client

MAX_SEEN = 5_000_000
"""Bytes of a file that is shown as pictures."""
MOST_NAMED = 12
"""Pages that a prompt names."""
LAST = "last"
"""In place of an id: the session that was begun last."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """How a conversation is held."""

    session: str = ""
    """The id of one to go on with, or `LAST`; empty: a new one."""
    mode: PromptMode = "full"
    model: str | None = None
    """The model to talk with; `offline` for quotes of the wiki; None: as the settings say."""
    no_memory: bool = False
    """Whether to leave out the wiki's notes and passages that nobody asked for."""
    max_cost: float | None = None
    """US dollars; no call is made that could pass them. None: as the settings say."""
    allow_writes: bool = False
    """Whether writes of the wiki are agreed to beforehand."""


@contextmanager
def conversation(
    wiki: Wiki, options: ChatOptions, tell: Callbacks, ask: Ask | None = None
) -> Iterator[Conversation]:
    """A conversation, open; its transcript and its connections are closed at the end.

    Raises InputError for no such session, StateError where another process has it, PolicyError
    where the model's window is too small.
    """
    own = Wiki(layout_of(wiki.root), wiki.root, tell)
    with own.opened(reads_only=True) as held:
        settings = model_to_call(held, options.model)
        brand = brand_files(held.repo)
        skills = find_skills(held.repo, own=True)
        held.state.follow()
        noted = _noted(held) if not options.no_memory else ""
        facts = _facts(held)
        client: Client | None = None
        if settings is not None:
            client = client_for(held.config, settings, options.max_cost)
        files = common_files(held.repo)
        tools: tuple[Tool, ...] = ()
        if client is not None:
            tools = (*usual_tools(), *further_tools(held.config, wiki.root, tell))
            if not offered(skills):
                tools = tuple(tool for tool in tools if tool.name != READ_TOOL)
        profile = chat_profile(held.config.text("chat.profile"))
        tools = _declared(tools, profile.projection, tell)
        routing = _routing(held.config, profile.routing)
        idle = held.config.whole("memory.idle")
    window = (
        min(window_of(habit_of(settings.model).window), settings.max_input_tokens)
        if settings
        else window_of()
    )
    if window_check(window) == "refuse":
        raise PolicyError(
            f"a window of {window} tokens is too small for a conversation",
            fix="Choose another --model, or raise model.max_input_tokens.",
        )
    if window_check(window) == "warn":
        tell.notice(f"the window has {window} tokens: older messages are soon hidden")

    def prompt(tools: tuple[Tool, ...], route: str = "") -> SystemPrompt:
        return system_prompt(
            tools,
            brand,
            noted,
            options.mode,
            facts=facts,
            model=settings.model if settings else "",
            window=window,
            route=route,
            profile=profile,
            skills=skills,
        )

    worker = prompt(tools) if routing != "one" and client else None
    try:
        with (
            open_session(files, options.session) as file,
            wiki.session() as warm,
            closing(SessionSearch(files, file.id)) as sessions,
        ):
            if file.broken:
                tell.notice(f"{file.broken} lines of the transcript cannot be read")
            yield Conversation(
                wiki=warm,
                file=file,
                prompt=prompt((), DELEGATION) if worker else prompt(tools),
                window=Room(file, client, window, profile.window),
                sessions=sessions,
                now=clock,
                ask=ask,
                recalls=not options.no_memory and client is not None,
                agreed=options.allow_writes,
                routing=routing,
                projection=profile.projection,
                worker=worker,
                skills=skills,
                idle=idle,
                pictures=_pictures(visible_history.effective(file.messages)),
                day=facts.day,
                noted=noted,
            )
    finally:
        if client is not None:
            client.close()


def _noted(held: OpenWiki) -> str:
    """What of the memory stands in every prompt, and what was learned here and waits for a yes."""
    from llmwiki.memory.note_use_and_resident_page import resident_text
    from llmwiki.memory.private_memory import PrivateMemory

    text = held.state.text(MEMORY)
    noted = resident_text(notes_of(Page.parse(MEMORY, text))) if text else ""
    waiting = PrivateMemory(common_files(held.repo)).pending()
    lines = [
        f"- {each.item.item.text} (not confirmed: {each.id}; /memory review decides)"
        for each in waiting
    ]
    return "\n".join(filter(None, [noted, *lines[-20:]]))


def _facts(held: OpenWiki) -> SessionFacts:
    totals = held.state.totals()
    top = [entry.title for entry, _ in totals.top[:MOST_NAMED]]
    return SessionFacts(spoken_day(clock()), held.repo.root.name, totals.pages, top)


def _routing(config: Config, usual: Routing) -> Routing:
    """Raises InputError for a value that there is not."""
    named = config.text("chat.routes") or usual
    found = next((each for each in get_args(Routing) if each == named), None)
    if found is None:
        raise InputError(
            f"chat.routes is {named[:40]!r}; it may be {', '.join(get_args(Routing))}",
            where=config.settings["chat.routes"].origin,
        )
    routing: Routing = found
    return routing


def _declared(tools: tuple[Tool, ...], rules: ProjectionRules, tell: Callbacks) -> tuple[Tool, ...]:
    """The tools of a session: as many as the profile has room for, the same in each request."""
    named = declared(rules, {tool.name: declared_tokens([tool]) for tool in tools})
    left = ", ".join(tool.name for tool in tools if tool.name not in named)
    if left:
        tell.notice(f"no room among {rules.tokens} tokens of tools for: {left}")
    return tuple(tool for tool in tools if tool.name in named)


def attached(name: str, here: Path) -> AttachedFile:
    """A file that a person sends along with a message, named from the folder `here`.

    Raises InputError where it cannot be read.
    """
    is_seen = is_image(name) or ending(name) == "pdf"
    most = MAX_SEEN if is_seen else MAX_FILE
    try:
        data = read_bounded(here / user_path(name), most)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=name) from error
    if len(data) > most:
        return AttachedFile(name)
    if is_seen:
        from llmwiki.sources.pictures import first_pages

        # What cannot be drawn, or not on this machine, is named.
        with suppress(InputError, PolicyError):
            text, pictures = first_pages(name, data, MOST_PICTURES)
            return AttachedFile(name, text or None, pictures, sha256_hex(data))
    return AttachedFile(name, None if b"\0" in data else data.decode("utf-8", "replace"))


def _pictures(messages: Messages) -> dict[str, Picture]:
    """The pictures that an earlier process was sent and that lie where they lay."""
    found: dict[str, Picture] = {}
    named = {(b.name, b.id) for m in messages for b in m.blocks if b.kind == "picture"}
    for path in sorted({path for path, _ in named}):
        with suppress(InputError):
            file = attached(path, Path.cwd())
            ids = {f"{file.sha[:32]}-{n}": each for n, each in enumerate(file.pictures, 1)}
            found |= {ident: each for ident, each in ids.items() if (path, ident) in named}
    return found


def open_session(files: PrivateFiles, name: str) -> SessionFile:
    """The session `name`, the last one, or a new one where there is no name."""
    if not name:
        now = clock()
        return SessionFile.create(files, transcript.new_id(now, os.urandom(16)), now)
    if name == LAST:
        listed = transcript.sessions(files)
        if not listed:
            raise InputError("there is no session yet", fix="`wiki chat` begins one.")
        name = listed[0].id
    return SessionFile.open(files, name)


def forked(files: PrivateFiles, source: str) -> SessionFile:
    """A copy of a session under a new id, open."""
    now = clock()
    return transcript.fork(files, source, transcript.new_id(now, os.urandom(16)), now)
