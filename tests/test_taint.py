"""What rests on a source, and by which way."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from test_retract import RAW, RUMOUR, SHRUB, STEEPED, TEA, both
from wikikit import Wiki


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, both)


def test_what_quotes_a_source_and_what_rests_on_that(wiki: Wiki) -> None:
    wiki.ok("query", "Where was black tea first drunk?", "--model", "offline", "--save")
    told = wiki.ok("why", "--rests", RAW, "--json").json
    by_text = {item["text"]: item for item in told["items"] if item["id"].startswith("c-")}
    assert told["name"] == RAW
    rumour, shared, struck = by_text[RUMOUR], by_text[STEEPED], by_text[SHRUB]
    assert (rumour["depth"], rumour["alone"], rumour["via"]) == (1, True, [])
    assert (shared["depth"], shared["alone"]) == (1, False)
    assert (struck["depth"], struck["how"]) == (2, "was struck for")
    assert struck["via"] == [rumour["id"]]
    notes = [item for item in told["items"] if item["id"].startswith("n-")]
    assert notes and all(item["depth"] == 2 and item["how"] == "cites" for item in notes)
    assert any(rumour["id"] in item["via"] for item in notes)
    assert set(told["pages"]) == {item["page"] for item in told["items"]} >= {TEA}
    out = wiki.ok("why", "--rests", "two-md").out
    assert f"1   ^{rumour['id']}" in out and f"1 + ^{shared['id']}" in out
    assert f"was struck for ^{rumour['id']}" in out


def test_nothing_rests_on_what_was_taken_out_and_unknown_names_are_refused(wiki: Wiki) -> None:
    wiki.ok("retract", RAW)
    assert "nothing in the wiki rests on it" in wiki.ok("why", "--rests", RAW).out
    done = wiki.run("why", "--rests", "no-such-thing")
    assert done.code == 2 and "no such source" in done.err
