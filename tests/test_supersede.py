"""Claims that took the place of others: one by one, in chains, in circles."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki, answer, check, claim

SENTENCES = ("The pump has one valve.", "The pump has two valves.", "The pump has three valves.")
FOURTH = "The pump has four valves."
PAGE = "wiki/concepts/Pump.md"


def pump(wiki: Wiki) -> None:
    lines = [*SENTENCES, FOURTH]
    text = "# Pump\n\n" + "\n".join(lines) + "\n"
    claims = [claim("Pump", line, lines=(at, at)) for at, line in enumerate(lines, start=3)]
    wiki.learn("raw/pump.md", text, answer(claims))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, pump)


def ids(wiki: Wiki) -> list[str]:
    """Of one, two, three, four valves."""
    return [wiki.claim(f"has {n}").id for n in ("one", "two", "three", "four")]


# --- arrows --------------------------------------------------------------------------------


def test_a_person_says_that_one_claim_took_the_place_of_another(wiki: Wiki) -> None:
    one, two, *_ = ids(wiki)
    before = wiki.files()
    would = wiki.ok("supersede", one, two, "--dry-run").out
    assert would.startswith(f"would strike ^{one}") and wiki.files() == before
    done = wiki.ok("supersede", f"^{one}", two, "--json").json
    assert (done["old"]["id"], done["new"]["id"], done["led_on"]) == (one, two, [])
    assert f"~~“{SENTENCES[0]}” [^pump-md]~~ → [[Pump#^{two}|Pump]] ^{one}" in wiki.read(PAGE)
    assert wiki.trailer("Wiki-Supersedes") == f"{one} {two}" and wiki.trailer("Wiki-Op") == "edit"
    check(wiki)
    assert "superseded by" in wiki.ok("context", "pump", "valve").out
    head = wiki.head
    assert "already" in wiki.ok("supersede", one, two).out and wiki.head == head
    wiki.ok("undo")
    assert wiki.claims()[one][1].successor is None
    check(wiki)


def test_a_newcomer_leads_its_chain_on(wiki: Wiki) -> None:
    one, two, three, four = ids(wiki)
    wiki.ok("supersede", one, two)
    done = wiki.ok("supersede", two, three, "--json").json
    assert done["led_on"] == [one]
    wiki.ok("supersede", three, four)
    claims = wiki.claims()
    assert all(f"#^{four}|" in claims[each][1].successor for each in (one, two, three))
    check(wiki)


def test_what_cannot_be_is_refused(wiki: Wiki) -> None:
    one, two, three, _four = ids(wiki)
    wiki.ok("supersede", one, two)
    head = wiki.head
    for args, code, said in (
        ((one, three), 3, "struck already"),
        ((three, one), 3, f"wiki supersede {three} {two}"),
        ((three, three), 2, "itself"),
        (("c-0000000000", three), 2, "no such claim"),
        ((three, "nonsense"), 2, "no such claim"),
    ):
        done = wiki.run("supersede", *args)
        assert (done.code, said in done.err) == (code, True), (args, done)
    assert wiki.head == head
