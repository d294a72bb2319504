"""A claim that leaves the wiki takes its words along: no other page repeats them."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki, answer, claim

from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import claim_refs, without_claims

SECRET = "The vault opens with seven turns of the brass key."
OTHER = "The vault was built by Ann in 1920."
TEXT = f"# Vault\n\n{SECRET}\n{OTHER}\n"
VAULT, KEY, LEDGER = "wiki/concepts/Vault.md", "wiki/concepts/Key.md", "wiki/sources/vault-md.md"


def subject(name: str) -> dict[str, object]:
    return {"name": name, "kind": "concept", "description": f"A {name}.", "lead": f"A {name}."}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    secret = claim("Vault", SECRET, lines=(3, 3), also=["Key"])
    other = claim("Vault", OTHER, lines=(4, 4))
    said = answer([secret, other], subjects=[subject("Vault"), subject("Key")])
    wiki.learn("raw/vault.md", TEXT, said)
    ident = next(i for i, (_p, c) in wiki.claims().items() if c.text == SECRET)
    mine = claim("Key", "A key of brass has a handle.", lines=(3, 3))
    mine["links"] = [
        {"to": ident, "how": "supports", "why": "x"},
        {"to": ident, "how": "contradicts", "why": "they differ"},
    ]
    told = answer([mine], subjects=[subject("Key")])
    wiki.learn("raw/key.md", "# Key\n\nA key of brass has a handle.\n", told)
    return wiki


def repeated(wiki: Wiki) -> list[str]:
    """The pages of HEAD that hold five words of the secret in a row."""
    words = SECRET.rstrip(".").split()
    runs = [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]
    found = [wiki.git("grep", "-l", "-F", run, "HEAD", "--", "wiki", ok=(0, 1)) for run in runs]
    return sorted({path.partition(":")[2] for said in found for path in said.split()})


def test_a_claim_that_a_person_deleted(wiki: Wiki) -> None:
    assert repeated(wiki) == [VAULT]
    page = wiki.pages()[VAULT]
    gone = next(c for c in page.claims if c.text == SECRET)
    lines = page.text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.endswith(gone.id))
    wiki.put(VAULT, "\n".join([*lines[:at], *lines[at + 3 :]]))
    wiki.git("commit", "-qam", "a person takes it out")
    wiki.put("raw/vault.md", TEXT.replace(SECRET + "\n", "") + "More.\n")
    wiki.ok("ingest", "raw/vault.md", "--model", "offline")
    assert repeated(wiki) == []
    assert gone.id in wiki.read(LEDGER)
    wikikit.check(wiki)


def test_a_claim_that_an_undo_takes_out(wiki: Wiki) -> None:
    first = wiki.git("log", "--format=%(trailers:key=Wiki-Id,valueonly,separator=)").split()[1]
    wiki.ok("undo", first)
    assert repeated(wiki) == []
    assert [c.text for _p, c in wiki.claims().values()] == ["A key of brass has a handle."]
    wikikit.check(wiki, dangling=True)


def test_what_goes_with_a_claim_that_goes() -> None:
    gone, stays = "c-" + "0" * 10, "c-" + "1" * 10
    text = (
        f"# X\n\n- ~~Old.~~ → [[P#^{gone}|P]] ^{stays}\n"
        f"  - (stance: measured; updated by: [[P#^{gone}|P]])\n"
        f"- A note. ^n-{'2' * 10}\n  - from: [[P#^{gone}|P]]; [[Q]]\n"
    )
    page = without_claims(Page.parse("wiki/concepts/X.md", text), {gone})
    assert page.text == (
        f"# X\n\n- ~~Old.~~ → [[P#^{gone}|P]] ^{stays}\n  - (stance: measured)\n"
        f"- A note. ^n-{'2' * 10}\n  - from: [[P#^{gone}|P]]; [[Q]]\n"
    )
    assert not claim_refs(page)


def _two(wiki: Wiki) -> None:
    """Two sources; the claim of the second links to the page that the first made."""
    wiki.learn(
        "raw/kettle.md",
        "# On copper\n\nA Copper Kettle is made of one sheet.\n",
        answer(
            [claim("Copper Kettle", "A Copper Kettle is made of one sheet.", lines=(3, 3))],
            subjects=[subject("Copper Kettle")],
        ),
    )
    said = "Ann owns a copper kettle of 1890."
    wiki.learn(
        "raw/ann.md",
        f"# On Ann\n\n{said}\n",
        answer(
            [claim("Ann", said, lines=(3, 3))],
            subjects=[{**subject("Ann"), "lead": "Ann owns a copper kettle."}],
        ),
    )


ANN, KETTLE = "wiki/concepts/Ann.md", "wiki/concepts/Copper Kettle.md"


def test_links_to_a_page_that_an_undo_takes_out_become_words(wiki: Wiki) -> None:
    _two(wiki)
    before = wiki.pages()[ANN]
    assert "[[Copper Kettle|copper kettle]]" in before.lead
    first = wiki.ok("log", "--json").json["operations"][1]["id"]
    wiki.ok("undo", first)
    after = wiki.pages()[ANN]
    assert KETTLE not in wiki.files()
    assert "[[Copper Kettle" not in after.text
    assert after.claims[0].text == before.claims[0].text
    assert after.lead_is_tools
    assert "WK101" not in wiki.run("lint").out
    wikikit.check(wiki)
