"""A session of a wiki: calls that share open files see and say what single calls do."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from longform import LONG

from llmwiki import StateError, Wiki
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index import open_index, source_index
from llmwiki.index.open_index import KeptIndex

QUESTION = "How long is green tea steeped?"
HOT = "Green tea is steeped at 80 degrees for two minutes."
WORDS = [
    "kettle",
    "leaves",
    "water",
    "harbour",
    "winter",
    "copper",
    "garden",
    "lantern",
    "river",
    "marble",
]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> wikikit.Wiki:
    return wikikit.make(
        tmp_path, monkeypatch, lambda made: wikikit.learn_tea(made, {"Green tea": HOT})
    )


@pytest.fixture
def warm(scratch: wikikit.Wiki) -> Iterator[Wiki]:
    with Wiki.open(scratch.root).session() as session:
        session.search("tea")
        session.context("tea")
        yield session


def told(wiki: Wiki, question: str) -> tuple[Any, ...]:
    """What a wiki says to a question, whole."""
    found = wiki.search(question)
    context = wiki.context(question).context
    rows = [(row.path, row.score, row.reasons, row.text) for row in found.rows]
    return rows, found.pages, context.text, context.coverage


def same(warm: Wiki, question: str = QUESTION) -> tuple[Any, ...]:
    """The same with a session and without."""
    found = told(warm, question)
    assert found == told(Wiki.open(warm.root), question)
    return found


def page(root: Path, name: str, text: str) -> Path:
    path = root / "wiki/concepts" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\ntype: concept\ntitle: {name}\n---\n\n# {name}\n\n{text}\n", "utf-8")
    return path


def test_edits_of_every_kind_are_seen_at_once(warm: Wiki) -> None:
    assert "80 degrees" in same(warm)[2]
    path = page(warm.root, "Kettle", "A kettle boils water over embers.")
    assert "embers" in same(warm, "What does a kettle boil?")[2]
    # In place, of the same length, without a new file.
    with path.open("r+") as file:
        text = file.read().replace("embers", "ambers")
        file.seek(0)
        file.write(text)
    assert "ambers" in same(warm, "What does a kettle boil?")[2]
    moved = path.with_name("Copper kettle.md")
    path.rename(moved)
    assert any("Copper kettle" in row[0] for row in same(warm, "kettle")[0])
    folder = warm.root / "wiki/concepts/deep/deeper"
    folder.mkdir(parents=True)
    shutil.copy(moved, folder / "Lantern.md")
    assert same(warm, "kettle")[1] == same(warm)[1]
    moved.unlink()
    shutil.rmtree(folder.parent)
    assert "ambers" not in same(warm, "What does a kettle boil?")[2]


def test_what_is_kept_between_questions_is_bounded_and_changes_no_answer(
    warm: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_index, "KEPT_CHARACTERS", 5)
    monkeypatch.setattr(source_index, "KEPT_SPANS", 1)
    for at, word in enumerate(WORDS):
        other = WORDS[at - 1]
        page(warm.root, word, f"The {word} stands beside [[{other}]], as Copper Gate says.")
    asked = [f"What is a {word} for Copper Gate?" for word in WORDS[:5]]
    first = [same(warm, question) for question in asked]
    assert [same(warm, question) for question in asked] == first
    page(warm.root, WORDS[1], f"The {WORDS[1]} leads to [[{WORDS[7]}]] now, says Copper Gate.")
    assert [same(warm, question) for question in asked] != first


def test_commits_are_seen_whoever_makes_them(warm: Wiki, scratch: wikikit.Wiki) -> None:
    scratch.put("raw/coffee.md", "# Coffee\n\nCoffee is brewed from roasted beans.\n")
    scratch.ok("ingest", "raw/coffee.md", "--model", "offline")
    assert "roasted beans" in same(warm, "What is coffee brewed from?")[2]
    warm.remember("The blue pot holds coffee.", kind="fact", told_by="person")
    assert "blue pot" in same(warm, "What does the blue pot hold?")[2]
    scratch.git("reset", "-q", "--hard", "HEAD~2")
    assert "roasted beans" not in same(warm, "What is coffee brewed from?")[2]
    scratch.git("gc", "-q", "--prune=now")
    assert "80 degrees" in same(warm)[2]
    assert "80 degrees" in warm.context(QUESTION, at="HEAD").context.text


def test_an_index_that_goes_is_made_anew(warm: Wiki, scratch: wikikit.Wiki) -> None:
    before = same(warm)
    own = scratch.root / ".git/llmwiki"
    for name in ("index.db", "index.db-wal", "index.db-shm", "sources.db"):
        (own / name).unlink(missing_ok=True)
    assert same(warm) == before
    scratch.ok("index", "--rebuild")
    assert same(warm) == before
    (own / "index.db").write_bytes(b"no database")
    assert same(warm) == before


def test_a_closed_session_is_closed_and_the_wiki_is_not(scratch: wikikit.Wiki) -> None:
    wiki = Wiki.open(scratch.root)
    with wiki.session() as session:
        session.search("tea")
    with pytest.raises(StateError, match="closed"):
        session.search("tea")
    assert wiki.search("tea").rows


def test_nothing_is_left_open(scratch: wikikit.Wiki) -> None:
    def opened() -> list[str]:
        folder = Path("/proc/self/fd")
        return sorted(os.readlink(fd) for fd in folder.iterdir() if fd.is_symlink())

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("this system does not list open files")
    with Wiki.open(scratch.root).session() as session:
        counts = []
        for n in range(6):
            page(scratch.root, "Kettle", f"A kettle boils water {n} times.")
            same(session, "kettle")
            counts.append(len(opened()))
        assert counts[-1] <= counts[0] + 1
    assert not [name for name in opened() if str(scratch.root) in name or "inotify" in name]


def patient(warm: Wiki, question: str) -> str:
    """Asks again where another thread wrote a page while it was read."""
    while True:
        try:
            return warm.context(question).context.text
        except StateError as error:
            assert error.what == "was changed while it was read"


def test_many_threads_share_a_session(warm: Wiki) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        try:
            for n in range(6):
                page(warm.root, f"Own {number}", f"The number {number} was told {n} times.")
                text = patient(warm, f"How often was the number {number} told?")
                if f"told {n} times" not in text:
                    wrong.append(text)
        except Exception as error:  # noqa: BLE001 - whatever a thread raises is shown
            wrong.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("seed", range(60 if LONG else 4))
def test_any_history_is_seen_as_by_a_new_process(
    warm: Wiki, scratch: wikikit.Wiki, seed: int
) -> None:
    chance = random.Random(seed)
    root = scratch.root
    for _ in range(25):
        name = chance.choice(WORDS)
        path = root / f"wiki/concepts/{name}.md"
        match chance.randrange(6):
            case 0 | 1:
                page(root, name, " ".join(chance.choices(WORDS, k=12)) + ".")
            case 2 if path.exists():
                path.unlink()
            case 3 if path.exists():
                path.rename(root / f"wiki/concepts/{chance.choice(WORDS)}.md")
            case 4:
                scratch.git("add", "-A")
                scratch.git("commit", "-q", "--allow-empty", "-m", "a person commits")
            case 5 if path.exists():
                with path.open("r+b") as file:
                    file.seek(-3, 2)
                    file.write(chance.choice((b"ax\n", b"by\n")))
        if chance.random() < 0.6:
            same(warm, " ".join(chance.sample(WORDS, 3)))
    same(warm, "kettle river")


# --- looking as seldom as can be ------------------------------------------------------------


def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often all files are looked at."""
    seen: list[int] = []
    look = open_index.look_around
    monkeypatch.setattr(open_index, "look_around", lambda *given: (seen.append(1), look(*given))[1])
    return seen


