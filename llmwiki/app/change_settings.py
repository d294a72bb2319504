"""What a person does with settings: a path named, one of their own written, what confines told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, reason_of
from llmwiki.landing.settings_files import load_config, parsed, user_file, user_table

if TYPE_CHECKING:
    from llmwiki.core.settings_precedence import Config
    from llmwiki.core.settings_table import Value


def user_path(name: str) -> Path:
    """The path that a person named; `~` is their home, and a `~` that is nobody's is a name."""
    return Path(os.path.expanduser(name))  # noqa: PTH111 that of Path raises


def own_config(notice: Callable[[str], None]) -> Config:
    """The settings in force where there is no wiki. Raises InputError."""
    return load_config(None, notice)


def confinement() -> tuple[str, ...]:
    """What confines the processes that read documents on this machine, a sentence each."""
    from llmwiki.sources.sandbox import in_force

    return tuple(in_force())


def set_users(key: str, text: str) -> tuple[Path, Value]:
    """Writes the setting `key` into the user's file; where it stands, and its value.

    Raises InputError for no such setting, for a value it does not take, and where the file is
    written in a way that a program cannot change line by line.
    """
    import tempfile

    from llmwiki.core.settings_precedence import setting_from_text

    value = setting_from_text(key, text)
    place, table = user_file(), user_table()
    try:
        held = place.read_text("utf-8") if table else ""
        new = with_setting(held, key, value)
        if not _says(new, _with(table, key, value)):
            raise InputError(
                "cannot be changed line by line", where=str(place), fix=f"Write it there: {key}"
            )
        target = place.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=target.parent, encoding="utf-8", delete=False
        ) as f:
            f.write(new)
        Path(f.name).replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {reason_of(error)}", where=str(place)) from error
    return place, value


def _says(text: str, table: dict[str, object]) -> bool:
    try:
        return parsed(text.encode(), "") == table
    except InputError:
        return False


def with_setting(text: str, key: str, value: Value) -> str:
    """The TOML `text` with a line for the setting: in place of the one there is, else at the end of
    its table, which is made where it is missing."""
    import json
    import re

    heading = re.compile(r"\[\s*+([\w.-]+)\s*+\]\s*+(?:#.*)?")
    table, _, name = key.rpartition(".")
    line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
    lines, here, end = text.splitlines(), "", 0 if not table else None
    for number, each in enumerate(lines):
        if found := heading.fullmatch(each.strip()):
            here = found[1]
        said, equals, _ = each.partition("=")
        if here == table and equals and said.strip() == name:
            lines[number] = line
            return "\n".join(lines) + "\n"
        if here == table and each.strip():
            end = number + 1
    if end is None:
        lines += [*([""] if lines else []), f"[{table}]", line]
    else:
        lines.insert(end, line)
    return "\n".join(lines) + "\n"


def _with(table: dict[str, object], key: str, value: Value) -> dict[str, object]:
    above, _, name = key.rpartition(".")
    if not above:
        return {**table, name: value}
    inner = table.get(above, {})
    return {**table, above: {**(inner if isinstance(inner, dict) else {}), name: value}}
