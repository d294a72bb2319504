"""One entry in a file of JSON that others write: put in and taken out, all else as it was.

The file is read as text, for comments, commas at ends and formatting are somebody's: only the
bytes of the entry are added, and the same bytes are removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.errors import InputError

# No possessive group around what may backtrack: Python before 3.11.5 matches it wrongly.
_BLANK = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_ATOM = re.compile(r"[^\s,\]}/\"\[{:]++")
_MOST_DEPTH = 100
INDENT = "  "


class _Member(NamedTuple):
    """A member of an object, by the places of its parts in the text."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of a text."""

    start: int
    """Behind its `{`."""
    end: int
    """Before its `}`."""
    members: tuple[_Member, ...]

    def member(self, key: str) -> _Member | None:
        return next((each for each in self.members if each.key == key), None)


def with_entry(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with the entry in the object `section`; the same text where it has it already.

    An empty text becomes a file. Raises InputError where the text is no JSON object, and where it
    has another entry of that name.
    """
    if not text.strip():
        return json.dumps({section: {name: entry}}, indent=len(INDENT), ensure_ascii=False) + "\n"
    root = _root(text)
    held = root.member(section)
    if held is None:
        inline = f"{{ {json.dumps(name)}: {json.dumps(entry)} }}"
        return _inserted(text, root, section, {name: entry}, inline, 1)
    entries = _object(text, held.value)
    known = entries.member(name)
    if known is None:
        return _inserted(text, entries, name, entry, json.dumps(entry), 2)
    if _value(text, known) == entry:
        return text
    raise InputError(
        f"has an entry `{name}` that says something else",
        fix="Look at it; --uninstall removes it, then install anew.",
    )


def without_entry(text: str, section: str, name: str) -> str:
    """The text without the entry; empty where the file held nothing else.

    The object around it goes too where it became empty and was made with the entry. Raises
    InputError where the text is no JSON object, or the entry is not one that starts this server.
    """
    if not text.strip():
        return text
    root = _root(text)
    held = root.member(section)
    entries = _object(text, held.value) if held else None
    known = entries.member(name) if entries else None
    if held is None or entries is None or known is None:
        return text
    value = _value(text, known)
    if not isinstance(value, dict) or not starts_server(value):
        raise InputError(
            f"has an entry `{name}` that does not start `wiki mcp`", fix="Remove it by hand."
        )
    # What was empty and not ours has its first member right behind the bracket: see `_inserted`.
    if len(entries.members) > 1 or entries.start == known.start:
        return _removed(text, entries, known)
    if len(root.members) > 1 or root.start == held.start:
        return _removed(text, root, held)
    return ""


def starts_server(entry: Mapping[str, object]) -> bool:
    """Whether an entry starts `wiki mcp`, wherever that is installed."""
    command, args = entry.get("command"), entry.get("args")
    is_ours = isinstance(command, str) and re.split(r"[/\\]", command)[-1] == "wiki"
    return is_ours and isinstance(args, list) and "mcp" in args


def _inserted(
    text: str, place: _Object, key: str, value: Mapping[str, object], inline: str, depth: int
) -> str:
    """The text with one more member at the end of an object; `inline` is it in one line.

    An object that was empty gets it right behind its bracket, one that is made with the entry gets
    a blank before it: so it can be told later which of them goes with the entry.
    """
    if not place.members:
        return f"{text[: place.start]}{json.dumps(key)}: {inline}{text[place.start :]}"
    last = place.members[-1]
    if "\n" not in text[place.start : last.end]:
        return f"{text[: last.end]}, {json.dumps(key)}: {inline}{text[last.end :]}"
    line = text[text.rfind("\n", 0, place.members[0].start) + 1 :]
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    unit = _unit(lead, depth)
    dumped = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{lead}")
    return f"{text[: last.end]},\n{lead}{json.dumps(key)}: {dumped}{text[last.end :]}"


def _unit(lead: str, depth: int) -> str:
    """One step of indentation, as the file has it."""
    return lead[: max(len(lead) // depth, 1)] if lead else INDENT


def _removed(text: str, place: _Object, member: _Member) -> str:
    """The text without a member, and without the comma that it needed."""
    at = place.members.index(member)
    if at:
        return text[: place.members[at - 1].end] + text[member.end :]
    if len(place.members) > 1:
        return text[: member.start] + text[place.members[1].start :]
    return text[: member.start] + text[member.end :]


# --- reading -----------------------------------------------------------------------------


def _root(text: str) -> _Object:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    found = _object(text, start)
    if _skip(text, found.end + 1) != len(text):
        raise _broken(text, found.end + 1)
    return found


def _object(text: str, start: int) -> _Object:
    """The object that begins at `start`. Raises InputError where there is none."""
    if text[start : start + 1] != "{":
        raise _broken(text, start)
    members: list[_Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise _broken(text, at)
        colon = _skip(text, key.end())
        if text[colon : colon + 1] != ":":
            raise _broken(text, colon)
        value = _skip(text, colon + 1)
        end = _end_of(text, value)
        members.append(_Member(_loaded(text, at, key.end()), at, value, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            raise _broken(text, at)
    return _Object(start + 1, at, tuple(members))


def _loaded(text: str, start: int, end: int) -> str:
    try:
        return str(json.loads(text[start:end]))
    except ValueError as error:
        raise _broken(text, start) from error


def _end_of(text: str, start: int) -> int:
    """Where the value that begins at `start` ends; brackets are counted, not parsed."""
    depth, at = 0, start
    while True:
        sign = text[at : at + 1]
        if sign == '"':
            found = _STRING.match(text, at)
            if found is None:
                raise _broken(text, at)
            at = found.end()
        elif sign and sign in "{[":
            depth, at = depth + 1, at + 1
        elif sign and sign in "}]":
            depth, at = depth - 1, at + 1
        elif sign and sign in ",:" and depth:
            at += 1
        else:
            found = _ATOM.match(text, at)
            if found is None:
                raise _broken(text, at)
            at = found.end()
        if depth <= 0:
            return at
        if depth > _MOST_DEPTH:
            raise _broken(text, at)
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, member: _Member) -> object:
    """The value of a member; None for one with comments in it, which is somebody's."""
    try:
        value: object = json.loads(text[member.value : member.end])
    except ValueError:
        return None
    return value


def _broken(text: str, at: int) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(f"line {line} is not as JSON has it", fix="Mend the file first.")
