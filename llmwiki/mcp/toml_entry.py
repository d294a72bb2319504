"""One table in a file of TOML that others write: put at its end, and taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress

from llmwiki.core.errors import InputError, fault_of
from llmwiki.mcp.json_entry import starts_server

_HEAD = re.compile(r"^[ \t]*+\[", re.MULTILINE)


def with_table(text: str, section: str, name: str, entry: Mapping[str, object]) -> str:
    """The text with the table `section.name`; the same text where it has it already.

    Raises InputError where the text is no TOML, or has another table of that name.
    """
    held = _table(text, section, name)
    if held == entry:
        return text
    if held is not None:
        raise InputError(
            f"has a table `{section}.{name}` that says something else",
            fix="Look at it; --uninstall removes it, then install anew.",
        )
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
    table = f"[{section}.{name}]\n{lines}"
    if not text:
        return table
    # A file whose last line is not ended stays one, so that taking out gives the same bytes.
    added = f"{text}\n{table}" if text.endswith("\n") else f"{text}\n\n{table[:-1]}"
    if _table(added, section, name) != entry:
        raise InputError(f"holds `{section}` in a form that no table can be added to")
    return added


def without_table(text: str, section: str, name: str) -> str:
    """The text without the table `section.name`.

    Raises InputError where the text is no TOML, or the table is not one that starts this server.
    """
    held = _table(text, section, name)
    if held is None:
        return text
    if not starts_server(held):
        raise InputError(
            f"has a table `{section}.{name}` that does not start `wiki mcp`",
            fix="Remove it by hand.",
        )
    wanted = _others(text, section, name)
    head, start = f"[{section}.{name}]", 0
    for line in text.splitlines(keepends=True):
        if line.rstrip() == head:
            left = _cut_out(text, start, start + len(head))
            # The same words may stand within a string.
            with suppress(InputError):
                if _others(left, section, name) == wanted and _table(left, section, name) is None:
                    return left
        start += len(line)
    raise InputError(f"holds `{section}.{name}` in pieces", fix="Remove it by hand.")


def _cut_out(text: str, start: int, head_end: int) -> str:
    """The text without the table whose head is named by its places."""
    after = _HEAD.search(text, head_end)
    end = after.start() if after else len(text)
    if after is None:
        gap = "\n" if text.endswith("\n") else "\n\n"
        start -= len(gap) if text[:start].endswith(gap) else 0
    else:
        # The blank line that was put before the table.
        start -= 1 if text[:start].endswith("\n\n") else 0
        end -= 1 if text[start:end].endswith("\n\n") else 0
    return text[:start] + text[end:]


def _table(text: str, section: str, name: str) -> dict[str, object] | None:
    tables = _parsed(text).get(section)
    held = tables.get(name) if isinstance(tables, dict) else None
    if held is not None and not isinstance(held, dict):
        raise InputError(f"`{section}.{name}` is no table", fix="Mend the file first.")
    return held


def _others(text: str, section: str, name: str) -> dict[str, object]:
    """What the text says but for the one table."""
    told = _parsed(text)
    tables = told.get(section)
    if isinstance(tables, dict):
        tables.pop(name, None)
        if not tables:
            del told[section]
    return told


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"is no TOML: {fault_of(error)}", fix="Mend the file first.") from error
