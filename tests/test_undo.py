"""Undo: the inverse of an operation, whatever came since; twice is redo."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, check, claim

import llmwiki

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
PAGE = "wiki/concepts/Tea.md"
MATE = "# Mate\n\nMate is an infusion of a holly. Tea is another drink.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def tea(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN]))


def mate(wiki: Wiki) -> str:
    """A second source, about the first one's page too; the id of its operation."""
    told = wiki.learn(
        "raw/mate.md",
        MATE,
        answer(
            [
                claim("Mate", "Mate is an infusion of a holly.", lines=(3, 3)),
                claim("Tea", "Tea is another drink.", lines=(3, 3), also=["Mate"]),
            ],
            relations=[{"from": "Mate", "to": "Tea", "label": "rival of", "claim": GREEN["id"]}],
        ),
    )
    return str(told["id"])


def pages(wiki: Wiki, rev: str = "HEAD") -> dict[str, str]:
    """Every file of the wiki but the log, by blob."""
    return {
        path: oid
        for path, oid in wiki.files(rev).items()
        if path.startswith("wiki/") and not path.startswith("wiki/log")
    }


@pytest.mark.parametrize("command", [("undo",), ("retract", "raw/mate.md")])
def test_a_claim_from_which_a_person_took_the_denial_stays_as_a_note(
    wiki: Wiki, command: tuple[str, ...]
) -> None:
    said = "Mate is an infusion of a holly."
    wiki.learn("raw/mate.md", MATE, answer([claim("Mate", said, lines=(3, 3), stance="rejected")]))
    page = "wiki/concepts/Mate.md"
    wiki.put(page, wiki.read(page).replace("**Denied:** ", ""))
    wiki.git("commit", "-qam", "a person takes the denial off", "--no-verify")
    wiki.ok(*command)
    assert re.search(rf"^- {re.escape(said)} \^n-", wiki.read(page), re.M), wiki.read(page)


def test_undo_restores_every_byte_but_the_log_and_twice_is_redo(wiki: Wiki) -> None:
    before = pages(wiki)
    mate(wiki)
    after = pages(wiki)
    done = wiki.ok("undo", "--json").json
    assert pages(wiki) == before and done["conflicts"] == []
    assert wiki.trailer("Wiki-Op") == "undo" and wiki.trailer("Wiki-Undoes") == done["undone"][0]
    assert "raw/mate.md" in wiki.files(), "sources are people's"
    check(wiki)
    wiki.ok("undo")
    assert pages(wiki) == after
    check(wiki)
    wiki.ok("undo")
    assert pages(wiki) == before
    check(wiki)
    assert wiki.status == ""


def test_what_is_undone_again_is_told_by_what_is_done(wiki: Wiki) -> None:
    wiki.ok("remember", "We boil water once.")
    words = [wiki.ok("undo").out.split("  ", 1)[1].partition(":")[0] for _ in range(4)]
    assert words == ["undone", "redone", "undone", "redone"]
    told = [
        line.removeprefix("wiki undo: ")
        for line in wiki.git("log", "-3", "--format=%s").splitlines()
    ]
    name = "memory: We boil water once."
    assert told == [f"redo of {name}", f"undo of {name}", f"redo of {name}"]


def test_an_operation_undone_is_ingested_again(wiki: Wiki) -> None:
    ident = mate(wiki)
    after = pages(wiki)
    wiki.ok("undo")
    assert "1 new" in wiki.ok("status").out
    told = wiki.ok("ingest", "raw/mate.md", "--json").operation
    assert told["status"] == "ingested" and told["id"] != ident
    wiki.ok("undo")
    assert mate(wiki) != ident
    assert pages(wiki) == after
    check(wiki)


def test_undo_of_an_older_operation_leaves_what_came_since(wiki: Wiki) -> None:
    first = wiki.trailer("Wiki-Id")
    mate(wiki)
    wiki.edit(PAGE, "## Claims\n", "## Mine\n\nMy own remark.\n\n## Claims\n")
    wiki.ok("undo", first)
    text = wiki.read(PAGE)
    assert "My own remark." in text and "another drink" in text and "80 degrees" not in text
    assert "wiki/sources/tea-md.md" not in wiki.pages()
    assert "tea-md" not in text, "neither source nor footnote is left of it"
    check(wiki)
    wiki.ok("undo")
    assert {c.text for _p, c in wiki.claims().values()} >= {GREEN["text"], "Tea is another drink."}
    check(wiki)


