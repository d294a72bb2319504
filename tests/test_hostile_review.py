"""What a hostile review broke: each attack stays refused, in words and without a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki, answer, check, claim, sha

from llmwiki.pages.find_links import scan

TEXT = "# Doc\n\nFact number one is a statement.\nFact number two is a statement.\n"
ONE, TWO = TEXT.split("\n")[2:4]


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def commit(wiki: Wiki, message: bytes, **env: str) -> None:
    """A commit of somebody's, with whatever message git takes."""
    place = wiki.root.parent / "message"
    place.write_bytes(message)
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", str(place)],
        cwd=wiki.root,
        check=True,
        env={**os.environ, **env},
    )


def commands_work(wiki: Wiki) -> None:
    for command in (
        ("status",),
        ("log",),
        ("remember", "Tea is hot."),
        ("undo",),
    ):
        done = wiki.run(*command)
        assert done.code == 0, (command, done)


def test_two_claims_with_one_local_id_are_both_in_the_ledger(wiki: Wiki) -> None:
    claims = [claim("A", ONE, id="k1"), claim("B", TWO, id="k1"), claim("B", "Two again.", TWO)]
    claims[0]["id"] = claims[1]["id"] = "k1"
    claims[2]["links"] = [{"to": "k1", "how": "supports"}]
    wiki.learn("raw/doc.md", TEXT, answer(claims))
    ledger = wiki.read("wiki/sources/doc-md.md")
    assert len(wiki.claims()) == 3 and all(ident in ledger for ident in wiki.claims())
    assert wiki.claim(ONE).id in (wiki.claim("Two again.").attribute("supports") or "")
    check(wiki)


def test_a_refused_quote_that_is_no_unicode_is_told(wiki: Wiki) -> None:
    said = claim("A", ONE)
    said["evidence"].append({"quote": "half a pair \ud800 of surrogates", "lines": [1, 1]})
    operation = wiki.learn("raw/doc.md", TEXT, answer([said]))
    assert operation["claims_added"] == 1 and "half a pair" in operation["refused"][0]["quote"]


def test_a_flood_of_aliases_is_refused_at_once(wiki: Wiki) -> None:
    """Each is a line of the ledger; 12,000 of them held the lock for 50 seconds."""
    names = [f"S{n}" for n in range(400)]
    subjects = [
        {
            "name": name,
            "kind": "entity",
            "description": "x",
            "aliases": [f"{name} {n}" for n in range(30)],
        }
        for name in names
    ]
    wiki.put("raw/doc.md", TEXT)
    wiki.prepare("raw/doc.md")
    said = answer([claim(name, f"About {name}.", ONE) for name in names], subjects)
    done = wiki.apply({**said, "source": {"sha256": sha(TEXT), "segment": [1, 1]}})
    assert done.code == 5 and "at most" in done.operation["error"]


def test_a_commit_message_with_separators_breaks_no_command(wiki: Wiki) -> None:
    commit(wiki, b"hello \x1e there\n\nbody\x1e" + b"0" * 40 + b"\x1e\n\x1d\x1f\n")
    commands_work(wiki)


@pytest.mark.parametrize("trailers", [b"", b"\n\nWiki-Op: ingest\nWiki-Id: 0123456789ab"])
def test_a_date_that_no_calendar_has_breaks_no_command(wiki: Wiki, trailers: bytes) -> None:
    commit(wiki, b"wiki ingest: x" + trailers + b"\n", GIT_COMMITTER_DATE="@99999999999999 +0000")
    commands_work(wiki)


@pytest.mark.parametrize(
    "trailers",
    [
        b"Wiki-Op: ingest | x [[Evil]] <b>\nWiki-Id: 0123456789ab",
        b"Wiki-Op: ingest\nWiki-Id: zz](javascript:x) <img src=x>",
    ],
)
def test_trailers_of_a_forger_do_not_stand_in_the_log(wiki: Wiki, trailers: bytes) -> None:
    commit(wiki, b"wiki ingest: t\n\n" + trailers + b"\n")
    wiki.ok("remember", "Tea is hot.")
    assert "<" not in wiki.read("wiki/log.md") and "[[" not in wiki.read("wiki/log.md")


