"""What the code calls that a system lacks is known, said, and on Linux only where it must be."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def platforms() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_platforms", DOCS / "make_platforms.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_document_lists_what_the_code_calls(platforms: ModuleType) -> None:
    text = platforms.PLACE.read_text("utf-8")
    assert platforms.render(text) == text, "run python docs/make_platforms.py"
    assert "`import fcntl`" in text and "store/lock.py" in text


def test_what_macos_lacks_is_asked_for_on_linux_only(platforms: ModuleType) -> None:
    for name, files in platforms.on_macos().items():
        for file in files:
            code = (platforms.CODE / file).read_text("utf-8")
            assert "sys.platform" in code, f"{file} calls {name}, which macOS lacks"


def test_the_tables_are_of_this_python(platforms: ModuleType) -> None:
    """What only Windows is said to lack is here: a misspelt name would never be found."""
    missing = [f"os.{name}" for name in platforms.WINDOWS["os"] if not hasattr(os, name)]
    missing += [f"signal.{n}" for n in platforms.WINDOWS["signal"] if not hasattr(signal, n)]
    lacking = {f"os.{name}" for name in platforms.MACOS["os"]}
    # By the release of Python, and by how it was built.
    assert set(missing) <= lacking | {"os.plock"}, sorted(missing)
