"""Pages and sources that are long in one thing hold no command: time grows with their length.

A pull request may bring any page and any source, and a continuous integration must come to an end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import wikikit
from hostile_lengths import ON_PAGES, PAGES, SOURCES

from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.text import LONGEST_NAME
from llmwiki.pages.markdown_blocks import prose
from llmwiki.pages.page_file_names import MAX_STEM_BYTES, file_name

PROGRAM = Path(__file__).with_name("hostile_lengths.py")
DEADLINE = 300
"""Seconds for all commands over all of these on a busy machine; they take some seconds."""
LEAST = 0.3
"""Processor seconds below which a difference is chance."""
WORST = 8.0
"""Times as long for four times the length: between 4 in proportion and 16 for its square."""
SHORT = "\n---\r\n" + "k: v\r\n" * 45
"""276 bytes: each line ends in one of two ways to a pattern that is not careful."""


def too_slow(kind: str, size: int, *names: str) -> list[str]:
    """The commands whose time outgrows the length of what they read, asked again to be sure."""
    found = _measured(kind, size, names)
    return [*_measured(kind, size, names).values()] if found else []


def _measured(kind: str, size: int, names: Sequence[str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), kind, f"50,50,{size},{4 * size}", *names],
        capture_output=True,
        timeout=DEADLINE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    # The first run pays for what is imported, the second shows what the commands take anyway.
    _, base, few, many = json.loads(done.stdout)
    found = {}
    for command, took in many.items():
        before = max(few[command] - base[command], LEAST)
        if took - base[command] > WORST * before:
            found[command] = f"{command} over {names}: {before:.2f} s, then {took:.2f} s"
    return found


def test_commands_keep_to_proportion_over_hostile_pages() -> None:
    assert too_slow("pages", 4_000, *list(PAGES)[::4]) == []


def test_ingest_keeps_to_proportion_over_hostile_sources() -> None:
    # Those that are read as they are; a conversion is a process each.
    plain = [name for name in SOURCES if name.endswith((".md", ".txt"))]
    assert too_slow("sources", 4_000, *plain[::5]) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_a_long_hostile_page_holds_no_command(name: str) -> None:
    assert too_slow("pages", 50_000, name) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", SOURCES)
def test_a_long_hostile_source_holds_no_ingest(name: str) -> None:
    assert too_slow("sources", 250_000, name) == []


def test_a_short_page_holds_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.put("wiki/concepts/Short.md", SHORT)
    assert len(SHORT) == 276
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "a short page")
    for command in ON_PAGES:
        with wiki.spawn(*command) as process:
            process.communicate(timeout=120)
            assert process.returncode in (0, 1, 2), command


# --- what is longer than a bound ----------------------------------------------------------------


def test_names_longer_than_the_bound_are_told_apart_by_the_rest() -> None:
    long = "Tea " * LONGEST_NAME
    assert folded_key(long + "one") != folded_key(long + "two")
    assert folded_key(long + "one") == folded_key("  " + long.upper().replace(" ", "  ") + "ONE ")
    assert folded_key("7" * 50_000) != folded_key("7" * 50_001)
    assert len(folded_key("7" * 50_000)) < 2 * LONGEST_NAME


def test_blanks_make_no_name_long() -> None:
    assert folded_key("Green" + " " * 50_000 + "tea") == folded_key("green tea")


def test_a_long_title_has_a_file_name() -> None:
    assert len(file_name("." * 50_000 + "a").encode()) <= MAX_STEM_BYTES
    assert file_name("7" * 50_000) == "7" * MAX_STEM_BYTES


def test_what_is_nested_deeper_than_the_bound_is_prose() -> None:
    for mark in ("> ", "- "):
        text = mark * 5_000 + "[[a]]\n"
        ((line,),) = prose(text)
        assert text[slice(*line)].endswith("[[a]]")
