"""The life of a source: changed, renamed, deleted, twice there; and what people did meanwhile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, check, claim, sha

GREEN = "Green tea is steeped at 80 degrees for two minutes."
BLACK = "Black tea is steeped at 95 degrees for four minutes."
PAGE = "wiki/concepts/Tea.md"
LEDGER = "wiki/sources/tea-md.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def said(
    *more: dict[str, Any], lead: str = "Tea is a drink.", same_as: str | None = None
) -> dict[str, Any]:
    """A reading of NOTE that takes both times from it."""
    tea = {"name": "Tea", "kind": "concept", "description": "A drink.", "lead": lead}
    tea |= {"same_as": same_as} if same_as else {}
    tea |= {"same_as": same_as} if same_as else {}
    return answer(
        [claim("Tea", GREEN, lines=(5, 5)), claim("Tea", BLACK, lines=(6, 6)), *more], [tea]
    )


def again(
    wiki: Wiki,
    text: str | bytes,
    answered: dict[str, Any] | None = None,
    *,
    stands: bool = True,
) -> dict[str, Any]:
    """A new version of raw/tea.md, read by an agent who finds no new claim; not `stands`: a
    person's wording is on a page that no version says."""
    wiki.put("raw/tea.md", text)
    wiki.prepare("raw/tea.md")
    source = {"sha256": sha(text), "segment": [1, 1]}
    done = wiki.apply({**(answered or answer([])), "source": source})
    assert done.code == 0, done
    if stands:
        check(wiki)
    return done.operation


# --- versions ------------------------------------------------------------------------------


