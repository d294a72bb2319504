"""Names of sources that Unicode spells in two ways: one name is committed, in normal form C."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import Wiki, answer, claim

TEXT = "# Thé\n\nGreen tea is steeped at 80 degrees.\n"
GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", lines=(3, 3))
NAME = "raw/Café/thé.md"


def apart(text: str) -> str:
    """As macOS spells names: letter and accent apart."""
    return unicodedata.normalize("NFD", text)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def on_disk(wiki: Wiki) -> list[str]:
    """What lies below raw/, hidden files left out."""
    found = (path.relative_to(wiki.root).as_posix() for path in wiki.root.rglob("raw/**/*.md"))
    return sorted(path for path in found if "/." not in path)


@pytest.mark.parametrize("named", [NAME, apart(NAME), "raw/", "raw/Café"])
def test_a_source_lying_in_raw_is_committed_composed(wiki: Wiki, named: str) -> None:
    wiki.put(apart(NAME), TEXT)
    assert "1 new" in wiki.ok("status").out
    told = wiki.ok("ingest", named, "--model", "offline", "--json").operation
    assert told["source"] == NAME and NAME in wiki.files()
    assert on_disk(wiki) == [NAME] and wiki.status == ""
    for again in (NAME, apart(NAME), "raw/"):
        assert "unchanged" in wiki.ok("ingest", again).out
    assert "Sources   1 ingested\n" in wiki.ok("status").out
    wikikit.check(wiki)
    assert wiki.ok("lint").out.endswith("no issues found\n")


def test_both_spellings_make_the_same_commit(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.git(tmp_path, "clone", "-q", str(wiki.root), "other")
    other = Wiki(tmp_path / "other", commands=wiki.commands)
    wiki.put(NAME, TEXT)
    other.put(apart(NAME), TEXT)
    for each in (wiki, other):
        each.ok("ingest", "raw/", "--model", "offline")
    assert wiki.head == other.head


def test_an_agent_answers_to_a_source_spelled_apart(wiki: Wiki) -> None:
    wiki.put(apart(NAME), TEXT)
    wiki.prepare(apart(NAME))
    done = wiki.apply({**answer([GREEN]), "source": {"sha256": wikikit.sha(TEXT)}})
    assert done.code == 0 and done.operation["source"] == NAME, done
    assert on_disk(wiki) == [NAME] and wiki.status == ""


def test_a_dry_run_renames_nothing(wiki: Wiki) -> None:
    wiki.put(apart(NAME), TEXT)
    wiki.ok("ingest", "raw/", "--model", "offline", "--dry-run")
    assert on_disk(wiki) == [apart(NAME)]


def test_a_source_from_outside_is_found_however_it_is_typed(wiki: Wiki, tmp_path: Path) -> None:
    (tmp_path / apart("thé.md")).write_text(TEXT)
    typed = str(tmp_path / "thé.md")
    told = wiki.ok("ingest", typed, "--model", "offline", "--json").operation
    assert told["source"] == "raw/thé.md"


def test_two_files_of_one_name_are_refused_by_name_and_left_alone(wiki: Wiki) -> None:
    wiki.put(NAME, TEXT)
    (wiki.root / NAME).with_name(apart("thé.md")).write_text(TEXT.replace("80", "75"))
    wiki.put("raw/other.md", "# Other\n\nWhite tea is a kind of tea.\n")
    done = wiki.run("ingest", "raw/", "--model", "offline", "--json")
    assert done.code == 2 and "spelled otherwise" in done.out, done
    assert {NAME, "raw/other.md"} <= set(wiki.files()) and len(on_disk(wiki)) == 3
    assert wiki.run("ingest", f"raw/Café/{apart('thé.md')}").code == 2


def test_a_source_committed_apart_is_to_be_renamed_first(wiki: Wiki) -> None:
    wiki.put(apart(NAME), TEXT)
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "as macOS spells it")
    head = wiki.head
    done = wiki.run("ingest", "raw/", "--model", "offline")
    assert done.code == 2 and "git mv" in done.out + done.err and wiki.head == head
    wiki.git("mv", apart("raw/Café"), "raw/Café")
    wiki.git("mv", f"raw/Café/{apart('thé.md')}", NAME)
    wiki.git("commit", "-q", "-m", "composed")
    wiki.ok("ingest", "raw/", "--model", "offline")
