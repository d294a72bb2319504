"""What is handed out: the wheel, the manual page, the versions that CI installs."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def tracked(*under: str) -> list[str]:
    out = subprocess.run(
        ["git", "ls-files", "-z", "--", *under], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    return [name for name in out.split("\0") if name]


def test_every_file_of_the_package_is_package_data() -> None:
    """Cheaper than a wheel: a file that no pattern names would be missing in it."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["llmwiki"]
    held = {p for pattern in patterns for p in (ROOT / "llmwiki").glob(pattern)}
    files = {ROOT / name for name in tracked("llmwiki") if not name.endswith(".py")}
    assert files <= held, sorted(files - held)
    folders = {p.parent for p in map(ROOT.__truediv__, tracked("llmwiki")) if p.suffix == ".py"}
    assert all((folder / "__init__.py").is_file() for folder in folders)


def test_the_manual_page_is_what_help_says() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        spec = importlib.util.spec_from_file_location("make_man", ROOT / "docs/make_man.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        text = module.PLACE.read_text("utf-8")
        assert module.render() == text, "run python docs/make_man.py"
    finally:
        sys.path.remove(str(ROOT / "docs"))
    assert text.isascii()
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", str(module.PLACE)],
            capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")


def test_each_dependency_has_a_version_for_ci() -> None:
    names = re.findall(
        r"^([a-z0-9._-]+)==", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE
    )
    pinned = {re.sub(r"[-_.]+", "-", name.lower()) for name in names}
    extras = PROJECT["project"]["optional-dependencies"].values()
    for wanted in (PROJECT["project"]["dependencies"], *extras):
        for line in wanted:
            name = re.sub(r"[-_.]+", "-", re.split(r"[<>=\[; ]", line)[0].lower())
            assert name in pinned | {"git-llmwiki"}, f"{name}: run make constraints"


@pytest.mark.soak
def test_wheel_and_sdist_hold_the_program_and_nothing_else(tmp_path: Path) -> None:
    source = tmp_path / "source"
    kept = ("llmwiki", "docs/wiki.1", "tests", "pyproject.toml", "MANIFEST.in", "README.md",
            "LICENSE", "NOTICE", "constraints.txt")  # fmt: skip
    for name in tracked(*kept):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    (source / "llmwiki/junk.orig").write_text("junk")
    sdist = _built("sdist", source, tmp_path)
    with tarfile.open(sdist) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (top,) = (tmp_path / "unpacked").iterdir()
    names = {p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file()}
    package = set(tracked("llmwiki"))
    assert package <= names and not any(n.startswith(("tests", "raw/", "wiki/")) for n in names)
    # The wheel is made from the sdist: that holds all it needs.
    with zipfile.ZipFile(_built("wheel", top, tmp_path)) as packed:
        held = set(packed.namelist())
    inside = {n for n in held if not re.match(r"git_llmwiki-[^/]+\.(dist-info|data)/", n)}
    assert inside == package
    assert any(n.endswith("share/man/man1/wiki.1") for n in held)
    assert any(n.endswith("licenses/NOTICE") for n in held)


def _built(kind: str, source: Path, place: Path) -> Path:
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(place)!r}))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=source, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return place / done.stdout.splitlines()[-1]
