"""Completion as a person has it: a real shell at a terminal, the tab key, and what then runs."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from longform import LONG
from wikikit import Wiki

TITLES = ("Green tea", 'It\'s "hot" $HOME `x`; & \\o/', "Été à Paris", "C#: a [b]*?", "漢字 の 頁")
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SETUP = {
    "bash": "bind 'set enable-bracketed-paste off'; PS1='ready> '; "
    'eval "$(wiki completion bash)"',
    "zsh": "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; PS1='ready> ';"
    ' eval "$(wiki completion zsh)"',
    "fish": "function fish_prompt; echo 'ready> '; end; wiki completion fish | source",
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    for number, title in enumerate(TITLES):
        made.put(
            f"wiki/concepts/p{number}.md",
            f"---\ntype: concept\ntitle: {json.dumps(title)}\n---\n\n# Page\n\nWords.\n",
        )
    made.ok("search", "words")
    return made


class Terminal:
    """A shell at a terminal, in which `wiki` completes and else writes down what it was given."""

    def __init__(self, shell: str, wiki: Wiki, place: Path) -> None:
        self.given = place / "given.json"
        programs = place / "bin"
        programs.mkdir()
        real = shlex.join(wikikit.program({}))
        note = f"import json, sys; open({str(self.given)!r}, 'w').write(json.dumps(sys.argv[1:]))"
        asks = '[ -n "$_WIKI_COMPLETE" ] || [ "$1" = completion ]'
        script = (
            f'#!/bin/sh\nif {asks}; then exec {real} "$@"; fi\n'
            f'exec {sys.executable} -c {shlex.quote(note)} "$@"\n'
        )
        (programs / "wiki").write_text(script)
        (programs / "wiki").chmod(0o755)
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(wiki.root)
            env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "dumb"}
            env |= {"LC_ALL": "C.UTF-8", "HISTFILE": "/dev/null"}
            os.execvpe(SHELLS[shell][0], SHELLS[shell], env)
        self.pid = pid
        self.said = b""
        self.type(SETUP[shell] + "\r")
        self.until(b"ready> ", 2)

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def until(self, text: bytes, count: int = 1) -> None:
        """Reads until the shell has printed it so often."""
        end = time.monotonic() + 60
        while self.said.count(text) < count:
            ready, _, _ = select.select([self.fd], [], [], 1)
            if ready:
                self.said += os.read(self.fd, 4096)
            assert time.monotonic() < end, self.said

    def run(self, line: str) -> list[str]:
        """The words with which `wiki` was called by a line, tab keys in it."""
        self.given.unlink(missing_ok=True)
        self.type(f"{line}\r")
        end = time.monotonic() + 60
        while not self.given.exists() or not self.given.read_text():
            assert time.monotonic() < end, self.read()
            time.sleep(0.05)
        return json.loads(self.given.read_text())  # type: ignore[no-any-return]

    def read(self) -> bytes:
        while select.select([self.fd], [], [], 0.2)[0]:
            self.said += os.read(self.fd, 4096)
        return self.said

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture(params=list(SHELLS))
def terminal(request: pytest.FixtureRequest, wiki: Wiki, tmp_path: Path) -> Iterator[Terminal]:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not here")
    made = Terminal(request.param, wiki, tmp_path)
    yield made
    made.close()


def test_the_tab_key_gives_the_title_that_is_meant(terminal: Terminal) -> None:
    begun = ("Gre", "'Green t", *(("Green\\ t", '"Gre') if LONG else ()))
    for part in begun:
        assert terminal.run(f"wiki show {part}\t") == ["show", "Green tea"], terminal.read()
    assert terminal.run("wiki show It\t") == ["show", TITLES[1]], terminal.read()
    assert terminal.run("wiki merge C\t 漢\t") == ["merge", TITLES[3], TITLES[4]], terminal.read()
    assert terminal.run("wiki supers\t") == ["supersede"], terminal.read()
    # What is no word of ours is a file: a folder has a slash and no blank behind it.
    assert terminal.run("wiki ingest ra\t")[1].rstrip("/") == "raw", terminal.read()


def test_answers_come_without_heavy_modules(wiki: Wiki) -> None:
    code = (
        "import sys, os; from llmwiki.interfaces.cli.commands import run\n"
        "try:\n run()\nfinally:\n"
        " print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    env = {"COMP_WORDS": "wiki show green", "COMP_CWORD": "2", "_WIKI_COMPLETE": "zsh_complete"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=wiki.root, env={**os.environ, **env},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "plain\nGreen tea\nconcept\n", done
    heavy = {"pydantic", "anthropic", "networkx", "markdown_it", "git", "Stemmer", "yaml"}
    assert not heavy & set(done.stderr.split())
    # Nowhere, with nothing and with nonsense: no word, no noise.
    for words in ("wiki show x", "wiki nowhere ", "wiki -C /nowhere show "):
        env |= {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run(
            [sys.executable, "-m", "llmwiki"], cwd="/", env={**os.environ, **env},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr and "plain" not in done.stdout
