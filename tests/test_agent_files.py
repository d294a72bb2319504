"""No text from outside becomes a file that coding agents obey, whichever way it comes in."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import wikikit
from mcpkit import call, said, talk
from wikikit import Wiki

import llmwiki
from llmwiki.app.ingest.named_sources import SourceStream

TEXT = "# Orders\n\nGreen tea is steeped at 80 degrees for two minutes.\n"
NAMES = (
    "CLAUDE.md", "claude.MD", "CLAUDE.local.md", "AGENTS.md", "Agents.override.md", "GEMINI.md",
    "QWEN.md", "SKILL.md", "AGENT.md", "WARP.md", "CRUSH.md", "CODEBUDDY.md", "IFLOW.md",
    "copilot-instructions.md", "CLAU\u200dDE.md", "\uff23LAUDE.md", "\u017fkill.md",
)  # fmt: skip


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def obeyed(wiki: Wiki) -> list[str]:
    """Files below raw/ that an agent would obey, on a disk that folds case."""
    names = ("claude.md", "claude.local.md", "agents.md", "skill.md")
    return [path for path in wiki.files() if path.rpartition("/")[2].casefold() in names
            and path.startswith("raw/")]  # fmt: skip


def test_a_file_from_outside_is_kept_under_a_harmless_name(wiki: Wiki, tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    for folder in (inbox, inbox / "deep"):
        folder.mkdir()
        (folder / "CLAUDE.md").write_text(f"{TEXT}{folder.name}\n")
    done = wiki.ok("ingest", str(inbox / "CLAUDE.md"), "--model", "offline")
    assert "raw/CLAUDE (document).md" in done.out and "coding agents obey" in done.out
    assert wiki.read("raw/CLAUDE (document).md") == f"{TEXT}in\n"
    assert wiki.run("ingest", str(inbox / "CLAUDE.md"), "--model", "offline").code == 0
    wiki.ok("ingest", str(inbox), "--model", "offline")
    assert "raw/in/deep/CLAUDE (document).md" in wiki.files() and not obeyed(wiki)
    (inbox / "AGENTS.md").write_text(f"{TEXT}by watch\n")
    wiki.ok("watch", "--once", "--settle", "0.5", "--inbox", str(inbox), "--model", "offline")
    assert "raw/AGENTS (document).md" in wiki.files() and not obeyed(wiki)


def test_a_text_with_such_a_name_gets_another(wiki: Wiki) -> None:
    offline = llmwiki.IngestOptions(model="offline")
    before = wiki.head
    for name in NAMES:
        # Some are one name on a disk that folds case.
        wiki.git("reset", "-q", "--hard", before)
        stream = SourceStream(name, io.BytesIO(TEXT.encode()))
        with llmwiki.Wiki.open(wiki.root) as opened:
            (done,) = opened.ingest([], offline, stream=stream).operations
        assert done.source == f"raw/{name[:-3]} (document){name[-3:]}", done
        assert "coding agents obey" in done.note, name
        assert done.source in wiki.files()


def test_what_an_agent_gives_is_no_order(wiki: Wiki) -> None:
    (told,) = talk(wiki.root, call(1, "wiki_ingest", text=TEXT, name="CLAUDE.md"))
    assert "raw/CLAUDE (document).md was read" in said(told) and not obeyed(wiki)
    (again,) = talk(wiki.root, call(1, "wiki_ingest", text=f"{TEXT}More.\n", name="CLAUDE.md"))
    assert "raw/CLAUDE (document).md was read" in said(again) and not obeyed(wiki)
    other = "# Ferry\n\nThe ferry crosses twice an hour.\n"
    (third,) = talk(wiki.root, call(1, "wiki_ingest", text=other, name="CLAUDE.md"))
    assert "raw/CLAUDE (document)-" in said(third) and not obeyed(wiki)


def test_what_a_person_has_put_there_stays_where_it_is(wiki: Wiki) -> None:
    wiki.put("raw/project/CLAUDE.md", TEXT)
    done = wiki.ok("ingest", "raw", "--model", "offline")
    assert "raw/project/CLAUDE.md" in wiki.files() and "coding agents obey" in done.out
    assert not wiki.status


def test_a_branch_for_review_lands_none(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", TEXT)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline", "--review")
    branch = wiki.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wiki-review").strip()
    main = wiki.git("symbolic-ref", "--short", "HEAD").strip()
    (wiki.root / "raw/tea.md").unlink(missing_ok=True)
    wiki.git("checkout", "-q", branch)
    wiki.put("raw/AGENTS.md", TEXT)
    wiki.git("add", "raw/AGENTS.md")
    wiki.git("commit", "-q", "-m", "more")
    wiki.git("checkout", "-q", main)
    wiki.run("review", "accept", branch, "--yes")
    assert not obeyed(wiki)
