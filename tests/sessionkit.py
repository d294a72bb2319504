"""Sessions in Markdown: blocks of `console` whose commands are run, and what they shall print.

A line `$ command` is run, with lines `> more` that go on with it; the lines below, up to the next,
are what it prints. `…` stands for
what is left out: alone on a line for any lines, in a line for any text. Hashes of commits,
operations and batches may be any, the same one for the same one, in commands too.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wikikit import called

CLOCK = "1795219140"
"""2026-11-20 23:59, at which every command of a session runs."""
FIXED = {"LLMWIKI_NOW": CLOCK, "COLUMNS": "80", "TZ": "UTC"}
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TURN = re.compile(r"^\$ (.+(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_HASH = re.compile(r"\b(?:[0-9a-f]{40}|[0-9a-f]{12}|[0-9a-f]{10})\b")
_OPEN = re.compile(rf"^…\n|…|{_HASH.pattern}", re.MULTILINE)
_OF_A_SHELL = re.compile(r"[|&;<>$`*]")


@dataclass
class Session:
    """A shell in a scratch folder, in which `wiki` without more is run in this process."""

    start: Path
    folder: Path
    status: int = 0
    hashes: dict[str, str] = field(default_factory=dict)
    """Of the text, to those of this run."""

    def replayed(self, text: str, before: Mapping[str, str]) -> str:
        """The document with what its commands print now, where that is not what it says.

        `before` holds, by command, what has to be done first and is told in words only.
        """

        def block(found: re.Match[str]) -> str:
            return f"```console\n{_TURN.sub(turn, found[1])}```"

        def turn(found: re.Match[str]) -> str:
            if found[1] in before:
                done = self._shell(before[found[1]])
                assert self.status == 0, done
            command = _HASH.sub(lambda each: self.hashes.get(each[0], each[0]), found[1])
            said = self.run(command.replace("\n> ", "\n"))
            return found[0] if self._fits(found[2], said) else f"$ {found[1]}\n{said}"

        return _BLOCK.sub(block, text)

    def run(self, command: str) -> str:
        """What a command prints, all of it in order, without this machine's paths."""
        words = [] if _OF_A_SHELL.search(command) else shlex.split(command)
        if words[:1] == ["wiki"]:
            with contextlib.chdir(self.folder):
                done = called(words[1:], FIXED, merged=True)
            self.status, said = done.code, done.out
        else:
            said = self._shell(command)
        said = said.replace(str(self.start), "…")
        return said if said.endswith("\n") or not said else f"{said}\n"

    def _shell(self, command: str) -> str:
        place = self.start.parent / "folder"
        done = subprocess.run(
            ["sh", "-c", f"(exit {self.status})\n{command}\nstatus=$?; pwd >{place}; exit $status"],
            cwd=self.folder,
            env={**os.environ, **FIXED},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.status, self.folder = done.returncode, Path(place.read_text().rstrip("\n"))
        return done.stdout.decode()

    def _fits(self, shown: str, said: str) -> bool:
        names: dict[str, str] = {}
        pattern, at = "", 0
        for found in _OPEN.finditer(shown):
            pattern += re.escape(shown[at : found.start()])
            at = found.end()
            if found[0] == "…\n":
                pattern += r"(?:.*\n)*?"
            elif found[0] == "…":
                pattern += r".*?"
            elif found[0] in self.hashes:
                pattern += self.hashes[found[0]]
            elif found[0] in names:
                pattern += f"(?P={names[found[0]]})"
            else:
                names[found[0]] = f"h{len(names)}"
                pattern += f"(?P<{names[found[0]]}>[0-9a-f]{{{len(found[0])}}})"
        match = re.fullmatch(pattern + re.escape(shown[at:]), said)
        if match:
            self.hashes.update({shown: match[name] for shown, name in names.items()})
        return match is not None
