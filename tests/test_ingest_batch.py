"""A folder of many formats: one commit each, a table at the end, failures named, run again."""

from __future__ import annotations

import os
import pty
import signal
from pathlib import Path

import pytest
import wikikit
from mixed_sources import write_mixed
from wikikit import Wiki, check


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.soak)])
def test_a_folder_of_mixed_files(wiki: Wiki, tmp_path: Path, count: int) -> None:
    folder = tmp_path / "in"
    mixed = write_mixed(folder, count)
    before = wiki.count()
    done = wiki.run("ingest", str(folder), "--model", "offline")
    assert done.code == 2
    assert wiki.count() == before + len(mixed.good)
    lines = done.out.splitlines()
    landed = [line for line in lines if line.startswith("ingested")]
    assert len(landed) == len(mixed.good)
    for name, why in mixed.bad.items():
        told = [line for line in lines if f"raw/in/{name}: " in line]
        assert len(told) == (2 if count > 20 else 1)
        assert all(why.lower() in line.lower() for line in told), told
    everything = next(line for line in lines if line.startswith("all "))
    assert everything.split()[1:4] == [str(count), str(len(mixed.good)), str(len(mixed.bad))]
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


def test_on_a_terminal_a_bar_stands_below_the_lines(wiki: Wiki, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write_mixed(folder, 4)
    leader, follower = pty.openpty()
    process = wiki.spawn("ingest", str(folder), "--model", "offline", terminal=follower)
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 65_536):
            shown += chunk
    except OSError:
        pass
    os.close(leader)
    assert process.wait(timeout=60) == 0
    assert shown.count(b"\x1b[2Kingested ") == 4
    assert b"100%" in shown
    assert shown.rstrip().endswith(b"4 sources: 4 ingested")
