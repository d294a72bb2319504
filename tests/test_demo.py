"""`make demo`: short, of a world that people know, and the wiki it makes is clean."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import wikikit

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "docs/demo"


def test_its_documents_and_the_agents_answer_make_a_clean_wiki(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    for name in ("rowing-club", "boats"):
        wiki.put(f"raw/{name}.md", (DEMO / f"{name}.md").read_bytes())
    wiki.ok("ingest", "raw/", "--model", "offline")
    wiki.put("raw/minutes.md", (DEMO / "minutes.md").read_bytes())
    wiki.ok("ingest", "raw/minutes.md", "--prepare")
    told = wiki.ok("apply", str(DEMO / "minutes.json")).out
    assert "5 claims" in told
    assert "refused: k6: the quote is not in the text; the claim goes: Jonas buys" in told
    assert "no issues found" in wiki.ok("lint", "--fail-on", "note").out
    for question, says in (
        ("When was the eight built?", "1998"),
        ("Is the dinghy for sale?", "400 euros"),
        ("What is the yearly fee of the rowing club?", "40 euros"),
    ):
        first = wiki.ok("query", question, "--model", "offline").out.split("[1]")[0]
        assert says in first, question


@pytest.mark.soak
def test_it_runs_and_fits_on_a_few_screens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wikikit.bare(tmp_path, monkeypatch)
    script = ["bash", str(ROOT / "docs/demo.sh"), str(Path(sys.executable).parent)]
    script.append(str(tmp_path / "demo"))
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done
    assert len(done.stdout.splitlines()) < 100
    assert not re.search(r"\n\$ wiki [^\n]*\n\n", done.stdout), "a command printed nothing"
    for words in ("refused: ", "is 45 euros [1]", "is 40 euros [1]", "redone: ", "no issues found"):
        assert words in done.stdout
