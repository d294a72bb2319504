"""What rests on a source, an operation or a model, and by which way."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from test_restrict import TEXT, grow, teas
from test_retract import RAW, RUMOUR, SHRUB, STEEPED, TEA, both
from test_review import GYOKURO, SENCHA, accept, ids, put_up
from wikikit import Wiki, answer, claim


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, both)


def test_what_quotes_a_source_and_what_rests_on_that(wiki: Wiki) -> None:
    wiki.ok("query", "Where was black tea first drunk?", "--model", "offline", "--save")
    told = wiki.ok("why", "--rests", RAW, "--json").json
    by_text = {item["text"]: item for item in told["items"] if item["id"].startswith("c-")}
    assert (told["kind"], told["name"]) == ("source", RAW)
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


def test_a_claim_that_quotes_a_day_rests_on_what_that_cites(wiki: Wiki) -> None:
    rumour = wiki.claim("Black tea").id
    note = f"- It was drunk there. ^n-0123456789\n  - from: [[Tea#^{rumour}]]\n"
    front = "---\ntype: daily\ntitle: 2026-11-20\n---\n\n# 2026-11-20\n\n## Notes\n\n"
    wiki.put("wiki/daily/2026-11-20.md", front + note)
    path = "wiki/entities/Aberdeen.md"
    text = wiki.read(path)
    mine = "- It was drunk there. ^c-0123456789\n  - “It was drunk there.” [^2026-11-20]\n"
    text = text.replace("## Claims\n\n", f"## Claims\n\n{mine}")
    wiki.put(path, text.replace("sources:\n", 'sources:\n  - "[[sources/2026-11-20]]"\n'))
    wiki.git("add", "wiki")
    wiki.git("commit", "-qm", "by hand")
    told = wiki.ok("why", "--rests", RAW, "--json").json
    (mine_told,) = [item for item in told["items"] if item["id"] == "c-0123456789"]
    assert (mine_told["depth"], mine_told["how"]) == (3, "quotes a page of")
    assert mine_told["via"] == [rumour, "n-0123456789"]


def test_an_operation_and_a_model(wiki: Wiki) -> None:
    ident = wiki.trailer("Wiki-Id")
    told = wiki.ok("why", "--rests", ident, "--json").json
    assert (told["kind"], told["operations"]) == ("operation", [ident])
    direct = {item["text"]: item["alone"] for item in told["items"] if item["depth"] == 1}
    assert direct[RUMOUR] and direct[STEEPED] is False
    told = wiki.ok("why", "--rests", "agent", "--json").json
    assert told["kind"] == "model" and len(told["operations"]) == 2
    model = wiki.ok("why", "--rests", "AGENT", "--json").json
    assert model == told
    wiki.put("raw/off.md", f"# Off\n\n{RUMOUR}\n")
    wiki.ok("ingest", "raw/off.md", "--model", "offline")
    said = answer([claim("Tea", "Tea is a thing.", "Tea is a thing.")])
    wiki.put("raw/m.md", "Tea is a thing.\n")
    wiki.prepare("raw/m.md")
    source = {"sha256": wikikit.sha("Tea is a thing.\n"), "segment": [1, 1]}
    assert wiki.apply({**said, "source": source}, "--model", "some-model").code == 0
    told = wiki.ok("why", "--rests", "some-model", "--json").json
    assert [item["text"] for item in told["items"]] == ["Tea is a thing."]


def test_nothing_rests_on_what_was_taken_out_and_unknown_names_are_refused(wiki: Wiki) -> None:
    wiki.ok("retract", RAW)
    assert "nothing in the wiki rests on it" in wiki.ok("why", "--rests", RAW).out
    done = wiki.run("why", "--rests", "no-such-thing")
    assert done.code == 2 and "nor an operation or a model" in done.err


def test_operations_of_a_squash_are_told_apart(wiki: Wiki) -> None:
    before = [row["id"] for row in wiki.ok("log", "--kind", "ingest", "--json").json["operations"]]
    told = {ident: wiki.ok("why", "--rests", ident, "--json").json for ident in before}
    model = wiki.ok("why", "--rests", "agent", "--json").json
    root = wiki.git("rev-list", "--max-parents=0", "HEAD").strip()
    messages = wiki.git("log", "--reverse", "--format=* %B", f"{root}..HEAD")
    wiki.git("reset", "-q", "--soft", root)
    wiki.git("commit", "-qm", f"All (#1)\n\n{messages}")
    assert len(before) == 2
    for ident in before:
        squashed = wiki.ok("why", "--rests", ident, "--json").json
        assert squashed["name"] == ident and squashed["operations"] == [ident]
        assert squashed["items"] == told[ident]["items"]
    assert wiki.ok("why", "--rests", "agent", "--json").json == model


def test_what_was_accepted_of_a_review_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch, grow)
    review = put_up(wiki, "raw/teas.md", TEXT, teas(wiki), "--model", "some-model")
    found = ids(wiki, review)
    accept(wiki, review, found[SENCHA])
    for name in ("some-model", review):
        told = wiki.ok("why", "--rests", name, "--json").json
        assert SENCHA in [item["text"] for item in told["items"]]
        assert told["name"] == name and len(told["operations"]) == 1
    wiki.git("merge", "-q", "--no-edit", f"wiki-review/{review}")
    told = wiki.ok("why", "--rests", "some-model", "--json").json
    assert told["operations"] == [review]
    assert {SENCHA, GYOKURO} <= {item["text"] for item in told["items"]}
