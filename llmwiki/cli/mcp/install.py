"""wiki mcp install: the entry of the server in the settings of a host."""

from __future__ import annotations

import difflib

import click

from llmwiki.cli.context import open_wiki, say
from llmwiki.core.errors import InputError
from llmwiki.mcp.hosts import HOSTS, HOSTS_BY_NAME
from llmwiki.mcp.install import HostChange, planned, write


@click.command("install")
@click.argument("hosts", nargs=-1, type=click.Choice([*HOSTS_BY_NAME, "all"]), metavar="HOST…")
@click.option("--uninstall", is_flag=True, help="Take the entry out again, and nothing else.")
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
@click.pass_context
def command(ctx: click.Context, hosts: tuple[str, ...], uninstall: bool, dry_run: bool) -> int:
    """Write the entry that makes a host start `wiki mcp` in this project.

    HOST is claude, codex, cursor, gemini, vscode, or all. The entry goes into the host's own file
    in this work tree (.mcp.json, .codex/config.toml, .cursor/mcp.json, .gemini/settings.json,
    .vscode/mcp.json), which you may commit: it names no folder of this machine. What else stands
    there stays byte for byte; a second run changes nothing; --uninstall gives the file back as it
    was. The host must find `wiki` on its PATH.

    \b
    Examples:
      wiki mcp install claude
      wiki mcp install cursor vscode --dry-run
      wiki mcp install all --uninstall
    """
    if not hosts:
        raise InputError("name a host", fix=f"One of: {', '.join(HOSTS_BY_NAME)}, all.")
    wiki = open_wiki(ctx)
    chosen = [host for host in HOSTS if host.name in hosts or "all" in hosts]
    # All are looked at before the first is written: a file that cannot be edited stops them all.
    changes = [planned(host, wiki.top, wiki.root, uninstall=uninstall) for host in chosen]
    for change in changes:
        if dry_run:
            say(_difference(change))
        else:
            write(change)
        say(_told(change, uninstall=uninstall, dry_run=dry_run))
    return 0


def _told(change: HostChange, *, uninstall: bool, dry_run: bool) -> str:
    host = change.host
    if not change.is_change:
        state = "has no entry" if uninstall else "has the entry already"
        return f"{host.title}: {host.file} {state}"
    word = ("would be " if dry_run else "") + ("removed from" if uninstall else "written to")
    told = f"{host.title}: entry {word} {host.file}"
    return told if uninstall else f"{told}\n  {host.title} {host.lacks}"


def _difference(change: HostChange) -> str:
    before, after = change.before.splitlines(), change.after.splitlines()
    name = change.host.file
    return "\n".join(difflib.unified_diff(before, after, name, name, lineterm=""))
