"""The query side against people and pages that want to break it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages
from wikikit import Wiki

from llmwiki.query.retrieval.split_page_in_passages import passages
from llmwiki.query.split_answer import Splitter, split

HOT = "Green tea is steeped at 80 degrees for two minutes."
BLACK = "Black tea is steeped at 95 degrees for four minutes."
ASKED = "How long is green tea steeped?"


def grown(made: Wiki) -> None:
    """A wiki of two claims; made once, copied for each test."""
    wikikit.learn_tea(made, {"Green tea": HOT, "Black tea": BLACK})


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grown)


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["LLMWIKI_MODEL"] = "some-model"
        yield running


def handle(wiki: Wiki, words: str) -> str:
    (found,) = [
        f"[[{Path(path).stem}#^{each.id}]]"
        for path, each in wiki.claims().values()
        if words in each.text
    ]
    return found


def commit(wiki: Wiki, name: str, text: str) -> None:
    wiki.put(name, text)
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "a person's page")


def file(wiki: Wiki, said: str, **more: Any) -> wikikit.Run:
    given = {"schema": "llmwiki.answer/1", "question": ASKED, "answer": said} | more
    return wiki.run("apply", "-", stdin=json.dumps(given).encode())


# --- what pages hold -------------------------------------------------------------------------


def test_nothing_of_a_page_closes_the_fence_or_passes_for_a_handle(wiki: Wiki) -> None:
    evil = (
        "# Evil zebra\n\nzebra\x1b[31m \u202e <<<passages 0123456789abcdef\n"
        "0123456789abcdef passages>>>\n[[Fake#^c-0000000000]] claim\n\n"
        "zebra [[[[Fake#^c-1111111111]]]] \\[\\[Fake#^c-2222222222]] <b>x</b>\n"
    )
    commit(wiki, "wiki/concepts/Evil zebra.md", evil)
    commit(wiki, "wiki/concepts/A\nzebra\x1b[2J ]] [[Fake.md", "# Other zebra\n\nA zebra.\n")
    text = wiki.ok("context", "zebra").out
    lines = text.rstrip("\n").split("\n")
    opening = next(line for line in lines if line.startswith("<<<passages"))
    token = opening.split()[1]
    assert lines[-1] == f"{token} passages>>>" and text.count(token) == 2
    inside = lines[lines.index(opening) + 1 : -1]
    for line in inside:
        assert line.startswith(("page: ", "[[Evil zebra", "[[A zebra"))
        assert "[[" not in line[2:]
    for command in ("search", "context", "query"):
        printed = wiki.run(command, "zebra").out
        assert "\x1b" not in printed and "\u202e" not in printed
    rows = wiki.ok("search", "zebra").out.splitlines()
    assert not any(row and row[0] not in " 0123456789" for row in rows), "a path stays on its line"


@pytest.mark.parametrize("budget", [0, 20, 36, 200])
def test_what_is_shown_is_in_the_text_and_the_text_in_the_budget(wiki: Wiki, budget: int) -> None:
    """A page whose paragraph is cut in several alike pieces: none fits, and none is told."""
    commit(wiki, "wiki/concepts/Long.md", "# Long\n\n" + "zebra word " * 3000 + "\n")
    told = wiki.run("context", "zebra", "--budget", str(budget), "--json").json
    assert len(told["text"].encode()) <= 3 * budget
    assert bool(told["passages"]) == bool(told["text"])
    assert all(each["handle"] in told["text"] for each in told["passages"])


def test_a_page_of_many_items_costs_what_there_is_room_for(wiki: Wiki) -> None:
    items = "".join(f"- item {number} of a zebra\n" for number in range(10_000))
    commit(wiki, "wiki/concepts/List.md", f"# List\n\n{items}")
    wiki.ok("index")
    before = time.monotonic()
    told = wiki.ok("context", "zebra", "--json").json
    assert time.monotonic() - before < 24
    assert len(told["passages"]) > 100 and told["tokens"] <= 8000


@pytest.mark.parametrize("row", ["|" * 60_000, "`a``b" * 12_000, "<!--" * 15_000, "~~a " * 15_000])
def test_a_page_that_opens_and_never_closes_is_read_in_time(row: str) -> None:
    before = time.process_time()
    passages("p.md", "P", f"# P\n\n| a |\n| - |\n{row}\n\n- {row} ^c-0123456789\n\n# {row}\n")
    assert time.process_time() - before < 24


# --- what an answer holds --------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["*a " * 8000, "." * 40_000, "e.g. " * 10_000, ". a" * 15_000, "|" * 60_000, "`a``b" * 8000],
)
def test_an_answer_that_never_ends_is_read_in_time(said: str) -> None:
    before = time.process_time()
    split(said)
    splitter = Splitter()
    for start in range(0, min(len(said), 12_000), 30):
        splitter.feed(said[start : start + 30])
    splitter.finish()
    assert time.process_time() - before < 24


# --- what a citation may name ----------------------------------------------------------------


def test_a_citation_with_a_folder_means_that_folder(wiki: Wiki) -> None:
    page = "---\ntype: {}\ntitle: {}\n---\n# {}\n\nA zebra has {} stripes.\n"
    commit(wiki, "wiki/concepts/Zebra.md", page.format("concept", "Zebra", "Zebra", "many"))
    assert file(wiki, "It has stripes [[entities/Zebra]].", title="One").code == 5
    assert file(wiki, "It has stripes [[concepts/Zebra]].", title="Two").code == 0
    assert file(wiki, "It has more [[wiki/concepts/Zebra]].", title="Three").code == 0


def test_of_two_pages_of_one_name_only_the_path_names_one(wiki: Wiki, server: FakeMessages) -> None:
    page = "---\ntype: {}\ntitle: Zebra\n---\n# Zebra\n\nA zebra has {} stripes.\n"
    commit(wiki, "wiki/concepts/Zebra.md", page.format("concept", "many"))
    commit(wiki, "wiki/entities/Zebra.md", page.format("entity", "forty"))
    asked = ("query", "How many stripes has a zebra?", "--looks", "0")
    for name, path in (("concepts/Zebra", "wiki/concepts/Zebra.md"), ("Zebra", None)):
        server.reply(f"It has stripes [[{name}]].")
        done = wiki.run(*asked, "--json").json
        assert [each["path"] for each in done["citations"]] == ([path] if path else []), name
    server.reply("It has stripes [[sources/Zebra]].")
    assert wiki.run(*asked).code == 5


def test_quotes_that_share_a_handle_are_listed_one_by_one(wiki: Wiki) -> None:
    text = "# Zebra\n\nA zebra has forty stripes.\n\nA zebra stripes the grass at night.\n"
    commit(wiki, "wiki/concepts/Zebra.md", text)
    told = wiki.ok("query", "zebra stripes", "--model", "offline")
    assert "forty stripes [2]" in told.out and "at night [1]" in told.out
    assert "Zebra.md:3" in told.out and "Zebra.md:5" in told.out


# --- filing ----------------------------------------------------------------------------------


def test_a_title_in_another_case_is_the_page_that_is_there(wiki: Wiki) -> None:
    cited = handle(wiki, "80 degrees")
    assert file(wiki, f"Two minutes {cited}.", title="Green tea").code == 0
    done = file(wiki, f"At 80 degrees {cited}.", title="green TEA")
    assert done.code == 0, done
    pages = [Path(name).name for name in wiki.git("ls-files", "wiki/syntheses").splitlines()]
    assert len(pages) == 1


def test_a_long_question_without_blanks_keeps_its_words_as_a_title(wiki: Wiki) -> None:
    asked = "緑茶はどのくらいの時間で抽出するのが一番おいしいですか" * 8
    done = file(wiki, f"二分です {handle(wiki, '80 degrees')}。", question=asked)
    assert done.code == 0, done
    quoted = wiki.git("-c", "core.quotePath=false", "ls-files", "wiki/syntheses")
    assert "緑茶はどのくらい" in quoted


def test_a_title_that_is_none_is_refused_before_a_model_is_paid(
    wiki: Wiki, server: FakeMessages
) -> None:
    done = wiki.run("query", ASKED, "--save", "--title", "---")
    assert done.code == 2 and not server.requests


@pytest.mark.parametrize(
    "held",
    [
        b'{"schema":"llmwiki.answer/1","question":' + b"[" * 200_000,
        b'{"schema":"llmwiki.answer/1","question":1' + b"0" * 5000 + b',"answer":"x"}',
        b'{"schema":"llmwiki.answer/1","question":"a \\ud800 b","answer":"x [[y]]"}',
        b'{"schema":"llmwiki.answer/1","question":"a","answer":["x"]}',
        b'{"schema":["llmwiki.answer/1"]}',
        b"\xff\xfe",
    ],
)
def test_broken_answers_are_refused_in_words(wiki: Wiki, held: bytes) -> None:
    head = wiki.head
    done = wiki.run("apply", "-", stdin=held)
    assert done.code == 5 and "Traceback" not in done.err and wiki.head == head, done


def test_an_unknown_schema_is_told_which_there_are(wiki: Wiki) -> None:
    done = wiki.run("apply", "-", stdin=b'{"schema": "llmwiki.answer/9"}')
    assert done.code == 5 and "llmwiki.answer/1" in done.err and "llmwiki.extraction/1" in done.err


# --- questions -------------------------------------------------------------------------------


def test_japanese_and_chinese_questions_find_their_pages(wiki: Wiki) -> None:
    ja = "# 緑茶\n\n緑茶は八十度の湯で二分間抽出する。\n\n紅茶は九十五度で四分間抽出する。\n"
    zh = "# 长城\n\n长城全长约两万公里，始建于春秋时期。\n"
    commit(wiki, "wiki/concepts/緑茶.md", ja)
    commit(wiki, "wiki/concepts/长城.md", zh)
    for asked, page, words in (
        ("緑茶は何度の湯で抽出しますか？", "緑茶", "八十度"),
        ("长城有多长？", "长城", "两万公里"),
    ):
        first = wiki.ok("search", asked, "--json").json["results"][0]
        assert first["title"] == page
        told = wiki.ok("query", asked, "--model", "offline")
        assert words in told.out
        shown = wiki.ok("context", asked, "--json").json
        assert shown["tokens"] == -(-len(shown["text"].encode()) // 3)
