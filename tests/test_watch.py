"""`wiki watch`: what arrives is ingested once, when it is whole, whatever happens meanwhile."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
import wikikit
from fake_messages import KEY, FakeMessages
from longform import LONG
from test_cost import PRICES, read
from wikikit import Wiki


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    made.env["LLMWIKI_MODEL"] = "offline"
    return made


def note(name: str, more: str = "") -> str:
    return f"# {name}\n\n{name} is a drink of the harbour town.{more}\n"


def sources(wiki: Wiki) -> Counter[str]:
    """What was ingested: path and hash, and in how many commits."""
    lines = wiki.git("log", "--format=%(trailers:key=Wiki-Source,valueonly)").splitlines()
    return Counter(line for line in lines if line)


def expected(wiki: Wiki, *paths: str) -> Counter[str]:
    return Counter(f"{p} sha256:{wikikit.sha((wiki.root / p).read_bytes())}" for p in paths)


ONCE = ("watch", "--once", "--settle", "0.5")


# --- one round -------------------------------------------------------------------------------


def test_a_round_reads_what_is_whole_and_nothing_else(wiki: Wiki, tmp_path: Path) -> None:
    wiki.put("raw/tea.md", note("Tea"))
    wiki.put("raw/sub/mate.md", note("Mate"))
    for name in ("a.md~", "b.pdf.crdownload", "c.part", ".hidden.md", "d.md.aria2", "#e.md#",
                 "f.md.download/f.md", "brand/SOUL.md", "g.md___jb_tmp___"):  # fmt: skip
        wiki.put(f"raw/{name}", note("Half"))
    wiki.put("raw/empty.md", "")
    done = wiki.ok(*ONCE)
    assert sources(wiki) == expected(wiki, "raw/tea.md", "raw/sub/mate.md")
    assert done.out.count("ingested") == 2
    again = wiki.ok(*ONCE)
    assert again.out == "" and "nothing new" in again.err
    # A folder outside: files keep their path in it, and stay where they are.
    inbox = tmp_path / "in [box]"
    (inbox / "2026").mkdir(parents=True)
    (inbox / "2026/cocoa.md").write_text(note("Cocoa"))
    (inbox / "chicory.md").write_text(note("Chicory"))
    wiki.ok(*ONCE, "--inbox", str(inbox), "--json")
    assert sources(wiki).keys() >= expected(wiki, "raw/2026/cocoa.md", "raw/chicory.md").keys()
    assert (inbox / "2026/cocoa.md").exists()
    wikikit.check(wiki)


def test_a_failure_is_told_once_until_the_file_changes(wiki: Wiki) -> None:
    wiki.put("raw/bad.pdf", b"%PDF-1.7 nothing")
    wiki.put("raw/tea.md", note("Tea"))
    first = wiki.run(*ONCE)
    assert first.code == 2 and "failed    raw/bad.pdf" in first.out
    assert sources(wiki) == expected(wiki, "raw/tea.md")
    assert wiki.ok(*ONCE).out == ""
    wiki.put("raw/bad.pdf", b"%PDF-1.7 still nothing")
    assert wiki.run(*ONCE).code == 2


def test_what_stands_in_the_way_is_said(wiki: Wiki, tmp_path: Path) -> None:
    wiki.put("raw/tea.md", note("Tea"))
    before = wiki.head
    merging = wiki.put(".git/MERGE_HEAD", before + "\n")
    assert "merge is in progress" in (done := wiki.run(*ONCE)).err and done.code == 3
    merging.unlink()
    with held(wiki.root / ".git/llmwiki/watch.lock"):
        assert (done := wiki.run(*ONCE)).code == 6 and "another `wiki watch`" in done.err
    with held(wiki.root / ".git/llmwiki/lock"):
        wiki.env["LLMWIKI_LOCK_WAIT"] = "0"
        assert (done := wiki.run(*ONCE)).code == 6 and "waits: " in done.err
    assert wiki.head == before
    for bad in ("wiki", ".", "nowhere", str(tmp_path)):
        assert wiki.run("watch", "--once", "--inbox", bad).code == 2
    wiki.ok(*ONCE)
    assert sources(wiki) == expected(wiki, "raw/tea.md")


def held(place: Path) -> IO[bytes]:
    """A lock that somebody else has, until it is closed."""
    place.parent.mkdir(exist_ok=True)
    file = place.open("ab")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


# --- money -----------------------------------------------------------------------------------


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages(read) as running:
        wiki.env |= {"ANTHROPIC_BASE_URL": running.url, "ANTHROPIC_API_KEY": KEY}
        wiki.env["LLMWIKI_MODEL"] = "mine"
        yield running


def test_a_run_never_costs_more_than_its_limit(wiki: Wiki, server: FakeMessages) -> None:
    for number in range(6):
        wiki.put(f"raw/{number}.md", f"# N\n\nThing {number} of tea is one of many.\n")
    refused = wiki.run(*ONCE, "--max-cost", "1")
    assert refused.code == 7 and "price" in refused.out and not server.requests
    place = Path(os.environ["XDG_CONFIG_HOME"]) / "llmwiki/config.toml"
    place.parent.mkdir(parents=True)
    # A call may cost 0.15 USD for an answer as long as it may be, and costs some 0.01.
    place.write_text("[model]\nmax_output_tokens = 10_000\n" + PRICES)
    first = wiki.run(*ONCE, "--max-cost", "0.18")
    assert first.code == 7 and "0.18" in first.out
    done = sum(sources(wiki).values())
    assert 0 < done < 5 and len(server.requests) == done
    wiki.ok(*ONCE)
    assert list(sources(wiki).values()) == [1, 1, 1, 1, 1, 1]


# --- a process -------------------------------------------------------------------------------


class Watching:
    """`wiki watch` in a process of its own."""

    def __init__(self, wiki: Wiki, *args: str, command: tuple[str, ...] = ()) -> None:
        self.wiki = wiki
        self.said = wiki.root.parent / "said.txt"
        program = [*command, *wikikit.program({}), "watch", "--settle", "0.5", *args]
        with self.said.open("wb") as out:
            self.process = subprocess.Popen(
                program, cwd=wiki.root, env={**os.environ, **wiki.env},
                stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            )  # fmt: skip
        self.until(lambda: "looks after" in self.text)

    @property
    def text(self) -> str:
        return self.said.read_text()

    def until(self, holds: Callable[[], bool], seconds: float = 90) -> None:
        """Waits until it holds."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end and self.process.poll() is None, self.text
            time.sleep(0.1)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


