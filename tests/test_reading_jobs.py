"""The jobs of whoever reads: what they show of the wiki and of each other, and their size."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from wikikit import Wiki, answer, check, claim, make, sha

from llmwiki.app.ingest.jobs_for_agents import MOST
from llmwiki.core.language.figures_and_names import Support

FIELD = "Grain number {0} is a seed of the {0}th field of the farm, and it is sown in spring."


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def files_of(text: str) -> list[Path]:
    return [
        Path(name) for name in re.findall(r"^  (/.*segment-\d+\.md)  lines", text, re.MULTILINE)
    ]


def rows(text: str, name: str) -> list[str]:
    """The lines between a fence of that name."""
    found = re.search(rf"^<<<{name} (\w+)\n(.*?)\n\1 {name}>>>", text, re.MULTILINE | re.DOTALL)
    return found[2].split("\n") if found else []


def titles_of(job: str) -> list[str]:
    """The titles of the candidate pages of a job: those of their files, where none is given."""
    pages = map(json.loads, rows(job, "pages"))
    return [page.get("title", Path(page["path"]).stem) for page in pages]


def learn(wiki: Wiki, name: str, facts: dict[str, str], **more: Any) -> dict[str, Any]:
    """A source with one paragraph and one claim for each page."""
    text = "".join(f"{fact}\n\n" for fact in facts.values())
    claims = [
        {**claim(title, fact, lines=(2 * n + 1, 2 * n + 1)), **more}
        for n, (title, fact) in enumerate(facts.items())
    ]
    return wiki.learn(f"raw/{name}.md", text, answer(claims))


def pages(wiki: Wiki, facts: dict[str, str]) -> None:
    """The same by hand and at once, without a source."""
    for title, fact in facts.items():
        front = f"---\ntype: concept\ntitle: {title}\n---\n"
        wiki.put(f"wiki/concepts/{title}.md", f"{front}\n# {title}\n\n{fact}\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "pages by hand")


def long(wiki: Wiki, count: int = 400) -> tuple[str, list[tuple[int, int]]]:
    """A long source, prepared; its text and its segments."""
    text = "".join(f"{FIELD.format(n)}\n\n" for n in range(count))
    wiki.put("raw/long.md", text)
    wiki.ok("ingest", "raw/long.md", "--prepare")
    (job,) = (wiki.root / ".git/llmwiki/jobs").glob("*/job.json")
    return text, [tuple(each) for each in json.loads(job.read_text())["segments"]]


def part(text: str, segments: list[tuple[int, int]], number: int, **more: Any) -> dict[str, Any]:
    """The answer to one segment: its first grain."""
    line = segments[number - 1][0]
    line += 1 - line % 2
    said = text.split("\n")[line - 1]
    made = {**claim("Grain", said, lines=(line, line)), "id": "k1", **more}
    source = {"sha256": sha(text), "segment": [number, len(segments)]}
    return answer([made], source=source)


# --- what is shown of the wiki -------------------------------------------------------------


def test_titles_with_a_word_in_the_text_are_listed(wiki: Wiki) -> None:
    facts = {"Kernel module": "A kernel module is loaded at run time.", "Tea": "Tea is hot."}
    learn(wiki, "one", facts)
    wiki.put("raw/new.md", "The kernel of a nut is said here.\n")
    assert rows(wiki.prepare("raw/new.md"), "titles")[:1] == ["Kernel module"]
    wiki.put("raw/none.md", "Nothing of that is said here.\n")
    assert not rows(wiki.prepare("raw/none.md"), "titles")


def test_pages_that_the_words_lead_to_are_candidates(wiki: Wiki) -> None:
    learn(
        wiki,
        "one",
        {
            "Steeping": "Leaves are left in water below boiling for minutes.",
            "Trade": "Ships carried goods over the sea.",
        },
    )
    wiki.put("raw/new.md", "How long leaves stay in boiling water decides how they taste.\n")
    assert titles_of(wiki.prepare("raw/new.md"))[0] == "Steeping"


BIKES = {
    "Tyre pressure": "A tyre that is pumped to four bar rolls with little resistance on asphalt.",
    "Chain lubrication": "A dry chain wears its sprockets down within a thousand kilometres.",
    "Workshop rules": "Everybody who uses the workshop needs to clean the tools after the work.",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("On asphalt little resistance is felt once four bar are in the wheel.", "Tyre pressure"),
        ("Sprockets last long if nobody lets the chain run dry.", "Chain lubrication"),
        ("Chain Lubrication is a job for Sundays.", "Chain lubrication"),
        ("Pressure is lost in winter.\n\nWhat tyre rolls on asphalt?", "Tyre pressure"),
    ],
)
def test_pages_that_a_place_of_the_text_is_like_are_candidates(
    wiki: Wiki, text: str, shown: str
) -> None:
    learn(wiki, "bikes", BIKES)
    wiki.put("raw/new.md", f"# Notes\n\nIt rained all day.\n\n{text}\n")
    pages = [json.loads(row) for row in rows(wiki.prepare("raw/new.md"), "pages")]
    assert [(Path(page["path"]).stem, len(page.get("claims", ()))) for page in pages] == [
        (shown, 0 if "Sundays" in text else 1)
    ]


def test_what_was_read_without_a_model_is_shown_so_that_a_contradiction_is_seen(
    wiki: Wiki,
) -> None:
    wiki.put("raw/old.md", "# Boathouse\n\nThe boathouse is open from 7:00 to 21:00.\n")
    wiki.ok("ingest", "raw/old.md", "--model", "offline")
    said = "The boathouse is open from 9:00 to 17:00."
    wiki.put("raw/new.md", f"# Notice\n\n{said}\n")
    (page,) = (json.loads(row) for row in rows(wiki.prepare("raw/new.md"), "pages"))
    (shown,) = page["claims"]
    assert "7:00 to 21:00" in json.dumps(shown)
    link = {"to": wiki.claim("7:00 to 21:00").id, "how": "contradicts", "why": "other hours"}
    wiki.learn(
        "raw/new.md", f"# Notice\n\n{said}\n", answer([claim("Boathouse", said, links=[link])])
    )
    assert "contradict one another" in wiki.run("lint").out
    # What a model has read is shown by its subjects, and a document is not shown to itself.
    wiki.put("raw/old.md", "# Boathouse\n\nThe boathouse is open from 7:00 to 20:00.\n")
    assert not [row for row in rows(wiki.prepare("raw/old.md"), "pages") if "sources/" in row]


def test_an_unrelated_document_is_shown_titles_and_no_pages(wiki: Wiki) -> None:
    learn(wiki, "bikes", BIKES)
    text = (
        "Voters who move need a new card.\n\nThe card is sent within ten days of use.\n\n"
        "Whoever needs help after that asks the town hall; work on rules goes on.\n"
    )
    wiki.put("raw/new.md", text)
    job = wiki.prepare("raw/new.md")
    assert rows(job, "titles") and not rows(job, "pages")


def test_a_page_is_shown_of_whose_name_a_text_says_a_rare_word_often(wiki: Wiki) -> None:
    learn(wiki, "one", {"Elicitation mode": "A form is filled in by the person.", **BIKES})
    said = "An elicitation request is sent.\n\nIt rains.\n\n"
    wiki.put("raw/new.md", said * 3)
    wiki.put("raw/once.md", said)
    assert titles_of(wiki.prepare("raw/new.md")) == ["Elicitation mode"]
    assert not titles_of(wiki.prepare("raw/once.md"))


def test_a_lead_is_shown_once_and_no_value_of_another_matter(wiki: Wiki) -> None:
    text = "The valve is of brass.\n\nIt costs 4 euros in any shop.\n"
    claims = [
        claim("Valve", "The valve is of brass."),
        claim("Valve", "It costs 4 euros in any shop.", lines=(3, 3), key="price", value="4 euros"),
    ]
    wiki.learn("raw/one.md", text, answer(claims))
    wiki.put("raw/new.md", "Brass is what the old cock of the pipe is made of.\n" * 3)
    for row in map(json.loads, rows(wiki.prepare("raw/new.md"), "pages")):
        assert "About Valve." in (row.get("is"), row.get("lead")) and not {"is", "lead"} <= {*row}
        assert all("key" not in each for each in row["claims"])


def test_words_that_stand_all_over_a_text_make_no_page_a_candidate(wiki: Wiki) -> None:
    learn(wiki, "rad", {"Kette": "Die Kette und der Antrieb sind bei dem Rad geschmiert."})
    text = "".join(f"Die Karte {n} und der Ausweis {n} sind bei dem Amt.\n\n" for n in range(20))
    wiki.put("raw/new.md", text)
    assert not rows(wiki.prepare("raw/new.md"), "pages")


def test_claims_that_fill_a_slot_are_shown_with_value_and_id(wiki: Wiki) -> None:
    facts = {f"The widget has part {n} of the many parts.": n for n in range(20)}
    text = "".join(f"{fact}\n\n" for fact in facts) + "It costs 4 euros in any shop.\n"
    claims = [claim("Widget", fact, lines=(2 * n + 1, 2 * n + 1)) for fact, n in facts.items()]
    claims.append(
        claim(
            "Widget", "It costs 4 euros in any shop.", lines=(41, 41), key="price", value="4 euros"
        )
    )
    wiki.learn("raw/one.md", text, answer(claims))
    wiki.put("raw/new.md", "The widget has new parts; part 3 and part 4 of the many are gone.\n")
    (page,) = [json.loads(row) for row in rows(wiki.prepare("raw/new.md"), "pages")]
    assert page["keys"] == [f"{wiki.claim('4 euros').id} price = 4 euros"]
    assert page["claims"] and all("many parts" in each["text"] for each in page["claims"])


def test_a_large_wiki_lists_the_titles_nearest_to_the_text(wiki: Wiki) -> None:
    pages(wiki, {f"Village {n}": f"Village {n} lies at river {n}." for n in range(400)})
    learn(wiki, "more", {f"Hamlet {n}": f"Hamlet {n} lies on hill {n}." for n in range(40)})
    wiki.put("raw/new.md", "On the hill there is a view over a hamlet.\n")
    titles = rows(wiki.prepare("raw/new.md"), "titles")
    assert titles and all(title.startswith("Hamlet") for title in titles[:30])


# --- files ---------------------------------------------------------------------------------


def test_jobs_are_files_of_bounded_size_and_the_rules_stand_once(wiki: Wiki) -> None:
    pages(wiki, {f"Grain {n}": f"Grain {n} is sown." for n in range(300)})
    text = "".join(f"{FIELD.format(n)} So is Grain {n % 300}.\n\n" for n in range(400))
    wiki.put("raw/long.md", text)
    out = wiki.ok("ingest", "raw/long.md", "--prepare").out
    files = files_of(out)
    assert len(files) > 2
    rules = wiki.root / ".git/llmwiki/job-rules.md"
    assert out.startswith(f"Read the rules first, once for all jobs:\n  {rules}\n")
    assert out.endswith(f"Read next:\n  {files[0]}\n")
    assert "## Rules" in rules.read_text() and '"end": true' in rules.read_text()
    for file in files:
        job = file.read_text()
        assert len(job) <= MOST and f"{len(job):,} characters" in out
        assert "## Rules" not in job and f"`{rules}`" in job
        assert rows(job, "titles") and rows(job, "pages")


def test_of_many_pages_only_so_much_is_shown_as_a_job_has_room_for(wiki: Wiki) -> None:
    for start in range(0, 30, 3):
        said = [
            (f"Grain {n}", f"Grain {n} is sown in spring on field {k} of the farm; " + "word " * 20)
            for n in range(start, start + 3)
            for k in range(8)
        ]
        text = "".join(f"{fact}\n\n" for _title, fact in said)
        claims = [
            claim(title, fact.strip(), fact[:60], lines=(2 * n + 1, 2 * n + 1))
            for n, (title, fact) in enumerate(said)
        ]
        wiki.learn(f"raw/g{start}.md", text, answer(claims))
    long(wiki)
    for file in files_of(wiki.ok("ingest", "raw/long.md", "--prepare").out):
        assert len(file.read_text()) <= MOST


@pytest.mark.parametrize("line", ["世界の茶。" * 30, "x = 1", "word " * 4])
def test_no_job_is_longer_than_it_may_be(wiki: Wiki, line: str) -> None:
    wiki.put("raw/long.md", f"{line}\n" * 1_500)
    for file in files_of(wiki.ok("ingest", "raw/long.md", "--prepare").out):
        assert len(file.read_text()) <= MOST


# --- segments know each other --------------------------------------------------------------


def test_the_next_job_says_what_the_answered_ones_say(wiki: Wiki) -> None:
    text, segments = long(wiki)
    assert len(segments) > 2
    done = wiki.apply(part(text, segments, 1))
    second = Path(done.err.rpartition("next to read: ")[2].strip())
    assert second.name == "segment-2.md"
    said = [json.loads(row) for row in rows(second.read_text(), "earlier")]
    assert said[0] == {"subject": "Grain", "is": "About Grain."}
    assert said[1]["id"] == "1:k1" and said[1]["text"].startswith("Grain number 0")
    assert rows(second.with_name("segment-3.md").read_text(), "earlier")
    out = wiki.ok("ingest", "raw/long.md", "--prepare").out
    assert f"{len(segments)} segments, {len(segments) - 1} to answer" in out
    assert files_of(out)[0] == second


def test_a_job_has_the_names_of_earlier_subjects_and_the_claims_most_like_its_text(
    wiki: Wiki,
) -> None:
    text, segments = long(wiki)
    first = part(text, segments, 1)
    line = segments[1][0] + 1
    like = text.split("\n")[line + 99 - (line + 99) % 2]
    many = [
        {**first["claims"][0], "id": f"k{n}", "text": f"Barley of year {n} was {'very ' * 40}dear."}
        for n in range(2, 150)
    ]
    first["claims"] += [*many, {**first["claims"][0], "id": "k150", "text": like}]
    first["subjects"] += [
        {"name": f"Hamlet {n}", "kind": "entity", "description": "A place.", "lead": "Far off."}
        for n in range(40)
    ]
    second = Path(wiki.apply(first).err.rpartition("next to read: ")[2].strip())
    job = second.read_text()
    said = [json.loads(row) for row in rows(job, "earlier")]
    shown = [each["id"] for each in said if "id" in each]
    assert 0 < len(shown) <= 15 and shown[-1] == "1:k150"
    assert [each["subject"] for each in said if "id" not in each] == [
        "Grain", *(f"Hamlet {n}" for n in range(40))
    ]  # fmt: skip
    assert "Far off" not in job
    assert len("\n".join(rows(job, "text"))) >= 0.7 * len(job)


def test_what_a_later_segment_repeats_is_one_claim_and_links_reach_over(wiki: Wiki) -> None:
    text, segments = long(wiki)
    wiki.apply(part(text, segments, 1))
    for number in range(2, len(segments)):
        again = part(text, segments, number, id="1:k1")
        wiki.apply(again)
    last = part(text, segments, len(segments), links=[{"to": "1:k1", "how": "supports"}])
    done = wiki.apply(last).operation
    assert (done["status"], done["claims_added"], done["refused"]) == ("ingested", 2, [])
    first = wiki.claim("Grain number 0 ")
    assert len(first.evidence) == len(segments) - 1
    supporting = next(c for _, c in wiki.claims().values() if c.id != first.id)
    assert f"#^{first.id}" in (supporting.attribute("supports") or "")
    check(wiki)
    twice = wiki.apply(last)
    assert twice.code == 2, twice.operation["error"]
    assert "raw/long.md is read already" in twice.operation["error"]


def test_what_a_repetition_adds_is_kept(wiki: Wiki) -> None:
    text, segments = long(wiki)
    for number in range(1, len(segments)):
        wiki.apply(part(text, segments, number))
    last = part(text, segments, len(segments))
    again = {**last["claims"][0], "id": "1:k1", "also": ["Spring"], "asked": "when to begin"}
    again["links"] = [{"to": "k1", "how": "supports"}]
    last["claims"].append(again)
    last["relations"] = [{"from": "Grain", "to": "Spring", "label": "is sown in", "claim": "1:k1"}]
    done = wiki.apply(last).operation
    assert not done["refused"]
    assert {each["what"] for each in done["remarks"]} == {
        "also Spring",
        "relation Grain is sown in Spring",
    }
    first, own = wiki.claim("Grain number 0 "), last["claims"][0]["text"]
    assert f"#^{wiki.claim(own).id}" in (first.attribute("supports") or "")
    assert first.evidence[0].asked == ("when to begin",)


def test_a_slot_that_is_given_the_same_value_twice_is_one_claim(wiki: Wiki) -> None:
    text = "The widget costs 4 euros.\n\nAs was said above, the price is 4 euros for a widget.\n"
    slot = {"key": "price", "value": "4 euros"}
    claims = [
        claim("Widget", "The widget costs 4 euros.", **slot),
        claim("Widget", "The price is 4 euros.", "the price is 4 euros", lines=(3, 3), **slot),
    ]
    wiki.learn("raw/one.md", text, answer(claims))
    assert len(wiki.claim("4 euros").evidence) == 2


def test_the_last_lead_of_a_document_counts(wiki: Wiki) -> None:
    text, segments = long(wiki)
    for number in range(1, len(segments) + 1):
        given = part(text, segments, number)
        given["subjects"][0] |= {
            "lead": f"Lead {'again ' * number}of grain.",
            "description": f"It is told {'again ' * number}here.",
        }
        wiki.apply(given)
    page = wiki.pages()["wiki/concepts/Grain.md"]
    assert page.lead == f"Lead {'again ' * len(segments)}of grain."
    assert page.description == f"It is told {'again ' * len(segments)}here."


def test_sentences_are_added_to_a_lead_that_stands(wiki: Wiki) -> None:
    learn(wiki, "one", {"Tea": "Tea is a drink of leaves."})
    said = "Tea is drunk warm by many."
    subject = {
        "name": "Tea", "kind": "concept", "description": "x", "same_as": "wiki/concepts/Tea.md",
        "add_to_lead": "It is drunk warm.",
    }  # fmt: skip
    for name in ("two", "three"):
        wiki.learn(
            f"raw/{name}.md", f"{said} So says {name}.\n", answer([claim("Tea", said)], [subject])
        )
        assert wiki.pages()["wiki/concepts/Tea.md"].lead == "About Tea. It is drunk warm."
    text, segments = long(wiki)
    for number in range(1, len(segments) + 1):
        given = part(text, segments, number)
        given["subjects"][0]["lead" if number == 1 else "add_to_lead"] = "A seed."
        given["document"]["summary"] = f"Part {number}."
        wiki.apply(given)
    assert wiki.pages()["wiki/concepts/Grain.md"].lead == "A seed."
    assert wiki.pages()["wiki/sources/long-md.md"].lead == f"Part {len(segments)}."


def test_leads_that_the_reader_was_not_shown_are_listed(wiki: Wiki) -> None:
    learn(wiki, "one", {"Tea": "Tea is a drink of leaves.", "Cup": "A cup holds tea."})
    text = "Tea is drunk warm by many.\n\nCups are made of clay at times.\n"
    subjects = [
        {"name": "Tea", "kind": "concept", "description": "x"},
        {"name": "Cup", "kind": "concept", "description": "x", "same_as": "wiki/concepts/Cup.md"},
    ]
    claims = [
        claim("Tea", "Tea is drunk warm by many."),
        claim("Cup", "Cups are made of clay at times.", lines=(3, 3)),
    ]
    done = wiki.learn("raw/two.md", text, answer(claims, subjects))
    assert done["leads_to_renew"] == ["wiki/concepts/Tea.md"]


# --- what was passed over ------------------------------------------------------------------


def test_stretches_without_a_quote_are_told(wiki: Wiki) -> None:
    prose = "Many words are said here of things that nobody has written down.\n\n" * 12
    text = f"# Tea\n\nTea is hot.\n\n{prose}## Code\n\n```\n{'x = 1' * 300}\n```\n\nTea is wet.\n"
    last = text.count("\n")
    claims = [
        claim("Tea", "Tea is hot.", lines=(3, 3)),
        claim("Tea", "Tea is wet.", lines=(last, last)),
    ]
    done = wiki.learn("raw/tea.md", text, answer(claims))
    assert done["unquoted"] == [{"lines": [5, 27], "characters": 12 * 64}]
    asked = answer(claims, questions=[{"text": "Who said it?", "lines": [5, 27]}])
    assert not wiki.learn("raw/more.md", text + "So be it.\n", asked)["unquoted"]


def test_what_can_be_said_of_one_segment_is_said_at_once(wiki: Wiki) -> None:
    text, segments = long(wiki)
    given = part(text, segments, 1, also=["Harvest"])
    given["subjects"][0]["aliases"] = ["Cereal"]
    done = wiki.apply(given, "--dry-run")
    said = done.operation
    assert (done.code, said["status"]) == (1, "pending")
    assert [each["alias"] for each in said["aliases_refused"]] == ["Cereal"]
    assert [each["what"] for each in said["remarks"]] == ["also Harvest"]
    (stretch,) = said["unquoted"]
    assert stretch["lines"][0] == 3 and stretch["lines"][1] <= segments[0][1]
    given["subjects"][0]["aliases"] = []
    assert wiki.apply(given, "--dry-run").code == 0


def test_all_segments_checked_together_say_each_thing_once(wiki: Wiki, tmp_path: Path) -> None:
    text, segments = long(wiki)
    files = []
    for number in range(1, len(segments) + 1):
        given = part(text, segments, number)
        given["claims"].append({**given["claims"][0], "id": "k2", "text": "No.", "evidence": [
            {"quote": f"This stands nowhere in segment {number}."}]})  # fmt: skip
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps(given))
    done = wiki.run("apply", *map(str, files), "--dry-run")
    assert done.code == 1 and done.out.count("refused: 1:k2") == 1
    assert done.out.count("nothing quoted from") == len(segments)


# --- stance and date -----------------------------------------------------------------------


def test_the_stance_of_a_document_is_that_of_its_claims(wiki: Wiki) -> None:
    text = "The lock shall go.\n\nThe lock is slow today.\n\nIt took 3 s in our test.\n"
    document = {"title": "Locks", "summary": "On locks.", "stance": "proposal"}
    claims = [
        claim("Lock", "The lock shall go."),
        claim("Lock", "The lock is slow today.", lines=(3, 3), stance="stated"),
        claim("Lock", "It took 3 s in our test.", lines=(5, 5), stance="measured"),
    ]
    wiki.learn("raw/one.md", text, answer(claims, document=document))
    assert [wiki.claim(words).attribute("stance") for words in ("shall", "slow", "3 s")] == [
        "proposed", None, "measured",
    ]  # fmt: skip
    assert wiki.pages()["wiki/sources/one-md.md"].value("stance") == "proposal"


def test_what_an_accepted_proposal_says_is_so(wiki: Wiki) -> None:
    document = {"title": "Locks", "summary": "On locks.", "stance": "proposal"}
    for status, stance in (("Accepted", None), ("not yet accepted", "proposed")):
        said = f"The lock of {len(status)} shall go."
        made = answer([claim("Lock", said)], document={**document, "status": status})
        wiki.learn(f"raw/{len(status)}.md", f"{said}\n", made)
        assert wiki.claim(said).attribute("stance") == stance


def test_claims_that_disagree_say_so_on_both_sides_and_are_no_contradiction(wiki: Wiki) -> None:
    slot = {"key": "price", "value": "4 euros"}
    wiki.learn(
        "raw/one.md", "Tea costs 4 euros.\n", answer([claim("Tea", "Tea costs 4 euros.", **slot)])
    )
    first = wiki.claim("4 euros").id
    other = claim(
        "Tea", "Tea costs 5 euros.", key="price", value="5 euros",
        links=[{"to": first, "how": "disagrees", "why": "another shop"}],
    )  # fmt: skip
    wiki.learn("raw/two.md", "Tea costs 5 euros.\n", answer([other]))
    second = wiki.claim("5 euros").id
    assert f"#^{second}" in (wiki.claim("4 euros").attribute("disagrees with") or "")
    assert f"#^{first}" in (wiki.claim("5 euros").attribute("disagrees with") or "")
    assert "Contradiction" not in wiki.read("wiki/concepts/Tea.md")
    assert "WK302" not in wiki.run("lint").out
    check(wiki)


def test_emphasis_hides_no_name_and_a_german_noun_is_none() -> None:
    said = Support("Seven others have _Write_ permissions for snake_case.")
    assert not said.lacking_names("They have Write permissions.")
    assert not said.lacking_names("Der Umbau wurde Anfang des Jahres geplant.")
    assert said.lacking_names("They have Admin permissions.") == ["Admin"]
