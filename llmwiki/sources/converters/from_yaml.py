"""YAML to text with the events of PyYAML. Runs in the converting process only.

Nothing is ever constructed: no tags, no objects, and values stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.from_json import MAX_DEPTH, ObjectPairs, write_leaves
from llmwiki.sources.converters.writing import Gathered, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import AliasEvent, CollectionStartEvent, Event


def convert(data: bytes, cap: int) -> ConvertedText:
    """Each value after its path; several documents each after a line `[document N]`.

    An alias reads like what it stands for, as often as it stands. `cap` bounds the characters
    gathered, so that aliases cannot multiply. Raises InputError when it is not YAML or an
    alias stands within its own anchor, PolicyError past a limit.
    """
    import yaml

    try:
        documents = list(_documents(iter(yaml.parse(decoded(data), Loader=_loader()))))
    except yaml.YAMLError as error:
        raise InputError(
            f"the YAML is broken ({' '.join(str(error).split())[:200]})",
            fix="Correct it where the message says.",
        ) from error
    out = Gathered(cap)
    for number, value in enumerate(documents, start=1):
        if len(documents) > 1:
            out.part()
            out.add(f"[document {number}]")
        write_leaves(out, value)
    return ConvertedText(out.text(), f"pyyaml/{yaml.__version__}")


def _loader() -> type:
    """libyaml's parser where PyYAML was built with it, else the one in Python."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _documents(events: Iterator[Event]) -> Iterator[object]:
    import yaml

    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            yield _Values(events).read(next(events))


class _Values:
    """One document's values; aliases share what they stand for."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._anchors: dict[str, object] = {}
        self._open: list[str | None] = []

    def read(self, event: Event) -> object:
        """The value that an event begins."""
        import yaml

        if isinstance(event, yaml.AliasEvent):
            return self._meant(event)
        if isinstance(event, yaml.ScalarEvent):
            value: object = event.value
        else:
            assert isinstance(event, yaml.CollectionStartEvent)
            value = self._collection(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _collection(self, start: CollectionStartEvent) -> object:
        import yaml

        if len(self._open) >= MAX_DEPTH:
            raise PolicyError(
                f"the YAML is nested in more than {MAX_DEPTH} levels", fix="Write it flatter."
            )
        self._open.append(start.anchor)
        parts: list[object] = []
        for event in self._events:
            if isinstance(event, yaml.CollectionEndEvent):
                break
            parts.append(self.read(event))
        self._open.pop()
        if isinstance(start, yaml.SequenceStartEvent):
            return parts
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return ObjectPairs((key if isinstance(key, str) else "?", value) for key, value in pairs)

    def _meant(self, event: AliasEvent) -> object:
        name = event.anchor
        line = event.start_mark.line + 1 if event.start_mark else 0
        if name in self._open:
            raise InputError(f"line {line}: the alias *{name} holds itself", fix="Write it out.")
        if name not in self._anchors:
            raise InputError(f"line {line}: the alias *{name} has no anchor", fix="Write it out.")
        return self._anchors[name]
