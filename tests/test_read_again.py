"""A source that is read once more: nothing that was read before goes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, Request
from wikikit import Wiki, answer, check, claim, sha

LEAF = "Oolong is a tea whose leaves are partly oxidised."
HEAT = "Oolong is steeped at 90 degrees for three minutes."
HARVEST = "Oolong is picked in the spring and in the winter."
PRICE = "Oolong costs more than most green teas in Taiwan."
TEXT = f"# Oolong\n\n{LEAF}\n\n{HEAT}\n\n{HARVEST}\n\n{PRICE}\n"


@pytest.fixture
def oolong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, _read_offline)


def _read_offline(made: Wiki) -> None:
    made.put("raw/oolong.md", TEXT)
    made.ok("ingest", "raw/oolong.md", "--model", "offline")


def _answer(*claims: dict[str, Any]) -> dict[str, Any]:
    return answer(claims, source={"sha256": sha(TEXT), "segment": [1, 1]})


def _read_again(wiki: Wiki, *claims: dict[str, Any]) -> Any:
    assert "Oolong" in wiki.prepare("raw/oolong.md", "--again")
    done = wiki.apply(_answer(*claims))
    assert done.code == 0, done
    return done.operation


def test_what_is_said_again_keeps_its_id_and_nothing_goes(oolong: Wiki) -> None:
    before = oolong.claims()
    leaf = oolong.claim(LEAF)
    said = "Oolong leaves are partly oxidised."
    told = _read_again(
        oolong, claim("Oolong", LEAF, lines=(3, 3)), claim("Oolong", said, LEAF, lines=(3, 3))
    )
    assert told["status"] == "ingested"
    after = oolong.claims()
    assert oolong.claim(LEAF).id == leaf.id
    assert before.keys() <= after.keys() and len(after) == len(before) + 1
    check(oolong)
    assert not oolong.ok("lint", "--fail-on", "never").out.count("WK2")
    oolong.ok("undo")
    assert oolong.claims().keys() == before.keys()
    check(oolong)


def test_the_first_reading_is_not_undone_below_a_later_one(oolong: Wiki) -> None:
    first = oolong.trailer("Wiki-Id")
    before = oolong.claims().keys()
    _read_again(oolong, claim("Oolong", "Oolong has a price.", PRICE, lines=(9, 9)))
    later = oolong.trailer("Wiki-Id")
    done = oolong.run("undo", first)
    assert done.code and f"wiki undo {later}" in done.err and "read again since" in done.err
    oolong.ok("undo", later)
    oolong.ok("undo", first)
    assert not oolong.claims()
    check(oolong)
    oolong.ok("undo")
    assert oolong.claims().keys() == before


def test_readings_side_by_side_do_not_bar_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.git("branch", "other")
    _read_offline(wiki)
    mine = wiki.trailer("Wiki-Id")
    wiki.git("checkout", "-q", "other")
    wiki.ok("remember", "The teas are in the pantry.")
    _read_offline(wiki)
    theirs = wiki.trailer("Wiki-Id")
    wiki.git("checkout", "-q", "-")
    wiki.git("merge", "-q", "--no-edit", "other")
    assert mine != theirs and wiki.claims()
    wiki.ok("undo", theirs)
    wiki.ok("undo", mine)
    assert not wiki.claims()
    check(wiki)


def test_the_same_reading_again_changes_nothing(oolong: Wiki) -> None:
    count, pages = oolong.count(), oolong.files()
    told = oolong.ok("ingest", "--again", "raw/oolong.md", "--model", "offline").out
    assert "skipped" in told and "nothing came of it" in told
    assert (oolong.count(), oolong.files()) == (count, pages)
    assert "unchanged" in oolong.ok("ingest", "raw/oolong.md").out
    without = oolong.run("ingest", "raw/oolong.md", "--prepare")
    assert "--again reads it" in without.err and not without.out


def test_who_has_a_model_now_is_told_what_it_has_not_read(
    oolong: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--again" not in oolong.ok("status").out
    assert "--again" not in oolong.ok("ingest", "raw").err
    assert "Missing argument" in oolong.run("ingest").err
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    hint = "wiki ingest --again: 1 source was read without a model"
    assert hint in oolong.ok("status").out
    assert oolong.ok("status", "--json").json["sources"]["to_read_again"] == ["raw/oolong.md"]
    hint = "1 source was read without a model: wiki ingest --again raw/oolong.md"
    assert hint in oolong.ok("ingest", "raw/oolong.md").err
    # Without a path those are meant, wherever one stands.
    assert (
        "raw/oolong.md"
        in oolong.ok("-C", str(oolong.root / "raw"), "ingest", "--again", "--prepare").out
    )
    done = oolong.apply(_answer(claim("Oolong", HEAT, lines=(5, 5))))
    assert done.code == 0, done
    assert "--again" not in oolong.ok("status").out + oolong.ok("ingest", "raw").err
    assert "no source was read without" in oolong.run("ingest", "--again").err


def test_a_folder_read_again_brings_back_nothing_that_was_retracted(oolong: Wiki) -> None:
    oolong.put("raw/kettle.md", "# Kettle\n\nThe kettle is a vessel of two litres.\n")
    oolong.ok("ingest", "raw", "--model", "offline")
    oolong.ok("retract", "raw/oolong.md")
    for named in (("raw",), ()):
        done = oolong.ok("ingest", "--again", *named, "--model", "offline")
        assert not named or "raw/kettle.md" not in done.out, "nothing came of it"
        assert all("Oolong" not in c.text for _path, c in oolong.claims().values())
    assert "raw/kettle.md" in oolong.ok("ingest", "--again", "raw", "--prepare").out
    oolong.ok("ingest", "--again", "raw/oolong.md", "--model", "offline")
    assert oolong.claim(LEAF)


def test_a_model_reads_again_what_none_has_read(oolong: Wiki) -> None:
    oolong.put("raw/kettle.md", "# Kettle\n\nThe kettle is a vessel of two litres.\n")
    oolong.ok("ingest", "raw", "--model", "offline")

    def read(request: Request) -> dict[str, Any]:
        is_kettle = "two litres" in request.text
        said = "The kettle is a vessel of two litres." if is_kettle else HARVEST
        line = 3 if is_kettle else 7
        told = _answer(claim("Kettle" if is_kettle else "Oolong", said, lines=(line, line)))
        found = re.search(r"^Job: (.*)$", request.text, re.MULTILINE)
        assert found
        told["source"] = json.loads(found[1])["source"]
        return {key: value for key, value in told.items() if key != "schema"}

    with FakeMessages(read) as server:
        model = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k", "LLMWIKI_MODEL": "m"}
        oolong.env.update(model)
        done = oolong.ok("ingest", "--again")
        assert "2 sources: 2 ingested" in done.out and len(server.requests) == 2
        assert "no source was read without" in oolong.run("ingest", "--again").err
    assert {HARVEST, "The kettle is a vessel of two litres."} <= {
        c.text for _path, c in oolong.claims().values()
    }
    check(oolong)


def test_a_reading_without_a_model_keeps_the_lead_of_another_while_it_is_so(oolong: Wiki) -> None:
    path = "wiki/sources/oolong-md.md"
    _read_again(oolong, claim("Oolong", LEAF, lines=(3, 3)))
    oolong.put("raw/oolong.md", f"{TEXT}\nOolong keeps for two years.\n")
    oolong.ok("ingest", "raw/oolong.md", "--model", "offline")
    assert oolong.read(path).count("What tea is.") == 2
    oolong.put("raw/oolong.md", TEXT.replace(LEAF, "Oolong is a half black tea."))
    oolong.ok("ingest", "raw/oolong.md", "--model", "offline")
    assert "What tea is." not in oolong.read(path)
    check(oolong)