def test_a_log_line_with_a_number_without_end_breaks_no_command(wiki: Wiki) -> None:
    line = "## [2026-11-20] ingest | x · " + "1" * 5000 + " pages · 0123456789ab\n"
    wiki.put("wiki/log.md", wiki.read("wiki/log.md") + line)
    wiki.git("commit", "-qam", "a line")
    commands_work(wiki)
    assert line in wiki.read("wiki/log.md")


BOTTOMLESS = {
    "flow": "x: " + "[" * 100_000,
    "properties": "x: " + "!a [&b " * 30_000,
    "list": "x:\n" + "- " * 30_000 + "a",
    "keys": "? " * 30_000 + "a",
    "mapping": "x:\n" + "".join(" " * n + "a:\n" for n in range(1, 400)),
    "aliases": "aliases: " + "[" * 400 + "]" * 400,
}


def test_frontmatter_without_bottom_is_a_broken_page(wiki: Wiki) -> None:
    """libyaml's loader recurses in C: it ended the process with SIGSEGV."""
    pages = {
        f"wiki/concepts/Evil {name}.md": f"---\ntype: concept\ntitle: Evil {name}\n{front}\n---\n\n"
        f"# Evil {name}\n\nText.\n"
        for name, front in BOTTOMLESS.items()
    }
    for path, page in pages.items():
        wiki.put(path, page)
    wiki.git("add", "wiki")
    wiki.git("commit", "-qm", "pages")
    shown = [("show", path) for path in pages]
    for command in (("status",), *shown, ("remember", "Tea is hot.")):
        done = wiki.spawn(*command)
        err = done.communicate(timeout=60)[1]
        assert done.returncode == 0, (command, done.returncode, err)
    assert {path: wiki.read(path) for path in pages} == pages


@pytest.mark.parametrize("name", [".gitattributes", "wiki/.gitattributes"])
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by prlimit")
def test_attributes_that_are_a_link_to_a_device_are_not_read(wiki: Wiki, name: str) -> None:
    place = wiki.root / name
    place.unlink(missing_ok=True)
    place.symlink_to("/dev/zero")
    limited = ("prlimit", "--as=2000000000", sys.executable, "-m", "llmwiki")
    done = subprocess.run(
        [*limited, "remember", "Tea is hot."],
        cwd=wiki.root,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 100_000,
        "[ingest]\nsegment_bytes = " + "9" * 5000,
        None,
        "[ingest]\nsegment_bytes = 0",
    ],
    ids=["deep", "number", "device", "zero"],
)
def test_settings_of_a_hostile_clone_are_refused_in_words(wiki: Wiki, text: str | None) -> None:
    place = wiki.root / ".llmwiki.toml"
    place.unlink()
    if text is None:
        place.symlink_to("/dev/zero")
    else:
        place.write_text(text)
    done = wiki.run("ingest", "raw/", "--model", "offline")
    assert done.code == 2 and ".llmwiki.toml" in done.err, done


def test_a_kept_answer_that_cannot_be_read_is_no_answer(wiki: Wiki) -> None:
    wiki.put("raw/doc.md", TEXT)
    wiki.prepare("raw/doc.md")
    folder = wiki.root / f".git/llmwiki/jobs/{sha(TEXT)[:16]}"
    (folder / "answer-1.json").write_text('{"of": "another version"}')
    (folder / "answer-2.json").write_text("[" * 100_000)
    (wiki.root / ".git/llmwiki/jobs/.DS_Store").write_bytes(b"\0")
    assert "raw/doc.md" in wiki.ok("status").out
    (folder / "job.json").write_text("{")
    assert wiki.ok("status").out


@pytest.mark.parametrize(
    "text",
    [
        "a\n<!-- llmwiki:end -->\nb\n<!-- llmwiki:start -->\n",
        "<!-- llmwiki:start -->\n<!-- llmwiki:end -->\na\n<!-- llmwiki:end -->\n",
    ],
)
def test_marks_in_the_wrong_order_are_refused(wiki: Wiki, text: str) -> None:
    wiki.put("CLAUDE.md", text)
    wiki.git("commit", "-qam", "mine")
    done = wiki.run("init")
    assert (done.code, wiki.read("CLAUDE.md")) == (3, text) and "pair up" in done.err


