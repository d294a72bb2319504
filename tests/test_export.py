"""Exports."""

from __future__ import annotations

import re
from pathlib import Path

import frontmatter
import pytest
import wikikit
from secretkit import password
from wikikit import Wiki, answer, claim

import llmwiki
from llmwiki.changes.change_skills import SkillEdit, created
from llmwiki.core.secrets import scan

BUNDLE = "../bundle"


def made(place: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    place.mkdir()
    return wikikit.make(place, monkeypatch)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return made(tmp_path / "one", monkeypatch)


def grown(wiki: Wiki) -> Wiki:
    text = "# On tea\n\nTea is a drink of hot water and leaves.\nTea was first drunk in China.\n"
    first = claim("Tea", "Tea is a drink of hot water and leaves.", lines=(3, 3))
    second = claim("Tea", "Tea was first drunk in China.", lines=(4, 4), stance="reported")
    wiki.learn("raw/tea.md", text, answer([first, second]))
    return wiki


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write(folder: Path, **held: str) -> Path:
    for name, text in held.items():
        path = folder / name.replace("__", "/")
        path = path.with_name(path.name + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def check_bundle(place: Path) -> None:
    """What OKF 0.2 asks of every bundle, and what ours promise besides."""
    held = files(place)
    for path, data in held.items():
        if not path.endswith(".md"):
            continue
        concept = frontmatter.loads(data.decode())
        if path.rpartition("/")[2] == "index.md":
            assert set(concept.keys()) <= ({"okf_version"} if path == "index.md" else set()), path
            assert re.search("^#+ ", concept.content, re.MULTILINE), path
            continue
        assert concept["type"], path
        labels = set(re.findall(r"(?<!\\)\[\^([^\[\]\s]+)\]", concept.content))
        sources = concept.get("sources", [])
        assert isinstance(sources, list) and all(each["resource"] for each in sources), path
        assert labels <= {each["id"] for each in sources}, path
        moment = re.search(r"\n  at: (\S+)\n", data.decode())
        assert moment is None or re.fullmatch(r"\S+T\S+Z", moment[1].strip("\"'")), path


def test_an_export_is_written_over_an_earlier_one_and_nothing_else(
    wiki: Wiki, tmp_path: Path
) -> None:
    grown(wiki)
    place = tmp_path / "bundle"
    wiki.ok("export", "okf", str(place))
    check_bundle(place)
    before = files(place)
    again = wiki.ok("export", "okf", str(place), "--json").json
    assert (again["written"], files(place)) == (0, before)
    assert "references/tea.md.txt" in before
    assert b"[^tea-md]: [On tea](/sources/tea-md.md)" in before["concepts/Tea.md"]

    wiki.ok("rename", "Tea", "Chai")
    (place / "mine.txt").write_text("keep me")
    gone = wiki.ok("export", "okf", str(place), "--json").json
    assert gone["removed"] == ["concepts/Tea.md"] and (place / "mine.txt").exists()

    (place / "concepts/Chai.md").write_text("mine")
    refused = wiki.run("export", "okf", str(place))
    assert (refused.code, (place / "concepts/Chai.md").read_text()) == (7, "mine")

    other = write(tmp_path / "other", Notes="Mine.")
    (tmp_path / "link").symlink_to(place)
    for named in ("wiki/out", "raw", ".", str(other), str(tmp_path / "link"), ".git/x"):
        assert wiki.run("export", "okf", named).code == 7, named
    assert files(other) == {"Notes.md": b"Mine."} and not wiki.status


def test_what_memory_and_skills_hold_leaves_with_memory_alone(wiki: Wiki, tmp_path: Path) -> None:
    grown(wiki)
    wiki.ok("remember", "Private77 likes tea.")
    wiki.ok("undo")
    wiki.ok("undo")
    wiki.ok("remember", "Private78 likes hot water.", "--kind", "preference")
    made = created("steep77", "Steeps tea. Use it at four.", "1. Steep it.", by="agent")
    opened = llmwiki.Wiki.open(wiki.root)
    opened.change_skill(SkillEdit("steep77", "made", made, "- four", "s", 1))
    wiki.edit("wiki/concepts/Tea.md", "# Tea\n", "# Tea\n\nIts note is [[memory]].\n")
    wiki.ok("ingest", str(wiki.put("raw/two.md", "# Two\n\nTea comes from China.\n")))
    wiki.ok("undo")
    place = tmp_path / "bundle"
    wiki.ok("export", "okf", str(place))
    held = b"\n".join(name.encode() + b"\n" + data for name, data in files(place).items())
    for told in (b"Private7", b"steep77", b"memory.md", b"skills/", b"daily/"):
        assert told not in held, told
    wiki.ok("export", "okf", str(place), "--memory")
    assert (place / "memory.md").exists() and (place / "skills/steep77/SKILL.md").exists()


@pytest.mark.parametrize("where", ["wiki/concepts/Tea.md", "raw/tea.md"])
def test_a_secret_does_not_leave_without_a_word(wiki: Wiki, where: str) -> None:
    secret = password()
    said = f"The kettle has the password {secret}."
    (found,) = scan(said)
    allowed = "--allow-secret", found.digest
    if where == "raw/tea.md":
        text = f"# On tea\n\nTea is a drink.\n\n{said}\n"
        read = answer([claim("Tea", "Tea is a drink.", lines=(3, 3))])
        wiki.put(where, text)
        wiki.ok("ingest", where, "--prepare", *allowed)
        source = {"sha256": wikikit.sha(text), "segment": [1, 1], "lines": [1, 5]}
        assert wiki.apply({**read, "source": source}, *allowed).code == 0
    else:
        grown(wiki)
        wiki.put(where, f"{wiki.read(where)}\n{said}\n")
        wiki.git("commit", "-qam", "by hand")
    for extra in ((), ("--json",)):
        done = wiki.run("export", "okf", BUNDLE, *extra)
        assert done.code == 7 and " ".join(allowed) in done.err and secret not in str(done)
        assert not (wiki.root.parent / "bundle").exists()
    wiki.ok("export", "okf", BUNDLE, *allowed)
    if where == "raw/tea.md":
        wiki.ok("export", "okf", "../without", "--no-documents")


def test_an_id_behind_a_password_is_no_secret(wiki: Wiki) -> None:
    said = "Whoever has no ticket needs the password"
    wiki.learn("raw/gate.md", f"# Gate\n\n{said}\n", answer([claim("Gate", said, lines=(3, 3))]))
    wiki.ok("export", "okf", BUNDLE)
