"""Answers without a model, from the project's own wiki and from small ones.

The questions stand in data/questions.json: fifty that the wiki answers, each with claims that
answer it, and fifty that it cannot answer, of three kinds: another subject, a near subject of
which no page speaks, and a thing the wiki knows with an attribute it does not tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import wikikit
from corpuskit import MemoryCorpus, PageText

from llmwiki.index.page_facts_record import is_page
from llmwiki.query.answer_without_model import NEAREST, QUOTES, ExtractiveAnswer, answer, quoted
from llmwiki.query.retrieval.context import Context, assemble
from llmwiki.query.retrieval.rank_pages import rank
from llmwiki.query.shown_passage_parts import ROOM, PassagePart

ROOT = Path(__file__).parent.parent
QUESTIONS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "questions.json").read_text(encoding="utf-8")
)
QUOTED, SHOWN = 0.8, 0.85
"""Share of the questions to which an answer is quoted, and to which one is shown."""


@cache
def own_pages() -> dict[str, str]:
    paths = sorted((ROOT / "wiki").rglob("*.md"))
    texts = {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in paths}
    return {path: text for path, text in texts.items() if is_page(path)}


@cache
def own_corpus() -> MemoryCorpus:
    return MemoryCorpus(own_pages().items())


def context(question: str, pages: dict[str, str] | None = None) -> Context:
    texts = own_pages() if pages is None else pages
    corpus = own_corpus() if pages is None else MemoryCorpus(texts.items())
    ranking = rank(corpus, question, limit=30)
    return assemble(corpus, ranking, lambda card: texts[card.path], question)


def ask(question: str, pages: dict[str, str] | None = None) -> ExtractiveAnswer:
    return answer(context(question, pages))


asked = cache(ask)
"""What the project's own wiki answers."""


def missed(shown: Callable[[ExtractiveAnswer], Iterable[PassagePart]]) -> list[str]:
    """The questions that the wiki answers, and nothing of what is shown does."""
    return [
        each["question"]
        for each in QUESTIONS["answerable"]
        if not any(
            part.passage.path.endswith(f"/{claim['page']}.md")
            and claim["says"].casefold() in part.text.casefold()
            for part in shown(asked(each["question"]))
            for claim in each["answers"]
        )
    ]


def test_what_the_wiki_says_is_quoted_or_near() -> None:
    least = len(QUESTIONS["answerable"])
    quoted = missed(lambda found: found.quotes)
    assert least - len(quoted) >= QUOTED * least, quoted
    shown = missed(lambda found: (*found.quotes, *found.nearest))
    assert least - len(shown) >= SHOWN * least, shown


def test_what_the_wiki_does_not_say_is_not_answered() -> None:
    wrong = [
        each["question"] for each in QUESTIONS["unanswerable"] if asked(each["question"]).quotes
    ]
    assert len(wrong) <= 1, wrong


def test_every_citation_exists() -> None:
    for each in (*QUESTIONS["answerable"], *QUESTIONS["unanswerable"]):
        found = asked(each["question"])
        for shown in (*found.quotes, *found.nearest):
            exists(shown.passage.handle)
        assert len(found.quotes) <= QUOTES and len(found.nearest) <= NEAREST
        for shown in found.quotes:
            for evidence, source in zip(shown.passage.evidence, shown.passage.sources, strict=True):
                text = (ROOT / source).read_text(encoding="utf-8")
                assert fold(evidence.quote) in fold(text)


def fold(text: str) -> str:
    return "".join(re.findall(r"\w+", text)).casefold()


def exists(handle: str) -> None:
    name, _, place = handle[2:-2].partition("#")
    (text,) = (t for p, t in own_pages().items() if p.endswith(f"/{name}.md"))
    if place.startswith("^"):
        assert re.search(rf" \{place}$", text, re.MULTILINE)
    elif place:
        assert re.search(rf"^#+ {re.escape(place)}$", text, re.MULTILINE)


def page(title: str, body: str) -> tuple[str, str]:
    return f"wiki/concepts/{title}.md", PageText("", title, body).text


def claim(ident: int, text: str) -> str:
    return f"- {text} ^c-{ident:010d}\n  - “{text}” [^tea-md]\n"


SMALL = dict(
    [
        page(
            "Tea",
            claim(1, "Green tea is steeped at 80 degrees for two minutes.")
            + claim(2, "Black tea is steeped at 95 degrees.")
            + "\n## Open questions\n\n- Does tea help against headaches?\n",
        ),
        page(
            "Camellia sinensis",
            claim(3, "Camellia sinensis is one of the evergreen shrubs of East Asia."),
        ),
    ]
)


