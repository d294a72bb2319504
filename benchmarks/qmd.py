"""The search tool qmd, from the npm registry: installed where asked, with its index beside it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import Command, CommandFailed, run

NPM = ("npm", "install", "--silent", "--no-audit", "--no-fund")


@dataclass(frozen=True, slots=True)
class Qmd:
    """An installed qmd."""

    program: Path
    environment: dict[str, str]

    def command(self, root: Path, *arguments: str) -> Command:
        """A call with an index of its own for each wiki, which must succeed."""
        cache = root.with_name(f"{root.name}-qmd")
        places = {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(cache / "config")}
        argv = (str(self.program), *arguments)
        return Command(argv, root, {**self.environment, **places})

    def forget(self, root: Path) -> None:
        """Removes the index of a wiki."""
        shutil.rmtree(root.with_name(f"{root.name}-qmd"), ignore_errors=True)


def install(folder: Path, environment: dict[str, str]) -> Qmd:
    """Installs qmd below `folder`, or finds it there. Raises CommandFailed where it cannot be.

    Node 22 comes first: under an older one npm picks a qmd of another generation.
    """
    folder.mkdir(parents=True, exist_ok=True)
    binaries = folder / "node_modules" / ".bin"
    env = {**environment, "PATH": f"{binaries}:{environment.get('PATH', '')}"}
    try:
        for program, package in (("node", "node@22"), ("qmd", "@tobilu/qmd")):
            if not (binaries / program).exists():
                run(Command((*NPM, package), folder, env))
        run(Command((str(binaries / "qmd"), "--version"), folder, env))
    except OSError as error:
        raise CommandFailed(f"qmd cannot be installed: {error}") from error
    return Qmd(binaries / "qmd", env)