# --- what a person deleted stays deleted ---------------------------------------------------

MATES = answer(
    [
        claim("Mate", "Mate is an infusion of a holly.", lines=(3, 3)),
        claim("Tea", "Tea is another drink.", lines=(3, 3)),
    ]
)
LEDGER = "wiki/sources/mate-md.md"


def test_a_claim_that_a_person_deleted_stays_out_after_undo_and_another_ingest(wiki: Wiki) -> None:
    wiki.learn("raw/mate.md", MATE, MATES)
    wiki.delete("another drink")
    wiki.ok("undo", wiki.git("log", "--grep=mate.md", "--format=%H").split()[0])
    ledger = wiki.read(LEDGER)
    assert "[!note]- Record" in ledger and "retracted person" in ledger and "taken back" in ledger
    assert "drink" not in ledger and "holly" not in ledger
    assert "1 new" in wiki.ok("status").out
    wiki.ok("lint", "--ignore", "WK407")
    check(wiki)
    told = wiki.learn("raw/mate.md", MATE, MATES)
    assert told["claims_added"] == 1
    assert [r["reason"] for r in told["refused"]] == ["a person deleted this claim before"]
    assert "taken back" not in wiki.read(LEDGER)
    assert not any("another drink" in c.text for _path, c in wiki.claims().values())
    check(wiki)
    for _ in range(2):
        wiki.ok("undo")
        check(wiki)
    wiki.ok("undo")
    wiki.learn("raw/mate.md", MATE, MATES)
    assert not any("another drink" in c.text for _path, c in wiki.claims().values())


def test_redo_after_a_deletion_keeps_it_deleted_and_in_mind(wiki: Wiki) -> None:
    wiki.learn("raw/mate.md", MATE, MATES)
    wiki.delete("another drink")
    before = pages(wiki)
    wiki.ok("undo", wiki.git("log", "--grep=mate.md", "--format=%H").split()[0])
    wiki.ok("undo")
    # A person's commit leaves the overview as it was; an operation counts anew.
    assert {**pages(wiki), "wiki/overview.md": before["wiki/overview.md"]} == before
    wiki.put("raw/mate.md", MATE + "More.\n")
    told = wiki.learn("raw/mate.md", MATE + "More.\n", MATES)
    assert [r["reason"] for r in told["refused"]] == ["a person deleted this claim before"]


def test_a_source_whose_ledger_a_person_wrote_on_is_read_again_after_undo(wiki: Wiki) -> None:
    mate(wiki)
    ident = wiki.trailer("Wiki-Id")
    wiki.edit(LEDGER, "> [!note]- Record", "## Mine\n\nA doubtful paper.\n\n> [!note]- Record")
    wiki.ok("undo", ident)
    assert "A doubtful paper." in wiki.read(LEDGER)
    check(wiki)
    assert mate(wiki)
    assert "A doubtful paper." in wiki.read(LEDGER)
    assert wiki.claim("another drink")
    check(wiki)


def test_undo_of_a_new_version_puts_lines_and_strikes_back(wiki: Wiki) -> None:
    before = pages(wiki)
    wiki.put("raw/tea.md", "# Tea\n\nNothing of it.\n")
    wiki.ok("ingest", "raw/tea.md")
    assert wiki.claim("80 degrees").successor
    wiki.ok("undo")
    assert pages(wiki) == before
    assert "1 changed" in wiki.ok("status").out


def test_quotes_of_an_older_version_are_not_brought_back_over_a_newer_one(wiki: Wiki) -> None:
    first = mate(wiki)
    undone = wiki.ok("undo", "--json").json["id"]
    text = MATE.replace("another", "a better")
    wiki.learn("raw/mate.md", text, answer([claim("Tea", "Tea is a better drink.")]))
    head = wiki.head
    done = wiki.run("undo", undone)
    assert done.code == 3 and "mate-md" in done.err and wiki.head == head
    wiki.ok("undo")
    wiki.put("raw/mate.md", MATE)
    wiki.ok("undo", undone)
    assert wiki.ok("log", "--json").json["operations"][0]["undoes"] == [undone] and first
    assert wiki.claim("another drink")


