"""No pattern takes more than time in proportion to the text it is used on, whoever wrote that.

Every compiled pattern of the package is found, in values and in calls of `re`, and driven in the
ways it is used over texts made from itself. A pattern added tomorrow is driven tomorrow.
"""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from longform import seldom
from pattern_probes import probes
from patternkit import USES, Discovery, Found

from llmwiki.core.secrets import commands_and_addresses, key_shapes
from llmwiki.sources import names_that_mean_one

WORKER = Path(__file__).with_name("pattern_probes.py")
DEADLINE = 30.0
"""Seconds for one probe on a busy machine; a linear pattern takes some thousandths."""
SHORT = 0.5
"""The same where a pattern is known to be bad."""
MADE: dict[str, list[dict[str, Any]]] = {
    "llmwiki.core.quick_to_load.LazyPattern.__getattr__": [],
    "llmwiki.memory.redact_sessions._pattern": [
        {
            "before": rb"(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))",
            "text": rb"aa(?: |\\n|\\t|\\r){1,8}b",
            "behind": rb"(?![0-9A-Za-z])",
        }
    ],
    "llmwiki.core.prompt_injection._telling": [],
    "llmwiki.models.errors.scrub": [{"secret": "aa.b"}],
    "llmwiki.pages.linked_text._mentions": [{"words": "Aa b", "flags": 0}],
    "llmwiki.pages.line_patterns.Closers.behind": [{"end": "``"}],
    "llmwiki.git.refs._packed": [{"ref": "refs/heads/main"}],
    "llmwiki.query.retrieval.question_parts._but": [{"name": "Aa b"}],
    "llmwiki.query.retrieval.passage_score.Scorer.__init__": [
        {"listed": r"a(?<![a-z0-9].)a|b(?<![a-z0-9].)", "subject": r"a\ b", "says": "is|are"}
    ],
    "llmwiki.sources.formats._by_bytes": [{"magic": rb"PK\x03\x04"}],
    "llmwiki.core.secrets.key_shapes._compiled": [
        {"source": sought.source, "flags": sought.flags}
        for table in (commands_and_addresses.CARRIERS, key_shapes.SHAPES)
        for sought in table
    ],
    "llmwiki.sources.names_that_mean_one._shapes": [
        {"between": between, "after": after} for between, after in names_that_mean_one._SHAPES
    ],
}
"""Functions that make a pattern from values of their own, and such values. Where none are given,
the patterns it makes are held in tables, and found there."""
DRIVEN: dict[tuple[str, str], tuple[str, ...]] = {
    ("llmwiki.core.secrets.key_shapes._compiled", "source"): ("finditer",),
    ("llmwiki.sources.names_that_mean_one._shapes", "between"): ("fullmatch",),
    ("llmwiki.sources.names_that_mean_one._shapes", "after"): ("match",),
    ("llmwiki.sources.names_that_mean_one._shapes", "_DENIED"): ("search",),
}
"""How patterns are used that a function hands out: function, and what it compiles."""