@pytest.mark.parametrize("mark", ["<!-- ", "<? ", "<!-- <? "])
def test_a_page_of_unclosed_comments_is_scanned_at_once(mark: str) -> None:
    """30,000 of them took 20 seconds in every command, and four times that for twice as many."""
    text = "# Evil\n\n[[A]] b " + mark * 100_000 + "[[B]]\n"
    before = time.process_time()
    assert [link.target for link in scan(text)] == ["A", "B"]
    assert time.process_time() - before < 30


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type: concept\n", "type: concept\nstatus: PERSONAL\n"),
        ("type: concept\n", "type: concept\ntags: [PERSONAL]\n"),
        ("type: concept\n", "type: concept\naliases: [PERSONAL]\n"),
        ("title: Tea\n", "title: PERSONAL\n"),
        ("# Tea\n", "# PERSONAL\n"),
    ],
)
def test_undo_keeps_what_a_person_wrote_above_the_body(wiki: Wiki, old: str, new: str) -> None:
    """A page that the operation made went, and a person's own keys with it."""
    wikikit.learn_tea(wiki, {"Tea": "Tea is an infusion."})
    page = "wiki/concepts/Tea.md"
    wiki.edit(page, old, new)
    wiki.ok("undo")
    assert "PERSONAL" in wiki.read(page) and "wiki/sources/tea-md.md" not in wiki.files()
    check(wiki, dangling=True)


def test_a_source_whose_name_is_no_unicode_is_told_as_json(wiki: Wiki) -> None:
    os.write(
        os.open(os.fsencode(wiki.root) + b"/raw/bad\xff.md", os.O_CREAT | os.O_WRONLY),
        TEXT.encode(),
    )
    done = wiki.run("ingest", "raw/", "--model", "offline", "--json")
    assert done.code in (0, 2) and "internal" not in done.err, done
    if done.out:
        json.loads(done.out)


# --- branches that hold what is neither page nor source -------------------------------------


def branched(wiki: Wiki, path: str, data: str, link: str = "") -> str:
    """Puts a page, or a link to `link`, and a change of the source's page on a branch; its id."""
    wiki.git("checkout", "-q", "-b", "wiki-review/odd")
    place = wiki.root / path
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    if link:
        place.symlink_to(link)
    else:
        place.write_text(data)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "odd")
    wiki.git("checkout", "-q", "-")
    return "odd"


@pytest.mark.parametrize(
    ("path", "link", "code"),
    [
        ("wiki/concepts/L.md", "/etc/passwd", 3),
        ("wiki/sources/doc-md.md", "../index.md", 3),
        ("raw/doc.md", "/etc/passwd", 3),
        ("wiki/Loose.md", "", 7),
    ],
)
def test_what_is_no_page_on_a_branch_is_refused_by_name(
    wiki: Wiki, path: str, link: str, code: int
) -> None:
    wiki.learn("raw/doc.md", TEXT, answer([claim("A", ONE)]))
    name, before = branched(wiki, path, "# Loose\n", link), wiki.head
    done = wiki.run("review", "accept", name, "--yes")
    assert (done.code, wiki.head, wiki.status) == (code, before, "")
    assert path in done.err and "bug" not in done.err
    assert wiki.run("diff", f"HEAD...wiki-review/{name}").code == 0
    wiki.ok("review", "reject", name, "--yes")


@pytest.mark.parametrize("is_mine", [False, True])
def test_a_source_that_a_review_takes_out_leaves_the_work_tree(wiki: Wiki, is_mine: bool) -> None:
    wiki.learn("raw/doc.md", TEXT, answer([claim("A", ONE)]))
    wiki.git("checkout", "-q", "-b", "wiki-review/out")
    wiki.git("rm", "-q", "raw/doc.md", "wiki/sources/doc-md.md", "wiki/concepts/A.md")
    wiki.git("commit", "-qm", "out")
    wiki.git("checkout", "-q", "-")
    if is_mine:
        wiki.put("raw/doc.md", "Mine.\n")
    done = wiki.run("review", "accept", "out", "--yes", "--json")
    assert done.code == 0, done
    assert done.json["kept"] == (["raw/doc.md"] if is_mine else [])
    assert wiki.status == ("?? raw/doc.md\n" if is_mine else "")
    if is_mine:
        assert "raw/doc.md was changed here" in done.err and wiki.read("raw/doc.md") == "Mine.\n"
