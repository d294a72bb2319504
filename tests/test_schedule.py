"""`wiki watch --schedule`: entries with the commands that were meant, whatever the path holds."""

from __future__ import annotations

import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki

from llmwiki.app.schedule import JOBS, DailyJobs, schedule
from llmwiki.core.errors import InputError

NASTY = '/home/a b/50% off/it\'s "q" $HOME `x`; rm -rf & \\ %h é*'


def commands(daily: DailyJobs) -> list[list[str]]:
    return [[daily.program, "-C", daily.root, *words] for words in JOBS.values()]


def run_by_shell(line: str) -> list[str]:
    """The words that a shell makes of a line."""
    show = 'for word; do printf "%s\\n" "$word"; done'
    code = f"set -- {line}\n{show}"
    return (
        subprocess.run(["sh", "-c", code], capture_output=True, check=True, text=True)
        .stdout[:-1]
        .split("\n")
    )


@pytest.mark.parametrize("root", ["/srv/notes", NASTY])
def test_each_system_is_given_the_words_that_were_meant(root: str) -> None:
    daily = DailyJobs(f"{root}/bin/wiki", root, "/home/me", hour=23, minute=55)
    (crontab,) = schedule("cron", daily)
    lines = [line for line in crontab.text.splitlines() if not line.startswith("#")]
    assert [line.split()[:2] for line in lines] == [
        ["55", "23"],
        ["5", "0"],
        ["15", "0"],
        ["25", "0"],
    ]
    # As cron has it: a per cent sign without a backslash ends the command.
    given = [line.split(" ", 5)[5] for line in lines]
    assert not any(re.search(r"(?<!\\)%", line) for line in given)
    assert [run_by_shell(line.replace("\\%", "%")) for line in given] == commands(daily)

    service, timer = schedule("systemd", daily)
    starts = re.findall(r"^ExecStart=-(/.*)$", service.text, re.MULTILINE)
    words = [shlex.split(line.replace("%%", "%").replace("$$", "$")) for line in starts]
    assert words == [["/usr/bin/env", *command] for command in commands(daily)]
    assert "OnCalendar=*-*-* 23:55:00" in timer.text and "Persistent=true" in timer.text

    (agent,) = schedule("launchd", daily)
    held = plistlib.loads(agent.text.encode())
    shell, flag, script = held["ProgramArguments"]
    assert (shell, flag) == ("/bin/sh", "-c")
    assert [run_by_shell(part) for part in script.split("; " + shlex.quote(daily.program))][1:] == [
        command[1:] for command in commands(daily)[1:]
    ]
    assert held["StartCalendarInterval"] == {"Hour": 23, "Minute": 55}
    assert agent.path == f"Library/LaunchAgents/{held['Label']}.plist"


def test_systemd_finds_no_fault(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not here")
    daily = DailyJobs("/bin/true", NASTY, "/home/me")
    for entry in schedule("systemd", daily):
        (tmp_path / Path(entry.path).name).write_text(entry.text, "utf-8")
    units = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *units], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if daily.name in line]
    assert not ours, done.stderr


def test_a_path_that_no_entry_holds_is_refused() -> None:
    for root in ("/a\nb", "/a\tb"):
        with pytest.raises(InputError):
            schedule("cron", DailyJobs("/bin/wiki", root, "/home/me"))
    with pytest.raises(InputError):
        schedule("cron", DailyJobs("/bin/wiki", "/x" * 600, "/home/me"))


def test_the_command_prints_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki: Wiki = wikikit.make(tmp_path, monkeypatch)
    before = wiki.head, wiki.status
    told = wiki.ok(
        "watch", "--schedule", "cron", "--at", "6:05", "--job", "digest", "--job", "lint"
    ).out
    assert re.search(rf"^5 6 \* \* \* /\S+ -C {wiki.root} lint$", told, re.MULTILINE)
    assert f"15 6 * * * {told.split()[-7]}" in told and "tidy" not in told
    assert len(wiki.ok("watch", "--schedule", "systemd", "--json").json["files"]) == 2
    assert "# ~/.config/systemd/user/llmwiki-" in wiki.ok("watch", "--schedule", "systemd").out
    alone = wiki.ok("watch", "--schedule", "cron")
    assert " tidy" not in alone.out and "--job tidy" in alone.err and " lint\n" in alone.out
    assert wiki.ok("watch", "--schedule", "cron", "--job", "tidy").out.endswith(" tidy\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    alone = wiki.ok("watch", "--schedule", "cron")
    assert " tidy\n" in alone.out and not alone.err
    for bad in (("--at", "24:00"), ("--at", "noon"), ("--job", "all"), ("anacron",)):
        assert wiki.run("watch", "--schedule", *bad).code == 2
    assert (wiki.head, wiki.status) == before
    assert list(Path(wiki.root.parent / "home").rglob("*")) == []
