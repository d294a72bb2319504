"""Transcripts: what was written is there again, whatever happened to the file."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from llmwiki.chat import visible_history
from llmwiki.chat.messages import Message, message_json, text_block
from llmwiki.chat.transcript import SessionFile, fork, sessions
from llmwiki.core.errors import InputError, StateError
from llmwiki.git.store.private_files import PrivateFiles


@pytest.fixture
def files(tmp_path: Path) -> PrivateFiles:
    return PrivateFiles(tmp_path / "llmwiki")


def said(text: str, *, turn: int = 1, role: str = "user") -> Message:
    assert role in ("user", "assistant")
    return Message("", role, (text_block(text, "typed"),), turn)  # type: ignore[arg-type]


def talk(files: PrivateFiles, turns: int = 5) -> SessionFile:
    made = SessionFile.create(files, "s1", 1.0)
    for turn in range(1, turns + 1):
        made.add(said(f"q{turn}", turn=turn))
        made.add(said(f"a{turn}", turn=turn, role="assistant"))
    return made


def texts(made: SessionFile) -> list[str]:
    return [each.text for each in visible_history.effective(made.messages)]


def again(files: PrivateFiles, ident: str = "s1") -> SessionFile:
    return SessionFile.read(files, ident)


def test_what_was_written_is_read_again(files: PrivateFiles) -> None:
    with talk(files) as made:
        made.act(lambda act: visible_history.truncated(made.messages, 0.5, act))
        made.note_landed(3, "a" * 40)
        assert again(files).messages == made.messages
        assert again(files).landed == made.landed
    place = files.path("sessions/s1.jsonl")
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700


def test_acts_hide_and_are_taken_back(files: PrivateFiles) -> None:
    with talk(files) as made:
        whole = texts(made)
        act = made.act(lambda act: visible_history.condensed(made.messages, "SUM", act))
        assert texts(made) == ["q1", "SUM", "a4", "q5", "a5"]
        second = made.add(said("q6", turn=6))
        target = made.messages[2].id
        made.act(
            lambda ident: visible_history.rewound(
                made.messages, target, ident, later=made.written_after(target)
            )
        )
        assert texts(made) == texts(again(files)) == ["q1", "a1"], "the summary went as well"
        rewind = next(m.act for m in made.messages if m.act.startswith(visible_history.REWOUND))
        assert made.restore(rewind) and texts(made) == ["q1", "SUM", "a4", "q5", "a5", "q6"]
        assert made.restore(act) and texts(made) == texts(again(files)) == [*whole, second.text]
        assert not made.restore(act)


def test_a_broken_line_costs_that_line(files: PrivateFiles) -> None:
    talk(files).close()
    place = files.path("sessions/s1.jsonl")
    lines = place.read_bytes().split(b"\n")
    lines[2] = lines[2][:10]
    lines.insert(5, b'{"type":"message","id":"x","role":"god","blocks":[]}')
    lines.insert(6, b'{"type":"from the future"}')
    lines.insert(7, b"\xff\xfe")
    place.write_bytes(b"\n".join(lines))
    with SessionFile.open(files, "s1") as opened:
        assert opened.broken == 3 and len(opened.messages) == 9
        opened.add(said("on"))
        assert texts(again(files))[-1] == "on"


@pytest.mark.parametrize("left", range(1, 60, 7))
def test_a_last_line_that_was_cut_harms_no_other(files: PrivateFiles, left: int) -> None:
    talk(files).close()
    place = files.path("sessions/s1.jsonl")
    place.write_bytes(place.read_bytes()[:-left])
    with SessionFile.open(files, "s1") as opened:
        opened.add(said("on"))
    assert texts(again(files))[-1] == "on"
    assert texts(again(files))[:9] == [f"{who}{n}" for n in range(1, 6) for who in "qa"][:9]


def test_a_session_belongs_to_one_process(files: PrivateFiles) -> None:
    with talk(files), pytest.raises(StateError, match="another process"):
        SessionFile.open(files, "s1")
    SessionFile.open(files, "s1").close()


def test_what_a_killed_process_leaves_behind_is_waited_for(files: PrivateFiles) -> None:
    """A child of it that was about to run a program has the lock for a moment longer."""
    held = talk(files)
    assert held._fd is not None
    child = os.dup(held._fd)
    held.close()
    timer = threading.Timer(0.1, os.close, (child,))
    timer.start()
    SessionFile.open(files, "s1").close()
    timer.join()


def test_a_later_version_is_read_only(files: PrivateFiles) -> None:
    talk(files).close()
    place = files.path("sessions/s1.jsonl")
    place.write_bytes(place.read_bytes().replace(b'"version":1', b'"version":2'))
    with SessionFile.open(files, "s1") as opened, pytest.raises(StateError, match="later version"):
        opened.add(said("on"))


@pytest.mark.parametrize("name", ["", "../s1", "none", "a/b", "s1.jsonl"])
def test_no_other_name_leads_to_a_file(files: PrivateFiles, name: str) -> None:
    talk(files).close()
    with pytest.raises(InputError):
        SessionFile.open(files, name)


def test_a_fork_goes_its_own_way(files: PrivateFiles) -> None:
    talk(files).close()
    with fork(files, "s1", "s2", 2.0) as child:
        child.add(said("other", turn=6))
    assert len(again(files).messages) == 10 and len(again(files, "s2").messages) == 11
    listed = sessions(files)
    assert [(row.id, row.turns, row.title) for row in listed] == [("s2", 6, "q1"), ("s1", 5, "q1")]


def test_ten_thousand_messages_are_read_at_once(files: PrivateFiles) -> None:
    """In a few times what their JSON alone takes, and so in proportion to their number."""
    SessionFile.create(files, "s1", 1.0).close()
    words = "a word and another " * 30
    rows = [
        json.dumps(message_json(replace(said(words, turn=n // 2 + 1), id=f"m{n + 2}")))
        for n in range(10_000)
    ]
    files.append("sessions/s1.jsonl", ("\n".join(rows) + "\n").encode())

    def seconds(work: Callable[[], object]) -> float:
        def once() -> float:
            begun = time.perf_counter()
            work()
            return time.perf_counter() - begun

        return min(once() for _ in range(2))

    assert len(visible_history.effective(again(files).messages)) == 10_000
    plain = seconds(lambda: [json.loads(row) for row in rows])
    assert seconds(lambda: visible_history.effective(again(files).messages)) < 8 * plain


WORDS = st.text(max_size=20)
