"""The entries that make cron, systemd and launchd run the daily jobs of a wiki, as text."""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from llmwiki.core.errors import InputError
from llmwiki.core.text import digest32

TIDY = "tidy"
"""The job that asks a model."""
JOBS: dict[str, tuple[str, ...]] = {
    "lint": ("lint",),
    TIDY: ("tidy",),
    "memory": ("memory", "sweep"),
    "digest": ("log", "--since", "yesterday", "--digest"),
}
"""The daily jobs, in the order in which they run: name to the command behind `wiki`."""
SYSTEMS = ("cron", "systemd", "launchd")
_APART = 10
"""Minutes from one line of a crontab to the next; a job that lasts longer is waited for."""
_LONGEST = 990
"""Characters of a command that every cron takes."""
_UNFIT = re.compile("[\x00-\x1f\x7f]")
_PLAIN = frozenset(string.ascii_letters + string.digits + "-_./=:,@+")


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """One file, or the lines of a crontab."""

    path: str
    """Where it goes: a file below the home directory, or `crontab`."""
    text: str


@dataclass(frozen=True, slots=True)
class DailyJobs:
    """What is run, and when."""

    program: str
    """`wiki`, as an absolute path."""
    root: str
    """The wiki's folder, absolute."""
    home: str
    """The user's own folder, absolute."""
    jobs: tuple[str, ...] = tuple(JOBS)
    hour: int = 5
    minute: int = 30

    @property
    def name(self) -> str:
        """A word for files and labels that no other wiki on this machine has."""
        stem = re.sub(r"[^a-z0-9]+", "-", PurePath(self.root).name.lower()).strip("-")
        return f"llmwiki-{stem[:30] or 'wiki'}-{digest32((self.root,), 6)}"

    @property
    def commands(self) -> list[list[str]]:
        """The commands, in the order of `JOBS`."""
        return [
            [self.program, "-C", self.root, *words]
            for name, words in JOBS.items()
            if name in self.jobs
        ]


def schedule(system: str, daily: DailyJobs) -> tuple[ScheduleEntry, ...]:
    """The entries for one of `SYSTEMS`.

    Raises InputError for a path with control characters, which no entry can hold, and for one that
    is too long for a crontab.
    """
    for path in (daily.program, daily.root, daily.home):
        if _UNFIT.search(path):
            raise InputError(
                "holds control characters, which stand in no such entry",
                where=ascii(path)[1:-1],
                fix="Rename the folder.",
            )
    makers = {"cron": _cron, "systemd": _systemd, "launchd": _launchd}
    return makers[system](daily)


def _cron(daily: DailyJobs) -> tuple[ScheduleEntry, ...]:
    rows = ["# Add these lines with `crontab -e`. What a job prints, cron sends by mail."]
    for number, command in enumerate(daily.commands):
        minutes = daily.hour * 60 + daily.minute + number * _APART
        hour, minute = divmod(minutes % (24 * 60), 60)
        # For cron a per cent sign ends the command, quoted or not.
        line = shlex.join(command).replace("%", "\\%")
        if len(line) > _LONGEST:
            raise InputError("is too long a path for a crontab", where=daily.root)
        rows.append(f"{minute} {hour} * * * {line}")
    return (ScheduleEntry("crontab", "\n".join(rows) + "\n"),)


def _systemd(daily: DailyJobs) -> tuple[ScheduleEntry, ...]:
    unit = daily.name
    about = _percent(daily.root)
    starts = "".join(
        f"ExecStart=-/usr/bin/env {' '.join(map(_systemd_word, command))}\n"
        for command in daily.commands
    )
    service = (
        f"[Unit]\nDescription=Daily jobs of the wiki {about}\n\n"
        "[Service]\nType=oneshot\n# A minus sign: what fails does not keep the rest from running.\n"
        f"{starts}"
    )
    timer = (
        "# To begin: systemctl --user daemon-reload\n"
        f"#           systemctl --user enable --now {unit}.timer\n"
        f"# What the jobs print: journalctl --user -u {unit}\n"
        f"[Unit]\nDescription=When the daily jobs of the wiki {about} run\n\n"
        f"[Timer]\nOnCalendar=*-*-* {daily.hour:02}:{daily.minute:02}:00\n"
        "# What was missed while the machine was off runs when it is on again.\nPersistent=true\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    folder = ".config/systemd/user"
    return (
        ScheduleEntry(f"{folder}/{unit}.service", service),
        ScheduleEntry(f"{folder}/{unit}.timer", timer),
    )


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _systemd_word(word: str) -> str:
    """A word of ExecStart, in which systemd looks for quotes, `%x` and `$X`."""
    if word and _PLAIN.issuperset(word):
        return word
    quoted = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_percent(quoted)}"'


def _launchd(daily: DailyJobs) -> tuple[ScheduleEntry, ...]:
    import plistlib

    label = f"local.{daily.name}"
    log = f"{daily.home}/Library/Logs/{label}.log"
    held = {
        "Label": label,
        "ProgramArguments": ["/bin/sh", "-c", _in_turn(daily.commands)],
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "StartCalendarInterval": {"Hour": daily.hour, "Minute": daily.minute},
    }
    path = f"Library/LaunchAgents/{label}.plist"
    head, mark, rest = plistlib.dumps(held, sort_keys=True).decode().partition("<plist ")
    note = (
        f"<!-- To begin: launchctl bootstrap gui/$(id -u) ~/{path}\n"
        f"     What the jobs print: ~/Library/Logs/{label}.log -->\n"
    )
    return (ScheduleEntry(path, f"{head}{note}{mark}{rest}"),)


def _in_turn(commands: Sequence[Sequence[str]]) -> str:
    return "; ".join(shlex.join(command) for command in commands)
