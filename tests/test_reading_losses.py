"""What becomes of each part of a reading: kept, kept in another way, or lost and said so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from wikikit import NOTE, Wiki, answer, check, claim, make, sha

GREEN = "Green tea is steeped at 80 degrees for two minutes."
BLACK = "Black tea is steeped at 95 degrees for four minutes."
SHRUB = "Camellia sinensis is an evergreen shrub of East Asia."


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def green(**more: Any) -> dict[str, Any]:
    return {**claim("Green tea", GREEN, lines=(5, 5)), "id": "k1", **more}


def black(**more: Any) -> dict[str, Any]:
    return {**claim("Black tea", BLACK, lines=(6, 6)), "id": "k2", **more}


def lost(operation: Mapping[str, Any]) -> dict[str | None, str]:
    return {each["claim"]: f"{each['quote']}: {each['reason']}" for each in operation["refused"]}


def remarks(operation: Mapping[str, Any]) -> dict[str, str]:
    return {f"{e['claim']} {e['what']}": e["became"] for e in operation["remarks"]}


def test_links_that_lead_nowhere_are_named(wiki: Wiki) -> None:
    links = [{"to": "c-0123456789", "how": "updates"}, {"to": "k9", "how": "supports"}]
    done = wiki.learn("raw/tea.md", NOTE, answer([green(links=links), black()]))
    said = [(e["claim"], e["quote"], e["reason"]) for e in done["refused"]]
    assert said == [
        ("k1", "^c-0123456789", "its link (updates) leads to no claim"),
        ("k1", "^k9", "its link (supports) leads to no claim"),
    ]


def test_a_relation_of_a_claim_that_is_not_there_is_named(wiki: Wiki) -> None:
    relations = [
        {"from": "Green tea", "to": "Black tea", "label": "differs from", "claim": "k1"},
        {"from": "Green tea", "to": "Black tea", "label": "precedes", "claim": "k7"},
        {"from": "Green tea", "to": "Oolong", "label": "resembles", "claim": "k1"},
    ]
    done = wiki.learn("raw/tea.md", NOTE, answer([green(), black()], relations=relations))
    assert [(e["claim"], e["text"]) for e in done["refused"]] == [
        ("k7", "Green tea precedes Black tea")
    ]
    assert "on the source's page alone" in remarks(done)["k1 relation Green tea resembles Oolong"]


def test_a_key_without_a_value_is_named(wiki: Wiki) -> None:
    done = wiki.learn("raw/tea.md", NOTE, answer([green(key="time"), black(value="four")]))
    assert lost(done) == {
        "k1": "key time: a key without a value",
        "k2": "value four: a value without a key",
    }


def test_a_same_as_that_nothing_agrees_with_is_named(wiki: Wiki) -> None:
    subjects = [
        {"name": "Green tea", "kind": "concept", "description": "A tea.", "same_as": "wiki/x.md"}
    ]
    done = wiki.learn("raw/tea.md", NOTE, answer([green()], subjects))
    assert (
        remarks(done)["None same_as wiki/x.md of Green tea"]
        == "no name agrees; filed under Green tea"
    )


def test_a_lead_that_is_not_taken_is_named(wiki: Wiki) -> None:
    subject = {"name": "Black tea", "kind": "concept", "description": "A tea."}
    wiki.learn("raw/one.md", f"{BLACK}\n", answer([black()], [{**subject, "lead": "The [first]."}]))
    # It is shown as it would be written: what is escaped twice would grow with every reading.
    wiki.put("raw/two.md", f"{GREEN}\n")
    assert '"lead":"The [first]."' in wiki.prepare("raw/two.md")
    second = {**claim("Black tea", GREEN), "id": "k1"}
    done = wiki.learn("raw/two.md", f"{GREEN}\n", answer([second], [{**subject, "lead": "Mine."}]))
    assert "put wiki/concepts/Black tea.md into same_as" in remarks(done)["None lead of Black tea"]
    assert wiki.pages()["wiki/concepts/Black tea.md"].lead == "The \\[first\\]."


def test_a_subject_that_is_not_listed_is_named(wiki: Wiki) -> None:
    given = answer([green()])
    given["subjects"] = []
    done = wiki.learn("raw/tea.md", NOTE, given)
    assert remarks(done) == {
        "k1 subject Green tea": "not listed: a concept, described by this claim",
    }


def test_a_subject_that_is_not_listed_is_the_page_of_its_name(wiki: Wiki) -> None:
    tea = {"name": "Green tea", "kind": "entity", "lead": "It is green. It is hot."}
    wiki.learn("raw/tea.md", f"{GREEN}\n", answer([green()], [tea]))
    assert wiki.pages()["wiki/entities/Green tea.md"].description == "It is green."
    given = answer([green()])
    given["subjects"] = []
    done = wiki.learn("raw/two.md", f"Two.\n\n{GREEN}\n", given)
    said = remarks(done)["k1 subject Green tea"]
    assert said == "not listed: filed under wiki/entities/Green tea.md"
    assert [path for path in wiki.pages() if "Green" in path] == ["wiki/entities/Green tea.md"]


def test_the_same_words_at_another_line_are_named(wiki: Wiki) -> None:
    given = green()
    again = {"quote": GREEN, "lines": [1, 1]}
    given["evidence"].append(again)
    text = f"{GREEN}\n\nBoth are hot.\n\n{GREEN}\n"
    done = wiki.learn("raw/tea.md", text, answer([given]))
    assert (
        remarks(done)[f"k1 quote “{GREEN}” of L1"]
        == "the claim has a quote of the same words already"
    )


def test_one_notice_of_several_claims_is_one_line(wiki: Wiki) -> None:
    given = answer([green(also=["Matcha"]), black(also=["Matcha"])])
    given["source"] = {"sha256": sha(NOTE), "segment": [1, 1]}
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    out = wiki.run("apply", "-", stdin=json.dumps(given).encode()).out
    assert "note: k1, k2: also Matcha: no such page yet" in out


def test_notices_are_set_apart_from_what_is_lost(wiki: Wiki) -> None:
    subjects = [{"name": "Green tea", "kind": "concept", "description": "x", "aliases": ["Matcha"]}]
    given = {**answer([green()], subjects), "source": {"sha256": sha(NOTE), "segment": [1, 1]}}
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    done = wiki.run("apply", "-", "--dry-run", stdin=json.dumps(given).encode())
    lines = [line.strip() for line in done.out.split("\n") if line.startswith("   ")]
    assert done.code == 1 and ", 1 refused" in done.out
    told = [line for line in lines if not line.startswith("new ")]
    assert told[0].startswith("refused: other name of Green tea: Matcha (")


def test_the_reader_without_a_model_is_told_nothing(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    done = wiki.ok("ingest", "raw/tea.md", "--model", "offline", "--json").operation
    assert done["remarks"] == done["refused"] == []


# --- pages that shall point to a claim -----------------------------------------------------


def told_of(wiki: Wiki, path: str) -> list[str]:
    """The claims of other pages that are about the page at `path`, as `wiki show` lists them."""
    shown = wiki.ok("show", path).out
    return [ident for ident, (home, _c) in wiki.claims().items() if home != path and ident in shown]


def test_an_also_leads_to_its_page_once_there_is_one(wiki: Wiki) -> None:
    done = wiki.learn("raw/tea.md", NOTE, answer([green(also=["Camellia sinensis"]), black()]))
    became = remarks(done)["k1 also Camellia sinensis"]
    assert became == "no such page yet: its links lead there once there is one"
    waits = wiki.claim("80 degrees")
    assert ("about", ":", "[[Camellia sinensis]]") in waits.attributes
    check(wiki)
    wiki.ok("lint")

    later = answer([{**claim("Camellia Sinensis", SHRUB), "id": "k1"}])
    wiki.learn("raw/shrub.md", f"{SHRUB}\n", later)
    assert told_of(wiki, "wiki/concepts/Camellia Sinensis.md") == [waits.id]
    assert wiki.claim("80 degrees") == waits
    check(wiki)


def test_an_also_finds_a_later_page_by_its_alias(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([green(also=["NASA"]), black()]))
    text = "National Aeronautics and Space Administration (NASA) is an agency."
    name = "National Aeronautics and Space Administration"
    subjects = [{"name": name, "kind": "entity", "description": "x", "aliases": ["NASA"]}]
    wiki.learn("raw/nasa.md", f"{text}\n", answer([claim(name, text)], subjects))
    assert told_of(wiki, f"wiki/entities/{name}.md") == [wiki.claim("80 degrees").id]


def test_a_claim_is_about_eight_pages_at_most(wiki: Wiki) -> None:
    names = [f"Kind {n} of tea" for n in range(9)]
    done = wiki.learn("raw/tea.md", NOTE, answer([green(also=names), black()]))
    assert len([a for a in wiki.claim("80 degrees").attributes if a[0] == "about"]) == 8
    assert [r["quote"] for r in done["refused"]] == ["also Kind 8 of tea"]


# --- a dry run of all segments -------------------------------------------------------------

LONG = f"# Tea\n\n{GREEN}\n\n## Black\n\n{BLACK}\n"


def parts_of(wiki: Wiki) -> list[Path]:
    """The answers to both segments of a long source; the second has a quote that is nowhere."""
    wiki.env["LLMWIKI_INGEST_SEGMENT_BYTES"] = "1000"
    filler = "".join(f"Line {n} says nothing of note here.\n\n" for n in range(40))
    text = LONG.replace("## Black", f"{filler}## Black")
    wiki.put("raw/tea.md", text)
    wiki.prepare("raw/tea.md")
    lines = text.split("\n")
    files = []
    job = next((wiki.root / ".git/llmwiki/jobs").glob("*/job.json"))
    segments = json.loads(job.read_text())["segments"]
    for number in range(1, len(segments) + 1):
        claims = []
        for words, made in ((GREEN, green), (BLACK, black)):
            at = lines.index(words) + 1
            first, last = segments[number - 1]
            if first <= at <= last:
                claims.append(made(evidence=[{"quote": words, "lines": [at, at]}]))
        if number == len(segments):
            claims.append({**claim("Black tea", "It was not said."), "id": "k3"})
        given = answer(claims, source={"sha256": sha(text), "segment": [number, len(segments)]})
        path = wiki.root.parent / f"part-{number}.json"
        path.write_text(json.dumps(given))
        files.append(path)
    assert len(files) > 1
    return files


def test_a_dry_run_checks_the_files_of_one_call_together(wiki: Wiki) -> None:
    files = list(map(str, parts_of(wiki)))
    before = wiki.head
    tried = wiki.run("apply", *files, "--dry-run", "--json")
    assert tried.code == 1
    done = tried.json["operations"]
    assert [each["status"] for each in done] == ["pending"] * (len(files) - 1) + ["planned"]
    assert done[-1]["claims_added"] == 2
    assert [each["claim"] for each in done[-1]["refused"]] == [f"{len(files)}:k3"]
    assert wiki.head == before
    assert not list((wiki.root / ".git/llmwiki/jobs").glob("*/answer-*"))
    assert wiki.ok("apply", *files, "--json").json["operations"][-1]["status"] == "ingested"
    check(wiki)


def test_lines_are_needed_only_where_words_stand_twice(wiki: Wiki) -> None:
    text = NOTE + "\n## Again\n\n" + GREEN + "\n"
    rows = [claim("Green tea", GREEN), black()]
    for row in rows:
        del row["evidence"][0]["lines"]
    wiki.learn("raw/tea.md", text, answer(rows))
    assert "[^tea-md] ^c-" in wiki.read("wiki/concepts/Green tea.md")
    assert "[^tea-md] ^c-" in wiki.read("wiki/concepts/Black tea.md")
    check(wiki)


def test_what_is_refused_is_said_although_other_segments_are_missing(wiki: Wiki) -> None:
    files = parts_of(wiki)
    out = wiki.run("apply", str(files[-1]), "--dry-run").out
    assert "checked, and not kept; still to answer: 1" in out
    reason = "the quote is not in the text; the claim goes"
    assert f"refused: {len(files)}:k3: {reason}: It was not said." in out


# --- what a claim says, and what its quotes do -----------------------------------------------

GREENLETS = """# Greenlets

