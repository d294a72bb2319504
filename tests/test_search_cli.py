"""wiki search and wiki context: what is printed, and that it is the same every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import wikikit
from hypothesis import given
from hypothesis import strategies as st
from wikikit import Wiki

from llmwiki import Wiki as Library
from llmwiki.query.retrieval.search_result import excerpt, marks
from llmwiki.query.retrieval.split_page_in_passages import MAX_PASSAGE

FACTS = {
    "Green tea": "Green tea is steeped at 80 degrees for two minutes.",
    "Black tea": "Black tea is steeped at 95 degrees for four minutes.",
    "Teapot": "A teapot of iron holds the heat for two hours.",
    "Camellia sinensis": "Camellia sinensis is the evergreen shrub that green tea is made of.",
}
QUESTION = "How long is green tea steeped?"
HEAVY = ("pydantic", "anthropic", "markdown_it", "networkx", "trafilatura", "git", "numpy")
"""Packages that a look into the wiki must not pay for."""


def grown(made: Wiki) -> None:
    """A wiki of those facts, made once."""
    wikikit.learn_tea(made, FACTS)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A copy of that wiki."""
    return wikikit.make(tmp_path, monkeypatch, grown)


def titles(wiki: Wiki, *args: str) -> list[str]:
    """Of the pages found, best first."""
    return [row["title"] for row in wiki.ok("search", *args, "--json").json["results"]]


def test_pages_are_listed_best_first(wiki: Wiki) -> None:
    out = wiki.ok("search", "green", "tea").out
    lines = out.splitlines()
    assert re.fullmatch(r" 1  Green tea {20,}concept", lines[0])
    assert re.fullmatch(r"    raw/tea\.md:\d  \[\[Green tea#\^c-\w{10}\]\]", lines[1])
    assert lines[2] == f"    {FACTS['Green tea']}"
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in out
    assert titles(wiki, "iron heat")[0] == "Teapot"
    assert titles(wiki, "iron heat", "--limit", "1") == ["Teapot"]


def test_nothing_found(wiki: Wiki) -> None:
    done = wiki.run("search", "zzz")
    assert (done.code, done.out) == (1, "") and "says nothing of: zzz" in done.err
    told = wiki.run("search", "zzz", "--json")
    assert (told.code, told.json["results"], told.json["exit_code"]) == (1, [], 1)
    done = wiki.run("context", "zzz")
    assert (done.code, done.out) == (1, "")


