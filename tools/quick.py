"""The tests that a change can break, chosen by who imports whom: for `make quick`.

    python tools/quick.py [BASE]         the chosen files of tests, and on stderr why these
    pytest -p tools.quick                writes how long each file of tests takes (`make seconds`)

From the files that differ from BASE (without it the branch `main`, or on `main` the last commit) it
goes to all that import them, and so on. The nearest tests come first, of those the shorter ones, as
far as the time reaches; what is left out is said. A file counts as imported also where another one
names it, as commands and documents are named.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SECONDS = ROOT / "tools" / "seconds.txt"
BUDGET = 50.0
"""Seconds of tests, over all workers."""
UNKNOWN = 5.0
"""Seconds of a file of tests that nobody has timed."""
CORE = ("test_docs", "test_life", "test_own_wiki")
"""Run with every change."""
LOADED = {"llmwiki/sources/convert_child.py": "llmwiki/sources/converters/from_"}
"""What imports by names that it makes, and how those begin."""


# --- who imports whom ----------------------------------------------------------------------


class Files:
    """The files of the repository, and which of them each one leads to."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names)
        self.modules = {_module(name): name for name in self.names if name.endswith(".py")}
        self.commands = _commands()
        named = [n for n in self.names if not n.startswith(("wiki/", "raw/", "tests/data/"))]
        times = Counter(name.rpartition("/")[2] for name in named)
        self.by_name = {last: n for n in named if times[last := n.rpartition("/")[2]] == 1}
        self.folders: dict[str, list[str]] = {}
        for name in self.names:
            *folders, _file = name.split("/")
            if len(folders) > 1 and folders[0] == "tests":
                self.folders.setdefault(f"{folders[-1]}/", []).append(name)

    def users(self) -> dict[str, set[str]]:
        """Of each file, those that lead to it directly."""
        found: dict[str, set[str]] = {}
        for name in self.modules.values():
            for other in self._uses(name):
                found.setdefault(other, set()).add(name)
        return found

    def _uses(self, name: str) -> set[str]:
        text = (ROOT / name).read_text("utf-8")
        found = {self.modules[m] for m in _imported(text) if m in self.modules}
        found.update(n for n in self.names if n.startswith(LOADED.get(name, "/")))
        for word in set(re.findall(r"[\w.-]+\.\w+", text)) & self.by_name.keys():
            # What the package says of its tests is no use of them.
            if not (name.startswith("llmwiki/") and self.by_name[word].startswith("tests/")):
                found.add(self.by_name[word])
        if name.startswith("tests/"):
            said = set(re.findall(r'"([\w-]+)"', text))
            found.update(self.modules[self.commands[w]] for w in said & self.commands.keys())
            for folder in self.folders.keys() & set(re.findall(r"\w+/", text)):
                found.update(self.folders[folder])
            found.add("tests/conftest.py")
        return found - {name}


def _module(name: str) -> str:
    inner = name.removeprefix("tests/").removesuffix(".py").removesuffix("/__init__")
    return inner.replace("/", ".")


_IMPORT = re.compile(
    r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|[^\n(]*)|import ([^\n(]*))", re.MULTILINE
)


def _imported(text: str) -> set[str]:
    """Modules that a text may import, with the packages they lie in.

    Not the library's face, which imports all when it is asked for: only who names it uses it.
    """
    found: set[str] = set()
    for module, names, modules in _IMPORT.findall(text):
        found.update(re.findall(r"[\w.]+", modules))
        found.update(f"{module}.{name}" for name in re.findall(r"\w+", names))
    within = {".".join(parts[:n]) for m in found for parts in [m.split(".")] for n in range(1, 9)}
    return (
        within
        if any(re.fullmatch(r"llmwiki(\.[A-Z]\w*)?", m) for m in found)
        else within - {"llmwiki"}
    )


