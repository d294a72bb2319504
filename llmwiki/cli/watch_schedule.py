"""wiki watch --schedule: what makes the system run the daily jobs."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.app.schedule import JOBS, TIDY, DailyJobs, schedule
from llmwiki.cli.context import say, say_json, tell
from llmwiki.core.errors import WikiError

if TYPE_CHECKING:
    from llmwiki import Wiki

_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def tell_schedule(
    wiki: Wiki, system: str, at: str, asked: tuple[str, ...], *, as_json: bool
) -> int:
    """Prints the entry by which cron, systemd or launchd runs the daily jobs of a wiki; an empty
    `system`: what this machine has."""
    found = _TIME.fullmatch(at)
    if found is None:
        raise click.BadParameter("such as 05:30, in 24 hours.", param_hint="--at")
    jobs = asked or tuple(job for job in JOBS if job != TIDY or _has_model(wiki))
    if not asked and TIDY not in jobs:
        tell("wiki: without `tidy`: it needs a model, and there is none; --job tidy adds it")
    place = (_program(), str(wiki.root), str(Path.home()))
    daily = DailyJobs(*place, jobs, int(found[1]), int(found[2]))
    entries = schedule(system or _of_this_machine(), daily)
    if as_json:
        from llmwiki.app.shapes.operations import ScheduleJson

        say_json(ScheduleJson.of(files=entries))
        return 0
    for number, each in enumerate(entries):
        if len(entries) > 1:
            say(f"{'' if number == 0 else chr(10)}# ~/{each.path}")
        say(each.text.rstrip("\n"))
    return 0


def _has_model(wiki: Wiki) -> bool:
    try:
        return bool(wiki.model_at_hand())
    except WikiError:
        return False


def _of_this_machine() -> str:
    if sys.platform == "darwin":
        return "launchd"
    return "systemd" if Path("/run/systemd/system").is_dir() else "cron"


def _program() -> str:
    """The `wiki` that was called, else the one on PATH or beside the interpreter."""
    called, beside = Path(sys.argv[0]), Path(sys.executable).with_name("wiki")
    if called.name in ("wiki", "llmwiki") and called.is_file():
        return str(called.absolute())
    found = shutil.which("wiki")
    return str(Path(found).absolute() if found else beside)
