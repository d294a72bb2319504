"""Groups of commands: a word that names none is answered with those that there are."""

from __future__ import annotations

from collections.abc import Mapping

import click

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
        from llmwiki.interfaces.cli.cleaning import clean

        known = self.list_commands(ctx)
        near = [meant] if (meant := self.meant.get(name)) else nearest(name, known)
        if near:
            hint = f"Did you mean `{ctx.command_path} {near[0]}`?"
        else:
            hint = f"`{ctx.command_path} --help` lists them: {', '.join(known)}."
        return f"There is no command `{clean(name)}`. {hint}"
