"""Bad input everywhere: what, where, what to do; the right exit code; nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages
from wikikit import NOTE, Run, Wiki, answer, check, claim


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def refused(wiki: Wiki, code: int, *args: str, says: str = "", stdin: bytes = b"") -> Run:
    """Runs a command that must be refused in words, with nothing changed."""
    before = (wiki.head, wiki.status, wikikit.outside(wiki))
    done = wiki.run(*args, stdin=stdin)
    assert done.code == code, done
    assert done.err.startswith(("wiki: ", "Usage: ")), done
    assert "internal" not in done.err and "Traceback" not in done.err, done
    assert says in done.err, done
    assert (wiki.head, wiki.status, wikikit.outside(wiki)) == before
    return done


# --- sources -------------------------------------------------------------------------------


def _fifo(root: Path) -> str:
    os.mkfifo(root / "raw/pipe.md")
    return "raw/pipe.md"


def _loop(root: Path) -> str:
    (root / "raw/loop").mkdir()
    (root / "raw/loop/again").symlink_to("..")
    return "raw/loop"


def _link_out(root: Path) -> str:
    (root / "raw/out.md").symlink_to("/etc/passwd")
    return "raw/out.md"


def _file(name: str, data: bytes) -> Callable[[Path], str]:
    def make(root: Path) -> str:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        return name

    return make


def _sparse(root: Path) -> str:
    with (root / "raw/huge.md").open("wb") as file:
        file.truncate(200_000_000)
    return "raw/huge.md"


SOURCES: dict[str, tuple[Callable[[Path], str], int, str]] = {
    "missing": (lambda root: "raw/nowhere.md", 2, "raw/nowhere.md"),
    "NUL": (lambda root: "a\0b", 2, ""),
    "empty folder": (lambda root: "raw", 2, "no sources"),
    "empty": (_file("raw/empty.md", b""), 2, "raw/empty.md"),
    "sparse 200 MB": (_sparse, 7, "raw/huge.md"),
    "broken PDF": (_file("raw/broken.pdf", b"%PDF-1.7\nnot really\n%%EOF"), 2, "raw/broken.pdf"),
    "of no encoding": (_file("raw/odd.md", "潮汐漲落".encode("big5")), 2, "raw/odd.md"),
    "binary": (_file("raw/bin.md", bytes(range(256)) * 40), 2, "raw/bin.md"),
    "unknown kind": (_file("raw/film.mp4", b"\0\0\0\x18ftypmp42"), 2, "raw/film.mp4"),
    "FIFO": (_fifo, 2, "raw/pipe.md"),
    "loop of links": (_loop, 2, ""),
    "link out of the wiki": (_link_out, 2, "raw/out.md"),
    "brand": (_file("raw/brand/SOUL.md", b"Be kind.\n"), 2, ""),
    "page": (_file("wiki/concepts/Mine.md", b"# Mine\n"), 2, "wiki/concepts/Mine.md"),
    "git data": (lambda root: ".git/config", 2, ""),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_cannot_be_read_is_refused_in_words(wiki: Wiki, name: str) -> None:
    make, code, says = SOURCES[name]
    path = make(wiki.root)
    begun = time.monotonic()
    argument = path if "\0" in path or not path else str(wiki.root / path)
    if says == path:
        argument = path
    refused(wiki, code, "ingest", argument, says=says)
    assert time.monotonic() - begun < 60
    if path and "\0" not in path:
        refused(wiki, code, "ingest", argument, "--prepare")


SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"


def test_a_secret_is_refused_before_a_model_sees_it(wiki: Wiki) -> None:
    wiki.put("raw/notes.md", f"# Notes\n\nThe deploy token is {SECRET} for now.\n")
    with FakeMessages("never") as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        done = refused(wiki, 7, "ingest", "raw/notes.md", says="--allow-secret")
        assert not server.requests
    assert SECRET not in done.err and SECRET not in done.out
    refused(wiki, 7, "ingest", "raw/notes.md", "--prepare")
    assert not (wiki.root / ".git/llmwiki/jobs").exists()
    allowed = done.err.split("--allow-secret ")[1].split()[0]
    assert (
        wiki.run("ingest", "raw/notes.md", "--model", "offline", "--allow-secret", allowed).code
        == 0
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_source_without_permission(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE).chmod(0)
    refused(wiki, 2, "ingest", "raw/tea.md", says="raw/tea.md")


# --- the repository ------------------------------------------------------------------------


COMMANDS = [
    ("ingest", "raw/tea.md"),
    ("apply", "-"),
    ("status",),
    ("remember", "x"),
    ("log",),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    bare = wikikit.bare(tmp_path, monkeypatch)
    done = bare.run(*command, stdin=b"{}")
    assert done.code == (5 if command[0] == "apply" and done.code == 5 else 3), done
    assert "wiki init" in done.err or command[0] == "apply", done
    assert not list(bare.root.iterdir())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_in_a_repository_without_a_wiki(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    bare = wikikit.bare(tmp_path, monkeypatch)
    bare.git("init", "-q")
    done = bare.run(*command, stdin=b"{}")
    assert done.code in (3, 5) and "internal" not in done.err, done
    assert [p.name for p in bare.root.iterdir()] == [".git"]


def test_in_a_bare_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = wikikit.bare(tmp_path, monkeypatch)
    bare.git("init", "-q", "--bare")
    for command in (*COMMANDS, ("init",)):
        done = bare.run(*command, stdin=b"{}")
        assert done.code in (2, 3, 5) and "internal" not in done.err, (command, done)
    assert not (bare.root / "wiki").exists()


def test_on_an_unborn_branch_the_first_commit_is_the_wiki(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = wikikit.bare(tmp_path, monkeypatch)
    bare.git("init", "-q")
    bare.put(".llmwiki.toml", "format = 3\n")
    bare.put("raw/tea.md", NOTE)
    done = bare.run("ingest", "raw/tea.md")
    assert done.code == 0, done
    assert bare.count() == 1 and ".llmwiki.toml" not in bare.files()
    assert "?? .llmwiki.toml" in bare.status
    check(bare)


def test_init_makes_and_completes_and_then_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = wikikit.bare(tmp_path, monkeypatch)
    bare.put("CLAUDE.md", "My own rules.\r\n")
    bare.ok("init", "kb")
    inner = Wiki(bare.root / "kb")
    assert inner.count() == 1 and inner.status == ""
    done = bare.run("init")
    assert done.code == 3 and "CLAUDE.md" in done.err, "a person's file is not committed for them"
    assert bare.read("CLAUDE.md") == "My own rules.\r\n"
    bare.git("add", "CLAUDE.md")
    bare.git("commit", "-qm", "mine")
    bare.ok("init")
    assert bare.read("CLAUDE.md").startswith("My own rules.\r\n")
    assert "llmwiki:start" in bare.read("CLAUDE.md")
    head = bare.head
    assert "nothing to do" in bare.ok("init").out
    assert bare.head == head
    (bare.root / "AGENTS.md").unlink()
    bare.git("commit", "-qam", "no agents")
    bare.ok("init")
    assert "llmwiki:start" in bare.read("AGENTS.md")
    for place in ("CLAUDE.md", ".git/x"):
        assert bare.run("init", place).code in (2, 3)


def test_no_identity_is_refused_before_a_model_is_paid(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("EMAIL", "")
    wiki.git("config", "user.useConfigOnly", "true")
    wiki.put("raw/tea.md", NOTE)
    with FakeMessages("never") as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        refused(wiki, 3, "ingest", "raw/tea.md", says="user.name")
        assert not server.requests
    del wiki.env["ANTHROPIC_BASE_URL"]
    refused(wiki, 3, "ingest", "raw/tea.md", says="user.name")


def test_a_detached_head_is_refused_unless_allowed(wiki: Wiki) -> None:
    wiki.git("checkout", "-q", "--detach")
    wiki.put("raw/tea.md", NOTE)
    refused(wiki, 3, "ingest", "raw/tea.md", says="--allow-detached")
    refused(wiki, 3, "remember", "x", says="--allow-detached")
    assert wiki.run("ingest", "raw/tea.md", "--allow-detached").code == 0
    wiki.git("checkout", "-q", "-B", "main")
    wiki.ok("lint", "--fix")
    check(wiki)


def test_a_merge_in_progress_is_refused(wiki: Wiki) -> None:
    wiki.git("checkout", "-q", "-b", "side")
    wiki.put("notes.txt", "one\n")
    wiki.git("add", "notes.txt")
    wiki.git("commit", "-qm", "side")
    wiki.git("checkout", "-q", "-")
    wiki.put("notes.txt", "two\n")
    wiki.git("add", "notes.txt")
    wiki.git("commit", "-qm", "main")
    wiki.git("merge", "side", ok=(1,))
    wiki.put("raw/tea.md", NOTE)
    refused(wiki, 3, "ingest", "raw/tea.md", says="merge")


def test_without_git_on_the_path(wiki: Wiki, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    wiki.put("raw/tea.md", NOTE)
    for args in (("ingest", "raw/tea.md"), ("status",), ("init",), ("log",)):
        process = wiki.spawn(*args, env={"PATH": str(empty)})
        _out, err = process.communicate(timeout=30)
        assert process.returncode == 3 and b"git" in err and b"internal" not in err, (args, err)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    (wiki.root / "wiki").chmod(0o500)
    refused(wiki, 3, "ingest", "raw/tea.md")
    (wiki.root / "wiki").chmod(0o700)


# --- pages in the way ----------------------------------------------------------------------

TEA = answer([claim("Tea", "Green tea is steeped at 80 degrees for two minutes.", lines=(5, 5))])
BROKEN = {
    "a list": "---\n- a\n- b\n---\n\n# Tea\n",
    "an anchor": "---\ntype: &a concept\ntitle: *a\n---\n\n# Tea\n",
    "no end": "---\ntype: concept\ntitle: Tea\n\n# Tea\n",
    "no frontmatter": "# Tea\n\nMy tea.\n",
    "empty": "",
    "conflict marks": "<<<<<<< ours\n---\ntype: concept\n=======\n---\n>>>>>>> theirs\n# Tea\n",
    "not UTF-8": "---\ntype: concept\ntitle: Tea\n---\n\n# Tea\n\nCaf\udce9\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_page_that_cannot_be_read_is_named_or_worked_around(wiki: Wiki, name: str) -> None:
    text = BROKEN[name].encode("utf-8", "surrogateescape")
    wiki.put("wiki/concepts/Tea.md", text)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "mine")
    head = wiki.head
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    done = wiki.apply({**TEA, "source": {"sha256": wikikit.sha(NOTE), "segment": [1, 1]}})
    body = text.split(b"---\n\n")[-1].strip()
    if done.code:
        assert done.code == 3 and "Tea.md" in done.operation["error"], done
        assert wiki.head == head
    else:
        assert body in (wiki.root / "wiki/concepts/Tea.md").read_bytes()
        assert wiki.status == ""
    for command in (("status",), ("show", "Tea"), ("remember", "x")):
        again = wiki.run(*command)
        assert again.code in (0, 2) and "internal" not in again.err, (command, again)


def test_files_of_others_in_the_wiki_are_listed_and_left(wiki: Wiki) -> None:
    for path in ("wiki/free.md", "wiki/deep/er/page.md", "wiki/a (b) [c].md", "wiki/x.txt"):
        wiki.put(path, "# A page\n\nSee [[nowhere]] ^c-0123456789\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "mine")
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md")
    index = wiki.read("wiki/index.md")
    for shown in ("free.md", "deep/er/page.md", "<a (b) [c].md>"):
        assert f"]({shown})" in index
    assert "x.txt" not in index


# --- settings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "ingest = 3\n[ingest]\n",
        "[ingest]\nsegment_bytes = 'many'\n",
        "[ingest]\ncandidates = ['a']\n",
        "not toml at all\n",
    ],
)
def test_settings_of_the_wrong_kind_are_refused(wiki: Wiki, text: str) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.put(".llmwiki.toml", text)
    for command in (("ingest", "raw/tea.md"), ("status",), ("config",)):
        refused(wiki, 2, *command, says=".llmwiki.toml")


@pytest.mark.parametrize(("number", "made"), [(1, "unpublished"), (2, "unpublished"), (4, "later")])
def test_a_wiki_of_another_format_is_refused(wiki: Wiki, number: int, made: str) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.put(".llmwiki.toml", f"format = {number}\n")
    for command in (("ingest", "raw/tea.md"), ("search", "tea"), ("init",), ("lint",)):
        done = refused(wiki, 3, *command, says=f"this wiki has format {number}")
        assert f"{made} version" in done.err


def test_a_hostile_repository_redirects_nothing(wiki: Wiki) -> None:
    with FakeMessages("never") as server:
        wiki.put(
            ".llmwiki.toml",
            f'format = 3\nbase_url = "{server.url}"\n[model]\nbase_url = "{server.url}"\n'
            'api_key = "sk"\n[ingest]\nmax_cost = 1000000.0\nmax_size = 1\nparallel = 500\n'
            "[hooks]\ntimeout = 0.0\n[exec]\nenabled = true\n",
        )
        wiki.git("commit", "-qam", "hostile")
        wiki.put("raw/tea.md", NOTE)
        done = wiki.ok("ingest", "raw/tea.md")
        assert not server.requests
    for key in ("base_url", "model.base_url", "model.api_key", "exec.enabled"):
        assert f"there is no setting {key}" in done.err
    for key in ("ingest.max_cost", "ingest.max_size", "ingest.parallel"):
        assert f"{key} is not taken from a repository" in done.err
    assert "ingest.max_size = 100000000" in wiki.ok("config").out


def test_settings_say_where_they_come_from(wiki: Wiki) -> None:
    wiki.put(".llmwiki.toml", "format = 3\n[ingest]\ncandidates = 7\nsegment_bytes = 9000\n")
    home = wiki.root.parent / "home/config/llmwiki/config.toml"
    home.parent.mkdir(parents=True)
    home.write_text("[ingest]\nparallel = 2\nsegment_bytes = 8000\n")
    wiki.env["LLMWIKI_INGEST_CANDIDATES"] = "9"
    told = {s["key"]: s for s in wiki.ok("config", "--json").json["settings"]}
    assert (told["ingest.candidates"]["value"], told["ingest.candidates"]["origin"]) == (
        9,
        "environment",
    )
    assert told["ingest.segment_bytes"]["value"] == 9000
    assert told["ingest.segment_bytes"]["origin"] == ".llmwiki.toml"
    assert told["ingest.parallel"]["origin"] == str(home)
    assert told["lock.wait"]["origin"] == "default"
    assert ".llmwiki.toml" in wiki.ok("config").out
    wiki.env["LLMWIKI_INGEST_CANDIDATES"] = "many"
    assert wiki.run("status").code == 2


# --- the command line ----------------------------------------------------------------------


def test_an_unknown_command_names_the_one_that_was_meant(wiki: Wiki) -> None:
    assert "Did you mean `wiki ingest`?" in refused(wiki, 2, "ingset", "raw/").err
    refused(wiki, 2, "frobnicate")
    refused(wiki, 2, "ingest")
    refused(wiki, 2, "ingest", "--no-such-flag", "x")
    refused(wiki, 2, "ingest", "x", "--max-cost", "much")
    refused(wiki, 2, "ingest", "raw/tea.md", "--name", "x.md")
    refused(wiki, 2, "ingest", "-", stdin=b"x", says="--name")
    refused(wiki, 2, "show", "Nowhere")
    refused(wiki, 2, "show", "Tea", "--at", "no-such-rev")
    refused(wiki, 2, "apply", "missing.json", says="missing.json")
    refused(wiki, 2, "apply", ".", says=".")


def test_from_a_folder_below_the_root_and_minus_c_from_anywhere(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki.put("raw/deep/tea.md", NOTE)
    monkeypatch.chdir(wiki.root / "raw/deep")
    done = wikikit.called(["ingest", "tea.md"], {})
    assert done.code == 0 and "raw/deep/tea.md" in wiki.files(), done
    # All tests run the command with -C, from the folder of the project.
    assert wikikit.called(["-C", str(wiki.root.parent / "nowhere"), "status"], {}).code == 2


def test_plain_output_has_no_colour_and_json_stands_alone(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    for extra in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"TERM": "dumb"}):
        done = Wiki(wiki.root, env=extra).ok("ingest", "raw/tea.md", "--dry-run")
        if "FORCE_COLOR" not in extra:
            assert "\x1b" not in done.out + done.err
    done = wiki.ok("ingest", "raw/tea.md", "--json")
    assert done.out.startswith("{") and done.out.endswith("}\n")
    for command in (("status",), ("log",), ("show", "Tea"), ("undo",), ("recover",)):
        told = wiki.ok(*command, "--json").json
        assert told["schema"] == f"llmwiki.{command[0]}/1"


def test_a_reader_that_goes_away_is_no_error(wiki: Wiki) -> None:
    for n in range(60):
        wiki.put(f"raw/n{n}.md", f"# N{n}\n\nEngine {n} is a machine of the {n}th kind.\n" * 9)
    for args in (("ingest", "raw/", "--dry-run"), ("ingest", "raw/n1.md", "--prepare")):
        process = wiki.spawn(*args, env={"PYTHONUNBUFFERED": ""})
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) == 0, err
        assert b"Traceback" not in err and b"Exception ignored" not in err, err


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.soak)],
)
def test_a_signal_while_the_model_thinks_ends_it_at_once(
    wiki: Wiki, number: signal.Signals, code: int
) -> None:
    wiki.put("raw/tea.md", NOTE)
    before = (wiki.head, wiki.status, wikikit.outside(wiki))
    with FakeMessages() as server:
        server.fault("stall", at=2, answer="x" * 100, seconds=60)
        process = wiki.spawn("ingest", "raw/tea.md", env={"ANTHROPIC_BASE_URL": server.url})
        until = time.monotonic() + 30
        while not server.requests and time.monotonic() < until:
            time.sleep(0.02)
        assert server.requests
        time.sleep(0.3)
        process.send_signal(number)
        begun = time.monotonic()
        try:
            _out, err = process.communicate(timeout=10)
        finally:
            process.kill()
        assert time.monotonic() - begun < 30
    assert process.returncode == code, err
    assert b"Traceback" not in err and b"internal" not in err, err
    assert (wiki.head, wiki.status, wikikit.outside(wiki)) == before
    assert not (wiki.root / ".git/llmwiki/jobs").exists()
    assert wiki.ok("recover").out == "Nothing to recover.\n"


def test_the_installed_command_runs(wiki: Wiki) -> None:
    found = shutil.which("wiki", path=str(Path(sys.executable).parent))
    assert found
    for args in (["--help"], ["--version"], ["ingest", "--help"]):
        done = subprocess.run([found, *args], capture_output=True, check=True)
        assert done.stdout and not done.stderr
