"""What is a source, and which sources a command line names."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

import pytest

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.find_sources import expand
from llmwiki.sources.open_and_hash import read_bytes
from llmwiki.sources.raw_paths import is_source
from llmwiki.sources.source_file import NamedSource

SOURCES = [
    "raw/a.md",
    "raw/README",
    "raw/brand.md",
    "raw/a/brand/x.md",
    "raw/日本語.md",
    "raw/a~b.txt",
]
NOT_SOURCES = [
    "raw",
    "wiki/a.md",
    "raw//a.md",
    "raw/../wiki/a.md",
    "raw/.text/0123456789abcdef.txt",
    "raw/.gitkeep",
    "raw/sub/.git/config",
    "raw/brand/SOUL.md",
    "raw/Brand/SOUL.md",
    "raw/skills/x/SKILL.md",
    "raw/a.md~",
    "raw/a.md.swp",
    "raw/#a.md#",
    "raw/~$report.docx",
    "raw/Thumbs.db",
    "raw/a\nb.md",
    "raw/a\x1b[31m.md",
    "raw/\udcff.md",
]


@pytest.mark.parametrize("path", SOURCES)
def test_sources(path: str) -> None:
    assert is_source(path)


@pytest.mark.parametrize("path", NOT_SOURCES)
def test_not_sources(path: str) -> None:
    assert not is_source(path)


def put(base: Path, *files: str, text: str = "") -> None:
    for file in files:
        place = base / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text or f"about {file}\n")


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    root = tmp_path / "wiki root"
    put(root, "raw/b.md", "raw/a/x.md", "raw/a/.hidden.md", "raw/brand/SOUL.md", "raw/.text/0.txt")
    put(root, "raw/a/x.md~", "raw/skills/s/SKILL.md", "wiki/index.md", "wiki/concepts/A.md")
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return tmp_path / "out"


WHY = ("leads out of", "leads nowhere", "named pipe", "control characters")


def refused(found: list[NamedSource]) -> dict[str, str]:
    """What was met and is no source: path to the words that say why."""
    return {
        each.path: next(words for words in WHY if words in str(each.refused))
        for each in found
        if each.refused
    }


def paths(found: list[NamedSource]) -> list[str]:
    return [one.path for one in found]


@pytest.mark.parametrize("arg", ["raw", "raw/", ".", "raw/../raw"])
def test_the_whole_of_raw_however_it_is_named(wiki: Path, arg: str) -> None:
    found = expand(wiki, [arg], wiki)
    assert paths(found) == ["raw/a/x.md", "raw/b.md"]
    assert all(one.inside for one in found)
    assert found[1].file.read_bytes() == b"about raw/b.md\n"
    assert found[1].size == 15


def test_what_a_shell_makes_of_raw_star_passes_over_the_reserved_folders(wiki: Path) -> None:
    args = [f"raw/{name}" for name in ("a", "b.md", "brand", "skills")]
    assert paths(expand(wiki, args, wiki)) == ["raw/a/x.md", "raw/b.md"]


@pytest.mark.parametrize("arg", ["raw/brand", "raw/brand/SOUL.md", "raw/a/.hidden.md", "raw/.text"])
def test_reserved_places_named_alone_are_refused(wiki: Path, arg: str) -> None:
    with pytest.raises(InputError, match=r"sources?"):
        expand(wiki, [arg], wiki)


@pytest.mark.parametrize("arg", ["wiki/concepts/A.md", "wiki"])
def test_pages_are_not_sources(wiki: Path, arg: str) -> None:
    with pytest.raises(InputError):
        expand(wiki, [arg], wiki)


def test_arguments_start_at_the_folder_one_is_in(wiki: Path) -> None:
    assert paths(expand(wiki, ["x.md"], wiki / "raw/a")) == ["raw/a/x.md"]
    assert paths(expand(wiki, ["../b.md"], wiki / "raw/a")) == ["raw/b.md"]


def test_an_outside_file_and_a_folder(wiki: Path, outside: Path) -> None:
    put(outside, "one.md", "docs/two.md", "docs/deep/three.txt", "docs/.git/config", "docs/x.tmp")
    assert paths(expand(wiki, ["one.md"], outside)) == ["raw/one.md"]
    folder = expand(wiki, ["docs"], outside)
    assert paths(folder) == ["raw/docs/deep/three.txt", "raw/docs/two.md"]
    assert not any(one.inside for one in folder)
    assert folder[1].file == (outside / "docs/two.md").resolve()
    assert paths(expand(wiki, ["."], outside / "docs")) == paths(folder)


def test_order_and_repetition_do_not_matter(wiki: Path, outside: Path) -> None:
    put(outside, "z.md", "docs/z.md")
    args = ["z.md", "docs", str(wiki / "raw/b.md"), "docs/z.md"]
    one = expand(wiki, args, outside)
    assert expand(wiki, [*reversed(args), *args], outside) == one
    assert len(one) == 3


def test_a_name_taken_by_other_bytes_gets_four_digits(wiki: Path, outside: Path) -> None:
    put(outside, "b.md", text="other bytes\n")
    digits = hashlib.sha256(b"other bytes\n").hexdigest()
    assert paths(expand(wiki, ["b.md"], outside)) == [f"raw/b-{digits[:4]}.md"]
    put(wiki, f"raw/b-{digits[:4]}.md", text="other bytes\n")
    assert paths(expand(wiki, ["b.md"], outside)) == [f"raw/b-{digits[:4]}.md"]
    put(wiki, f"raw/b-{digits[:4]}.md", text="third bytes\n")
    assert paths(expand(wiki, ["b.md"], outside)) == [f"raw/b-{digits[:8]}.md"]


def test_two_outside_files_with_one_name(wiki: Path, outside: Path) -> None:
    put(outside, "a/n.md", "b/n.md")
    found = expand(wiki, ["b/n.md", "a/n.md"], outside)
    digits = hashlib.sha256(b"about b/n.md\n").hexdigest()[:4]
    assert {one.path: one.file.parent.name for one in found} == {
        "raw/n.md": "a",
        f"raw/n-{digits}.md": "b",
    }


@pytest.mark.parametrize(
    ("arg", "words"),
    [("gone.md", "no such file"), ("*.nope", "no such file"), ("empty", "holds no sources")],
)
def test_nothing_found_says_so(wiki: Path, outside: Path, arg: str, words: str) -> None:
    (outside / "empty").mkdir(parents=True)
    with pytest.raises(InputError, match=words) as caught:
        expand(wiki, [str(wiki / "raw/b.md"), arg] if arg != "empty" else [arg], outside)
    assert arg in caught.value.where
    assert caught.value.fix


def test_links_that_leave_are_refused_and_links_inside_are_what_they_lead_to(
    wiki: Path, tmp_path: Path
) -> None:
    (tmp_path / "id_rsa").write_text("secret")
    (wiki / "raw/a/same.md").symlink_to("x.md")
    assert paths(expand(wiki, ["raw"], wiki)) == ["raw/a/x.md", "raw/b.md"]
    assert paths(expand(wiki, ["raw/a/same.md"], wiki)) == ["raw/a/x.md"]
    (wiki / "raw/again").symlink_to("a")
    assert paths(expand(wiki, ["raw"], wiki)) == ["raw/a/x.md", "raw/b.md"]
    (wiki / "raw/key.md").symlink_to(tmp_path / "id_rsa")
    assert refused(expand(wiki, ["raw"], wiki)) == {"raw/key.md": "leads out of"}
    with pytest.raises(InputError, match="leads out of"):
        expand(wiki, ["raw/key.md"], wiki)
    (wiki / "raw/key.md").unlink()
    (wiki / "raw/elsewhere").symlink_to(tmp_path)
    assert refused(expand(wiki, ["raw"], wiki)) == {"raw/elsewhere": "leads out of"}
    with pytest.raises(InputError, match="leads out of"):
        expand(wiki, ["raw/elsewhere"], wiki)
    # A clone may hold a link to any folder, and an agent may name what lies in it.
    (tmp_path / "other").symlink_to(wiki)
    for arg in ("raw/elsewhere/id_rsa", str(tmp_path / "other/raw/elsewhere/id_rsa")):
        with pytest.raises(InputError, match="leads out of"):
            expand(wiki, [arg], wiki)
    (wiki / "raw/elsewhere").unlink()
    (wiki / "raw/loop.md").symlink_to("loop.md")
    assert refused(expand(wiki, ["raw"], wiki)) == {"raw/loop.md": "leads nowhere"}


def test_a_hostile_folder_outside_cannot_reach_further(wiki: Path, outside: Path) -> None:
    put(outside, "repo/a.md", "private.txt")
    (outside / "repo/b.txt").symlink_to("../private.txt")
    with pytest.raises(InputError, match="leads out of"):
        expand(wiki, ["repo/b.txt"], outside)
    found = expand(wiki, ["repo"], outside)
    assert refused(found) == {"raw/repo/b.txt": "leads out of"}
    with pytest.raises(InputError, match="leads out of"):
        next(each for each in found if each.refused).read(SourceLimits())


def test_pipes_sockets_and_devices_are_refused_and_never_opened(wiki: Path) -> None:
    os.mkfifo(wiki / "raw/pipe.md")
    with pytest.raises(InputError, match="named pipe"):
        expand(wiki, ["raw/pipe.md"], wiki)
    assert refused(expand(wiki, ["raw"], wiki)) == {"raw/pipe.md": "named pipe"}
    with pytest.raises(InputError, match="named pipe"):
        read_bytes(wiki / "raw/pipe.md")
    (wiki / "raw/pipe.md").unlink()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(wiki / "raw")
        try:
            server.bind("sock.md")
        finally:
            os.chdir(here)
        with pytest.raises(InputError, match="socket"):
            expand(wiki, ["raw/sock.md"], wiki)
    with pytest.raises(InputError, match="device"):
        expand(wiki, ["/dev/null"], wiki)


def test_names_that_no_commit_can_hold_are_refused(wiki: Path) -> None:
    (wiki / "raw/two\nlines.md").write_text("x")
    (found,) = [each for each in expand(wiki, ["raw"], wiki) if each.refused]
    assert "control characters" in str(found.refused)


def test_reading_is_bounded_before_a_byte_is_read(tmp_path: Path) -> None:
    big = tmp_path / "big.md"
    with big.open("wb") as stream:
        stream.truncate(200_000_000_000)
    with pytest.raises(PolicyError, match=r"200,000,000,000 bytes; at most 100,000,000") as caught:
        read_bytes(big)
    assert "ingest.max_size" in caught.value.fix
    assert caught.value.exit_code == 7
    small = tmp_path / "small.md"
    small.write_bytes(b"12345")
    assert read_bytes(small, SourceLimits(max_bytes=5)) == b"12345"
    with pytest.raises(PolicyError):
        read_bytes(small, SourceLimits(max_bytes=4))


def test_reading_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    for name, words in (("link", "symbolic link"), (".", "folder"), ("gone", "no such file")):
        with pytest.raises(InputError, match=words):
            read_bytes(tmp_path / name)
