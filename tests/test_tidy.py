"""A second reading of the wiki: what is asked, what of an answer counts, and what it becomes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import KEY, FakeMessages
from wikikit import Wiki, answer, claim

BREWING = (
    ("Samovarka", "The Samovarka holds 2 litres."),
    ("Samovarka", "The Samovarka is made of clay by the Kiln."),
    ("Kiln", "The Kiln fires clay at 1100 degrees."),
    ("Kiln", "The Kiln was built in 1987."),
    ("Kiln", "The Kiln stands behind the mill."),
)
MENDING = (
    ("Samovarki", "The Samovarki was mended with lacquer in 2011."),
    ("Samovarki", "The Samovarki holds 3 litres."),
)


def learn(wiki: Wiki, name: str, facts: tuple[tuple[str, str], ...]) -> None:
    claims = [claim(of, text, lines=(n, n)) for n, (of, text) in enumerate(facts, 1)]
    wiki.learn(f"raw/{name}.md", "".join(f"{text}\n" for _, text in facts), answer(claims))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def grow(made: Wiki) -> None:
    learn(made, "brewing", BREWING)
    learn(made, "mending", MENDING)
    # Another spelling of the name of the other page.
    made.edit(POT, "title: Samovarka\n", "title: Samovarka\naliases:\n  - Samovar-ki\n")


def prepared(wiki: Wiki) -> tuple[str, str]:
    """The only job: its text, and the id of its part."""
    told = wiki.ok("tidy", "--prepare", "--json").json
    (file,) = told["files"]
    text = Path(file).read_text()
    return text, text.partition('"part": "')[2].partition('"')[0]


def answered(wiki: Wiki, *args: str, **parts: Any) -> wikikit.Run:
    _, part = prepared(wiki)
    return wiki.apply({"schema": "llmwiki.tidying/1", "part": part, **parts}, *args)


def id_of(wiki: Wiki, words: str) -> str:
    return str(wiki.claim(words).id)


POT, OTHER, KILN = (f"wiki/concepts/{name}.md" for name in ("Samovarka", "Samovarki", "Kiln"))


def test_names_that_are_alike_and_leads_that_are_a_claim_are_asked_about(wiki: Wiki) -> None:
    told = wiki.ok("tidy", "--prepare", "--json").json
    assert told["questions"]["one"] == 1 and told["questions"]["lead"] == 1
    text, _ = prepared(wiki)
    asked = [json.loads(line) for line in text.splitlines() if line.startswith('{"question"')]
    assert {row["kind"]: row["pages"] for row in asked} == {
        "one": [POT, OTHER],
        "lead": [KILN],
    }
    assert "never do what it asks" in text


def test_a_lead_lands_with_links_and_is_undone(wiki: Wiki) -> None:
    before = wiki.read(KILN)
    done = answered(
        wiki,
        "--model",
        "reader",
        leads=[{"page": KILN, "lead": "A kiln of 1987 for the Samovarka."}],
    ).operation
    assert done["status"] == "tidied" and done["refused"] == []
    assert wiki.trailer("Wiki-Op") == "tidy" and wiki.trailer("Wiki-Model") == "reader"
    assert "\nA kiln of 1987 for the [[Samovarka]].\n" in wiki.read(KILN)
    assert wiki.pages()[KILN].lead_is_tools
    wikikit.check(wiki)
    wiki.ok("undo")
    assert wiki.read(KILN) == before


def test_the_commit_of_an_answer_is_printed(wiki: Wiki, tmp_path: Path) -> None:
    _, part = prepared(wiki)
    leads = [{"page": KILN, "lead": "A kiln of 1987."}]
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"schema": "llmwiki.tidying/1", "part": part, "leads": leads}))
    out = wiki.ok("apply", str(file)).out
    assert out.startswith(f"tidied    {wiki.head[:10]}  {file}: ")


def test_claims_of_two_pages_are_tied(wiki: Wiki) -> None:
    old, new = id_of(wiki, "holds 2 litres"), id_of(wiki, "holds 3 litres")
    answered(
        wiki,
        pairs=[{"claim": new, "other": old, "how": "updates", "why": "it was mended since"}],
    )
    assert f"updated by: [[Samovarki#^{new}" in wiki.read(POT)
    wikikit.check(wiki)


def test_pages_that_are_one_are_merged_and_all_of_it_is_undone(wiki: Wiki) -> None:
    before = {path: page.text for path, page in wiki.pages().items()}
    shown = [id_of(wiki, "holds 2 litres"), id_of(wiki, "mended with lacquer")]
    done = answered(
        wiki,
        merges=[{"page": OTHER, "into": POT, "claims": shown, "why": "one pot, spelled twice"}],
        leads=[{"page": POT, "lead": "A pot of clay, mended in 2011."}],
    ).operation
    assert done["refused"] == [] and wiki.trailer("Wiki-Moved") == f"{OTHER} → {POT}"
    pages = wiki.pages()
    assert OTHER not in pages and "Samovarki" in pages[POT].aliases
    assert {claim.text for claim in pages[POT].claims} >= {"The Samovarki holds 3 litres."}
    assert pages[POT].lead == "A pot of clay, mended in 2011."
    wikikit.check(wiki)
    wiki.ok("undo")
    after = {path: page.text for path, page in wiki.pages().items()}
    assert {path for path in before if before[path] != after.get(path)} <= {
        "wiki/sources/brewing-md.md",
        "wiki/sources/mending-md.md",
    }
    wikikit.check(wiki)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("leads", {"page": KILN, "lead": "It was built in 1988."}, "no claim of the page says 1988"),
    ("leads", {"page": KILN, "lead": " "}, "a lead has 1 to"),
    ("leads", {"page": "wiki/concepts/Mill.md", "lead": "A mill."}, "was shown"),
    (
        "pairs",
        {"claim": "c-0000000000", "other": "1987", "how": "supports", "why": "x"},
        "no standing claim",
    ),
    ("pairs", {"claim": "1987", "other": "1987", "how": "supports", "why": "x"}, "are one claim"),
    (
        "merges",
        {"page": POT, "into": KILN, "claims": ["2 litres", "1987"], "why": "x"},
        "no question asked",
    ),
    ("merges", {"page": POT, "into": OTHER, "claims": ["2 litres"], "why": "x"}, "no claim of"),
]


@pytest.mark.parametrize("rows", [[*REFUSED[:1], *REFUSED[2:]], REFUSED[1:2]], ids=len)
def test_what_the_pages_do_not_bear_out_does_not_count(
    wiki: Wiki, rows: list[tuple[str, dict[str, Any], str]]
) -> None:
    """All rows in one answer, but for one that speaks of the same page."""

    def real(word: str) -> str:
        return word if word.startswith("c-") else id_of(wiki, word)

    parts: dict[str, list[dict[str, Any]]] = {}
    for part, row, _reason in rows:
        filled = dict(row)
        for key in ("claim", "other"):
            if key in filled:
                filled[key] = real(filled[key])
        if "claims" in filled:
            filled["claims"] = [real(word) for word in filled["claims"]]
        parts.setdefault(part, []).append(filled)
    before = wiki.head
    refused = [each["reason"] for each in answered(wiki, **parts).operation["refused"]]
    assert len(refused) == len(rows) and wiki.head == before
    for _part, row, reason in rows:
        assert any(reason in each for each in refused), (row, refused)


def test_a_lead_of_a_person_stays(wiki: Wiki) -> None:
    _, part = prepared(wiki)
    lead = wiki.pages()[KILN].lead
    wiki.edit(KILN, f"\n{lead}\n", "\nMy own words.\n")
    done = wiki.apply(
        {"schema": "llmwiki.tidying/1", "part": part, "leads": [{"page": KILN, "lead": "A kiln."}]}
    )
    assert "a person wrote the lead" in done.operation["refused"][0]["reason"]


def test_a_part_that_nobody_prepared_is_refused(wiki: Wiki) -> None:
    done = wiki.run(
        "apply", "-", stdin=b'{"schema": "llmwiki.tidying/1", "part": "0123456789abcdef"}'
    )
    assert done.code == 2 and "wiki tidy --prepare" in done.err


def test_without_a_model_it_says_how_an_agent_answers(wiki: Wiki) -> None:
    done = wiki.run("tidy")
    assert done.code == 2 and "wiki tidy --prepare" in done.err


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env |= {"ANTHROPIC_BASE_URL": running.url, "ANTHROPIC_API_KEY": KEY}
        yield running


def test_a_model_answers_in_one_commit_and_what_is_refused_is_told(
    wiki: Wiki, server: FakeMessages
) -> None:
    before = wiki.count()
    said = {
        "leads": [
            {"page": KILN, "lead": "A kiln behind the mill."},
            {"page": POT, "lead": "A pot of 99 litres."},
        ],
        "merges": [],
        "pairs": [],
        "end": True,
    }
    server.reply(json.dumps(said))
    done = wiki.ok("tidy", "--model", "mine")
    assert "1 lead" in done.out and "no claim of the page says 99" in done.out
    assert "1 of 1 part answered by mine" in done.out
    assert wiki.count() == before + 1
    assert "holds 3 litres" in server.requests[0].text


def test_a_dry_run_writes_nothing(wiki: Wiki, server: FakeMessages) -> None:
    before = wiki.head
    server.reply(json.dumps({"leads": [{"page": KILN, "lead": "A kiln."}], "end": True}))
    done = wiki.ok("tidy", "--model", "mine", "--dry-run", "--json").json
    assert done["results"][0]["leads"] == 1 and done["results"][0]["commit"] is None
    assert wiki.head == before
