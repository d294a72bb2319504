"""How large a source may be, and what is said of a large one before it is committed."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import NOTE, Wiki

from llmwiki.ingest.source_size import LARGE

OFFLINE = ("--model", "offline")


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def heavy(wiki: Wiki, name: str) -> str:
    """A page of ten million bytes with little text, quick to read; its name again."""
    text = f"Tea is an infusion of leaves in hot water, says {name}."
    wiki.put(name, f"<html><p>{text}</p><!--{'x' * LARGE}--></html>")
    return name


def test_a_large_source_is_told_before_it_is_committed(wiki: Wiki) -> None:
    done = wiki.ok("ingest", heavy(wiki, "raw/a.html"), *OFFLINE, "--json")
    (line,) = done.err.splitlines()
    assert line.startswith("wiki: raw/a.html has 10.0 MB")
    assert done.operation["status"] == "ingested"
    assert wiki.ok("ingest", "raw/a.html", *OFFLINE).err == ""


def test_one_line_a_source_and_none_for_small_refused_or_committed_ones(wiki: Wiki) -> None:
    for name in ("raw/a.html", "raw/b, c"):
        heavy(wiki, name)
    wiki.put("raw/tea.md", NOTE)
    wiki.put("raw/empty.html", f"<!--{'x' * LARGE}-->")
    wiki.git("add", "raw/a.html")
    wiki.git("commit", "-qm", "a person's own commit")
    done = wiki.run("ingest", "raw", *OFFLINE)
    told = [line for line in done.err.splitlines() if " MB" in line]
    assert [line.partition(" has ")[0] for line in told] == ["wiki: raw/b, c"]


def test_what_git_would_filter_is_refused_before_it_is_read(wiki: Wiki) -> None:
    wiki.put(".gitattributes", wiki.read(".gitattributes") + "*.html filter=lfs\n")
    done = wiki.run("ingest", heavy(wiki, "raw/a.html"), *OFFLINE)
    assert done.code == 3 and "filter=lfs" in done.err and " MB" not in done.err


def test_a_pointer_of_git_lfs_is_no_document(wiki: Wiki) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    wiki.put("raw/a.md", pointer)
    done = wiki.run("ingest", "raw/a.md", *OFFLINE)
    assert done.code == 2 and "Git LFS" in done.err


# --- ingest.max_size ----------------------------------------------------------------------------


def test_a_source_that_is_too_large_fails_alone(wiki: Wiki) -> None:
    wiki.put("raw/big.md", NOTE + "x" * 1000)
    wiki.put("raw/tea.md", NOTE)
    wiki.env["LLMWIKI_INGEST_MAX_SIZE"] = "1000"
    done = wiki.run("ingest", "raw", *OFFLINE, "--json")
    assert done.code == 7
    assert "at most 1,000 are read" in done.out
    assert {op["source"]: op["status"] for op in done.json["operations"]} == {
        "raw/big.md": "failed",
        "raw/tea.md": "ingested",
    }


def test_standard_input_is_bounded_too(wiki: Wiki) -> None:
    wiki.env["LLMWIKI_INGEST_MAX_SIZE"] = "300"
    data = (NOTE * 2).encode()
    assert wiki.run("ingest", "-", "--name", "a.md", *OFFLINE, stdin=data).code == 7
