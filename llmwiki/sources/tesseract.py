"""tesseract, where it is installed, as a reader of pictures."""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError, ProviderError
from llmwiki.sources.converted import SourceLimits
from llmwiki.sources.sandbox import ENVIRONMENT, ProcessOutcome, find_program, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki.core.document import Picture

MANY = 4
"""Languages that are tried at once where the user names none. A second one costs a third of the
time more and no better text; a hundred, as some systems install, cost minutes a page."""

_CHILD = Path(__file__).with_name("confine.py")
_LANGUAGES = re.compile(r"[A-Za-z_]+(\+[A-Za-z_]+)*")
_NO_LANGUAGE = re.compile(r"osd|equ|snum|.*_vert")
"""Trained data that tells directions, digits or formulas, or that another brings along itself."""
_VERSION = re.compile(rb"tesseract v?([0-9][0-9A-Za-z.+-]*)")
_QUICK = SourceLimits(seconds=10.0)
_AT_ONCE = min(4, os.cpu_count() or 1)
"""Processes; each may take the memory of a conversion."""
_MOST = 1 << 20
"""Bytes of text of one picture."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """Reads pictures with the program at `program`, each in a process of its own, within limits.

    Made by `find_tesseract`.
    """

    program: str
    """Absolute path."""
    version: str
    languages: str
    """Of trained data that is there, joined by `+`: `eng+jpn`."""
    limits: SourceLimits = field(default_factory=SourceLimits)
    """Memory and time of one picture."""

    @property
    def tool(self) -> str:
        """`tesseract/5.3.0`."""
        return f"tesseract/{self.version}"

    def read(self, pictures: Iterable[Picture]) -> list[str]:
        """The text of each picture, in order; "" where there is none.

        Raises PolicyError where one takes more than the limits, ProviderError where the program
        fails.
        """
        texts: list[str] = []
        left = iter(pictures)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # As many are drawn as are read at once, so that a long scan is never held whole.
            while some := list(islice(left, _AT_ONCE)):
                texts += pool.map(self._read, some)
        return texts

    def _read(self, picture: Picture) -> str:
        where = picture.label
        arguments = ("stdin", "stdout", "-l", self.languages)
        outcome = _run(self.program, arguments, picture.data, self.limits)
        if outcome.late:
            raise PolicyError(
                _about(where, f"tesseract takes more than {self.limits.seconds:g} seconds"),
                fix="Read it with a model, or name fewer languages.",
            )
        if outcome.status != 0 or len(outcome.answer) > _MOST:
            raise ProviderError(
                _about(where, f"tesseract failed (status {outcome.status})"),
                fix="Try it by hand on the file, or read it with a model.",
            )
        return outcome.answer.decode(errors="replace").replace("\f", "")


def find_tesseract(languages: str = "", *, root: Path | None = None) -> Tesseract | None:
    """The tesseract that PATH names, or None where there is none that can be run.

    Programs below `root`, the wiki's, or the current directory are never run. `languages` as
    tesseract takes them (`eng+jpn`); without, all that are installed if they are few, else
    English. Raises InputError for languages that are malformed or not installed.
    """
    if languages and not _LANGUAGES.fullmatch(languages):
        raise InputError(
            f"`{languages[:60]}` names no languages of tesseract", fix="Write them as eng+jpn."
        )
    program = find_program("tesseract", [Path.cwd(), *([root] if root else [])])
    if program is None:
        return None
    version = _VERSION.match(_run(program, ("--version",), b"", _QUICK).answer)
    listed = _run(program, ("--list-langs",), b"", _QUICK).answer.decode(errors="replace")
    # The first line is a heading.
    installed = sorted(line.strip() for line in listed.splitlines()[1:] if line.strip())
    if version is None or not installed:
        return None
    chosen = _chosen(languages, [name for name in installed if _LANGUAGES.fullmatch(name)])
    return Tesseract(program, version[1].decode(), chosen)


def _chosen(wanted: str, installed: list[str]) -> str:
    missing = sorted(set(filter(None, wanted.split("+"))) - set(installed))
    if missing:
        raise InputError(
            f"tesseract has no {', '.join(missing)}; it has {', '.join(installed)}",
            fix="Install the language, or choose another. Debian's packages are named "
            f"tesseract-ocr-{missing[0].replace('_', '-').lower()}.",
        )
    if wanted:
        return wanted
    usual = [name for name in installed if not _NO_LANGUAGE.fullmatch(name)]
    if len(usual) > MANY and "eng" in usual:
        return "eng"
    return "+".join(usual[:MANY] or installed[:1])


def _run(
    program: str, arguments: tuple[str, ...], data: bytes, limits: SourceLimits
) -> ProcessOutcome:
    environment = {**ENVIRONMENT, "OMP_THREAD_LIMIT": "1"}
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        environment["TESSDATA_PREFIX"] = prefix
    reads = _read_by(program, environment.get("TESSDATA_PREFIX"))
    bounds = (str(limits.memory), str(limits.seconds), os.pathsep.join(reads))
    return run(
        [sys.executable, "-P", "-s", str(_CHILD), *bounds, program, *arguments],
        (data,),
        most=_MOST,
        seconds=limits.seconds,
        environment=environment,
    )


def _read_by(program: str, trained: str | None) -> tuple[str, ...]:
    """The program, what it is a link to, and what is installed with it outside of /usr."""
    files = [Path(program), Path(program).resolve()]
    beside = [
        file.parents[1] / name for file in files for name in ("lib", "lib64", "share/tessdata")
    ]
    return tuple(dict.fromkeys(map(str, (*files, *beside, *([trained] if trained else [])))))


def _about(label: str, what: str) -> str:
    return f"{label}: {what}" if label else what
