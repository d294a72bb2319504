"""What changes the meaning of a claim is told wherever the claim is."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import answer, claim

from llmwiki.pages.page import Page

PATH = "wiki/concepts/Anvil.md"
NOTE = """# Anvil

It is not true that Anvil loses data in a power cut.
In test 6 Anvil takes twice as long after a restart.
Anvil lifts 80 tonnes.
"""


def test_stance_scope_and_speaker_are_in_every_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    denied = claim("Anvil", "Anvil loses data in a power cut.", lines=(3, 3))
    denied["evidence"] = [{"quote": "It is not true that Anvil loses data in a power cut."}]
    slow = claim("Anvil", "Anvil takes twice as long after a restart.", lines=(4, 4))
    lifts = claim("Anvil", "Anvil lifts 80 tonnes.", lines=(5, 5))
    done = wiki.learn("raw/anvil.md", NOTE, answer([
        {**denied, "id": "k1", "stance": "rejected", "speaker": "Bob"},
        {**slow, "id": "k2", "stance": "measured", "scope": "in a test"},
        {**lifts, "id": "k3", "key": "load", "value": "80 tonnes"},
    ]))  # fmt: skip
    assert done["status"] == "ingested"
    text = wiki.read(PATH)
    assert "- **Denied:** Anvil loses data in a power cut. *(says Bob)* ^c-" in text
    assert "restart.” [^anvil-md] *(measured; scope: in a test)* ^c-" in text
    assert "- “Anvil lifts 80 tonnes.” [^anvil-md] *(load = 80 tonnes)* ^c-" in text
    assert Page.parse(PATH, text).text == text
    ident = next(c.id for c in wiki.pages()[PATH].claims if "power" in c.text)
    asked = "Does Anvil lose data in a power cut?"
    for shown in (
        wiki.ok("show", "Anvil").out,
        wiki.ok("diff", "HEAD~1..HEAD").out,
        wiki.ok("diff", "HEAD~1..HEAD", "--format", "markdown").out,
        wiki.ok("why", ident).out,
        wiki.ok("context", asked).out,
        wiki.ok("query", asked, "--model", "offline").out,
    ):
        line = next(each for each in shown.split("\n") if "loses data in a power cut" in each)
        assert "denied" in line.lower(), line
    wiki.edit(PATH, "**Denied:** ", "")
    told = wiki.ok("diff", "HEAD~1..HEAD").out
    assert "nothing" not in told and "stance" in told


def test_a_page_is_shown_with_its_values_and_what_is_told_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    said = ("Anvil lifts 80 tonnes.", "Anvil lifts 60 tonnes in frost.", "Iris doubts Anvil.")
    claims = [
        {**claim("Iris" if n == 5 else "Anvil", words, lines=(n, n)), "id": f"k{n}"}
        for n, words in enumerate(said, 3)
    ]
    claims[0] |= {"key": "load", "value": "80 tonnes"}
    claims[1] |= {"key": "load", "value": "60 tonnes", "scope": "in frost"}
    claims[2] |= {"also": ["Anvil"], "stance": "rejected"}
    wiki.learn("raw/anvil.md", "# Anvil\n\n" + "\n".join(said) + "\n", answer(claims))
    shown = wiki.ok("show", "Anvil").out
    assert "| load | 60 tonnes | in frost | [[Anvil#^c-" in shown
    assert "- denied: Iris doubts Anvil. [[Iris#^c-" in shown
    assert "“Anvil lifts 80 tonnes.” [^anvil-md] L3 *(load = 80 tonnes)* ^c-" in shown
    assert "L3" not in wiki.read(PATH)
