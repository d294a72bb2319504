"""Frontmatter: its text to nodes key by key, lists whose items merge one by one, and YAML.

Reading is YAML with every scalar a string. Writing is key by key, so that lines nobody touches
and keys nobody knows keep their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from llmwiki.core.errors import WikiError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.pages.page_tree import Key, PageNode

if TYPE_CHECKING:
    import yaml

LIST_KEYS = ("aliases", "authors", "read", "sources", "tags")
"""Frontmatter keys whose values are lists that merge item by item, written one item a line; of
these `sources` is none of the tool's."""

_KEY = re.compile(r"^([\"']?)([^\W\d][\w.-]*)\1[ \t]*:(?=[ \t\r]|$)")
_OPEN = re.compile(r"^\ufeff?---[ \t\r]*$")
_CLOSE = re.compile(r"^---[ \t\r]*$")


class PageError(WikiError):
    """A page's frontmatter cannot be read, so the page must not be rewritten."""

    exit_code = 3


def split_front(text: str) -> tuple[PageNode | None, str | None]:
    """The frontmatter, and what follows its closing line; None: that line ends the file."""
    lines = text.split("\n")
    if not _OPEN.match(lines[0]):
        return None, text
    for index in range(1, len(lines)):
        if _CLOSE.match(lines[index]):
            front = _parse(lines[0], lines[1:index], lines[index])
            rest = "\n".join(lines[index + 1 :])
            return front, rest if index + 1 < len(lines) else None
    return None, text


def _parse(opening: str, lines: list[str], closing: str) -> PageNode:
    chunks: list[tuple[str, list[str]]] = []
    for line in lines:
        found = _KEY.match(line)
        if found:
            chunks.append((found[2], [line]))
        elif chunks:
            chunks[-1][1].append(line)
        else:
            chunks.append(("", [line]))
    seen: dict[str, int] = {}
    parts: list[PageNode] = []
    for name, chunk in chunks:
        count = seen[name] = seen.get(name, 0) + 1
        key: Key = ("front", name) if count == 1 else ("front", name, str(count))
        node = PageNode(key, "\n".join(chunk))
        parts.append(_structured(node) if name in LIST_KEYS and count == 1 else node)
    return PageNode(("front",), opening, (*parts, PageNode(("close",), closing)))


def _structured(node: PageNode) -> PageNode:
    """A list value as parts that merge one by one, where that keeps its bytes."""
    name, raw = node.key[1], node.raw
    # Only the style that `list_node` writes can come back byte for byte: look before reading YAML.
    if not raw.startswith(f"{name}:\n  - "):
        return node
    try:
        shaped = PageNode(node.key, f"{name}:", list_parts(name, raw))
    except PageError:
        return node
    whole = shaped.raw + join_list([part.raw for part in shaped.parts])
    return shaped if shaped.parts and whole == raw else node


def list_parts(name: str, raw: str) -> tuple[PageNode, ...]:
    """The items of a list value as nodes; what a person put into an item stays in it.

    Raises PageError where the text is not such a list.
    """
    value = load_yaml(raw).get(name)
    if value in (None, ""):
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise PageError(f"{name} is not a list", fix=f"Write {name} as a YAML list.")
    parts = [list_part(item) for item in value]
    return tuple({part.key: part for part in reversed(parts)}.values())[::-1]


def list_part(item: object) -> PageNode:
    """One item of a list as a node."""
    shown = flow(item)
    return PageNode(("item", item) if isinstance(item, str) else ("item", "", shown), shown)


def flow(value: object) -> str:
    """A value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(str(value))


def list_node(name: str, items: Iterable[str]) -> PageNode:
    """A list of words in the frontmatter as a node."""
    unique = {part.key: part for part in map(list_part, items)}
    return PageNode(("front", name), f"{name}:", tuple(unique.values()))


def join_list(items: Iterable[str]) -> str:
    """The text of a list's items after `name:`."""
    return "".join("\n  - " + item for item in items)


def in_blocks(values: dict[str, object]) -> tuple[PageNode, ...]:
    """The entries of frontmatter anew, one key a line: for styles that cannot be edited by line."""
    entries = []
    for name, value in values.items():
        raw = f"{scalar(name)}: {flow(value)}"
        parts = list_parts(name, raw) if name in LIST_KEYS and isinstance(value, list) else ()
        key: Key = ("front", name)
        entries.append(PageNode(key, f"{name}:", parts) if parts else PageNode(key, raw))
    return tuple(entries)


_UNENDED = ("while scanning a simple key", "while parsing a flow", "while scanning a quoted")
"""How libyaml begins to tell of a line without a colon, of a bracket and of a quote left open."""
MAX_DEPTH = 64
"""Levels of lists and mappings in frontmatter: libyaml's loader runs over the C stack."""
_DEEP = re.compile(rf"^[ ?:-]{{{MAX_DEPTH // 2}}}", re.MULTILINE)


