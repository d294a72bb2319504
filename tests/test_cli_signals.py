"""A signal at any moment: nothing is lost, what is committed is finished and said in words."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import wikikit
from longform import seldom
from wikikit import NOTE, Wiki

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INGEST = ("ingest", "raw/tea.md", "--model", "offline")
COMMANDS = (
    INGEST,
    ("remember", "The kettle is new."),
    ("lint",),
    ("search", "tea"),
    ("query", "How long is green tea steeped?", "--model", "offline"),
    ("graph",),
)
linux = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="asks Linux about signals"
)


@pytest.fixture(autouse=True)
def hangs_up() -> Iterator[None]:
    """Whoever runs the tests behind `nohup` hands an ignored SIGHUP on, and programs keep to it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.put("raw/tea.md", NOTE)
    return wiki


def begun(wiki: Wiki, *args: str, **env: str) -> subprocess.Popen[bytes]:
    """The command in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [*wikikit.program(env), *args],
        cwd=wiki.root,
        env={**os.environ, **wiki.env, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Its exit code and what it said on stderr, which is never a traceback."""
    try:
        _out, err = process.communicate(timeout=30)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    said = err.decode()
    assert "Traceback" not in said and "Exception ignored" not in said, said
    assert "internal error" not in said, said
    return process.returncode, said


def slow_git(tmp_path: Path, command: str) -> tuple[str, Path]:
    """A PATH whose git makes a file, and takes its time, before it does `command`."""
    mark = tmp_path / "reached"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *{command}*) : > {mark}; sleep 0.6;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    wrapper.chmod(0o755)
    return f"{wrapper.parent}:{os.environ['PATH']}", mark


def is_finished(wiki: Wiki, before: str) -> None:
    assert wiki.head != before
    assert wiki.status == ""
    assert wiki.ok("status", "--json").json["unfinished"] is None
    assert wiki.ok("recover").out == "Nothing to recover.\n"


@pytest.mark.parametrize(
    ("number", "times"),
    [
        (signal.SIGINT, 2),
        (signal.SIGTERM, 1),
        *(pytest.param(n, t, marks=pytest.mark.soak) for n in SIGNALS for t in (1, 2)),
    ],
)
def test_the_whole_group_is_hit_while_a_git_of_ours_works_after_the_commit_point(
    wiki: Wiki, tmp_path: Path, number: signal.Signals, times: int
) -> None:
    """As a terminal does at ^C; and twice, as timeout(1) does."""
    before = wiki.head
    path, mark = slow_git(tmp_path, "update-index")
    process = begun(wiki, *INGEST, PATH=path)
    wait_for(mark.exists)
    for _ in range(times):
        os.killpg(process.pid, number)
        time.sleep(0.05)
    code, said = ended(process)
    assert code == 128 + number
    assert said.strip() == f"wiki: {WORDS[number]}; committed {wiki.head[:10]}"
    is_finished(wiki, before)


WORDS = {signal.SIGINT: "stopped", signal.SIGTERM: "terminated", signal.SIGHUP: "terminated"}


@pytest.mark.parametrize(
    "point",
    seldom(
        ["ref.moved", "tree.renamed", "index.linked", "record.removed", "lock.released"],
        ("tree.renamed", "record.removed"),
    ),
)
def test_after_the_commit_point_all_is_finished_and_said(wiki: Wiki, point: str) -> None:
    before = wiki.head
    process = begun(wiki, *INGEST, LLMWIKI_FAILPOINT=f"{point}=stop")
    stopped = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert stopped is not None and stopped.si_code == os.CLD_STOPPED
    os.killpg(process.pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    code, said = ended(process)
    assert (code, said) == (143, f"wiki: terminated; committed {wiki.head[:10]}\n")
    is_finished(wiki, before)


def test_who_insists_is_obeyed_and_told_what_is_left(wiki: Wiki, tmp_path: Path) -> None:
    lock = wiki.put(".git/index.lock", b"")
    before = wiki.head
    process = begun(wiki, *INGEST)
    wait_for(lambda: wiki.head != before)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1.2)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    begin = time.monotonic()
    code, said = ended(process)
    assert time.monotonic() - begin < 3
    assert code == 130
    assert f"wiki: stopped; committed {wiki.head[:10]}\n" in said
    assert "not yet in the work tree: raw/tea.md" in said and "`wiki recover`" in said
    lock.unlink()
    assert wiki.ok("recover").out == f"Finished ingest: commit {wiki.head}.\n"
    is_finished(wiki, before)