It starts ten thousand greenlets on 12 June 2017, and 80% of them wait.

Its advantages are as follows.

Ada Lovelace wrote the scheduler of the event loop. She keeps it.
"""
STARTS = "It starts ten thousand greenlets on 12 June 2017"
KEEPS = "She keeps it."


def told(wiki: Wiki, text: str, *quotes: str, **more: Any) -> dict[str, Any]:
    """The operation of an answer with this claim and one that stands whatever becomes of it."""
    sound = {**claim("Greenlet", KEEPS, lines=(7, 7)), "id": "k1"}
    tested = {**claim("Greenlet", text, *quotes), "id": "k2", **more}
    return wiki.learn("raw/greenlets.md", GREENLETS, answer([sound, tested]))


@pytest.mark.parametrize(
    ("text", "quotes", "reason"),
    [
        (
            "It starts ninety thousand greenlets.",
            ("It starts ninety thousand greenlets", "Its advantages are as follows."),
            "the quote is not in the text; the claim goes",
        ),
        (
            "It starts ninety thousand greenlets.",
            (STARTS,),
            "the number ninety thousand stands in no quote; the claim goes",
        ),
        (
            "It starts 10,000 greenlets, as measured in 2019.",
            (STARTS, "It was measured in 2019"),
            "the number 2019 stands in no quote; the claim goes",
        ),
        (
            "The scheduler of greenlets was written by Zorblax.",
            ("wrote the scheduler of the event loop",),
            "the name Zorblax stands nowhere in the document; the claim goes",
        ),
    ],
)
def test_a_claim_that_says_more_than_its_quotes_goes_and_says_why(
    wiki: Wiki, text: str, quotes: tuple[str, ...], reason: str
) -> None:
    done = told(wiki, text, *quotes)
    assert lost(done)["k2"].endswith(reason)
    assert [c.text for _path, c in wiki.claims().values()] == [KEEPS]
    check(wiki)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("On 2017-06-12 the system started 10,000 greenlets.", STARTS),
        ("10 000 greenlets, or 10k, were started in June 2017.", STARTS),
        ("80 percent of greenlets wait.", "80% of them wait"),
        ("The scheduler is kept by Lovelace.", KEEPS),
        ("Its two parts are the scheduler and the event loop.", "the scheduler of the event loop"),
    ],
)
def test_a_claim_may_word_numbers_dates_and_names_anew(wiki: Wiki, text: str, quote: str) -> None:
    done = told(wiki, text, quote)
    assert done["refused"] == []
    assert text in {c.text for _path, c in wiki.claims().values()}


def test_a_later_quote_that_is_invented_goes_alone(wiki: Wiki) -> None:
    done = told(wiki, "It starts 10,000 greenlets.", STARTS, "Nobody said so.")
    assert lost(done) == {
        "k2": "Nobody said so.: the quote is not in the text; the claim stands on its other quotes"
    }
    assert len(wiki.claim("10,000").evidence) == 1


def test_a_summary_with_a_number_that_the_text_has_not_goes(wiki: Wiki) -> None:
    subject = {"name": "Greenlet", "kind": "concept", "description": "A thread."}
    rows = [{**claim("Greenlet", "80% of them wait", lines=(3, 3)), "id": "k1"}]
    given = answer(rows, [subject])
    given["document"]["summary"] = "Of 90,000 greenlets most wait."
    done = wiki.learn("raw/greenlets.md", GREENLETS, given)
    assert [each["reason"] for each in done["refused"]] == [
        "the number 90,000 stands nowhere in the text; the summary goes"
    ]
    assert "90,000" not in wiki.read("wiki/sources/greenlets-md.md")
    given["document"]["summary"] = "Three things of greenlets; 80 percent wait."
    again = wiki.learn("raw/again.md", GREENLETS + "\nMore.\n", given)
    assert again["refused"] == [] and "80 percent" in wiki.read("wiki/sources/again-md.md")


def test_a_lead_with_a_number_that_nothing_says_goes_and_the_rest_lands(wiki: Wiki) -> None:
    about = {"description": "A thread of 64 kB.", "lead": "A greenlet waits in 90% of cases."}
    subject = {"name": "Greenlet", "kind": "concept", **about}
    rows = [{**claim("Greenlet", "80% of them wait", lines=(3, 3)), "id": "k1"}]
    done = wiki.learn("raw/greenlets.md", GREENLETS, answer(rows, [subject]))
    why = "stands in no quote and no claim; the"
    assert [each["reason"] for each in done["refused"]] == [
        f"the number 64 {why} description of Greenlet goes",
        f"the number 90 {why} lead of Greenlet goes",
    ]
    text = wiki.read("wiki/concepts/Greenlet.md")
    assert "64" not in text and "90%" not in text and "80% of them wait" in text
    more = {**claim("Greenlet", KEEPS), "id": "k1"}
    path = "wiki/concepts/Greenlet.md"
    new = {**subject, "lead": "Of all greenlets 80 percent wait.", "same_as": path}
    new["description"] = "A thread."
    done = wiki.learn("raw/more.md", f"# Greenlet\n\n{KEEPS}\n", answer([more], [new]))
    assert done["refused"] == [] and "80 percent" in wiki.read(path)
    line = "[^greenlets-md]"
    assert line in wiki.read(path)
    new["lead"] = "Of all greenlets 3 wait."
    done = wiki.learn("raw/most.md", f"# Greenlet\n\nMost wait. {KEEPS}\n", answer([more], [new]))
    assert [each["reason"] for each in done["refused"]] == [
        f"the number 3 {why} lead of Greenlet goes"
    ]
    check(wiki)
