"""What the longer benchmarks share: a folder to work in, a git that is nobody's, talk on stderr."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def tell(sentence: str) -> None:
    """Talk, on stderr."""
    print(sentence, file=sys.stderr, flush=True)


@contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """A folder for the wikis: the one given, which stays, or one that goes."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="llmwiki-bench-") as scratch:
        yield Path(scratch)


def isolate_git() -> None:
    """This process's git obeys nobody's settings and signs as nobody."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        os.environ.update({f"GIT_{who}_NAME": "Benchmark", f"GIT_{who}_EMAIL": "bench@example.org"})