def test_a_page_without_a_description_shows_the_passage_that_fits(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/Gyokuro.md", "# Gyokuro\n\nIt is shaded.\n\nIt costs a fortune.\n")
    (row,) = wiki.ok("search", "fortune", "--json").json["results"]
    assert (row["title"], row["text"], row["line"]) == ("Gyokuro", "It costs a fortune.", 5)
    assert "It costs a fortune." in wiki.ok("search", "fortune").out


NOTES = {
    "raw/pump.md": """# Pump

Made in Halle, installed in 2017. The number of the firm is 0171-555.

If it shows E.22, open the two blue taps until the gauge reads 1.5 bar.

Never purge the queue.

```
foo_bar(1)
zork = 9
```

We use C++ and Postgres; see mw-3.

SendGridやAmazon SESなどが存在する。
""",
    "raw/engine.md": "# Engine\n\nIt has 22 cylinders, of grade c.\n\nThe firm has 555 of them.\n",
}


def noted(made: Wiki) -> None:
    """Documents that were read without a model."""
    grown(made)
    for path, text in NOTES.items():
        made.put(path, text)
    made.ok("ingest", "raw/", "--model", "offline")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A copy of a wiki of those as well."""
    return wikikit.make(tmp_path, monkeypatch, noted)


def test_each_word_of_a_document_is_found_at_its_line(notes: Wiki) -> None:
    for typed, line, shown in (
        ("E.22", 5, "If it shows E.22,"),
        ("mw-3", 14, "mw-3"),
        ("C++", 14, "C++"),
        ("foo_bar()", 10, "foo_bar(1)"),
        ("zork", 11, "zork = 9"),
        ("0171-555", 3, "0171-555"),
        ("purge", 7, "Never purge the queue."),
        ("postg*", 14, "Postgres"),
        ('"two blue taps"', 5, "two blue taps"),
        ("path:raw/pump 22", 5, "E.22"),
        ("amazon", 16, "やAmazon SES"),
        ("SES", 16, "SESなど"),
    ):
        best = notes.ok("search", typed, "--json").json["results"][0]
        assert (best["path"], best["source"]) == ("wiki/sources/pump-md.md", "raw/pump.md"), typed
        assert (best["line"], shown in best["text"]) == (line, True), typed
    assert "raw/pump.md:16" in notes.ok("search", typed).out


def test_a_word_as_it_was_typed_comes_before_its_relatives(notes: Wiki) -> None:
    notes.put("wiki/notes/Own.md", "# Own\n\nPurging is purging, purged or not.\n")
    assert "raw/pump.md:7" in notes.ok("search", "purge").out.partition("\n 2")[0]
    rows = "".join(f"## Operator {n}\n\nOperators operate operations.\n\n" for n in range(300))
    notes.put("raw/operators.md", f"# Operators\n\n{rows}")
    notes.put("raw/staff.md", "# Staff\n\n" + "The staff is kind.\n\n" * 90 + "How it operates.\n")
    notes.put("raw/ja.md", "# 記録\n\nビルドできない。\n\n- 一枚で収める(ビルドツールを使わない)\n")
    notes.ok("ingest", "raw/", "--model", "offline")
    assert "How it operates." in notes.ok("search", "operates", "--limit", "1").out
    assert "ビルドツールを使わない" in notes.ok("search", "ビルドツール", "--limit", "1").out


def test_a_heading_with_nothing_below_it_is_found(notes: Wiki) -> None:
    text = "# Plant\n\nIt is old.\n\n## Is the warranty lost? No.\n\n## Fee? It is 12 florbs.\n"
    notes.put("raw/plant.md", f"{text}\nIt is paid in May.\n\nThe zither\n----------\n")
    notes.put("wiki/notes/Own.md", "# Own\n\n## The gasket\n\n## The last one\n")
    notes.ok("ingest", "raw/plant.md", "--model", "offline")
    for word, line in (("warranty", 5), ("florbs", 7), ("zither", 11), ("gasket", 3)):
        best = notes.ok("search", word, "--json").json["results"][0]
        assert best["line"] == line and word in best["text"] and "---" not in best["text"]


def test_a_slip_finds_the_word_that_is_meant(notes: Wiki) -> None:
    done = notes.ok("search", "postgers")
    assert "We use C++ and Postgres" in done.out
    assert done.err == "wiki: nothing says postgers; this is for Postgres\n"
    assert notes.ok("search", "postgers", "--json").json["instead"] == {"postgers": "Postgres"}


def test_what_is_said_nowhere_is_what_stands_nowhere(notes: Wiki) -> None:
    done = notes.run("search", '"taps blue"')
    assert (done.code, done.out) == (1, "") and "says nothing of" not in done.err
    assert "says nothing of: xylophone" in notes.run("search", "xylophone").err
    done = notes.ok("search", "Xylophones, purge zzz* the mw-3")
    assert done.err == "wiki: nothing says Xylophones and zzz*\n"
    told = notes.ok("search", "Xylophones, purge zzz* the mw-3", "--json").json
    assert told["nowhere"] == ["Xylophones", "zzz*"]
    assert "says nothing of: qqq\n" in notes.run("search", "qqq taps path:absent").err
    with Library.open(notes.root) as library:
        assert library.search("xylophone postgers").notes == (
            "nothing says postgers; this is for Postgres",
            "nothing says xylophone",
        )


def test_a_number_with_commas_and_another_form_of_a_word_stand_somewhere(notes: Wiki) -> None:
    notes.put("wiki/notes/Own.md", "# Own\n\nThe children paid 21000 crowns for purges.\n")
    told = notes.ok("search", "21,000 child purging", "--json").json
    assert (told["nowhere"], told["instead"]) == ([], {})


def test_a_word_of_a_page_that_is_gone_is_meant_by_no_slip(notes: Wiki) -> None:
    notes.put("wiki/notes/Own.md", "# Own\n\nThe marimba hums.\n")
    assert notes.ok("search", "marimbas").out
    notes.put("wiki/notes/Own.md", "# Own\n\nIt hums.\n")
    assert notes.ok("search", "marimbos hums", "--json").json["instead"] == {}


def test_a_long_source_leaves_room_for_others(notes: Wiki) -> None:
    for number in range(3):
        text = f"# Note {number}\n\n" + "It has nothing to do with the matter.\n\n" * 100
        notes.put(f"raw/note-{number}.md", f"{text}Then there was a kettle.\n\n{text}")
    notes.put("raw/long.md", "# Long\n\n" + "Kettle, kettle, kettle: a kettle. \n\n" * 300)
    notes.ok("ingest", "raw/", "--model", "offline")
    found = {row["source"] for row in notes.ok("search", "kettle", "--json").json["results"]}
    assert {"raw/long.md", "raw/note-0.md", "raw/note-1.md", "raw/note-2.md"} <= found


def test_what_a_heading_alone_says_is_shown_by_the_heading(notes: Wiki) -> None:
    text = "# Plant\n\n## Boiler\n\n" + ("It is lit at six and put out at ten. " * 14 + "\n\n") * 3
    notes.put("raw/plant.md", text + "The zither of the plant is green.\n")
    notes.ok("ingest", "raw/plant.md", "--model", "offline")
    best = notes.ok("search", "boiler zither", "--json").json["results"][0]
    assert best["line"] == 11
    assert best["text"].startswith("The zither of the plant is green. … ## Boiler It is lit at six")
    best = notes.ok("search", "path:plant boiler", "--json").json["results"][0]
    assert best["line"] == 3 and "Boiler" in best["text"]


def test_a_page_found_by_its_name_alone_is_cited_by_its_file(notes: Wiki) -> None:
    for folder in ("one", "two"):
        page = f"---\ntitle: The zither {folder}\n---\n\n[^a]: none\n"
        notes.put(f"wiki/{folder}/File.md", page)
    for row in notes.ok("search", "zither", "--json").json["results"]:
        assert row["handle"] == f"[[{row['path'].removeprefix('wiki/').removesuffix('.md')}]]"
    assert len(notes.ok("search", "zither").out.splitlines()) >= 4


def test_of_an_endless_line_the_part_with_the_words_is_given(notes: Wiki) -> None:
    line = "It says this and that. " * 2_000 + "The zither hums. " + "And so on. " * 4_000
    notes.put("raw/endless.txt", f"{line}\n")
    notes.put("wiki/notes/Own.md", f"# Own\n\n```\n{line.replace('zither', 'lute')}\n```\n")
    notes.ok("ingest", "raw/endless.txt", "--model", "offline")
    for word in ("zither", "lute"):
        row = notes.ok("search", word, "--json").json["results"][0]
        assert f"The {word} hums." in row["text"] and len(row["text"]) <= MAX_PASSAGE


@given(st.text("ab .ü東京", max_size=120), st.integers(8, 40))
def test_an_excerpt_holds_as_many_words_as_any_other(text: str, width: int) -> None:
    terms = frozenset({"a", "b", "ab", "ü", "東京"})
    shown = excerpt(text, terms, width)
    assert len(shown) <= width
    assert shown.removeprefix("… ").removesuffix(" …") in text
    if any(word in text.split() for word in ("ab", "bb")):
        assert list(marks(shown, terms)) or not list(marks(text, terms))


def test_a_search_is_kept_to_some_pages(notes: Wiki) -> None:
    notes.put("wiki/notes/Own.md", "---\ntags: [Machine]\n---\n\n# Own\n\nThe taps leak.\n")
    assert set(titles(notes, "taps")) == {"Own", "Pump"}
    assert titles(notes, "taps tag:machine") == ["Own"]
    assert titles(notes, "taps type:source") == ["Pump"]
    assert titles(notes, "taps path:notes/*") == ["Own"]
    assert notes.run("search", "taps", "path:otes/*").code == 1


def test_words_are_marked_where_colours_are_shown(notes: Wiki) -> None:
    notes.env["FORCE_COLOR"] = "1"
    assert "Never \x1b[1mpurge\x1b[0m the queue." in notes.ok("search", "purge").out


def test_explain_says_what_the_score_is_made_of(wiki: Wiki) -> None:
    done = wiki.ok("search", QUESTION, "--explain")
    assert "green (" in done.out and "passage " in done.out
    told = wiki.ok("search", QUESTION, "--explain", "--json").json
    best = told["results"][0]
    assert sum(best["parts"].values()) == best["score"]
    assert {term["term"] for term in told["terms"]} >= {"green", "tea", "steep"}
    context = wiki.ok("context", QUESTION, "--explain")
    assert context.out == wiki.ok("context", QUESTION).out, "what explains is beside the text"
    assert "tokens" in context.err and "words" in context.err


def test_the_wiki_as_it_was_and_as_it_is_edited(wiki: Wiki) -> None:
    wiki.edit("wiki/concepts/Teapot.md", "About Teapot.", "A samovar.")
    assert titles(wiki, "samovar")[0] == "Teapot"
    assert wiki.run("search", "samovar", "--at", "HEAD~1").code == 1
    wiki.put("wiki/concepts/Draft.md", "# Draft\n\nA draft about matcha.\n")
    assert titles(wiki, "matcha")[0] == "Draft"
    assert wiki.run("search", "matcha", "--at", "HEAD").code == 1
    assert wiki.run("search", "tea", "--at", "nowhere").code in (2, 3)
    first = wiki.git("rev-list", "--max-parents=0", "HEAD").strip()
    done = wiki.run("search", "tea", "--at", first)
    assert done.code == 1 and "empty" in done.err


def test_text_of_pages_is_clean_on_a_terminal(wiki: Wiki) -> None:
    wiki.put(
        "wiki/concepts/Evil.md",
        '---\ntitle: "Evil \\e[31m red"\ndescription: "a\\u202eb"\n---\n\n# Evil\n\nboo \x1b[2J\n',
    )
    for command in ("search", "context"):
        out = wiki.ok(command, "evil red boo").out
        assert "\x1b" not in out and "\u202e" not in out


def test_a_wiki_that_this_program_did_not_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vault of plain Markdown is searched whole; passages are cited by page and heading."""
    vault = wikikit.bare(tmp_path, monkeypatch)
    vault.git("init", "-q")
    vault.put("wiki/Tea.md", "# Tea\n\n## Brewing\n\nGreen tea is steeped for two minutes.\n")
    vault.git("add", "-A")
    vault.git("commit", "-q", "-m", "mine")
    assert titles(vault, "green tea") == ["Tea"]
    assert "[[Tea#Brewing]]" in vault.ok("context", QUESTION).out
    told = vault.ok("query", QUESTION, "--model", "offline", "--json").json
    assert told["citations"][0]["handle"] == "[[Tea#Brewing]]"
    assert told["citations"][0]["path"] == "wiki/Tea.md" and told["citations"][0]["line"] == 5


def test_cold_processes_print_the_same_bytes(wiki: Wiki) -> None:
    """Whatever the hash seed, and whether the index was there before."""
    seen = set()
    for seed in ("0", "1", "12345"):
        for command in ("context", "search"):
            done = subprocess.run(
                [sys.executable, "-m", "llmwiki", command, QUESTION, "--json"],
                cwd=wiki.root,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            )
            seen.add((command, done.stdout))
        for path in sorted((wiki.root / ".git/llmwiki").rglob("*.db*")):
            path.unlink()
    assert len(seen) == 2


@pytest.mark.parametrize("command", ["search", "context"])
def test_looking_loads_nothing_heavy(wiki: Wiki, command: str) -> None:
    wiki.ok(command, QUESTION)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "llmwiki", command, QUESTION],
        cwd=wiki.root,
        capture_output=True,
        check=True,
    )
    loaded = set(re.findall(rb"\| +([\w.]+)$", done.stderr, re.MULTILINE))
    packages = {name.decode().partition(".")[0] for name in loaded}
    assert b"llmwiki.query.retrieval.personalised_pagerank" in loaded
    assert not packages & set(HEAVY)


