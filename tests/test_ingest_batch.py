"""A folder of many formats: one commit each, the sums at the end, failures named, run again."""

from __future__ import annotations

import base64
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import wikikit
from mixed_sources import write_mixed
from wikikit import Wiki, check

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)
"""A picture of one pixel, as PNG."""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_a_folder_of_mixed_files(wiki: Wiki, tmp_path: Path, count: int) -> None:
    folder = tmp_path / "in"
    mixed = write_mixed(folder, count)
    before = wiki.count()
    done = wiki.run("ingest", str(folder), "--model", "offline")
    assert done.code == 2
    assert wiki.count() == before + len(mixed.good)
    again = wiki.run("ingest", str(folder), "--model", "offline")
    assert again.code == 0 and "failed" not in again.out and "as unreadable as before" in again.err
    lines = done.out.splitlines()
    landed = [line for line in lines if line.startswith("ingested")]
    assert len(landed) == len(mixed.good)
    for name, why in mixed.bad.items():
        told = [line for line in lines if f"in/{name}: " in line]
        assert len(told) == 1
        assert why.lower() in told[0].lower()
    assert lines[-1] == (f"{count} sources: {len(mixed.good)} ingested, {len(mixed.bad)} failed")
    check(wiki)

    for name in mixed.bad:
        (folder / name).unlink()
    again = wiki.ok("ingest", str(folder), "--model", "offline")
    assert wiki.count() == before + len(mixed.good)
    assert again.out.splitlines()[-1] == f"{len(mixed.good)} sources: {len(mixed.good)} skipped"
    assert "ingested" not in again.out


def test_a_batch_that_was_interrupted_goes_on(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.md").write_text(
            f"# Buoy {number}\n\nBuoy {number} is a red mark.\n"
        )
    before = wiki.count()
    process = wiki.spawn("ingest", str(folder), "--model", "offline")
    assert process.stdout is not None and process.stderr is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=60)
    landed = (first + rest).count(b"ingested ")
    assert process.returncode == 130
    assert b"the same command goes on" in said and b"Traceback" not in said
    assert 1 <= landed < 12
    assert wiki.count() in (before + landed, before + landed + 1)
    done = wiki.ok("ingest", str(folder), "--model", "offline")
    assert wiki.count() == before + 12
    assert done.out.splitlines()[-1].startswith("12 sources: ")
    check(wiki)


def on_a_terminal(wiki: Wiki, *args: str) -> bytes:
    """What a person sees of a command, which must succeed."""
    leader, follower = pty.openpty()
    process = wiki.spawn(*args, terminal=follower)
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 65_536):
            shown += chunk
    except OSError:
        pass
    os.close(leader)
    assert process.wait(timeout=60) == 0, shown
    return shown


