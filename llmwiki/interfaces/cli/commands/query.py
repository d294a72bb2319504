"""wiki query: an answer from the wiki, every citation checked, wrapped to 80 columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.json_output.composed_values import answer_parts, no_answer
from llmwiki.app.query import QueryOptions, Restarted
from llmwiki.core.errors import WikiError
from llmwiki.core.text import cut, normalise
from llmwiki.interfaces.cli import progress
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, say_err, wants_json
from llmwiki.interfaces.cli.command_options import YES, filled, options
from llmwiki.interfaces.cli.commands.search_and_context import (
    NO_MATCH,
    SAYS_NOTHING,
    explain_context,
    explained,
    nothing_found,
    question_of,
)
from llmwiki.interfaces.cli.safe_text import WIDTH, clean, wrapped
from llmwiki.version import SIGNED_OFFLINE

if TYPE_CHECKING:
    from llmwiki import (
        CheckedAnswer,
        CheckedStatement,
        CitedPassage,
        ContextResult,
        NoteResult,
        QueryEvent,
        QueryResult,
    )


UNSUPPORTED = 5


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION")
@options(QueryOptions, max_cost=YES)
@explained
def command(question: tuple[str, ...], yes: bool, explain: bool, **given: Any) -> int:
    """Answer a question from the wiki, and from nothing else.

    The passages that bear on it (`wiki context` prints them) go to a model, which may look once or
    twice more in its own words, and each citation of its answer is checked against them. A sentence
    that cites anything else is left out and named on stderr; one that cites nothing is marked.
    Without a key, or with `--model offline`, what answers is quoted: one passage, or several below
    `One of these may answer it:`. Where none does, that is said; below Nearest stands what comes
    nearest. QUESTION `-` reads standard input.

    Exit code 1: the wiki does not say. 5: nothing that the answer cites was in the context.

    \b
    Examples:
      wiki query "How long is green tea steeped?"
      wiki query "What did we know of caching then?" --at HEAD~20
      wiki query "How do the two designs differ?" --save --title "Two designs"
    """
    wiki, options, as_json = open_wiki(yes=yes), filled(QueryOptions, given), wants_json()
    printer = Printer(_write, streams=sys.stdout.isatty(), is_mute=as_json)
    found: list[ContextResult] = []
    try:
        result = wiki.query(question_of(question), options, on=printer.hear, found=found.append)
    except WikiError as error:
        # Before anybody was asked, there is no answer to tell of.
        if not (as_json and found):
            raise
        wrong = " ".join(str(error).split())
        say_as("query", **no_answer(found[0].context.question, error.exit_code, wrong))
        return error.exit_code
    code = _code(result)
    if as_json and result.answer is None:
        say_as("query", **no_answer(result.found.context.question, code))
    elif as_json:
        say_as("query", result.answer, **answer_parts(result, code))
    if result.answer is None:
        nothing_found(result.found.pages, SAYS_NOTHING + result.found.context.question)
        return code
    if not as_json:
        printer.finish(result.answer)
        _say_citations(result.answer)
    for path in result.missing:
        say_err(f"wiki: {path} is gone from raw/; `wiki status` says how to bring it back")
    if explain:
        say_err(explain_context(result.found.context))
    _print_cost(result.answer)
    if options.save and not as_json:
        _say_saved(result)
    return code


def _say_saved(result: QueryResult) -> None:
    """What became of --save. Raises the failure of filing."""
    if result.failure:
        raise result.failure
    if result.filed:
        _say_filed(result.filed)
    else:
        say_err("wiki: the wiki does not say, so nothing is filed")


def _write(text: str) -> None:
    progress.clear()
    click.echo(clean(text), nl=False)


def _code(result: QueryResult) -> int:
    """0 for an answer, 1 where it says that the wiki does not say, 5 where nothing supports it;
    that of a failure where it could not be filed."""
    if result.failure:
        return result.failure.exit_code
    if result.is_supported:
        return 0
    return NO_MATCH if result.is_gap else UNSUPPORTED


def _say_citations(answered: CheckedAnswer) -> None:
    if answered.cited:
        is_quoted = answered.model == SIGNED_OFFLINE
        say("\nCitations\n" + citation_list(answered.cited, is_brief=is_quoted))
    if answered.nearest:
        say("\nNearest\n" + citation_list(answered.nearest, first=len(answered.cited) + 1))
    if not answered.left_out:
        return
    say_err("wiki: left out, for what it cites was not in the context:")
    for each in answered.left_out:
        say_err(f"  - {each.statement.text} ({', '.join(each.unknown)})")


def _print_cost(answered: CheckedAnswer) -> None:
    if answered.usage.total:
        cost = "" if answered.cost is None else f", USD {answered.cost:.4f} (estimate)"
        asked = "".join(f"; it also asked: {cut(each, 80)}" for each in answered.looks)
        say_err(f"wiki: {answered.model}: {answered.usage.total} tokens{cost}{asked}")


def _say_filed(filed: NoteResult) -> None:
    for each in filed.left_out:
        say_err(
            f"wiki: not filed: {each.text[:80]} ({each.citation or 'no citation'}: {each.reason})"
        )
    if filed.outcome.commit:
        say(f"\n{filed.outcome.commit[:10]}  {filed.path}")
    else:
        say(f"\nThat is filed already: {filed.path}")


_ENDS = ".!?。！？"
_INDENT = "    "
_BRIEF = WIDTH - 8
"""Characters of what a citation says where the answer has said it."""
_SHOWN = 1000
"""Characters of a passage that is cited: a list or a table of an answer is shown whole."""


@dataclass(slots=True)
class Printer:
    """Writes checked statements as they come; what cites only unknown things is kept back."""

    write: Callable[[str], None]
    """Takes text as it is to be printed, line breaks included."""
    streams: bool
    """Whether to write while the answer comes; else it is written once it is whole."""
    is_mute: bool = False
    """Whether nothing is to be written at all."""
    cited: dict[tuple[str, str, int], CitedPassage] = field(default_factory=dict)
    """By place, in the order of first use."""
    _block: list[CheckedStatement] = field(default_factory=list)
    """What was heard of the paragraph, item or row that is being written."""
    _before: str = ""
    """What stands above: `text` or `item`; empty at the beginning."""

    def hear(self, event: QueryEvent) -> None:
        """Takes a statement of an answer that is being written, or that it begins again."""
        if self.is_mute or not self.streams:
            return
        if isinstance(event, Restarted):
            self._block.clear()
            if self._before:
                self.write(f"[{event.reason}: the answer begins again]\n\n")
            self.cited.clear()
            self._before = ""
        else:
            self._put(event)

    def finish(self, answered: CheckedAnswer) -> None:
        """Writes what was not written yet."""
        if self.is_mute:
            return
        if not self._before and not self._block:
            for checked in answered.statements:
                self._put(checked)
        self._write_block()

    def _put(self, checked: CheckedStatement) -> None:
        self._block.append(checked)
        if checked.statement.ends:
            self._write_block()

    def _write_block(self) -> None:
        """Writes the block, without statements of which nothing that they cite is known."""
        shown = [each for each in self._block if each.status != "unsupported"]
        self._block.clear()
        if not shown:
            return
        said = shown[0].statement
        is_item = bool(said.marker) and said.kind != "heading"
        if self._before and not (is_item and self._before == "item"):
            self.write("\n")
        self._before = "item" if is_item else "text"
        if said.kind == "code":
            self.write(f"{said.text}\n[uncited]\n")
            return
        indent = " " * len(said.marker) if is_item else ""
        first, *below = " ".join(map(self._with_numbers, shown)).split("\n")
        lines = wrapped(first, said.marker, indent)
        for line in below:
            lines += wrapped(line, indent, indent)
        self.write("\n".join(lines) + "\n")

    def _with_numbers(self, checked: CheckedStatement) -> str:
        marks = []
        for cited in checked.cited:
            self.cited.setdefault(cited.place, cited)
            struck = " superseded" if cited.successor else " updated" if cited.updated_by else ""
            marks.append(f"[{list(self.cited).index(cited.place) + 1}{struck}]")
        if checked.unknown:
            marks.append("[?]")
        if checked.status == "uncited":
            marks.append("[uncited]")
        text = checked.statement.text
        if not marks:
            return text
        end = text[-1:] if text[-1:] in _ENDS else ""
        return f"{text.removesuffix(end)} {''.join(marks)}{end}"


def citation_list(cited: Sequence[CitedPassage], first: int = 1, *, is_brief: bool = False) -> str:
    """The citations under their numbers, from `first` on, with quote, source and lines.

    `is_brief`: the answer is what they say, so that one line of each tells which it is.
    """
    lines: list[str] = []
    for number, each in enumerate(cited, start=first):
        head = f"[{number}] "
        # A document's page is named after its file, which may say little.
        is_named = each.handle.startswith((f"[[{each.title}#", f"[[{each.title}]"))
        title = "" if is_named else f"  {each.title}"
        lines.append(f"{head}{each.handle}{title}")
        if each.successor:
            lines.append(f"    superseded: {each.successor}")
        if each.updated_by:
            lines.append(f"    updated by: {' and '.join(each.updated_by)}")
        for evidence, resource in zip(each.evidence, each.resources, strict=True):
            quote = evidence.quote.replace("&nbsp;", " ")
            lines += wrapped(cut(f"“{quote}”", _BRIEF if is_brief else 400), _INDENT, _INDENT)
            where = f"{resource}:{evidence.first}" if evidence.first else resource
            lines.append(f"    {where}, {evidence.place}" if evidence.place else f"    {where}")
        if not each.evidence:
            text = each.text.replace("&nbsp;", " ")
            shown = cut(text.partition("\n")[0], _BRIEF) if is_brief else cut(text, _SHOWN)
            for line in shown.split("\n"):
                below = _INDENT + " " * (len(line) - len(line.lstrip()))
                lines += wrapped(line.lstrip(), below, below)
            lines.append(f"    {normalise(each.path)}:{each.line}")
        if each.rests_on:
            lines.append(f"    from {'; '.join(each.rests_on)}")
    return "\n".join(lines)
