"""Deterministic documents of a given size, with headings, definitions, lists and figures."""

from __future__ import annotations

import random

_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st", "tr", "pl")
_SYLLABLES = [onset + vowel for onset in _ONSETS for vowel in "aeiou"]
_VERBS = ["stores", "reads", "merges", "checks", "replaces", "sends", "limits", "counts", "names"]
_QUALITIES = ["small", "ordered", "durable", "shared", "signed", "sparse", "sorted", "remote"]
_THINGS = ["queue", "index", "buffer", "table", "lock", "cache", "record", "filter", "signal"]


def vocabulary(count: int, seed: int = 7) -> list[str]:
    """Made-up proper names, each of two or three syllables; the same for the same arguments."""
    rng = random.Random(seed)
    names: dict[str, None] = {}
    while len(names) < count:
        word = "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((2, 2, 3)))).capitalize()
        names[f"{word} {rng.choice(_THINGS)}"] = None
    return list(names)


def document(number: int, names: list[str], size: int = 5_000) -> str:
    """One Markdown document of about `size` bytes; some of its subjects occur in others too."""
    rng = random.Random(number)
    own = [names[(number * 3 + k) % len(names)] for k in range(3)]
    shared = [rng.choice(names[:200]) for _ in range(2)]
    subjects = own + shared
    lines = [f"# Report {number} on the {own[0]}", ""]
    lines += [f"This report describes the {own[0]} and what depends on it.", ""]
    while sum(len(line.encode()) + 1 for line in lines) < size:
        subject = rng.choice(subjects)
        other = rng.choice(subjects)
        if rng.random() < 0.25:
            lines += [f"## {subject}", ""]
        kind = rng.random()
        quality, thing, verb = rng.choice(_QUALITIES), rng.choice(_THINGS), rng.choice(_VERBS)
        if kind < 0.3:
            lines += [
                f"The {subject} is a {quality} {thing} that {verb} every {rng.choice(_THINGS)}."
            ]
        elif kind < 0.6:
            figure = rng.randrange(2, 900)
            lines += [
                f"In the test of week {rng.randrange(1, 52)} the {subject} {verb} {figure} records"
                f" a second, while the {other} needs {rng.randrange(2, 90)} ms."
            ]
        elif kind < 0.8:
            lines += ["", f"- The {subject} must not {verb[:-1]} a {quality} {thing}.", ""]
        else:
            lines += [
                f"Because the {other} is {quality}, the {subject} {verb} its {thing} only once."
            ]
    return "\n".join(lines) + "\n"