@lru_cache(maxsize=1024)
def load_yaml(raw: str) -> dict[str, object]:
    """The mapping in frontmatter text; every scalar is a string.

    Aliases are refused, so that no text grows when it is loaded. The mapping is shared between
    callers: it must not be changed. Raises PageError where the text is not YAML, not a mapping,
    or uses aliases.
    """
    quick = _as_written(raw)
    return _ask_yaml(raw) if quick is None else quick


def _ask_yaml(raw: str) -> dict[str, object]:
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    loader = yaml.CBaseLoader if hasattr(yaml, "CBaseLoader") else yaml.BaseLoader
    try:
        if "*" in raw or raw.count("[") + raw.count("{") > MAX_DEPTH or _DEEP.search(raw):
            _check_events(yaml.parse(raw, Loader=loader))
        value = YAMLHandler().load(raw, Loader=loader)
    except yaml.YAMLError as error:
        # What has no end is told where it begins, not where the parser gave up.
        is_open = str(getattr(error, "context", "")).startswith(_UNENDED)
        mark = getattr(error, "context_mark" if is_open else "problem_mark", None)
        problem = getattr(error, "problem", None)
        at = f" (line {mark.line + 2}, column {mark.column + 1}): {problem}" if mark else ""
        raise PageError(f"the frontmatter is not YAML{at}") from error
    except (ValueError, RecursionError) as error:
        raise PageError("the frontmatter cannot be read") from error
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise PageError("the frontmatter is not a mapping of keys to values")
    return value


_WORD = (
    r"(?:(?:[^\W_]|/)[\w ./()+=~'-]*(?<! )"
    r"|\"[^\"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*\")"
)
_LINE = lazy_pattern(rf"([A-Za-z][\w-]*): ({_WORD})")
_FLOW = lazy_pattern(rf"([A-Za-z][\w-]*): \[((?:{_WORD}(?:, {_WORD})*)?)\]")
_EACH = lazy_pattern(_WORD)
_ITEM = lazy_pattern(rf"  - ({_WORD})")


def _as_written(raw: str) -> dict[str, object] | None:
    """The mapping in frontmatter that is as the tool writes it, and many a person; None: a YAML
    parser is needed.

    A page with fifty sources is read thirty times faster. Whatever is not exactly of this form,
    escapes and repeated keys among it, is not for this function.
    """
    values: dict[str, object] = {}
    items: list[str] | None = None
    for line in raw.split("\n"):
        entry = _ITEM.fullmatch(line) if items is not None else None
        if entry and items is not None:
            items.append(_bare(entry[1]))
            continue
        if items == []:
            return None
        items = None
        name = line.partition(":")[0]
        if name in values:
            return None
        if line.endswith(":") and line[:-1] in LIST_KEYS:
            values[name] = items = []
        elif found := _LINE.fullmatch(line):
            values[name] = _bare(found[2])
        elif flow := _FLOW.fullmatch(line):
            values[name] = list(map(_bare, _EACH.findall(flow[2])))
        else:
            return None
    return None if items == [] else values


def _bare(word: str) -> str:
    return word[1:-1] if word[0] == '"' else word


def _check_events(events: Iterable[yaml.events.Event]) -> None:
    from yaml import events as kinds

    depth = 0
    for event in events:
        if isinstance(event, kinds.AliasEvent):
            raise PageError("a YAML alias stands in the frontmatter")
        if isinstance(event, kinds.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise PageError(f"the frontmatter is nested more than {MAX_DEPTH} levels deep")
        elif isinstance(event, kinds.CollectionEndEvent):
            depth -= 1


_PLAIN = lazy_pattern(
    r"^(?:[^\W_]|/(?=\w))[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\\\"]*$"
)
_NOT_PLAIN = lazy_pattern(r":(?:\s|$)|\s#|[\[\]{},?]|^\s|\s$")
_LOOKS_TYPED = lazy_pattern(
    r"^(?:[-+]?[\d_]*+\.?[\d_]*+(?:e[-+]?\d++)?|0[xob]?[\da-f_]++|[-+]?\d++(?::\d++)++(?:\.\d*+)?"
    r"|\d{4}-\d\d?-\d\d?(?:[t \t].*)?|~|null|true|false|yes|no|on|off|y|n|\.inf|\.nan|=|<<)$",
    re.IGNORECASE,
)
_ESCAPED = lazy_pattern(r"[\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def scalar(text: str) -> str:
    """A YAML scalar that any loader reads back as this very string, in flow and block context."""
    if _PLAIN.match(text) and not _LOOKS_TYPED.match(text) and not _NOT_PLAIN.search(text):
        return text
    return '"' + _ESCAPED.sub(_escape_scalar, text) + '"'


def _escape_scalar(found: re.Match[str]) -> str:
    char = found[0]
    if char in '\\"':
        return "\\" + char
    return f"\\u{ord(char):04x}"