class Worker:
    """A process that drives patterns, and is ended where one does not end."""

    def __init__(self, *, every: bool, deadline: float) -> None:
        self._deadline = deadline
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), *(["every"] if every else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._told.put(json.loads(line))

    def drive(self, found: Found, uses: list[str]) -> tuple[list[dict[str, Any]], bool]:
        """What was found of one pattern, and whether it came to an end."""
        binary = isinstance(found.pattern, bytes)
        source = found.pattern.decode("latin-1") if binary else found.pattern
        job = {"pattern": source, "bytes": binary, "flags": found.flags, "uses": uses}
        assert self._process.stdin
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        bad, last = [], {"use": uses[0], "probe": "the first"}
        deadline = DEADLINE  # The worker may have to start first.
        while True:
            try:
                told = self._told.get(timeout=deadline)
            except queue.Empty:
                return [*bad, {**last, "ratio": "no end"}], False
            if "done" in told:
                return bad, True
            if "ratio" in told:
                bad.append(told)
            last, deadline = told, self._deadline

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()


def slow(
    patterns: Iterable[Found], *, every: bool = False, deadline: float = DEADLINE
) -> list[str]:
    """What each pattern that does not keep to proportion was slow on."""
    bad: list[str] = []
    worker = Worker(every=every, deadline=deadline)
    try:
        for found in patterns:
            uses = sorted(found.uses)
            while uses:
                told, ended = worker.drive(found, uses)
                bad += [
                    f"{' = '.join(found.places)}: {one['use']} over {one['probe']} takes "
                    f"{one['ratio']} times as long for four times the length"
                    for one in told
                ]
                if ended:
                    break
                uses = uses[uses.index(told[-1]["use"]) + 1 :]
                worker.close()
                worker = Worker(every=every, deadline=deadline)
    finally:
        worker.close()
    return bad


@pytest.fixture(scope="module")
def discovery() -> Discovery:
    return Discovery(MADE, DRIVEN)


def test_every_pattern_is_found(discovery: Discovery) -> None:
    assert discovery.unknown == set()
    places = {place.partition(":")[0] for f in discovery.found.values() for place in f.places}
    # One of each kind: a value, a table, an attribute of a class, one in a call, a made one.
    assert {
        "llmwiki.pages.frontmatter._KEY",
        "llmwiki.core.language.name_keys._SPELLINGS",
        "llmwiki.core.secrets.key_shapes._compiled",
        "llmwiki.git.refs._packed",
        "llmwiki.core.prompt_injection._TELLINGS",
        "llmwiki.pages.linked_text._mentions",
    } <= places
    assert len(discovery.found) > 600


def test_no_pattern_takes_more_than_time_in_proportion(discovery: Discovery) -> None:
    assert slow(discovery.found.values()) == []


@pytest.mark.soak
def test_no_pattern_takes_more_than_time_in_proportion_to_any_probe(discovery: Discovery) -> None:
    assert slow(discovery.found.values(), every=True) == []


BAD = {
    # One line ends in two ways, so many lines in as many as two to their number.
    r"\s{1,200}---[ \t\r]*\n(?:\w{1,99}[ \t]*:(?: .{0,500})?\r?\n){2,50}---\n": "match",
    r"(?:[0-9]+[\s:/-]*)+": "fullmatch",
    r"(\d*\.?\d*)([KMGTP]i?)b\Z": "match",
    r"\s*[(][^()]*[)]\s*$": "search",
    r"\d+x": "finditer",
    r"\w+://\S+": "finditer",
    r"(`+)(?!`).*?(?<!`)\1(?!`)": "finditer",
    r"<!--.*?-->": "finditer",
    r"^(\s*\w+\s*)=(\s*.*?)\s*$": "match",
    r"[\w.]+@[\w.]+\.\w+": "search",
}
"""Patterns as they are written by people who think of texts that fit."""


@pytest.mark.parametrize("pattern", seldom(BAD, [*BAD][1::2]))
def test_the_probes_find_a_bad_pattern(pattern: str) -> None:
    found = Found(pattern, re.compile(pattern).flags, ["here"], {BAD[pattern]})
    assert len(slow([found], deadline=SHORT)) == 1


@pytest.mark.parametrize(
    "pattern", [r"(?<!\d)\d++x", r"a{1,200}b", r"(?<!\s)\s++$", r"<[^<>]*>", r"\A(.*\S)\s*+\Z"]
)
def test_the_probes_leave_a_good_pattern_alone(pattern: str) -> None:
    assert slow([Found(pattern, re.compile(pattern).flags, ["here"], {*USES})]) == []


def test_a_probe_is_about_as_long_as_it_shall_be() -> None:
    for of in probes(re.compile(r"(?:a|bc)+\d*x"), every=True):
        assert 900 <= len(of(1_000)) <= 1_100
