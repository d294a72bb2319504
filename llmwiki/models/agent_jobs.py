"""The agent as the other one who answers: what it is told, and the file that it hands in.

Imports nothing heavy: `wiki apply` looks here to see what a file is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from llmwiki.core.errors import ModelOutputError
from llmwiki.core.text import cut

if TYPE_CHECKING:
    from pydantic import BaseModel

EXTRACTION_SCHEMA = "llmwiki.extraction/1"
TRANSCRIPTION_SCHEMA = "llmwiki.transcription/1"
ANSWER_SCHEMA = "llmwiki.answer/1"

STANDARD_INPUT = "-"
"""The name of an answer that was read from there, and cannot be read again."""

_SHOWN = 60
"""Characters of an answer's value in a message."""

_Answer = TypeVar("_Answer")
_Model = TypeVar("_Model", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What an agent has handed in."""

    name: str
    """Of its file, for messages."""
    data: Mapping[str, object]

    @property
    def schema(self) -> object:
        """What it says it is."""
        return self.data.get("schema")

    def read(self, check: Callable[[dict[str, object]], _Answer]) -> _Answer:
        """What `check` makes of it, without the field `schema`.

        `check` raises ValueError, saying what is wrong; then this raises ModelOutputError.
        """
        try:
            return check({key: value for key, value in self.data.items() if key != "schema"})
        except ValueError as wrong:
            raise ModelOutputError(
                f"it is no usable {self.schema}: {wrong}",
                where=self.name,
                fix="Mend the file and run `wiki apply` again.",
            ) from None

    def valid(self, model: type[_Model]) -> _Model:
        """The answer as a `model` of pydantic. Raises ModelOutputError for none."""
        from llmwiki.models.ask_and_validate import validated

        return self.read(partial(validated, model))


@dataclass(frozen=True, slots=True)
class AgentJob:
    """What an agent is asked, as Markdown: what to do, rules, data, the record, how to hand it in.

    The data of others stand between fences (`core.text.fence`), as in the prompt of a model.
    """

    title: str
    about: str
    """What stands below the title: which job it is."""
    rules: str
    """Empty where they are read elsewhere."""
    data: tuple[tuple[str, str], ...]
    """(heading, text) of each part; one that says itself what it is has no heading."""
    record: str
    """The shape of the answer, as JSON; empty where it is read elsewhere."""
    filling: str
    """What else there is to know to fill it."""
    file: str
    """A name for the file of the answer."""
    then: str
    """What `wiki apply` makes of it."""
    dry_run: bool = False
    """Whether it is to be checked first."""

    def text(self) -> str:
        """The whole job; ends with a line feed."""
        parts = [f"# {self.title}", self.about]
        parts += [f"## Rules\n\n{self.rules.strip()}"] if self.rules else []
        parts += [f"## {heading}\n\n{text}" if heading else text for heading, text in self.data]
        if self.record:
            record = f"```\n{self.record.strip()}\n```\n\n{self.filling}"
            parts.append(f"## The record\n\n{record}")
        command = f"wiki apply {self.file}"
        if not self.rules:
            parts.append(f"Write the record to a file of a temporary directory: `{command}`")
            return "\n\n".join(parts) + "\n"
        runs = f"{command} --dry-run\n{command}" if self.dry_run else command
        parts.append(
            "## When it is filled\n\nWrite the record as JSON to a file outside `raw/` and `wiki/`,"
            f" for instance `{self.file}` in a temporary directory, and run:\n\n"
            f"```\n{runs}\n```\n\n{self.then}"
        )
        return "\n\n".join(parts) + "\n"


def record_of(shape: str, **head: str) -> str:
    """The shape of a model's answer as that of an agent's file: begun by `head`, without `end`."""
    begun = "".join(f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    return shape.replace("{\n", f"{{\n{begun}", 1).replace(',\n  "end": true\n', "\n")


def shortened(value: object) -> str:
    """A value of an answer, short enough for a message."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), _SHOWN)
