"""Texts made from a pattern itself that a bad one is slow on, and the stopwatch that tells.

Run as a program it drives the patterns of its standard input, a JSON object a line, so that the
test can end it where a pattern does not.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

Probe = Callable[[int], str | bytes]
"""From a length to a text of about that length; its docstring shows the text."""

RUNS = (
    " ", "\t", "\n", "\r\n", "\u3000", "0", "a", "A", "_", "-", "*", "#", ">", "<", "|", "`", "\\",
    '"', "“", "[", "]", "(", ".", ",", ":", "/", "^", "&", "=", "!", "漢", "の", "é", "\u0301",
    "\x01", "k: v\r\n", "- a\n", "> ", "[[", "[^", "**a ", "a ", "A ", "0.", "a-", "a/", "| ", "&#",
    "<a ", "<!--", "``a", " \n", "\n ", "[a](", "a: ", "aA", "://", "a@", "the ", "\n---\n",
)  # fmt: skip
"""Runs that texts, pages and sources are made of."""
WIDE = 24
"""Repetitions from here on count as having no end."""

_SIGNS = {
    sre.CATEGORY_DIGIT: "07٣",
    sre.CATEGORY_NOT_DIGIT: "a ",
    sre.CATEGORY_SPACE: " \t\n\r",
    sre.CATEGORY_NOT_SPACE: "a0-[",
    sre.CATEGORY_WORD: "aA0_漢",
    sre.CATEGORY_NOT_WORD: " -.\n",
}
_SOME = "a0 -.[(<\"'`|:,_A*é漢\nzZ9~"
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def parsed(pattern: re.Pattern[Any]) -> Any:
    """The tree of a pattern."""
    return _parser.parse(pattern.pattern, pattern.flags)


def repeats(tree: Any) -> bool:
    """Whether any part repeats without an end: else a pattern takes the same time everywhere."""
    return any(
        (op in _REPEATS and value[1] >= WIDE) or any(map(repeats, _parts(op, value)))
        for op, value in tree
    )


def probes(pattern: re.Pattern[Any], *, every: bool) -> list[Probe]:
    """Texts for one pattern; `every` adds all pairs of its signs and more of its beginnings."""
    tree = parsed(pattern)
    # A sign of its own that a pattern does not speak of says nothing new.
    units = [unit for unit in RUNS if every or len(unit) > 1 or unit in " \na0"]
    made: dict[tuple[str, str, str], None] = dict.fromkeys(("", unit, "") for unit in units)

    def add(before: str, unit: str, *tails: str) -> None:
        made.update(dict.fromkeys((before, unit, tail) for tail in tails))

    signs = _alphabet(tree)
    for sign in signs[: 40 if every else 12]:
        add("", sign, "", "\x01")
        if every:
            add("x ", sign, " x")
    for pair in itertools.permutations(signs[:9] if every else signs[:4], 2):
        add("", "".join(pair), "")
    for whole in itertools.islice(_examples(tree), 4 if every else 2):
        add("", whole, "")
        add("", whole + " ", "")
        add("", whole[:-1], "")
    for before, body, after in itertools.islice(_loops(tree, ""), 60 if every else 12):
        for unit in dict.fromkeys(body[: 7 if every else 3]):
            add(before, unit, "", "\x01", after[:-1], "\n")
            add("", before + unit, "", "\x01")
            add("", before + unit + after[:-1], "")
            if every:
                add(before, unit, after, "!a")
                add("", before + unit * 3, "\x01")
                add("a", unit, "\x01")
    binary = isinstance(pattern.pattern, bytes)
    return [_probe(*one, binary=binary) for one in made if one[1]]


def _probe(before: str, unit: str, after: str, *, binary: bool) -> Probe:
    def of(length: int) -> str | bytes:
        text = before + unit * max(1, length // len(unit)) + after
        return text.encode("latin-1", "replace") if binary else text

    of.__doc__ = f"{before!r} + {unit!r} * n + {after!r}"
    return of


# --- what a pattern speaks of ----------------------------------------------------------------


def _parts(op: Any, value: Any) -> list[Any]:
    if op in _REPEATS:
        return [value[2]]
    if op is sre.SUBPATTERN:
        return [value[3]]
    if op is sre.BRANCH:
        return list(value[1])
    if op is sre.ATOMIC_GROUP:
        return [value]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [value[1]]
    if op is sre.GROUPREF_EXISTS:
        return [part for part in value[1:] if part]
    return []


def _in(items: Sequence[tuple[Any, Any]]) -> str:
    """Signs that a class holds; for one that excludes, some that it does not."""
    if items and items[0][0] is sre.NEGATE:
        barred = set(_listed(items[1:], 400))
        return "".join(sign for sign in _SOME if sign not in barred)[:12] or "\x02"
    return "".join(dict.fromkeys(_listed(items, 3)))


def _listed(items: Sequence[tuple[Any, Any]], most: int) -> Iterator[str]:
    for op, value in items:
        if op is sre.LITERAL:
            yield chr(value)
        elif op is sre.RANGE:
            low, high = value
            codes = [*range(low, min(high + 1, low + most)), high]
            yield from (chr(code) for code in codes if not 0xD800 <= code < 0xE000)
        elif op is sre.CATEGORY:
            yield from _SIGNS[value]


def _alphabet(tree: Any) -> list[str]:
    """The signs a pattern speaks of, those of its repeated parts first."""
    first: dict[str, None] = {}
    rest: dict[str, None] = {}
    _gather(tree, False, first, rest)
    return list(first | rest)


_ONE_SIGN = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def _signs(op: Any, value: Any) -> str:
    """Signs that a part of one sign takes."""
    if op is sre.LITERAL:
        return chr(value)
    if op is sre.NOT_LITERAL:
        return "".join(sign for sign in "a \n-" if sign != chr(value))
    return "a -" if op is sre.ANY else _in(value)


def _gather(tree: Any, within: bool, first: dict[str, None], rest: dict[str, None]) -> None:
    for op, value in tree:
        into = first if within else rest
        if op in _ONE_SIGN:
            into.update(dict.fromkeys(_signs(op, value)[:8]))
        if op is sre.NOT_LITERAL:
            rest[chr(value)] = None
        for part in _parts(op, value):
            _gather(part, within or (op in _REPEATS and value[1] >= WIDE), first, rest)


def _examples(tree: Any) -> Iterator[str]:
    """Some short texts that a part of a pattern takes, the first of each choice first."""
    choices = [list(itertools.islice(_examples_of(op, value), 6)) for op, value in tree]
    choices = [found for found in choices if found]
    yield "".join(found[0] for found in choices)
    for at, found in enumerate(choices):
        for other in found[1:]:
            yield "".join(other if i == at else c[0] for i, c in enumerate(choices))


def _examples_of(op: Any, value: Any) -> Iterator[str]:
    if op in _ONE_SIGN:
        yield from _signs(op, value)
    elif op in _REPEATS:
        for one in itertools.islice(_examples(value[2]), 4):
            yield one * max(value[0], 1)
        if value[0] == 0:
            yield ""
    elif op is sre.GROUPREF:
        yield "`"
    elif op in (sre.BRANCH, sre.SUBPATTERN, sre.ATOMIC_GROUP):
        for part in _parts(op, value):
            yield from itertools.islice(_examples(part), 2 if op is sre.BRANCH else None)


def _loops(tree: Any, before: str) -> Iterator[tuple[str, list[str], str]]:
    """Each repetition without an end: what goes before it, what it takes, what comes after."""
    nodes = list(tree)
    for at, (op, value) in enumerate(nodes):
        head = before + next(_examples(nodes[:at]), "")
        if op in _REPEATS and value[1] >= WIDE:
            after = next(_examples(nodes[at + 1 :]), "")
            yield head, list(itertools.islice(_examples(value[2]), 7)), after
        for part in _parts(op, value):
            yield from _loops(part, head)


# --- the stopwatch ---------------------------------------------------------------------------

LENGTH = 2_000
FLOOR = 0.001
"""Seconds for `LENGTH` characters below which nothing is looked at more closely."""
SLOW = 50e-6
"""Seconds a character that no linear pattern takes, on however busy a machine."""
WORST = 8.0
"""Times as long for four times the length: between 4 for a linear one and 16 for a square."""


def drive(pattern: re.Pattern[Any], use: str, text: str | bytes) -> float:
    """Processor seconds that one use takes over a text."""
    began = time.process_time()
    if use == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, use)(text)
    return time.process_time() - began


def grows(pattern: re.Pattern[Any], use: str, of: Probe) -> float:
    """How many times as long four times the length takes; 0 where that is in proportion.

    A repetition of at most some thousand looks like a square until the text is longer, so three
    lengths are asked.
    """
    took = drive(pattern, use, of(LENGTH))
    if took < FLOOR:
        return 0.0
    # What was held up looks slower than it is: where it looks good all the same, it is.
    if took < SLOW * LENGTH and took < WORST * _least(pattern, use, of(LENGTH // 4)):
        return 0.0
    ratio = 0.0
    for size in (LENGTH, 4 * LENGTH, 16 * LENGTH):
        took, before = (_least(pattern, use, of(length)) for length in (size, size // 4))
        ratio = took / max(before, 1e-7)
        if took > SLOW * size:
            return max(ratio, WORST)
        if took < FLOOR or ratio < WORST:
            return 0.0
    return ratio


def _least(pattern: re.Pattern[Any], use: str, text: str | bytes) -> float:
    return min(drive(pattern, use, text) for _ in range(3))


def main(*, every: bool) -> None:
    """Drive each pattern that comes in; what is about to run is told before it does."""
    for line in sys.stdin:
        job = json.loads(line)
        source = job["pattern"].encode("latin-1") if job["bytes"] else job["pattern"]
        pattern = re.compile(source, job["flags"])
        made = probes(pattern, every=every) if repeats(parsed(pattern)) else []
        for use in job["uses"]:
            for of in made:
                told = {"use": use, "probe": of.__doc__}
                print(json.dumps(told), flush=True)
                if ratio := grows(pattern, use, of):
                    print(json.dumps({**told, "ratio": round(ratio)}), flush=True)
                    break
        print(json.dumps({"done": True}), flush=True)


if __name__ == "__main__":
    main(every="every" in sys.argv)
