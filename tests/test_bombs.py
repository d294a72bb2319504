"""Hostile files against the real command: it ends soon, takes little, and leaves nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from convertkit import ends_within_bounds
from gitkit import isolate
from longform import seldom

from benchmarks.bombs import BOMBS, READ, explode
from benchmarks.hostile_archives import BOMBS as ARCHIVES
from llmwiki.core.errors import PolicyError
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.read_source import read_document

QUICK = (
    "circle.pdf",
    "codes.pdf",
    "deep.docx",
    "deep.json",
    "deep.odt",
    "entries.docx",
    "groups.pptx",
    "halves.csv",
    "headings.md",
    "itself.pdf",
    "keys.yaml",
    "messages.eml",
    "million.xlsx",
    "outside.docx",
    "overlapping.docx",
    "page.eml",
    "passwd.docx",
    "quote.csv",
    "ranges.pdf",
    "sheets.xlsx",
    "text.docx",
    "tree.pdf",
    "understated.docx",
    "within.docx",
)
"""Those that a guard stops at once."""
OFTEN = ("circle.pdf", "groups.pptx", "keys.yaml", "within.docx")
"""Those that every run gives to the command."""
READ_OFTEN = (
    "comments.html", "deep.docx", "deep.html", "deep.json", "deep.odt", "entities.html", "far.xlsx",
    "inline.html", "leaves.yaml", "line.html", "picture.ipynb", "quote.csv", "ring.docx",
    "rows.ods", "shared.xlsx", "stream.pdf", "tables.html", "tags.vtt", "text.docx",
    "understated.docx",
)  # fmt: skip
"""Those that every run reads, and no more: that takes a third of the time."""


@pytest.mark.parametrize("name", seldom(sorted(BOMBS), set(BOMBS) - set(OFTEN)))
def test_a_hostile_file_is_refused_in_time_and_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(monkeypatch)
    wiki = str(Path(sys.executable).with_name("wiki"))
    root = tmp_path / "wiki"
    subprocess.run((wiki, "init", str(root)), check=True, capture_output=True)
    outcome = explode(name, root, wiki)
    assert outcome.holds, outcome
    if name in QUICK:
        # A guard stops these, not the limits of the process.
        assert "seconds" not in outcome.said
        assert "memory" not in outcome.said
    # Whatever they ask for, the password file is in none of them.
    assert "root:" not in outcome.said


def test_a_hostile_file_is_read_or_refused_within_time_and_memory(tmp_path: Path) -> None:
    ended = ends_within_bounds(tmp_path, {name: BOMBS[name] for name in READ_OFTEN})
    assert ended.keys() == {*READ_OFTEN}
    for name, (code, what) in ended.items():
        assert code == 0 if name in READ else code in (2, 7), (name, what)
        if name in QUICK:
            assert not any(word in what for word in ("seconds", "memory", "crash")), name


def test_the_files_are_the_same_every_time() -> None:
    for name in ("within.docx", "overlapping.docx", "forms.pdf"):
        assert BOMBS[name]() == BOMBS[name]()
    assert set(BOMBS) >= READ


ROWS = b"name,year\n", b"Ada,1843\n"


@pytest.mark.soak
def test_a_table_of_as_many_rows_as_a_text_has_is_read() -> None:
    head, row = ROWS
    assert len(read_document("raw/a.csv", head + row * 249_999).lines) == 250_001


MANY_ROWS: dict[str, Callable[[], bytes]] = {
    "a.csv": lambda: ROWS[0] + ROWS[1] * 250_000,
    "a.jsonl": lambda: b'{"a":1}\n' * 250_001,
    "a.xlsx": ARCHIVES["two-sheets.xlsx"],
}


@pytest.mark.parametrize("name", seldom(MANY_ROWS, {"a.jsonl", "a.xlsx"}))
def test_a_table_of_more_rows_than_a_text_has_is_refused(name: str) -> None:
    with pytest.raises(PolicyError, match=r"more than 250,000 rows: .* data to be queried"):
        read_document(f"raw/{name}", MANY_ROWS[name]())


def test_a_text_has_bounds_whether_its_own_or_converted() -> None:
    few = SourceLimits(max_text=1_000, max_lines=20)
    assert len(read_document("raw/a.md", b"ab\n" * 20, limits=few).lines) == 20
    for data in (b"ab\n" * 21, b"a" * 1_001):
        with pytest.raises(PolicyError, match="its text has") as caught:
            read_document("raw/a.md", data, limits=few)
        assert caught.value.exit_code == 7
    rows = b"name,year\n" + b"Ada,1843\n" * 21
    with pytest.raises(PolicyError, match="its text has"):
        read_document("raw/a.csv", rows, limits=few)
