"""A wiki that nobody but this program wrote passes its own lint, whatever was done to it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import wikikit
from longform import seldom
from wikikit import Wiki

HERE = Path(__file__).parent
REAL = {path.name: path.read_text() for path in sorted((HERE / "test_offline_documents").iterdir())}
_THINGS = ("Lantern", "Harbour", "Kettle", "Quarry", "Orchard", "Viaduct", "Loom", "Almanac")
_KINDS = ("a vessel for water", "a place where ships lie", "a device of iron", "a book of tables")
_ENDS = ("in 1874", "by its keeper", "near the [[Old mill]]", "with `set -e`", "for __init__")
_NAMES = ("Notes.md", "a.b.md", "Tea (green).md", "index.md", "ÄÖ.md", "x-y_z.txt", "C#.md")

CHANGED = {"WK205", "WK407"}
"""What is so where an operation was taken back and the file in raw/ stays: it is not ingested."""


def written(random: Random) -> str:
    """A document such as people write them, made at random."""
    thing, other = random.sample(_THINGS, 2)
    lines = [f"# {thing}\n"] if random.random() < 0.7 else []
    lines.append(f"A {thing.lower()} is {random.choice(_KINDS)} {random.choice(_ENDS)}.\n")
    for _ in range(random.randrange(1, 4)):
        lines.append(f"## {random.choice((other, f'The {thing} of {other}', 'Use'))}\n")
        lines.append(
            f"The {thing} was sold {random.choice(_ENDS)} for {random.randrange(99)} gold."
        )
        lines.append(f"- **{other}**: {random.choice(_KINDS)}")
        lines.append(f"- see [the {other}](../{other}.md) and ![[{other}.png]]\n")
        # Of one thing all documents tell one year: what contradicts itself is a finding.
        lines.append(f"| name | year |\n|---|---|\n| {other} | {1500 + 60 * len(other)} |\n")
    return "\n".join(lines)


def found(wiki: Wiki, but: frozenset[str] = frozenset()) -> list[str]:
    told = wiki.run("lint", "--json").json["findings"]
    return [
        f"{each['code']} {each['path']}:{each['line']} {each['message']}"
        for each in told
        if each["code"] not in but
    ]


def lived(wiki: Wiki, documents: dict[str, str], but: frozenset[str] = frozenset()) -> None:
    """Ingests documents, edits one, renames one, takes an operation back; lint after each."""
    for name, text in documents.items():
        wiki.put(f"raw/{name}", text)
    wiki.ok("ingest", "raw/")
    assert found(wiki, but) == []
    first, last = min(documents), max(documents)
    wiki.put(f"raw/{first}", documents[first] + "\n\nThe beacon was lit in 1901 by its keeper.\n")
    wiki.ok("ingest", "raw/")
    assert found(wiki, but) == []
    (wiki.root / "raw" / last).rename(wiki.root / "raw" / f"Renamed {last}")
    wiki.ok("ingest", "raw/")
    assert found(wiki, but) == []
    wiki.ok("undo")
    assert found(wiki, but | CHANGED | {"WK203"}) == []


@pytest.mark.parametrize("seed", seldom(range(12), range(2, 12)))
def test_of_documents_made_at_random(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    names = random.sample(_NAMES, 3)
    lived(wikikit.make(tmp_path, monkeypatch), {name: written(random) for name in names})


def test_of_real_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What a document leaves open is a finding by design.
    lived(wikikit.make(tmp_path, monkeypatch), REAL, frozenset({"WK304"}))


def test_no_page_is_made_for_a_subject_whose_claims_stand_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    text = "A regular expression is a set of characters that describe a text pattern.\n"
    wiki.put("raw/Search.md", text)
    wiki.ok("ingest", "raw/Search.md")
    pages = sorted(path.name for path in (wiki.root / "wiki").rglob("*.md"))
    (wiki.root / "raw/Search.md").rename(wiki.root / "raw/Searching.md")
    wiki.put("raw/Searching.md", text + "\nIt is old.\n")
    wiki.ok("ingest", "raw/Searching.md")
    claimless = [
        path.name
        for folder in ("concepts", "entities")
        for path in (wiki.root / "wiki" / folder).glob("*.md")
        if "^c-" not in path.read_text()
    ]
    assert claimless == []
    assert set(pages) <= {path.name for path in (wiki.root / "wiki").rglob("*.md")}
