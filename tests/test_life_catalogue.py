"""Catalogue, log and determinism over whole histories."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import wikikit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from longform import LONG, examples
from wikikit import NOTE, NOW, Wiki, answer, check, claim

from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.pages.catalogue import Entry, shard_path
from llmwiki.pages.page_file_names import is_reserved

THINGS = ("Kettle", "Teapot", "kettles", "Green Tea", "Samovar", "茶碗", "GPT-4.1", "GPT-4.5")


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


# --- random histories ----------------------------------------------------------------------

INGEST = st.tuples(
    st.just("ingest"),
    st.integers(0, 3),
    st.lists(st.tuples(st.sampled_from(THINGS), st.integers(0, 4)), max_size=4),
)
STEPS = st.one_of(
    INGEST,
    INGEST,
    st.tuples(st.just("undo"), st.integers(0, 5), st.just([])),
    st.tuples(st.just("delete"), st.integers(0, 9), st.just([])),
    st.tuples(st.just("remember"), st.integers(0, 2), st.just([])),
    st.tuples(st.just("person"), st.integers(0, 9), st.just([])),
    st.tuples(st.just("rename"), st.integers(0, 3), st.just([])),
)


def _ingest(wiki: Wiki, source: int, facts: list[tuple[str, int]]) -> None:
    lines = [f"The {thing} has the property number {n}." for thing, n in facts]
    text = f"# Source {source}\n\n" + "\n".join(lines) + "\n"
    claims = [
        claim(
            thing,
            line,
            lines=(1, 1),
            also=[facts[0][0]],
            key="property",
            value=str(n),
            links=[{"to": next(iter(wiki.claims()), "none"), "how": how}],
        )
        for (thing, n), line, how in zip(
            facts, lines, ("supports", "updates", "contradicts", "supersedes"), strict=False
        )
    ]
    name = f"raw/s{source}.md"
    wiki.put(name, text)
    wiki.prepare(name)
    done = wiki.apply(
        {**answer(claims), "source": {"sha256": wikikit.sha(text), "segment": [1, 1]}}
    )
    assert done.code == 0 or "is read already" in done.out, done


def _step(wiki: Wiki, kind: str, number: int, facts: list[tuple[str, int]]) -> None:
    subjects = sorted(p for p in wiki.pages() if not p.startswith("wiki/sources/"))
    if kind == "ingest":
        _ingest(wiki, number, facts)
    elif kind == "undo":
        ids = [o["id"] for o in wiki.ok("log", "--json", "-n", "50").json["operations"]]
        wiki.run("undo", ids[number % len(ids)])
    elif kind == "remember":
        wiki.ok("remember", f"Note {number}")
    elif kind == "delete" and wiki.claims():
        ids = sorted(wiki.claims())
        ident = ids[number % len(ids)]
        path = wiki.claims()[ident][0]
        text = wiki.read(path)
        block = re.search(rf"^- [^\n]*\^{ident}\n(?:  [^\n]*\n)*", text, re.MULTILINE)
        assert block
        wiki.edit(path, block[0], "")
    elif kind == "person" and subjects:
        path = subjects[number % len(subjects)]
        wiki.put(path, wiki.read(path) + f"\nA person's line {number}.\n")
        wiki.git("commit", "-qam", "a person writes")
    elif kind == "rename":
        old, new = wiki.root / f"raw/s{number}.md", wiki.root / f"raw/r{number}.md"
        if old.is_file() and not new.exists():
            old.rename(new)
            wiki.git("add", "-A", "raw")
            wiki.git("commit", "-qm", "a person renames")


def _history(steps: list[tuple[str, int, list[tuple[str, int]]]]) -> None:
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        wiki = wikikit.make(Path(place), patch)
        wiki.learn("raw/first.md", NOTE, answer([claim("Tea", "Tea is an infusion")]))
        for step in steps:
            _step(wiki, *step)
            # The same bytes under a second name are not taken in: that file stays untracked. Nor
            # are bytes that an undo went back to, where a person puts them there again.
            sources = ("?? raw/", " M raw/")
            rest = [line for line in wiki.status.splitlines() if not line.startswith(sources)]
            assert not rest, step
        # What a person did last is taken up by the next operation.
        wiki.ok("remember", "The end.")
        check(wiki, dangling=any(kind in ("delete", "undo") for kind, _n, _f in steps))
        wiki.git("fsck", "--strict")


@settings(
    max_examples=examples(4, 300),
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(STEPS, min_size=3, max_size=14 if LONG else 7))
def test_every_history_leaves_a_whole_wiki(
    steps: list[tuple[str, int, list[tuple[str, int]]]],
) -> None:
    _history(steps)


# --- a large wiki --------------------------------------------------------------------------


def test_days_are_listed_by_their_year() -> None:
    days = [Entry(f"wiki/daily/{day}.md", "daily", day, "") for day in ("1999-12-31", "2026-01-01")]
    parts = [shard_path(entry.shard) for entry in days]
    assert parts == ["wiki/daily/index-1999.md", "wiki/daily/index-2026.md"]
    assert all(map(is_catalogue, parts)) and not any(is_catalogue(day.path) for day in days)
    assert is_reserved("index-2026")


def test_an_index_whose_parts_another_version_has_made_is_set_right(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("llmwiki.landing.index_and_overview", "llmwiki.lint.rules.catalogue"):
        monkeypatch.setattr(f"{module}.SHARD_ABOVE", 2)
    for day in ("2024-12-31", "2025-01-01", "2025-01-02"):
        wiki.put(f"wiki/daily/{day}.md", f'---\ntype: daily\ntitle: "{day}"\n---\n\n# {day}\n')
    stock = "---\ntype: entity\ntitle: Index 2024\n---\n\n# Index 2024\n\nOf stocks.\n"
    wiki.put("wiki/entities/index-2024.md", stock)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "days")
    wiki.ok("remember", "Pots are blue.", "--kind", "preference")
    day = re.compile(r"(\* .Daily notes: )2025(.*?)index-2025.*\n")
    index = day.sub(r"\g<1>2\g<2>index-2.md) - 3 pages\n", wiki.read("wiki/index.md"))
    wiki.put("wiki/index.md", "".join(r for r in index.splitlines(True) if "y/index-2024" not in r))
    wiki.git("mv", "wiki/daily/index-2025.md", "wiki/daily/index-2.md")
    wiki.git("rm", "-q", "wiki/daily/index-2024.md")
    wiki.git("commit", "-qa", "--amend", "--no-edit")
    wiki.run("lint", "--fix")
    parts = [p for p in wiki.files() if p.startswith("wiki/daily/index-")]
    assert sorted(parts) == ["wiki/daily/index-2024.md", "wiki/daily/index-2025.md"]
    assert wiki.read("wiki/entities/index-2024.md") == stock
    wiki.ok("lint", "--select", "WK019,WK019,WK001")


def test_the_index_is_sharded_above_a_thousand_pages_and_whole_again_below(wiki: Wiki) -> None:
    for n in range(996):
        letter = "abcdefghijklmnopqrstuvwxyz0123456789é茶"[n % 38]
        name = f"{letter.upper()} page {n}"
        wiki.put(
            f"wiki/{('concepts', 'entities')[n % 2]}/{name}.md",
            f"---\ntype: {('concept', 'entity')[n % 2]}\ntitle: {name}\n---\n\n# {name}\n",
        )
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "many")
    wiki.learn("raw/tea.md", NOTE, answer([claim("Tea", "Tea is an infusion")]))
    before = {p: o for p, o in wiki.files().items() if not p.startswith(("raw/", "wiki/log"))}
    assert not [p for p in before if "/index-" in p]
    text = "Mate is a holly.\nA cup is a vessel.\nXylophones are rare.\n"
    rows = [
        claim(s, q) for s, q in zip(("Mate", "Cup", "Xylophone"), text.split("\n"), strict=False)
    ]
    mate = wiki.learn("raw/mate.md", text, answer(rows))
    shards = [p for p in wiki.files() if "/index-" in p]
    assert "wiki/concepts/index-m.md" in shards and "wiki/entities/index-other.md" in shards
    assert len(wiki.read("wiki/index.md")) < 10_000
    check(wiki)
    wiki.learn("raw/more.md", "Zebras drink.\n", answer([claim("Zebra", "Zebras drink.")]))
    assert set(wiki.changed()) == {
        "raw/more.md",
        "wiki/concepts/Zebra.md",
        "wiki/concepts/index-z.md",
        "wiki/index.md",
        "wiki/log.md",
        "wiki/overview.md",
        "wiki/sources/index-o.md",
        "wiki/sources/more-md.md",
    }, "the commit grows with the change"
    check(wiki)
    wiki.ok("undo")
    assert "wiki/concepts/index-z.md" not in wiki.files()
    check(wiki)
    wiki.ok("undo", mate["id"])
    after = {p: o for p, o in wiki.files().items() if not p.startswith(("raw/", "wiki/log"))}
    assert after == before
    check(wiki)


# --- two branches --------------------------------------------------------------------------


def test_two_branches_that_both_ingested_are_told_once_each_after_a_merge(wiki: Wiki) -> None:
    wiki.ok("remember", "Before.")
    wiki.git("branch", "side")
    wiki.put("raw/a.md", "# A\n\nAnts are insects of the earth.\n")
    wiki.ok("ingest", "raw/a.md")
    wiki.git("checkout", "-q", "side")
    wiki.put("raw/b.md", "# B\n\nBees are insects of the air.\n")
    wiki.ok("ingest", "raw/b.md")
    wiki.git("checkout", "-q", "-")
    wiki.git("merge", "-q", "--no-edit", "side", ok=(0, 1))
    # The catalogue may conflict; a person takes either side, and the next operation mends it.
    wiki.git("checkout", "-q", "--ours", ".", ok=(0, 1))
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "--no-edit", "--allow-empty", "-m", "merged")
    wiki.ok("remember", "After.")
    check(wiki)


# --- determinism ---------------------------------------------------------------------------

SCRIPT = """
import sys
from llmwiki.interfaces.cli.command_table import cli
for args in (
    ["init"],
    ["ingest", "raw/"],
    ["remember", "We use UTC.", "--session", "s1"],
    ["undo"],
    ["ingest", "other.md", "--prepare"],
    ["apply", "answer.json"],
):
    cli.main(args=args, standalone_mode=False)