def test_undo_of_a_strike_makes_the_claim_stand(wiki: Wiki) -> None:
    old = wiki.claim("80 degrees").id
    new = claim("Tea", "Now 70.", "Tea at 70 now", links=[{"to": old, "how": "supersedes"}])
    wiki.learn("raw/new.md", "Tea at 70 now\n", answer([new]))
    assert wiki.claims()[old][1].successor
    wiki.ok("undo")
    assert wiki.claims()[old][1].successor is None
    check(wiki)


def test_undo_of_a_batch_takes_all_of_it_back(wiki: Wiki) -> None:
    before = pages(wiki)
    for n in range(3):
        wiki.put(f"raw/n{n}.md", f"# N{n}\n\nTea number {n} is a kind of tea.\n")
    wiki.ok("ingest", "raw/")
    batch = wiki.trailer("Wiki-Batch")
    day = wiki.ok("remember", "A note in between.").out.split()[-1]
    done = wiki.ok("undo", batch, "--json").json
    assert len(done["undone"]) == 3
    left = {p: o for p, o in pages(wiki).items() if p not in (day, *CATALOGUE)}
    assert left == {p: o for p, o in before.items() if p not in CATALOGUE}
    assert len([v for n, v in wiki.trailers() if n == "Wiki-Undoes"]) == 3
    check(wiki)
    wiki.ok("undo")
    assert len([p for p in wiki.pages() if "/sources/n" in p]) == 3
    check(wiki)


CATALOGUE = ("wiki/index.md", "wiki/overview.md")


def test_a_note_is_kept_once_and_reads_back(wiki: Wiki) -> None:
    text = "We *always* use [[UTC]] ^c-0123456789 ; on: 1999; # not"
    told = ("--kind", "decision", "--by", "agent", "--session", "s; kind: x")
    day = wiki.ok("remember", text, *told).out.split()[-1]
    head = wiki.head
    assert "remembered already" in wiki.ok("remember", "  " + text.upper() + " ").out
    assert wiki.head == head
    (note,) = [n for n in wiki.pages()[day].body if n.kind == "n"]
    assert wiki.trailer("Wiki-Op") == "memory" and note
    for empty in ("", " \n", "\u200b"):
        assert wiki.run("remember", empty).code == 2
    assert wiki.run("remember", "x" * 2001).code == 2
    check(wiki)


def test_undo_while_a_page_is_dirty_is_refused(wiki: Wiki) -> None:
    mine = wiki.read(PAGE) + "\nmine\n"
    wiki.put(PAGE, mine)
    head = wiki.head
    done = wiki.run("undo")
    assert done.code == 3 and PAGE in done.err
    assert (wiki.head, wiki.read(PAGE)) == (head, mine)


def test_a_dry_run_of_undo_writes_nothing(wiki: Wiki) -> None:
    head = wiki.head
    done = wiki.ok("undo", "--dry-run")
    assert "would undo" in done.out and "gone" in done.out
    assert wiki.head == head and wiki.status == ""


def test_operations_are_named_by_id_or_commit(wiki: Wiki) -> None:
    before = pages(wiki)
    ident = mate(wiki)
    commit = wiki.head
    wiki.git("tag", "mate")
    wiki.ok("remember", "Later.")
    for name in (ident, ident.upper(), commit, commit[:10], "HEAD~1", "@~1", "mate"):
        done = wiki.ok("undo", name, "--dry-run", "--json").json
        assert done["undone"] == [ident], name
    wiki.ok("undo", ident)
    assert {p: o for p, o in pages(wiki).items() if p in before and p not in CATALOGUE} == {
        p: o for p, o in before.items() if p not in CATALOGUE
    }
    done = wiki.run("undo", ident)
    assert done.code == 0 and "nothing to take back" in done.out


@pytest.mark.parametrize(
    "name", ["0123456789ab", "nonsense", "-x", "HEAD~9", "HEAD^{tree}", "é", "a", ""]
)
def test_unknown_names_are_refused(wiki: Wiki, name: str) -> None:
    head = wiki.head
    done = wiki.run("undo", "--", name)
    assert done.code == 2 or name == "", done
    assert wiki.head == head or name == ""


def test_init_is_not_undone(wiki: Wiki) -> None:
    init = wiki.git("log", "--format=%(trailers:key=Wiki-Id,valueonly)", "--reverse").split()[0]
    assert wiki.run("undo", init).code == 2
    wiki.ok("undo")
    assert wiki.run("undo", init).code == 2


