"""The log over the turn of a year, under clocks that run back, and over merges."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from pathlib import Path

import clones
import pytest
import wikikit
from clones import DAY, Clones
from longform import seldom
from wikikit import NOW, Wiki, check

LAST_OF_YEAR = datetime(2026, 12, 31, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def lines(wiki: Wiki) -> dict[str, list[str]]:
    """File of the log to the lines of it that tell of operations."""
    return {
        path: re.findall(r"^## \[.*$", wiki.read(path), re.MULTILINE)
        for path in sorted(wiki.files())
        if path.startswith("wiki/log")
    }


def history(wiki: Wiki) -> list[str]:
    """What lint says of the log, notes of young wikis apart."""
    told = wiki.run("lint", "--json", "--select", "WK4,WK01,WK02").json
    return [f"{f['code']} {f['message']}" for f in told["findings"] if f["severity"] != "note"]


def test_each_year_has_a_file_and_no_line_moves(wiki: Wiki) -> None:
    year = 365.25 * DAY
    for n in range(3):
        wiki.ok("remember", f"Note {n}", at=NOW + n * year)
        wiki.put("notes.txt", f"{n}\n")
        wiki.git("add", "notes.txt")
        wiki.git("commit", "-qm", "a person's own commit")
        wiki.ok("remember", f"Another {n}", at=NOW + n * year + 3600)
    held = lines(wiki)
    assert {path: len(rows) for path, rows in held.items()} == {
        "wiki/log.md": 3,
        "wiki/log-2027.md": 2,
        "wiki/log-2028.md": 2,
    }
    assert "log-2027.md" in wiki.read("wiki/log.md").partition("## [")[0]
    check(wiki)
    assert history(wiki) == []


@pytest.mark.parametrize("behind", [1, 3])
def test_a_clock_that_runs_back_over_new_year_loses_no_line(wiki: Wiki, behind: int) -> None:
    moments = [-29, -28, 1, 2 - behind, 2, -40 * behind, 3, 370, 1 - behind]
    for n, days in enumerate(moments):
        wiki.ok("remember", f"Note {n}", at=LAST_OF_YEAR + days * DAY)
    rows = [row for held in lines(wiki).values() for row in held]
    assert len(rows) == len(set(rows)) == len(moments) + 1
    check(wiki)
    assert history(wiki) == []


def test_a_log_whose_first_line_is_of_a_later_year_takes_what_is_earlier(wiki: Wiki) -> None:
    wiki.put(
        "wiki/log.md", "# Log\n\n## [2031-01-01] note | From a wrong clock · 1 page · " + "a" * 12
    )
    wiki.git("commit", "-qam", "a log from elsewhere")
    wiki.ok("remember", "Now.", at=NOW)
    wiki.ok("remember", "Later.", at=NOW + 6 * 365 * DAY)
    held = lines(wiki)
    assert len(held["wiki/log.md"]) == 2 and len(held["wiki/log-2032.md"]) == 1


@pytest.mark.parametrize("driver", [True, False])
def test_a_merge_over_new_year_doubles_and_loses_nothing(wiki: Wiki, driver: bool) -> None:
    wiki.ok("remember", "Before.", at=LAST_OF_YEAR - DAY)
    pair = clones.pair(wiki, driver=driver)
    for number, who in enumerate((pair.one, pair.two)):
        for days in (0, 1):
            who.put("raw/x.txt" if not number else "raw/y.txt", f"Tea {days} is warm.\n")
            who.ok("ingest", "raw", "--model", "offline", at=LAST_OF_YEAR + (days + number) * DAY)
    assert pair.merge(pair.one, pair.two) == []
    pair.one.ok("remember", "After.", at=LAST_OF_YEAR + 9 * DAY)
    check(pair.one, dangling=True)
    assert history(pair.one) == []


@pytest.mark.parametrize("driver", [True, False])
def test_two_reviews_merged_in_either_order_are_told_once(wiki: Wiki, driver: bool) -> None:
    for name in ("ants", "bees"):
        wiki.put(f"raw/{name}.md", f"# {name}\n\nThe {name} are insects of the earth.\n")
        wiki.ok("ingest", f"raw/{name}.md", "--review", "--model", "offline")
        assert not (wiki.root / f"raw/{name}.md").exists()
    first, second = wiki.git(
        "branch", "--format=%(refname:short)", "--list", "wiki-review/*"
    ).split()
    pair = clones.pair(wiki, driver=driver)
    pair.two.git("fetch", "-q", "origin", "refs/heads/wiki-review/*:refs/heads/wiki-review/*")
    for who, order in ((pair.one, (first, second)), (pair.two, (second, first))):
        for branch in order:
            who.git("merge", "-q", "--no-edit", branch)
            who.ok("remember", f"{who.root.name} after {branch}", "--kind", "preference")
    bad = [path for path in pair.merge(pair.one, pair.two) if path != "wiki/memory.md"]
    assert bad == []
    pair.one.git("checkout", "-q", "--theirs", "wiki/memory.md", ok=(0, 1))
    pair.one.git("add", "-A")
    pair.one.git("commit", "-q", "--no-edit", ok=(0, 1))
    pair.one.ok("remember", "After all.")
    check(pair.one, dangling=True)
    assert history(pair.one) == []


def test_a_doubled_line_goes_with_a_fix_and_breaks_nothing(wiki: Wiki) -> None:
    wiki.ok("remember", "One.")
    wiki.ok("remember", "Two.")
    row = lines(wiki)["wiki/log.md"][-2]
    wiki.put("wiki/log.md", wiki.read("wiki/log.md") + row + "\n")
    wiki.git("commit", "-qam", "as a merge of lines may leave it")
    assert any("has a line already" in told for told in history(wiki))
    wiki.ok("lint", "--fix", "--fail-on", "never")
    assert history(wiki) == []
    check(wiki)


def work(pair: Clones, rng: random.Random) -> None:
    """Both write around New Year, each by a clock of its own."""
    for who in (pair.one, pair.two):
        for _ in range(rng.randint(1, 4)):
            at = LAST_OF_YEAR + rng.uniform(-3, 3) * DAY
            name = f"raw/{who.root.name}-{rng.randint(0, 2)}.txt"
            # The same bytes under another name would be skipped, and lie there uncommitted.
            who.put(name, f"A lamp of make {rng.randint(0, 99)} is bright, says {name}.\n")
            who.ok("ingest", name, "--model", "offline", at=at)


def over_new_year(wiki: Wiki, seed: int) -> None:
    rng = random.Random(seed)
    wiki.ok("remember", "Before.", at=LAST_OF_YEAR - 5 * DAY)
    pair = clones.pair(wiki, driver=bool(seed % 2))
    for turn in range(2):
        work(pair, rng)
        into, other = rng.sample((pair.one, pair.two), 2)
        for path in pair.merge(into, other):
            assert not path.startswith(("wiki/log", "wiki/index", "wiki/overview")), path
            into.git("checkout", "-q", "--ours", "--", path, ok=(0, 1))
        into.git("add", "-A")
        into.git("commit", "-q", "--no-edit", ok=(0, 1))
        at = LAST_OF_YEAR + rng.uniform(-3, 3) * DAY
        into.ok("remember", f"Settled {turn}.", at=at)
        files = into.contents(lambda path: path.startswith("wiki/log"))
        wikikit.check_log(into, wikikit.log_ids(files))
        assert history(into) == []
        other.git("pull", "-q", "--no-rebase", "--no-edit", str(into.root), "HEAD")


@pytest.mark.parametrize("seed", seldom(range(150), range(1, 150)))
def test_no_merge_over_new_year_loses_a_line(wiki: Wiki, seed: int) -> None:
    over_new_year(wiki, seed)


def test_a_digest_tells_what_the_days_came_to(wiki: Wiki) -> None:
    day = DAY
    start = wikikit.NOW - wikikit.NOW % day + 10 * day
    for number, text in enumerate(
        ("Tea is steeped at 80 degrees.", "Green tea is sold for $5 a pound.")
    ):
        stamp = f"{start + number * day} +0000"
        wiki.env |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        wiki.put("raw/steeping.md", f"# Steeping\n\n{text}\n")
        wiki.ok("ingest", "raw/steeping.md", "--model", "offline", at=start + number * day)
    noon = start + day + day / 2
    both = wiki.ok("log", "--since", "yesterday", "--digest", at=noon).out
    assert both.startswith("# Learned since 2026-10-01\n")
    assert "2 operations (2 ingest)" in both and "~~Tea is steeped at 80 degrees.~~" in both
    one = wiki.ok("log", "--since", "today", "--digest", at=noon).out
    assert "is struck: it is gone from raw/steeping" in one and "1 operation (1 ingest)" in one
    assert r"sold for \$5 a pound" in one
    later = wiki.ok("log", "--since", "today", "--digest", at=noon + day).out
    assert later == "# Learned since 2026-10-03\n\nNothing new is in memory.\n"
    told = wiki.ok("log", "--since", "2026-10-01", "--digest", "--json", at=noon).json
    assert told["operations"] == {"ingest": 2} and told["counts"]["claim added"] == 2
    rows = wiki.ok("log", "--since", "1d", "--json", at=noon).json["operations"]
    assert [row["kind"] for row in rows] == ["ingest", "ingest"]
    assert len(wiki.ok("log", "--since", "today", "--json", at=noon).json["operations"]) == 1
    for bad in ("tomorrow", "99999d", "2026-13-01", "", "-1d"):
        assert wiki.run("log", "--since", bad or " ", "--digest").code == 2
    assert wiki.run("log", "Tea", "--digest").code == 2


def test_a_digest_tells_notes_that_stand_without_the_sentences_below_them(wiki: Wiki) -> None:
    wiki.ok("memory", "commit", "always")
    for said in ("Note: the office is in Ghent.", "Correction: the office is in Bruges now."):
        wiki.ok("chat", said)
    out = wiki.ok("log", "--since", "2026-01-01", "--digest").out
    assert (
        "\n- The office is in Bruges now. (office = in Bruges) · " in out
        and "\n1 note added, " in out
    )
    assert "Ghent" not in out and "Correction" not in out
