"""kill -9 at every failpoint of commands that land in several steps: what holds, and what goes on.

Each command is killed in a child of this process, recovered, and given once more: then the wiki
and its branches are what they are without the kill.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import gitkit
import pytest
import wikikit
from longform import LONG
from wikikit import Wiki, answer, check, claim

from llmwiki.git import failpoints


@dataclass(frozen=True)
class Command:
    """What is killed: its words and what it reads."""

    words: Sequence[str]
    stdin: bytes = b""

    def run(self, wiki: Wiki) -> wikikit.Run:
        return wiki.run(*self.words, stdin=self.stdin, at=wikikit.NOW + 86_400)


def of_kettles(wiki: Wiki) -> None:
    text = "# Kettles\n\nA kettle boils.\nA kettle whistles.\nA teapot holds tea.\n"
    facts = [("Kettle", "A kettle boils."), ("Kettle", "A kettle whistles."),
             ("Teapot", "A teapot holds tea.")]  # fmt: skip
    told = [claim(thing, says, lines=(n, n)) for n, (thing, says) in enumerate(facts, start=3)]
    wiki.learn("raw/kettles.md", text, answer(told))


MOVES = {
    "rename": ("rename", "Kettle", "Water kettle"),
    "merge": ("merge", "Kettle", "Teapot"),
}


def waiting(decision: str, kind: str) -> Callable[[Wiki], Command]:
    def begin(wiki: Wiki) -> Command:
        wiki.ok(*MOVES[kind], "--review")
        (review,) = wiki.ok("review", "list", "--json").json["reviews"]
        return Command(("review", decision, review["id"], "--yes"))

    return begin


def part(wiki: Wiki) -> Command:
    """One claim of two is accepted; the branch goes on with the other."""
    text = "# Samovars\n\nA samovar is a kettle.\nA samovar is of brass.\n"
    wiki.put("raw/samovars.md", text)
    wiki.prepare("raw/samovars.md")
    told = [
        claim("Samovar", says, lines=(n, n))
        for n, says in enumerate(text.split("\n")[2:4], start=3)
    ]
    source = {"sha256": wikikit.sha(text), "segment": [1, 1]}
    assert wiki.apply({**answer(told), "source": source}, "--review").code == 0
    (review,) = wiki.ok("review", "list", "--json").json["reviews"]
    items = wiki.ok("review", "show", review["id"], "--json").json["items"]
    ident = next(item["id"] for item in items if "brass" in json.dumps(item))
    return Command(("review", "accept", review["id"], ident, "--yes"))


KILLED: dict[str, tuple[Callable[[Wiki], object], Callable[[Wiki], Command]]] = {
    **{kind: (of_kettles, lambda _wiki, kind=kind: Command(MOVES[kind])) for kind in MOVES},
    **{
        f"{kind} to be reviewed": (
            of_kettles,
            lambda _wiki, kind=kind: Command([*MOVES[kind], "--review"]),
        )
        for kind in MOVES
    },
    **{f"accept a {kind}": (of_kettles, waiting("accept", kind)) for kind in MOVES},
    "reject a rename": (of_kettles, waiting("reject", "rename")),
    "accept one claim": (of_kettles, part),
}


def state(wiki: Wiki) -> tuple[dict[str, str], list[object]]:
    """The pages of HEAD, and what is left to decide of each branch that waits."""
    waiting = wiki.ok("review", "list", "--json").json["reviews"]
    shown = [wiki.ok("review", "show", each["id"], "--json").json for each in waiting]
    return text(wiki), [(each["items"], each["whole"]) for each in shown]


def text(wiki: Wiki) -> dict[str, str]:
    return {path: page.text for path, page in wiki.pages().items()}


def passed(wiki: Wiki, command: Command, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Every failpoint that the command passes, with how often it has been passed so far."""
    counts: Counter[str] = Counter()
    points: list[tuple[str, int]] = []

    def note(name: str) -> None:
        counts[name] += 1
        points.append((name, counts[name]))

    monkeypatch.setattr(failpoints, "armed", note)
    done = command.run(wiki)
    monkeypatch.setattr(failpoints, "armed", None)
    assert done.code == 0, done
    return points


def kill(wiki: Wiki, command: Command, point: tuple[str, int]) -> None:
    """Runs the command in a child, which ends by SIGKILL at that point."""
    with warnings.catch_warnings():
        # A worker of xdist has a thread that reads; the child asks nothing of it.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        left = [point[1]]

        def fire(name: str) -> None:
            left[0] -= name == point[0]
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            failpoints.armed = fire
            command.run(wiki)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, point


def attempt(
    wiki: Wiki, command: Command, point: tuple[str, int], after: tuple[dict[str, str], list[object]]
) -> None:
    """The promises after one kill, and that the command goes on from there."""
    pages, head = text(wiki), wiki.head
    kill(wiki, command, point)
    wiki.ok("recover")
    assert wiki.git("status", "--porcelain", "--untracked-files=no") == "", point
    assert text(wiki) in (pages, after[0]), point
    assert head in wiki.git("rev-list", "HEAD").split(), point
    check(wiki, dangling=True)
    command.run(wiki)
    assert state(wiki) == after, point
    check(wiki, dangling=True)
    assert not [name for name in gitkit.leftovers(wiki.root) if "/.git/llmwiki/" not in name]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == "accept a merge" else pytest.mark.soak) for n in KILLED],
)
def test_a_command_that_was_killed_is_given_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    grow, begin = KILLED[name]
    template = wikikit.make(tmp_path, monkeypatch, grow)
    command = begin(template)

    def copy(place: str) -> Wiki:
        root = tmp_path / place
        shutil.copytree(template.root, root, symlinks=True)
        made = Wiki(root, template.commands)
        made.git("update-index", "-q", "--refresh", ok=(0, 1))
        return made

    whole = copy("whole")
    points = passed(whole, command, monkeypatch)
    after = state(whole)
    for point in points if LONG else points[:: len(points) // 5]:
        wiki = copy("killed")
        attempt(wiki, command, point, after)
        shutil.rmtree(wiki.root)
    record_property("points", len(points))