def test_a_version_whose_lines_moved_changes_no_page(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    before = wiki.read(PAGE)
    again(wiki, NOTE.replace("# Tea\n", "# Tea\n\nA new opening.\n\nAnd more of it.\n"))
    assert wiki.lines("Green") == [(9, 9)] and wiki.lines("Black") == [(10, 10)]
    assert wiki.read(PAGE) == before


def test_lines_that_a_summary_names_follow_the_source_and_are_nothing_but_words(
    wiki: Wiki,
) -> None:
    said = "And then, whatever {} it was that one said of it, or not, who knows?\n"
    text = "# Tea\n\nTea is a drink.\n\n" + "\n".join(said.format(n) for n in range(80))
    wiki.put("raw/tea.md", text)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    before = wiki.files()
    (first,) = re.findall(r"more in L(\d+)", wiki.read(LEDGER))
    wiki.put("raw/tea.md", text.replace("# Tea\n", "# Tea\n\n\n\n"))
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    (moved,) = re.findall(r"more in L(\d+)", wiki.read(LEDGER))
    assert int(moved) == int(first) + 3
    changed = {path for path, blob in wiki.files().items() if before.get(path) != blob}
    assert changed == {"raw/tea.md", LEDGER, "wiki/log.md"}
    wiki.edit(LEDGER, f"more in L{moved}", "more in L99999")
    assert "no issues" in wiki.ok("lint").out
    wiki.put("raw/tea.md", text)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    assert "more in L99999" in wiki.read(LEDGER), "the lead is a person's by now"


def test_a_claim_whose_text_is_gone_is_struck_and_stands_again_when_it_is_back(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    shorter = NOTE.replace(f"- {GREEN}\n", "")
    again(wiki, shorter)
    gone = wiki.claim("Green")
    assert gone.successor == f"gone in {sha(shorter)[:8]}"
    assert f"- ~~“{GREEN}” [^tea-md]~~ → gone in {sha(shorter)[:8]} ^{gone.id}\n" in wiki.read(PAGE)
    assert wiki.lines("Black") == [(5, 5)]
    assert "1 struck" in wiki.ok("status").out
    other = shorter + "\nMore.\n"
    again(wiki, other)
    assert wiki.claim("Green").successor == gone.successor, "the first version without it counts"
    again(wiki, NOTE)
    back = wiki.claim("Green")
    assert (back.id, back.successor) == (gone.id, None)
    assert wiki.lines("Green") == [(5, 5)]


@pytest.mark.parametrize("committed", [False, True])
def test_a_quote_that_a_person_reworded_is_not_struck_by_a_new_version(
    wiki: Wiki, *, committed: bool
) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    reworded = GREEN.replace("80 degrees", "about 80 degrees")
    ident = wiki.claim("Green").id
    quoted = f"“{GREEN}” [^tea-md] ^{ident}\n"
    mine = f"{reworded} ^{ident}\n  - “{reworded}” [^tea-md]\n"
    wiki.put(PAGE, wiki.read(PAGE).replace(quoted, mine))
    wiki.git("commit", "-qam", "a person's edit")
    for new in (NOTE + "\nMore.\n", NOTE.replace(f"- {GREEN}\n", ""), "# Tea\n\nA drink.\n"):
        if committed:
            wiki.put("raw/tea.md", new)
            wiki.git("commit", "-qam", "a person's commit")
        again(wiki, new, stands=False)
        held = wiki.claims()[ident][1]
        assert (held.text, held.successor) == (reworded, None)
        assert [line for line in wiki.run("lint").out.splitlines() if "WK201" in line]
    assert (wiki.claim("Black").successor or "").startswith("gone in ")


def test_another_source_that_says_what_is_gone_makes_it_stand(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    again(wiki, NOTE.replace(f"- {GREEN}\n", ""))
    wiki.learn("raw/green.md", f"{GREEN}\n", answer([claim("Tea", GREEN)]))
    held = wiki.claim("Green")
    assert held.successor is None
    assert [e.source for e in held.evidence] == ["green-md"]
    check(wiki)


def test_a_claim_with_another_source_stands_on_that_one_alone(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    wiki.learn("raw/green.md", f"{GREEN}\n", answer([claim("Tea", GREEN)]))
    assert {e.source for e in wiki.claim("Green").evidence} == {"tea-md", "green-md"}
    again(wiki, NOTE.replace(f"- {GREEN}\n", ""))
    held = wiki.claim("Green")
    assert held.successor is None and [e.source for e in held.evidence] == ["green-md"]


@pytest.mark.parametrize("first", [b"\n", b"\r\n"])
def test_line_ends_may_change(wiki: Wiki, first: bytes) -> None:
    one = NOTE.encode().replace(b"\n", first)
    two = NOTE.encode() if first == b"\r\n" else NOTE.encode().replace(b"\n", b"\r\n")
    wiki.put("raw/tea.md", one)
    wiki.ok("ingest", "raw/tea.md")
    assert wikikit.gitkit_bytes(wiki, wiki.files()["raw/tea.md"]) == one
    claims = {i: (c.successor, c.evidence) for i, (_p, c) in wiki.claims().items()}
    wiki.put("raw/tea.md", two)
    operation = wiki.ok("ingest", "raw/tea.md", "--json").operation
    assert operation["claims_added"] == 0 and operation["status"] == "ingested"
    assert {i: (c.successor, c.evidence) for i, (_p, c) in wiki.claims().items()} == claims
    assert "\r" not in wiki.read("wiki/sources/tea-md.md")
    check(wiki)


def test_another_value_in_a_new_version_is_another_claim(wiki: Wiki) -> None:
    old = "# Tea\n\nThere are two shops.\nThey open at nine.\n"
    both = ("There are two shops.", "They open at nine.")
    first = claim("Tea", "There are two shops.", *both, key="shops", value="two", lines=(3, 4))
    wiki.learn("raw/tea.md", old, answer([first]))
    new = old.replace("two shops", "three shops")
    both = ("There are three shops.", "They open at nine.")
    second = claim("Tea", "There are three shops.", *both, key="shops", value="three", lines=(3, 4))
    again(wiki, new, answer([second]))
    assert wiki.claim("There are three shops.").slot == ("shops", "three")
    assert all("three" not in e.quote for e in wiki.claim("There are two shops.").evidence)
    check(wiki)


def test_the_same_reading_of_a_new_version_adds_no_claim(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    operation = again(wiki, "An opening.\n\n" + NOTE, said())
    assert operation["claims_added"] == operation["evidence_added"] == 0
    assert wiki.lines("Green") == [(7, 7)]


# --- names ---------------------------------------------------------------------------------


def test_a_renamed_source_keeps_its_ledger_and_claims(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    ids = wiki.claims().keys()
    (wiki.root / "raw/drinks").mkdir()
    (wiki.root / "raw/tea.md").rename(wiki.root / "raw/drinks/leaf.md")
    done = wiki.ok("ingest", "raw/drinks/leaf.md", "--json").operation
    assert done["status"] == "ingested"
    assert wiki.claims().keys() >= ids and list(wiki.pages()).count(LEDGER) == 1
    assert not any(p.startswith("wiki/sources/drinks") for p in wiki.pages())
    for page in (PAGE, LEDGER):
        assert "raw/drinks/leaf.md" in wiki.read(page) and "raw/tea.md" not in wiki.read(page)
    assert "raw/drinks/leaf.md" in wiki.read(PAGE).split("[^tea-md]: ")[1]
    assert "It was raw/tea.md before." in wiki.git("log", "-1", "--format=%B")
    assert "raw/tea.md" not in wiki.files() and wiki.status == ""
    check(wiki)
    assert wiki.ok("ingest", "raw/drinks/leaf.md", "--json").operation["status"] == "skipped"
    wiki.put("raw/drinks/leaf.md", NOTE + "\nMore.\n")
    wiki.ok("ingest", "raw/drinks/leaf.md")
    assert LEDGER in wiki.pages() and len([p for p in wiki.pages() if "/sources/" in p]) == 1
    check(wiki)


def test_a_source_that_was_moved_and_changed_is_the_same_source(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    ids = wiki.claims().keys()
    wiki.git("mv", "raw/tea.md", "raw/leaf.md")
    wiki.git("commit", "-qm", "moved by hand")
    wiki.put("raw/leaf.md", NOTE.replace("four minutes", "five minutes") + "\nMore of tea.\n")
    wiki.put("raw/other.md", "# Tea\n\nTea is drunk all over the world by most people.\n")
    wiki.ok("ingest", "raw/leaf.md", "--model", "offline")
    assert "It was raw/tea.md before." in wiki.git("log", "-1", "--format=%B")
    assert len(wiki.claims().keys() & ids) == len(ids)
    quotes = [e.quote for _path, c in wiki.claims().values() if not c.successor for e in c.evidence]
    assert len(set(quotes)) == len(quotes) and any("five" in quote for quote in quotes)
    assert [p for p in wiki.pages() if "/sources/" in p] == [LEDGER]
    check(wiki)
    wiki.ok("ingest", "raw/other.md", "--model", "offline")
    assert len([p for p in wiki.pages() if "/sources/" in p]) == 2, "it says nothing of the other"
    check(wiki)


def test_a_new_file_under_a_renamed_sources_old_name_is_another_source(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    (wiki.root / "raw/tea.md").rename(wiki.root / "raw/leaf.md")
    wiki.ok("ingest", "raw/leaf.md")
    wiki.put("raw/tea.md", "# Mate\n\nMate is an infusion of a holly.\n")
    operation = wiki.ok("ingest", "raw/tea.md", "--json").operation
    assert operation["status"] == "ingested"
    (ledger,) = [p for p in operation["pages_created"] if "/sources/" in p]
    assert re.fullmatch(r"wiki/sources/tea-md-[0-9a-f]{4}\.md", ledger)
    check(wiki)
    for name in ("raw/tea.md", "raw/leaf.md"):
        assert wiki.ok("ingest", name, "--json").operation["status"] == "skipped"


def test_a_deleted_source_is_missing_and_its_claims_stay(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    (wiki.root / "raw/tea.md").unlink()
    assert "1 missing" in wiki.ok("status").out
    done = wiki.run("ingest", "raw/tea.md")
    assert done.code == 2 and "raw/tea.md" in done.err
    assert len(wiki.claims()) == 2
    wiki.git("commit", "-qam", "gone")
    wiki.learn(
        "raw/other.md",
        "Tea is a drink of many.\n",
        answer([claim("Tea", "Tea is a drink of many.")]),
    )
    assert wiki.status == "" and len(wiki.claims()) == 3
    wiki.put("raw/tea.md", NOTE)
    assert wiki.run("ingest", "raw/tea.md").code == 0
    assert len(wiki.claims()) == 3


def test_the_same_bytes_under_two_names_are_one_source(wiki: Wiki) -> None:
    wiki.put("raw/a.md", NOTE)
    wiki.put("raw/b.md", NOTE)
    told = {
        o["source"]: o["status"] for o in wiki.ok("ingest", "raw/", "--json").json["operations"]
    }
    assert told == {"raw/a.md": "ingested", "raw/b.md": "skipped"}
    assert "same bytes as raw/a.md" in wiki.ok("ingest", "raw/b.md").out
    check(wiki)


def test_two_versions_of_an_outside_file_are_one_source(wiki: Wiki, tmp_path: Path) -> None:
    place = tmp_path / "tea.md"
    place.write_text(NOTE)
    wiki.ok("ingest", str(place))
    place.write_text(NOTE.replace("80", "75"))
    operation = wiki.ok("ingest", str(place), "--json").operation
    assert operation["source"] == "raw/tea.md"
    assert wiki.read("raw/tea.md") == NOTE.replace("80", "75")
    assert wiki.git("show", "HEAD~1:raw/tea.md") == NOTE
    assert wiki.ok("ingest", str(place), "--json").operation["status"] == "skipped"
    assert len([p for p in wiki.pages() if "/sources/" in p]) == 1
    check(wiki)


# --- what people do ------------------------------------------------------------------------


def _delete_claim(wiki: Wiki, words: str) -> str:
    """A person takes a claim out, evidence and all, and commits."""
    ident = wiki.claim(words).id
    text = wiki.read(PAGE)
    block = re.search(rf"^- [^\n]*\^{ident}\n(?:  [^\n]*\n)*", text, re.MULTILINE)
    assert block
    wiki.edit(PAGE, block[0], "")
    return str(ident)


def test_a_claim_that_a_person_deleted_does_not_come_back(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    ident = _delete_claim(wiki, "Green")
    reworded = claim("Tea", "For green tea, 80 degrees.", GREEN, lines=(5, 5))
    operation = again(wiki, NOTE + "\nMore.\n", said(reworded))
    assert {r["reason"] for r in operation["refused"]} == {"a person deleted this claim before"}
    assert len(operation["refused"]) == 2 and operation["claims_added"] == 0
    assert {c.text for _p, c in wiki.claims().values()} == {BLACK}
    row = rf"^> - {ident} retracted person q-[0-9a-f]{{16}}$"
    assert re.search(row, wiki.read(LEDGER), re.MULTILINE), wiki.read(LEDGER)
    assert GREEN not in wiki.read(LEDGER)
    assert f"#^{ident}" not in wiki.read(LEDGER)
    for extra in ("a", "b"):
        again(wiki, NOTE + f"\n{extra}\n", said(reworded))
        assert len(wiki.claims()) == 1
    assert wiki.read(LEDGER).count(" retracted ") == 1


def test_a_claim_beside_a_deleted_one_on_the_same_quote_stays(wiki: Wiki) -> None:
    two = claim("Tea", "Green tea takes two minutes.", GREEN, lines=(5, 5))
    wiki.learn("raw/tea.md", NOTE, said(two))
    _delete_claim(wiki, "80 degrees")
    operation = again(wiki, NOTE + "\nMore.\n", said(two))
    assert [r["text"] for r in operation["refused"]] == [GREEN]
    assert len(wiki.claims()) == 2 and wiki.claim("two minutes").successor is None


def test_deleting_a_row_of_a_table_spares_the_other_rows(wiki: Wiki) -> None:
    text = "| tea | degrees |\n|---|---|\n| green | 80 |\n| black | 95 |\n| white | 75 |\n"
    rows = {
        name: claim("Tea", f"{name} at {n}", f"| {name} | {n} |", "| tea | degrees |", lines=(3, 5))
        for name, n in (("green", 80), ("black", 95), ("white", 75))
    }
    wiki.learn("raw/tea.md", text, answer([rows["green"], rows["black"]]))
    _delete_claim(wiki, "green")
    operation = again(wiki, text + "\n", answer(list(rows.values())))
    assert [r["text"] for r in operation["refused"]] == ["green at 80"]
    assert {c.text for _p, c in wiki.claims().values()} == {"black at 95", "white at 75"}


def test_a_persons_wording_of_a_claim_stays(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    ident = wiki.claim("Green").id
    wiki.edit(PAGE, f"- {GREEN} ^", "- Never boil green tea. ^")
    operation = again(wiki, "New.\n\n" + NOTE, said())
    assert operation["claims_added"] == 0
    held = wiki.claims()[ident][1]
    assert held.text == "Never boil green tea." and held.evidence[0].quote == GREEN


def test_a_persons_lead_and_lines_stay(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    wiki.edit(PAGE, "\nTea is a drink.\n", "\nMy own words on tea.\n\nTwo paragraphs.\n")
    ident = wiki.claim("Green").id
    wiki.edit(PAGE, f"^{ident}\n", f"^{ident}\n  - my remark: *try it*\n")
    wiki.edit(PAGE, "[^tea-md]: ", "## My section\n\n* a thing\n\n[^tea-md]: ")
    again(wiki, "New.\n\n" + NOTE, said(lead="Tea is the other drink.", same_as=PAGE))
    wiki.learn("raw/b.md", "Tea is old.\n", answer([claim("Tea", "Tea is old.")]))
    text = wiki.read(PAGE)
    assert "\nMy own words on tea.\n\nTwo paragraphs.\n" in text and "other drink" not in text
    assert f"- “{GREEN}” [^tea-md] ^{ident}\n  - my remark: *try it*\n" in text
    assert "\n## My section\n\n* a thing\n" in text
    check(wiki)


def test_the_tools_lead_follows_a_better_reading(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    again(wiki, "New.\n\n" + NOTE, said(lead="Tea is the other drink.", same_as=PAGE))
    assert "\nTea is the other drink.\n" in wiki.read(PAGE)
    wiki.put("raw/off.md", "# Tea\n\nTea is an old thing of the East.\n")
    wiki.ok("ingest", "raw/off.md")
    assert "\nTea is the other drink.\n" in wiki.read(PAGE), "the extractor's is not better"
    check(wiki)


def test_a_page_that_a_person_moved_keeps_its_claims(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    wiki.git("mv", PAGE, "wiki/concepts/Hot tea.md")
    wiki.git("commit", "-qm", "a better name")
    operation = again(wiki, "New.\n\n" + NOTE, said())
    assert operation["claims_added"] == 0 and not operation["pages_created"]
    assert PAGE not in wiki.pages() and wiki.lines("Green") == [(7, 7)]


def test_a_page_that_a_person_deleted_comes_back_without_its_claims(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    wiki.git("rm", "-q", PAGE)
    wiki.git("commit", "-qm", "no tea")
    wiki.prepare("raw/tea.md")
    operation = again(wiki, NOTE + "\nMore.\n", said(claim("Cup", "More.", lines=(10, 10))))
    assert operation["claims_added"] == 1, operation
    assert {c.text for _p, c in wiki.claims().values()} == {"More."}
    assert PAGE not in wiki.pages(), "an empty page about what was deleted helps nobody"


def test_catalogue_pages_that_a_person_changed_are_mended(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, said())
    wiki.edit("wiki/index.md", "Tea", "Coffee")
    wiki.git("rm", "-q", "wiki/overview.md")
    wiki.put("wiki/concepts/Mine.md", "---\ntype: concept\ntitle: Mine\n---\n\n# Mine\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "tidy")
    wiki.ok("remember", "A note.")
    assert "[Mine]" in wiki.read("wiki/index.md") and "Coffee" not in wiki.read("wiki/index.md")
    check(wiki)
