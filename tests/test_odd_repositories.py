"""Repositories with unusual settings, states and surroundings: the same commits, a clean status."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
SETTINGS: dict[str, dict[str, str]] = {
    "files": {
        "core.autocrlf": "true",
        "core.eol": "crlf",
        "core.safecrlf": "true",
        "core.fileMode": "false",
        "core.ignoreCase": "true",
        "core.symlinks": "false",
        "core.ignoreStat": "true",
    },
    "index": {
        "core.splitIndex": "true",
        "core.untrackedCache": "true",
        "feature.manyFiles": "true",
    },
    "eyes": {
        "log.showSignature": "true",
        "log.follow": "true",
        "log.diffMerges": "first-parent",
        "log.showRoot": "false",
        "color.ui": "always",
        "core.pager": "false",
        "status.showUntrackedFiles": "no",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "diff.external": "false",
        "diff.renames": "copies",
        "core.abbrev": "4",
    },
    "messages": {
        "i18n.commitEncoding": "ISO-8859-1",
        "i18n.logOutputEncoding": "ISO-8859-15",
        "core.fsmonitor": "false",
        "commit.cleanup": "scissors",
        "core.commentChar": "W",
    },
}


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.bare(tmp_path, monkeypatch)


def story(wiki: Wiki) -> str:
    """One of everything; HEAD's tree. Leaves nothing to be committed."""
    wiki.ok("init")
    wiki.learn("raw/thé.md", NOTE, answer([GREEN]))
    wiki.ok("remember", "Très bon.")
    wiki.ok("undo")
    wiki.put("raw/thé.md", NOTE.replace("80 degrees", "75 degrees"))
    wiki.ok("ingest", "raw/", "--model", "offline")
    assert "[[Tea#^c-" in wiki.ok("search", "steeped").out
    assert wiki.ok("lint").out.endswith("no issues found\n")
    assert "Sources   1 ingested\n" in wiki.ok("status").out
    titles = [each["title"] for each in wiki.ok("log", "--json").json["operations"]]
    assert titles[1:4] == ["memory: Très bon.", "Très bon.", "On tea"], titles
    page = wiki.ok("log", "wiki/concepts/Tea.md", "--json").json["commits"]
    assert [each["kind"] for each in page] == ["ingest", "ingest"]
    assert wiki.status == ""
    return wiki.git("rev-parse", "HEAD^{tree}").strip()


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> str:
    with pytest.MonkeyPatch.context() as patch:
        wiki = wikikit.bare(tmp_path_factory.mktemp("plain"), patch)
        gitkit.git(wiki.root, "init", "-q", "-b", "main")
        return story(wiki)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_change_nothing(bare: Wiki, wanted: str, name: str) -> None:
    gitkit.git(bare.root, "init", "-q", "-b", "main")
    for key, value in SETTINGS[name].items():
        bare.git("config", key, value)
    assert story(bare) == wanted


@pytest.mark.parametrize(
    "names",
    [("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX"), ("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")],
)
def test_what_a_hook_of_another_repository_inherits_misleads_nobody(
    bare: Wiki, wanted: str, tmp_path: Path, names: tuple[str, ...]
) -> None:
    other = gitkit.make_wiki(tmp_path / "other")
    before = gitkit.git(other, "log", "--format=%H") + gitkit.status(other)
    gitkit.git(bare.root, "init", "-q", "-b", "main")
    values = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_PREFIX": "wiki/",
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
    }
    bare.env = {name: values[name] for name in names}
    assert story(bare) == wanted
    assert before == gitkit.git(other, "log", "--format=%H") + gitkit.status(other)


# --- encodings of messages ------------------------------------------------------------------


def latin(wiki: Wiki) -> None:
    wiki.git("config", "i18n.commitEncoding", "ISO-8859-1")


def test_messages_are_written_in_utf_8_whatever_is_configured(bare: Wiki) -> None:
    gitkit.git(bare.root, "init", "-q", "-b", "main")
    latin(bare)
    bare.ok("init")
    bare.ok("remember", "Très bon — 茶.")
    raw = bare.git("cat-file", "commit", "HEAD")
    assert "\nencoding " not in raw and "Très bon — 茶." in raw


