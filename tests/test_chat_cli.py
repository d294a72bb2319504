"""wiki chat as a person and as a script meet it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages, call
from longform import seldom
from wikikit import Wiki

HOT = "Green tea is steeped at 80 degrees for two minutes."
ASKED = "How long is green tea steeped?"


def grown(made: Wiki) -> None:
    wikikit.learn_tea(made, {"Green tea": HOT})


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grown)


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["LLMWIKI_MODEL"] = "some-model"
        yield running


def sessions(wiki: Wiki) -> list[Path]:
    return sorted((wiki.root / ".git/llmwiki/sessions").glob("*.jsonl"))


# --- one turn ------------------------------------------------------------------------------


def test_a_command_is_no_message(wiki: Wiki) -> None:
    for done in (wiki.run("chat", "/memory"), wiki.run("chat", stdin=b"/undo now\n")):
        assert done.code == 2 and done.out == ""
        assert "in a terminal only" in done.err
    assert not sessions(wiki)
    # Only names of commands are kept from being asked.
    wiki.ok("chat", "--model", "offline", "/usr/lib: what is that?")


def test_a_message_is_answered_and_kept(wiki: Wiki, server: FakeMessages) -> None:
    server.reply("Two minutes.")
    done = wiki.ok("chat", ASKED)
    assert done.out == "Two minutes.\n" and done.err == ""
    assert len(sessions(wiki)) == 1
    assert wiki.git("status", "--porcelain") == ""
    server.reply("Nothing.")
    wiki.ok("chat", "--continue", "And then?")
    assert len(sessions(wiki)) == 1
    assert ASKED in server.requests[1].text and "Two minutes." in str(server.requests[1].body)


def test_a_message_comes_by_standard_input(wiki: Wiki, server: FakeMessages) -> None:
    server.answer = "Yes."
    assert wiki.ok("chat", "-", stdin=b"is it\ntea?").out == "Yes.\n"
    # It is the question, and not fenced like a text that it would be about.
    assert not re.search(r"<<<\w+ \w+\nis it", server.requests[-1].text)
    assert "is it\ntea?" in server.requests[0].text
    # Without a word on the command line each line is a turn, of one session.
    assert wiki.ok("chat", stdin=b"is it\n\ntea?\n").out == "Yes.\nYes.\n"
    assert len(sessions(wiki)) == 2


def test_the_json_of_a_turn(wiki: Wiki, server: FakeMessages) -> None:
    server.use(call("t1", "wiki_search", {"words": "tea"}))
    server.reply("There is a page.")
    done = wiki.ok("chat", "--json", ASKED).json
    assert done["answer"] == "There is a page." and done["turn"] == 1
    assert done["calls"] == [
        {
            "name": "wiki_search",
            "call": "wiki_search tea",
            "status": "done",
            "result": "2 pages",
            "commit": None,
        }
    ]
    again = wiki.ok("chat", "--json", "--session", done["session"], "--model", "offline", "tea")
    assert again.json["turn"] == 2 and again.json["stop"] == "offline"


def test_a_write_is_refused_without_a_person_and_allowed_beforehand(
    wiki: Wiki, server: FakeMessages
) -> None:
    before = wiki.git("rev-parse", "HEAD")
    for more in ((), ("--yes",)):
        server.use(call("t1", "remember", {"text": "The pot is blue."}))
        server.reply(" ")
        done = wiki.run("chat", *more, ASKED)
        assert done.code == 7 and "× remember" in done.err
        assert wiki.git("rev-parse", "HEAD") == before
    server.use(call("t1", "remember", {"text": "The pot is blue."}))
    server.reply("Noted.")
    done = wiki.ok("chat", "--allow-writes", ASKED)
    assert done.out == "Noted.\n" and "/undo takes it back" in done.err
    assert wiki.git("rev-parse", "HEAD") != before


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (
            ("chat", "--session", "a", "--continue", "x"),
            2,
            "--session and --continue exclude each other",
        ),
        (("chat", "--session", "nope", "x"), 2, "no such session"),
        (("chat", "--continue", "x"), 2, "no session yet"),
        (("chat", " "), 2, "no message"),
    ],
)
def test_what_cannot_be(wiki: Wiki, args: tuple[str, ...], code: int, said: str) -> None:
    done = wiki.run(*args)
    assert done.code == code and said in done.err


def test_a_file_goes_along_as_text_of_others(wiki: Wiki, server: FakeMessages) -> None:
    wiki.put("../note.md", "# Pots\nPots are blue.\nsk-ant-api03-" + "Ab3dE6gH9jK2mN5pQ8sT" * 4)
    wiki.put("../pot.bin", b"\0pot")
    server.use(call("t1", "remember", {"text": "Pots are blue."}))
    server.reply("Read.")
    note, pot = str(wiki.root.parent / "note.md"), str(wiki.root.parent / "pot.bin")
    wiki.ok("chat", "--no-memory", "--attach", note, "--attach", pot, "ナレッジに入れて")
    typed, told, policy = (b["text"] for b in server.requests[0].body["messages"][0]["content"])
    assert typed == "ナレッジに入れて"
    assert told.startswith("<<<file ") and "    Pots are blue.\n" in told and "pot.bin" in told
    assert "sk-ant" not in told and "wiki ingest" in policy
    assert not (wiki.root / "wiki/memory.md").exists(), "what a file says writes nothing unasked"
    assert wiki.run("chat", "--attach", "none.md", "x").code == 2


def test_failures_have_their_codes(wiki: Wiki, server: FakeMessages) -> None:
    server.status(401)
    assert wiki.run("chat", ASKED).code == 4
    server.reply("I will not.", stop_reason="refusal")
    assert wiki.run("chat", ASKED).code == 5
    server.status(401)
    failed = wiki.run("chat", "--json", ASKED)
    assert failed.code == failed.json["exit_code"] == 4 and "key" in failed.json["error"]


def test_without_a_key_it_says_what_it_is(wiki: Wiki) -> None:
    done = wiki.ok("chat", ASKED)
    assert HOT in done.out and "no model: the wiki is quoted" in done.err


def test_a_terminal_is_sent_nothing_that_moves_its_cursor(wiki: Wiki, server: FakeMessages) -> None:
    server.reply("A \x1b[2Jtrap\u202e.")
    assert "\x1b" not in wiki.ok("chat", ASKED).out


# --- a terminal ----------------------------------------------------------------------------


class Terminal:
    """`wiki chat` on a pseudo-terminal."""

    def __init__(self, wiki: Wiki, *args: str) -> None:
        self.master, slave = pty.openpty()
        env = {**os.environ, **wiki.env, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
        env["PROMPT_TOOLKIT_NO_CPR"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "llmwiki", "chat", *args],
            cwd=wiki.root,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait(self, pattern: str, seconds: float = 30) -> str:
        """What is shown up to the first match; it is taken off."""
        end = time.monotonic() + seconds
        while True:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", self.seen)
            found = re.search(pattern, plain)
            if found:
                self.seen = plain[found.end() :]
                return plain[: found.end()]
            assert time.monotonic() < end, plain
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    piece = b""
                assert piece or self.process.poll() is None, plain
                self.seen += piece.decode("utf-8", "replace")

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


def test_a_conversation_on_a_terminal(wiki: Wiki, server: FakeMessages) -> None:
    server.reply("It takes **two** minutes.\n\n- hot\n- green\n")
    with Terminal(wiki) as screen:
        screen.wait("some-model.*\n(.|\n)*›")
        screen.type(f"{ASKED}\r")
        shown = screen.wait("two minutes(.|\n)*green(.|\n)*›")
        assert shown.count("It takes two minutes") == 1
        screen.type("/remember The pot is blue.\r")
        screen.wait("noted in [0-9a-f]{10}")
        screen.type("/undo\r")
        screen.wait("is taken back")
        screen.type("/nonsense\r")
        screen.wait("no command /nonsense")
        screen.type("/rewind 1\r")
        screen.wait("turn 1 and all behind it are hidden; /restore (rewind:m\\d+)")
        screen.type("/sessions\r")
        screen.wait("1 turn |0 turns ")
        screen.type("/quit\r")
        assert screen.process.wait(30) == 0
    assert len(server.requests) == 1


def test_only_a_yes_typed_after_the_question_agrees(wiki: Wiki, server: FakeMessages) -> None:
    before = wiki.git("rev-parse", "HEAD")
    with Terminal(wiki) as screen:
        screen.wait("some-model(.|\n)*›")

        def slowly(_request: object) -> list[dict[str, object]]:
            # Typed ahead, while the model is still writing: no answer to what nobody has seen.
            screen.type("yes\r")
            time.sleep(0.3)
            return [call("t1", "remember", {"text": "Obey the pot."})]

        server.reply(slowly, stop_reason="tool_use")
        server.reply("Not done.")
        screen.type(f"{ASKED}\r")
        screen.wait("press Enter for no: ")
        time.sleep(0.3)
        screen.type("\r")
        screen.wait("Not done.")
        assert wiki.git("rev-parse", "HEAD") == before
        screen.wait("›")
        server.use(call("t2", "remember", {"text": "Obey the kettle."}))
        server.reply("Done so.")
        screen.type("\x15again\r")
        screen.wait("press Enter for no: ")
        time.sleep(0.3)
        screen.type("y\r")
        screen.wait("Done so.")
    assert wiki.git("rev-parse", "HEAD") != before


def test_control_c_stops_the_answer_and_not_the_conversation(
    wiki: Wiki, server: FakeMessages
) -> None:
    server.fault("stall", at=4, seconds=20, answer="It takes a long, long time.")
    server.reply("Here again.")
    with Terminal(wiki) as screen:
        screen.wait("some-model(.|\n)*›")
        screen.type("go on\r")
        # The SDK loads beside the prompt, and the first call waits for it.
        until = time.monotonic() + 60
        while not server.requests and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1)
        os.kill(screen.process.pid, signal.SIGINT)
        screen.wait("stopped")
        screen.wait("›")
        screen.type("go on\r")
        screen.wait("Here again.(.|\n)*›")
        screen.type("\x04")
        assert screen.process.wait(30) == 0


def test_a_paste_of_many_lines_is_one_message(wiki: Wiki, server: FakeMessages) -> None:
    server.answer = "Long."
    pasted = "\n".join(f"line {number} of what was pasted" for number in range(2_000))
    with Terminal(wiki, "--no-memory") as screen:
        screen.wait("some-model(.|\n)*›")
        screen.type("\x1b[200~")
        for start in range(0, len(pasted), 1_000):
            screen.type(pasted[start : start + 1_000])
            if select.select([screen.master], [], [], 0)[0]:
                os.read(screen.master, 65536)
        screen.type("\x1b[201~")
        screen.type("\r")
        screen.wait("Long.", 60)
    assert pasted in server.requests[0].text and "<<<pasted" in server.requests[0].text


PARAGRAPHS = [f"Paragraph {n} tells something of tea, once and no more." for n in range(8)]


def resized(screen: Terminal, rows: int, columns: int) -> None:
    fcntl.ioctl(screen.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.kill(screen.process.pid, signal.SIGWINCH)


@pytest.mark.parametrize("at", seldom(range(3, 8), [3, 4, 5, 6]))
def test_no_line_stands_twice_whatever_breaks(wiki: Wiki, server: FakeMessages, at: int) -> None:
    """The stream breaks off, comes again by single bytes, and the window changes its size."""
    answer = "\n\n".join(PARAGRAPHS)
    server.fault("drop", at=at, answer=answer)
    server.fault("split", at=99, answer=answer)
    server.reply("Good bye.")
    with Terminal(wiki, "--no-memory") as screen:
        screen.wait("some-model(.|\n)*›")
        screen.type("tell me\r")
        for size in ((30, 60), (10, 100), (24, 80)):
            resized(screen, *size)
            time.sleep(0.1)
        shown = screen.wait("Paragraph 7[^›]*›", 60)
        screen.type("thanks\r")
        shown += screen.wait("Good bye.")
    plain = " ".join(shown.split())
    assert [plain.count(line) for line in PARAGRAPHS] == [1] * len(PARAGRAPHS)


@pytest.mark.soak
def test_a_paste_of_a_megabyte_is_kept_whole(wiki: Wiki, server: FakeMessages) -> None:
    pasted = "\n".join(f"line {number} of what was pasted" for number in range(34_000))
    assert len(pasted) > 1_000_000
    with Terminal(wiki, "--no-memory") as screen:
        screen.wait("some-model(.|\n)*›")
        screen.type("\x1b[200~")
        for start in range(0, len(pasted), 4_000):
            screen.type(pasted[start : start + 4_000])
            if select.select([screen.master], [], [], 0)[0]:
                os.read(screen.master, 65536)
        screen.type("\x1b[201~")
        screen.type("\r")
        screen.wait("at most 200000", 90)
    (kept,) = sessions(wiki)
    assert pasted in json.loads(kept.read_text().splitlines()[1])["blocks"][0]["text"]


@pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")
def test_the_scrollback_of_tmux_holds_each_line_once(wiki: Wiki, server: FakeMessages) -> None:
    server.fault("drop", at=5, answer="\n\n".join(PARAGRAPHS))
    server.reply("\n\n".join(PARAGRAPHS))
    folder = wiki.root.parent / "tmux"
    folder.mkdir()

    def tmux(*args: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-S", str(folder / "socket"), *args]
        env = {**os.environ, **wiki.env, "TERM": "xterm", "TMUX": ""}
        done = subprocess.run(command, capture_output=True, env=env, cwd=wiki.root, check=True)
        return done.stdout.decode()

    def seen(words: str) -> str:
        end = time.monotonic() + 60
        while words not in (text := tmux("capture-pane", "-p", "-S", "-")):
            assert time.monotonic() < end, text
            time.sleep(0.1)
        return text

    chat = f"{sys.executable} -m llmwiki chat --no-memory"
    tmux("new-session", "-d", "-x", "70", "-y", "12", chat)
    try:
        seen("›")
        tmux("send-keys", "tell me", "Enter")
        seen("Paragraph 0")
        tmux("resize-window", "-x", "90", "-y", "20")
        text = seen("Paragraph 7")
    finally:
        tmux("kill-server")
    assert [text.count(line) for line in PARAGRAPHS] == [1] * len(PARAGRAPHS)
    assert text.count("tell me") == 1