def test_on_a_terminal_a_long_batch_says_how_far_it_is(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# Buoy {number}\n\nBuoy {number} is a mark.\n")
    # One that takes more than a second anywhere; those behind it are quick.
    lines = [f"Buoy {number} is a mark of channel {number % 70}.\n" for number in range(5_000)]
    (folder / "2-long.md").write_text("# Buoys\n\n" + "\n".join(lines))
    shown = on_a_terminal(wiki, "ingest", str(folder), "--model", "offline")
    assert re.search(rb"\r\x1b\[2Kwiki: reading \S* \d+ of 31 \S+ [1-9]\d* s", shown), shown
    assert b" 30 of 31 " in shown
    # The line is gone before another is written, and at the end.
    assert b" s\r\x1b[2Kingested " in shown
    assert shown.rstrip().endswith(b"31 sources: 31 ingested")


@pytest.mark.parametrize("seconds", [0, 1.7])
def test_a_wait_is_shown_while_nothing_moves(seconds: float) -> None:
    leader, follower = pty.openpty()
    slow = (
        "import time; from llmwiki.interfaces.cli import command_context, progress;"
        "progress.step('reading', 2, 7);"
        "command_context.notice_once()('a notice');"
        f"time.sleep({seconds}); progress.clear(); print('done')"
    )
    process = subprocess.Popen([sys.executable, "-c", slow], stdout=follower, stderr=follower)
    os.close(follower)
    assert process.wait(timeout=60) == 0
    shown = os.read(leader, 65_536)
    os.close(leader)
    if not seconds:
        assert shown == b"wiki: a notice\r\ndone\r\n"
        return
    # The notice did not end the line.
    assert b"wiki: reading 2 of 7 \xe2\x80\xa6 1 s" in shown
    assert shown.endswith(b"\r\x1b[2Kdone\r\n")


def test_what_is_no_file_fails_alone(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.md").write_text("# Buoy\n\nA buoy is a floating mark.\n")
    (folder / "link.md").symlink_to("/etc/passwd")
    (folder / "two\nlines.md").write_text("# x\n")
    os.mkfifo(folder / "pipe.md")
    before = wiki.count()
    done = wiki.run("ingest", str(folder), "--model", "offline")
    assert done.code == 2
    assert wiki.count() == before + 1
    assert done.out.splitlines()[-1] == "4 sources: 1 ingested, 3 failed"
    for words in ("leads out of", "named pipe", "control characters"):
        assert words in done.out


def test_a_failure_names_the_file_that_is_there(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.xyz").write_text("x")
    (folder / "b.md").write_text("")
    alone = wiki.run("ingest", str(folder / "a.xyz"))
    assert "/in/a.xyz: .xyz files are not read" in alone.err
    both = wiki.run("ingest", str(folder / "a.xyz"), str(folder), "--model", "offline").out
    assert "/in/a.xyz: .xyz files are not read" in both
    assert "/in/b.md: the file is empty" in both
    assert "raw/" not in alone.err + both


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents, and beside them what is none, where nothing reads pictures."""
    monkeypatch.setenv("LLMWIKI_INGEST_PICTURES", "none")
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "a.md").write_text("# Buoy\n\nA buoy is a floating mark.\n")
    for name in ("setup.py", "src/b.py", "src/c.PY", "x.toml"):
        (folder / name).write_text("x = 1\n")
    (folder / "logo.png").write_bytes(DOT)
    return folder


def test_what_lies_beside_documents_is_left_out_and_counted(wiki: Wiki, project: Path) -> None:
    done = wiki.ok("ingest", str(project), "--model", "offline")
    told = "left out, for they are not read: 3 .py, 1 .png, 1 .toml"
    assert done.out.count(told) == 1 and "failed" not in done.out
    again = wiki.ok("ingest", str(project), "--model", "offline", "--json").json
    assert again["left_out"] == {"py": 3, "png": 1, "toml": 1}
    assert [each["status"] for each in again["operations"]] == ["skipped"]
    (project / "b.md").write_text("")
    assert wiki.run("ingest", str(project), "--model", "offline").code == 2
    (project / "b.md").write_text("# Beacon\n\nA beacon is a fixed mark.\n")
    done = wiki.ok("ingest", str(project), "--model", "offline")
    assert told in done.out and "2 sources: 1 ingested, 1 skipped" in done.out
    prepared = wiki.ok("ingest", str(project), "--prepare", "--again")
    assert "left out, for they are not read: 3 .py, 1 .toml" in prepared.err
    assert "logo.png: a picture" in prepared.err and "a.md" in prepared.out
    check(wiki)


def test_what_was_named_fails_where_it_is_not_read(wiki: Wiki, project: Path) -> None:
    for name in ("setup.py", "logo.png"):
        assert wiki.run("ingest", str(project / name), "--model", "offline").code == 2
        done = wiki.run("ingest", str(project), str(project / name), "--model", "offline")
        assert done.code == 2 and f"{name}: " in done.out, done
    alone = wiki.run("ingest", str(project / "src"), "--model", "offline")
    assert alone.code == 2 and "2 .py" in alone.err, alone


def test_another_file_of_the_same_name_says_that_it_lies_beside_it(
    wiki: Wiki, tmp_path: Path
) -> None:
    crane = tmp_path / "crane.md"
    crane.write_text("# Crane\n\nThe crane is a machine that lifts 15 t.\n")
    assert "beside" not in wiki.ok("ingest", str(crane), "--model", "offline").out
    crane = tmp_path / "new" / "crane.md"
    crane.parent.mkdir()
    crane.write_text("# Crane\n\nThe crane is a machine that lifts 12 t.\n")
    done = wiki.ok("ingest", str(crane), "--model", "offline")
    assert "raw/crane.md has other bytes, so this lies beside it" in done.out
    assert "beside" not in wiki.ok("ingest", str(crane), "--model", "offline").out


def test_a_dry_run_of_many_shows_no_diffs(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write_mixed(folder, 3)
    before = wiki.head
    done = wiki.ok("ingest", str(folder), "--model", "offline", "--dry-run")
    assert "+++" not in done.out
    assert done.out.splitlines()[-1] == "3 sources: 3 planned"
    assert wiki.head == before


def test_what_was_undone_can_be_ingested_again(wiki: Wiki, tmp_path: Path) -> None:
    note = tmp_path / "tea.md"
    note.write_text("# Tea\n\nTea is an infusion of leaves.\n")
    wiki.ok("ingest", str(note), "--model", "offline")
    wiki.ok("undo")
    assert (
        wiki.ok("ingest", str(note), "--model", "offline", "--json").operation["claims_added"] == 1
    )
    check(wiki)


def test_a_secret_that_begins_like_a_cost_stops_nobody_else(wiki: Wiki) -> None:
    key = "costQ9f8Za7b" + "X6cV5dN4eM3fL2a1b0K"
    wiki.put("raw/a.md", f'# Key\n\napi_key = "{key}"\n')
    wiki.put("raw/b.md", "# Tea\n\nTea is an infusion of leaves.\n")
    done = wiki.run("ingest", "raw/", "--model", "offline")
    assert done.code == 7
    assert done.out.splitlines()[-1] == "2 sources: 1 ingested, 1 failed"