def first(question: str, pages: dict[str, str] = SMALL) -> str:
    found = ask(question, pages)
    return found.quotes[0].passage.text if found.quotes else ""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How long is green tea steeped?", "two minutes"),
        ("What is Camellia sinensis?", "evergreen shrub"),
        ("black tea degrees", "95"),
    ],
)
def test_a_wiki_of_two_pages_answers(question: str, says: str) -> None:
    assert says in first(question)


@pytest.mark.parametrize(
    "question",
    [
        "Does tea help against headaches?",
        "Who invented green tea?",
        "How much does Camellia sinensis cost?",
        "How many shrubs of Asia are evergreen?",
        "How long is green tea steeped at 90 degrees?",
        "How do I harvest green tea?",
        "What is the capital of France?",
        "How is Rooibos steeped?",
        "???",
        "what is it",
    ],
)
def test_a_wiki_of_two_pages_does_not_make_things_up(question: str) -> None:
    assert first(question) == ""


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("How is green tea exported by Zanzibar?", ("Zanzibar",)),
        ("Is green tea steeped at E.22?", ("E.22",)),
        ("Does green tea steep with `--boil`?", ("--boil",)),
        ("How is green tea steeped in 1998?", ()),
        ("How is green tea thoroughly exported?", ()),
        ("Zanzibar steeps green tea how?", ()),
    ],
)
def test_only_names_that_stand_nowhere_are_missing(question: str, unknown: tuple[str]) -> None:
    found = ask(question, SMALL)
    assert found.unknown == unknown
    assert not found.quotes or not (unknown or "1998" in question)
    assert found.nearest[0].passage.id == "c-0000000001" or found.quotes


def test_an_empty_wiki_says_nothing() -> None:
    found = ask("What is tea?", {})
    assert (found.quotes, found.nearest) == ((), ())


def test_what_no_longer_stands_is_quoted_only_where_nothing_else_answers() -> None:
    struck = "- ~~Green tea is steeped at 100 degrees.~~ → [[Tea#^c-0000000001]] ^c-0000000009\n"
    both = dict([page("Tea", struck + claim(1, "Green tea is steeped at 80 degrees."))])
    found = ask("At how many degrees is green tea steeped?", both)
    assert [each.passage.id for each in found.quotes] == ["c-0000000001"]
    alone = ask("How is green tea steeped?", dict([page("Tea", struck)]))
    assert alone.quotes[0].passage.struck


def test_chinese_and_japanese_questions() -> None:
    pages = dict(
        [
            page("绿茶", claim(1, "绿茶用八十度的水冲泡两分钟。")),
            page("珈琲", claim(2, "珈琲は九十五度のお湯で淹れる。")),
        ]
    )
    assert "八十度" in first("绿茶怎么冲泡？", pages)
    assert "九十五度" in first("珈琲は何度のお湯で淹れるのですか", pages)
    assert first("法国的首都是哪里？", pages) == ""
    assert first("東京タワーの高さは？", pages) == ""
    # What it holds is one word of two, and the other stands nowhere.
    assert first("珈琲の値段は？", pages) == ""


def test_german_questions_have_no_names_in_their_nouns() -> None:
    said = "Die Versammlung wählt den Vorstand. Sie tagt jeden Mai."
    pages = dict(
        [page("Verein", claim(1, said)), page("Haus", claim(2, "Das Haus hat 40 Betten."))]
    )
    assert ask("Wer wählt den Vorstand?", pages).quotes
    assert ask("Wie viele Betten hat das Haus?", pages).quotes
    assert ask("Welche Leute tagen jeden Mai in der Versammlung?", pages).unknown == ()
    assert not ask("Wie hoch ist das Gehalt des Vorstands?", pages).quotes


