"""A source that is retracted: what goes with it, what stays, and that nothing brings it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from wikikit import Wiki, answer, check, claim

STEEPED = "Green tea is steeped at 80 degrees for two minutes."
SHRUB = "Tea comes from a shrub of East Asia called Camellia."
RUMOUR = "Black tea was first drunk in the harbour of Aberdeen."
ALONE = "The harbour of Aberdeen opens at five in the morning."
ONE = f"# One\n\n{STEEPED}\n{SHRUB}\nTea is also called chai.\n"
TWO = f"# Two\n\n{RUMOUR}\n{STEEPED}\n{ALONE}\nTea is also called brew.\n"
RAW = "raw/two.md"
TEA, TOWN, LEDGER = (
    "wiki/concepts/Tea.md",
    "wiki/entities/Aberdeen.md",
    "wiki/sources/two-md.md",
)


def first(wiki: Wiki) -> None:
    tea = {
        "name": "Tea",
        "kind": "concept",
        "description": "A drink.",
        "lead": "Tea is a drink of leaves.",
        "aliases": ["chai"],
    }
    wiki.learn(
        "raw/one.md",
        ONE,
        answer(
            [claim("Tea", STEEPED, lines=(3, 3)), claim("Tea", SHRUB, lines=(4, 4))],
            [tea],
            document={"title": "Doc one", "summary": "First."},
        ),
    )


def rumour(old: str) -> dict[str, Any]:
    """A reading of TWO: one claim strikes an older one, one stands already, one is its own."""
    told = claim("Tea", RUMOUR, lines=(3, 3), also=["Aberdeen"])
    told["links"] = [{"to": old, "how": "supersedes"}]
    alone = claim("Aberdeen", ALONE, lines=(5, 5))
    subjects = [
        {
            "name": "Tea",
            "kind": "concept",
            "same_as": TEA,
            "description": "A harbour drink of Aberdeen.",
            "lead": "Tea is what the harbour of Aberdeen drank first of all.",
            "aliases": ["brew"],
        },
        {"name": "Aberdeen", "kind": "entity", "description": "A town with a harbour."},
    ]
    relation = {"from": "Tea", "to": "Aberdeen", "label": "was drunk in", "claim": told["id"]}
    return answer(
        [told, claim("Tea", STEEPED, lines=(4, 4)), alone],
        subjects,
        relations=[relation],
        questions=[{"text": "Who drank the tea of Aberdeen?"}],
        document={"title": "Doc two", "summary": "Of the harbour of Aberdeen."},
    )


def both(wiki: Wiki) -> None:
    first(wiki)
    wiki.learn(RAW, TWO, rumour(wiki.claim("Camellia").id))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, both)


def said(wiki: Wiki, text: str) -> list[str]:
    """The files of wiki/ at HEAD that hold five words of a text in a row."""
    words = text.rstrip(".").split()
    runs = [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]
    found = [wiki.git("grep", "-l", "-F", run, "HEAD", "--", "wiki", ok=(0, 1)) for run in runs]
    return sorted({path.partition(":")[2] for each in found for path in each.split()})


def texts(wiki: Wiki) -> set[str]:
    return {c.text for _path, c in wiki.claims().values() if c.successor is None}


def test_what_rests_on_it_alone_goes_and_what_it_did_to_others_falls(wiki: Wiki) -> None:
    shared = wiki.claim("80 degrees").id
    done = wiki.ok("retract", RAW, "--json").json
    assert {g["text"] for g in done["gone"]} == {RUMOUR, ALONE}
    assert [k["id"] for k in done["other_evidence"]] == [shared]
    assert texts(wiki) == {STEEPED, SHRUB}, "what was struck for a claim that went stands again"
    assert done["revived"] == [wiki.claim("Camellia").id]
    assert [e.source for e in wiki.claim("80 degrees").evidence] == ["one-md"]
    page = wiki.pages()[TEA]
    assert (page.lead, page.description, page.aliases) == (
        "Tea is a drink of leaves.",
        "A drink.",
        ("chai",),
    )
    assert "Related" not in page.text and "two-md" not in page.text
    assert said(wiki, RUMOUR) == said(wiki, ALONE) == []
    assert "harbour" not in wiki.read("wiki/index.md") + wiki.read(TEA) + wiki.read(LEDGER)
    assert wiki.trailer("Wiki-Op") == "retract" and wiki.trailer("Wiki-Retracts") == RAW
    assert RAW in wiki.files(), "sources are people's"
    check(wiki)
    assert "WK" not in wiki.ok("lint").out


def test_a_page_left_empty_stays_deprecated_and_the_sources_page_says_so(wiki: Wiki) -> None:
    done = wiki.ok("retract", "two-md", "--json").json
    assert done["emptied"] == [TOWN]
    assert wiki.pages()[TOWN].value("status") == "deprecated"
    ledger = wiki.pages()[LEDGER]
    assert ledger.value("status") == "retracted" and ledger.tags == ("retracted",)
    assert not ledger.value("sha256") and wikikit.sha(TWO) in ledger.text
    assert "^c-" not in ledger.text and "Aberdeen" not in ledger.text
    assert "1 retracted" in wiki.ok("status").out


def test_a_dry_run_says_what_the_run_does(wiki: Wiki) -> None:
    head = wiki.head
    would = wiki.ok("retract", RAW, "--dry-run", "--json").json
    assert wiki.head == head and wiki.status == ""
    shown = wiki.ok("retract", RAW, "--dry-run").out
    assert shown.startswith("would retract raw/two.md: 3 quotes")
    done = wiki.ok("retract", RAW, "--json").json
    varying = ("id", "commit", "dry_run")
    assert {k: v for k, v in would.items() if k not in varying} == {
        k: v for k, v in done.items() if k not in varying
    }
    assert "retracted already" in wiki.ok("retract", RAW).out


def test_undo_brings_it_back_and_redo_takes_it_out_again(wiki: Wiki) -> None:
    before = held(wiki)
    wiki.ok("retract", RAW)
    after = held(wiki)
    wiki.ok("undo")
    assert held(wiki) == before
    check(wiki)
    wiki.ok("undo")
    assert held(wiki) == after
    check(wiki)


def held(wiki: Wiki) -> dict[str, str]:
    """Every file of the wiki but the log, by blob."""
    return {
        path: oid
        for path, oid in wiki.files().items()
        if path.startswith("wiki/") and not path.startswith("wiki/log")
    }


def test_no_way_of_ingesting_brings_it_back_but_again(wiki: Wiki) -> None:
    wiki.ok("retract", RAW)
    head = wiki.head
    wiki.put("raw/copy.md", TWO)
    for args in (("raw/",), (RAW,), ("raw/copy.md",), (RAW, "--prepare")):
        done = wiki.ok("ingest", *args)
        assert wiki.head == head, args
        assert "3 skipped" in done.out or "retracted" in done.out + done.err, args
    wiki.put(RAW, TWO + "\nAnd a new version of it.\n")
    assert "retracted" in wiki.ok("ingest", RAW).out
    assert wiki.head == head
    wiki.put(RAW, TWO)
    told = wiki.ok("ingest", RAW, "--again", "--json").operation
    assert told["status"] == "ingested" and told["claims_added"]
    ledger = wiki.pages()[LEDGER]
    assert not ledger.tags and not ledger.value("status") and "retracted" not in ledger.text
    check(wiki)


def test_an_answer_to_a_job_made_before_does_not_land(wiki: Wiki) -> None:
    wiki.put("raw/three.md", "# Three\n\nThe kettle sings when water boils.\n")
    wiki.ok("ingest", "raw/three.md", "--model", "offline")
    wiki.ok("retract", "raw/three.md")
    wiki.ok("ingest", "raw/three.md", "--prepare", "--again")
    source = {"sha256": wikikit.sha(wiki.read("raw/three.md")), "segment": [1, 1]}
    said = answer([claim("Kettle", "The kettle sings when water boils.", lines=(3, 3))])
    head = wiki.head
    assert wiki.apply({**said, "source": source}).operation["status"] == "skipped"
    assert wiki.head == head
    wiki.ok("ingest", "raw/three.md", "--prepare", "--again")
    assert wiki.apply({**said, "source": source}, "--again").operation["status"] == "ingested"


def test_its_lines_answer_nothing_any_more(wiki: Wiki) -> None:
    text = TWO + "\nNo claim covers the giraffe of the lighthouse keeper.\n"
    wiki.learn(RAW, text, rumour(wiki.claim("Camellia").id))
    question = ("giraffe", "lighthouse", "keeper")
    assert "giraffe" in wiki.ok("context", *question).out
    wiki.ok("retract", RAW)
    for command in ("context", "search"):
        done = wiki.run(command, *question)
        assert "giraffe" not in done.out, command
    assert "giraffe" not in wiki.run("query", *question, "--model", "offline").out
    wiki.put("raw/next.md", "# Next\n\nOf the lighthouse keeper of Aberdeen.\n")
    assert "giraffe" not in wiki.prepare("raw/next.md")
    wiki.ok("undo")
    assert "giraffe" in wiki.ok("context", *question).out


# --- what people did -----------------------------------------------------------------------


def test_what_a_person_made_of_a_claim_becomes_their_note(wiki: Wiki) -> None:
    old = f"- {ALONE} ^"
    wiki.edit(TOWN, old, old.replace("five in the morning", "six, as I saw myself"))
    mine = wiki.claim("as I saw myself").id
    black = wiki.claim("Black tea").id
    _path, lines = wiki.block(black)
    wiki.edit(TEA, lines, f"{lines}  - I doubt this, Ann.\n")
    done = wiki.ok("retract", RAW, "--json").json
    notes = {g["id"]: g["note"] for g in done["gone"]}
    assert notes == {mine: f"n-{mine[2:]}", black: f"n-{black[2:]}"}
    town, tea = wiki.read(TOWN), wiki.read(TEA)
    assert f"The harbour of Aberdeen opens at six, as I saw myself. ^n-{mine[2:]}\n" in town
    assert "two-md" not in town + tea and "deprecated" not in town
    assert "  - I doubt this, Ann.\n" in tea and said(wiki, RUMOUR) == []
    check(wiki)
    wiki.ok("undo")
    assert mine in wiki.claims() and "^n-" not in wiki.read(TOWN)
    check(wiki)


def test_prose_of_people_stays_and_is_marked(wiki: Wiki) -> None:
    black = wiki.claim("Black tea").id
    mine = f"As [[Tea#^{black}]] says, it was first drunk in the harbour of Aberdeen."
    wiki.edit(TEA, "## Claims\n", f"## Mine\n\n{mine}\n\n## Claims\n")
    done = wiki.ok("retract", RAW, "--json").json
    assert done["marked"] == [TEA]
    text = wiki.read(TEA)
    assert "it was first drunk in the harbour" in text
    assert "> [!warning] Rests on a retracted source" in text
    check(wiki)


def test_a_lead_of_a_person_stays_and_is_told(wiki: Wiki) -> None:
    wiki.edit(TEA, "Tea is what the harbour of", "My own words on tea, by the harbour of")
    done = wiki.ok("retract", RAW, "--json").json
    assert {"page": TEA, "what": "lead"} in done["left"]
    assert "My own words on tea" in wiki.read(TEA)
    assert wiki.pages()[TEA].description == "A drink."


def test_filed_answers_that_rested_on_it_go_and_those_of_people_are_marked(wiki: Wiki) -> None:
    wiki.ok("query", "Where was black tea first drunk?", "--model", "offline", "--save")
    (path,) = [p for p in wiki.pages() if p.startswith("wiki/syntheses/")]
    assert "two-md" in wiki.read(path)
    done = wiki.ok("retract", RAW, "--json").json
    assert [a["page"] for a in done["answers"]] and said(wiki, RUMOUR) == []
    assert "two-md" not in wiki.read(path)
    check(wiki)
    wiki.ok("undo")
    note = next(n for n in wiki.pages()[path].body if n.kind == "n" and RUMOUR[:20] in n.raw)
    wiki.edit(path, note.raw, note.raw.replace("Black tea was", "Ann says black tea was"))
    done = wiki.ok("retract", RAW, "--json").json
    assert path in done["marked"] and "Ann says black tea" in wiki.read(path)


def test_a_claim_that_a_person_deleted_stays_deleted_after_again(wiki: Wiki) -> None:
    wiki.delete(ALONE)
    wiki.ok("retract", RAW)
    wiki.ok("ingest", RAW, "--prepare", "--again")
    source = {"sha256": wikikit.sha(TWO), "segment": [1, 1]}
    answered = {**rumour(wiki.claim("Camellia").id), "source": source}
    told = wiki.apply(answered, "--again").operation
    assert [r["reason"] for r in told["refused"]] == ["a person deleted this claim before"]
    check(wiki)


# --- with undo and other operations --------------------------------------------------------


def ingest_id(wiki: Wiki) -> str:
    """Of the operation that read TWO."""
    return wiki.git("log", "--grep=Wiki-Source: raw/two.md", "--format=%H").split()[0]


def test_undo_of_the_ingest_does_not_lift_it(wiki: Wiki) -> None:
    wiki.ok("retract", RAW)
    after = texts(wiki)
    wiki.run("undo", ingest_id(wiki))
    assert texts(wiki) == after and wiki.pages()[LEDGER].value("status") == "retracted"
    assert "retracted" in wiki.ok("ingest", RAW).out
    check(wiki)


def test_after_an_undo_of_the_ingest_there_is_nothing_to_take_out(wiki: Wiki) -> None:
    wiki.ok("undo", ingest_id(wiki))
    done = wiki.run("retract", RAW)
    assert done.code == 2 and "no such source" in done.err


def test_a_source_of_another_name_by_now(wiki: Wiki) -> None:
    wiki.git("mv", RAW, "raw/moved.md")
    wiki.git("commit", "-qm", "moved")
    wiki.ok("ingest", "raw/moved.md")
    done = wiki.ok("retract", "raw/moved.md", "--json").json
    assert {g["text"] for g in done["gone"]} >= {RUMOUR, ALONE}
    assert wiki.pages()[TEA].lead == "Tea is a drink of leaves."
    assert "retracted" in wiki.ok("ingest", "raw/moved.md").out
    check(wiki)


@pytest.mark.parametrize("name", ["raw/two.md", "two.md", "two-md", LEDGER, "Doc two", "doc two"])
def test_a_source_has_several_names(wiki: Wiki, name: str) -> None:
    assert wiki.ok("retract", name, "--dry-run", "--json").json["source"] == RAW


def test_an_unknown_name_is_told_what_is_near(wiki: Wiki) -> None:
    done = wiki.run("retract", "two-mdd")
    assert done.code == 2 and "Did you mean two-md?" in done.err


def test_a_claim_that_two_retractions_took_out_comes_back_by_the_one_that_is_undone(
    wiki: Wiki,
) -> None:
    first = wiki.ok("retract", RAW, "--json").json["id"]
    second = wiki.ok("retract", "raw/one.md", "--json").json["id"]
    assert STEEPED not in texts(wiki)
    done = wiki.ok("undo", first, "--json").json
    assert STEEPED not in str(done["conflicts"])
    assert [e.source for e in wiki.claim("80 degrees").evidence] == ["two-md"]
    check(wiki)
    wiki.ok("undo", second)
    assert {e.source for e in wiki.claim("80 degrees").evidence} == {"one-md", "two-md"}
    check(wiki)


@pytest.mark.parametrize(
    "operation", [("rename", "Tea", "Green tea"), ("merge", "Tea", "Aberdeen")]
)
@pytest.mark.parametrize("is_between", [True, False])
def test_a_claim_comes_back_on_the_page_that_its_page_is_now(
    wiki: Wiki, operation: tuple[str, ...], is_between: bool
) -> None:
    wiki.learn(
        "raw/more.md",
        f"# More\n\nThe harbour is old.\n{SHRUB}\n",
        answer(
            [
                claim("Aberdeen", "The harbour is old.", lines=(3, 3)),
                claim("Tea", SHRUB, lines=(4, 4), also=["Aberdeen"]),
            ],
            document={"title": "Doc three", "summary": "Third."},
        ),
    )
    first = wiki.ok("retract", RAW, "--json").json["id"]
    if is_between:
        wiki.ok(*operation)
    wiki.ok("retract", "raw/one.md")
    if not is_between:
        wiki.ok(*operation)
    assert STEEPED not in texts(wiki)
    wiki.ok("undo", first)
    path, tea = wiki.claims()[wiki.claim("80 degrees").id]
    assert path.endswith(f"/{operation[2]}.md")
    assert [e.source for e in tea.evidence] == ["two-md"]
    found = wiki.run("lint", "--json").json["findings"]
    assert not [f for f in found if f["code"] in ("WK208", "WK215")]
    check(wiki)


def test_the_versions_of_all_its_pages_are_found_in_one_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [f"Harbour {number} opens at five in the morning." for number in range(12)]
    harbours = [
        claim(f"Harbour {number}", fact, lines=(number + 1, number + 1))
        for number, fact in enumerate(facts)
    ]

    def walks(name: str, few: list[dict[str, Any]]) -> int:
        place = tmp_path / name
        place.mkdir()
        wiki = wikikit.make(place, monkeypatch)
        wiki.learn(RAW, "\n".join(facts) + "\n", answer(few))
        trace = place / "trace"
        monkeypatch.setenv("GIT_TRACE", str(trace))
        wiki.ok("retract", RAW)
        monkeypatch.delenv("GIT_TRACE")
        assert all(page.description.startswith("Nothing") for path, page in wiki.pages().items()
                   if "/concepts/" in path)  # fmt: skip
        return trace.read_text().count("built-in: git log")

    assert walks("few", harbours[:2]) == walks("many", harbours)
