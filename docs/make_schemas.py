"""Writes docs/schemas/NAME.json: the JSON Schemas of what commands print, as `wiki schema NAME`.

usage: python docs/make_schemas.py
"""

from __future__ import annotations

import json
from pathlib import Path

from llmwiki.app.schemas import COMMANDS, schema

FOLDER = Path(__file__).with_name("schemas")


def render() -> dict[str, str]:
    """Each file's name to its text."""
    return {
        f"{name}.json": json.dumps(schema(name), indent=2, sort_keys=True, ensure_ascii=False)
        + "\n"
        for name in COMMANDS
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in render().items():
        (FOLDER / name).write_text(text, "utf-8")
