"""What a process that reads documents cannot do, by each wall that the machine offers."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import convertkit
import pytest
import wikikit
from test_sources_pictures import saved as saved_picture
from test_sources_pictures import written

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.convert_in_process import convert, run
from llmwiki.sources.formats import CONVERTERS, converter_named
from llmwiki.sources.pictures import pictures_of
from llmwiki.sources.read_source import read_document
from llmwiki.sources.sandbox import landlock_version, readable

ROOT = Path(__file__).parents[1]
DOCUMENTS = Path(__file__).with_name("data") / "documents"
ESCAPEE = Path(__file__).with_name("escapee.py")
LANDLOCK = pytest.mark.skipif(landlock_version() == 0, reason="the kernel has no Landlock")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "secret").write_text("of the user")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def escapes(limits: str, home: Path, port: int) -> dict[str, str]:
    outcome = run(
        [sys.executable, "-P", "-s", str(ESCAPEE), str(ROOT), limits, str(home), str(port)],
        (b"",),
        most=100_000,
        seconds=60.0,
    )
    assert outcome.status == 0, outcome
    found: dict[str, str] = json.loads(outcome.answer)
    return found


@LANDLOCK
def test_behind_a_wall_no_file_of_the_user_and_no_network(home: Path, port: int) -> None:
    found = escapes("limit", home, port)
    for what in ("read", "list", "passwords", "write", "write elsewhere", "tcp", "run"):
        assert found[what] != "done", (what, found)
    assert found["udp"] != "done" or os.uname().machine not in ("x86_64", "aarch64")
    assert not (home / "new").exists()
    assert not Path("/tmp/llmwiki-escapee").exists()


def test_without_a_wall_all_of_that_is_done(home: Path, port: int) -> None:
    """Otherwise the test above would show nothing."""
    assert set(escapes("", home, port).values()) == {"done"}


def test_no_whole_home_folder_is_readable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = readable()
    assert not set(paths) & {str(home), str(home.parent), "/"}
    below = [p for p in paths for q in paths if p != q and Path(p).is_relative_to(q)]
    assert below == []
    monkeypatch.setenv("HOME", sys.prefix)
    assert sys.prefix not in readable()


def documents() -> list[Path]:
    return sorted(
        path
        for path in DOCUMENTS.rglob("*")
        if any(path.suffix[1:] in c.extensions and c.reader for c in CONVERTERS)
    )


def test_a_document_of_each_format_is_still_read_and_gives_the_same_text(home: Path) -> None:
    formats = set()
    for path in documents():
        converter = next(c for c in CONVERTERS if path.suffix[1:] in c.extensions)
        if converter.name in formats:
            continue
        formats.add(converter.name)
        data = path.read_bytes()
        try:
            document = read_document(f"raw/{path.name}", data)
        except InputError as error:
            assert "no text" in str(error) or "pictures" in str(error), (path, error)
        else:
            assert document.lines[0].endswith(sha256_hex(data))
            assert document == convertkit.read_document(f"raw/{path.name}", data), path
    assert formats
    pictures = list(pictures_of("raw/a.png", saved_picture(written("tea"))))
    assert len(pictures) == 1


def test_the_end_by_a_limit_is_told_behind_the_wall_too() -> None:
    limits = SourceLimits(seconds=1.0)
    data = b"- x\n" * 4_000_000
    with pytest.raises((PolicyError, InputError)) as caught:
        convert(converter_named("yaml"), data, "raw/a.yaml", limits)
    assert "crashed" not in str(caught.value)


@pytest.mark.soak
def test_an_environment_in_a_home_folder_and_an_editable_install_still_work(
    tmp_path: Path, home: Path
) -> None:
    """The folders that Python needs are found wherever they are."""
    folder = home / "work" / ".venv"
    venv.create(folder, symlinks=True, system_site_packages=False)
    site = next(folder.glob("lib/python*/site-packages"))
    own = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    checkout = home / "checkout"
    shutil.copytree(ROOT / "llmwiki", checkout / "llmwiki")
    (checkout / "private").write_text("x")
    (site / "paths.pth").write_text(f"{checkout}\n")
    for each in own.iterdir():
        if not each.name.startswith(("__editable__", "git_llmwiki")):
            shutil.copytree(each, site / each.name) if each.is_dir() else shutil.copy(each, site)
    code = (
        "from llmwiki.sources.read_source import read_document\n"
        "from llmwiki.sources.sandbox import readable\n"
        "print(read_document('raw/a.csv', b'a,b\\n1,tea\\n').lines[-1]);"
        "print(*readable(), sep='\\n')"
    )
    done = subprocess.run(
        [str(folder / "bin/python"), "-c", code],
        capture_output=True, text=True, timeout=120, cwd=home, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
    )  # fmt: skip
    assert "tea" in done.stdout, done
    assert str(checkout / "llmwiki") in done.stdout.splitlines()
    assert str(checkout) not in done.stdout.splitlines()


def test_what_confines_is_told_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    told = wiki.ok("config").err
    assert ("Landlock, version" in told) == (landlock_version() > 0)
    assert "limits of memory" in told
    for wall in wiki.ok("config", "--json").json["confinement"]:
        assert f"wiki: readers of documents are confined by {wall}\n" in told
