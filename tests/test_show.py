"""`wiki show`: from a claim or a line number to the words of the source."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, claim

GREEN = "Green tea is steeped at 80 degrees for two minutes."
LINES = """\
  2
  3  Tea is an infusion of the leaves of Camellia sinensis in hot water.
  4
> 5  - Green tea is steeped at 80 degrees for two minutes.
  6  - Black tea is steeped at 95 degrees for four minutes.
  7
  8  Camellia sinensis is an evergreen shrub of East Asia.
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def grow(made: Wiki) -> None:
    made.learn("raw/tea.md", NOTE, answer([claim("Green tea", GREEN, lines=(5, 5))]))


@pytest.mark.parametrize("name", ["tea-md#L5", "raw/tea.md#L5", "tea-md#L5-5"])
def test_lines_of_a_source(wiki: Wiki, name: str) -> None:
    assert wiki.ok("show", name).out == f"raw/tea.md L5\n{LINES}"


def test_a_claim_with_the_lines_it_quotes(wiki: Wiki) -> None:
    (ident,) = wiki.claims()
    shown = wiki.ok("show", ident).out
    assert shown == (f"{GREEN} ^{ident}\nwiki/concepts/Green tea.md\n\nraw/tea.md L5\n{LINES}")
    assert wiki.ok("show", ident, "--json").json["path"] == "wiki/concepts/Green tea.md"


def test_a_converted_source_shows_its_numbered_text(wiki: Wiki) -> None:
    wiki.put("raw/data.csv", "name,price\nMate,4\n")
    wiki.ok("ingest", "raw/data.csv", "--model", "offline")
    shown = wiki.ok("show", "raw/data.csv#L2").out
    assert shown.startswith("raw/data.csv L2 of its text\n> 2  ")


def test_what_is_not_there(wiki: Wiki) -> None:
    assert "8 lines" in wiki.run("show", "tea-md#L99").err
    assert wiki.run("show", "nowhere-md#L1").code == 2
    (ident,) = wiki.claims()
    wiki.put("raw/tea.md", "# Other\n")
    wiki.git("commit", "-qam", "a person changes it")
    done = wiki.run("show", "tea-md#L5")
    assert done.code == 2 and "wiki ingest raw/tea.md" in done.err
    assert f"“{GREEN}” — tea-md: has changed since it was ingested" in wiki.ok("show", ident).out


def test_a_retracted_source_is_said_to_be_retracted(wiki: Wiki) -> None:
    wiki.ok("retract", "raw/tea.md")
    done = wiki.run("show", "tea-md#L5")
    assert done.code == 2 and "was retracted" in done.err and "wiki ingest" not in done.err
