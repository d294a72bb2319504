"""The log against the operations behind HEAD, and what befell raw/ without one: real git."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import clones
import gitkit
import pytest
import wikikit
from lintkit import NAMED, HeldWiki, lint_held_wiki
from wikikit import NOTE, Wiki, answer, claim

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.lint.commits_and_log import History
from llmwiki.lint.rule import rules_in
from llmwiki.lint.rules import evidence, history
from llmwiki.lint.run import lint
from llmwiki.pages.log_page import LogLine, render_line

RULES = NAMED
LOG = "wiki/log.md"
GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
MATE = "# Mate\n\nMate is an infusion of a holly.\n"
HOLLY = claim("Mate", "Mate is an infusion of a holly.", lines=(3, 3))


def tea(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN]))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def looked_at(root: Path, past: History) -> HeldWiki:
    """The wiki as it lies in the work tree."""
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in ("wiki", "raw")
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
    return HeldWiki(files, history=past)


def past_of(repo: Repository, memory: dict[str, str] | None = None, **more: Any) -> History:
    held = {} if memory is None else memory
    return History(
        repo, repo.head(), recall=held.get, remember=held.__setitem__, work_tree=True, **more
    )


def found(wiki: Wiki | Path, memory: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    """(rule, path, about) of what is found, evidence included."""
    root = wiki.root if isinstance(wiki, Wiki) else wiki
    names = {rule.code: rule.name for rule in (*rules_in(history), *rules_in(evidence))}
    with Repository(layout_of(root)) as repo:
        seen = lint_held_wiki(
            looked_at(root, past_of(repo, memory)), (*rules_in(history), *rules_in(evidence))
        )
    return sorted((names[f.code], f.path, f.about) for f in seen)


def left_out(root: Path) -> tuple[str, ...]:
    """What a lint says it could not look at."""
    with Repository(layout_of(root)) as repo:
        return lint(repo).coverage.left_out


def message(wiki: Wiki, name: str) -> str:
    with Repository(layout_of(wiki.root)) as repo:
        (seen,) = lint_held_wiki(looked_at(wiki.root, past_of(repo)), [RULES[name]])
    return seen.message


def commit(wiki: Wiki, *paths: str, note: str = "a person commits") -> None:
    wiki.git("add", "-A", "--", *(paths or (".",)))
    wiki.git("commit", "-q", "-m", note)


def ident(wiki: Wiki, rev: str = "HEAD") -> str:
    return wiki.trailer("Wiki-Id", rev)


# --- a sound history -----------------------------------------------------------------------


def test_what_operations_leave_is_clean(wiki: Wiki) -> None:
    wiki.learn("raw/mate.md", MATE, answer([HOLLY]))
    wiki.ok("undo", ident(wiki))
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    wiki.ok("remember", "The kettle is broken.")
    wiki.put("raw/tea.md", NOTE.replace("two minutes", "three minutes"))
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    assert found(wiki) == []


def test_a_year_that_turns_leaves_a_clean_log(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", MATE)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline", at=wikikit.NOW + 366 * 86_400)
    assert (wiki.root / "wiki/log-2027.md").exists()
    assert found(wiki) == []


def test_a_reviewed_branch_and_its_merge_leave_a_note(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", MATE)
    before = wiki.read(LOG)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    operation = ident(wiki)
    # As a forge merges a review branch: the pages, and no line in the log.
    wiki.put(LOG, before)
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "--amend", "--no-edit")
    assert ("log-out-of-step", LOG, operation) in found(wiki)
    assert not [row for row in found(wiki) if row[0] in ("log-rewritten",)]
    wiki.ok("remember", "The kettle is broken.")
    assert found(wiki) == []


# --- the log -------------------------------------------------------------------------------


def test_an_operation_without_a_line(wiki: Wiki) -> None:
    lost = ident(wiki)
    rows = [row for row in wiki.read(LOG).split("\n") if lost not in row]
    wiki.put(LOG, "\n".join(rows))
    commit(wiki)
    assert found(wiki) == [("log-out-of-step", LOG, lost), ("log-rewritten", LOG, lost)]
    assert wiki.head[:12] in message(wiki, "log-rewritten")


def test_a_log_that_is_rewritten_and_not_committed(wiki: Wiki) -> None:
    wiki.put(LOG, wiki.read(LOG).replace("ingest | ", "ingest | Great "))
    assert [row[0] for row in found(wiki)] == ["log-rewritten"]
    assert "not committed" in message(wiki, "log-rewritten")


def test_a_line_that_was_put_back_is_no_finding(wiki: Wiki) -> None:
    whole = wiki.read(LOG)
    wiki.put(LOG, "# Log\n")
    commit(wiki)
    wiki.put(LOG, whole)
    commit(wiki)
    assert found(wiki) == []


def test_lines_in_another_order(wiki: Wiki) -> None:
    wiki.ok("remember", "The kettle is broken.")
    *head, last_but_one, last, end = wiki.read(LOG).split("\n")
    wiki.put(LOG, "\n".join([*head, last, last_but_one, end]))
    commit(wiki)
    wiki.put("raw/mate.md", MATE)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    assert [row[0] for row in found(wiki)] == ["log-rewritten"]
    assert "another order" in message(wiki, "log-rewritten")


def test_a_merge_that_drops_the_lines_of_one_side(wiki: Wiki) -> None:
    clone = clones.clone(wiki, wiki.root.parent / "two", driver=True)
    clone.ok("remember", "The kettle is broken.")
    side = ident(clone)
    wiki.git("fetch", "-q", str(clone.root), "HEAD:side")
    wiki.put("raw/mate.md", MATE)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    own = wiki.read(LOG)
    wiki.git("merge", "-q", "side")
    assert found(wiki) == []
    wiki.put(LOG, own)
    commit(wiki, note="amend")
    wiki.git("reset", "-q", "--soft", "HEAD^")
    wiki.git("commit", "-q", "--amend", "--no-edit")
    assert ("log-rewritten", LOG, side) in found(wiki)


def test_a_line_without_an_operation(wiki: Wiki) -> None:
    made_up = render_line(LogLine("2026-09-21", "ingest", "Made up", 3, "0" * 12))
    wiki.put(LOG, wiki.read(LOG) + made_up + "\n" + made_up + "\n")
    assert [row[0] for row in found(wiki)] == ["log-out-of-step"] * 3


def test_a_log_that_is_gone(wiki: Wiki) -> None:
    operation = ident(wiki)
    (wiki.root / LOG).unlink()
    commit(wiki)
    assert ("log-out-of-step", "", operation) in found(wiki)


# --- raw/ ----------------------------------------------------------------------------------


def test_a_source_that_a_person_changed(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE + "More.\n")
    names = [row[0] for row in found(wiki)]
    assert names == ["source-changed"]
    commit(wiki)
    assert [row[0] for row in found(wiki)] == ["source-changed"]
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    assert found(wiki) == []


def test_a_source_that_a_person_removed(wiki: Wiki) -> None:
    wiki.git("rm", "-q", "raw/tea.md")
    commit(wiki)
    assert "source-missing" in [row[0] for row in found(wiki)]


def test_sources_that_wait(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", MATE)
    for name in ("raw/brand/SOUL.md", "raw/.hidden.md", "raw/a.md~", "raw/song.mp3"):
        wiki.put(name, "x")
    assert found(wiki) == [("source-not-ingested", "raw/mate.md", "raw/mate.md")]


HTML = "<!doctype html><html><body><article><h1>Mate</h1><p>Mate is an infusion of the leaves of a \
holly, and it is drunk in South America.</p></article></body></html>"


@pytest.mark.parametrize("committed", [False, True])
def test_a_numbered_text_that_was_changed(wiki: Wiki, committed: bool) -> None:
    wiki.put("raw/mate.html", HTML)
    wiki.ok("ingest", "raw/mate.html", "--model", "offline")
    assert found(wiki) == []
    (text,) = (wiki.root / "raw/.text").iterdir()
    name = text.relative_to(wiki.root).as_posix()
    held = text.read_text()
    text.write_text(held.replace("drunk", "eaten"))
    if committed:
        commit(wiki)
        wiki.ok("remember", "The kettle is broken.")
    names = [row[0] for row in found(wiki)]
    assert names == ["quote-not-in-text", "raw-text-tampered"]
    text.write_text(held)
    if committed:
        commit(wiki, name)
    assert found(wiki) == []


# --- clones without history ------------------------------------------------------------------


def test_a_shallow_clone_gets_one_note(wiki: Wiki, tmp_path: Path) -> None:
    wiki.ok("remember", "The kettle is broken.")
    gitkit.git(tmp_path, "clone", "-q", "--depth=1", f"file://{wiki.root}", "shallow")
    (said,) = left_out(tmp_path / "shallow")
    assert "shallow clone" in said and "log-rewritten" in said
    gitkit.git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert found(tmp_path / "shallow") == []


def test_a_partial_clone_fetches_nothing(wiki: Wiki, tmp_path: Path) -> None:
    wiki.git("config", "uploadpack.allowFilter", "true")
    gitkit.git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{wiki.root}", "part")
    packs = set((tmp_path / "part/.git/objects/pack").iterdir())
    assert len(left_out(tmp_path / "part")) == 1
    assert set((tmp_path / "part/.git/objects/pack").iterdir()) == packs


def test_a_wiki_without_commits_gets_one_note(tmp_path: Path, monkeypatch: Any) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "new", commit=False)
    assert found(root) == []
    assert len(left_out(root)) == 1


def test_a_vault_that_no_operation_made_is_clean(tmp_path: Path, monkeypatch: Any) -> None:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "vault")
    gitkit.put(root, {LOG: "# Log\n\n## [2026-04-01] ingest | My Paper\n"})
    gitkit.git(root, "commit", "-q", "-a", "-m", "log")
    gitkit.put(root, {LOG: "# Log\n", "raw/a.md": "other"})
    gitkit.git(root, "commit", "-q", "-a", "-m", "less")
    assert found(root) == []


# --- in pieces -------------------------------------------------------------------------------


def told(past: History) -> tuple[object, ...]:
    return (
        past.operations,
        past.broken_logs,
        past.altered_texts(),
    )


def grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: int | None) -> Path:
    """A wiki of 60 operations; at one of them an older line is lost."""
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "grown", pages=0)
    rows: list[str] = []
    stream: list[str] = []
    for n in range(60):
        rows.append(render_line(LogLine("2026-09-21", "ingest", f"T{n}", 1, f"{n:012x}")))
        if n == spoilt:
            del rows[1]
        text = "# Log\n\n" + "\n".join(rows) + "\n"
        note = f"wiki ingest: T{n}\n\nWiki-Op: ingest\nWiki-Id: {n:012x}\n"
        stream += [
            "commit refs/heads/main",
            f"committer Ada <ada@example.org> {wikikit.NOW + n} +0000",
            f"data {len(note)}\n{note}",
            *(["from refs/heads/main^0"] if n == 0 else []),
            f"M 644 inline {LOG}\ndata {len(text.encode())}\n{text}",
        ]
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=root,
        input="\n".join(stream).encode() + b"\n",
        check=True,
        env=gitkit.environment(),
    )
    gitkit.git(root, "reset", "-q", "--hard")
    return root


def test_a_whole_lint_reads_on_and_sees_what_is_not_committed(wiki: Wiki) -> None:
    def codes(**more: Any) -> list[str]:
        with Repository(layout_of(wiki.root)) as repo:
            return [f.code for f in lint(repo, **more).findings if f.code[2] in "249"]

    assert codes() == []
    wiki.put("raw/tea.md", NOTE + "More.\n")
    assert codes() == ["WK205"]
    assert codes(at="HEAD") == []
    commit(wiki)
    assert codes() == ["WK205"]
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    wiki.put(LOG, "# Log\n")
    assert set(codes()) == {"WK401", "WK402"}
    assert codes(at="HEAD") == []