def test_undo_in_an_empty_wiki_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    empty = wikikit.make(fresh, monkeypatch)
    done = empty.run("undo")
    assert done.code == 2 and "no operation to undo" in done.err


# --- what people made of claims that are undone ---------------------------------------------


def test_a_claim_that_a_person_wrote_under_becomes_their_note(wiki: Wiki) -> None:
    ident = mate(wiki)
    gone = wiki.claim("another drink")
    line = next(at for at in wiki.read(PAGE).split("\n") if "[^mate-md]" in at and "“" in at)
    wiki.edit(PAGE, line, f"{line}\n  - Which one? Ann.")
    done = wiki.ok("undo", ident, "--json").json
    assert done["notes"] == [{"page": PAGE, "claim": gone.id, "note": f"n-{gone.id[2:]}"}]
    text = wiki.read(PAGE)
    assert "mate-md" not in text and "another drink" not in text and gone.id not in text
    assert f"^n-{gone.id[2:]}\n  - Which one? Ann.\n  - told by: person\n" in text
    check(wiki)
    wiki.ok("undo")
    assert gone.id in wiki.claims() and "Which one? Ann." in wiki.read(PAGE)
    check(wiki)


def test_a_claim_on_a_page_that_a_person_moved_goes_too(wiki: Wiki) -> None:
    ident = mate(wiki)
    (wiki.root / "wiki/entities").mkdir(exist_ok=True)
    wiki.git("mv", "wiki/concepts/Mate.md", "wiki/entities/Yerba mate.md")
    wiki.git("commit", "-qm", "moved by hand")
    assert "undone" in wiki.ok("undo", ident).out
    assert not any("holly" in c.text for _path, c in wiki.claims().values())
    assert not any("[^mate-md]" in page.text for page in wiki.pages().values())


def test_a_claim_struck_for_one_that_is_undone_later_stands_again(wiki: Wiki) -> None:
    ident = mate(wiki)
    new = wiki.claim("another drink").id
    old = wiki.claim("80 degrees").id
    wiki.edit(PAGE, f"- {GREEN['text']} ^{old}", f"- ~~{GREEN['text']}~~ → [[Tea#^{new}]] ^{old}")
    assert wiki.claims()[old][1].successor
    wiki.ok("undo", ident)
    assert wiki.claims()[old][1].successor is None
    check(wiki)


def test_a_claim_that_was_struck_since_goes_with_what_brought_it(wiki: Wiki) -> None:
    ident = mate(wiki)
    text = f"Tea is another drink. ^{wiki.claim('another drink').id}"
    wiki.edit(PAGE, text, f"~~{text.replace(' ^', '~~ → gone in 9c1e22aa ^')}")
    wiki.ok("undo", ident)
    assert "another drink" not in wiki.read(PAGE)
    check(wiki)


def test_a_claim_that_gained_and_lost_its_evidence_again_goes(wiki: Wiki) -> None:
    first = wiki.trailer("Wiki-Id")
    told = claim("Tea", GREEN["text"], "Green tea is steeped at 80 degrees")
    wiki.learn("raw/again.md", NOTE + "Again.\n", answer([told]))
    second = wiki.trailer("Wiki-Id")
    wiki.ok("undo", first)
    assert [e.source for e in wiki.claim("80 degrees").evidence] == ["again-md"]
    wiki.ok("undo", second)
    assert not wiki.claims()
    check(wiki)


def test_what_a_person_made_of_a_passage_that_was_replaced_stands_and_is_told(wiki: Wiki) -> None:
    wiki.edit(PAGE, "## Claims\n", "## Habits\n\nAnn's first words.\n\n## Claims\n")
    with llmwiki.Wiki.open(wiki.root) as opened:
        opened.edit_page("Tea", lambda text: text.replace("first words", "words put otherwise"))
    ident = wiki.trailer("Wiki-Id")
    wiki.edit(PAGE, "words put otherwise", "third words")
    done = wiki.ok("undo", ident, "--json").json
    assert done["conflicts"] == [{"page": PAGE, "kept": "Ann's third words."}]
    assert "Ann's first words.\n\nAnn's third words.\n" in wiki.read(PAGE)
    assert "Kept as somebody changed it since" in wiki.git("log", "-1", "--format=%B")
    check(wiki)
