"""Completion in bash, zsh and fish: the scripts, and what `wiki` answers when they ask.

A script hands over the words of the line as they were typed, quotes included, and gets a line for
each word that fits: the word, a tab, what it is. No line: the shell completes files. bash is given
words quoted as they shall stand in the line; zsh and fish quote them themselves.
"""

from __future__ import annotations

import os
import re

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class

VARIABLE = "_WIKI_COMPLETE"

_BASH = r"""
_wiki_completion() {
    local value
    COMPREPLY=()
    while IFS=$'\t' read -r value _; do
        [ -z "$value" ] || COMPREPLY+=("$value")
    done < <(COMP_WORDS="$(printf '%s\n' "${COMP_WORDS[@]}")" COMP_CWORD="$COMP_CWORD" \
        _WIKI_COMPLETE=bash_complete "$1" 2>/dev/null)
}
complete -o bashdefault -o default -F _wiki_completion wiki llmwiki
"""

_ZSH = r"""
#compdef wiki llmwiki
_wiki_completion() {
    local -a values shown
    local value help
    (( $+commands[$words[1]] )) || return 1
    while IFS=$'\t' read -r value help; do
        [[ -n $value ]] || continue
        values+=("$value")
        shown+=("$value${help:+  -- $help}")
    done < <(COMP_WORDS="${(F)words[1,CURRENT]}" COMP_CWORD=$((CURRENT-1)) \
        _WIKI_COMPLETE=zsh_complete "$words[1]" 2>/dev/null)
    if (( $#values )); then
        compadd -l -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -d shown -a values
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _wiki_completion "$@"
else
    compdef _wiki_completion wiki llmwiki
fi
"""

_FISH = r"""
function __wiki_completion
    set -l before (commandline -opc)
    set -lx COMP_CWORD (count $before)
    set -lx COMP_WORDS (printf '%s\n' $before (commandline -ct) | string collect)
    set -l found (_WIKI_COMPLETE=fish_complete $before[1] 2>/dev/null | string match -v '')
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --no-files --keep-order --command wiki --arguments '(__wiki_completion)'
complete --no-files --keep-order --command llmwiki --arguments '(__wiki_completion)'
"""

_PLAIN = re.compile(r"[\w%+,./-]")
_WORD_PART = re.compile(r"\\(.)|'([^']*+)'?|\"((?:[^\"\\]|\\.)*+)\"?|([^\\'\"])", re.DOTALL)


class _Completion(ShellComplete):
    """What all three have in common."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is completed, and that one as far as it was typed."""
        place = int(os.environ["COMP_CWORD"])
        words = os.environ["COMP_WORDS"].split("\n")
        self.typed = words[place] if place < len(words) else ""
        return [unquoted(word) for word in words[1:place]], unquoted(self.typed)

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """What fits; nothing for files, and where a word before it is none that there is."""
        try:
            found = super().get_completions(args, incomplete)
        except click.ClickException:
            return []
        return [item for item in found if item.type == "plain"]

    def format_completion(self, item: CompletionItem) -> str:
        """The line for one word."""
        help_text = " ".join((item.help or "").split())
        return f"{item.value}\t{help_text}"


class _Bash(_Completion):
    name = "bash"
    source_template = _BASH

    def format_completion(self, item: CompletionItem) -> str:
        """The word as it shall stand in the line, behind the quote with which it begins."""
        return quoted(item.value, self.typed[:1])


class _Zsh(_Completion):
    name = "zsh"
    source_template = _ZSH


class _Fish(_Completion):
    name = "fish"
    source_template = _FISH


def register() -> None:
    """Puts these in the place of the scripts that click brings along."""
    for kind in (_Bash, _Zsh, _Fish):
        add_completion_class(kind)


def script(shell: str) -> str:
    """The script for `bash`, `zsh` or `fish`."""
    return {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[shell].lstrip("\n")


def unquoted(word: str) -> str:
    """A word of a line without its quotes, of which the last may not be closed yet."""
    parts = []
    for escaped, single, double, plain in _WORD_PART.findall(word):
        parts.append(escaped + single + re.sub(r"\\([\\\"$`])", r"\1", double) + plain)
    return "".join(parts)


def quoted(value: str, quote: str) -> str:
    """A word as bash reads it, behind a `quote` that stands there already or none."""
    if quote == '"':
        return re.sub(r"([\\\"$`])", r"\\\1", value)
    if quote == "'":
        return value.replace("'", "'\\''")
    return "".join(char if _PLAIN.match(char) else f"\\{char}" for char in value)
