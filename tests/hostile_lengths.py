"""Pages and sources that are long in one thing, and what the commands take over them.

Run as a program it prints the processor seconds of each command as JSON, so that a test can end it
where a command does not: `python tests/hostile_lengths.py pages 50,5000 alias tag`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import wikikit

Text = Callable[[int], str]
"""From a length to a text of about that length."""


def _page(body: str = "", **front: str) -> str:
    keys = {"type": "concept", "title": "T", **front}
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return f"---\n{lines}---\n\n# T\n\n{body}\n"


def _claim(text: str, *below: str) -> str:
    return _page(f"## Claims\n\n- {text} ^c-9f3a1c22k7\n" + "".join(f"  {b}\n" for b in below))


PAGES: dict[str, Text] = {
    "title of digits": lambda n: _page(title=f'"{"7" * n}"'),
    "title of capitals": lambda n: _page(title="aB" * (n // 2)),
    "title of words": lambda n: _page(title="A b " * (n // 4), type="entity"),
    "title of dots": lambda n: _page(title=f'"{"x." * (n // 2)}"'),
    "title of brackets": lambda n: _page(title=f'"{"(a " * (n // 3)}"'),
    "title in one heading": lambda n: f"# {'1-' * (n // 2)}\n",
    "alias": lambda n: _page(aliases=f"[{'9' * (n // 2)}, {'A-' * (n // 4)}]"),
    "aliases": lambda n: _page(aliases="[" + ", ".join(f"Name {i}" for i in range(n // 9)) + "]"),
    "tag": lambda n: _page(tags=f"[{'t' * (n // 2)}, {'a/' * (n // 4)}]"),
    "tags": lambda n: _page(tags="[" + ", ".join(f"t{i}" for i in range(n // 7)) + "]"),
    "description": lambda n: _page(description=f'"{"d, " * (n // 3)}"'),
    "key": lambda n: f"---\n{'k' * n}: v\ntitle: A\n---\n",
    "value of digits": lambda n: f"---\ntitle: {'0' * n}!\n---\n",
    "keys": lambda n: "---\n" + "k: v\n" * (n // 5) + "---\n",
    "keys below a blank line": lambda n: "\n---\r\n" + "k: v\r\n" * (n // 6),
    "keys without an end": lambda n: "---\n" + "k: v\n" * (n // 5),
    "flow": lambda n: f"---\ntitle: {'[' * n}\n---\n",
    "heading": lambda n: f"# {'#' * (n // 2)}\n\n## {'a ' * (n // 4)}\n",
    "headings": lambda n: "## a\n" * (n // 5),
    "claim": lambda n: _claim("7" * n),
    "claim of marks": lambda n: _claim("**a ~~ `b [[" * (n // 12)),
    "claim struck": lambda n: _claim("~~a~~ → " * (n // 8)),
    "claims": lambda n: _page("## Claims\n\n" + "- a ^c-9f3a1c22k7\n" * (n // 17)),
    "quote": lambda n: _claim("x", f'- "{"q " * (n // 2)}" [^s-1]'),
    "quotes": lambda n: _claim("x", *['- "q" [^s]'] * (n // 18)),
    "attributes": lambda n: _claim("x", "- (" + "a: b; " * (n // 6) + ")"),
    "footnote": lambda n: f"[^{'1' * (n // 2)}]: x\n\n{'[^a]' * (n // 8)}\n",
    "footnotes": lambda n: "".join(f"[^{i}]: x\n" for i in range(n // 9)),
    "link": lambda n: f"[[{'l' * (n // 2)}]] {'[[' * (n // 4)}\n",
    "links": lambda n: "[[a|b]] " * (n // 8) + "\n",
    "address": lambda n: f"{'http://' * (n // 14)} {'a@' * (n // 8)} [a]({'b' * (n // 4)}\n",
    "row": lambda n: f"|{' a |' * (n // 8)}\n|{'-|' * (n // 8)}\n|{'|' * (n // 4)}\n",
    "rows": lambda n: "| a |\n|---|\n" + "| b |\n" * (n // 6),
    "fence": lambda n: "`" * (n // 2) + "\n" + "```\na\n" * (n // 12),
    "ticks": lambda n: f"{'`a' * (n // 4)}\n\n{'``a`' * (n // 8)}\n",
    "comment": lambda n: f"{'<!--' * (n // 8)}\n\n{'a <!-- ' * (n // 14)}\n",
    "ignores": lambda n: "<!-- wiki: ignore=WK101 -->\n" * (n // 28),
    "nested list": lambda n: "\n".join("  " * i + "- a" for i in range(int(n**0.5))) + "\n",
    "nested items": lambda n: "- " * (n // 2) + "a\n",
    "items": lambda n: "- a\n" * (n // 4),
    "callout": lambda n: f"> [!note] {'Contradiction ' * (n // 28)}\n{'> a' * (n // 6)}\n",
    "quoted": lambda n: ">" * (n // 2) + "\n" + "> a\n" * (n // 8),
    "blanks": lambda n: " " * (n // 3) + "x\n" + "\t" * (n // 3) + "\n" + "\n" * (n // 3),
    "blank lines": lambda n: "\r\n" * (n // 4) + " \n" * (n // 4),
    "stars": lambda n: f"{'*' * (n // 3)}\n\n{'**a ' * (n // 12)}\n\n{'_a' * (n // 6)}\n",
    "brackets": lambda n: f"{'[' * (n // 3)}\n\n{']' * (n // 3)}\n\n{'(' * (n // 3)}\n",
    "backslashes": lambda n: "\\" * (n // 2) + "\n\n" + "\\[" * (n // 4) + "\n",
    "angles": lambda n: f"{'<' * (n // 4)}\n\n{'<a ' * (n // 9)}\n\n{'&#' * (n // 6)}\n",
    "tag of attributes": lambda n: f"<a {'b=c ' * (n // 4)}\n",
    "maths": lambda n: f"{'$' * (n // 4)}\n\n{'$a ' * (n // 9)}\n\n$$\na\n" + "$$ a\n" * (n // 9),
    "combining": lambda n: "a" + "\u0301" * (n // 2) + "\n\n# " + "e\u0301" * (n // 4) + "\n",
    "kanji": lambda n: "漢" * (n // 2) + "\n\n# " + "あ" * (n // 2) + "\n",
    "dashes": lambda n: f"{'—' * (n // 3)}\n\n{'-' * (n // 3)}\n\n{'a - ' * (n // 12)}\n",
    "digits": lambda n: f"{'1' * (n // 3)}\n\n{'1.' * (n // 6)}\n\n{'1,' * (n // 6)}\n",
    "quotation marks": lambda n: '"' * (n // 3) + "\n\n" + "“a " * (n // 9) + "\n",
    "capitals": lambda n: "A" * (n // 3) + "\n\n" + "Aa " * (n // 9) + "\n\n" + "A." * (n // 6),
    "words": lambda n: " ".join(f"w{i}" for i in range(n // 7)) + "\n",
    "percent": lambda n: f"{'%%' * (n // 4)}\n\n{'{{' * (n // 8)}\n\n{'=' * (n // 4)}\n",
    "zero width": lambda n: "a\u200b" * (n // 2) + "\u202e" * (n // 4) + "\n",
}  # fmt: skip
"""What one page below wiki/ may hold."""

SOURCES: dict[str, Text] = {
    "blanks.md": lambda n: "a" + " " * n + "b\n",
    "tabs.md": lambda n: "a" + "\t" * n + "b\n",
    "blank lines.md": lambda n: "a\r\n" + "\r\n" * (n // 2) + "b\r\n",
    "digits.md": lambda n: "The number is " + "7" * n + ".\n",
    "one line.md": lambda n: "Tea is a drink, and water is hot. " * (n // 34) + "\n",
    "one word.md": lambda n: "a" * n + "\n",
    "capitals.md": lambda n: "Ab " * (n // 3) + "is a thing.\n",
    "opening brackets.md": lambda n: "[" * n + "\n",
    "brackets.md": lambda n: "(a [b " * (n // 6) + "\n",
    "stars.md": lambda n: "*" * (n // 2) + "\n\n" + "**a " * (n // 8) + "\n",
    "underscores.md": lambda n: "_" * (n // 2) + "\n\n" + "_a " * (n // 6) + "\n",
    "backticks.md": lambda n: "`" * (n // 2) + "\n\n" + "`a " * (n // 6) + "\n",
    "angles.md": lambda n: "<" * (n // 2) + "\n\n" + "<a " * (n // 6) + "\n",
    "entities.md": lambda n: "&#" * (n // 2) + "\n",
    "bars.md": lambda n: "|" * n + "\n",
    "table.md": lambda n: f"|{' a |' * (n // 8)}\n|{'-|' * (n // 8)}\n|{'b|' * (n // 8)}\n",
    "rows.md": lambda n: "| a | b |\n|---|---|\n" + "| c | 1 |\n" * (n // 10),
    "dashes.md": lambda n: "-" * (n // 2) + "\n\n" + "a - b — " * (n // 16) + "\n",
    "headings.md": lambda n: "# a\n" * (n // 4),
    "heading.md": lambda n: "# " + "a " * (n // 2) + "\n",
    "heading of blanks.md": lambda n: "# a" + " " * n + "b\n",
    "items.md": lambda n: "- a: b\n" * (n // 7),
    "nested.md": lambda n: "\n".join("  " * i + "- a" for i in range(int(n**0.5))) + "\n",
    "nested items.md": lambda n: "- " * (n // 2) + "a\n",
    "quoted.md": lambda n: "> " * (n // 2) + "a\n",
    "comments.md": lambda n: "<!-- a " * (n // 7) + "\n",
    "fences.md": lambda n: "```\n" * (n // 4),
    "dots.md": lambda n: "a" + "." * (n // 2) + "\n\n" + "a." * (n // 4) + "\n",
    "colons.md": lambda n: "a" + ":" * (n // 2) + "\n\n" + "a: " * (n // 6) + "\n",
    "quotes.md": lambda n: '"' * (n // 2) + "\n\n" + "“a " * (n // 6) + "\n",
    "backslashes.md": lambda n: "\\" * n + "\n",
    "addresses.md": lambda n: "http://" * (n // 14) + "\n\n" + "a@" * (n // 4) + "\n",
    "kanji.md": lambda n: "漢" * (n // 2) + "\n\n" + "のは" * (n // 4) + "。\n",
    "combining.md": lambda n: "a" + "\u0301" * n + "\n",
    "keys.md": lambda n: "---\n" + "k: v\n" * (n // 5) + "---\n\nTea is a drink.\n",
    "definitions.md": lambda n: "Tea is a drink (a).\n\n" * (n // 22),
    "speakers.txt": lambda n: "Ann: hello there\n" * (n // 17),
    "numbers.txt": lambda n: "1. " * (n // 3) + "\n",
    "line.csv": lambda n: "a," * (n // 2) + "\n" + "1," * (n // 2) + "\n",
    "rows.csv": lambda n: "name,year\n" + "Ada,1843\n" * (n // 9),
    "cell.csv": lambda n: "name,year\n" + "A" * (n // 2) + "," + "1" * (n // 2) + "\n",
    "nested.json": lambda n: "[" * min(n, 90) + '"a"' + "]" * min(n, 90),
    "long.json": lambda n: json.dumps({"a" * (n // 2): "1" * (n // 2)}),
    "list.json": lambda n: json.dumps([{"name": "a"}] * (n // 14)),
    "lines.jsonl": lambda n: '{"a": 1}\n' * (n // 9),
    "long.yaml": lambda n: f"a: {'b ' * (n // 2)}\n",
    "keys.yaml": lambda n: "".join(f"k{i}: v\n" for i in range(n // 8)),
    "tags.html": lambda n: "<p>" * (n // 6) + "a" + "<b " * (n // 6),
    "text.html": lambda n: "<p>" + "a " * (n // 2) + "</p>",
    "blanks.html": lambda n: "<p>a" + " " * (n // 2) + "&#" * (n // 4) + "</p>",
    "heads.org": lambda n: "* a\n" * (n // 8) + "#+title:" + " " * (n // 2) + "\n",
    "text.rst": lambda n: "a `b " * (n // 10) + "\n\n" + "=" * (n // 2) + "\n",
    "cues.srt": lambda n: "1\n00:00:01,000 --> 00:00:02,000\na\n\n" * (n // 36),
    "cues.vtt": lambda n: "WEBVTT\n\n" + "00:01.000 --> 00:02.000\na\n\n" * (n // 28),
    "mail.eml": lambda n: f"From: a@b.c\nSubject: {'Re: ' * (n // 8)}\n\n{'> ' * (n // 4)}a\n",
}  # fmt: skip
"""What one file below raw/ may hold."""

ON_PAGES = (
    ("index",),
    ("search", "t hostile 7"),
    ("context", "what is t 7?"),
    ("lint",),
    ("graph",),
    ("show", "Hostile 0"),
    ("status",),
)


def run(kind: str, size: int, names: Sequence[str]) -> dict[str, float]:
    """Processor seconds of each command over a wiki that holds all of these."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        wiki = wikikit.make(Path(folder), patch)
        took: dict[str, float] = {}

        def timed(*args: str) -> None:
            began = time.process_time()
            done = wiki.run(*args)
            took[args[0]] = time.process_time() - began
            # A finding or a refusal is an answer; what nobody foresaw is none.
            assert done.code < 70, (names, args, done.err[-2000:])

        if kind == "pages":
            for number, name in enumerate(names):
                wiki.put(f"wiki/concepts/Hostile {number}.md", PAGES[name](size))
            wiki.git("add", "-A")
            wiki.git("commit", "-qm", "hostile pages")
            for command in ON_PAGES:
                timed(*command)
        else:
            for name in names:
                wiki.put(f"raw/{name}", SOURCES[name](size))
            timed("ingest", "raw/", "--model", "offline")
        return took


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[2].split(",")]
    print(json.dumps([run(sys.argv[1], size, sys.argv[3:]) for size in sizes]))