def test_messages_in_other_encodings_are_read(bare: Wiki) -> None:
    gitkit.git(bare.root, "init", "-q", "-b", "main")
    bare.ok("init")
    bare.ok("remember", "Très bon.")
    latin(bare)
    message = bare.git("log", "-1", "--format=%B", "--encoding=UTF-8")
    gitkit.git(
        *(bare.root, "commit", "-q", "--amend", "-F", "-"),
        stdin=message.encode("latin-1"),
    )
    assert "\nencoding ISO-8859-1\n" in bare.git("cat-file", "commit", "HEAD")
    (told, _init) = bare.ok("log", "--json").json["operations"]
    assert told["title"] == "Très bon." and told["kind"] == "memory"
    bare.ok("undo")
    assert bare.git("log", "-1", "--format=%s", "--encoding=UTF-8").startswith(
        "wiki undo: memory: Tr"
    )
    assert "Très bon." in bare.read("wiki/log.md")


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "nonsense", ""])
def test_a_name_that_is_configured_in_another_encoding_is_written_in_utf_8(
    bare: Wiki, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.git(bare.root, "init", "-q", "-b", "main")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{who}_NAME")
    config = bare.root / ".git" / "config"
    config.write_bytes(config.read_bytes() + "[user]\n\tname = Zoë\n".encode("latin-1"))
    if encoding:
        bare.git("config", "i18n.commitEncoding", encoding)
    bare.ok("init")
    assert "author Zoë <ada@example.org>" in bare.git("cat-file", "commit", "HEAD")


# --- states of the index and of HEAD --------------------------------------------------------


@pytest.fixture
def wiki(bare: Wiki) -> Wiki:
    bare.ok("init")
    bare.learn("raw/tea.md", NOTE, answer([GREEN]))
    return bare


def test_a_source_that_is_only_announced_to_the_index_is_ingested(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", "# Mate\n\nMate is a kind of tea.\n")
    wiki.git("add", "-N", "raw/mate.md")
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    assert wiki.status == ""


def test_a_tag_that_head_points_to_is_not_moved(wiki: Wiki) -> None:
    wiki.git("tag", "v1")
    before = wiki.head
    wiki.git("symbolic-ref", "HEAD", "refs/tags/v1")
    done = wiki.run("remember", "Tea is nice.")
    assert done.code == 3 and "detached" in done.err
    assert wiki.git("rev-parse", "v1").strip() == before


def test_pages_assumed_unchanged_are_written_like_others(wiki: Wiki) -> None:
    named = ("wiki/index.md", "wiki/log.md")
    wiki.git("update-index", "--assume-unchanged", *named)
    wiki.ok("remember", "Tea is nice.")
    assert wiki.status == ""
    assert all(row.startswith("h ") for row in wiki.git("ls-files", "-v", *named).splitlines())
    wiki.git("update-index", "--really-refresh")
    assert wiki.status == "" and "Tea is nice" in wiki.read("wiki/log.md")


def test_an_older_version_of_a_source_that_is_staged_does_not_come_back(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", "# Mate\n\nMate is a kind of tea.\n")
    wiki.git("add", "raw/mate.md")
    wiki.put("raw/mate.md", "# Mate\n\nMate is a kind of hot tea.\n")
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    assert wiki.status == ""


@pytest.mark.parametrize("branch", ["größe", os.fsdecode(b"na\xefve")])
def test_a_branch_has_a_name_in_letters_of_any_kind(bare: Wiki, branch: str) -> None:
    bare.git("init", "-q", "-b", branch)
    bare.ok("init")
    bare.git("pack-refs", "--all")
    for said in ("One.", "Two."):
        bare.ok("remember", said)
    assert bare.count() == 3 and bare.status == ""
    assert bare.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{branch}"


@pytest.mark.parametrize("form", ["worktree", "submodule", "separate", "sha256"])
def test_other_forms_of_a_repository(bare: Wiki, tmp_path: Path, form: str) -> None:
    root = tmp_path / "there"
    if form == "worktree":
        gitkit.git(bare.root, "init", "-q", "--bare", "-b", "main")
        tree = bare.git("hash-object", "-t", "tree", "-w", os.devnull).strip()
        commit = bare.git("commit-tree", tree, "-m", "start").strip()
        bare.git("update-ref", "refs/heads/main", commit)
        bare.git("worktree", "add", "-q", str(root), "main")
    elif form == "submodule":
        gitkit.git(bare.root, "init", "-q", "-b", "main")
        bare.git("commit", "-q", "--allow-empty", "-m", "start")
        (tmp_path / "above").mkdir()
        gitkit.git(tmp_path / "above", "init", "-q")
        allowed = ("-c", "protocol.file.allow=always")
        gitkit.git(tmp_path / "above", *allowed, "submodule", "add", "-q", str(bare.root), "there")
        root = tmp_path / "above" / "there"
    elif form == "separate":
        gitkit.git(tmp_path, "init", "-q", "-b", "main", "--separate-git-dir=apart", "there")
    else:
        gitkit.git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256", "there")
    wiki = Wiki(root)
    story(wiki)
    wikikit.check(wiki)


# --- answers by standard input --------------------------------------------------------------


def test_an_answer_from_standard_input_is_kept_where_it_cannot_land(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", "# Mate\n\nMate is a kind of tea. It is drunk hot.\n")
    wiki.prepare("raw/mate.md")
    wiki.put(".git/MERGE_HEAD", f"{wiki.head}\n")
    fill = answer([claim("Mate", "It is drunk hot.", lines=(3, 3))])
    source = {"sha256": wikikit.sha((wiki.root / "raw/mate.md").read_bytes()), "segment": [1, 1]}
    done = wiki.run(
        "apply", "-", "--model", "by hand", stdin=json.dumps({**fill, "source": source}).encode()
    )
    assert done.code == 3, done
    found = re.search(r"Then: wiki (apply .*)$", done.err, re.MULTILINE)
    assert found, done
    (wiki.root / ".git/MERGE_HEAD").unlink()
    wiki.ok(*shlex.split(found[1]))
    assert wiki.claim("drunk hot") and wiki.trailer("Wiki-Model") == "by hand"


@pytest.fixture
def few_files() -> Iterator[None]:
    """A process that may open some hundred files more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = os.dup(0)
    os.close(highest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 170, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("few_files")
def test_there_may_be_more_folders_than_a_process_may_open_files(wiki: Wiki) -> None:
    page = "---\ntype: concept\ntitle: P{0}\n---\n\n# P{0}\n\nWord{0} is a word.\n"
    for number in range(180):
        wiki.put(f"wiki/concepts/g{number}/p.md", page.format(number))
    assert "P179" in wiki.ok("search", "Word179").out
    assert wiki.run("lint").code == 1
    assert wiki.git("status", "--short", "-uno") == ""


def test_a_file_may_lie_a_thousand_folders_deep(wiki: Wiki) -> None:
    here = Path.cwd()
    for top in ("wiki", "raw"):
        os.chdir(wiki.root / top)
        for _ in range(1_100):
            Path("d").mkdir()
            os.chdir("d")
        Path("x.md").write_text("# Deep\n\nThe well is a thousand metres deep.\n")
    os.chdir(here)
    try:
        assert "/d/x.md" in wiki.ok("search", "deep").out
        assert "/d/x.md" in wiki.ok("status").out
        assert wiki.run("lint").code == 1
        done = wiki.run("ingest", "raw/", "--model", "offline")
        assert done.code == 7 and "folders deep" in done.out
    finally:
        # Python removes a folder level by level, each a call deeper.
        subprocess.run(
            ["rm", "-rf", *(wiki.root / top / "d" for top in ("wiki", "raw"))], check=True
        )