def ask(index: KeptIndex) -> None:
    with index.opened(notice=lambda _line: None):
        pass


def settle(root: Path) -> None:
    """Every page and folder as if it had been written long ago."""
    for path in (root / "wiki", *(root / "wiki").rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_all_files_are_looked_at_now_and_then_and_some_each_time(
    scratch: wikikit.Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = page(scratch.root, "Old", "An old page.")
    settle(scratch.root)
    monkeypatch.setattr(open_index, "NEWEST", 0)
    monkeypatch.setattr(open_index, "RECENT", 0)
    with Repository(layout_of(scratch.root)) as repo:
        index = KeptIndex(repo)
        ask(index)
        ask(index)
        seen = looks(monkeypatch)
        for _ in range(5):
            ask(index)

        def facts() -> str:
            with index.opened(notice=lambda _line: None) as opened:
                return next(iter(opened.facts(["wiki/concepts/Old.md"]).values())).title

        text = old.read_text().replace("title: Old", "title: Odd")
        with old.open("r+") as file:
            file.write(text)
        assert facts() == "Old", "an edit in place of a page that is not among the newest"
        page(scratch.root, "Kettle", "A kettle.")
        with index.opened(notice=lambda _line: None) as opened:
            assert opened.doc("wiki/concepts/Kettle.md") is not None
        assert not seen, "the folder tells of a new file"
        monkeypatch.setattr(open_index.time, "monotonic", lambda: 1e12)
        settle(scratch.root)
        assert facts() == "Odd" and len(seen) == 1
        index.close()