@pytest.fixture
def watching(wiki: Wiki) -> Iterator[Callable[..., Watching]]:
    begun: list[Watching] = []

    def begin(*args: str, command: tuple[str, ...] = ()) -> Watching:
        begun.append(Watching(wiki, *args, command=command))
        return begun[-1]

    yield begin
    for each in begun:
        each.process.kill()
        each.process.wait()


def test_a_storm_with_everything_in_it(wiki: Wiki, watching: Callable[..., Watching]) -> None:
    wiki.git("branch", "other")
    watched = watching("--settle", "1.0")
    many = 1_000 if LONG else 10
    names = [f"raw/s{number % 7}/n{number}.md" for number in range(many)]
    wiki.put("raw/first.md", note("First"))
    watched.until(lambda: "ingested " in watched.text)
    with (wiki.root / "raw/slow.md").open("w") as file:
        for word in ("# Slow\n\n", "Slow", " is", " a drink", " of the", " harbour", " town.\n"):
            file.write(word)
            file.flush()
            time.sleep(0.3)
    watched.until(lambda: "raw/slow.md" in watched.text)
    assert sources(wiki) == expected(wiki, "raw/first.md", "raw/slow.md")
    with held(wiki.root / ".git/llmwiki/lock"):
        for number, name in enumerate(names):
            # By another name first, as editors and browsers save.
            half = wiki.put(f"{name}.part", note(f"Drink {number}"))
            half.rename(wiki.root / name)
        assert len(sources(wiki)) == 2
    seconds = 90 if many < 100 else 1_200
    watched.until(lambda: watched.text.count("ingested ") == many + 2, seconds)
    # Its own commits, a rename and a checkout there and back bring nothing anew.
    wiki.git("checkout", "-q", "other")
    wiki.git("checkout", "-q", "-")
    (wiki.root / names[0]).rename(wiki.root / "raw/renamed.md")
    wiki.put("raw/slow.md", note("Slow", " It is new."))
    watched.until(lambda: watched.text.count("ingested ") == many + 4)
    time.sleep(2)
    assert (
        sources(wiki).keys() >= expected(wiki, "raw/renamed.md", *names[1:], "raw/slow.md").keys()
    )
    assert max(sources(wiki).values()) == 1
    assert watched.end() == 128 + signal.SIGTERM
    assert watched.text.count("ingested ") == many + 4, watched.text
    assert "terminated" in watched.text and "Traceback" not in watched.text
    assert wiki.status.strip() in ("", f"D {names[0]}")
    wikikit.check(wiki)