@pytest.mark.parametrize(
    ("document", "said", "cites"),
    [
        (
            "# Pots\n\n> [!tip] Iron\n> Look at your [[Pot#A|iron pot]] every 9 months: [[Pan]].",
            "- Iron Look at your iron pot every 9 months: Pan [1].",
            "> Look at your [[Pot#A|iron pot]]",
        ),
        (
            "---\naliases: [iron pot months]\n---\nLook at your iron pot every 9 months.",
            "- Look at your iron pot every 9 months [1].",
            "    Look at your iron pot",
        ),
    ],
)
def test_lines_of_a_source_answer_without_its_links_marks_and_frontmatter(
    document: str, said: str, cites: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.learn(
        "raw/pots.md", document, wikikit.answer([], document={"title": "Pots", "summary": "Care."})
    )
    told = wiki.ok("query", "After how many months does one look at an iron pot?").out
    answered, _, cited = told.partition("Citations")
    assert answered.strip() == said
    assert cites in cited


STEPS = "".join(f"{n}. Turn the {name} tap until it stops.\n" for n, name in enumerate("abcdef", 1))
RUNBOOK = f"""# Pump

The pump was put in by a firm from the harbour. It stands in the cellar behind the boiler, where the
light is bad. **Note.** It shows E.22 when its pressure is too low, i.e. below one bar. Then nobody
has hot water in the house.

To drain the pump for the winter:

{STEPS}
The key lies on the shelf.
"""


@pytest.mark.parametrize(
    ("question", "quoted", "place"),
    [
        ("How is the pump drained for the winter?", " ".join(STEPS.split()), "raw/pump.md:7"),
        (
            "When does the pump show E.22?",
            "Note. It shows E.22 when its pressure is too low, i.e. below one bar.",
            "raw/pump.md:3",
        ),
    ],
)
def test_sentences_and_lists_of_a_source_are_whole(
    question: str, quoted: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.learn("raw/pump.md", RUNBOOK, wikikit.answer([], document={"title": "P", "summary": "S."}))
    told = wiki.ok("query", question, "--model", "offline").out
    assert quoted.rstrip(".") in " ".join(told.partition("Citations")[0].split())
    assert place in told


def test_lists_stand_in_lines_under_their_heading_and_what_only_points_is_no_passage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    listed = "- Close the lock gate:\n  - the upper wing\n  - the lower wing\n- Open the sluice"
    text = (
        f"# Lock\n\n- [Drain the lock chamber](#drain)\n\n## Drain the lock chamber\n\n{listed}\n"
    )
    wiki.learn("raw/lock.md", text, wikikit.answer([], document={"title": "Lock", "summary": "S."}))
    told = wiki.ok("query", "How do I drain the lock chamber?", "--model", "offline").out
    answered, _, cited = told.partition("Citations")
    lines = f"Drain the lock chamber:\n{listed}".split("\n")
    assert answered.split(" [1]")[0].splitlines() == [
        "- " + lines[0],
        *("  " + x for x in lines[1:]),
    ]
    assert "[[lock-md#L7-L10]]  Lock\n" in cited
    assert "#drain" not in told


def test_several_that_may_answer_are_said_to_be_several() -> None:
    pages = dict(
        [
            page(
                "Pump",
                claim(1, "The pump is oiled in May.")
                + claim(2, "In July the pump is oiled again."),
            )
        ]
    )
    (frame, *quotes) = quoted(context("When is the pump oiled?", pages)).statements
    assert frame.status == "frame" and len(quotes) == 2


@pytest.mark.parametrize(
    ("question", "said", "answers"),
    [
        ("Which port does the pump server listen on?", "The pump server listens on 8080.", True),
        ("Which port does the pump server listen on?", "The pump server listens on a port.", False),
        (
            "When was release 1.0 of the pump made?",
            "In 2020 release 0.1.0 of the pump was made.",
            False,
        ),
        ("Who was present at the launch?", "At the launch was present who could.", False),
    ],
)
def test_an_answer_has_the_kind_asked_for(question: str, said: str, answers: bool) -> None:
    assert bool(ask(question, dict([page("Notes", claim(1, said))])).quotes) == answers


LONG = " ".join(f"Tap number {n} of the pump is turned to the left." for n in range(40))
TABLE = "| Code | Meaning | Cure |\n|---|---|---|\n| E.22 | pressure too low | fill the pump |\n"


@pytest.mark.parametrize(
    ("document", "question", "quoted"),
    [
        (f"# Pump\n\n{LONG}\n", "Where is tap number 37 turned?", "Tap number 37 of the pump"),
        (
            f"# Pump\n\n{TABLE}",
            "What is the cure for E.22?",
            "Code: E.22; Meaning: pressure too low",
        ),
        (
            "# Pump\n\n## Names\n\nThe name of a part is:\n\n```\npump<Number>\n```\n\n"
            "That is, a number follows.\n",
            "What is the name of a part?",
            "The name of a part is: pump<Number> That is, a number follows",
        ),
        (
            "# Pump\n\nThe pump is drained except in these cases\n\n- in summer\n- at night\n",
            "In which cases is the pump drained?",
            "except in these cases - in summer - at night",
        ),
    ],
)
def test_an_answer_is_a_whole_passage(
    document: str, question: str, quoted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.learn(
        "raw/pump.md", document, wikikit.answer([], document={"title": "P", "summary": "S."})
    )
    told = wiki.ok("query", question, "--model", "offline").out.partition("Citations")[0]
    assert quoted in " ".join(told.split())
    assert len(told) < 2 * ROOM + 100


SIZES = "town,year,people\nAbo,2001,70\nAbo,2002,80\nBar,2001,30\nBar,2002,20\nCob,2001,9\n"


@pytest.mark.parametrize(
    ("path", "document", "question", "told", "untold"),
    [
        (
            "sizes.csv",
            SIZES,
            "How many people lived in Bar in 2001 and 2002?",
            ["- town: Bar; year: 2001; people: 30.\n  town: Bar; year: 2002; people: 20"],
            ["Abo", "no page speaks of"],
        ),
    ],
)
def test_rows_with_the_names_of_a_question_are_shown(
    path: str,
    document: str,
    question: str,
    told: list[str],
    untold: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.put(f"raw/{path}", document)
    wiki.ok("ingest", f"raw/{path}", "--model", "offline")
    out = wiki.run("query", question, "--model", "offline").out
    assert all(each in out for each in told)
    assert not any(each in out.partition("Nearest")[0] for each in untold)


def test_the_number_of_an_item_ends_no_sentence() -> None:
    listed = "1. 東京都内は9,000円; 2. 大阪市内は8,000円; 3. その他は7,000円; 4. 海外は相談"
    pages = dict([page("宿泊費", claim(1, listed))])
    (quoted,) = ask("大阪市内の宿泊費はいくらですか？", pages).quotes
    assert quoted.text == listed


def test_of_sentences_those_are_shown_that_tell_the_kind_of_thing_asked_for() -> None:
    pages = dict([page("灯台", claim(1, "灯台は毎日18時に点灯する。見学料は500円です。"))])
    (quoted,) = ask("見学料はいくらですか?", pages).quotes
    assert quoted.text == "見学料は500円です。"
    leave = "Leave is paid. First parents get 16 weeks of leave. Others get 6 weeks of leave."
    pages = dict([page("Leave", claim(1, f"{leave} Ask your manager early."))])
    (quoted,) = ask("How many weeks of leave are there?", pages).quotes
    assert quoted.text == leave.partition(". ")[2]


NOTES = {
    "pump-spring.md": "# How to start the water pump in spring\n\n1. Close the drain tap.\n"
    "2. Open the blue valve.\n3. Switch the fuse on.\n",
    "minutes.md": "# Minutes\n\n## 2019-03-12 Meeting\n\nPresent: Ann, Bo\n\n"
    "- Bo started the pump too early.\n- The mooring fee is 110 euros.\n\n"
    "## 2025-03-11 Meeting\n\n- The mooring fee rises to 140 euros.\n",
    "2024-05-06-mail.md": "# Questions\n\nThank you. Where is the key of the shed? "
    "How much is the deposit for the kayak?\n",
    "costs.csv": "year,item,amount\n2022,compost,105\n2023,compost,120\n2023,seeds,61\n",
    "moorings.md": "# Moorings\n\n<table>\n<tr><th>Boat</th><th>Owner</th></tr>\n"
    "<tr><td>Zwaluw</td><td>Piet</td></tr>\n<tr><td>Otter</td><td>Ann</td></tr>\n</table>\n",
}
"""A newcomer's notes."""


def test_notes_of_a_newcomer_are_answered_by_their_steps_rows_and_newest_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    for name, text in NOTES.items():
        wiki.put(f"raw/{name}", text)
    wiki.ok("ingest", "raw/", "--model", "offline")

    def told(question: str) -> str:
        return wiki.run("query", question, "--model", "offline").out.partition("\nNearest")[0]

    steps = told("How do I start the pump?")
    assert "1. Close the drain tap.\n" in steps
    assert "Bo started" not in steps
    fee = told("How much is the mooring fee?")
    assert fee.index("140 euros") < fee.index("110 euros")
    assert "2025-03-11" in fee
    assert "2019-03-12" in fee
    assert "120" in told("How much did compost cost in 2023?").partition("Citations")[0]
    assert "Owner: Piet" in told("Who owns the Zwaluw?")
    assert "kayak?" not in told("How much is the deposit for the kayak?")


def test_a_title_wins_over_a_long_log_and_a_retracted_source_is_no_hit_and_no_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    for name in ("pump-spring.md", "minutes.md"):
        wiki.put(f"raw/{name}", NOTES[name])
    wiki.ok("ingest", "raw/", "--model", "offline")
    found = wiki.ok("search", "pump", "--json").json["results"]
    assert [each["path"] for each in found] == [
        "wiki/sources/pump-spring-md.md",
        "wiki/sources/minutes-md.md",
    ]
    wiki.ok("retract", "raw/minutes.md")
    assert "inutes" not in wiki.run("search", "minutes meeting").out
    assert wiki.ok("graph", "--json").json["pages"] == 1
