"""Exports, imports, and the way from one to the other and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import wikikit
from secretkit import password
from wikikit import Wiki, answer, check, claim

import llmwiki
from llmwiki.changes.skills.change import SkillEdit, created
from llmwiki.core.secrets import scan
from llmwiki.ingest.exchange.okf import read_concept

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
        concept = read_concept(data.decode())
        if path.rpartition("/")[2] == "index.md":
            assert set(concept.values) <= ({"okf_version"} if path == "index.md" else set()), path
            assert re.search("^#+ ", concept.body, re.MULTILINE), path
            continue
        assert concept.values["type"], path
        labels = set(re.findall(r"(?<!\\)\[\^([^\[\]\s]+)\]", concept.body))
        sources = concept.values.get("sources", [])
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
    wiki.ok("export", "okf", str(place), "--force")
    assert (place / "concepts/Chai.md").read_text() != "mine"

    other = write(tmp_path / "other", Notes="Mine.")
    (tmp_path / "link").symlink_to(place)
    for named in ("wiki/out", "raw", ".", str(other), str(tmp_path / "link"), ".git/x"):
        assert wiki.run("export", "okf", named).code == 7, named
    assert files(other) == {"Notes.md": b"Mine."} and not wiki.status


def test_pages_of_another_wiki_are_left_out(wiki: Wiki, tmp_path: Path) -> None:
    grown(wiki)
    place = tmp_path / "bundle"
    wiki.ok("export", "okf", str(place))
    check_bundle(place)
    head = wiki.head
    done = wiki.ok("import", "okf", str(place))
    assert wiki.head == head and "clone that, or ingest its documents" in done.err


def test_a_vault_is_filed_by_titles_and_aliases_and_overwrites_nothing(
    wiki: Wiki, tmp_path: Path
) -> None:
    grown(wiki)
    before = wiki.pages()["wiki/concepts/Tea.md"]
    vault = write(
        tmp_path / "My Vault",
        Tea="---\naliases: [Chai]\n---\nTea is grown on high [[Hills|green hills]].\n\n- Tea\n",
        Hills="---\ntype: place\naliases: [Tea, Uplands]\n---\nHills are higher than plains.\n",
        daily__2026_01_02="# 2026-01-02\n\nToday Bob drank two cups of tea.\n",
    )
    (vault / "link.md").symlink_to("/etc/passwd")
    (vault / "bytes.md").write_bytes(b"\xff\xfe\x00")
    plan = wiki.ok("import", "obsidian", str(vault), "--dry-run", "--json").json
    assert wiki.count() == len(wiki.git("log", "--format=%h").split()) and plan["commit"] == ""
    count = wiki.count()
    told = wiki.ok("import", "obsidian", str(vault), "--json").json
    assert wiki.count() == count + 1 and wiki.trailer("Wiki-Op") == "import"
    assert {each["path"] for each in told["left_out"]} == {"link.md", "bytes.md"}
    tea = wiki.pages()["wiki/concepts/Tea.md"]
    assert [c for c in tea.claims if before.claim(c.id)] == list(before.claims)
    assert (tea.lead, tea.aliases) == (before.lead, ("Chai",))
    hills = wiki.pages()["wiki/entities/Hills.md"]
    assert hills.aliases == ("Uplands",), "Tea is a name of another page"
    assert wiki.claim("green hills").attribute("speaker") == "my-vault"
    assert wiki.claims()[wiki.claim("Bob").id][0].startswith("wiki/sources/imports-my-vault-daily")
    check(wiki)
    assert wiki.run("lint", "--fail-on", "note", "-q").out == ""
    assert "Nothing new" in wiki.ok("import", "obsidian", str(vault)).out
    wiki.ok("undo")
    assert wiki.pages()["wiki/concepts/Tea.md"].text == before.text
    assert wiki.ok("import", "obsidian", str(vault), "--json").json["second_hand"] == 4


def test_documents_of_a_folder_are_left_to_an_ingest(wiki: Wiki, tmp_path: Path) -> None:
    said = "Green tea is steeped at eighty degrees for two minutes."
    folder = write(
        tmp_path / "theirs",
        concepts__GreenTea=f"---\ntitle: Green tea\ntype: concept\nsources: [brewing]\n---\n"
        f"# Green tea\n\n{said} Most people like green tea a lot.\n",
        CLAUDE="Obey.",
    )  # fmt: skip
    (folder / "raw").mkdir()
    (folder / "raw/brewing.txt").write_text(f"Water is boiled. {said}\n")
    told = wiki.ok("import", "obsidian", str(folder), "--json").json
    assert told["second_hand"] == 1
    assert {"path": "raw/", "reason": "1 document; `wiki ingest` reads it"} in told["left_out"]
    assert wiki.claim("eighty degrees").attribute("stance") == "reported"
    assert not any("CLAUDE" in path for path in wiki.files() if "raw/" in path)
    check(wiki)


@pytest.mark.soak
def test_more_pages_are_imported_than_are_kept_parsed(wiki: Wiki, tmp_path: Path) -> None:
    vault = write(
        tmp_path / "vault",
        **{f"Note{n}": f"Note {n} speaks of [[Note{n // 2}]] at length.\n" for n in range(400)},
    )
    assert wiki.ok("import", "obsidian", str(vault), "--json").json["second_hand"] == 400
    check(wiki)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("import", "okf", "nowhere"), 2),
        (("import", "okf", "wiki"), 2),
        (("import", "okf", "empty"), 2),
        (("import", "notion", "empty"), 2),
        (("import", "okf", "link"), 7),
    ],
)
def test_what_cannot_be_read_is_refused(wiki: Wiki, args: tuple[str, ...], code: int) -> None:
    (wiki.root / "empty").mkdir()
    (wiki.root / "link").symlink_to("empty")
    head = wiki.head
    done = wiki.run(*args)
    assert (done.code, wiki.head) == (code, head)
    assert "Traceback" not in done.err and done.err.strip()


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
