"""YAML to text with the nodes of PyYAML. Runs in the converting process only.

Nothing is ever constructed: no tags, no objects, and values stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.from_json import ObjectPairs, write_leaves
from llmwiki.sources.converters.writing import Gathered
from llmwiki.sources.encodings import decoded

if TYPE_CHECKING:
    from yaml.nodes import Node


def convert(data: bytes, cap: int) -> ConvertedText:
    """Each value after its path; several documents each after a line `[document N]`.

    An alias reads like what it stands for, as often as it stands. `cap` bounds the characters
    gathered, so that aliases cannot multiply. Raises InputError when it is not YAML or an
    alias stands within its own anchor, PolicyError past a limit.
    """
    import yaml

    # libyaml's parser where PyYAML was built with it, else the one in Python.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        documents = list(yaml.compose_all(decoded(data), Loader=loader))
    except yaml.YAMLError as error:
        raise InputError(
            f"the YAML is broken ({' '.join(str(error).split())[:200]})",
            fix="Correct it where the message says.",
        ) from error
    out = Gathered(cap)
    for number, node in enumerate(documents, start=1):
        if len(documents) > 1:
            out.part()
            out.add(f"[document {number}]")
        write_leaves(out, _value(node, {}))
    return ConvertedText(out.text(), f"pyyaml/{yaml.__version__}")


def _value(node: Node, made: dict[int, object]) -> object:
    """The value of a node; aliases share what they stand for. `made` holds those made so far, and
    None for those that are open."""
    import yaml

    if id(node) in made:
        value = made[id(node)]
        if value is None:
            line = node.start_mark.line + 1
            raise InputError(f"line {line}: an alias holds itself", fix="Write it out.")
        return value
    made[id(node)] = None
    if isinstance(node, yaml.ScalarNode):
        value = node.value
    elif isinstance(node, yaml.SequenceNode):
        value = [_value(each, made) for each in node.value]
    else:
        pairs = ((key, _value(each, made)) for key, each in node.value)
        value = ObjectPairs(
            (key.value if isinstance(key, yaml.ScalarNode) else "?", each) for key, each in pairs
        )
    made[id(node)] = value
    return value