"""


def _tree(place: Path, seed: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    place.mkdir()
    wiki = wikikit.bare(place, monkeypatch)
    for n in range(12):
        wiki.put(
            f"raw/n{n}.md",
            f"# Engine {n}\n\nEngine {n} (E{n}) is a machine of the {n}th kind. "
            f"The Boiler is part of Engine {n}.\n\n- Steam drives it.\n- Coal heats it.\n",
        )
    wiki.put("other.md", NOTE)
    names = [f"Subject {n}" for n in range(12)]
    facts = [
        claim(name, f"{name}: green tea.", "Green tea is steeped at 80 degrees", also=names)
        for name in names
    ]
    for number, fact in enumerate(facts):
        fact["id"] = f"k{number}"
    relations = [{"from": n, "to": names[0], "label": "near", "claim": "k1"} for n in names]
    subjects = [
        {"name": n, "kind": "entity", "description": "A thing.", "aliases": [f"{n} x", f"{n} y"]}
        for n in names
    ]
    source = {"sha256": wikikit.sha(NOTE), "segment": [1, 1]}
    said = answer(facts, subjects, relations=relations, source=source)
    wiki.put("answer.json", json.dumps(said))
    env = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "LLMWIKI_NOW": str(NOW),
    }
    subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=wiki.root, env=env, check=True, capture_output=True
    )
    check(wiki)
    return wiki.head, wiki.git("rev-parse", "HEAD^{tree}")


def test_the_same_work_gives_the_same_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = _tree(tmp_path / "one", "1", monkeypatch)
    other = _tree(tmp_path / "other", "4242", monkeypatch)
    assert one == other


def test_an_undo_of_the_first_reading_leaves_what_later_ones_quote() -> None:
    _history([("ingest", 0, []), ("ingest", 0, [("Kettle", 0)])] * 3 + [("undo", 5, [])])
