"""YAML to text with the events of PyYAML. Runs in the converting process only.

Nothing is ever constructed: no tags, no objects, and values stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.decode import decoded
from llmwiki.sources.converters.leaves import MAX_DEPTH, ObjectPairs, write_leaves
from llmwiki.sources.converters.writing import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import AliasEvent, Event


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
            yield _Tree().read(events)


class _Tree:
    """One document's values, built without recursion; aliases share what they stand for."""

    def __init__(self) -> None:
        self._anchors: dict[str, object] = {}
        self._open: list[tuple[list[object], str | None]] = []
        self._root: object = ""

    def read(self, events: Iterator[Event]) -> object:
        import yaml

        for event in events:
            if isinstance(event, yaml.DocumentEndEvent):
                break
            if isinstance(event, yaml.ScalarEvent):
                self._put(event.value, event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self._put(self._meant(event), None)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._start(isinstance(event, yaml.MappingStartEvent), event.anchor)
            else:
                self._end()
        return self._root

    def _meant(self, event: AliasEvent) -> object:
        name = event.anchor
        line = event.start_mark.line + 1 if event.start_mark else 0
        if any(anchor == name for _, anchor in self._open):
            raise InputError(f"line {line}: the alias *{name} holds itself", fix="Write it out.")
        if name not in self._anchors:
            raise InputError(f"line {line}: the alias *{name} has no anchor", fix="Write it out.")
        return self._anchors[name]

    def _start(self, mapping: bool, anchor: str | None) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise PolicyError(
                f"the YAML is nested in more than {MAX_DEPTH} levels", fix="Write it flatter."
            )
        self._open.append((_Mapping() if mapping else [], anchor))

    def _end(self) -> None:
        parts, anchor = self._open.pop()
        value = parts.pairs() if isinstance(parts, _Mapping) else parts
        self._put(value, anchor)

    def _put(self, value: object, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if self._open:
            self._open[-1][0].append(value)
        else:
            self._root = value


class _Mapping(list[object]):
    """Keys and values by turns, as events come."""

    def pairs(self) -> ObjectPairs:
        keys, values = self[::2], self[1::2]
        return ObjectPairs(
            (key if isinstance(key, str) else "?", value)
            for key, value in zip(keys, values, strict=True)
        )
