"""The group of commands, each loaded when it is called; errors are reported here alone."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.questions import QUESTIONS
from llmwiki.core.errors import WikiError
from llmwiki.interfaces.cli import print_landings, progress
from llmwiki.interfaces.cli.safe_text import clean
from llmwiki.interfaces.cli.stopping import INTERRUPTED, Terminated
from llmwiki.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

ALL = "llmwiki.all"
"""Of a context: whether the help lists what it leaves out else."""
_LONGEST = 400
"""Characters of what the list of a group says of one command."""


class CommandGroup(click.Group):
    """A group that says what was meant by a misspelt command, and takes `help COMMAND`."""

    meant: Mapping[str, str] = {}
    """Words that people try, to what they are called here."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a line's first word, as click has it. Raises UsageError for none."""
        if args[:1] == ["help"]:
            ctx.meta[ALL] = args[1:] == ["--all"]
            if len(args) == 1 or ctx.meta[ALL]:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [*args[1:], "--help"]
        is_word = bool(args) and not args[0].startswith("-")
        if is_word and not self.has(args[0]) and not ctx.resilient_parsing:
            raise click.UsageError(self._refusal(ctx, args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands, each with its whole first sentence."""
        shown = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, each.get_short_help_str(_LONGEST))
            for name, each in shown
            if each is not None and not each.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def has(self, name: str) -> bool:
        """Whether there is a command of that name, hidden ones included."""
        return name in self.commands

    def _refusal(self, ctx: click.Context, name: str) -> str:
        from llmwiki.core.text import nearest
        from llmwiki.interfaces.cli.safe_text import clean

        known = self.list_commands(ctx)
        near = [meant] if (meant := self.meant.get(name)) else nearest(name, known)
        if near:
            hint = f"Did you mean `{ctx.command_path} {near[0]}`?"
        else:
            hint = f"`{ctx.command_path} --help` lists them: {', '.join(known)}."
        return f"There is no command `{clean(name)}`. {hint}"


SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Every day": {
        "init": ("init_adopt_config", "Make a wiki here, or complete one"),
        "ingest": ("ingest_apply_watch", "Read sources in, one commit each"),
        "search": ("search_and_context", "Find pages and lines by words"),
        "show": ("why_and_show:show", "Print a page, a claim, lines of a source"),
        "query": ("query", "Answer a question, every citation checked"),
        "chat": ("chat.command", "Talk with an agent that knows the wiki"),
        "remember": ("rename_merge_remember:remember", "Note one thing"),
        "status": ("status_index_recover:status", "What there is, what waits, what is open"),
        "log": ("log_and_diff", "Operations, newest first (--digest)"),
        "lint": ("lint", "Find what is wrong, and mend it"),
        "undo": ("undo_and_retract:undo", "Take an operation back; again: redo"),
        "serve": ("serve", "Show the wiki in a browser"),
    },
    "Change and decide": {
        "diff": ("log_and_diff:diff", "What changed, claim by claim"),
        "why": ("why_and_show", "Where a claim comes from (--rests: what rests on it)"),
        "review": ("review", "Decide what waits, claim by claim"),
        "retract": ("undo_and_retract", "Forget a source, and what rests on it alone"),
        "rename": ("rename_merge_remember:rename", "Give a page another title; links follow"),
        "merge": ("rename_merge_remember:merge", "Make one page of two"),
        "tidy": ("asking", "Pages that are one, leads, conflicts"),
        "graph": ("graph", "Draw it; hubs, bridges, missing links"),
    },
    "For agents": {
        "context": ("search_and_context:context", "Passages for a question"),
        "apply": ("ingest_apply_watch:apply", "Check and commit an answer"),
        "mcp": ("mcp", "Serve tools to agents and editors"),
    },
}
"""Heading of the help to its commands: each with (module of this package, one line of help). A
command that its module does not call `command` stands behind a colon. `--help` loads none."""
MORE: dict[str, tuple[str, str]] = {
    "adopt": ("init_adopt_config:adopt_notes", "Make a wiki of notes that exist already"),
    "config": ("init_adopt_config:config", "Settings in force, and where they come from; set one"),
    "export": ("export:export", "Write the wiki as a bundle for other programs"),
    "index": ("status_index_recover:index", "Bring the search index up to date, or check it"),
    "memory": ("memory", "What was learned from conversations, and why"),
    "recover": ("status_index_recover:recover", "Finish what a crash left unfinished"),
    "resolve": ("status_index_recover:resolve", "Merge the pages that a stopped merge left"),
    "schema": ("status_index_recover:schemas", "The shape of what commands print as JSON"),
    "skills": ("skills", "What agents know to do here: list, show, check"),
    "supersede": ("undo_and_retract:supersede", "Strike a claim for the one that took its place"),
    "watch": ("ingest_apply_watch:watch", "Ingest what arrives in a folder"),
}
"""Those that `wiki help --all` lists too."""
for _row in QUESTIONS.values():
    if _row.help and " " not in _row.command and _row.command not in SECTIONS["Change and decide"]:
        MORE[_row.command] = ("asking", _row.help.partition(".\n")[0])
COMMANDS = {name: row for rows in (*SECTIONS.values(), MORE) for name, row in rows.items()}

MEANT = {
    "add": "ingest",
    "ask": "query",
    "delete": "retract",
    "find": "search",
    "forget": "retract",
    "history": "log",
    "list": "status",
    "mv": "rename",
    "read": "show",
    "redo": "undo",
    "remove": "retract",
    "rm": "retract",
    "taint": "why --rests",
    "version": "--version",
}
"""Words that people try, to what they are called here."""

QUICK = frozenset({"search", "context", "graph", "hook"})
"""Commands that make next to no cycles, and for which the collector is not worth its time: over
soon, or with a million values to look through."""

_MADE = 10_000
"""Objects made, beyond those let go, before cycles are looked for. Python's 700 takes a tenth of
the time of a question in a chat: with the model's client there are 160,000 to look through."""

HIDDEN = {"merge-driver": "status_index_recover:merge_driver", "hook": "hook"}
"""Commands that git and coding agents call, not people."""

INTERNAL_ERROR = 70
"""The exit code after what is a bug."""

EXIT_CODES = """\b
Exit codes:
  0 done    1 findings, no match    2 usage or unreadable input
  3 the repository's state refuses  4 provider or network
  5 unusable model output           6 another operation holds the wiki
  7 a policy or limit refuses       70 internal error    129, 130, 143 signals
"""


class _Lazy(CommandGroup):
    """A group that imports a command when it is called, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = COMMANDS[cmd_name][0] if cmd_name in COMMANDS else HIDDEN.get(cmd_name)
        if name is None:
            return None
        if cmd_name not in QUICK:
            gc.set_threshold(_MADE)
            gc.enable()
        place, _, named = name.partition(":")
        module = importlib.import_module(f"llmwiki.interfaces.cli.commands.{place}")
        if place == "asking":
            module.add_asking(self)
            return self.commands[cmd_name]
        command = getattr(module, named or "command")
        if not isinstance(command, click.Command):
            raise TypeError(f"{name} is not a command")
        return command

    meant = MEANT

    def has(self, name: str) -> bool:
        return name in COMMANDS or name in HIDDEN

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        from click.shell_completion import CompletionItem

        found = [row for row in COMMANDS.items() if row[0].startswith(incomplete)]
        return [CompletionItem(name, help=text) for name, (_module, text) in found]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # One width for all, so that the lines stand in one column.
        width = max(map(len, COMMANDS))
        more = {"More": MORE} if ctx.meta.get(ALL) else {}
        for heading, rows in (SECTIONS | more).items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(width), text) for name, (_module, text) in rows.items()]
                )


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(__version__, "--version", prog_name="wiki")
@click.option(
    "-C",
    "directory",
    metavar="DIR",
    type=click.Path(file_okay=False, exists=True),
    help="Work as if started in DIR, which must exist.",
)
@click.option(
    "--root",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Read the Markdown in DIR, which may be no wiki; nothing is written.",
)
@click.pass_context
def cli(ctx: click.Context, directory: str | None, root: str | None) -> None:
    """A wiki that a language model maintains, inside a git repository.

    Drop documents into raw/, run `wiki ingest`: each becomes claims with verbatim evidence on
    interlinked pages under wiki/, and lands as exactly one commit.

    \b
    Start here:
      wiki init                   make a wiki in this folder
      wiki ingest raw/            read every document in raw/
      wiki query "QUESTION"       ask what it knows
      wiki status                 see what came of it
      wiki show PAGE              read a page; wiki/index.md lists them
      wiki undo                   take the last operation back

    `wiki help COMMAND` explains each command; `wiki help --all` lists the others.
    """
    ctx.obj = directory


def run() -> int:
    """Runs the command and gives its exit code; the only place that prints an error."""
    print_landings.begin()
    out = sys.stdout
    try:
        try:
            result: Any = cli.main(prog_name="wiki", standalone_mode=False)
        finally:
            progress.clear()
        code = result if isinstance(result, int) else 0
    except (click.Abort, KeyboardInterrupt, Terminated) as stop:
        return cut_off(stop)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        _with_place(error).show()
        _print_example(error)
        code = error.exit_code
    except WikiError as error:
        click.echo(f"wiki: {clean(str(error))}", err=True)
        code = error.exit_code
    except SystemExit as stop:
        # Where the reader of our output has gone, click puts a silent stream in its place.
        code = 0 if sys.stdout is not out else _code_of(stop)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        if os.environ.get("LLMWIKI_DEBUG"):
            raise
        click.echo(
            f"wiki: internal error: {type(error).__name__}: {clean(str(error))}\n"
            "  This is a bug. LLMWIKI_DEBUG=1 shows where.",
            err=True,
        )
        code = INTERNAL_ERROR
    print_landings.print_end()
    return code


def cut_off(stop: BaseException) -> int:
    """Says of a command that was cut off what it had committed, and gives its exit code."""
    if isinstance(stop, Terminated):
        print_landings.print_end("terminated")
        return stop.code
    print_landings.print_end("stopped")
    return INTERRUPTED


def _print_example(error: click.ClickException) -> None:
    """Says how the command is called, where it was called without what it needs."""
    if not isinstance(error, click.MissingParameter) or error.ctx is None:
        return
    told = (error.ctx.command.help or "").partition("Example")[2].splitlines()[1:]
    for line in [each for each in told if f" {error.ctx.info_name} " in f"{each} "][:1]:
        click.echo(f"Such as: {line.strip()}", err=True)


def _with_place(error: click.ClickException) -> click.ClickException:
    """What says where an option stands that is not the command's own but that of all; for any other
    error the error itself."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    if not any(error.option_name in each.opts for each in cli.params):
        return error
    # Nothing else was meant: what click takes to be alike is left out.
    name = error.ctx.command_path.partition(" ")[2]
    place = f"It stands before the command: wiki {error.option_name} … {name}"
    return click.UsageError(f"No such option '{error.option_name}'. {place}", error.ctx)


def _code_of(stop: SystemExit) -> int:
    return stop.code if isinstance(stop.code, int) else 1