@pytest.mark.parametrize("number", seldom(SIGNALS, (signal.SIGHUP,)))
def test_before_the_commit_point_nothing_is_said_to_be_committed(
    wiki: Wiki, tmp_path: Path, number: signal.Signals
) -> None:
    hook = wiki.put(".git/hooks/pre-commit", f"#!/bin/sh\n: > {tmp_path}/begun; sleep 60\n")
    hook.chmod(0o755)
    before = (wiki.head, wiki.status)
    process = begun(wiki, *INGEST)
    wait_for((tmp_path / "begun").exists)
    os.killpg(process.pid, number)
    code, said = ended(process)
    assert (code, said.strip()) == (128 + number, f"wiki: {WORDS[number]}")
    assert (wiki.head, wiki.status) == before
    assert wiki.ok("recover").out == "Nothing to recover.\n"


HOOKS = ("pre-commit", "post-commit")


@linux
@pytest.mark.parametrize(
    ("number", "name"),
    [
        (signal.SIGINT, "pre-commit"),
        (signal.SIGTERM, "post-commit"),
        (signal.SIGKILL, "pre-commit"),
        *(
            pytest.param(number, name, marks=pytest.mark.soak)
            for number in (*SIGNALS, signal.SIGKILL)
            for name in HOOKS
        ),
    ],
)
def test_a_hook_does_not_outlive_us(
    wiki: Wiki, tmp_path: Path, number: signal.Signals, name: str
) -> None:
    hook = wiki.put(
        f".git/hooks/{name}",
        f"#!/bin/sh\nsleep 60 &\necho $$ $! > {tmp_path}/pids.new\n"
        f"mv {tmp_path}/pids.new {tmp_path}/pids\nwait\n",
    )
    hook.chmod(0o755)
    process = begun(wiki, *INGEST)
    wait_for((tmp_path / "pids").exists)
    process.send_signal(number)
    ended(process)
    pids = (tmp_path / "pids").read_text().split()
    wait_for(lambda: not any(is_alive(pid) for pid in pids), 10)


def is_alive(pid: str) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def test_a_hook_has_nothing_to_read_and_its_own_exit_code(wiki: Wiki) -> None:
    hook = wiki.put(
        ".git/hooks/pre-commit", '#!/bin/sh\nread -r line && exit 9\necho "$line."\nexit 7\n'
    )
    hook.chmod(0o755)
    done = wiki.run(*INGEST)
    assert done.code == 3
    assert "refused (exit 7):\n  .\n" in done.err


def test_a_signal_that_python_cannot_raise_is_raised_again() -> None:
    program = (
        "import os, signal, time\n"
        "from llmwiki.interfaces.cli import stopping\n"
        "stopping.listen()\n"
        "class Held:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), {})\n"
        "        [None for _ in range(1000)]\n"
        "held = Held()\n"
        "del held\n"
        "time.sleep(20)\n"
    )
    for number in SIGNALS:
        done = subprocess.run(
            [sys.executable, "-c", program.format(int(number))],
            capture_output=True,
            timeout=15,
            check=False,
        )
        assert (done.returncode, done.stderr) == (128 + number, b"")


def listens(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has begun: before, a signal is for Python, or for the system."""
    if process.poll() is not None:
        return True
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(row for row in status.splitlines() if row.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) & 1 << (signal.SIGTERM - 1))


@linux
@pytest.mark.parametrize("count", [4, pytest.param(400, marks=pytest.mark.soak)])
def test_at_random_moments_of_several_commands(wiki: Wiki, tmp_path: Path, count: int) -> None:
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    wiki.put("raw/coffee.md", "# Coffee\n\nCoffee is a drink of roasted beans.\n")
    wiki.ok("ingest", "raw/coffee.md", "--model", "offline")
    wiki.ok("undo")
    rng = random.Random(count)
    for turn in range(count):
        root = tmp_path / f"turn-{turn}"
        shutil.copytree(wiki.root, root, symlinks=True)
        one = Wiki(root)
        one.git("update-index", "-q", "--refresh")
        before = one.head
        ingest = ("ingest", "raw/coffee.md", "--model", "offline")
        args = (ingest, *COMMANDS[1:])[turn % len(COMMANDS)]
        process = begun(one, *args)
        wait_for(lambda process=process: listens(process))  # type: ignore[misc]
        time.sleep(rng.random() ** 2)
        number = rng.choice(SIGNALS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            code, said = ended(process)
        finally:
            process.wait()
        # At its very end, when all is said, a command leaves signals to the system.
        assert code in (0, 128 + number, -number), (args, code, said)
        assert one.ok("status", "--json").json["unfinished"] is None
        if code == 128 + number and one.head != before:
            assert f"committed {one.head[:10]}" in said, (args, said)
        assert one.status.replace("?? raw/coffee.md\n", "") == "", (args, one.status)
        shutil.rmtree(root)
