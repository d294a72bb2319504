"""exec: what a program in the sandbox can reach, which is next to nothing."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages, call
from wikikit import Wiki

import llmwiki
from llmwiki.chat.tools.shell import exec_tool, why_no_sandbox
from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.core.errors import InputError
from llmwiki.core.tool_declaration import ToolAnswer

needs_sandbox = pytest.mark.skipif(
    bool(why_no_sandbox(Path("/tmp"))), reason="needs bubblewrap, and leave to use it"
)

ESCAPEE = Path(__file__).with_name("exec_escapee.py")
PYTHON = shutil.which("python3", path="/usr/bin:/bin:/usr/local/bin")
OTHER = 65_533
"""A user that no program of this machine is run by."""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    made.put("raw/tea.md", "Tea is hot.\n")
    made.put(".env", "PASSWORD=1\n")
    return made


def run(wiki: Wiki, *argv: str, seconds: float = 30, in_sandbox: bool = True) -> ToolAnswer:
    at = ToolContext(llmwiki.Wiki.open(wiki.root), session="s", turn=1)
    tool = exec_tool(in_sandbox=in_sandbox, seconds=seconds)
    return tool.run(at, **tool.checked({"argv": list(argv)}))


@needs_sandbox
def test_it_sees_pages_and_sources(wiki: Wiki) -> None:
    assert run(wiki, "cat", "raw/tea.md").text == "exit 0\nTea is hot.\n"
    assert run(wiki, "ls", "-A").text == "exit 0\nraw\nwiki\n"
    assert run(wiki, "bash", "-c", "echo 1 >/dev/stderr").text == "exit 0\n1\n"


@needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        "cat /wiki/.env",
        "cat /wiki/.git/config",
        "cat {root}/.git/config",
        "cat {home}/secret",
        "cat /etc/passwd",
        "cat /root/.bashrc",
        "echo x > /wiki/wiki/new.md",
        "echo x > /wiki/raw/tea.md",
        "echo x > /usr/x",
        "ln -s /etc/passwd /wiki/raw/link",
        "exec 3<>/dev/tcp/127.0.0.1/{port}",
        "exec 3<>/dev/tcp/8.8.8.8/53",
        "test -S {home}/door",
        "kill -0 {pid}",
        'test -n "$SECRET"',
    ],
)
def test_what_it_cannot_reach(wiki: Wiki, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setenv("SECRET", "1")
    home = Path(os.environ["HOME"])
    (home / "secret").write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as door:
        monkeypatch.chdir(home)
        door.bind("door")
        port = server.getsockname()[1]
        told = script.format(root=wiki.root, home=home, port=port, pid=os.getpid())
        done = run(wiki, "bash", "-c", told)
    assert done.is_error and "mine" not in done.text
    assert wiki.read("raw/tea.md") == "Tea is hot.\n" and not (wiki.root / "wiki/new.md").exists()


def as_another_user(act: Callable[[], ToolAnswer]) -> ToolAnswer:
    """What it gives in a child process that is no longer root."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setresgid(OTHER, OTHER, OTHER)
            os.setresuid(OTHER, OTHER, OTHER)
            os.write(writer, act().text.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as told:
        text = told.read()
    os.waitpid(child, 0)
    return ToolAnswer(text, "", is_error=not text.startswith("exit 0"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@needs_sandbox
@pytest.mark.skipif(PYTHON is None, reason="the system has no Python, which the attempts need")
@pytest.mark.parametrize(
    "is_other",
    [
        False,
        pytest.param(True, marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root")),
    ],
    ids=["as this user", "as another"],
)
def test_no_way_out(
    wiki: Wiki, open_folder: Path, monkeypatch: pytest.MonkeyPatch, is_other: bool
) -> None:
    monkeypatch.setenv("SECRET", "1")
    wiki.put("raw/escapee.py", ESCAPEE.read_text())
    root = wiki.root
    if is_other:
        root = shutil.copytree(wiki.root, open_folder / "wiki")
        monkeypatch.chdir(root)
    door = secrets.token_hex(8)
    at = ToolContext(llmwiki.Wiki.open(root), session="s", turn=1)
    tool = exec_tool(in_sandbox=True)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as listener,
        (wiki.root / ".env").open() as inherited,
    ):
        os.set_inheritable(inherited.fileno(), True)
        listener.bind(f"\0{door}")
        listener.listen()
        words = [PYTHON, "/wiki/raw/escapee.py", os.getpid(), door, server.getsockname()[1]]
        given = {"argv": [str(word) for word in words]}
        done = as_another_user(lambda: tool.run(at, **given)) if is_other else tool.run(at, **given)
    assert not done.is_error, done.text
    found = json.loads(done.text.removeprefix("exit 0\n"))
    assert 0 < found.pop("children") < 40
    assert 0 < found.pop("written") <= 100_000_000
    assert found.pop("terminal") in ("OSError", "FileNotFoundError")
    assert (found.pop("capabilities"), found.pop("unbounded"), found.pop("files")) == ([], [], [])
    assert found.pop("environment") is False
    assert "done" not in found.values(), found
    assert not list(root.rglob("PWNED*"))
    assert wiki.read("raw/tea.md") == "Tea is hot.\n"


@needs_sandbox
def test_it_ends_in_time_and_with_all_it_started(wiki: Wiki) -> None:
    begun = time.monotonic()
    done = run(wiki, "bash", "-c", "sleep 300 & sleep 300", seconds=1)
    assert "[ended after 1 s]" in done.text and time.monotonic() - begun < 20


def test_it_ends_with_the_turn(wiki: Wiki) -> None:
    at = ToolContext(llmwiki.Wiki.open(wiki.root), session="s", turn=1)
    timer = threading.Timer(0.3, at.stop.set)
    timer.start()
    begun = time.monotonic()
    done = exec_tool(in_sandbox=False).run(at, argv=["sleep", "50"])
    timer.join()
    assert "[ended by the person]" in done.text and time.monotonic() - begun < 20


@needs_sandbox
def test_a_flood_is_cut(wiki: Wiki) -> None:
    done = run(wiki, "yes")
    assert done.is_error and len(done.text) < 250_000


@pytest.mark.parametrize("argv", [[], "ls", [1], [""], ["a\0b"], ["x"] * 1_000])
def test_what_is_no_command(argv: object) -> None:
    with pytest.raises(InputError):
        exec_tool(in_sandbox=True).checked({"argv": argv})


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["LLMWIKI_MODEL"] = "some-model"
        yield running


def test_it_is_off_and_no_repository_turns_it_on(wiki: Wiki, server: FakeMessages) -> None:
    server.answer = "Hello."
    wiki.put(".llmwiki.toml", 'format = 3\n[chat]\nexec = "unsandboxed"\n')
    done = wiki.ok("chat", "hello")
    assert "not taken from a repository" in done.err
    assert "exec" not in [tool["name"] for tool in server.requests[0].body["tools"]]
    wiki.env["LLMWIKI_CHAT_EXEC"] = "always"
    assert wiki.run("chat", "hello").code == 2


def test_without_a_sandbox_a_call_needs_a_person(wiki: Wiki, server: FakeMessages) -> None:
    wiki.env["LLMWIKI_CHAT_EXEC"] = "unsandboxed"
    server.use(call("t1", "exec", {"argv": ["touch", "made"]}))
    server.reply("No.")
    done = wiki.ok("chat", "--allow-writes", "--no-memory", "make it")
    assert "× exec" in done.err and not (wiki.root / "made").exists()


@needs_sandbox
def test_in_the_sandbox_it_runs_until_others_speak(wiki: Wiki, server: FakeMessages) -> None:
    wiki.env["LLMWIKI_CHAT_EXEC"] = "sandbox"
    server.use(call("t1", "exec", {"argv": ["cat", "raw/tea.md"]}))
    server.use(call("t2", "exec", {"argv": ["ls"]}))
    server.reply("Hot.")
    done = wiki.ok("chat", "--no-memory", "look").err
    assert "· exec" in done and "× exec" in done, "what the first one printed is text of others"
