"""wiki hook: called by a coding agent at events of its sessions."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llmwiki.core.errors import StateError, WikiError
from llmwiki.interfaces.cli.command_context import callbacks, here, say_err

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

MOST_INPUT = 32_000_000
"""Bytes of an event; more is no event."""
_LONGEST_PATH = 4_096
_HANDS_OVER = frozenset({"PreCompact", "Stop", "SessionEnd"})


@click.command(hidden=True)
@click.argument("event")
def command(event: str) -> int:
    """Answer an EVENT of a coding agent's session, which stands on stdin as JSON.

    SessionStart and UserPromptSubmit print what the wiki says, as JSON that the agent adds to its
    context: what the wiki is, or passages that bear on what was typed. PreCompact, Stop and
    SessionEnd hand the transcript over to the memory of the wiki, in a process of its own. Where
    there is no wiki, or nothing to say, nothing is printed. Always exit code 0: another would stop
    what the person is doing.

    \b
    Example:
      echo '{"prompt": "How is green tea steeped?"}' | wiki hook UserPromptSubmit
    """
    given = _input()
    wiki = _wiki(given)
    if wiki is None:
        return 0
    try:
        if event in _HANDS_OVER:
            _hand_over(wiki, given)
        else:
            _say(event, _hook_answer(event, wiki, given))
    except WikiError as error:
        # The agent keeps it in its own log.
        say_err(f"wiki: {error}")
    return 0


def _input() -> Mapping[str, Any]:
    """The event's fields; none where there is no such JSON."""
    data = sys.stdin.buffer.read(MOST_INPUT + 1)
    try:
        value = json.loads(data) if len(data) <= MOST_INPUT else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _wiki(given: Mapping[str, Any]) -> Wiki | None:
    """The wiki around the folder that the agent works in; None where there is none of ours."""
    from llmwiki.app.wiki import Wiki

    if not given:
        return None
    named = _text(given, "cwd")
    folder = Path(named) if _is_path(named) and Path(named).is_dir() else here()
    try:
        wiki = Wiki.open(folder, callbacks(quiet=True))
    except (StateError, OSError):
        return None
    return wiki if wiki.is_written else None


def _hook_answer(event: str, wiki: Wiki, given: Mapping[str, Any]) -> str:
    """What the agent is told; empty: nothing."""
    from llmwiki.app.for_agents.recall import SESSION_ID

    named = _text(given, "session_id")
    session = named if SESSION_ID.fullmatch(named) else ""
    if event == "SessionStart":
        # What is asked next finds the index up to date.
        _start("-C", str(wiki.root), "index")
        is_compacted = _text(given, "source") == "compact"
        return wiki.briefing(session=session, is_compacted=is_compacted)
    if event == "UserPromptSubmit":
        found = wiki.recall(_text(given, "prompt"), session=session)
        return found.text if found else ""
    return ""


def _say(event: str, text: str) -> None:
    if text:
        told = {"hookEventName": event, "additionalContext": text}
        click.echo(json.dumps({"hookSpecificOutput": told}))


def _hand_over(wiki: Wiki, given: Mapping[str, Any]) -> None:
    """Has the memory of the wiki read the session's transcript, where it can."""
    transcript = _transcript(_text(given, "transcript_path"))
    if transcript is not None:
        chosen = ("--transcript", str(transcript), "--host", "claude")
        _start("-C", str(wiki.root), "memory", "observe", *chosen)


def _transcript(named: str) -> Path | None:
    """The transcript of that path: a regular file in the agent's own folder; None for another."""
    if not _is_path(named, is_absolute=False):
        return None
    home = os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"
    try:
        folder = Path(os.path.realpath(Path(home).expanduser())) / "projects"
        place = Path(os.path.realpath(Path(named).expanduser()))
        is_file = stat.S_ISREG(place.lstat().st_mode)
    except (OSError, RuntimeError):
        # There is no such file, or nobody's home.
        return None
    return place if is_file and place.is_relative_to(folder) else None


def _start(*words: str) -> None:
    """Runs a command of this program that outlives this one, and is heard by nobody."""
    # `-P`: what lies in the folder that the agent works in is not imported.
    line = [sys.executable, "-P", "-m", "llmwiki", *words]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(line[0], line, os.environ, file_actions=silent, setsid=True)


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _is_path(text: str, *, is_absolute: bool = True) -> bool:
    fits = 0 < len(text) <= _LONGEST_PATH and "\0" not in text
    return fits and (not is_absolute or text.startswith("/"))