def _commands() -> dict[str, str]:
    """Command to the module that it is loaded from by name."""
    from llmwiki.interfaces.cli.command_table import COMMANDS, HIDDEN

    modules = {**{name: row for name, (row, _help) in COMMANDS.items()}, **HIDDEN}
    return {
        name: f"llmwiki.interfaces.cli.commands.{row.partition(':')[0]}"
        for name, row in modules.items()
    }


def reached(changed: Iterable[str], users: Mapping[str, set[str]]) -> dict[str, int]:
    """Each file that leads to a changed one, and over how many steps."""
    far = dict.fromkeys(changed, 0)
    edge = list(far)
    while edge:
        edge = sorted({u for name in edge for u in users.get(name, ()) if u not in far})
        far.update(dict.fromkeys(edge, max(far.values()) + 1))
    return far


def chosen(far: Mapping[str, int], seconds: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """The files of tests to run, and those that there is no time for."""
    core = [f"tests/{name}.py" for name in CORE]
    tests = [name for name in far if re.fullmatch(r"tests/test_\w+\.py", name)]
    order = sorted(set(tests) - set(core), key=lambda n: (far[n], seconds.get(n, UNKNOWN), n))
    taken, left, total = core, [], sum(seconds.get(name, UNKNOWN) for name in core)
    for name in order:
        took = seconds.get(name, UNKNOWN)
        if total + took <= BUDGET:
            taken.append(name)
            total += took
        else:
            left.append(name)
    return taken, left


# --- git -----------------------------------------------------------------------------------


def _git(*args: str, ok: tuple[int, ...] = (0,)) -> list[str]:
    """What git says, in parts that end in NUL."""
    done = subprocess.run(("git", *args), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in ok:
        sys.exit(f"git {' '.join(args)}: {done.stderr.strip()}")
    return [part for part in done.stdout.split("\0") if part.strip()]


def _base() -> str:
    known = _git("rev-parse", "-q", "--verify", "main", ok=(0, 1))
    if known and known != _git("rev-parse", "HEAD"):
        return _git("merge-base", "HEAD", "main")[0].strip()
    return "HEAD" if _git("status", "--porcelain", "-z") else "HEAD~"


def main(argv: list[str]) -> int:
    """Prints the files of tests to run."""
    base = argv[0] if argv else _base()
    untracked = _git("ls-files", "-z", "--others", "--exclude-standard")
    changed = sorted({*_git("diff", "--name-only", "-z", base), *untracked})
    files = Files(n for n in {*_git("ls-files", "-z"), *untracked} if (ROOT / n).is_file())
    far = reached(changed, files.users())
    taken, left = chosen(far, read_seconds())
    print(*taken)
    said = f"{len(changed)} files differ from {base[:10]}: {len(taken)} files of tests"
    if left:
        names = " ".join(name.removeprefix("tests/test_").removesuffix(".py") for name in left)
        said += f"; no time for {len(left)}, which `make test` runs: {names}"
    print(said, file=sys.stderr)
    return 0


# --- how long tests take -------------------------------------------------------------------

_took: Counter[str] = Counter()


def read_seconds() -> dict[str, float]:
    """Seconds of each file of tests, as they were when somebody timed them."""
    rows = SECONDS.read_text("utf-8").splitlines() if SECONDS.is_file() else []
    return {name: float(took) for took, name in (row.split() for row in rows)}


def pytest_runtest_logreport(report: Any) -> None:
    """Called by pytest after each part of a test."""
    _took[report.nodeid.partition("::")[0]] += report.duration


def pytest_sessionfinish(session: Any) -> None:
    """Called by pytest at the end, in its workers too."""
    if not hasattr(session.config, "workerinput"):
        rows = {**read_seconds(), **_took}
        kept = sorted((name, took) for name, took in rows.items() if (ROOT / name).is_file())
        SECONDS.write_text("".join(f"{took:.1f} {name}\n" for name, took in kept), "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
