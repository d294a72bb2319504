"""What was paid for and not used yet is kept, but not for ever."""

from __future__ import annotations

import os
from pathlib import Path

from llmwiki.git.store.private_files import PrivateFiles, drop_oldest


def test_the_folders_longest_untouched_go_first_and_the_newest_stays(tmp_path: Path) -> None:
    files = PrivateFiles(tmp_path)
    drop_oldest(files, "paid", 10)
    for age, name in enumerate("dacb"):
        files.write(f"paid/{name}/1.json", b"x" * 4)
        files.write(f"paid/{name}/2.json", b"x" * 2)
        os.utime(tmp_path / "paid" / name, (1_000_000 - age, 1_000_000 - age))
    files.write("paid/file", b"x" * 100)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "held").write_bytes(b"x" * 100)
    (tmp_path / "paid/link").symlink_to(elsewhere)

    def left() -> list[str]:
        return sorted(place.name for place in (tmp_path / "paid").iterdir() if place.name in "abcd")

    drop_oldest(files, "paid", 24)
    assert left() == ["a", "b", "c", "d"]
    drop_oldest(files, "paid", 23)
    assert left() == ["a", "c", "d"]
    drop_oldest(files, "paid", 12)
    assert left() == ["a", "d"]
    drop_oldest(files, "paid", 1)
    assert left() == ["d"]
    assert (elsewhere / "held").exists() and files.read("paid/file")