@pytest.mark.parametrize("revision", ["HEAD..HEAD", "HEAD:wiki", "-x"])
def test_a_revision_is_one_commit(wiki: Wiki, revision: str) -> None:
    done = wiki.run("search", "tea", f"--at={revision}")
    assert done.code == 2 and "no revision" in done.err


def test_json_holds_nothing_a_terminal_obeys(wiki: Wiki) -> None:
    wiki.put("wiki/concepts/Odd \u009b31m\u202ename.md", "# Zebra\n\nZebras graze.\n")
    out = wiki.ok("search", "zebras", "--json").out
    assert "\\u009b31m\\u202e" in out and "\u009b" not in out
    assert wiki.run("search", "zebras", "--json").json["results"][0]["path"].startswith("wiki/")


@pytest.mark.parametrize(
    "asked", [("search", "green", "tea"), ("context", QUESTION), ("search", "nowhereatall")]
)
def test_without_options_the_same_is_printed(wiki: Wiki, asked: tuple[str, ...]) -> None:
    """Whatever road is taken; and what is found is printed without loading what parses options."""
    code = "from llmwiki.interfaces.cli.quick_search import answered\n"
    code += "import sys; sys.argv[0] = 'wiki'\n"
    code += "print(answered(sys.argv[1:]), 'click' in sys.modules, file=sys.stderr)"
    python = [sys.executable, "-P", "-c", code, *asked]
    done = subprocess.run(python, cwd=wiki.root, capture_output=True, text=True, check=True)
    whole = wiki.run(*asked)
    assert done.stdout == whole.out
    assert done.stderr == whole.err * (not whole.code) + f"{not whole.code} False\n"
