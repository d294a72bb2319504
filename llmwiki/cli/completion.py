"""wiki completion: the script that completes commands, options and pages in a shell."""

from __future__ import annotations

import click

from llmwiki.cli.completion_script import script


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="SHELL")
def command(shell: str) -> int:
    """Print the script by which bash, zsh or fish completes commands, options and page titles.

    Titles come from the index as it lies, so they are there at once in a large wiki too. See
    docs/install.md.

    \b
    Examples:
      eval "$(wiki completion bash)"                        # in ~/.bashrc
      eval "$(wiki completion zsh)"                         # in ~/.zshrc, after compinit
      wiki completion fish > ~/.config/fish/completions/wiki.fish
    """
    click.echo(script(shell), nl=False)
    return 0
